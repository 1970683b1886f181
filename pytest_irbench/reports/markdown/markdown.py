"""The report for pull requests: Markdown of GitHub and GitLab that fits their limits."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_irbench.reports.gaps import gaps
from pytest_irbench.reports.markdown.fit import Version, fitted, left_out, size
from pytest_irbench.reports.markdown.gate import HEADER, overview, passed_gate, protocol, red_gate
from pytest_irbench.reports.markdown.prose import prose
from pytest_irbench.reports.markdown.rows import verdict
from pytest_irbench.reports.markdown.text import block, bullets, code, counted, details, paragraphs, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_irbench.reports.report import Failure, Report, ReportedGate

_NOTE = 1_000  # bytes for the sentence on what is left out, and for the heading
_REST = "Left out to fit into {limit:,} bytes: {what}. The .html and .json reports have everything."
_MESSAGE = 5_000  # characters
_COMMIT = 12  # characters, as many as git needs in any project


def markdown(report: Report, limit: int = 1_000_000) -> str:
    """Tell a session in Markdown: the verdicts first, the rest to be opened.

    It does not hang on the width of a terminal. Texts of others are shown as they are and never rendered.

    Parameters
    ----------
    report
        The session.
    limit
        In bytes of UTF-8, from 2,000. GitHub refuses summaries of more than 1,048,576. Where not all fits,
        the queries that moved are fewer, then explanations are clipped, then details are left out, and a
        sentence says so.
    """
    gates = sorted(report.gates, key=lambda gate: gate.outcome == "passed")
    pieces = [_problems(report), _foot(report), *map(overview, gates), *_sections(report, gates)]
    title = f"## {_verdict(report)}"
    table_of_gates = table(HEADER, []) if gates else ""
    chosen = fitted(pieces, limit - _NOTE - size(table_of_gates))
    problems, foot, *texts = (version.text for version in chosen)
    lines, sections = texts[: len(gates)], texts[len(gates) :]
    all_gates = "\n".join(filter(None, [table_of_gates, *lines]))
    what = left_out(chosen)
    rest = _REST.format(limit=limit, what=what) if what else ""
    return f"{paragraphs(title, problems, all_gates, rest, *sections, foot)}\n"


def _whole(what: str, text: str) -> tuple[Version, ...]:
    """Make a piece that is told in full or not at all."""
    return Version("", what), Version(text)


def _problems(report: Report) -> tuple[Version, ...]:
    return _whole("problems", bullets(prose(problem) for problem in report.problems))


def _verdict(report: Report) -> str:
    outcomes = Counter(gate.outcome for gate in report.gates)
    parts = [
        f"{outcomes['failed']} failed" if outcomes["failed"] else "",
        f"{outcomes['error']} could not be measured" if outcomes["error"] else "",
        f"{outcomes['passed']} passed" if outcomes["passed"] else "",
    ]
    gates = f"{', '.join(filter(None, parts))} of {counted(len(report.gates), 'gate')}"
    others = [
        counted(len(report.problems), "problem") if report.problems else "",
        f"{counted(len(report.failures), 'other test')} failed" if report.failures else "",
        "" if report.finished else "interrupted before its end",
    ]
    said = "; ".join(filter(None, [gates if report.gates else "no gate", *others]))
    is_green = report.passed and not outcomes["failed"] and not outcomes["error"]
    return f"{verdict('passed' if is_green else 'failed')}: {said}"


def _sections(report: Report, gates: Sequence[ReportedGate]) -> Iterator[Iterable[Version]]:
    """Set what stands under the table of gates, red ones first."""
    common = _common(gates)
    for gate in gates:
        if gate.red:
            yield red_gate(gate, _own(gate, common))
    for gap in gaps(gates):
        rows = ([code(subject), *rest] for subject, *rest in gap.rows)
        shown = paragraphs(f"### {code(gap.title)}", table(gap.header, rows, gap.header[1:]))
        yield _whole("what other words make of systems", shown)
    if report.failures:
        yield _failures(report.failures)
    if report.warnings:
        shown = paragraphs("### Warnings", bullets(prose(warning) for warning in report.warnings))
        yield _whole("warnings", shown)
    for gate in gates:
        if not gate.red:
            yield passed_gate(gate, _own(gate, common))


def _failures(failures: Sequence[Failure]) -> tuple[Version, ...]:
    names = bullets(f"{verdict(failure.outcome)} {code(failure.nodeid)}" for failure in failures)
    told = paragraphs("### Other tests that failed", names)
    parts = [f"{code(failure.nodeid)}\n\n{block(failure.message, _MESSAGE)}" for failure in failures]
    full = paragraphs(told, details("their messages", "", parts))
    return (
        Version("", "other tests that failed"),
        Version(told, "messages of other tests"),
        Version(full),
    )


def _common(gates: Sequence[ReportedGate]) -> Mapping[str, str]:
    """Find what the protocols of all measured gates share."""
    protocols = [gate.detail.protocol for gate in gates if gate.detail]
    first = protocols[0].items() if protocols else ()
    return {name: text for name, text in first if all(one.get(name) == text for one in protocols)}


def _own(gate: ReportedGate, common: Mapping[str, str]) -> Mapping[str, str]:
    own = gate.detail.protocol if gate.detail else {}
    return {name: text for name, text in own.items() if name not in common}


def _foot(report: Report) -> tuple[Version, ...]:
    parts = [
        f"pytest-irbench {code(report.plugin_version)}",
        f"commit {code(report.commit[:_COMMIT])}" if report.commit else "no commit",
        f"selected {code(', '.join(report.selection))}",
        code(report.created),
        protocol(_common(report.gates)).replace("Protocol", "protocol", 1),
    ]
    return _whole("the last line", f"---\n\n{', '.join(filter(None, parts))}")
