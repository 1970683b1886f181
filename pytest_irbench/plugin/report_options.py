"""The options of reports, looked at before anything is measured."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDINGS = (".html", ".md", ".json")
"""Those of the paths that `--irbench-report` takes."""


def check_options(config: pytest.Config, *, measures: bool) -> None:
    """Refuse reports that could not be written, or that would be about nothing.

    Raises
    ------
    pytest.UsageError
        When a path has no known ending or is no file, or nothing is selected.
    """
    for option, path in _asked_for(config):
        if not measures:
            said = f"{option} needs --irbench=NAMES or a file of gates"
            raise pytest.UsageError(f"{said}: nothing is measured without it")
        if not path:
            # A variable of the CI that is not set.
            raise pytest.UsageError(f"{option}= needs the path of a file")
        _check_target(config.invocation_params.dir / path, f"{option}={path}")
        if option == "--irbench-report" and not path.endswith(ENDINGS):
            raise pytest.UsageError(f"{option}={path}: the ending says what to write: {', '.join(ENDINGS)}")
    github = config.getini("irbench_github")
    if github not in {"auto", "off"}:
        raise pytest.UsageError(f"irbench_github in the ini file is auto or off, not {github!r}")


def _check_target(path: Path, said: str) -> None:
    try:
        mode = path.stat().st_mode
    except OSError:
        # It is not there yet, or can't be looked at, which writing it will say.
        return
    if stat.S_ISDIR(mode):
        raise pytest.UsageError(f"{said} is a folder: name a file in it")
    if not stat.S_ISREG(mode):
        # A device would be replaced by the report, and of a pipe the history would be read for ever.
        raise pytest.UsageError(f"{said} is a device or a pipe: name a file")


def _asked_for(config: pytest.Config) -> Iterator[tuple[str, str]]:
    for path in config.getoption("irbench_report"):
        yield "--irbench-report", path
    history: str | None = config.getoption("irbench_history")
    if history is not None:
        yield "--irbench-history", history
