"""The terminal summary: one table per gate, from what the tests reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import number_of, printed
from pytest_irbench.reports.conversations import by_depth, utterance_gaps
from pytest_irbench.reports.drops import against_baseline
from pytest_irbench.reports.row import Row, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def summary(rows: Iterable[Row]) -> str:
    """Print one table per gate, gates in the order in which they came.

    Ids and numbers are printed as they are: no cell is read as a number.
    """
    gates: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        file = row.place.rpartition(":")[0]
        gates.setdefault((file, row.benchmark, row.system), []).append(row)
    tables = "\n\n".join("\n".join(_gate(gate)) for gate in gates.values())
    return "\n".join([tables, *utterance_gaps(list(gates.values()))])


def _gate(rows: list[Row]) -> Iterator[str]:
    counted = next((row for row in rows if row.queries is not None), None)
    yield f"{rows[0].benchmark} · {rows[0].system}{_counts(counted) if counted else ''}"
    cells = [(row.subject or row.measure, *_numbers(row), row.outcome, row.place) for row in rows]
    yield from table(("measure", "value", "threshold", "verdict", "where"), cells, right=(1,))
    yield from against_baseline(rows)
    yield from by_depth(rows)
    yield from dict.fromkeys(line for row in rows for line in row.about.split("\n") if line)
    yield from dict.fromkeys(line for row in rows for line in row.note.split("\n") if line)


def _counts(row: Row) -> str:
    parts = ["1 query" if row.queries == 1 else f"{row.queries} queries"]
    if row.missing:
        parts.append(f"{row.missing} without results count 0")
    if row.extra:
        parts.append(f"{row.extra} unjudged left out")
    return f": {', '.join(parts)}"


def _numbers(row: Row) -> tuple[str, str]:
    limit = row.limit
    if limit is None or row.rule not in {"min", "max"}:
        known = number_of(row.measure, row.value) if row.value is not None else "-"
        return row.shown or known, row.threshold
    if row.value is None:
        return "-", f"{row.rule} {printed(row.measure, limit, limit)[1]}"
    value, shown = printed(row.measure, row.value, limit)
    return row.shown or value, f"{row.rule} {shown}"
