"""How the page says numbers and verdicts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import is_count, is_latency, number_of, printed
from pytest_irbench.reports.page.elements import Html, element, joined

if TYPE_CHECKING:
    from pytest_irbench.reports.row import Row

NONE = "-"
"""What stands where there is no number."""

_VERDICTS = {
    "passed": ("good", "✓"),
    "failed": ("bad", "✗"),
    "error": ("bad", "!"),
    "depends": ("bad", "?"),
    "xpassed": ("bad", "✗"),
    "skipped": ("bad", "!"),
    "not run": ("bad", "!"),
    "interrupted": ("bad", "!"),
}


def verdict(outcome: str) -> Html:
    """Say an outcome by its word, a sign and a colour."""
    kind, sign = _VERDICTS.get(outcome, ("quiet", "-"))
    return element("span", element("span", sign, aria_hidden="true"), f" {outcome}", class_=f"verdict {kind}")


def counted(number: int, thing: str, things: str = "") -> str:
    """Say a number of things: ``1 query``, ``7,000 queries``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def value_and_threshold(row: Row) -> tuple[str, str]:
    """Print a value and what it is held against, with as many decimals as it takes to tell them apart."""
    if row.limit is None or row.value is None or row.rule not in {"min", "max"}:
        return row.shown or number(row.measure, row.value), row.threshold or row.rule
    value, limit = printed(row.measure, row.value, row.limit)
    return row.shown or value, f"{row.rule} {limit}"


def number(measure: str, value: float | None) -> str:
    """Print a value of a measure; a mean of counts with one decimal."""
    if value is None or not math.isfinite(value):
        return NONE
    if is_count(measure) and not value.is_integer():
        return f"{value:.1f}"
    text = number_of(measure, value)
    return text.removeprefix("-") if float(text) == 0 else text


def signed(measure: str, change: float | None) -> str:
    """Print a change with its sign; one too small for the decimals is not said to be none."""
    text = number(measure, change)
    if change is None or text == NONE or change == 0:
        return text
    if float(text) == 0:
        return f"{change:+.1e}"
    return text if change < 0 else f"+{text}"


def change(measure: str, value: float | None) -> Html:
    """Say a change by its sign and a colour: more of a latency is no good."""
    text = signed(measure, value)
    if not value or text == NONE:
        return element("span", text)
    return element("span", text, class_="good" if (value > 0) != is_latency(measure) else "bad")


def interval(row: Row) -> str:
    """Print the 95% interval of a change."""
    if row.change_low is None or row.change_high is None:
        return NONE
    return f"{signed(row.measure, row.change_low)} to {signed(row.measure, row.change_high)}"


def p_value(row: Row) -> str:
    """Print the p-value, with a star where it is adjusted for several thresholds."""
    if row.p is None:
        return NONE
    adjusted = row.p_adjusted is not None and row.family > 1
    return f"{row.p_adjusted:.4f}*" if adjusted else f"{row.p:.4f}"


def share(part: float | None) -> str:
    """Print a share in percent; what is not all is not said to be all."""
    if part is None:
        return NONE
    return ">99.9%" if 0.9995 <= part < 1 else f"{part:.1%}"


def moment(time: str) -> str:
    """Print a time: ``2026-11-30 19:40 UTC``."""
    return f"{time[:10]} {time[11:16]} UTC" if time.endswith("+00:00") else time


def commit(whole: str | None) -> list[Html]:
    """Print a commit, shortened, if there is one."""
    return [joined(["commit ", element("code", whole[:12])])] if whole else []
