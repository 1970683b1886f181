"""What the summary says of the thresholds that are held against a baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import is_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.row import Row
    from pytest_irbench.reports.screen import Line, Screen


def against_baseline(gate: ReportedGate, screen: Screen) -> Iterator[Line]:
    """Say which baseline it is, what is adjusted or judged anew, and mark budgets below what can be seen.

    Parameters
    ----------
    gate
        One without a baseline says nothing.
    screen
        What it is set for.
    """
    since = dict.fromkeys(row.since for row in gate.rows if row.since)
    if not since and gate.detail and gate.detail.baseline:
        since[f"baseline of {gate.detail.baseline.date} ({gate.detail.baseline.reason})"] = None
    if since:
        yield from screen.prose(f"against the {', '.join(since)}")
    drops = [row for row in gate.rows if row.evidence]
    for text in dict.fromkeys([_adjusted(drops), *(row.rejudged for row in gate.rows)]):
        if text:
            yield from screen.prose(text)
    for text in _marks(drops):
        yield from screen.prose(text, "warned")


def p_of(row: Row) -> str:
    """Print the p-value of a drop; with a star where it is adjusted."""
    if row.p is None:
        return ""
    if row.p_adjusted is None or row.family == 1:
        return f"{row.p:.4f}"
    return f"{row.p_adjusted:.4f}*"


def _adjusted(drops: Sequence[Row]) -> str:
    family = max((row.family for row in drops), default=1)
    thresholds = f"the {family} thresholds of this gate that ask for significance"
    return f"* adjusted for {thresholds} (Holm)" if family > 1 else ""


def number(row: Row, value: float | None) -> str:
    """Print a number of a comparison, or an empty text where there is none; counts have one decimal."""
    if value is None or not math.isfinite(value):
        return ""
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
    budget, seen = number(row, row.limit or 0.0), number(row, row.detectable)
    what = f"{row.subject} may drop by {budget}, seen reliably is {seen}"
    if row.evidence != "mean":
        return what
    return f"{what} (an unchanged system fails {row.false_alarms:.0%} of the time)"


def _units(rows: Sequence[Row]) -> str:
    return " or ".join(dict.fromkeys(row.units for row in rows))
