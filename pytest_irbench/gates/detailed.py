"""Measured gate -> what its reports show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.benchmarks.benchmark import asked_text
from pytest_irbench.errors import InputError
from pytest_irbench.gates.detail import (
    TOP,
    BaselineDetail,
    Document,
    GateDetail,
    MeasureDetail,
    QueryDetail,
    TurnMean,
)
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.stages import stages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.gates.sides import Pairs
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking

MOST = 5
"""How many of the queries that moved most are given where not all are."""

_FEW = 20


def detail_of(gate: MeasuredGate, *, every: bool = True, losers: bool = False) -> GateDetail:
    """Gather what the reports of a gate show.

    Parameters
    ----------
    every
        Whether all queries are given, or for each measure the `MOST` that moved most against the baseline.
    losers
        Whether all that got worse are given with these.
    """
    measures = [measure for measure in gate.scores.columns if not measure.is_latency]
    pairs = {measure: _pairs(gate, measure) for measure in measures}
    accepted = gate.accepted
    baseline = None
    if accepted:
        stored = accepted.stored.provenance
        baseline = BaselineDetail(stored.date, stored.reason, stored.commit, accepted.rejudged)
    shown = gate.scores.query_ids if every else _moved(gate, list(pairs.values()), losers=losers)
    return GateDetail(
        dict(_protocol(gate)),
        tuple(_measure(gate, measure, pairs[measure]) for measure in measures),
        baseline,
        stages(gate),
        tuple(_queries(gate, pairs, shown)),
    )


def _pairs(gate: MeasuredGate, measure: Measure) -> Pairs | None:
    accepted = gate.accepted
    if accepted is None or measure not in accepted.scores.columns:
        return None
    try:
        return pairs_of(gate.scores, accepted.scores, measure, gate.benchmark, None)
    except InputError:
        # A value is no number, which a rule that is held against it says.
        return None


def _protocol(gate: MeasuredGate) -> Iterator[tuple[str, str]]:
    """Give all that the values hang on, by name."""
    protocol, judged, benchmark = gate.spec.protocol, gate.scores.judged, gate.benchmark
    yield "run", str(judged.run)
    yield "measures", ", ".join(gate.scores.means)
    yield "averaged over", f"{len(judged.query_ids)} judged queries; one without results counts 0"
    yield "relevance level", f"{gate.scores.relevance_level}: binary measures count grades from it on"
    yield "ties", "equal scores by doc_id, descending, as trec_eval"
    yield "depth", f"{gate.depth} documents a topic"
    yield "utterance", protocol.utterance
    yield "doc_id", protocol.documents
    if protocol.rerank:
        yield "rerank", "only the benchmark's candidates"
    if protocol.repeats > 1:
        yield "repeats", f"asked {protocol.repeats} times; the first answers count"
    yield "topics", f"sha256 {benchmark.topics.sha256}"
    yield "qrels", f"sha256 {benchmark.qrels.sha256}"


def _measure(gate: MeasuredGate, measure: Measure, pairs: Pairs | None) -> MeasureDetail:
    value = gate.scores.aggregate(measure)
    worse = better = 0
    if pairs:
        worse = int(np.count_nonzero(pairs.values < pairs.baseline_values))
        better = int(np.count_nonzero(pairs.values > pairs.baseline_values))
    return MeasureDetail(
        measure.text(gate.scores.relevance_level),
        measure.sees,
        value,
        pairs.aggregate(pairs.baseline_values) if pairs else None,
        worse,
        better,
        len(pairs.query_ids) - worse - better if pairs else 0,
        tuple(_by_turn(gate, measure, pairs)),
    )


def _by_turn(gate: MeasuredGate, measure: Measure, pairs: Pairs | None) -> Iterator[TurnMean]:
    places = {query_id: place for place, query_id in enumerate(gate.scores.query_ids)}
    turns: dict[int, list[int]] = {}
    for topic in gate.benchmark.topics:
        if topic.turn is not None and topic.query_id in places:
            turns.setdefault(topic.turn, []).append(places[topic.query_id])
    values = gate.scores.columns[measure]
    for turn in sorted(turns):
        rows = turns[turn]
        before = measure.aggregate(pairs.baseline_values[rows].tolist()) if pairs else None
        yield TurnMean(turn, len(rows), measure.aggregate(values[rows].tolist()), before)


def _moved(gate: MeasuredGate, pairs: Sequence[Pairs | None], *, losers: bool) -> list[str]:
    """Return the queries that moved most by any measure, in the order of the qrels."""
    shown = np.zeros(len(gate.scores.query_ids), np.bool_)
    for one in pairs:
        if one is None:
            continue
        difference = one.values - one.baseline_values
        most = np.argsort(-np.abs(difference), kind="stable")[:MOST]
        shown[most[difference[most] != 0]] = True
        if losers:
            shown[difference < 0] = True
    return [gate.scores.query_ids[place] for place in np.flatnonzero(shown)]


def _queries(
    gate: MeasuredGate, pairs: Mapping[Measure, Pairs | None], shown: Sequence[str]
) -> Iterator[QueryDetail]:
    places = {query_id: place for place, query_id in enumerate(gate.scores.query_ids)}
    now = [gate.scores.columns[measure].tolist() for measure in pairs]
    before = [one.baseline_values.tolist() if one else [None] * len(places) for one in pairs.values()]
    judged = gate.scores.judged
    other = gate.accepted.scores.judged if gate.accepted else None
    if len(shown) > _FEW:
        # A large file is read once and whole, not once for each query.
        _ = judged.run.columns
    for query_id in shown:
        place, topic = places[query_id], gate.benchmark.topics.by_id(query_id)
        top, top_before = _sides(judged, other, query_id)
        yield QueryDetail(
            query_id,
            asked_text(topic, gate.spec.protocol.utterance),
            topic.conversation if topic else None,
            topic.turn if topic else None,
            tuple(column[place] for column in now),
            tuple(column[place] for column in before),
            top,
            top_before,
        )


def _sides(
    judged: JudgedRanking, other: JudgedRanking | None, query_id: str
) -> tuple[tuple[Document, ...], tuple[Document, ...]]:
    """Return the first documents of both sides, each with its rank on the other side."""
    grades = judged.qrels[query_id]
    now, before = judged.ranked(query_id), other.ranked(query_id) if other else []

    def first(docs: list[str], elsewhere: list[str]) -> tuple[Document, ...]:
        wanted = set(docs[:TOP])
        ranks = {doc_id: rank for rank, doc_id in enumerate(elsewhere, start=1) if doc_id in wanted}
        return tuple(Document(doc_id, grades.get(doc_id), ranks.get(doc_id)) for doc_id in docs[:TOP])

    return first(now, before), first(before, now)
