"""A reranker is held to its candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_irbench import Benchmark, Qrels, Run, Topic, Topics
from pytest_irbench.errors import InputError
from pytest_irbench.runs.rerank import check_reranked
from pytest_irbench.runs.run import read_run

NEXT = (
    ": return only documents of topic.candidates, with their ids as they stand there, "
    "or gate the system without rerank"
)


@pytest.fixture
def benchmark() -> Benchmark:
    qrels = Qrels.from_mapping({"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"d": 1}})
    topics = Topics([Topic("red shoes", "q1"), Topic("socks", "q2"), Topic("hats", "q3")])
    return Benchmark("shop", topics, qrels, candidates={"q1": ["a", "b"], "q2": ["c"]})


def _fault(run: Run, benchmark: Benchmark) -> str:
    with pytest.raises(InputError) as caught:
        check_reranked(run, benchmark)
    return str(caught.value)


@pytest.mark.parametrize(
    "mapping",
    [
        {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}},
        {"q1": {"b": 2.0}},
        {"q1": {"b": 2.0}, "q2": {}, "q3": {}},
        {"q1": {"a": 1.0}, "no topic": {"x": 1.0}},
    ],
    ids=["all candidates", "fewer", "none for a query", "another query"],
)
def test_what_returns_candidates_alone_is_a_reranker(
    benchmark: Benchmark, mapping: dict[str, dict[str, float]]
) -> None:
    check_reranked(Run.from_mapping(mapping), benchmark)


def test_strangers_are_counted_and_three_of_them_named(benchmark: Benchmark) -> None:
    run = Run.from_mapping(
        {"q1": {"x": 3.0, "a": 2.0, "y": 1.0}, "q2": {"a": 1.0, "b": 0.5}, "no topic": {"x": 1.0}}, "bert"
    )
    assert _fault(run, benchmark) == (
        "run bert: 4 documents of 2 queries are no candidates: "
        f"'x' for query 'q1', 'y' for query 'q1', 'a' for query 'q2', ...{NEXT}"
    )


def test_one_stranger_is_named(benchmark: Benchmark) -> None:
    run = Run.from_mapping({"q1": {"A": 3.0, "a": 2.0}}, "bert")
    assert _fault(run, benchmark) == (
        f"run bert: 1 document of 1 query is no candidate: 'A' for query 'q1'{NEXT}"
    )


def test_any_document_of_a_topic_without_candidates_is_a_stranger(benchmark: Benchmark) -> None:
    assert "'d' for query 'q3'" in _fault(Run.from_mapping({"q3": {"d": 1.0}}), benchmark)


def test_a_run_file_is_named(benchmark: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "bert.run"
    path.write_text("q1 Q0 x 1 3 bert\n")
    assert _fault(read_run(path), benchmark).startswith(f"run bert ({path}): 1 document of 1 query")


def test_a_benchmark_without_candidates_can_hold_no_reranker() -> None:
    benchmark = Benchmark("shop", Topics([Topic("x", "q1")]), Qrels.from_mapping({"q1": {"a": 1}}))
    assert _fault(Run.from_mapping({"q1": {"a": 1.0}}), benchmark) == (
        "benchmark shop has no candidates to rerank: give it a file of candidates, "
        "or gate the system without rerank"
    )
