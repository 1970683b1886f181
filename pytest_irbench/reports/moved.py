"""Which queries of a gate moved most, and which documents came and went in them, for every report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.detail import TOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.gates.detail import Document, MeasureDetail, QueryDetail
    from pytest_irbench.reports.report import ReportedGate


class Moved(NamedTuple):
    """A query with its values before and now."""

    query: QueryDetail
    before: float
    now: float

    @property
    def change(self) -> float:
        """What it gained."""
        return self.now - self.before


class Place(NamedTuple):
    """A document with its ranks before and now, None where it is not returned."""

    document: Document
    before: int | None
    now: int | None


class Passage(NamedTuple):
    """What became of the first documents of a query.

    Attributes
    ----------
    depth
        How many of them are looked at.
    left, entered
        Those that are among them on one side only, by their rank there.
    down
        The relevant ones that stay among them and stand lower.
    """

    depth: int
    left: tuple[Place, ...]
    entered: tuple[Place, ...]
    down: tuple[Place, ...]


def moved_by(gate: ReportedGate) -> MeasureDetail | None:
    """Pick the measure by which queries are put in order, or None where there is no baseline.

    It is that of the first ``max_drop`` that is red, else of the first ``max_drop``, else the first one
    that the baseline knows.
    """
    if gate.detail is None:
        return None
    known = {measure.text: measure for measure in gate.detail.measures if measure.baseline is not None}
    drops = [row.measure for row in (*gate.red, *gate.rows) if row.rule == "max_drop"]
    return next((known[text] for text in (*drops, *known) if text in known), None)


def moved(gate: ReportedGate, measure: MeasureDetail) -> list[Moved]:
    """Return the queries that moved, those that moved most first."""
    if gate.detail is None:
        return []
    place = gate.detail.measures.index(measure)
    sides = ((query, query.before[place], query.values[place]) for query in gate.detail.queries)
    found = [
        Moved(query, before, now) for query, before, now in sides if before is not None and before != now
    ]
    return sorted(found, key=lambda one: (-abs(one.change), one.query.query_id))


def passage(query: QueryDetail, measure: MeasureDetail) -> Passage:
    """Find the documents that came and went where the measure looks, at most among those that are known."""
    depth = min(measure.cutoff or TOP, TOP)
    before, now = list(_before(query, depth)), list(_now(query, depth))
    return Passage(
        depth,
        tuple(one for one in before if one.now is None or one.now > depth),
        tuple(one for one in now if one.before is None or one.before > depth),
        tuple(one for one in before if one.before and one.now and _is_down(one, depth)),
    )


def _is_down(one: Place, depth: int) -> bool:
    return (one.document.grade or 0) > 0 and (one.before or 0) < (one.now or 0) <= depth


def _before(query: QueryDetail, depth: int) -> Iterator[Place]:
    for rank, document in enumerate(query.top_before[:depth], start=1):
        yield Place(document, rank, document.elsewhere)


def _now(query: QueryDetail, depth: int) -> Iterator[Place]:
    for rank, document in enumerate(query.top[:depth], start=1):
        yield Place(document, document.elsewhere, rank)


def graded(document: Document) -> str:
    """Say the grade of a document."""
    return "unjudged" if document.grade is None else f"grade {document.grade}"
