"""One table of measures, each a few lines over the judged ranking.

A kernel takes a `JudgedRanking` and a `Measure` and returns a value per query. Sums run from rank 1
down in one accumulator per query (``numpy.bincount``), as trec_eval's loops do, so that values agree
to the last bit. A query without a relevant document gets 0.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_ERR_MAX_GRADE = 4
_BEYOND = 2**60  # a cutoff past every ranking that a double still holds


def _sum(judged: JudgedRanking, query: Ints, weights: Floats | Bools) -> Floats:
    return np.bincount(query, weights, len(judged.query_ids)).astype(np.float64)


def _ratio(over: Floats | Ints, under: Floats | Ints) -> Floats:
    """Divide, with 0 where there is nothing to divide by."""
    result = np.zeros(len(over))
    np.divide(over, under, out=result, where=under != 0)
    return result


def _depth(measure: Measure) -> float:
    return math.inf if measure.cutoff is None else float(min(measure.cutoff, _BEYOND))


def _within(place: Ints, measure: Measure) -> Bools:
    return place <= _depth(measure)


def _is_relevant(grade: Ints, measure: Measure) -> Bools:
    # A measure without a level is never asked; 1 is only what a level means where none is set.
    return grade >= (measure.rel or 1)


def _hits(judged: JudgedRanking, measure: Measure) -> tuple[Ints, Ints]:
    """Query and rank of the relevant documents inside the cutoff."""
    hit = _is_relevant(judged.grade, measure) & _within(judged.rank, measure)
    return judged.query[hit], judged.rank[hit]


def _relevant(judged: JudgedRanking, measure: Measure) -> Floats:
    """Count the relevant documents in the qrels of each query (m_num_rel.c)."""
    return _sum(judged, judged.qrels.query_of_row, _is_relevant(judged.qrels.grades, measure))


@lru_cache(maxsize=1)
def _log2_table(size: int) -> Floats:
    # math.log2 is C's log2; numpy's own may differ in the last bit.
    return np.array([math.log2(place + 1) for place in range(1, size + 1)])


def _discount(place: Ints) -> Floats:
    deepest = int(place.max()) if len(place) else 0
    return _log2_table(1 << max(deepest - 1, 1023).bit_length())[place - 1]


def _gain(grade: Ints, measure: Measure) -> Floats:
    """Return the gain of each grade; a grade or gain below 0 gains nothing."""
    gain = grade.astype(np.float64)
    for level, value in measure.param("gains") or ():
        gain[grade == level] = value
    gain = np.maximum(gain, 0.0)
    if measure.name != "NCG" and measure.param("dcg") == "exp-log2":
        gain = np.exp2(gain) - 1.0
    return gain


def _best_gains(judged: JudgedRanking, measure: Measure) -> tuple[Ints, Ints, Floats]:
    """Query, place and gain of all judged documents in the ideal order, inside the cutoff."""
    query, place, grade = judged.ideal
    gain = _gain(grade, measure)
    if measure.param("gains"):
        gain = gain[np.lexsort((-gain, query))]
    inside = _within(place, measure)
    return query[inside], place[inside], gain[inside]


def dcg(judged: JudgedRanking, measure: Measure) -> Floats:
    """Sum of gain / log2(rank + 1); Järvelin and Kekäläinen 2002, as in trec_eval's m_ndcg.c."""
    inside = _within(judged.rank, measure)
    rank = judged.rank[inside]
    return _sum(judged, judged.query[inside], _gain(judged.grade[inside], measure) / _discount(rank))


def ndcg(judged: JudgedRanking, measure: Measure) -> Floats:
    """DCG over that of the ideal order of all judged documents (trec_eval's m_ndcg_cut.c)."""
    query, place, gain = _best_gains(judged, measure)
    return _ratio(dcg(judged, measure), _sum(judged, query, gain / _discount(place)))


def ncg(judged: JudgedRanking, measure: Measure) -> Floats:
    """Sum of gains in the top k over the best sum possible in k (TREC 2020 Deep Learning overview)."""
    inside = _within(judged.rank, measure)
    query, _, best = _best_gains(judged, measure)
    won = _sum(judged, judged.query[inside], _gain(judged.grade[inside], measure))
    return _ratio(won, _sum(judged, query, best))


def average_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Mean over all relevant documents of the precision at their ranks (m_map.c, m_map_cut.c)."""
    query, rank = _hits(judged, measure)
    counts = np.bincount(query, minlength=len(judged.query_ids))
    so_far = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    return _ratio(_sum(judged, query, so_far / rank), _relevant(judged, measure))


def reciprocal_rank(judged: JudgedRanking, measure: Measure) -> Floats:
    """1 / rank of the first relevant document (m_recip_rank.c); 0 when it is past the cutoff."""
    query, rank = _hits(judged, measure)
    hit_query, first = np.unique(query, return_index=True)
    values = np.zeros(len(judged.query_ids))
    values[hit_query] = 1.0 / rank[first]
    return values


def precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Relevant documents in the top k over k, also when fewer were returned (m_P.c)."""
    return relevant_returned(judged, measure) / _depth(measure)


