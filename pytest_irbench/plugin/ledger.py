"""The ledger: what became of each selected threshold, read off the reports of its test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_irbench.plugin.session import printable
from pytest_irbench.reports.report import Failure, ReportedGate
from pytest_irbench.reports.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pytest

    from pytest_irbench.plugin.session import IrbenchSession
    from pytest_irbench.reports.report import TrendPoint

_IDS_SHOWN = 3
DECIDED = {"passed", "failed", "skipped"}
"""The outcomes of pytest itself; others are those of an attempt that another plugin repeats."""

_FIELDS = {f"irbench_{field}": field for field in Row._fields}
"""Property of a report -> field of its row."""


def keep(session: IrbenchSession, report: pytest.TestReport) -> None:
    """Write the outcome of a threshold into the ledger; what is red stays so, whatever comes after it.

    A fixture may fail once the value is decided, or another worker decide the same threshold
    (``--dist=each``).
    """
    if report.outcome not in DECIDED:
        return
    given: dict[Any, Any] = dict(report.user_properties)
    outcome: str = report.outcome
    if report.failed and report.when != "call":
        outcome = "error"
    elif hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    elif report.failed:
        outcome = given.get("irbench_verdict", outcome)
    said = {"nodeid": report.nodeid}
    if report.failed:
        said["explanation"] = printable(_text(report))
        if outcome == "error" or "irbench_sentence" not in given:
            said["sentence"] = first_line(report)
    entry = _row(given, outcome, said)
    known = session.rows.get(report.nodeid)
    if known is None or not _is_worse(known[1], entry[1]):
        session.rows[report.nodeid] = entry


def _is_worse(known: Row, row: Row) -> bool:
    return known.severity >= 0 and (row.severity < 0 or known.severity < row.severity)


def note_failure(session: IrbenchSession, report: pytest.TestReport | pytest.CollectReport) -> None:
    """Keep what a failed test or collector says first."""
    outcome = "failed" if getattr(report, "when", None) == "call" else "error"
    session.failures[report.nodeid] = Failure(report.nodeid, outcome, _said(report))


def _said(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return all faults of a file of gates, which stand on a line each; of anything else one line."""
    text = _text(report)
    if report.when != "collect" or "\nE  " in f"\n{text}":
        return first_line(report)
    return printable(text.strip()) or report.nodeid


def first_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return what a report says in one line: of an exception its own words, not the code around it."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said = str(crash.message) if crash else _text(report)
    lines = said.removeprefix("Failed: ").strip().splitlines() or [report.nodeid]
    # A module that can't be imported is told with its traceback.
    raised = [line.removeprefix("E ").strip() for line in lines if line.startswith("E  ")]
    return printable(raised[-1] if raised and not crash else lines[0])


def _text(report: pytest.TestReport | pytest.CollectReport) -> str:
    # Not longreprtext, which begins with the worker that ran the test.
    return str(report.longrepr or "")


def rows_of(session: IrbenchSession) -> list[Row]:
    """Return what became of each threshold and each comparison in Python, in the order of their tests.

    A threshold without a verdict is among them: its worker died, or the session stopped before it.
    """
    rows = list(session.rows.values())
    for nodeid, properties in session.declared.items():
        if nodeid not in session.rows:
            failure = session.failures.get(nodeid)
            asked = f"{dict(properties)['irbench_subject']} {dict(properties)['irbench_threshold']}"
            sentence = failure.message if failure else f"{asked}: the session ended without its verdict"
            outcome = "error" if failure else "not run"
            rows.append(_row(dict(properties), outcome, {"nodeid": nodeid, "sentence": sentence}))
    rows += [(order, row) for order, found in session.asserted.values() for row in found.values()]
    return [row for _, row in sorted(rows, key=lambda entry: entry[0])]


def _row(given: dict[Any, Any], outcome: str, said: dict[str, str]) -> tuple[int, Row]:
    """Return the place of a threshold among all, and its row."""
    values: dict[str, Any] = {field: given[name] for name, field in _FIELDS.items() if name in given}
    return given["irbench_order"], Row(outcome=outcome, **{**values, **said})


def reported_gates(
    session: IrbenchSession, trends: Mapping[Any, tuple[TrendPoint, ...]] | None = None
) -> tuple[ReportedGate, ...]:
    """Gather the thresholds by gate, gates and thresholds in the order in which they are declared."""
    gates: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows_of(session):
        gates.setdefault((row.place.rpartition(":")[0], row.benchmark, row.system), []).append(row)
    return tuple(
        ReportedGate(*key, tuple(rows), session.details.get(key), (trends or {}).get(key, ()))
        for key, rows in gates.items()
    )


def problems_of(session: IrbenchSession) -> Iterator[str]:
    """Say what makes a session fail beside its tests, a sentence each."""
    if session.holes:
        many = len(session.holes) > 1
        said = f"{len(session.holes)} selected threshold{'s have' if many else ' has'} no verdict"
        yield f"{said}: {_shown(session.holes)}"
    for name in session.unmeasured:
        yield f"nothing was measured on {name}, which was selected"
    for fault in session.update.faults if session.update else ():
        yield f"no baseline was written: {fault}"
    if session.unproved:
        yield f"nothing was proved: {session.unproved}"
    for proof in session.proofs:
        if proof.proof.is_blind:
            yield f"{proof.gate}: its thresholds notice no broken run"


def _shown(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_IDS_SHOWN]) + (", …" if len(ids) > _IDS_SHOWN else "")
