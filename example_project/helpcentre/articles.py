"""The articles that every engine finds, and what of a question it is asked."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ARTICLES = Path(__file__).with_name("articles.jsonl")
"""One JSON object a line: ``doc_id``, ``title`` and ``body``."""

_WORD = re.compile(r"\w+")

# Words that say nothing about an article, though "My" or "I" may stand in a few titles only.
_FUNCTION_WORDS = """
a about after all also am an and any anything are as at be been but by can could did do does doesn don
for from get had has have he her him his how i if in into is it its just me more my no not now of on or
our own s say says see seem she should so some someone still t than that the their them then there these
they this those to too up use used was we well were what when where which who why will with would yet you
your
"""
_STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


def read_articles(path: str | Path = ARTICLES) -> Iterator[dict[str, str]]:
    """Yield the articles of a file, one JSON object a line."""
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def telling_words(text: str) -> list[str]:
    """Return the words of a user's text, each once and in lower case.

    Words that say nothing are left out, unless there are no others. A word is letters, digits and
    underscores, so that ``AND``, ``*``, ``title:`` or a quotation mark in the text is never an operator.
    """
    words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
    return [word for word in words if word not in _STOP_WORDS] or list(words)


def best_first(ranking: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
    """Return the best `k` pairs of doc_id and score; equal scores go by doc_id, the same every time."""
    return sorted(ranking, key=lambda pair: (pair[1], pair[0]), reverse=True)[: max(k, 0)]
