"""THE tie rule.

Per query, documents are ranked by score, descending; equal scores by doc_id, descending, compared
bytewise. The rank column and the order of the file mean nothing. This is trec_eval's rule
(``form_res_rels.c``); like version 10 we compare scores as doubles, where version 9 and pytrec_eval
round them to float32 first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.formats.ids import WORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pytest_irbench.formats.ids import Ids
    from pytest_irbench.runs.run import Run

    Ints = NDArray[np.int64]


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
    if in_order(scores, offsets):
        return resolve_ties(None, docs, scores, offsets)
    order = np.lexsort((-scores, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    return resolve_ties(order, docs, scores[order], offsets)


def ranked_rows(run: Run, query_ids: Iterable[str]) -> dict[str, Ints]:
    """Return the rows of each of these queries, best first; one without documents is left out.

    Parameters
    ----------
    run
        A large file is read whole.
    query_ids
        Their order is that of the answer.
    """
    columns = run.columns
    order, _ = rank(columns.doc_ids, columns.scores, columns.offsets)
    if order is None:
        order = np.arange(len(columns.scores))
    answered = {}
    for query_id in query_ids:
        index = run.query_index.get(query_id)
        if index is not None:
            begin, end = columns.offsets[index : index + 2].tolist()
            answered[query_id] = order[begin:end]
    return {query_id: rows for query_id, rows in answered.items() if len(rows)}


def in_order(scores: NDArray[np.float64], offsets: Ints) -> bool:
    """Whether no score of a query is above the one before it."""
    falls = scores[1:] <= scores[:-1]
    falls[_between(offsets, len(scores))] = True
    return bool(falls.all())


def _between(offsets: Ints, rows: int) -> Ints:
    """Return the last row of each query but the last one."""
    return offsets[(offsets > 0) & (offsets < rows)] - 1


def resolve_ties(
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


def inverse(order: Ints) -> Ints:
    """Return the place of each row in an order of rows."""
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
