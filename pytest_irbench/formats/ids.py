"""A column of identifiers that never becomes a list of Python strings.

A run of a thousand documents for each of a thousand queries holds a million ids, of which a few
thousand are judged and a few dozen are printed. So the ids stay where they were read, as UTF-8 bytes
in one buffer, and are compared eight bytes at a time. Bytewise order of UTF-8 is the order of code
points, which is also the order in which trec_eval breaks ties.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Words = NDArray[np.uint64]
    Bools = NDArray[np.bool_]

WORD = 8
PADDING = 2 * WORD
"""Zero bytes in front of and behind the ids of a buffer: words are loaded across their ends."""

# _FIRST[n] keeps the first n bytes of a word whose first byte is the lowest.
_FIRST = np.array([(1 << (8 * n)) - 1 for n in range(WORD + 1)], np.uint64)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Ids:
    """`n` ids as UTF-8 bytes in one buffer.

    Parameters
    ----------
    data
        All bytes, with `PADDING` more at both ends.
    starts, lengths
        Where each id begins and how many bytes it has; shape (n,), int64.
    """

    __slots__ = ("__dict__", "data", "lengths", "starts")

    def __init__(self, data: NDArray[np.uint8], starts: Rows, lengths: Rows) -> None:
        self.data = data
        self.starts = starts
        self.lengths = lengths

    @classmethod
    def from_strings(cls, strings: Sequence[str]) -> Self:
        """Build the column from Python strings.

        Raises
        ------
        UnicodeEncodeError
            When a string holds a lone surrogate.
        """
        data = "\n".join(strings).encode()
        padding = bytes(PADDING)
        buffer = np.frombuffer(b"".join([padding, data, b"\n", padding]), np.uint8)
        ends = np.flatnonzero(buffer == ord("\n"))
        if len(ends) == len(strings):
            starts = np.empty_like(ends)
            starts[:1] = PADDING
            np.add(ends[:-1], 1, out=starts[1:])
            return cls(buffer, starts, ends - starts)
        # An id holds a line end itself (or there is no id): ask each for its size.
        lengths = np.fromiter((len(string.encode()) for string in strings), np.int64, len(strings))
        return cls(buffer, np.cumsum(lengths + 1) - lengths - 1 + PADDING, lengths)

    @classmethod
    def joined(cls, columns: Sequence[Self]) -> Self:
        """Join columns of one buffer, at least one."""
        starts = np.concatenate([column.starts for column in columns])
        return cls(columns[0].data, starts, np.concatenate([column.lengths for column in columns]))

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, row: int) -> str:
        start = self.starts[row]
        return self.data[start : start + self.lengths[row]].tobytes().decode()

    def take(self, rows: Rows) -> Self:
        """Return the column of these rows; the bytes are shared."""
        return type(self)(self.data, self.starts[rows], self.lengths[rows])

    def to_list(self) -> list[str]:
        """Return all ids as Python strings."""
        return [self[row] for row in range(len(self))]

    @cached_property
    def max_length(self) -> int:
        """Bytes of the longest id."""
        return int(self.lengths.max()) if len(self) else 0

    @cached_property
    def words(self) -> Words:
        """Every eight bytes of the buffer as a word, one starting at each byte; the first byte is lowest."""
        return np.ndarray((len(self.data) - WORD + 1,), "<u8", self.data, strides=(1,))

    def _word(self, index: int, rows: Rows | slice = slice(None)) -> Words:
        """Return the bytes of `word` with the first one lowest, which is cheaper and equal as well."""
        if index == 0 and self.max_length <= WORD:
            lengths = self.lengths[rows]
            return self.words[self.starts[rows]] & _FIRST[lengths]
        left = np.clip(self.lengths[rows] - WORD * index, 0, WORD)
        begin = np.where(left > 0, self.starts[rows] + WORD * index, 0)
        return self.words[begin] & _FIRST[left]

    def word(self, index: int, rows: Rows | slice = slice(None)) -> Words:
        """Return bytes ``8 * index`` to ``8 * index + 8`` of each id as a number.

        The first byte is the highest, and bytes past an id's end count as zero, so that words compare
        as the ids do.
        """
        return self._word(index, rows).byteswap()

    def hashes(self) -> Words:
        """Return a 64-bit hash of each id; equal ids have equal hashes, others nearly never."""
        # The length is spread over all bits: as it is, it would undo a difference of the first byte.
        key = (self._word(0) ^ (self.lengths.astype(np.uint64) * _MULTIPLIER)) * _MULTIPLIER
        key ^= key >> np.uint64(29)
        longer = np.flatnonzero(self.lengths > WORD) if self.max_length > WORD else np.zeros(0, np.int64)
        index = 1
        while len(longer):
            mixed = (key[longer] ^ self._word(index, longer)) * _MULTIPLIER
            key[longer] = mixed ^ (mixed >> np.uint64(29))
            index += 1
            longer = longer[self.lengths[longer] > WORD * index]
        return key

    def equal(self, rows: Rows, other: Self, other_rows: Rows) -> Bools:
        """Compare ids pair by pair, byte for byte."""
        same: Bools = self.lengths[rows] == other.lengths[other_rows]
        open_ = np.flatnonzero(same)
        index = 0
        while len(open_):
            differs = self._word(index, rows[open_]) != other._word(index, other_rows[open_])
            same[open_[differs]] = False
            index += 1
            open_ = open_[~differs]
            open_ = open_[self.lengths[rows[open_]] > WORD * index]
        return same

    def changes(self) -> Bools:
        """Tell for each row whether its id differs from that of the row before; shape (n,)."""
        first = self._word(0)
        changed = np.ones(len(self), np.bool_)
        changed[1:] = (first[1:] != first[:-1]) | (self.lengths[1:] != self.lengths[:-1])
        longer = np.flatnonzero(~changed & (self.lengths > WORD))
        changed[longer] = ~self.equal(longer, self, longer - 1)
        return changed
