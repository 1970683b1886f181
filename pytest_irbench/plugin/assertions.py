"""`assert_ndcg_at(run, 3) >= 0.45`: values that explain a false comparison.

Importable without pytest. When the plugin is active it collects the values made during a test and
fails the test if one was never compared.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pytest_irbench.errors import InputError, IrbenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.gates.comparison import Comparison
    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.runs.run import Run

    RunLike = Run | Mapping[Any, Mapping[Any, Any]]
    QrelsLike = Qrels | Benchmark | Mapping[Any, Mapping[Any, Any]]

# pytest leaves the frames of this module out: the line to look at is the user's.
__tracebackhide__ = True

made: deque[MeasuredValue | BaselineLimit] = deque(maxlen=1000)
"""The last values made since the plugin looked; bounded, as without the plugin nobody does."""


decided: deque[Decided] = deque(maxlen=1000)
"""The last comparisons that were decided since the plugin looked."""


class Decided(NamedTuple):
    """A comparison that was decided.

    Attributes
    ----------
    verdict, value
        What was decided of what.
    threshold
        What was asked for, in words.
    path, line
        Where it stands.
    comparison
        With a stored baseline, when it was one.
    """

    verdict: Verdict
    value: MeasuredValue
    threshold: str
    path: str
    line: int
    comparison: Comparison | None = None


def note(
    verdict: Verdict, value: MeasuredValue, threshold: str, comparison: Comparison | None = None
) -> None:
    """Keep a comparison for the reports, with the line of the user's code that made it."""
    frame = sys._getframe(1)  # noqa: SLF001 - inspect.stack() reads the source of every frame
    while frame.f_back and str(frame.f_globals.get("__name__", "")).startswith("pytest_irbench.plugin"):
        frame = frame.f_back
    place = (frame.f_code.co_filename, frame.f_lineno)
    decided.append(Decided(verdict, value, threshold, *place, comparison))


class BaselineLimit:
    """A stored baseline as one side of a comparison with a measured value.

    Attributes
    ----------
    call
        How it was made, for messages.
    compared
        Whether it was compared yet.
    """

    def __init__(self, call: str, hold: Callable[[MeasuredValue, str], None]) -> None:
        self.call = call
        self.compared = False
        self._hold = hold
        made.append(self)

    def hold(self, value: MeasuredValue, rule: str) -> bool:
        """Decide a comparison of a measured value with it; raises `AssertionError` when it is false."""
        try:
            self._hold(value, rule)
        except IrbenchError as error:
            raise error.with_traceback(None) from error.__cause__
        return True


class MeasuredValue(float):
    """A measured value: a float whose comparisons raise an explained `AssertionError` when false.

    Attributes
    ----------
    call
        How it was made, for messages.
    scores, measure, benchmark
        Where it comes from.
    compared
        Whether it was compared yet.
    """

    call: str
    scores: Scores
    measure: Measure
    benchmark: Benchmark | None
    compared: bool

    def __new__(cls, call: str, scores: Scores, measure: Measure, benchmark: Benchmark | None) -> Self:
        """Make the value: a `float` takes its number here."""
        value = super().__new__(cls, scores.aggregate(measure))
        value.call, value.scores, value.measure, value.compared = call, scores, measure, False
        value.benchmark = benchmark
        made.append(value)
        return value

    def _met(self, other: object) -> None:
        """Note a comparison, which is also one of the other side when that was made to be compared."""
        self.compared = True
        if isinstance(other, MeasuredValue | BaselineLimit):
            other.compared = True

    def _hold(self, rule: str, limit: Any) -> bool:
        """Decide a comparison."""
        from pytest_irbench.gates.decide import decide
        from pytest_irbench.reports.explain import explain

        if isinstance(limit, str | bytes):
            raise TypeError(f"{self.call} is a number and was compared with {limit!r}")
        self._met(limit)
        if isinstance(limit, BaselineLimit):
            return limit.hold(self, rule)
        text = self.measure.text(self.scores.relevance_level)
        verdict = decide(text, float(self), rule, float(limit))
        note(verdict, self, f"{rule} {float(limit):g}")
        if verdict.outcome == "failed":
            raise AssertionError(explain(verdict, self.scores, self.measure, self.benchmark))
        return True

    def __ge__(self, limit: float | BaselineLimit) -> bool:
        return self._hold(">=", limit)

    def __gt__(self, limit: float | BaselineLimit) -> bool:
        return self._hold(">", limit)

    def __le__(self, limit: float | BaselineLimit) -> bool:
        return self._hold("<=", limit)

    def __lt__(self, limit: float | BaselineLimit) -> bool:
        return self._hold("<", limit)

    def _refuse_equality(self, other: object) -> None:
        # As two objects they always differ, which would say nothing of their values.
        if isinstance(other, BaselineLimit):
            raise TypeError(f"{other.call} is a limit: compare with >=, >, <= or <")

    def __eq__(self, other: object) -> bool:
        self._refuse_equality(other)
        if isinstance(other, int | float):
            return self._hold("==", other)
        # pytest.approx explains itself.
        self._met(other)
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        self._refuse_equality(other)
        self._met(other)
        return super().__ne__(other)

    __hash__ = float.__hash__

    # Left to itself, numpy compares its own scalars with a float and never asks this class.
    __array_ufunc__ = None

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        """Copy as the number that it is."""
        return float, (float(self),)


def assert_measure(run: RunLike, measure: str | Measure, *, qrels: QrelsLike | None = None) -> MeasuredValue:
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
    return _measured(f"assert_measure(run, {str(measure)!r})", run, measure, qrels)


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


def _measured(call: str, run: RunLike, measure: str | Measure, qrels: QrelsLike | None) -> MeasuredValue:
    try:
        return _measure(call, run, measure, qrels)
    except IrbenchError as error:
        # The sentence says it all; our own frames would only stand before it.
        raise error.with_traceback(None) from error.__cause__


def _measure(call: str, run: RunLike, measure: str | Measure, qrels: QrelsLike | None) -> MeasuredValue:
    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.measures.evaluate import as_run, evaluate

    run = as_run(run)
    judged_by = run.benchmark if qrels is None else qrels
    if judged_by is None:
        raise InputError(f"{call}: this run belongs to no benchmark: pass qrels=")
    benchmark = judged_by if isinstance(judged_by, Benchmark) else run.benchmark
    scores = evaluate(run, judged_by, [measure])
    return MeasuredValue(call, scores, next(iter(scores.columns)), benchmark)


def never_compared() -> str | None:
    """Name the values made and never compared since the last call, and forget all."""
    forgotten = [value for value in made if not value.compared]
    made.clear()
    return "\n".join(map(_forgotten, forgotten)) or None


def _forgotten(value: MeasuredValue | BaselineLimit) -> str:
    if isinstance(value, BaselineLimit):
        example = f"assert_ndcg_at(run, 10) >= {value.call}"
    else:
        example = f"{value.call} >= 0.5"
    return f"{value.call} was never compared: write {example}, for instance"
