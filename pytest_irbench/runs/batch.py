"""The answers of a system that takes all topics in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import SystemFailedError, clipped
from pytest_irbench.runs.answers import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_irbench.benchmarks.benchmark import Topic
    from pytest_irbench.runs.manner import Manner


def in_order(value: Any, topics: Sequence[Topic], manner: Manner) -> list[Any]:
    """Return the answer to each topic.

    Parameters
    ----------
    value
        A mapping query_id -> answer, or the answers in the order of the topics.
    topics
        What was asked.
    manner
        Knows the system's name.

    Raises
    ------
    SystemFailedError
        When there is not one answer for each topic.
    """
    said = f"system {manner.name!r} answered the batch of {len(topics)} topics"
    if isinstance(value, Mapping):
        answers = {str(query_id): answer for query_id, answer in value.items()}
        lacking = [topic for topic in topics if topic.query_id not in answers]
        if lacking:
            raise SystemFailedError(
                f"{said} without {len(lacking)} of them, for instance {named(lacking[0])}: "
                "a topic without results has an empty answer"
            )
        return [answers[topic.query_id] for topic in topics]
    rows = [] if isinstance(value, str | bytes) or not isinstance(value, Iterable) else list(value)
    if len(rows) == len(topics):
        return rows
    what = f"{len(rows)} answers" if isinstance(value, list | tuple) else clipped(repr(value))
    raise SystemFailedError(
        f"{said} with {what}: a batch is answered with a mapping query_id -> answer, "
        "or one answer for each topic in their order"
    )
