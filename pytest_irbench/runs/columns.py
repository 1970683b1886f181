"""The rows of a run as columns of numpy, and how answers become such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.rows import find_twins, text_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

_REAL = (float, int, np.float64, np.float32, np.float16, np.integer)


class Columns(NamedTuple):
    """The rows of a run, those of a query side by side.

    Attributes
    ----------
    query_ids
        Every query, in order of first appearance; ``q`` of them.
    offsets
        The rows of query ``i`` are ``offsets[i]`` to ``offsets[i + 1]``; shape (q + 1,).
    doc_ids
        Column of the returned documents, n of them.
    scores
        Their scores; shape (n,), float64.
    """

    query_ids: tuple[str, ...]
    offsets: NDArray[np.int64]
    doc_ids: Ids
    scores: NDArray[np.float64]

    def check(self, fault: Callable[[int, str], InputError], *, twins: bool = True) -> None:
        """Refuse NaN scores and, unless not `twins`, repeated documents.

        `fault` builds the error for a row.
        """
        nan = np.flatnonzero(np.isnan(self.scores))
        if len(nan):
            row = int(nan[0])
            raise fault(row, f"the score of document {self.doc_ids[row]!r} for {self._query(row)} is NaN")
        second = find_twins(self.doc_ids, self.offsets)[1].tolist() if twins else []
        if second:
            row = second[0]
            raise fault(row, f"document {self.doc_ids[row]!r} is returned twice for {self._query(row)}")

    def _query(self, row: int) -> str:
        return f"query {self.query_ids[int(np.searchsorted(self.offsets, row, 'right')) - 1]!r}"

    @classmethod
    def of_answers(
        cls, answers: Iterable[tuple[Any, list[Any], list[Any]]], *, distinct: bool = False
    ) -> Self:
        """Build columns from a query id, doc_ids and scores for each query.

        Parameters
        ----------
        distinct
            Whether the doc_ids of each query are known to be distinct.

        Raises
        ------
        InputError
            When a score is no real number or NaN, or a document stands twice in a query.
        """
        query_ids: list[str] = []
        sizes, docs, scores = [0], [], []
        for query, query_docs, query_scores in answers:
            query_ids.append(text_id(query, "query id"))
            docs += query_docs
            scores.append(_real_numbers(query_scores, query_ids[-1], query_docs))
            sizes.append(len(query_docs))
        if len(set(query_ids)) < len(query_ids):
            twice = next(q for q in query_ids if query_ids.count(q) > 1)
            raise InputError(f"query {twice!r} stands twice in the run, once as text and once as a number")
        plain = set(map(type, docs)) <= {str}
        if not plain:
            docs = [text_id(doc, "document id") for doc in docs]
        values = np.concatenate(scores) if scores else np.zeros(0)
        columns = cls(tuple(query_ids), np.cumsum(np.array(sizes, np.int64)), _column(docs), values)
        # Distinct ids stay so, unless numbers became text.
        columns.check(lambda _row, message: InputError(message), twins=not (plain and distinct))
        return columns


def _column(docs: list[str]) -> Ids:
    try:
        return Ids.from_strings(docs)
    except UnicodeEncodeError:
        # One of them is no Unicode; text_id says which.
        return Ids.from_strings([text_id(doc, "document id") for doc in docs])


def _real_numbers(scores: list[Any], query_id: str, docs: list[Any]) -> NDArray[np.float64]:
    for kind in dict.fromkeys(map(type, scores)):
        if kind is bool or not issubclass(kind, _REAL):
            doc, score = next(
                (doc, score) for doc, score in zip(docs, scores, strict=True) if type(score) is kind
            )
            raise InputError(
                f"the score {score!r} of document {doc!r} for query {query_id!r} is {kind.__name__}, "
                "not a real number"
            )
    try:
        return np.fromiter(scores, np.float64, len(scores))
    except OverflowError:
        raise InputError(f"a score for query {query_id!r} is too large for a double") from None
