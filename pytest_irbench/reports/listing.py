"""What `--irbench-list` prints: the benchmarks that can be selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulate import tabulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Listed:
    """One benchmark of the list; `judged` is empty when that is only known once it is loaded."""

    name: str
    judged: str
    relevance_level: int
    measures: tuple[str, ...]
    data: str
    description: str


def listing(benchmarks: Iterable[Listed], families: Mapping[str, tuple[str, ...]], home: str) -> str:
    """Print the table of benchmarks, the families and the folder of the data."""
    rows = [
        (b.name, b.judged, str(b.relevance_level), ", ".join(b.measures), b.data, b.description)
        for b in benchmarks
    ]
    table = tabulate(
        rows, ("name", "judged", "level", "measures", "data", "what"), "simple", disable_numparse=True
    )
    names = "; ".join(f"{family} = {', '.join(members)}" for family, members in families.items())
    return f"{table}\n\nfamilies: {names}; all = every benchmark that a gate names\ndata home: {home}"
