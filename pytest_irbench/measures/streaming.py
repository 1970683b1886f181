"""The fast paths: a large run file scored window by window, and a mapping scored without its ids.

`judge` of a run that was not read yet comes here. A window of whole queries is split, checked, ranked
and joined with the qrels while it is in the processor's cache; only the judged documents of it are
kept. Two threads take the two halves of a file, parted between two queries: numpy lets both run. What
the windows can't settle alone (a fault, or a query whose lines stand apart) is left to the plain path,
which reads the file as a whole: it is the specification, and finds the fault with its line.

A mapping is a table of documents already: each judged one is looked up in it, and its rank follows from
the number of scores above its own. Ids are compared only where scores are equal.
"""

from __future__ import annotations

import marshal
import os
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_irbench.formats.trec import RUN_FIELDS, split
from pytest_irbench.formats.windows import BOM, Windows, is_gzip, keep_memory, open_source
from pytest_irbench.measures.ranking import InDoubtError, Join
from pytest_irbench.measures.tie_rule import standing
from pytest_irbench.runs.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.formats.trec import Table

    _Part = tuple[Join, set[str]]

_SCORE = RUN_FIELDS.index("score")
_DOC_ID = RUN_FIELDS.index("doc_id")
_PROBE = 1 << 20
_BINARY_FLOATS = 2  # the version of marshal's format
_LIST_HEAD = 5  # bytes: the letter of a list, and its length


def join_file(path: Path, qrels: Qrels, threads: int | None = None) -> Join | None:
    """Join a run file with qrels without holding it.

    Parameters
    ----------
    threads
        How many threads share the file, at most 2; by default one for each processor.

    Returns
    -------
    Join or None
        None when the file must be read as a whole.
    """
    qrels.prepare()
    keep_memory()
    cuts = [0, path.stat().st_size]
    if (threads or os.cpu_count() or 1) > 1 and not is_gzip(path):
        cuts = _halves(path)
    try:
        parts = _on_threads(partial(_join_part, path, qrels), cuts[:-1], cuts[1:])
    except (InDoubtError, OSError, EOFError, zlib.error):
        return None
    joined, seen = parts[0]
    for join, others in parts[1:]:
        if seen & others:
            return None
        joined.merge(join)
    return joined


def _on_threads(work: Callable[[int, int], _Part], begins: list[int], ends: list[int]) -> list[_Part]:
    """Do some work for each part of a file, each on a thread of its own."""
    if len(begins) == 1:
        return [work(begins[0], ends[0])]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(begins)) as pool:
        return list(pool.map(work, begins, ends))


def _join_part(path: Path, qrels: Qrels, begin: int, end: int) -> _Part:
    """Join the queries between two places of the file; also return which those are."""
    join, seen = Join(qrels), set[str]()
    with open_source(path, begin, None if is_gzip(path) else end) as source:
        windows, keep = Windows(source, begin), 0
        while window := windows.next(keep):
            table = split(window.data, window.begin, window.end, len(RUN_FIELDS))
            if table is None or window.data[window.begin : window.begin + len(BOM)].tobytes() == BOM:
                raise InDoubtError
            columns, starts, keep = _whole_queries(table, window.end, last=windows.at_end)
            places = (starts - window.begin + window.offset).tolist()
            join.places.update(zip(columns.query_ids, places, strict=True))
            if not seen.isdisjoint(columns.query_ids):
                raise InDoubtError
            seen.update(columns.query_ids)
            join.add(columns, checked=False)
    return join, seen


