"""What chance alone makes of paired differences: tests, the interval, and Holm's adjustment."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.gates.resampling import Units, resample, sign_flips
from pytest_irbench.gates.student import t_quantile, t_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONFIDENCE = 0.95
NOISE = 1e-12
"""Relative: totals that differ by less are equal, as sums in another order would be."""


class PValues(NamedTuple):
    """One test's p-values.

    Attributes
    ----------
    drop
        One-sided: how often chance alone drops as far as was seen, or farther.
    either
        Two-sided: how often chance alone moves as far, in either direction.
    """

    drop: float
    either: float

    def __str__(self) -> str:
        return f"p = {self.drop:.4f} for a drop, {self.either:.4f} for either direction"


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values of one family, so that all may be held to one level (Holm 1979).

    Parameters
    ----------
    p_values
        In any order, each in 0..1.

    Returns
    -------
    list of float
        In the same order, each at least as large as it was and at most 1. To reject those that are at
        most alpha keeps the chance of any false rejection in the family at most alpha.

    Raises
    ------
    InputError
        When a value is not in 0..1.

    Notes
    -----
    The k-th smallest of m is multiplied by m - k + 1; none may fall below one that was smaller. Holm,
    A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    for p in p_values:
        if not 0 <= p <= 1:
            raise InputError(f"a p-value lies in 0..1, not {p!r}")
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def randomization(units: Units, rng: np.random.Generator) -> tuple[PValues, bool]:
    """Test by flipping signs; also say whether every pattern of signs was taken."""
    totals, exact = sign_flips(units.sums, rng)
    # Not the mean: it would be rounded in another way than the totals.
    seen, noise = float(units.sums.sum()), NOISE * float(np.abs(units.sums).sum())
    dropped = int(np.count_nonzero(totals <= seen + noise))
    moved = int(np.count_nonzero(np.abs(totals) >= abs(seen) - noise))
    # Every pattern holds the one that was seen; of a sample it has to be counted in.
    added = 0 if exact else 1
    drawn = len(totals) + added
    return PValues((dropped + added) / drawn, (moved + added) / drawn), exact


def t_test(units: Units) -> PValues:
    """Test by mean over standard error, with u - 1 degrees of freedom."""
    if units.mean == 0 and units.standard_error == 0:
        return PValues(1.0, 1.0)
    df = max(1, len(units) - 1)
    t = units.mean / units.standard_error if units.standard_error else math.copysign(math.inf, units.mean)
    smallest = sys.float_info.min  # a p-value is never 0
    return PValues(max(smallest, t_tail(-t, df)), min(1.0, max(smallest, 2 * t_tail(abs(t), df))))


def bootstrap(units: Units, rng: np.random.Generator) -> tuple[tuple[float, float], Floats]:
    """Return the interval of the mean, and what chance adds to it."""
    if len(units) < 2:
        return (-math.inf, math.inf), np.array([-math.inf, math.inf])
    deviations, errors = resample(units, rng)
    reach = _reach(deviations, errors, len(units) - 1) * units.standard_error
    # Resamples are too narrow by this factor: Hesterberg, What Teachers Should Know About the Bootstrap,
    # The American Statistician 69 (2015).
    deviations *= math.sqrt(len(units) / (len(units) - 1))
    return (units.mean - reach, units.mean + reach), deviations


def _reach(deviations: Floats, errors: Floats, df: int) -> float:
    """Return how many standard errors the interval reaches to each side."""
    flat = errors <= NOISE * errors.max(initial=0.0)
    if np.count_nonzero(flat) > (1 - CONFIDENCE) * len(flat):
        # So few units moved that many resamples hold none of them, and have no standard error.
        return t_quantile((1 + CONFIDENCE) / 2, df)
    ratios = np.abs(deviations) / np.where(flat, 1.0, errors)
    ratios[flat] = math.inf
    return float(np.quantile(ratios, CONFIDENCE, method="inverted_cdf"))
