"""Every engine of the example project is asked, and its gates hold."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from example_sessions import EXAMPLE, Session, copy_example, run

GATES = "engines.irbench.yaml"
ENGINES = ["fts5_over_http", "postgres", "tantivy", "bm25s"]

FIVE_WAYS = """
benchmarks:
  ways: {topics: judgments/topics.tsv, qrels: judgments/qrels.txt, relevance_level: 2, depth: 50}
systems:
  by_path: {search: "helpcentre:Index"}
  saved: {run: fts5.run}
  fts5_over_http:
    http: {url: "${HELPCENTRE_URL}/search?q={query}&k={k}", hits: hits.hits, id: _id, score: _score}
  fts5_over_http_post:
    concurrency: 4
    http:
      url: "${HELPCENTRE_URL}/search"
      json: {query: {match: {text: "{query}"}}, size: "{k}"}
      hits: hits.hits
      id: _id
      score: _score
gates:
  - benchmark: ways
    system: [fts5, by_path, saved, fts5_over_http, fts5_over_http_post]
    thresholds: {nDCG@10: 0.1, AP: 0.1, RR@10: 0.1, R@50: 0.1, P@5: 0.1, Bpref: 0.1, Judged@10: 0.1}
"""

NO_POSTGRES = """
import helpcentre.postgres_server
helpcentre.postgres_server.programs = lambda: None
"""
NO_PACKAGE = """
import sys
sys.modules["{0}"] = None
"""
ABSENT = [
    ("postgres", NO_POSTGRES, "there is no PostgreSQL server: apt-get install postgresql"),
    ("tantivy", NO_PACKAGE.format("tantivy"), "tantivy is not installed: pip install"),
    ("bm25s", NO_PACKAGE.format("bm25s"), "bm25s is not installed: pip install"),
]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """One session over all engines."""
    return run(copy_example(tmp_path_factory.mktemp("engines")), GATES)


def test_every_engine_has_a_gate() -> None:
    gates = yaml.safe_load((EXAMPLE / GATES).read_text(encoding="utf-8"))["gates"]
    assert [gate["system"] for gate in gates] == ENGINES


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_holds_its_floors(measured: Session, engine: str) -> None:
    gate = measured.gates[engine]
    if set(gate.outcomes) == {"skipped"} and os.environ.get("IRBENCH_ENGINES") != "required":
        pytest.skip(f"{engine}: {', '.join(gate.reasons)}")
    assert gate.outcomes == ["passed"] * 4, measured.text


def test_a_search_has_the_same_values_whichever_way_it_is_asked(project: Path, helpcentre: Path) -> None:
    from helpcentre import Index

    index = Index()
    topics = [line.split("\t") for line in (project / "judgments/topics.tsv").read_text().splitlines()]
    lines = [
        f"{query_id} Q0 {doc_id} 0 {score!r} saved\n"
        for query_id, text in topics
        for doc_id, score in index.search(text, 50)
    ]
    (project / "fts5.run").write_text("".join(lines))
    (project / "ways.irbench.yaml").write_text(FIVE_WAYS)
    gates = run(project, "ways.irbench.yaml").gates
    assert list(gates) == ["fts5", "by_path", "saved", "fts5_over_http", "fts5_over_http_post"]
    first = gates["fts5"].values
    assert len(first) == 7
    assert all(gate.values == first for gate in gates.values())


def test_a_newcomer_needs_no_engine(project: Path) -> None:
    session = run(project, "--irbench=all", "--collect-only", "-q")
    assert session.code == 0
    assert "irbench.yaml::fts5[helpcentre-nDCG@10-min]" in session.text
    assert "engines" not in session.text


@pytest.mark.parametrize(("engine", "without", "reason"), ABSENT, ids=[engine for engine, *_ in ABSENT])
def test_an_engine_that_is_absent_is_skipped_with_the_reason(
    project: Path, engine: str, without: str, reason: str
) -> None:
    with (project / "conftest.py").open("a") as conftest:
        conftest.write(without)
    session = run(project, GATES, "-k", engine, IRBENCH_ENGINES="", IRBENCH_POSTGRES="")
    assert session.gates[engine].outcomes == ["skipped"] * 4
    assert reason in session.text
    assert session.code == 1, "what is skipped guards nothing"


def test_an_engine_that_is_absent_is_an_error_where_all_are_required(project: Path) -> None:
    with (project / "conftest.py").open("a") as conftest:
        conftest.write(NO_PACKAGE.format("bm25s"))
    session = run(project, GATES, "-k", "bm25s", IRBENCH_ENGINES="required")
    assert session.gates["bm25s"].outcomes == ["error"] * 4
    assert "bm25s is not installed" in session.text


def test_each_worker_has_a_postgres_of_its_own(project: Path, postgres_installed: None) -> None:
    session = run(project, GATES, "-k", "postgres", "-n2", "--dist=load")
    assert session.gates["postgres"].outcomes == ["passed"] * 4, session.text


def test_sessions_can_share_a_postgres_at_one_time(
    tmp_path: Path, helpcentre: Path, postgres_installed: None
) -> None:
    from helpcentre.served import served

    projects = [copy_example(tmp_path / name) for name in ("one", "two")]
    with served("helpcentre.postgres_server") as address, ThreadPoolExecutor() as threads:
        started = [
            threads.submit(run, project, GATES, "-k", "postgres", IRBENCH_POSTGRES=address)
            for project in projects
        ]
        sessions = [session.result() for session in started]
    for session in sessions:
        assert session.gates["postgres"].outcomes == ["passed"] * 4, session.text
