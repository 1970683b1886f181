"""`irbench_baseline("bm25")`: a stored baseline as one side of a comparison in a test."""

from __future__ import annotations

import json

import pytest
from small_project import BENCHMARKS, Project, said, told

IMPORTS = """
import pytest

from pytest_irbench import (
    assert_map_at, assert_measure, assert_mrr_at, assert_ncg_at, assert_ndcg_at, assert_precision_at, assert_recall_at
)
"""
RUN = """

@pytest.fixture
def run(irbench_benchmark, bm25):
    return irbench_benchmark("tiny").retrieve(bm25, name="bm25")
"""
WORSE = {"q31_1": ["q", "d1"]}
UPDATE = ("--irbench=tiny", "--irbench-update=first")


def tests(project: Project, *comparisons: str) -> None:
    """Write a test for each comparison."""
    functions = [
        f"\n\ndef test_{number}(run, irbench_baseline):\n    {comparison}\n"
        for number, comparison in enumerate(comparisons)
    ]
    project.write("test_search.py", IMPORTS + RUN + "".join(functions))


@pytest.fixture
def python(project: Project) -> Project:
    """A project without gates and with a baseline that a test stored."""
    project.write(
        "irbench.yaml", "benchmarks:\n  tiny: {topics: topics.tsv, qrels: qrels.txt, relevance_level: 2}\n"
    )
    tests(project, 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25")')
    project.store()
    return project


def test_what_is_as_good_as_its_baseline_passes(python: Project) -> None:
    python.run("--irbench=tiny").assert_outcomes(passed=1)
    python.answer(q1e5=["d3"])
    python.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_drop_fails_and_explains_itself(python: Project) -> None:
    python.answer(**WORSE)
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    text = said(result)
    assert "nDCG@10 dropped by 0.0935, more than max_drop 0: 0.7035, baseline 0.7970\n" in text
    assert "benchmark tiny, system bm25: mean over 3 judged queries\n" in text
    assert "  31_1        0.7602      0.4796  -0.2806   what is throat cancer\n" in text
    assert "      d1  grade 2: rank 1 before, now 2\n" in text
    assert "python_baselines.py" not in text


def test_the_stored_baseline_belongs_to_no_gate(python: Project) -> None:
    stored = json.loads(python.baseline.read_text())
    assert stored["gates"] is None
    assert stored["pins"]["measures"] == ["nDCG@10"]
    assert stored["pins"]["depth"] == 10


CALLS = (
    "assert_ndcg_at(run, 3)",
    "assert_ncg_at(run, 3)",
    "assert_mrr_at(run, 10)",
    "assert_map_at(run, 10)",
    "assert_precision_at(run, 1)",
    "assert_recall_at(run, 1)",
    'assert_measure(run, "AP")',
)


def test_every_assertion_can_be_held_against_it(project: Project) -> None:
    tests(project, *(f'assert {call} >= irbench_baseline("bm25")' for call in CALLS))
    project.store()
    project.run("--irbench=tiny", "test_search.py").assert_outcomes(passed=len(CALLS))
    project.answer(q31_1=["q"], q007=["q"])
    result = project.run("--irbench=tiny", "test_search.py")
    result.assert_outcomes(failed=len(CALLS))
    assert said(result).count("\nE       AssertionError: ") == len(CALLS)


def test_both_sides_and_all_signs(python: Project) -> None:
    tests(
        python,
        'assert irbench_baseline("bm25") <= assert_ndcg_at(run, 10)',
        'assert assert_ndcg_at(run, 10) > irbench_baseline("bm25", budget=0.01)',
        'assert irbench_baseline("bm25", budget="2%") < assert_ndcg_at(run, 10)',
        'assert assert_ndcg_at(run, 10) <= irbench_baseline("bm25")',
        'assert assert_ndcg_at(run, 10) < irbench_baseline("bm25", budget=0.01)',
    )
    python.run("--irbench=tiny").assert_outcomes(passed=5)
    python.answer(**WORSE)
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=3, passed=2)
    assert "nDCG@10 = 0.703518, not > 0.787039 (short by 0.0835)" in said(result)
    assert "nDCG@10 = 0.703518, not > 0.781098 (short by 0.0776)" in said(result)


