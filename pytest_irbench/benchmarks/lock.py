"""One process loads a benchmark for the first time, the others wait and then read its files."""

from __future__ import annotations

import contextlib
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK_NAME = ".irbench.lock"
_PATIENCE = 1.0  # seconds of silent waiting


@contextmanager
def first_load(home: Path) -> Iterator[None]:
    """Hold the data folder's lock; wait for the process that has it.

    The system releases the lock of a process that dies. Waiting longer than a second is told on stderr.

    Parameters
    ----------
    home
        The data folder; made when it is not there.

    Raises
    ------
    OSError
        When the folder can't be written.
    """
    home.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home / LOCK_NAME)
    # Some network file systems have no locks. Fetching there without one is what ir_datasets does.
    with contextlib.suppress(NotImplementedError):
        _acquire(lock, home)
    try:
        yield
    finally:
        lock.release()


def _acquire(lock: FileLock, home: Path) -> None:
    try:
        lock.acquire(timeout=_PATIENCE)
    except Timeout:
        tell(f"waiting for another process that fetches data into {home}")
        lock.acquire(timeout=-1)


def tell(line: str) -> None:
    """Say on stderr what is waited for, where a long silence would look like a crash."""
    sys.stderr.write(f"irbench: {line}\n")
    sys.stderr.flush()
