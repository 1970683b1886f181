"""Which queries of a gate moved, and which of their documents came and went, for every report."""

from __future__ import annotations

import pytest
from small_reports import chat, dropped, gone, query, row, shop

from pytest_irbench.gates.detail import Document, GateDetail, MeasureDetail, QueryDetail
from pytest_irbench.reports.moved import Passage, graded, moved, moved_by, passage
from pytest_irbench.reports.report import ReportedGate

NDCG = MeasureDetail("nDCG@10", 10, 0.5, 0.6, 0, 0, 0, ())


def detail_of(gate: ReportedGate) -> GateDetail:
    assert gate.detail is not None
    return gate.detail


def with_queries(*queries: QueryDetail) -> ReportedGate:
    return shop()._replace(detail=detail_of(shop())._replace(measures=(NDCG,), queries=queries))


def ids(*queries: QueryDetail) -> list[str]:
    return [one.query.query_id for one in moved(with_queries(*queries), NDCG)]


def measure_of(gate: ReportedGate) -> str | None:
    measure = moved_by(gate)
    return measure and measure.text


def between(
    before: tuple[Document, ...] = (), now: tuple[Document, ...] = (), cutoff: int | None = 10
) -> Passage:
    one = query("q1", "", 0.1, 0.5, top=now, top_before=before)
    return passage(one, NDCG._replace(cutoff=cutoff))


def names(places: tuple[object, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(place.document.doc_id, place.before, place.now) for place in places]  # type: ignore[attr-defined]


# Queries


def test_those_that_moved_most_come_first_whether_up_or_down() -> None:
    up, down, little = query("q1", "", 0.9, 0.5), query("q2", "", 0.1, 0.6), query("q3", "", 0.5, 0.6)
    found = moved(with_queries(little, up, down), NDCG)
    assert [(one.query.query_id, one.before, one.now) for one in found] == [
        ("q2", 0.6, 0.1),
        ("q1", 0.5, 0.9),
        ("q3", 0.6, 0.5),
    ]
    assert [round(one.change, 4) for one in found] == [-0.5, 0.4, -0.1]


def test_equal_changes_are_in_the_order_of_their_ids() -> None:
    assert ids(*(query(name, "", 0.25, 0.5) for name in ("b", "007", "a"))) == ["007", "a", "b"]


def test_what_did_not_move_or_has_no_value_before_is_left_out() -> None:
    assert ids(query("q1", "", 0.5, 0.5), query("q2", "", 0.5, None), query("q3", "", 0.5, 0.4)) == ["q3"]


def test_where_nothing_was_measured_nothing_moved() -> None:
    assert moved(gone(), NDCG) == []


# The measure that puts them in order


def test_it_is_that_of_the_first_drop_that_is_red() -> None:
    kept = dropped()._replace(outcome="passed", measure="R@1000")
    assert measure_of(shop()._replace(rows=(kept, dropped()))) == "nDCG@10"
    assert measure_of(shop()._replace(rows=(kept._replace(outcome="failed"), dropped()))) == "R@1000"


def test_else_it_is_that_of_the_first_drop() -> None:
    kept = dropped()._replace(outcome="passed")
    first = kept._replace(measure="R@1000")
    assert measure_of(shop()._replace(rows=(row("failed"), first, kept))) == "R@1000"


def test_else_it_is_the_first_that_the_baseline_knows() -> None:
    unknown = MeasureDetail("AP", None, 0.5, None, 0, 0, 0, ())
    detail = detail_of(chat())
    detail = detail._replace(measures=(unknown, *detail.measures))
    assert measure_of(chat()._replace(detail=detail)) == "nDCG@3"


def test_a_drop_of_a_measure_without_details_is_passed_over() -> None:
    assert measure_of(shop()._replace(rows=(dropped()._replace(measure="latency_p95_ms"),))) == "nDCG@10"


def test_without_a_baseline_there_is_none() -> None:
    measures = tuple(one._replace(baseline=None) for one in detail_of(shop()).measures)
    assert measure_of(shop()._replace(detail=detail_of(shop())._replace(measures=measures))) is None
    assert measure_of(gone()) is None


# Documents


def test_a_document_left_by_its_new_rank_or_by_not_being_returned() -> None:
    found = between(before=(Document("d1", 3, None), Document("d2", None, 11), Document("d3", 1, 10)))
    assert names(found.left) == [("d1", 1, None), ("d2", 2, 11)]


def test_a_document_entered_from_below_or_from_nowhere() -> None:
    found = between(now=(Document("d1", 0, 12), Document("d2", None, None), Document("d3", 1, 10)))
    assert names(found.entered) == [("d1", 12, 1), ("d2", None, 2)]


def test_only_relevant_documents_are_told_to_have_gone_down() -> None:
    before = (Document("d1", 1, 2), Document("d2", 0, 3), Document("d3", None, 4), Document("d4", 2, 1))
    assert names(between(before).down) == [("d1", 1, 2)]


def test_what_left_did_not_go_down() -> None:
    found = between((Document("d1", 1, 11),))
    assert (names(found.left), found.down) == ([("d1", 1, 11)], ())


def test_what_stays_where_it_was_is_not_named() -> None:
    assert between((Document("d1", 1, 1),), (Document("d1", 1, 1),)) == Passage(10, (), (), ())


@pytest.mark.parametrize(("cutoff", "depth"), [(3, 3), (10, 10), (1000, 10), (None, 10)])
def test_it_looks_where_the_measure_does_and_at_most_at_ten(cutoff: int | None, depth: int) -> None:
    documents = tuple(Document(f"d{rank}", 1, None) for rank in range(1, 12))
    found = between(documents, documents, cutoff)
    assert (found.depth, len(found.left), len(found.entered)) == (depth, depth, depth)


def test_a_document_without_a_judgment_has_no_grade() -> None:
    grades = [graded(Document("d", grade)) for grade in (None, 0, 3)]
    assert grades == ["unjudged", "grade 0", "grade 3"]
