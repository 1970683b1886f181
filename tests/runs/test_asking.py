"""Asking systems of every kind, several topics at a time, and giving up on those that hang."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_irbench.benchmarks.benchmark import Topic
from pytest_irbench.errors import SystemFailedError
from pytest_irbench.runs.asking import ask_all
from pytest_irbench.runs.calls import Call, _Threads
from pytest_irbench.runs.manner import Answered, Manner

TOPICS = [Topic(f"text {number}", str(number)) for number in range(12)]
IDS = [topic.query_id for topic in TOPICS]
MANNERS = {
    "one at a time": Manner("bm25", 10),
    "one at a time with a timeout": Manner("bm25", 10, timeout=60),
    "several at a time": Manner("bm25", 10, concurrency=4),
}


@pytest.fixture(params=MANNERS.values(), ids=MANNERS)
def manner(request: pytest.FixtureRequest) -> Manner:
    return request.param


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def ask(system: Any, manner: Manner = MANNERS["one at a time"], topics: list[Topic] = TOPICS) -> list[str]:
    """Ask; return the first document of each answer."""
    steps: list[None] = []
    answered = ask_all(system, topics, manner, lambda: steps.append(None))
    assert len(steps) == len(topics)
    return [given.answer[0][0] for given in answered]


def search(topic: Topic, k: int) -> list[str]:
    return [topic.query_id]


async def search_async(topic: Topic, k: int) -> list[str]:
    await asyncio.sleep(0)
    return [topic.query_id]


def by_id(topics: list[Topic], k: int) -> dict[str, list[str]]:
    return {topic.query_id: [topic.query_id] for topic in reversed(topics)}


def by_number(topics: list[Topic], k: int) -> dict[int, list[str]]:
    return {int(topic): answer for topic, answer in by_id(topics, k).items()}


def in_order(topics: list[Topic], k: int) -> list[list[str]]:
    return [[topic.query_id] for topic in topics]


def lazily(topics: list[Topic], k: int) -> Iterator[Iterator[str]]:
    return (iter([topic.query_id]) for topic in topics)


async def batch_async(topics: list[Topic], k: int) -> dict[str, list[str]]:
    return by_id(topics, k)


def search_batch(queries: list[Topic], k: int) -> list[list[str]]:
    return in_order(queries, k)


class Engine:
    def search(self, topic: Topic, k: int) -> list[str]:
        return [topic.query_id]

    async def later(self, topic: Topic, k: int) -> list[str]:
        return [topic.query_id]


class BatchEngine:
    def search(self, topic: Topic, k: int) -> list[str]:
        raise AssertionError("the batch is faster")

    def search_batch(self, queries: list[Topic], k: int) -> list[list[str]]:
        return in_order(queries, k)


class Called:
    def __call__(self, topic: Topic, k: int) -> list[str]:
        return [topic.query_id]


class CalledAsync:
    async def __call__(self, topic: Topic, k: int) -> list[str]:
        return [topic.query_id]


class Awaited:
    """An awaitable that is no coroutine."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic

    def __await__(self) -> Any:
        return search_async(self.topic, 1).__await__()


SYSTEMS = {
    "function": search,
    "lambda": lambda topic, k: [topic.query_id],
    "partial": partial(lambda index, topic, k: [topic.query_id], {}),
    "object with __call__": Called(),
    "object with search": Engine(),
    "method": Engine().search,
    "coroutine function": search_async,
    "coroutine method": Engine().later,
    "object with async __call__": CalledAsync(),
    "partial of a coroutine function": partial(search_async),
    "lambda that returns a coroutine": lambda topic, k: search_async(topic, k),
    "lambda that returns an awaitable": lambda topic, k: Awaited(topic),
    "batch by query_id": by_id,
    "batch by numbers": by_number,
    "batch in order": in_order,
    "lazy batch": lazily,
    "batch by name": search_batch,
    "batch of a coroutine function": batch_async,
    "partial of a batch": partial(lambda index, topics, k: by_id(topics, k), {}),
    "lambda of a batch": lambda topics, k: batch_async(topics, k),
    "object with search_batch": BatchEngine(),
}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_systems_of_every_kind_answer_in_the_order_of_the_topics(system: Any, manner: Manner) -> None:
    assert ask(system, manner) == IDS


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_they_do_so_where_an_event_loop_runs(system: Any, manner: Manner) -> None:

    async def test() -> list[str]:
        return ask(system, manner)

    assert asyncio.run(test()) == IDS


