"""The history: a line of JSON for each gate of each session."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pytest_irbench.reports.numbers import subject_of
from pytest_irbench.reports.report import TrendPoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_irbench.reports.report import Report, ReportedGate

VERSION = 1

Key = tuple[str, str, str]
"""Which gate: its file, its benchmark, its system."""


class History(NamedTuple):
    """What earlier sessions found.

    Attributes
    ----------
    trends
        For each gate what was found, the oldest first.
    damaged
        Line number and what is wrong, for each line that was left out.
    """

    trends: Mapping[Key, tuple[TrendPoint, ...]]
    damaged: tuple[tuple[int, str], ...] = ()


class _DamagedError(ValueError):
    """A line is none of a history; its text says why."""


def history_lines(report: Report) -> str:
    """Return what a session adds to the history: a line for each gate of which something was measured."""
    return "".join(_line(report, gate, values) for gate in report.gates if (values := _values(gate)))


def _values(gate: ReportedGate) -> dict[str, float]:
    measured = [(subject_of(row), row.value) for row in gate.rows if row.is_of_measure]
    return {subject: value for subject, value in measured if value is not None and math.isfinite(value)}


def _line(report: Report, gate: ReportedGate, values: Mapping[str, float]) -> str:
    line = {
        "version": VERSION,
        "time": report.created,
        "commit": report.commit,
        "file": gate.file,
        "benchmark": gate.benchmark,
        "system": gate.system,
        "outcome": gate.outcome,
        "values": values,
    }
    # In ASCII: half of a surrogate pair can't be written in UTF-8.
    return f"{json.dumps(line, separators=(',', ':'), allow_nan=False)}\n"


def read_history(lines: Iterable[bytes]) -> History:
    """Read a history, and leave out what is damaged: one line must not cost all the others.

    Parameters
    ----------
    lines
        As a file that is read as bytes gives them. Blank ones say nothing.
    """
    points: dict[Key, list[TrendPoint]] = {}
    damaged: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            key, point = _point(_parsed(line))
        except _DamagedError as error:
            damaged.append((number, str(error)))
        else:
            points.setdefault(key, []).append(point)
    trends = {key: tuple(sorted(found, key=_when)) for key, found in points.items()}
    return History(trends, tuple(damaged))


def _when(point: TrendPoint) -> datetime:
    return datetime.fromisoformat(point.time)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise _DamagedError("it is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise _DamagedError("it begins with a byte order mark: store the file without one")
    try:
        fields = json.loads(text, parse_constant=_refused)
    except _DamagedError:
        raise
    except (ValueError, RecursionError):
        raise _DamagedError("it is no JSON, or was cut short") from None
    if not isinstance(fields, dict):
        raise _DamagedError("it is no JSON object")
    return fields


def _refused(constant: str) -> NoReturn:
    raise _DamagedError(f"{constant} is no value")


def _point(fields: Mapping[str, Any]) -> tuple[Key, TrendPoint]:
    if (version := fields.get("version")) != VERSION or isinstance(version, bool):
        raise _DamagedError(f"it is of another version: this release reads version {VERSION}")
    commit = fields.get("commit")
    if not isinstance(commit, str | None):
        raise _DamagedError("'commit' is neither a text nor null")
    file, benchmark, system, outcome = (
        _text(fields, name) for name in ("file", "benchmark", "system", "outcome")
    )
    point = TrendPoint(_time(fields), commit, outcome, _numbers(fields.get("values")))
    return (file, benchmark, system), point


def _text(fields: Mapping[str, Any], name: str) -> str:
    if not isinstance(text := fields.get(name), str):
        raise _DamagedError(f"'{name}' is missing, or no text")
    return text


def _time(fields: Mapping[str, Any]) -> str:
    text = _text(fields, "time")
    try:
        known = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        known = False
    if not known:
        raise _DamagedError("'time' is no time with its zone, such as 2026-11-30T19:40:00+00:00")
    return text


def _numbers(values: Any) -> dict[str, float]:
    if not isinstance(values, dict) or not all(map(_is_number, values.values())):
        raise _DamagedError("'values' is missing, or not all of them are numbers")
    return {subject: float(value) for subject, value in values.items()}


def _is_number(value: Any) -> bool:
    """Whether it is a finite number; JSON may hold ``1e999`` and integers that no float can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
