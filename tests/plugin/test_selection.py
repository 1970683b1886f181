"""Which gates run."""

from __future__ import annotations

import re

import pytest
from small_project import BENCHMARKS, Project, said

USAGE_ERROR = pytest.ExitCode.USAGE_ERROR

TWO_BENCHMARKS = """\
benchmarks:
  tiny: {topics: topics.tsv, qrels: qrels.txt, relevance_level: 2}
  other: {topics: topics.tsv, qrels: qrels.txt}
gates:
  - {benchmark: [tiny, other], system: bm25, thresholds: {nDCG@10: 0.75, RR: 0.5}}
"""


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_a_declared_benchmark_is_selected_by_its_name(project: Project) -> None:
    project.write("irbench.yaml", TWO_BENCHMARKS)
    result = project.run("--irbench=other", "--co", "-q")
    assert collected(result) == [
        "irbench.yaml::bm25[other-nDCG@10-min]",
        "irbench.yaml::bm25[other-RR-min]",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--irbench=tiny,other"],
        ["--irbench= tiny , other "],
        ["--irbench=tiny", "--irbench=other"],
        ["--irbench=tiny,tiny", "--irbench=other,tiny"],
        ["--irbench=all"],
        ["--irbench=all,tiny"],
    ],
    ids=["commas", "blanks", "given twice", "repeated", "all", "all and one"],
)
def test_several_names_select_each_gate_once(project: Project, arguments: list[str]) -> None:
    project.write("irbench.yaml", TWO_BENCHMARKS)
    result = project.run(*arguments, "--co", "-q")
    assert len(collected(result)) == 4


@pytest.mark.parametrize(
    ("selected", "benchmarks"),
    [
        ("dl20", ["dl20-passage", "dl20-doc"]),
        ("dl19", ["dl19-passage", "dl19-doc"]),
        ("cast", ["cast19", "cast21"]),
        ("dl20-doc", ["dl20-doc"]),
        ("dl20,cast21", ["dl20-passage", "dl20-doc", "cast21"]),
    ],
)
def test_a_family_selects_its_members(project: Project, selected: str, benchmarks: list[str]) -> None:
    project.write(
        "irbench.yaml",
        "gates:\n  - {benchmark: [dl20, dl19, cast], system: bm25, thresholds: {nDCG@10: 0.1}}\n",
    )
    result = project.run(f"--irbench={selected}", "--co", "-q")
    found = [line.partition("[")[2].removesuffix("-nDCG@10-min]") for line in collected(result)]
    assert sorted(found) == sorted(benchmarks)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dl2O", "did you mean 'dl20'?"),
        ("tyny", "did you mean 'tiny'?"),
        ("msmarco", "known are"),
        ("tiny,tyny", "did you mean 'tiny'?"),
    ],
)
def test_an_unknown_name_is_a_usage_error_with_the_nearest_name(
    project: Project, name: str, message: str
) -> None:
    result = project.run(f"--irbench={name}")
    assert result.ret == USAGE_ERROR
    assert message in said(result)
    assert "pytest --irbench-list" in said(result)
    assert "Traceback" not in said(result)


def test_an_unlike_name_gets_the_list_of_all_known_ones(project: Project) -> None:
    text = said(project.run("--irbench=qqqqqq"))
    for name in ("cast19", "cast21", "dl19-doc", "dl19-passage", "dl20-doc", "dl20-passage", "dl20", "tiny"):
        assert name in text


def test_an_unknown_name_stays_a_usage_error_under_xdist(project: Project) -> None:
    result = project.spawn("--irbench=tyny", "-n2")
    assert result.ret == USAGE_ERROR
    assert "did you mean 'tiny'?" in said(result)


def test_the_option_without_equals_is_a_usage_error(project: Project) -> None:
    result = project.run("--irbench", "tiny")
    assert result.ret == USAGE_ERROR
    assert "--irbench=" in said(result)
    assert "equals sign" in said(result)


def test_the_option_without_equals_does_not_swallow_a_path(project: Project) -> None:
    result = project.run("--irbench", "irbench.yaml")
    assert result.ret == USAGE_ERROR
    assert "--irbench=NAMES" in said(result)


@pytest.mark.parametrize("value", ["", ",", "tiny,", " "])
def test_an_empty_name_is_a_usage_error(project: Project, value: str) -> None:
    result = project.run(f"--irbench={value}")
    assert result.ret == USAGE_ERROR
    assert "needs the name of a benchmark" in said(result)


