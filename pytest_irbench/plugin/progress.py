"""How far a retrieval is: a bar on a terminal, a line per tenth in a log, nothing when pytest is quiet."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

_QUIET = 2.0
"""Seconds during which nothing is said: most retrievals are over by then."""


@contextmanager
def progress(config: pytest.Config, what: str, total: int) -> Iterator[Callable[[], object]]:
    """Tell how far a retrieval is.

    Parameters
    ----------
    config
        Where the session's options stand. An xdist worker has no terminal, and says nothing.
    what
        What is retrieved, for instance ``dl20-passage, bm25``.
    total
        How many topics there are.

    Yields
    ------
    callable
        To be called for each topic that is answered.
    """
    terminal = _Terminal(config)
    if hasattr(config, "workerinput") or config.get_verbosity() < 0:
        yield lambda: None
    elif terminal.isatty():
        from tqdm import tqdm

        look: dict[str, Any] = {"desc": f"irbench: {what}", "unit": " queries", "leave": False}
        # With miniters, its monitor never writes: another thread must not touch the capture.
        with tqdm(total=total, file=terminal, delay=_QUIET, miniters=1, **look) as bar:
            yield bar.update
    else:
        yield _Tenths(terminal, what, total).step


class _Terminal:
    """The terminal behind pytest's capture, opened for each writing: a system's prints stay captured."""

    def __init__(self, config: pytest.Config) -> None:
        self._capture: Any = config.pluginmanager.getplugin("capturemanager")
        self._written = False

    def _open(self) -> Any:
        return self._capture.global_and_fixture_disabled() if self._capture else nullcontext()

    def write(self, text: str) -> None:
        with self._open():
            # pytest has left its line open.
            sys.stderr.write(text if self._written else f"\n{text}")
            sys.stderr.flush()
        self._written = True

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        with self._open():
            return sys.stderr.isatty()


class _Tenths:
    """Writes a line whenever another tenth of the topics is answered."""

    def __init__(self, terminal: _Terminal, what: str, total: int) -> None:
        self.terminal = terminal
        self.what = what
        self.total = total
        self.done = 0
        self.told = 0
        self.begun = time.monotonic()

    def step(self) -> None:
        self.done += 1
        tenths, passed = 10 * self.done // self.total, time.monotonic() - self.begun
        if tenths == self.told or passed < _QUIET:
            return
        self.told = tenths
        rate = self.done / passed
        left = (self.total - self.done) / rate
        counted = f"{self.done} of {self.total} queries, {rate:.1f} per second, {left:.0f} s left"
        self.terminal.write(f"irbench: {self.what}: {100 * self.done // self.total}%, {counted}\n")
