"""Candidates for reranking: the documents of each query that a reranker may put in another order.

They are best first by the rule that ranks runs: score descending, equal scores by doc_id descending. The
published candidates of the passage tasks have no scores, so that the order of those says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_irbench.benchmarks.published import damaged
from pytest_irbench.benchmarks.topics import some_ids
from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.trec import RUN_FIELDS, Contents, read_contents

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

_DOC_ID, _SCORE = RUN_FIELDS.index("doc_id"), RUN_FIELDS.index("score")


class Candidates(Mapping[str, tuple[str, ...]]):
    """The candidates of each query by its id, best first; found when one is first needed.

    Parameters
    ----------
    find
        Finds them all; called once in a process. What it raises is raised where they are needed.
    """

    def __init__(self, find: Callable[[], Mapping[str, tuple[str, ...]]]) -> None:
        self._find = find

    def __getitem__(self, query_id: str) -> tuple[str, ...]:
        return self._found[query_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return "<Candidates>"

    def __reduce__(self) -> tuple[type[Candidates], tuple[Any]]:
        # A topic that goes to another process doesn't take the candidates of all queries along.
        return Candidates, (self._find,)

    @cached_property
    def _found(self) -> Mapping[str, tuple[str, ...]]:
        return self._find()


def read_candidates(path: str | Path, query_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Read the candidates of some queries from a TREC run file; its other queries are left out.

    Parameters
    ----------
    path
        Lines of ``query_id Q0 doc_id rank score tag`` in any order; the rank is not used.
    query_ids
        The judged queries.

    Raises
    ------
    InputError
        With file and line, as for a run; or when a judged query has no candidate, of which a reranker
        could return nothing.
    """
    contents = read_contents(Path(path))
    queries, docs, scores = _columns(contents)
    if not docs:
        raise InputError("has no candidates: did the step that makes them fail?", path)
    column = Ids.joined(docs)

    def refuse(row: int, fault: str) -> NoReturn:
        raise contents.fault(column.starts[row], fault)

    rows = zip(queries, column.to_list(), scores, strict=True)
    ranked = _best_first(rows, query_ids, refuse)
    missing = [query_id for query_id, found in ranked.items() if not found]
    if len(missing) == len(ranked):
        theirs, judged = some_ids(dict.fromkeys(queries)), some_ids(query_ids)
        fault = f"no judged query has candidates: the file has {theirs}, judged are {judged}"
        raise InputError(f"{fault}: use the ids of the qrels", path)
    if missing:
        fault = f"judged queries without candidates: {len(missing)} ({some_ids(missing)})"
        raise InputError(f"{fault}: add theirs or drop their judgments", path)
    return ranked


def published_candidates(
    records: Iterable[Any], query_ids: Collection[str], place: Path | str
) -> dict[str, tuple[str, ...]]:
    """Rank the candidates of some queries out of the records of ir_datasets.

    A query for which the publisher has none gets an empty tuple: its first stage found nothing.

    Parameters
    ----------
    records
        With ``query_id``, ``doc_id`` and ``score``.
    query_ids
        The judged queries.
    place
        The file, for messages, or the id of the data set.

    Raises
    ------
    DataUnavailableError
        When the file is not as it was published: a document stands twice in a query.
    """

    def refuse(_row: int, fault: str) -> NoReturn:
        raise damaged(place, f"cannot be used ({fault}): edited")

    rows = ((record.query_id, record.doc_id, float(record.score)) for record in records)
    return _best_first(rows, query_ids, refuse)


def _columns(contents: Contents) -> tuple[list[str], list[Ids], list[float]]:
    queries: list[list[str]] = []
    docs: list[Ids] = []
    scores: list[list[float]] = []
    for table, values in contents.tables(RUN_FIELDS, _SCORE):
        queries.append(table.ids(0).to_list())
        docs.append(table.ids(_DOC_ID))
        scores.append(values.tolist())
    return list(chain(*queries)), docs, list(chain(*scores))


def _best_first(
    rows: Iterable[tuple[str, str, float]],
    query_ids: Collection[str],
    refuse: Callable[[int, str], NoReturn],
) -> dict[str, tuple[str, ...]]:
    """Rank the documents of these queries; `refuse` raises the error for a row."""
    scored: dict[str, dict[str, float]] = {query_id: {} for query_id in query_ids}
    for row, (query_id, doc_id, score) in enumerate(rows):
        if query_id not in scored:
            continue
        if math.isnan(score):
            refuse(row, f"the score of document {doc_id!r} for query {query_id!r} is NaN")
        if doc_id in scored[query_id]:
            refuse(row, f"document {doc_id!r} is a candidate of query {query_id!r} twice")
        scored[query_id][doc_id] = score
    return {query_id: _ranked(docs) for query_id, docs in scored.items()}


def _ranked(docs: Mapping[str, float]) -> tuple[str, ...]:
    # Code points have the order of UTF-8.
    return tuple(sorted(docs, key=lambda doc_id: (docs[doc_id], doc_id), reverse=True))
