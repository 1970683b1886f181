"""A system is asked each query once a session, however many thresholds and workers there are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from many_topics import falls_over, write_topics
from small_project import BENCHMARKS, Project, said

from pytest_irbench import read_run

TWENTY = ", ".join(f"P@{k}: {{max: 0.99}}" for k in range(2, 22))


@pytest.fixture
def shared(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which sessions make theirs."""
    folder = project.path / "shared"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def of_irbench(folder: Path) -> list[Path]:
    return list(folder.glob("irbench-*"))


# Twenty thresholds, several workers


@pytest.mark.parametrize(("workers", "dist"), [("-n4", "load"), ("-n2", "loadfile"), ("-n2", "worksteal")])
def test_twenty_thresholds_on_several_workers_ask_each_query_once(
    project: Project, shared: Path, workers: str, dist: str
) -> None:
    write_topics(project, 30)
    project.fixtures("""
    import time

    @pytest.fixture(scope="session")
    def counting():
        def search(topic, k):
            time.sleep(0.01)
            return log(topic, k)
        return search
    """)
    project.gate(TWENTY, system="counting")
    result = project.spawn("--irbench=tiny", workers, "--dist", dist, "--irbench-save-runs=saved")
    result.assert_outcomes(passed=20)
    assert project.calls == [f"{number} 21" for number in range(1, 31)]
    assert [path.name for path in (project.path / "saved").iterdir()] == ["tiny.counting.trec.gz"]
    assert not of_irbench(shared)


def test_each_parameter_of_a_fixture_and_each_utterance_is_asked_once(project: Project, shared: Path) -> None:
    project.write(
        "turns.json",
        """[{"number": 1, "turn": [
            {"number": 1, "raw_utterance": "Tell me of it", "manual_rewritten_utterance": "Tell me of FTS5"}]}]""",
    )
    project.write("turns.qrels", "1_1 0 d1 1\n")
    project.fixtures("""
    @pytest.fixture(params=["one", "two"])
    def tuned(request):
        def search(topic, k):
            with (FOLDER / "calls.log").open("a") as calls:
                calls.write(f"{request.param}: {topic}\\n")
            return ["d1"] if request.param == "one" or "FTS5" in topic else ["d2", "d1"]
        return search
    """)
    project.write(
        "irbench.yaml",
        """\
        benchmarks: {chats: {topics: turns.json, qrels: turns.qrels}}
        gates:
          - {benchmark: chats, system: tuned, utterance: [raw, manual], thresholds: {RR: 0.9, P@1: 0.9, AP: 0.1}}
        """,
    )
    result = project.spawn("--irbench=chats", "-n2")
    result.assert_outcomes(passed=10, failed=2)
    asked = [f"{name}: {text}" for name in ("one", "two") for text in ("Tell me of FTS5", "Tell me of it")]
    assert sorted(project.calls) == asked
    for name in ("tuned[one]", "tuned[one]@manual", "tuned[two]", "tuned[two]@manual"):
        assert f"chats · {name}: 1 quer" in said(result)


def test_two_files_of_gates_may_have_other_systems_of_one_name(project: Project) -> None:
    gates = (project.path / "irbench.yaml").read_text(encoding="utf-8")
    project.write(
        "sub/irbench.yaml", gates.replace("topics: ", "topics: ../").replace("qrels: ", "qrels: ../")
    )
    project.write(
        "sub/conftest.py", "import pytest\n@pytest.fixture\ndef bm25(): return lambda topic, k: ['d1']\n"
    )
    project.spawn("--irbench=tiny", "-n2").assert_outcomes(passed=5, failed=3)
    assert len(project.calls) == 3


def test_an_error_is_told_for_every_threshold(project: Project, shared: Path) -> None:
    falls_over(project, "raise OSError('index is closed')")
    project.gate("P@1: 0.1, P@2: 0.1, P@3: 0.1, P@4: 0.1, P@5: 0.1, P@6: 0.1", system="troubled")
    result = project.spawn("--irbench=tiny", "-n2")
    result.assert_outcomes(errors=6)
    told = "Failed: system 'troubled' failed on query '17' (number 17): OSError: index is closed"
    assert sum(line.startswith("ERROR") and line.endswith(told) for line in result.outlines) == 6
    assert len(project.calls) == 17
    assert not of_irbench(shared)


def test_when_a_worker_is_killed_another_takes_over(project: Project, shared: Path) -> None:
    falls_over(
        project,
        """\
        if not (FOLDER / "killed").exists():
            (FOLDER / "killed").touch()
            os.kill(os.getpid(), 9)
        """,
    )
    project.gate("P@1: 1.0, P@2: 0.5, P@4: 0.25, RR: 1.0", system="troubled")
    result = project.spawn("--irbench=tiny", "-n2", "--irbench-save-runs=saved")
    result.assert_outcomes(passed=3, failed=1)
    assert "crashed while running" in said(result)
    assert [call.split()[0] for call in project.calls] == [*map(str, range(1, 18)), *map(str, range(1, 21))]
    (saved,) = (project.path / "saved").iterdir()
    assert read_run(saved).to_mapping() == {f"{n}": {f"d{n}": 1.0} for n in range(1, 21)}
    assert not of_irbench(shared)