def _whole_queries(table: Table, end: int, *, last: bool) -> tuple[Columns, NDArray[np.int64], int]:
    """Return the queries that end in a window, where each begins, and the bytes of one that may go on."""
    queries = table.ids(0)
    begins = np.flatnonzero(queries.changes())
    offsets = np.append(begins, len(table)) if last or not len(table) else begins
    keep = 0 if last or not len(table) else end - int(queries.starts[begins[-1]])
    table = table.first(int(offsets[-1]))
    names = tuple(queries.take(offsets[:-1]).to_list())
    if not len(table):
        return Columns((), np.zeros(1, np.int64), table.ids(_DOC_ID), np.zeros(0)), offsets[:-1], keep
    scores = table.numbers(_SCORE)
    columns = Columns(names, offsets, table.ids(_DOC_ID), np.zeros(0) if scores is None else scores)
    if scores is None or len(set(names)) < len(names) or np.isnan(scores).any():
        raise InDoubtError
    return columns, queries.starts[offsets[:-1]], keep


def _halves(path: Path) -> list[int]:
    """Return where to part a file: near its middle, in front of the first line of a query."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(size // 2)
        lines = file.read(_PROBE).split(b"\n")
    place = size // 2 + len(lines[0]) + 1
    before = None
    # The first line is cut at the front, the last one at the end.
    for line in lines[1:-1]:
        query = line.split(None, 1)[:1]
        if before is not None and query and query != before:
            return [0, place, size]
        before = query or before
        place += len(line) + 1
    return [0, size]


def join_mapping(mapping: Mapping[Any, Any], qrels: Qrels) -> Join | None:
    """Join ``{query_id: {doc_id: score}}`` with qrels.

    Returns
    -------
    Join or None
        None when ids are not text or scores are not floats: that is for the plain path.
    """
    join = Join(qrels)
    join.answered = tuple(mapping)[:3]
    queries: list[int] = []
    counts: list[int] = []
    above: list[NDArray[np.int64]] = []
    grades: list[int] = []
    for query_id, docs in mapping.items():
        ascending = _scores(query_id, docs)
        if ascending is None:
            return None
        join.documents += len(docs)
        query = qrels.query_index.get(query_id)
        if query is None:
            join.extra += 1
            continue
        grade_of = qrels.by_query[query]
        found = list(grade_of.keys() & docs.keys())
        own = np.array(list(map(docs.__getitem__, found)), np.float64)
        higher, tied, join.first_tie[query] = standing(ascending, own)
        for place in tied.nonzero()[0].tolist():
            higher[place] += _larger_ids(docs, found[place])
        join.returned[query] = len(docs)
        queries.append(query)
        counts.append(len(found))
        above.append(higher)
        grades += map(grade_of.__getitem__, found)
    if queries:
        join.found.append((np.repeat(queries, counts), np.concatenate(above) + 1, np.array(grades, np.int64)))
    return join


def _scores(query_id: object, docs: object) -> NDArray[np.float64] | None:
    """Return the scores of a ranking from text to floats, ascending; None for any other, or with NaN."""
    if type(query_id) is not str or type(docs) is not dict:
        return None
    try:
        # Joining takes text and nothing else, and sees to it in a third of the time that asking each takes.
        text = "".join(docs)
        if not text.isascii():
            text.encode()
        packed = marshal.dumps(list(docs.values()), _BINARY_FLOATS)
    except (TypeError, ValueError):
        return None
    # To marshal a float is the letter g and eight bytes. When it is a g in each ninth place from the first
    # one on, the first one is a float, so is the next one, and so on: this asks for the type, too.
    if len(packed) != _LIST_HEAD + 9 * len(docs) or packed[_LIST_HEAD::9] != b"g" * len(docs):
        return None
    if not docs:
        return np.zeros(0)
    ascending = np.ndarray((len(docs),), "<f8", packed, _LIST_HEAD + 1, (9,)).copy()
    ascending.sort()
    # NaN goes last.
    return None if np.isnan(ascending[-1]) else ascending


def _larger_ids(docs: dict[str, float], doc_id: str) -> int:
    """Count the documents with the score of this one that the tie rule puts in front of it."""
    score = docs[doc_id]
    # Text compares by code points, which is the bytewise order of UTF-8.
    return sum(other > doc_id for other, its in docs.items() if its == score)
