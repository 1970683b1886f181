"""All that a session found, as every report tells it: plain data, with nothing left to decide or compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_irbench.gates.detail import GateDetail
    from pytest_irbench.reports.row import Row

SESSIONS = 200
"""How many earlier sessions a trend has at most."""

_MISSED = ("failed", "depends", "xpassed")
"""Outcomes of thresholds that were decided and don't hold."""


class TrendPoint(NamedTuple):
    """What an earlier session found of a gate.

    Attributes
    ----------
    time
        When, in UTC: ``2026-11-30T19:40:00+00:00``.
    commit
        Of the project, or None.
    outcome
        That of the gate.
    values
        Subject of a threshold -> value.
    """

    time: str
    commit: str | None
    outcome: str
    values: Mapping[str, float]


class ReportedGate(NamedTuple):
    """One system on one benchmark.

    Attributes
    ----------
    file
        That of its thresholds, relative to pytest's root.
    benchmark, system
        Their names.
    rows
        Its thresholds in the order in which they are declared.
    detail
        Its values, or None when it could not be measured, or when tests in Python did.
    trend
        What earlier sessions found, the oldest first; this session is not among them.
    """

    file: str
    benchmark: str
    system: str
    rows: tuple[Row, ...]
    detail: GateDetail | None = None
    trend: tuple[TrendPoint, ...] = ()

    @property
    def name(self) -> str:
        """Benchmark and system, as headings have them; of tests in Python with their file."""
        return f"{self.benchmark} · {self.system}{f' ({self.file})' if self.is_python else ''}"

    @property
    def red(self) -> tuple[Row, ...]:
        """The thresholds that keep it from passing, the worst outcomes first."""
        return tuple(sorted((row for row in self.rows if row.severity >= 0), key=lambda row: row.severity))

    @property
    def tally(self) -> str:
        """How many have which red outcome, of how many: ``1 failed, 6 not run of 7 thresholds``."""
        counted = f"{len(self.rows)} threshold{'s' * (len(self.rows) != 1)}"
        words = ["skipped" if row.is_excuse else row.outcome for row in self.red]
        told = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
        return f"{told} of {counted}" if told else counted

    @property
    def outcome(self) -> str:
        """``failed``, ``error`` when something has no verdict and nothing failed, or ``passed``."""
        if not self.red:
            return "passed"
        return "failed" if any(row.outcome in _MISSED for row in self.red) else "error"

    @property
    def is_python(self) -> bool:
        """Whether tests in Python compared it, which keep no values by query."""
        return self.file.endswith(".py")

    @property
    def is_measured(self) -> bool:
        """Whether anything was; tests in Python leave no `detail`."""
        return any(row.queries is not None for row in self.rows)


class Failure(NamedTuple):
    """A test that failed and is no threshold: its id, ``failed`` or ``error``, and what it says."""

    nodeid: str
    outcome: str
    message: str


class Report(NamedTuple):
    """One session.

    Attributes
    ----------
    plugin_version
        That of pytest-irbench.
    created
        When, in UTC: ``2026-11-30T19:40:00+00:00``.
    commit
        Of the project, or None.
    selection
        As typed after ``--irbench=``.
    data_home
        Where the data of benchmarks lies.
    passed
        Whether the session as a whole is green, which it is not for problems and other failures, too.
    finished
        Whether it came to its end, and was not interrupted.
    gates
        In the order in which they are declared.
    problems
        Why it is red beside the gates, a sentence each: a hole in the ledger, a worker that died …
    warnings
        What a reader should know that turns nothing red: a damaged line of the history …
    failures
        The tests that failed and are no thresholds.
    """

    plugin_version: str
    created: str
    commit: str | None
    selection: tuple[str, ...]
    data_home: str
    passed: bool
    finished: bool
    gates: tuple[ReportedGate, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
