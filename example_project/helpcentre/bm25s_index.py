"""The same articles in bm25s, which computes BM25 with numpy: no stems, title and text as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bm25s

from helpcentre.articles import ARTICLES, best_first, read_articles, telling_words

if TYPE_CHECKING:
    from pathlib import Path


class Bm25sIndex:
    """Articles as a matrix of scores, one for each word of each article.

    Parameters
    ----------
    articles_path
        A file with one JSON object a line: ``doc_id``, ``title`` and ``body``.
    """

    def __init__(self, articles_path: str | Path = ARTICLES) -> None:
        articles = list(read_articles(articles_path))
        self._doc_ids = [article["doc_id"] for article in articles]
        texts = [f"{article['title']} {article['body']}" for article in articles]
        words = bm25s.tokenize(texts, stopwords=[], return_ids=False, show_progress=False)
        self._index = bm25s.BM25()
        self._index.index(words, show_progress=False)

    def search(self, topic: str, k: int) -> list[tuple[str, float]]:
        """Return at most `k` pairs of doc_id and score, the best first."""
        words = [word for word in telling_words(topic) if word in self._index.vocab_dict]
        if not words:
            return []
        scores = zip(self._doc_ids, self._index.get_scores(words).tolist(), strict=True)
        return best_first((pair for pair in scores if pair[1] > 0), k)
