"""The command line and ini options."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

# The state of a session that asks for something: an `IrbenchSession`, see session.py.
STATE = pytest.StashKey[Any]()

DEFAULT_FILES = ("irbench.yaml", "irbench.yml", "*.irbench.yaml")


def add_options(parser: pytest.Parser) -> None:
    """Declare the options; see the README for their use."""
    group = parser.getgroup("irbench", "ranking quality of search systems (pytest-irbench)")
    group.addoption(
        "--irbench",
        action="append",
        default=[],
        metavar="NAMES",
        help="benchmarks to guard, separated by commas: --irbench=dl20, --irbench=all; "
        "see --irbench-list. The = is needed.",
    )
    group.addoption(
        "--irbench-list",
        action="store_true",
        help="list the benchmarks with judged counts, measures and whether their data is on disk, and exit",
    )
    group.addoption(
        "--irbench-run",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="take the run of system NAME from a TREC file instead of asking it; "
        "PATH may hold {benchmark}; repeatable",
    )
    parser.addini(
        "irbench_files",
        "names (globs) of the files that hold gates",
        type="args",
        default=list(DEFAULT_FILES),
    )


def is_gate_file(config: pytest.Config, path: Path) -> bool:
    """Whether a file's name is one of those that hold gates (ini ``irbench_files``)."""
    return any(_matches(path.name, pattern) for pattern in config.getini("irbench_files"))


def _matches(name: str, pattern: str) -> bool:
    # Asked for every file of every session: the usual patterns need no regular expression.
    rest = pattern.removeprefix("*")
    if not any(char in rest for char in "*?["):
        return name == pattern or (rest != pattern and name.endswith(rest))
    return fnmatch(name, pattern)


def asked(config: pytest.Config) -> bool:
    """Whether the command line asks for something, rightly or not: by option or by naming a file of gates."""
    given = config.getoption("irbench") or config.getoption("irbench_run")
    if given or "--irbench" in config.invocation_params.args:
        return True
    files = (Path(argument.partition("::")[0]) for argument in config.args)
    return any(is_gate_file(config, file) for file in files)
