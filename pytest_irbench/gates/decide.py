"""Threshold and value -> verdict. Pure, and the only place that decides."""

from __future__ import annotations

import math
import operator
from typing import Literal, NamedTuple

Outcome = Literal["passed", "failed"]

_HOLDS = {
    "min": operator.ge,
    "max": operator.le,
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
_MISSED = {"min": "below min", "max": "above max"} | {
    rule: f"not {rule}" for rule in (">=", ">", "<=", "<", "==")
}
_FLOORS = ("min", ">=", ">")


class Verdict(NamedTuple):
    """The outcome of one threshold.

    Attributes
    ----------
    measure
        Its text.
    value, limit
        What was measured and what it was held against.
    rule
        ``min`` or ``max``, or the comparison written in Python.
    outcome
        ``passed`` or ``failed``.
    """

    measure: str
    value: float
    rule: str
    limit: float
    outcome: Outcome

    @property
    def is_floor(self) -> bool:
        """Whether more is better under this rule."""
        return self.rule in _FLOORS

    @property
    def sentence(self) -> str:
        """What was measured against what, and by how much it missed."""
        value, limit = printed(self.measure, self.value, self.limit)
        if self.outcome == "passed":
            return f"{self.measure} = {value}, {self.rule} {limit}"
        short = "short by" if self.is_floor else "over by"
        size = abs(self.limit - self.value)
        miss = f" ({short} {self._size(size)})" if 0 < size < math.inf else ""
        return f"{self.measure} = {value}, {_MISSED[self.rule]} {limit}{miss}"

    def _size(self, miss: float) -> str:
        """Print the size of a miss with 4 decimals, or with two digits that are not 0."""
        if is_count(self.measure):
            return f"{miss:g}"
        return f"{miss:.4f}" if miss >= 0.00005 else f"{miss:.1e}"


def decide(measure: str, value: float, rule: str, limit: float) -> Verdict:
    """Hold a value against a limit; NaN and infinity never pass, on either side.

    Parameters
    ----------
    measure
        Text of the measure, for the message.
    rule
        ``min``, ``max``, ``>=``, ``>``, ``<=``, ``<`` or ``==``.
    """
    holds = math.isfinite(value) and math.isfinite(limit) and _HOLDS[rule](value, limit)
    return Verdict(measure, value, rule, limit, "passed" if holds else "failed")


def distinct(value: float, limit: float) -> tuple[str, str]:
    """Print both numbers with 4 decimals, or with as many as it takes to tell them apart.

    A limit of up to 6 decimals is printed as it was written.
    """
    for digits in range(4, 18):
        pair = f"{value:.{digits}f}", f"{limit:.{digits}f}"
        apart = value == limit or pair[0] != pair[1]
        if apart and (digits >= 6 or float(pair[1]) == limit):
            return pair
    return repr(value), repr(limit)


def printed(measure: str, value: float, limit: float) -> tuple[str, str]:
    """Print a value and its limit as its measure asks for: counts as whole numbers, others as `distinct`."""
    return (f"{value:g}", f"{limit:g}") if is_count(measure) else distinct(value, limit)


def is_count(measure: str) -> bool:
    """Whether a measure's text is that of a count, such as ``NumRelRet(rel=2)``."""
    return measure.startswith("Num")
