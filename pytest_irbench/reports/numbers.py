"""How every report says the numbers of a threshold; an empty text where there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import is_count, number_of, printed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_irbench.reports.row import Row

_NEARLY_ALL = 0.9995


def said_once(rows: Sequence[Row], texts: Sequence[str], about: Callable[[Row], str]) -> list[str]:
    """Keep one text of all rows that are about the same, that of a max_drop if there is one, or the first.

    Parameters
    ----------
    rows
        The thresholds of a gate.
    texts
        What a column says of each; the others are made empty.
    about
        Names what a row is about.
    """
    speaking: dict[str, int] = {}
    for place, row in enumerate(rows):
        known = speaking.get(about(row))
        if texts[place] and (known is None or (row.evidence and not rows[known].evidence)):
            speaking[about(row)] = place
    said = set(speaking.values())
    return [text if place in said else "" for place, text in enumerate(texts)]


def subject_of(row: Row) -> str:
    """Name what a threshold is about."""
    return row.subject or row.measure


def value_of(row: Row) -> str:
    """Say what was measured; beside a limit with as many digits as tell them apart."""
    if row.shown or row.value is None:
        return row.shown
    if row.limit is None or row.rule not in {"min", "max"}:
        return number(row.measure, row.value)
    return printed(row.measure, row.value, row.limit)[0]


def asked_of(row: Row) -> str:
    """Say what a threshold asks for; a limit with as many digits as tell it from the value."""
    if row.limit is None or row.rule not in {"min", "max"}:
        return row.threshold or row.rule
    value = row.limit if row.value is None else row.value
    return f"{row.rule} {printed(row.measure, value, row.limit)[1]}"


def number(measure: str, value: float | None) -> str:
    """Print a value of a measure; the mean of counts may have a decimal."""
    if value is None or not math.isfinite(value):
        return ""
    if is_count(measure) and not value.is_integer():
        return f"{value:.1f}".replace("-0.0", "0.0")
    text = number_of(measure, value)
    return text.removeprefix("-") if float(text) == 0 else text


def signed(measure: str, change: float | None) -> str:
    """Print a change with its sign; one too small for the decimals is not said to be none."""
    text = number(measure, change)
    if change is None or not text or change == 0:
        return text
    if float(text) == 0:
        return f"{change:+.1e}"
    return text if change < 0 else f"+{text}"


def baseline_of(row: Row) -> str:
    """Print the baseline's value."""
    return number(row.measure, row.baseline)


def change_of(row: Row) -> str:
    """Print what became of it, with its sign."""
    return signed(row.measure, row.change)


def interval_of(row: Row) -> str:
    """Print the 95% interval of the change."""
    if row.change_low is None or row.change_high is None:
        return ""
    return f"{signed(row.measure, row.change_low)} to {signed(row.measure, row.change_high)}"


def p_of(row: Row) -> str:
    """Print the p-value of a drop; with a star where it is adjusted."""
    if row.p is None:
        return ""
    if row.p_adjusted is None or row.family == 1:
        return f"{row.p:.4f}"
    return f"{row.p_adjusted:.4f}*"


def tally_of(row: Row) -> str:
    """Count the queries that got worse and better."""
    return "" if row.worse is None or row.better is None else f"{row.worse}/{row.better}"


def judged_of(row: Row) -> str:
    """Print the share of judged documents in percent; only all of them are 100%."""
    if row.judged is None or row.judged == 1:
        return "" if row.judged is None else "100%"
    return ">99.9%" if row.judged >= _NEARLY_ALL else f"{row.judged:.1%}"


def detectable_of(row: Row) -> str:
    """Print the smallest drop that is seen reliably, where a drop decides; unmoved queries tell of none."""
    return number(row.measure, row.detectable or None)
