"""What a threshold's report carries: plain values, which cross processes and JUnit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.decide import is_count, number_of
from pytest_irbench.gates.declared import labels_of
from pytest_irbench.gates.detail import TOP
from pytest_irbench.gates.kinds import DropSpec, KnownBadSpec, QueryDropSpec, ThresholdSpec
from pytest_irbench.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.gates.comparison import Comparison
    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.gates.kinds import Threshold
    from pytest_irbench.gates.measured import MeasuredGate


class Known(NamedTuple):
    """What is known of a gate's test before anything is measured."""

    order: int
    benchmark: str
    system: str
    relevance_level: int
    utterance: str = "raw"


def declared_properties(known: Known, threshold: Threshold, place: str) -> list[tuple[str, Any]]:
    """Give what is known of a threshold when it is collected."""
    # An extra label set has a level of its own.
    level = 1 if labels_of(threshold) else known.relevance_level
    measure = Measure.parse(threshold.measure, level).text(level) if threshold.measure else ""
    given = [
        ("irbench_order", known.order),
        ("irbench_benchmark", known.benchmark),
        ("irbench_system", known.system),
        ("irbench_subject", threshold.subject(measure)),
        ("irbench_measure", measure),
        ("irbench_rule", threshold.rule),
        ("irbench_threshold", str(threshold)),
        ("irbench_place", place),
        ("irbench_utterance", known.utterance),
    ]
    limit = getattr(threshold, "limit", None) if threshold.rule in {"min", "max"} else None
    return given if limit is None else [*given, ("irbench_limit", float(limit))]


def measured_properties(
    threshold: Threshold, gate: MeasuredGate, verdict: Verdict
) -> Iterator[tuple[str, Any]]:
    """Give what is known of it when it is decided."""
    judged = gate.scores.judged
    # A rank or a limit that is not there is no number.
    if math.isfinite(verdict.limit):
        yield "irbench_limit", float(verdict.limit)
    if math.isfinite(verdict.value):
        yield "irbench_value", float(verdict.value)
    yield "irbench_shown", verdict.shown
    yield "irbench_queries", len(judged.query_ids)
    yield "irbench_missing", len(judged.missing)
    yield "irbench_extra", judged.extra
    yield "irbench_sentence", verdict.sentence
    yield from _judged(threshold, gate)
    yield from _without(threshold, gate, verdict)
    yield from _notes(gate, verdict)
    if threshold is gate.primary:
        yield from _by_depth(gate, verdict.measure)
    # A run that is to become the baseline differs from itself in nothing.
    if isinstance(threshold, DropSpec | QueryDropSpec) and not gate.baseline.is_new:
        yield "irbench_since", gate.baseline.told
        yield "irbench_rejudged", _rejudged(gate, verdict.measure)
    if isinstance(threshold, DropSpec | ThresholdSpec) and not labels_of(threshold):
        yield from _compared(threshold, gate)
    if isinstance(threshold, DropSpec) and not gate.baseline.is_new:
        yield from _evidence(threshold, gate, verdict)


def _without(threshold: Threshold, gate: MeasuredGate, verdict: Verdict) -> Iterator[tuple[str, str]]:
    if verdict.outcome == "failed":
        from pytest_irbench.gates.without import without

        yield "irbench_without", without(threshold, gate, verdict)


def _judged(threshold: Threshold, gate: MeasuredGate) -> Iterator[tuple[str, float]]:
    """Give the share of documents that are judged, of those that decide a value over all queries."""
    among, measure = getattr(threshold, "slice", None), threshold.measure
    if not measure or among or labels_of(threshold) or isinstance(threshold, KnownBadSpec):
        return
    if gate.measure(measure).is_latency:
        return
    known, returned = gate.scores.judged.judged_within(gate.measure(measure).sees or TOP)
    yield "irbench_judged", known / returned


def _notes(gate: MeasuredGate, verdict: Verdict) -> Iterator[tuple[str, str]]:
    from pytest_irbench.reports.explain import note_on_ids

    if verdict.outcome == "depends":
        yield "irbench_verdict", "depends"
    note = "\n".join(filter(None, (note_on_ids(gate.scores.judged), verdict.note)))
    if note:
        yield "irbench_note", note
    if gate.about:
        yield "irbench_about", "\n".join(gate.about)


def _by_depth(gate: MeasuredGate, measure: str) -> Iterator[tuple[str, str]]:
    """Give a measure by turn and by conversation, for benchmarks that have them."""
    values = gate.scores[measure]
    turns: dict[int, list[float]] = {}
    conversations: dict[str, list[float]] = {}
    for topic in gate.benchmark.topics:
        if topic.turn is not None and topic.conversation is not None:
            turns.setdefault(topic.turn, []).append(values[topic.query_id])
            conversations.setdefault(topic.conversation, []).append(values[topic.query_id])
    if not turns:
        return
    by_turn = _means(measure, {str(turn): turns[turn] for turn in sorted(turns)})
    by_conversation = _means(measure, conversations)
    yield "irbench_by_depth", f"{measure} by turn: {by_turn}\n{measure} by conversation: {by_conversation}"


def _means(measure: str, groups: dict[str, list[float]]) -> str:
    """Print the mean of each group, and how many it has."""
    return ", ".join(
        f"{clipped(name)} {number_of(measure, sum(group) / len(group))} ({len(group)})"
        for name, group in groups.items()
    )


def _compared(threshold: DropSpec | ThresholdSpec, gate: MeasuredGate) -> Iterator[tuple[str, Any]]:
    """Give what became of a value since the baseline, also where no rule asks."""
    comparison = _comparison(threshold, gate)
    if comparison is None:
        return
    yield "irbench_baseline", comparison.baseline
    yield "irbench_change", comparison.difference
    low, high = comparison.interval
    if math.isfinite(low):
        yield "irbench_change_low", low
        yield "irbench_change_high", high
        yield "irbench_p", comparison.permutation.drop
    yield "irbench_worse", comparison.losses
    yield "irbench_better", comparison.wins


def _comparison(threshold: DropSpec | ThresholdSpec, gate: MeasuredGate) -> Comparison | None:
    if not gate.is_comparable(threshold.measure):
        return None
    try:
        return gate.comparison(threshold.measure, threshold.slice)
    except InputError:
        # A value of the baseline is no number, which only matters where a rule is held against it.
        return None


def _evidence(threshold: DropSpec, gate: MeasuredGate, verdict: Verdict) -> Iterator[tuple[str, Any]]:
    comparison = gate.comparison(threshold.measure, threshold.slice)
    yield "irbench_evidence", threshold.evidence
    yield "irbench_detectable", comparison.detectable_drop()
    yield "irbench_false_alarms", comparison.false_alarm_rate(verdict.limit)
    yield "irbench_units", comparison.drawn
    if threshold.evidence == "significant":
        yield "irbench_p_adjusted", gate.adjusted_p(threshold)
        yield "irbench_family", len(gate.family)


def _rejudged(gate: MeasuredGate, measure: str) -> str:
    """Tell what other judgments alone make of the baseline, or give an empty text."""
    held = gate.baseline
    if not held.rejudged:
        return ""
    stored, now = held.stored.means[measure], held.scores.means[measure]
    system = gate.scores.means[measure]
    was, became, ours = (number_of(measure, value) for value in (stored, now, system))
    sign = "+.15g" if is_count(measure) else "+.4f"
    return (
        f"the qrels changed since the baseline: with them its {measure} is {became} and was {was} "
        f"({now - stored:{sign}} by the judgments); the system makes it {ours} ({system - now:{sign}})"
    )
