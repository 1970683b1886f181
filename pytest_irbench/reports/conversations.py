"""What the summary says of conversations: values by turn and by conversation, and of other utterances."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from pytest_irbench.gates.decide import number_of
from pytest_irbench.reports.row import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.reports.row import Row

_WIDTH = 100


def by_depth(rows: Sequence[Row]) -> Iterator[str]:
    """Print a gate's first measure by turn and by conversation.

    Parameters
    ----------
    rows
        The thresholds of one gate.
    """
    for text in dict.fromkeys(line for row in rows for line in row.by_depth.split("\n") if line):
        yield from wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def utterance_gaps(gates: Sequence[Sequence[Row]]) -> Iterator[str]:
    """Print, for each system that was asked with several utterances, what they make of its values.

    Parameters
    ----------
    gates
        The rows of each gate.
    """
    asked: dict[tuple[str, str, str], dict[str, Sequence[Row]]] = {}
    for rows in gates:
        first = rows[0]
        system = first.system.removesuffix(f"@{first.utterance}")
        key = (first.place.rpartition(":")[0], first.benchmark, system)
        asked.setdefault(key, {})[first.utterance] = rows
    for (_, benchmark, system), found in asked.items():
        if len(found) > 1:
            yield ""
            yield f"{benchmark} · {system}: what other words make of it"
            yield from _gaps(found)


def _gaps(found: dict[str, Sequence[Row]]) -> Iterator[str]:
    first, *others = found
    values = {
        said: {row.subject: row for row in rows if row.value is not None} for said, rows in found.items()
    }
    header = ["measure", first, *(name for other in others for name in (other, "gap"))]
    cells = []
    for subject, row in values[first].items():
        own = row.value or 0.0
        line = [subject, number_of(row.measure, own)]
        for other in others:
            held = values[other].get(subject)
            theirs = None if held is None else held.value
            line += ["-", "-"] if theirs is None else [number_of(row.measure, theirs), f"{theirs - own:+.4f}"]
        cells.append(line)
    yield from table(header, cells, right=range(1, len(header)))
