"""`--irbench-list`."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_project import Project

from pytest_irbench.benchmarks.builtin import BUILTIN


def row(result: pytest.RunResult, name: str) -> str:
    return next(line for line in result.outlines if line.startswith(f"{name} "))


def test_every_benchmark_is_listed_with_judged_count_level_and_measures(project: Project) -> None:
    result = project.run("--irbench-list")
    assert result.ret == 0
    for name, info in BUILTIN.items():
        line = row(result, name)
        assert line.split()[1:3] == [str(info.judged), str(info.relevance_level)]
        assert ", ".join(info.measures) in line
        assert info.description in line


def test_no_test_runs(project: Project) -> None:
    result = project.run("--irbench-list", "--irbench=tiny")
    assert "passed" not in result.stdout.str()
    assert project.calls == []


@pytest.mark.usefixtures("published_home")
def test_data_on_disk_is_told_apart(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = project.spawn("--irbench-list")
    assert all("  on disk" in row(result, name) for name in BUILTIN)
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "empty"))
    result = project.spawn("--irbench-list")
    assert all("  not on disk" in row(result, name) for name in BUILTIN)
    assert f"data home: {tmp_path / 'empty'}" in result.stdout.str()


def test_listing_makes_no_folder(project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "empty"))
    project.run("--irbench-list")
    assert not (tmp_path / "empty").exists()


def test_declared_benchmarks_are_listed_too(project: Project) -> None:
    project.write(
        "irbench.yaml",
        """\
        benchmarks:
          tiny: {topics: topics.tsv, qrels: qrels.txt, measures: [nDCG@3, AP], description: our help desk}
          lost: {topics: gone.tsv, qrels: qrels.txt}
          fact: {ir_datasets: beir/scifact/test}
        """,
    )
    result = project.run("--irbench-list")
    assert row(result, "tiny").split("  ")[-1].strip() == "our help desk"
    assert "nDCG@3, AP" in row(result, "tiny")
    assert "  on disk" in row(result, "tiny")
    assert "  not on disk" in row(result, "lost")
    assert "beir/scifact/test" in row(result, "fact")


def test_judged_topics_of_own_files_are_counted(project: Project) -> None:
    project.add("topics.tsv", "99\tnobody judged this\n")
    project.write("bad.txt", "31_1 0 d1 high\n")
    project.write(
        "irbench.yaml",
        """\
        benchmarks:
          tiny: {topics: topics.tsv, qrels: qrels.txt, relevance_level: 2}
          lost: {topics: gone.tsv, qrels: qrels.txt}
          fault: {topics: topics.tsv, qrels: bad.txt}
        """,
    )
    result = project.run("--irbench-list")
    assert result.ret == 0
    assert row(result, "tiny").split()[1:3] == ["3", "2"]
    assert row(result, "lost").split()[1:3] == ["?", "1"]
    assert row(result, "fault").split()[1:3] == ["?", "1"]


def test_families_are_explained(project: Project) -> None:
    text = project.run("--irbench-list").stdout.str()
    assert (
        "families: cast = cast19, cast21; dl19 = dl19-passage, dl19-doc; dl20 = dl20-passage, dl20-doc"
        in text
    )
    assert "all = every benchmark that a gate names" in text


def test_a_faulty_file_does_not_spoil_the_list(project: Project) -> None:
    project.write("irbench.yaml", "gates: [")
    result = project.run("--irbench-list")
    assert result.ret == 0
    assert "dl20-passage" in result.stdout.str()
