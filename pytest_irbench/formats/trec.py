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
from pytest_irbench.formats.windows import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int64]

RUN_FIELDS = ("query_id", "Q0", "doc_id", "rank", "score", "tag")
QRELS_FIELDS = ("query_id", "iteration", "doc_id", "relevance")

_NEWLINE = ord("\n")
# Blank, tab and the two line ends separate; nothing else does (a no-break space is part of an id).
_SEPARATES = np.zeros(256, np.bool_)
_SEPARATES[list(b" \t\r\n")] = True


@dataclass(frozen=True, slots=True)
class Table:
    """Lines, split into fields.

    Attributes
    ----------
    data
        The buffer that they stand in.
    before, ends
        Where the byte in front of each field stands, and the one behind it; shape (lines, fields).
    """

    data: Bytes
    before: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def ids(self, field: int) -> Ids:
        """Return one field as a column of ids."""
        starts = self.before[:, field] + 1
        return Ids(self.data, starts, self.ends[:, field] - starts)

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
    edges = np.flatnonzero(window <= ord(" "))
    table = _split_clean(data, begin, end, edges, width)
    return _split_loose(data, begin, end, edges, width) if table is None else table


def _is_utf8(window: Bytes) -> bool:
    try:
        window.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def _split_clean(data: Bytes, begin: int, end: int, edges: Ints, width: int) -> Table | None:
    """Split lines with one separator behind each field and nothing else; None for others."""
    if len(edges) == 0 or len(edges) % width or edges[-1] != end - begin - 1:
        return None
    bounds = np.empty(len(edges) + 1, np.int64)
    bounds[0] = begin - 1
    np.add(edges, begin, out=bounds[1:])
    before, ends = bounds[:-1].reshape(-1, width), bounds[1:].reshape(-1, width)
    window = data[begin:end]
    lines = np.count_nonzero(window == _NEWLINE)
    blanks = np.count_nonzero(window == ord(" "))
    if lines + blanks < len(edges):
        blanks += np.count_nonzero(window == ord("\t"))
    clean = lines == len(ends) and lines + blanks == len(edges) and (data[ends[:, -1]] == _NEWLINE).all()
    return Table(data, before, ends) if clean and (bounds[1:] - bounds[:-1]).min() > 1 else None


def _split_loose(data: Bytes, begin: int, end: int, edges: Ints, width: int) -> Table | None:
    """Split lines that may be padded, blank, end in CRLF, or hold control characters in their ids."""
    bounds = edges[_SEPARATES[data[edges + begin]]] + begin
    bounds = np.concatenate([[begin - 1], bounds, [end]])
    filled = np.flatnonzero(bounds[1:] - bounds[:-1] > 1)
    if len(filled) % width:
        return None
    before, ends = bounds[filled].reshape(-1, width), bounds[filled + 1].reshape(-1, width)
    newlines = np.flatnonzero(data[begin:end] == _NEWLINE) + begin
    first = np.searchsorted(newlines, before[:, 0] + 1)
    last = np.searchsorted(newlines, before[:, -1] + 1)
    same_line = (first == last).all() and (first[1:] > first[:-1]).all()
    return Table(data, before, ends) if same_line else None


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
            message = f"the {fields[number]} {found[number].decode()!r} is not a number"
            return InputError(message, path, count)
    raise AssertionError("the two readers disagree on a file")
