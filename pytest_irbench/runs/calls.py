"""Make the calls of a system: one after the other, or several at a time, none longer than it may take."""

from __future__ import annotations

import time
from collections import deque
from operator import itemgetter
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.errors import SystemFailedError
from pytest_irbench.runs.manner import failed, too_slow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_irbench.runs.manner import Answered, Manner, Step

_GRACE = 0.5
"""Seconds that calls under way are left when another one failed: the system may be closed after that."""


class Call(NamedTuple):
    """One call of a system: what it is in a message, what makes it, and what that is given."""

    what: str
    make: Callable[[Any], list[Answered]]
    asked: Any

    def answers(self, manner: Manner) -> list[Answered]:
        """Make it.

        Raises
        ------
        SystemFailedError
            When the system raises, be it SystemExit or pytest's skip: a query was not answered.
        """
        try:
            return self.make(self.asked)
        except (KeyboardInterrupt, SystemFailedError):
            raise
        except BaseException as error:
            raise failed(manner, self.what, error) from error


def make_all(calls: Sequence[Call], manner: Manner, step: Step, cancel: Callable[[], None]) -> list[Answered]:
    """Make all calls; one at a time and without a timeout, they are made in this very thread.

    Parameters
    ----------
    calls
        In the order in which they are begun.
    manner
        How many at a time, and how long each may take.
    step
        Called in this thread for every answer.
    cancel
        Called when no more will be begun, to end what is under way.

    Raises
    ------
    SystemFailedError
        That of the first call to fail or to take too long; no other is begun after that.
    """
    if manner.concurrency > 1 or manner.timeout is not None:
        return _Threads(calls, manner).run(step, cancel)
    answers = []
    try:
        for call in calls:
            for answer in call.answers(manner):
                answers.append(answer)
                step()
    finally:
        cancel()
    return answers


class _Threads:
    """Threads that make one call at a time each; one that never returns is left behind with its thread."""

    def __init__(self, calls: Sequence[Call], manner: Manner) -> None:
        self.calls = calls
        self.manner = manner
        self.waiting = deque(range(len(calls)))
        self.begun: dict[int, float] = {}
        self.done: SimpleQueue[tuple[int, list[Answered] | BaseException]] = SimpleQueue()

    def run(self, step: Step, cancel: Callable[[], None]) -> list[Answered]:
        """Return the answers in the order of the calls."""
        many = min(self.manner.concurrency, len(self.calls))
        threads: list[Thread] = []
        answers: dict[int, list[Answered]] = {}
        try:
            while len(threads) < many:
                # A daemon: what hangs must not keep the process alive.
                thread = Thread(target=self._work, name="irbench", daemon=True)
                thread.start()
                threads.append(thread)
            while len(answers) < len(self.calls):
                place, found = self._next()
                if isinstance(found, BaseException):
                    raise found
                answers[place] = found
                for _ in found:
                    step()
        finally:
            self.waiting.clear()
            cancel()
            for thread in threads:
                thread.join(_GRACE / many)
        return [answer for place in sorted(answers) for answer in answers[place]]

    def _work(self) -> None:
        while True:
            try:
                place = self.waiting.popleft()
            except IndexError:
                return
            self.begun[place] = time.monotonic()
            found: list[Answered] | BaseException
            try:
                found = self.calls[place].answers(self.manner)
            except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
                self.waiting.clear()
                found = error
            self.done.put((place, found))

    def _next(self) -> tuple[int, list[Answered] | BaseException]:
        """Wait for the next answer until the oldest call has taken too long."""
        timeout = self.manner.timeout
        while True:
            now = time.monotonic()
            oldest, begun = min(list(self.begun.items()), key=itemgetter(1), default=(None, now))
            try:
                place, found = self.done.get(timeout=timeout and max(0, begun + timeout - now))
            except Empty:
                if oldest is None:  # a slow machine has not begun yet
                    continue
                raise too_slow(self.manner, self.calls[oldest].what) from None
            del self.begun[place]
            return place, found
