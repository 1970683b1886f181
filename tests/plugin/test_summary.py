"""The tables at the end of a session."""

from __future__ import annotations

import subprocess
import sys
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from small_project import BENCHMARKS, CONFTEST, QRELS, RUN, TOPICS, Project, tables
from small_reports import row, shop

from pytest_irbench.plugin.ledger import reported_gates


def session_of(rows: Any, details: Any = MappingProxyType({})) -> Any:
    """A session of which all thresholds have a verdict, and in which no test in Python compared anything."""
    return SimpleNamespace(rows=rows, details=details, declared={}, asserted={})


def test_one_table_per_gate_in_the_order_of_the_file(project: Project) -> None:
    project.write(
        "irbench.yaml",
        f"""{BENCHMARKS}
systems: {{saved: {{run: run.txt}}}}
gates:
  - benchmark: tiny
    system: [saved, bm25]
    thresholds:
      nDCG@10: 0.75
      AP: {{min: 0.5, max: 0.9}}
  - benchmark: tiny
    system: gone
    thresholds: {{RR: 0.25}}
""",
    )
    project.write("run.txt", RUN + "99 Q0 d 1 1 x\n")
    text = tables(project.run("--irbench=tiny"))
    assert text == (
        """\
tiny · saved: 3 queries, 1 unjudged left out
measure     value  threshold   judged  verdict  where
---------  ------  ----------  ------  -------  ---------------
nDCG@10    0.9201  min 0.7500    100%  passed   irbench.yaml:9
AP(rel=2)  1.0000  min 0.5000    100%  passed   irbench.yaml:10
AP(rel=2)  1.0000  max 0.9000          failed   irbench.yaml:10
AP(rel=2) max 0.9000: would still fail without its worst query

tiny · bm25: 3 queries
measure     value  threshold   judged  verdict  where
---------  ------  ----------  ------  -------  ---------------
nDCG@10    0.7970  min 0.7500   66.7%  passed   irbench.yaml:9
AP(rel=2)  0.8333  min 0.5000   66.7%  passed   irbench.yaml:10
AP(rel=2)  0.8333  max 0.9000          passed   irbench.yaml:10

tiny · gone
measure    value  threshold   verdict  where
---------  -----  ----------  -------  ---------------
RR(rel=2)      -  min 0.2500  error    irbench.yaml:13"""
    )


def test_gates_stand_in_the_order_of_their_first_threshold_and_collect_later_ones() -> None:
    first, other, later, elsewhere = (
        row(),
        row(system="splade"),
        row(measure="RR"),
        row(place="sub/irbench.yaml:9"),
    )
    rows = {"d": (4, elsewhere), "b": (2, other), "c": (3, later), "a": (1, first)}
    gates = reported_gates(session_of(rows))
    assert [(gate.file, gate.system) for gate in gates] == [
        ("irbench.yaml", "bm25"),
        ("irbench.yaml", "splade"),
        ("sub/irbench.yaml", "bm25"),
    ]
    assert gates[0].rows == (first, later)


def test_a_gate_has_the_details_that_the_session_keeps() -> None:
    details = {("irbench.yaml", "shop", "bm25"): shop().detail}
    (gate,) = reported_gates(session_of({"a": (1, row())}, details))
    assert gate.detail == shop().detail


