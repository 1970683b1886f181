"""What one pytest session knows: loaded benchmarks, runs, scores, and the ledger of outcomes."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import IrbenchError
from pytest_irbench.plugin import STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.spec import BenchmarkSpec, GateSpec, Spec
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.plugin.collect import Measured
    from pytest_irbench.plugin.proof import GateProof
    from pytest_irbench.reports.summary import Row
    from pytest_irbench.runs.run import Run


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
    asks_by_name
        Whether a collected test uses `irbench_benchmark`.
    named_files
        Files of gates that the user named as arguments: they run without a selection.
    left_out
        Number of thresholds that were not selected, by file; -1 for a file with faults.
    selected
        The node ids of the thresholds that are to be decided.
    rows
        The ledger: node id -> outcome of a threshold.
    holes
        The selected thresholds that ended without a verdict in a session that would have passed.
    measured
        Node id -> what a threshold was held against; in the process that measured it.
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
        self.asks_by_name = False
        self.named_files: set[str] = set()
        self.left_out: dict[str, int] = {}
        self.selected: list[str] = []
        self.holes: list[str] = []
        self.rows: dict[str, tuple[int, Row]] = {}
        self.measured: dict[str, Measured] = {}
        self.proofs: list[GateProof] = []
        self.unproved = ""
        self._kept: dict[Any, Any] = {}

    def _once(self, key: Any, compute: Callable[[], Any]) -> Any:
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
        """Return the selected thresholds without a verdict: never run, or skipped."""
        return [
            nodeid
            for nodeid in self.selected
            if nodeid not in self.rows or self.rows[nodeid][1].outcome == "skipped"
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
            loaded: Benchmark = self._once(key, lambda: _load(name, declared))
        return loaded

    def scores(self, spec: Spec, gate: GateSpec, variant: Mapping[str, Any], system: Any) -> Scores:
        """Return the scores of a gate for all its measures, computed once a session.

        Parameters
        ----------
        variant
            The parameters of the system's fixtures, which make it another system.
        system
            The value of the system's fixture, when it is one.

        Raises
        ------
        IrbenchError
            When the gate could not be measured.
        """

        def compute() -> Scores:
            from pytest_irbench.measures.evaluate import evaluate

            benchmark = self.benchmark(gate.benchmark, spec)
            measures = [measure_of(benchmark, t.measure) for t in gate.thresholds]
            _check_relevant(benchmark, measures)
            run = self._run(spec, gate, benchmark, measures, system)
            return evaluate(run, benchmark.qrels, measures, relevance_level=benchmark.relevance_level)

        key = ("scores", spec.path, gate.benchmark, gate.system, *sorted(variant.items()))
        scores: Scores = self._once(key, compute)
        return scores

    def _run(
        self, spec: Spec, gate: GateSpec, benchmark: Benchmark, measures: list[Measure], system: Any
    ) -> Run:
        """Read the run from its file, or ask the system."""
        from pytest_irbench.runs.retrieve import load_system, retrieve
        from pytest_irbench.runs.run import read_run

        declared = spec.systems.get(gate.system)
        path: Path | None = None
        if gate.system in self.selection.runs:
            template = self.selection.runs[gate.system].replace("{benchmark}", benchmark.name)
            path = self.config.invocation_params.dir / template
        elif declared and declared.run:
            path = spec.run_file(gate.system, benchmark.name)
        if path is not None:
            run = read_run(path)
            run.name, run.benchmark = gate.system, benchmark
            # As a reader of the message would name it.
            run.source = Path(os.path.relpath(path, self.config.invocation_params.dir))
            return run
        if declared and declared.search:
            system = self._once(("system", declared.search), lambda: load_system(declared.search or ""))
        depth = gate.depth or (declared.depth if declared else None) or depth_for(benchmark, measures)
        return retrieve(benchmark, system, depth=depth, name=gate.system)


def _load(name: str, declared: BenchmarkSpec | None) -> Benchmark:
    from pytest_irbench.errors import InputError

    if declared is None:
        from pytest_irbench.benchmarks.datasets import load_builtin

        return load_builtin(name)
    protocol = (declared.relevance_level, declared.depth, declared.measures, declared.description)
    if declared.ir_datasets:
        from pytest_irbench.benchmarks.datasets import load_ir_datasets

        return load_ir_datasets(declared.ir_datasets, name, *protocol)
    from pytest_irbench.benchmarks.files import load_files

    if declared.topics is None or declared.qrels is None:
        raise InputError(f"benchmark {name!r} has neither files nor an id of ir_datasets")
    return load_files(name, declared.topics, declared.qrels, *protocol)


def _check_relevant(benchmark: Benchmark, measures: list[Measure]) -> None:
    from pytest_irbench.errors import InputError

    highest = int(benchmark.qrels.grades.max())
    for measure in measures:
        if measure.rel is not None and measure.rel > highest:
            raise InputError(
                f"benchmark {benchmark.name}: the highest grade is {highest}, so nothing is relevant for "
                f"{measure}: lower relevance_level or rel"
            )


def measure_of(benchmark: Benchmark, text: str) -> Measure:
    """Read a measure as the benchmark means it: a bare ``AP`` is at its relevance level."""
    from pytest_irbench.measures.measure import Measure

    return Measure.parse(text, benchmark.relevance_level)


def depth_for(benchmark: Benchmark, measures: list[Measure]) -> int:
    """Return the deepest cutoff; at least the benchmark's depth when a measure looks at the whole ranking."""
    # ir_measures has measures whose @ is no depth (IPrec@0.1).
    depths = [m.cutoff if isinstance(m.cutoff, int) else benchmark.depth for m in measures]
    return max(depths)


def could_not_measure(error: IrbenchError, places: Sequence[str] = ()) -> str:
    """Tell why something could not be measured, with the traceback of the user's own code.

    Parameters
    ----------
    places
        What stands where, for instance ``irbench.yaml:4: system bm25``, the last lines.
    """
    import traceback

    parts = [str(error)]
    if error.__cause__ is not None:
        parts.append("".join(traceback.format_exception(error.__cause__)).rstrip())
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
