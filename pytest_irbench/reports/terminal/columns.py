"""A gate's thresholds as a table that is as wide as the terminal; what doesn't fit stands below its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.reports.numbers import (
    asked_of,
    baseline_of,
    change_of,
    detectable_of,
    interval_of,
    judged_of,
    p_of,
    said_once,
    subject_of,
    tally_of,
    value_of,
)
from pytest_irbench.reports.terminal.screen import GAP, Span, joined, padded, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_irbench.reports.row import Row
    from pytest_irbench.reports.terminal.screen import Line, Screen

_SHORTEST = 9
_STYLES = {
    "passed": "passed",
    "failed": "failed",
    "depends": "failed",
    "xpassed": "failed",
    "error": "error",
    "skipped": "error",
    "not run": "error",
}


class Column(NamedTuple):
    """A column of the table.

    Attributes
    ----------
    cell
        What it says of a row, or an empty text.
    important
        Its place when the width is given out; those at 0 always stand.
    right
        Whether it is set to the right.
    once
        What it is about: it is said once for each, at a max_drop if there is one. None when it is said in all
        rows.
    label
        What stands before it below the row, with a blank.
    """

    cell: Callable[[Row], str]
    important: int = 0
    right: bool = False
    once: Callable[[Row], str] | None = None
    label: str = ""


def style_of(outcome: str) -> str:
    """Tell how an outcome is shown; what is neither green nor red is a warning."""
    return _STYLES.get(outcome, "warned")


def _measure(row: Row) -> str:
    return row.measure


def _compared(
    label: str, important: int, cell: Callable[[Row], str], once: Callable[[Row], str] = subject_of
) -> Column:
    return Column(cell, important, right=True, once=once, label=label)


COLUMNS = {
    "measure": Column(subject_of),
    "value": Column(lambda row: value_of(row) or "-", right=True, label="value "),
    "threshold": Column(asked_of, label="threshold "),
    "baseline": _compared("baseline ", 2, baseline_of),
    "change": _compared("change ", 1, change_of),
    "95% interval": _compared("95% ", 4, interval_of),
    "p": _compared("p ", 3, p_of),
    "worse/better": _compared("worse/better ", 5, tally_of),
    "judged": _compared("judged ", 7, judged_of, once=_measure),
    "detectable": _compared("detectable ", 8, detectable_of),
    "verdict": Column(lambda row: row.outcome),
    "where": Column(lambda row: row.place, 6),
}
"""Title -> column, from left to right."""

_CUT = ("measure", "value", "threshold")
_IMPLIED = {"baseline", "change", "95% interval", "p", "worse/better", "detectable"}
"""What needs no words where no query moved."""


def gate_table(rows: Sequence[Row], screen: Screen) -> Iterator[Line]:
    """Print the thresholds of a gate.

    Parameters
    ----------
    rows
        At least one.
    screen
        Gives the width. A column that would be empty is left out. What has no room in a column is said below
        its row, where it is known.
    """
    cells = {title: _cells(column, rows, screen) for title, column in COLUMNS.items()}
    short = _fitted(cells, screen)
    right = [place for place, title in enumerate(short) if COLUMNS[title].right]
    table = padded(list(short), list(zip(*short.values(), strict=True)), right)
    yield (Span(joined(next(table))),)
    yield (Span(joined(next(table))),)
    verdict = list(short).index("verdict")
    for place, (row, line) in enumerate(zip(rows, table, strict=True)):
        yield _styled(line, verdict, row.outcome)
        hidden = {
            title: column[place]
            for title, column in cells.items()
            if title not in short or short[title][place] != column[place]
        }
        yield from _below(row, hidden, screen)


def _cells(column: Column, rows: Sequence[Row], screen: Screen) -> list[str]:
    texts = [screen.printable(column.cell(row)) for row in rows]
    return texts if column.once is None else said_once(rows, texts, column.once)


def _fitted(cells: Mapping[str, list[str]], screen: Screen) -> dict[str, list[str]]:
    """Give the columns for which there is room, from left to right; other people's texts may be cut."""
    widths = {
        title: max(width_of(title), *map(width_of, column))
        for title, column in cells.items()
        if any(column) or not COLUMNS[title].important
    }
    taken = {title: widths[title] for title in widths if not COLUMNS[title].important}
    while _total(taken) > screen.width and max(taken[title] for title in _CUT) > _SHORTEST:
        taken[max(_CUT, key=taken.__getitem__)] -= 1
    for title in sorted(widths.keys() - taken.keys(), key=lambda title: COLUMNS[title].important):
        if _total(taken | {title: widths[title]}) <= screen.width:
            taken[title] = widths[title]
    shown = [title for title in widths if title in taken]
    return {title: [screen.short(cell, taken[title]) for cell in cells[title]] for title in shown}


def _total(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + len(GAP) * (len(widths) - 1)


def _styled(line: Sequence[str], verdict: int, outcome: str) -> Line:
    before = GAP.join((*line[:verdict], ""))
    after = joined((line[verdict][len(outcome) :], *line[verdict + 1 :]))
    spans = (Span(before), Span(outcome, style_of(outcome)), Span(after))
    return tuple(span for span in spans if span.text)


def _below(row: Row, hidden: dict[str, str], screen: Screen) -> Iterator[Line]:
    """Say in words what has no column; of what passed not its place, and little where no query moved."""
    said = {title: f"{COLUMNS[title].label}{text}" for title, text in hidden.items() if text}
    if row.severity < 0:
        said.pop("where", None)
    if row.worse == row.better == 0:
        moved = {"": "no query moved"} if "change" in said else {}
        said = moved | {title: text for title, text in said.items() if title not in _IMPLIED}
        if row.severity < 0:
            said.pop("judged", None)
    if "change" in said and "95% interval" in said:
        said["change"] += f" ({said.pop('95% interval')})"
    if said:
        yield from screen.listed(said.values(), GAP)
