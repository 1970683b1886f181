"""On GitHub Actions: the summary of the step, and marks at the lines of irbench.yaml."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, Project, said

LOW = "nDCG@10: 0.75, RR: 0.99"


@pytest.fixture
def github(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that is tested by a job, with one red threshold."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    project.gate(LOW)
    return project


def summary(project: Project) -> str:
    return (project.path / "summary.md").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("::")]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_a_red_threshold_is_marked_at_its_line_once(github: Project, workers: tuple[str, ...]) -> None:
    run = github.spawn if workers else github.run
    (command,) = commands(said(run("--irbench=tiny", *workers)))
    assert command.startswith("::error file=irbench.yaml,line=4,title=tiny · bm25%3A RR(rel=2) min 0.9900::")
    assert "::RR(rel=2) = 0.8333, below min 0.9900 (short by 0.1567)%0A" in command
    assert summary(github).count("below min 0.9900") >= 1


def test_the_summary_is_added_to_what_the_step_has_written(github: Project) -> None:
    github.write("summary.md", "before\n")
    github.run("--irbench=tiny")
    assert summary(github).startswith("before\n#")
    assert "nDCG@10" in summary(github)


def test_a_green_session_has_a_summary_and_no_marks(github: Project) -> None:
    github.gate("nDCG@10: 0.5")
    assert commands(said(github.run("--irbench=tiny"))) == []
    assert "passed" in summary(github)


def test_files_are_named_from_the_root_of_the_repository(
    github: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(github.path.parent))
    (command,) = commands(said(github.run("--irbench=tiny")))
    assert command.startswith(f"::error file={github.path.name}/irbench.yaml,line=4,")


def test_a_project_outside_of_the_workspace_keeps_its_names(
    github: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", "/somewhere/else")
    (command,) = commands(said(github.run("--irbench=tiny")))
    assert command.startswith("::error file=irbench.yaml,line=4,")


def test_the_ini_file_may_switch_it_off(github: Project) -> None:
    github.write("pytest.ini", "[pytest]\nirbench_github = off\n")
    assert commands(said(github.run("--irbench=tiny"))) == []
    assert not (github.path / "summary.md").exists()


def test_another_word_in_the_ini_file_is_refused(github: Project) -> None:
    github.write("pytest.ini", "[pytest]\nirbench_github = on\n")
    result = github.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "irbench_github in the ini file is auto or off, not 'on'" in said(result)


def test_a_session_that_guards_nothing_writes_nothing(github: Project) -> None:
    github.write("test_ok.py", "def test_ok(): pass\n")
    github.run("test_ok.py")
    github.run("--irbench=tiny", "--collect-only")
    assert not (github.path / "summary.md").exists()


def test_a_summary_that_cannot_be_written_is_a_warning(
    github: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    github.gate("nDCG@10: 0.5")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(github.path / "gone" / "summary.md"))
    result = github.run("--irbench=tiny")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["irbench: $GITHUB_STEP_SUMMARY can't be written: *"])


def test_a_summary_that_is_begun_is_filled_up_as_far_as_github_takes_it(github: Project) -> None:
    begun = "x" * 1_045_000
    github.write("summary.md", begun)
    github.run("--irbench=tiny", "-k", "nDCG or RR")
    assert summary(github).startswith(f"{begun}##")
    assert len(summary(github).encode()) < 1 << 20
    full = "x" * 1_047_000
    github.write("summary.md", full)
    result = github.run("--irbench=tiny")
    result.stdout.fnmatch_lines(["irbench: $GITHUB_STEP_SUMMARY can't be written: *no room left"])
    assert summary(github) == full


def test_the_summary_alone_needs_only_its_variable(github: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgejo and others read the summary and have commands of their own."""
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert commands(said(github.run("--irbench=tiny"))) == []
    assert "below min 0.9900" in summary(github)


def test_an_id_is_no_command_to_the_runner(github: Project) -> None:
    """It takes lines for commands that begin with two colons, blanks aside, and an older form anywhere."""
    stop = "::stop-commands::x"
    github.write("topics.tsv", f"{stop}\twhat ##[add-mask]passed\n")
    github.write("qrels.txt", f"{stop} 0 {stop} 2\n{stop} 0 d2 1\n")
    github.fixtures(f"ANSWERS[{stop!r}] = [{stop!r}]\n")
    held = "nDCG@10: {max_drop: 0.1}"
    expected = f"queries: {{expect: [{{query_id: '{stop}', doc_id: '{stop}', within: 1}}]}}"
    gate = f"  - {{benchmark: tiny, system: bm25, thresholds: {{{held}}}, {expected}}}\n"
    github.write("irbench.yaml", f"{BENCHMARKS}gates:\n{gate}")
    github.store()
    github.fixtures(f"ANSWERS[{stop!r}] = ['y', 'z', {stop!r}]\n")
    text = said(github.run("--irbench=tiny", "-v"))
    lines = [line.strip() for line in text.splitlines()]
    assert [line for line in lines if line.startswith("::") and not line.startswith("::error file=")] == []
    assert "\\x3a:stop-commands::x" in text
    ours = [line for line in lines if not line.startswith("::error file=")]
    assert [line for line in ours if "##[" in line] == []
    assert len(commands(text)) == 2
