"""THE tie rule, and the join of run and qrels that every measure reads.

Per query, documents are ranked by score, descending; equal scores by doc_id, descending, compared
bytewise. The rank column and the order of the file mean nothing. This is trec_eval's rule
(``form_res_rels.c``); like version 10 we compare scores as doubles, where version 9 and pytrec_eval
round them to float32 first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import WORD
from pytest_irbench.formats.rows import document_keys, has_twins

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
        docs, scores = self.run.of_query(query_id)
        order, _ = rank(docs, scores, np.array([0, len(scores)]))
        top = range(len(scores))[:depth] if order is None else order[:depth].tolist()
        return [(docs[row], float(scores[row]), grades.get(docs[row])) for row in top]

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


def rank(docs: Ids, scores: NDArray[np.float64], offsets: Ints) -> tuple[Ints | None, Ints]:
    """Order rows by the tie rule.

    Parameters
    ----------
    docs, scores
        The rows, those of a query side by side; shape (n,).
    offsets
        Where each query's rows begin; shape (q + 1,).

    Returns
    -------
    order
        Rows by query, best first; shape (n,). None when they stand in this order.
    first_tie
        Rank of the first tied document of each query, 0 if none; shape (q,).
    """
    if _in_order(scores, offsets):
        return _resolve_ties(None, docs, scores, offsets)
    order = np.lexsort((-scores, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    return _resolve_ties(order, docs, scores[order], offsets)


def _in_order(scores: NDArray[np.float64], offsets: Ints) -> bool:
    """Whether no score of a query is above the one before it."""
    falls = scores[1:] <= scores[:-1]
    falls[_between(offsets, len(scores))] = True
    return bool(falls.all())


def _between(offsets: Ints, rows: int) -> Ints:
    """Return the last row of each query but the last one."""
    return offsets[(offsets > 0) & (offsets < rows)] - 1


def _resolve_ties(
    order: Ints | None, docs: Ids, scores: NDArray[np.float64], offsets: Ints
) -> tuple[Ints | None, Ints]:
    """Finish `rank` when scores are in order: those of rows as they stand, or as `order` has them."""
    tied = scores[1:] == scores[:-1]
    tied[_between(offsets, len(scores))] = False
    at = np.flatnonzero(tied)
    first_tie = np.zeros(len(offsets) - 1, np.int64)
    if len(at):
        of_query, first = np.unique(np.searchsorted(offsets, at, "right") - 1, return_index=True)
        first_tie[of_query] = at[first] - offsets[of_query] + 1
        order = _break_ties(np.arange(len(scores)) if order is None else order, docs, tied)
    return order, first_tie


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
    if _in_order(scores, offsets):
        order, first_tie = _resolve_ties(None, docs, scores, offsets)
        first = offsets[np.searchsorted(offsets, rows, "right") - 1]
        return (rows if order is None else _inverse(order)[rows]) - first + 1, first_tie
    place, first_tie = np.zeros_like(rows), np.zeros(len(offsets) - 1, np.int64)
    parts = np.searchsorted(rows, offsets)
    for query in queries.tolist():
        begin, end = offsets[query : query + 2].tolist()
        part = slice(*parts[query : query + 2].tolist())
        above, tied, first_tie[query] = standing(np.sort(scores[begin:end]), scores[rows[part]])
        if tied.any():
            order, _ = rank(docs.take(np.arange(begin, end)), scores[begin:end], np.array([0, end - begin]))
            above = rows[part] - begin if order is None else _inverse(order)[rows[part] - begin]
        place[part] = above + 1
    return place, first_tie


def standing(ascending: NDArray[np.float64], own: NDArray[np.float64]) -> tuple[Ints, NDArray[np.bool_], int]:
    """Tell how some documents of a query stand by their scores.

    Parameters
    ----------
    ascending
        The scores of all documents of the query; shape (n,).
    own
        Those of the ones in question.

    Returns
    -------
    above
        How many scores are higher.
    tied
        Whether another document has the same score.
    first_tie
        Rank of the first document whose score the next one shares, 0 if none.
    """
    last = ascending.searchsorted(own, "right")
    tied = last - ascending.searchsorted(own, "left") > 1
    equal = (ascending[1:] == ascending[:-1]).nonzero()[0]
    return len(ascending) - last, tied, len(ascending) - int(equal[-1]) - 1 if len(equal) else 0


def _inverse(order: Ints) -> Ints:
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def _break_ties(order: Ints, docs: Ids, tied: NDArray[np.bool_]) -> Ints:
    """Sort rows of equal score by doc_id, descending; `tied[i]` links places i and i + 1.

    Eight bytes at a time: after each word only rows that are still equal go on, so that long ids
    cost what they share, not their length.
    """
    order = order.copy()
    follows = np.concatenate([[False], tied])
    word = 0
    while follows.any():
        places = np.flatnonzero(follows | np.append(follows[1:], False))
        group = np.cumsum(~follows[places])
        key = docs.word(word, order[places])
        # A zero inside an id is more than its end, though both are zeros of the word.
        left = np.clip(docs.lengths[order[places]] - WORD * word, 0, WORD)
        turn = np.lexsort((-left, ~key, group))
        order[places] = order[places][turn]
        key, left = key[turn], left[turn]
        equal = (np.diff(group) == 0) & (key[1:] == key[:-1]) & (left[1:] == WORD) & (left[:-1] == WORD)
        follows[:] = False
        follows[places[1:][equal]] = True
        word += 1
    return order


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
    bounds = zip(qrels.offsets[known].tolist(), qrels.offsets[known + 1].tolist(), strict=True)
    target = np.concatenate([np.arange(begin, end) for begin, end in bounds])
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