def test_the_selection_may_stand_in_the_ini_file(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\naddopts = --irbench=tiny\n")
    project.run().assert_outcomes(passed=4)


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["alone", "xdist"])
def test_without_a_selection_nothing_runs_and_one_line_says_so(project: Project, workers: list[str]) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.spawn(*workers)
    result.assert_outcomes(passed=1)
    lines = [line for line in result.outlines if line.startswith("irbench:")]
    assert lines == ["irbench: 4 thresholds in irbench.yaml not run; run with --irbench=all"]
    assert project.calls == []


def test_naming_another_file_neither_reads_nor_counts_the_gates_beside_it(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    project.write("irbench.yaml", "gates: [")
    for argument in ("test_ok.py", "test_ok.py::test_ok"):
        result = project.run(argument)
        result.assert_outcomes(passed=1)
        assert "irbench: " not in result.stdout.str()


def test_one_threshold_left_out_is_counted_in_the_singular(project: Project) -> None:
    project.gate("nDCG@10: 0.75")
    assert "irbench: 1 threshold in irbench.yaml not run" in project.run().stdout.str()


def test_a_project_with_gates_only_and_no_selection_collects_nothing(project: Project) -> None:
    assert project.run().ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_faulty_file_is_left_out_without_a_selection_and_named(project: Project) -> None:
    project.write("irbench.yaml", "gates: [")
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.run()
    result.assert_outcomes(passed=1)
    assert "a file with faults in irbench.yaml not run" in result.stdout.str()


@pytest.mark.parametrize(
    ("argument", "passed"),
    [
        ("irbench.yaml", 4),
        ("./irbench.yaml", 4),
        ("irbench.yaml::bm25", 4),
        ("irbench.yaml::bm25[tiny-AP-max]", 1),
    ],
)
def test_what_is_named_on_the_command_line_runs_without_a_selection(
    project: Project, argument: str, passed: int
) -> None:
    result = project.run(argument)
    result.assert_outcomes(passed=passed)
    assert "not run" not in result.stdout.str()


def test_a_file_named_by_its_absolute_path_runs(project: Project) -> None:
    project.run(str(project.path / "irbench.yaml")).assert_outcomes(passed=4)


def test_a_selection_restricts_a_named_file_too(project: Project) -> None:
    project.write("irbench.yaml", TWO_BENCHMARKS)
    project.run("irbench.yaml", "--irbench=other").assert_outcomes(passed=2)


def test_only_the_named_one_of_two_files_runs(project: Project) -> None:
    project.write("second.irbench.yaml", TWO_BENCHMARKS)
    result = project.run("second.irbench.yaml")
    result.assert_outcomes(passed=4)


def test_names_of_files_with_gates_are_an_ini_option(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nirbench_files = quality/*.yaml gates-*.yml\n")
    project.write("gates-a.yml", TWO_BENCHMARKS)
    result = project.run("--irbench=all", "--co", "-q")
    assert {line.partition("::")[0] for line in collected(result)} == {"gates-a.yml"}


@pytest.mark.parametrize("name", ["irbench.yaml", "irbench.yml", "shop.irbench.yaml"])
def test_files_with_gates_are_found_by_name(project: Project, name: str) -> None:
    (project.path / "irbench.yaml").unlink()
    project.write(name, TWO_BENCHMARKS)
    project.run("--irbench=all").assert_outcomes(passed=4)


def test_a_benchmark_declared_in_a_sub_folder_can_be_selected(project: Project) -> None:
    project.write("pkg/quality/topics.tsv", "q1\tone\n")
    project.write("pkg/quality/qrels.txt", "q1 0 d1 1\n")
    project.write("pkg/quality/run.txt", "q1 Q0 d1 1 1 x\n")
    project.write(
        "pkg/quality/irbench.yaml",
        """\
        benchmarks: {deep: {topics: topics.tsv, qrels: qrels.txt}}
        systems: {saved: {run: run.txt}}
        gates: [{benchmark: deep, system: saved, thresholds: {nDCG@10: 0.9}}]
        """,
    )
    result = project.run("--irbench=deep")
    result.assert_outcomes(passed=1)


def test_a_benchmark_declared_above_is_known_in_a_sub_folder(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("pytest.ini", "[pytest]\n")
    project.write("irbench.yaml", BENCHMARKS)
    project.write("sub/test_own.py", "def test_own(irbench): assert irbench.name == 'tiny'\n")
    monkeypatch.chdir(project.path / "sub")
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_the_header_names_what_is_selected_and_where_its_data_lies(project: Project) -> None:
    text = project.run("--irbench=tiny").stdout.str()
    assert re.search(
        r"(?m)^irbench \d+\.\d+\.\d+: tiny; data home .*; scored as trec_eval -c \(equal scores", text
    )
    assert "trec_eval" not in project.run("--irbench=tiny", "--no-header", "-q").stdout.str().split("===")[0]
