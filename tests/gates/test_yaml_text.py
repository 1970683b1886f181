"""The YAML 1.2 layer: values, places and faults, the same from libyaml and from PyYAML's own parser."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_irbench.errors import InputErrors
from pytest_irbench.gates.nodes import Faults, ListNode, MapNode, Node, Scalar
from pytest_irbench.gates.yaml_text import LOADER, parse

LOADERS = sorted({LOADER, yaml.BaseLoader}, key=lambda loader: loader.__name__)


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__)
def loader(request: pytest.FixtureRequest) -> type[Any]:
    return request.param  # type: ignore[no-any-return]


def read(text: str | bytes, loader: type[Any] = LOADER) -> Node | None:
    faults = Faults(Path("f.yaml"))
    node = parse(text if isinstance(text, bytes) else text.encode(), faults, loader)
    faults.raise_all()
    return node


def refused(text: str | bytes, loader: type[Any] = LOADER) -> str:
    with pytest.raises(InputErrors) as caught:
        read(text, loader)
    return str(caught.value)


def mapping(text: str | bytes, loader: type[Any] = LOADER) -> MapNode:
    node = read(text, loader)
    assert isinstance(node, MapNode)
    return node


def value(text: str, loader: type[Any] = LOADER) -> object:
    node = mapping(f"k: {text}\n", loader).entries["k"][1]
    assert isinstance(node, Scalar)
    assert node.text == text.strip("'\"") or text.startswith(("!", "|"))
    return node.value


@pytest.mark.parametrize(
    "text",
    ["31_1", "3_11", "106_2", "no", "NO", "on", "off", "yes", "y", "1:10", "2024-01-01", "1_0.5", "1_000"]
    + [
        "0b11",
        "0o8",
        "0xg",
        "1.2.3",
        ".5.",
        "e3",
        "1e",
        "+",
        ".",
        "tRUE",
        "nUll",
        "nan",
        "inf",
        "<<",
        "=",
    ],
)
def test_what_yaml_1_2_leaves_as_text_is_the_text(text: str, loader: type[Any]) -> None:
    assert value(text, loader) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [("1e-3", 0.001), ("5e-1", 0.5), ("1.0e-3", 0.001), (".5", 0.5), ("1.", 1.0), ("+1.5E+2", 150.0)]
    + [("0", 0), ("007", 7), ("-19", -19), ("+3", 3), ("0o17", 15), ("0x1F", 31)],
)
def test_numbers_are_those_of_the_core_schema(text: str, number: float, loader: type[Any]) -> None:
    read_value = value(text, loader)
    assert read_value == number
    assert type(read_value) is type(number)


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF"])
def test_infinities_are_numbers(text: str) -> None:
    read_value = value(text)
    assert isinstance(read_value, float)
    assert math.isinf(read_value)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_nan_is_a_number(text: str) -> None:
    read_value = value(text)
    assert isinstance(read_value, float)
    assert math.isnan(read_value)


def test_an_endless_number_is_infinite() -> None:
    assert value("9" * 5000) == math.inf


@pytest.mark.parametrize(("text", "word"), [("true", True), ("False", False), ("~", None), ("Null", None)])
def test_words_of_the_core_schema(text: str, word: bool | None, loader: type[Any]) -> None:
    assert value(text, loader) is word


@pytest.mark.parametrize("text", ["'0.5'", '"true"', "'~'"])
def test_quoted_text_is_text(text: str, loader: type[Any]) -> None:
    assert value(text, loader) == text[1:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("!!str 0.5", "0.5"), ("! 5", "5"), ("!!int 5", 5), ("!!float 1", 1), ("!!float '0.5'", 0.5)]
    + [("!!bool true", True), ("!!null ~", None)],
)
def test_tags_of_the_core_schema_are_read(text: str, expected: object, loader: type[Any]) -> None:
    assert value(text, loader) == expected


@pytest.mark.parametrize(
    "text",
    ["!!python/object:os.system {}", "!!python/name:os.system ''", "!mine x", "!!int abc", "!!int true"]
    + ["!!set {a}", "!!omap []", "!!binary aGk=", "!!float 1:10"],
)
def test_other_tags_are_one_fault(text: str, loader: type[Any]) -> None:
    tag = text.split()[0]
    message = refused(f"k: {text}\n", loader)
    assert message == f"f.yaml:1:4: the tag {tag} is not understood here: leave it out"


def test_keys_are_the_text_as_written(loader: type[Any]) -> None:
    text = "31_1: a\n3_11: a\n311: a\nno: a\non: a\nnull: a\n2024-01-01: a\n007: a\n'7': a\n? \n: a\n"
    keys = ["31_1", "3_11", "311", "no", "on", "null", "2024-01-01", "007", "7", ""]
    assert list(mapping(text, loader).entries) == keys


def test_places_count_from_one_in_characters(loader: type[Any]) -> None:
    root = mapping("é: 1\nb: {ü: [x, 'y']}\nc:\n  - z\n", loader)
    assert (root.line, root.column) == (1, 1)
    inner = root.entries["b"][1]
    assert isinstance(inner, MapNode)
    key, items = inner.entries["ü"]
    assert isinstance(items, ListNode)
    assert [(n.line, n.column) for n in (inner, key, items, *items.items)] == [
        (2, 4), (2, 5), (2, 8), (2, 9), (2, 12),
    ]  # fmt: skip
    block = root.entries["c"][1]
    assert isinstance(block, ListNode)
    assert [(n.line, n.column) for n in (block, *block.items)] == [(4, 3), (4, 5)]


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", b"a: 1\rb: 2\r", b"a: 1\nb: 2"])
def test_byte_order_mark_and_line_ends_change_nothing(text: bytes, loader: type[Any]) -> None:
    node = mapping(text, loader)
    places = [(key.line, key.column, key.text) for key, _ in node.entries.values()]
    assert places == [(1, 1, "a"), (2, 1, "b")]
    assert [entry.value for _, entry in node.entries.values() if isinstance(entry, Scalar)] == [1, 2]


def test_duplicate_keys_are_a_fault_that_names_the_first(loader: type[Any]) -> None:
    message = refused("a: 1\nb: 2\na: 3\n'a': 4\n", loader).splitlines()
    assert message == [
        "f.yaml:3:1: the key 'a' is given twice, first in line 1: keep one",
        "f.yaml:4:1: the key 'a' is given twice, first in line 1: keep one",
    ]


def test_aliases_stand_for_their_anchors(loader: type[Any]) -> None:
    root = mapping("a: &x {n: &n 5}\nb: *x\nc: *n\n*n : d\n", loader)
    assert root.entries["a"][1] is root.entries["b"][1]
    number = root.entries["c"][1]
    assert isinstance(number, Scalar)
    assert (number.value, number.line, number.column) == (5, 1, 11)
    key = root.entries["5"][0]
    assert (key.line, key.column) == (4, 1)


def test_aliased_list_items_are_named_where_they_stand() -> None:
    root = mapping("a: &n x\nb:\n  - *n\n")
    items = root.entries["b"][1]
    assert isinstance(items, ListNode)
    assert items.items[0].line == 3


@pytest.mark.parametrize("text", ["k: &a [*a]", "k: &a {b: {c: *a}}", "&a k: {b: &a [[*a]]}"])
def test_an_alias_inside_its_own_anchor_is_a_fault(text: str, loader: type[Any]) -> None:
    message = refused(text, loader)
    assert message == f"f.yaml:1:{text.index('*') + 1}: the alias *a stands inside its own anchor"


def test_an_alias_without_anchor_is_a_fault(loader: type[Any]) -> None:
    assert refused("k: *a", loader) == "f.yaml:1:4: the alias *a has no anchor &a before it"


@pytest.mark.parametrize("text", ["[a]: 1", "{a: b}: 1", "? [a]\n: 1"])
def test_a_key_that_is_no_text_is_a_fault(text: str, loader: type[Any]) -> None:
    column = 3 if text.startswith("?") else 1
    assert refused(text, loader) == f"f.yaml:1:{column}: a key must be text, not a list or a mapping"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("depth", [60, 20_000])
def test_deep_nesting_is_a_fault(opening: str, depth: int, loader: type[Any]) -> None:
    message = refused(opening * depth, loader)
    assert message.startswith("f.yaml:1:")
    assert message.endswith("lists and mappings are nested more than 50 deep here")


def test_aliases_of_aliases_do_not_grow() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    assert len(mapping("\n".join(lines)).entries) == 40


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\ufeff", " \n\n"])
def test_no_document_is_none(text: str, loader: type[Any]) -> None:
    assert read(text, loader) is None


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a:\n\tb: 1\n", "2:1", "a tab stands here: YAML is indented with blanks"),
        ("a:\n  b: 1\n  \tc: 2\n", "3:3", "a tab stands here"),
        ("a: 'x\nb: 1\n", "1:4", "a quote is opened here and never closed"),
        ("a: [1, 2\nb: 3\n", "1:4", "a '[' is opened here and not closed"),
        ("a: {b: 1\nc: 2\n", "1:4", "a '{' is opened here and not closed"),
        ("a: b: c\n", "1:5", "a ':' stands where no key can be"),
        ("a:\n  b: 1\n c: 2\n", "3:2", "this line does not fit the lines above it: check the indentation"),
        ("a: 1\n- b\n", "2:1", "this line does not fit the lines above it"),
        ("- a\nb: 1\n", "2:1", "this line does not fit the lines above it"),
        ("a: 1\nb\nc: 1\n", "2:1", "this line has no ':' after its key"),
        (
            "run: {benchmark}.gz\n",
            "1:17",
            "text goes on after what was complete: put the whole text in quotes",
        ),
        ("a: @x\n", "1:4", "text can't start with this character: put it in quotes"),
        ("a: - b\n", "1:4", "the '-' of a list can't stand here"),
        ("a: 1\n---\nb: 2\n", "2:1", "a second document starts here: one file holds one document"),
        ("a: 1\n...\n- b\n", "3:1", ""),
        ("a: ]\n", "1:4", "text can't start with this character"),
        ("!x!y a\n", "1:1", "this is not YAML"),
        ("%YAML 3.0\n---\na: 1\n", "1:1", "this is not YAML"),
    ],
)
def test_syntax_faults_are_told_in_plain_words(text: str, place: str, words: str, loader: type[Any]) -> None:
    message = refused(text, loader)
    assert message.startswith(f"f.yaml:{place}: {words}")
    assert "\n" not in message


@pytest.mark.parametrize("text", [r'a: "C:\data"', r'a: "\uD800"', r'a: "\UFFFFFFFF"', r'a: "\x1"'])
def test_wrong_escapes_are_a_fault(text: str, loader: type[Any]) -> None:
    message = refused(text, loader)
    assert message.startswith("f.yaml:1:")
    assert "escape" in message


def test_an_endless_version_number_is_a_fault(loader: type[Any]) -> None:
    assert refused(f"%YAML {'1' * 5000}.1\n---\na: 1\n", loader).startswith("f.yaml:1:")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: 1\nb: \xe9\n", "f.yaml:2:4: this is not UTF-8 text: save the file as UTF-8"),
        ("a: 1\n".encode("utf-16"), "f.yaml:1:1: this is not UTF-8 text: save the file as UTF-8"),
        (b"\xef\xbb\xbf\xc3\xa9: \xff", "f.yaml:1:4: this is not UTF-8 text: save the file as UTF-8"),
        (b"a: 1\r\nbc: \x07\r\n", "f.yaml:2:5: the character U+0007 is not allowed here"),
        ("a: x\u2028y".encode(), "f.yaml:1:5: the character U+2028 is not allowed here"),
        ("a: 1\n\ufeffb: 2".encode(), "f.yaml:2:1: the character U+FEFF is not allowed here"),
        (b"a\x00b", "f.yaml:1:2: the character U+0000 is not allowed here"),
    ],
)
def test_what_is_no_text_is_a_fault(data: bytes, message: str, loader: type[Any]) -> None:
    assert refused(data, loader).startswith(message)