def recall(judged: JudgedRanking, measure: Measure) -> Floats:
    """Relevant documents in the top k over all relevant ones (m_recall.c, m_set_recall.c)."""
    return _ratio(relevant_returned(judged, measure), _relevant(judged, measure))


def success(judged: JudgedRanking, measure: Measure) -> Floats:
    """1 when a relevant document is in the top k (m_success.c)."""
    return (relevant_returned(judged, measure) > 0).astype(np.float64)


def r_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Precision at R, the number of relevant documents (m_Rprec.c)."""
    relevant = _relevant(judged, measure)
    query, rank = _hits(judged, measure)
    return _ratio(_sum(judged, query, rank <= relevant[query]), relevant)


def bpref(judged: JudgedRanking, measure: Measure) -> Floats:
    """Share of judged non-relevant documents below each relevant one (m_bpref.c).

    Documents with a negative grade count as judged neither way, as in trec_eval.
    """
    relevant = _relevant(judged, measure)
    grades = judged.qrels.grades
    other = _sum(judged, judged.qrels.query_of_row, (grades >= 0) & ~_is_relevant(grades, measure))
    hit = _is_relevant(judged.grade, measure)
    wrong = (judged.grade >= 0) & ~hit
    query = judged.query[hit]
    before = np.cumsum(wrong)
    start = np.concatenate([[0], before])[np.searchsorted(judged.query, query)]
    above = np.minimum(before[hit] - start, relevant[query])
    credit = 1.0 - _ratio(above, np.minimum(other, relevant)[query])
    return _ratio(_sum(judged, query, credit), relevant)


def judged_share(judged: JudgedRanking, measure: Measure) -> Floats:
    """Judged documents in the top k over documents returned in the top k, as in ir_measures."""
    inside = _within(judged.rank, measure)
    seen = _sum(judged, judged.query[inside], np.ones(int(inside.sum())))
    return _ratio(seen, returned(judged, measure))


def err(judged: JudgedRanking, measure: Measure) -> Floats:
    """Compute the expected reciprocal rank; Chapelle et al. 2009, grades up to 4 as in TREC's gdeval.pl.

    Raises
    ------
    InputError
        When a grade is above 4: the probabilities are not defined there.
    """
    if int(judged.qrels.grades.max()) > _ERR_MAX_GRADE:
        raise InputError(f"ERR is defined for grades up to {_ERR_MAX_GRADE}; the qrels have higher ones")
    inside = _within(judged.rank, measure)
    query, rank = judged.query[inside], judged.rank[inside]
    stop = (np.exp2(np.maximum(judged.grade[inside], 0)) - 1.0) / 2.0**_ERR_MAX_GRADE
    values = np.zeros(len(judged.query_ids))
    going_on = np.ones(len(judged.query_ids))
    # Place by place: each document's chance to be reached hangs on those above it.
    counts = np.bincount(query, minlength=len(values))
    place = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    for step in range(int(counts.max()) if len(query) else 0):
        at = np.flatnonzero(place == step)
        values[query[at]] += stop[at] * going_on[query[at]] / rank[at]
        going_on[query[at]] *= 1.0 - stop[at]
    return values


def rank_biased_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """(1 - p) times the sum of p^(rank - 1) over relevant documents; Moffat and Zobel 2008."""
    p = measure.param("p")
    query, rank = _hits(judged, measure)
    share: float = 1.0 - p
    return share * _sum(judged, query, p ** (rank - 1.0))


def set_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Relevant documents returned over all returned (m_set_P.c)."""
    return _ratio(relevant_returned(judged, measure), judged.returned)


def set_f(judged: JudgedRanking, measure: Measure) -> Floats:
    """(1 + beta) P R / (beta P + R), trec_eval's form of the F measure (m_set_F.c)."""
    beta = measure.param("beta")
    p, r = set_precision(judged, measure), recall(judged, measure)
    return _ratio((beta + 1.0) * p * r, r + beta * p)


def returned(judged: JudgedRanking, measure: Measure) -> Floats:
    """Count the documents returned, at most up to the cutoff (m_num_ret.c)."""
    return np.minimum(judged.returned, _depth(measure)).astype(np.float64)


def relevant_returned(judged: JudgedRanking, measure: Measure) -> Floats:
    """Count the relevant documents returned, at most up to the cutoff (m_num_rel_ret.c)."""
    query, _ = _hits(judged, measure)
    return _sum(judged, query, np.ones(len(query)))


def queries(judged: JudgedRanking, _measure: Measure) -> Floats:
    """Count the judged queries (m_num_q.c)."""
    return np.ones(len(judged.query_ids))


KERNELS: dict[str, Callable[[JudgedRanking, Measure], Floats]] = {
    "nDCG": ndcg,
    "DCG": dcg,
    "NCG": ncg,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "P": precision,
    "R": recall,
    "Success": success,
    "Rprec": r_precision,
    "Bpref": bpref,
    "Judged": judged_share,
    "ERR": err,
    "RBP": rank_biased_precision,
    "SetP": set_precision,
    "SetR": recall,
    "SetF": set_f,
    "NumRet": returned,
    "NumRel": _relevant,
    "NumRelRet": relevant_returned,
    "NumQ": queries,
}
