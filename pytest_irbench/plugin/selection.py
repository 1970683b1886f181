"""Read what the command line selects, and find the files that declare gates."""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES, unknown_benchmark
from pytest_irbench.errors import IrbenchError
from pytest_irbench.plugin import is_gate_file, names_gate_file
from pytest_irbench.plugin.report_options import check_options as check_reports
from pytest_irbench.plugin.session import ALL, Selection, begin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_irbench.gates.spec import Spec
    from pytest_irbench.plugin.session import IrbenchSession


def start(config: pytest.Config) -> None:
    """Begin a session that selects something.

    Raises
    ------
    pytest.UsageError
        When a name is unknown, or an option has not the form it needs.
    """
    selection = read_selection(config)
    if config.getoption("irbench_baselines") == "":
        # A variable of the CI that is not set: the baselines of the change itself would be read.
        raise pytest.UsageError("--irbench-baselines= needs a folder: leave the option out for the default")
    if config.getoption("irbench_save_runs") == "":
        raise pytest.UsageError("--irbench-save-runs= needs a folder: leave the option out to save nothing")
    measures = bool(selection.names or names_gate_file(config))
    if config.getoption("irbench_prove"):
        from pytest_irbench.plugin.proof import check_options

        check_options(config, measures=measures)
    if config.getoption("irbench_update") is not None:
        from pytest_irbench.plugin.baselines import check_options as check_update

        check_update(config, measures=measures)
    check_reports(config, measures=measures)
    begin(config, selection)


def read_selection(config: pytest.Config) -> Selection:
    """Read the options.

    Raises
    ------
    pytest.UsageError
        When a name is unknown, or an option has not the form it needs.
    """
    if "--irbench" in config.invocation_params.args:
        raise pytest.UsageError("write --irbench=NAMES with an equals sign, for instance --irbench=dl20")
    typed = [name.strip() for text in config.getoption("--irbench") for name in text.split(",")]
    if "" in typed:
        raise pytest.UsageError("--irbench= needs the name of a benchmark: see pytest --irbench-list")
    given = [_run_option(text) for text in config.getoption("--irbench-run")]
    runs = dict(given)
    if len(runs) < len(given):
        raise pytest.UsageError("--irbench-run: a system is named twice")
    if runs and not typed:
        raise pytest.UsageError("--irbench-run needs --irbench=NAMES: nothing is measured without it")
    unknown = [name for name in typed if name not in (ALL, *BUILTIN, *FAMILIES)]
    if unknown:
        faults: list[str] = []
        declared = declared_names(config, faults)
        for name in unknown:
            if name not in declared:
                raise pytest.UsageError(_unknown(name, declared, faults))
    return Selection(tuple(dict.fromkeys(typed)), runs)


def _unknown(name: str, declared: list[str], faults: list[str]) -> str:
    """Say that a name is unknown, or what keeps the files from being read that may declare it."""
    if faults:
        return "\n".join([f"--irbench={name} is not known before these faults are mended:", *faults])
    return f"--irbench: {unknown_benchmark(name, declared)} (pytest --irbench-list shows all)"


def _run_option(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise pytest.UsageError(
            f"--irbench-run takes NAME=PATH, for instance bm25=runs/bm25.trec, not {text!r}"
        )
    return name, path


def named_on_command_line(config: pytest.Config, path: Path) -> bool:
    """Whether the user named this very file, or a test in it, as an argument."""
    return any(_argument_path(config, argument) == path for argument in config.args)


def asked_for(config: pytest.Config, path: Path) -> bool:
    """Whether a file is one of the arguments or lies in a folder that is one."""
    return any(path.is_relative_to(_argument_path(config, argument)) for argument in config.args)


def _argument_path(config: pytest.Config, argument: str) -> Path:
    return Path(os.path.normpath(config.invocation_params.dir / argument.split("::", maxsplit=1)[0]))


def gate_files(config: pytest.Config) -> Iterator[Path]:
    """Find the files with gates under the arguments of this session, as its collection will."""
    skipped = config.getini("norecursedirs")
    for start in dict.fromkeys(_argument_path(config, argument) for argument in config.args):
        if start.is_file():
            # A test's own folder may declare the benchmark that it asks for.
            yield from _in_folders_above(config, start.parent)
        seen: set[str] = set()
        for folder, folders, files in os.walk(start, followlinks=True):
            # Links are followed as pytest does, each folder once.
            if (real := os.path.realpath(folder)) in seen:
                folders.clear()
                continue
            seen.add(real)
            folders[:] = sorted(f for f in folders if not any(fnmatch(f, skip) for skip in skipped))
            yield from (Path(folder, f) for f in sorted(files) if is_gate_file(config, Path(f)))
    yield from _in_folders_above(config, config.invocation_params.dir)


def _in_folders_above(config: pytest.Config, folder: Path) -> Iterator[Path]:
    for parent in (folder, *folder.parents):
        yield from (f for f in sorted(parent.iterdir()) if is_gate_file(config, f) and f.is_file())
        if parent == config.rootpath:
            break


def readable_specs(config: pytest.Config, faults: list[str] | None = None) -> list[Spec]:
    """Read the files with gates, those with faults left out: collecting them tells what goes to `faults`."""
    from pytest_irbench.gates.spec import read_spec

    specs = []
    for path in dict.fromkeys(gate_files(config)):
        try:
            specs.append(read_spec(path))
        except IrbenchError as error:
            if faults is not None:
                faults.append(str(error))
    return specs


def declared_names(config: pytest.Config, faults: list[str]) -> list[str]:
    """Return the names of the benchmarks that the project's own files declare."""
    return [name for spec in readable_specs(config, faults) for name in spec.benchmarks]


def benchmarks_in_turn(session: IrbenchSession) -> list[str]:
    """Return the selected benchmarks; ``all`` adds every one that a gate names, in the order of the files."""
    names = list(session.selection.benchmarks)
    if ALL in session.selection.names:
        names += [gate.benchmark for spec in readable_specs(session.config) for gate in spec.gates]
    return list(dict.fromkeys(names))
