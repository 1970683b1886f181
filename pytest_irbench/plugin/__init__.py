"""The pytest plugin: the hooks, each a few lines; what they do stands in the modules beside this one.

Nothing heavy is imported here, nor while pytest starts: every session in an environment that has
this package pays for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_irbench.plugin import fixtures
from pytest_irbench.plugin.options import STATE, add_options, asked, is_gate_file

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from pytest_irbench.plugin.collect import GateFile


class Ledger:
    """Keeps the outcome of each threshold; under xdist the reports arrive on the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report of a threshold."""
        properties = report.user_properties
        if any(name == "irbench_order" for name, _ in properties):
            from pytest_irbench.plugin import session, told

            told.keep(session.session_of(self.config), report)


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
    if asked(config):
        from pytest_irbench.plugin.selection import start

        start(config)
    config.pluginmanager.register(fixtures, "irbench-fixtures")
    config.pluginmanager.register(Ledger(config), "irbench-ledger")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is selected and where its data lies."""
    if STATE not in config.stash:
        return []
    from pytest_irbench.plugin.told import header

    return [header(config)]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GateFile | None:
    """Collect a file of gates when a benchmark is selected or the file is named itself."""
    if not is_gate_file(parent.config, file_path):
        return None
    from pytest_irbench.plugin import collect

    return collect.gate_file(file_path, parent)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses `irbench` once for each selected benchmark."""
    fixtures.parametrize_irbench(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Before tests are deselected, note what was collected; afterwards add what is missing."""
    missing: Iterable[pytest.Item] = ()
    if STATE in session.config.stash:
        from pytest_irbench.plugin import never_empty

        missing = never_empty.check(session, items)
    yield
    items.extend(missing)


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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what an xdist worker left out to its controller."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None and STATE in session.config.stash:
        output["irbench_left_out"] = session.config.stash[STATE].left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what an xdist worker left out."""
    left_out = getattr(node, "workeroutput", {}).get("irbench_left_out", {})
    if left_out:
        from pytest_irbench.plugin.session import session_of

        session_of(node.config).left_out.update(left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print a table for each gate, and how much was left out."""
    if STATE in config.stash:
        from pytest_irbench.plugin import told

        told.write_summary(terminalreporter, config.stash[STATE])
