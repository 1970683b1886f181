"""A gate in Markdown, in versions of growing fullness."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_irbench.reports.markdown.fit import Version
from pytest_irbench.reports.markdown.moved import moved_most
from pytest_irbench.reports.markdown.prose import prose
from pytest_irbench.reports.markdown.rows import rows_table, sentences, verdict
from pytest_irbench.reports.markdown.text import block, bullets, code, details, line, paragraphs
from pytest_irbench.reports.remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_irbench.reports.report import ReportedGate

HEADER = ("verdict", "gate", "thresholds", "first red one")
"""Titles of the columns of `overview`."""

_MOVED, _FEWER = 10, 3
_CLIPPED = 1_000  # characters of an explanation
_REMARK = 2_000  # characters
_SHA256 = re.compile(r"\b(sha256 [0-9a-f]{12})[0-9a-f]{52}\b")
_ALL = "all thresholds of {gates}"
_CAUSES = {"stage", "without"}


def overview(gate: ReportedGate) -> Iterator[Version]:
    """Set the gate's line in the table of all gates."""
    yield Version("", "the lines of {gates} in the first table")
    outcome = verdict(gate.outcome)
    first = next(sentences(gate.red), "").removeprefix(f"{outcome}: ")
    yield Version(line([outcome, code(gate.name), gate.tally, first]))


def red_gate(gate: ReportedGate, own: Mapping[str, str]) -> Iterator[Version]:
    """Set a gate that fails.

    Parameters
    ----------
    gate
        With at least one threshold that is red.
    own
        What of its protocol is not that of all gates.
    """
    yield Version("", _ALL)
    title = f"### {verdict(gate.outcome)}: {code(gate.name)}, {gate.tally}"
    red = paragraphs(title, rows_table(gate.red))
    yield Version(red, "all but the red thresholds of {gates}")
    why = bullets([*sentences(gate.red), *_remarks(gate, causes=True)])
    others = [row for row in gate.rows if row.severity < 0]
    table = rows_table([*gate.red, *others])
    told = paragraphs(title, why, table, bullets(_remarks(gate, causes=False)), protocol(own))
    yield Version(told, "explanations and moved queries of {gates}")
    clipped, few = _explanations(gate, _CLIPPED), moved_most(gate, _FEWER)
    lean = paragraphs(told, clipped, few)
    yield Version(lean, "the ends of explanations and some moved queries of {gates}")
    full = _explanations(gate, None)
    yield Version(paragraphs(told, full, few), "some moved queries of {gates}")
    yield Version(paragraphs(told, full, moved_most(gate, _MOVED)))


def passed_gate(gate: ReportedGate, own: Mapping[str, str]) -> Iterator[Version]:
    """Set a gate that passes, to be opened; `own` is what of its protocol is not that of all gates."""
    # It comes after what is told of red gates without being opened.
    yield from [Version("", _ALL)] * 3
    beside = bullets(prose(remark.text, _REMARK) for remark in remarks(gate))
    parts = (rows_table(gate.rows), beside, protocol(own))
    yield Version(details(f"passed, {gate.tally}", gate.name, parts))


def _remarks(gate: ReportedGate, *, causes: bool) -> Iterator[str]:
    """Tell the remarks that name a cause, or the others."""
    for remark in remarks(gate):
        if (remark.kind in _CAUSES) == causes:
            yield prose(remark.text, _REMARK)


def _explanations(gate: ReportedGate, length: int | None) -> str:
    blocks = [block(row.explanation, length) for row in gate.red if row.explanation]
    return details("why, in full", "", blocks) if blocks else ""


def protocol(items: Mapping[str, str]) -> str:
    """Set what the values of a gate hang on, on one line; the beginning of a sum tells it from others."""
    told = (prose(_SHA256.sub(r"\1", f"{name}: {text}"), 300) for name, text in items.items())
    return f"Protocol: {' · '.join(told)}" if items else ""
