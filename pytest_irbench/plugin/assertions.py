"""`assert_ndcg_at(run, 3) >= 0.45`: values that explain a false comparison.

Importable without pytest. When the plugin is active it collects the values made during a test and
fails the test if one was never compared.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Self

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.runs.run import Run

    RunLike = Run | Mapping[Any, Mapping[Any, Any]]
    QrelsLike = Qrels | Benchmark | Mapping[Any, Mapping[Any, Any]]

made: deque[MeasuredValue] = deque(maxlen=1000)
"""The last values made since the plugin looked; bounded, as without the plugin nobody does."""


class MeasuredValue(float):
    """A measured value: a float whose comparisons raise an explained `AssertionError` when false.

    Attributes
    ----------
    call
        How it was made, for messages.
    scores, measure
        Where it comes from.
    compared
        Whether it was compared yet.
    """

    call: str
    scores: Scores
    measure: Measure
    compared: bool

    def __new__(cls, call: str, scores: Scores, measure: Measure) -> Self:
        """Make the value: a `float` takes its number here."""
        value = super().__new__(cls, scores.aggregate(measure))
        value.call, value.scores, value.measure, value.compared = call, scores, measure, False
        made.append(value)
        return value

    def _met(self, other: object) -> None:
        """Note a comparison, which is also one of the other value when both were measured."""
        self.compared = True
        if isinstance(other, MeasuredValue):
            other.compared = True

    def _hold(self, rule: str, limit: Any) -> bool:
        """Decide a comparison."""
        __tracebackhide__ = True
        from pytest_irbench.gates.decide import decide
        from pytest_irbench.reports.explain import explain

        self._met(limit)
        text = self.measure.text(self.scores.relevance_level)
        verdict = decide(text, float(self), rule, float(limit))
        if verdict.outcome == "failed":
            benchmark = self.scores.judged.run.benchmark
            raise AssertionError(explain(verdict, self.scores, self.measure, benchmark))
        return True

    def __ge__(self, limit: float) -> bool:
        __tracebackhide__ = True
        return self._hold(">=", limit)

    def __gt__(self, limit: float) -> bool:
        __tracebackhide__ = True
        return self._hold(">", limit)

    def __le__(self, limit: float) -> bool:
        __tracebackhide__ = True
        return self._hold("<=", limit)

    def __lt__(self, limit: float) -> bool:
        __tracebackhide__ = True
        return self._hold("<", limit)

    # An equality is a comparison too, but one that pytest explains well by itself.
    def __eq__(self, other: object) -> bool:
        self._met(other)
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        self._met(other)
        return super().__ne__(other)

    __hash__ = float.__hash__

    # Left to itself, numpy compares its own scalars with a float and never asks this class.
    __array_ufunc__ = None

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        """Copy as the number that it is."""
        return float, (float(self),)


def assert_measure(run: RunLike, measure: str, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure a run; compare the result with ``>=``, ``>``, ``<=`` or ``<``.

    Parameters
    ----------
    run
        A `Run`, or ``{query_id: {doc_id: score}}`` with `qrels`.
    measure
        For instance ``RR(rel=2)@10``. A bare binary measure is at the benchmark's relevance level.
    qrels
        `Qrels`, a `Benchmark` or ``{query_id: {doc_id: grade}}``; needed when the run has no
        benchmark of its own.

    Returns
    -------
    MeasuredValue
        The mean over all judged queries. A false comparison raises an explained AssertionError.

    Raises
    ------
    InputError
        When the measure is unknown, there are no qrels, or the run answers no judged query.
    """
    return _measured(f"assert_measure(run, {measure!r})", run, measure, qrels)


def assert_ndcg_at(run: RunLike, cutoff: int, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure nDCG at a cutoff; see `assert_measure`."""
    return _measured(f"assert_ndcg_at(run, {cutoff})", run, f"nDCG@{cutoff}", qrels)


def assert_map_at(run: RunLike, cutoff: int, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure average precision at a cutoff; see `assert_measure`."""
    return _measured(f"assert_map_at(run, {cutoff})", run, f"AP@{cutoff}", qrels)


def assert_mrr_at(run: RunLike, cutoff: int, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure the reciprocal rank at a cutoff; see `assert_measure`."""
    return _measured(f"assert_mrr_at(run, {cutoff})", run, f"RR@{cutoff}", qrels)


def assert_recall_at(run: RunLike, cutoff: int, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure recall at a cutoff; see `assert_measure`."""
    return _measured(f"assert_recall_at(run, {cutoff})", run, f"R@{cutoff}", qrels)


def assert_precision_at(run: RunLike, cutoff: int, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure precision at a cutoff; see `assert_measure`."""
    return _measured(f"assert_precision_at(run, {cutoff})", run, f"P@{cutoff}", qrels)


def assert_ncg_at(run: RunLike, cutoff: int, *, qrels: QrelsLike | None = None) -> MeasuredValue:
    """Measure the normalized cumulative gain at a cutoff; see `assert_measure`."""
    return _measured(f"assert_ncg_at(run, {cutoff})", run, f"NCG@{cutoff}", qrels)


def _measured(call: str, run: RunLike, measure: str, qrels: QrelsLike | None) -> MeasuredValue:
    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.measures.evaluate import evaluate
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.runs.run import Run

    run = run if isinstance(run, Run) else Run.from_mapping(run)
    judged_by = run.benchmark if qrels is None else qrels
    if judged_by is None:
        raise InputError(f"{call}: this run belongs to no benchmark: pass qrels=")
    level = 1
    if isinstance(judged_by, Benchmark):
        level, judged_by = judged_by.relevance_level, judged_by.qrels
    parsed = Measure.parse(measure, level)
    return MeasuredValue(call, evaluate(run, judged_by, [parsed], relevance_level=level), parsed)


def never_compared() -> str | None:
    """Name the values made and never compared since the last call, and forget all."""
    forgotten = [value.call for value in made if not value.compared]
    made.clear()
    if not forgotten:
        return None
    return "\n".join(f"{call} was never compared: write {call} >= 0.5, for instance" for call in forgotten)
