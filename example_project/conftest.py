"""The systems under test: each fixture returns a callable ``search(topic, k)``."""

from pathlib import Path

import pytest
from helpcentre import HistoryIndex, Index

ARTICLES = Path(__file__).parent / "helpcentre" / "articles.jsonl"


@pytest.fixture(scope="session")
def fts5():
    """SQLite FTS5 with BM25; words of the title count five times."""
    return Index(ARTICLES).search


@pytest.fixture(scope="session")
def fts5_without_title_boost():
    """Search as fts5 does, the title counting no more than the body."""
    return Index(ARTICLES, title_boost=1.0).search


@pytest.fixture(scope="session")
def fts5_with_history():
    """Search as fts5 does, with the words of earlier turns at lower weight."""
    return HistoryIndex(ARTICLES).search
