"""`--irbench-report`: written once, whole, with all that the session found."""

from __future__ import annotations

import json
import os
import re
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from small_project import BENCHMARKS, Project, said

HELD = "nDCG@10: {min: 0.5, max_drop: 0.05}, RR: {max_drop: 2%}"
WORSE = {"q31_1": ["q", "d1"]}


SCHEMA = json.loads(
    (resources.files("pytest_irbench.reports") / "report.schema.json").read_text(encoding="utf-8")
)


def reported(project: Project, name: str = "report.json") -> dict[str, Any]:
    """What the JSON report says; it fits its schema."""
    report: dict[str, Any] = json.loads((project.path / name).read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMA).validate(report)
    return report


def outcomes(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Test and outcome of each threshold."""
    return [(row["nodeid"], row["outcome"]) for gate in report["gates"] for row in gate["thresholds"]]


@pytest.fixture
def held(project: Project) -> Project:
    """A project whose gate has a baseline."""
    project.gate(HELD)
    project.store()
    return project


def test_every_threshold_is_told_with_its_numbers(held: Project) -> None:
    held.answer(**WORSE)
    held.run("--irbench=tiny", "--irbench-report=report.json")
    report = reported(held)
    assert (report["outcome"], report["selection"], report["finished"]) == ("failed", ["tiny"], True)
    (gate,) = report["gates"]
    assert (gate["file"], gate["benchmark"], gate["system"], gate["outcome"]) == (
        "irbench.yaml",
        "tiny",
        "bm25",
        "failed",
    )
    floor, drop, rank = gate["thresholds"]
    assert [row["outcome"] for row in (floor, drop, rank)] == ["passed", "failed", "failed"]
    assert drop["sentence"] == "nDCG@10 dropped by 0.0935, more than max_drop 0.05: 0.7035, baseline 0.7970"
    assert drop["explanation"].startswith(drop["sentence"])
    assert drop["explanation"].endswith("irbench.yaml:4: nDCG@10 max_drop")
    assert drop["change"] == pytest.approx(-0.0935, abs=1e-4)
    # A floor knows what became of its value, too.
    assert floor["change"] == drop["change"]


def test_every_query_is_there_with_both_rankings(held: Project) -> None:
    held.answer(**WORSE)
    held.run("--irbench=tiny", "--irbench-report=report.json")
    (gate,) = reported(held)["gates"]
    assert [query["query_id"] for query in gate["queries"]] == ["31_1", "007", "1e5"]
    moved = gate["queries"][0]
    assert moved["text"] == "what is throat cancer"
    assert [doc["doc_id"] for doc in moved["top"]] == ["q", "d1"]
    assert moved["top_before"][0] == {"doc_id": "d1", "grade": 2, "elsewhere": 2}


def test_a_gate_that_was_not_measured_is_there_with_its_error(project: Project) -> None:
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}gates:\n  - {{benchmark: tiny, system: [gone, bm25], thresholds: {{RR: 0.5}}}}\n",
    )
    project.run("--irbench=tiny", "--irbench-report=report.json")
    gone, bm25 = reported(project)["gates"]
    assert (gone["outcome"], bm25["outcome"]) == ("error", "passed")
    (row,) = gone["thresholds"]
    assert "there is no fixture 'gone'" in row["sentence"]
    assert row["value"] is None
    assert gone["queries"] == []


def test_other_tests_that_failed_are_named(project: Project) -> None:
    project.write("test_more.py", "def test_more():\n    assert 1 == 2, 'one is not two'\n")
    project.write("test_broken.py", "import nothing_of_this_name\n")
    project.run("--irbench=tiny", "--irbench-report=report.json", "--continue-on-collection-errors")
    report = reported(project)
    said_by = {failure["nodeid"]: failure for failure in report["failures"]}
    assert said_by["test_more.py::test_more"]["message"] == "AssertionError: one is not two"
    assert "nothing_of_this_name" in said_by["test_broken.py"]["message"]
    assert [gate["outcome"] for gate in report["gates"]] == ["passed"]
    assert report["outcome"] == "failed"


def test_a_hole_in_the_ledger_is_a_problem_of_the_session(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def leaving():
        pytest.skip("not today")
    """)
    project.gate("RR: 0.5", system="leaving")
    project.run("--irbench=tiny", "--irbench-report=report.json")
    report = reported(project)
    assert report["outcome"] == "failed"
    assert report["problems"] == ["1 selected threshold has no verdict: irbench.yaml::leaving[tiny-RR-min]"]
    assert (report["gates"][0]["outcome"], report["gates"][0]["thresholds"][0]["outcome"]) == (
        "error",
        "skipped",
    )


