"""Benchmarks out of ir_datasets: the only module that imports it, and only when one is loaded.

The built-in benchmarks are made from its download entries and readers, all six in the same way, since
CAsT 2021 is not registered there. So they are also read from a folder that can't be written, and follow
``IR_DATASETS_HOME`` when it changes while the process runs.
"""

from __future__ import annotations

import difflib
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.builtin import BUILTIN, BenchmarkInfo, Entry
from pytest_irbench.benchmarks.candidates import Candidates, published_candidates
from pytest_irbench.benchmarks.conversations import read_utterances
from pytest_irbench.benchmarks.handlers import files_of, form_of, place_of
from pytest_irbench.benchmarks.home import data_home, info_of, path_of
from pytest_irbench.benchmarks.importing import import_ir_datasets, is_writable
from pytest_irbench.benchmarks.kept import keep, load_kept
from pytest_irbench.benchmarks.published import check_candidates, check_qrels, check_topics, unreadable
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.benchmarks.records import is_conversational, judgments_in, read, topics_in
from pytest_irbench.benchmarks.topics import judged_topics
from pytest_irbench.errors import DataUnavailableError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from pytest_irbench.benchmarks.fetching import DataFile
    from pytest_irbench.benchmarks.rewrites import ManualRewrites


def load_builtin(name: str) -> Benchmark:
    """Load a built-in benchmark, fetching its topics and qrels when they are not on disk.

    Raises
    ------
    InputError
        When there is no such benchmark.
    DataUnavailableError
        When a file is missing and can't be fetched, or is not the published one.
    """
    info, home = info_of(name), data_home()
    rewrites = partial(_manual_rewrite, home) if name == "cast19" else None
    topics, qrels = load_kept(info, home, rewrites) or _load_published(info, home, rewrites)
    entry = info.candidates
    find = partial(_builtin_candidates, info, entry, home, qrels.query_ids) if entry else None
    protocol = info.relevance_level, info.depth, info.measures, info.description
    return Benchmark(name, topics, qrels, *protocol, Candidates(find) if find else None)


def _load_published(
    info: BenchmarkInfo, home: Path, rewrites: Callable[[str], str | None] | None
) -> tuple[Topics, Qrels]:
    """Load topics and qrels with ir_datasets, hold them to their pins, and keep them."""
    from pytest_irbench.benchmarks.fetching import ensure

    import_ir_datasets(home)
    files = [_file(entry, home) for entry in (info.topics, info.qrels)]
    ensure(info.name, files, home)
    # The order of queries is that of the canonical form, now and when they were kept.
    qrels = Qrels.from_canonical(_builtin_qrels(info, home).canonical)
    judged = set(qrels.query_ids)
    topics = Topics([topic for topic in _builtin_topics(info, home) if topic.query_id in judged])
    check_topics(info, topics, path_of(info.topics, home))
    keep(info, home, topics, qrels, rewrites)
    return topics, qrels


def load_ir_datasets(
    dataset_id: str,
    name: str,
    relevance_level: int = Benchmark.relevance_level,
    depth: int = Benchmark.depth,
    measures: tuple[str, ...] = Benchmark.measures,
    description: str = "",
) -> Benchmark:
    """Load topics and qrels of any data set that ir_datasets knows, never its documents.

    Its scoreddocs, where it has them, are the candidates for rerankers, loaded when first needed.

    Parameters
    ----------
    dataset_id
        For instance ``beir/scifact/test``.
    name
        What the benchmark is called.
    relevance_level
        The lowest grade that counts as relevant for binary measures.
    depth
        How many documents per topic are asked for.
    measures
        The primary measure first.
    description
        One line for people.

    Raises
    ------
    InputError
        When ir_datasets doesn't know the id, or it has no topics and qrels that can be used.
    DataUnavailableError
        When a file is missing and can't be fetched, or can't be read.
    """
    home = data_home()
    if not is_writable(home):
        raise DataUnavailableError(
            f"{name}: ir_datasets must write into its folder {home} to load {dataset_id!r}: "
            "make it writable or set IR_DATASETS_HOME to a folder that is"
        )
    import_ir_datasets(home)
    topics, qrels = _registered_topics_and_qrels(dataset_id, name, home)
    candidates = None
    if _registered(dataset_id).has("scoreddocs"):
        candidates = Candidates(partial(_registered_candidates, dataset_id, name, home, qrels.query_ids))
    return Benchmark(name, topics, qrels, relevance_level, depth, tuple(measures), description, candidates)


def _registered_topics_and_qrels(dataset_id: str, name: str, home: Path) -> tuple[Topics, Qrels]:
    from pytest_irbench.benchmarks.fetching import ensure

    dataset = _registered(dataset_id)
    queries, qrels = _queries_handler(dataset_id, dataset), dataset.qrels_handler()
    topics_files, qrels_files = list(files_of(queries)), list(files_of(qrels))
    ensure(name, topics_files + qrels_files, home)
    judged = read(qrels.qrels_iter, place_of(qrels_files, dataset_id))
    judgments = Qrels.from_rows(judgments_in(judged), dataset_id)
    records = read(queries.queries_iter, place_of(topics_files, dataset_id))
    return judged_topics(topics_in(records), judgments, dataset_id), judgments


def _registered_candidates(
    dataset_id: str, name: str, home: Path, query_ids: Collection[str]
) -> dict[str, tuple[str, ...]]:
    from pytest_irbench.benchmarks.fetching import ensure

    import_ir_datasets(home)
    scored = _registered(dataset_id).scoreddocs_handler()
    files = list(files_of(scored))
    ensure(f"the candidates of {name}", files, home)
    place = place_of(files, dataset_id)
    return published_candidates(read(scored.scoreddocs_iter, place), query_ids, place)


