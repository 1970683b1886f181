"""Comparisons of tests in Python, told beside the thresholds of irbench.yaml."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_project import Project

HEAD = """\
import pytest

from pytest_irbench import assert_measure, assert_ndcg_at


@pytest.fixture
def run(irbench_benchmark, bm25):
    return irbench_benchmark("tiny").retrieve(bm25, depth=10)

"""


@pytest.fixture
def python(project: Project) -> Project:
    (project.path / "irbench.yaml").write_text(
        "benchmarks:\n  tiny: {topics: topics.tsv, qrels: qrels.txt, relevance_level: 2}\n", encoding="utf-8"
    )
    return project


def rows(project: Project, test: str, *args: str) -> list[dict[str, Any]]:
    """What the report has of a file of tests."""
    project.write("test_own.py", HEAD + test)
    run = project.spawn if "-n2" in args else project.run
    run("--irbench=tiny", "--irbench-report=report.json", *args)
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    return [row for gate in report["gates"] for row in gate["thresholds"]]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_each_comparison_is_a_row_with_its_line(python: Project, workers: tuple[str, ...]) -> None:
    floor, ceiling = rows(
        python,
        """\
def test_own(run):
    assert_ndcg_at(run, 10) >= 0.5
    assert_measure(run, "RR") <= 0.25
""",
        *workers,
    )
    assert (floor["outcome"], ceiling["outcome"]) == ("passed", "failed")
    assert (floor["benchmark"], floor["system"], floor["measure"]) == ("tiny", "ask", "nDCG@10")
    assert (floor["threshold"], floor["place"]) == (">= 0.5", "test_own.py:11")
    assert floor["value"] == pytest.approx(0.7970, abs=1e-4)
    assert ceiling["sentence"] == "RR(rel=2) = 0.8333, not <= 0.2500 (over by 0.5833)"
    assert "highest queries" in ceiling["explanation"]
    assert ceiling["nodeid"] == "test_own.py::test_own"


def test_a_false_comparison_in_a_test_that_passes_is_no_verdict(python: Project) -> None:
    found = rows(
        python,
        """\
def test_own(run):
    with pytest.raises(AssertionError):
        assert_ndcg_at(run, 10) >= 0.99
    assert_ndcg_at(run, 10) >= 0.5
""",
    )
    assert [(row["threshold"], row["outcome"]) for row in found] == [(">= 0.5", "passed")]


def test_what_is_expected_to_fail_is_told_as_such(python: Project) -> None:
    (found,) = rows(
        python,
        """\
@pytest.mark.xfail(reason="known")
def test_own(run):
    assert_ndcg_at(run, 10) >= 0.99
""",
    )
    assert found["outcome"] == "xfailed"


def test_a_loop_is_one_row_which_is_the_first_that_fails(python: Project) -> None:
    (found,) = rows(
        python,
        """\
def test_own(run):
    for limit in (0.1, 0.2, 0.9):
        assert_ndcg_at(run, 10) >= limit
""",
    )
    assert (found["threshold"], found["outcome"]) == (">= 0.9", "failed")


def test_a_baseline_gives_what_became_of_the_value(python: Project) -> None:
    test = """\
def test_own(run, irbench_baseline):
    assert_ndcg_at(run, 10) >= irbench_baseline("bm25", budget=0.05)
"""
    python.write("test_own.py", HEAD + test)
    python.store()
    python.answer(q31_1=["q", "d1"])
    (found,) = rows(python, test)
    assert (found["threshold"], found["outcome"]) == (">= baseline of bm25 within 0.05", "failed")
    assert found["change"] == pytest.approx(-0.0935, abs=1e-4)
    assert found["worse"] == 1


def test_a_mapping_with_qrels_of_its_own_is_told_too(python: Project) -> None:
    (found,) = rows(
        python,
        """\
def test_own(irbench_benchmark):
    irbench_benchmark("tiny")
    assert_measure({"q": {"d": 1.0}}, "RR", qrels={"q": {"d": 1}}) >= 0.5
""",
    )
    assert (found["benchmark"], found["queries"]) == ("qrels of its own", 1)


def test_a_failed_test_is_named_once(python: Project) -> None:
    rows(
        python,
        "def test_own(run):\n    assert_ndcg_at(run, 10) >= 0.99\n\n\ndef test_bare():\n    assert False\n",
    )
    report = json.loads((python.path / "report.json").read_text(encoding="utf-8"))
    assert [failure["nodeid"] for failure in report["failures"]] == ["test_own.py::test_bare"]


def test_comparisons_of_fixtures_are_those_of_the_test_that_asked_first(python: Project) -> None:
    (found,) = rows(
        python,
        """\
@pytest.fixture(scope="module")
def good(irbench_benchmark, bm25):
    run = irbench_benchmark("tiny").retrieve(bm25, depth=10)
    assert_ndcg_at(run, 10) >= 0.5
    return run

def test_first(good): pass

def test_second(good): pass
""",
    )
    assert (found["nodeid"], found["outcome"]) == ("test_own.py::test_first", "passed")


def test_without_a_selection_nothing_is_kept(python: Project) -> None:
    python.write(
        "test_own.py",
        """\
        from pytest_irbench import assert_measure
        from pytest_irbench.plugin import assertions

        def test_first():
            assert_measure({"q": {"d": 1.0}}, "RR", qrels={"q": {"d": 1}}) >= 0.5

        def test_second():
            assert not assertions.decided
        """,
    )
    python.run("test_own.py").assert_outcomes(passed=2)
