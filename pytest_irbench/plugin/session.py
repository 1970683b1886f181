"""What one pytest session knows: loaded benchmarks, runs, scores, and the ledger of outcomes."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import IrbenchError
from pytest_irbench.plugin import STATE, names_gate_file
from pytest_irbench.plugin.baselines import Baselines
from pytest_irbench.plugin.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pytest

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.detail import GateDetail
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.gates.spec import Spec
    from pytest_irbench.plugin.asking import AskedGate
    from pytest_irbench.plugin.collect import Measured
    from pytest_irbench.plugin.proof import GateProof
    from pytest_irbench.plugin.reporting import Written
    from pytest_irbench.plugin.updates import Update
    from pytest_irbench.reports.report import Failure
    from pytest_irbench.reports.row import Row
    from pytest_irbench.runs.http_spec import HttpSpec


ALL = "all"


class Selection:
    """What `--irbench` asked for.

    Attributes
    ----------
    names
        As typed: benchmarks, families or ``all``; empty when nothing is selected.
    runs
        System -> path of a run file, from ``--irbench-run``.
    """

    # Plain classes: a dataclass or a named tuple would cost every pytest session half a millisecond.
    def __init__(self, names: tuple[str, ...], runs: dict[str, str]) -> None:
        self.names = names
        self.runs = runs

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks behind the names; without those that ``all`` adds."""
        from pytest_irbench.benchmarks.builtin import expand

        return tuple(dict.fromkeys(b for name in self.names if name != ALL for b in expand(name)))

    def includes(self, benchmark: str) -> bool:
        """Whether a benchmark is selected."""
        return ALL in self.names or benchmark in self.benchmarks


