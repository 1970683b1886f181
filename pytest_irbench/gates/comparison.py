"""Run against baseline: how large the difference is, and what chance alone would make of it.

docs/statistics.md says in words what each number means, and what was seen when it was simulated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.significance import NOISE, bootstrap, randomization, t_test
from pytest_irbench.gates.student import t_quantile, t_tail

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from pytest_irbench.gates.sides import Pairs, QrelsLike, RunLike
    from pytest_irbench.gates.significance import PValues
    from pytest_irbench.measures.measure import Measure

    Floats = NDArray[np.float64]


class Mover(NamedTuple):
    """A query whose value changed: its id, the values of both sides, and new less baseline."""

    query_id: str
    baseline: float
    value: float
    difference: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """A run held against a baseline on the same judged queries. Every number is finite or ±inf, never NaN.

    Attributes
    ----------
    measure
        Its text.
    baseline, value
        The means of both sides; for counts (``NumRet`` …) the sums, here and in all that follows.
    difference
        New less baseline, in units of the measure; below 0 is a drop.
    interval
        The 95% confidence interval of the difference; (-inf, inf) when there is only one unit.
    permutation
        p-values of the paired randomization test.
    t_test
        p-values of the paired t test; by conversation when these are the units.
    exact
        Whether the randomization test took every pattern of signs, not a sample.
    standard_error
        Of the difference; infinite when there is only one unit.
    units, unit
        How many were drawn, and what was drawn as a whole: ``query``, ``conversation`` or ``cluster``.
    query_ids
        The judged queries in the order of the qrels, q of them.
    baseline_values, values
        Values of each query; shape (q,).
    deviations
        What a difference strays from its mean by chance, resampled; shape (n,).
    """

    measure: str
    baseline: float
    value: float
    difference: float
    interval: tuple[float, float]
    permutation: PValues
    t_test: PValues
    exact: bool
    standard_error: float
    units: int
    unit: str
    query_ids: tuple[str, ...] = field(repr=False)
    baseline_values: Floats = field(repr=False)
    values: Floats = field(repr=False)
    deviations: Floats = field(repr=False)

    @property
    def drawn(self) -> str:
        """How many units were drawn, in words: ``54 queries``."""
        if self.units == 1:
            return f"1 {self.unit}"
        return f"{self.units} {'queries' if self.unit == 'query' else f'{self.unit}s'}"

    @property
    def wins(self) -> int:
        """Queries with a higher value than in the baseline."""
        return int(np.count_nonzero(self.values > self.baseline_values))

    @property
    def losses(self) -> int:
        """Queries with a lower value than in the baseline."""
        return int(np.count_nonzero(self.values < self.baseline_values))

    @property
    def ties(self) -> int:
        """Queries with the same value as in the baseline."""
        return len(self.query_ids) - self.wins - self.losses

    def movers(self, limit: int = 10) -> list[Mover]:
        """Return the queries that moved most, in either direction; those that did not move are left out."""
        columns = zip(self.query_ids, self.baseline_values.tolist(), self.values.tolist(), strict=True)
        moved = [Mover(query_id, old, new, new - old) for query_id, old, new in columns if new != old]
        return sorted(moved, key=lambda m: (-abs(m.difference), m.query_id))[:limit]

    def detectable_drop(self, alpha: float = 0.05, power: float = 0.80) -> float:
        """Return the smallest true drop that a one-sided paired test finds with this power.

        Parameters
        ----------
        alpha
            The level of the test: how often it sees a drop where there is none.
        power
            How often it is to see the drop.

        Returns
        -------
        float
            In units of the measure; 0 when no unit differs from the mean, infinite for one unit.

        Raises
        ------
        InputError
            When `alpha` or `power` is no share between 0 and 1.

        Notes
        -----
        (t_{1-alpha} + t_power) · standard error, with u - 1 degrees of freedom: Bloom, Minimum
        Detectable Effects, Evaluation Review 19 (1995), 547-556.
        """
        _check_share("alpha", alpha)
        _check_share("power", power)
        if not 0 < self.standard_error < math.inf:
            return self.standard_error
        df = self.units - 1
        return max(0.0, t_quantile(1 - alpha, df) + t_quantile(power, df)) * self.standard_error

    def power(self, drop: float, alpha: float = 0.05) -> float:
        """Return how often a one-sided paired test at level `alpha` would see a true drop of this size.

        The same approximation as `detectable_drop`, read the other way.

        Raises
        ------
        InputError
            When `drop` is no number from 0, or `alpha` no share between 0 and 1.
        """
        _check_budget("drop", drop)
        _check_share("alpha", alpha)
        if self.standard_error == 0:
            return float(drop > 0)
        if self.units < 2:
            return 0.0
        df = self.units - 1
        return t_tail(t_quantile(1 - alpha, df) - drop / self.standard_error, df)

    def false_alarm_rate(self, budget: float) -> float:
        """Return how often the rule "may drop by at most `budget`" fails when nothing has changed.

        The share of resampled differences, centred at 0, that lie below ``-budget``. One unit says
        nothing about chance: then it is 0.5, as for a coin.

        Parameters
        ----------
        budget
            In units of the measure, from 0.

        Raises
        ------
        InputError
            When `budget` is no finite number from 0.
        """
        _check_budget("budget", budget)
        return float(np.count_nonzero(self.deviations < -budget * (1 + NOISE)) / len(self.deviations))

    def __str__(self) -> str:
        low, high = self.interval
        of = "" if self.unit == "query" else f" in {self.drawn}"
        alone = f": one {self.unit} says nothing about chance" if self.units == 1 else ""
        how = "all" if self.exact else "random"
        lines = [
            f"{self.measure} = {self.value:.4f}, baseline {self.baseline:.4f}: {self.difference:+.4f}",
            f"95% interval {low:+.4f} to {high:+.4f}{alone}",
            f"{len(self.query_ids)} queries{of}: {self.wins} up, {self.ties} the same, {self.losses} down",
            f"randomization test, {how} patterns of signs: {self.permutation}",
            f"paired t test: {self.t_test}",
            f"smallest drop seen with 80% power at the 5% level: {self.detectable_drop():.4f}",
        ]
        return "\n".join(lines)


def compare(
    run: RunLike,
    baseline: RunLike,
    measure: str | Measure,
    *,
    qrels: QrelsLike | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    seed: int | np.random.Generator = 0,
) -> Comparison:
    """Hold a run against a baseline.

    Parameters
    ----------
    run, baseline
        Each a `Run`, ``{query_id: {doc_id: score}}``, or `Scores` that hold the measure. `Scores` are
        taken as they are, and don't know conversations: pass ``qrels=benchmark`` with them.
    measure
        For instance ``nDCG@10``.
    qrels
        `Qrels`, a `Benchmark`, or ``{query_id: {doc_id: grade}}``; by default those of the run's or the
        baseline's benchmark, or of the `Scores`.
    clusters
        query_id -> what it is drawn together with. By default turns go by the conversation that the
        benchmark's topics name, and all other queries alone.
    seed
        Of the random draws. The same input and seed give the same numbers.

    Raises
    ------
    InputError
        When both sides are not over the same judged queries, there are no qrels, `clusters` lacks a
        judged query, or for any reason that `evaluate` has.

    Notes
    -----
    The randomization test flips the signs of the units' differences (Fisher; Smucker, Allan and
    Carterette, A Comparison of Statistical Significance Tests for Information Retrieval Evaluation,
    CIKM 2007). Up to 13 units that differ, every pattern is taken. Beyond, 10,000 are drawn and
    p = (b + 1) / (n + 1), which is a valid p-value and never 0 (Phipson and Smyth, Permutation
    P-values Should Never Be Zero, 2010). The interval is the symmetric bootstrap-t (Hall, On Symmetric
    Bootstrap Confidence Intervals, Journal of the Royal Statistical Society B 50, 1988).
    """
    return compare_pairs(pairs_of(run, baseline, measure, qrels, clusters), seed)


def compare_pairs(pairs: Pairs, seed: int | np.random.Generator = 0) -> Comparison:
    """Compare both sides once they are paired; see `compare`."""
    rng = np.random.default_rng(seed)
    units = pairs.units
    permutation, exact = randomization(units, rng)
    interval, deviations = bootstrap(units, rng)
    return Comparison(
        measure=pairs.text,
        baseline=pairs.aggregate(pairs.baseline_values),
        value=pairs.aggregate(pairs.values),
        difference=units.mean,
        interval=interval,
        permutation=permutation,
        t_test=t_test(units),
        exact=exact,
        standard_error=units.standard_error,
        units=len(units),
        unit=pairs.unit,
        query_ids=pairs.query_ids,
        baseline_values=pairs.baseline_values,
        values=pairs.values,
        deviations=deviations,
    )


def _check_share(name: str, share: float) -> None:
    if not 0 < share < 1:
        raise InputError(f"{name} lies between 0 and 1, not {share!r}")


def _check_budget(name: str, size: float) -> None:
    if not 0 <= size < math.inf:
        raise InputError(f"{name} is a finite number from 0, not {size!r}")
