"""A run broken on purpose, in ways that real faults have: what a gate should notice.

A mutation picks rows of the run and puts them in another order. The run that comes of it has scores of its
own, which fall strictly, so that a swap is one whatever the tie rule says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pytest_irbench.measures.tie_rule import ranked_rows
from pytest_irbench.runs.columns import Columns
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from pytest_irbench.benchmarks.benchmark import Benchmark

    Ints = NDArray[np.int64]
    Rankings: TypeAlias = Mapping[str, Ints]
    Mutation: TypeAlias = Callable[[Rankings, Benchmark, np.random.Generator], Rankings]

KEPT_ON_TOP = 3
"""``shuffle the tail`` leaves this many documents of each query where they are."""

_SEED = 20


def mutants(run: Run, benchmark: Benchmark) -> Iterator[tuple[str, Run | None]]:
    """Give the name of every mutation with the run that it makes, or None where it changes nothing.

    Unjudged queries are left out, as no measure sees them. The same run gives the same mutants.

    Parameters
    ----------
    run
        The run as it is; a large file is read whole.
    benchmark
        Its judgments and, for conversations, its topics.
    """
    rankings = ranked_rows(run, benchmark.qrels.query_ids)
    for place, (name, mutation) in enumerate(MUTATIONS.items()):
        # A generator for each, so that none hangs on how much the ones before it drew.
        changed = mutation(rankings, benchmark, np.random.default_rng([_SEED, place]))
        yield name, None if _same(rankings, changed) else _run_of(run, changed)


def _run_of(run: Run, rankings: Rankings) -> Run:
    """Build the run that has these rows of another, in this order."""
    sizes = [len(rows) for rows in rankings.values()]
    rows = np.concatenate([np.zeros(0, np.int64), *rankings.values()])
    falling = [np.arange(size, 0, -1, dtype=np.float64) for size in sizes]
    offsets = np.cumsum(np.array([0, *sizes], np.int64))
    scores = np.concatenate([np.zeros(0), *falling])
    mutant = Run(Columns(tuple(rankings), offsets, run.doc_ids.take(rows), scores), run.name)
    mutant.latencies = run.latencies
    return mutant


def _same(one: Rankings, other: Rankings) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(rows, other[q]) for q, rows in one.items())


def _drop_query(rankings: Rankings, _benchmark: Benchmark, _rng: np.random.Generator) -> Rankings:
    first = next(iter(rankings), None)
    return {query_id: rows for query_id, rows in rankings.items() if query_id != first}


def _drop_conversation(rankings: Rankings, benchmark: Benchmark, _rng: np.random.Generator) -> Rankings:
    conversations = {topic.query_id: topic.conversation for topic in benchmark.topics}
    named = (conversations.get(query_id) for query_id in rankings)
    first = next((conversation for conversation in named if conversation is not None), None)
    if first is None:
        return rankings
    return {query_id: rows for query_id, rows in rankings.items() if conversations.get(query_id) != first}


def _each(change: Callable[[Ints, np.random.Generator], Ints]) -> Mutation:
    """Make a mutation of what is done to the ranking of each query."""

    def mutation(rankings: Rankings, _benchmark: Benchmark, rng: np.random.Generator) -> Rankings:
        return {query_id: change(rows, rng) for query_id, rows in rankings.items()}

    return mutation


def _shuffle_tail(rows: Ints, rng: np.random.Generator) -> Ints:
    return np.concatenate([rows[:KEPT_ON_TOP], rng.permutation(rows[KEPT_ON_TOP:])])


MUTATIONS: Mapping[str, Mutation] = {
    "drop a query": _drop_query,
    "drop a conversation": _drop_conversation,
    "remove rank 1": _each(lambda rows, _: rows[1:]),
    "swap 1 and 2": _each(lambda rows, _: np.concatenate([rows[:2][::-1], rows[2:]])),
    "reverse": _each(lambda rows, _: rows[::-1]),
    "truncate to half": _each(lambda rows, _: rows[: (len(rows) + 1) // 2]),
    "shuffle the tail": _each(_shuffle_tail),
    "random order": _each(lambda rows, rng: rng.permutation(rows)),
}
"""What is done to a run, by its name.

The query that is dropped is the first judged one, in the qrels' order, that the run answers; so is the first
of the conversation that is dropped. Everything else is done to the ranking of every query.
"""
