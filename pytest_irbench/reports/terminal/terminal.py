"""What the terminal shows at the end of a session: a table for each gate, and which queries moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.numbers import asked_of, subject_of
from pytest_irbench.reports.remarks import remarks
from pytest_irbench.reports.terminal.columns import gate_table, style_of
from pytest_irbench.reports.terminal.screen import GAP, NARROWEST, Screen, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.row import Row
    from pytest_irbench.reports.terminal.screen import Line

_OUTCOME = len("passed")
_STYLES = {"warned": "warned", "stage": "bold"}


def terminal(
    gates: Sequence[ReportedGate], width: int, verbosity: int = 0, ascii_only: bool = False
) -> Iterator[Line]:
    """Print the gates, line by line.

    Ids and numbers are printed as they are: no cell is read as a number.

    Parameters
    ----------
    gates
        In the order in which they are declared.
    width
        Of the terminal, in columns; below 60 lines are longer.
    verbosity
        That of pytest: below 0 (``-q``) a gate is one line, above 0 (``-v``) all queries that got worse
        are shown.
    ascii_only
        Whether the terminal can print nothing else.
    """
    screen = Screen(max(width, NARROWEST), ascii_only)
    if verbosity < 0:
        for gate in gates:
            yield _brief(gate, screen)
        return
    for number, gate in enumerate(gates):
        if number:
            yield ()
        yield from _gate(gate, screen, verbosity)
    if len(gates) > 1:
        # What most sessions need not load.
        from pytest_irbench.reports.terminal.gaps import utterance_gaps

        yield from utterance_gaps(gates, screen)


def _brief(gate: ReportedGate, screen: Screen) -> Line:
    outcome = gate.outcome
    counted = gate.tally
    red = gate.red
    if red:
        worst = [row for row in red if row.severity == red[0].severity]
        counted += f": {', '.join(f'{subject_of(row)} {asked_of(row)}' for row in worst)}"
    padding = " " * (_OUTCOME - len(outcome)) + GAP
    told = screen.short(f"{gate.name}: {counted}", screen.width - len(outcome + padding))
    return (Span(outcome, style_of(outcome)), Span(padding + told))


def _gate(gate: ReportedGate, screen: Screen, verbosity: int) -> Iterator[Line]:
    yield from screen.prose(f"{gate.name}{_measured(gate.rows)}", "bold")
    yield from gate_table(gate.rows, screen)
    for remark in remarks(gate):
        if remark.kind == "depth":
            yield from screen.listed(remark.text.split(", "))
        else:
            yield from screen.prose(remark.text, _STYLES.get(remark.kind, ""))
    if gate.detail:
        from pytest_irbench.reports.terminal.movers import movers

        yield from movers(gate, screen, all_worse=verbosity > 0)


def _measured(rows: Sequence[Row]) -> str:
    """Say over what the values are taken, and what was asked if it is not what users typed."""
    counted = next((row for row in rows if row.queries is not None), None)
    parts = []
    if counted:
        parts.append("1 query" if counted.queries == 1 else f"{counted.queries} queries")
        if counted.missing:
            parts.append(f"{counted.missing} without results count 0")
        if counted.extra:
            parts.append(f"{counted.extra} unjudged left out")
    if rows[0].utterance != "raw":
        parts.append(f"utterance {rows[0].utterance}")
    return f": {', '.join(parts)}" if parts else ""
