"""Decimal numbers in bytes to doubles, all rows at once.

What a number means is `float`'s matter, and `_parse_one` is the specification: it takes what C's strtod
takes for a decimal number and nothing else. The other two do the same for plain numbers (digits, at most
one point, a minus) in integers, eight digits at a time, and hand every other token over: `_same_decimals`
for columns printed with one number of decimals, which is quickest, and `_plain_numbers` for the rest.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.formats.ids import WORD, Ids, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)

_POINT = ord(".")
_ZEROS = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
_HIGH_BITS = np.uint64(0x8080808080808080)
# Added to a byte, it reaches the high bit from 10 on.
_PAST_NINE = np.uint64(0x7676767676767676)
_ALL = np.uint64(2**64 - 1)
_TO_NEXT_BYTE = np.uint64(8)
_TOP_BYTE = np.uint64(56)
_WORDS = 3
_SAMPLE = 4096
# _LAST[n] keeps the last n bytes of that many words, if the first byte of a word is the lowest.
_LAST = np.zeros((WORD * _WORDS + 1, WORD * _WORDS), np.uint8)
for _size in range(1, len(_LAST)):
    _LAST[_size, -_size:] = 255
# Single digits to pairs; then those to fours and those to eights: what is kept, the factor, how far down.
_TO_PAIRS = np.uint64((10 << 8) + 1)
_TWICE_AS_LONG = [
    (np.uint64(mask), np.uint64((power << bits) + 1), np.uint64(bits))
    for mask, power, bits in ((0x00FF00FF00FF00FF, 100, 16), (0x0000FFFF0000FFFF, 10_000, 32))
]
_POWERS = np.array([10**n for n in range(20)], np.uint64)
_FLOAT_POWERS = _POWERS.astype(np.float64)
_MOST_DIGITS = 19  # 10**19 is below 2**64
_EXACT = 2**53
_ALWAYS_EXACT = 15  # digits
_LONG_DOUBLE_IS_LONG = np.finfo(np.longdouble).nmant >= 63


def parse_numbers(column: Ids) -> tuple[Floats, Ints]:
    """Read a column of decimal numbers.

    Returns
    -------
    values
        Shape (n,), the double nearest to each number.
    wrong
        Rows that hold no number.
    """
    values = _same_decimals(column)
    if values is not None:
        return values, np.zeros(0, np.int64)
    values, known = _plain_numbers(column)
    wrong = []
    for row in np.flatnonzero(~known).tolist():
        value = _parse_one(column, row)
        if value is None:
            wrong.append(row)
        else:
            values[row] = value
    return values, np.array(wrong, np.int64)


def _parse_one(column: Ids, row: int) -> float | None:
    start = column.starts[row]
    token = column.data[start : start + column.lengths[row]].tobytes()
    return float(token) if NUMBER.fullmatch(token) else None


def _same_decimals(column: Ids) -> Floats | None:
    """Read numbers below 2**53 that all have the point at the same place from their end, or none.

    None for other columns. With one place for the point, every shift and mask is one number, not one for
    each row.
    """
    if not 0 < column.max_length <= 2 * WORD:
        return None
    words = 1 if column.max_length <= WORD else 2
    first = column[0]
    point = first.rfind(".")
    decimals = len(first) - 1 - point if point >= 0 else 0
    form, past = np.full(WORD * words, ord("0"), np.uint8), np.full(WORD * words, 0x76, np.uint8)
    if point >= 0:
        form[-1 - decimals], past[-1 - decimals] = _POINT, 0x7F
    # Scores below zero rarely come alone. One that is missed is no digit, and the other reader takes over.
    digits, sizes, minus = _last_bytes(column, words, 1 + len(column) // _SAMPLE)
    digits ^= form.view("<u8")[:, None]
    shortest = int(sizes.min())
    for index in range(words):
        if shortest < WORD * (words - index):
            digits[index] &= _kept(words, index)[sizes]
    wrong = digits + past.view("<u8")[:, None]
    wrong |= digits
    wrong &= _HIGH_BITS
    if shortest < (1 if point < 0 else max(decimals + 1, 2)) or wrong.any():
        return None
    value = _value(digits)
    if point >= 0:
        # Up to here the point was a digit 0: take it out.
        whole = value // _POWERS[decimals + 1]
        value -= whole * (_POWERS[decimals + 1] - _POWERS[decimals])
    if column.max_length > _ALWAYS_EXACT and int(value.max()) >= _EXACT:
        return None
    values: Floats = value.astype(np.float64) / _FLOAT_POWERS[decimals]
    return values if minus is None else np.negative(values, out=values, where=minus)


def _last_bytes(column: Ids, words: int, step: int = 1) -> tuple[Words, Ints, Bools | None]:
    """Load the words that end with each token; also its size without a minus, and which have one.

    Parameters
    ----------
    step
        Of so many rows one is asked whether there is a minus at all.
    """
    places = column.starts + column.lengths
    places -= WORD * words
    block = load(column.data, places, words)
    if not (column.data[column.starts[::step]] == ord("-")).any():
        return block, column.lengths, None
    minus = column.data[column.starts] == ord("-")
    return block, column.lengths - minus, minus


@cache
def _kept(words: int, index: int) -> Words:
    """Return by size which bytes of one of some words belong to a token that ends with the last of them."""
    last = _LAST[: WORD * words + 1, WORD * (_WORDS - words + index) :][:, :WORD]
    return np.ascontiguousarray(last).view("<u8")[:, 0]


def _value(digits: Words) -> Words:
    """Read words of eight digits (numbers, not text; the first one lowest), side by side, as one number."""
    digits = digits * _TO_PAIRS
    digits >>= _TO_NEXT_BYTE
    for mask, factor, bits in _TWICE_AS_LONG:
        digits &= mask
        digits *= factor
        digits >>= bits
    value: Words = digits[0]
    for word in digits[1:]:
        value = value * _POWERS[WORD] + word
    return value


def _plain_numbers(column: Ids) -> tuple[Floats, Bools]:
    """Read the plain numbers; tell which rows those are."""
    words = min(max(-(-column.max_length // WORD), 1), _WORDS)
    block, sizes, minus = _last_bytes(column, words)
    known = sizes <= WORD * words
    sizes = np.where(known, sizes, 0)
    for index in range(words):
        block[index] &= _kept(words, index)[sizes]
    behind, points = _behind_point(block)
    decimals = _bytes_with(behind)
    # The bytes in front of the point move over it.
    moved = block << _TO_NEXT_BYTE
    moved[1:] |= block[:-1] >> _TOP_BYTE
    behind[:, points == 0] = _ALL
    digits = ((block & behind) | (moved & ~behind)) ^ _ZEROS
    sizes -= points
    known &= (points <= 1) & (sizes > 0) & (sizes <= _MOST_DIGITS)
    sizes[~known] = 0
    for index in range(words):
        digits[index] &= _kept(words, index)[sizes]
    known &= (((digits + _PAST_NINE) | digits) & _HIGH_BITS == 0).all(axis=0)
    decimals[~known] = 0
    values, sure = _scaled(_value(digits), decimals)
    return values if minus is None else np.where(minus, -values, values), known & sure


def _behind_point(block: Words) -> tuple[Words, Ints]:
    """Return all bits of the bytes behind the first point of each row, and how many points it has."""
    differs = block ^ _POINTS
    # The high bit of each byte that is a point.
    point = ~(((differs & _LOW_BITS) + _LOW_BITS) | differs | _LOW_BITS)
    # Zero minus a bit has all bits from that one on.
    behind = np.uint64(0) - (point << np.uint64(1))
    seen = np.zeros(block.shape[1], np.uint64)
    for index in range(len(block)):
        behind[index] |= np.uint64(0) - seen
        seen |= point[index] != 0
    return behind, _bytes_with(point >> np.uint64(7))


def _bytes_with(words: Words) -> Ints:
    """Count the bytes with their lowest bit set in words side by side, at most 31."""
    lowest = (words & _ONES).sum(axis=0, dtype=np.uint64)
    count: Ints = (lowest * _ONES >> _TOP_BYTE).astype(np.int64)
    return count


def _scaled(mantissa: Words, decimals: Ints) -> tuple[Floats, Bools]:
    """Divide by a power of ten, rounded once; tell where that is certain."""
    # Both below 2**53 and 10**22: exact, so that their quotient is the nearest double (Clinger 1990).
    values = mantissa.astype(np.float64) / _FLOAT_POWERS[decimals]
    sure = mantissa < _EXACT
    rows = np.flatnonzero(~sure)
    if _LONG_DOUBLE_IS_LONG and len(rows):
        # With 64 bits both are exact up to 10**19. The quotient is rounded to 64 and then to 53 bits;
        # twice is the same as once unless the first ends half-way between two doubles.
        long = mantissa[rows].astype(np.longdouble) / _POWERS[decimals[rows]].astype(np.longdouble)
        nearest = long.astype(np.float64)
        rest, gap = np.abs(long - nearest).astype(np.float64), np.spacing(nearest)
        sure[rows] = (2 * rest != gap) & (4 * rest != gap)
        values[rows] = nearest
    return values, sure
