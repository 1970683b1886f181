"""How the terminal tells of the queries that moved most; test_moved_text.py is about which these are."""

from __future__ import annotations

from small_reports import HOSTILE, gone, query, row, shop

from pytest_irbench.gates.detail import Document, GateDetail, MeasureDetail, QueryDetail
from pytest_irbench.reports.report import ReportedGate
from pytest_irbench.reports.terminal.movers import movers
from pytest_irbench.reports.terminal.screen import Screen, width_of


def told(gate: ReportedGate, width: int = 100, **asked: bool) -> list[str]:
    return ["".join(span.text for span in line) for line in movers(gate, Screen(width), **asked)]


def detail_of(gate: ReportedGate) -> GateDetail:
    assert gate.detail is not None
    return gate.detail


def moved(*queries: QueryDetail, cutoff: int | None = 10) -> ReportedGate:
    """A gate of these queries and one measure."""
    worse, better = (
        sum((q.before[0] or 0.0) > q.values[0] for q in queries),
        sum((q.before[0] or 0.0) < q.values[0] for q in queries),
    )
    measure = MeasureDetail("nDCG@10", cutoff, 0.5, 0.6, worse, better, 0, ())
    detail = detail_of(shop())._replace(measures=(measure,), queries=queries)
    return shop()._replace(rows=(row(),), detail=detail)


def ids(lines: list[str]) -> list[str]:
    return [line.split()[0] for line in lines[3:] if not line.startswith("  ")]


def one(top: tuple[Document, ...], before: tuple[Document, ...], cutoff: int | None = 10) -> list[str]:
    """What is said of the documents of one query."""
    gate = moved(query("q1", "", 0.1, 0.5, top=top, top_before=before), cutoff=cutoff)
    return [line.strip() for line in told(gate)[4:]]


def test_queries_stand_in_the_order_of_their_changes_with_their_documents() -> None:
    lines = told(shop())
    assert lines[:8] == [
        "queries that moved most by nDCG@10 (3 worse, 1 better):",
        "query_id  baseline     now   change  text",
        "--------  --------  ------  -------  ----",
        f"q1          1.0000  0.5000  -0.5000  {HOSTILE}",
        "    left the top 10: d9 (grade 2, 3 -> 17)",
        '    entered the top 10: d"3 (unjudged, not returned -> 2)',
        "    down: d1 (grade 3, 1 -> 3)",
        "31_1        0.6000  0.8000  +0.2000  what is throat cancer",
    ]
    assert ids(lines) == ["q1", "31_1", "007", "1e5"]


def test_five_queries_are_shown_and_how_many_more_got_worse() -> None:
    many = [query(f"q{n}", "", 0.1, 0.1 + n / 100) for n in range(1, 9)]
    lines = told(moved(*many))
    assert ids(lines[:-1]) == ["q8", "q7", "q6", "q5", "q4"]
    assert lines[-1] == "3 more got worse: -v shows them"


def test_v_shows_all_that_got_worse_and_then_the_best_gains() -> None:
    worse = [query(f"w{n}", "", 0.1, 0.1 + n / 100) for n in range(1, 8)]
    better = [query(f"b{n}", "", 0.1 + n / 10, 0.1) for n in range(1, 8)]
    lines = told(moved(*worse, *better), all_worse=True)
    assert lines[0] == "queries that got worse by nDCG@10, and the best gains (7 worse, 7 better):"
    assert ids(lines) == [*(f"w{n}" for n in range(7, 0, -1)), *(f"b{n}" for n in range(7, 2, -1))]


def test_v_says_nothing_of_gains_that_are_not_there() -> None:
    lines = told(moved(query("q1", "", 0.1, 0.2)), all_worse=True)
    assert lines[0] == "queries that got worse by nDCG@10 (1 worse, 0 better):"


def test_v_says_how_many_are_not_known_of_those_that_got_worse() -> None:
    gate = moved(query("q1", "", 0.1, 0.2))
    (measure,) = detail_of(gate).measures
    detail = detail_of(gate)._replace(measures=(measure._replace(worse=7),))
    assert told(gate._replace(detail=detail), all_worse=True)[-1] == "6 more got worse"


def test_nothing_is_said_where_nothing_moved_or_nothing_is_known() -> None:
    assert told(moved(query("q1", "", 0.5, 0.5))) == []
    assert told(gone()) == []
    measures = tuple(m._replace(baseline=None) for m in detail_of(shop()).measures)
    assert told(shop()._replace(detail=detail_of(shop())._replace(measures=measures))) == []


def test_a_document_left_the_top_by_its_new_rank_or_by_not_being_returned() -> None:
    before = (Document("d1", 3, None), Document("d2", None, 11))
    assert one((), before) == ["left the top 10: d1 (grade 3, 1 -> not returned), d2 (unjudged, 2 -> 11)"]


def test_a_document_entered_the_top_from_below_or_from_nowhere() -> None:
    now = (Document("d1", 0, 12), Document("d2", None, None))
    assert one(now, ()) == ["entered the top 10: d1 (grade 0, 12 -> 1), d2 (unjudged, not returned -> 2)"]


def test_the_top_is_that_of_the_measure() -> None:
    assert one((), (Document("d1", 1, 4),), cutoff=3) == ["left the top 3: d1 (grade 1, 1 -> 4)"]


def test_ids_and_texts_of_others_are_escaped_and_texts_are_on_one_line() -> None:
    hostile = query("q\n1", "two\nlines \x1b[31m", 0.1, 0.5, top=(), top_before=(Document("d\t1", 1, None),))
    assert told(moved(hostile))[3:] == [
        r"q\n1        0.5000  0.1000  -0.4000  two lines \x1b[31m",
        r"    left the top 10: d\t1 (grade 1, 1 -> not returned)",
    ]


def test_long_ids_and_texts_are_cut_to_the_width() -> None:
    long = query("q" * 200, "throat " * 50, 0.1, 0.5)
    assert max(map(width_of, told(moved(long), width=60))) <= 60


def test_small_changes_are_not_printed_as_none() -> None:
    assert "-3.0e-05" in told(moved(query("q1", "", 0.5, 0.50003)))[3]


def test_counts_are_whole_numbers() -> None:
    gate = moved(query("q1", "", 3.0, 5.0))
    (measure,) = detail_of(gate).measures
    detail = detail_of(gate)._replace(measures=(measure._replace(text="NumRelRet", cutoff=None),))
    assert told(gate._replace(detail=detail))[3].split()[:4] == ["q1", "5", "3", "-2"]
