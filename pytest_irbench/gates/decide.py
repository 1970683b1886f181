"""Value and limit -> verdict. Pure, and with `rulings.py`, which knows the rules of a gate, what decides."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_irbench.errors import InputError
from pytest_irbench.gates.resampling import DRAWS

if TYPE_CHECKING:
    from pytest_irbench.gates.comparison import Comparison
    from pytest_irbench.gates.kinds import Budget, Evidence

Outcome = Literal["passed", "failed", "xfailed", "depends"]

ALPHA = 0.05
"""The level at which a drop is significant."""

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
_NOISE = 1e-12  # a drop of 0.52 - 0.5 is 0.02 and not over it


class Verdict(NamedTuple):
    """The outcome of one threshold.

    Attributes
    ----------
    measure
        Its text, or an empty one.
    value, limit
        What was measured and what it was held against.
    rule
        ``min``, ``max``, ``max_drop``, ``expect`` or ``xfail``, or the comparison written in Python.
    outcome
        ``passed``, ``failed``, ``xfailed`` for what is known to be bad and is, or ``depends`` where
        unjudged documents could make it pass or fail.
    sentence
        What was measured against what, and by how much it missed.
    shown
        The value in words, where it is not that of the measure.
    note
        What a reader must know beside it, line by line, or an empty text.
    """

    measure: str
    value: float
    rule: str
    limit: float
    outcome: Outcome
    sentence: str
    shown: str = ""
    note: str = ""

    @property
    def is_floor(self) -> bool:
        """Whether more is better under this rule."""
        return self.rule in _FLOORS


def decide(measure: str, value: float, rule: str, limit: float, *, of: str = "") -> Verdict:
    """Hold a value against a limit; NaN and infinity never pass, on either side.

    Parameters
    ----------
    measure
        Text of the measure, for the message.
    rule
        ``min``, ``max``, ``>=``, ``>``, ``<=``, ``<`` or ``==``.
    of
        What the value is taken of, for the message, when it is not all queries.
    """
    holds = math.isfinite(value) and math.isfinite(limit) and _HOLDS[rule](value, limit)
    texts = printed(measure, value, limit)
    subject = f"{measure} of {of}" if of else measure
    if holds:
        sentence = f"{subject} = {texts[0]}, {rule} {texts[1]}"
    else:
        missed = abs(limit - value)
        by = "short by" if rule in _FLOORS else "over by"
        miss = f" ({by} {size(measure, missed)})" if 0 < missed < math.inf else ""
        sentence = f"{subject} = {texts[0]}, {_MISSED[rule]} {texts[1]}{miss}"
    return Verdict(measure, value, rule, limit, "passed" if holds else "failed", sentence)


def decide_drop(
    comparison: Comparison, budget: Budget, evidence: Evidence, p: float, *, family: int = 1, of: str = ""
) -> Verdict:
    """Hold a drop against its budget.

    Parameters
    ----------
    comparison
        The run against its baseline.
    budget
        How much may be lost.
    evidence
        ``mean``: the drop alone decides. ``significant``: it fails when it is over budget and its p-value
        is at most `ALPHA`. ``noninferior``: it passes when the whole 95% interval is within the budget.
    p
        The one-sided p-value of the drop, adjusted for the other thresholds of its gate.
    family
        For how many thresholds it is adjusted, this one among them.
    of
        What the means are taken of, for the message, when it is not all queries.

    Raises
    ------
    InputError
        When it could never fail: the baseline is not above the budget, or no p-value can be small enough;
        or when it could never pass: one unit shows nothing.
    """
    _check_units(comparison, evidence, family)
    limit = allowed_drop(comparison, budget)
    drop = 0.0 - comparison.difference
    over = drop > limit + _NOISE
    highest = 0.0 - comparison.interval[0]
    if evidence == "mean":
        failed, why = over, ""
    elif evidence == "significant":
        failed, why = over and p <= ALPHA, f", p = {p:.4f}"
    else:
        failed, why = not highest <= limit + _NOISE, f", and may have dropped by {highest:.4f}"
    sentence = _drop_sentence(comparison, drop, budget, why, of=of, failed=failed, over=over)
    outcome: Outcome = "failed" if failed else "passed"
    return Verdict(comparison.measure, comparison.value, "max_drop", limit, outcome, sentence)


def allowed_drop(comparison: Comparison, budget: Budget) -> float:
    """Return a budget in units of the measure.

    Raises
    ------
    InputError
        When the baseline is not above it: then no run could drop by more.
    """
    limit = budget.of(comparison.baseline)
    if limit >= comparison.baseline:
        baseline = number_of(comparison.measure, comparison.baseline)
        was = f"the baseline's {comparison.measure} is {baseline}"
        raise InputError(f"{was}, so it can't drop by more than {budget}, and this max_drop can never fail")
    return limit


def _check_units(comparison: Comparison, evidence: Evidence, family: int) -> None:
    if evidence == "noninferior" and comparison.units == 1:
        said = f"one {comparison.unit} says nothing about chance, so no drop can be shown to be small"
        raise InputError(f"{said}: take evidence mean")
    # The smallest p-value that so few units, or so few draws, can give.
    smallest = max(0.5**comparison.units, 1 / (DRAWS + 1))
    if evidence == "significant" and family * smallest > ALPHA:
        tests = f" and {family} significance thresholds" if family > 1 else ""
        said = f"with {comparison.drawn}{tests}, no drop can ever be significant"
        raise InputError(f"{said}, and this threshold can never fail: take evidence mean or noninferior")


def _drop_sentence(
    comparison: Comparison, drop: float, budget: Budget, why: str, *, of: str, failed: bool, over: bool
) -> str:
    measure = comparison.measure
    moved = f"dropped by {size(measure, drop)}" if drop > 0 else f"rose by {size(measure, 0.0 - drop)}"
    subject = f"{measure} of {of}" if of else measure
    if failed and over:
        held = f"more than max_drop {budget}"
    elif failed:
        held = f"not shown to be within max_drop {budget}"
    else:
        held = f"over max_drop {budget} but not significantly" if over else f"within max_drop {budget}"
    value, baseline = (number_of(measure, side) for side in (comparison.value, comparison.baseline))
    return f"{subject} {moved}, {held}{why}: {value}, baseline {baseline}"


def distinct(value: float, limit: float, decimals: int = 4) -> tuple[str, str]:
    """Print both numbers with so many decimals, or with as many as it takes to tell them apart.

    A limit of up to 6 decimals is printed as it was written.
    """
    for digits in range(decimals, 18):
        pair = f"{value:.{digits}f}", f"{limit:.{digits}f}"
        apart = value == limit or pair[0] != pair[1]
        if apart and (digits >= 6 or float(pair[1]) == limit):
            return pair
    return repr(value), repr(limit)


def printed(measure: str, value: float, limit: float) -> tuple[str, str]:
    """Print a value and its limit as its measure asks for: counts as whole numbers, others `distinct`."""
    if is_count(measure):
        return number_of(measure, value), number_of(measure, limit)
    return distinct(value, limit, _decimals(measure))


def apart(measure: str, low: float, high: float) -> tuple[str, str]:
    """Print two values that differ, with as many decimals as it takes to tell them apart."""
    if is_count(measure):
        return number_of(measure, low), number_of(measure, high)
    pairs = ((f"{low:.{digits}f}", f"{high:.{digits}f}") for digits in range(_decimals(measure), 18))
    return next((pair for pair in pairs if pair[0] != pair[1]), (repr(low), repr(high)))


def number_of(measure: str, value: float) -> str:
    """Print a value alone: a count as a whole number, milliseconds with one decimal."""
    return f"{value:.15g}" if is_count(measure) else f"{value:.{_decimals(measure)}f}"


def size(measure: str, difference: float) -> str:
    """Print the size of a difference with 4 decimals, of latency 1, or with two digits that are not 0."""
    if is_count(measure):
        return number_of(measure, difference)
    decimals = _decimals(measure)
    if difference == 0 or difference >= 0.5 / 10**decimals:
        return f"{difference:.{decimals}f}"
    return f"{difference:.1e}"


def _decimals(measure: str) -> int:
    return 1 if is_latency(measure) else 4


def is_latency(measure: str) -> bool:
    """Whether a measure's text is that of a latency, in milliseconds."""
    return measure.startswith("latency_")


def is_count(measure: str) -> bool:
    """Whether a measure's text is that of a count, such as ``NumRelRet(rel=2)``."""
    return measure.startswith("Num")