@pytest.mark.parametrize("system", [search, search_async, by_id])
def test_no_topics_have_no_answers(system: Any, manner: Manner) -> None:
    assert ask(system, manner, []) == []


def test_a_system_gets_a_topic_with_all_it_knows_and_the_depth(manner: Manner) -> None:
    topic = Topic("and its cost", "31_2", conversation="31", turn=2, automatic="cost of a lamp")
    asked = []

    def spy(topic: Topic, k: int) -> list[str]:
        asked.append((topic, topic.query_id, topic.conversation, topic.turn, topic.automatic, k))
        return ["d"]

    ask(spy, manner, [topic])
    assert asked == [("and its cost", "31_2", "31", 2, "cost of a lamp", 10)]


def test_what_a_system_does_to_its_topic_stays_there() -> None:
    def careless(topic: Topic, k: int) -> list[str]:
        topic.query_id = "mine"
        return ["d"]

    def careless_batch(topics: list[Topic], k: int) -> list[list[str]]:
        return [careless(topics.pop(), k) for _ in TOPICS]

    ask(careless)
    ask(careless_batch)
    assert [topic.query_id for topic in TOPICS] == IDS


# Threads and event loops


def thread_of(system: Callable[[Callable[[], None]], Any], manner: Manner) -> set[threading.Thread]:
    """Return the threads in which a system is called."""
    seen = set()
    ask(system(lambda: seen.add(threading.current_thread())), manner)
    return seen


def noting(note: Callable[[], None]) -> Any:
    return lambda topic, k: note() or [topic.query_id]


def noting_batch(note: Callable[[], None]) -> Any:
    return lambda topics, k: note() or by_id(topics, k)


@pytest.mark.parametrize("system", [noting, noting_batch])
def test_one_at_a_time_and_without_a_timeout_the_thread_is_the_own_one(system: Any) -> None:
    assert thread_of(system, Manner("bm25", 10)) == {threading.current_thread()}


@pytest.mark.parametrize("system", [noting, noting_batch])
def test_with_a_timeout_it_is_another_one_that_can_be_left_behind(system: Any) -> None:
    (thread,) = thread_of(system, Manner("bm25", 10, timeout=60))
    assert thread.daemon
    assert thread is not threading.current_thread()


def test_a_system_whose_coroutines_share_a_connection_has_one_event_loop(manner: Manner) -> None:
    loops = set()

    async def connected(topic: Topic, k: int) -> list[str]:
        loops.add(asyncio.get_running_loop())
        return [topic.query_id]

    ask(connected, manner)
    (loop,) = loops
    assert loop.is_closed()


def test_no_event_loop_is_made_for_a_function() -> None:
    # Another test may have left threads behind.
    before, during = set(threading.enumerate()), set()
    ask(lambda topic, k: during.update(threading.enumerate()) or ["d"])
    assert not during - before


class Counting:
    """Counts how many calls run at one time; each waits until `wanted` do, for a short time at most."""

    def __init__(self, wanted: int) -> None:
        self.lock = threading.Lock()
        self.together = threading.Barrier(wanted)
        self.now = self.most = 0

    def begin(self) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def end(self) -> None:
        with self.lock:
            self.now -= 1

    def search(self, topic: Topic, k: int) -> list[str]:
        self.begin()
        self.together.wait(10)
        self.end()
        return [topic.query_id]

    async def search_async(self, topic: Topic, k: int) -> list[str]:
        self.begin()
        await asyncio.sleep(0.01)
        self.end()
        return [topic.query_id]


@pytest.mark.parametrize("concurrency", [1, 3, 4])
@pytest.mark.parametrize("kind", ["search", "search_async"])
def test_so_many_topics_are_asked_at_one_time_and_never_more(kind: str, concurrency: int) -> None:
    counting = Counting(concurrency)
    assert ask(getattr(counting, kind), Manner("bm25", 10, concurrency)) == IDS
    assert counting.most == concurrency


