"""A run broken on purpose: each mutation does what its name says, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.mutations import KEPT_ON_TOP, MUTATIONS, mutants
from pytest_irbench.runs.run import Run

QUERIES = ["31_1", "31_2", "007"]
WHOLE = ("swap 1 and 2", "reverse", "shuffle the tail", "random order")


def benchmark(queries: list[str] = QUERIES, conversations: bool = True) -> Benchmark:
    topics = [
        Topic("text", query_id, conversation=query_id.split("_")[0] if conversations else None)
        for query_id in queries
    ]
    return Benchmark("tiny", Topics(topics), Qrels.from_mapping({query_id: {"a": 1} for query_id in queries}))


def ranked(run: Run | None) -> dict[str, str]:
    """Each query's documents, which have ids of one letter, best first; equal scores by id, descending."""
    assert run is not None
    return {
        query_id: "".join(sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True))
        for query_id, docs in run.to_mapping().items()
    }


def mutated(name: str, rankings: dict[str, str], judged: Benchmark | None = None) -> dict[str, str] | None:
    """The rankings after a mutation, those of the run given as texts."""
    scores = {q: {doc: -float(place) for place, doc in enumerate(docs)} for q, docs in rankings.items()}
    mutant = dict(mutants(Run.from_mapping(scores), judged or benchmark()))[name]
    return None if mutant is None else ranked(mutant)


RANKINGS = {"99": "xyz", "007": "edcba", "31_1": "abcd", "31_2": "f"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("drop a query", {"31_2": "f", "007": "edcba"}),
        ("drop a conversation", {"007": "edcba"}),
        ("remove rank 1", {"31_1": "bcd", "31_2": "", "007": "dcba"}),
        ("swap 1 and 2", {"31_1": "bacd", "31_2": "f", "007": "decba"}),
        ("reverse", {"31_1": "dcba", "31_2": "f", "007": "abcde"}),
        ("truncate to half", {"31_1": "ab", "31_2": "f", "007": "edc"}),
    ],
)
def test_a_mutation_does_what_its_name_says_to_judged_queries(name: str, expected: dict[str, str]) -> None:
    assert mutated(name, RANKINGS) == expected


def test_the_tail_is_shuffled_below_rank_3() -> None:
    long = "abcdefghijklmnopqrstuvwxyz"
    result = mutated("shuffle the tail", {"007": long})
    assert result is not None
    assert result["007"][:KEPT_ON_TOP] == "abc"
    assert result["007"] != long
    assert sorted(result["007"]) == sorted(long)


def test_every_query_is_shuffled_in_its_own_way() -> None:
    long = "abcdefghijklmnopqrstuvwxyz"
    result = mutated("random order", {"31_1": long, "007": long})
    assert result is not None
    assert len({long, *result.values()}) == 3


@pytest.mark.parametrize(
    ("name", "docs"),
    [
        ("swap 1 and 2", "a"),
        ("reverse", "a"),
        ("truncate to half", "a"),
        ("shuffle the tail", "abcd"),
        ("random order", "a"),
    ],
)
def test_what_changes_nothing_is_no_mutant(name: str, docs: str) -> None:
    assert mutated(name, {"007": docs}) is None


def test_without_conversations_none_is_dropped() -> None:
    assert mutated("drop a conversation", RANKINGS, benchmark(conversations=False)) is None


def test_a_conversation_that_the_run_does_not_answer_is_not_the_one_that_is_dropped() -> None:
    assert mutated("drop a conversation", {"007": "ab", "31_2": ""}) == {}


def test_a_query_without_documents_is_not_the_one_that_is_dropped() -> None:
    assert mutated("drop a query", {"31_1": "", "31_2": "a", "007": "b"}) == {"007": "b"}


def test_ties_are_broken_by_the_tie_rule_before_ranks_are_swapped() -> None:
    run = Run.from_mapping({"007": {"a": 1.0, "b": 1.0, "c": 1.0}})
    made = dict(mutants(run, benchmark()))
    assert ranked(run) == {"007": "cba"}
    assert ranked(made["swap 1 and 2"]) == {"007": "bca"}
    swapped = made["swap 1 and 2"]
    assert swapped is not None
    assert len(set(swapped.scores.tolist())) == 3


@st.composite
def runs(draw: st.DrawFn) -> Run:
    docs = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 3).map(float))
    mapping = draw(st.dictionaries(st.sampled_from([*QUERIES, "99"]), docs))
    return Run.from_mapping(mapping)


@given(runs(), st.booleans())
def test_a_mutant_has_documents_of_the_run_and_the_same_run_the_same_mutants(run: Run, turns: bool) -> None:
    before = {q: docs for q, docs in ranked(run).items() if docs and q != "99"}
    judged = benchmark(conversations=turns)
    made = dict(mutants(run, judged))
    assert list(made) == list(MUTATIONS)
    again = dict(mutants(Run.from_mapping(dict(reversed(run.to_mapping().items()))), judged))
    for name, mutant in made.items():
        if mutant is None:
            assert again[name] is None
            continue
        after = ranked(mutant)
        assert after == ranked(again[name])
        assert after != before
        assert after.keys() <= before.keys()
        for query_id, docs in after.items():
            assert set(docs) <= set(before[query_id])
            assert name not in WHOLE or sorted(docs) == sorted(before[query_id])
