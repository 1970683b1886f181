"""The queries that moved most against the baseline, with the documents that came and went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import clipped
from pytest_irbench.reports.moved import graded, moved, moved_by, passage
from pytest_irbench.reports.numbers import number, signed
from pytest_irbench.reports.terminal.screen import GAP, Span, joined, padded, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.gates.detail import MeasureDetail
    from pytest_irbench.reports.moved import Moved, Passage, Place
    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.terminal.screen import Line, Screen

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
    measure = moved_by(gate)
    changes = moved(gate, measure) if measure else []
    if measure is None or not changes:
        return
    shown = _worst_first(changes) if all_worse else changes[:QUERIES_SHOWN]
    counts = f"{measure.worse} worse, {measure.better} better"
    gains = ", and the best gains" if all_worse and measure.better else ""
    what = "queries that got worse" if all_worse else "queries that moved most"
    yield from screen.prose(f"{what} by {measure.text}{gains} ({counts}):")
    yield from _table(shown, measure, screen)
    left_out = measure.worse - sum(one.change < 0 for one in shown)
    if left_out > 0:
        yield from screen.prose(f"{left_out} more got worse{'' if all_worse else ': -v shows them'}")


def _worst_first(changes: Sequence[Moved]) -> list[Moved]:
    worse = [one for one in changes if one.change < 0]
    return worse + [one for one in changes if one.change > 0][:QUERIES_SHOWN]


def _table(shown: Sequence[Moved], measure: MeasureDetail, screen: Screen) -> Iterator[Line]:
    longest = min(_LONGEST_ID, screen.width - _BESIDE_ID)
    cells = [_cells(one, measure.text, longest, screen) for one in shown]
    lines = [joined(line) for line in padded(_HEADER, cells, right=(1, 2, 3))]
    # Nothing of the text is padded: it is other people's, and may be of any length and script.
    room = screen.width - max(map(width_of, lines)) - len(GAP)
    yield (Span(joined((lines[0], "text"))),)
    yield (Span(joined((lines[1], "-" * len("text")))),)
    for line, one in zip(lines[2:], shown, strict=True):
        yield (Span(joined((line, screen.short(" ".join(one.query.text.split()), room)))),)
        yield from _documents(passage(one.query, measure), screen)


def _cells(one: Moved, measure: str, longest: int, screen: Screen) -> tuple[str, ...]:
    values = (number(measure, one.before), number(measure, one.now), signed(measure, one.change))
    return (screen.short(one.query.query_id, longest), *values)


def _documents(found: Passage, screen: Screen) -> Iterator[Line]:
    said = {
        f"left the top {found.depth}": found.left,
        f"entered the top {found.depth}": found.entered,
        "down": found.down,
    }
    for what, places in said.items():
        if places:
            first, *others = map(_told, places)
            yield from screen.listed([f"{what}: {first}", *others], GAP * 2)


def _told(one: Place) -> str:
    ranks = f"{one.before or 'not returned'} -> {one.now or 'not returned'}"
    return f"{clipped(one.document.doc_id)} ({graded(one.document)}, {ranks})"
