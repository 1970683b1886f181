"""The values of gates on their way to the reports: they travel with a test's, also from xdist workers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import IrbenchError
from pytest_irbench.plugin.collect import gate_of

if TYPE_CHECKING:
    import pytest

    from pytest_irbench.plugin.session import IrbenchSession

_ATTRIBUTE = "irbench_detail"


def send(session: IrbenchSession, item: pytest.Item, report: pytest.TestReport) -> None:
    """Put the values of a gate on the report of the first of its tests that was set up.

    Once this report is on its way, a worker may die and nothing of the gate is lost.
    """
    threshold = gate_of(item)
    if threshold is None or threshold.measured is None:
        return
    gate = threshold.measured.gate
    key = (threshold.place.rpartition(":")[0], threshold.gate.benchmark, threshold.name)
    every = session.tells_all
    # Without a baseline the terminal has nothing to tell beside the verdicts.
    if key in session.sent or not (every or gate.accepted):
        return
    from pytest_irbench.gates.detailed import detail_of

    session.sent.add(key)
    try:
        detail = detail_of(gate, every=every, losers=session.config.getoption("verbose", default=0) > 0)
        told = json.dumps([*key, detail])
    except IrbenchError:
        # A run that can't be read any more: the thresholds that read it say so.
        return
    except Exception as error:  # noqa: BLE001 - the verdicts matter more than what stands beside them
        told = json.dumps([*key, f"{type(error).__name__}: {error} (a fault of pytest-irbench)"])
    setattr(report, _ATTRIBUTE, told)


def receive(session: IrbenchSession, report: pytest.TestReport) -> None:
    """Take them off a report, before it goes to others that write down all of it."""
    sent: Any = report.__dict__.pop(_ATTRIBUTE, None)
    if sent is not None:
        from pytest_irbench.gates.detail import GateDetail

        file, benchmark, system, detail = json.loads(sent)
        if isinstance(detail, str):
            session.lost.append(f"{benchmark} · {system}: its queries can't be shown: {detail}")
        else:
            session.details.setdefault((file, benchmark, system), GateDetail.of_plain(detail))