class IrbenchSession:
    """The state of one pytest process.

    Attributes
    ----------
    config, selection
        pytest's configuration and what was selected.
    collected
        Names of the benchmarks for which a test was collected.
    systems
        Names of the systems of collected gates.
    files
        The files of collected gates.
    files_of
        Those of them that have a gate of a benchmark and a system.
    asks_by_name
        Whether a collected test uses `irbench_benchmark`.
    named_files
        Files of gates that the user named as arguments: they run without a selection.
    left_out
        Number of thresholds that were not selected, by file; -1 for a file with faults.
    selected
        The node ids of the thresholds that are to be decided.
    by_name
        Names of the selection for which no test was collected, but one that asks for benchmarks by name.
    used
        The benchmarks that were loaded, here or by an xdist worker.
    unmeasured
        Names of the selection on which nothing was measured, in a session that would have passed.
    declared
        Node id of each selected threshold -> what is known of it before it is decided.
    rows
        The ledger: node id -> outcome of a threshold.
    orders
        Node id of each collected test -> its place.
    asserted
        Node id -> the place of a test in Python, and the comparisons that it made.
    details
        File, benchmark and system of a gate -> its values, for the reports.
    lost
        What reports can't show, and why, a sentence each.
    sent
        The gates whose values this process has sent to them.
    failures
        Node id -> what a test or collector that failed says.
    written
        What became of the reports, or None.
    holes
        The selected thresholds that ended without a verdict in a session that would have passed.
    measured
        Node id -> how a threshold was decided; in the process that measured it.
    baselines
        Those that gates and tests are held against.
    shared
        The folder in which xdist workers share runs; on their controller.
    failed
        The node ids of the tests that failed.
    update
        What `--irbench-update` did, or None.
    proofs
        What the gates notice, with `--irbench-prove`.
    unproved
        Why nothing could be proved, or an empty text.
    """

    def __init__(self, config: pytest.Config, selection: Selection) -> None:
        self.config = config
        self.selection = selection
        self.collected: set[str] = set()
        self.systems: set[str] = set()
        self.files: set[str] = set()
        self.files_of: dict[tuple[str, str], set[str]] = {}
        self.asks_by_name = False
        self.named_files: set[str] = set()
        self.left_out: dict[str, int] = {}
        self.selected: list[str] = []
        self.holes: list[str] = []
        self.by_name: set[str] = set()
        self.used: set[str] = set()
        self.unmeasured: list[str] = []
        self.declared: dict[str, list[tuple[str, Any]]] = {}
        self.rows: dict[str, tuple[int, Row]] = {}
        self.orders: dict[str, int] = {}
        self.asserted: dict[str, tuple[int, dict[Any, Row]]] = {}
        self.details: dict[tuple[str, str, str], GateDetail] = {}
        self.lost: list[str] = []
        self.sent: set[tuple[str, str, str]] = set()
        self.failures: dict[str, Failure] = {}
        self.written: Written | None = None
        self.measured: dict[str, Measured] = {}
        self.baselines = Baselines(config)
        self.shared: Path | None = None
        self.failed: set[str] = set()
        self.update: Update | None = None
        self.proofs: list[GateProof] = []
        self.unproved = ""
        self._kept: dict[Any, Any] = {}

    @property
    def on_github(self) -> bool:
        """Whether GitHub Actions is told: it runs this session, and the ini file does not say ``off``."""
        runs = os.environ.get("GITHUB_ACTIONS") == "true" or bool(os.environ.get("GITHUB_STEP_SUMMARY"))
        return runs and self.measures and self.config.getini("irbench_github") == "auto"

    @property
    def tells_all(self) -> bool:
        """Whether a report shows all queries, and not only the terminal some of them."""
        return bool(self.config.getoption("irbench_report")) or self.on_github

    @property
    def measures(self) -> bool:
        """Whether anything was asked for that is measured."""
        return bool(self.selection.names or names_gate_file(self.config))

    @property
    def history(self) -> Path | None:
        """The file of `--irbench-history`, or None."""
        given: str | None = self.config.getoption("irbench_history")
        return None if given is None else self.config.invocation_params.dir / given

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Compute once a session; a failure is kept too, so that no system is asked again."""
        if key not in self._kept:
            try:
                self._kept[key] = compute()
            except IrbenchError as error:
                self._kept[key] = error
        if isinstance(self._kept[key], IrbenchError):
            raise self._kept[key]
        return self._kept[key]

    def undecided(self) -> list[str]:
        """Return the selected thresholds without a verdict: never run, skipped, or excused unmeasured."""
        return [
            nodeid for nodeid in self.selected if nodeid not in self.rows or self.rows[nodeid][1].is_excuse
        ]

    def benchmark(self, name: str, spec: Spec | None = None) -> Benchmark:
        """Load a benchmark, built in or declared by `spec`, once a session.

        Raises
        ------
        IrbenchError
            When there is no such benchmark or its data can't be had.
        """
        declared = spec.benchmarks.get(name) if spec else None
        key = ("benchmark", name, spec.path if spec and declared else None)
        # What is fetched, and from where, must be seen while it is waited for.
        capture = self.config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            loaded: Benchmark = self.once(key, lambda: load(name, declared))
        self.used.add(name)
        return loaded

    def unused(self) -> list[str]:
        """Return the names that a test might have asked for, and did not."""
        from pytest_irbench.benchmarks.builtin import expand

        return sorted(name for name in self.by_name if not self.used & set(expand(name)))

    def gates(self) -> list[list[str]]:
        """Return the node ids of what was measured, gate by gate in the order of the tables."""
        gates: dict[int, list[str]] = {}
        for nodeid in sorted(self.rows, key=lambda nodeid: self.rows[nodeid][0]):
            if nodeid in self.measured:
                # The thresholds of a gate share it.
                gates.setdefault(id(self.measured[nodeid].gate), []).append(nodeid)
        return list(gates.values())

    def gate(self, asked: AskedGate) -> MeasuredGate:
        """Score the run of a gate for all its measures, once a session.

        Raises
        ------
        IrbenchError
            When the gate could not be measured.
        """
        from pytest_irbench.plugin.measuring import measure_gate

        key = (
            "gate",
            asked.spec.path,
            asked.gate.benchmark,
            asked.name,
            *sorted(asked.variant.items()),
        )
        gate: MeasuredGate = self.once(key, lambda: measure_gate(self, asked))
        return gate

    def service(self, http: HttpSpec) -> Any:
        """Make what asks a service, once a session."""
        from pytest_irbench.runs.http import HttpSystem

        return self.once(("service", repr(http)), lambda: HttpSystem(http))

    def system(self, search: str) -> Any:
        """Load the system of a ``search``, once a session."""
        from pytest_irbench.runs.retrieve import load_system

        return self.once(("system", search), lambda: load_system(search))


def could_not_measure(error: IrbenchError, places: Sequence[str] = ()) -> str:
    """Tell why something could not be measured, with the traceback of the user's own code.

    Parameters
    ----------
    places
        What stands where, for instance ``irbench.yaml:4: system bm25``, the last lines.
    """
    import traceback

    parts = [str(error)]
    cause = error.__cause__
    # All thresholds of a gate meet the same error: the first one tells where it was raised.
    if cause is not None and not getattr(cause, "__irbench_told__", False):
        parts.append("".join(traceback.format_exception(cause)).rstrip())
        cause.__irbench_told__ = True  # type: ignore[attr-defined]
    if places:
        parts.append("\n".join(places))
    return printable("\n\n".join(_shortened(part) for part in parts))


def printable(text: str) -> str:
    """Write halves of surrogate pairs as escapes: neither xdist nor JUnit could carry them."""
    return text.encode("utf-8", "backslashreplace").decode()


def _shortened(text: str) -> str:
    """Leave out the middle of a very long text; it is other people's."""
    return text if len(text) <= _LONG else f"{text[: _LONG // 2]}\n…\n{text[-_LONG // 2 :]}"


_LONG = 10_000


def session_of(config: pytest.Config) -> IrbenchSession:
    """Return the state of this process; without a selection it is made when first needed."""
    state: IrbenchSession | None = config.stash.get(STATE, None)
    return begin(config, Selection((), {})) if state is None else state


def begin(config: pytest.Config, selection: Selection) -> IrbenchSession:
    """Make the state of this process, and bring in the hooks that keep it."""
    from pytest_irbench.plugin.guard import Guard

    state = config.stash[STATE] = IrbenchSession(config, selection)
    config.pluginmanager.register(Guard(state), "irbench-guard")
    return state
