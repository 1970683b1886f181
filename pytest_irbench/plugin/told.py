"""What the plugin says in the terminal: the ledger of outcomes, its tables, the list of benchmarks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_irbench.errors import IrbenchError
from pytest_irbench.plugin.ledger import reported_gates
from pytest_irbench.plugin.logged import logged
from pytest_irbench.plugin.session import printable
from pytest_irbench.reports.terminal.screen import filled
from pytest_irbench.reports.terminal.terminal import terminal as lines_of

if TYPE_CHECKING:
    import pytest

    from pytest_irbench.gates.spec import BenchmarkSpec
    from pytest_irbench.plugin.session import IrbenchSession
    from pytest_irbench.plugin.updates import Update
    from pytest_irbench.reports.report import ReportedGate

_IDS_SHOWN = 3
_PROTOCOL = "scored as trec_eval -c (equal scores by doc_id, descending)"
_MARKUP = {
    "": {},
    "bold": {"bold": True},
    "passed": {"green": True},
    "failed": {"red": True},
    "error": {"red": True, "bold": True},
    "warned": {"yellow": True},
}
"""Style of a report -> how pytest writes it, if it colours."""


def write_summary(terminal: pytest.TerminalReporter, session: IrbenchSession) -> None:
    """Print the gates, and what turns the session red beside them."""
    gates = reported_gates(session)
    if gates:
        terminal.ensure_newline()
        terminal.section("irbench")
        _write_gates(terminal, gates)
    if session.holes:
        many = len(session.holes) > 1
        said = f"{len(session.holes)} selected threshold{'s have' if many else ' has'} no verdict"
        ids = ", ".join(session.holes[:_IDS_SHOWN]) + (", …" if len(session.holes) > _IDS_SHOWN else "")
        terminal.write_line(f"irbench: {said}, so this session fails: {ids}", red=True)
        terminal.write_line("irbench: what is skipped guards nothing: let it run, or leave it out with -k")
    for name in session.unmeasured:
        said = f"nothing was measured on {name}, which was selected, so this session fails"
        terminal.write_line(f"irbench: {said}", red=True)
    # Else it stands among what became of the reports.
    for line in () if session.written else session.lost:
        terminal.write_line(printable(f"irbench: {line}"), yellow=True)
    for path, count in session.left_out.items():
        counted = f"{count} threshold{'s' * (count != 1)}"
        what = "a file with faults" if count < 0 else counted
        terminal.write_line(f"irbench: {what} in {path} not run; run with --irbench=all")


def _write_gates(terminal: pytest.TerminalReporter, gates: tuple[ReportedGate, ...]) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    width = terminal.config.get_terminal_writer().fullwidth
    for line in lines_of(gates, width, terminal.verbosity, not _prints("·…", encoding)):
        for span in line:
            # Piece by piece: where the terminal can't print a character, pytest escapes a text with all its
            # line ends, and what is ours with it.
            text = logged(span.text).encode(encoding, "backslashreplace").decode(encoding)
            terminal.write(text, **_MARKUP[span.style])
        terminal.line("")


def _prints(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def write_update(terminal: pytest.TerminalReporter, update: Update) -> None:
    """Print what `--irbench-update` changed, or why it changed nothing."""
    terminal.section("irbench-update")
    for line in update.written:
        terminal.write_line(logged(printable(line)))
    if update.faults:
        what = "not all baselines could be written" if update.written else "no baseline was written"
        terminal.write_line(f"irbench: {what}, so this session fails", red=True)
    for line in update.faults:
        terminal.write_line(logged(printable(f"  {line}")))


def _judged(own: BenchmarkSpec) -> str:
    """Count the judged topics of the user's own files; a question mark where they can't be read."""
    from pytest_irbench.benchmarks.files import load_files

    if own.topics is None or own.qrels is None:
        return ""
    try:
        return str(len(load_files(own.name, own.topics, own.qrels).topics))
    except IrbenchError:
        return "?"


def data_home_or_none() -> str:
    """Name the folder of the data, or say that there is none."""
    from pytest_irbench.benchmarks.home import data_home

    try:
        return str(data_home())
    except IrbenchError:
        return "none (set IR_DATASETS_HOME)"


def _on_disk(name: str) -> str:
    from pytest_irbench.benchmarks.home import is_on_disk

    try:
        return "on disk" if is_on_disk(name) else "not on disk"
    except IrbenchError:
        return "not on disk"


def header(session: IrbenchSession) -> list[str]:
    """Say which plugin this is, what is selected, where its data lies and how it is scored."""
    from importlib.metadata import version

    names = ", ".join(session.selection.names)
    selected = f"irbench {version('pytest-irbench')}: {names};"
    pieces = (selected, f"data home {data_home_or_none()};", _PROTOCOL)
    return list(filled(pieces, session.config.get_terminal_writer().fullwidth, hanging="  "))


def list_benchmarks(config: pytest.Config) -> str:
    """Return the table of `--irbench-list`: the built-in benchmarks and those of the project's files."""
    from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES
    from pytest_irbench.plugin.selection import readable_specs
    from pytest_irbench.reports.listing import Listed, listing

    rows = [
        Listed(
            info.name,
            str(info.judged),
            info.relevance_level,
            info.measures,
            _on_disk(info.name),
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
                    own.name,
                    _judged(own),
                    own.relevance_level,
                    own.measures,
                    data,
                    own.description or str(spec.path),
                )
            )
    return listing(rows, FAMILIES, data_home_or_none())
