"""Nothing that measured nothing is green."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, RUN, Project, said

GATE = "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: 0.5}}]\n"


def gate_of(system: str, declared: str = "") -> str:
    systems = f"systems: {{{declared}}}\n" if declared else ""
    return f"{BENCHMARKS}{systems}gates: [{{benchmark: tiny, system: {system}, thresholds: {{RR: 0.5}}}}]\n"


@pytest.mark.parametrize(
    ("irbench", "message"),
    [
        (BENCHMARKS, "no gate and no test for it was collected"),
        (BENCHMARKS + "gates: []\n", "gates is a list, one '- benchmark: ...' for each gate"),
        (BENCHMARKS + "gates:\n", "gates is a list"),
        ("", "this file declares nothing: it needs the key gates"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25}]\n", "has no thresholds and could never fail"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {}}]\n", "could never fail"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: {}}}]\n", "could never fail"),
        (BENCHMARKS + "gates: [{benchmark: [], system: bm25, thresholds: {RR: 0.5}}]\n", "empty list"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: [], thresholds: {RR: 0.5}}]\n", "empty list"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {P@0: 0.5}}]\n", "P@0"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: .nan}}]\n", "finite"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: {max: .inf}}}]\n", "finite"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: 0}}]\n", "can never fail"),
        (
            BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: {max: 1}}}]\n",
            "can never fail",
        ),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: null}}]\n", "number"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {RR: yes}}]\n", "number"),
        (BENCHMARKS + "gates: [{benchmark: tiny, system: bm25, thresholds: {R: 0.4}}]\n", "R@"),
        (
            BENCHMARKS + "gates: [{benchmark: tny, system: bm25, thresholds: {RR: 0.4}}]\n",
            "did you mean 'tiny'?",
        ),
        *(
            (gate_of(f"[bm25, {name}]"), f"system name '{name}' means something to pytest")
            for name in ("__init__", "pytestmark", "pytest_generate_tests", "setup_module", "_irbench_scores")
        ),
        (gate_of("bm52"), "there is no fixture 'bm52', did you mean 'bm25'?"),
        (gate_of("xxxxxxxx"), "there is no fixture 'xxxxxxxx': define it in conftest.py"),
        (gate_of("saved", "saved: {run: gone.txt}"), "gone.txt: cannot be read: No such file or directory"),
        (gate_of("saved", "saved: {run: empty.txt}"), "empty.txt: has no results"),
        (gate_of("saved", "saved: {run: others.txt}"), "has no results for any judged query"),
        (gate_of("saved", "saved: {run: nan.txt}"), "nan.txt:1: "),
        (gate_of("saved", 'saved: {search: "no_such_module:x"}'), "No module named 'no_such_module'"),
        (gate_of("saved", 'saved: {search: "json:nope"}'), "json has no 'nope'"),
        (gate_of("silent"), "system 'silent' returned nothing for all 3 topics"),
        (gate_of("nothing"), "which can't be called"),
        (GATE + "benchmarks: {tiny: {topics: gone.tsv, qrels: qrels.txt}}\n", "gone.tsv: cannot be read"),
        (GATE + "benchmarks: {tiny: {topics: topics.tsv, qrels: gone.txt}}\n", "gone.txt: cannot be read"),
        (GATE + "benchmarks: {tiny: {topics: empty.txt, qrels: qrels.txt}}\n", "empty.txt: "),
        (GATE + "benchmarks: {tiny: {topics: topics.tsv, qrels: empty.txt}}\n", "empty.txt: "),
        (GATE + "benchmarks: {tiny: {topics: strange.tsv, qrels: qrels.txt}}\n", "strange.tsv"),
        (GATE + "benchmarks: {tiny: {ir_datasets: no/such/thing}}\n", "no/such/thing"),
    ],
)
def test_an_empty_gate_is_not_green(project: Project, irbench: str, message: str) -> None:
    project.fixtures("""
    @pytest.fixture
    def silent(): return lambda topic, k: []
    @pytest.fixture
    def nothing(): return None
    """)
    project.write("empty.txt", "")
    project.write("others.txt", "other Q0 d1 1 1 x\n")
    project.write("nan.txt", "31_1 Q0 d1 1 nan x\n")
    project.write("strange.tsv", "other\ttext\n")
    project.write("irbench.yaml", irbench)
    result = project.run("--irbench=all")
    assert message in said(result)
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert "passed" not in said(result)
    assert "INTERNALERROR" not in said(result)


@pytest.mark.parametrize("selected", ["dl20", "dl19-doc", "cast", "cast21"])
def test_a_selected_benchmark_without_a_gate_is_an_error(project: Project, selected: str) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.run(f"--irbench={selected}")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        f"ERROR --irbench={selected} - Failed: --irbench={selected}: no gate and no test for it was collected"
        in result.stdout.str()
    )
    assert "declare a gate in one of irbench.yaml, irbench.yml, *.irbench.yaml" in result.stdout.str()


def test_one_selected_benchmark_with_and_one_without_a_gate_is_an_error(project: Project) -> None:
    result = project.run("--irbench=tiny,dl20")
    result.assert_outcomes(passed=4, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_selection_without_any_test_is_an_error_under_xdist(project: Project) -> None:
    result = project.spawn("--irbench=dl20", "-n2")
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_all_without_any_gate_is_an_error(project: Project) -> None:
    (project.path / "irbench.yaml").unlink()
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.run("--irbench=all")
    result.assert_outcomes(passed=1, errors=1)
    assert "--irbench=all: no gate and no test" in result.stdout.str()


def test_gates_in_a_folder_that_was_not_asked_for_do_not_count(project: Project) -> None:
    project.write("sub/test_ok.py", "def test_ok(): pass\n")
    result = project.run("--irbench=tiny", "sub")
    result.assert_outcomes(passed=1, errors=1)
    assert (
        "--irbench=tiny: no gate and no test for it was collected from sub: irbench.yaml has gates for it: "
        "name it on the command line, or add it to testpaths"
    ) in result.stdout.str()


@pytest.mark.parametrize("selected", ["all", "tiny"])
def test_gates_outside_of_testpaths_are_an_error_that_names_their_file(
    project: Project, selected: str
) -> None:
    project.write("pytest.ini", "[pytest]\ntestpaths = tests\n")
    project.write("tests/test_ok.py", "def test_ok(): pass\n")
    result = project.run(f"--irbench={selected}")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        f"--irbench={selected}: no gate and no test for it was collected from tests: irbench.yaml has gates "
        "for it: name it on the command line, or add it to testpaths"
    ) in result.stdout.str()
    project.run(f"--irbench={selected}", "tests", "irbench.yaml").assert_outcomes(passed=5)
    project.write("pytest.ini", "[pytest]\ntestpaths = tests irbench.yaml\n")
    project.run(f"--irbench={selected}").assert_outcomes(passed=5)


def test_a_file_with_gates_for_another_benchmark_is_not_named(project: Project) -> None:
    project.write("sub/test_ok.py", "def test_ok(): pass\n")
    text = project.run("--irbench=dl20", "sub").stdout.str()
    assert "collected from sub: declare a gate in one of irbench.yaml, " in text
    assert "has gates for it" not in text


def test_rerunning_what_failed_elsewhere_is_not_held_against_the_selection(project: Project) -> None:
    project.write("sub/test_bad.py", "def test_bad(): assert 0\n")
    project.run("--irbench=tiny").assert_outcomes(passed=4, failed=1)
    project.run("--irbench=tiny", "--lf").assert_outcomes(failed=1)


def test_a_selection_without_a_gate_stays_an_error_with_last_failed(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    for arguments in (["--irbench=dl20"], ["--irbench=dl20", "--lf"], ["--irbench=dl20", "--lf"]):
        assert project.run(*arguments).ret == pytest.ExitCode.TESTS_FAILED


def test_naming_one_test_by_its_id_does_not_ask_for_the_rest_of_the_selection(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    project.run("--irbench=tiny,dl20", "irbench.yaml::bm25[tiny-AP-max]").assert_outcomes(passed=1)
    project.run("--irbench=all", "test_ok.py::test_ok").assert_outcomes(passed=1)


def test_keywords_do_not_deselect_the_error(project: Project) -> None:
    result = project.run("--irbench=dl20", "-k", "nothing")
    result.assert_outcomes(errors=1)


def test_a_file_that_is_not_there_is_a_usage_error(project: Project) -> None:
    result = project.run("quality/irbench.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "quality/irbench.yaml" in said(result)


def test_deselecting_every_gate_is_not_green(project: Project) -> None:
    assert project.run("--irbench=tiny", "-k", "splade").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_query_without_results_counts_as_zero_and_is_named(project: Project) -> None:
    project.gate("RR: 0.9", system="saved", systems="saved: {run: run.txt}")
    project.write("run.txt", RUN.replace("007 Q0 1e5 1 2 tag\n", "99 Q0 d1 1 2 tag\n"))
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "RR(rel=2) = 0.6667, below min 0.9000" in text
    assert "1 judged query without results, counted as 0: 007" in text
    assert "1 query of the run not judged, left out" in text
    assert "tiny · saved: 3 queries, 1 without results count 0, 1 unjudged left out" in text


def test_a_run_of_strange_ids_says_so_and_fails_a_minimum(project: Project) -> None:
    project.fixtures("@pytest.fixture\ndef other(): return lambda topic, k: ['MARCO_1', 'MARCO_2']\n")
    project.gate("RR: 0.1", system="other")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "none of the returned documents is judged for its query: the run has ids like 'MARCO_" in said(
        result
    )


def test_a_run_of_strange_ids_is_noted_beside_a_maximum_that_passes(project: Project) -> None:
    project.fixtures("@pytest.fixture\ndef other(): return lambda topic, k: ['MARCO_1', 'MARCO_2']\n")
    project.gate("RR: {max: 0.9}, AP: {max: 0.9}", system="other")
    text = project.run("--irbench=tiny").stdout.str()
    assert text.count("none of the returned documents is judged for its query") == 1


def test_a_worker_that_died_with_its_gate_is_a_failure(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def crashing():
        import os
        return lambda topic, k: os._exit(3)
    """)
    project.gate("RR: 0.5, AP: 0.5", system="[crashing, bm25]")
    result = project.spawn("--irbench=tiny", "-n2")
    assert result.ret != 0
    assert "crashed while running 'irbench.yaml::crashing[tiny-RR-min]'" in result.stdout.str()


