"""`--irbench-prove`: each gate's run is broken on purpose, and its thresholds are asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates.prove import Limit, Proof, prove
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
    gates: dict[int, list[str]] = {}
    for nodeid in sorted(session.rows, key=lambda nodeid: session.rows[nodeid][0]):
        if nodeid in session.measured:
            # The thresholds of a gate share its scores, which the session keeps.
            gates.setdefault(id(session.measured[nodeid].scores), []).append(nodeid)
    return [_prove_gate(session, nodeids) for nodeids in gates.values()]


def _prove_gate(session: IrbenchSession, nodeids: Sequence[str]) -> GateProof:
    scores = session.measured[nodeids[0]].scores
    limits, left_out = [], []
    for nodeid in nodeids:
        row = session.rows[nodeid][1]
        text = f"{row.measure} {row.rule}"
        if row.outcome in _DECIDED:
            limits.append(Limit(text, session.measured[nodeid].measure, row.rule, row.limit))
        else:
            left_out.append(f"{text} ({row.outcome})")
    benchmark = scores.judged.run.benchmark
    if benchmark is None:
        raise RuntimeError(f"the run of {nodeids[0]} knows no benchmark")
    row = session.rows[nodeids[0]][1]
    return GateProof(f"{row.benchmark}, {row.system}", prove(scores, benchmark, limits), tuple(left_out))


def write_proofs(terminal: pytest.TerminalReporter, session: IrbenchSession) -> None:
    """Print a table for each gate, and what makes the session fail."""
    terminal.section("irbench-prove")
    text = "\n\n".join(proof_table(*proof) for proof in session.proofs)
    # Line by line, as the other tables.
    for line in text.split("\n") if text else ():
        terminal.write_line(line)
    if session.unproved:
        said = f"irbench: nothing was proved, so this session fails: {session.unproved}"
        terminal.write_line(printable(said), red=True)
    blind = [proof.gate for proof in session.proofs if proof.proof.is_blind]
    if blind:
        many = f"{len(blind)} gates notice" if len(blind) > 1 else "1 gate notices"
        terminal.write_line(f"irbench: {many} nothing, so this session fails: {'; '.join(blind)}", red=True)
