"""The pytest plugin: the hooks of every session, each a few lines.

What they do stands in the modules beside this one. What only a session needs that guards something is in
`guard.py` and is registered when one does.

Nothing heavy is imported here, nor while pytest starts: every session in an environment that has
this package pays for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_irbench.plugin import fixtures
from pytest_irbench.plugin.options import add_options, asked, is_gate_file

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_irbench.plugin.collect import GateFile


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


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
