"""What the processes of one session share: with pytest-xdist, each system is asked by one of them."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.errors import IrbenchError, SystemFailedError
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest

    from pytest_irbench.runs.columns import Columns

INPUT = "irbench_shared"
"""The key of an xdist worker's input that names the folder."""

_DECLARED = "declared"


class _Kept(NamedTuple):
    """What was retrieved."""

    columns: Columns
    name: str
    latencies: Mapping[str, float]


def make_folder() -> Path:
    """Make the folder on the controller; nobody else may write into it."""
    return Path(tempfile.mkdtemp(prefix="irbench-"))


def remove_folder(folder: Path) -> None:
    """Remove it with all runs."""
    shutil.rmtree(folder, ignore_errors=True)


def once(config: pytest.Config, key: Sequence[Any], ask: Callable[[], Run]) -> Run:
    """Ask a system, or take what another process of this session was answered.

    The system's lock is held meanwhile; the operating system releases that of a process that dies, and
    the next one asks anew. What is kept appears whole or not at all.

    Parameters
    ----------
    config
        Knows whether this process is an xdist worker, and its folder.
    key
        What makes it the same retrieval: file, benchmark, system, depth, utterance …
    ask
        Retrieves.

    Returns
    -------
    Run
        Without its benchmark, when another process retrieved it.

    Raises
    ------
    IrbenchError
        When the system failed, here or there.
    """
    given: str | None = getattr(config, "workerinput", {}).get(INPUT)
    if given is None:
        return ask()
    from filelock import FileLock

    # On another machine it is not there yet.
    folder = Path(given)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / sha256(repr(tuple(key)).encode()).hexdigest()
    with FileLock(path.with_suffix(".lock")):
        if path.exists():
            return _read(path)
        try:
            run = ask()
        except IrbenchError as error:
            _write(path, str(error))
            raise
        _write(path, _Kept(run.columns, run.name, run.latencies))
        return run


def declare(config: pytest.Config, declared: Mapping[str, Sequence[tuple[str, Any]]]) -> None:
    """Let an xdist worker leave word of its thresholds, which the controller reads should all workers die.

    Parameters
    ----------
    config
        That of the worker.
    declared
        Node id of each selected threshold -> what is known of it.
    """
    given: str | None = getattr(config, "workerinput", {}).get(INPUT)
    # A controller that guards nothing shares no folder.
    if given is None or not declared:
        return
    folder = Path(given)
    path = folder / _DECLARED
    # All workers collect the same. What can't be written is only missed when all of them die.
    with suppress(OSError):
        if not path.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(path, dict(declared))


def declared_in(folder: Path) -> dict[str, list[tuple[str, Any]]]:
    """Return what a worker declared; nothing where none came so far, or all are on other machines."""
    path = folder / _DECLARED
    if not path.exists():
        return {}
    declared: dict[str, list[tuple[str, Any]]] = pickle.loads(path.read_bytes())  # noqa: S301 - only this session writes there
    return declared


def _read(path: Path) -> Run:
    kept: _Kept | str = pickle.loads(path.read_bytes())  # noqa: S301 - only this session writes there
    if isinstance(kept, str):
        raise SystemFailedError(kept)
    run = Run(kept.columns, kept.name)
    run.latencies = kept.latencies
    return run


def _write(path: Path, kept: Any) -> None:
    half = path.with_name(f"{path.name}.{os.getpid()}.half")
    half.write_bytes(pickle.dumps(kept))
    half.replace(path)
