"""The judgments: for each query the judged documents and their grades."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.rows import Grouping, document_keys, find_twins, text_id
from pytest_irbench.formats.trec import QRELS_FIELDS, Contents, read_contents

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_MAX_GRADE = 2**31


class Qrels:
    """Judgments as columns, the rows of a query side by side.

    Build one with `read_qrels`, `from_mapping` or `from_rows`.

    Attributes
    ----------
    query_ids
        Every judged query, in order of first appearance; ``q`` of them.
    offsets
        The rows of query ``i`` are ``offsets[i]`` to ``offsets[i + 1]``; shape (q + 1,).
    doc_ids
        Column of the judged documents, n of them.
    grades
        The relevance of each row; shape (n,), int64.
    relevance_level
        What a bare binary measure means on these judgments.
    left_out
        Number of queries that `of_queries` left out.
    """

    def __init__(
        self, query_ids: Sequence[str], offsets: NDArray[np.int64], doc_ids: Ids, grades: NDArray[np.int64]
    ) -> None:
        self.query_ids = tuple(query_ids)
        self.offsets = offsets
        self.doc_ids = doc_ids
        self.grades = grades
        self.relevance_level = 1
        self.left_out = 0

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, int]], source: str | Path | None = None) -> Self:
        """Build qrels from rows of (query_id, doc_id, grade).

        Parameters
        ----------
        rows
            In any order. Ids are text; whole numbers are taken as their text.
        source
            Where the rows come from, for messages.

        Raises
        ------
        InputError
            When there is no row, a grade is no whole number, or two judgments of a document conflict.
        """
        queries, docs, grades = [], [], []
        for query_id, doc_id, grade in rows:
            queries.append(text_id(query_id, "query id"))
            docs.append(text_id(doc_id, "document id"))
            grades.append(_whole(grade, queries[-1], docs[-1], source))
        if not queries:
            raise InputError("has no judgments", source)
        grouping = Grouping()
        grouping.add(Ids.from_strings(queries))
        column = Ids.from_strings(docs)
        return cls.from_columns(
            grouping, column, np.array(grades, np.int64), lambda _row, message: InputError(message, source)
        )

    @classmethod
    def from_canonical(cls, text: str) -> Qrels:
        """Build qrels from their `canonical` text, queries in its order."""
        return _from_contents(Contents.of(Path("qrels"), text.encode()))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Mapping[str, int]]) -> Self:
        """Build qrels from ``{query_id: {doc_id: grade}}``; see `from_rows`."""
        return cls.from_rows((q, d, grade) for q, docs in mapping.items() for d, grade in docs.items())

    @classmethod
    def from_columns(
        cls,
        queries: Grouping,
        docs: Ids,
        grades: NDArray[np.int64],
        fault: Callable[[int, str], InputError],
    ) -> Self:
        """Build qrels from rows in any order; `fault` builds the error for one of them.

        Raises
        ------
        InputError
            When two judgments of a document conflict.
        """
        query_ids = queries.query_ids
        offsets, order = queries.offsets_and_order()
        if order is None:
            order = np.arange(len(grades))
        docs, grades = docs.take(order), grades[order]
        first, second = find_twins(docs, offsets)
        conflict = np.flatnonzero(grades[first] != grades[second])
        if len(conflict):
            a, b = int(first[conflict[0]]), int(second[conflict[0]])
            query_id = query_ids[int(np.searchsorted(offsets, a, "right")) - 1]
            raise fault(
                int(order[b]),
                f"document {docs[a]!r} is judged twice for query {query_id!r}: "
                f"{grades[a]} and {grades[b]}: keep one of the lines",
            )
        if len(second):
            keep = np.ones(len(docs), np.bool_)
            keep[second] = False
            offsets = np.concatenate([[0], np.cumsum(keep)])[offsets]
            docs, grades = docs.take(np.flatnonzero(keep)), grades[keep]
        return cls(query_ids, offsets, docs, grades)

    def at_level(self, relevance_level: int) -> Self:
        """Return the same judgments for a benchmark with this relevance level."""
        other = type(self)(self.query_ids, self.offsets, self.doc_ids, self.grades)
        other.relevance_level, other.left_out = relevance_level, self.left_out
        return other

    def of_queries(self, query_ids: Collection[str]) -> Self:
        """Return the judgments of these queries alone; the others are counted as `left_out`."""
        wanted = set(query_ids)
        keep = np.array([query_id in wanted for query_id in self.query_ids], np.bool_)
        rows = np.flatnonzero(keep[self.query_of_row])
        sizes = np.diff(self.offsets)[keep]
        kept = [query_id for query_id in self.query_ids if query_id in wanted]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        other = type(self)(kept, offsets, self.doc_ids.take(rows), self.grades[rows])
        other.relevance_level = self.relevance_level
        other.left_out = self.left_out + len(self.query_ids) - len(kept)
        return other

    def __len__(self) -> int:
        return len(self.grades)

    def __repr__(self) -> str:
        return f"<Qrels: {len(self)} judgments of {len(self.query_ids)} queries>"

    def __getitem__(self, query_id: str) -> dict[str, int]:
        """Return the judged documents of one query with their grades."""
        index = self.query_index[query_id]
        rows = range(int(self.offsets[index]), int(self.offsets[index + 1]))
        return {self.doc_ids[row]: int(self.grades[row]) for row in rows}

    @cached_property
    def by_query(self) -> list[dict[str, int]]:
        """For each query its judged documents with their grades, as a mapping."""
        docs, grades = self.doc_ids.to_list(), self.grades.tolist()
        bounds = pairwise(self.offsets.tolist())
        return [dict(zip(docs[begin:end], grades[begin:end], strict=True)) for begin, end in bounds]

    @cached_property
    def query_index(self) -> dict[str, int]:
        """Map each query id to its position in `query_ids`."""
        return {query_id: index for index, query_id in enumerate(self.query_ids)}

    @cached_property
    def query_of_row(self) -> NDArray[np.int64]:
        """The position in `query_ids` of each row's query; shape (n,)."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The judged documents of each query, best first: place from 1, and grade; shape (n,) each."""
        query = self.query_of_row
        order = np.lexsort((-self.grades, query))
        return np.arange(len(self)) - self.offsets[query] + 1, self.grades[order]

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """The key of each row (`formats.rows.document_keys`); shape (n,)."""
        return document_keys(self.doc_ids, np.arange(len(self.query_ids)), self.offsets)

    def prepare(self) -> None:
        """Make what a join looks up, for threads that would each make it."""
        _ = self.keys, self.query_index, self.query_of_row

    @cached_property
    def canonical(self) -> str:
        """The judgments as text: one line ``query_id 0 doc_id grade`` each, sorted bytewise."""
        rows = zip(self.query_of_row.tolist(), self.doc_ids.to_list(), self.grades.tolist(), strict=True)
        # Code points have the order of UTF-8.
        return "".join(sorted(f"{self.query_ids[query]} 0 {doc} {grade}\n" for query, doc, grade in rows))

    @cached_property
    def sha256(self) -> str:
        """Pin of the judgments: sha256 of their canonical form."""
        from hashlib import sha256  # loads OpenSSL

        return sha256(self.canonical.encode()).hexdigest()


