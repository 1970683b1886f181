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
from pytest_irbench.formats.rows import document_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.formats.ids import Ids
    from pytest_irbench.runs.run import Run

    Ints = NDArray[np.int64]

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
    order, offsets
        Rows of the run in rank order; those of query ``i`` are
        ``order[offsets[i]:offsets[i + 1]]``.
    """

    run: Run
    qrels: Qrels
    returned: Ints
    query: Ints
    rank: Ints
    grade: Ints
    first_tie: Ints
    order: Ints
    offsets: Ints

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The judged queries."""
        return self.qrels.query_ids

    @property
    def missing(self) -> tuple[str, ...]:
        """Judged queries for which the run has no document: they score 0."""
        return tuple(self.query_ids[i] for i in np.flatnonzero(self.returned == 0))

    @property
    def extra(self) -> int:
        """Number of the run's queries that have no judgments: they are left out."""
        return sum(query_id not in self.qrels.query_index for query_id in self.run.query_ids)

    def ties_within(self, depth: int) -> int:
        """Count the queries with documents of equal score that reach into the top `depth`."""
        return int(np.count_nonzero((self.first_tie > 0) & (self.first_tie <= depth)))

    def judged_within(self, depth: int) -> tuple[int, int]:
        """Count the judged and all returned documents in the top `depth` of all queries."""
        return int(np.count_nonzero(self.rank <= depth)), int(np.minimum(self.returned, depth).sum())

    def top(self, query_id: str, depth: int) -> list[tuple[str, float, int | None]]:
        """Return the first documents of a query: doc_id, score, and grade or None if unjudged."""
        index = self.qrels.query_index[query_id]
        grades = self.qrels[query_id]
        rows = self.order[self.offsets[index] : self.offsets[index + 1]][:depth]
        docs = [(self.run.doc_ids[row], float(self.run.scores[row])) for row in rows.tolist()]
        return [(doc, score, grades.get(doc)) for doc, score in docs]

    @cached_property
    def ideal(self) -> tuple[Ints, Ints, Ints]:
        """All judged documents of each query, best first: query, place from 1, grade."""
        query, grade = self.qrels.query_of_row, self.qrels.grades
        order = np.lexsort((-grade, query))
        place = np.arange(len(grade)) - self.qrels.offsets[query] + 1
        return query, place, grade[order]


def judge(run: Run, qrels: Qrels) -> JudgedRanking:
    """Rank a run's documents and find the judged ones.

    Raises
    ------
    InputError
        When the run has no document for any judged query, with ids of both sides.
    """
    source = [run.query_index.get(query_id, -1) for query_id in qrels.query_ids]
    present = np.array([index >= 0 for index in source], np.bool_)
    index = np.where(present, source, 0)
    returned = np.where(present, np.diff(run.offsets)[index], 0) if present.any() else np.zeros_like(index)
    if not returned.any():
        raise InputError(_nothing_in_common(run, qrels))
    offsets = np.concatenate([[0], np.cumsum(returned)])
    query = np.repeat(np.arange(len(returned)), returned)
    rows = np.arange(len(query)) + np.repeat(run.offsets[index] - offsets[:-1], returned)
    order, first_tie = rank(run.scores[rows], run.doc_ids.take(rows), query, offsets)
    rows = rows[order]
    found, grade = _look_up(run.doc_ids.take(rows), query, qrels)
    place = np.arange(len(rows)) - offsets[query] + 1
    return JudgedRanking(run, qrels, returned, query[found], place[found], grade, first_tie, rows, offsets)


def rank(scores: NDArray[np.float64], docs: Ids, query: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Order rows by the tie rule.

    Parameters
    ----------
    scores, docs, query
        The rows, those of a query side by side; shape (n,).
    offsets
        Where each query's rows begin; shape (q + 1,).

    Returns
    -------
    order
        Rows by query, best first; shape (n,).
    first_tie
        Rank of the first tied document of each query, 0 if none; shape (q,).
    """
    order = np.arange(len(scores))
    same_query = query[1:] == query[:-1]
    if not (scores[1:] <= scores[:-1])[same_query].all():
        order = np.lexsort((-scores, query))
    ordered = scores[order]
    tied = same_query & (ordered[1:] == ordered[:-1])
    first_tie = np.zeros(len(offsets) - 1, np.int64)
    at = np.flatnonzero(tied)
    if len(at):
        of_query, first = np.unique(query[at], return_index=True)
        first_tie[of_query] = at[first] - offsets[of_query] + 1
        order = _break_ties(order, docs, tied)
    return order, first_tie


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


def _look_up(docs: Ids, query: Ints, qrels: Qrels) -> tuple[Ints, Ints]:
    """Find the judged ones among returned documents: their rows and grades.

    A hash proposes, the bytes decide: two ids with one hash may cost time, never a wrong grade.
    """
    key = document_keys(docs, query)
    sorted_keys, by_key = qrels.sorted_keys
    rows = np.flatnonzero(qrels.key_filter[key & np.uint64(len(qrels.key_filter) - 1)])
    candidate = np.searchsorted(sorted_keys, key[rows])
    candidate[candidate == len(sorted_keys)] = 0
    proposed = sorted_keys[candidate] == key[rows]
    rows, candidate = rows[proposed], candidate[proposed]
    found, grades = [_NONE], [_NONE]
    while len(rows):
        target = by_key[candidate]
        same = docs.equal(rows, qrels.doc_ids, target) & (qrels.query_of_row[target] == query[rows])
        found.append(rows[same])
        grades.append(qrels.grades[target[same]])
        # Behind a wrong proposal another judgment may have the same key.
        rows, candidate = rows[~same], candidate[~same] + 1
        more = candidate < len(sorted_keys)
        rows, candidate = rows[more], candidate[more]
        more = sorted_keys[candidate] == key[rows]
        rows, candidate = rows[more], candidate[more]
    found_rows, found_grades = np.concatenate(found), np.concatenate(grades)
    in_order = np.argsort(found_rows, kind="stable")
    return found_rows[in_order], found_grades[in_order]


def _nothing_in_common(run: Run, qrels: Qrels) -> str:
    if not len(run):
        return f"run {run} has no results for any query"
    ours = ", ".join(map(repr, run.query_ids[:3]))
    theirs = ", ".join(map(repr, qrels.query_ids[:3]))
    return (
        f"run {run} has no results for any judged query: it answers {ours} …, judged are {theirs} …; "
        "is it a run of another benchmark, or are the query ids written in another way?"
    )
