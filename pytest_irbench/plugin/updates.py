"""`--irbench-update`: the runs of complete, sound gates become baselines, all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import InputError, IrbenchError
from pytest_irbench.gates.baseline import Baseline, changes, cut_run, same_rows
from pytest_irbench.gates.baseline_file import finish_write, read_baseline, write_baseline
from pytest_irbench.gates.held import OutdatedBaselineError, hold_gate, serves
from pytest_irbench.gates.spec import read_spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.plugin.baselines import Accepted, Baselines
    from pytest_irbench.plugin.session import IrbenchSession

_SOUND = ("passed", "xfailed")
_RENAME = "call one of their systems something else"
_WHOLE = "run them all, without -k, -x, --lf, --deselect or ids"


class Update(NamedTuple):
    """What `--irbench-update` did: a line for each baseline, or the reasons why it wrote none."""

    written: tuple[str, ...]
    faults: tuple[str, ...]


def update(session: IrbenchSession, *, ended: bool) -> Update:
    """Write the baselines of what was selected, or say why not.

    Parameters
    ----------
    ended
        Whether the session ran to its end.
    """
    baselines = session.baselines
    faults = list(dict.fromkeys(_faults(session, ended=ended)))
    if faults:
        return Update((), tuple(faults))
    chosen = {path: _chosen(runs) for path, runs in baselines.accepted.items()}
    new = {path: baselines.made(run) for path, run in chosen.items()}
    written: list[str] = []
    try:
        for path, baseline in new.items():
            written += _write(baselines, path, baseline, chosen[path].benchmark)
    except InputError as error:
        return Update(tuple(written), (str(error),))
    return Update(tuple(written), ())


def _faults(session: IrbenchSession, *, ended: bool) -> Iterator[str]:
    """Give what keeps the runs of this session from becoming baselines."""
    if not ended:
        yield "the session did not come to its end"
    if not session.baselines.accepted:
        yield "nothing that was selected is held against a baseline: give a threshold max_drop"
    for _, row in sorted(session.rows.values(), key=lambda entry: entry[0]):
        if row.outcome not in _SOUND or row.is_excuse:
            yield f"{row.place}: {row.system}, {row.subject}, {row.threshold}: {row.outcome}"
    if len(set(session.selected)) < len(session.selected):
        yield "two of the selected thresholds have one id, so that their verdicts can't be told apart"
    for nodeid in session.undecided():
        if nodeid not in session.rows:
            yield f"{nodeid}: has no verdict"
    yield from _filtered(session)
    for path, runs in session.baselines.accepted.items():
        name = session.baselines.named(path)
        yield from _faults_of_runs(session, name, runs)
        stored = _stored(path)
        if stored:
            yield from _faults_of_owner(name, stored, _chosen(runs))


def _filtered(session: IrbenchSession) -> Iterator[str]:
    """Give the gates of which only a part was run: the rest might not hold."""
    for nodeids in session.gates():
        gate, run = session.measured[nodeids[0]].gate, len(nodeids)
        total = len(gate.spec.thresholds)
        if gate.spec.compared and run < total:
            name = f"{gate.benchmark.name}, {gate.spec.system}"
            yield f"{name}: only {run} of its {total} thresholds were run: {_WHOLE}"


def _faults_of_runs(session: IrbenchSession, name: str, runs: list[Accepted]) -> Iterator[str]:
    for run in runs:
        judged = run.scores.judged
        # Of a threshold it is told already.
        if run.nodeid in session.failed and run.nodeid not in session.rows:
            yield f"{name}: {run.nodeid} failed"
        if judged.missing and judged.run.source is not None:
            lacking = f"{judged.run} lacks {len(judged.missing)} of {len(judged.query_ids)} judged queries"
            yield f"{name}: {lacking}, for instance {judged.missing[0]!r}: a partial run is no baseline"
    chosen = _chosen(runs)
    if any(_owner(run) != _owner(chosen) for run in runs if run.file):
        yield f"{name}: two gates would share this file: {_RENAME}"
    elif any(not _agree(run, chosen) for run in runs):
        yield f"{name}: the tests hold different runs against it, as {chosen.nodeid} and another one do"
    for run in runs:
        for measure in run.scores.columns:
            text = measure.text(run.benchmark.relevance_level)
            if not serves(chosen.pins, measure, text):
                said = f"{run.nodeid} asks for {text}, and its gate stores the top {chosen.depth}"
                yield f"{name}: {said}: give the gate a max_drop of {text}, or a depth"


def _faults_of_owner(name: str, stored: Baseline, chosen: Accepted) -> Iterator[str]:
    """Give what would be taken from others who hold what is stored."""
    lost = sorted(set(stored.pins.measures) - set(chosen.scores.means))
    if chosen.file is None and stored.gates:
        yield f"{name} belongs to a gate of {stored.gates}, which did not run: run it with these tests"
    elif chosen.file is None and lost:
        # Which tests there are is not known when some were left out.
        said = f"{name} also holds values of {', '.join(lost)}, which no test of this session asked for"
        yield f"{said}: run all tests that hold it, or delete it first"
    elif chosen.file and stored.gates not in {None, chosen.gates} and _holds(stored, chosen.file):
        yield f"{name} belongs to a gate of {stored.gates}, and {chosen.gates} has one too: {_RENAME}"


def _holds(stored: Baseline, beside: Path) -> bool:
    """Whether the file of gates that owns a baseline still has a gate that is held against it."""
    try:
        gates = read_spec(beside.absolute().parent / (stored.gates or "")).gates
    except IrbenchError:
        return False
    # A parametrized system is called bm25[fast].
    names = {stored.system, stored.system.partition("[")[0]}
    return any(g.compared and g.benchmark == stored.benchmark and g.system in names for g in gates)


def _chosen(runs: list[Accepted]) -> Accepted:
    """Choose what is stored: what a gate asks for; else the deepest run, with the measures of all tests."""
    chosen = max(runs, key=lambda run: (run.file is not None, run.depth))
    if chosen.file is not None:
        return chosen
    columns = {measure: values for run in runs for measure, values in run.scores.columns.items()}
    return chosen._replace(scores=chosen.scores.with_columns(columns))


def _owner(run: Accepted) -> tuple[str, str, Path | None]:
    return run.benchmark.name, run.system, run.file


def _agree(one: Accepted, other: Accepted) -> bool:
    """Whether two runs are the same as deep as both go."""
    depth = min(one.depth, other.depth)
    cut = [cut_run(run.scores.judged.run, run.benchmark.qrels, depth).columns for run in (one, other)]
    return one is other or same_rows(*cut)


def _stored(path: Path) -> Baseline | None:
    """Read what is stored, or give None where there is nothing that can be read."""
    try:
        return read_baseline(path)
    except InputError:
        return None


def _trusted(path: Path, new: Baseline, benchmark: Benchmark) -> Baseline | None:
    """Read what is stored, or give None where it is damaged, also by an edited value."""
    try:
        return hold_gate(path, benchmark, new.system, new.pins).stored
    except OutdatedBaselineError:
        return _stored(path)
    except InputError:
        return None


def _write(baselines: Baselines, path: Path, new: Baseline, benchmark: Benchmark) -> Iterator[str]:
    name, old = baselines.named(path), _trusted(path, new, benchmark)
    if old is None and path.exists():
        yield f"{name}: the old one was damaged"
    changed = changes(old, new)
    if changed:
        write_baseline(path, new)
    else:
        finish_write(path)
    for line in changed or ["unchanged"]:
        yield f"{name}: {line}"
