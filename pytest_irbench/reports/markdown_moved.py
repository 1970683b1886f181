"""The queries of a gate that moved most, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.detail import TOP
from pytest_irbench.reports.markdown_rows import number, signed
from pytest_irbench.reports.markdown_text import code, details, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.gates.detail import Document, GateDetail, MeasureDetail, QueryDetail
    from pytest_irbench.reports.report import ReportedGate

_NUMBERS = ("before", "now", "change")


class _Moved(NamedTuple):
    query: QueryDetail
    before: float
    now: float


def moved(gate: ReportedGate, most: int) -> str:
    """Set the queries that moved most by one measure, at most so many, or nothing where none moved.

    The measure is that of the first ``max_drop`` that is red, else of the first ``max_drop``, else the
    first one that the baseline knows.
    """
    measure = _measure(gate)
    if gate.detail is None or measure is None:
        return ""
    queries = _moved(gate.detail, measure)[:most]
    if not queries:
        return ""
    top = min(measure.cutoff or TOP, TOP)
    header = ("query_id", "text", *_NUMBERS, f"left the top {top}", f"entered the top {top}")
    rows = ([*_cells(one, measure.text), *_documents(one.query, top)] for one in queries)
    said = f"queries that moved most ({measure.worse} worse, {measure.better} better)"
    return details(said, measure.text, [table(header, rows, _NUMBERS)])


def _measure(gate: ReportedGate) -> MeasureDetail | None:
    if gate.detail is None:
        return None
    known = {measure.text: measure for measure in gate.detail.measures if measure.baseline is not None}
    drops = [row.measure for row in (*gate.red, *gate.rows) if row.rule == "max_drop"]
    return next((known[text] for text in (*drops, *known) if text in known), None)


def _moved(detail: GateDetail, measure: MeasureDetail) -> list[_Moved]:
    place = detail.measures.index(measure)
    sides = ((query, query.before[place], query.values[place]) for query in detail.queries)
    found = [
        _Moved(query, before, now) for query, before, now in sides if before is not None and before != now
    ]
    return sorted(found, key=lambda one: -abs(one.now - one.before))


def _cells(one: _Moved, measure: str) -> Iterator[str]:
    yield code(one.query.query_id)
    yield code(one.query.text)
    yield number(measure, one.before)
    yield number(measure, one.now)
    yield signed(measure, one.now - one.before)


def _documents(query: QueryDetail, top: int) -> Iterator[str]:
    """Show the documents that are among the first of one side only, with their ranks before and now."""
    yield "<br>".join(
        f"{_name(document)}: {rank} → {document.elsewhere or 'not returned'}"
        for rank, document in _only(query.top_before, top)
    )
    yield "<br>".join(
        f"{_name(document)}: {document.elsewhere or 'not returned'} → {rank}"
        for rank, document in _only(query.top, top)
    )


def _only(documents: Sequence[Document], top: int) -> Iterator[tuple[int, Document]]:
    for rank, document in enumerate(documents[:top], 1):
        if document.elsewhere is None or document.elsewhere > top:
            yield rank, document


def _name(document: Document) -> str:
    grade = "unjudged" if document.grade is None else f"grade {document.grade}"
    return f"{code(document.doc_id)} ({grade})"
