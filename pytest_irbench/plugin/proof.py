"""`--irbench-prove`: each gate's run is broken on purpose, and its thresholds are asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates.prove import Asked, Proof, prove
from pytest_irbench.plugin.logged import logged
from pytest_irbench.plugin.session import printable
from pytest_irbench.reports.proof import proof_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_irbench.plugin.session import IrbenchSession

# Any other outcome (xfailed, xpassed, error) is no plain verdict of a threshold.
_DECIDED = ("passed", "failed")


class GateProof(NamedTuple):
    """One gate with its proof, and the thresholds that were not asked with the reason."""

    gate: str
    proof: Proof
    left_out: tuple[str, ...]


def check_options(config: pytest.Config, *, measures: bool) -> None:
    """Refuse `--irbench-prove` where it would prove nothing.

    Raises
    ------
    pytest.UsageError
        When no gate is selected, or the gates are measured in other processes.
    """
    if not measures:
        raise pytest.UsageError(
            "--irbench-prove needs --irbench=NAMES or a file of gates: nothing is measured without it"
        )
    # xdist sets it for -n as well.
    if config.getoption("dist", default="no") != "no":
        raise pytest.UsageError("--irbench-prove needs all gates in one process: run it without -n")


def prove_session(session: IrbenchSession, *, passes: bool) -> None:
    """Prove the gates; note when a run can't be read any more, or a session that passes has none to prove."""
    try:
        session.proofs = prove_gates(session)
    except IrbenchError as error:
        session.unproved = str(error)
    else:
        session.unproved = "no gate was measured" if passes and not session.proofs else ""


def prove_gates(session: IrbenchSession) -> list[GateProof]:
    """Prove every gate that was measured, in the order of the tables."""
    return [_prove_gate(session, nodeids) for nodeids in session.gates()]


def _prove_gate(session: IrbenchSession, nodeids: Sequence[str]) -> GateProof:
    asked, left_out = [], []
    for nodeid in nodeids:
        row, threshold = session.rows[nodeid][1], session.measured[nodeid].threshold
        text = f"{row.subject} {threshold.rule}"
        if row.outcome in _DECIDED:
            asked.append(Asked(text, threshold))
        else:
            left_out.append(f"{text} ({row.outcome})")
    row = session.rows[nodeids[0]][1]
    proof = prove(session.measured[nodeids[0]].gate, asked)
    return GateProof(f"{row.benchmark}, {row.system}", proof, tuple(left_out))


def write_proofs(terminal: pytest.TerminalReporter, session: IrbenchSession) -> None:
    """Print a table for each gate, and what makes the session fail."""
    terminal.section("irbench-prove")
    text = "\n\n".join(proof_table(*proof) for proof in session.proofs)
    # Line by line, as the other tables.
    for line in text.split("\n") if text else ():
        terminal.write_line(logged(line))
    if session.unproved:
        said = f"irbench: nothing was proved, so this session fails: {session.unproved}"
        terminal.write_line(printable(said), red=True)
    blind = [proof.gate for proof in session.proofs if proof.proof.is_blind]
    if blind:
        many = f"{len(blind)} gates notice" if len(blind) > 1 else "1 gate notices"
        terminal.write_line(f"irbench: {many} nothing, so this session fails: {'; '.join(blind)}", red=True)
