"""The options of reports, looked at before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDINGS = (".html", ".md", ".json")
"""Those of the paths that `--irbench-report` takes."""


def check_options(config: pytest.Config, *, measures: bool) -> None:
    """Refuse reports that could not be written, or that would be about nothing.

    Raises
    ------
    pytest.UsageError
        When a path has no known ending or is a folder, or nothing is selected.
    """
    for option, path in _asked_for(config):
        if not measures:
            said = f"{option} needs --irbench=NAMES or a file of gates"
            raise pytest.UsageError(f"{said}: nothing is measured without it")
        if not path:
            # A variable of the CI that is not set.
            raise pytest.UsageError(f"{option}= needs the path of a file")
        if (config.invocation_params.dir / path).is_dir():
            raise pytest.UsageError(f"{option}={path} is a folder: name a file in it")
        if option == "--irbench-report" and not path.endswith(ENDINGS):
            raise pytest.UsageError(f"{option}={path}: the ending says what to write: {', '.join(ENDINGS)}")
    github = config.getini("irbench_github")
    if github not in {"auto", "off"}:
        raise pytest.UsageError(f"irbench_github in the ini file is auto or off, not {github!r}")


def _asked_for(config: pytest.Config) -> Iterator[tuple[str, str]]:
    for path in config.getoption("irbench_report"):
        yield "--irbench-report", path
    history: str | None = config.getoption("irbench_history")
    if history is not None:
        yield "--irbench-history", history
