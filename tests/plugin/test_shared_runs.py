"""Of the processes of a session one asks a system, and the others take what it was answered."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_irbench.errors import InputError, SystemFailedError
from pytest_irbench.plugin.shared_runs import INPUT, declared_in, make_folder, once, remove_folder
from pytest_irbench.runs.run import Run

SCRIPT = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from pytest_irbench.errors import SystemFailedError
from pytest_irbench.plugin.shared_runs import INPUT, once
from pytest_irbench.runs.run import Run

folder, me, seconds = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])

def ask():
    with (folder.parent / "asked.log").open("a") as log:
        log.write(f"{me}\\n")
    time.sleep(seconds)
    if me == "failing":
        raise SystemFailedError("system 'bm25' failed on query '1' (text): OSError: gone")
    run = Run.from_pairs({"1": [("a", 2.0), ("b", 1.0)]}, "bm25")
    run.latencies = {"1": 12.5}
    return run

try:
    run = once(SimpleNamespace(workerinput={INPUT: str(folder)}), ("tiny", "bm25", 10), ask)
    print(run.name, run.to_mapping(), run.latencies)
except SystemFailedError as error:
    print(error)
"""
ANSWERED = "bm25 {'1': {'a': 2.0, 'b': 1.0}} {'1': 12.5}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shared"


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[[str, float], subprocess.Popen[str]]]:
    """Start a process that wants the same run."""
    started = []

    def start(me: str, seconds: float = 0.0) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(folder), me, str(seconds)],
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def asked(folder: Path) -> list[str]:
    log = folder.parent / "asked.log"
    return log.read_text().split() if log.exists() else []


def wait_until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def worker(folder: Path) -> Any:
    """Stand in for the configuration of an xdist worker."""
    return SimpleNamespace(workerinput={INPUT: str(folder)})


def some_run() -> Run:
    return Run.from_pairs(
        {"31_1": [("d 1", 2.0), ("dé\U0001f600", 0.1 + 0.2)], "007": [("1e5", 1)], "x y": []}
    )


def no_more() -> Run:
    raise AssertionError("asked twice")


def test_of_two_that_race_one_asks(folder: Path, start: Any) -> None:
    processes = [start("one", 0.3), start("two", 0.3)]
    assert [process.communicate()[0].strip() for process in processes] == [ANSWERED, ANSWERED]
    assert len(asked(folder)) == 1


def test_when_the_one_that_asks_is_killed_another_asks_anew(folder: Path, start: Any) -> None:
    killed = start("killed", 600)
    wait_until(lambda: asked(folder))
    waiting = start("waiting")
    killed.kill()
    assert waiting.communicate()[0].strip() == ANSWERED
    assert asked(folder) == ["killed", "waiting"]
    assert once(worker(folder), ("tiny", "bm25", 10), no_more).name == "bm25"


def test_a_file_that_was_half_written_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", die)
        with pytest.raises(SystemExit):
            once(worker(folder), ["key"], some_run)
    assert once(worker(folder), ["key"], some_run).to_mapping() == some_run().to_mapping()


def test_a_failure_is_shared(folder: Path, start: Any) -> None:
    said = "system 'bm25' failed on query '1' (text): OSError: gone"
    assert start("failing").communicate()[0].strip() == said
    assert start("other").communicate()[0].strip() == said
    assert asked(folder) == ["failing"]


def test_the_failure_is_raised_as_it_is_where_it_happened(folder: Path) -> None:
    def fail() -> Run:
        raise InputError("has no automatic utterance", "topics.tsv", 3)

    with pytest.raises(InputError) as here:
        once(worker(folder), ["key"], fail)
    with pytest.raises(SystemFailedError) as there:
        once(worker(folder), ["key"], no_more)
    assert str(here.value) == str(there.value) == "topics.tsv:3: has no automatic utterance"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, pytest.skip.Exception])
def test_what_is_no_failure_of_the_system_is_not_kept(folder: Path, error: type[BaseException]) -> None:
    def break_off() -> Run:
        raise error

    with pytest.raises(error):
        once(worker(folder), ["key"], break_off)
    assert once(worker(folder), ["key"], some_run).to_mapping() == some_run().to_mapping()


def test_every_id_score_and_latency_comes_back(folder: Path) -> None:
    run = some_run()
    run.latencies = {"31_1": 0.1 + 0.2, "x y": 7.0}
    once(worker(folder), ["key"], lambda: run)
    found = once(worker(folder), ["key"], no_more)
    assert list(found.rows()) == list(run.rows())
    assert (found.query_ids, found.latencies, found.name) == (run.query_ids, run.latencies, run.name)


def test_keys_are_the_same_when_all_their_parts_are(folder: Path) -> None:
    keys: list[list[Any]] = [
        ["a", "b"],
        ["a, b"],
        ["a", "b", None],
        ["b", "a"],
        [("a", "b")],
        ["1"],
        [1],
        [""],
        [],
        ["../up/é\U0001f600\udc80\n"],
        [Path("a b")],
        ["x" * 10_000],
    ]
    asked = []
    for key in keys * 2:
        once(worker(folder), key, lambda key=key: asked.append(key) or some_run())
    assert asked == keys
    assert once(worker(folder), ("a", "b"), no_more)
    assert {path.parent for path in folder.parent.rglob("*") if path.is_file()} == {folder}


def test_without_workers_nothing_is_shared() -> None:
    run = some_run()
    for config in (SimpleNamespace(), SimpleNamespace(workerinput={})):
        assert once(config, ["key"], lambda: run) is run


def test_the_folder_is_the_own_one_and_is_removed_with_all_runs() -> None:
    folder = make_folder()
    once(worker(folder), ["key"], some_run)
    if os.name == "posix":
        assert folder.stat().st_mode & 0o777 == 0o700
    remove_folder(folder)
    assert not folder.exists()
    remove_folder(folder)


def test_where_no_worker_came_to_collect_nothing_was_declared(tmp_path: Path) -> None:
    assert declared_in(tmp_path) == {}
