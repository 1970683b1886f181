"""At the end of a session every selected threshold has one verdict, or the session fails."""

from __future__ import annotations

from typing import Any

import pytest
from small_project import BENCHMARKS, Project

from pytest_irbench.measures.evaluate import Scores, evaluate

SKIPPED = """
@pytest.fixture
def remote():
    pytest.skip("no server here")
"""


def test_a_session_whose_gates_were_all_skipped_fails(project: Project) -> None:
    project.fixtures(SKIPPED)
    project.gate("RR: 0.5", system="remote")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = result.stdout.str()
    assert (
        "1 selected threshold has no verdict, so this session fails: irbench.yaml::remote[tiny-RR-min]"
        in text
    )
    assert "let it run, or leave it out with -k" in text


def test_one_skipped_threshold_among_others_fails_the_session(project: Project) -> None:
    project.fixtures(SKIPPED)
    project.gate("RR: 0.5, AP: 0.5", system="[remote, bm25]")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2, skipped=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "2 selected thresholds have no verdict" in result.stdout.str()


def test_what_was_left_out_on_the_command_line_needs_no_verdict(project: Project) -> None:
    project.fixtures(SKIPPED)
    project.gate("RR: 0.5", system="[remote, bm25]")
    for options in (("-k", "bm25"), ("--deselect", "irbench.yaml::remote[tiny-RR-min]")):
        assert project.run("--irbench=tiny", *options).ret == pytest.ExitCode.OK


def test_workers_tell_what_they_were_to_decide(project: Project) -> None:
    project.fixtures(SKIPPED)
    project.gate("RR: 0.5", system="[remote, bm25]")
    result = project.spawn("--irbench=tiny", "-n2")
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "1 selected threshold has no verdict" in result.stdout.str()
    assert project.spawn("--irbench=tiny", "-n2", "-k", "bm25").ret == pytest.ExitCode.OK


def test_a_threshold_that_a_plugin_swallows_is_missed(project: Project) -> None:
    project.fixtures("""
    def pytest_runtest_protocol(item):
        return True if "AP" in item.name else None
    """)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "2 selected thresholds have no verdict" in result.stdout.str()


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--setup-only"])
def test_a_session_that_decides_nothing_by_intention_does_not_fail(project: Project, option: str) -> None:
    result = project.run("--irbench=tiny", option)
    assert result.ret == pytest.ExitCode.OK
    assert "no verdict" not in result.stdout.str()


def test_a_session_that_stopped_early_is_red_already_and_says_no_more(project: Project) -> None:
    project.gate("nDCG@10: 0.99, RR: 0.5")
    result = project.run("--irbench=tiny", "-x")
    result.assert_outcomes(failed=1)
    assert "no verdict" not in result.stdout.str()


def test_expected_failures_are_verdicts(project: Project) -> None:
    project.gate("RR: 0.99")
    project.fixtures("""
    def pytest_collection_modifyitems(items):
        items[0].add_marker(pytest.mark.xfail(reason="known"))
    """)
    assert project.run("--irbench=tiny").ret == pytest.ExitCode.OK


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "workers"])
def test_an_error_that_was_expected_is_no_verdict(project: Project, workers: tuple[str, ...]) -> None:
    project.gate("RR: {min: 0.5, max_drop: 2%}")
    project.fixtures("""
    def pytest_collection_modifyitems(items):
        items[1].add_marker(pytest.mark.xfail(reason="known"))
    """)
    result = project.spawn("--irbench=tiny", *workers)
    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "1 selected threshold has no verdict" in result.stdout.str()


EVERY_KIND = f"""{BENCHMARKS}gates:
  - benchmark: tiny
    system: [bm25, remote]
    thresholds: {{RR: {{min: 0.5, max_drop: 2%}}}}
    slices: {{james: {{where: 'query_id == "007"', thresholds: {{RR: 0.5}}}}}}
    queries:
      max_drop: {{nDCG@10: 0.2}}
      expect: [{{query_id: "007", doc_id: "☃ 1", absent: true}}]
      xfail: [{{query_id: "1e5", reason: known, below: {{RR: 0.6}}}}]
"""


@pytest.fixture
def every_kind(project: Project) -> Project:
    """Two gates with a threshold of every kind, with their baselines."""
    project.fixtures("""
    @pytest.fixture
    def remote():
        return ask
    """)
    project.write("irbench.yaml", EVERY_KIND)
    project.store()
    project.run("--irbench=tiny").assert_outcomes(passed=10, xfailed=2)
    return project


def test_a_rule_of_any_kind_that_was_skipped_is_missed(every_kind: Project) -> None:
    every_kind.fixtures(SKIPPED)
    result = every_kind.run("--irbench=tiny")
    result.assert_outcomes(passed=5, xfailed=1, skipped=6)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "6 selected thresholds have no verdict" in result.stdout.str()


def test_workers_miss_a_rule_of_any_kind(every_kind: Project) -> None:
    every_kind.fixtures(SKIPPED)
    result = every_kind.spawn("--irbench=tiny", "-n2")
    result.assert_outcomes(passed=5, xfailed=1, skipped=6)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "6 selected thresholds have no verdict" in result.stdout.str()


@pytest.mark.parametrize("kind", ["max_drop", "expect", "xfail", "james"])
def test_a_rule_that_a_plugin_swallows_is_missed(every_kind: Project, kind: str) -> None:
    every_kind.fixtures(f"""
    def pytest_runtest_protocol(item):
        return True if "{kind}" in item.name else None
    """)
    result = every_kind.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert f"{4 if kind == 'max_drop' else 2} selected thresholds have no verdict" in result.stdout.str()


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_value_that_is_no_number_never_passes(
    every_kind: Project, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    real = evaluate

    def spoiled(*args: Any, **options: Any) -> Scores:
        scores = real(*args, **options)
        for column in scores.columns.values():
            column.flags.writeable = True
            column[:] = float(value)
        return scores

    monkeypatch.setattr("pytest_irbench.plugin.measuring.evaluate", spoiled)
    result = every_kind.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    # What only looks at documents is decided as ever: the absent one of each gate.
    assert result.parseoutcomes()["passed"] == 2
    assert f"RR(rel=2) of query '31_1' is {value} in the run: it can't be compared" in result.stdout.str()


@pytest.mark.parametrize("workers", ["", "-n2"])
def test_a_benchmark_that_no_test_asked_for_fails_the_session(project: Project, workers: str) -> None:
    """A test that asks for benchmarks by name may ask for another one."""
    project.write("irbench.yaml", BENCHMARKS + "  other: {topics: topics.tsv, qrels: qrels.txt}\n")
    project.write("test_it.py", "def test_it(irbench_benchmark): irbench_benchmark('tiny')\n")
    result = project.run("--irbench=tiny,other", *workers.split())
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        "irbench: nothing was measured on other, which was selected, so this session fails"
    )
    assert project.run("--irbench=tiny", *workers.split()).ret == pytest.ExitCode.OK
