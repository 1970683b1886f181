"""HTML out of Python: text is escaped by its type, so that nothing can be forgotten."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_VOID = {"meta"}


class Html(str):
    """Text that is HTML already; all other text is escaped where it is put into an element."""

    __slots__ = ()


def joined(parts: Iterable[str]) -> Html:
    """Put HTML and texts one after the other; texts are escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def element(name: str, *children: str, **attributes: str) -> Html:
    """Write an element.

    Parameters
    ----------
    name
        For instance ``td``.
    children
        What is in it: `Html` as it is, other text escaped.
    attributes
        ``aria_label`` is written ``aria-label``, ``class_`` as ``class``; an empty text as the bare name.
    """
    names = [(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()]
    opened = "".join(f' {key}="{escape(value)}"' if value else f" {key}" for key, value in names)
    if name in _VOID:
        return Html(f"<{name}{opened}>")
    return Html(f"<{name}{opened}>{joined(children)}</{name}>")


def table(
    caption: str, header: Sequence[str], rows: Iterable[Html], numbers: Iterable[int], kind: str
) -> Html:
    """Write a table that scrolls in a box of its own.

    Parameters
    ----------
    caption
        What it shows, for those who hear it.
    header
        A title for each column.
    rows
        Elements ``tr``.
    numbers
        Places of the columns of numbers.
    kind
        What it is for its style, a word.
    """
    right = set(numbers)
    titles = joined(
        element("th", title, scope="col", **({"class_": "number"} if place in right else {}))
        for place, title in enumerate(header)
    )
    inside = element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", titles)),
        element("tbody", joined(rows)),
        class_=kind,
    )
    return element("div", inside, class_="wide", tabindex="0", role="region", aria_label=caption)
