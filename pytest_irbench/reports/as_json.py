"""A session as JSON, for programs; `report.schema.json` describes it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from pytest_irbench.gates.detail import GateDetail

if TYPE_CHECKING:
    from pytest_irbench.reports.report import Report, ReportedGate

FORMAT = "pytest-irbench report"
VERSION = 1

_OPENED = 4
"""So many levels are broken into lines: session, gates, a gate, its lists. What these hold is a line each."""

_NOT_MEASURED = GateDetail({}, (), None, (), ())
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def as_json(report: Report) -> str:
    """Write all that a session found as JSON: a threshold, a query, a measure is a line each.

    Numbers that are not finite are null. Half of a surrogate pair, which UTF-8 has no bytes for, is escaped.

    Parameters
    ----------
    report
        What to write; nothing of it is left out.
    """
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "plugin_version": report.plugin_version,
        "created": report.created,
        "commit": report.commit,
        "selection": report.selection,
        "data_home": report.data_home,
        "outcome": "passed" if report.passed else "failed",
        "finished": report.finished,
        "problems": report.problems,
        "warnings": report.warnings,
        "failures": report.failures,
        "gates": [_gate(gate) for gate in report.gates],
    }
    text = _laid_out(_plain(fields), _OPENED) + "\n"
    return text.encode(errors="backslashreplace").decode()


def _gate(gate: ReportedGate) -> dict[str, Any]:
    """Return it with all lists there, so that a reader need not ask first whether it was measured."""
    detail = gate.detail or _NOT_MEASURED
    names = [measure.text for measure in detail.measures]
    queries = [
        query._asdict()
        | {
            "values": dict(zip(names, query.values, strict=True)),
            "before": dict(zip(names, query.before, strict=True)),
        }
        for query in detail.queries
    ]
    return {
        "file": gate.file,
        "benchmark": gate.benchmark,
        "system": gate.system,
        "outcome": gate.outcome,
        "measured": gate.is_measured,
        "thresholds": gate.rows,
        "trend": gate.trend,
        **detail._asdict(),
        "queries": queries,
    }


def _plain(value: Any) -> Any:
    """Make objects of named tuples and lists of other tuples, and null of what JSON has no number for."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return {name: _plain(one) for name, one in value.items()}


def _laid_out(value: Any, levels: int, line: str = "\n") -> str:
    """Break so many levels into lines, which begin with `line`, and leave each item below them on one."""
    if levels == 0 or not value or not isinstance(value, (dict, list)):
        return _ENCODE(value)
    deeper = f"{line}  "
    if isinstance(value, list):
        items = [_laid_out(item, levels - 1, deeper) for item in value]
        return f"[{deeper}{f',{deeper}'.join(items)}{line}]"
    items = [f"{_ENCODE(name)}: {_laid_out(item, levels - 1, deeper)}" for name, item in value.items()]
    return f"{{{deeper}{f',{deeper}'.join(items)}{line}}}"
