"""How a document is made to fit: each of its pieces in the fullest version for which there is room."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.reports.markdown.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATOR = 2  # bytes between two pieces


class Version(NamedTuple):
    """A piece of a document, and what is left out of it, or an empty text.

    What is left out may count pieces: ``explanations of {gates}``.
    """

    text: str
    without: str = ""


def fitted(pieces: Iterable[Iterable[Version]], room: int) -> list[Version]:
    """Choose a version of each piece so that together they fit into `room` bytes of UTF-8.

    All pieces get their second version, in their order, then all their third, and so on as long as there is
    room. So none is told in full at the price of another that is not told at all.

    Parameters
    ----------
    pieces
        The versions of each, the leanest first, which is the one without any text. They are made when they
        are asked for, and not at all where a leaner one did not fit.
    room
        For the pieces and what separates them.
    """
    growing = dict(enumerate(map(iter, pieces)))
    chosen = [next(versions) for versions in growing.values()]
    while growing:
        for place, versions in list(growing.items()):
            version = next(versions, None)
            more = _needed(version) - _needed(chosen[place]) if version else 0
            if version is None or more > room:
                del growing[place]
            else:
                chosen[place] = version
                room -= more
    return chosen


def _needed(version: Version) -> int:
    return size(version.text) + _SEPARATOR if version.text else 0


def left_out(chosen: Iterable[Version]) -> str:
    """Say what the chosen versions leave out, such as ``explanations of 3 gates``, or nothing."""
    counts = Counter(version.without for version in chosen if version.without)
    return "; ".join(what.format(gates=counted(many, "gate")) for what, many in counts.items())


def size(text: str) -> int:
    """Count the bytes of a text in UTF-8."""
    return len(text.encode())
