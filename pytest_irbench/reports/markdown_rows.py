"""The table of a gate's thresholds in Markdown, and what is said of single ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import is_count, is_latency, number_of, printed
from pytest_irbench.reports.markdown_text import code, table

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
    value, threshold = _value(row)
    worse_better = "" if row.worse is None else f"{row.worse}/{row.better}"
    return {
        # First, since wide tables are cut off on the right until somebody scrolls.
        "verdict": verdict(row.outcome),
        "measure": code(row.subject or row.measure),
        "value": value,
        "threshold": threshold,
        "baseline": number(row.measure, row.baseline),
        "change": signed(row.measure, row.change),
        "95% interval": _interval(row),
        "p": _p(row),
        "worse/better": worse_better,
        "judged": "" if row.judged is None else f"{row.judged:.1%}",
        "detectable": number(row.measure, row.detectable) if row.evidence else "",
        "where": code(row.place),
    }


def _value(row: Row) -> tuple[str, str]:
    """Show value and threshold, a near miss with the digits that tell them apart."""
    if row.value is not None and row.limit is not None and row.rule in {"min", "max"}:
        value, limit = printed(row.measure, row.value, row.limit)
        threshold = f"{row.rule} {limit}"
    else:
        value = "" if row.value is None else number_of(row.measure, row.value)
        threshold = row.threshold or row.rule
    return code(row.shown) or value, code(threshold)


def number(measure: str, value: float | None) -> str:
    """Show a number as its measure asks for, and nothing where there is none."""
    if value is None or not math.isfinite(value):
        return ""
    text = f"{value:.{1 if is_count(measure) or is_latency(measure) else 4}f}"
    text = text.removesuffix(".0") if is_count(measure) else text
    return text.removeprefix("-") if float(text) == 0 else text


def signed(measure: str, value: float | None) -> str:
    """Show a change with its sign."""
    text = number(measure, value)
    return f"+{text}" if text and float(text) > 0 else text


def _interval(row: Row) -> str:
    low, high = signed(row.measure, row.change_low), signed(row.measure, row.change_high)
    return f"{low} to {high}" if low and high else ""


def _p(row: Row) -> str:
    if row.p is None:
        return ""
    return f"{row.p_adjusted:.4f} (Holm)" if _is_adjusted(row) else f"{row.p:.4f}"


def _is_adjusted(row: Row) -> bool:
    return row.p_adjusted is not None and row.family > 1


def found(row: Row) -> str:
    """Show what was found of a threshold in one sentence."""
    return code(row.sentence or f"{row.subject or row.measure} {row.threshold or row.rule}", 1_000)


def sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Tell what was found of red thresholds, and without which queries they would pass."""
    for row in rows:
        without = f", {code(row.without)}" if row.without else ""
        yield f"{verdict(row.outcome)} {found(row)}{without}"


def notes(rows: Sequence[Row]) -> Iterator[str]:
    """Tell what a reader must know beside the table, each once."""
    yield from dict.fromkeys(note for row in rows for note in _notes(row))


def _notes(row: Row) -> Iterator[str]:
    if row.since:
        yield f"against the {code(row.since)}"
    if _is_adjusted(row):
        yield f"p adjusted for the {row.family} thresholds of this gate that ask for significance (Holm)"
    for text in (row.rejudged, row.by_depth, row.about, row.note):
        yield from (code(line, 2_000) for line in text.split("\n") if line)