def test_strictly_better_is_not_as_good_as(python: Project) -> None:
    tests(python, 'assert assert_ndcg_at(run, 10) > irbench_baseline("bm25")')
    python.run("--irbench=tiny").assert_outcomes(failed=1)
    python.answer(q1e5=["d3"])
    python.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_budget_is_a_number_or_a_percentage_of_the_baseline(python: Project) -> None:
    # nDCG@10 drops by 0.0935, which is 11.7% of 0.7970.
    python.answer(**WORSE)
    held = 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25", budget={})'
    tests(python, *(held.format(budget) for budget in ("0.094", '"11.8%"', "0.093", '"11.7%"', "0")))
    result = python.run("--irbench=tiny")
    result.assert_outcomes(passed=2, failed=3)
    assert "more than max_drop 11.7%: 0.7035, baseline 0.7970" in said(result)


def test_evidence_is_as_in_a_gate(python: Project) -> None:
    python.answer(**WORSE)
    held = 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25", budget=0.05, evidence="{}")'
    tests(python, held.format("noninferior"), held.format("mean"))
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=2)
    assert "more than max_drop 0.05, and may have dropped by 0.4959: 0.7035, baseline 0.7970" in said(result)


def test_evidence_goes_with_the_sign_that_asks_for_a_drop(python: Project) -> None:
    tests(python, 'assert assert_ndcg_at(run, 10) > irbench_baseline("bm25", evidence="noninferior")')
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "evidence noninferior is about a drop: compare with >=, not >" in said(result)


def test_a_drop_that_can_never_be_significant_is_no_pass(python: Project) -> None:
    tests(python, 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25", evidence="significant")')
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "no drop can ever be significant" in said(result)


def test_a_baseline_that_was_never_compared_fails_its_test(python: Project) -> None:
    tests(python, 'irbench_baseline("bm25"); assert assert_ndcg_at(run, 10) > 0')
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "irbench_baseline('bm25')" in said(result)
    assert "never compared" in said(result)


@pytest.mark.parametrize("comparison", ['0.5 <= irbench_baseline("bm25")', 'irbench_baseline("bm25") > 0.5'])
def test_a_plain_number_has_no_queries_to_compare(python: Project, comparison: str) -> None:
    tests(python, f"assert {comparison}")
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "TypeError" in said(result)


FAULTS = {
    "budget=-0.1": "budget is a number from 0, such as 0.02, or a text such as '2%', not -0.1",
    'budget="2"': "budget is a number from 0, such as 0.02, or a text such as '2%', not '2'",
    "budget=True": "budget is a number from 0, such as 0.02, or a text such as '2%', not True",
    'budget=float("nan")': "budget is a number from 0, such as 0.02, or a text such as '2%', not nan",
    "budget=None": "budget is a number from 0, such as 0.02, or a text such as '2%', not None",
    'evidence="strong"': "evidence is mean, significant, noninferior, not 'strong'",
}


def test_what_is_no_budget_or_evidence_is_told_in_one_sentence(python: Project) -> None:
    tests(
        python, *(f'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25", {fault})' for fault in FAULTS)
    )
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=len(FAULTS))
    for message in FAULTS.values():
        assert f"InputError: {message}\n" in said(result)


@pytest.mark.parametrize("sign", ["==", "!="])
def test_being_equal_to_a_baseline_is_no_question(python: Project, sign: str) -> None:
    tests(python, f'assert assert_ndcg_at(run, 10) {sign} irbench_baseline("bm25")')
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "TypeError: irbench_baseline('bm25') is a limit: compare with >=, >, <= or <\n" in said(result)


