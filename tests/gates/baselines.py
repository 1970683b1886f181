"""A small baseline for the tests of what is stored and how."""

from __future__ import annotations

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.baseline import Baseline, Provenance, make_baseline
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.run import Run

PROVENANCE = Provenance("2024-05-31", "first", {"python": "3.11.7", "numpy": "2.1.0"}, None)
QRELS = {"h02": {"b": 1}, "h01": {"a": 2, "z": 1}}
RANKINGS = {"h01": {"a": 3.0, "b": 2.5, "z": 0.1}, "h02": {"a": 2.0, "b": 1.0}}


def baseline_of(
    rankings: dict[str, dict[str, float]] = RANKINGS,
    *,
    qrels: dict[str, dict[str, int]] = QRELS,
    measures: tuple[str, ...] = ("RR@2", "nDCG@2"),
    depth: int = 2,
    provenance: Provenance = PROVENANCE,
    name: str = "bm25",
) -> Baseline:
    topics = Topics([Topic(f"the text of {query_id}", query_id) for query_id in sorted(qrels)])
    benchmark = Benchmark("helpdesk", topics, Qrels.from_mapping(qrels))
    scores = evaluate(Run.from_mapping(rankings, name), benchmark, measures)
    return make_baseline(scores, benchmark, "bm25", depth=depth, provenance=provenance, gates="irbench.yaml")
