"""How the page says numbers and verdicts."""

from __future__ import annotations

from pytest_irbench.gates.decide import is_latency
from pytest_irbench.reports.numbers import signed
from pytest_irbench.reports.page.elements import Html, element, joined

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


def change(measure: str, value: float | None) -> Html:
    """Say a change by its sign and a colour: more of a latency is no good."""
    text = signed(measure, value) or NONE
    if not value or text == NONE:
        return element("span", text)
    return element("span", text, class_="good" if (value > 0) != is_latency(measure) else "bad")


def moment(time: str) -> str:
    """Print a time: ``2026-11-30 19:40 UTC``."""
    return f"{time[:10]} {time[11:16]} UTC" if time.endswith("+00:00") else time


def commit(whole: str | None) -> list[Html]:
    """Print a commit, shortened, if there is one."""
    return [joined(["commit ", element("code", whole[:12])])] if whole else []
