"""Hold a reranker to its candidates."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.runs.run import Run


def check_candidates(benchmark: Benchmark) -> None:
    """Find the candidates of a benchmark, before a system looks at them.

    Parameters
    ----------
    benchmark
        Its candidates are found now if they were not before.

    Raises
    ------
    InputError
        When the benchmark has no candidates, or their file is faulty.
    DataUnavailableError
        When the published candidates can't be had.
    """
    if benchmark.candidates is None:
        raise InputError(
            f"benchmark {benchmark.name} has no candidates to rerank: give it a file of candidates, "
            "or gate the system without rerank"
        )
    len(benchmark.candidates)


def check_reranked(run: Run, benchmark: Benchmark) -> None:
    """Refuse a run that returns documents beside the candidates of their query.

    Returning fewer than all candidates is fine. Queries that are no topic of the benchmark don't count,
    here as in any measure.

    Parameters
    ----------
    run
        With the doc_ids of the candidates.
    benchmark
        Its candidates are found now if they were not before.

    Raises
    ------
    InputError
        When there are such strangers, with their number and some of them; or when the benchmark has no
        candidates.
    DataUnavailableError
        When the published candidates can't be had.
    """
    check_candidates(benchmark)
    strangers = list(_strangers(run, benchmark))
    if not strangers:
        return
    queries = len({query_id for query_id, _ in strangers})
    named = ", ".join(f"{doc_id!r} for query {query_id!r}" for query_id, doc_id in islice(strangers, 3))
    raise InputError(
        f"run {run}: {_count(len(strangers), 'document')} of {_count(queries, 'query', 'queries')} "
        f"{'is no candidate' if len(strangers) == 1 else 'are no candidates'}: "
        f"{named}{', ...' if len(strangers) > 3 else ''}: "
        "return only documents of topic.candidates, with their ids as they stand there, "
        "or gate the system without rerank"
    )


def _strangers(run: Run, benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    docs = run.doc_ids.to_list()
    bounds = pairwise(run.columns.offsets.tolist())
    for query_id, (begin, end) in zip(run.query_ids, bounds, strict=True):
        topic = benchmark.topics.by_id(query_id)
        if topic is not None:
            candidates = frozenset(topic.candidates or ())
            yield from ((query_id, doc_id) for doc_id in docs[begin:end] if doc_id not in candidates)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