def test_answers_keep_the_order_of_the_topics_whatever_comes_first() -> None:
    def backwards(topic: Topic, k: int) -> list[str]:
        time.sleep(0.002 * (len(TOPICS) - int(topic.query_id)))
        return [topic.query_id]

    assert ask(backwards, Manner("bm25", 10, concurrency=12)) == IDS


def test_each_answer_is_told_in_the_own_thread(manner: Manner) -> None:
    told: list[threading.Thread] = []
    ask_all(search, TOPICS, manner, lambda: told.append(threading.current_thread()))
    assert told == [threading.current_thread()] * len(TOPICS)


# Latency


async def slowly_async(topic: Topic, k: int) -> list[str]:
    await asyncio.sleep(0.02)
    return ["d"]


def slowly(topic: Topic, k: int) -> list[str]:
    time.sleep(0.02)
    return ["d"]


def reading_slowly(topic: Topic, k: int) -> Iterator[str]:
    time.sleep(0.02)
    yield "d"


@pytest.mark.parametrize("system", [slowly, slowly_async, reading_slowly])
def test_each_answer_has_its_latency_in_milliseconds(system: Any, manner: Manner) -> None:
    begun = time.perf_counter()
    answered = ask_all(system, TOPICS[:4], manner, lambda: None)
    passed = 1000 * (time.perf_counter() - begun)
    latencies = [given.latency or 0 for given in answered]
    assert all(19 < latency < passed for latency in latencies)
    assert sum(latencies) / manner.concurrency <= passed


def test_a_batch_has_no_latencies(manner: Manner) -> None:
    assert ask_all(by_id, TOPICS[:1], manner, lambda: None) == [Answered([("0", 1.0)], None)]


def test_200_topics_of_50_ms_take_less_than_2_seconds_with_concurrency_8() -> None:
    topics = [Topic("text", str(number)) for number in range(200)]

    def remote(topic: Topic, k: int) -> list[str]:
        time.sleep(0.05)
        return [topic.query_id]

    async def remote_async(topic: Topic, k: int) -> list[str]:
        await asyncio.sleep(0.05)
        return [topic.query_id]

    for system in (remote, remote_async):
        begun = time.perf_counter()
        assert ask(system, Manner("bm25", 10, concurrency=8), topics) == [t.query_id for t in topics]
        assert time.perf_counter() - begun < 2


# Failures


def failing(error: Callable[[], BaseException], at: str = "2") -> Callable[[Topic, int], list[str]]:
    def search(topic: Topic, k: int) -> list[str]:
        if topic.query_id == at:
            raise error()
        return [topic.query_id]

    return search


def asynchronous(search: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    async def search_async(topic: Topic, k: int) -> Any:
        await asyncio.sleep(0)
        return search(topic, k)

    return search_async


@pytest.mark.parametrize("kind", [lambda system: system, asynchronous], ids=["function", "coroutine"])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (lambda: ConnectionError("refused"), "ConnectionError: refused"),
        (lambda: SystemExit(3), "SystemExit: 3"),
        (lambda: pytest.skip.Exception("no index"), "Skipped: no index"),
        (lambda: pytest.fail.Exception("Timeout >5s"), "Failed: Timeout >5s"),
        (lambda: TimeoutError("its own"), "TimeoutError: its own"),
        (lambda: asyncio.CancelledError("by itself"), "CancelledError: by itself"),
        (lambda: GeneratorExit(), "GeneratorExit: "),
    ],
)
def test_what_a_system_raises_is_a_failure_with_its_query(
    kind: Any, error: Callable[[], BaseException], said: str, manner: Manner
) -> None:
    with pytest.raises(SystemFailedError) as caught:
        ask(kind(failing(error)), manner)
    assert str(caught.value) == f"system 'bm25' failed on query '2' (text 2): {said}"
    assert type(caught.value.__cause__) is type(error())


