"""Sentences in Markdown in which other people's words can neither render nor call anybody.

A sentence of ours has ids, queries and messages of others in it. Only words that are known to mean nothing
to Markdown, GitHub and GitLab stand as they are: plain words, numbers and dates. All others stand in code. So
there is no list of dangers that could lack one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_irbench.errors import clipped
from pytest_irbench.reports.markdown.text import code, inert

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTS = re.compile(r"([(']*)(.*?)([.,:;)'…]*)")
"""What stands before a word, the word, and what stands behind it."""

_LETTERS = r"[^\W\d_]+"
# A number that begins with a needless 0 is an id.
_PLAIN = re.compile(
    rf"{_LETTERS}(?:['-]{_LETTERS})*"
    r"|[+-]?(?:0|[1-9][0-9,]*)(?:\.[0-9]+)?%?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[=·→]|"
)
_COMMIT = re.compile("[0-9a-f]{7}", re.IGNORECASE)
"""What sites may take for the number of a commit, also within a word."""

_ITEM = re.compile(r"^([0-9]+)(?=[.)](?: |$))")


def prose(text: str, length: int = 1_000) -> str:
    """Show a sentence within a line, shortened to `length` characters; each word that may render is code."""
    short = clipped(text, length)
    # Blanks that are not one between two words are lost outside of code.
    if short != " ".join(short.split()):
        return code(text, length)
    # A number with a dot or a bracket begins a list.
    return _ITEM.sub(r"\1\\", " ".join(_words(short)))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        before, core, behind = _PARTS.fullmatch(word).groups()  # type: ignore[union-attr]  # it fits any word
        is_plain = _PLAIN.fullmatch(core) and not _COMMIT.search(core)
        yield f"{before}{core if is_plain else inert(core)}{behind}"
