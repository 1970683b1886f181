"""Sign flips and resamples of paired differences, drawn in bulk.

A *unit* is what is drawn as a whole: a query, or all turns of a conversation. A unit has a sum of
differences and a number of queries; ``u`` is the number of units, ``n`` that of draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 10_000
"""Sign flips, and resamples of up to `_MOST_DRAWN` units."""

_EXACT_UNITS = 13  # 2^13 patterns are fewer than DRAWS: then all of them are taken
_MOST_DRAWN = 8_000_000  # units drawn in all resamples: about 0.2 s
_FEWEST_RESAMPLES = 2_000
_CHUNK = 1 << 16  # units drawn at once: what is made of them stays in the processor's cache

# The signs that the bits of each byte stand for; shape (8, 256).
_SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T * 2.0 - 1.0


@dataclass(frozen=True, eq=False)
class Units:
    """Paired differences, gathered by what is drawn as a whole.

    Attributes
    ----------
    sums
        The sum of each unit's differences; shape (u,), finite.
    sizes
        The number of queries in each; shape (u,).
    """

    sums: Floats
    sizes: Floats

    def __len__(self) -> int:
        return len(self.sums)

    @cached_property
    def mean(self) -> float:
        """The mean difference of a query."""
        return float(self.sums.sum() / self.sizes.sum())

    @cached_property
    def residuals(self) -> Floats:
        """How far each sum is from what the mean says; exactly 0 where only rounding is left."""
        residuals = self.sums - self.mean * self.sizes
        residuals[np.abs(residuals) <= 1e-12 * np.abs(self.sums)] = 0.0
        return residuals

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the mean; infinite for one unit, which says nothing about chance.

        Notes
        -----
        The cluster-robust one: sqrt(u / (u - 1) · Σ residual²) / Σ size. With one query in each unit
        it is the s / sqrt(u) of the paired t test. Cameron and Miller, A Practitioner's Guide to
        Cluster-Robust Inference, Journal of Human Resources 50 (2015), for a regression on the
        constant alone.
        """
        u = len(self)
        if u < 2:
            return float("inf")
        return float(np.sqrt(u / (u - 1) * (self.residuals @ self.residuals)) / self.sizes.sum())


def sign_flips(sums: Floats, rng: np.random.Generator, draws: int = DRAWS) -> tuple[Floats, bool]:
    """Return totals of `sums` with signs flipped at random, and whether these are all there are.

    Parameters
    ----------
    sums
        One for each unit; shape (u,).
    rng
        Not asked when every pattern is taken.

    Returns
    -------
    totals, exact
        Shape (n,), or (2^k,) for the k <= 13 units whose sum is not 0.
    """
    moved = sums[sums != 0]  # the sign of a 0 changes nothing
    if len(moved) > _EXACT_UNITS:
        return _random_flips(moved, rng, draws), False
    totals = np.zeros(1)
    for value in moved:
        totals = np.concatenate([totals - value, totals + value])
    return totals, True


def _random_flips(sums: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Flip eight signs at once: a random byte picks one of the 256 totals that eight sums can have."""
    octets = np.concatenate([sums, np.zeros(-len(sums) % 8)]).reshape(-1, 8)
    tables = octets @ _SIGNS
    words = rng.integers(0, 2**64, -(-len(tables) * draws // 8), np.uint64)
    random = words.astype("<u8", copy=False).view(np.uint8)[: len(tables) * draws]
    totals, chosen = np.zeros(draws), np.empty(draws)
    for table, octet in zip(tables, random.reshape(len(tables), draws), strict=True):
        table.take(octet, out=chosen, mode="clip")
        totals += chosen
    return totals


def resample(units: Units, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw units with replacement, as many as there are, again and again (Efron's bootstrap).

    Returns
    -------
    deviations, errors
        The mean of each resample less the mean of `units`, and its standard error; shape (n,) each.
    """
    u = len(units)
    draws = min(DRAWS, max(_FEWEST_RESAMPLES, _MOST_DRAWN // u))
    parts = [_moments(units, rows) for rows in _drawn(u, draws, rng)]
    deviations, squares = (np.concatenate(column) for column in zip(*parts, strict=True))
    return deviations, np.sqrt(u / (u - 1) * squares)


def _drawn(u: int, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.unsignedinteger]]:
    """Draw numbers of units, chunk by chunk; shape (draws of the chunk, u)."""
    small = np.uint16 if u <= 1 << 16 else np.uint32
    size = max(1, _CHUNK // u)
    for begin in range(0, draws, size):
        yield rng.integers(0, u, (min(size, draws - begin), u), small)


def _moments(units: Units, rows: NDArray[np.unsignedinteger]) -> tuple[Floats, Floats]:
    """Return each resample's deviation, and the squares of its residuals over its size squared."""
    residuals = units.residuals.take(rows, mode="clip")
    even = units.sizes.min() == units.sizes.max()
    sizes = units.sizes[:1] if even else units.sizes.take(rows, mode="clip")
    total = sizes * len(units) if even else sizes.sum(axis=1)
    deviations = residuals.sum(axis=1) / total
    residuals -= deviations[:, None] * sizes
    return deviations, np.einsum("ij,ij->i", residuals, residuals) / total**2
