"""How far a retrieval is: a bar on a terminal, lines in a log, nothing where nobody reads it."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_irbench.plugin import progress as module
from pytest_irbench.plugin.progress import progress

TEST = """
import time
from pytest_irbench.plugin import progress

def test_before(): pass

def test_asks(pytestconfig, monkeypatch):
    monkeypatch.setattr(progress, "_QUIET", {quiet})
    with progress.progress(pytestconfig, "dl20-passage, bm25", 20) as step:
        for number in range(20):
            print(f"system says {{number}}")
            time.sleep(0.01)
            step()

def test_after(): pass
"""


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the command that runs a session with a retrieval in its second test."""
    monkeypatch.chdir(tmp_path)

    def asking(*args: str, quiet: float = 0.05) -> list[str]:
        (tmp_path / "test_it.py").write_text(TEST.format(quiet=quiet), encoding="utf-8")
        options = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest", "--rootdir=."]
        return [sys.executable, "-m", "pytest", *options, *args]

    return asking


def log_of(command: list[str]) -> str:
    """Run it with both streams into one log."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), COLUMNS="80")
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
        env=environment,
    )
    return done.stdout


def terminal_of(command: list[str]) -> str:
    """Run it on a terminal."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), COLUMNS="80", TERM="dumb")
    process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    read = bytearray()
    try:
        while part := os.read(leader, 4096):
            read += part
    except OSError:  # its end on Linux
        pass
    os.close(leader)
    assert process.wait() == 0
    return read.decode().replace("\r\n", "\n")


def test_a_log_has_a_line_for_each_tenth_after_the_quiet_time(asking: Any) -> None:
    log = log_of(asking())
    lines = [line for line in log.splitlines() if line.startswith("irbench: ")]
    line = r"irbench: dl20-passage, bm25: (\d+)%, (\d+) of 20 queries, \d+\.\d per second, \d+ s left"
    told = [re.fullmatch(line, found).groups() for found in lines]  # type: ignore[union-attr]
    assert told[-1] == ("100", "20")
    assert all(5 * int(queries) == int(percent) for percent, queries in told)
    tenths = [int(percent) // 10 for percent, _ in told]
    assert tenths == list(range(tenths[0], 11))


def test_its_lines_are_no_part_of_those_of_pytest(asking: Any) -> None:
    lines = log_of(asking()).splitlines()
    told = [number for number, line in enumerate(lines) if line.startswith("irbench: ")]
    assert lines[told[0] - 1].endswith("test_it.py .")
    assert re.match(r"\.\. +\[100%\]$", lines[told[-1] + 1])
    assert "system says" not in "\n".join(lines)


def test_a_terminal_has_a_bar_that_is_gone_afterwards(asking: Any) -> None:
    shown = terminal_of(asking())
    bars = re.findall(r"\rirbench: dl20-passage, bm25: +(\d+)%\|.{10}\| (\d+)/20 \[", shown)
    assert bars
    assert all(5 * int(queries) == int(percent) for percent, queries in bars)
    before, _, after = shown.rpartition("s]")
    assert re.match(r"\r +\r\.\. +\[100%\]\n", after)
    assert re.search(r"test_it\.py \.\n\rirbench", before)
    assert "system says" not in shown


def test_a_bar_shows_within_the_own_output_of_a_session_that_captures_nothing(asking: Any) -> None:
    shown = terminal_of(asking("-s"))
    assert "system says 19\n" in shown
    assert "| 20/20 [" in shown or "%|" in shown


@pytest.mark.parametrize("run", [log_of, terminal_of], ids=["log", "terminal"])
def test_what_is_over_soon_is_not_worth_a_word(asking: Any, run: Any) -> None:
    assert "irbench: " not in run(asking(quiet=60)).partition("collected")[2]


@pytest.mark.parametrize("run", [log_of, terminal_of], ids=["log", "terminal"])
def test_a_quiet_session_says_nothing(asking: Any, run: Any) -> None:
    shown = run(asking("-q"))
    assert "dl20" not in shown
    assert "3 passed" in shown


def test_a_worker_says_nothing(asking: Any) -> None:
    pytest.importorskip("xdist")
    assert "dl20" not in log_of(asking("-n1"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def config(*, capture: Any = None, verbosity: int = 0, **more: Any) -> Any:
    plugins = SimpleNamespace(getplugin={"capturemanager": capture}.get)
    return SimpleNamespace(pluginmanager=plugins, get_verbosity=lambda: verbosity, **more)


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
@pytest.mark.parametrize(
    ("settings", "says"), [({}, True), ({"verbosity": -1}, False), ({"workerinput": {}}, False)]
)
def test_who_reads_it_decides(
    stream: Any, settings: Any, says: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = stream()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setattr(module, "_QUIET", 0.001)
    with progress(config(**settings), "tiny, bm25", 2) as step:
        for _ in range(2):
            module.time.sleep(0.11)
            step()
    assert ("irbench: tiny, bm25: " in written.getvalue()) is says


def test_a_retrieval_that_fails_leaves_a_clean_line(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setattr(module, "_QUIET", 0.001)
    with pytest.raises(ConnectionError), progress(config(), "tiny, bm25", 2) as step:
        module.time.sleep(0.11)
        step()
        raise ConnectionError
    assert re.search(r"\r +\r$", written.getvalue())
