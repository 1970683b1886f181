"""How a system is asked, and what is said when it does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_irbench.errors import SystemFailedError, clipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_irbench.runs.answers import Duplicates, Pairs

    Step: TypeAlias = Callable[[], object]


class Manner(NamedTuple):
    """How to ask.

    Attributes
    ----------
    name
        What the system is called, for messages.
    depth
        The ``k`` that it is asked for.
    concurrency
        How many topics are asked at one time.
    timeout
        Seconds that one call may take, or None.
    duplicates
        Whether a document that stands twice in an answer is an ``error``, or counts where it is ``first``.
    """

    name: str
    depth: int
    concurrency: int = 1
    timeout: float | None = None
    duplicates: Duplicates = "error"


class Answered(NamedTuple):
    """What a system returned for a topic, and how long it took.

    `latency` is in milliseconds; None where all topics were asked at once.
    """

    answer: Pairs
    latency: float | None


def failed(manner: Manner, what: str, error: BaseException) -> SystemFailedError:
    """Return the error of a system that raised."""
    return SystemFailedError(f"system {manner.name!r} failed on {what}: {said(error)}")


def too_slow(manner: Manner, what: str) -> SystemFailedError:
    """Return the error of a system that took too long."""
    return SystemFailedError(
        f"system {manner.name!r} did not answer {what} within its timeout of {manner.timeout:g} seconds"
    )


def said(error: BaseException) -> str:
    """Name an exception with its text, which is other people's and may be long."""
    if isinstance(error, SystemFailedError):
        return str(error)
    try:
        return clipped(f"{type(error).__name__}: {error}", 500)
    except Exception:  # noqa: BLE001 - its own __str__ may raise
        return type(error).__name__
