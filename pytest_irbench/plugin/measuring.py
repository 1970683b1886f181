"""How a gate is measured: its runs are read as its protocol says, and scored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.benchmarks.benchmark import Topics
from pytest_irbench.gates.decide import number_of
from pytest_irbench.gates.held import hold_gate
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.relevant import check_relevant
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.plugin.asking import runs_of
from pytest_irbench.plugin.baselines import Accepted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.benchmarks.topic_columns import TopicColumns
    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.gates.protocol import Protocol
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.plugin.asking import AskedGate
    from pytest_irbench.plugin.session import IrbenchSession
    from pytest_irbench.runs.exclude import Excluded
    from pytest_irbench.runs.run import Run

TOP = 10
"""How many documents of a ranking are compared when a system is asked again."""


def measure_gate(session: IrbenchSession, asked: AskedGate) -> MeasuredGate:
    """Score the run of a gate for all its measures.

    Raises
    ------
    IrbenchError
        When the gate could not be measured.
    """
    spec, gate = asked.spec, asked.gate
    whole = session.benchmark(gate.benchmark, spec)
    measures = [measure_of(whole, text) for text in gate.measures]
    check_relevant(f"benchmark {whole.name}", whole.qrels, measures)
    depth = _depth(asked, whole, measures)
    prepared = [_prepare(run, whole, gate.protocol) for run in runs_of(session, asked, whole, depth)]
    benchmark = prepared[0].benchmark
    if benchmark.qrels is not whole.qrels:
        left = f"benchmark {whole.name} without {', '.join(gate.protocol.exclude_docs)}"
        check_relevant(left, benchmark.qrels, measures)
    level = benchmark.relevance_level
    scored = [measure for measure in measures if not measure.is_latency]
    repeats = [evaluate(one.run, benchmark.qrels, scored, relevance_level=level) for one in prepared]
    scores = repeats[0]

    def hold() -> HeldBaseline:
        compared = scores.only([measure_of(benchmark, text) for text in gate.compared])
        accepted = Accepted(benchmark, asked.name, compared, depth, gate.protocol, spec.path, asked.nodeid)
        folder = session.baselines.folder_of_gates(spec.path)
        return session.baselines.hold(
            folder, accepted, lambda path: hold_gate(path, benchmark, asked.name, accepted.pins, scored)
        )

    def columns() -> TopicColumns | None:
        from pytest_irbench.benchmarks.topic_columns import read_topic_columns

        return read_topic_columns(gate.topic_columns) if gate.topic_columns else None

    about = (*prepared[0].about, *_told_of_repeats(repeats))
    renews = session.baselines.reason is not None
    return MeasuredGate(gate, benchmark, scores, hold, columns, tuple(repeats), about, depth, renews)


def _depth(asked: AskedGate, benchmark: Benchmark, measures: list[Measure]) -> int:
    """Return how many documents a topic are asked for."""
    gate, declared = asked.gate, asked.spec.systems.get(asked.gate.system)
    labelled = [Measure.parse(text) for texts in gate.labelled.values() for text in texts]
    needed = depth_for(benchmark, [*measures, *labelled], gate.ranks)
    return gate.depth or (declared.depth if declared else None) or needed


class _Prepared(NamedTuple):
    """A run as its protocol reads it, the benchmark that it answers, and what was done to both."""

    run: Run
    benchmark: Benchmark
    about: tuple[str, ...]


def _prepare(run: Run, benchmark: Benchmark, protocol: Protocol) -> _Prepared:
    """Check candidates, map doc_ids, and leave documents out, in this order."""
    from pytest_irbench.runs.doc_ids import IDENTITY, map_run
    from pytest_irbench.runs.exclude import exclude
    from pytest_irbench.runs.rerank import check_reranked

    about: list[str] = []
    if protocol.rerank:
        check_reranked(run, benchmark)
    if protocol.doc_id != IDENTITY:
        run = map_run(run, protocol.doc_id)
        about.append(f"doc_id: {protocol.doc_id}")
    if protocol.exclude_docs:
        left = exclude(run, benchmark.qrels, protocol.exclude_docs)
        judged = set(left.qrels.query_ids)
        topics = Topics([topic for topic in benchmark.topics if topic.query_id in judged])
        about.append(_told_of_exclusion(run, left, benchmark, protocol))
        run, benchmark = left.run, replace(benchmark, topics=topics, qrels=left.qrels)
    run.benchmark = benchmark
    return _Prepared(run, benchmark, tuple(about))


def _told_of_exclusion(run: Run, left: Excluded, benchmark: Benchmark, protocol: Protocol) -> str:
    """Say what was left out, and what it does to the benchmark's first measure."""
    measure, level = measure_of(benchmark, benchmark.measures[0]), benchmark.relevance_level
    before = evaluate(run, benchmark.qrels, [measure], relevance_level=level).aggregate(measure)
    after = evaluate(left.run, left.qrels, [measure], relevance_level=level).aggregate(measure)
    queries = f", {len(left.queries)} queries left the average" if left.queries else ""
    return (
        f"exclude_docs {', '.join(protocol.exclude_docs)}: {left.documents} documents of the run and "
        f"{left.judgments} judgments left out{queries}; "
        f"{measure.text(level)} is {after:.4f}, with them {before:.4f}"
    )


def _told_of_repeats(repeats: list[Scores]) -> list[str]:
    """Say how far apart the answers are when the system is asked again."""
    if len(repeats) == 1:
        return []
    first, level = repeats[0], repeats[0].relevance_level
    parts = []
    for measure in first.columns:
        values = [scores.aggregate(measure) for scores in repeats]
        text = measure.text(level)
        parts.append(f"{text} {number_of(text, min(values))} to {number_of(text, max(values))}")
    moved = sum(
        len({tuple(doc for doc, _, _ in scores.judged.top(query_id, TOP)) for scores in repeats}) > 1
        for query_id in first.query_ids
    )
    told = f"the top {TOP} differs for {moved} of {len(first.query_ids)} queries"
    return [f"asked {len(repeats)} times: {'; '.join([*parts, told])}"]


def measure_of(benchmark: Benchmark, text: str) -> Measure:
    """Read a measure as the benchmark means it: a bare ``AP`` is at its relevance level."""
    return Measure.parse(text, benchmark.relevance_level)


def depth_for(benchmark: Benchmark, measures: Iterable[Measure], ranks: Iterable[int | None] = ()) -> int:
    """Return the deepest cutoff or rank that is looked at; the benchmark's depth where all are."""
    # A condensed list of 10 may reach past rank 10, but one of 2000 can't be had of fewer documents.
    looking = (m for m in measures if not m.is_latency)
    depths = [m.sees or max(benchmark.depth, int(m.cutoff or 0)) for m in looking]
    return max([*depths, *(rank or benchmark.depth for rank in ranks)], default=benchmark.depth)
