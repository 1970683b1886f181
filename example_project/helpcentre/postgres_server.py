"""A PostgreSQL server of one's own, for as long as standard input is open.

``python -m helpcentre.postgres_server`` makes a database in a temporary folder, prints how to connect, and
waits for the end of its input; then the server is stopped and the folder removed. The server listens on a
socket in that folder, on no port: any number of them can run at one time.

Killed itself (SIGKILL), it leaves the server and the folder ``irbench-postgres-…``. Remove the folder: the
server looks for it once a minute and stops when it is gone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from helpcentre.served import serve_until_left

if TYPE_CHECKING:
    from collections.abc import Iterator

_INITDB = ["--username=irbench", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]

# The data is made anew each time: it need not outlive a power cut.
_SETTINGS = ["-c", "listen_addresses=", "-c", "port=5432", "-c", "fsync=off"]


def programs() -> Path | None:
    """Return the folder with PostgreSQL's programs, or None where it is not installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    # Debian keeps each version apart, and off the PATH.
    versions = Path("/usr/lib/postgresql").glob("[0-9]*/bin/initdb")
    newest = max(versions, key=lambda path: int(path.parts[-3]), default=None)
    return newest and newest.parent


def main() -> None:
    """Serve until standard input ends, or until SIGTERM.

    Raises
    ------
    SystemExit
        When PostgreSQL does not start, with what it said.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with TemporaryDirectory(prefix="irbench-postgres-") as name:
        folder = Path(name)
        how = _how_to_run(folder)
        _call(how, "initdb", *_INITDB, f"--pgdata={folder / 'data'}")
        with _running(folder, how):
            serve_until_left(f"postgresql://irbench@:5432/postgres?host={quote(name, safe='')}")


def _how_to_run(folder: Path) -> dict[str, Any]:
    """Return how programs of PostgreSQL are run: they refuse to run as root, their package brings a user."""
    if os.geteuid() != 0:
        return {"cwd": folder}
    shutil.chown(folder, "postgres", "postgres")
    return {"cwd": folder, "user": "postgres", "group": "postgres", "extra_groups": []}


@contextmanager
def _running(folder: Path, how: dict[str, Any]) -> Iterator[None]:
    """Run a server whose socket and log are in a folder, beside its data."""
    command = [_program("postgres"), "-D", str(folder / "data"), *_SETTINGS, "-k", str(folder)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(  # noqa: S603 - PostgreSQL's own
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **how
        )
    try:
        while not _call(how, "pg_isready", "--quiet", f"--host={folder}", "--port=5432", check=False):
            if server.poll() is not None:
                raise SystemExit(f"PostgreSQL did not start:\n{(folder / 'log').read_text(errors='replace')}")
            time.sleep(0.05)
        yield
    finally:
        # At once, without saving anything.
        server.send_signal(signal.SIGQUIT)
        server.wait()


def _call(how: dict[str, Any], program: str, *arguments: str, check: bool = True) -> bool:
    """Call a program of PostgreSQL and return whether it succeeded; with `check` it has to."""
    done = subprocess.run(  # noqa: S603 - PostgreSQL's own
        [_program(program), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **how,
    )
    if check and done.returncode:
        raise SystemExit(f"{program} ended with code {done.returncode}:\n{done.stdout}")
    return done.returncode == 0


def _program(name: str) -> str:
    """Return the path of a program of PostgreSQL."""
    folder = programs()
    if folder is None:
        raise SystemExit("PostgreSQL is not installed: there is no initdb on the PATH")
    return str(folder / name)


if __name__ == "__main__":
    main()
