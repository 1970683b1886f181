"""YAML that is not ours is left alone (case 55)."""

from __future__ import annotations

import pytest
from small_project import Project, said

OTHERS = {
    "tests/broken.yaml": "a: [\n",
    "tests/docker-compose.yml": "services: {db: {image: postgres}}\n",
    "tests/test_settings.yaml": "!!python/object:os.system {}\n",
    "tests/irbench.yaml.bak": "a: [\n",
    "tests/my_irbench.yaml": "a: [\n",
    "tests/gates.yaml": "gates: [\n",
}


@pytest.fixture
def others(project: Project) -> Project:
    for name, text in OTHERS.items():
        project.write(name, text)
    project.write("tests/test_ok.py", "def test_ok(): pass\n")
    return project


@pytest.mark.parametrize("arguments", [(), ("--irbench=tiny",), ("--irbench=all",)])
def test_only_files_of_our_own_names_are_collected(others: Project, arguments: tuple[str, ...]) -> None:
    result = others.run("-W", "error", *arguments)
    result.assert_outcomes(passed=5 if arguments else 1)
    assert "warning" not in said(result)


def test_files_of_others_are_not_even_opened(others: Project) -> None:
    for name in OTHERS:
        path = others.path / name
        path.unlink()
        path.symlink_to(others.path / "nowhere")
    others.run("--irbench=tiny").assert_outcomes(passed=5)


def test_a_file_of_others_named_as_an_argument_gets_pytests_own_error(others: Project) -> None:
    result = others.run("tests/broken.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: " in said(result)
    assert "broken.yaml" in said(result)
    assert "Traceback" not in said(result)


def test_a_folder_that_pytest_does_not_enter_declares_nothing(project: Project) -> None:
    project.write("node_modules/pkg/irbench.yaml", "benchmarks: {theirs: {topics: t.tsv, qrels: q.txt}}\n")
    project.write(".hidden/irbench.yaml", "benchmarks: {hidden: {topics: t.tsv, qrels: q.txt}}\n")
    for name in ("theirs", "hidden"):
        result = project.run(f"--irbench={name}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
