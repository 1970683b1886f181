"""Decimal numbers in bytes to doubles, all rows at once.

What a number means is `float`'s matter, and `_parse_one` is the specification: it takes what C's strtod
takes for a decimal number and nothing else. The other two do the same for plain numbers (digits, at most
one point, a minus) in integers, eight digits at a time, and hand every other token over: `_same_decimals`
for columns printed with one number of decimals, which is quickest, and `_plain_numbers` for the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.formats.ids import WORD, Ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)

_ZEROS = np.uint64(0x3030303030303030)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_HIGH_NIBBLES = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIXES = np.uint64(0x0606060606060606)
# _FILL[n] has the digit 0 in all bytes of a word but the last n.
_FILL = np.array([0x3030303030303030 >> (8 * n) << (8 * n) for n in range(WORD)] + [0], np.uint64)
# _FILLED[n] has all bits in those bytes.
_FILLED = np.array([2**64 - 2 ** (8 * n) for n in range(WORD + 1)], np.uint64)
# Pairs of digits, then of pairs, then of fours: how many bits apart, what the left one counts, and a mask
# of the right ones.
_PAIRS = [
    (np.uint64(bits), np.uint64(power), np.uint64(mask))
    for bits, power, mask in (
        (8, 10, 0x00FF00FF00FF00FF),
        (16, 100, 0x0000FFFF0000FFFF),
        (32, 10_000, 0x00000000FFFFFFFF),
    )
]
_POWERS = np.array([10**n for n in range(20)], np.uint64)
_FLOAT_POWERS = _POWERS.astype(np.float64)
_MOST_DIGITS = 19  # 10**19 is below 2**64
_EXACT = np.uint64(2**53)
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
    """Read numbers below 10**15 that all have the point at the same place from their end.

    None for other columns. With one place for the point, every shift and mask is one number, not one for
    each row.
    """
    longest = column.max_length
    if not longest or longest > 2 * WORD or int(column.lengths.min()) < 2:
        return None
    ends = column.starts + column.lengths
    # The bytes that end a token, its last one lowest.
    low = column.words[ends - WORD].byteswap()
    decimals = f"{int(low[0]):016x}"[::-1].find(f"{ord('.'):x}"[::-1])
    if decimals < 0 or decimals % 2:
        return None
    decimals //= 2
    point = np.uint64(8 * decimals)
    if not ((low >> point & np.uint64(0xFF)) == ord(".")).all():
        return None
    behind = np.uint64((1 << (8 * decimals)) - 1)
    minus = column.data[column.starts] == ord("-")
    digits = column.lengths - 1 - minus
    before = low >> np.uint64(8) & ~behind
    if longest > WORD:
        high = column.words[ends - 2 * WORD].byteswap()
        before |= (high & np.uint64(0xFF)) << np.uint64(56)
    value, fine = _right_aligned(before | (low & behind), np.minimum(digits, WORD))
    if longest > WORD + 1:
        more, also = _right_aligned(high >> np.uint64(8), np.maximum(digits - WORD, 0))
        value += more * _POWERS[WORD]
        fine &= also
    if not fine.all() or int(value.max()) >= 2**53 or not digits.all():
        return None
    values = value.astype(np.float64) / 10.0**decimals
    return np.negative(values, out=values, where=minus)


def _right_aligned(word: Words, count: Ints) -> tuple[Words, Bools]:
    """Read the last `count` bytes of each word as digits; tell where they are digits."""
    return _digits((word & ~_FILLED[count]) | _FILL[count])


def _plain_numbers(column: Ids) -> tuple[Floats, Bools]:
    """Read the plain numbers; tell which rows those are."""
    minus = column.word(0) >> np.uint64(56) == ord("-")
    body = Ids(column.data, column.starts + minus, column.lengths - minus)
    whole = _find_point(body)
    decimals = np.maximum(body.lengths - whole - 1, 0)
    known = (whole <= WORD) & (decimals <= 2 * WORD) & (whole + decimals <= _MOST_DIGITS)
    known &= whole + decimals > 0
    whole, decimals = np.where(known, whole, 0), np.where(known, decimals, 0)
    fraction = Ids(column.data, body.starts + whole + 1, decimals)
    mantissa, fine = _eight_digits(body.word(0), whole)
    known &= fine
    for index in range(-(-int(decimals.max(initial=0)) // WORD)):
        count = np.clip(decimals - WORD * index, 0, WORD)
        digits, fine = _eight_digits(fraction.word(index), count)
        mantissa = mantissa * _POWERS[count] + digits
        known &= fine
    values, sure = _scaled(mantissa, decimals)
    return np.where(minus, -values, values), known & sure


def _find_point(body: Ids) -> Ints:
    """Return how many bytes stand before the first point; all of them where there is none."""
    at = body.lengths.copy()
    for index in reversed(range(min(-(-body.max_length // WORD), 2))):
        differs = body.word(index) ^ _POINTS
        # The highest bit of each byte that is a point; only of one below it may be set wrongly.
        found = (differs - _ONES) & ~differs & _HIGH_BITS
        rows = np.flatnonzero(found)
        # The exponent of a power of two is exact; rounding up can't reach the next byte's bit.
        exponent = np.frexp(found[rows].astype(np.float64))[1]
        at[rows] = np.minimum(WORD * index + (64 - exponent) // 8, at[rows])
    return at


def _eight_digits(word: Words, count: Ints) -> tuple[Words, Bools]:
    """Read the first `count` bytes of each word as digits; tell where they are digits."""
    shift = (8 * (WORD - count)).astype(np.uint64)
    return _digits(np.where(count == 0, np.uint64(0), word >> (shift & np.uint64(63))) | _FILL[count])


def _digits(word: Words) -> tuple[Words, Bools]:
    """Read each word as eight digits, the last one lowest; tell where they are digits."""
    fine = ((word & _HIGH_NIBBLES) == _ZEROS) & (((word + _SIXES) & _HIGH_NIBBLES) == _ZEROS)
    value = word - _ZEROS
    for width, power, low in _PAIRS:
        value = (value >> width & low) * power + (value & low)
    return value, fine


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
        values[rows] = long.astype(np.float64)
        rest = np.abs(long - values[rows])
        gap = np.spacing(values[rows]).astype(np.longdouble)
        sure[rows] = (2 * rest != gap) & (4 * rest != gap)
    return values, sure