def test_what_was_not_run_is_told_as_such(project: Project) -> None:
    project.gate("nDCG@10: 0.9, RR: 0.5")
    project.run("--irbench=tiny", "-x", "--irbench-report=report.json")
    report = reported(project)
    assert outcomes(report) == [
        ("irbench.yaml::bm25[tiny-nDCG@10-min]", "failed"),
        ("irbench.yaml::bm25[tiny-RR-min]", "not run"),
    ]
    assert "ended without its verdict" in report["gates"][0]["thresholds"][1]["sentence"]


def test_several_reports_are_written_and_named(project: Project) -> None:
    result = project.run(
        "--irbench=tiny", "--irbench-report=out/deep/report.json", "--irbench-report=report.md"
    )
    result.stdout.fnmatch_lines(
        ["irbench: report written to out/deep/report.json", "irbench: report written to report.md"]
    )
    assert (project.path / "report.md").stat().st_size
    assert reported(project, "out/deep/report.json")["outcome"] == "passed"
    assert [path.name for path in project.path.glob("out/deep/*")] == ["report.json"]


def test_markdown_does_not_hang_on_the_width_of_the_terminal(
    held: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.answer(**WORSE)
    texts = []
    for columns in ("80", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        held.run("--irbench=tiny", "--irbench-report=report.md")
        text = (held.path / "report.md").read_text(encoding="utf-8")
        # The last line has the time.
        texts.append(re.sub(r"20\d\d-[\d:T+-]+", "", text))
    assert texts[0] == texts[1]
    assert "nDCG@10" in texts[0]


def test_an_older_report_is_replaced(project: Project) -> None:
    project.write("report.json", "old")
    project.run("--irbench=tiny", "--irbench-report=report.json")
    assert reported(project)["outcome"] == "passed"


def test_a_report_that_cannot_be_written_fails_the_session(project: Project) -> None:
    project.write("file", "no folder")
    result = project.run("--irbench=tiny", "--irbench-report=file/report.json")
    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["irbench: file/report.json: the report can't be written: *"])


def test_reports_tell_of_one_that_cannot_be_written(project: Project) -> None:
    project.write("file", "no folder")
    result = project.run(
        "--irbench=tiny",
        "--irbench-report=before.json",
        "--irbench-report=file/report.json",
        "--irbench-report=after.json",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert said(result).count("report written to") == 2
    for name in ("before.json", "after.json"):
        report = reported(project, name)
        assert (report["outcome"], report["gates"][0]["outcome"]) == ("failed", "passed")
        (problem,) = report["problems"]
        assert problem.startswith("file/report.json: the report can't be written: ")


def test_a_fault_of_one_report_hides_neither_the_verdicts_nor_the_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(report: object) -> str:
        raise TypeError("no such thing")

    monkeypatch.setattr("pytest_irbench.reports.page.html.html", broken)
    result = project.run("--irbench=tiny", "--irbench-report=report.html", "--irbench-report=report.json")
    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "tiny · bm25: 3 queries*",
            "irbench: report.html: the report can't be written: TypeError: no such thing (a fault of *",
        ]
    )
    assert reported(project)["outcome"] == "failed"
    assert not (project.path / "report.html").exists()


