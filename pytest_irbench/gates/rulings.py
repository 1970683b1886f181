"""Threshold and measured gate -> verdict: what each rule of a gate means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.decide import Verdict, decide, decide_drop, is_count, number_of, printed, size
from pytest_irbench.gates.kinds import (
    DropSpec,
    ExpectSpec,
    KnownBadSpec,
    QueryDropSpec,
    StableSpec,
    ThresholdSpec,
    WorstConversationSpec,
)
from pytest_irbench.gates.uncertain import with_judgments, with_ties
from pytest_irbench.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_irbench.gates.decide import Outcome
    from pytest_irbench.gates.kinds import Slice, Threshold
    from pytest_irbench.gates.measured import MeasuredGate

NOISE = 1e-12  # as in decide.py


def decide_threshold(threshold: Threshold, gate: MeasuredGate) -> Verdict:
    """Decide one threshold of a gate.

    Raises
    ------
    InputError
        When it can't be measured, or could never fail.
    """
    return _RULINGS[type(threshold)](threshold, gate)


def losers(threshold: QueryDropSpec, gate: MeasuredGate) -> list[str]:
    """Return the queries that lost more than a query may, those known to be bad left out."""
    comparison = gate.comparison(threshold.measure)
    counted = set(gate.counted)
    columns = zip(comparison.query_ids, comparison.baseline_values, comparison.values, strict=True)
    return [q for q, old, new in columns if q in counted and old - new > threshold.limit + NOISE]


def _of(among: Slice | None) -> str:
    return f"slice {among.name}" if among else ""


def _limit(threshold: ThresholdSpec, gate: MeasuredGate) -> Verdict:
    value, text, of = _measured(threshold, gate)
    verdict = _with_slack(threshold, decide(text, value, threshold.rule, threshold.limit, of=of))
    protocol = gate.spec.protocol
    if protocol.ties and threshold.labels is None:
        verdict = with_ties(verdict, threshold, gate)
    # A slice has no list of documents to judge.
    if protocol.unjudged and threshold.labels is None and threshold.slice is None:
        verdict = with_judgments(verdict, threshold, gate)
    return verdict


def _with_slack(threshold: ThresholdSpec, verdict: Verdict) -> Verdict:
    """Ask to raise a ``min`` that is far below its value."""
    text, above = verdict.measure, verdict.value - threshold.limit
    if threshold.slack is None or not threshold.slack + NOISE < above < math.inf:
        return verdict
    note = f"{verdict.sentence}: {size(text, above)} above it, more than its slack {threshold.slack:g}"
    return verdict._replace(
        note=f"{note}: raise it, for instance to {_raised(threshold, text, verdict.value)}"
    )


def _measured(threshold: ThresholdSpec, gate: MeasuredGate) -> tuple[float, str, str]:
    """Return the value of a threshold, its measure in full, and what it is taken of."""
    if threshold.labels is None:
        value = gate.value(threshold.measure, threshold.slice)
        return value, gate.text(threshold.measure), _of(threshold.slice)
    scores = gate.labelled(threshold.labels)
    measure = Measure.parse(threshold.measure, scores.relevance_level)
    return scores.aggregate(measure), measure.text(scores.relevance_level), f"qrels {threshold.labels}"


def _stable(threshold: StableSpec, gate: MeasuredGate) -> Verdict:
    text = gate.text(threshold.measure)
    low, high = gate.apart(threshold.measure)
    apart, times = high - low, len(gate.repeats)
    values = f"{number_of(text, low)} to {number_of(text, high)} in {times} times that it was asked"
    outcome: Outcome = "passed" if apart <= threshold.limit + NOISE else "failed"
    over = "" if outcome == "passed" else f", over {threshold.limit:g}"
    sentence = f"{text} is apart by {size(text, apart)}{over}: {values}"
    return Verdict(text, apart, "stable", threshold.limit, outcome, sentence, shown=size(text, apart))


def _raised(threshold: ThresholdSpec, text: str, value: float) -> str:
    """Print a limit between a ``min`` and its value, with few digits."""
    middle = value - (threshold.slack or 0.0) / 2
    texts = (f"{middle:.{digits}f}" for digits in range(0 if is_count(text) else 2, 10))
    return next((text for text in texts if threshold.limit < float(text) <= value), repr(middle))


def _drop(threshold: DropSpec, gate: MeasuredGate) -> Verdict:
    comparison = gate.comparison(threshold.measure, threshold.slice)
    p, family = comparison.permutation.drop, 1
    if threshold.evidence == "significant":
        p, family = gate.adjusted_p(threshold), len(gate.family)
    of = _of(threshold.slice)
    return decide_drop(comparison, threshold.budget, threshold.evidence, p, family=family, of=of)


def _worst_conversation(threshold: WorstConversationSpec, gate: MeasuredGate) -> Verdict:
    worst, text = gate.conversations(threshold.measure)[0], gate.text(threshold.measure)
    name = clipped(worst.name)
    verdict = decide(text, worst.value, "min", threshold.limit, of=f"the worst conversation ({name})")
    return verdict._replace(shown=f"{printed(text, worst.value, threshold.limit)[0]} ({name})")


def _query_drop(threshold: QueryDropSpec, gate: MeasuredGate) -> Verdict:
    comparison, text = gate.comparison(threshold.measure), gate.text(threshold.measure)
    values = dict(zip(comparison.query_ids, comparison.baseline_values.tolist(), strict=True))
    able = sum(values[query_id] > threshold.limit for query_id in gate.counted)
    if able <= threshold.allow:
        have = "1 query has" if able == 1 else f"{able} queries have"
        said = f"{have} a baseline above {threshold.limit:g}, so no more can lose that much"
        raise InputError(f"{said}, {threshold.allow} may, and this max_drop can never fail")
    lost = losers(threshold, gate)
    many = f"{len(lost)} {'query' if len(lost) == 1 else 'queries'} lost more than {threshold.limit:g}"
    sentence = f"{many} of {text} against the baseline, {threshold.allow} may"
    outcome: Outcome = "failed" if len(lost) > threshold.allow else "passed"
    return Verdict(text, len(lost), "max_drop", threshold.allow, outcome, sentence, shown=f"{len(lost)} lost")


def _expect(threshold: ExpectSpec, gate: MeasuredGate) -> Verdict:
    rank = gate.rank(threshold.query_id, threshold.doc_id)
    within = math.inf if threshold.within is None else threshold.within
    inside = rank is not None and rank <= within
    # A query without results lacks every document, which shows nothing.
    empty = threshold.query_id in gate.scores.judged.missing
    holds = inside != threshold.absent and not empty
    where = (
        "nothing is returned" if empty else "it is not returned" if rank is None else f"it is at rank {rank}"
    )
    shown = "not returned" if rank is None else f"rank {rank}"
    subject = f"query {clipped(threshold.query_id)}, document {clipped(threshold.doc_id)}"
    sentence = f"{subject}: expected {threshold}, {where}"
    limit, value = float(within), math.inf if rank is None else float(rank)
    note = ""
    if rank is None and threshold.doc_id not in gate.scores.judged.qrels[threshold.query_id]:
        # A misspelt document is absent for ever.
        note = f"{subject}: it is neither returned nor judged for this query: is its id right?"
    if threshold.reason is None:
        outcome: Outcome = "passed" if holds else "failed"
        return Verdict("", value, "expect", limit, outcome, sentence, shown, note)
    _ = gate.counted
    if holds:
        sentence = f"{subject}: {where}, it recovered: take the query out of xfail"
    sentence = f"{sentence} ({clipped(threshold.reason)})"
    return Verdict("", value, "expect", limit, "failed" if holds else "xfailed", sentence, shown, note)


def _known_bad(threshold: KnownBadSpec, gate: MeasuredGate) -> Verdict:
    gate.check_judged(threshold.query_id)
    _ = gate.counted
    text, value = gate.text(threshold.measure), gate.values(threshold.measure)[threshold.query_id]
    numbers = printed(text, value, threshold.below)
    subject = f"query {clipped(threshold.query_id)}: {text} = {numbers[0]}"
    reason = clipped(threshold.reason)
    if value < threshold.below:
        said = f"{subject}, below {numbers[1]} as expected ({reason})"
        return Verdict(text, value, "xfail", threshold.below, "xfailed", said)
    said = f"{subject}, no longer below {numbers[1]}, it recovered: take the query out of xfail"
    return Verdict(text, value, "xfail", threshold.below, "failed", f"{said} ({reason})")


_RULINGS: dict[type[Threshold], Callable[[Any, MeasuredGate], Verdict]] = {
    ThresholdSpec: _limit,
    DropSpec: _drop,
    StableSpec: _stable,
    WorstConversationSpec: _worst_conversation,
    QueryDropSpec: _query_drop,
    ExpectSpec: _expect,
    KnownBadSpec: _known_bad,
}
"""What decides each kind of threshold."""
