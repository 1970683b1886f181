"""A gate of a few queries: its rules as in irbench.yaml, its run and its baseline, all in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.benchmarks.topic_columns import TopicColumns
from pytest_irbench.errors import InputError
from pytest_irbench.gates.baseline import Provenance, make_baseline
from pytest_irbench.gates.decide import Verdict
from pytest_irbench.gates.declared import GateSpec, Spec
from pytest_irbench.gates.held import HeldBaseline
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.rulings import decide_threshold
from pytest_irbench.gates.spec import read_spec
from pytest_irbench.measures.evaluate import Scores, evaluate
from pytest_irbench.runs.run import Run

HEADER = "benchmarks: {tiny: {topics: t, qrels: q, extra_qrels: {sparse: s}}}\ngates:\n- benchmark: tiny\n  system: bm25\n"
"""What stands before the rules of a gate: these begin in line 5, column 3."""

PROVENANCE = Provenance("2024-05-31", "first", {"python": "3.11.7"}, "0123456789abcdef")

Grades = Mapping[str, Mapping[str, int]]
"""The number of each document of a query: its grade, or its score."""

Tenths = Mapping[str, int]
"""How many of its ten relevant documents d0 to d9 a query finds, in this order: R@10 is a tenth of it."""


def spec_of(text: str) -> Spec:
    """Read a whole file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "irbench.yaml")
        path.write_text(text, encoding="utf-8")
        return read_spec(path)


def rules_of(rules: str) -> GateSpec:
    """Read the rules of a gate."""
    return spec_of(HEADER + "".join(f"  {line}\n" for line in rules.splitlines())).gates[0]


def benchmark_of(queries: Tenths) -> Benchmark:
    """A benchmark whose queries are turns where their ids are like 31_2."""
    topics = []
    for query_id in queries:
        conversation, _, turn = query_id.partition("_")
        where = {"conversation": conversation, "turn": int(turn)} if turn else {}
        topics.append(Topic(f"the text of {query_id}", query_id, **where))  # type: ignore[arg-type]
    relevant = {f"d{i}": 1 for i in range(10)}
    return Benchmark("tiny", Topics(topics), Qrels.from_mapping(dict.fromkeys(queries, relevant)))


def scores_of(found: Tenths, gate: GateSpec, benchmark: Benchmark) -> Scores:
    """Score a run; a query that finds nothing is missing from it."""
    ranks = {q: {f"d{i}": 10.0 - i for i in range(many)} for q, many in found.items() if many}
    return evaluate(Run.from_mapping(ranks, "bm25"), benchmark, gate.measures or ("R@10",))


def gate_of(
    rules: str, now: Tenths, before: Tenths | None = None, columns: TopicColumns | None = None
) -> MeasuredGate:
    """Measure a run, and the baseline that it is held against if there is one."""
    gate, benchmark = rules_of(rules), benchmark_of(now)

    def hold() -> HeldBaseline:
        if before is None:
            raise InputError("there is no such baseline")
        scores = scores_of(before, gate, benchmark)
        return HeldBaseline(make_baseline(scores, benchmark, "bm25", depth=10, provenance=PROVENANCE), scores)

    return MeasuredGate(gate, benchmark, scores_of(now, gate, benchmark), hold, lambda: columns)


def asked_again(rules: str, *found: Tenths) -> MeasuredGate:
    """Measure a system that is asked several times; what is decided is the first answer."""
    gate = gate_of(rules, found[0])
    return replace(gate, repeats=tuple(scores_of(one, gate.spec, gate.benchmark) for one in found))


def gate_on(rules: str, run: Grades, qrels: Grades, sparse: Grades | None = None) -> MeasuredGate:
    """Measure a run that is given with its scores, each answer after 5 ms, on judgments that are given, too."""
    gate = rules_of(rules)
    topics = Topics([Topic(f"the text of {query_id}", query_id) for query_id in qrels])
    extra = {"sparse": Qrels.from_mapping(sparse)} if sparse else {}
    benchmark = Benchmark("tiny", topics, Qrels.from_mapping(qrels), extra_qrels=extra)
    found = Run.from_mapping(run, "bm25")
    found.latencies = dict.fromkeys(qrels, 5.0)
    scores = evaluate(found, benchmark, gate.measures or ("R@10",))

    def hold() -> HeldBaseline:
        raise InputError("there is no such baseline")

    return MeasuredGate(gate, benchmark, scores, hold, lambda: None)


def verdicts(gate: MeasuredGate) -> list[Verdict]:
    return [decide_threshold(threshold, gate) for threshold in gate.spec.thresholds]


def verdict(gate: MeasuredGate) -> Verdict:
    """The verdict of a gate's only threshold."""
    (only,) = verdicts(gate)
    return only
