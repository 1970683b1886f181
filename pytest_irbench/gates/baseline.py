"""The accepted earlier run that a new one is held against: its data, and what an update changes.

How it lies on disk is in `baseline_text` and `baseline_file`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.gates.decide import is_count
from pytest_irbench.measures.tie_rule import ranked_rows
from pytest_irbench.runs.columns import Columns
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.measures.evaluate import Scores

_STORED = 1e-6  # values are stored with 6 decimals
_NAMED = 3  # so many queries are named in a line


class Pins(NamedTuple):
    """What must be the same for a comparison to mean anything.

    Attributes
    ----------
    topics, qrels
        The sha256 of both.
    measures
        Their texts, sorted.
    depth
        How many documents a topic the gate asks for.
    doc_id
        How doc_ids of runs become those of the qrels, and which documents are left out: ``identity``, or
        ``identity without WAPO_*``.
    utterance
        Which text of a turn was asked: ``raw``.
    """

    topics: str
    qrels: str
    measures: tuple[str, ...]
    depth: int
    doc_id: str
    utterance: str


class Provenance(NamedTuple):
    """Where a baseline comes from.

    Attributes
    ----------
    date
        The day, ``2024-05-31``.
    reason
        Why it was accepted.
    versions
        What made it, for instance ``{"numpy": "2.1.0"}``.
    commit
        The commit of the project, or None where there is none.
    """

    date: str
    reason: str
    versions: Mapping[str, str]
    commit: str | None


class Baseline(NamedTuple):
    """An accepted run with its values.

    Attributes
    ----------
    benchmark, system
        The gate it belongs to.
    gates
        The name of the YAML file that owns it, or None when a test in Python does.
    provenance, pins
        Where it comes from, and what a comparison hangs on.
    means
        Measure text -> mean over all judged queries; for counts the sum.
    values
        Measure text -> query_id -> value, of the same measures as `means` and `pins`.
    run
        As `cut_run` leaves it.
    """

    benchmark: str
    system: str
    gates: str | None
    provenance: Provenance
    pins: Pins
    means: Mapping[str, float]
    values: Mapping[str, Mapping[str, float]]
    run: Run


def pins_of(benchmark: Benchmark, measures: Iterable[str], depth: int) -> Pins:
    """Pin what a gate asks for: its benchmark, the texts of its measures, and the documents of a topic."""
    return Pins(
        topics=benchmark.topics.sha256,
        qrels=benchmark.qrels.sha256,
        measures=tuple(sorted(measures)),
        depth=depth,
        doc_id="identity",
        utterance="raw",
    )


def make_baseline(
    scores: Scores,
    benchmark: Benchmark,
    system: str,
    *,
    depth: int,
    provenance: Provenance,
    gates: str | None = None,
) -> Baseline:
    """Make the baseline of a run that was scored.

    The run is cut to `depth` unless a measure sees more of it.

    Parameters
    ----------
    scores
        Those of the run, for every measure that is to be stored.
    benchmark
        What it answers.
    system
        The name of the system.
    depth
        How many documents a topic the gate asks for.
    provenance
        Where it comes from.
    gates
        The name of the YAML file that owns it.
    """
    pins = pins_of(benchmark, scores.means, depth)
    within = all(m.sees is not None and m.sees <= depth for m in scores.columns)
    run = cut_run(scores.judged.run, benchmark.qrels, depth if within else None)
    # The tag of a TREC file has no blanks.
    run.name = "_".join(run.name.split()) or "run"
    return Baseline(
        benchmark=benchmark.name,
        system=system,
        gates=gates,
        provenance=provenance,
        pins=pins,
        means=dict(scores.means),
        values={measure: scores[measure] for measure in pins.measures},
        run=run,
    )


def cut_run(run: Run, qrels: Qrels, depth: int | None) -> Run:
    """Return the rows of a run that a baseline keeps: those of judged queries, best first.

    Parameters
    ----------
    run
        In any order; a large file is read whole.
    qrels
        Which queries are judged. In the result they stand sorted; those without documents are left out.
    depth
        How many documents of each query are kept, or None for all. Measures with a cutoff up to it
        have the same values as before.
    """
    ranked = ranked_rows(run, sorted(qrels.query_ids))
    kept = {query_id: rows[:depth] for query_id, rows in ranked.items()}
    rows = np.concatenate([np.zeros(0, np.int64), *kept.values()])
    offsets = np.cumsum(np.array([0, *map(len, kept.values())], np.int64))
    cut = Run(Columns(tuple(kept), offsets, run.doc_ids.take(rows), run.scores[rows]), run.name)
    cut.benchmark = run.benchmark
    return cut


def same_value(one: float, other: float) -> bool:
    """Whether two values are the same as far as a stored baseline tells."""
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=_STORED)


def changes(old: Baseline | None, new: Baseline) -> list[str]:
    """Say what an update changes, a line for each thing; provenance alone is no change.

    Parameters
    ----------
    old
        What is stored, or None.
    new
        What is to be stored.
    """
    if old is None:
        return ["new"]
    lines = [*_owner_lines(old, new), *_pin_lines(old.pins, new.pins)]
    lines += [*_query_lines(old, new), *_value_lines(old, new)]
    return lines or ([] if same_rows(old.run.columns, new.run.columns) else ["run changed"])


def _owner_lines(old: Baseline, new: Baseline) -> list[str]:
    names = ("benchmark", "system", "gates")
    owners = ((name, getattr(old, name), getattr(new, name)) for name in names)
    return [
        f"{name} {before or 'none'} -> {after or 'none'}" for name, before, after in owners if before != after
    ]


def _pin_lines(old: Pins, new: Pins) -> list[str]:
    lines = [f"{name} changed" for name in ("topics", "qrels") if getattr(old, name) != getattr(new, name)]
    for name in ("depth", "doc_id", "utterance"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            lines.append(f"{name} {before} -> {after}")
    lines += [f"{measure} added" for measure in new.measures if measure not in old.measures]
    return lines + [f"{measure} removed" for measure in old.measures if measure not in new.measures]


def _query_lines(old: Baseline, new: Baseline) -> list[str]:
    before, after = _query_ids(old), _query_ids(new)
    both = (("added", after - before), ("removed", before - after))
    return [f"{_queries(len(ids))} {what}: {_named(ids)}" for what, ids in both if ids]


def _query_ids(baseline: Baseline) -> set[str]:
    return {query_id for values in baseline.values.values() for query_id in values}


def _named(query_ids: Iterable[str]) -> str:
    names = sorted(query_ids)
    return ", ".join([*names[:_NAMED], "…"] if len(names) > _NAMED else names)


def _queries(count: int) -> str:
    return "1 query" if count == 1 else f"{count} queries"


def _value_lines(old: Baseline, new: Baseline) -> list[str]:
    lines = []
    for measure in new.pins.measures:
        if measure not in old.values:
            continue
        before, after = old.means[measure], new.means[measure]
        better, worse, same = _tally(old.values[measure], new.values[measure])
        if better or worse or not same_value(before, after):
            tally = f"{_queries(better)} better, {worse} worse, {same} the same"
            lines.append(f"{measure} {_moved(measure, before, after)}: {tally}")
    return lines


def _tally(old: Mapping[str, float], new: Mapping[str, float]) -> tuple[int, int, int]:
    """Count the queries of both sides that are better, worse and the same."""
    pairs = [(old[query_id], value) for query_id, value in new.items() if query_id in old]
    moved = [after - before for before, after in pairs if not same_value(before, after)]
    better = sum(difference > 0 for difference in moved)
    return better, len(moved) - better, len(pairs) - len(moved)


def _moved(measure: str, old: float, new: float) -> str:
    """Print two means and their difference: counts as whole numbers, others so that they differ."""
    digits = 0 if is_count(measure) else 4
    if f"{old:.{digits}f}" == f"{new:.{digits}f}" and not same_value(old, new):
        digits = 6
    difference = round(new - old, digits) + 0.0  # -0.0 would be printed with its sign
    return f"{old:.{digits}f} -> {new:.{digits}f} ({difference:+.{digits}f})"


def same_rows(one: Columns, other: Columns) -> bool:
    """Whether two runs have the same documents with the same scores, in the same order."""
    if one.query_ids != other.query_ids or not np.array_equal(one.offsets, other.offsets):
        return False
    rows = np.arange(len(one.scores))
    return np.array_equal(one.scores, other.scores) and bool(
        one.doc_ids.equal(rows, other.doc_ids, rows).all()
    )
