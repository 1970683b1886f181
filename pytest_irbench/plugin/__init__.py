"""The pytest plugin: the hooks of every session, each a few lines.

What they do stands in the modules beside this one. What only a session needs that guards something is in
`guard.py` and is registered when one does.

Nothing heavy is imported here, nor while pytest starts: every session in an environment that has
this package pays for it.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_irbench.plugin import fixtures

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_irbench.plugin.collect import GateFile


# The state of a session that asks for something: an `IrbenchSession`, see session.py.
STATE = pytest.StashKey[Any]()

DEFAULT_FILES = ("irbench.yaml", "irbench.yml", "*.irbench.yaml")


def pytest_addoption(parser: pytest.Parser) -> None:
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


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Print the list of benchmarks instead of running tests."""
    if not config.getoption("irbench_list"):
        return None
    from pytest_irbench.plugin.told import list_benchmarks

    encoding = sys.stdout.encoding or "utf-8"
    text = list_benchmarks(config).encode(encoding, "backslashreplace").decode(encoding)
    print(text)  # noqa: T201 - this is what the option is for
    return 0


def pytest_configure(config: pytest.Config) -> None:
    """Read the selection; bring in the fixtures."""
    config.pluginmanager.register(fixtures, "irbench-fixtures")
    if asked(config):
        from pytest_irbench.plugin.selection import start

        start(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GateFile | None:
    """Collect a file of gates when a benchmark is selected or the file is named itself."""
    if not is_gate_file(parent.config, file_path):
        return None
    from pytest_irbench.plugin import collect

    return collect.gate_file(file_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Fail a test that made an ``assert_…`` value and never compared it."""
    try:
        yield
    except BaseException:
        # It did not come to compare them.
        fixtures.forget_values()
        raise
    fixtures.fail_if_never_compared()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    """Do the same for what fixtures measure when they are torn down."""
    yield
    fixtures.fail_if_never_compared()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget values made before this test, for instance by one that failed."""
    fixtures.forget_values()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what an xdist worker left out."""
    left_out = getattr(node, "workeroutput", {}).get("irbench_left_out", {})
    if left_out:
        from pytest_irbench.plugin.session import session_of

        session_of(node.config).left_out.update(left_out)


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