def _file(entry: Entry, home: Path) -> DataFile:
    from ir_datasets.datasets.msmarco_passage import DUA
    from ir_datasets.util import DownloadConfig

    from pytest_irbench.benchmarks.fetching import DataFile

    path, url = path_of(entry, home), DownloadConfig.context(entry.area).contents()[entry.key]["url"]
    terms = DUA if entry.area.startswith("msmarco") else None
    store = _store(entry, home)
    return DataFile(path, url, store.path, terms, form_of(store))


def _store(entry: Entry, home: Path) -> Any:
    """Return ir_datasets' object that fetches a file and opens it."""
    from ir_datasets.datasets.msmarco_passage import ExtractQidPid
    from ir_datasets.util import Cache, DownloadConfig, GzipExtract

    path, download = path_of(entry, home), DownloadConfig.context(entry.area, home / entry.area)[entry.key]
    # Two kinds of entries have no place of their own: ir_datasets keeps them unpacked, or the ids alone.
    if path.name == "queries.tsv":
        return Cache(GzipExtract(download), path)
    if path.name == "ms.run":
        return Cache(ExtractQidPid(GzipExtract(download)), path)
    return download


def _stream(entry: Entry, home: Path) -> Any:
    """Return what opens a file for a reader, which unpacks nothing itself."""
    from ir_datasets.util import GzipExtract

    store = _store(entry, home)
    return GzipExtract(store) if entry.path.endswith(".gz") else store


def _builtin_qrels(info: BenchmarkInfo, home: Path) -> Qrels:
    from ir_datasets.formats import TrecQrels

    path = path_of(info.qrels, home)
    records = read(TrecQrels(_store(info.qrels, home), {}).qrels_iter, path)
    try:
        qrels = Qrels.from_rows(judgments_in(records))
    except InputError as error:
        raise unreadable(path, error) from None
    check_qrels(info, qrels, path)
    return qrels


def _builtin_topics(info: BenchmarkInfo, home: Path) -> list[Topic]:
    from ir_datasets.datasets.trec_cast import Cast2019Query, Cast2021Query, CastQueries
    from ir_datasets.formats import TsvQueries

    path, store = path_of(info.topics, home), _stream(info.topics, home)
    if info.name == "cast19":
        rewrite = partial(_manual_rewrite, home)
        return topics_in(read(CastQueries(store, Cast2019Query).queries_iter, path), rewrite)
    if info.name == "cast21":
        records = read(CastQueries(store, Cast2021Query).queries_iter, path)
        # That reader leaves the canonical responses out, ours of the same file does not.
        return topics_in(records, responses={said.query_id: said for said in read_utterances(path)})
    return topics_in(read(TsvQueries(store).queries_iter, path))


def _builtin_candidates(
    info: BenchmarkInfo, entry: Entry, home: Path, query_ids: Collection[str]
) -> dict[str, tuple[str, ...]]:
    from pytest_irbench.benchmarks.fetching import ensure

    import_ir_datasets(home)
    from ir_datasets.formats import TrecScoredDocs

    ensure(f"the candidates of {info.name}", [_file(entry, home)], home)
    path = path_of(entry, home)
    records = read(TrecScoredDocs(_stream(entry, home)).scoreddocs_iter, path)
    candidates = published_candidates(records, query_ids, path)
    check_candidates(info, candidates, path)
    return candidates


def _manual_rewrite(home: Path, query_id: str) -> str | None:
    import_ir_datasets(home)
    return _manual_rewrites(home).get(query_id)


@lru_cache(maxsize=1)
def _manual_rewrites(home: Path) -> ManualRewrites:
    from ir_datasets.util import Download, DownloadConfig, RequestsDownload

    from pytest_irbench.benchmarks.fetching import DataFile
    from pytest_irbench.benchmarks.rewrites import FILE_MD5, FILE_NAME, ManualRewrites

    # They are published beside the topics.
    topics = BUILTIN["cast19"].topics
    path = path_of(topics, home).with_name(FILE_NAME)
    beside = DownloadConfig.context(topics.area).contents()[topics.key]["url"]
    url = f"{beside.rpartition('/')[0]}/{FILE_NAME}"
    download = Download([RequestsDownload(url)], str(path), FILE_MD5)
    return ManualRewrites(path, DataFile(path, url, download.path), home)


def _registered(dataset_id: str) -> Any:
    """Return the data set if it has queries and qrels."""
    from ir_datasets import registry

    from pytest_irbench.benchmarks.fetching import quiet

    try:
        with quiet():
            dataset = registry[dataset_id]
    except KeyError:
        close = difflib.get_close_matches(dataset_id, list(registry), n=3, cutoff=0.5)
        hint = f", did you mean {_either(close)}?" if close else ": see https://ir-datasets.com"
        raise InputError(f"ir_datasets has no data set {dataset_id!r}{hint}") from None
    lacks = [what for what in ("queries", "qrels") if not dataset.has(what)]
    if lacks:
        parts = [part for part in registry if part.startswith(f"{dataset_id}/")]
        judged = [part for part in parts if all(map(registry[part].has, ("queries", "qrels")))]
        hint = f": try {_either(judged[:3])}" if judged else ""
        raise InputError(f"{dataset_id!r} of ir_datasets has no {' and no '.join(lacks)}{hint}")
    return dataset


def _either(names: list[str]) -> str:
    return " or ".join(map(repr, names))


def _queries_handler(dataset_id: str, dataset: Any) -> Any:
    """Return the queries; for the judged part of conversations all of them, as their history needs."""
    from ir_datasets import registry

    whole = dataset_id.removesuffix("/judged")
    if is_conversational(dataset.queries_cls()) and whole in registry and registry[whole].has("queries"):
        return registry[whole].queries_handler()
    return dataset.queries_handler()
