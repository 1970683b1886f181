"""What the measures of one ranking share, computed once.

Measures with about the same cutoff share columns that hold no deeper rows and stand in order of rank,
all queries together, so that a cutoff takes the front of a column. Measures of whole rankings share them
as they are. Within a query the order is the same in all of them, and so are sums.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache, wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Gains = tuple[tuple[int, float], ...]

_T = TypeVar("_T")

ERR_MAX_GRADE = 4
_BEYOND = 2**60  # a cutoff past every ranking that a double still holds


def _once(compute: Callable[..., _T]) -> Callable[..., _T]:
    """Compute once for each ranking and arguments; kept as long as the ranking lives."""
    kept: WeakKeyDictionary[JudgedRanking, dict[Any, _T]] = WeakKeyDictionary()

    @wraps(compute)
    def get(judged: JudgedRanking, *args: Any) -> _T:
        values = kept.setdefault(judged, {})
        if args not in values:
            values[args] = compute(judged, *args)
        return values[args]

    return get


def sums(judged: JudgedRanking, query: Ints, weights: Floats | Bools) -> Floats:
    """Sum the weights of each query's rows, in their order."""
    return np.bincount(query, weights, len(judged.query_ids)).astype(np.float64, copy=False)


def counts(judged: JudgedRanking, query: Ints) -> Floats:
    """Count the rows of each query."""
    return np.bincount(query, minlength=len(judged.query_ids)).astype(np.float64)


def ratio(over: Floats | Ints, under: Floats | Ints) -> Floats:
    """Divide, with 0 where there is nothing to divide by."""
    result = np.zeros(len(over))
    np.divide(over, under, out=result, where=under != 0)
    return result


def depth(measure: Measure) -> float:
    """Return the cutoff; infinite when there is none."""
    return math.inf if measure.cutoff is None else float(min(measure.cutoff, _BEYOND))


def level_of(measure: Measure) -> int:
    """Return the lowest grade that counts as relevant."""
    # A measure without a level is never asked; 1 is only what a level means where none is set.
    return measure.rel or 1


def _in_order(place: Ints) -> Ints:
    """Order rows by place, rows of one place as they stand."""
    deepest = int(place.max()) if len(place) else 0
    # numpy sorts short integers in linear time.
    return np.argsort(place.astype(np.uint16) if deepest < 2**16 else place, kind="stable")


@_once
def condensed(judged: JudgedRanking) -> JudgedRanking:
    """Return the ranking without its unjudged documents: the judged ones move up (Sakai 2007).

    A negative grade counts as judged neither way and is taken out too, as by trec_eval's ``-J``.
    """
    kept = judged.grade >= 0
    query = judged.query[kept]
    returned = np.bincount(query, minlength=len(judged.query_ids))
    rank = np.arange(len(query)) - np.repeat(np.cumsum(returned) - returned, returned) + 1
    return replace(judged, returned=returned, query=query, rank=rank, grade=judged.grade[kept])


@_once
def _deepest(judged: JudgedRanking) -> int:
    """Return the last rank or place that any query has."""
    return max(int(judged.returned.max()), int(np.diff(judged.qrels.offsets).max()))


