"""The table of a gate's thresholds in Markdown, and what is said of single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.markdown.prose import prose
from pytest_irbench.reports.markdown.text import code, counted, table
from pytest_irbench.reports.numbers import (
    asked_of,
    baseline_of,
    change_of,
    detectable_of,
    interval_of,
    judged_of,
    p_of,
    said_once,
    subject_of,
    tally_of,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_irbench.reports.row import Row

_SYMBOLS = {"passed": "✓", "failed": "✗", "error": "!", "depends": "?", "xpassed": "✗"}
_WORDS = {*_SYMBOLS, "xfailed", "skipped", "not run"}
_ONCE: Mapping[str, Callable[[Row], str]] = {
    **dict.fromkeys(("baseline", "change", "95% interval", "p", "worse/better", "detectable"), subject_of),
    "judged": lambda row: row.measure,
}
"""Columns that are said once -> of what."""
_NUMBERS = ("value", "baseline", "change", "p", "worse/better", "judged", "detectable")
_NOT_RUN = "not run"


def verdict(outcome: str) -> str:
    """Show an outcome as a word, with a symbol where it is a usual one."""
    word = outcome if outcome in _WORDS else code(outcome)
    return f"{_SYMBOLS[outcome]} {word}" if outcome in _SYMBOLS else word


def rows_table(rows: Sequence[Row]) -> str:
    """Set the thresholds as a table; a column of which no row has anything is left out."""
    told = [_cells(row) for row in rows]
    columns = {title: [cells[title] for cells in told] for title in (told[0] if told else ())}
    for title, about in _ONCE.items():
        if title in columns:
            columns[title] = said_once(rows, columns[title], about)
    shown = {title: column for title, column in columns.items() if any(column)}
    return table(list(shown), zip(*shown.values(), strict=True), _NUMBERS)


def _cells(row: Row) -> dict[str, str]:
    return {
        # First, since wide tables are cut off on the right until somebody scrolls.
        "verdict": verdict(row.outcome),
        "measure": code(subject_of(row)),
        "value": prose(row.shown) or value_of(row),
        "threshold": code(asked_of(row)),
        "baseline": baseline_of(row),
        "change": change_of(row),
        "95% interval": interval_of(row),
        "p": p_of(row).replace("*", "\\*"),
        "worse/better": tally_of(row),
        "judged": judged_of(row).replace(">", "&gt;"),
        "where": code(row.place),
        "detectable": detectable_of(row),
    }


def sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Tell what was found of red thresholds, a sentence each, and how many were not run."""
    ran = [row for row in rows if row.outcome != _NOT_RUN]
    for row in ran:
        said = row.sentence or f"{subject_of(row)} {asked_of(row)}"
        yield f"{verdict(row.outcome)}: {prose(said)}"
    if not_run := len(rows) - len(ran):
        yield f"{counted(not_run, 'threshold')} {'was' if not_run == 1 else 'were'} not run"
