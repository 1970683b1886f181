"""Both sides of a comparison, brought to the same judged queries and gathered into units."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_irbench.benchmarks.benchmark import Benchmark, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.gates.resampling import Units
from pytest_irbench.measures.aggregates import aggregate
from pytest_irbench.measures.evaluate import Scores, as_run, evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pytest_irbench.measures.aggregates import Statistic

RunLike = Run | Scores | Mapping[Any, Mapping[Any, Any]]
QrelsLike = Qrels | Benchmark | Mapping[Any, Mapping[Any, Any]]

_NOISE = 1e-12  # values that differ by less are the same: sums in another order


@dataclass(frozen=True, eq=False)
class Pairs:
    """The values of both sides, query by query.

    Attributes
    ----------
    text
        The measure as it is printed.
    statistic
        ``mean``, or ``sum`` when the measure is a count.
    query_ids
        In the order of the qrels, q of them.
    baseline_values, values
        Shape (q,) each; equal where they differ by rounding only.
    clusters
        query_id -> what it is drawn together with; None where every query is drawn alone.
    unit
        What is drawn as a whole: ``query``, ``conversation`` or ``cluster``.
    """

    text: str
    statistic: Statistic
    query_ids: tuple[str, ...]
    baseline_values: NDArray[np.float64]
    values: NDArray[np.float64]
    clusters: Mapping[str, Hashable] | None
    unit: str

    def among(self, query_ids: Iterable[str]) -> Pairs:
        """Return the pairs of some of the queries."""
        wanted = set(query_ids)
        kept = np.array([query_id in wanted for query_id in self.query_ids])
        ids = tuple(query_id for query_id in self.query_ids if query_id in wanted)
        return replace(
            self, query_ids=ids, baseline_values=self.baseline_values[kept], values=self.values[kept]
        )

    def aggregate(self, values: NDArray[np.float64]) -> float:
        """Return the mean of values, or the sum of counts."""
        return aggregate(self.statistic, values.tolist())

    @cached_property
    def units(self) -> Units:
        """The differences by unit, in an order that does not depend on that of the queries."""
        scale = len(self.query_ids) if self.statistic == "sum" else 1
        differences = ((self.values - self.baseline_values) * scale).tolist()
        groups: dict[Hashable, list[float]] = {}
        for query_id, difference in sorted(zip(self.query_ids, differences, strict=True)):
            cluster = (query_id,) if self.clusters is None else self.clusters[query_id]
            groups.setdefault(cluster, []).append(difference)
        sums = np.array([math.fsum(group) for group in groups.values()])
        return Units(sums, np.array([float(len(group)) for group in groups.values()]))


def pairs_of(
    run: RunLike,
    baseline: RunLike,
    measure: str | Measure,
    qrels: QrelsLike | None,
    clusters: Mapping[str, Hashable] | None,
) -> Pairs:
    """Score both sides and pair them; see `comparison.compare` for the arguments.

    Raises
    ------
    InputError
        When they can't be scored, are not over the same judged queries, or a value is not finite.
    """
    sides = {"run": _side(run), "baseline": _side(baseline)}
    benchmark = qrels if isinstance(qrels, Benchmark) else _benchmark(sides)
    judged_by = _judged_by(sides, qrels, benchmark)
    level = _level(sides, judged_by)
    parsed = measure if isinstance(measure, Measure) else Measure.parse(measure, level)
    if parsed.is_latency:
        raise InputError(f"{parsed} has no baseline, as another machine has another latency: give it a max")
    new, old = (_scores(name, side, judged_by, parsed, level) for name, side in sides.items())
    _check_same_queries(new.query_ids, old.query_ids)
    _check_finite("run", new, parsed)
    _check_finite("baseline", old, parsed)
    values = new.columns[parsed]
    by_query = dict(zip(old.query_ids, old.columns[parsed].tolist(), strict=True))
    before = np.array([by_query[query_id] for query_id in new.query_ids])
    before = np.where(np.abs(values - before) <= _NOISE * np.maximum(1, np.abs(values)), values, before)
    groups, unit = _clusters(new.query_ids, benchmark, clusters)
    return Pairs(parsed.text(level), parsed.statistic, new.query_ids, before, values, groups, unit)


def _side(side: RunLike) -> Run | Scores:
    return side if isinstance(side, Scores) else as_run(side)


def _run(side: Run | Scores) -> Run:
    return side.judged.run if isinstance(side, Scores) else side


def _benchmark(sides: Mapping[str, Run | Scores]) -> Benchmark | None:
    """Return the benchmark that the sides answer."""
    found = [b for b in (_run(side).benchmark for side in sides.values()) if b is not None]
    if len({benchmark.name for benchmark in found}) > 1:
        names = " and the baseline ".join(benchmark.name for benchmark in found)
        raise InputError(f"the run answers {names}: compare runs of one benchmark")
    return found[0] if found else None


def _judged_by(
    sides: Mapping[str, Run | Scores], qrels: QrelsLike | None, benchmark: Benchmark | None
) -> Qrels:
    if isinstance(qrels, Qrels):
        return qrels
    if qrels is not None and not isinstance(qrels, Benchmark):
        if not isinstance(qrels, Mapping):
            raise InputError(f"qrels are Qrels, a Benchmark or a mapping, not {type(qrels).__name__}")
        return Qrels.from_mapping(qrels)
    if benchmark is not None:
        return benchmark.qrels
    for side in sides.values():
        if isinstance(side, Scores):
            return side.judged.qrels
    raise InputError("these runs belong to no benchmark: pass qrels=")


def _level(sides: Mapping[str, Run | Scores], judged_by: Qrels) -> int:
    """Return what a bare binary measure means: what it means in `Scores`, else on the qrels."""
    for side in sides.values():
        if isinstance(side, Scores):
            return side.relevance_level
    return judged_by.relevance_level


def _scores(name: str, side: Run | Scores, qrels: Qrels, measure: Measure, level: int) -> Scores:
    if isinstance(side, Run):
        return evaluate(side, qrels, [measure], relevance_level=level)
    if measure not in side.columns:
        there = ", ".join(m.text(level) for m in side.columns) or "none"
        raise InputError(f"the scores of the {name} lack {measure.text(level)}; there are: {there}")
    return side


def _check_same_queries(new: tuple[str, ...], old: tuple[str, ...]) -> None:
    for name, ours, theirs in (("run", new, old), ("baseline", old, new)):
        others = set(theirs)
        alone = [query_id for query_id in ours if query_id not in others]
        if alone:
            shown = ", ".join(map(repr, islice(alone, 3)))
            raise InputError(
                f"run and baseline are judged on different queries: {len(alone)} only in the {name}, "
                f"for instance {shown}: score both with the same qrels"
            )


def _check_finite(name: str, scores: Scores, measure: Measure) -> None:
    # No comparison with NaN is true, so that no drop would be over any budget.
    for query_id, value in zip(scores.query_ids, scores.columns[measure].tolist(), strict=True):
        if not math.isfinite(value):
            text = measure.text(scores.relevance_level)
            raise InputError(f"{text} of query {query_id!r} is {value} in the {name}: it can't be compared")


def _clusters(
    query_ids: tuple[str, ...], benchmark: Benchmark | None, clusters: Mapping[str, Hashable] | None
) -> tuple[Mapping[str, Hashable] | None, str]:
    """Return what each query is drawn together with, and what to call that."""
    if clusters is not None:
        lacking = [query_id for query_id in query_ids if query_id not in clusters]
        if lacking:
            raise InputError(f"clusters lacks {len(lacking)} judged queries, for instance {lacking[0]!r}")
        return clusters, "cluster"
    topics = benchmark.topics if benchmark else Topics(())
    conversations = {t.query_id: t.conversation for t in topics if t.conversation is not None}
    if not any(query_id in conversations for query_id in query_ids):
        return None, "query"
    # A tuple, so that a query alone never meets a conversation of the same name.
    return {query_id: conversations.get(query_id, (query_id,)) for query_id in query_ids}, "conversation"
