"""A run against its baseline: 10,000 sign flips beside scipy and ranx, and the whole comparison alone.

What is drawn at random differs between the sides; the check is that their p-values are near each other.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import numpy as np
from measure import Row, Settings, as_time, clock, interleaved, ratio
from scipy.stats import permutation_test

from pytest_irbench import compare, evaluate
from pytest_irbench.gates.resampling import DRAWS, Units
from pytest_irbench.gates.significance import randomization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Test = Callable[[], float]

SIZES = {54: 0.001, 6980: 0.040}
"""Queries -> seconds that their sign flips may take."""

BATCH = 250  # of scipy's permutations: with all at once, 6,980 queries would need gigabytes


def rows(settings: Settings) -> Iterator[Row]:
    """Test a difference of two runs, then compare them with all that belongs to it."""
    for queries, limit in SIZES.items():
        values = values_of_two_runs(queries)
        ours, title = our_test(*values), f"{DRAWS} sign flips of {queries} queries"
        yield within(title, [clock(ours)() for _ in range(10 * settings.pairs)], limit)
        pairs = 2 * settings.pairs if queries < 1000 else 1
        yield against("  against scipy's permutation_test", ours, scipy_test(*values), pairs, 0.05)
        yield against("  against ranx's Fisher test, warm", ours, ranx_test(*values), pairs, 0.20)
        yield whole(queries, settings)


def values_of_two_runs(queries: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make values of each query that differ a little."""
    rng = np.random.default_rng(0)
    old = rng.random(queries)
    return np.clip(old + rng.normal(-0.1 / np.sqrt(queries), 0.1, queries), 0, 1), old


def our_test(new: NDArray[np.float64], old: NDArray[np.float64]) -> Test:
    """Make our side."""
    units = Units(new - old, np.ones(len(new)))
    return lambda: randomization(units, np.random.default_rng(0))[0].either


def scipy_test(new: NDArray[np.float64], old: NDArray[np.float64]) -> Test:
    """Make scipy's side, vectorized."""

    def test() -> float:
        result = permutation_test(
            (new, old),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=DRAWS,
            batch=BATCH,
            rng=np.random.default_rng(0),
        )
        return float(result.pvalue)

    return test


def ranx_test(new: NDArray[np.float64], old: NDArray[np.float64]) -> Test:
    """Make ranx's side, compiled before."""
    from ranx.statistical_tests import fisher_randomization_test

    fisher_randomization_test(old, new, n_permutations=2)
    return lambda: float(fisher_randomization_test(old, new, n_permutations=DRAWS)[0])


def against(title: str, ours: Test, theirs: Test, pairs: int, limit: float) -> Row:
    """Let both sides take turns."""
    mine, other = ours(), theirs()
    assert abs(mine - other) < 0.05, (mine, other)
    return ratio(title, *interleaved(pairs, clock(ours), clock(theirs)), limit)


def whole(queries: int, settings: Settings) -> Row:
    """Compare scores with all that belongs to it: test, interval, t test."""
    query_ids = [str(i) for i in range(queries)]
    qrels = {query_id: {"d": 1} for query_id in query_ids}
    sides = [evaluate({query_id: {"d": 1.0} for query_id in query_ids}, qrels, ["AP"]) for _ in range(2)]
    for scores, values in zip(sides, values_of_two_runs(queries), strict=True):
        next(iter(scores.columns.values()))[:] = values
    seconds = [clock(lambda: compare(sides[0], sides[1], "AP"))() for _ in range(settings.pairs)]
    return within(f"  compare() with its interval, {queries} queries", seconds)


def within(title: str, seconds: list[float], limit: float | None = None) -> Row:
    """Tell a time alone, beside what it may be."""
    median = statistics.median(seconds)
    result = f"{as_time(min(seconds))} - {as_time(max(seconds))}"
    if limit is None:
        return Row(title, as_time(median), result=result)
    return Row(title, as_time(median), "-", result, f"<= {as_time(limit, 0)}", median <= limit)


ROWS = {"compare": rows}
