"""What other utterances make of the values of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import number_of, size
from pytest_irbench.reports.terminal.screen import Span, joined, padded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.row import Row
    from pytest_irbench.reports.terminal.screen import Line, Screen


def utterance_gaps(gates: Sequence[ReportedGate], screen: Screen) -> Iterator[Line]:
    """Print, for each system that was asked with several utterances, what they make of its values.

    Parameters
    ----------
    gates
        All of a session.
    screen
        What it is set for.
    """
    asked: dict[tuple[str, str, str], dict[str, Sequence[Row]]] = {}
    for gate in gates:
        said = gate.rows[0].utterance
        key = (gate.file, gate.benchmark, gate.system.removesuffix(f"@{said}"))
        asked.setdefault(key, {})[said] = gate.rows
    for (_, benchmark, system), found in asked.items():
        values = {said: _values(rows) for said, rows in found.items()}
        if len(values) > 1 and any(values.values()):
            yield ()
            yield from screen.prose(f"{benchmark} · {system}: what other words make of it", "bold")
            yield from _gaps(values, screen)


def _values(rows: Sequence[Row]) -> dict[str, Row]:
    """Return what was measured of each subject; a rank or a number of queries is no value of a measure."""
    return {
        row.subject: row
        for row in rows
        if row.value is not None and (row.rule in {"min", "max"} or row.evidence)
    }


def _gaps(values: dict[str, dict[str, Row]], screen: Screen) -> Iterator[Line]:
    first, *others = values
    header = ["measure", first, *(name for other in others for name in (other, "gap"))]
    cells = []
    for subject in dict.fromkeys(subject for rows in values.values() for subject in rows):
        own, *theirs = (rows.get(subject) for rows in values.values())
        line = [screen.short(subject, screen.width // 2), _value(own)]
        for other in theirs:
            line += [_value(other), _gap(own, other)]
        cells.append(line)
    for line in padded(header, cells, range(1, len(header))):
        yield (Span(joined(line)),)


def _value(row: Row | None) -> str:
    return "-" if row is None or row.value is None else number_of(row.measure, row.value)


def _gap(own: Row | None, other: Row | None) -> str:
    if own is None or other is None or own.value is None or other.value is None:
        return "-"
    gap = other.value - own.value
    return f"{'-' if gap < 0 else '+'}{size(own.measure, abs(gap))}"
