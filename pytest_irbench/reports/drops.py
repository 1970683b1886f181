"""What the summary says of the thresholds that are held against a baseline."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import is_count
from pytest_irbench.reports.row import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.row import Row

_HEADER = ("measure", "baseline", "change", "95% interval", "p", "worse/better", "detectable")
_WIDTH = 100


def against_baseline(rows: Sequence[Row]) -> Iterator[str]:
    """Print the drops of a gate with what chance makes of them, and mark budgets below what can be seen.

    Parameters
    ----------
    rows
        The thresholds of one gate; those without a ``max_drop`` are left out.
    """
    since = dict.fromkeys(row.since for row in rows if row.since)
    if not since:
        return
    yield f"against the {', '.join(since)}:"
    drops = [row for row in rows if row.evidence]
    if drops:
        yield from table(_HEADER, [_cells(row) for row in drops], right=(1, 2, 3, 4, 6))
    for text in dict.fromkeys([_adjusted(drops), *(row.rejudged for row in rows), *_marks(drops)]):
        yield from wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _cells(row: Row) -> tuple[str, ...]:
    interval = "-"
    if row.change_low is not None and row.change_high is not None:
        interval = f"{_number(row, row.change_low)} to {_number(row, row.change_high)}"
    numbers = (_number(row, row.baseline), _number(row, row.change), interval, _p(row))
    return (row.subject, *numbers, f"{row.worse}/{row.better}", _number(row, row.detectable))


def _p(row: Row) -> str:
    if row.p is None:
        return "-"
    if row.p_adjusted is None or row.family == 1:
        return f"{row.p:.4f}"
    return f"{row.p_adjusted:.4f}*"


def _adjusted(drops: Sequence[Row]) -> str:
    family = max((row.family for row in drops), default=1)
    thresholds = f"the {family} thresholds of this gate that ask for significance"
    return f"* adjusted for {thresholds} (Holm)" if family > 1 else ""


def _number(row: Row, value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    text = f"{value:.1f}" if is_count(row.measure) else f"{value:.4f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _marks(drops: Sequence[Row]) -> Iterator[str]:
    """Name the budgets that are smaller than what the queries can show, and what shows nothing."""
    alone = [row for row in drops if math.isinf(row.detectable)]
    if alone:
        yield f"{_units(alone)} alone says nothing about chance"
    small = [row for row in drops if row.limit is not None and row.limit < row.detectable < math.inf]
    if not small:
        return
    told = "; ".join(_told(row) for row in small)
    yield (
        f"max_drop is smaller than the smallest drop that {_units(small)} show in 8 of 10 cases, "
        f"so below that chance decides: {told}. More queries or a larger max_drop make the verdict firm"
    )


def _told(row: Row) -> str:
    budget, seen = _number(row, row.limit or 0.0), _number(row, row.detectable)
    what = f"{row.subject} may drop by {budget}, seen reliably is {seen}"
    if row.evidence != "mean":
        return what
    return f"{what} (an unchanged system fails {row.false_alarms:.0%} of the time)"


def _units(rows: Sequence[Row]) -> str:
    return " or ".join(dict.fromkeys(row.units for row in rows))
