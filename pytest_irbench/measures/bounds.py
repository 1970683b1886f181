"""What is not certain about a value: the lowest and the highest one it can have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.measures.evaluate import Scores, as_measures, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats


class Bounds(NamedTuple):
    """The lowest and the highest value of each measure, per query and as means.

    What is not certain about one query has nothing to do with another one: so the mean of the lowest
    values is the lowest mean, and that of the highest the highest.

    Attributes
    ----------
    lowest, highest
        Scores, of which ``means`` and ``["nDCG@10"]`` are read as those of `evaluate`.
    """

    lowest: Scores
    highest: Scores


def bounds(
    judged: JudgedRanking,
    measures: Iterable[str | Measure],
    extremes: Callable[[Measure], tuple[Floats, Floats]],
) -> Bounds:
    """Collect the bounds of some measures.

    Parameters
    ----------
    judged
        The ranking whose values they hold.
    measures
        As those of `evaluate`; a bare ``AP`` is at the level of the qrels.
    extremes
        Computes the lowest and the highest value of each query; shape (q,) each.
    """
    level = judged.qrels.relevance_level
    lowest, highest = {}, {}
    for measure in as_measures(measures, level):
        low, high = extremes(measure)
        # The value as it stands is possible, too; sums in another order may differ from it in the last bit.
        value = values_of(judged, measure)
        lowest[measure], highest[measure] = np.minimum(low, value), np.maximum(high, value)
    return Bounds(Scores(judged, lowest, level), Scores(judged, highest, level))
