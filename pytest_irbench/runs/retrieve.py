"""Ask a system for every topic of a benchmark."""

from __future__ import annotations

import importlib
import inspect
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import InputError, SystemFailedError
from pytest_irbench.runs.asking import ask_all
from pytest_irbench.runs.manner import Manner, said
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Benchmark, Utterance
    from pytest_irbench.runs.answers import Duplicates
    from pytest_irbench.runs.manner import Step


def retrieve(
    benchmark: Benchmark,
    system: Any,
    *,
    depth: int | None = None,
    name: str | None = None,
    concurrency: int = 1,
    timeout: float | None = None,
    duplicates: Duplicates = "error",
    utterance: Utterance = "raw",
    step: Step = lambda: None,
) -> Run:
    """Ask `system` for every topic and keep what it returns as a run.

    Parameters
    ----------
    benchmark
        Its topics are asked.
    system
        A callable ``search(topic, k)``; the topic is a `str`. It returns (doc_id, score) pairs, a
        mapping doc_id -> score, doc_ids best first, or objects with ``doc_id``, ``docid`` or ``id`` and
        ``score``. Also a coroutine function, and one that is called ``search_batch`` or whose first
        parameter is called ``topics``: it gets all topics at once and returns a mapping query_id ->
        answer, or the answers in the topics' order.
    depth
        The ``k`` asked for; the benchmark's own depth if None. Longer answers are cut to it.
    name
        What the run is called.
    concurrency
        How many topics are asked at one time, in threads; coroutines share one event loop.
    timeout
        Seconds that a call may take, or None. One at a time and without a timeout, a search is called in
        the thread that calls this.
    duplicates
        Whether a document that stands twice in an answer is an ``error``, or counts where it is ``first``.
    utterance
        Which text of a turn is asked: ``raw``, ``manual`` or ``automatic``.
    step
        Called after each topic that is answered.

    Raises
    ------
    SystemFailedError
        When the system raises, takes too long or answers with something else, with the query that caused
        it, or when it returns nothing for every topic.
    InputError
        When a topic has no such utterance, or a number is no number of its kind.
    """
    depth = benchmark.depth if depth is None else depth
    for what, number in (("depth", depth), ("concurrency", concurrency)):
        if number < 1:
            raise InputError(f"{what} must be at least 1, not {number}")
    if timeout is not None and not 0 < timeout <= TIMEOUT_MAX:
        raise InputError(f"timeout must be a number of seconds above 0, not {timeout}")
    name = _name_of(system) if name is None else name
    topics = [topic.saying(utterance) for topic in benchmark.topics]
    manner = Manner(name, depth, concurrency, timeout, duplicates)
    answered = ask_all(system, topics, manner, step)
    if not any(given.answer for given in answered):
        raise SystemFailedError(f"system {name!r} returned nothing for all {len(topics)} topics")
    by_id = [(topic.query_id, *given) for topic, given in zip(topics, answered, strict=True)]
    run = Run.from_pairs({query_id: answer for query_id, answer, _ in by_id}, name)
    run.latencies = {query_id: latency for query_id, _, latency in by_id if latency is not None}
    run.benchmark, run.utterance = benchmark, utterance
    return run


def _name_of(system: Any) -> str:
    name = str(getattr(system, "__name__", type(system).__name__))
    if name == "<lambda>":
        # It is called after the function that made it, for instance a fixture.
        return str(system.__qualname__).removesuffix(".<locals>.<lambda>").rpartition(".")[2]
    return name


def load_system(reference: str) -> Any:
    """Import the system that ``module:attribute`` names.

    An attribute that is a class, or whose reference ends in ``()``, is called once without arguments.

    Raises
    ------
    InputError
        When the module or the attribute does not exist, or importing or building it raises.
    """
    module_name, _, path = reference.partition(":")
    call = path.endswith("()")
    try:
        value: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        hint = "; is its folder on sys.path (pytest's ini option pythonpath)?"
        # The traceback helps only when it was another module, imported by this one, that is missing.
        own = f"{module_name}.".startswith(f"{error.name}.")
        raise InputError(f"search {reference!r}: {error}{hint}") from (None if own else error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SystemFailedError(f"search {reference!r}: importing failed: {said(error)}") from error
    for part in path.removesuffix("()").split("."):
        if not hasattr(value, part):
            raise InputError(f"search {reference!r}: {module_name} has no {path.removesuffix('()')!r}")
        value = getattr(value, part)
    if not (call or inspect.isclass(value)):
        return value
    try:
        return value()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SystemFailedError(f"search {reference!r}: building it failed: {said(error)}") from error
