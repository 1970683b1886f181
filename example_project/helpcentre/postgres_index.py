"""The same articles in PostgreSQL's full-text search: stems, and a rank that knows no rare words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from helpcentre.articles import ARTICLES, read_articles, telling_words

if TYPE_CHECKING:
    from pathlib import Path

# The table is gone with the connection, so that nothing is left on a server that others use too.
_TABLE = "CREATE TEMPORARY TABLE articles (doc_id text PRIMARY KEY, words tsvector NOT NULL)"

_INSERT = """
INSERT INTO articles VALUES (%(doc_id)s,
    setweight(to_tsvector('english', %(title)s), 'A') || setweight(to_tsvector('english', %(body)s), 'B'))
"""

# A word in the title (A) counts 1, one in the text (B) 0.4; the 1 divides by the logarithm of the length.
_SEARCH = """
SELECT doc_id, ts_rank(words, query, 1)::float8 AS score
FROM articles, to_tsquery('english', %(query)s) AS query
WHERE words @@ query ORDER BY score DESC, doc_id COLLATE "C" DESC LIMIT %(k)s
"""


class PostgresIndex:
    """Articles in a temporary table of one connection.

    Parameters
    ----------
    server
        How to connect: ``postgresql://…``, or ``host=… dbname=…``.
    articles_path
        A file with one JSON object a line: ``doc_id``, ``title`` and ``body``.
    """

    def __init__(self, server: str, articles_path: str | Path = ARTICLES) -> None:
        self._connection = psycopg.connect(server, autocommit=True)
        self._connection.execute(_TABLE)
        with self._connection.cursor() as cursor:
            cursor.executemany(_INSERT, read_articles(articles_path))

    def search(self, topic: str, k: int) -> list[tuple[str, float]]:
        """Return at most `k` pairs of doc_id and score, the best first."""
        query = " | ".join(f"'{word}'" for word in telling_words(topic))
        return self._connection.execute(_SEARCH, {"query": query, "k": max(k, 0)}).fetchall()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