@pytest.fixture
def two_projects(project: Project) -> Project:
    """Two folders, each with its own pytest.ini and the same gate; what the second returns is worse."""
    project.gate("RR: {min: 0.5, max_drop: 2%}")
    for folder in ("a", "b"):
        for name in ("topics.tsv", "qrels.txt", "conftest.py", "irbench.yaml"):
            project.write(f"{folder}/{name}", (project.path / name).read_text())
        project.write(f"{folder}/pytest.ini", "[pytest]\n")
    (project.path / "irbench.yaml").unlink()
    (project.path / "conftest.py").unlink()
    project.add("a/conftest.py", "\nANSWERS.update({query_id: ['x'] for query_id in ('31_1', '007')})\n")
    return project


def test_two_projects_whose_tests_have_one_id_are_an_error(two_projects: Project) -> None:
    update = two_projects.spawn("--irbench=tiny", "--irbench-update=why", "a", "b")
    assert update.ret == pytest.ExitCode.TESTS_FAILED
    assert "two of the selected thresholds have one id" in said(update)
    assert not list(two_projects.path.glob("*/irbench-baselines"))
    text = said(two_projects.spawn("--irbench=tiny", "a", "b", "-k", "min"))
    assert (
        "\na/irbench.yaml and b/irbench.yaml have tests of one id, such as irbench.yaml::bm25[tiny-RR-min], so that "
        "one verdict would stand for both: run them in two sessions, or with the folder above both as --rootdir\n"
    ) in text


def test_a_root_above_both_tells_two_projects_apart(two_projects: Project) -> None:
    result = two_projects.spawn("--irbench=tiny", "--rootdir=.", "a", "b", "-k", "min")
    result.assert_outcomes(passed=1, failed=1)
    assert "have tests of one id" not in said(result)
