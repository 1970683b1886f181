"""`assert_ndcg_at(run, 3) >= 0.45` and its siblings."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import re
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from small_project import Project

from pytest_irbench import (
    Benchmark,
    InputError,
    Qrels,
    Run,
    Topic,
    Topics,
    assert_map_at,
    assert_measure,
    assert_mrr_at,
    assert_ncg_at,
    assert_ndcg_at,
    assert_precision_at,
    assert_recall_at,
)

RUN = {"31_1": {"d1": 2.0, "q": 1.0}, "007": {"x": 2.0, "1e5": 1.0}}
QRELS = {"31_1": {"d1": 2, "d2": 1}, "007": {"1e5": 3}}


def benchmark(level: int = 1) -> Benchmark:
    topics = Topics([Topic("throat cancer", "31_1"), Topic("james bond", "007")])
    return Benchmark("tiny", topics, Qrels.from_mapping(QRELS), level)


@pytest.mark.parametrize(
    ("helper", "cutoff", "value"),
    [
        (assert_ndcg_at, 10, (2 / (2 + 1 / math.log2(3)) + 1 / math.log2(3)) / 2),
        (assert_ndcg_at, 1, 0.5),
        (assert_map_at, 10, (0.5 + 0.5) / 2),
        (assert_mrr_at, 10, (1 + 0.5) / 2),
        (assert_mrr_at, 1, 0.5),
        (assert_recall_at, 10, (0.5 + 1) / 2),
        (assert_precision_at, 2, (0.5 + 0.5) / 2),
        (assert_precision_at, 10, (0.1 + 0.1) / 2),
        (assert_ncg_at, 1, 0.5),
        (assert_ncg_at, 10, (2 / 3 + 1) / 2),
    ],
)
def test_each_helper_measures_at_its_cutoff(helper: Callable[..., Any], cutoff: int, value: float) -> None:
    assert helper(RUN, cutoff, qrels=QRELS) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("holds", "limit", "outcome"),
    [
        (operator.ge, 0.5, True), (operator.ge, 0.75, True), (operator.ge, 0.76, False),
        (operator.gt, 0.5, True), (operator.gt, 0.75, False), (operator.gt, 0.76, False),
        (operator.le, 0.5, False), (operator.le, 0.75, True), (operator.le, 0.76, True),
        (operator.lt, 0.5, False), (operator.lt, 0.75, False), (operator.lt, 0.76, True),
        (operator.ge, 1, False), (operator.lt, 1, True), (operator.gt, 0, True), (operator.le, 0, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True], ids=["value first", "limit first"])
def test_a_false_comparison_raises_either_way_round(
    holds: Callable[[Any, Any], bool], limit: float, outcome: bool, turned: bool
) -> None:
    mirrored = {
        operator.ge: operator.le,
        operator.gt: operator.lt,
        operator.le: operator.ge,
        operator.lt: operator.gt,
    }
    value = assert_mrr_at(RUN, 10, qrels=QRELS)
    compare = (lambda: mirrored[holds](limit, value)) if turned else (lambda: holds(value, limit))
    if outcome:
        assert compare() is True
    else:
        with pytest.raises(AssertionError, match=r"^RR@10 = 0\.7500, not "):
            compare()
    assert value.compared


def test_a_value_may_stand_between_two_limits() -> None:
    assert 0.7 <= assert_mrr_at(RUN, 10, qrels=QRELS) <= 0.8
    with pytest.raises(AssertionError, match="not <= 0.7400"):
        0.7 <= assert_mrr_at(RUN, 10, qrels=QRELS) <= 0.74


def test_two_values_compared_with_each_other_are_both_compared() -> None:
    better, worse = assert_mrr_at(RUN, 10, qrels=QRELS), assert_mrr_at(RUN, 1, qrels=QRELS)
    assert better >= worse
    assert better.compared
    assert worse.compared


@pytest.mark.parametrize("compare", [operator.ge, operator.gt, operator.le, operator.lt])
def test_nan_as_a_limit_never_holds(compare: Callable[[Any, Any], bool]) -> None:
    with pytest.raises(AssertionError, match="nan"):
        compare(assert_mrr_at(RUN, 10, qrels=QRELS), math.nan)


def test_the_value_is_a_float() -> None:
    value = assert_mrr_at(RUN, 10, qrels=QRELS)
    assert isinstance(value, float)
    assert f"{value:.2f}" == "0.75"
    assert value + 0.25 == 1.0
    assert value == 0.75
    assert value != 0.5
    assert hash(value) == hash(0.75)
    assert {value: 1}[0.75] == 1


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.array])
def test_a_limit_of_numpy_is_compared_either_way_round(kind: Callable[[float], Any]) -> None:
    assert kind(0.5) <= assert_mrr_at(RUN, 10, qrels=QRELS)
    with pytest.raises(AssertionError, match="not >= 1"):
        kind(1.0) <= assert_mrr_at(RUN, 10, qrels=QRELS)
    with pytest.raises(AssertionError, match="not >= 1"):
        assert_mrr_at(RUN, 10, qrels=QRELS) >= kind(1.0)


def test_a_copy_is_a_plain_float() -> None:
    value = assert_mrr_at(RUN, 10, qrels=QRELS)
    for copied in (copy.copy(value), copy.deepcopy([value])[0], pickle.loads(pickle.dumps(value))):
        assert type(copied) is float
        assert value == copied


def test_any_measure_goes_by_its_text() -> None:
    assert assert_measure(RUN, "RR(rel=3)@10", qrels=QRELS) == pytest.approx(0.25)
    assert assert_measure(RUN, "Judged@2", qrels=QRELS) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "qrels", [QRELS, Qrels.from_mapping(QRELS), benchmark()], ids=["mapping", "Qrels", "Benchmark"]
)
def test_a_plain_run_takes_qrels_of_any_kind(qrels: Any) -> None:
    assert assert_mrr_at(RUN, 10, qrels=qrels) >= 0.75


def test_a_run_knows_its_benchmark() -> None:
    run = benchmark().retrieve(lambda topic, k: RUN[topic.query_id], depth=10)
    assert assert_mrr_at(run, 10) >= 0.75


def test_a_bare_binary_measure_is_at_the_level_of_the_benchmark() -> None:
    run = benchmark(level=3).retrieve(lambda topic, k: RUN[topic.query_id], depth=10)
    with pytest.raises(
        AssertionError, match=r"^RR\(rel=3\)@10 = 0\.2500, not >= 0\.7500 \(short by 0\.5000\)"
    ):
        assert_mrr_at(run, 10) >= 0.75
    assert assert_mrr_at(RUN, 10, qrels=benchmark(level=3)) == 0.25
    assert assert_measure(run, "RR(rel=1)@10") == 0.75


def test_given_qrels_win_over_the_benchmark_of_the_run() -> None:
    run = benchmark(level=3).retrieve(lambda topic, k: RUN[topic.query_id], depth=10)
    assert assert_mrr_at(run, 10, qrels={"31_1": {"q": 1}}) == 0.5


def test_the_explanation_has_the_queries_with_text_and_grades() -> None:
    run = benchmark().retrieve(lambda topic, k: RUN[topic.query_id], depth=10, name="search")
    with pytest.raises(AssertionError) as caught:
        assert_ndcg_at(run, 10) >= 0.9
    assert str(caught.value) == textwrap.dedent("""\
        nDCG@10 = 0.6956, not >= 0.9000 (short by 0.2044)
          benchmark tiny, system search: mean over 2 judged queries
          at most 2 documents returned for a query, fewer than the cutoff
          2 of 4 documents in the top 10 are unjudged

          lowest queries:
          query_id    nDCG@10    text
          007         0.6309     james bond
              1. x  unjudged
              2. 1e5  grade 3
          31_1        0.7602     throat cancer
              1. d1  grade 2
              2. q  unjudged
              better: d2 grade 1 not returned""")


def test_the_explanation_has_the_texts_of_the_benchmark_given_as_qrels() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_ndcg_at(RUN, 10, qrels=benchmark()) >= 0.9
    assert "  benchmark tiny, system run: mean over 2 judged queries\n" in str(caught.value)
    assert "007         0.6309     james bond\n" in str(caught.value)


def test_a_path_is_no_run() -> None:
    told = re.escape("not str: read it with read_run('run.trec')")
    with pytest.raises(InputError, match=rf"^a run is a Run or .*, {told}$"):
        assert_ndcg_at("run.trec", 3, qrels=QRELS)  # type: ignore[arg-type]


def test_a_run_without_a_benchmark_needs_qrels() -> None:
    with pytest.raises(
        InputError, match=r"^assert_ndcg_at\(run, 3\): this run belongs to no benchmark: pass qrels=$"
    ):
        assert_ndcg_at(RUN, 3)
    with pytest.raises(InputError, match="pass qrels="):
        assert_ndcg_at(Run.from_mapping(RUN), 3)


def test_a_run_of_other_queries_is_an_error_not_zero() -> None:
    with pytest.raises(InputError, match="no results for any judged query"):
        assert_ndcg_at({"other": {"d1": 1.0}}, 3, qrels=QRELS)


@pytest.mark.parametrize(("measure", "told"), [("nDGC@10", "did you mean 'nDCG@10'"), ("P@0", "P@0")])
def test_an_unknown_measure_is_an_error(measure: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        assert_measure(RUN, measure, qrels=QRELS)


def test_a_cutoff_of_zero_is_an_error() -> None:
    with pytest.raises(InputError):
        assert_ndcg_at(RUN, 0, qrels=QRELS)


# In a project.

HEAD = """\
import pytest
from pytest_irbench import assert_ndcg_at, assert_mrr_at

