"""TREC run and qrels files: bytes in, columns out.

The files are split with numpy. A file that does not have the shape goes once more through the plain
line-by-line reader at the end, which finds the first wrong line and says what is wrong with it.
"""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import WORD, Ids
from pytest_irbench.formats.numbers import parse_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

RUN_FIELDS = ("query_id", "Q0", "doc_id", "rank", "score", "tag")
QRELS_FIELDS = ("query_id", "iteration", "doc_id", "relevance")

BOM = b"\xef\xbb\xbf"

_NEWLINE = ord("\n")
# Blank, tab and the two line ends separate; nothing else does (a no-break space is part of an id).
_SEPARATES = np.zeros(256, np.bool_)
_SEPARATES[list(b" \t\r\n")] = True


@dataclass(frozen=True, slots=True)
class Table:
    """The lines of a file, split into fields.

    Attributes
    ----------
    path
        The file.
    data
        Its bytes and eight zeros.
    starts, ends
        Where each field begins and ends in `data`; shape (lines, fields).
    """

    path: Path
    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def ids(self, field: int) -> Ids:
        """Return one field as a column of ids."""
        starts = np.ascontiguousarray(self.starts[:, field])
        return Ids(self.data, starts, self.ends[:, field] - starts)

    def numbers(self, field: int) -> NDArray[np.float64]:
        """Return one field as numbers, shape (lines,).

        Raises
        ------
        InputError
            When a field is no decimal number (``inf`` and ``nan`` are read), with its line.
        """
        column = self.ids(field)
        values, wrong = parse_numbers(column)
        if len(wrong):
            row = int(wrong[0])
            name = (RUN_FIELDS if self.starts.shape[1] == len(RUN_FIELDS) else QRELS_FIELDS)[field]
            raise self.fault(row, f"the {name} {column[row]!r} is not a number")
        return values

    def fault(self, row: int, message: str) -> InputError:
        """Build the error for one row, with its line."""
        line = 1 + int(np.count_nonzero(self.data[: self.starts[row, 0]] == _NEWLINE))
        return InputError(message, self.path, line)


def read_table(path: str | Path, fields: tuple[str, ...]) -> Table:
    """Read a file of lines with a fixed number of fields.

    Blanks and tabs separate fields, blank lines are skipped, CRLF, a byte order mark and gzip are
    fine. Encoding is UTF-8.

    Parameters
    ----------
    path
        The file; one that begins as gzip does is unpacked, whatever its name.
    fields
        The names of the fields, for messages.

    Raises
    ------
    InputError
        When the file can't be read, is not UTF-8, or a line has another number of fields.
    """
    path = Path(path)
    content = read_bytes(path)
    _check_utf8(path, content)
    data = np.frombuffer(content + bytes(WORD), np.uint8)
    starts, ends = _tokens(data, len(content))
    width = len(fields)
    if len(starts) % width == 0:
        starts, ends = starts.reshape(-1, width), ends.reshape(-1, width)
        if _lines_are_rows(data, starts, ends):
            return Table(path, data, starts, ends)
    raise _wrong_line(path, content, fields)


def read_bytes(path: Path) -> bytes:
    """Read a file, unpacked when it begins as gzip does, without its byte order mark.

    Raises
    ------
    InputError
        When it can't be read or unpacked.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path) from None
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"is a damaged gzip file: {error}", path) from None
    elif path.suffix == ".gz" and content:
        raise InputError("is named .gz but is not a gzip file: rename or compress it", path)
    return content.removeprefix(BOM)


def _check_utf8(path: Path, content: bytes) -> None:
    if content.isascii():
        return
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        bad = content[error.start]
        raise InputError(f"byte 0x{bad:02x} is not UTF-8: save the file as UTF-8", path, line) from None


def _tokens(data: NDArray[np.uint8], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find where every run of bytes that are no separators begins and ends, in the first `size`."""
    edges = np.flatnonzero(data[:size] <= ord(" "))
    separates = _SEPARATES[data[edges]]
    if not separates.all():
        edges = edges[separates]
    edges = np.concatenate([[-1], edges, [size]])
    if len(edges) > 1 and edges[-2] == size - 1:
        edges = edges[:-1]
    starts, ends = edges[:-1] + 1, edges[1:]
    filled = ends > starts
    return (starts, ends) if filled.all() else (starts[filled], ends[filled])


def _lines_are_rows(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> bool:
    """Tell whether the tokens, a file's width of them in a row, are one line each."""
    at_line_end = data[ends] == _NEWLINE
    alone = (ends.ravel()[:-1] + 1 == starts.ravel()[1:]).all()
    if alone and not at_line_end[:, :-1].any() and at_line_end[:-1, -1].all():
        return True
    # Not one separator behind each token: lines may be blank, padded, or end in CRLF.
    newlines = np.flatnonzero(data == _NEWLINE)
    first = np.searchsorted(newlines, starts[:, 0])
    last = np.searchsorted(newlines, starts[:, -1])
    return bool((first == last).all() and (np.diff(first) > 0).all())


def _wrong_line(path: Path, content: bytes, fields: tuple[str, ...]) -> InputError:
    """Find the first line with a wrong number of fields, one line after the other."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        found = re.split(rb"[ \t\r]+", line.strip(b" \t\r"))
        if found != [b""] and len(found) != len(fields):
            text = line.strip(b" \t\r")[:80].decode(errors="replace")
            expected = f"expected {len(fields)} columns ({' '.join(fields)})"
            return InputError(f"{expected}, got {len(found)}: {text!r}", path, number)
    raise AssertionError("the two readers disagree on the shape of a file")
