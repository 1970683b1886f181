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
BLOCK = 8
"""So many words of each id are loaded at once; the rest of longer ids is read only where it matters."""
PADDING = BLOCK * WORD
"""Zero bytes in front of and behind the ids of a buffer: words are loaded across their ends."""

# _FIRST[n] keeps the first n bytes of a word whose first byte is the lowest, _FIRST_OF_BLOCK[i, n] those
# of word i that belong to the first n bytes of a block.
_FIRST = np.array([(1 << (8 * n)) - 1 for n in range(WORD + 1)], np.uint64)
_FIRST_OF_BLOCK = _FIRST[np.clip(np.arange(PADDING + 1) - WORD * np.arange(BLOCK)[:, None], 0, WORD)]
# Odd numbers without a pattern: the golden ratio's bits, times one another.
_MULTIPLIERS = np.cumprod(np.full(BLOCK, 0x9E3779B97F4A7C15, np.uint64))
_HALF = np.uint64(32)
_NONE = np.zeros(0, np.int64)
# So many ids are hashed at once: what is loaded of them stays in the cache.
_PORTION = 1 << 15


def load(data: NDArray[np.uint8], places: Rows, words: int) -> Words:
    """Load some words from each place of a buffer; shape (words, places), the first byte is the lowest.

    numpy copies an element of any size at one price, and none cheaper from a place that is no multiple
    of its size: so all that is needed of a place is one element.
    """
    size = WORD * words
    elements = np.ndarray((len(data) - size + 1,), f"V{size}", data, strides=(1,))
    return np.ascontiguousarray(elements[places].view("<u8").reshape(-1, words).T)


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
        """Join columns of one buffer, at least one; hashes are kept when all are known."""
        starts = np.concatenate([column.starts for column in columns])
        joined = cls(columns[0].data, starts, np.concatenate([column.lengths for column in columns]))
        if all("hashes" in column.__dict__ for column in columns):
            joined.__dict__["hashes"] = np.concatenate([column.hashes for column in columns])
        return joined

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, row: int) -> str:
        start = self.starts[row]
        return self.data[start : start + self.lengths[row]].tobytes().decode()

    def take(self, rows: Rows) -> Self:
        """Return the column of these rows; the bytes are shared, and the hashes when they are known."""
        taken = self._bare(rows)
        if "hashes" in self.__dict__:
            taken.__dict__["hashes"] = self.hashes[rows]
        return taken

    def _bare(self, rows: Rows | slice) -> Self:
        return type(self)(self.data, self.starts[rows], self.lengths[rows])

    def to_list(self) -> list[str]:
        """Return all ids as Python strings."""
        if self.max_length > PADDING:
            return [self[row] for row in range(len(self))]
        # Slices of one object of bytes, at even distances, are made several times as fast as those of numpy.
        block = self.block()
        together, size = block.T.tobytes(), WORD * len(block)
        begins = range(0, len(together), size)
        return [
            together[begin : begin + length].decode()
            for begin, length in zip(begins, self.lengths.tolist(), strict=True)
        ]

    @cached_property
    def max_length(self) -> int:
        """Bytes of the longest id."""
        return int(self.lengths.max()) if len(self) else 0

    def block(self) -> Words:
        """Return the first words of each id, as many as the longest one has; shape (words, n).

        At most `BLOCK`. The first byte is the lowest, bytes past an id's end are zero.
        """
        words = min(max(-(-self.max_length // WORD), 1), BLOCK)
        block = load(self.data, self.starts, words)
        lengths = self.lengths if self.max_length <= PADDING else np.minimum(self.lengths, PADDING)
        for index in range(words):
            block[index] &= _FIRST_OF_BLOCK[index][lengths]
        return block

    def _word(self, index: int, rows: Rows | slice) -> Words:
        """Return the bytes of `word` with the first one lowest, which is cheaper and equal as well."""
        left = np.clip(self.lengths[rows] - WORD * index, 0, WORD)
        begin = np.where(left > 0, self.starts[rows] + WORD * index, 0)
        word: Words = load(self.data, begin, 1)[0] & _FIRST[left]
        return word

    def word(self, index: int, rows: Rows | slice = slice(None)) -> Words:
        """Return bytes ``8 * index`` to ``8 * index + 8`` of each id as a number.

        The first byte is the highest, and bytes past an id's end count as zero, so that words compare
        as the ids do.
        """
        return self._word(index, rows).byteswap()

    @cached_property
    def hashes(self) -> Words:
        """A 64-bit hash of each id; equal ids have equal hashes, others nearly never.

        Zero bytes at an id's end don't count. The high bits of a hash are the good ones.
        """
        hashes = np.empty(len(self), np.uint64)
        for begin in range(0, len(self), _PORTION):
            rows = slice(begin, begin + _PORTION)
            hashes[rows] = self._bare(rows)._hash()  # noqa: SLF001 - its own class
        return hashes

    def _hash(self) -> Words:
        # A sum over words, so that words past an id's end add nothing. The high half of a word is mixed
        # into the low one first: the lowest bit of a product tells of no bit above it.
        block = self.block()
        block ^= block >> _HALF
        key: Words = block[0] * _MULTIPLIERS[0]
        for word, multiplier in zip(block[1:], _MULTIPLIERS[1:], strict=False):
            key += word * multiplier
        longer = self._longer_than_block()
        index = BLOCK
        while len(longer):
            mixed = (key[longer] ^ self._word(index, longer)) * _MULTIPLIERS[0]
            key[longer] = mixed ^ (mixed >> _HALF)
            index += 1
            longer = longer[self.lengths[longer] > WORD * index]
        return key

    def equal(self, rows: Rows, other: Self, other_rows: Rows) -> Bools:
        """Compare ids pair by pair, byte for byte."""
        same: Bools = self.lengths[rows] == other.lengths[other_rows]
        open_ = np.flatnonzero(same)
        one, two = self._bare(rows[open_]), other._bare(other_rows[open_])
        same[open_] = (one.block() == two.block()).all(axis=0)
        index = BLOCK
        open_ = open_[one._longer_than_block()]  # noqa: SLF001 - its own class
        open_ = open_[same[open_]]
        while len(open_):
            differs = self._word(index, rows[open_]) != other._word(index, other_rows[open_])
            same[open_[differs]] = False
            index += 1
            open_ = open_[~differs]
            open_ = open_[self.lengths[rows[open_]] > WORD * index]
        return same

    def changes(self) -> Bools:
        """Tell for each row whether its id differs from that of the row before; shape (n,)."""
        changed = np.ones(len(self), np.bool_)
        changed[1:] = self.lengths[1:] != self.lengths[:-1]
        for word in self.block():
            changed[1:] |= word[1:] != word[:-1]
        longer = self._longer_than_block()
        longer = longer[~changed[longer]]
        if len(longer):
            changed[longer] = ~self.equal(longer, self, longer - 1)
        return changed

    def _longer_than_block(self) -> Rows:
        return np.flatnonzero(self.lengths > PADDING) if self.max_length > PADDING else _NONE
