"""Take turns, start processes, and say what came out as rows of a table."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Result = TypeVar("Result")

WIDTHS = (66, 12, 12, 24, 10, 4)
HEADER = ("work", "ours", "peer", "result", "target", "met")


@dataclass(frozen=True)
class Settings:
    """What the user chose, and where things may be written."""

    folder: Path  # the data is kept here
    scratch: Path  # anything else; removed at the end
    queries: int
    pairs: int
    home: Path | None  # a folder as IR_DATASETS_HOME


@dataclass(frozen=True)
class Scored:
    """What one process of `sides.py` told, and how long it took from its start to its end."""

    seconds: float
    inside: float  # from the file to the values, without the start of Python and imports
    megabytes: float  # peak
    means: Mapping[str, float]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    work: str
    ours: str
    peer: str = "-"
    result: str = "-"
    target: str = "-"
    met: bool | None = None

    def print(self) -> None:
        """Print it now: the next one may take minutes."""
        met = {True: "yes", False: "NO", None: "-"}[self.met]
        print_cells((self.work, self.ours, self.peer, self.result, self.target, met))


def print_header() -> None:
    """Begin the table."""
    print_cells(HEADER)
    print_cells(["-" * width for width in WIDTHS])


def print_cells(cells: Sequence[str]) -> None:
    """Print cells in columns, as Markdown."""
    print("|", " | ".join(f"{c:<{w}}" for c, w in zip(cells, WIDTHS, strict=True)), "|", flush=True)


def interleaved(rounds: int, *works: Callable[[], Result]) -> list[list[Result]]:
    """Let the works take turns; return what each of them returned.

    Every second round goes backwards, so that none always follows the same one.
    """
    results: list[list[Result]] = [[] for _ in works]
    for number in range(rounds):
        turns = list(zip(works, results, strict=True))
        for work, returned in turns if number % 2 == 0 else reversed(turns):
            returned.append(work())
    return results


def clock(work: Callable[[], object]) -> Callable[[], float]:
    """Make a work that returns its seconds."""

    def timed() -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    return timed


def score(side: str, run: Path, qrels: Path, *more: str | Path) -> Scored:
    """Score a run file in a process of its own."""
    program = Path(__file__).with_name("sides.py")
    command = [sys.executable, str(program), side, str(run), str(qrels), *map(str, more)]
    begin = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begin
    return Scored(seconds, **json.loads(done.stdout))


def check_same(all_means: Sequence[Mapping[str, float]], tolerance: float = 1e-9) -> None:
    """Stop when two sides do not come to the same values: their times could not be compared."""
    first = all_means[0]
    for means in all_means:
        assert means.keys() == first.keys()
        assert all(abs(means[name] - first[name]) <= tolerance for name in first), (first, means)


def ratio(work: str, ours: Sequence[float], theirs: Sequence[float], limit: float) -> Row:
    """Compare medians of seconds; beside the ratio, the lowest and the highest one of a pair."""
    a, b = statistics.median(ours), statistics.median(theirs)
    pairs = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    result = f"{a / b:.3f}x ({min(pairs):.3f}-{max(pairs):.3f})"
    return Row(work, as_time(a), as_time(b), result, f"<= {limit:.2f}x", a / b <= limit)


def added(work: str, ours: Sequence[float], theirs: Sequence[float], limit: float, times: int = 1) -> Row:
    """Tell the median difference of a pair, shared by so many `times` of the same thing."""
    a, b = statistics.median(ours), statistics.median(theirs)
    # Not the difference of the medians: it is small beside both, and what slows a pair slows both sides.
    each = statistics.median(mine - other for mine, other in zip(ours, theirs, strict=True)) / times
    return Row(
        work, as_time(a), as_time(b), f"{as_time(each)} more", f"<= {as_time(limit, 0)}", each <= limit
    )


def as_time(seconds: float, digits: int = 2) -> str:
    """Print seconds in the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds * 1e9:.{digits}f} ns"
