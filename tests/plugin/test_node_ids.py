"""Gates are tests: they are selected, rerun, marked and reported as any other."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from small_project import BENCHMARKS, Project, tables

from pytest_irbench.gates import spec

ODD = """\
      nDCG(dcg='exp-log2')@3: {max: 0.1}
      RR(rel=2)@10: {max: 0.1}
      nDCG(gains={0:0,1:1,2:3})@10: {max: 0.1}
      P(rel=1)@1: {max: 0.1}
"""


def ran(result: pytest.RunResult) -> list[str]:
    """Ids of the tests in a verbose session, in order."""
    return [line.split(" ", 1)[0] for line in result.outlines if "::" in line and "%]" in line]


def failed_ids(result: pytest.RunResult) -> list[str]:
    """Ids as the short summary prints them."""
    lines = [line for line in result.outlines if line.startswith("FAILED ")]
    return [line.removeprefix("FAILED ").partition(" - ")[0] for line in lines]


@pytest.fixture
def odd(project: Project) -> Project:
    """A project whose measures have brackets, quotes and braces, and all fail."""
    project.write(
        "irbench.yaml", f"{BENCHMARKS}gates:\n  - benchmark: tiny\n    system: bm25\n    thresholds:\n{ODD}"
    )
    return project


def test_ids_name_system_benchmark_measure_and_rule_but_not_the_limit(project: Project) -> None:
    before = [line for line in project.run("--irbench=tiny", "--co", "-q").outlines if "::" in line]
    project.write("irbench.yaml", (project.path / "irbench.yaml").read_text().replace("0.75", "0.79"))
    after = [line for line in project.run("--irbench=tiny", "--co", "-q").outlines if "::" in line]
    assert (
        before
        == after
        == [
            "irbench.yaml::bm25[tiny-nDCG@10-min]",
            "irbench.yaml::bm25[tiny-AP-min]",
            "irbench.yaml::bm25[tiny-AP-max]",
            "irbench.yaml::bm25[tiny-RR(rel=1)@10-min]",
        ]
    )


def test_an_id_from_the_summary_runs_exactly_that_test(odd: Project) -> None:
    ids = failed_ids(odd.run("--irbench=tiny"))
    assert len(ids) == 4
    for one in ids:
        result = odd.run(one, "-v")
        result.assert_outcomes(failed=1)
        assert failed_ids(result) == [one]


def test_an_id_survives_the_shell(odd: Project) -> None:
    ids = failed_ids(odd.run("--irbench=tiny"))
    quoted = " ".join(shlex.quote(one) for one in ids[:3])
    command = f"{shlex.quote(sys.executable)} -m pytest -p no:cacheprovider {quoted}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, cwd=odd.path)
    assert "3 failed" in done.stdout


def test_two_ids_run_two_tests(project: Project) -> None:
    result = project.run("irbench.yaml::bm25[tiny-AP-max]", "irbench.yaml::bm25[tiny-AP-min]")
    result.assert_outcomes(passed=2)


def test_an_id_that_does_not_exist_is_a_usage_error(project: Project) -> None:
    assert project.run("irbench.yaml::bm25[tiny-AP@7-min]").ret == pytest.ExitCode.USAGE_ERROR
    assert project.run("irbench.yaml::bm52").ret == pytest.ExitCode.USAGE_ERROR


def test_last_failed_reruns_only_what_failed_and_forgets_what_was_fixed(odd: Project) -> None:
    gates = (odd.path / "irbench.yaml").read_text()
    odd.write("irbench.yaml", f"{gates}      Success@1: {{min: 0.1}}\n")
    odd.run("--irbench=tiny").assert_outcomes(failed=4, passed=1)
    odd.run("--irbench=tiny", "--lf").assert_outcomes(failed=4)
    text = (odd.path / "irbench.yaml").read_text()
    odd.write("irbench.yaml", text.replace("@3: {max: 0.1}", "@3: {max: 0.99}"))
    odd.run("--irbench=tiny", "--lf").assert_outcomes(failed=3, passed=1)
    odd.run("--irbench=tiny", "--lf").assert_outcomes(failed=3)


def test_failed_first_runs_the_failed_ones_before_the_others(project: Project) -> None:
    project.gate("RR: 0.5, AP: 0.99")
    project.run("--irbench=tiny").assert_outcomes(passed=1, failed=1)
    assert ran(project.run("--irbench=tiny", "--ff", "-v")) == [
        "irbench.yaml::bm25[tiny-AP-min]",
        "irbench.yaml::bm25[tiny-RR-min]",
    ]


def test_last_failed_reruns_something_that_could_not_be_measured(project: Project) -> None:
    project.gate("RR: 0.5", system="[bm25, gone]")
    project.run("--irbench=tiny").assert_outcomes(passed=1, errors=1)
    project.run("--irbench=tiny", "--lf").assert_outcomes(errors=1)


def test_stepwise_stops_at_the_first_failure_and_goes_on_from_it(odd: Project) -> None:
    odd.run("--irbench=tiny", "--sw").assert_outcomes(failed=1)
    text = (odd.path / "irbench.yaml").read_text()
    odd.write("irbench.yaml", text.replace("@3: {max: 0.1}", "@3: {max: 0.99}"))
    odd.run("--irbench=tiny", "--sw").assert_outcomes(failed=1, passed=1)


def test_exit_first_stops_and_the_table_has_what_was_decided(odd: Project) -> None:
    result = odd.run("--irbench=tiny", "-x")
    result.assert_outcomes(failed=1)
    assert tables(result).count("failed") == 1


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("bm25 and nDCG", 1),
        ("bm25 and not AP", 2),
        ("AP and max", 1),
        ("tiny", 4),
        ("irbench", 4),
        ("splade", 0),
    ],
)
def test_keywords_are_the_words_of_the_id(project: Project, expression: str, count: int) -> None:
    result = project.run("--irbench=tiny", "-k", expression)
    result.assert_outcomes(passed=count, deselected=4 - count)
    assert (result.ret == pytest.ExitCode.NO_TESTS_COLLECTED) == (count == 0)


def test_marks_that_conftest_adds_select_gates(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nmarkers = precise: about the top\naddopts = --strict-markers\n")
    project.fixtures("""
    def pytest_collection_modifyitems(items):
        for item in items:
            if "nDCG" in item.name:
                item.add_marker(pytest.mark.precise)
    """)
    project.run("--irbench=tiny", "-m", "precise").assert_outcomes(passed=1, deselected=3)
    project.run("--irbench=tiny", "-m", "not precise").assert_outcomes(passed=3, deselected=1)


@pytest.mark.parametrize(
    ("mark", "threshold", "outcomes", "word"),
    [
        ("skip(reason='slow')", "RR: 0.5", {"skipped": 1}, "skipped"),
        ("xfail(reason='known')", "RR: 0.99", {"xfailed": 1}, "xfailed"),
        ("xfail(reason='known')", "RR: 0.5", {"xpassed": 1}, "xpassed"),
        ("xfail(reason='known', strict=True)", "RR: 0.5", {"failed": 1}, "failed"),
    ],
)
def test_marks_that_conftest_adds_show_in_the_table(
    project: Project, mark: str, threshold: str, outcomes: dict[str, int], word: str
) -> None:
    project.gate(threshold)
    project.fixtures(f"""
    def pytest_collection_modifyitems(items):
        items[0].add_marker(pytest.mark.{mark})
    """)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(**outcomes)
    assert re.search(rf" {word} +irbench\.yaml:", tables(result))


def test_a_skipped_gate_asks_no_system(project: Project) -> None:
    project.fixtures("""
    def pytest_collection_modifyitems(items):
        for item in items:
            item.add_marker(pytest.mark.skip)
    """)
    project.run("--irbench=tiny").assert_outcomes(skipped=4)
    assert project.calls == []


@pytest.mark.parametrize(
    "ini",
    [
        "python_functions = check_*",
        "python_files = check_*.py",
        "addopts = --import-mode=importlib",
        "addopts = -p no:cacheprovider",
        "collect_imported_tests = false",
        "testpaths = .",
        "addopts = --strict-markers --strict-config",
        "python_classes = Check",
        "filterwarnings = error",
        "empty_parameter_set_mark = fail_at_collect",
        "xfail_strict = true",
    ],
)
def test_gates_run_whatever_the_ini_file_says(project: Project, ini: str) -> None:
    project.write("pytest.ini", f"[pytest]\n{ini}\n")
    project.run("--irbench=tiny").assert_outcomes(passed=4)


def test_a_file_is_read_once_whatever_the_ini_file_says(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    read_spec = spec.read_spec
    monkeypatch.setattr(spec, "read_spec", lambda path: read.append(path) or read_spec(path))
    project.gate("RR: 0.5", system="[bm25, one, two, three]")
    project.run("irbench.yaml", "--co", "-o", "collect_imported_tests=false")
    assert read == [project.path / "irbench.yaml"]


def test_gates_of_a_folder_in_testpaths_run(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\ntestpaths = quality\n")
    for name in ("irbench.yaml", "topics.tsv", "qrels.txt"):
        project.write(f"quality/{name}", (project.path / name).read_text())
        (project.path / name).unlink()
    result = project.run("--irbench=tiny", "-v")
    result.assert_outcomes(passed=4)
    assert ran(result)[0] == "quality/irbench.yaml::bm25[tiny-nDCG@10-min]"


def test_ids_are_relative_to_rootdir(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("elsewhere/keep.txt", "")
    monkeypatch.chdir(project.path / "elsewhere")
    result = project.run(f"--rootdir={project.path}", "..", "--irbench=tiny", "-v")
    result.assert_outcomes(passed=4)
    assert "irbench.yaml:7" in tables(result)


def test_deselected_gates_stay_out(project: Project) -> None:
    result = project.run("--irbench=tiny", "--deselect", "irbench.yaml::bm25[tiny-AP-max]")
    result.assert_outcomes(passed=3, deselected=1)


def test_an_ignored_file_is_not_collected(project: Project) -> None:
    result = project.run("--irbench=tiny", "--ignore=irbench.yaml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(errors=1)


def test_gates_and_other_tests_run_in_one_session(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(bm25): assert callable(bm25)\n")
    project.run("--irbench=tiny").assert_outcomes(passed=5)


def test_fixtures_of_a_system_show_up_in_the_setup_plan(project: Project) -> None:
    project.run("--irbench=tiny", "--setup-plan").stdout.fnmatch_lines(["*SETUP    S bm25*"])


def test_maxfail_and_durations_work(odd: Project) -> None:
    odd.run("--irbench=tiny", "--maxfail=2", "--durations=2").assert_outcomes(failed=2)


@pytest.mark.parametrize("traceback", ["long", "short", "native", "auto"])
def test_every_traceback_style_shows_no_frame_of_the_plugin(project: Project, traceback: str) -> None:
    project.gate("RR: 0.99")
    text = project.run("--irbench=tiny", f"--tb={traceback}").stdout.str()
    assert "RR(rel=2) = 0.8333, below min 0.9900 (short by 0.1567)" in text
    assert "collect.py" not in text


@pytest.mark.parametrize("doc_id", ["é-ü", "a\\\\b", "a\\nb", "x"])
def test_a_golden_answer_stands_in_the_table_of_its_system_whatever_its_id(
    project: Project, doc_id: str
) -> None:
    rules = f'    queries: {{expect: [{{query_id: 31_1, doc_id: "{doc_id}", within: 3}}]}}\n'
    project.write("irbench.yaml", (project.path / "irbench.yaml").read_text() + rules)
    result = project.run("--irbench=tiny")
    assert [line for line in result.outlines if " · " in line] == ["tiny · bm25: 3 queries"]
