"""What GitHub Actions shows at a line of a changed file: workflow commands for the red thresholds.

References
----------
https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING

from pytest_irbench.errors import clipped
from pytest_irbench.reports.numbers import asked_of, subject_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import Report, ReportedGate
    from pytest_irbench.reports.row import Row

MOST = 10
"""How many errors of one step GitHub shows."""

_TITLE = 200  # characters; GitHub takes 255
_LINE = 400  # characters
_EXPLAINED = 12  # lines
_CUT = "…"
_BYTES = 3_800  # of a message; GitHub cuts at 4,096


def workflow_commands(report: Report, prefix: str = "") -> list[str]:
    """Return the commands that make annotations, to be printed on a line each.

    They are at most ten, as GitHub shows no more of a step. What failed comes first, then what was not
    measured, then what depends on judgments, then the problems of the session. Where there are more, the
    tenth counts the others. What was not run has none as long as anything else is red: it tells of no line.

    Parameters
    ----------
    report
        The session.
    prefix
        The folder of pytest's root in the repository, such as ``services/search``.
    """
    red = [(gate, row) for gate in report.gates for row in gate.red]
    ran = [one for one in red if one[1].outcome != "not run"]
    red = ran if ran or report.problems else red
    red.sort(key=lambda one: one[1].severity)
    told = len(red) + len(report.problems)
    shown = told if told <= MOST else MOST - 1
    commands = [_threshold(gate, row, prefix) for gate, row in red[:shown]]
    commands += [_command("irbench", [problem]) for problem in report.problems[: shown - len(commands)]]
    if shown < told:
        rows = [row for _, row in red[shown:]]
        commands.append(_others(rows, told - shown - len(rows), prefix))
    return commands


def _threshold(gate: ReportedGate, row: Row, prefix: str) -> str:
    file, number = _place(row, prefix)
    place = ({"file": file} if file else {}) | ({"line": number} if number else {})
    title = f"{gate.name}: {subject_of(row)} {asked_of(row)}"
    return _command(title, list(_lines(gate, row)), place)


def _lines(gate: ReportedGate, row: Row) -> Iterator[str]:
    """Tell what was found, and of the explanation what is not said by then."""
    sentence = row.sentence or f"{subject_of(row)} {asked_of(row)}: {row.outcome}"
    yield sentence
    if row.without:
        yield row.without
    if gate.detail:
        yield from gate.detail.stages
    # Of a test in Python, pytest tells the sentence once more, behind the name of the exception.
    explained = [line for line in row.explanation.split("\n") if line and not line.endswith(sentence)]
    yield from explained[:_EXPLAINED]
    if len(explained) > _EXPLAINED:
        yield _CUT


def _others(rows: Sequence[Row], problems: int, prefix: str) -> str:
    """Count what ten annotations have no room for."""
    files = Counter(_place(row, prefix)[0] or "no file" for row in rows)
    counts = [f"{many} in {file}" for file, many in files.items()]
    thresholds = f"{len(rows)} more red threshold{'s' * (len(rows) != 1)} ({', '.join(counts)})"
    others = f"{problems} more problem{'s' * (problems != 1)} of the session"
    said = " and ".join([*([thresholds] if rows else []), *([others] if problems else [])])
    return _command(f"irbench: {len(rows) + problems} more", [f"{said}: the summary and the log have all"])


def _place(row: Row, prefix: str) -> tuple[str, str]:
    """Return file and line, or empty texts; the file as seen from the root of the repository."""
    file, _, number = row.place.rpartition(":")
    if not number.isdecimal():
        file, number = row.place, ""
    return (posixpath.normpath(posixpath.join(prefix, file)) if file else ""), number


def _command(title: str, lines: Sequence[str], place: dict[str, str] | None = None) -> str:
    properties = (place or {}) | {"title": clipped(title, _TITLE)}
    shown = ",".join(f"{name}={_property(text)}" for name, text in properties.items())
    return f"::error {shown}::{_data(_bounded(lines))}"


def _bounded(lines: Sequence[str]) -> str:
    """Join as many lines as GitHub shows; the last one says where there were more."""
    text = "\n".join(clipped(line, _LINE) for line in lines).encode()
    if len(text) <= _BYTES:
        return text.decode()
    return f"{text[:_BYTES].decode(errors='ignore')}\n{_CUT}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # The name of a file may have half of a surrogate pair, which no log can hold.
    safe = text.encode(errors="backslashreplace").decode()
    return _data(safe).replace(":", "%3A").replace(",", "%2C")
