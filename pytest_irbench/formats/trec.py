"""TREC run and qrels files: bytes in, columns out.

Lines are split with numpy, a window at a time (`split`). What does not fit goes through the plain
line-by-line reader at the end (`first_fault`), which finds the first wrong line and says what is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats import windows
from pytest_irbench.formats.ids import PADDING, Ids
from pytest_irbench.formats.numbers import NUMBER, parse_numbers
from pytest_irbench.formats.windows import keep_memory, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int64]

RUN_FIELDS = ("query_id", "Q0", "doc_id", "rank", "score", "tag")
QRELS_FIELDS = ("query_id", "iteration", "doc_id", "relevance")

_NEWLINE = ord("\n")


@dataclass(frozen=True, slots=True)
class Table:
    """Lines, split into fields.

    Attributes
    ----------
    data
        The buffer that they stand in.
    base
        The place in it from which the others are counted.
    before, ends
        Where the byte in front of each field stands, and the one behind it; shape (lines, fields).
    """

    data: Bytes
    base: int
    before: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def first(self, lines: int) -> Self:
        """Return the table of the first lines."""
        return type(self)(self.data, self.base, self.before[:lines], self.ends[:lines])

    def ids(self, field: int) -> Ids:
        """Return one field as a column of ids."""
        before = self.before[:, field]
        lengths = self.ends[:, field] - before
        lengths -= 1
        return Ids(self.data, before + (self.base + 1), lengths)

    def numbers(self, field: int) -> NDArray[np.float64] | None:
        """Return one field as numbers, shape (lines,); None when one of them is no number."""
        values, wrong = parse_numbers(self.ids(field))
        return None if len(wrong) else values


def split(data: Bytes, begin: int, end: int, width: int) -> Table | None:
    """Split whole lines into fields.

    Parameters
    ----------
    data
        The buffer, padded at both ends.
    begin, end
        Where the lines are in it.
    width
        How many fields a line has.

    Returns
    -------
    Table or None
        None when a line has another number of fields, or a field is not UTF-8.
    """
    window = data[begin:end]
    if window.size and int(window.max()) > 127 and not _is_utf8(window):
        return None
    # With the byte in front, which belongs to the padding or the line before and is no part of an id.
    base = begin - 1
    low = data[base:end] <= ord(" ")
    edges = np.flatnonzero(low)
    if _is_clean(data[base:end], low, edges, width):
        return Table(data, base, edges[:-1].reshape(-1, width), edges[1:].reshape(-1, width))
    return _split_loose(data, base, end, edges, width)


def _is_utf8(window: Bytes) -> bool:
    try:
        window.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_clean(window: Bytes, low: NDArray[np.bool_], edges: Ints, width: int) -> bool:
    """Whether behind each field stands one separator, a line feed behind the last one, and nothing else.

    Parameters
    ----------
    window
        The lines, with the byte in front of them.
    low, edges
        Which of its bytes are no greater than the blank, and where those stand.
    """
    lines, rest = divmod(len(edges) - 1, width)
    if not lines or rest or (low[1:] & low[:-1]).any():
        return False
    if edges[-1] != len(window) - 1 or not (window[edges[width::width]] == _NEWLINE).all():
        return False
    window = window[1:]
    if np.count_nonzero(window < ord(" ")) == lines:
        return True
    inside = sum(np.count_nonzero(window == blank) for blank in b" \t")
    return bool(np.count_nonzero(window == _NEWLINE) == lines and inside == lines * (width - 1))


def _split_loose(data: Bytes, base: int, end: int, edges: Ints, width: int) -> Table | None:
    """Split lines that may be padded, blank, end in CRLF, or hold control characters in their ids."""
    kinds = data[base:end][edges]
    # Blank, tab and the two line ends separate; nothing else does (a no-break space is part of an id).
    separates = (kinds == ord(" ")) | (kinds == ord("\t")) | (kinds == ord("\r")) | (kinds == _NEWLINE)
    separates[0] = True
    if not separates.all():
        edges, kinds = edges[separates], kinds[separates]
    # Between two neighbours of these stands a field, or nothing; the last line may lack its end.
    bounds = np.append(edges, end - base)
    filled = np.flatnonzero(bounds[1:] - bounds[:-1] > 1)
    if len(filled) % width:
        return None
    if not _one_line_each(kinds == _NEWLINE, filled[::width], filled[width - 1 :: width]):
        return None
    return Table(data, base, bounds[filled].reshape(-1, width), bounds[filled + 1].reshape(-1, width))


def _one_line_each(is_newline: NDArray[np.bool_], first: Ints, last: Ints) -> bool:
    """Whether each row's fields stand on one line, and no two rows on the same.

    Parameters
    ----------
    is_newline
        Which separators are line feeds.
    first, last
        The number of the separator in front of each row's first and last field.
    """
    newlines = np.flatnonzero(is_newline[1:]) + 1
    if len(newlines) == len(first) and (newlines > last).all() and (newlines[:-1] <= first[1:]).all():
        return True
    # Blank lines, a last line without an end, or a fault.
    line = np.cumsum(is_newline)
    return bool((line[first] == line[last]).all() and (line[last[:-1]] < line[first[1:]]).all())


@dataclass(frozen=True, slots=True)
class Contents:
    """A whole file in memory, padded at both ends; `path` is for messages."""

    path: Path
    data: Bytes

    @classmethod
    def of(cls, path: Path, content: bytes) -> Self:
        """Take the content of a file."""
        padding = bytes(PADDING)
        return cls(path, np.frombuffer(b"".join([padding, content, padding]), np.uint8))

    def tables(self, fields: tuple[str, ...], number: int) -> Iterator[tuple[Table, NDArray[np.float64]]]:
        """Give the file's lines, split, with the field that is a number, window by window.

        Parameters
        ----------
        fields
            The names of the fields, for messages.
        number
            Which of them holds a number.

        Raises
        ------
        InputError
            With file and line of the first fault.
        """
        end = len(self.data) - PADDING
        begin = PADDING
        while begin < end:
            stop = min(begin + windows.SIZE, end)
            stop = self._line_end(stop, end)
            table = split(self.data, begin, stop, len(fields))
            numbers = None if table is None else table.numbers(number)
            if table is None or numbers is None:
                raise first_fault(self.path, self.data[PADDING:end].tobytes(), fields, number)
            if len(table):
                yield table, numbers
            begin = stop

    def _line_end(self, position: int, end: int) -> int:
        """Return the end of the line that reaches over a position."""
        while position < end:
            found = self.data[position : position + windows.SIZE].tobytes().find(b"\n")
            if found >= 0:
                return position + found + 1
            position += windows.SIZE
        return end

    def fault(self, position: int, message: str) -> InputError:
        """Build the error for what stands at a position of the buffer, with its line."""
        line = 1 + int(np.count_nonzero(self.data[PADDING:position] == _NEWLINE))
        return InputError(message, self.path, line)


def read_contents(path: Path) -> Contents:
    """Read a whole file; one that begins as gzip does is unpacked, a byte order mark is left out.

    Raises
    ------
    InputError
        When it can't be read or unpacked.
    """
    keep_memory()
    return Contents.of(path, read_bytes(path))


def first_fault(path: Path, content: bytes, fields: tuple[str, ...], number: int) -> InputError:
    """Find the first line that is wrong, one after the other: this is what the format is.

    The encoding is UTF-8, lines end in LF or CRLF, blanks and tabs separate fields, blank lines are
    skipped, every other line has all fields, and one of them is a decimal number. A file is held to
    these in this order.
    """
    try:
        content.decode()
    except UnicodeDecodeError as error:
        message = f"byte 0x{content[error.start]:02x} is not UTF-8: save the file as UTF-8"
        return InputError(message, path, content.count(b"\n", 0, error.start) + 1)
    stripped = (line.strip(b" \t\r") for line in content.split(b"\n"))
    lines = [(count, line, re.split(rb"[ \t\r]+", line)) for count, line in enumerate(stripped, 1) if line]
    for count, line, found in lines:
        if len(found) != len(fields):
            expected = f"expected {len(fields)} columns ({' '.join(fields)})"
            text = line[:80].decode(errors="replace")
            return InputError(f"{expected}, got {len(found)}: {text!r}", path, count)
    for count, _, found in lines:
        if NUMBER.fullmatch(found[number]) is None:
            # As in a list to judge that was added before it was filled in.
            hint = ": fill it in" if found[number] == b"?" else ""
            message = f"the {fields[number]} {found[number].decode()!r} is not a number{hint}"
            return InputError(message, path, count)
    raise AssertionError("the two readers disagree on a file")
