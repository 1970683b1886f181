"""What a session found becomes one `Report`, which is written in every form that was asked for."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_irbench.errors import InputError
from pytest_irbench.plugin.ledger import problems_of, reported_gates
from pytest_irbench.plugin.logged import logged
from pytest_irbench.plugin.session import printable
from pytest_irbench.plugin.told import data_home_or_none
from pytest_irbench.reports.report import SESSIONS, Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_irbench.plugin.session import IrbenchSession
    from pytest_irbench.reports.report import TrendPoint

_STOPPED = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)

_SUMMARY, _SUMMARIES = 1_000_000, 1_048_000
"""How many bytes a session adds to the summary of a step, and all together: GitHub refuses a longer one."""
_SHORTEST = 2_000
_LINES_SHOWN = 5


def _html(report: Report) -> str:
    from pytest_irbench.reports.page.html import html

    return html(report)


def _markdown(report: Report) -> str:
    from pytest_irbench.reports.markdown.markdown import markdown

    return markdown(report)


def _json(report: Report) -> str:
    from pytest_irbench.reports.as_json import as_json

    return as_json(report)


_FORMS: Mapping[str, Callable[[Report], str]] = {".html": _html, ".md": _markdown, ".json": _json}
"""The ending of a report's path -> what makes its text; `report_options.ENDINGS` are these."""


@dataclass
class Written:
    """What became of the reports of a session.

    Attributes
    ----------
    report
        What they tell.
    lines
        What was written where, a line each.
    faults
        What could not be written, and why.
    warnings
        What else a reader should know.
    commands
        Lines that GitHub reads from the log.
    """

    report: Report
    lines: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


def write(session: IrbenchSession, exitstatus: int) -> Written:
    """Write every report that was asked for, each once and whole.

    Parameters
    ----------
    exitstatus
        That of the session, as it will be unless a report can't be written.
    """
    trends, warnings = _trends(session)
    warnings += session.lost
    written = Written(_report(session, exitstatus, trends, tuple(warnings)), warnings=warnings)
    if session.history and written.report.finished:
        _append(session, written)
    asked = list(
        {os.path.normpath(given): given for given in session.config.getoption("irbench_report")}.values()
    )
    reports = [given for given in asked if _write(session, written, given)]
    if written.faults:
        # The others must not tell of a green session, nor hide what is missing.
        problems = (*written.report.problems, *written.faults)
        written.report = written.report._replace(passed=False, problems=problems)
        reports = [given for given in reports if _write(session, written, given)]
    written.lines += [f"report written to {given}" for given in reports]
    _tell_github(session, written)
    return written


def _write(session: IrbenchSession, written: Written, given: str) -> bool:
    """Write one report; whatever goes wrong costs neither the others nor the terminal's tables."""
    form = next(form for ending, form in _FORMS.items() if given.endswith(ending))
    try:
        replace(session.config.invocation_params.dir / given, form(written.report))
    except Exception as error:  # noqa: BLE001 - the verdicts matter more than what tells them
        written.faults.append(f"{given}: the report can't be written: {_told(error)}")
        return False
    return True


def _told(error: Exception) -> str:
    """Say what went wrong; anything but a full disk and its like is a fault of this plugin."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {error} (a fault of pytest-irbench)"


def replace(path: Path, text: str) -> None:
    """Write a file whole or not at all, its folders too; a link is followed."""
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}.half")
    try:
        half.write_bytes(text.encode("utf-8", "backslashreplace"))
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def _report(
    session: IrbenchSession,
    exitstatus: int,
    trends: Mapping[Any, tuple[TrendPoint, ...]],
    warnings: tuple[str, ...],
) -> Report:
    from pytest_irbench.plugin.provenance import commit

    gates = reported_gates(session, trends)
    told = {row.nodeid for gate in gates for row in gate.red}
    failures = (failure for nodeid, failure in session.failures.items() if nodeid not in told)
    return Report(
        plugin_version=version("pytest-irbench"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=commit(session.config.rootpath),
        selection=session.selection.names,
        data_home=data_home_or_none(),
        passed=exitstatus == pytest.ExitCode.OK,
        finished=exitstatus not in _STOPPED,
        gates=gates,
        problems=tuple(problems_of(session)),
        warnings=warnings,
        # From xdist workers they come in any order.
        failures=tuple(sorted(failures)),
    )


def _trends(session: IrbenchSession) -> tuple[Mapping[Any, tuple[TrendPoint, ...]], list[str]]:
    """Read what earlier sessions found, and say which lines could not be read."""
    if session.history is None:
        return {}, []
    from pytest_irbench.plugin.history import read

    try:
        trends, damaged = read(session.history)
    except InputError as error:
        return {}, [f"{session.baselines.named(session.history)}: {error.message}"]
    name = session.baselines.named(session.history)
    told = [f"{name}:{line}: {why}, so this line is left out" for line, why in damaged[:_LINES_SHOWN]]
    if len(damaged) > _LINES_SHOWN:
        # The file may be none of a history at all.
        told.append(f"{name}: {len(damaged) - _LINES_SHOWN:,} more of its lines are left out")
    return {key: points[-SESSIONS:] for key, points in trends.items()}, told


def _append(session: IrbenchSession, written: Written) -> None:
    from pytest_irbench.plugin.history import append
    from pytest_irbench.reports.history import history_lines

    if session.history is None:
        return
    text = history_lines(written.report)
    try:
        append(session.history, text)
    except InputError as error:
        written.faults.append(f"{session.baselines.named(session.history)}: {error.message}")
        return
    count = text.count("\n")
    gates = "1 gate" if count == 1 else f"{count} gates"
    written.lines.append(f"{gates} added to {session.baselines.named(session.history)}")


def _tell_github(session: IrbenchSession, written: Written) -> None:
    """Write the summary of a step of GitHub Actions, and mark lines of the change."""
    if not session.on_github:
        return
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            _add_summary(Path(summary), written.report)
        except Exception as error:  # noqa: BLE001 - the verdicts matter more than what tells them
            written.warnings.append(f"$GITHUB_STEP_SUMMARY can't be written: {_told(error)}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from pytest_irbench.reports.github import workflow_commands

        root, workspace = session.config.rootpath, os.environ.get("GITHUB_WORKSPACE")
        inside = bool(workspace) and root.is_relative_to(workspace or "")
        prefix = root.relative_to(workspace).as_posix() if workspace and inside else ""
        written.commands = workflow_commands(written.report, prefix)


def _add_summary(path: Path, report: Report) -> None:
    """Add the Markdown to what other sessions of the step have written, whole or not at all."""
    from pytest_irbench.plugin.history import add_whole
    from pytest_irbench.reports.markdown.markdown import markdown

    with path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        room = min(_SUMMARY, _SUMMARIES - end)
        if room < _SHORTEST:
            raise OSError(errno.EFBIG, "GitHub takes 1 MiB of a step, and there is no room left")
        add_whole(file, f"{markdown(report, room)}\n".encode("utf-8", "backslashreplace"), end)


def tell(terminal: pytest.TerminalReporter, written: Written) -> None:
    """Say in the terminal what was written, and what could not be."""
    for line in written.lines:
        terminal.write_line(logged(printable(f"irbench: {line}")))
    for line in written.warnings:
        terminal.write_line(logged(printable(f"irbench: {line}")), yellow=True)
    for line in written.faults:
        terminal.write_line(logged(printable(f"irbench: {line}, so this session fails")), red=True)
    # GitHub reads them where a line of the log begins.
    for line in written.commands:
        terminal.write_line(printable(line))
