"""Extremes of measures whose divisor grows when unjudged documents turn out relevant.

nDCG, NCG and R are quotients: what was won, a sum of gain times a weight of the rank, over the sum that
an ideal ranking wins. An unjudged document that gains x adds its weight times x to the first; to the
second it adds what its place in the ideal is worth. AP is the sum of precisions over the number of
relevant documents. Below, m documents are in doubt.

**The lowest value.** For a number t, "the quotient is at least t" says that what was won is at least t times
the ideal. The first is linear in the gains in doubt and the second convex (the largest of linear
functions, one for each order), so their difference is concave, and lowest at a corner: some documents
gain the most they can, the others nothing. The ideal only hangs on how many do. So for each number from 0
to m take those of the least weight, the deepest: m + 1 candidates, and one of them is the lowest.

**The highest value** may need grades in between. "Is there a quotient above t?" asks for the largest value of
what is won less t times the ideal (Dinkelbach 1967). Both are sums over the levels that a gain can reach:
a level adds its step times the weights of the documents that reach it, and its step times the weights of
as many first places of the ideal as documents, judged or not, reach it. So each level can be asked alone
how many documents should reach it; those are the ones of the highest weight, the topmost. Fewer judged
documents reach a higher level, so the next place of its ideal is worth more, and the smallest best
number there is not larger: each document that should reach a level should reach those below it. So the
answers of all levels together are gains for the documents. With the quotient that was found as the
next t this ends at the highest one, as there are finitely many and each is above the one before.

**AP.** For a given number of relevant ones the divisor is fixed, and the sum is largest when they are the
topmost, smallest when they are the deepest: let one move up from rank r to q past b others with a above
it. They gain 1/r_i each, at least b/r in all, and its own precision goes from (a + b + 1)/r to (a + 1)/q,
which is at least (a + 1)/r. So again there are m + 1 candidates for either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.measures.shared import depth, discounts, gain_of, gains_of, level_of, relevant_judged

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats, Ints

    Extremes = Callable[[int, Ints], tuple[float, float]]


class _Quotient(NamedTuple):
    """One query of nDCG, NCG or R.

    Attributes
    ----------
    won
        The numerator without the documents in doubt.
    weights
        What a gain of 1 is worth at the rank of each of these, topmost first; shape (m,).
    steps
        How far each level of gain is above the one below it; shape (levels,).
    ideal
        What the ideal wins at each level when some number of them reaches it; shape (levels, m + 1).
    """

    won: float
    weights: Floats
    steps: Floats
    ideal: Floats

    def lowest(self) -> float:
        most = float(self.steps.sum())
        won = self.won + most * _sums(self.weights[::-1])
        return float(_ratio(won, self.steps @ self.ideal).min())

    def highest(self) -> float:
        won = _sums(self.weights)
        levels = np.arange(len(self.steps))
        reach, best = np.zeros(len(levels), np.int64), -1.0
        while True:
            over = self.won + float(self.steps @ won[reach])
            value = float(_ratio(np.array([over]), np.array([self.steps @ self.ideal[levels, reach]]))[0])
            # Not <=: what is no number must end this, too.
            if not value > best:
                return best
            best = value
            reach = np.argmax(won - best * self.ideal, axis=1)


def _sums(weights: Floats) -> Floats:
    """Sum the first 0, 1, 2 … weights."""
    return np.concatenate([[0.0], np.cumsum(weights)])


def _ratio(over: Floats, under: Floats) -> Floats:
    return np.divide(over, under, out=np.zeros_like(over), where=under != 0)


def _quotients(judged: JudgedRanking, measure: Measure, grades: Ints) -> Extremes:
    """Return what finds the extremes of nDCG, NCG or R for a query and the ranks in doubt."""
    gain = _gains(judged.qrels.grades, measure)
    places = np.arange(1, int(judged.returned.max()) + int(np.diff(judged.qrels.offsets).max()) + 1)
    inside = places <= depth(measure)
    weights = inside / discounts(places) if measure.name == "nDCG" else inside.astype(np.float64)
    # Recall counts all relevant documents, whatever its cutoff.
    ideal = _sums(weights if measure.name in ("nDCG", "NCG") else np.ones(len(places)))
    levels = np.unique(_gains(grades, measure))
    if not np.isfinite(levels).all():
        raise InputError(f"{measure} has no finite gain for a grade that an unjudged document may get")
    levels = levels[levels > 0]
    steps = np.diff(levels, prepend=0.0)
    of_rank = _gains(judged.grade, measure) * weights[judged.rank - 1]
    begins = np.searchsorted(judged.query, np.arange(len(judged.query_ids) + 1))

    def extremes(query: int, ranks: Ints) -> tuple[float, float]:
        own = gain[slice(*judged.qrels.offsets[query : query + 2])]
        reached = np.count_nonzero(own >= levels[:, None], axis=1)
        won = float(of_rank[slice(*begins[query : query + 2])].sum())
        at = reached[:, None] + np.arange(len(ranks) + 1)
        quotient = _Quotient(won, weights[ranks - 1], steps, ideal[at])
        return quotient.lowest(), quotient.highest()

    return extremes


def _gains(grade: Ints, measure: Measure) -> Floats:
    if measure.rel is not None:
        return (grade >= measure.rel).astype(np.float64)
    return gain_of(grade, *gains_of(measure))


def _average_precisions(judged: JudgedRanking, measure: Measure, grades: Ints) -> Extremes:
    """Return what finds the extremes of AP for a query and the ranks in doubt."""
    level, cutoff = level_of(measure), depth(measure)
    hit = judged.grade >= level
    begins = np.searchsorted(judged.query[hit], np.arange(len(judged.query_ids) + 1))
    rank = judged.rank[hit]
    relevant = relevant_judged(judged, level)

    def extremes(query: int, ranks: Ints) -> tuple[float, float]:
        if grades[-1] < level:
            ranks = ranks[:0]
        hits = rank[slice(*begins[query : query + 2])]
        number = relevant[query] + np.arange(len(ranks) + 1)
        low, high = _precision_sums(hits, ranks, cutoff)
        return float(_ratio(low, number).min()), float(_ratio(high, number).max())

    return extremes


def _precision_sums(hits: Ints, ranks: Ints, cutoff: float) -> tuple[Floats, Floats]:
    """Sum the precisions at relevant ranks when 0, 1, 2 … in doubt are relevant: the deepest, the topmost."""
    inverse = np.where(hits <= cutoff, 1.0 / hits, 0.0)
    own = np.where(ranks <= cutoff, 1.0 / ranks, 0.0)
    above = np.searchsorted(hits, ranks)
    # Each relevant document below one that becomes relevant gets one more hit above.
    below = (inverse.sum() - _sums(inverse))[above]
    known = float((inverse * np.arange(1, len(hits) + 1)).sum())
    high = own * (above + np.arange(1, len(ranks) + 1)) + below
    low = own * (above + 1) + below + own.sum() - np.cumsum(own)
    return known + _sums(low[::-1]), known + _sums(high)


GROWING: dict[str, Callable[[JudgedRanking, Measure, NDArray[np.int64]], Extremes]] = {
    "nDCG": _quotients,
    "NCG": _quotients,
    "R": _quotients,
    "SetR": _quotients,
    "AP": _average_precisions,
}
"""Measure -> what finds its extremes, given the ranking and the grades that a document in doubt may get."""
