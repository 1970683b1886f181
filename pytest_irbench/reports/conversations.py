"""What the summary says of conversations: values by turn and by conversation, and of other utterances."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import number_of, size
from pytest_irbench.reports.row import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.row import Row

_WIDTH = 100
_HARD_BLANK = "\xa0"


def by_depth(rows: Sequence[Row]) -> Iterator[str]:
    """Print a gate's first measure by turn and by conversation.

    Parameters
    ----------
    rows
        The thresholds of one gate.
    """
    for text in dict.fromkeys(line for row in rows for line in row.by_depth.split("\n") if line):
        # Lines are broken behind commas only: a turn stays with its value.
        held = text.replace(" ", _HARD_BLANK).replace(f",{_HARD_BLANK}", ", ")
        lines = wrap(held, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        yield from (line.replace(_HARD_BLANK, " ") for line in lines)


def utterance_gaps(gates: Sequence[Sequence[Row]]) -> Iterator[str]:
    """Print, for each system that was asked with several utterances, what they make of its values.

    Parameters
    ----------
    gates
        The rows of each gate.
    """
    asked: dict[tuple[str, str, str], dict[str, Sequence[Row]]] = {}
    for rows in gates:
        first = rows[0]
        system = first.system.removesuffix(f"@{first.utterance}")
        key = (first.place.rpartition(":")[0], first.benchmark, system)
        asked.setdefault(key, {})[first.utterance] = rows
    for (_, benchmark, system), found in asked.items():
        values = {said: _values(rows) for said, rows in found.items()}
        if len(values) > 1 and any(values.values()):
            yield ""
            yield f"{benchmark} · {system}: what other words make of it"
            yield from _gaps(values)


def _values(rows: Sequence[Row]) -> dict[str, Row]:
    """Return what was measured of each subject; a rank or a number of queries is no value of a measure."""
    return {
        row.subject: row
        for row in rows
        if row.value is not None and (row.rule in {"min", "max"} or row.evidence)
    }


def _gaps(values: dict[str, dict[str, Row]]) -> Iterator[str]:
    first, *others = values
    header = ["measure", first, *(name for other in others for name in (other, "gap"))]
    cells = []
    for subject in dict.fromkeys(subject for rows in values.values() for subject in rows):
        own, *theirs = (rows.get(subject) for rows in values.values())
        line = [subject, _value(own)]
        for other in theirs:
            line += [_value(other), _gap(own, other)]
        cells.append(line)
    yield from table(header, cells, right=range(1, len(header)))


def _value(row: Row | None) -> str:
    return "-" if row is None or row.value is None else number_of(row.measure, row.value)


def _gap(own: Row | None, other: Row | None) -> str:
    if own is None or other is None or own.value is None or other.value is None:
        return "-"
    gap = other.value - own.value
    return f"{'-' if gap < 0 else '+'}{size(own.measure, abs(gap))}"
