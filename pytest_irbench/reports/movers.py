"""The queries that moved most against the baseline, with the documents that came and went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import clipped
from pytest_irbench.gates.decide import number_of, size
from pytest_irbench.gates.detail import TOP
from pytest_irbench.reports.report import RED
from pytest_irbench.reports.screen import GAP, Span, joined, padded, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.gates.detail import Document, GateDetail, MeasureDetail, QueryDetail
    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.screen import Line, Screen

QUERIES_SHOWN = 5
_HEADER = ("query_id", "baseline", "now", "change")
_LONGEST_ID = 40
_BESIDE_ID = 44  # numbers, and a word or two of the text


def movers(gate: ReportedGate, screen: Screen, *, all_worse: bool = False) -> Iterator[Line]:
    """Print the queries that moved most, by one measure of the gate.

    Parameters
    ----------
    gate
        One that has no baseline, or in which no query moved, says nothing.
    screen
        What it is set for.
    all_worse
        Whether all queries that got worse are shown, and the best gains after them.
    """
    measure = _measure(gate)
    if measure is None or gate.detail is None:
        return
    changes = _changes(gate.detail, measure)
    if not changes:
        return
    shown = _worst_first(changes) if all_worse else changes[:QUERIES_SHOWN]
    counts = f"{measure.worse} worse, {measure.better} better"
    gains = ", and the best gains" if all_worse and measure.better else ""
    what = "queries that got worse" if all_worse else "queries that moved most"
    yield from screen.prose(f"{what} by {measure.text}{gains} ({counts}):")
    yield from _table(shown, gate.detail, measure, screen)
    left_out = measure.worse - sum(change < 0 for change, _ in shown)
    if left_out > 0:
        yield from screen.prose(f"{left_out} more got worse{'' if all_worse else ': -v shows them'}")


def _measure(gate: ReportedGate) -> MeasureDetail | None:
    """Pick that of the first red max_drop, else of the first max_drop, else the first with a baseline."""
    detail = gate.detail
    if detail is None:
        return None
    drops = [row for row in gate.rows if row.rule == "max_drop"]
    asked = [row.measure for row in drops if row.outcome in RED] + [row.measure for row in drops]
    places = [detail.place(text) for text in (*asked, *(measure.text for measure in detail.measures))]
    found = (detail.measures[place] for place in places if place is not None)
    return next((measure for measure in found if measure.baseline is not None), None)


_Change = tuple[float, "QueryDetail"]


def _changes(detail: GateDetail, measure: MeasureDetail) -> list[_Change]:
    """Return what each query that moved gained, those that moved most first."""
    place = detail.measures.index(measure)
    both = ((query, query.values[place], query.before[place]) for query in detail.queries)
    moved = [(now - old, query) for query, now, old in both if old is not None and now != old]
    return sorted(moved, key=lambda change: (-abs(change[0]), change[1].query_id))


def _worst_first(changes: Sequence[_Change]) -> list[_Change]:
    worse = [change for change in changes if change[0] < 0]
    return worse + [change for change in changes if change[0] > 0][:QUERIES_SHOWN]


def _table(
    shown: Sequence[_Change], detail: GateDetail, measure: MeasureDetail, screen: Screen
) -> Iterator[Line]:
    place = detail.measures.index(measure)
    longest = min(_LONGEST_ID, screen.width - _BESIDE_ID)
    cells = [_cells(change, query, place, measure.text, longest, screen) for change, query in shown]
    lines = [joined(line) for line in padded(_HEADER, cells, right=(1, 2, 3))]
    # Nothing of the text is padded: it is other people's, and may be of any length and script.
    room = screen.width - max(map(width_of, lines)) - len(GAP)
    depth = min(measure.cutoff or TOP, TOP)
    yield (Span(joined((lines[0], "text"))),)
    yield (Span(joined((lines[1], "-" * len("text")))),)
    for line, (_, query) in zip(lines[2:], shown, strict=True):
        yield (Span(joined((line, screen.short(" ".join(query.text.split()), room)))),)
        for said, documents in _moves(query, depth).items():
            if documents:
                yield from screen.listed(f"{said}: {', '.join(documents)}", GAP * 2)


def _cells(
    change: float, query: QueryDetail, place: int, measure: str, longest: int, screen: Screen
) -> tuple[str, ...]:
    sides = (number_of(measure, value) for value in (query.before[place] or 0.0, query.values[place]))
    moved = f"{'-' if change < 0 else ''}{size(measure, abs(change))}"
    return (screen.short(query.query_id, longest), *sides, moved)


def _moves(query: QueryDetail, depth: int) -> dict[str, list[str]]:
    """Name the documents that left and entered the top, and the relevant ones that went down in it."""
    left, entered, down = [], [], []
    for rank, document in enumerate(query.top_before[:depth], start=1):
        now = document.elsewhere
        if now is None or now > depth:
            left.append(_told(document, f"{rank} -> {now or 'not returned'}"))
        elif now > rank and (document.grade or 0) > 0:
            down.append(_told(document, f"{rank} -> {now}"))
    for rank, document in enumerate(query.top[:depth], start=1):
        was = document.elsewhere
        if was is None or was > depth:
            entered.append(_told(document, f"{was} -> {rank}" if was else "was not returned"))
    return {f"left the top {depth}": left, f"entered the top {depth}": entered, "down": down}


def _told(document: Document, moved: str) -> str:
    grade = "unjudged" if document.grade is None else f"grade {document.grade}"
    return f"{clipped(document.doc_id)} ({grade}, {moved})"
