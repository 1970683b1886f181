"""BM25 search over the help centre's articles, on SQLite's full-text index."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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

_SCHEMA = """
CREATE VIRTUAL TABLE articles USING fts5(doc_id UNINDEXED, title, body, tokenize = 'porter unicode61')
"""

# SQLite's bm25() is better when lower. Equal scores go by doc_id, so that a ranking is the same every time.
_SEARCH = (
    "SELECT doc_id, -bm25(articles, 0.0, ?, 1.0) AS score FROM articles"
    " WHERE articles MATCH ? ORDER BY score DESC, doc_id DESC LIMIT ?"
)

# The largest number that SQLite takes.
_MOST = 2**63 - 1


class Index:
    """Articles in an in-memory full-text table.

    Parameters
    ----------
    articles_path
        A file with one JSON object a line: ``doc_id``, ``title`` and ``body``.
    title_boost
        How much a word in the title counts, where one in the body counts 1.
    """

    def __init__(self, articles_path: str | Path, title_boost: float = 5.0) -> None:
        self.title_boost = title_boost
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(_SCHEMA)
        self._database.executemany(
            "INSERT INTO articles VALUES (:doc_id, :title, :body)", _read_articles(Path(articles_path))
        )

    def __len__(self) -> int:
        """Return the number of articles."""
        with self._lock:
            (count,) = self._database.execute("SELECT count(*) FROM articles").fetchone()
        return int(count)

    def search(self, topic: str, k: int) -> list[tuple[str, float]]:
        """Return at most `k` pairs of doc_id and score, the best first."""
        query = _match_expression(topic)
        if not query or k < 1:
            return []
        with self._lock:
            return self._database.execute(_SEARCH, (self.title_boost, query, min(k, _MOST))).fetchall()

    def close(self) -> None:
        """Close the database."""
        self._database.close()


class HistoryIndex(Index):
    """An index that reads a turn together with the earlier turns of its conversation.

    A turn such as "Does it work on my phone too?" does not say what "it" is. The first utterance of the
    conversation names the subject, and the one before the turn says where the talk has gone since.

    Parameters
    ----------
    articles_path, title_boost
        As for `Index`.
    history_weight
        How much the earlier utterances count, where the turn itself counts 1.
    """

    def __init__(
        self, articles_path: str | Path, title_boost: float = 5.0, history_weight: float = 0.7
    ) -> None:
        super().__init__(articles_path, title_boost)
        self.history_weight = history_weight

    def search(self, topic: str, k: int) -> list[tuple[str, float]]:
        """Return at most `k` pairs of doc_id and score, the best first.

        `topic` may carry a ``history``, whose items have an ``utterance``; plain text is searched as it is.
        """
        earlier = [turn.utterance for turn in getattr(topic, "history", None) or ()]
        if not earlier:
            return super().search(topic, k)
        scores = self._scaled(topic)
        for doc_id, score in self._scaled(f"{earlier[0]} {earlier[-1]}").items():
            scores[doc_id] = scores.get(doc_id, 0.0) + self.history_weight * score
        ranking = sorted(scores.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
        return ranking[: max(k, 0)]

    def _scaled(self, text: str) -> dict[str, float]:
        """Return every matching article's score, the best one's being 1.

        BM25 grows with the number of words, so that a long history would drown a short turn.
        """
        ranking = super().search(text, len(self))
        return {doc_id: score / ranking[0][1] for doc_id, score in ranking}


def _read_articles(path: Path) -> Iterable[dict[str, str]]:
    """Yield the articles of a file, one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _match_expression(text: str) -> str:
    """Return a full-text query that matches any word of a user's text.

    Every word is quoted, so that ``AND``, ``*``, ``title:`` or a quotation mark in the text is never an
    operator. Words that say nothing are left out, unless there are no others.
    """
    words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
    telling = [word for word in words if word not in _STOP_WORDS] or list(words)
    return " OR ".join(f'"{word}"' for word in telling)
