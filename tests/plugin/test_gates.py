"""Thresholds as tests."""

from __future__ import annotations

import re

import pytest
from small_project import BENCHMARKS, RUN, Project, said


def test_thresholds_that_hold_pass(project: Project) -> None:
    result = project.run("--irbench=tiny", "-v")
    result.assert_outcomes(passed=4)
    assert result.ret == 0


@pytest.mark.parametrize(
    ("threshold", "outcome"),
    [
        ("nDCG@10: 0.79", "passed"),
        ("nDCG@10: 0.80", "failed"),
        ("nDCG@10: {min: 0.79}", "passed"),
        ("nDCG@10: {max: 0.80}", "passed"),
        ("nDCG@10: {max: 0.79}", "failed"),
        ("P(rel=1)@1: {min: 0.1, max: 0.7}", "both pass"),
        ("RR: {min: 8e-1}", "passed"),
    ],
)
def test_a_threshold_is_decided_on_the_mean(project: Project, threshold: str, outcome: str) -> None:
    project.gate(threshold)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(**({"passed": 2} if outcome == "both pass" else {outcome: 1}))
    assert result.ret == (outcome == "failed")


def test_a_value_equal_to_its_limit_passes_both_ways(project: Project) -> None:
    project.gate("Success@1: {min: 0.6666666666666666, max: 0.6666666666666666}")
    project.run("--irbench=tiny").assert_outcomes(passed=2)


def test_the_failing_test_is_what_fails_and_its_neighbours_pass(project: Project) -> None:
    project.gate("nDCG@10: 0.9, AP: 0.5, RR: 0.5")
    result = project.run("--irbench=tiny", "-v")
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.re_match_lines([r"irbench.yaml::bm25\[tiny-nDCG@10-min\] FAILED .*"])
    result.stdout.re_match_lines([r"irbench.yaml::bm25\[tiny-AP-min\] PASSED .*"])


def test_lists_of_benchmarks_and_systems_make_a_gate_of_every_pair(project: Project) -> None:
    project.write(
        "irbench.yaml",
        """\
        benchmarks:
          tiny: {topics: topics.tsv, qrels: qrels.txt}
          other: {topics: topics.tsv, qrels: qrels.txt}
        systems:
          saved: {run: "{benchmark}.txt"}
        gates:
          - {benchmark: [tiny, other], system: [bm25, saved], thresholds: {RR: 0.5}}
        """,
    )
    project.write("tiny.txt", RUN)
    project.write("other.txt", RUN)
    result = project.run("--irbench=all", "-v")
    result.assert_outcomes(passed=4)
    for name in ("bm25[tiny-RR-min]", "bm25[other-RR-min]", "saved[tiny-RR-min]", "saved[other-RR-min]"):
        assert f"irbench.yaml::{name} PASSED" in result.stdout.str()


def test_a_bare_binary_measure_is_at_the_level_of_the_benchmark(project: Project) -> None:
    project.gate("AP: {max: 0.1}, AP(rel=1): {max: 0.1}")
    text = project.run("--irbench=tiny").stdout.str()
    assert "AP(rel=2) = 0.8333, above max 0.1000" in text
    assert "AP(rel=1) = 0.6667, above max 0.1000" in text


def test_files_with_gates_in_two_folders_run_side_by_side(project: Project) -> None:
    for folder in ("one", "two"):
        project.write(f"{folder}/topics.tsv", "q1\tone\n")
        project.write(f"{folder}/qrels.txt", "q1 0 d1 1\n")
        project.write(f"{folder}/run.txt", f"q1 Q0 {'d1' if folder == 'one' else 'd2'} 1 1 x\n")
        project.write(
            f"{folder}/irbench.yaml",
            """\
            benchmarks: {same: {topics: topics.tsv, qrels: qrels.txt}}
            systems: {saved: {run: run.txt}}
            gates: [{benchmark: same, system: saved, thresholds: {RR: 0.5}}]
            """,
        )
    result = project.run("--irbench=same", "-v")
    result.assert_outcomes(passed=1, failed=1)
    assert "one/irbench.yaml::saved[same-RR-min] PASSED" in result.stdout.str()
    assert "two/irbench.yaml::saved[same-RR-min] FAILED" in result.stdout.str()
    assert "two/irbench.yaml:3: RR min" in result.stdout.str()


def test_paths_are_relative_to_the_yaml_file_not_to_where_pytest_starts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("elsewhere/keep.txt", "")
    project.gate("RR: 0.5", system="saved", systems="saved: {run: out/run.txt}")
    project.write("out/run.txt", RUN)
    monkeypatch.chdir(project.path / "elsewhere")
    project.run("--irbench=tiny", "..").assert_outcomes(passed=1)


def test_a_run_with_thousands_of_unjudged_documents_is_only_cut_by_the_measure(project: Project) -> None:
    rows = "".join(f"{q} Q0 x{i} 1 {9000 - i} t\n" for q in ("31_1", "007", "1e5") for i in range(2000))
    project.gate("RR: 0.1, NumRet: 100", system="saved", systems="saved: {run: run.txt}")
    project.write("run.txt", rows + "31_1 Q0 d1 1 9999 t\n")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2)
    assert re.search(r"^NumRet +6001  min 100 +3\.3%  passed ", result.stdout.str(), re.MULTILINE)


@pytest.mark.parametrize("faulty", ["thresholds: {nDGC@10: 0.5}", "thresholds: {}", "threshold: {RR: 0.5}"])
def test_a_faulty_file_is_a_collection_error_with_its_place(project: Project, faulty: str) -> None:
    project.write("irbench.yaml", f"{BENCHMARKS}gates:\n  - {{benchmark: tiny, system: bm25, {faulty}}}\n")
    result = project.run("--irbench=all")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    assert "irbench.yaml:4:" in said(result)
    assert "Traceback" not in said(result)


def test_a_name_that_only_a_faulty_file_declares_is_refused_with_the_faults(project: Project) -> None:
    project.gate("nDGC@10: 0.5")
    result = project.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    first, fault = said(result).split("ERROR: ")[1].splitlines()[:2]
    assert first == "--irbench=tiny is not known before these faults are mended:"
    assert fault.endswith("irbench.yaml:4:50: unknown measure 'nDGC@10', did you mean 'nDCG@10'?")
    assert "unknown benchmark" not in said(result)


def test_every_fault_of_a_file_is_told_at_once(project: Project) -> None:
    project.write(
        "irbench.yaml",
        BENCHMARKS
        + "gates:\n  - {benchmark: tny, system: bm25, thresholds: {nDGC@10: 0.5, RR: .nan, P@0: 0.1}}\n",
    )
    text = said(project.run("--irbench=tiny"))
    assert "did you mean 'tiny'?" in text
    assert "did you mean 'nDCG@10'?" in text
    assert "a limit must be a finite number" in text
    assert "P@0" in text