def test_a_session_without_gates_has_no_table(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    assert " irbench ===" not in project.run("test_ok.py").stdout.str()


def test_a_quiet_session_has_a_line_for_each_gate(project: Project) -> None:
    assert tables(project.run("--irbench=tiny", "-q")).split("\n")[0] == "passed  tiny · bm25: 4 thresholds"
    project.gate("RR: 0.99, AP: 0.5")
    told = tables(project.run("--irbench=tiny", "-q"))
    assert told.split("\n")[0] == "failed  tiny · bm25: 1 failed of 2 thresholds: RR(rel=2) min 0.9900"


def test_the_table_is_as_wide_as_the_terminal(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.gate("nDCG@10: {min: 0.5, max_drop: 0.05}")
    project.store()
    wide = tables(project.run("--irbench=tiny"))
    monkeypatch.setenv("COLUMNS", "80")
    narrow = tables(project.run("--irbench=tiny"))
    assert " worse/better  judged  verdict  where\n" in wide
    assert max(map(len, narrow.split("\n"))) <= 80
    assert "judged" not in narrow.split("\n")[1]


def test_the_header_is_broken_where_it_is_longer_than_the_terminal(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = project.run("--irbench=tiny").outlines
    assert "  scored as trec_eval -c (equal scores by doc_id, descending)" in lines


@pytest.mark.parametrize("color", ["yes", "no"])
def test_verdicts_are_coloured_when_pytest_colours(project: Project, color: str) -> None:
    project.gate("RR: 0.99, AP: 0.5")
    text = tables(project.run("--irbench=tiny", f"--color={color}"))
    assert ("\x1b[31mfailed\x1b[0m" in text) == (color == "yes")
    assert ("\x1b[32mpassed\x1b[0m" in text) == (color == "yes")
    assert ("\x1b[1mtiny · bm25: 3 queries\x1b[0m" in text) == (color == "yes")


def test_a_terminal_without_its_characters_gets_ascii(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    text = project.spawn("--irbench=tiny").stdout.str()
    assert "\ntiny - bm25: 3 queries\n" in text


def test_what_a_code_page_lacks_is_escaped_and_the_rest_is_not(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    project.write("topics.tsv", TOPICS.replace("007", "\N{CJK UNIFIED IDEOGRAPH-691C}"))
    project.write("qrels.txt", QRELS.replace("007", "\N{CJK UNIFIED IDEOGRAPH-691C}"))
    project.write("conftest.py", CONFTEST.replace('"007"', '"\N{CJK UNIFIED IDEOGRAPH-691C}"'))
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}gates:\n  - benchmark: tiny\n    system: bm25\n    queries:\n      expect:\n"
        "        - {query_id: \N{CJK UNIFIED IDEOGRAPH-691C}, doc_id: '1e5', within: 3}\n",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--irbench=tiny"], cwd=project.path, capture_output=True
    )
    text = done.stdout.decode("cp1252")
    assert "tiny · bm25: 3 queries" in text
    assert r"\u691c: 1e5" in text


def test_a_failing_teardown_turns_the_row_into_an_error(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def closing():
        yield ask
        raise OSError("cannot close")
    """)
    project.gate("RR: 0.5", system="closing")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, errors=1)
    assert "RR(rel=2)  0.8333  min 0.5000   66.7%  error " in tables(result)


def test_ids_that_look_like_numbers_stay_as_they_are(project: Project) -> None:
    project.write(
        "irbench.yaml",
        """\
        benchmarks: {"007": {topics: topics.tsv, qrels: qrels.txt}}
        systems: {"1e5": {run: run.txt}}
        gates: [{benchmark: "007", system: "1e5", thresholds: {RR: 0.10}}]
        """,
    )
    project.write("run.txt", RUN)
    result = project.run("--irbench=007")
    result.assert_outcomes(passed=1)
    assert "007 · 1e5: 3 queries" in tables(result)
    assert "RR       1.0000  min 0.1000    100%  passed" in tables(result)


def test_the_short_summary_has_one_line_per_failure(project: Project) -> None:
    project.gate("RR: 0.99, AP: 0.99")
    lines = [line for line in project.run("--irbench=tiny").outlines if line.startswith("FAILED")]
    assert len(lines) == 2


def test_a_word_on_ids_does_not_hide_what_is_said_of_a_threshold(project: Project) -> None:
    project.answer(q31_1=["d1-1"], q007=["1e5-2"], q1e5=["d3-4"])
    project.gate("NumRet: {min: 1, slack: 1}")
    text = tables(project.run("--irbench=tiny"))
    assert "100% would be with doc_id: passage_to_document" in text
    assert "more than its slack 1: raise it" in text
