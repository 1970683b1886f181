"""Which topics a slice picks."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.benchmark import Topic, Topics
from pytest_irbench.benchmarks.topic_columns import TopicColumns
from pytest_irbench.errors import InputError
from pytest_irbench.gates.nodes import shown
from pytest_irbench.gates.where import parse_where, select
from pytest_irbench.gates.where_text import MAX_DEPTH, MAX_LENGTH

EXAMPLE = 'write it like turn >= 5 and conversation in ["31", "32"]'

TURNS = Topics(
    [
        Topic(
            f"text of {conversation}_{turn}", f"{conversation}_{turn}", conversation=conversation, turn=turn
        )
        for conversation, turn in (("31", 1), ("31", 2), ("31", 10), ("32", 1), ("32", 5))
    ]
)
COLUMNS = TopicColumns(
    Path("columns.tsv"),
    ("kind", "words", "other", "day"),
    {
        "31_1": {"kind": "how-to", "words": "4", "other": "4.0", "day": "2024-01-31"},
        "31_2": {"kind": "fact", "words": "12", "other": "9", "day": "2024-06-01"},
        "31_10": {"kind": "fact", "words": "n/a", "other": "1", "day": "2023-12-31"},
        "32_1": {"kind": "", "words": "", "other": "-2", "day": "2024-10-01"},
        "32_5": {"kind": "7", "words": "07.0", "other": "1e2", "day": ""},
    },
)
ALL = ["31_1", "31_2", "31_10", "32_1", "32_5"]


def picked(text: str, topics: Topics = TURNS, columns: TopicColumns | None = COLUMNS) -> list[str]:
    return list(select(parse_where(text), topics, columns))


def fault(text: str, topics: Topics = TURNS, columns: TopicColumns | None = COLUMNS) -> str:
    """What is wrong, without the part that quotes the expression, which every message begins with."""
    with pytest.raises(InputError) as caught:
        picked(text, topics, columns)
    assert caught.value.path is None
    start = f"where {shown(text.strip())}"
    message = str(caught.value)
    assert message.startswith(start)
    return message.removeprefix(start).removeprefix(": ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turn >= 5", ["31_10", "32_5"]),
        ("5 <= turn", ["31_10", "32_5"]),
        ("2 <= turn <= 5", ["31_2", "32_5"]),
        ('3 <= turn <= 10 and conversation != "31"', ["32_5"]),
        ('query_id in ["31_1", "32_5", "99_1"]', ["31_1", "32_5"]),
        ("conversation not in (32, 33)", ["31_1", "31_2", "31_10"]),
        ("turn in {1, 5}", ["31_1", "32_1", "32_5"]),
        ('kind == "how-to" or not (turn < 10)', ["31_1", "31_10"]),
        ('text == "text of 32_1"', ["32_1"]),
        ("turn > -1", ALL),
        ("turn == +5.0", ["32_5"]),
        ("turn > - 1 and turn < .2e1", ["31_1", "32_1"]),
        (" turn == 5\n", ["32_5"]),
        ("(turn == 5\r\n or turn == 2)", ["31_2", "32_5"]),
        ("(turn == 5\r or turn == 2)", ["31_2", "32_5"]),
        ("not kind == 'fact' and not turn == 1", ["32_5"]),
    ],
)
def test_topics_are_picked_in_their_order(text: str, expected: list[str]) -> None:
    assert picked(text) == expected


def test_an_expression_knows_its_text_and_the_columns_it_reads() -> None:
    where = parse_where(' turn >= 5 and (kind == "a" or not words < 3)\n')
    assert where.text == 'turn >= 5 and (kind == "a" or not words < 3)'
    assert where.names == {"turn", "kind", "words"}
    assert where == parse_where(where.text) == pickle.loads(pickle.dumps(where))
    assert where != parse_where("turn >= 5")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("words == 4", ["31_1"]),
        ("words == 7", ["32_5"]),
        ("words != 4", ["31_2", "31_10", "32_1", "32_5"]),
        ("words in [12, 7]", ["31_2", "32_5"]),
        ("words not in [12, 7]", ["31_1", "31_10", "32_1"]),
        ("other > 5", ["31_2", "32_5"]),
        ("other == 100", ["32_5"]),
        ("conversation == 32", ["32_1", "32_5"]),
        ("turn == other", []),
        ("turn > other", ["31_10", "32_1"]),
    ],
)
def test_against_a_number_a_text_is_the_number_it_reads_as(text: str, expected: list[str]) -> None:
    if expected:
        assert picked(text) == expected
    else:
        assert fault(text).startswith(" picks none")


@pytest.mark.parametrize(
    "cell", ["nan", "inf", "-Infinity", "1_0", "0x1f", "١٠", "1e", ".", "", "1 0", "ten"]
)
def test_only_plain_decimals_read_as_numbers(cell: str) -> None:
    columns = TopicColumns(Path("c.tsv"), ("words",), {"q": {"words": cell}})
    topics = Topics([Topic("text", "q")])
    assert picked("words != 10", topics, columns) == ["q"]
    assert fault("words < 10", topics, columns) == (
        f"words of query 'q' is {cell!r}, which is no number: "
        "correct it, or order texts against a text in quotes"
    )


def test_whole_numbers_are_exact_however_long() -> None:
    near = Topics([Topic("a", "12345678901234567890"), Topic("b", "12345678901234567891")])
    assert picked("query_id == 12345678901234567891", near) == ["12345678901234567891"]
    endless = Topics([Topic("a", "9" * 5000)])
    assert picked("query_id > 5", endless) == ["9" * 5000]


def test_two_texts_are_equal_character_by_character() -> None:
    assert picked('other == "4.0"') == ["31_1"]
    assert picked('other != "4"') == ALL
    assert picked("query_id == query_id") == ALL
    assert fault("words == other").startswith(" picks none")


def test_texts_are_ordered_against_a_text_in_quotes() -> None:
    assert picked('day >= "2024-06-01"') == ["31_2", "32_1"]
    assert picked('"2024-01-01" <= day < "2024-06-01"') == ["31_1"]


@pytest.mark.parametrize("text", ['"31" != conversation', 'kind == "9"', "turn == 5 or words < 10"])
def test_a_number_in_quotes_is_a_text_where_texts_are_compared(text: str) -> None:
    columns = TopicColumns(Path("c.tsv"), ("kind", "words"), {q: {"kind": "9", "words": "3"} for q in ALL})
    assert picked(text, columns=columns)


def test_what_decides_nothing_is_not_looked_at() -> None:
    assert picked('kind == "how-to" and words < 10') == ["31_1"]
    assert picked("turn != 2 or words > 10") == ALL
    assert picked("5 < turn < words", columns=_with_words("11")) == ["31_10"]


def _with_words(words: str) -> TopicColumns:
    return TopicColumns(Path("c.tsv"), ("words",), {query_id: {"words": words} for query_id in ALL})


MIXED = Topics([Topic("alone", "q"), Topic("first", "31_1", conversation="31", turn=1)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turn == 1", ["31_1"]),
        ("turn != 5", ["31_1"]),
        ("turn < 5", ["31_1"]),
        ("not turn >= 5", ["31_1"]),
        ("not turn == 5", ["31_1"]),
        ("turn not in [5]", ["31_1"]),
        ("not turn in [5]", ["31_1"]),
        ('conversation != "32"', ["31_1"]),
        ("not (turn == 5 and conversation == 31)", ["31_1"]),
        ("turn == turn", ["31_1"]),
        ('turn == 5 or text == "alone"', ["q"]),
        ('not (turn == 5 and text == "first")', ["q", "31_1"]),
    ],
)
def test_a_topic_without_a_turn_is_picked_neither_by_a_comparison_with_it_nor_by_its_opposite(
    text: str, expected: list[str]
) -> None:
    assert picked(text, MIXED) == expected


@pytest.mark.parametrize("name", ["turn", "conversation"])
def test_turns_are_not_asked_for_where_there_are_none(name: str) -> None:
    topics = Topics([Topic("a", "q1"), Topic("b", "q2")])
    expected = f"the topics have no {name}: this benchmark has no conversations"
    assert fault(f'query_id == "q1" or {name} == 5', topics) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"is empty: {EXAMPLE}"),
        ("turn", f"turn is no comparison: {EXAMPLE}"),
        ("turn >= 5 and words", f"words is no comparison: {EXAMPLE}"),
        ("turn == 5 or 6", f"6 is no comparison: {EXAMPLE}"),
        ("True", f"True is no comparison: {EXAMPLE}"),
        ("-turn", f"-turn is no comparison: {EXAMPLE}"),
        ("turn >> 5", f"turn >> 5 is no comparison: {EXAMPLE}"),
        ("(turn := 5)", f"turn := 5 is no comparison: {EXAMPLE}"),
        ("open('x')", f"open('x') is no comparison: {EXAMPLE}"),
        ("turn >= 5, turn < 9", f"turn >= 5, turn < 9 is no comparison: {EXAMPLE}"),
        ("3 < 4", f"3 and 4 are compared without a column: {EXAMPLE}"),
        ("3 <= 4 <= turn", f"3 and 4 are compared without a column: {EXAMPLE}"),
        ('"a" in ["a"]', f'"a" and ["a"] are compared without a column: {EXAMPLE}'),
        ("turn + 1 > 5", f"turn + 1 is no column, number or text in quotes: {EXAMPLE}"),
        ("turn > 5 & words < 4", f"5 & words is no column, number or text in quotes: {EXAMPLE}"),
        ("len(text) > 5", f"len(text) is no column, number or text in quotes: {EXAMPLE}"),
        ("turn.real > 5", f"turn.real is no column, number or text in quotes: {EXAMPLE}"),
        ("conversation == None", f"None is no column, number or text in quotes: {EXAMPLE}"),
        ("turn == True", f"True is no column, number or text in quotes: {EXAMPLE}"),
        ("turn == 5j", f"5j is no column, number or text in quotes: {EXAMPLE}"),
        ('kind == b"a"', f'b"a" is no column, number or text in quotes: {EXAMPLE}'),
        ('kind == f"{turn}"', f'f"{{turn}}" is no column, number or text in quotes: {EXAMPLE}'),
        ('kind == -"a"', f'-"a" is no column, number or text in quotes: {EXAMPLE}'),
        ("turn == --5", f"--5 is no column, number or text in quotes: {EXAMPLE}"),
        ("kind == [1]", f"[1] is no column, number or text in quotes: {EXAMPLE}"),
        ("turn in [[1]]", f"[1] is no column, number or text in quotes: {EXAMPLE}"),
        ("query_id == 31_1", "31_1 is no decimal number: put an id in quotes"),
        ("query_id in [0x1f]", "0x1f is no decimal number: put an id in quotes"),
        ("turn is 5", "'is' is not understood here: write == or !="),
        ("turn is not 5", "'is' is not understood here: write == or !="),
        ('kind in "a"', "'in' looks in a list of numbers or texts in quotes such as [\"31\", \"32\"], not in \"a\""),
        ("turn in []", "'in' looks in a list of numbers or texts in quotes such as [\"31\", \"32\"], not in []"),
        ("turn not in [words, 5]", "'in' looks in a list of numbers or texts in quotes such as [\"31\", \"32\"], not in [words, 5]"),
        ('"a" in text', "'in' looks in a list of numbers or texts in quotes such as [\"31\", \"32\"], not in text"),
        ('kind in ["a" "b"]', '"a" "b" is not one text in quotes: put commas between texts'),
        ('kind == """a"""', '"""a""" is not one text in quotes: put commas between texts'),
        ('turn == "5"', 'turn is a number and "5" a text: write 5 without quotes'),
        ('turn in [4, "5"]', 'turn is a number and "5" a text: write 5 without quotes'),
        ('turn != "last"', 'turn is a number and "last" a text: write it like turn >= 5'),
        ('words > "4"', '"4" is a text: to order numbers write 4 without quotes'),
        ('"4.5" < words', '"4.5" is a text: to order numbers write 4.5 without quotes'),
        ("turn = 5", "one = does not compare: write =="),
        ('kind == "a" and turn=5', "one = does not compare: write =="),
        ("query_id == 007", "a number does not begin with 0: put an id in quotes"),
    ],
)  # fmt: skip
def test_what_is_no_expression_is_told_with_what_would_be_one(text: str, message: str) -> None:
    assert fault(text) == message


@pytest.mark.parametrize(
    "text",
    ["turn >=", "turn => 5", "turn === 5", "turn <> 5", "turn > 5 && words", "(turn > 5", 'kind == "a=0', "turn > 5\nand", "#"],
)  # fmt: skip
def test_what_python_can_not_read_is_told_with_an_example(text: str) -> None:
    message = fault(text)
    assert message.startswith("this can't be read")
    assert message.endswith(f": {EXAMPLE}")


def test_the_place_is_told_where_reading_fails() -> None:
    assert fault("turn >= 5 and >= 6") == f"this can't be read from character 15 on: {EXAMPLE}"


def test_a_comment_hides_no_condition_on_the_next_line() -> None:
    assert fault("turn >= 5 # late\nand turn < 7").startswith("this can't be read")


def test_long_texts_are_compared_whole_and_shown_short() -> None:
    long = "ä" * 500
    topics = Topics([Topic(long, "q1"), Topic("short", "q2")])
    assert picked(f'"{long}" == text', topics) == ["q1"]
    with pytest.raises(InputError) as caught:
        picked(f'text == "{long}" "b"', topics)
    assert len(str(caught.value)) < 300


def test_many_ids_are_read_quickly_enough() -> None:
    ids = ", ".join(f'"31_{number}"' for number in range(1, 1000))
    assert picked(f"query_id in [{ids}]") == ["31_1", "31_2", "31_10"]


@pytest.mark.parametrize(
    "text",
    [
        "turn >= 5\0",
        "turn == '\ud800'",
        "(" * 500 + "turn > 5" + ")" * 500,
        "not " * 2000 + "turn > 5",
        "-" * 5000 + "turn > 5",
        "turn > " + "9" * 5000,
        "turn" + ".a" * 4000 + " > 5",
        "turn > " + "[" * 5000,
        "turn > 5 or " * 800,
        "turn > 5 " + " " * MAX_LENGTH + "and turn < 7",
    ],
    ids=lambda text: text[:10].encode("ascii", "backslashreplace").decode(),
)
def test_hostile_expressions_are_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match="^where ['\"]") as caught:
        parse_where(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_nesting_has_a_limit_that_nobody_meets() -> None:
    assert picked("not " * MAX_DEPTH + "turn == 5") == ["32_5"]
    with pytest.raises(InputError, match="and, or, not are nested more than 20 deep: write it flatter"):
        parse_where("not " * (MAX_DEPTH + 1) + "turn == 5")
    assert picked(" or ".join(["turn == 5"] * 500)) == ["32_5"]


@given(st.text("turn5.0 =<>!&()[]{},'\"\\#-+_\n\0é"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_where(text)
    except InputError as error:
        assert str(error).startswith("where ")


def test_escapes_that_python_warns_of_are_silent() -> None:
    topics = Topics([Topic(r"\d", "q")])
    assert picked(r'text == "\d"', topics) == ["q"]
    assert picked("turn == 5or turn == 2") == ["31_2", "32_5"]


def test_unknown_names_are_told_with_the_nearest_one() -> None:
    assert fault("turns > 5") == "unknown name 'turns' (texts are put in quotes), did you mean 'turn'?"
    assert fault("kind == howto") == (
        "unknown name 'howto' (texts are put in quotes): "
        "known are query_id, conversation, turn, text, kind, words, other, day"
    )


def test_without_a_file_only_the_columns_of_every_topic_are_known() -> None:
    assert picked("turn == 5", columns=None) == ["32_5"]
    assert fault('kind == "fact"', columns=None) == (
        "unknown name 'kind' (texts are put in quotes): known are query_id, conversation, turn, text"
    )


def test_topics_without_a_row_are_named_when_a_column_of_the_file_is_read() -> None:
    rows = {"31_1": {"kind": "fact"}}
    columns = TopicColumns(Path("facts") / "columns.tsv", ("kind",), rows)
    assert picked("turn == 5", columns=columns) == ["32_5"]
    message = fault('turn == 1 and kind == "fact"', columns=columns)
    assert message.replace("\\", "/") == (
        "facts/columns.tsv has no row for 4 of the 5 judged topics: "
        "'31_2', '31_10', '32_1', ...: add a row for each"
    )


def test_rows_of_topics_that_are_not_judged_are_fine() -> None:
    columns = TopicColumns(Path("c.tsv"), ("kind",), {q: {"kind": "a"} for q in [*ALL, "99_1"]})
    assert picked('kind == "a"', columns=columns) == ALL


def test_a_cell_that_can_not_be_ordered_is_named() -> None:
    assert fault("words > 4") == (
        "words of query '31_10' is 'n/a', which is no number: "
        "correct it, or order texts against a text in quotes"
    )


def test_a_slice_without_topics_is_refused_with_the_values_there_are() -> None:
    assert fault("turn >= 50") == " picks none of the 5 topics: turn goes from 1 to 10"
    assert fault('conversation == "33" and kind != "x"') == (
        " picks none of the 5 topics: conversation is '31', '32'; kind is 'how-to', 'fact', '', ..."
    )
    assert fault("turn > 50", MIXED) == " picks none of the 2 topics: turn goes from 1 to 1"


NUMBERS = st.one_of(st.integers(-1, 7), st.sampled_from([0.5, 3.0, 1e2])).map(str)
TEXTS = st.sampled_from(['"a"', "'b'", '"ab"', '"zz z"'])
SIGNS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    name, values = draw(
        st.sampled_from([("turn", NUMBERS), ("words", NUMBERS), ("kind", TEXTS), ("conversation", TEXTS)])
    )
    one, other, sign, second = draw(values), draw(values), draw(SIGNS), draw(SIGNS)
    listed = f"{draw(st.sampled_from(['in', 'not in']))} [{one}, {other}]"
    return draw(
        st.sampled_from(
            [
                f"{name} {sign} {one}",
                f"{one} {sign} {name}",
                f"{one} {sign} {name} {second} {other}",
                f"{name} {listed}",
                f"turn {sign} words",
                f"words {sign} turn {second} 4",
            ]
        )
    )


EXPRESSIONS = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(" and ".join),
        st.lists(inner, min_size=2, max_size=3).map(" or ".join),
        inner.map("not {}".format),
        inner.map("({})".format),
    ),
    max_leaves=6,
)
CELLS = st.tuples(st.sampled_from(["a", "b", "ab", ""]), st.integers(1, 6), st.integers(-2, 8))


@given(EXPRESSIONS, st.lists(CELLS, min_size=1, max_size=6))
def test_an_expression_means_what_python_means_by_it(text: str, cells: list[tuple[str, int, int]]) -> None:
    known = {
        str(place): {"conversation": kind, "turn": turn, "kind": kind, "words": words}
        for place, (kind, turn, words) in enumerate(cells)
    }
    topics = Topics(
        [Topic("text", q, conversation=v["conversation"], turn=v["turn"]) for q, v in known.items()]
    )
    rows = {query_id: {"kind": v["kind"], "words": str(v["words"])} for query_id, v in known.items()}
    expected = [query_id for query_id, values in known.items() if eval(text, {}, values)]
    columns = TopicColumns(Path("c.tsv"), ("kind", "words"), rows)
    if expected:
        assert picked(text, topics, columns) == expected
    else:
        assert fault(text, topics, columns).startswith(" picks none")
