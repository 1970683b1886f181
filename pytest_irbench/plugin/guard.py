"""The hooks of a session that guards something: registered when one does, so that no other pays for them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_irbench.plugin.session import IrbenchSession


class Guard:
    """Measures the gates' tests, keeps their outcomes and tells of them.

    Under xdist the reports arrive on the controller, which collects nothing itself.
    """

    def __init__(self, session: IrbenchSession) -> None:
        self.session = session
        # With these nothing is run, or no fixture is built.
        options = ("setupplan", "setuponly", "collectonly")
        self._measures = not any(session.config.getoption(option, default=False) for option in options)
        self._is_worker = hasattr(session.config, "workerinput")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give an xdist worker the folder in which runs are shared."""
        from pytest_irbench.plugin import shared_runs

        self.session.shared = self.session.shared or shared_runs.make_folder()
        node.workerinput[shared_runs.INPUT] = str(self.session.shared)

    def pytest_unconfigure(self) -> None:
        """Remove that folder."""
        if self.session.shared:
            from pytest_irbench.plugin import shared_runs

            shared_runs.remove_folder(self.session.shared)

    def pytest_report_header(self) -> list[str]:
        """Say what is selected, where its data lies and how it is scored."""
        from pytest_irbench.plugin.told import header

        return header(self.session) if self.session.selection.names else []

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run a test that uses `irbench` once for each selected benchmark."""
        if "irbench" in metafunc.fixturenames:
            from pytest_irbench.plugin.selection import benchmarks_in_turn

            names = benchmarks_in_turn(self.session)
            if names:
                metafunc.parametrize("irbench", names, indirect=True, scope="session")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Before tests are deselected, note what was collected; afterwards what is to be decided."""
        from pytest_irbench.plugin import never_empty

        missing = never_empty.check(session, items)
        yield
        # An xdist worker and a session that only lists its tests select the same ones.
        chosen = [item for item in items if getattr(item.parent, "holds_gates", False)]
        self.session.selected = [item.nodeid for item in chosen]
        if self._measures:
            # Where nothing is run, nothing lacks a verdict.
            self.session.declared = {item.nodeid: list(item.user_properties) for item in chosen}
        items.extend(missing)
        if self._is_worker:
            from pytest_irbench.plugin import shared_runs

            shared_runs.declare(session.config, self.session.declared)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Measure what a gate's test will decide, now that its system is there."""
        if self._measures and getattr(item.parent, "holds_gates", False):
            from pytest_irbench.plugin import collect

            collect.measure(self.session, item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Send along what the reports tell: the values of a gate, and what a test in Python compared."""
        report = yield
        if self._measures and report.when == "setup" and getattr(item.parent, "holds_gates", False):
            from pytest_irbench.plugin import details

            details.send(self.session, item, report)
        # Loaded by those who compare.
        if "pytest_irbench.plugin.assertions" in sys.modules:
            from pytest_irbench.plugin import asserted

            asserted.send(self.session, item, report)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of a threshold, and what any test that fails says."""
        from pytest_irbench.plugin import ledger

        if not self._is_worker:
            self._receive(report)
        if report.failed:
            self.session.failed.add(report.nodeid)
            ledger.note_failure(self.session, report)
        decided = report.when == "call" or report.outcome != "passed"
        if decided and any(name == "irbench_order" for name, _ in report.user_properties):
            ledger.keep(self.session, report)

    def _receive(self, report: pytest.TestReport) -> None:
        """Take off a report what travels on it; a repeated attempt of a test takes back what it compared."""
        if hasattr(report, "irbench_detail"):
            from pytest_irbench.plugin import details

            details.receive(self.session, report)
        if hasattr(report, "irbench_asserted") or self.session.asserted:
            from pytest_irbench.plugin import asserted

            asserted.receive(self.session, report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what a file that can't be collected says."""
        if report.failed:
            from pytest_irbench.plugin import ledger

            ledger.note_failure(self.session, report)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None, None, None]:
        """Fail a session that would pass with a threshold undecided; an xdist worker tells its controller.

        Reports are written once others have had their say in how the session ends.
        """
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["irbench_left_out"] = self.session.left_out
            output["irbench_selected"] = self.session.selected
            output["irbench_declared"] = self.session.declared
            output["irbench_by_name"] = sorted(self.session.by_name)
            output["irbench_used"] = sorted(self.session.used)
        elif self._measures:
            self._take_over_from_the_dead()
            self._fail_if_empty(session, exitstatus)
        try:
            yield
        finally:
            if output is None and self._measures:
                self._write_reports(session)

    def _take_over_from_the_dead(self) -> None:
        """Learn which thresholds were selected, where no worker lived to tell."""
        if self.session.shared and not self.session.declared:
            from pytest_irbench.plugin import shared_runs

            self.session.declared = shared_runs.declared_in(self.session.shared)
            self.session.selected = list(self.session.declared)

    def _fail_if_empty(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a session that would pass with a hole, or with a gate that notices no broken run."""
        passes = exitstatus == pytest.ExitCode.OK
        if passes:
            self.session.holes = self.session.undecided()
            self.session.unmeasured = self.session.unused()
        # A session that was interrupted, or that failed in pytest itself, proves nothing.
        ended = passes or exitstatus == pytest.ExitCode.TESTS_FAILED
        if self.session.baselines.reason is not None:
            from pytest_irbench.plugin.updates import update

            self.session.update = update(self.session, ended=ended)
        if ended and session.config.getoption("irbench_prove"):
            from pytest_irbench.plugin.proof import prove_session

            prove_session(self.session, passes=passes)
        blind = any(proof.proof.is_blind for proof in self.session.proofs)
        refused = bool(self.session.update and self.session.update.faults)
        empty = bool(self.session.holes or self.session.unmeasured or self.session.unproved)
        if passes and (empty or blind or refused):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write_reports(self, session: pytest.Session) -> None:
        """Write what was asked for; a report that can't be written fails a session that would pass."""
        if not self.session.tells_all and self.session.history is None:
            return
        from pytest_irbench.plugin import reporting

        self.session.written = reporting.write(self.session, int(session.exitstatus))
        if self.session.written.faults and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print a table for each gate, and how much was left out."""
        from pytest_irbench.plugin import told

        told.write_summary(terminalreporter, self.session)
        if self.session.update:
            told.write_update(terminalreporter, self.session.update)
        if self.session.proofs or self.session.unproved:
            from pytest_irbench.plugin.proof import write_proofs

            write_proofs(terminalreporter, self.session)
        if self.session.written:
            from pytest_irbench.plugin.reporting import tell

            tell(terminalreporter, self.session.written)
