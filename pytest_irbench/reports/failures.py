"""Why a threshold of a gate failed, told for each of their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from pytest_irbench.errors import clipped
from pytest_irbench.gates.decide import number_of
from pytest_irbench.gates.kinds import (
    DropSpec,
    ExpectSpec,
    KnownBadSpec,
    QueryDropSpec,
    StableSpec,
    ThresholdSpec,
    WorstConversationSpec,
)
from pytest_irbench.gates.rulings import losers
from pytest_irbench.measures.measure import Measure
from pytest_irbench.reports.explain import (
    DOCUMENTS_SHOWN,
    QUERIES_SHOWN,
    Among,
    counts,
    documents,
    explain,
    text_of,
)
from pytest_irbench.reports.explain_drop import against, lost_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.gates.kinds import Slice, Threshold
    from pytest_irbench.gates.measured import MeasuredGate

_DOCUMENTS_LISTED = 10


def explain_failure(threshold: Threshold, gate: MeasuredGate, verdict: Verdict, place: str) -> str:
    """Explain why a threshold failed.

    Parameters
    ----------
    threshold, gate, verdict
        What was decided, on what, and how.
    place
        Where the threshold stands, for instance ``irbench.yaml:12``; the last line.
    """
    if isinstance(threshold, ThresholdSpec):
        said = _limit(threshold, gate, verdict)
    else:
        said = "\n".join([verdict.sentence, *(f"  {line}".rstrip() for line in _told(threshold, gate))])
    return f"{said}\n\n{place}: {_edited(threshold, verdict)}"


def _limit(threshold: ThresholdSpec, gate: MeasuredGate, verdict: Verdict) -> str:
    labels = threshold.labels
    scores = gate.labelled(labels) if labels else gate.scores_of(threshold.measure)
    measure = Measure.parse(threshold.measure, scores.relevance_level)
    return explain(verdict, scores, measure, gate.benchmark, _among(threshold.slice, gate))


def _among(some: Slice | None, gate: MeasuredGate) -> Among | None:
    return Among(some.name, some.where.text, gate.query_ids(some)) if some else None


def _told(threshold: Threshold, gate: MeasuredGate) -> Iterator[str]:
    match threshold:
        case DropSpec():
            yield from _drop(threshold, gate)
        case QueryDropSpec():
            comparison = gate.comparison(threshold.measure)
            yield from counts(gate.scores, gate.measure(threshold.measure), gate.benchmark)
            yield from against(comparison, gate.baseline)
            yield ""
            yield from lost_most(
                comparison, gate.scores, gate.baseline.scores, gate.benchmark, losers(threshold, gate)
            )
        case StableSpec():
            yield _asked(gate)
            yield from gate.about
            yield ""
            yield from _apart(threshold, gate)
        case WorstConversationSpec():
            yield from counts(gate.scores, gate.measure(threshold.measure), gate.benchmark)
            yield ""
            yield from _conversations(threshold, gate)
        case ExpectSpec():
            many = min(threshold.within or DOCUMENTS_SHOWN, _DOCUMENTS_LISTED)
            yield from _query(threshold, gate)
            yield from documents(gate.scores.judged, threshold.query_id, many)
        case KnownBadSpec():
            yield from _query(threshold, gate)


def _asked(gate: MeasuredGate) -> str:
    return f"benchmark {gate.benchmark.name}, system {gate.scores.judged.run}"


def _query(threshold: ExpectSpec | KnownBadSpec, gate: MeasuredGate) -> Iterator[str]:
    yield _asked(gate)
    yield f"query: {text_of(gate.scores, gate.benchmark, threshold.query_id)}"


def _drop(threshold: DropSpec, gate: MeasuredGate) -> Iterator[str]:
    comparison = gate.comparison(threshold.measure, threshold.slice)
    measure = gate.measure(threshold.measure)
    yield from counts(gate.scores, measure, gate.benchmark, _among(threshold.slice, gate))
    yield from against(comparison, gate.baseline)
    yield ""
    yield from lost_most(comparison, gate.scores, gate.baseline.scores, gate.benchmark)


def _apart(threshold: StableSpec, gate: MeasuredGate) -> Iterator[str]:
    """Show the queries whose values are farthest apart."""
    text, measure = gate.text(threshold.measure), gate.measure(threshold.measure)
    columns = zip(
        *(scores.columns[measure].tolist() for scores in gate.repeated(threshold.measure)), strict=True
    )
    both = zip(gate.scores.query_ids, columns, strict=True)
    found = {query_id: values for query_id, values in both if min(values) < max(values)}
    worst = sorted(found, key=lambda query_id: min(found[query_id]) - max(found[query_id]))[:QUERIES_SHOWN]
    rows = [
        (
            clipped(query_id),
            *(number_of(text, value) for value in found[query_id]),
            text_of(gate.scores, gate.benchmark, query_id),
        )
        for query_id in worst
    ]
    header = ("query_id", *(f"time {time}" for time in range(1, len(gate.repeats) + 1)), "text")
    yield "queries whose values are farthest apart:"
    yield from tabulate(rows, header, "plain", disable_numparse=True).split("\n")


def _conversations(threshold: WorstConversationSpec, gate: MeasuredGate) -> Iterator[str]:
    text = gate.text(threshold.measure)
    worst = gate.conversations(threshold.measure)[:QUERIES_SHOWN]
    rows = [(clipped(one.name), number_of(text, one.value), str(one.turns)) for one in worst]
    yield "lowest conversations:"
    yield from tabulate(rows, ("conversation", text, "turns"), "plain", disable_numparse=True).split("\n")


def _edited(threshold: Threshold, verdict: Verdict) -> str:
    subject = threshold.subject(verdict.measure)
    if isinstance(threshold, ExpectSpec | KnownBadSpec):
        return f"queries.{threshold.rule}, {subject}"
    return f"{subject} {threshold.rule}"
