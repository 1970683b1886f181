"""Hostile systems, services and protocols: the number is right, and nothing passes emptily."""

from __future__ import annotations

from small_project import Project, said, tables

BENCHMARK = """
benchmarks:
  tiny:
    {topics: topics.tsv, qrels: qrels.txt, relevance_level: 2, extra_qrels: {sparse: sparse.txt}}
"""


def gate(project: Project, keys: str, *thresholds: str, sparse: str = "31_1 0 d1 1\n007 0 d7 1\n") -> None:
    """Write a gate of ``bm25`` with keys of its own, its thresholds one by one."""
    project.write("sparse.txt", sparse)
    lines = "\n".join(f"      - {{{threshold}}}" for threshold in thresholds)
    project.write(
        "irbench.yaml",
        f"{BENCHMARK}gates:\n  - benchmark: tiny\n    system: bm25\n    {keys}\n    thresholds:\n{lines}\n",
    )


def test_excluded_documents_leave_extra_label_sets_too(project: Project) -> None:
    gate(project, "exclude_docs: d1", "measure: RR, qrels: sparse, min: 0.1")
    project.run("--irbench=tiny").assert_outcomes(passed=1)
    # 31_1 has no judgment left in the set; 007 has its document at rank 2.
    assert "RR (sparse)  0.5000" in tables(project.run("--irbench=tiny"))


def test_a_label_set_of_which_nothing_is_left_is_an_error(project: Project) -> None:
    gate(project, "exclude_docs: d1", "measure: RR, qrels: sparse, max: 0.9", sparse="31_1 0 d1 1\n")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "without 'd1' no judgment is left" in said(result)


def test_excluding_every_relevant_document_is_an_error(project: Project) -> None:
    gate(project, "exclude_docs: [d1, '1e5', d3]", "measure: RR, max: 0.9")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    without = (
        "benchmark tiny without d1, 1e5, d3: the highest grade is 1, so nothing is relevant for RR(rel=2)"
    )
    assert without in said(result)


def test_a_label_set_without_the_grade_that_counts_is_an_error(project: Project) -> None:
    gate(project, "depth: 10", "measure: RR(rel=2), qrels: sparse, max: 0.9")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "extra_qrels sparse of benchmark tiny: the highest grade is 1" in said(result)


def test_judgments_of_grade_0_alone_are_an_error_for_graded_measures(project: Project) -> None:
    project.write("qrels.txt", "31_1 0 d1 0\n007 0 d7 0\n")
    project.gate("'nDCG@10': {max: 0.9}, 'ERR@10': {max: 0.9}, 'Judged@10': 0.1, NumRet: 1")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=4)
    assert "the highest grade is 0, so nothing is relevant for nDCG@10: every value would be 0" in said(
        result
    )


def test_each_gate_has_a_list_to_judge_of_its_own(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["good", "bad"])
    def tuned(request):
        return lambda topic, k: [request.param, "d1", "1e5", "d3"]
    """)
    gate(project, "unjudged: bounds", "measure: RR, min: 0.9")
    text = (project.path / "irbench.yaml").read_text().replace("bm25", "tuned")
    project.write("irbench.yaml", text)
    for name in ("irbench.yaml", "topics.tsv", "qrels.txt", "sparse.txt"):
        project.write(f"below/{name}", (project.path / name).read_text())
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=4)
    lists = sorted(project.path.rglob("irbench-to-judge/*.qrels"))
    # Each beside the file of its gate.
    assert [("good" in path.name, "below" in path.parts) for path in lists] == [
        (False, True),
        (True, True),
        (False, False),
        (True, False),
    ]
    for path in lists:
        assert (" good " if "good" in path.name else " bad ") in path.read_text()
    assert "system tuned[good]: mean over 3 judged queries" in said(result)


def test_runs_of_two_files_are_not_saved_as_one(project: Project) -> None:
    for name in ("irbench.yaml", "topics.tsv", "qrels.txt"):
        project.write(f"below/{name}", (project.path / name).read_text())
    result = project.run("--irbench=tiny", "--irbench-save-runs=runs")
    result.assert_outcomes(errors=8)
    assert "below/irbench.yaml and irbench.yaml have gates of system 'bm25' on benchmark tiny" in said(result)
    assert project.calls == []
    project.run("--irbench=tiny", "--irbench-save-runs=runs", "below/irbench.yaml").assert_outcomes(passed=4)
    assert [path.name for path in (project.path / "runs").iterdir()] == ["tiny.bm25.trec.gz"]


def test_two_systems_whose_parameters_join_to_one_name_are_asked_each(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["a-b", "a"], scope="session")
    def one(request):
        return request.param

    @pytest.fixture(params=["c", "b-c"], scope="session")
    def two(request):
        return request.param

    @pytest.fixture(scope="session")
    def tuned(one, two):
        return ask if (one, two) == ("a-b", "c") else (lambda topic, k: ["nothing"])
    """)
    project.gate(system="tuned")
    project.run("--irbench=tiny").assert_outcomes(passed=1, failed=3)
    project.spawn("--irbench=tiny", "-n1").assert_outcomes(passed=1, failed=3)


def test_bounds_of_a_count_are_whole_numbers(project: Project) -> None:
    gate(project, "unjudged: bounds", "measure: NumRelRet, max: 5")
    assert "whatever unjudged documents are judged, it lies between 3 and 5" in said(
        project.run("--irbench=tiny")
    )
