"""What is said of a gate beside the table of its thresholds, for every report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_irbench.reports.numbers import asked_of, number, subject_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.row import Row

Kind = Literal["said", "stage", "without", "depth", "warned"]


class Remark(NamedTuple):
    """A sentence on a gate.

    Its kind is ``stage`` for a cause, ``without`` for queries on which a verdict hangs, ``depth`` for a list,
    ``warned`` for a warning, and else ``said``.
    """

    text: str
    kind: Kind = "said"


def remarks(gate: ReportedGate) -> Iterator[Remark]:
    """Say which baseline it is, what is adjusted, what budgets can't see, and what else a reader must know.

    Each remark is said once, in the order in which a reader needs it.
    """
    yield from dict.fromkeys(_remarks(gate))


def _remarks(gate: ReportedGate) -> Iterator[Remark]:
    drops = [row for row in gate.rows if row.evidence]
    since = dict.fromkeys(row.since for row in gate.rows if row.since)
    if not since and gate.detail and gate.detail.baseline:
        since[f"baseline of {gate.detail.baseline.date} ({gate.detail.baseline.reason})"] = None
    if since:
        yield Remark(f"against the {', '.join(since)}")
    for stage in gate.detail.stages if gate.detail else ():
        yield Remark(stage, "stage")
    for row in gate.rows:
        if row.without:
            yield Remark(f"{subject_of(row)} {asked_of(row)}: {row.without}", "without")
    if adjusted := _adjusted(drops):
        yield Remark(adjusted)
    yield from _lines(gate.rows, "rejudged", "said")
    for text in _marks(drops):
        yield Remark(text, "warned")
    yield from _lines(gate.rows, "by_depth", "depth")
    yield from _lines(gate.rows, "about", "said")
    yield from _lines(gate.rows, "note", "warned")


def _lines(rows: Sequence[Row], field: str, kind: Kind) -> Iterator[Remark]:
    for row in rows:
        for line in getattr(row, field).split("\n"):
            if line:
                yield Remark(line, kind)


def _adjusted(drops: Sequence[Row]) -> str:
    # Where no query moved, no star is shown.
    family = max((row.family for row in drops if row.worse or row.better), default=1)
    thresholds = f"the {family} thresholds of this gate that ask for significance"
    return f"* adjusted for {thresholds} (Holm)" if family > 1 else ""


def _marks(drops: Sequence[Row]) -> Iterator[str]:
    """Name the budgets that are smaller than what the queries can show, and what shows nothing."""
    known = [(row, row.limit, row.detectable) for row in drops]
    alone = [row for row, _, seen in known if seen == math.inf]
    if alone:
        yield f"{_units(alone)} alone says nothing about chance"
    small = [
        row
        for row, limit, seen in known
        if limit is not None and seen is not None and limit < seen < math.inf
    ]
    if not small:
        return
    told = "; ".join(_told(row) for row in small)
    lax = any(row.evidence == "mean" for row in small)
    remedy = "More queries, a larger max_drop or" if lax else "More queries or a larger max_drop"
    remedy += " evidence: significant make the verdict firm" if lax else " make the verdict firm"
    yield (
        f"max_drop is smaller than the smallest drop that {_units(small)} show in 8 of 10 cases, "
        f"so below that chance decides: {told}. {remedy}"
    )


def _told(row: Row) -> str:
    budget, seen = number(row.measure, row.limit), number(row.measure, row.detectable)
    what = f"{row.subject} may drop by {budget}, seen reliably is {seen}"
    if row.evidence != "mean" or row.false_alarms is None:
        return what
    return f"{what} (an equally good system fails {row.false_alarms:.0%} of the time)"


def _units(rows: Sequence[Row]) -> str:
    return " or ".join(dict.fromkeys(row.units for row in rows))
