"""What the terminal shows of gates, from plain rows; the whole of a sample session is kept in golden/."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from golden import golden
from hypothesis import given
from hypothesis import strategies as st
from small_reports import chat, dropped, gone, report, row, shop
from tabulate import tabulate

from pytest_irbench.reports.report import ReportedGate
from pytest_irbench.reports.row import Row
from pytest_irbench.reports.terminal.screen import Line, width_of
from pytest_irbench.reports.terminal.terminal import terminal

ROW = Row(
    benchmark="dl20-passage",
    system="bm25",
    measure="nDCG@10",
    rule="min",
    limit=0.47,
    place="irbench.yaml:9",
    outcome="passed",
    value=0.4796,
    queries=54,
)
replace = ROW._replace
HELD = row()


def text_of(lines: Iterable[Line]) -> str:
    return "".join("".join(span.text for span in line) + "\n" for line in lines)


def told(*rows: Row, width: int = 120, verbosity: int = 0, ascii_only: bool = False) -> str:
    """One gate of these rows."""
    gate = ReportedGate("irbench.yaml", rows[0].benchmark, rows[0].system, rows)
    return text_of(terminal([gate], width, verbosity, ascii_only)).removesuffix("\n")


# A sample session as a whole


@pytest.mark.parametrize("width", [80, 120])
def test_a_session_is_told_as_in_the_golden_file(width: int) -> None:
    said = text_of(terminal(report().gates, width))
    assert said == golden(f"terminal-{width}.txt", said)


def test_a_quiet_session_has_a_line_for_each_gate() -> None:
    said = text_of(terminal(report().gates, 80, verbosity=-1))
    assert said == golden("terminal-80-quiet.txt", said)
    assert len(said.splitlines()) == len(report().gates)


def test_a_verbose_session_shows_all_queries_that_got_worse() -> None:
    said = text_of(terminal(report().gates, 120, verbosity=1))
    assert said == golden("terminal-120-verbose.txt", said)


def test_a_terminal_that_prints_nothing_else_gets_ascii() -> None:
    said = text_of(terminal(report().gates, 80, ascii_only=True))
    assert said == golden("terminal-80-ascii.txt", said)
    assert said.isascii()


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
def test_no_line_of_the_sample_is_wider_than_the_terminal(verbosity: int) -> None:
    for width in range(60, 200, 7):
        for ascii_only in (True, False):
            lines = text_of(terminal(report().gates, width, verbosity, ascii_only)).splitlines()
            assert max(map(width_of, lines)) <= width


def test_no_line_ends_in_a_blank() -> None:
    for width in (60, 80, 120, 200):
        lines = text_of(terminal(report().gates, width)).splitlines()
        assert [line for line in lines if line != line.rstrip()] == []


# Gates and their headings


def test_a_gate_without_a_baseline_is_a_small_table_under_its_name() -> None:
    above = replace(
        measure="AP(rel=2)", rule="max", limit=0.2, value=0.26849, outcome="failed", place="irbench.yaml:10"
    )
    assert told(ROW, above) == (
        """\
dl20-passage · bm25: 54 queries
measure     value  threshold   verdict  where
---------  ------  ----------  -------  ---------------
nDCG@10    0.4796  min 0.4700  passed   irbench.yaml:9
AP(rel=2)  0.2685  max 0.2000  failed   irbench.yaml:10"""
    )


def test_an_empty_line_stands_between_gates() -> None:
    assert "\n\nchat · fts5@manual" in text_of(terminal([shop(), chat()], 80))


def test_missing_and_extra_queries_stand_beside_the_name() -> None:
    assert told(replace(missing=2, extra=147)).split("\n")[0] == (
        "dl20-passage · bm25: 54 queries, 2 without results count 0, 147 unjudged left out"
    )


def test_one_query_is_no_queries() -> None:
    assert told(replace(queries=1)).startswith("dl20-passage · bm25: 1 query\n")


def test_other_words_than_those_of_users_are_named() -> None:
    assert told(replace(utterance="manual")).startswith("dl20-passage · bm25: 54 queries, utterance manual\n")
    assert told(replace(utterance="manual", queries=None)).startswith(
        "dl20-passage · bm25: utterance manual\n"
    )


def test_what_could_not_be_measured_has_no_value() -> None:
    assert told(replace(value=None, queries=None, outcome="error")) == (
        """\
