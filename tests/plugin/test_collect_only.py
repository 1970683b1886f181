"""`--collect-only` asks no system and loads no data (case 63)."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, Project

IDS = [
    "irbench.yaml::bm25[tiny-nDCG@10-min]",
    "irbench.yaml::bm25[tiny-AP-min]",
    "irbench.yaml::bm25[tiny-AP-max]",
    "irbench.yaml::bm25[tiny-RR(rel=1)@10-min]",
]


def listed(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_the_thresholds_are_listed(project: Project) -> None:
    result = project.run("--collect-only", "-q", "--irbench=tiny")
    assert result.ret == 0
    assert listed(result) == IDS


def test_the_tree_shows_module_and_functions(project: Project) -> None:
    result = project.run("--collect-only", "--irbench=tiny")
    result.stdout.fnmatch_lines(["*<GateFile irbench.yaml>*", "*<Function bm25[[]tiny-nDCG@10-min[]]>*"])


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--setup-only"])
def test_where_nothing_is_run_there_is_no_table(project: Project, option: str) -> None:
    for quiet in ((), ("-q",)):
        assert "not run" not in project.run(option, "--irbench=tiny", *quiet).stdout.str()


def test_no_system_is_asked_and_no_file_is_opened(project: Project) -> None:
    for name in ("topics.tsv", "qrels.txt"):
        (project.path / name).unlink()
    result = project.run("--collect-only", "-q", "--irbench=tiny")
    assert (result.ret, listed(result)) == (0, IDS)
    assert project.calls == []


def test_systems_are_neither_imported_nor_read(project: Project) -> None:
    project.write(
        "irbench.yaml",
        f"""{BENCHMARKS}
systems:
  lib: {{search: "no_such_module:search"}}
  saved: {{run: gone.txt}}
gates: [{{benchmark: [tiny, dl20-passage], system: [lib, saved], thresholds: {{nDCG@10: 0.4}}}}]
""",
    )
    result = project.run("--collect-only", "-q", "--irbench=all")
    assert result.ret == 0
    assert len(listed(result)) == 4


def test_no_fixture_is_built(project: Project) -> None:
    project.fixtures("@pytest.fixture(scope='session')\ndef heavy(): raise AssertionError('built')\n")
    project.gate("RR: 0.5", system="heavy")
    assert project.run("--collect-only", "-q", "--irbench=tiny").ret == 0


def test_ir_datasets_is_not_imported(project: Project) -> None:
    project.write("irbench.yaml", "gates: [{benchmark: dl20, system: bm25, thresholds: {nDCG@10: 0.4}}]\n")
    project.fixtures("""
    def pytest_sessionfinish():
        import sys
        assert "ir_datasets" not in sys.modules
    """)
    result = project.spawn("--collect-only", "-q", "--irbench=dl20")
    assert result.ret == 0
    assert len(listed(result)) == 2


def test_a_missing_fixture_is_no_error_yet(project: Project) -> None:
    project.gate("RR: 0.5", system="gone")
    assert listed(project.run("--collect-only", "-q", "--irbench=tiny")) == [
        "irbench.yaml::gone[tiny-RR-min]"
    ]


def test_a_faulty_file_is_an_error_already(project: Project) -> None:
    project.write(
        "irbench.yaml", "gates: [{benchmark: dl20-doc, system: bm25, thresholds: {nDGC@10: 0.4}}]\n"
    )
    result = project.run("--collect-only", "-q", "--irbench=dl20")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "did you mean 'nDCG@10'?" in result.stdout.str()


def test_without_a_selection_nothing_is_listed_but_counted(project: Project) -> None:
    result = project.run("--collect-only", "-q")
    assert listed(result) == []
    assert "irbench: 4 thresholds in irbench.yaml not run" in result.stdout.str()
