"""A file in pieces that fit the processor's cache, each ending at the end of a line.

A pass of numpy over a piece of 1.5 MB finds it in the cache; a pass over a file of 300 MB waits
for memory. The buffer is used again for each piece, so memory does not grow with the file.
"""

from __future__ import annotations

import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol, Self, cast

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import PADDING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from gzip import GzipFile
    from io import FileIO
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

BOM = b"\xef\xbb\xbf"
SIZE = 3 << 19

_GZIP = b"\x1f\x8b"
_NEWLINE = b"\n"
_TAIL = 1 << 12
_LARGE_PIECE = 31 << 20


@cache
def keep_memory() -> None:
    """Let glibc keep the memory that one window gives back for the next one.

    It learns so from a piece of nearly 32 MB that comes and goes, and is not touched. Otherwise it hands
    the memory to the system, and each window waits for it again, page by page: up to a fifth of the time.
    """
    np.empty(_LARGE_PIECE, np.uint8)


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
    if content.startswith(_GZIP):
        import gzip  # here and below: most sessions read no packed file

        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"is a damaged gzip file: {error}", path) from None
    elif path.suffix == ".gz" and content:
        raise InputError("is named .gz but is not a gzip file: rename or compress it", path)
    return content.removeprefix(BOM)


def read_text(path: Path) -> str:
    """Read a file of UTF-8 text as `read_bytes` does.

    Raises
    ------
    InputError
        When it can't be read or unpacked, or is not UTF-8, with the line of the first bad byte.
    """
    content = read_bytes(path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        bad = content[error.start]
        raise InputError(f"byte 0x{bad:02x} is not UTF-8: save the file as UTF-8", path, line) from None


def is_gzip(path: Path) -> bool:
    """Whether a file begins as gzip does."""
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def open_unpacked(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked when it begins as gzip does."""
    if not is_gzip(path):
        return path.open("rb")
    import gzip

    return cast("BinaryIO", gzip.open(path))


class Source(Protocol):
    """Bytes in order."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer as far as bytes are at hand; 0 at the end."""


@contextmanager
def open_source(path: Path, begin: int = 0, end: int | None = None) -> Iterator[Source]:
    """Open a file for `Windows`.

    Parameters
    ----------
    begin, end
        The bytes to read, by default all. A packed file is read as a whole, by a thread of its own.
    """
    with path.open("rb", buffering=0) as file:
        if is_gzip(path):
            import gzip

            with gzip.GzipFile(fileobj=file) as unpacked, _Ahead(unpacked) as ahead:
                yield ahead
        else:
            file.seek(begin)
            yield _Part(file, path.stat().st_size - begin if end is None else end - begin)


class _Part:
    """The next `left` bytes of a file."""

    def __init__(self, file: FileIO, left: int) -> None:
        self._file = file
        self._left = left

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer."""
        got = self._file.readinto(buffer[: self._left]) or 0
        self._left -= got
        return got


class _Ahead:
    """Unpacks on a thread of its own, a few pieces ahead of the reader."""

    def __init__(self, file: GzipFile) -> None:
        from queue import Queue
        from threading import Event, Thread

        self._file = file
        self._pieces: Queue[bytes | Exception] = Queue(maxsize=4)
        self._stopped = Event()
        self._piece = memoryview(b"")
        self._at_end = False
        self._thread = Thread(target=self._unpack, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        while self._thread.is_alive():
            while not self._pieces.empty():
                self._pieces.get()
            self._thread.join(0.01)

    def _unpack(self) -> None:
        piece: bytes | Exception = b"-"
        while piece and not isinstance(piece, Exception) and not self._stopped.is_set():
            try:
                piece = self._file.read(SIZE)
            except (OSError, EOFError, zlib.error) as error:
                piece = error
            self._pieces.put(piece)

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer; what unpacking raised is raised here."""
        if not self._piece and not self._at_end:
            piece = self._pieces.get()
            if isinstance(piece, Exception):
                self._at_end = True
                raise piece
            self._piece = memoryview(piece)
            self._at_end = not piece
        count = min(len(self._piece), len(buffer))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count


@dataclass(frozen=True, slots=True)
class Window:
    """Whole lines of a file.

    Attributes
    ----------
    data
        The buffer, padded at both ends.
    begin, end
        The lines in it.
    offset
        Where they begin in the file, unpacked.
    """

    data: NDArray[np.uint8]
    begin: int
    end: int
    offset: int


class Windows:
    """Reads a source window by window.

    A window has `SIZE` bytes; more when what must stay together is longer.

    Parameters
    ----------
    source
        Where the bytes come from.
    offset
        Where the source begins in its file.
    """

    def __init__(self, source: Source, offset: int = 0) -> None:
        self._source = source
        self._buffer = np.zeros(PADDING + SIZE + PADDING, np.uint8)
        self._window = Window(self._buffer, PADDING, PADDING, offset)
        self._filled = PADDING
        self._source_ended = False

    def next(self, keep: int = 0) -> Window | None:
        """Return the next lines, or None behind the last one.

        Parameters
        ----------
        keep
            How many bytes at the end of the last window come again at the start of this one. When that
            is the whole window, this one is larger.
        """
        last, begin = self._window, self._window.end - keep
        if keep and begin == PADDING:
            self._grow()
        elif begin > PADDING:
            rest = self._filled - begin
            self._buffer[PADDING : PADDING + rest] = self._buffer[begin : self._filled].copy()
            self._filled = PADDING + rest
        self._fill()
        while (end := self._line_end()) is None:
            self._grow()
            self._fill()
        self._window = Window(self._buffer, PADDING, end, last.offset + begin - PADDING)
        return self._window if end > PADDING else None

    @property
    def at_end(self) -> bool:
        """Whether nothing comes behind the last window."""
        return self._source_ended and self._window.end == self._filled

    def _grow(self) -> None:
        self._buffer = np.concatenate([self._buffer, np.zeros(len(self._buffer), np.uint8)])

    def _fill(self) -> None:
        space = self._buffer.data[: len(self._buffer) - PADDING]
        while not self._source_ended and self._filled < len(space):
            got = self._source.readinto(space[self._filled :])
            self._filled += got
            self._source_ended = not got

    def _line_end(self) -> int | None:
        """Return the end of the last whole line in the buffer; None when there is none."""
        if self._source_ended:
            return self._filled
        high = self._filled
        while high > PADDING:
            low = max(high - _TAIL, PADDING)
            found = self._buffer[low:high].tobytes().rfind(_NEWLINE)
            if found >= 0:
                return low + found + 1
            high = low
        return None
