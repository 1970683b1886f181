"""What the plugin says in the terminal: the ledger of outcomes, its tables, the list of benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_irbench.reports.summary import Row, summary

if TYPE_CHECKING:
    import pytest

    from pytest_irbench.plugin.session import IrbenchSession

_FIELDS = ("benchmark", "system", "measure", "rule", "limit", "place", "value", "queries", "missing", "extra",
           "note")  # fmt: skip


def row_of(report: pytest.TestReport) -> tuple[int, Row]:
    """Turn the properties of a threshold's report into its place and its row."""
    given: dict[str, Any] = {str(k).removeprefix("irbench_"): v for k, v in report.user_properties}
    outcome: str = report.outcome
    if report.failed and report.when != "call":
        outcome = "error"
    elif hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    fields = {name: given[name] for name in _FIELDS if name in given}
    return given["order"], Row(outcome=outcome, **fields)


def keep(session: IrbenchSession, report: pytest.TestReport) -> None:
    """Write the outcome of a threshold into the ledger."""
    if report.when == "call" or report.outcome != "passed":
        session.rows[report.nodeid] = row_of(report)


def write_summary(terminal: pytest.TerminalReporter, session: IrbenchSession) -> None:
    """Print the tables in the order in which the thresholds are declared."""
    if session.rows:
        terminal.section("irbench")
        rows = [row for _, row in sorted(session.rows.values(), key=lambda entry: entry[0])]
        terminal.write_line(summary(rows))
    for path, count in session.left_out.items():
        counted = f"{count} threshold{'s' * (count != 1)}"
        what = "a file with faults" if count < 0 else counted
        terminal.write_line(f"irbench: {what} in {path} not run; run with --irbench=all")


def list_benchmarks(config: pytest.Config) -> str:
    """Return the table of `--irbench-list`: the built-in benchmarks and those of the project's files."""
    from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES
    from pytest_irbench.benchmarks.datasets import data_home, is_on_disk
    from pytest_irbench.plugin.selection import readable_specs
    from pytest_irbench.reports.listing import Listed, listing

    rows = [
        Listed(
            info.name,
            str(info.judged),
            info.relevance_level,
            info.measures,
            "on disk" if is_on_disk(info.name) else "not on disk",
            info.description,
        )
        for info in BUILTIN.values()
    ]
    for spec in readable_specs(config):
        for own in spec.benchmarks.values():
            paths = [path for path in (own.topics, own.qrels) if path]
            data = own.ir_datasets or ("on disk" if all(p.is_file() for p in paths) else "not on disk")
            rows.append(
                Listed(
                    own.name, "", own.relevance_level, own.measures, data, own.description or str(spec.path)
                )
            )
    return listing(rows, FAMILIES, str(data_home()))
