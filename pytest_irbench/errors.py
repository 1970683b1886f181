"""What can go wrong, said in one sentence with its place.

Every fault that a user can cause is an `IrbenchError`. Its text is meant to be read alone: what is
wrong, where, and what to do next. Anything else that is raised is a bug of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class IrbenchError(Exception):
    """A fault of the input or the environment, told in one clear sentence."""


class InputError(IrbenchError):
    """A fault in what the user handed in, with its place.

    Parameters
    ----------
    message
        What is wrong and what would be right, one sentence without a final full stop.
    path
        The file, or None when the input is not a file (a mapping, a callable's answer).
    line, column
        The place in the file, counted from 1.
    """

    def __init__(
        self,
        message: str,
        path: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.path, self.line, self.column) if p is not None)
        return f"{place}: {self.message}" if place else self.message


class InputErrors(IrbenchError):  # noqa: N818 - the plural of InputError
    """Several faults of one input, all reported together.

    Parameters
    ----------
    faults
        At least one `InputError`, in the order of their places.
    """

    def __init__(self, faults: Sequence[InputError]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


class DataUnavailableError(IrbenchError):
    """A benchmark's files are not on disk and could not be fetched, or are not the published ones."""


class SystemFailedError(IrbenchError):
    """The system under test raised, or answered with something that is not a ranking."""


def clipped(text: str, length: int = 80) -> str:
    """Shorten other people's text for a message, on one line and printable everywhere.

    Line ends and other control characters are written as escapes, and so are halves of surrogate
    pairs, which neither JUnit nor xdist could carry.
    """
    short = text if len(text) <= length else f"{text[: length - 1]}…"
    safe = short.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in safe)
