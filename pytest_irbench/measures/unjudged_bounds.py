"""What unjudged documents are worth: they count as not relevant, and nobody has looked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.measures.bounds import Bounds, bounds
from pytest_irbench.measures.evaluate import values_of
from pytest_irbench.measures.growing_ideal import GROWING
from pytest_irbench.measures.shared import depth as depth_of
from pytest_irbench.measures.shared import gain_of, gains_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats, Ints

# What never falls when an unjudged document turns out better, and divides by nothing that rises.
_RISING = ("DCG", "RR", "P", "Success", "Judged", "ERR", "RBP", "SetP", "NumRet", "NumRelRet", "NumQ")

_MOST_GRADES = 1000


class Unjudged(NamedTuple):
    """Unjudged documents that were returned, by query and rank.

    Attributes
    ----------
    query, rank
        Position of the query in the qrels, and the rank from 1; shape (m,) each.
    """

    query: Ints
    rank: Ints

    def only(self, rows: NDArray[np.bool_]) -> Unjudged:
        """Return some of them."""
        return Unjudged(self.query[rows], self.rank[rows])


def unjudged_bounds(
    judged: JudgedRanking, measures: Iterable[str | Measure], *, depth: int | None = None
) -> Bounds:
    """Return the lowest and the highest value of each measure, whatever unjudged documents would be judged.

    Each of them may stay unjudged, or get any grade from the lowest of the qrels (or 0) to the highest.
    Documents that were not returned stay what they are. Both bounds are exact, they are the values under
    some such judgments:

    - DCG, RR, P, Success, RBP, SetP, NumRelRet: none of them falls when a document gains more, as it is
      one summand (or one candidate for the first hit) and nothing is divided by what rises. So the lowest
      value is the one of today, the highest that of the best grade for all. Judged: of judgments for all.
    - ERR: a document at rank r that stops the reader with chance s adds s (1/r - E), where E is what the
      documents below would give. As these stop at most once, and below r, E is at most 1/(r + 1).
    - nDCG, NCG, R, AP: a relevant document also makes the ideal larger, so that one deep in the ranking
      lowers the value. `growing_ideal` says how their extremes are found.

    Parameters
    ----------
    judged
        A ranking; its run is not read again.
    measures
        For instance ``["nDCG@10", "AP"]``; a bare ``AP`` is at the level of the qrels.
    depth
        Only unjudged documents down to this rank are in doubt; by default all that were returned. Those
        far below a cutoff can't win anything, but each may make the ideal larger.

    Raises
    ------
    InputError
        When a measure is unknown, or it is none of the above.
    """
    return bounds(judged, measures, partial(extremes, judged, unjudged(judged, depth)))


def unjudged(judged: JudgedRanking, depth: int | None = None) -> Unjudged:
    """Find the unjudged documents that were returned.

    Parameters
    ----------
    depth
        The last rank that is looked at, or None for all.
    """
    ends = np.cumsum(judged.returned)
    begins = ends - judged.returned
    open_ = np.ones(int(ends[-1]), np.bool_)
    open_[begins[judged.query] + judged.rank - 1] = False
    query = np.repeat(np.arange(len(begins)), judged.returned)[open_]
    found = Unjudged(query, np.flatnonzero(open_) - begins[query] + 1)
    return found if depth is None else found.only(found.rank <= depth)


def extremes(judged: JudgedRanking, open_: Unjudged, measure: Measure) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of each query when some documents are in doubt; shape (q,).

    Raises
    ------
    InputError
        As `unjudged_bounds`.
    """
    if measure.external or measure.judged_only or measure.name not in (*GROWING, *_RISING):
        raise InputError(
            f"what unjudged documents can do to {measure} is not known: "
            f"it is known of {', '.join((*GROWING, *_RISING))}, and not of condensed lists"
        )
    # Gains that overflow are found in the values, and are an error.
    with np.errstate(over="ignore"):
        if measure.name in GROWING:
            return _growing(judged, open_, measure)
        inside = open_.only(open_.rank <= depth_of(measure))
        return values_of(judged, measure), values_of(_raised(judged, inside, measure), measure)


def _grades(judged: JudgedRanking) -> Ints:
    """Return the grades that an unjudged document may get."""
    lowest, highest = min(0, int(judged.qrels.grades.min())), max(0, int(judged.qrels.grades.max()))
    if highest - lowest > _MOST_GRADES:
        raise InputError(
            f"the qrels have grades from {lowest} to {highest}: that is no scale of which an unjudged "
            f"document may have any grade; at most {_MOST_GRADES} steps are"
        )
    return np.arange(lowest, highest + 1)


def _raised(judged: JudgedRanking, open_: Unjudged, measure: Measure) -> JudgedRanking:
    """Give documents in doubt the grade that is best for a measure."""
    grades = _grades(judged)
    best = int(grades[-1])
    if measure.name == "DCG":
        best = int(grades[np.argmax(gain_of(grades, *gains_of(measure)))])
    query, rank = np.append(judged.query, open_.query), np.append(judged.rank, open_.rank)
    grade = np.append(judged.grade, np.full(len(open_.query), best))
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank)
    return replace(judged, query=query[order], rank=rank[order], grade=grade[order])


def _growing(judged: JudgedRanking, open_: Unjudged, measure: Measure) -> tuple[Floats, Floats]:
    """Find the extremes query by query; one without documents in doubt has its value."""
    value = values_of(judged, measure)
    lowest, highest = value.copy(), value.copy()
    extremes_of = GROWING[measure.name](judged, measure, _grades(judged))
    queries, sizes = np.unique(open_.query, return_counts=True)
    ends = np.cumsum(sizes)
    for query, begin, end in zip(queries.tolist(), (ends - sizes).tolist(), ends.tolist(), strict=True):
        lowest[query], highest[query] = extremes_of(query, open_.rank[begin:end])
    return lowest, highest
