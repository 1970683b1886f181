"""Student's t distribution, from the standard library alone.

scipy would be a heavy dependency for two functions; the tests hold both to it.
"""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300  # takes the place of a 0 that would be divided by
_ENOUGH = 1e-15
_MOST_TERMS = 10_000


def t_tail(t: float, df: int) -> float:
    """Return P(T > t) for Student's t.

    Parameters
    ----------
    t
        Any number, also infinite.
    df
        Degrees of freedom, at least 1.

    Notes
    -----
    Twice the tail beyond t > 0 is the incomplete beta function I_x(df/2, 1/2) at x = df / (df + t²):
    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1 with 26.5.
    """
    if abs(t) < 1:  # here 1 - x would lose the digits of t
        tail = (1 - regularized_beta(t * t / (df + t * t), 0.5, df / 2)) / 2
    else:
        tail = regularized_beta(df / (df + t * t), df / 2, 0.5) / 2
    return tail if t >= 0 else 1 - tail


@lru_cache(maxsize=256)
def t_quantile(p: float, df: int) -> float:
    """Return the t below which a share `p` of Student's t lies, for 0 < p < 1.

    By bisection of `t_tail`: slow, safe for every df, and asked for a few times only.
    """
    if p < 0.5:
        return -t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while t_tail(high, df) > 1 - p:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        low, high = (middle, high) if t_tail(middle, df) > 1 - p else (low, middle)


def regularized_beta(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b) for 0 <= x <= 1.

    Notes
    -----
    The continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions
    (https://dlmf.nist.gov/8.17.E22). It converges fast for x < (a + 1) / (a + b + 2); beyond, the
    symmetry I_x(a, b) = 1 - I_{1-x}(b, a) is used (8.17.4).
    """
    if x in (0.0, 1.0):
        return x
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _fraction(x, a, b) / a
    return 1 - math.exp(log_front) * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction by Lentz's method (Press et al., Numerical Recipes, 5.2 and 6.4)."""
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _nonzero(1 + term / c), 1 / _nonzero(1 + term * d)
            value *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return value


def _nonzero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
