"""Benchmarks out of ir_datasets: the only module that imports it, and only when one is loaded.

The built-in benchmarks are made from its download entries and readers, all six in the same way, since
CAsT 2021 is not registered there. So they are also read from a folder that can't be written, and follow
``IR_DATASETS_HOME`` when it changes while the process runs.
"""

from __future__ import annotations

import difflib
import os
import sys
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.builtin import BUILTIN, BenchmarkInfo, Entry
from pytest_irbench.benchmarks.conversations import read_utterances
from pytest_irbench.benchmarks.home import data_home, info_of, path_of
from pytest_irbench.benchmarks.kept import keep, load_kept
from pytest_irbench.benchmarks.published import check_qrels, check_topics, unreadable
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.benchmarks.records import is_conversational, judgments_in, read, topics_in
from pytest_irbench.benchmarks.topics import judged_topics
from pytest_irbench.errors import DataUnavailableError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    return Benchmark(name, topics, qrels, info.relevance_level, info.depth, info.measures, info.description)


def _load_published(
    info: BenchmarkInfo, home: Path, rewrites: Callable[[str], str | None] | None
) -> tuple[Topics, Qrels]:
    """Load topics and qrels with ir_datasets, hold them to their pins, and keep them."""
    from pytest_irbench.benchmarks.fetching import ensure

    _import_ir_datasets(home)
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
    from pytest_irbench.benchmarks.fetching import ensure

    home = data_home()
    if not _writable(home):
        raise DataUnavailableError(
            f"{name}: ir_datasets must write into its folder {home} to load {dataset_id!r}: "
            "make it writable or set IR_DATASETS_HOME to a folder that is"
        )
    _import_ir_datasets(home)
    dataset = _registered(dataset_id)
    queries, qrels = _queries_handler(dataset_id, dataset), dataset.qrels_handler()
    topics_files, qrels_files = list(_files_of(queries)), list(_files_of(qrels))
    ensure(name, topics_files + qrels_files, home)
    judged = read(qrels.qrels_iter, _place(qrels_files, dataset_id))
    judgments = Qrels.from_rows(judgments_in(judged), dataset_id)
    records = read(queries.queries_iter, _place(topics_files, dataset_id))
    topics = judged_topics(topics_in(records), judgments, dataset_id)
    return Benchmark(name, topics, judgments, relevance_level, depth, tuple(measures), description)


def _import_ir_datasets(home: Path) -> None:
    """Import ir_datasets, which creates folders in its home while it is imported.

    Where it may not, it gets another home for that moment: what is read of the built-in benchmarks
    does not depend on it.
    """
    if "ir_datasets" in sys.modules or _writable(home):
        _import()
    else:
        with TemporaryDirectory() as scratch, _ir_datasets_home(scratch):
            _import()


def _import() -> None:
    try:
        import_module("ir_datasets")
    except OSError as error:
        raise DataUnavailableError(
            f"ir_datasets cannot create its folders ({error}): "
            "make them writable or set IR_DATASETS_HOME to a folder that is"
        ) from None


def _writable(home: Path) -> bool:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(home, os.W_OK)


@contextmanager
def _ir_datasets_home(home: str) -> Iterator[None]:
    before = os.environ.get("IR_DATASETS_HOME")
    os.environ["IR_DATASETS_HOME"] = home
    try:
        yield
    finally:
        del os.environ["IR_DATASETS_HOME"]
        if before is not None:
            os.environ["IR_DATASETS_HOME"] = before


def _file(entry: Entry, home: Path) -> DataFile:
    from ir_datasets.datasets.msmarco_passage import DUA
    from ir_datasets.util import DownloadConfig

    from pytest_irbench.benchmarks.fetching import DataFile

    path, url = path_of(entry, home), DownloadConfig.context(entry.area).contents()[entry.key]["url"]
    terms = DUA if entry.area.startswith("msmarco") else None
    unpacked = url.endswith(".gz") and path.suffix != ".gz"
    return DataFile(path, url, _store(entry, home).path, terms, unpacked)


def _store(entry: Entry, home: Path) -> Any:
    """Return ir_datasets' object that fetches a file and opens it."""
    from ir_datasets.util import Cache, DownloadConfig, GzipExtract

    download = DownloadConfig.context(entry.area, home / entry.area)[entry.key]
    if entry.path.endswith(".tsv"):
        # The one entry without a place of its own: ir_datasets keeps it unpacked.
        return Cache(GzipExtract(download), path_of(entry, home))
    return download


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
    from ir_datasets.util import GzipExtract

    path, store = path_of(info.topics, home), _store(info.topics, home)
    if info.name == "cast19":
        rewrite = partial(_manual_rewrite, home)
        return topics_in(read(CastQueries(store, Cast2019Query).queries_iter, path), rewrite)
    if info.name == "cast21":
        records = read(CastQueries(store, Cast2021Query).queries_iter, path)
        # That reader leaves the canonical responses out, ours of the same file does not.
        return topics_in(records, responses={said.query_id: said for said in read_utterances(path)})
    stream = GzipExtract(store) if path.suffix == ".gz" else store
    return topics_in(read(TsvQueries(stream).queries_iter, path))


def _manual_rewrite(home: Path, query_id: str) -> str | None:
    _import_ir_datasets(home)
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


def _place(files: list[DataFile], dataset_id: str) -> Path | str:
    """Name the file that was read, or the data set when ir_datasets keeps none."""
    return next((file.path for file in files if file.path), dataset_id)


def _files_of(part: Any) -> Iterator[DataFile]:
    """Find the files behind a handler of ir_datasets, which has no public way to ask for them."""
    from ir_datasets.formats import BaseDocs
    from ir_datasets.util import Cache, Download, TarExtractAll, ZipExtractCache

    from pytest_irbench.benchmarks.fetching import DataFile

    if isinstance(part, Download):
        kept_at = part._cache_path  # noqa: SLF001 - its path() would download what has no place of its own
        path = Path(kept_at) if kept_at else None
        url = next((source.url for source in part.mirrors if hasattr(source, "url")), "")
        yield DataFile(path, url, part.path, part.dua)
        return
    inside = part if isinstance(part, list) else list(getattr(part, "__dict__", {}).values())
    ours = (piece for piece in inside if _is_of_ir_datasets(piece) and not isinstance(piece, BaseDocs))
    found = [file for piece in ours for file in _files_of(piece)]
    if found and isinstance(part, (Cache, TarExtractAll, ZipExtractCache)):
        # What it unpacks is kept; what it unpacks from is needed only until then.
        kept = Path(part.path(force=False))
        yield DataFile(kept, found[0].url, part.path, found[0].terms, unpacked=True)
    else:
        yield from found


def _is_of_ir_datasets(part: Any) -> bool:
    return isinstance(part, list) or type(part).__module__.startswith("ir_datasets.")
