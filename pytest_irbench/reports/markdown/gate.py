"""A gate in Markdown, in versions of growing fullness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.markdown.fit import Version
from pytest_irbench.reports.markdown.moved import moved_most
from pytest_irbench.reports.markdown.rows import found, rows_table, sentences, verdict
from pytest_irbench.reports.markdown.text import block, bullets, code, counted, details, line, paragraphs
from pytest_irbench.reports.remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_irbench.reports.report import ReportedGate

HEADER = ("verdict", "gate", "red", "first of them")
"""Titles of the columns of `overview`."""

_MOVED, _FEWER = 10, 3
_CLIPPED = 1_000  # characters of an explanation
_ALL = "all thresholds of {gates}"


def overview(gate: ReportedGate) -> Iterator[Version]:
    """Set the gate's line in the table of all gates."""
    yield Version("", "the lines of {gates} in the first table")
    red = gate.red
    first = found(red[0]) if red else ""
    counts = f"{len(red)} of {len(gate.rows)}"
    yield Version(line([verdict(gate.outcome), code(gate.name), counts, first]))


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
    title = (
        f"### {verdict(gate.outcome)}: {code(gate.name)}, "
        f"{len(gate.red)} of {counted(len(gate.rows), 'threshold')}"
    )
    red = paragraphs(title, rows_table(gate.red))
    yield Version(red, "all but the red thresholds of {gates}")
    told = paragraphs(title, rows_table(gate.rows), _beside(gate), protocol(own))
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
    parts = (rows_table(gate.rows), _beside(gate), protocol(own))
    yield Version(details(f"passed, {counted(len(gate.rows), 'threshold')}", gate.name, parts))


def _beside(gate: ReportedGate) -> str:
    """List what is said beside the table: red thresholds, then remarks."""
    return bullets([*sentences(gate.red), *(code(remark.text, 2_000) for remark in remarks(gate))])


def _explanations(gate: ReportedGate, length: int | None) -> str:
    blocks = [block(row.explanation, length) for row in gate.red if row.explanation]
    return details("why, in full", "", blocks) if blocks else ""


def protocol(items: Mapping[str, str]) -> str:
    """Set what the values of a gate hang on, on one line."""
    return f"Protocol: {', '.join(code(f'{name}: {text}') for name, text in items.items())}" if items else ""
