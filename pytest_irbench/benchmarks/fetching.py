"""Fetching the files that are not on disk: one process at a time, announced, and failing in one line."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_irbench.benchmarks.lock import first_load, tell
from pytest_irbench.errors import DataUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

# Looked for in the ancestry of what was raised, in this order: a connection's time-out is also a
# connection error. By name, because `requests` is imported by ir_datasets only when it downloads.
_CAUSES = {
    "Timeout": "host {host} did not answer in time",
    "SSLError": "no secure connection to host {host}",
    "ProxyError": "the proxy before host {host} refused or cannot be reached",
    "ConnectionError": "cannot reach host {host}",
    "HTTPError": "host {host} refused",
    "HashVerificationError": "what host {host} sent is not the published file",
}


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a benchmark, on disk or to be fetched.

    Attributes
    ----------
    path
        Where it lies or will lie; None for what ir_datasets keeps only while the process runs.
    url
        Where it comes from; empty when it can't be downloaded.
    fetch
        Puts it there.
    terms
        The agreement under which its publisher gives it, or None.
    form
        What the file on disk is of that which the address holds, such as ``unpacked``; empty when it is
        the same.
    """

    path: Path | None
    url: str
    fetch: Callable[[], object]
    terms: str | None = None
    form: str = ""

    @property
    def host(self) -> str:
        """The host of `url`."""
        return urlsplit(self.url).hostname or "unknown"

    @property
    def missing(self) -> bool:
        """Whether it must be fetched before it can be read."""
        return self.path is None or not self.path.exists()


def ensure(name: str, files: Sequence[DataFile], home: Path) -> None:
    """Fetch those of `files` that are missing, while no other process does.

    Parameters
    ----------
    name
        What the files are for, for messages.
    files
        What must be there afterwards.
    home
        The data folder, which holds the lock. It is not touched when nothing is missing.

    Raises
    ------
    DataUnavailableError
        In one line: what is missing, why it could not be fetched, where to put it.
    """
    if not _missing(files):
        return
    try:
        with first_load(home):
            # The process that had the lock before may have fetched them meanwhile.
            for file in _missing(files):
                _fetch(name, file, home)
    except OSError as error:
        raise _unavailable(name, files, home, f"cannot write {home}: {_short(error)}") from None
    except _FetchError as error:
        raise _unavailable(name, files, home, str(error)) from None


@contextmanager
def quiet() -> Iterator[None]:
    """Silence ir_datasets' log; its progress bars stay on a terminal."""
    logger = logging.getLogger("ir_datasets")
    switch = "IR_DATASETS_DL_DISABLE_PBAR"
    disabled, before = logger.disabled, os.environ.get(switch)
    logger.disabled = True
    if before is None and not sys.stderr.isatty():
        # The variable is the only switch it has; read when a download begins.
        os.environ[switch] = "true"
    try:
        yield
    finally:
        logger.disabled = disabled
        if before is None:
            os.environ.pop(switch, None)


class _FetchError(Exception):
    """The cause, in short, why one file could not be fetched."""


def _missing(files: Sequence[DataFile]) -> list[DataFile]:
    return [file for file in files if file.missing]


def _fetch(name: str, file: DataFile, home: Path) -> None:
    folder = file.path.parent if file.path else home
    if file.url:
        what = urlsplit(file.url).path.rsplit("/", 1)[-1]
        tell(f"fetching {what} for {name} from {file.host} into {folder}")
    if file.terms:
        tell(f"its publisher says: {' '.join(file.terms.split())}")
    try:
        with quiet():
            file.fetch()
    except (OSError, RuntimeError) as error:
        raise _FetchError(_cause(error, file)) from None


def _cause(error: Exception, file: DataFile) -> str:
    if not file.url:
        return "ir_datasets cannot download it, its documentation says how to get it"
    # With a mirror, ir_datasets raises RuntimeError(text, [(source, error), ...]), the publisher first.
    if len(error.args) == 2 and isinstance(error.args[1], list):
        error = error.args[1][0][1]
    ancestry = {kind.__name__ for kind in type(error).__mro__}
    for kind, text in _CAUSES.items():
        if kind in ancestry:
            return text.format(host=file.host)
    return _short(error)


def _short(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error).splitlines() or [type(error).__name__])[0]


def _unavailable(name: str, files: Sequence[DataFile], home: Path, cause: str) -> DataUnavailableError:
    missing = _missing(files)
    names = " and ".join(file.path.name if file.path else file.url for file in missing)
    puts = " and ".join(f"{_source(file)} at {file.path}" for file in missing if file.path)
    put = f"put {puts}, or " if puts else ""
    return DataUnavailableError(
        f"{name}: {names} {'are' if len(missing) > 1 else 'is'} missing and could not be fetched ({cause}): "
        f"{put}set IR_DATASETS_HOME (now {home}) to the folder that has the data"
    )


def _source(file: DataFile) -> str:
    return f"{file.url or 'it'}{f' ({file.form})' if file.form else ''}"
