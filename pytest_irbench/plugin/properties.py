"""What a threshold's report carries: plain values, which cross processes and JUnit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.gates.decide import is_count, number_of
from pytest_irbench.gates.kinds import DropSpec, QueryDropSpec
from pytest_irbench.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.gates.kinds import Threshold
    from pytest_irbench.gates.measured import MeasuredGate


class Known(NamedTuple):
    """What is known of a gate's test before anything is measured."""

    order: int
    benchmark: str
    system: str
    relevance_level: int


def declared_properties(known: Known, threshold: Threshold, place: str) -> list[tuple[str, Any]]:
    """Give what is known of a threshold when it is collected."""
    level = known.relevance_level
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
    yield from _notes(gate, verdict)
    # A run that is to become the baseline differs from itself in nothing.
    if isinstance(threshold, DropSpec | QueryDropSpec) and not gate.baseline.is_new:
        yield "irbench_since", gate.baseline.told
        yield "irbench_rejudged", _rejudged(gate, verdict.measure)
        if isinstance(threshold, DropSpec):
            yield from _compared(threshold, gate, verdict)


def _notes(gate: MeasuredGate, verdict: Verdict) -> Iterator[tuple[str, str]]:
    if not len(gate.scores.judged.rank):
        from pytest_irbench.reports.explain import strangers

        yield "irbench_note", strangers(gate.scores.judged) or ""
    elif verdict.note:
        yield "irbench_note", verdict.note


def _compared(threshold: DropSpec, gate: MeasuredGate, verdict: Verdict) -> Iterator[tuple[str, Any]]:
    comparison = gate.comparison(threshold.measure, threshold.slice)
    low, high = comparison.interval
    yield "irbench_evidence", threshold.evidence
    yield "irbench_baseline", comparison.baseline
    yield "irbench_drop", 0.0 - comparison.difference
    yield "irbench_drop_low", 0.0 - high
    yield "irbench_drop_high", 0.0 - low
    yield "irbench_p", comparison.permutation.drop
    yield "irbench_worse", comparison.losses
    yield "irbench_better", comparison.wins
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
