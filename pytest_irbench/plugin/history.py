"""The file of the history: appended to as a whole or not at all, also by several sessions at once."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pytest_irbench.errors import InputError
from pytest_irbench.reports.history import History, read_history

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO


def append(path: Path, text: str) -> None:
    """Add lines to the history; folders that are missing are made, and a link is followed.

    Parameters
    ----------
    path
        The file; made when it is not there.
    text
        Whole lines. None changes nothing.

    Raises
    ------
    InputError
        When it can't be written. Then nothing is added.
    """
    if not text:
        return
    try:
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a+b", buffering=0) as file, _held(file, alone=True):
            _add(file, text.encode())
    except OSError as error:
        why = error.strerror or error
        message = f"nothing was added to the history: {why}; give another file with --irbench-history"
        raise InputError(message, path) from None


def _add(file: FileIO, content: bytes) -> None:
    """Write everything with one call, which no other process can come between."""
    end = file.seek(0, os.SEEK_END)
    if end:
        file.seek(-1, os.SEEK_END)
        # The last writer was killed: what it left stays a line of its own.
        if file.read(1) != b"\n":
            content = b"\n" + content
    add_whole(file, content, end)


def add_whole(file: FileIO, content: bytes, end: int) -> None:
    """Write everything at the end of a file, or nothing where the disk is full.

    Parameters
    ----------
    file
        Open for appending, without a buffer.
    content
        What is added.
    end
        How long the file is.

    Raises
    ------
    OSError
        When it can't be written.
    """
    if file.write(content) != len(content):
        file.truncate(end)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _held(file: BinaryIO | FileIO, *, alone: bool) -> Iterator[None]:
    """Keep writers away, and readers too when `alone`; closing the file lets go, as does being killed."""
    with suppress(ImportError, OSError):
        # Windows has no such lock, nor have some network file systems: there the one call must do.
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    yield


def read(path: Path) -> History:
    """Read the history; a file that is not there yet is an empty one.

    Raises
    ------
    InputError
        When it can't be read.
    """
    try:
        with path.open("rb") as file, _held(file, alone=False):
            return read_history(file)
    except FileNotFoundError:
        return History({})
    except OSError as error:
        why = error.strerror or error
        message = f"the history can't be read: {why}; give another file with --irbench-history"
        raise InputError(message, path) from None
