"""The same articles in tantivy, a search library: BM25 over stems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tantivy

from helpcentre.articles import ARTICLES, best_first, read_articles, telling_words

if TYPE_CHECKING:
    from pathlib import Path

# The least that tantivy takes for a thread that writes.
_MEMORY = 15_000_000


class TantivyIndex:
    """Articles in an index in memory.

    Parameters
    ----------
    articles_path
        A file with one JSON object a line: ``doc_id``, ``title`` and ``body``.
    title_boost
        How much a word in the title counts, where one in the body counts 1.
    """

    def __init__(self, articles_path: str | Path = ARTICLES, title_boost: float = 2.0) -> None:
        self._boosts = {"title": title_boost}
        schema = tantivy.SchemaBuilder().add_text_field("doc_id", stored=True, tokenizer_name="raw")
        for field in ("title", "body"):
            schema.add_text_field(field, tokenizer_name="en_stem")
        self._index = tantivy.Index(schema.build())
        writer = self._index.writer(_MEMORY, num_threads=1)
        for article in read_articles(articles_path):
            writer.add_document(tantivy.Document(**article))
        writer.commit()
        self._index.reload()

    def search(self, topic: str, k: int) -> list[tuple[str, float]]:
        """Return at most `k` pairs of doc_id and score, the best first."""
        words = " ".join(f'"{word}"' for word in telling_words(topic))
        query = self._index.parse_query(words, ["title", "body"], field_boosts=self._boosts)
        searcher = self._index.searcher()
        # All of them are taken: tantivy would cut equal scores in the order of its index.
        hits = searcher.search(query, limit=searcher.num_docs).hits
        return best_first(((searcher.doc(place)["doc_id"][0], score) for score, place in hits), k)