def read_qrels(path: str | Path) -> Qrels:
    """Read a TREC qrels file: ``query_id iteration doc_id relevance`` on each line.

    Raises
    ------
    InputError
        With file and line, when a line has another shape, a grade is no whole number, two judgments
        of one document conflict, or the file is empty or not UTF-8.
    """
    return _from_contents(read_contents(Path(path)))


def _from_contents(contents: Contents) -> Qrels:
    queries, docs, tokens, values = Grouping(), [], [], []
    for table, numbers in contents.tables(QRELS_FIELDS, 3):
        queries.add(table.ids(0))
        docs.append(table.ids(2))
        tokens.append(table.ids(3))
        values.append(numbers)
    if not docs:
        raise InputError("has no judgments", contents.path)
    column = Ids.joined(docs)
    grades = _grades(contents, Ids.joined(tokens), np.concatenate(values))
    return Qrels.from_columns(
        queries, column, grades, lambda row, text: contents.fault(column.starts[row], text)
    )


def _grades(contents: Contents, tokens: Ids, values: NDArray[np.float64]) -> NDArray[np.int64]:
    wrong = np.flatnonzero(~((values == np.rint(values)) & (np.abs(values) < _MAX_GRADE)))
    if len(wrong):
        row = int(wrong[0])
        raise contents.fault(tokens.starts[row], f"the relevance {tokens[row]!r} is not a whole number")
    return values.astype(np.int64)


def _whole(grade: object, query_id: str, doc_id: str, source: str | Path | None) -> int:
    whole = isinstance(grade, Integral) or (isinstance(grade, Real) and float(grade).is_integer())
    if isinstance(grade, bool) or not whole or abs(int(grade)) >= _MAX_GRADE:  # type: ignore[call-overload]
        raise InputError(
            f"the relevance {grade!r} of document {doc_id!r} for query {query_id!r} is not a whole number",
            source,
        )
    return int(grade)  # type: ignore[call-overload, no-any-return]
