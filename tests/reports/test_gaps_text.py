"""What the terminal says of several utterances of one system, from plain rows."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_irbench.reports.report import ReportedGate
from pytest_irbench.reports.row import Row
from pytest_irbench.reports.terminal.gaps import utterance_gaps
from pytest_irbench.reports.terminal.screen import Line, Screen
from pytest_irbench.reports.terminal.terminal import terminal

ROW = Row(
    benchmark="cast21",
    system="bm25",
    measure="nDCG@3",
    subject="nDCG@3",
    rule="min",
    limit=0.2,
    place="irbench.yaml:9",
    outcome="passed",
    value=0.25,
    queries=158,
)
replace = ROW._replace


def manual(row: Row = ROW, value: float | None = 0.4, said: str = "manual") -> Row:
    """The same threshold for other words."""
    return row._replace(system=f"{row.system}@{said}", utterance=said, value=value)


def gate(rows: list[Row]) -> ReportedGate:
    return ReportedGate(rows[0].place.partition(":")[0], rows[0].benchmark, rows[0].system, tuple(rows))


def text_of(lines: Iterable[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def gaps(*gates: list[Row], width: int = 100) -> str:
    return text_of(utterance_gaps([gate(rows) for rows in gates], Screen(width)))


def test_two_utterances_of_one_system_stand_side_by_side() -> None:
    second = replace(subject="AP(rel=2)", measure="AP(rel=2)", value=0.125)
    assert gaps([ROW, second], [manual(), manual(second, 0.1)]) == (
        """
cast21 · bm25: what other words make of it
measure       raw  manual      gap
---------  ------  ------  -------
nDCG@3     0.2500  0.4000  +0.1500
AP(rel=2)  0.1250  0.1000  -0.0250"""
    )


def test_three_utterances_are_held_against_the_first() -> None:
    assert gaps([ROW], [manual()], [manual(said="automatic", value=0.3)]) == (
        """
cast21 · bm25: what other words make of it
measure     raw  manual      gap  automatic      gap
-------  ------  ------  -------  ---------  -------
nDCG@3   0.2500  0.4000  +0.1500     0.3000  +0.0500"""
    )


def test_one_utterance_has_no_gap() -> None:
    assert gaps([ROW]) == ""
    assert gaps([manual()]) == ""


def test_other_systems_benchmarks_and_files_are_other_gates() -> None:
    others = [replace(system="splade"), replace(benchmark="cast19"), replace(place="other.yaml:9")]
    assert gaps([ROW], *([manual(row)] for row in others)) == ""


def test_each_system_has_a_table_of_its_own() -> None:
    splade = replace(system="splade")
    text = gaps([ROW], [manual()], [splade], [manual(splade)])
    assert text.count("what other words make of it") == 2
    assert text.index("cast21 · bm25: ") < text.index("cast21 · splade: ")


def test_a_system_with_parameters_keeps_them_in_its_name() -> None:
    fast = replace(system="bm25[fast]")
    assert "cast21 · bm25[fast]: what other words" in gaps([fast], [manual(fast)])


def test_counts_and_milliseconds_are_printed_as_such() -> None:
    count = replace(subject="NumRelRet", measure="NumRelRet", value=120.0)
    latency = replace(subject="latency_p95_ms", measure="latency_p95_ms", rule="max", value=80.25)
    lines = gaps([count, latency], [manual(count, 97.0), manual(latency, 100.5)]).split("\n")
    assert [line.split() for line in lines[4:]] == [
        ["NumRelRet", "120", "97", "-23"],
        ["latency_p95_ms", "80.2", "100.5", "+20.2"],
    ]


def test_a_small_gap_is_not_printed_as_none() -> None:
    assert gaps([ROW], [manual(value=0.25002)]).endswith("0.2500  +2.0e-05")
    assert gaps([ROW], [manual(value=0.25)]).endswith("0.2500  +0.0000")


def test_what_could_not_be_measured_on_one_side_has_no_gap() -> None:
    second = replace(subject="AP", measure="AP", value=None)
    lines = gaps([ROW, second], [manual(value=None), manual(second, 0.1)]).split("\n")
    assert [line.split() for line in lines[4:]] == [
        ["nDCG@3", "0.2500", "-", "-"],
        ["AP", "-", "0.1000", "-"],
    ]


def test_what_could_not_be_measured_at_all_has_no_table() -> None:
    assert gaps([replace(value=None)], [manual(value=None)]) == ""


def test_ranks_and_numbers_of_queries_are_no_values_of_a_measure() -> None:
    rank = replace(subject="31_1: d", measure="", rule="expect", value=2.0, shown="rank 2")
    lost = replace(subject="nDCG@3 by query", rule="max_drop", value=3.0, shown="3 lost")
    apart = replace(subject="nDCG@3 asked again", rule="stable", value=0.01, shown="0.0100")
    bad = replace(subject="31_2: nDCG@3", rule="xfail", value=0.1)
    rows = [rank, lost, apart, bad]
    assert gaps(rows, [manual(row) for row in rows]) == ""


def test_a_measure_with_several_limits_stands_in_one_line() -> None:
    rows = [ROW, replace(rule="max", limit=0.9), replace(rule="max_drop", limit=0.02, evidence="mean")]
    assert gaps(rows, [manual(row) for row in rows]).count("nDCG@3") == 1


def test_a_long_measure_leaves_room_for_its_values() -> None:
    long = replace(subject="nDCG(gains={0:0,1:1,2:3,3:7,4:15},dcg='exp-log2')@10")
    lines = gaps([long], [manual(long)], width=60).split("\n")
    assert lines[-1] == "nDCG(gains={0:0,1:1,2:3,3:7,4…  0.2500  0.4000  +0.1500"


def test_the_terminal_ends_with_the_gaps() -> None:
    assert text_of(terminal([gate([ROW]), gate([manual()])], 80)) == (
        """\
cast21 · bm25: 158 queries
measure   value  threshold   verdict  where
-------  ------  ----------  -------  --------------
nDCG@3   0.2500  min 0.2000  passed   irbench.yaml:9

cast21 · bm25@manual: 158 queries, utterance manual
measure   value  threshold   verdict  where
-------  ------  ----------  -------  --------------
nDCG@3   0.4000  min 0.2000  passed   irbench.yaml:9

cast21 · bm25: what other words make of it
measure     raw  manual      gap
-------  ------  ------  -------
nDCG@3   0.2500  0.4000  +0.1500"""
    )
