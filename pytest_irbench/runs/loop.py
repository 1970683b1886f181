"""The event loop for what a system wants awaited."""

from __future__ import annotations

import asyncio
import inspect
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable

_GRACE = 0.5
"""Seconds that are left to what was cancelled; what takes no notice is left behind with its thread."""


class Loop:
    """An event loop in a thread of its own, begun when the first awaitable comes.

    In its own thread, since the one that asks may run a loop already, and a coroutine that blocks could not
    be left behind otherwise. One for all calls of a system: its connections belong to it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._over = asyncio.Event()
        self._begun: tuple[asyncio.AbstractEventLoop, Thread] | None = None
        self._closed = False

    def close(self) -> None:
        """Cancel what is still running; to be called once."""
        with self._lock:
            self._closed = True
        if self._begun:
            loop, thread = self._begun
            loop.call_soon_threadsafe(self._over.set)
            thread.join(_GRACE)

    def result(self, value: Any) -> Any:
        """Return a value; when it is awaitable, what comes of it. May be called in any thread."""
        if not inspect.isawaitable(value):
            return value
        with self._lock:
            if self._closed:  # a search that was left behind has returned
                if inspect.iscoroutine(value):
                    value.close()
                raise asyncio.CancelledError
            loop, _ = self._begun = self._begun or self._begin()
            future = asyncio.run_coroutine_threadsafe(_outcome(value), loop)
        found, error = future.result()
        if error is not None:
            raise error
        return found

    def _begin(self) -> tuple[asyncio.AbstractEventLoop, Thread]:
        # With a factory, it does not become the loop of the thread that asks.
        runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        loop = runner.get_loop()
        # A daemon: what hangs must not keep the process alive.
        thread = Thread(target=self._serve, args=(runner,), name="irbench", daemon=True)
        thread.start()
        return loop, thread

    def _serve(self, runner: asyncio.Runner) -> None:
        with runner:
            runner.run(self._over.wait())


async def _outcome(value: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """Await; an exception is returned, since SystemExit and the like would end the loop itself."""
    try:
        return await value, None
    except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
        return None, error