def test_a_budget_that_no_drop_can_exceed_is_no_pass(python: Project) -> None:
    tests(python, 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25", budget=0.9)')
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "it can't drop by more than 0.9, and this max_drop can never fail" in said(result)


def test_a_run_that_finds_nothing_is_not_above_a_baseline_less_all_of_it(python: Project) -> None:
    tests(python, 'assert assert_ndcg_at(run, 10) > irbench_baseline("bm25", budget=0.9)')
    python.answer(q31_1=["q"], q007=["x", "d7"], q1e5=["x1"])
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "the baseline's nDCG@10 is 0.7970, so it can't drop by more than 0.9" in said(result)


def test_a_run_without_a_benchmark_has_no_baseline(python: Project) -> None:
    tests(
        python,
        'assert assert_ndcg_at({"1": {"a": 1}}, 10, qrels={"1": {"a": 1}}) >= irbench_baseline("bm25")',
    )
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "this run belongs to no benchmark, so it has no baseline" in said(result)


def test_without_a_baseline_it_fails_with_the_command(python: Project) -> None:
    tests(python, 'assert assert_ndcg_at(run, 10) >= irbench_baseline("dense")')
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert (
        "irbench-baselines/tiny.dense.json: there is no such baseline: commit it if it was stored, or to store this run as the baseline, "
        'run pytest --irbench=tiny --irbench-update="why"'
    ) in said(result)


def test_a_deeper_cutoff_than_was_stored_is_refused_and_a_higher_one_is_not(python: Project) -> None:
    held = '>= irbench_baseline("bm25")'
    tests(
        python,
        f"assert assert_ndcg_at(run, 20) {held}",
        f"assert assert_measure(run, 'AP') {held}",
        f"assert assert_ndcg_at(run, 3) {held}",
    )
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=2, passed=1)
    assert (
        "is no baseline for nDCG@20: it holds 10 documents a topic and no values of nDCG@20: to store"
        in said(result)
    )
    assert "is no baseline for AP(rel=2): it holds 10 documents a topic and no values of AP(rel=2)" in said(
        result
    )


def test_several_tests_store_one_baseline_with_all_their_measures(project: Project) -> None:
    held = '>= irbench_baseline("bm25")'
    tests(
        project,
        f"assert assert_ndcg_at(run, 3) {held}",
        f"assert assert_measure(run, 'AP') {held}",
        f"assert assert_ndcg_at(run, 3) {held}",
    )
    result = project.run(*UPDATE, "test_search.py")
    assert told(result) == "irbench-baselines/tiny.bm25.json: new"
    stored = json.loads(project.baseline.read_text())
    assert stored["pins"]["measures"] == ["AP(rel=2)", "nDCG@3"]
    assert stored["pins"]["depth"] == 1000
    project.run("--irbench=tiny", "test_search.py").assert_outcomes(passed=3)


def test_some_of_the_tests_do_not_take_the_values_of_the_others(project: Project) -> None:
    project.write("irbench.yaml", BENCHMARKS)
    tests(
        project,
        'assert assert_ndcg_at(run, 3) >= irbench_baseline("bm25")',
        'assert assert_mrr_at(run, 10) >= irbench_baseline("bm25")',
    )
    project.store()
    before = project.stored
    result = project.run(*UPDATE, "-k", "test_0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert told(result).endswith(
        "\n  irbench-baselines/tiny.bm25.json also holds values of RR(rel=2)@10, which no test of this session "
        "asked for: run all tests that hold it, or delete it first"
    )
    assert project.stored == before
    project.store()


def test_a_test_that_asks_for_more_than_its_gate_stores_is_refused(project: Project) -> None:
    project.gate("RR@1: {max_drop: 2%}")
    tests(project, 'assert assert_mrr_at(run, 20) >= irbench_baseline("bm25")')
    result = project.run(*UPDATE)
    assert told(result).endswith(
        "\n  irbench-baselines/tiny.bm25.json: test_search.py::test_0 asks for RR(rel=2)@20, and its gate "
        "stores the top 1: give the gate a max_drop of RR(rel=2)@20, or a depth"
    )
    assert project.stored == {}
    for wider in ("RR@1: {max_drop: 2%}, RR@20: {max_drop: 2%}", "RR@1: {max_drop: 2%}, P@20: 0.01"):
        project.gate(wider)
        project.store()
        project.run("--irbench=tiny").assert_outcomes(passed=3)


