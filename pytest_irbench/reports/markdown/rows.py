"""The table of a gate's thresholds in Markdown, and what is said of single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.markdown.text import code, table
from pytest_irbench.reports.numbers import (
    asked_of,
    baseline_of,
    change_of,
    detectable_of,
    interval_of,
    judged_of,
    p_of,
    subject_of,
    tally_of,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.row import Row

_SYMBOLS = {"passed": "✓", "failed": "✗", "error": "!", "depends": "?", "xpassed": "✗"}
_WORDS = {*_SYMBOLS, "xfailed", "skipped", "not run"}
_NUMBERS = ("value", "baseline", "change", "p", "worse/better", "judged", "detectable")


def verdict(outcome: str) -> str:
    """Show an outcome as a word, with a symbol where it is a usual one."""
    word = outcome if outcome in _WORDS else code(outcome)
    return f"{_SYMBOLS[outcome]} {word}" if outcome in _SYMBOLS else word


def rows_table(rows: Sequence[Row]) -> str:
    """Set the thresholds as a table; a column of which no row has anything is left out."""
    told = [_cells(row) for row in rows]
    header = [title for title in (told[0] if told else ()) if any(cells[title] for cells in told)]
    return table(header, ([cells[title] for title in header] for cells in told), _NUMBERS)


def _cells(row: Row) -> dict[str, str]:
    return {
        # First, since wide tables are cut off on the right until somebody scrolls.
        "verdict": verdict(row.outcome),
        "measure": code(subject_of(row)),
        "value": code(row.shown) or value_of(row),
        "threshold": code(asked_of(row)),
        "baseline": baseline_of(row),
        "change": change_of(row),
        "95% interval": interval_of(row),
        "p": p_of(row).replace("*", "\\*"),
        "worse/better": tally_of(row),
        "judged": judged_of(row).replace(">", "&gt;"),
        "detectable": detectable_of(row),
        "where": code(row.place),
    }


def found(row: Row) -> str:
    """Show what was found of a threshold in one sentence."""
    return code(row.sentence or f"{subject_of(row)} {asked_of(row)}", 1_000)


def sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Tell what was found of red thresholds."""
    for row in rows:
        yield f"{verdict(row.outcome)} {found(row)}"
