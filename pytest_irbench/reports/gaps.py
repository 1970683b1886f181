"""What other words make of a system: the values of its utterances side by side, for every report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.decide import size
from pytest_irbench.reports.numbers import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.row import Row


class Gap(NamedTuple):
    """A system that was asked with several utterances: its name, and a table of texts."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def gaps(gates: Sequence[ReportedGate]) -> Iterator[Gap]:
    """Put the utterances of each system side by side, where it was asked with several."""
    asked: dict[tuple[str, str, str], dict[str, Sequence[Row]]] = {}
    for gate in (one for one in gates if one.rows):
        said = gate.rows[0].utterance
        key = (gate.file, gate.benchmark, gate.system.removesuffix(f"@{said}"))
        asked.setdefault(key, {})[said] = gate.rows
    for (_, benchmark, system), found in asked.items():
        values = {said: _values(rows) for said, rows in found.items()}
        if len(values) > 1 and any(values.values()):
            first, *others = values
            header = ("measure", first, *(name for other in others for name in (other, "gap")))
            title = f"{benchmark} · {system}: what other words make of it"
            yield Gap(title, header, tuple(_rows(list(values.values()))))


def _values(rows: Sequence[Row]) -> dict[str, Row]:
    """Return what was measured of each subject; a rank or a number of queries is no value of a measure."""
    return {row.subject: row for row in rows if row.is_of_measure}


def _rows(values: Sequence[dict[str, Row]]) -> Iterator[tuple[str, ...]]:
    for subject in dict.fromkeys(subject for rows in values for subject in rows):
        own, *theirs = (rows.get(subject) for rows in values)
        both = (text for other in theirs for text in (_value(other), _gap(own, other)))
        yield (subject, _value(own), *both)


def _value(row: Row | None) -> str:
    return (number(row.measure, row.value) if row else "") or "-"


def _gap(own: Row | None, other: Row | None) -> str:
    if own is None or other is None or own.value is None or other.value is None:
        return "-"
    gap = other.value - own.value
    return f"{'-' if gap < 0 else '+'}{size(own.measure, abs(gap))}"