@pytest.mark.parametrize("options", [(), ("--irbench-report=report.json",)], ids=["terminal", "reports"])
def test_a_fault_in_what_reports_show_beside_the_verdicts_costs_none_of_them(
    held: Project, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    def broken(gate: object, **_options: bool) -> None:
        raise TypeError("no such thing")

    monkeypatch.setattr("pytest_irbench.gates.detailed.detail_of", broken)
    result = held.run("--irbench=tiny", *options)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "tiny · bm25: 3 queries*",
            "irbench: tiny · bm25: its queries can't be shown: TypeError: no such thing (a fault of *",
        ]
    )
    if options:
        report = reported(held)
        assert (len(report["warnings"]), report["gates"][0]["outcome"]) == (1, "passed")


def test_where_all_tests_were_deselected_nothing_was_interrupted(project: Project) -> None:
    result = project.run("--irbench=tiny", "--irbench-report=report.json", "-k", "nothing")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    report = reported(project)
    assert (report["outcome"], report["finished"], report["gates"]) == ("failed", True, [])


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--irbench-report=report.pdf", "the ending says what to write: .html, .md, .json"),
        ("--irbench-report=", "--irbench-report= needs the path of a file"),
        ("--irbench-report=folder.json", "--irbench-report=folder.json is a folder: name a file in it"),
        ("--irbench-history=", "--irbench-history= needs the path of a file"),
        ("--irbench-history=folder.json", "--irbench-history=folder.json is a folder: name a file in it"),
    ],
)
def test_a_path_that_cannot_be_meant_stops_before_anything_is_asked(
    project: Project, option: str, sentence: str
) -> None:
    project.path.joinpath("folder.json").mkdir()
    result = project.run("--irbench=tiny", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert sentence in said(result)
    assert project.calls == []


@pytest.mark.parametrize("option", ["--irbench-report", "--irbench-history"])
def test_a_device_is_not_replaced_by_a_report(project: Project, option: str) -> None:
    """A pipe stands for it: a history of zeros without an end would be read until nothing is left."""
    os.mkfifo(project.path / "pipe")
    project.path.joinpath("link.json").symlink_to("pipe")
    result = project.run("--irbench=tiny", f"{option}=link.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{option}=link.json is a device or a pipe: name a file" in said(result)
    assert project.path.joinpath("pipe").is_fifo()
    assert project.calls == []


def test_a_path_that_cannot_be_looked_at_is_told_once_it_is_written(project: Project) -> None:
    result = project.run(
        "--irbench=tiny", f"--irbench-report={'x' * 300}.json", "--irbench-report=report.json"
    )
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["irbench: xxx*: the report can't be written: File name too long*"])


@pytest.mark.parametrize("option", ["--irbench-report=report.json", "--irbench-history=h.jsonl"])
def test_a_report_of_nothing_is_refused(project: Project, option: str) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.run(option, "test_ok.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{option.partition('=')[0]} needs --irbench=NAMES or a file of gates" in said(result)


def test_a_file_of_gates_that_is_named_is_enough(project: Project) -> None:
    project.run("irbench.yaml", "--irbench-report=report.json")
    assert reported(project)["outcome"] == "passed"


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan"])
def test_where_nothing_is_measured_nothing_is_written(project: Project, option: str) -> None:
    project.run("--irbench=tiny", "--irbench-report=report.json", "--irbench-history=h.jsonl", option)
    assert not (project.path / "report.json").exists()
    assert not (project.path / "h.jsonl").exists()


def test_without_the_terminal_plugin_reports_are_written_too(project: Project) -> None:
    project.spawn("--irbench=tiny", "--irbench-report=report.json", "-p", "no:terminal")
    assert reported(project)["outcome"] == "passed"


# With xdist


@pytest.mark.parametrize("workers", ["-n1", "-n2", "-n4"])
def test_the_controller_writes_what_one_process_would(held: Project, workers: str) -> None:
    held.answer(**WORSE)
    held.run("--irbench=tiny", "--irbench-report=alone.json")
    held.spawn("--irbench=tiny", "--irbench-report=spread.json", workers)
    alone, spread = reported(held, "alone.json"), reported(held, "spread.json")
    for report in (alone, spread):
        del report["created"]
    assert alone == spread
    assert len(alone["gates"][0]["queries"]) == 3


def test_a_worker_that_dies_leaves_a_whole_report(held: Project) -> None:
    held.write(
        "conftest.py",
        (held.path / "conftest.py").read_text(encoding="utf-8")
        + """
import os

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    if "RR" in item.name:
        os._exit(3)
""",
    )
    result = held.spawn("--irbench=tiny", "--irbench-report=report.json", "-n2")
    assert result.ret != 0
    report = reported(held)
    assert report["outcome"] == "failed"
    assert sorted(outcome for _, outcome in outcomes(report)) == ["error", "passed", "passed"]
    (gate,) = report["gates"]
    dead = gate["thresholds"][2]
    assert dead["subject"] == "RR(rel=2)"
    assert "crashed while running 'irbench.yaml::bm25[tiny-RR-max_drop]'" in dead["sentence"]
    assert len(gate["queries"]) == 3
    assert report["failures"] == []


def test_values_survive_when_every_worker_that_measured_them_dies(held: Project) -> None:
    held.write(
        "conftest.py",
        (held.path / "conftest.py").read_text(encoding="utf-8")
        + """
import os

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    os._exit(3)
""",
    )
    held.spawn("--irbench=tiny", "--irbench-report=report.json", "-n1")
    report = reported(held)
    assert (report["outcome"], report["gates"][0]["outcome"]) == ("failed", "error")
    assert {outcome for _, outcome in outcomes(report)} == {"error"}
    assert len(report["gates"][0]["queries"]) == 3


DYING = """
import os

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_{phase}(item):
    if "{name}" in item.name:
        os._exit(3)
"""


@pytest.mark.parametrize("phase", ["setup", "call"])
def test_thresholds_are_told_where_every_worker_dies(held: Project, phase: str) -> None:
    held.fixtures(DYING.format(phase=phase, name="nDCG"))
    result = held.spawn("--irbench=tiny", "--irbench-report=report.json", "-n1", "--max-worker-restart=0")
    report = reported(held)
    assert [outcome for _, outcome in outcomes(report)] == ["error", "not run", "not run"]
    assert "crashed while running" in report["gates"][0]["thresholds"][0]["sentence"]
    assert report["failures"] == []
    result.stdout.fnmatch_lines(["*max_drop 0.05*not run*"])


def test_a_worker_that_dies_after_the_verdict_is_told(held: Project) -> None:
    held.fixtures(DYING.format(phase="teardown", name="RR"))
    held.spawn("--irbench=tiny", "--irbench-report=report.json", "-n2")
    report = reported(held)
    assert (report["outcome"], report["gates"][0]["outcome"]) == ("failed", "passed")
    (failure,) = report["failures"]
    assert "crashed while running 'irbench.yaml::bm25[tiny-RR-max_drop]'" in failure["message"]


def test_a_session_that_others_fail_at_its_end_is_not_told_as_green(project: Project) -> None:
    project.fixtures("""
    def pytest_sessionfinish(session):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    """)
    result = project.run("--irbench=tiny", "--irbench-report=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert reported(project)["outcome"] == "failed"


def test_a_fixture_that_fails_later_hides_no_verdict(held: Project) -> None:
    held.answer(**WORSE)
    held.fixtures("""
    @pytest.fixture(autouse=True)
    def falling():
        yield
        raise OSError("no connection to close")
    """)
    held.run("--irbench=tiny", "--irbench-report=report.json")
    report = reported(held)
    assert [outcome for _, outcome in outcomes(report)] == ["error", "failed", "failed"]
    drop = report["gates"][0]["thresholds"][1]
    assert drop["sentence"].startswith("nDCG@10 dropped by 0.0935")
    assert report["gates"][0]["outcome"] == "failed"


def test_what_is_repeated_counts_as_it_comes_out_last(project: Project) -> None:
    """As pytest-rerunfailures does it: an attempt that is repeated is logged as ``rerun``."""
    project.fixtures("""
    from _pytest.runner import runtestprotocol

    def pytest_runtest_protocol(item, nextitem):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if any(report.failed for report in reports):
            for report in reports:
                report.outcome = "rerun" if report.failed else report.outcome
                item.ihook.pytest_runtest_logreport(report=report)
            item._initrequest()
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        return True
    """)
    project.write(
        "test_own.py",
        """
        from pytest_irbench import assert_ndcg_at

        limits = [0.1, 0.9]

        def test_own(irbench_benchmark, bm25):
            run = irbench_benchmark("tiny").retrieve(bm25, depth=10)
            assert_ndcg_at(run, 10) >= limits.pop()
        """,
    )
    result = project.run("--irbench=tiny", "--irbench-report=report.json")
    assert result.ret == 0
    report = reported(project)
    assert [gate["outcome"] for gate in report["gates"]] == ["passed", "passed"]
    assert [row["threshold"] for row in report["gates"][1]["thresholds"]] == [">= 0.1"]


def test_all_faults_of_a_file_of_gates_are_told(project: Project) -> None:
    gate = "{benchmark: dl20-passage, system: bm25, thresholds: {nDGC@10: 0.1}, x: 1}"
    project.write("broken.irbench.yaml", f"gates: [{gate}]\n")
    project.run("--irbench=tiny", "--irbench-report=report.json", "--continue-on-collection-errors")
    (failure,) = reported(project)["failures"]
    assert failure["nodeid"] == "broken.irbench.yaml"
    assert "unknown key 'x'" in failure["message"]
    assert "unknown measure 'nDGC@10'" in failure["message"]


def test_one_file_under_two_names_is_one_report(project: Project) -> None:
    result = project.run("--irbench=tiny", "--irbench-report=r.json", "--irbench-report=./r.json")
    assert said(result).count("report written to") == 1


def test_an_update_that_was_refused_is_a_problem_of_the_session(project: Project) -> None:
    project.gate(HELD)
    project.run("--irbench=tiny", "-k", "nDCG", "--irbench-update=why", "--irbench-report=report.json")
    report = reported(project)
    assert report["outcome"] == "failed"
    assert report["problems"][0].startswith("no baseline was written: tiny, bm25: only 2 of its 3 thresholds")


def test_a_gate_that_notices_nothing_is_a_problem_of_the_session(project: Project) -> None:
    project.gate("NumRet: {min: 1}, RR: {max: 0.99}")
    project.run("--irbench=tiny", "--irbench-prove", "--irbench-report=report.json")
    report = reported(project)
    assert (report["outcome"], report["gates"][0]["outcome"]) == ("failed", "passed")
    assert report["problems"] == ["tiny, bm25: its thresholds notice no broken run"]


def test_a_proof_of_nothing_is_a_problem_of_the_session(project: Project) -> None:
    project.write("irbench.yaml", BENCHMARKS)
    project.write("test_it.py", "def test_it(irbench_benchmark): irbench_benchmark('tiny')\n")
    project.run("--irbench=tiny", "--irbench-prove", "--irbench-report=report.json")
    report = reported(project)
    assert (report["outcome"], report["problems"]) == ("failed", ["nothing was proved: no gate was measured"])


def test_a_benchmark_on_which_nothing_was_measured_is_a_problem_of_the_session(project: Project) -> None:
    project.write("irbench.yaml", BENCHMARKS + "  other: {topics: topics.tsv, qrels: qrels.txt}\n")
    project.write("test_it.py", "def test_it(irbench_benchmark): irbench_benchmark('tiny')\n")
    project.run("--irbench=tiny,other", "--irbench-report=report.json")
    report = reported(project)
    assert report["outcome"] == "failed"
    assert report["problems"] == ["nothing was measured on other, which was selected"]
