"""Whether a failed threshold hangs on a few queries: the fewest without which it would pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.comparison import compare_pairs
from pytest_irbench.gates.decide import decide, decide_drop
from pytest_irbench.gates.kinds import DropSpec, ThresholdSpec, WorstConversationSpec
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.significance import holm
from pytest_irbench.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.gates.kinds import Threshold
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.gates.sides import Pairs

_MOST = 5
"""So many are left out at most: what hangs on more is no matter of a few queries."""
_NOISE = 1e-12  # as in decide.py


class _Trial(NamedTuple):
    """What may be left out of a threshold.

    Attributes
    ----------
    worst
        Those whose absence helps, the one that helps most first.
    among
        How many there are in all.
    passes
        Whether it would pass without some of them.
    one, many
        What they are called.
    """

    worst: Sequence[str]
    among: int
    passes: Callable[[Collection[str]], bool]
    one: str = "query"
    many: str = "queries"


def without(threshold: Threshold, gate: MeasuredGate, verdict: Verdict) -> str:
    """Say whether a failed threshold would pass without a few of its queries.

    Parameters
    ----------
    threshold, gate, verdict
        A threshold of the gate, and what was decided of it.

    Returns
    -------
    str
        ``would pass without q1, 007``, or that it would fail all the same; an empty text where it did not
        fail, where single queries are no matter of it, or where the rest can't be decided.

    Notes
    -----
    At most five queries, and fewer than half of them, are left out. Of limits and of drops by the mean
    they are the fewest: without the lowest values a mean is higher than without any others, as many.
    ``significant`` and ``noninferior`` are tried in the same order, where fewer may do in rare cases.
    """
    trial_of = _TRIALS.get(type(threshold))
    if verdict.outcome != "failed" or trial_of is None:
        return ""
    try:
        trial = trial_of(threshold, gate)
        return _tried(trial) if trial else ""
    except InputError:
        # The rest can't be measured, or could never fail.
        return ""


def _tried(trial: _Trial) -> str:
    most = min(_MOST, len(trial.worst), (trial.among - 1) // 2)
    for many in range(1, most + 1):
        left_out = trial.worst[:many]
        if trial.passes(left_out):
            named = ", ".join(map(clipped, left_out))
            called = "" if trial.one == "query" else f"{trial.one if many == 1 else trial.many} "
            return f"would pass without {called}{named}"
    if most == 0:
        return ""
    worst = f"worst {trial.one}" if most == 1 else f"{most} worst {trial.many}"
    return f"would still fail without its {worst}"


def _limit(threshold: ThresholdSpec, gate: MeasuredGate) -> _Trial | None:
    # With bounds for unjudged documents the value alone does not decide.
    if gate.spec.protocol.unjudged and threshold.labels is None and threshold.slice is None:
        return None
    if threshold.labels is None:
        measure, values = gate.measure(threshold.measure), gate.values(threshold.measure, threshold.slice)
    else:
        scores = gate.labelled(threshold.labels)
        measure = Measure.parse(threshold.measure, scores.relevance_level)
        values = scores[threshold.measure]
    if measure.statistic != "mean":
        return None
    sign = 1 if threshold.rule == "min" else -1
    misses = [(sign * (value - threshold.limit), query_id) for query_id, value in values.items()]

    def passes(left_out: Collection[str]) -> bool:
        rest = measure.aggregate([value for query_id, value in values.items() if query_id not in left_out])
        return decide("", rest, threshold.rule, threshold.limit).outcome == "passed"

    return _Trial([query_id for miss, query_id in sorted(misses) if miss < 0], len(misses), passes)


def _drop(threshold: DropSpec, gate: MeasuredGate) -> _Trial | None:
    measure = gate.measure(threshold.measure)
    if measure.statistic != "mean":
        return None
    pairs = pairs_of(gate.scores, gate.baseline.scores, measure, gate.benchmark, None)
    if threshold.slice:
        pairs = pairs.among(gate.query_ids(threshold.slice))
    # A budget in percent grows with the baseline's values, and so each query brings a share of it.
    share = threshold.budget.size / 100 if threshold.budget.percent else 0.0
    columns = zip(pairs.query_ids, pairs.baseline_values.tolist(), pairs.values.tolist(), strict=True)
    lost = sorted((new - old + share * old, query_id) for query_id, old, new in columns if new < old)

    def passes(left_out: Collection[str]) -> bool:
        rest = pairs.among(query_id for query_id in pairs.query_ids if query_id not in left_out)
        return _holds(rest, threshold, gate)

    return _Trial([query_id for _, query_id in lost], len(pairs.query_ids), passes)


def _holds(rest: Pairs, threshold: DropSpec, gate: MeasuredGate) -> bool:
    over = -rest.units.mean > threshold.budget.of(rest.aggregate(rest.baseline_values)) + _NOISE
    if over and threshold.evidence == "mean":
        # Nothing else decides, and nothing needs to be drawn.
        return False
    comparison = compare_pairs(rest)
    p, family = comparison.permutation.drop, 1
    if threshold.evidence == "significant":
        p, family = _adjusted(p, threshold, gate), len(gate.family)
    verdict = decide_drop(comparison, threshold.budget, threshold.evidence, p, family=family)
    return verdict.outcome == "passed"


def _adjusted(p: float, threshold: DropSpec, gate: MeasuredGate) -> float:
    """Adjust a p-value for the other thresholds of the gate, which are left as they are."""
    others = [t for t in gate.family if t.name != threshold.name]
    return holm([p, *(gate.comparison(t.measure, t.slice).permutation.drop for t in others)])[0]


def _worst_conversation(threshold: WorstConversationSpec, gate: MeasuredGate) -> _Trial | None:
    conversations = gate.conversations(threshold.measure)
    below = [c.name for c in conversations if c.value < threshold.limit]

    def passes(left_out: Collection[str]) -> bool:
        worst = next(c for c in conversations if c.name not in left_out)
        return decide("", worst.value, "min", threshold.limit).outcome == "passed"

    return _Trial(below, len(conversations), passes, "conversation", "conversations")


_TRIALS: dict[type[Threshold], Callable[[Any, MeasuredGate], _Trial | None]] = {
    ThresholdSpec: _limit,
    DropSpec: _drop,
    WorstConversationSpec: _worst_conversation,
}
"""The kinds of thresholds in which single queries, or conversations, can be left out."""