@pytest.mark.skipif(os.name != "posix", reason="groups of processes are signalled")
@pytest.mark.parametrize("signalled", [os.killpg, os.kill], ids=["terminal", "controller alone"])
def test_nothing_is_left_of_an_interrupted_session(
    project: Project, shared: Path, signalled: Callable[[int, int], None]
) -> None:
    falls_over(project, "import time; time.sleep(60)")
    project.gate("P@1: 0.1, P@2: 0.1, P@3: 0.1", system="troubled")
    command = [sys.executable, "-m", "pytest", "--irbench=tiny", "-n2", "-p", "no:cacheprovider"]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    quiet: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, start_new_session=True, **quiet) as session:
        wait_until(lambda: len(project.calls) == 17)
        assert of_irbench(shared)
        signalled(session.pid, signal.SIGINT)
        printed, _ = session.communicate(timeout=30)
    assert session.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert not of_irbench(shared)


def wait_until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


# What is retrieved can be kept


def test_runs_are_saved_where_pytest_starts_and_have_the_same_values(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("elsewhere/keep", "")
    monkeypatch.chdir(project.path / "elsewhere")
    project.run("..", "--irbench=tiny", "--irbench-save-runs=a/b").assert_outcomes(passed=4)
    path = project.path / "elsewhere" / "a" / "b" / "tiny.bm25.trec.gz"
    run = read_run(path)
    assert (run.name, len(project.calls)) == ("bm25", 3)
    assert run.to_mapping() == {
        "31_1": {"d1": 2.0, "q": 1.0},
        "007": {"1e5": 2.0, "d7": 1.0},
        "1e5": {"x1": 2.0, "d3": 1.0},
    }
    monkeypatch.chdir(project.path)
    thresholds = "nDCG@10: {min: 0.79703, max: 0.79704}, RR: 0.8333, AP: 0.8333"
    project.gate(thresholds, "saved", 'saved: {run: "elsewhere/a/b/{benchmark}.bm25.trec.gz"}')
    project.run("--irbench=tiny").assert_outcomes(passed=4)


def test_each_time_and_each_parameter_has_a_file_of_its_own(project: Project) -> None:
    project.fixtures("@pytest.fixture(params=['a/b', '..'])\ndef tuned(request): return ask\n")
    gate = "{benchmark: tiny, system: tuned, repeats: 2, thresholds: {RR: 0.5}}"
    project.write("irbench.yaml", f"{BENCHMARKS}gates: [{gate}]\n")
    project.run("--irbench=tiny", "--irbench-save-runs=saved").assert_outcomes(passed=2)
    names = [path.name for path in sorted((project.path / "saved").iterdir())]
    assert names == [
        "tiny.tuned[..].2.trec.gz",
        "tiny.tuned[..].trec.gz",
        "tiny.tuned[a%2Fb].2.trec.gz",
        "tiny.tuned[a%2Fb].trec.gz",
    ]


def test_a_folder_that_can_t_be_made_is_an_error_before_anything_is_asked(project: Project) -> None:
    project.write("file", "in the way")
    result = project.run("--irbench=tiny", "--irbench-save-runs=file/saved")
    result.assert_outcomes(errors=4)
    place = project.path / "file" / "saved" / "tiny.bm25.trec.gz"
    assert f"{place}: the run can't be saved: Not a directory" in said(result)
    assert project.calls == []


def test_a_read_only_folder_is_an_error_before_anything_is_asked(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write everywhere.
    monkeypatch.setattr("os.access", lambda *_args, **_more: False)
    result = project.run("--irbench=tiny", "--irbench-save-runs=saved")
    result.assert_outcomes(errors=4)
    assert "tiny.bm25.trec.gz: the run can't be saved: its folder is read-only" in said(result)
    assert project.calls == []


def test_a_run_that_can_t_be_written_is_an_error(project: Project) -> None:
    (project.path / "saved" / "tiny.bm25.trec.gz").mkdir(parents=True)
    result = project.run("--irbench=tiny", "--irbench-save-runs=saved")
    result.assert_outcomes(errors=4)
    assert "tiny.bm25.trec.gz: the run can't be saved: Is a directory" in said(result)
    assert [path.name for path in (project.path / "saved").iterdir()] == ["tiny.bm25.trec.gz"]


def test_a_folder_without_a_name_is_a_usage_error(project: Project) -> None:
    result = project.run("--irbench=tiny", "--irbench-save-runs=")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-save-runs= needs a folder" in said(result)
    assert project.calls == []


def test_a_system_that_fails_leaves_no_run(project: Project) -> None:
    falls_over(project, "raise OSError('index is closed')")
    project.gate(system="troubled")
    project.run("--irbench=tiny", "--irbench-save-runs=saved").assert_outcomes(errors=1)
    assert not list((project.path / "saved").iterdir())