def test_different_runs_under_one_name_are_refused(project: Project) -> None:
    project.write(
        "test_search.py",
        IMPORTS
        + """

def test_one(irbench_benchmark, bm25, irbench_baseline):
    assert assert_ndcg_at(irbench_benchmark("tiny").retrieve(bm25), 10) >= irbench_baseline("bm25")


def test_two(irbench_benchmark, irbench_baseline):
    run = irbench_benchmark("tiny").retrieve(lambda topic, k: ["d1"])
    assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25")
""",
    )
    result = project.run(*UPDATE, "test_search.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert project.stored == {}
    assert "  irbench-baselines/tiny.bm25.json: the tests hold different runs against it" in told(result)


def test_a_test_that_failed_stores_nothing(project: Project) -> None:
    tests(
        project,
        'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25"); assert assert_mrr_at(run, 10) > 0.99',
    )
    result = project.run(*UPDATE, "test_search.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert project.stored == {}
    assert "  irbench-baselines/tiny.bm25.json: test_search.py::test_0 failed" in told(result)


def test_a_baseline_that_a_gate_owns_is_not_overwritten_by_a_test_alone(project: Project) -> None:
    project.gate("nDCG@10: {min: 0.5, max_drop: 0.05}, RR: {max_drop: 2%}")
    tests(project, 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25", budget=0.01)')
    project.store()
    before = project.stored
    assert json.loads(before["tiny.bm25.json"])["gates"] == "irbench.yaml"
    project.answer(**WORSE)
    result = project.run(*UPDATE, "test_search.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert project.stored == before
    assert (
        "  irbench-baselines/tiny.bm25.json belongs to a gate of irbench.yaml, which did not run: run it with "
        "these tests"
    ) in told(result)
    # With the gate, the test's measure is among the gate's.
    assert project.run(*UPDATE).ret == pytest.ExitCode.OK
    project.run("--irbench=tiny").assert_outcomes(passed=4)


def test_a_test_is_held_against_the_baseline_of_a_gate(project: Project) -> None:
    project.gate("nDCG@10: {max_drop: 0.05}")
    project.store()
    tests(
        project,
        'assert assert_ndcg_at(run, 3) >= irbench_baseline("bm25")',
        'assert assert_measure(run, "AP") >= irbench_baseline("bm25")',
    )
    # The gate keeps as many documents as it asks for.
    project.run("--irbench=tiny", "test_search.py").assert_outcomes(passed=1, failed=1)


def test_other_judgments_are_no_hindrance(python: Project) -> None:
    python.write("qrels.txt", "31_1 0 d1 0\n31_1 0 q 2\n007 0 1e5 3\n1e5 0 d3 2\n")
    python.run("--irbench=tiny").assert_outcomes(passed=1)
    python.answer(q31_1=["d1", "x", "q"])
    result = python.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "the qrels changed since: the baseline's run was scored again with them" in said(result)


def test_the_folder_is_the_nearest_one_up_to_the_root(project: Project) -> None:
    held = 'assert assert_ndcg_at(run, 10) >= irbench_baseline("bm25")'
    tests(project, held)
    project.write("unit/deep/test_search.py", (project.path / "test_search.py").read_text())
    (project.path / "test_search.py").unlink()
    project.write("pytest.ini", "[pytest]\n")
    # There is none: the root's.
    result = project.run(*UPDATE, "unit")
    assert told(result) == "irbench-baselines/tiny.bm25.json: new"
    (project.path / "unit" / "irbench-baselines").mkdir()
    result = project.run(*UPDATE, "unit")
    assert told(result) == "unit/irbench-baselines/tiny.bm25.json: new"
    result = project.run(*UPDATE, "unit", "--irbench-baselines=other")
    assert told(result) == "other/tiny.bm25.json: new"
    project.answer(**WORSE)
    project.run("--irbench=tiny", "unit").assert_outcomes(failed=1)


def test_the_fixture_is_there_without_a_selection(project: Project) -> None:
    project.write("test_own.py", "def test_own(irbench_baseline): pass\n")
    project.run("test_own.py").assert_outcomes(passed=1)


def test_workers_hold_tests_against_the_same_baseline(python: Project) -> None:
    python.answer(**WORSE)
    result = python.spawn("--irbench=tiny", "-n2")
    result.assert_outcomes(failed=1)
    assert "nDCG@10 dropped by 0.0935" in said(result)