@pytest.mark.parametrize("kind", [lambda system: system, asynchronous], ids=["function", "coroutine"])
def test_an_interrupt_is_none_of_its_failures(kind: Any, manner: Manner) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(kind(failing(KeyboardInterrupt)), manner)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals go to the process here")
@pytest.mark.parametrize("kind", [lambda system: system, asynchronous], ids=["function", "coroutine"])
def test_a_user_who_interrupts_is_not_kept_waiting(kind: Any, manner: Manner) -> None:
    asked = []

    def search(topic: Topic, k: int) -> list[str]:
        asked.append(topic.query_id)
        if topic.query_id == "2":
            time.sleep(0.05)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            time.sleep(0.1)
        return ["d"]

    with pytest.raises(KeyboardInterrupt):
        ask(kind(search), manner)
    told = len(asked)
    time.sleep(0.02)
    assert len(asked) == told


def test_an_exception_that_cannot_be_printed_is_named() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            raise ValueError

    with pytest.raises(SystemFailedError, match=r"\(text 2\): OddError$"):
        ask(failing(OddError))


def test_after_a_failure_nothing_more_is_begun(manner: Manner) -> None:
    asked = []
    together = threading.Barrier(manner.concurrency)

    def search(topic: Topic, k: int) -> list[str]:
        asked.append(topic.query_id)
        together.wait(10)
        if topic.query_id == "0":
            raise ConnectionError
        time.sleep(0.05)
        return ["d"]

    with pytest.raises(SystemFailedError, match="failed on query '0'"):
        ask(search, manner)
    time.sleep(0.1)
    assert sorted(asked) == IDS[: manner.concurrency]


def test_an_answer_that_is_no_ranking_ends_it_too(manner: Manner) -> None:
    asked = []

    def search(topic: Topic, k: int) -> None:
        asked.append(topic)

    with pytest.raises(SystemFailedError, match=r"answered query '\d' \(text \d\) with NoneType None; acc"):
        ask(search, manner)
    assert len(asked) <= manner.concurrency


def test_calls_under_way_are_waited_for_before_the_system_may_be_closed() -> None:
    closed = threading.Event()
    met = []

    def search(topic: Topic, k: int) -> list[str]:
        if topic.query_id == "0":
            raise ConnectionError
        time.sleep(0.05)
        met.append(closed.is_set())
        return ["d"]

    with pytest.raises(SystemFailedError):
        ask(search, Manner("bm25", 10, concurrency=2))
    closed.set()
    assert set(met) <= {False}


def test_coroutines_under_way_are_cancelled() -> None:
    cancelled = []

    async def search(topic: Topic, k: int) -> list[str]:
        if topic.query_id == "0":
            raise ConnectionError
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(topic.query_id)
            raise
        return ["d"]

    with pytest.raises(SystemFailedError, match="failed on query '0'"):
        ask(search, Manner("bm25", 10, concurrency=3))
    assert set(cancelled) <= {"1", "2"}


def raises_in_batch(topics: list[Topic], k: int) -> Any:
    raise ConnectionError("refused")


def raises_lazily(topics: list[Topic], k: int) -> Iterator[list[str]]:
    yield ["d"]
    raise ConnectionError("refused")


@pytest.mark.parametrize("system", [raises_in_batch, raises_lazily])
def test_a_batch_that_raises_is_a_failure(system: Any, manner: Manner) -> None:
    with pytest.raises(SystemFailedError) as caught:
        ask(system, manner)
    assert str(caught.value) == "system 'bm25' failed on the batch of 12 topics: ConnectionError: refused"


@pytest.mark.parametrize("value", [None, "text", 3, [], [["d"]] * 11])
def test_a_batch_has_one_answer_for_each_topic(value: Any) -> None:
    with pytest.raises(SystemFailedError) as caught:
        ask(lambda topics, k: value)
    assert re.fullmatch(
        r"system 'bm25' answered the batch of 12 topics with .*: a batch is answered with a mapping "
        "query_id -> answer, or one answer for each topic in their order",
        str(caught.value),
    )


def test_a_list_that_is_too_short_for_a_batch_is_counted(manner: Manner) -> None:
    with pytest.raises(
        SystemFailedError, match="the batch of 12 topics with 11 answers: a batch is answered"
    ):
        ask(lambda topics, k: [["d"]] * 11, manner)


def test_a_batch_that_lacks_topics_names_one() -> None:
    with pytest.raises(SystemFailedError) as caught:
        ask(lambda topics, k: {"0": ["d"], "2": ["d"], "other": ["d"]})
    assert str(caught.value) == (
        "system 'bm25' answered the batch of 12 topics without 10 of them, for instance query '1' (text 1): "
        "a topic without results has an empty answer"
    )


