"""How a gate is measured: its run is read or asked for, and scored."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.errors import InputError
from pytest_irbench.gates.held import hold_gate
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.plugin.baselines import Accepted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.benchmarks.topic_columns import TopicColumns
    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.gates.spec import GateSpec, Spec
    from pytest_irbench.plugin.session import IrbenchSession
    from pytest_irbench.runs.run import Run


class AskedGate(NamedTuple):
    """A gate as a test asks for it.

    Attributes
    ----------
    spec, gate
        Where it is declared.
    name
        The system's name with what its parametrized fixtures add.
    variant
        The parameters of the system's fixtures, which make it another system.
    system
        The value of the system's fixture, when it is one.
    nodeid
        The test.
    """

    spec: Spec
    gate: GateSpec
    name: str
    variant: Mapping[str, Any]
    system: Any
    nodeid: str


def measure_gate(session: IrbenchSession, asked: AskedGate) -> MeasuredGate:
    """Score the run of a gate for all its measures.

    Raises
    ------
    IrbenchError
        When the gate could not be measured.
    """
    spec, gate = asked.spec, asked.gate
    benchmark = session.benchmark(gate.benchmark, spec)
    measures = [measure_of(benchmark, text) for text in gate.measures]
    _check_relevant(benchmark, measures)
    declared = spec.systems.get(gate.system)
    depth = gate.depth or (declared.depth if declared else None) or depth_for(benchmark, measures, gate.ranks)
    run = _run(session, asked, benchmark, depth)
    scores = evaluate(run, benchmark.qrels, measures, relevance_level=benchmark.relevance_level)

    def hold() -> HeldBaseline:
        compared = [measure_of(benchmark, text) for text in gate.compared]
        accepted = Accepted(benchmark, asked.name, scores.only(compared), depth, spec.path, asked.nodeid)
        folder = session.baselines.folder_of_gates(spec.path)
        return session.baselines.hold(
            folder, accepted, lambda path: hold_gate(path, benchmark, asked.name, accepted.pins)
        )

    def columns() -> TopicColumns | None:
        from pytest_irbench.benchmarks.topic_columns import read_topic_columns

        return read_topic_columns(gate.topic_columns) if gate.topic_columns else None

    return MeasuredGate(gate, benchmark, scores, hold, columns)


def _run(session: IrbenchSession, asked: AskedGate, benchmark: Benchmark, depth: int) -> Run:
    """Read the run from its file, or ask the system."""
    from pytest_irbench.runs.retrieve import retrieve
    from pytest_irbench.runs.run import read_run

    spec, name, system = asked.spec, asked.gate.system, asked.system
    started = session.config.invocation_params.dir
    declared = spec.systems.get(name)
    path: Path | None = None
    if name in session.selection.runs:
        path = started / session.selection.runs[name].replace("{benchmark}", benchmark.name)
    elif declared and declared.run:
        path = spec.run_file(name, benchmark.name)
    if path is not None:
        run = read_run(path)
        run.name, run.benchmark = name, benchmark
        # As a reader of the message would name it.
        run.source = Path(os.path.relpath(path, started))
        return run
    _check_ranks(asked.gate, depth)
    if declared and declared.search:
        system = session.system(declared.search)
    return retrieve(benchmark, system, depth=depth, name=name)


def _check_relevant(benchmark: Benchmark, measures: list[Measure]) -> None:
    highest = int(benchmark.qrels.grades.max())
    for measure in measures:
        if measure.rel is not None and measure.rel > highest:
            raise InputError(
                f"benchmark {benchmark.name}: the highest grade is {highest}, so nothing is relevant for "
                f"{measure}: lower relevance_level or rel"
            )


def _check_ranks(gate: GateSpec, depth: int) -> None:
    """Refuse golden answers below what is asked for, where no document could be seen."""
    deepest = max((rank for rank in gate.ranks if rank is not None), default=0)
    if deepest > depth:
        raise InputError(
            f"an expect looks within {deepest} documents, and only {depth} a topic are asked for: "
            f"raise depth to {deepest}, or lower within"
        )


def measure_of(benchmark: Benchmark, text: str) -> Measure:
    """Read a measure as the benchmark means it: a bare ``AP`` is at its relevance level."""
    return Measure.parse(text, benchmark.relevance_level)


def depth_for(benchmark: Benchmark, measures: Iterable[Measure], ranks: Iterable[int | None] = ()) -> int:
    """Return the deepest cutoff or rank that is looked at; the benchmark's depth where all are."""
    # ir_measures has measures whose @ is no depth (IPrec@0.1).
    depths = [m.cutoff if isinstance(m.cutoff, int) else benchmark.depth for m in measures]
    return max([*depths, *(rank or benchmark.depth for rank in ranks)])
