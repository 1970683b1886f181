"""The section of a gate as it stands without its script: why it is red, its thresholds, its protocol."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pytest_irbench.reports.numbers import (
    asked_of,
    baseline_of,
    detectable_of,
    interval_of,
    judged_of,
    p_of,
    subject_of,
    tally_of,
    value_of,
)
from pytest_irbench.reports.page.elements import Html, element, joined, table
from pytest_irbench.reports.page.words import NONE, change, commit, counted, verdict
from pytest_irbench.reports.remarks import remarks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.gates.detail import GateDetail
    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.row import Row

_EXPLAINED = 50
"""How many red thresholds of a gate are told in full: a broken system may turn thousands red."""


def section(gate: ReportedGate, place: int, selection: Sequence[str]) -> Html:
    """Write the section of a gate.

    Parameters
    ----------
    gate
        The gate.
    place
        Which of the session it is, from 1.
    selection
        That of the session, which commands hold.
    """
    name = f"gate-{place}"
    heading = element("h2", verdict(gate.outcome), " ", gate.name, id=f"{name}-name")
    back = element("a", "↑ overview", href="#overview", class_="back", aria_label="Back to the overview")
    parts = [
        element("div", heading, back, class_="title"),
        _facts(gate),
        _stages(gate.detail),
        joined(_reds(gate.red, selection)),
        _thresholds(gate.rows, f"Thresholds of {gate.name}"),
        _remarks(gate),
        _protocol(gate.detail),
        _explorer(gate, place),
    ]
    return element("section", joined(parts), class_="gate", id=name, aria_labelledby=f"{name}-name")


def command(nodeid: str, selection: Sequence[str]) -> str:
    """Return what runs one test; nothing in it is read by a shell.

    Parameters
    ----------
    nodeid
        The id of the test.
    selection
        What was selected: without it, tests in Python would be skipped, which is green.
    """
    plain = nodeid.isprintable() and not set(nodeid) & set('"$`\\!')
    selected = [shlex.quote(f"--irbench={','.join(selection)}")] if selection else []
    return " ".join(["pytest", *selected, f'"{nodeid}"' if plain else shlex.quote(nodeid)])


def _facts(gate: ReportedGate) -> Html:
    facts = [element("code", gate.file)]
    measured = next((row for row in gate.rows if row.queries is not None), None)
    if measured is not None:
        facts.append(element("span", counted(measured.queries or 0, "query", "queries")))
        if measured.missing:
            facts.append(element("span", f"{measured.missing:,} without results count 0"))
        if measured.extra:
            facts.append(element("span", f"{measured.extra:,} unjudged left out"))
    if gate.detail is None:
        lost = "its values by query are not known" if gate.is_measured else "nothing was measured"
        said = "compared in Python, which keeps no values by query" if gate.is_python else lost
        facts.append(element("span", said))
    elif gate.detail.baseline is None:
        facts.append(element("span", "no baseline"))
    else:
        known = gate.detail.baseline
        again = ", its run scored with the judgments of today" if known.rejudged else ""
        facts.append(element("span", f"against the baseline of {known.date} ({known.reason}){again}"))
        facts.extend(commit(known.commit))
    return element("ul", joined(element("li", fact) for fact in facts), class_="facts")


def _stages(detail: GateDetail | None) -> Html:
    stages = detail.stages if detail else ()
    return joined(element("p", text, class_="why") for text in stages)


def _reds(rows: Sequence[Row], selection: Sequence[str]) -> Iterator[Html]:
    for row in rows[:_EXPLAINED]:
        yield element("article", joined(_red(row, selection)), class_="red card problem")
    if len(rows) > _EXPLAINED:
        left = len(rows) - _EXPLAINED
        yield element(
            "p", f"{left:,} more are red: they stand in the table, a .json report tells them in full."
        )


def _red(row: Row, selection: Sequence[str]) -> Iterator[Html]:
    said = row.sentence or f"{subject_of(row)} {asked_of(row)}"
    yield element("h3", verdict(row.outcome), " ", said)
    if row.without:
        yield element("p", row.without, class_="without")
    if row.explanation:
        full = element("pre", row.explanation, tabindex="0")
        yield element("details", element("summary", "In full"), full)
    if row.nodeid:
        yield element("p", element("code", command(row.nodeid, selection)), class_="command")


def _thresholds(rows: Sequence[Row], caption: str) -> Html:
    held = any(row.baseline is not None for row in rows)
    seen = any(row.evidence for row in rows)
    header = ["verdict", "measure", "value", "threshold"]
    if held:
        header += [
            "baseline",
            "change",
            "95%\N{NO-BREAK SPACE}interval",
            "p",
            "worse/better",
        ]
    if seen:
        header.append("detectable")
    header += ["judged", "where"]
    places = [2, *range(4, len(header) - 1)]
    return table(
        caption, header, (_threshold(row, held=held, seen=seen) for row in rows), places, "thresholds"
    )


def _threshold(row: Row, *, held: bool, seen: bool) -> Html:
    numbers: list[str | Html] = []
    if held:
        numbers += [
            baseline_of(row),
            change(row.measure, row.change),
            interval_of(row),
            p_of(row),
            tally_of(row),
        ]
    if seen:
        numbers.append(detectable_of(row))
    numbers.append(judged_of(row))
    cells = [
        element("td", verdict(row.outcome)),
        element("th", subject_of(row), scope="row"),
        element("td", value_of(row) or NONE, class_="number"),
        element("td", asked_of(row)),
        *(element("td", text or NONE, class_="number") for text in numbers),
        element("td", element("code", row.place)),
    ]
    return element("tr", joined(cells), **({"class_": "is-red"} if row.severity >= 0 else {}))


def _remarks(gate: ReportedGate) -> Html:
    """Write what a reader must know beside the table; causes stand above it, and what red rows say there."""
    said = [one for one in remarks(gate) if one.kind not in {"stage", "without"}]
    items = joined(element("li", one.text) for one in said)
    return element("ul", items, class_="remarks") if items else Html()


def _protocol(detail: GateDetail | None) -> Html:
    if detail is None or not detail.protocol:
        return Html()
    pairs = joined(
        element("div", element("dt", name), element("dd", text)) for name, text in detail.protocol.items()
    )
    return element("details", element("summary", "Protocol"), element("dl", pairs), class_="protocol")


def _explorer(gate: ReportedGate, place: int) -> Html:
    """Leave room for what the script draws."""
    if gate.detail is None and not gate.trend:
        return Html()
    what = "plots and the table of queries" if gate.detail else "the trend"
    hint = element("p", f"A script draws {what} here, once this is in view.", class_="empty")
    return element("div", hint, class_="explorer", data_gate=f"{place}")
