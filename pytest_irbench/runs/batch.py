"""Ask a system that takes all topics in one call."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Mapping
from copy import copy
from queue import Empty
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import SystemFailedError, clipped
from pytest_irbench.runs.answers import named, read_answer
from pytest_irbench.runs.manner import Answered, failed, too_slow
from pytest_irbench.runs.threads import awaited, in_a_thread, where_no_loop_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_irbench.benchmarks.benchmark import Topic
    from pytest_irbench.runs.manner import Manner, Search, Step


def ask_at_once(search: Search, topics: Sequence[Topic], manner: Manner, step: Step) -> list[Answered]:
    """Ask for all topics in one call, which answers by query_id or in their order."""
    answers = _Batch(search, topics, manner).call()
    for _ in topics:
        step()
    return answers


class _Batch:
    """One call for all topics."""

    def __init__(self, search: Search, topics: Sequence[Topic], manner: Manner) -> None:
        self.search = search
        self.topics = topics
        self.manner = manner
        self.what = f"the batch of {len(topics)} topics"

    def call(self) -> list[Answered]:
        if self.manner.timeout is None:
            return where_no_loop_runs(self._answers)
        try:
            return in_a_thread(self._answers, self.manner.timeout)
        except Empty:
            raise too_slow(self.manner, self.what) from None

    def _answers(self) -> list[Answered]:
        try:
            value = self.search([copy(topic) for topic in self.topics], self.manner.depth)
            if inspect.isawaitable(value):
                value = asyncio.run(awaited(value))
            return [Answered(read_answer(answer), None) for answer in self._in_order(value)]
        except (KeyboardInterrupt, GeneratorExit, SystemFailedError):
            raise
        except BaseException as error:
            raise failed(self.manner, self.what, error) from error

    def _in_order(self, value: Any) -> list[Any]:
        if isinstance(value, Mapping):
            return self._by_id({str(query_id): answer for query_id, answer in value.items()})
        rows = [] if isinstance(value, str | bytes) or not isinstance(value, Iterable) else list(value)
        if len(rows) == len(self.topics):
            return rows
        raise SystemFailedError(
            f"system {self.manner.name!r} answered {self.what} with {clipped(repr(value))}: "
            "a batch is answered with a mapping query_id -> answer, or one answer for each topic in their order"
        )

    def _by_id(self, answers: Mapping[str, Any]) -> list[Any]:
        lacking = [topic for topic in self.topics if topic.query_id not in answers]
        if lacking:
            raise SystemFailedError(
                f"system {self.manner.name!r} answered {self.what} without {len(lacking)} of them, "
                f"for instance {named(lacking[0])}: a topic without results has an empty answer"
            )
        return [answers[topic.query_id] for topic in self.topics]