RUN = {"q1": {"d1": 1.0}}
QRELS = {"q1": {"d1": 1}}

"""


@pytest.mark.parametrize(
    ("body", "outcomes"),
    [
        ("def test_it(): assert_ndcg_at(RUN, 3, qrels=QRELS)", {"failed": 1}),
        ("def test_it(): assert assert_ndcg_at(RUN, 3, qrels=QRELS)", {"failed": 1}),
        ("def test_it(): assert float(assert_ndcg_at(RUN, 3, qrels=QRELS)) > 0.5", {"failed": 1}),
        ("def test_it(): print(assert_ndcg_at(RUN, 3, qrels=QRELS))", {"failed": 1}),
        ("def test_it(): assert_ndcg_at(RUN, 3, qrels=QRELS) >= 0.5", {"passed": 1}),
        ("def test_it(): 0.5 <= assert_ndcg_at(RUN, 3, qrels=QRELS)", {"passed": 1}),
        ("def test_it(): assert assert_ndcg_at(RUN, 3, qrels=QRELS) == pytest.approx(1)", {"passed": 1}),
        ("def test_it(): assert assert_ndcg_at(RUN, 3, qrels=QRELS) != 0.5", {"passed": 1}),
        (
            "def test_it(): assert assert_ndcg_at(RUN, 3, qrels=QRELS) >= assert_mrr_at(RUN, 3, qrels=QRELS)",
            {"passed": 1},
        ),
        (
            (
                "@pytest.fixture\ndef value(): return assert_ndcg_at(RUN, 3, qrels=QRELS)\n"
                "def test_it(value): pass"
            ),
            {"failed": 1},
        ),
        (
            (
                "@pytest.fixture\ndef value(): return assert_ndcg_at(RUN, 3, qrels=QRELS)\n"
                "def test_it(value): assert value >= 0.5"
            ),
            {"passed": 1},
        ),
        (
            "class TestIt:\n    def test_it(self): assert_ndcg_at(RUN, 3, qrels=QRELS)",
            {"failed": 1},
        ),
        (
            (
                "import unittest\nclass TestIt(unittest.TestCase):\n"
                "    def test_it(self): assert_ndcg_at(RUN, 3, qrels=QRELS)"
            ),
            {"failed": 1},
        ),
        ("def test_it():\n    assert_ndcg_at(RUN, 3, qrels=QRELS)\n    pytest.skip('later')", {"skipped": 1}),
    ],
)
def test_a_value_that_was_never_compared_fails_its_test(
    project: Project, body: str, outcomes: dict[str, int]
) -> None:
    project.write("test_it.py", HEAD + body)
    result = project.run("test_it.py")
    result.assert_outcomes(**outcomes)
    message = "assert_ndcg_at(run, 3) was never compared: write assert_ndcg_at(run, 3) >= 0.5, for instance"
    assert (message in result.stdout.str()) == ("failed" in outcomes)


def test_a_test_that_failed_already_keeps_its_own_failure(project: Project) -> None:
    project.write(
        "test_it.py",
        HEAD + "def test_it():\n    assert_ndcg_at(RUN, 3, qrels=QRELS)\n    raise OSError('mine')\n",
    )
    text = project.run("test_it.py").stdout.str()
    assert "OSError: mine" in text
    assert "never compared" not in text


def test_values_of_a_failed_test_are_not_held_against_the_next(project: Project) -> None:
    project.write(
        "test_it.py",
        HEAD
        + "def test_one():\n    assert_ndcg_at(RUN, 3, qrels=QRELS)\n    assert 0\ndef test_two(): pass\n",
    )
    project.run("test_it.py").assert_outcomes(failed=1, passed=1)


def test_every_value_never_compared_is_named(project: Project) -> None:
    project.write(
        "test_it.py",
        HEAD
        + "def test_it():\n    assert_ndcg_at(RUN, 3, qrels=QRELS)\n    assert_mrr_at(RUN, 5, qrels=QRELS)\n",
    )
    text = project.run("test_it.py").stdout.str()
    assert "assert_ndcg_at(run, 3) was never compared" in text
    assert "assert_mrr_at(run, 5) was never compared" in text


def test_the_traceback_ends_in_the_users_own_line(project: Project) -> None:
    project.write("test_it.py", HEAD + "def test_it():\n    assert_ndcg_at(RUN, 3, qrels=QRELS) >= 1.5\n")
    text = project.run("test_it.py").stdout.str()
    assert ">       assert_ndcg_at(RUN, 3, qrels=QRELS) >= 1.5" in text
    assert "E       AssertionError: nDCG@3 = 1.0000, not >= 1.5000 (short by 0.5000)" in text
    assert "\ntest_it.py:8: AssertionError" in text
    assert "assertions.py" not in text


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("assert_ndcg_at(RUN, 3)", "assert_ndcg_at(run, 3): this run belongs to no benchmark: pass qrels="),
        (
            "assert_ndcg_at({'other': {'d1': 1.0}}, 3, qrels=QRELS)",
            "run run has no results for any judged query",
        ),
        ("assert_ndcg_at({'q1': {'d1': 'high'}}, 3, qrels=QRELS)", "'high'"),
        ("assert_mrr_at(RUN, 0, qrels=QRELS)", "RR@0"),
    ],
)
def test_the_traceback_of_bad_input_ends_in_the_users_own_line(
    project: Project, call: str, told: str
) -> None:
    project.write("test_it.py", HEAD + f"def test_it():\n    {call} >= 0.5\n")
    result = project.run("test_it.py")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert f">       {call} >= 0.5" in text
    assert re.search(rf"^E +pytest_irbench\.errors\.InputError: .*{re.escape(told)}", text, re.MULTILINE)
    assert "\ntest_it.py:8: InputError" in text
    assert not re.search(r"^(?!E ).*\.py:\d+: ?$", text, re.MULTILINE), "frames of the plugin"
    assert "assertions.py" not in text
    assert "evaluate.py" not in text


def test_the_helpers_work_without_the_plugin(project: Project) -> None:
    project.write(
        "test_it.py",
        HEAD + "def test_good(): assert_ndcg_at(RUN, 3, qrels=QRELS) >= 0.5\n"
        "def test_bad(): assert_ndcg_at(RUN, 3, qrels=QRELS) >= 1.5\n",
    )
    result = project.spawn("-p", "no:irbench", "test_it.py")
    result.assert_outcomes(passed=1, failed=1)
    assert "nDCG@3 = 1.0000, not >= 1.5000 (short by 0.5000)" in result.stdout.str()
