"""Ask a system for all topics, whatever it is: a function, a coroutine function, or one for all at once."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from copy import copy
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import SystemFailedError
from pytest_irbench.runs.answers import named, read_answer
from pytest_irbench.runs.batch import ask_at_once
from pytest_irbench.runs.manner import Answered, Manner, failed, too_slow
from pytest_irbench.runs.threads import Slots, awaited, where_no_loop_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_irbench.benchmarks.benchmark import Topic
    from pytest_irbench.runs.manner import Search, Step


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
        How to ask. One at a time and without a timeout, a search is called in this very thread.
    step
        Called in this thread for every topic that is answered.

    Returns
    -------
    list of Answered
        In the order of the topics.

    Raises
    ------
    SystemFailedError
        When the system can't be called, raises, or takes too long.
    """
    search, is_batch = _search_of(system, manner.name)
    if is_batch:
        return ask_at_once(search, topics, manner, step)
    if _is_async(search):
        return where_no_loop_runs(lambda: asyncio.run(_ask_async(search, topics, manner, step)))
    if manner.concurrency == 1 and manner.timeout is None:
        answers = []
        for topic in topics:
            answers.append(_ask(search, topic, manner))
            step()
        return answers
    return Slots(lambda topic: _ask(search, topic, manner), topics, manner, step).run()


def _search_of(system: Any, name: str) -> tuple[Search, bool]:
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


def _first_parameter(search: Search) -> str | None:
    try:
        return next(iter(inspect.signature(search).parameters), None)
    except (TypeError, ValueError):
        return None


def _is_async(search: Search) -> bool:
    while isinstance(search, functools.partial):
        search = search.func
    called = getattr(search, "__call__", None)  # noqa: B004 - an object's may be a coroutine function
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(called)


def _ask(search: Search, topic: Topic, manner: Manner) -> Answered:
    """Ask for one topic, in the thread that calls this."""
    begun = time.perf_counter()
    try:
        # A copy: what a system does to its topic must not reach the next system.
        value = search(copy(topic), manner.depth)
        if inspect.isawaitable(value):
            value = asyncio.run(awaited(value))
        answer = read_answer(value)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # also SystemExit, or pytest's skip: a query was not answered
        raise failed(manner, named(topic), error) from error
    return Answered(answer, 1000 * (time.perf_counter() - begun))


async def _ask_async(search: Search, topics: Sequence[Topic], manner: Manner, step: Step) -> list[Answered]:
    """Ask with a coroutine function, several at a time on one event loop."""
    slots = asyncio.Semaphore(manner.concurrency)

    async def ask(topic: Topic) -> Answered:
        async with slots:
            begun = time.perf_counter()
            try:
                value = await asyncio.wait_for(search(copy(topic), manner.depth), manner.timeout)
                answer = read_answer(value)
            except (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError):
                raise
            except BaseException as error:
                if isinstance(error, TimeoutError) and _is_late(begun, manner):
                    raise too_slow(manner, named(topic)) from None
                raise failed(manner, named(topic), error) from error
            latency = 1000 * (time.perf_counter() - begun)
        step()
        return Answered(answer, latency)

    tasks = [asyncio.ensure_future(ask(topic)) for topic in topics]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_late(begun: float, manner: Manner) -> bool:
    return manner.timeout is not None and time.perf_counter() - begun >= manner.timeout
