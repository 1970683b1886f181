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
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Words = NDArray[np.uint64]
    Bools = NDArray[np.bool_]

WORD = 8
_PADDING = bytes(WORD)
# _KEEP[n] keeps the first n bytes of a big-endian word and clears the rest.
_KEEP = np.array([(0xFFFFFFFFFFFFFFFF << (8 * (WORD - n))) & 0xFFFFFFFFFFFFFFFF for n in range(9)], "u8")
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Ids:
    """`n` ids as UTF-8 bytes in one buffer.

    Parameters
    ----------
    data
        All bytes, with at least eight more behind the last id.
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
        text = "".join(strings)
        data = text.encode()
        if len(data) == len(text):
            sizes: Iterable[int] = map(len, strings)
        else:
            sizes = (len(string.encode()) for string in strings)
        lengths = np.fromiter(sizes, np.int64, len(strings))
        starts = np.cumsum(lengths) - lengths
        return cls(np.frombuffer(data + _PADDING, np.uint8), starts, lengths)

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
    def _words(self) -> Words:
        """Every eight bytes of the buffer as a big-endian word, one starting at each byte."""
        return np.ndarray((len(self.data) - WORD + 1,), ">u8", self.data, strides=(1,))

    def word(self, index: int, rows: Rows | slice = slice(None)) -> Words:
        """Return bytes ``8 * index`` to ``8 * index + 8`` of each id as a number.

        Bytes past an id's end count as zero, so that words compare as the ids do.
        """
        left = np.clip(self.lengths[rows] - WORD * index, 0, WORD)
        begin = np.where(left > 0, self.starts[rows] + WORD * index, 0)
        words: Words = self._words[begin].astype(np.uint64) & _KEEP[left]
        return words

    def hashes(self, seed: int = 0) -> Words:
        """Return a 64-bit hash of each id; equal ids have equal hashes, others nearly never."""
        key = self.lengths.astype(np.uint64) + np.uint64(seed)
        longer = np.arange(len(self))
        for index in range(-(-self.max_length // WORD)):
            if index:
                longer = longer[self.lengths[longer] > WORD * index]
            mixed = (key[longer] ^ self.word(index, longer)) * _MULTIPLIER
            key[longer] = mixed ^ (mixed >> np.uint64(29))
        return key

    def equal(self, rows: Rows, other: Self, other_rows: Rows) -> Bools:
        """Compare ids pair by pair, byte for byte."""
        same: Bools = self.lengths[rows] == other.lengths[other_rows]
        open_ = np.flatnonzero(same)
        index = 0
        while len(open_):
            differs = self.word(index, rows[open_]) != other.word(index, other_rows[open_])
            same[open_[differs]] = False
            index += 1
            open_ = open_[~differs]
            open_ = open_[self.lengths[rows[open_]] > WORD * index]
        return same

    def changes(self) -> Bools:
        """Tell for each row whether its id differs from that of the row before; shape (n,)."""
        first = self.word(0)
        changed = np.ones(len(self), np.bool_)
        changed[1:] = (first[1:] != first[:-1]) | (self.lengths[1:] != self.lengths[:-1])
        longer = np.flatnonzero(~changed & (self.lengths > WORD))
        changed[longer] = ~self.equal(longer, self, longer - 1)
        return changed
