"""The systems under test: each fixture returns a callable ``search(topic, k)``."""

import os
from importlib import import_module

import pytest
from helpcentre import ARTICLES, HistoryIndex, Index
from helpcentre.served import served

# Its gates need packages and a server: they run when the file is named, see README.md.
collect_ignore = ["engines.irbench.yaml"]


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


@pytest.fixture(scope="session")
def http_service():
    """Run a service that searches as fts5 does, in a process of its own; gates find its address."""
    with served("helpcentre.http_service") as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HELPCENTRE_URL", address)
        yield address


@pytest.fixture(autouse=True)
def service_for_its_gates(request):
    """Start the service when a gate of engines.irbench.yaml asks it: http names no fixture."""
    if request.node.name.startswith("fts5_over_http"):
        request.getfixturevalue("http_service")


@pytest.fixture(scope="session")
def tantivy():
    """BM25 of tantivy."""
    return engine("helpcentre.tantivy_index").TantivyIndex(ARTICLES).search


@pytest.fixture(scope="session")
def bm25s():
    """BM25 of bm25s."""
    return engine("helpcentre.bm25s_index").Bm25sIndex(ARTICLES).search


@pytest.fixture(scope="session")
def postgres_server():
    """Tell how to connect: to what IRBENCH_POSTGRES names, or else to a server of this session's own."""
    if named := os.environ.get("IRBENCH_POSTGRES"):
        yield named
    elif engine("helpcentre.postgres_server").programs() is None:
        go_without("there is no PostgreSQL server: apt-get install postgresql, or set IRBENCH_POSTGRES")
    else:
        with served("helpcentre.postgres_server") as address:
            yield address


@pytest.fixture(scope="session")
def postgres(postgres_server):
    """Search with PostgreSQL's own full-text search."""
    index = engine("helpcentre.postgres_index").PostgresIndex(postgres_server, ARTICLES)
    yield index.search
    index.close()


def engine(module):
    """Import a module of an engine."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        go_without(f"{error.name} is not installed: pip install --group ../pyproject.toml:engines")


def go_without(reason):
    """Skip what needs an engine that is not there; with IRBENCH_ENGINES=required it fails, as in CI."""
    if os.environ.get("IRBENCH_ENGINES") == "required":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
