"""`--irbench-history`: a line for each gate and session, which reports show as a trend."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_project import BENCHMARKS, RUN, Project, said

WORSE = {"q31_1": ["q", "d1"]}


def lines(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.path / "h.jsonl").read_text(encoding="utf-8").splitlines()]


def trends(project: Project) -> dict[str, list[dict[str, Any]]]:
    """What the report shows of each system."""
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    return {gate["system"]: gate["trend"] for gate in report["gates"]}


def both(project: Project) -> None:
    """Write gates of two systems."""
    project.write("run.txt", RUN)
    gates = "gates:\n  - {benchmark: tiny, system: [bm25, saved], thresholds: {nDCG@10: 0.75, RR: 0.8}}\n"
    project.write("irbench.yaml", f"{BENCHMARKS}systems: {{saved: {{run: run.txt}}}}\n{gates}")


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_each_gate_has_a_line(project: Project, workers: tuple[str, ...]) -> None:
    both(project)
    run = project.spawn if workers else project.run
    result = run("--irbench=tiny", "--irbench-history=h.jsonl", *workers)
    result.stdout.fnmatch_lines(["irbench: 2 gates added to h.jsonl"])
    first, second = lines(project)
    assert (first["benchmark"], first["system"], first["file"]) == ("tiny", "bm25", "irbench.yaml")
    assert first["values"] == {"nDCG@10": pytest.approx(0.7970393), "RR(rel=2)": pytest.approx(5 / 6)}
    assert (second["system"], second["outcome"]) == ("saved", "passed")


def test_the_trend_is_what_earlier_sessions_found(project: Project) -> None:
    options = ("--irbench=tiny", "--irbench-history=h.jsonl", "--irbench-report=report.json")
    project.gate("nDCG@10: 0.75")
    project.run(*options)
    assert trends(project) == {"bm25": []}
    project.answer(**WORSE)
    project.run(*options)
    (point,) = trends(project)["bm25"]
    assert (point["outcome"], point["values"]) == ("passed", {"nDCG@10": pytest.approx(0.7970393)})
    assert [line["outcome"] for line in lines(project)] == ["passed", "failed"]


def test_a_damaged_line_is_left_out_with_a_warning(project: Project) -> None:
    options = ("--irbench=tiny", "--irbench-history=h.jsonl", "--irbench-report=report.json")
    project.run(*options)
    with (project.path / "h.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"version": 1, "time"')
    result = project.run(*options)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["irbench: h.jsonl:2: *left out"])
    assert len(trends(project)["bm25"]) == 1
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert report["warnings"][0].startswith("h.jsonl:2: ")
    # What is added begins on a line of its own.
    project.run(*options)
    assert len(trends(project)["bm25"]) == 2


def test_of_many_damaged_lines_a_few_are_named(project: Project) -> None:
    """A file that is none of a history must not bury the verdicts."""
    project.write("h.jsonl", "no history\n" * 2_000)
    result = project.run("--irbench=tiny", "--irbench-history=h.jsonl", "--irbench-report=report.json")
    assert said(result).count("left out") == 6
    result.stdout.fnmatch_lines(["irbench: h.jsonl: 1,995 more of its lines are left out"])
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert len(report["warnings"]) == 6


def test_a_session_that_was_stopped_adds_nothing(project: Project) -> None:
    project.write("test_stop.py", "def test_stop():\n    raise KeyboardInterrupt\n")
    project.spawn("--irbench=tiny", "--irbench-history=h.jsonl")
    assert not (project.path / "h.jsonl").exists()


def test_a_gate_of_which_nothing_was_measured_adds_nothing(project: Project) -> None:
    project.gate("RR: 0.5", system="gone")
    project.run("--irbench=tiny", "--irbench-history=h.jsonl")
    assert not (project.path / "h.jsonl").exists() or lines(project) == []


def test_a_history_that_cannot_be_written_fails_the_session(project: Project) -> None:
    project.write("file", "no folder")
    result = project.run("--irbench=tiny", "--irbench-history=file/h.jsonl", "--irbench-report=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["irbench: *file/h.jsonl*so this session fails"])
    # Nor does a report tell of a green session.
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert (report["outcome"], len(report["problems"])) == ("failed", 1)
