"""Benchmarks from the user's own topics and qrels files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.candidates import Candidates, read_candidates
from pytest_irbench.benchmarks.extra_qrels import ExtraQrels
from pytest_irbench.benchmarks.qrels import read_qrels
from pytest_irbench.benchmarks.topics import judged_topics, read_topics

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def load_files(
    name: str,
    topics_path: str | Path,
    qrels_path: str | Path,
    relevance_level: int = Benchmark.relevance_level,
    depth: int = Benchmark.depth,
    measures: tuple[str, ...] = Benchmark.measures,
    description: str = "",
    candidates_path: str | Path | None = None,
    extra_qrels: Mapping[str, str | Path] | None = None,
) -> Benchmark:
    """Load a benchmark from a file of topics and a TREC qrels file.

    Topics without judgments are left out; as earlier turns they stay in the history of judged ones.

    Parameters
    ----------
    name
        What the benchmark is called.
    topics_path
        Lines of ``query_id``, tab, text; or CAsT-style JSON when it ends in ``.json`` or ``.json.gz``.
    qrels_path
        Lines of ``query_id iteration doc_id relevance``.
    relevance_level
        The lowest grade that counts as relevant for binary measures.
    depth
        How many documents per topic are asked for.
    measures
        The primary measure first.
    description
        One line for people.
    candidates_path
        A TREC run file with the candidates of each judged topic, for rerankers; read when first needed.
    extra_qrels
        The TREC qrels file of each extra label set, by a name that is an identifier; read when first
        needed. See `pytest_irbench.benchmarks.extra_qrels.ExtraQrels`.

    Raises
    ------
    InputError
        With file and place, when a file can't be read or the two do not fit together. Faults of the files
        that are read when first needed are raised there.
    """
    qrels = read_qrels(qrels_path)
    topics = judged_topics(read_topics(topics_path), qrels, topics_path)
    benchmark = Benchmark(name, topics, qrels, relevance_level, depth, tuple(measures), description)
    return with_files(benchmark, candidates_path, extra_qrels or {})


def with_files(
    benchmark: Benchmark, candidates_path: str | Path | None, extra_qrels: Mapping[str, str | Path]
) -> Benchmark:
    """Return a benchmark with the user's own candidates and extra label sets; see `load_files`."""
    query_ids = benchmark.qrels.query_ids
    given: dict[str, Any] = {}
    if candidates_path is not None:
        given["candidates"] = Candidates(partial(read_candidates, candidates_path, query_ids))
    if extra_qrels:
        given["extra_qrels"] = ExtraQrels(extra_qrels, query_ids)
    return replace(benchmark, **given)
