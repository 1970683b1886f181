"""The servers of the example project: what they answer, and that nothing is left of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import pytest
import urllib3
from example_sessions import PYTEST

WAITS = """
import os, pathlib, time

def test_waits(http_service, postgres_server, postgres):
    assert postgres("reset password", 1)
    address = pathlib.Path("addresses.new")
    address.write_text(f"{http_service} {postgres_server}")
    address.rename("addresses")
    time.sleep(60)
"""


def asked(method: str, url: str, **more: Any) -> tuple[int, dict[str, Any]]:
    with urllib3.PoolManager() as pool:
        answer = pool.request(method, url, **more)
        return answer.status, json.loads(answer.data)


def eventually(condition: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return met


def is_served(address: str) -> bool:
    try:
        urllib3.request("GET", f"{address}/search?q=lamp&k=1", retries=False)
    except urllib3.exceptions.HTTPError:
        return False
    return True


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_service_answers_as_the_index_does(http_service: str, helpcentre: Path) -> None:
    from helpcentre import Index

    url = f"{http_service}/search"
    body = {"query": {"match": {"text": "reset password"}}, "size": 3}
    status, answer = asked("GET", url, fields={"q": "reset password", "k": "3"})
    assert status == 200
    assert asked("POST", url, json=body) == (status, answer)
    assert [(hit["_id"], hit["_score"]) for hit in answer["hits"]["hits"]] == Index().search(
        "reset password", 3
    )


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", "/search", {}, 400),
        ("GET", "/search?q=lamp&k=many", {}, 400),
        ("GET", "/other?q=lamp&k=3", {}, 404),
        ("POST", "/search", {"body": b"{"}, 400),
        ("POST", "/search", {"json": []}, 400),
        ("POST", "/search", {"json": {"query": {"match": {"text": "lamp"}}}}, 400),
        ("POST", "/", {"json": {}}, 404),
    ],
)
def test_the_service_refuses_what_is_no_query(
    http_service: str, method: str, path: str, more: dict[str, Any], status: int
) -> None:
    refused, answer = asked(method, f"{http_service}{path}", **more)
    assert refused == status
    assert list(answer) == ["error"]


def test_a_server_that_does_not_start_is_an_error(
    helpcentre: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from helpcentre.served import served

    with (
        pytest.raises(RuntimeError, match="no_such_server did not start"),
        served("helpcentre.no_such_server"),
    ):
        pass
    assert "No module named helpcentre.no_such_server" in capfd.readouterr().err


def test_postgres_tells_why_it_does_not_start(
    helpcentre: Path,
    postgres_installed: None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from helpcentre.served import served

    # Not the test's own folder: root's server runs as another user, who may not look into it.
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        too_long = Path(folder) / ("long" * 25)
        too_long.mkdir()
        monkeypatch.setenv("TMPDIR", str(too_long))
        with pytest.raises(RuntimeError, match="did not start"), served("helpcentre.postgres_server"):
            pass
        assert list(too_long.iterdir()) == []
    told = capfd.readouterr().err
    assert told.startswith("PostgreSQL did not start:")
    assert "is too long" in told


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
def test_nothing_is_left_when_pytest_is_ended(
    project: Path, postgres_installed: None, how: signal.Signals
) -> None:
    (project / "test_waits.py").write_text(WAITS)
    environment = os.environ | {"IRBENCH_POSTGRES": ""}
    with subprocess.Popen(
        [*PYTEST, "test_waits.py"],
        cwd=project,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as session:
        addresses = project / "addresses"
        assert eventually(addresses.exists)
        http, postgres = addresses.read_text().split()
        folder = Path(unquote(postgres.rpartition("=")[2]))
        pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        assert is_served(http)
        assert is_alive(pid)
        # As a terminal does for Ctrl-C: to pytest and all that it started in its group.
        os.killpg(session.pid, how)
    assert eventually(lambda: not (folder.exists() or is_alive(pid) or is_served(http)))
