"""What was selected and has no test must not end green: it becomes a test that errors."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_irbench.benchmarks.builtin import BUILTIN, expand
from pytest_irbench.plugin.session import ALL, session_of


class NothingToMeasure(pytest.Item):
    """Stands for something selected for which there is no test, so that it can't pass emptily."""

    message: str

    def setup(self) -> None:
        """Report the error."""
        pytest.fail(self.message, pytrace=False)

    def runtest(self) -> None:
        """Never reached: setting up fails."""

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Name it by the option that asked for it."""
        return self.path, None, self.name


def nothing_to_measure(session: pytest.Session) -> list[pytest.Item]:
    """Return an item for each selected name or given run that no collected test uses."""
    state = session_of(session.config)
    files = ", ".join(session.config.getini("irbench_files"))
    found: list[pytest.Item] = []
    if _is_part(session.config):
        return found
    for name in state.selection.names:
        wanted = state.collected if name == ALL else set(expand(name)) & state.collected
        # Which benchmark a test asks `irbench_benchmark` for can't be seen before it runs.
        if not wanted and not (state.asks_by_name and name not in BUILTIN):
            message = (
                f"--irbench={name}: no gate and no test for it was collected from {_where(session)}: declare "
                f"a gate in one of {files}, or name its file on the command line"
            )
            found.append(_stand_in(session, f"--irbench={name}", message))
    for name in state.selection.runs:
        if name not in state.systems:
            known = ", ".join(sorted(state.systems)) or "none"
            message = f"--irbench-run {name}=…: no selected gate has a system {name!r}; systems are: {known}"
            found.append(_stand_in(session, f"--irbench-run={name}", message))
    return found


def _is_part(config: pytest.Config) -> bool:
    """Whether only some tests were asked for: by their ids, or by --lf, which skips whole files."""
    last_failed = config.pluginmanager.get_plugin("lfplugin")
    return any("::" in argument for argument in config.args) or getattr(last_failed, "_skipped_files", 0) > 0


def _where(session: pytest.Session) -> str:
    return ", ".join(session.config.args) or str(session.config.rootpath)


def _stand_in(session: pytest.Session, name: str, message: str) -> pytest.Item:
    item = NothingToMeasure.from_parent(session, name=name, nodeid=name)
    item.message = message
    return item
