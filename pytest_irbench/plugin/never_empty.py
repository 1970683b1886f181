"""What was selected and has no test must not end green: it becomes a test that errors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_irbench.benchmarks.builtin import expand
from pytest_irbench.plugin.collect import gate_of, note
from pytest_irbench.plugin.orphans import orphans
from pytest_irbench.plugin.selection import declared_names, readable_specs
from pytest_irbench.plugin.session import ALL, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


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


def check(session: pytest.Session, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Note what was collected, and return what is missing, each as a test that errors."""
    state = session_of(session.config)
    note(state, items)
    return nothing_to_measure(session, items) if state.selection.names or state.named_files else []


def nothing_to_measure(session: pytest.Session, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return an item for each thing that was asked for and that no collected test measures."""
    problems = [
        *_empty_systems(items),
        *_same_ids(session.config, items),
        *_unknown_runs(session.config),
        *_empty_files(session.config),
    ]
    if not _is_part(session.config):
        problems += [*_empty_names(session.config), *orphans(session.config, items)]
    return [_stand_in(session, name, message) for name, message in problems]


def _empty_names(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Give the selected names without a gate or a test."""
    state = session_of(config)
    # Which benchmark a test asks `irbench_benchmark` for can't be seen before it runs.
    asked = set(declared_names(config, [])) if state.asks_by_name else set()
    files = ", ".join(config.getini("irbench_files"))
    for name in state.selection.names:
        wanted = state.collected if name == ALL else set(expand(name)) & state.collected
        if not wanted and name in asked:
            state.by_name.add(name)
        elif not wanted:
            message = f"--irbench={name}: no gate and no test for it was collected from {_where(config)}: "
            hint = _uncollected(config, name) or f"declare a gate in one of {files}"
            yield f"--irbench={name}", message + hint


def _unknown_runs(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Give the systems of ``--irbench-run`` that no gate has."""
    state = session_of(config)
    known = state.systems
    if state.selection.runs and _is_part(config):
        known = known | {gate.system for spec in readable_specs(config) for gate in spec.gates}
    for name in state.selection.runs:
        if name not in known:
            systems = ", ".join(sorted(known)) or "none"
            message = f"no selected gate has a system {name!r}; systems are: {systems}"
            yield f"--irbench-run={name}", f"--irbench-run {name}=…: {message}"


def _empty_files(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Give the files named on the command line that declare no gate."""
    state = session_of(config)
    for path in sorted(state.named_files - state.files):
        name = os.path.relpath(path, config.invocation_params.dir)
        yield name, f"{name} was named on the command line and has no gate for what is selected"


def _empty_systems(items: Sequence[pytest.Item]) -> Iterator[tuple[str, str]]:
    """Give the gates whose system is a fixture without parameters: pytest would skip them."""
    for item in items:
        threshold = gate_of(item)
        reasons = [str(mark.kwargs.get("reason", "")) for mark in item.own_markers if mark.name == "skip"]
        if threshold and any(reason.startswith("got empty parameter set") for reason in reasons):
            message = f"{threshold.place}: system {threshold.gate.system!r} is a fixture without parameters"
            yield item.name, f"{message}: nothing would be measured"


def _same_ids(config: pytest.Config, items: Sequence[pytest.Item]) -> Iterator[tuple[str, str]]:
    """Give the files of gates whose tests have one id: the verdict of one would stand for both.

    So it is where two projects, each with an ini file, are arguments of one session: pytest's root is the
    first of them, and the ids of the other lack its folder.
    """
    files: dict[str, Path] = {}
    told: dict[tuple[Path, Path], str] = {}
    for item in items:
        if gate_of(item) and files.setdefault(item.nodeid, item.path) != item.path:
            told.setdefault((files[item.nodeid], item.path), item.nodeid)
    for paths, nodeid in told.items():
        names = " and ".join(os.path.relpath(path, config.invocation_params.dir) for path in paths)
        said = f"{names} have tests of one id, such as {nodeid}, so that one verdict would stand for both"
        yield names, f"{said}: run them in two sessions, or with the folder above both as --rootdir"


def _uncollected(config: pytest.Config, name: str) -> str | None:
    """Name the files that have gates for it and are not among what pytest was told to collect."""
    files = [
        os.path.relpath(spec.path, config.invocation_params.dir)
        for spec in readable_specs(config)
        if any(name == ALL or gate.benchmark in expand(name) for gate in spec.gates)
    ]
    if not files:
        return None
    return f"{', '.join(files)} has gates for it: name it on the command line, or add it to testpaths"


def _is_part(config: pytest.Config) -> bool:
    """Whether only some tests were asked for: by their ids, or by --lf, which skips whole files."""
    last_failed = config.pluginmanager.get_plugin("lfplugin")
    ids_alone = all("::" in argument for argument in config.args)
    return ids_alone or getattr(last_failed, "_skipped_files", 0) > 0


def _where(config: pytest.Config) -> str:
    return ", ".join(config.args) or str(config.rootpath)


def _stand_in(session: pytest.Session, name: str, message: str) -> pytest.Item:
    item = NothingToMeasure.from_parent(session, name=name, nodeid=name)
    item.message = message
    return item
