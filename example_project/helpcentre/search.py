"""BM25 search over the help centre's articles, on SQLite's full-text index."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

from helpcentre.articles import ARTICLES, best_first, read_articles, telling_words

if TYPE_CHECKING:
    from pathlib import Path

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

    def __init__(self, articles_path: str | Path = ARTICLES, title_boost: float = 5.0) -> None:
        self.title_boost = title_boost
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(_SCHEMA)
        self._database.executemany(
            "INSERT INTO articles VALUES (:doc_id, :title, :body)", read_articles(articles_path)
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
        self,
        articles_path: str | Path = ARTICLES,
        title_boost: float = 5.0,
        history_weight: float = 0.7,
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
        return best_first(scores.items(), k)

    def _scaled(self, text: str) -> dict[str, float]:
        """Return every matching article's score, the best one's being 1.

        BM25 grows with the number of words, so that a long history would drown a short turn.
        """
        ranking = super().search(text, len(self))
        return {doc_id: score / ranking[0][1] for doc_id, score in ranking}


def _match_expression(text: str) -> str:
    """Return a full-text query that matches any telling word of a user's text."""
    return " OR ".join(f'"{word}"' for word in telling_words(text))
