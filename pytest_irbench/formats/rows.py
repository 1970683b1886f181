"""What runs and qrels share: rows grouped by query, and the same document twice in a query."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


_LARGEST_ID = 10**100
_FEW = 64


def text_id(value: object, what: str) -> str:
    """Return an id as text; a whole number becomes its digits.

    Raises
    ------
    InputError
        When it is neither text nor a whole number.
    """
    if isinstance(value, str):
        # What it equals, also when a subclass (an enumeration) prints itself in another way.
        text = str.__str__(value)
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


class Grouping:
    """Brings the rows of each query side by side, queries in order of first appearance.

    Rows come in one or more portions; the rows of a query keep their order.
    """

    def __init__(self) -> None:
        self._position: dict[str, int] = {}
        self._table = _Table([])
        self._codes: list[Ints] = []
        self._sizes: list[Ints] = []

    def add(self, queries: Ids) -> None:
        """Take the query ids of the next rows."""
        begins = np.flatnonzero(queries.changes())
        self._codes.append(self._codes_of(queries.take(begins)))
        self._sizes.append(np.diff(begins, append=len(queries)))

    def _codes_of(self, ids: Ids) -> Ints:
        codes = self._table.find(ids)
        rest = np.flatnonzero(codes < 0)
        if len(rest):
            names, which = distinct(ids.take(rest))
            position, before = self._position, len(self._position)
            codes[rest] = np.array([position.setdefault(name, len(position)) for name in names])[which]
            # A file in the order of its queries needs no table: each of them comes once.
            came_again = len(names) - (len(position) - before)
            if came_again > _FEW and len(position) > len(self._table) * 17 // 16:
                self._table = _Table(list(position))
        return codes

    @property
    def query_ids(self) -> list[str]:
        """The distinct ids."""
        return list(self._position)

    def offsets_and_order(self) -> tuple[Ints, Ints | None]:
        """Return where each query's rows begin, and the old position of each row, None if as it was."""
        codes = np.concatenate(self._codes) if self._codes else np.zeros(0, np.int64)
        sizes = np.concatenate(self._sizes) if self._sizes else np.zeros(0, np.int64)
        counts = np.bincount(codes, sizes, len(self._position)).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        if np.count_nonzero(np.diff(codes)) < max(len(self._position), 1):
            return offsets, None
        # Few queries fit 16 bits, and those numpy sorts by radix.
        small = codes.astype(np.uint16 if len(self._position) <= 1 << 16 else np.int64)
        return offsets, np.argsort(np.repeat(small, sizes), kind="stable")


class _Table:
    """Finds the number of an id among some, for whole columns: a table of where a hash begins."""

    def __init__(self, names: list[str]) -> None:
        self._ids = Ids.from_strings(names)
        bits = (16 * len(names) + 1).bit_length()
        self._shift = np.uint64(64 - bits)
        self._numbers = np.full(1 << bits, -1, np.int32)
        self._numbers[self._ids.hashes >> self._shift] = np.arange(len(names))

    def __len__(self) -> int:
        return len(self._ids)

    def find(self, ids: Ids) -> Ints:
        """Return the number of each id, -1 for one that is not there, or shares its place in the table."""
        numbers: Ints = self._numbers[ids.hashes >> self._shift].astype(np.int64)
        rows = np.flatnonzero(numbers >= 0)
        numbers[rows[~ids.equal(rows, self._ids, numbers[rows])]] = -1
        return numbers


def distinct(ids: Ids) -> tuple[list[str], Ints]:
    """Return the distinct ids in order of first appearance, and for each row which of them it is."""
    first, which = numbered(ids)
    return ids.take(first).to_list(), which


def numbered(ids: Ids) -> tuple[Ints, Ints]:
    """Return the first row of each distinct id, in order, and for each row which of them it is."""
    _, first, which = np.unique(ids.hashes, return_index=True, return_inverse=True)
    if not ids.equal(np.arange(len(ids)), ids, first[which]).all():
        # Two ids with one hash: compare them as text.
        position: dict[str, int] = {}
        number = np.array([position.setdefault(name, len(position)) for name in ids.to_list()], np.int64)
        return np.unique(number, return_index=True)[1], number
    order = np.argsort(first, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[which]


def document_keys(docs: Ids, queries: Ints, offsets: Ints) -> NDArray[np.uint64]:
    """Return a key for each row: equal for one document of one query, else nearly never.

    Parameters
    ----------
    queries, offsets
        The number of each query, and where its rows begin; one more offset than queries.
    """
    of_query = queries.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    return docs.hashes + np.repeat(of_query, np.diff(offsets))


def has_twins(keys: NDArray[np.uint64]) -> bool:
    """Whether two keys are equal."""
    # Half of a key sorts in half the time, and among few keys no two have a half in common.
    if len(keys) < 1 << 16 and not _has_twins((keys >> np.uint64(32)).astype(np.uint32)):
        return False
    return _has_twins(keys)


def _has_twins(keys: NDArray[Any]) -> bool:
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def find_twins(docs: Ids, offsets: Ints) -> tuple[Ints, Ints]:
    """Find rows that repeat a document of their query.

    Parameters
    ----------
    docs, offsets
        Rows grouped by query, as `Grouping` returns them.

    Returns
    -------
    first, second
        Pairs of rows with the same id, the first one being the document's first row.
    """
    # Equal documents of one query have equal keys; the few equal keys are then compared as ids.
    keys = document_keys(docs, np.arange(len(offsets) - 1), offsets)
    if not has_twins(keys):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(np.diff(keys[order]) == 0)
    suspects = np.unique(order[np.concatenate([repeats, repeats + 1])])
    seen: dict[tuple[int, str], int] = {}
    pairs = []
    queries = np.searchsorted(offsets, suspects, "right").tolist()
    for row, query in zip(suspects.tolist(), queries, strict=True):
        first = seen.setdefault((query, docs[row]), row)
        if first != row:
            pairs.append((first, row))
    pairs.sort(key=lambda pair: pair[1])
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
