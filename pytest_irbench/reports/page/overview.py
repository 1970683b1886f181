"""The head of the page: what failed, by how much and why, before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.gaps import gaps
from pytest_irbench.reports.numbers import asked_of, subject_of, value_of
from pytest_irbench.reports.page.elements import Html, element, joined, table
from pytest_irbench.reports.page.words import (
    NONE,
    change,
    commit,
    counted,
    moment,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.gaps import Gap
    from pytest_irbench.reports.report import Failure, Report, ReportedGate
    from pytest_irbench.reports.row import Row

_REASONS = 12
"""How many red thresholds are told here; the sections of the gates have all."""


def headline(report: Report) -> str:
    """Say how a session came out, for instance ``failed: 1 of 3 gates``.

    Parameters
    ----------
    report
        The session.
    """
    many = len(report.gates)
    red = sum(gate.outcome != "passed" for gate in report.gates)
    word = "passed" if report.passed else "failed"
    if not report.finished:
        word = "interrupted"
    if red:
        return f"{word}: {red:,} of {counted(many, 'gate')}"
    if report.passed and report.finished:
        return f"{word}: {counted(many, 'gate')}" if many else f"{word}: no gate ran"
    beside = [(len(report.problems), "problem"), (len(report.failures), "other test")]
    told = " and ".join(counted(number, thing) for number, thing in beside if number)
    return f"{word}: {told}" if told else word


def overview(report: Report) -> Html:
    """Write the overview.

    Parameters
    ----------
    report
        The session.
    """
    outcome = "passed" if report.passed else "failed"
    parts = [
        element("h1", verdict(outcome if report.finished else "interrupted"), _counts(report)),
        _facts(report),
        _reasons(report.gates),
        _list("Problems", "problem", report.problems),
        _failures(report.failures),
        _gates(report.gates),
        joined(_gap(gap) for gap in gaps(report.gates)),
        _list("Warnings", "warning", report.warnings),
    ]
    return element("section", joined(parts), id="overview", aria_label="Overview")


def _counts(report: Report) -> str:
    _, _, counts = headline(report).partition(":")
    return counts


def _facts(report: Report) -> Html:
    facts: list[Html] = [element("span", moment(report.created)), *commit(report.commit)]
    if report.selection:
        facts.append(element("code", f"--irbench={','.join(report.selection)}"))
    facts.append(element("span", f"pytest-irbench {report.plugin_version}"))
    facts.append(joined(["data in ", element("code", report.data_home)]))
    return element("ul", joined(element("li", fact) for fact in facts), class_="facts")


def _list(title: str, kind: str, texts: Sequence[str]) -> Html:
    if not texts:
        return Html()
    items = joined(element("li", text) for text in texts)
    return element("div", element("h2", title), element("ul", items), class_=f"card {kind}")


def _reasons(gates: Sequence[ReportedGate]) -> Html:
    red = [(place, gate, row) for place, gate in enumerate(gates, 1) for row in gate.red]
    if not red:
        return Html()
    told: dict[int, list[str]] = {}
    for place, _, row in red[:_REASONS]:
        told.setdefault(place, []).append(row.sentence or _named(row))
    items = joined(_reason(place, gates[place - 1], sentences) for place, sentences in told.items())
    left = len(red) - _REASONS
    more = element("p", f"and {left:,} more in the sections of the gates") if left > 0 else Html()
    title = element("h2", "What failed")
    return element("div", title, element("ul", items, class_="reasons"), more, class_="card problem")


def _named(row: Row) -> str:
    return f"{subject_of(row)} {asked_of(row)}: {row.outcome}"


def _reason(place: int, gate: ReportedGate, sentences: Sequence[str]) -> Html:
    stages = gate.detail.stages if gate.detail else ()
    lines = [
        *(element("p", text) for text in sentences),
        *(element("p", text, class_="why") for text in stages),
    ]
    return element("li", element("a", gate.name, href=f"#gate-{place}"), joined(lines))


def _failures(failures: Sequence[Failure]) -> Html:
    if not failures:
        return Html()
    items = joined(
        element(
            "li",
            verdict(one.outcome),
            " ",
            element("code", one.nodeid),
            element("pre", one.message, tabindex="0"),
        )
        for one in failures
    )
    title = element("h2", "Other tests")
    return element("div", title, element("ul", items, class_="reasons"), class_="card problem")


def _gates(gates: Sequence[ReportedGate]) -> Html:
    if not gates:
        return element("p", "No gate ran in this session.")
    header = ("verdict", "gate", "thresholds", "first measure", "value", "change", "file")
    rows = joined(_gate(place, gate) for place, gate in enumerate(gates, 1))
    return joined([element("h2", "Gates"), table("Gates of this session", header, [rows], (4, 5), "gates")])


def _gate(place: int, gate: ReportedGate) -> Html:
    first = gate.rows[0] if gate.rows else None
    numbers = (subject_of(first), value_of(first) or NONE) if first else (NONE, NONE)
    cells = [
        element("td", verdict(gate.outcome)),
        element("th", element("a", gate.name, href=f"#gate-{place}"), scope="row"),
        element("td", ", ".join(_tally(gate))),
        element("td", numbers[0]),
        element("td", numbers[1], class_="number"),
        element("td", change(first.measure, first.change) if first else NONE, class_="number"),
        element("td", element("code", gate.file)),
    ]
    return element("tr", joined(cells))


def _gap(gap: Gap) -> Html:
    """Show what other utterances make of a system."""
    cells = ((element("th", subject, scope="row"), rest) for subject, *rest in gap.rows)
    rows = (
        element("tr", name, joined(element("td", text, class_="number") for text in rest))
        for name, rest in cells
    )
    shown = table(gap.title, gap.header, rows, range(1, len(gap.header)), "gaps")
    return joined([element("h2", gap.title), shown])


def _tally(gate: ReportedGate) -> Iterator[str]:
    """Count the thresholds, and those that are neither red nor passed by pytest's word."""
    yield gate.tally
    others = [row.outcome for row in gate.rows if row.severity < 0 and row.outcome != "passed"]
    for outcome in dict.fromkeys(others):
        yield f"{others.count(outcome):,} {outcome}"