def test_a_wrong_answer_in_a_batch_is_named_with_its_query() -> None:
    with pytest.raises(
        SystemFailedError, match=r"^system 'bm25' answered query '3' \(text 3\) with NoneType"
    ):
        ask(lambda topics, k: [["d"], ["d"], ["d"], None] + [["d"]] * 8)


def test_a_builtin_that_tells_no_parameters_is_asked_topic_by_topic() -> None:
    with pytest.raises(SystemFailedError, match=r"failed on query '0' \(text 0\): TypeError"):
        ask(max)


# Timeouts


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("kind", ["function", "coroutine"])
def test_a_call_that_takes_too_long_is_a_failure_with_its_query(kind: str, concurrency: int) -> None:
    over = threading.Event()

    def hangs(topic: Topic, k: int) -> list[str]:
        if topic.query_id == "5":
            over.wait(10)
        return ["d"]

    async def hangs_async(topic: Topic, k: int) -> list[str]:
        if topic.query_id == "5":
            await asyncio.sleep(60)
        return ["d"]

    with pytest.raises(SystemFailedError) as caught:
        ask(hangs if kind == "function" else hangs_async, Manner("bm25", 10, concurrency, timeout=0.1))
    assert str(caught.value) == (
        "system 'bm25' did not answer query '5' (text 5) within its timeout of 0.1 seconds"
    )
    over.set()
    time.sleep(0.05)


@pytest.mark.parametrize("awaitable", [search_async, lambda topic, k: Awaited(topic)])
def test_a_coroutine_that_comes_after_the_end_is_not_begun(awaitable: Any) -> None:
    over = threading.Event()

    def late(topic: Topic, k: int) -> Awaitable[list[str]]:
        if topic.query_id == "1":
            over.wait(10)
        return awaitable(topic, k)

    with pytest.raises(SystemFailedError, match="did not answer query '1'"):
        ask(late, Manner("bm25", 10, timeout=0.1))
    over.set()
    time.sleep(0.05)


def test_many_calls_within_the_timeout_may_take_longer_together() -> None:
    def search(topic: Topic, k: int) -> list[str]:
        time.sleep(0.05)
        return [topic.query_id]

    assert ask(search, Manner("bm25", 10, concurrency=2, timeout=0.25)) == IDS


def test_time_runs_from_the_begin_of_a_call_and_not_of_its_thread() -> None:
    threads = _Threads([Call("it", lambda asked: [], None)], Manner("bm25", 10, timeout=0.01))
    late = threading.Timer(0.05, threads._work)
    late.start()
    assert threads._next() == (0, [])
    late.join()


HANGING = {
    "function": "def system(topic, k): time.sleep(600)",
    "coroutine function": "async def system(topic, k): await asyncio.sleep(600)",
    "coroutine that blocks": "async def system(topic, k): time.sleep(600)",
    "coroutine that can't be cancelled": """
        async def system(topic, k):
            while True:
                try:
                    await asyncio.sleep(600)
                except asyncio.CancelledError:
                    pass
    """,
    "batch": "def system(topics, k): time.sleep(600)",
    "batch coroutine": "async def system(topics, k): await asyncio.sleep(600)",
    "lazy answer": """
        def system(topic, k):
            yield "d"
            time.sleep(600)
    """,
}


@pytest.mark.parametrize("kind", HANGING)
def test_a_process_ends_at_once_whose_system_hangs(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    asking = """
        import asyncio, time
        from pytest_irbench.benchmarks.benchmark import Topic
        from pytest_irbench.runs.asking import ask_all
        from pytest_irbench.runs.manner import Manner
        topics = [Topic("one", "1"), Topic("two", "2")]
        ask_all(system, topics, Manner("bm25", 10, concurrency=2, timeout=0.2), lambda: None)
    """
    script.write_text(
        f"import asyncio, time\n{textwrap.dedent(HANGING[kind])}\n{textwrap.dedent(asking)}", encoding="utf-8"
    )
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert done.stderr.splitlines()[-1].endswith("within its timeout of 0.2 seconds")
    assert done.stderr.count("Traceback") == 1
    assert done.returncode == 1
    assert time.monotonic() - begun < 10
