"""The tables of gates, from plain rows."""

from __future__ import annotations

from tabulate import tabulate

from pytest_irbench.reports.summary import Row, summary

replace = Row._replace

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


def test_a_gate_is_a_table_under_its_name() -> None:
    rows = [
        ROW,
        replace(
            ROW,
            measure="AP(rel=2)",
            rule="max",
            limit=0.2,
            value=0.26849,
            outcome="failed",
            place="irbench.yaml:10",
        ),
    ]
    assert summary(rows) == (
        """\
dl20-passage · bm25: 54 queries
measure      value  threshold    verdict    where
---------  -------  -----------  ---------  ---------------
nDCG@10     0.4796  min 0.4700   passed     irbench.yaml:9
AP(rel=2)   0.2685  max 0.2000   failed     irbench.yaml:10"""
    )


def test_gates_stand_in_the_order_of_their_first_row_and_collect_later_ones() -> None:
    other = replace(ROW, system="splade")
    text = summary([ROW, other, replace(ROW, measure="RR")])
    assert text.index("· bm25") < text.index("RR") < text.index("· splade")
    assert text.count(" · ") == 2
    assert "\n\ndl20-passage · splade" in text


def test_missing_and_extra_queries_stand_beside_the_name() -> None:
    text = summary([replace(ROW, missing=2, extra=147)])
    assert text.split("\n")[0] == (
        "dl20-passage · bm25: 54 queries, 2 without results count 0, 147 unjudged left out"
    )


def test_what_could_not_be_measured_has_no_value() -> None:
    row = replace(ROW, value=None, queries=None, outcome="error")
    assert summary([row]) == (
        """\
dl20-passage · bm25
measure      value  threshold    verdict    where
---------  -------  -----------  ---------  --------------
nDCG@10          -  min 0.4700   error      irbench.yaml:9"""
    )


def test_counts_come_from_a_measured_row_when_the_first_is_not() -> None:
    skipped = replace(ROW, value=None, queries=None, outcome="skipped")
    assert summary([skipped, replace(ROW, measure="RR")]).startswith("dl20-passage · bm25: 54 queries\n")


def test_a_note_is_told_once_per_gate() -> None:
    rows = [replace(ROW, note="nothing matches"), replace(ROW, measure="RR", note="nothing matches")]
    assert summary(rows).endswith("\nnothing matches")
    assert summary(rows).count("nothing matches") == 1


def test_what_was_done_to_the_run_stands_before_the_notes_and_is_told_once() -> None:
    about = "doc_id: passage_to_document\nasked 3 times: the top 10 differs for 2 of 54 queries"
    rows = [replace(ROW, about=about, note="RR lies between 0.5 and 1"), replace(ROW, about=about)]
    assert summary(rows).split("\n")[5:] == [*about.split("\n"), "RR lies between 0.5 and 1"]


def test_a_verdict_that_depends_on_judgments_is_told_as_such() -> None:
    assert "0.4796  min 0.4700   depends    irbench.yaml:9" in summary([replace(ROW, outcome="depends")])


def test_a_label_set_is_named_beside_its_measure() -> None:
    rows = [replace(ROW, subject="RR (sparse)", measure="RR", value=0.3, limit=0.25)]
    assert "\nRR (sparse)   0.3000  min 0.2500   passed " in summary(rows)


def test_what_is_not_stable_is_told_by_how_far_it_is_apart() -> None:
    row = replace(
        ROW,
        subject="nDCG@10 asked again",
        rule="stable",
        limit=0.005,
        threshold="apart by 0.005",
        value=0.01,
        shown="0.0100",
        outcome="failed",
    )
    assert "\nnDCG@10 asked again   0.0100  apart by 0.005  failed " in summary([row])


def test_values_by_turn_stand_under_the_table_of_their_gate() -> None:
    rows = [replace(ROW, by_depth="nDCG@10 by turn: 1 0.5000 (2)"), replace(ROW, system="splade")]
    assert "irbench.yaml:9\nnDCG@10 by turn: 1 0.5000 (2)\n\ndl20-passage · splade" in summary(rows)


def test_a_near_miss_shows_the_digits_that_tell_it_apart() -> None:
    text = summary([replace(ROW, value=0.4444444, limit=0.44445, outcome="failed")])
    assert "0.44444  min 0.44445" in text


def test_ids_and_numbers_are_never_read_as_numbers() -> None:
    text = summary(
        [replace(ROW, benchmark="007", system="31_1", measure="1e5", place="1_0", value=1.0, limit=0.5)]
    )
    for wanted in ("007 · 31_1", "\n1e5 ", " 1_0", " 1.0000  min 0.5000"):
        assert wanted in text


def test_no_rows_are_no_text() -> None:
    assert summary([]) == ""


def test_a_table_is_that_of_tabulate() -> None:
    rows = [
        replace(ROW, measure=measure, value=value, outcome=outcome, place=f"irbench.yaml:{line}")
        for line, (measure, value, outcome) in enumerate(
            [
                ("AP", None, "error"),
                ("NumRelRet", 1234567.0, "passed"),
                ("nDCG(dcg='exp-log2')@1000", 0.25, "xfailed"),
            ]
        )
    ]
    _, *table = summary(rows).split("\n")
    cells = [line.split("  ") for line in table]
    cells = [[cell.strip() for cell in line if cell] for line in cells[2:]]
    expected = tabulate(
        cells,
        ("measure", "value", "threshold", "verdict", "where"),
        "simple",
        disable_numparse=True,
        colalign=("left", "right", "left", "left", "left"),
    )
    assert [len(line) for line in cells] == [5, 5, 5]
    assert table == expected.split("\n")
