"""Where a gate's runs come from: its system is asked once a session, or a file is read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.errors import InputError
from pytest_irbench.gates.declared import SystemSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from pytest_irbench.benchmarks.benchmark import Benchmark
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
        The places of the parameters of the system's fixtures, which make it another system.
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


def runs_of(session: IrbenchSession, asked: AskedGate, benchmark: Benchmark, depth: int) -> list[Run]:
    """Read the run of a gate from its file, or ask its system as often as the gate says.

    Parameters
    ----------
    benchmark
        Its topics are asked.
    depth
        How many documents a topic are asked for.

    Raises
    ------
    IrbenchError
        When there is no run to be had.
    """
    from pytest_irbench.runs.run import read_run

    spec, name, repeats = asked.spec, asked.gate.system, asked.gate.protocol.repeats
    started = session.config.invocation_params.dir
    declared = spec.systems.get(name)
    path: Path | None = None
    if name in session.selection.runs:
        path = started / session.selection.runs[name].replace("{benchmark}", benchmark.name)
    elif declared and declared.run:
        path = spec.run_file(name, benchmark.name)
    if path is None:
        _check_ranks(asked.gate, depth)
        return [_ask(session, asked, benchmark, depth, repeat) for repeat in range(repeats)]
    if repeats > 1:
        raise InputError(f"system {name!r} is a run file, which can't be asked again: leave repeats out")
    _check_utterance(asked)
    run = read_run(path)
    run.name, run.benchmark, run.utterance = asked.name, benchmark, asked.gate.protocol.utterance
    # As a reader of the message would name it.
    run.source = Path(os.path.relpath(path, started))
    return [run]


def _check_utterance(asked: AskedGate) -> None:
    """Refuse a run file that would stand for several utterances: their values could not differ."""
    benchmark, system = asked.gate.benchmark, asked.gate.system
    same = [gate for gate in asked.spec.gates if (gate.benchmark, gate.system) == (benchmark, system)]
    utterances = dict.fromkeys(gate.protocol.utterance for gate in same)
    if len(utterances) > 1:
        raise InputError(
            f"system {asked.gate.system!r} is a run file, which answers one utterance, and its gates ask for "
            f"{' and '.join(utterances)}: declare a system with a run of its own for each"
        )


def _check_ranks(gate: GateSpec, depth: int) -> None:
    """Refuse golden answers below what is asked for, where no document could be seen."""
    deepest = max((rank for rank in gate.ranks if rank is not None), default=0)
    if deepest > depth:
        raise InputError(
            f"an expect looks within {deepest} documents, and only {depth} a topic are asked for: "
            f"raise depth to {deepest}, or lower within"
        )


def _ask(session: IrbenchSession, asked: AskedGate, benchmark: Benchmark, depth: int, repeat: int = 0) -> Run:
    """Ask the system, or take what another process of this session was answered."""
    from pytest_irbench.plugin.progress import progress
    from pytest_irbench.plugin.shared_runs import once
    from pytest_irbench.runs.rerank import check_candidates
    from pytest_irbench.runs.retrieve import retrieve

    name, protocol = asked.gate.system, asked.gate.protocol
    declared = asked.spec.systems.get(name) or SystemSpec(name, 0, None, None, None)
    system = _system(session, asked.system, declared)
    if protocol.rerank:
        # Candidates that are missing or faulty are no failure of the system that looks at them.
        check_candidates(benchmark)

    def retrieved() -> Run:
        called = asked.name if repeat == 0 else f"{asked.name}.{repeat + 1}"
        saved = _saved(session.config, benchmark.name, called)
        with progress(session.config, f"{benchmark.name}, {asked.name}", len(benchmark.topics)) as step:
            run = retrieve(
                benchmark,
                system,
                depth=depth,
                name=name,
                concurrency=declared.concurrency,
                timeout=declared.timeout,
                duplicates=declared.duplicates,
                utterance=protocol.utterance,
                step=step,
            )
        if saved:
            _save(run, saved)
        return run

    _check_saved(session, benchmark.name, asked.name)
    pins = (benchmark.topics.sha256, depth, protocol.utterance, repeat)
    variant = sorted(asked.variant.items())
    run = once(session.config, (asked.spec.path, benchmark.name, asked.name, variant, *pins), retrieved)
    run.name, run.benchmark, run.utterance = asked.name, benchmark, protocol.utterance
    return run


def _check_saved(session: IrbenchSession, benchmark: str, system: str) -> None:
    """Refuse to save two runs under one name."""
    files = sorted(map(session.baselines.named, session.files_of.get((benchmark, system), ())))
    if len(files) > 1 and session.config.getoption("irbench_save_runs") is not None:
        raise InputError(
            f"{' and '.join(files)} have gates of system {system!r} on benchmark {benchmark}, whose runs "
            "would be saved as one file: name one of them as an argument of pytest, or rename the benchmark"
        )


def _system(session: IrbenchSession, fixture: Any, declared: SystemSpec) -> Any:
    if declared.search:
        return session.system(declared.search)
    return session.service(declared.http) if declared.http else fixture


def _saved(config: pytest.Config, benchmark: str, system: str) -> Path | None:
    """Return where `--irbench-save-runs` writes a run; its folder is made before anything is asked."""
    folder: str | None = config.getoption("irbench_save_runs")
    if folder is None:
        return None
    from pytest_irbench.gates.baseline_file import baseline_path

    path = baseline_path(config.invocation_params.dir / folder, benchmark, system).with_suffix(".trec.gz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unsaved(path, error) from None
    if not os.access(path.parent, os.W_OK):
        raise InputError("the run can't be saved: its folder is read-only", path)
    return path


def _save(run: Run, path: Path) -> None:
    try:
        run.write(path)
    except OSError as error:
        raise _unsaved(path, error) from None


def _unsaved(path: Path, error: OSError) -> InputError:
    return InputError(f"the run can't be saved: {error.strerror or error}", path)
