"""Several processes that need the same files, and a publisher that answers."""

from __future__ import annotations

import gzip
import importlib
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from filelock import FileLock

from pytest_irbench.benchmarks import lock
from pytest_irbench.benchmarks.builtin import BUILTIN
from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.benchmarks.fetching import DataFile, ensure
from pytest_irbench.benchmarks.lock import LOCK_NAME, first_load
from pytest_irbench.errors import DataUnavailableError

FILES = {"topics.json": b"[]", "qrels": b"1 0 d 1\n"}

# Each of these processes needs both files; the addresses come from the test.
LOADER = """
import sys
from functools import partial
from pathlib import Path
from ir_datasets.util import Download, RequestsDownload
from pytest_irbench.benchmarks.fetching import DataFile, ensure
home, address, *names = sys.argv[1:]
files = []
for name in names:
    url, path = f"{address}/{name}", Path(home) / "area" / name
    files.append(DataFile(path, url, Download([RequestsDownload(url)], str(path)).path))
ensure("tiny", files, Path(home))
print([file.path.read_bytes() for file in files])
"""


class Publisher(ThreadingHTTPServer):
    """A host on this machine that counts what it is asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.asked: Counter[str] = Counter()
        self.files = dict(FILES)
        self.delay = 0.0

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: Publisher

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.server.asked[name] += 1
        time.sleep(self.server.delay)
        content = self.server.files[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        # Who asked may be gone: some tests kill it meanwhile.
        with suppress(ConnectionError):
            self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def publisher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setenv("NO_PROXY", "*")
    with Publisher() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _start(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_two_processes_at_once_fetch_each_file_once(publisher: Publisher, tmp_path: Path) -> None:
    publisher.delay = 0.8
    home = tmp_path / "home"
    loaders = [_start(LOADER, str(home), publisher.address, *FILES) for _ in range(2)]
    outcomes = [(*loader.communicate(timeout=60), loader.returncode) for loader in loaders]
    assert [code for *_, code in outcomes] == [0, 0], outcomes
    assert {out.strip() for out, *_ in outcomes} == {str([*FILES.values()])}
    assert publisher.asked == dict.fromkeys(FILES, 1)
    told = sorted(line for _, err, _ in outcomes for line in err.splitlines())
    assert told == [
        f"irbench: fetching qrels for tiny from 127.0.0.1 into {home / 'area'}",
        f"irbench: fetching topics.json for tiny from 127.0.0.1 into {home / 'area'}",
        f"irbench: waiting for another process that fetches data into {home}",
    ]


def test_two_processes_at_once_without_a_network_both_fail_in_one_line(tmp_path: Path) -> None:
    loaders = [_start(LOADER, str(tmp_path), "http://nowhere.invalid", "qrels") for _ in range(2)]
    for loader in loaders:
        _, err = loader.communicate(timeout=60)
        assert "DataUnavailableError: tiny: qrels is missing" in err.splitlines()[-1]


def test_a_killed_process_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from pytest_irbench.benchmarks.lock import first_load\n"
        "with first_load(Path(sys.argv[1])): print('has it', flush=True); time.sleep(60)"
    )
    with _start(code, str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "has it\n"
        with pytest.raises(TimeoutError):
            FileLock(tmp_path / LOCK_NAME).acquire(timeout=0)
        holder.kill()
        holder.wait()
        with first_load(tmp_path):
            pass


def test_long_waiting_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "_PATIENCE", 0.02)
    held = threading.Event()

    def hold() -> None:
        with FileLock(tmp_path / LOCK_NAME):
            held.set()
            time.sleep(0.2)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    with first_load(tmp_path):
        holder.join()
    assert capfd.readouterr().err == (
        f"irbench: waiting for another process that fetches data into {tmp_path}\n"
    )


def test_file_system_without_locks_is_used_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: FileLock, timeout: float) -> None:
        raise NotImplementedError

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with first_load(tmp_path):
        pass


def test_nothing_is_touched_when_all_files_are_there(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.touch()
    ensure("tiny", [DataFile(path, "http://nowhere.invalid/qrels", path.unlink)], tmp_path)
    assert [*tmp_path.iterdir()] == [path]


def _fetch(publisher: Publisher, folder: Path, expected: bytes) -> None:
    util = importlib.import_module("ir_datasets.util")
    url, path = f"{publisher.address}/data/qrels", folder / "qrels"
    expected_md5 = md5(expected, usedforsecurity=False).hexdigest()
    download = util.Download([util.RequestsDownload(url, tries=1)], str(path), expected_md5)
    ensure("tiny", [DataFile(path, url, download.path)], folder)


def test_of_the_candidates_for_passages_the_ids_alone_are_kept(
    publisher: Publisher, tiny_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = b"3\t30\twhat is it\tIt is.\n1\t10\tdo goldfish grow\tThey do.\n"
    publisher.files["top1000.tsv.gz"] = content = gzip.compress(rows, mtime=0)
    config = importlib.import_module("ir_datasets.util").DownloadConfig
    entry = config.context("msmarco-passage").contents()["trec-dl-2019/scoreddocs"]
    monkeypatch.setitem(entry, "url", f"{publisher.address}/top1000.tsv.gz")
    monkeypatch.setitem(entry, "expected_md5", md5(content, usedforsecurity=False).hexdigest())
    monkeypatch.setitem(BUILTIN, "dl19-passage", BUILTIN["dl19-passage"]._replace(candidates_count=2))
    for _ in ("fetched", "on disk"):
        assert [topic.candidates for topic in load_builtin("dl19-passage").topics] == [("10",), ("30",)]
    assert (tiny_home / "msmarco-passage/trec-dl-2019/ms.run").read_bytes() == b"3\t30\n1\t10\n"
    assert publisher.asked == {"top1000.tsv.gz": 1}


def test_what_is_not_the_published_file_is_not_kept(publisher: Publisher, tmp_path: Path) -> None:
    publisher.files["qrels"] = b"<html>not found</html>"
    with pytest.raises(DataUnavailableError, match=r"what host 127\.0\.0\.1 sent is not the published file"):
        _fetch(publisher, tmp_path, FILES["qrels"])
    assert not (tmp_path / "qrels").exists()


def test_silent_host_is_named(publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IR_DATASETS_DL_TIMEOUT", "0.1")
    publisher.delay = 0.3
    with pytest.raises(DataUnavailableError, match=r"host 127\.0\.0\.1 did not answer in time"):
        _fetch(publisher, tmp_path, FILES["qrels"])


def test_download_is_announced_and_nothing_else_is_printed(
    publisher: Publisher, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _fetch(publisher, tmp_path, FILES["qrels"])
    assert capfd.readouterr() == ("", f"irbench: fetching qrels for tiny from 127.0.0.1 into {tmp_path}\n")


def _raises(error: Exception) -> Callable[[], object]:
    def fetch() -> object:
        raise error

    return fetch


@pytest.mark.parametrize(
    ("url", "error", "cause"),
    [
        ("http://nist/q", RuntimeError("All failed", [("source", ConnectionError("a\nb")), ("mirror", OSError())]), "cannot reach host nist"),
        ("http://nist/q", OSError(28, "No space left on device"), "No space left on device"),
        ("http://nist/q", RuntimeError(), "RuntimeError"),
        ("", FileNotFoundError("downloads/1234"), "ir_datasets cannot download it, its documentation says how to get it"),
    ],
)  # fmt: skip
def test_cause_is_said_in_short(tmp_path: Path, url: str, error: Exception, cause: str) -> None:
    with pytest.raises(DataUnavailableError) as caught:
        ensure("tiny", [DataFile(None, url, _raises(error))], tmp_path)
    assert f"({cause}): set IR_DATASETS_HOME (now {tmp_path})" in str(caught.value)
