"""Servers that end with the session that started them, however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROJECT = Path(__file__).parents[1]


@contextmanager
def served(module: str) -> Iterator[str]:
    """Run a server of this package as a process of its own, and give the address that it prints.

    The server ends, and clears up, when its standard input does. That is when this block is left, and also
    when this process is killed: the system closes the pipe. It has a session of its own, so that Ctrl-C
    reaches it in this way only, not in the middle of its work.

    Parameters
    ----------
    module
        Run with ``python -m``; it prints its address as one line once it can be asked.

    Raises
    ------
    RuntimeError
        When it ends without an address; it has written why to standard error.
    """
    command = [sys.executable, "-m", module]
    with subprocess.Popen(  # noqa: S603 - a module of this package
        command,
        cwd=_PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"{module} did not start; it wrote why to standard error")
        yield address


def serve_until_left(address: str) -> None:
    """Tell the process that started this one where to ask, and wait until it needs no server any more."""
    # Written past the buffer of print, which would complain at the end when nobody reads any more.
    with suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), f"{address}\n".encode())
        sys.stdin.read()
