"""The queries of a gate that moved most, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.markdown.text import code, details, table
from pytest_irbench.reports.moved import graded, moved, moved_by, passage
from pytest_irbench.reports.numbers import number, signed

if TYPE_CHECKING:
    from pytest_irbench.gates.detail import MeasureDetail
    from pytest_irbench.reports.moved import Moved, Place
    from pytest_irbench.reports.report import ReportedGate

_NUMBERS = ("baseline", "now", "change")


def moved_most(gate: ReportedGate, most: int) -> str:
    """Set the queries that moved most by one measure, at most so many, or nothing where none moved."""
    measure = moved_by(gate)
    queries = moved(gate, measure)[:most] if measure else []
    if measure is None or not queries:
        return ""
    depth = passage(queries[0].query, measure).depth
    header = ("query_id", "text", *_NUMBERS, f"left the top {depth}", f"entered the top {depth}", "down")
    said = f"queries that moved most ({measure.worse} worse, {measure.better} better)"
    return details(said, measure.text, [table(header, (_cells(one, measure) for one in queries), _NUMBERS)])


def _cells(one: Moved, measure: MeasureDetail) -> list[str]:
    found = passage(one.query, measure)
    values = (number(measure.text, one.before), number(measure.text, one.now))
    documents = ("<br>".join(map(_told, places)) for places in (found.left, found.entered, found.down))
    change = signed(measure.text, one.change)
    return [code(one.query.query_id), code(one.query.text), *values, change, *documents]


def _told(one: Place) -> str:
    sides = f"{one.before or 'not returned'} → {one.now or 'not returned'}"
    return f"{code(one.document.doc_id)} ({graded(one.document)}): {sides}"
