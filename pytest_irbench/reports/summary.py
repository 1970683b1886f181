"""The terminal summary: one table per gate, from what the tests reported."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.decide import printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Row(NamedTuple):
    """One threshold as it came out, made of plain values so that it crosses processes.

    Attributes
    ----------
    benchmark, system, measure, rule, limit, place
        The threshold and where it stands.
    outcome
        ``passed``, ``failed``, ``error``, or pytest's word for what else happened.
    value
        None when it could not be measured.
    queries, missing, extra
        Number of judged queries, of those the run lacks, and of the run's unjudged ones.
    note
        What a reader must know beside the table, or an empty text.
    """

    benchmark: str
    system: str
    measure: str
    rule: str
    limit: float
    place: str
    outcome: str
    value: float | None = None
    queries: int | None = None
    missing: int | None = None
    extra: int | None = None
    note: str = ""


def summary(rows: Iterable[Row]) -> str:
    """Print one table per gate, gates in the order in which they came.

    Ids and numbers are printed as they are: no cell is read as a number.
    """
    gates: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        file = row.place.rpartition(":")[0]
        gates.setdefault((file, row.benchmark, row.system), []).append(row)
    return "\n\n".join("\n".join(_gate(gate)) for gate in gates.values())


def _gate(rows: list[Row]) -> Iterator[str]:
    counted = next((row for row in rows if row.queries is not None), None)
    yield f"{rows[0].benchmark} · {rows[0].system}{_counts(counted) if counted else ''}"
    cells = [(row.measure, *_numbers(row), row.outcome, row.place) for row in rows]
    yield from _table(("measure", "value", "threshold", "verdict", "where"), cells)
    for note, _ in groupby(row.note for row in rows if row.note):
        yield note


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Print a table as tabulate's format ``simple``, the second column to the right.

    A file may hold ten thousand thresholds, and tabulate looks at each cell several times.
    """
    columns = zip(header, *rows, strict=True)
    widths = [max(len(title) + 2, *map(len, cells)) for title, *cells in columns]
    aligned = [f"{{:{'>' if place == 1 else '<'}{width}}}" for place, width in enumerate(widths)]
    line = "  ".join(aligned).format
    for row in (header, ["-" * width for width in widths], *rows):
        yield line(*row).rstrip()


def _counts(row: Row) -> str:
    parts = [f"{row.queries} queries"]
    if row.missing:
        parts.append(f"{row.missing} without results count 0")
    if row.extra:
        parts.append(f"{row.extra} unjudged left out")
    return f": {', '.join(parts)}"


def _numbers(row: Row) -> tuple[str, str]:
    if row.value is None:
        return "-", f"{row.rule} {printed(row.measure, row.limit, row.limit)[1]}"
    value, limit = printed(row.measure, row.value, row.limit)
    return value, f"{row.rule} {limit}"
