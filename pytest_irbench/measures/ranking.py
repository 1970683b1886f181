"""The join of run and qrels that every measure reads: where the judged documents stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.rows import document_keys, has_twins
from pytest_irbench.measures.tie_rule import in_order, inverse, rank, resolve_ties, standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.formats.ids import Ids
    from pytest_irbench.runs.columns import Columns
    from pytest_irbench.runs.run import Run

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class JudgedRanking:
    """A run as its qrels see it: where the judged documents of each query stand.

    Queries are those of the qrels, in their order, ``q`` of them; a query that the run lacks has no
    documents. ``n`` judged documents were returned.

    Attributes
    ----------
    run, qrels
        What was joined.
    returned
        Number of documents that the run has for each query; shape (q,).
    query, rank, grade
        The judged documents that were returned, by query and rank: position of the query, rank from
        1, grade; shape (n,).
    first_tie
        The rank of the first document whose score the next one shares, 0 where there is none;
        shape (q,).
    extra
        Number of the run's queries that have no judgments: they are left out.
    """

    run: Run
    qrels: Qrels
    returned: Ints
    query: Ints
    rank: Ints
    grade: Ints
    first_tie: Ints
    extra: int

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The judged queries."""
        return self.qrels.query_ids

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Judged queries for which the run has no document: they score 0."""
        return tuple(self.query_ids[i] for i in np.flatnonzero(self.returned == 0))

    def ties_within(self, depth: int) -> int:
        """Count the queries with documents of equal score that reach into the top `depth`."""
        return int(np.count_nonzero((self.first_tie > 0) & (self.first_tie <= depth)))

    def judged_within(self, depth: int) -> tuple[int, int]:
        """Count the judged and all returned documents in the top `depth` of all queries."""
        return int(np.count_nonzero(self.rank <= depth)), int(np.minimum(self.returned, depth).sum())

    def top(self, query_id: str, depth: int) -> list[tuple[str, float, int | None]]:
        """Return the first documents of a query: doc_id, score, and grade or None if unjudged."""
        grades = self.qrels[query_id]
        docs, scores = self._in_order(query_id)
        top = zip(docs.take(np.arange(min(depth, len(docs)))).to_list(), scores[:depth].tolist(), strict=True)
        return [(doc_id, score, grades.get(doc_id)) for doc_id, score in top]

    def ranked(self, query_id: str) -> list[str]:
        """Return the doc_ids of a query, best first."""
        return self._in_order(query_id)[0].to_list()

    def _in_order(self, query_id: str) -> tuple[Ids, NDArray[np.float64]]:
        docs, scores = self.run.of_query(query_id)
        order, _ = rank(docs, scores, np.array([0, len(scores)]))
        return (docs, scores) if order is None else (docs.take(order), scores[order])

    @property
    def ideal(self) -> tuple[Ints, Ints, Ints]:
        """All judged documents of each query, best first: query, place from 1, grade."""
        return self.qrels.query_of_row, *self.qrels.ideal


def judge(run: Run, qrels: Qrels) -> JudgedRanking:
    """Rank a run's documents and find the judged ones.

    Raises
    ------
    InputError
        When the run has no document for any judged query, with ids of both sides.
    """
    # Late: the fast paths build on `Join`, and are one room of their own.
    from pytest_irbench.measures.streaming import join_file, join_mapping

    join = None
    if run.unread is not None:
        join = join_file(run.unread, qrels, run.threads)
    elif run.mapping is not None:
        join = join_mapping(run.mapping, qrels)
    if join is None:
        join = Join(qrels)
        join.add(run.columns)
    return join.judged(run)


class InDoubtError(Exception):
    """A portion of a run can't be settled alone."""