def within(judged: JudgedRanking, measure: Measure) -> int | None:
    """Return how deep the columns go that a measure reads: a power of 8, or None for whole rankings."""
    if measure.cutoff is None or measure.cutoff >= _deepest(judged):
        return None
    digits = (int(measure.cutoff) - 1).bit_length()
    return 1 << -(-digits // 3) * 3


def front(place: Ints, measure: Measure, reach: int | None) -> slice:
    """Return the rows inside the cutoff, of columns that go as deep as `within` said."""
    if reach is None or measure.cutoff is None:
        return slice(None)
    return slice(int(place.searchsorted(measure.cutoff, "right")))


def _cut(place: Ints, reach: int | None, *others: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Bring columns into the order of their places, without those past `reach`."""
    if reach is None:
        return place, *others
    inside = np.flatnonzero(place <= reach)
    rows = inside[_in_order(place[inside])]
    return place[rows], *(other[rows] for other in others)


@_once
def by_rank(judged: JudgedRanking, reach: int | None) -> tuple[Ints, Ints, Ints]:
    """Rank, query and grade of the judged documents that were returned."""
    rank, query, grade = _cut(judged.rank, reach, judged.query, judged.grade)
    return rank, query, grade


@_once
def hits(judged: JudgedRanking, reach: int | None, level: int) -> tuple[Ints, Ints]:
    """Rank and query of the relevant documents that were returned."""
    rank, query, grade = by_rank(judged, reach)
    hit = grade >= level
    return rank[hit], query[hit]


@_once
def relevant_judged(judged: JudgedRanking, level: int) -> Floats:
    """Count the relevant documents in the qrels of each query (m_num_rel.c)."""
    return sums(judged, judged.qrels.query_of_row, judged.qrels.grades >= level)


@lru_cache(maxsize=1)
def _log2_table(size: int) -> Floats:
    # math.log2 is C's log2; numpy's own may differ in the last bit.
    return np.array([math.log2(place + 1) for place in range(1, size + 1)])


def discounts(place: Ints) -> Floats:
    """Return log2(place + 1)."""
    deepest = int(place.max()) if len(place) else 0
    return _log2_table(1 << max(deepest - 1, 1023).bit_length())[place - 1]


def gain_of(grade: Ints, gains: Gains, exponential: bool) -> Floats:
    """Return the gain of each grade; a grade or gain below 0 gains nothing."""
    gain = grade.astype(np.float64)
    for level, value in gains:
        gain[grade == level] = value
    gain = np.maximum(gain, 0.0)
    return np.exp2(gain) - 1.0 if exponential else gain


def gains_of(measure: Measure) -> tuple[Gains, bool]:
    """Return what a measure says about gains: those that differ from the grade, and whether exponential."""
    exponential = measure.name != "NCG" and measure.param("dcg") == "exp-log2"
    return measure.param("gains") or (), exponential


@_once
def gains_by_rank(judged: JudgedRanking, reach: int | None, gains: Gains, exponential: bool) -> Floats:
    """Gain of each document that was returned."""
    return gain_of(by_rank(judged, reach)[2], gains, exponential)


@_once
def discounted_gains(judged: JudgedRanking, reach: int | None, gains: Gains, exponential: bool) -> Floats:
    """Gain of each document that was returned over log2(rank + 1)."""
    return gains_by_rank(judged, reach, gains, exponential) / discounts(by_rank(judged, reach)[0])


@_once
def ideal_gains(
    judged: JudgedRanking, reach: int | None, gains: Gains, exponential: bool
) -> tuple[Ints, Ints, Floats]:
    """Place, query and gain of all judged documents in the ideal order."""
    query, place, grade = judged.ideal
    gain = gain_of(grade, gains, exponential)
    if gains:
        gain = gain[np.lexsort((-gain, query))]
    place, query, gain = _cut(place, reach, query, gain)
    return place, query, gain


@_once
def discounted_ideal(judged: JudgedRanking, reach: int | None, gains: Gains, exponential: bool) -> Floats:
    """Gain of each document in the ideal order over log2(place + 1)."""
    place, _, gain = ideal_gains(judged, reach, gains, exponential)
    return gain / discounts(place)


@_once
def precisions(judged: JudgedRanking, reach: int | None, level: int) -> Floats:
    """Precision at the rank of each relevant document."""
    rank, query = hits(judged, reach, level)
    of_query = np.bincount(query, minlength=len(judged.query_ids))
    so_far = np.empty(len(query))
    so_far[_in_order(query)] = np.arange(len(query)) - np.repeat(np.cumsum(of_query) - of_query, of_query) + 1
    return so_far / rank


@_once
def first_hits(judged: JudgedRanking, reach: int | None, level: int) -> Floats:
    """Rank of the first relevant document of each query; infinite where there is none."""
    rank, query = hits(judged, reach, level)
    hit_query, first = np.unique(query, return_index=True)
    ranks = np.full(len(judged.query_ids), np.inf)
    ranks[hit_query] = rank[first]
    return ranks


@_once
def stops(judged: JudgedRanking, reach: int | None) -> Floats:
    """Chance that a reader stops at each document, over its rank."""
    rank, query, grade = by_rank(judged, reach)
    stop = (np.exp2(np.maximum(grade, 0)) - 1.0) / 2.0**ERR_MAX_GRADE
    values = np.empty(len(query))
    going_on = np.ones(len(judged.query_ids))
    # Rank by rank: each document's chance to be reached hangs on those above it.
    order = _in_order(rank)
    starts = np.flatnonzero(np.diff(rank[order], prepend=0)).tolist()
    for begin, end in pairwise([*starts, len(rank)]):
        at = order[begin:end]
        values[at] = stop[at] * going_on[query[at]] / rank[at]
        going_on[query[at]] *= 1.0 - stop[at]
    return values
