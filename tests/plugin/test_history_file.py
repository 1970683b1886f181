"""The file of the history: lines are added as a whole or not at all, whoever writes meanwhile."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_reports import chat, report

from pytest_irbench.errors import InputError
from pytest_irbench.plugin import history as file_side
from pytest_irbench.plugin.history import append, read
from pytest_irbench.reports.history import History, history_lines

LINES = history_lines(report())
CHAT = ("irbench.yaml", "chat", "fts5@manual")


def test_sessions_are_added_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "by" / "ci" / "history.jsonl"
    append(path, LINES)
    append(path, LINES)
    assert path.read_text() == LINES * 2
    assert len(read(path).trends[CHAT]) == 2


def test_a_file_that_is_not_there_yet_is_an_empty_history(tmp_path: Path) -> None:
    assert read(tmp_path / "history.jsonl") == History({})


def test_a_session_that_measured_nothing_makes_no_file(tmp_path: Path) -> None:
    append(tmp_path / "history.jsonl", "")
    assert list(tmp_path.iterdir()) == []


def test_no_other_file_is_left_beside_it(tmp_path: Path) -> None:
    append(tmp_path / "history.jsonl", LINES)
    assert [path.name for path in tmp_path.iterdir()] == ["history.jsonl"]


@pytest.mark.parametrize("exists", [True, False], ids=["there", "not there yet"])
def test_a_link_is_followed(tmp_path: Path, exists: bool) -> None:
    target, path = tmp_path / "shared" / "history.jsonl", tmp_path / "history.jsonl"
    if exists:
        append(target, LINES)
    path.symlink_to(target)
    append(path, LINES)
    assert path.is_symlink()
    assert target.read_text() == LINES * (2 if exists else 1)


def test_behind_a_line_that_was_cut_short_only_that_line_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    append(path, LINES)
    path.write_bytes(path.read_bytes()[:-20])
    append(path, LINES)
    trends, damaged = read(path)
    assert damaged == ((2, "it is no JSON, or was cut short"),)
    assert len(trends[CHAT]) == 1
    assert sum(map(len, trends.values())) == 3


def test_where_the_disk_is_full_nothing_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file for which there is room for half of the lines."""
    path = tmp_path / "history.jsonl"
    append(path, LINES)

    class Full:
        def __init__(self, file: object) -> None:
            self.file = file

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def write(self, content: bytes) -> int:
            return self.file.write(content[: len(content) // 2])

    add = file_side._add
    monkeypatch.setattr(file_side, "_add", lambda file, content: add(Full(file), content))
    with pytest.raises(InputError) as raised:
        append(path, LINES)
    assert raised.value.path == path
    assert raised.value.message == (
        f"nothing was added to the history: {os.strerror(errno.ENOSPC)}; give another file with --irbench-history"
    )
    assert path.read_text() == LINES


@pytest.mark.parametrize("name", ["", "file/history.jsonl"], ids=["a folder", "below a file"])
def test_what_is_no_file_is_refused_with_the_next_step(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / name
    with pytest.raises(
        InputError, match="nothing was added to the history: .*; give another file with"
    ) as raised:
        append(path, LINES)
    assert raised.value.path == path
    with pytest.raises(InputError, match="the history can't be read: .*; give another file with"):
        read(path)


def test_where_there_are_no_locks_lines_are_added_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    append(tmp_path / "history.jsonl", LINES)
    assert len(read(tmp_path / "history.jsonl").trends) == 2


def test_two_sessions_at_once_leave_every_line_whole(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    times = 200
    code = (
        "import sys; from pathlib import Path; from pytest_irbench.plugin.history import append\n"
        "text = sys.stdin.read()\n"
        f"for _ in range({times}): append(Path(sys.argv[1]), text)"
    )
    # Longer than what is written at once by a pipe or a buffer.
    texts = [
        history_lines(report(*[chat()._replace(system=f"{name}{n}") for n in range(100)])) for name in "ab"
    ]
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, text=True)
        for _ in texts
    ]
    for writer, text in zip(writers, texts, strict=True):
        writer.stdin.write(text)
        writer.stdin.close()
    assert [writer.wait(60) for writer in writers] == [0, 0]
    content = path.read_text()
    assert content.count(texts[0]) == content.count(texts[1]) == times
    assert len(content) == times * sum(map(len, texts))
