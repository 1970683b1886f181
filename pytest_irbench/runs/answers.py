"""The answers of systems: the shapes that are accepted, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pytest_irbench.errors import IrbenchError, SystemFailedError, clipped
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Topic
    from pytest_irbench.runs.manner import Manner

Pairs: TypeAlias = list[tuple[Any, Any]]
Duplicates: TypeAlias = Literal["error", "first"]

MOST = 1_000_000
"""Longer answers are refused: they are no ranking but an endless iterator."""

ACCEPTED = (
    "(doc_id, score) pairs, a mapping doc_id -> score, doc_ids best first, "
    "or objects with doc_id, docid or id and score; without results, an empty list"
)
_ID_NAMES = ("doc_id", "docid", "id")


def read_answer(answer: Any) -> Pairs | str:
    """Turn what a system returned into pairs; return a description of what is of no accepted shape.

    Parameters
    ----------
    answer
        Lists, generators and mappings alike. Doc_ids without scores get scores that fall.
    """
    if isinstance(answer, Mapping):
        return list(answer.items())
    if isinstance(answer, str | bytes | set | frozenset) or not isinstance(answer, Iterable):
        return _described(answer)
    if hasattr(answer, "columns"):  # a table of pandas would give the names of its columns
        return _described(answer)
    rows = list(islice(answer, MOST + 1))
    if all(isinstance(row, str) for row in rows):
        return [(doc, float(len(rows) - place)) for place, doc in enumerate(rows)]
    if all(type(row) is tuple and len(row) == 2 for row in rows):
        return rows
    pairs = [pair for row in rows if (pair := _pair(row)) is not None]
    return pairs if len(pairs) == len(rows) else _described(answer)


def _pair(row: Any) -> tuple[Any, Any] | None:
    """Read one document with its score."""
    if isinstance(row, Mapping):
        fields = row
    else:
        fields = {name: getattr(row, name) for name in (*_ID_NAMES, "score") if hasattr(row, name)}
    name = next((name for name in _ID_NAMES if name in fields), None)
    if name is not None and "score" in fields:
        return fields[name], fields["score"]
    return (row[0], row[1]) if isinstance(row, tuple | list) and len(row) == 2 else None


def check_answer(topic: Topic, answer: Pairs | str, manner: Manner) -> Pairs:
    """Check an answer and cut it to the depth asked for, as the ranking will see it.

    Parameters
    ----------
    topic
        What was asked.
    answer
        From `read_answer`.
    manner
        How it was asked.

    Raises
    ------
    SystemFailedError
        When it is no ranking.
    """
    said = f"system {manner.name!r} answered {named(topic)}"
    if isinstance(answer, str):
        raise SystemFailedError(f"{said} with {answer}; accepted are {ACCEPTED}")
    if len(answer) > MOST:
        raise SystemFailedError(f"{said} with over {MOST:,} documents")
    if manner.duplicates == "first":
        answer = _firsts(answer)
    try:
        run = Run.from_pairs({topic.query_id: answer})
    except IrbenchError as error:
        raise SystemFailedError(f"{said} wrongly: {error}") from None
    return answer if len(answer) <= manner.depth else _best(run, manner.depth)


def _firsts(pairs: Pairs) -> Pairs:
    """Keep each document where it stands first."""
    seen: dict[str, tuple[Any, Any]] = {}
    for doc, score in pairs:
        seen.setdefault(str(doc), (doc, score))
    return list(seen.values())


def _best(run: Run, depth: int) -> Pairs:
    """Cut an answer by score, equal scores by doc_id descending."""
    rows = sorted(((score, doc) for _, doc, score in run.rows()), reverse=True)
    return [(doc, score) for score, doc in rows[:depth]]


def named(topic: Topic) -> str:
    """Name a topic in a message."""
    return f"query {topic.query_id!r} ({clipped(' '.join(topic.split()), 60)})"


def _described(answer: Any) -> str:
    return f"{type(answer).__name__} {clipped(repr(answer))}"
