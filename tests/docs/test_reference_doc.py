"""docs/reference.md and docs/irbench-yaml.md name everything that can be written, and what they show works."""

import doctest
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import pytest_irbench
from pytest_irbench.gates.spec import KEYS, read_spec
from pytest_irbench.plugin import DEFAULT_FILES, pytest_addoption

ROOT = Path(__file__).resolve().parents[2]
PAGES = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("reference.md", "irbench-yaml.md")]
TEXT = "\n".join(PAGES)
BLOCKS = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", TEXT)
FILES = {text.split("\n")[0].removeprefix("# "): text for kind, text in BLOCKS if kind in ("python", "yaml")}
SCHEMA = json.loads((ROOT / "pytest_irbench" / "gates" / "irbench.schema.json").read_text(encoding="utf-8"))
TABLES = {
    "file": "key",
    "benchmark": "key of a benchmark",
    "system": "key of a system",
    "http": "key of `http`",
    "gate": "key of a gate",
    "limits": "key of a threshold",
    "slice": "key of a slice",
    "queries": "key of `queries`",
    "expectation": "key of an item of `expect`",
    "known bad query": "key of an item of `xfail`",
}


def rows(header: str) -> dict[str, list[str]]:
    """Read the table whose first column is called so: the code in its first cell -> the other cells."""
    table = TEXT[TEXT.index(f"| {header} | ") :].partition("\n\n")[0]
    cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.split("\n")[2:]]
    return {code: others for first, *others in cells for code in re.findall(r"`([^`]+)`", first)}


@pytest.fixture
def shop(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with the page's files, its search and the data of its benchmark."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:cacheprovider")
    for name in ("conftest.py", "irbench.yaml", "test_shop.py"):
        pytester.path.joinpath(name).write_text(FILES[name], encoding="utf-8")
    pytester.path.joinpath("shop_search.py").write_text("def keyword(topic, k): return ['p8']\n")
    pytester.path.joinpath("topics.tsv").write_text("q1\tdesk lamp\nq2\tchair\n")
    pytester.path.joinpath("qrels.txt").write_text("q1 0 p1 2\nq2 0 p3 2\n")
    return pytester


@pytest.mark.parametrize("page", PAGES, ids=["reference", "irbench-yaml"])
def test_each_is_one_page(page: str) -> None:
    assert len(page.splitlines()) <= 250


@pytest.mark.parametrize("mapping", KEYS)
def test_every_key_has_its_row(mapping: str) -> None:
    assert list(rows(TABLES[mapping])) == list(KEYS[mapping])


def test_the_defaults_are_those_of_the_schema() -> None:
    for key, rule in SCHEMA["$defs"]["benchmark"]["properties"].items():
        default = rule.get("default", "")
        shown = ", ".join(default) if isinstance(default, list) else str(default)
        assert rows(TABLES["benchmark"])[key][1] == shown


def test_every_option_has_its_row() -> None:
    declared: list[str] = []

    class Parser:
        def getgroup(self, *_: str) -> "Parser":
            return self

        def addoption(self, name: str, *_: Any, **__: Any) -> None:
            declared.append(name)

        addini = addoption

    pytest_addoption(Parser())  # type: ignore[arg-type]
    assert {re.split("[= ]", option)[0] for option in rows("option")} - set(DEFAULT_FILES) == set(declared)


def test_the_default_files_are_named() -> None:
    assert f"default `{' '.join(DEFAULT_FILES)}`" in TEXT


def test_every_public_name_is_there() -> None:
    code = " ".join([*re.findall(r"`([^`\n]+)`", TEXT), *(text for kind, text in BLOCKS if kind == "pycon")])
    assert [name for name in pytest_irbench.__all__ if not re.search(rf"\b{name}\b", code)] == []


def test_every_fixture_is_there(shop: pytest.Pytester) -> None:
    listed = shop.runpytest_inprocess("--fixtures").stdout.str()
    ours = re.findall(r"(?m)^(\w+)(?: \[session scope\])? -- .*pytest_irbench.plugin.__init__", listed)
    table = rows("fixture")
    stems = [name for name in table if not name.endswith(("_topics", "_qrels"))]
    plain = [name for name in stems if name.startswith("irbench")]
    named = {f"{stem}{end}" for stem in stems if stem not in plain for end in ("", "_topics", "_qrels")}
    assert set(ours) == named | set(plain)


def test_every_junit_property_is_there(shop: pytest.Pytester) -> None:
    # As many queries as it takes for a drop to be significant.
    query_ids = [f"q{number}" for number in range(6)]
    shop.path.joinpath("more.tsv").write_text("".join(f"{query_id}\tchair\n" for query_id in query_ids))
    shop.path.joinpath("more.txt").write_text("".join(f"{query_id} 0 p3 1\n" for query_id in query_ids))
    shop.path.joinpath("more.irbench.yaml").write_text(
        "benchmarks: {more: {topics: more.tsv, qrels: more.txt}}\n"
        "gates: [{benchmark: more, system: products, "
        "thresholds: {RR@10: {max_drop: 0.02, evidence: significant}}}]\n"
    )
    # Turns, and an unjudged document that a verdict hangs on.
    turns = [{"number": 1, "raw_utterance": "desk lamp"}, {"number": 2, "raw_utterance": "lamp shade"}]
    shop.path.joinpath("chat.json").write_text(json.dumps([{"number": 1, "turn": turns}]))
    shop.path.joinpath("chat.txt").write_text("1_1 0 p1 1\n1_1 0 p7 0\n1_2 0 p1 0\n")
    shop.path.joinpath("chat.irbench.yaml").write_text(
        "benchmarks: {chat: {topics: chat.json, qrels: chat.txt}}\n"
        "gates: [{benchmark: chat, system: products, exclude_docs: p7, unjudged: bounds, "
        "thresholds: {P@2: 0.6}}]\n"
    )
    shop.runpytest_inprocess("--irbench=more", "--irbench-update=first")
    shop.runpytest_inprocess("--irbench=shop,more,chat", "--junitxml=report.xml")
    found = {str(p.get("name")) for p in ET.parse(shop.path / "report.xml").iter("property")}
    assert found == set(rows("property"))


def test_the_files_shown_run(shop: pytest.Pytester) -> None:
    result = shop.runpytest_inprocess("--irbench=shop", "-k", "products", "-o", "pythonpath=.")
    result.assert_outcomes(passed=5, deselected=4)


def test_the_commands_shown_collect_gates(shop: pytest.Pytester) -> None:
    whole, one = re.findall(r'(?m)^\$ pytest "?([^"\n]+)"?$', TEXT)
    assert shop.runpytest_inprocess(whole, "--collect-only").ret == pytest.ExitCode.OK
    shop.runpytest_inprocess(one).assert_outcomes(passed=1)


def test_the_schema_is_where_the_page_says() -> None:
    (command,) = re.findall(r'(?m)^\$ python -c "(.+)"$', TEXT)
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(Path(done.stdout.strip()).read_text(encoding="utf-8")) == SCHEMA


def test_every_yaml_block_is_read(tmp_path: Path) -> None:
    blocks = [text for kind, text in BLOCKS if kind == "yaml"]
    assert blocks
    for text in blocks:
        path = tmp_path / "irbench.yaml"
        path.write_text(text, encoding="utf-8")
        assert read_spec(path).gates


def test_the_python_session_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (session,) = [text for kind, text in BLOCKS if kind == "pycon"]
    told: list[str] = []
    runner = doctest.DocTestRunner()
    runner.run(doctest.DocTestParser().get_doctest(session, {}, "reference.md", None, 0), out=told.append)
    assert runner.failures == 0, "".join(told)
