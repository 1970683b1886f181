"""Pieces of Markdown that show other people's text as it is, on GitHub and on GitLab.

Texts of others stand in code: there nothing is rendered, and no @name, #123 or address becomes a link. For
sentences with such texts in them see `prose`.
"""

from __future__ import annotations

import re
from html import escape
from itertools import count
from typing import TYPE_CHECKING

from pytest_irbench.errors import clipped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_RUNS = re.compile("`+")


def code(text: str, length: int = 300) -> str:
    """Show a text as it is within a line, shortened to `length` characters."""
    return inert(clipped(text, length))


def inert(text: str) -> str:
    """Put a text of one line into code.

    A pipe ends a cell of a table even in code, so pipes stand between pieces of code, as entities.
    """
    return "&#124;".join(_span(part) if part else "" for part in text.split("|"))


def _span(text: str) -> str:
    """Put a text between runs of backticks of a length that it has not itself."""
    own = {len(run) for run in _RUNS.findall(text)}
    ticks = "`" * next(length for length in count(1) if length not in own)
    # Where code begins and ends with a blank, one of each is taken away when it is rendered.
    loses = text.startswith(" ") and text.endswith(" ") and text.strip(" ")
    blank = " " if loses or text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def block(text: str, length: int | None = None) -> str:
    """Show a text of several lines as it is, shortened to `length` characters; None keeps all of it."""
    short = text if length is None or len(text) <= length else f"{text[:length].rstrip()} …"
    # Most lines are printable, and looking at each character of a huge text takes long.
    lines = [line if line.isprintable() else clipped(line, len(line)) for line in short.split("\n")]
    longest = max((len(run) for line in lines for run in _RUNS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str] = ()) -> str:
    """Set a table whose cells are Markdown; the columns named in `right` are set to the right."""
    if not header:
        return ""
    rule = ["---:" if title in right else "---" for title in header]
    return "\n".join(line(cells) for cells in (header, rule, *rows))


def line(cells: Iterable[str]) -> str:
    """Set one line of a table."""
    return f"| {' | '.join(cells)} |"


def bullets(items: Iterable[str]) -> str:
    """Set a list; each item is Markdown of one line."""
    return "\n".join(f"- {item}" for item in items)


def details(summary: str, name: str, parts: Iterable[str]) -> str:
    """Set what opens on demand.

    Parameters
    ----------
    summary, name
        What it is, and of what: a text of others, or an empty one.
    parts
        Markdown.
    """
    # Within the tag there is HTML and no Markdown.
    shown = f"<code>{escape(clipped(name, 300))}</code>: {summary}" if name else summary
    return paragraphs(f"<details><summary>{shown}</summary>", *parts, "</details>")


def paragraphs(*parts: str) -> str:
    """Set pieces of Markdown one below the other; empty ones are left out."""
    return "\n\n".join(part for part in parts if part)


def counted(number: int, noun: str) -> str:
    """Say ``1 gate`` or ``2 gates``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
