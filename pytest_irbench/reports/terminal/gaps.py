"""What other utterances make of the values of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.reports.gaps import gaps
from pytest_irbench.reports.terminal.screen import Span, joined, padded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.report import ReportedGate
    from pytest_irbench.reports.terminal.screen import Line, Screen


def utterance_gaps(gates: Sequence[ReportedGate], screen: Screen) -> Iterator[Line]:
    """Print a table for each system that was asked with several utterances.

    Parameters
    ----------
    gates
        All of a session.
    screen
        What it is set for.
    """
    for gap in gaps(gates):
        yield ()
        yield from screen.prose(gap.title, "bold")
        cells = [(screen.short(subject, screen.width // 2), *rest) for subject, *rest in gap.rows]
        for line in padded(gap.header, cells, range(1, len(gap.header))):
            yield (Span(joined(line)),)