class Join:
    """Collects the judged documents of a run, which comes in one or more portions of whole queries."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.returned = np.zeros(len(qrels.query_ids), np.int64)
        self.first_tie = np.zeros(len(qrels.query_ids), np.int64)
        self.extra = 0
        self.answered: tuple[str, ...] = ()
        self.documents = 0
        self.found: list[tuple[Ints, Ints, Ints]] = []
        # Where the lines of each query begin in a file that is not held.
        self.places: dict[str, int] = {}

    def add(self, columns: Columns, *, checked: bool = True) -> None:
        """Take the next queries with all of their documents.

        Raises
        ------
        InDoubtError
            When the columns are not `checked` and a document may stand twice in a query.
        """
        offsets = columns.offsets
        # Queries without judgments get numbers of their own, below 0.
        find = self.qrels.query_index.get
        query = np.array([find(name, -1 - place) for place, name in enumerate(columns.query_ids)], np.int64)
        keys = document_keys(columns.doc_ids, query, offsets)
        if not checked and has_twins(keys):
            raise InDoubtError
        known = np.flatnonzero(query >= 0)
        self.answered = (*self.answered, *columns.query_ids[:3])[:3]
        self.documents += len(columns.scores)
        self.extra += len(query) - len(known)
        if not len(known):
            return
        self.returned[query[known]] = np.diff(offsets)[known]
        rows, judged = _look_up(columns, keys, query, self.qrels)
        place, first_tie = _places(columns, rows, known)
        self.first_tie[query[known]] = first_tie[known]
        self.found.append((self.qrels.query_of_row[judged], place, self.qrels.grades[judged]))

    def merge(self, other: Join) -> None:
        """Take over what another join found for other queries."""
        self.returned += other.returned
        self.first_tie += other.first_tie
        self.extra += other.extra
        self.answered = (*self.answered, *other.answered)[:3]
        self.documents += other.documents
        self.found += other.found
        self.places |= other.places

    def judged(self, run: Run) -> JudgedRanking:
        """Return all that was collected.

        Raises
        ------
        InputError
            When no query was judged.
        """
        if not self.returned.any():
            raise InputError(_nothing_in_common(run, self.answered, self.documents, self.qrels))
        run.places = self.places
        query, place, grade = (np.concatenate(column) for column in zip(*self.found, strict=True))
        # One number for both: numpy sorts that several times as fast as two columns.
        order = np.argsort(query * (int(place.max(initial=0)) + 1) + place)
        ranking = query[order], place[order], grade[order]
        return JudgedRanking(run, self.qrels, self.returned, *ranking, self.first_tie, self.extra)


def _places(columns: Columns, rows: Ints, queries: Ints) -> tuple[Ints, Ints]:
    """Return the ranks of some rows of some queries, and the rank of the first tie of those queries.

    Rows that stand in the order of their scores need no sorting, and most runs do. In others each of
    these rows is ranked by the number of scores above its own: few of a thousand documents are judged.

    Parameters
    ----------
    rows
        In the order of the columns.
    queries
        The positions of the queries.
    """
    docs, scores, offsets = columns.doc_ids, columns.scores, columns.offsets
    if in_order(scores, offsets):
        order, first_tie = resolve_ties(None, docs, scores, offsets)
        first = offsets[np.searchsorted(offsets, rows, "right") - 1]
        return (rows if order is None else inverse(order)[rows]) - first + 1, first_tie
    place, first_tie = np.zeros_like(rows), np.zeros(len(offsets) - 1, np.int64)
    parts = np.searchsorted(rows, offsets)
    for query in queries.tolist():
        begin, end = offsets[query : query + 2].tolist()
        part = slice(*parts[query : query + 2].tolist())
        above, tied, first_tie[query] = standing(np.sort(scores[begin:end]), scores[rows[part]])
        if tied.any():
            order, _ = rank(docs.take(np.arange(begin, end)), scores[begin:end], np.array([0, end - begin]))
            above = rows[part] - begin if order is None else inverse(order)[rows[part] - begin]
        place[part] = above + 1
    return place, first_tie


def _look_up(columns: Columns, keys: Words, query: Ints, qrels: Qrels) -> tuple[Ints, Ints]:
    """Find the judged ones among returned documents: their rows, and those of the qrels.

    A hash proposes, the bytes decide: two ids with one hash may cost time, never a wrong grade.

    Parameters
    ----------
    keys
        `document_keys` of the rows.
    query
        The place of each query in the qrels, below 0 for one that is not there.
    """
    docs, known = columns.doc_ids, query[query >= 0]
    first, sizes = qrels.offsets[known], qrels.offsets[known + 1] - qrels.offsets[known]
    ends = np.cumsum(sizes)
    target = np.arange(ends[-1]) + np.repeat(first - ends + sizes, sizes)
    judged = qrels.keys[target]
    by_key = np.argsort(judged)
    judged, target = judged[by_key], target[by_key]
    rows = np.flatnonzero(_maybe_among(keys, judged))
    candidate = np.searchsorted(judged, keys[rows])
    found, found_at = [_NONE], [_NONE]
    while len(rows):
        open_ = candidate < len(judged)
        open_[open_] = judged[candidate[open_]] == keys[rows[open_]]
        rows, candidate = rows[open_], candidate[open_]
        at = target[candidate]
        of_row = query[np.searchsorted(columns.offsets, rows, "right") - 1]
        same = docs.equal(rows, qrels.doc_ids, at) & (qrels.query_of_row[at] == of_row)
        found.append(rows[same])
        found_at.append(at[same])
        # Behind a wrong proposal another judgment may have the same key.
        rows, candidate = rows[~same], candidate[~same] + 1
    found_rows = np.concatenate(found)
    in_order = np.argsort(found_rows, kind="stable")
    return found_rows[in_order], np.concatenate(found_at)[in_order]


def _maybe_among(keys: Words, judged: Words) -> NDArray[np.bool_]:
    """Tell for each key whether it may be one of a few: always where it is, rarely elsewhere.

    Most documents of a run are unjudged, and most of those are seen to be so here: a small table knows
    how the judged keys begin.
    """
    bits = (64 * len(judged)).bit_length()
    shift = np.uint64(64 - bits)
    begins = np.zeros(1 << bits, np.bool_)
    begins[judged >> shift] = True
    possible: NDArray[np.bool_] = begins[keys >> shift]
    return possible


def _nothing_in_common(run: Run, answered: tuple[str, ...], documents: int, qrels: Qrels) -> str:
    if not documents:
        return f"run {run} has no results for any query"
    ours = ", ".join(map(repr, answered))
    theirs = ", ".join(map(repr, qrels.query_ids[:3]))
    return (
        f"run {run} has no results for any judged query: it answers {ours} …, judged are {theirs} …; "
        "is it a run of another benchmark, or are the query ids written in another way?"
    )
