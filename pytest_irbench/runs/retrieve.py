"""Ask a system for every topic of a benchmark."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import InputError, IrbenchError, SystemFailedError, clipped
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Benchmark, Topic

_MOST = 1_000_000
_ACCEPTED = "(doc_id, score) pairs, a mapping doc_id -> score, or doc_ids best first"


def retrieve(benchmark: Benchmark, system: Any, *, depth: int | None = None, name: str | None = None) -> Run:
    """Ask `system` for every topic and keep what it returns as a run.

    Parameters
    ----------
    benchmark
        Its topics are asked in order, one call each.
    system
        A callable ``search(topic, k)``; the topic is a `str`. It returns (doc_id, score) pairs, a
        mapping doc_id -> score, or doc_ids best first.
    depth
        The ``k`` asked for; the benchmark's own depth if None. Longer answers are cut to it.
    name
        What the run is called.

    Raises
    ------
    SystemFailedError
        When the system raises or answers with something else, with the query that caused it, or when
        it returns nothing for every topic.
    """
    depth = benchmark.depth if depth is None else depth
    if depth < 1:
        raise InputError(f"depth must be at least 1, not {depth}")
    if name is None:
        name = str(getattr(system, "__name__", type(system).__name__))
        if name == "<lambda>":
            # It is called after the function that made it, for instance a fixture.
            name = str(system.__qualname__).removesuffix(".<locals>.<lambda>").rpartition(".")[2]
    if not callable(system):
        raise SystemFailedError(
            f"system {name!r} is of type {type(system).__name__}, which can't be called: "
            "it must be a callable search(topic, k)"
        )
    rankings = {topic.query_id: _ask(system, name, topic, depth) for topic in benchmark.topics}
    if not any(rankings.values()):
        raise SystemFailedError(f"system {name!r} returned nothing for all {len(rankings)} topics")
    run = Run.from_pairs(rankings, name)
    run.benchmark = benchmark
    return run


def _ask(system: Callable[..., Any], name: str, topic: Topic, depth: int) -> list[tuple[Any, Any]]:
    try:
        # A copy: what a system does to its topic must not reach the next system.
        answer = system(copy(topic), depth)
        pairs = _pairs(answer)
        described = "" if pairs is not None else _described(answer)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # also SystemExit, or pytest's skip: a query was not answered
        raise SystemFailedError(f"system {name!r} failed on {_named(topic)}: {_said(error)}") from error
    if pairs is None:
        raise SystemFailedError(
            f"system {name!r} answered {_named(topic)} with {described}; accepted are {_ACCEPTED}"
        )
    if len(pairs) > _MOST:
        raise SystemFailedError(f"system {name!r} answered {_named(topic)} with over {_MOST:,} documents")
    try:
        run = Run.from_pairs({topic.query_id: pairs})
    except IrbenchError as error:
        raise SystemFailedError(f"system {name!r} answered {_named(topic)} wrongly: {error}") from None
    return pairs if len(pairs) <= depth else _best(run, depth)


def _said(error: BaseException) -> str:
    """Name an exception with its text, which is other people's and may be long."""
    try:
        return clipped(f"{type(error).__name__}: {error}", 500)
    except Exception:  # noqa: BLE001 - its own __str__ may raise
        return type(error).__name__


def _best(run: Run, depth: int) -> list[tuple[Any, Any]]:
    """Cut an answer as the ranking will see it: by score, equal scores by doc_id descending."""
    rows = sorted(((score, doc) for _, doc, score in run.rows()), reverse=True)
    return [(doc, score) for score, doc in rows[:depth]]


def _pairs(answer: Any) -> list[tuple[Any, Any]] | None:
    """Turn an answer into pairs, or return None when it is of no accepted shape."""
    if isinstance(answer, Mapping):
        return list(answer.items())
    if isinstance(answer, str | bytes | set | frozenset) or not isinstance(answer, Iterable):
        return None
    rows = list(islice(answer, _MOST + 1))
    if all(isinstance(row, str) for row in rows):
        return [(doc, float(len(rows) - place)) for place, doc in enumerate(rows)]
    pairs = [(row[0], row[1]) for row in rows if isinstance(row, tuple | list) and len(row) == 2]
    return pairs if len(pairs) == len(rows) else None


def _named(topic: Topic) -> str:
    return f"query {topic.query_id!r} ({clipped(' '.join(topic.split()), 60)})"


def _described(answer: Any) -> str:
    return f"{type(answer).__name__} {clipped(repr(answer))}"


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
        raise SystemFailedError(f"search {reference!r}: importing failed: {_said(error)}") from error
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
        raise SystemFailedError(f"search {reference!r}: building it failed: {_said(error)}") from error
