"""What ``assert_…`` values were compared with, on its way to the reports, also from xdist workers."""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Any

from pytest_irbench.plugin.ledger import DECIDED
from pytest_irbench.plugin.session import printable
from pytest_irbench.reports.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from pytest_irbench.plugin.assertions import Decided
    from pytest_irbench.plugin.session import IrbenchSession

_ATTRIBUTE = "irbench_asserted"


def send(session: IrbenchSession, item: pytest.Item, report: pytest.TestReport) -> None:
    """Put what a phase of a test compared on its report."""
    assertions = sys.modules.get("pytest_irbench.plugin.assertions")
    if assertions is None or not assertions.decided:
        return
    found = [dict(_fields(session, one)) for one in assertions.decided]
    assertions.decided.clear()
    setattr(report, _ATTRIBUTE, (session.orders.get(item.nodeid, 0), found))


def receive(session: IrbenchSession, report: pytest.TestReport) -> None:
    """Take it off, as rows.

    A comparison that was false in a test that passes was meant to be: no report tells of it.
    """
    sent: Any = report.__dict__.pop(_ATTRIBUTE, None)
    if report.outcome not in DECIDED:
        # Another plugin repeats the test: what it compares then counts.
        session.asserted.pop(report.nodeid, None)
        return
    if sent is None:
        return
    order, found = sent
    told = session.asserted.setdefault(report.nodeid, (order, {}))[1]
    for fields in found:
        held = fields["outcome"] == "passed"
        if held or not report.passed:
            outcome = fields["outcome"] if held or not hasattr(report, "wasxfail") else "xfailed"
            explanation = "" if outcome != "failed" else _explained(report)
            row = Row(**{**fields, "outcome": outcome, "nodeid": report.nodeid, "explanation": explanation})
            # A loop compares many times on one line: the first false one counts, else the last.
            key = (row.place, row.benchmark, row.system, row.subject, row.rule)
            if key not in told or told[key].outcome == "passed":
                told[key] = row


def _explained(report: pytest.TestReport) -> str:
    """Return what the assertion itself says; the code around it stands in the log."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said = str(crash.message) if crash else str(report.longrepr or "")
    return printable(said.removeprefix("AssertionError: "))


def _fields(session: IrbenchSession, one: Decided) -> Iterator[tuple[str, Any]]:
    """Give what a row says of it, as plain values."""
    verdict, scores, benchmark = one.verdict, one.value.scores, one.value.benchmark
    judged = scores.judged
    place = f"{os.path.relpath(one.path, session.config.rootpath)}:{one.line}".replace(os.sep, "/")
    yield "benchmark", getattr(benchmark, "name", "qrels of its own")
    yield "system", str(judged.run.name)
    yield "measure", verdict.measure
    yield "subject", verdict.measure
    yield "rule", verdict.rule
    yield "place", printable(place)
    yield "outcome", str(verdict.outcome)
    yield "sentence", printable(verdict.sentence)
    yield "threshold", one.threshold
    for name in ("limit", "value"):
        number = float(getattr(verdict, name))
        yield name, number if math.isfinite(number) else None
    yield "queries", len(judged.query_ids)
    yield "missing", len(judged.missing)
    yield "extra", judged.extra
    if one.comparison:
        yield from _compared(one)


def _compared(one: Decided) -> Iterator[tuple[str, Any]]:
    comparison = one.comparison
    if comparison is None:
        return
    low, high = comparison.interval
    yield "baseline", float(comparison.baseline)
    yield "change", float(comparison.difference)
    if math.isfinite(low):
        yield "change_low", float(low)
        yield "change_high", float(high)
        yield "p", float(comparison.permutation.drop)
    yield "worse", comparison.losses
    yield "better", comparison.wins
