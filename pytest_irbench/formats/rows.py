"""What runs and qrels share: rows grouped by query, and the same document twice in a query."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_irbench.formats.ids import Ids


_LARGEST_ID = 10**100


def text_id(value: object, what: str) -> str:
    """Return an id as text; a whole number becomes its digits.

    Raises
    ------
    InputError
        When it is neither text nor a whole number.
    """
    if isinstance(value, str):
        text = str(value)
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"the {what} {value!r} is not valid Unicode") from None
        return text
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if abs(number) < _LARGEST_ID:
            return str(number)
        raise InputError(f"a {what} is a number of {number.bit_length()} bits: ids are text")
    raise InputError(f"the {what} {value!r} is {type(value).__name__}: ids are text")


def group(queries: Ids) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """Bring the rows of each query side by side, queries in order of first appearance.

    Returns
    -------
    query_ids
        The q distinct ids.
    offsets
        Shape (q + 1,): where each query's rows begin in the new order.
    order
        Shape (n,): the old position of each row; the rows of a query keep their order.
    """
    begins = np.flatnonzero(queries.changes())
    position: dict[str, int] = {}
    block_query = np.array(
        [position.setdefault(queries[int(row)], len(position)) for row in begins], np.int64
    )
    sizes = np.diff(np.append(begins, len(queries)))
    order = np.arange(len(queries))
    if len(position) < len(begins):
        order = np.argsort(np.repeat(block_query, sizes), kind="stable")
    counts = np.bincount(block_query, sizes, len(position)).astype(np.int64)
    return list(position), np.concatenate([[0], np.cumsum(counts)]), order


def document_keys(docs: Ids, query: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a key for each row: equal for one document of one query, else nearly never."""
    return docs.hashes() + query.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)


def find_twins(docs: Ids, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find rows that repeat a document of their query.

    Parameters
    ----------
    docs, offsets
        Rows grouped by query, as `group` returns them.

    Returns
    -------
    first, second
        Pairs of rows with the same id, the first one being the document's first row.
    """
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # Equal documents of one query have equal keys; the few equal keys are then compared as ids.
    keys = document_keys(docs, query)
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(np.diff(keys[order]) == 0)
    suspects = np.unique(order[np.concatenate([repeats, repeats + 1])])
    seen: dict[tuple[int, str], int] = {}
    pairs = []
    for row in suspects.tolist():
        first = seen.setdefault((int(query[row]), docs[row]), row)
        if first != row:
            pairs.append((first, row))
    pairs.sort(key=lambda pair: pair[1])
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
