"""What is not certain about a verdict: the order of equal scores, and documents that nobody judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError
from pytest_irbench.gates.decide import Verdict, decide, printed
from pytest_irbench.measures.tie_bounds import tie_bounds
from pytest_irbench.measures.to_judge import to_judge
from pytest_irbench.measures.unjudged_bounds import unjudged_bounds

if TYPE_CHECKING:
    from pytest_irbench.gates.kinds import ThresholdSpec
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.measures.measure import Measure

_ABOUT_JUDGMENTS = ("Judged",)
"""Measures of the judgments themselves: of course they hang on them."""


def with_ties(verdict: Verdict, threshold: ThresholdSpec, gate: MeasuredGate) -> Verdict:
    """Say between which values orders of equal scores let a value lie, and whether its verdict hangs on them.

    The verdict stays that of the tie rule.
    """
    measure = gate.measure(threshold.measure)
    if measure.external or measure.is_latency:
        return verdict
    found = tie_bounds(gate.scores.judged, [measure])
    low, high = (gate.gathered(scores[threshold.measure], measure, threshold.slice) for scores in found)
    if low == high:
        return verdict
    lows = printed(verdict.measure, low, high)
    note = f"{verdict.measure} lies between {lows[0]} and {lows[1]} over all orders of equal scores"
    if _outcome(threshold, low) != _outcome(threshold, high):
        note = f"{note}, and the verdict of {threshold} hangs on it"
    return _noted(verdict, note)


def with_judgments(verdict: Verdict, threshold: ThresholdSpec, gate: MeasuredGate) -> Verdict:
    """Decide with the lowest and the highest value that unjudged documents allow.

    What passes with one and fails with the other depends on judgments.
    """
    measure = gate.measure(threshold.measure)
    if measure.is_latency or measure.name in _ABOUT_JUDGMENTS:
        return verdict
    try:
        found = unjudged_bounds(gate.scores.judged, [measure], depth=_depth(measure))
    except InputError as error:
        return _noted(verdict, error.message)
    low, high = (gate.gathered(scores[threshold.measure], measure, threshold.slice) for scores in found)
    texts = printed(verdict.measure, low, high)
    if _outcome(threshold, low) == _outcome(threshold, high):
        top = "" if measure.sees is None else f" of the top {measure.sees}"
        between = f"whatever unjudged documents{top} are judged, it lies between {texts[0]} and {texts[1]}"
        return _noted(verdict, f"{verdict.sentence}: {between}") if low != high else verdict
    sentence = f"{verdict.sentence}: it depends on judgments, {texts[0]} to {texts[1]} are possible"
    return verdict._replace(outcome="depends", sentence=sentence)


def pairs_to_judge(threshold: ThresholdSpec, gate: MeasuredGate) -> list[tuple[str, str]]:
    """Return the documents to judge first, as (query_id, doc_id), until the verdict hangs on them alone."""
    measure = gate.measure(threshold.measure)
    return to_judge(gate.scores.judged, measure, threshold.limit, threshold.rule, depth=_depth(measure))


def _depth(measure: Measure) -> int | None:
    """Return how deep documents are in doubt: far below a cutoff they could only make the ideal larger."""
    return measure.sees


def _outcome(threshold: ThresholdSpec, value: float) -> str:
    return decide("", value, threshold.rule, threshold.limit).outcome


def _noted(verdict: Verdict, note: str) -> Verdict:
    return verdict._replace(note="\n".join(filter(None, (verdict.note, note))))
