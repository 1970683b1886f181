"""Work in other threads: several topics at one time, and calls that are left behind when they hang."""

from __future__ import annotations

import asyncio
import time
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from pytest_irbench.runs.answers import named
from pytest_irbench.runs.manner import Answered, too_slow

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pytest_irbench.benchmarks.benchmark import Topic
    from pytest_irbench.runs.manner import Manner, Step


class Slots:
    """Threads that ask one topic at a time each; a call that never returns is left behind with its thread."""

    def __init__(
        self, ask: Callable[[Topic], Answered], topics: Sequence[Topic], manner: Manner, step: Step
    ) -> None:
        self.ask = ask
        self.topics = topics
        self.manner = manner
        self.step = step
        self.waiting: SimpleQueue[int | None] = SimpleQueue()
        self.done: SimpleQueue[tuple[int, Answered | BaseException]] = SimpleQueue()
        self.begun: dict[int, float] = {}

    def run(self) -> list[Answered]:
        """Return the answers in the order of the topics; raises what the first call to fail raised."""
        answers: dict[int, Answered] = {}
        slots = min(self.manner.concurrency, len(self.topics))
        for place in range(len(self.topics)):
            self.waiting.put(place)
        for _ in range(slots):
            self.waiting.put(None)
            # A daemon: what hangs must not keep the process alive.
            Thread(target=self._work, name="irbench", daemon=True).start()
        try:
            while len(answers) < len(self.topics):
                place, answer = self._next()
                if isinstance(answer, BaseException):
                    raise answer
                answers[place] = answer
                self.step()
        finally:
            self._stop()
        return [answers[place] for place in range(len(self.topics))]

    def _work(self) -> None:
        while (place := self.waiting.get()) is not None:
            self.begun[place] = time.monotonic()
            try:
                answer: Answered | BaseException = self.ask(self.topics[place])
            except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
                answer = error
            self.done.put((place, answer))

    def _next(self) -> tuple[int, Answered | BaseException]:
        """Wait for the next answer, no longer than the oldest call may take."""
        while True:
            try:
                place, answer = self.done.get(timeout=self._patience())
            except Empty:
                self._check_time()
            else:
                self.begun.pop(place, None)
                return place, answer

    def _patience(self) -> float | None:
        if self.manner.timeout is None:
            return None
        oldest = min(list(self.begun.values()), default=time.monotonic())
        return max(0.001, oldest + self.manner.timeout - time.monotonic())

    def _check_time(self) -> None:
        timeout = self.manner.timeout or 0.0
        for place, begun in sorted(self.begun.items()):
            if time.monotonic() - begun >= timeout and self.done.empty():
                raise too_slow(self.manner, named(self.topics[place]))

    def _stop(self) -> None:
        """Leave nothing for the threads to begin."""
        for _ in range(self.waiting.qsize()):
            try:
                self.waiting.get_nowait()
            except Empty:
                break
        for _ in range(self.manner.concurrency):
            self.waiting.put(None)


def where_no_loop_runs(work: Callable[[], list[Answered]]) -> list[Answered]:
    """Do what needs an event loop of its own: this thread may have one that is running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return in_a_thread(work, None)


def in_a_thread(work: Callable[[], list[Answered]], timeout: float | None) -> list[Answered]:
    """Work in another thread, which is left behind when it takes too long; raises `Empty` then."""
    found: SimpleQueue[list[Answered] | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            found.put(work())
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
            found.put(error)

    Thread(target=run, name="irbench", daemon=True).start()
    result = found.get(timeout=timeout)
    if isinstance(result, BaseException):
        raise result
    return result


async def awaited(value: Awaitable[Any]) -> Any:
    """Await what is no coroutine, perhaps: `asyncio.run` takes nothing else."""
    return await value