dl20-passage · bm25
measure  value  threshold   verdict  where
-------  -----  ----------  -------  --------------
nDCG@10      -  min 0.4700  error    irbench.yaml:9"""
    )


def test_counts_come_from_a_measured_row_when_the_first_is_not() -> None:
    skipped = replace(value=None, queries=None, outcome="skipped")
    assert told(skipped, replace(measure="RR")).startswith("dl20-passage · bm25: 54 queries\n")


def test_remarks_stand_under_the_table_within_the_width() -> None:
    lines = told(replace(note="raise it, for below that chance decides " * 3), width=60).split("\n")
    assert lines[4].startswith("raise it, for below")
    assert max(map(len, lines)) <= 60


def test_values_by_conversation_are_wrapped_between_them_and_indented() -> None:
    many = ", ".join(f"talk {number} 0.1234 (9)" for number in range(100, 120))
    lines = told(replace(by_depth=f"nDCG@10 by conversation: {many}"), width=100).split("\n")[4:]
    assert max(map(len, lines)) <= 100
    assert all(line.startswith("  talk ") for line in lines[1:])
    assert all(line.endswith("(9),") for line in lines[:-1])
    assert " ".join(line.strip() for line in lines) == f"nDCG@10 by conversation: {many}"


def test_a_label_set_is_named_beside_its_measure() -> None:
    text = told(replace(subject="RR (sparse)", measure="RR", value=0.3, limit=0.25))
    assert "\nRR (sparse)  0.3000  min 0.2500  passed " in text


def test_what_is_not_stable_is_told_by_how_far_it_is_apart() -> None:
    apart = {"subject": "nDCG@10 asked again", "rule": "stable", "threshold": "apart by 0.005"}
    text = told(replace(**apart, limit=0.005, value=0.01, shown="0.0100", outcome="failed"))
    assert "\nnDCG@10 asked again  0.0100  apart by 0.005  failed " in text


def test_ids_and_numbers_are_never_read_as_numbers() -> None:
    text = told(replace(benchmark="007", system="31_1", measure="1e5", place="1_0", value=1.0, limit=0.5))
    for wanted in ("007 · 31_1", "\n1e5 ", " 1_0", " 1.0000  min 0.5000"):
        assert wanted in text


def test_no_gates_are_no_lines() -> None:
    assert list(terminal([], 80)) == []


def test_a_table_is_that_of_tabulate_with_no_blanks_behind_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabulate.MIN_PADDING", 0)
    rows = [
        replace(measure=measure, value=value, outcome=outcome, place=f"irbench.yaml:{line}")
        for line, (measure, value, outcome) in enumerate(
            [
                ("AP", None, "error"),
                ("NumRelRet", 1234567.0, "passed"),
                ("nDCG(dcg='exp-log2')@1000", 0.25, "xfailed"),
            ]
        )
    ]
    _, *table = told(*rows).split("\n")
    cells = [[cell.strip() for cell in line.split("  ") if cell] for line in table[2:]]
    expected = tabulate(
        cells,
        ("measure", "value", "threshold", "verdict", "where"),
        "simple",
        disable_numparse=True,
        colalign=("left", "right", "left", "left", "left"),
    )
    assert [len(line) for line in cells] == [5, 5, 5]
    assert table == [line.rstrip() for line in expected.split("\n")]


# Columns and widths


def test_a_comparison_is_said_once_for_a_subject_at_its_max_drop() -> None:
    lines = told(HELD, dropped(), width=200).split("\n")
    assert "0.7500" not in lines[3]
    assert "0.7500  -0.1375  -0.3100 to +0.0350  0.1250           3/1   97.5%      0.2000  failed" in lines[4]


def test_without_a_max_drop_it_is_said_at_the_first_threshold_of_a_subject() -> None:
    lines = told(HELD, HELD._replace(rule="max", limit=0.9), width=200).split("\n")
    assert "0.7500  -0.1375" in lines[3]
    assert "0.7500" not in lines[4]


def test_how_much_is_judged_is_said_once_for_a_measure() -> None:
    bad = HELD._replace(subject="q1: nDCG@10", baseline=None, change=None)
    assert told(HELD, bad, width=200).count("97.5%") == 1


def test_what_has_no_room_stands_below_its_row() -> None:
    assert told(HELD, dropped(), width=60).split("\n")[:8] == [
        "shop · bm25: 4 queries",
        "measure   value  threshold      baseline   change  verdict",
        "-------  ------  -------------  --------  -------  -------",
        "nDCG@10  0.6125  min 0.5000                        passed",
        "nDCG@10  0.6125  max_drop 0.02    0.7500  -0.1375  failed",
        "  95% -0.3100 to +0.0350, p 0.1250, worse/better 3/1,",
        "    judged 97.5%, detectable 0.2000, irbench.yaml:10",
        "against the baseline of 2026-11-02 (title boost)",
    ]


def test_an_interval_stands_behind_its_change() -> None:
    long = HELD._replace(subject="nDCG@10 of many questions")
    assert "  baseline 0.7500, change -0.1375 (95% -0.3100 to +0.0350)," in told(long, width=60)


def test_where_no_query_moved_nothing_else_needs_words() -> None:
    same = HELD._replace(change=0.0, change_low=0.0, change_high=0.0, p=1.0, worse=0, better=0)
    long = same._replace(subject="nDCG@10 of many questions")
    assert told(long, width=60).split("\n")[-1] == "  no query moved"
    assert told(same, width=60).split("\n")[-1].startswith("nDCG@10 ")
    # What is red is told in full.
    red = same._replace(outcome="failed")
    assert told(red, width=60).split("\n")[-1] == "  judged 97.5%, irbench.yaml:9"


def test_the_place_of_what_passed_is_left_out_before_that_of_what_failed() -> None:
    long = replace(place="search/gates/of/the/whole/shop/irbench.yaml:9")
    text = told(long, long._replace(outcome="failed", measure="AP"), width=60)
    assert text.count(long.place) == 1
    assert text.endswith(f"failed\n  {long.place}")


def test_a_long_measure_is_cut_in_its_column_and_whole_below() -> None:
    long = "nDCG(gains={0:0,1:1,2:3,3:7,4:15},dcg='exp-log2')@10"
    assert told(replace(measure=long), width=60).split("\n")[1:] == [
        "measure                           value  threshold   verdict",
        "-------------------------------  ------  ----------  -------",
        "nDCG(gains={0:0,1:1,2:3,3:7,4:…  0.4796  min 0.4700  passed",
        f"  {long}",
    ]


def test_chinese_takes_two_columns_for_each_character() -> None:
    lines = told(replace(subject="部屋: d1"), replace(subject="q1: d1")).split("\n")
    assert [width_of(line[: line.index("passed")]) for line in lines[3:]] == [30, 30]


def test_text_that_cannot_be_printed_is_escaped_in_its_cell() -> None:
    text = told(replace(subject="q\x1b[31m\n1: d", note="of \x07 all"))
    assert r"q\x1b[31m\n1: d  0.4796" in text
    assert r"of \x07 all" in text


def test_in_ascii_no_id_becomes_another_one() -> None:
    assert r"q1: a\xb7b  0.4796" in told(replace(subject="q1: a·b"), ascii_only=True)


def test_in_ascii_what_others_wrote_is_escaped() -> None:
    text = told(replace(subject="部屋: d1", note="3 of …"), ascii_only=True)
    assert text.startswith("dl20-passage - bm25: 54 queries\n")
    assert r"\u90e8\u5c4b: d1  0.4796" in text
    assert text.endswith("\n3 of ...")


@given(
    st.lists(st.text(max_size=100), min_size=1, max_size=4),
    st.integers(60, 140),
    st.booleans(),
    st.sampled_from([-1, 0, 1]),
)
def test_whatever_others_write_the_table_keeps_its_width(
    subjects: list[str], width: int, ascii_only: bool, verbosity: int
) -> None:
    rows = [HELD._replace(subject=subject, place=f"irbench.yaml:{n}") for n, subject in enumerate(subjects)]
    lines = told(*rows, width=width, verbosity=verbosity, ascii_only=ascii_only).split("\n")
    # Below its row a text is whole.
    assert max(width_of(line) for line in lines if not line.startswith("  ")) <= width
    assert [line for line in lines if not line.isprintable()] == []


# Colours


def test_verdicts_and_warnings_have_styles() -> None:
    outcomes = ("passed", "failed", "depends", "xpassed", "error", "xfailed", "skipped", "not run")
    gate = shop()._replace(rows=tuple(replace(outcome=outcome, note="raise it") for outcome in outcomes))
    spans = [span for line in terminal([gate], 80) for span in line if span.style]
    heading, *verdicts, stage, note = spans
    assert [span.text for span in verdicts] == list(outcomes)
    assert [span.style for span in verdicts] == [
        "passed",
        *("failed",) * 3,
        "error",
        "warned",
        *("error",) * 2,
    ]
    assert [span.style for span in (heading, stage, note)] == ["bold", "bold", "warned"]


# -q


def test_a_quiet_gate_names_its_red_thresholds_and_is_cut_to_the_width() -> None:
    (line,) = terminal([shop()], 60, verbosity=-1)
    assert line[0] == ("failed", "failed")
    assert line[1].text == "  shop · bm25: 2 failed of 4 thresholds: nDCG@10 max_…"


def test_a_quiet_gate_that_passes_is_counted() -> None:
    assert told(ROW, replace(measure="AP"), verbosity=-1) == "passed  dl20-passage · bm25: 2 thresholds"
    assert (
        text_of(terminal([gone()], 80, -1))
        == "error   shop · gone: 1 error of 1 threshold: RR(rel=2) min 0.2500\n"
    )


def test_a_quiet_gate_of_which_something_was_skipped_has_not_passed() -> None:
    skipped = replace(outcome="skipped", value=None, queries=None)
    said = "dl20-passage · bm25: 1 skipped of 2 thresholds: nDCG@10 min 0.4700"
    assert told(skipped, ROW, verbosity=-1) == f"error   {said}"
    assert told(skipped, ROW._replace(outcome="xpassed", measure="AP"), verbosity=-1).startswith(
        "failed  dl20-passage · bm25: 1 xpassed, 1 skipped of 2 thresholds: AP min"
    )
