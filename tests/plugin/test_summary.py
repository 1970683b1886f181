"""The tables at the end of a session."""

from __future__ import annotations

from small_project import BENCHMARKS, RUN, Project, tables


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
measure      value  threshold    verdict    where
---------  -------  -----------  ---------  ---------------
nDCG@10     0.9201  min 0.7500   passed     irbench.yaml:9
AP(rel=2)   1.0000  min 0.5000   passed     irbench.yaml:10
AP(rel=2)   1.0000  max 0.9000   failed     irbench.yaml:10

tiny · bm25: 3 queries
measure      value  threshold    verdict    where
---------  -------  -----------  ---------  ---------------
nDCG@10     0.7970  min 0.7500   passed     irbench.yaml:9
AP(rel=2)   0.8333  min 0.5000   passed     irbench.yaml:10
AP(rel=2)   0.8333  max 0.9000   passed     irbench.yaml:10

tiny · gone
measure      value  threshold    verdict    where
---------  -------  -----------  ---------  ---------------
RR(rel=2)        -  min 0.2500   error      irbench.yaml:13"""
    )


def test_a_session_without_gates_has_no_table(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    assert " irbench ===" not in project.run("test_ok.py").stdout.str()


def test_quiet_sessions_have_the_tables_too(project: Project) -> None:
    assert "tiny · bm25: 3 queries" in project.run("--irbench=tiny", "-q").stdout.str()


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
    assert "RR(rel=2)   0.8333  min 0.5000   error " in tables(result)


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
    assert "RR          1.0000  min 0.1000   passed" in tables(result)


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
