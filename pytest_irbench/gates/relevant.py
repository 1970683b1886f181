"""Measures that would be 0 whatever is returned are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.measures.measure import Measure

_GRADED = ("nDCG", "DCG", "NCG", "ERR")
"""Measures without ``rel`` to which grades above 0 are relevant, where they have no gains of their own."""


def check_relevant(what: str, qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Refuse measures that are 0 whatever is returned.

    Parameters
    ----------
    what
        How a message calls the qrels.

    Raises
    ------
    InputError
        When a measure takes only grades for relevant that are not there.
    """
    highest = int(qrels.grades.max())
    for measure in measures:
        graded = measure.name in _GRADED and not dict(measure.params).get("gains")
        if highest < (measure.rel or (1 if graded else highest)):
            hint = "every value would be 0" if graded else "lower relevance_level or rel"
            raise InputError(
                f"{what}: the highest grade is {highest}, so nothing is relevant for {measure}: {hint}"
            )
