"""Ask a system for all topics, whatever it is: a function, a coroutine function, or one for all at once."""

from __future__ import annotations

import inspect
import time
from copy import copy
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import SystemFailedError
from pytest_irbench.runs.answers import check_answer, named, read_answer
from pytest_irbench.runs.batch import in_order
from pytest_irbench.runs.calls import Call, make_all
from pytest_irbench.runs.loop import Loop
from pytest_irbench.runs.manner import Answered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_irbench.benchmarks.benchmark import Topic
    from pytest_irbench.runs.manner import Manner, Step


def ask_all(system: Any, topics: Sequence[Topic], manner: Manner, step: Step) -> list[Answered]:
    """Ask a system for all topics.

    Parameters
    ----------
    system
        ``search(topic, k)``, or an object with such a method. A method or function ``search_batch``, and
        any whose first parameter is called ``topics``, gets all topics at once. Each may be a coroutine
        function.
    topics
        In the order in which they are asked; with concurrency several at a time.
    manner
        How to ask.
    step
        Called in this thread for every topic that is answered.

    Returns
    -------
    list of Answered
        In the order of the topics.

    Raises
    ------
    SystemFailedError
        When the system can't be called, raises, takes too long, or answers with what is no ranking.
    """
    search, is_batch = _search_of(system, manner.name)
    loop = Loop()

    def one(topic: Topic) -> list[Answered]:
        begun = time.perf_counter()
        # A copy: what a system does to its topic must not reach the next system.
        try:
            answer = read_answer(loop.result(search(copy(topic), manner.depth)))
        except SystemFailedError as error:
            # A service's own: it does not know who asked, nor what.
            said = f"system {manner.name!r} failed on {named(topic)}: {error}"
            raise SystemFailedError(said) from error.__cause__
        latency = 1000 * (time.perf_counter() - begun)
        return [Answered(check_answer(topic, answer, manner), latency)]

    def batch(topics: Sequence[Topic]) -> list[Answered]:
        value = loop.result(search([copy(topic) for topic in topics], manner.depth))
        answers = zip(topics, map(read_answer, in_order(value, topics, manner)), strict=True)
        return [Answered(check_answer(topic, answer, manner), None) for topic, answer in answers]

    if is_batch:
        calls = [Call(f"the batch of {len(topics)} topics", batch, topics)]
    else:
        calls = [Call(named(topic), one, topic) for topic in topics]
    return make_all(calls, manner, step, loop.close)


def _search_of(system: Any, name: str) -> tuple[Callable[..., Any], bool]:
    """Return what to call, and whether it takes all topics at once."""
    if callable(getattr(system, "search_batch", None)):
        return system.search_batch, True
    if not callable(system):
        if callable(getattr(system, "search", None)):
            return system.search, False
        raise SystemFailedError(
            f"system {name!r} is of type {type(system).__name__}, which can't be called: "
            "it must be a callable search(topic, k)"
        )
    return system, getattr(system, "__name__", "") == "search_batch" or _first_parameter(system) == "topics"


def _first_parameter(search: Callable[..., Any]) -> str | None:
    try:
        return next(iter(inspect.signature(search).parameters), None)
    except (TypeError, ValueError):
        return None
