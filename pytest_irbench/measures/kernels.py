"""One table of measures, each a few lines over the judged ranking.

A kernel takes a `JudgedRanking` and a `Measure` and returns a value per query. Sums run from rank 1
down in one accumulator per query (``numpy.bincount``), as trec_eval's loops do, so that values agree
to the last bit. A query without a relevant document gets 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.measures.latency import latency
from pytest_irbench.measures.shared import (
    ERR_MAX_GRADE,
    by_rank,
    counts,
    depth,
    discounted_gains,
    discounted_ideal,
    first_hits,
    front,
    gains_by_rank,
    gains_of,
    hits,
    ideal_gains,
    level_of,
    precisions,
    ratio,
    relevant_judged,
    stops,
    sums,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats


def dcg(judged: JudgedRanking, measure: Measure) -> Floats:
    """Sum of gain / log2(rank + 1); Järvelin and Kekäläinen 2002, as in trec_eval's m_ndcg.c."""
    reach = within(judged, measure)
    rank, query, _ = by_rank(judged, reach)
    inside = front(rank, measure, reach)
    return sums(judged, query[inside], discounted_gains(judged, reach, *gains_of(measure))[inside])


def ndcg(judged: JudgedRanking, measure: Measure) -> Floats:
    """DCG over that of the ideal order of all judged documents (trec_eval's m_ndcg_cut.c)."""
    reach = within(judged, measure)
    gains = gains_of(measure)
    place, query, _ = ideal_gains(judged, reach, *gains)
    inside = front(place, measure, reach)
    best = sums(judged, query[inside], discounted_ideal(judged, reach, *gains)[inside])
    return ratio(dcg(judged, measure), best)


def ncg(judged: JudgedRanking, measure: Measure) -> Floats:
    """Sum of gains in the top k over the best sum possible in k (TREC 2020 Deep Learning overview)."""
    reach = within(judged, measure)
    gains = gains_of(measure)
    rank, query, _ = by_rank(judged, reach)
    inside = front(rank, measure, reach)
    won = sums(judged, query[inside], gains_by_rank(judged, reach, *gains)[inside])
    place, query, gain = ideal_gains(judged, reach, *gains)
    inside = front(place, measure, reach)
    return ratio(won, sums(judged, query[inside], gain[inside]))


def average_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Mean over all relevant documents of the precision at their ranks (m_map.c, m_map_cut.c)."""
    reach = within(judged, measure)
    level = level_of(measure)
    rank, query = hits(judged, reach, level)
    inside = front(rank, measure, reach)
    total = sums(judged, query[inside], precisions(judged, reach, level)[inside])
    return ratio(total, relevant_judged(judged, level))


def reciprocal_rank(judged: JudgedRanking, measure: Measure) -> Floats:
    """1 / rank of the first relevant document (m_recip_rank.c); 0 when it is past the cutoff."""
    reach = within(judged, measure)
    first = first_hits(judged, reach, level_of(measure))
    return np.where(first <= depth(measure), 1.0 / first, 0.0)


def precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Relevant documents in the top k over k, also when fewer were returned (m_P.c)."""
    return relevant_returned(judged, measure) / depth(measure)


def recall(judged: JudgedRanking, measure: Measure) -> Floats:
    """Relevant documents in the top k over all relevant ones (m_recall.c, m_set_recall.c)."""
    return ratio(relevant_returned(judged, measure), relevant_judged(judged, level_of(measure)))


def success(judged: JudgedRanking, measure: Measure) -> Floats:
    """1 when a relevant document is in the top k (m_success.c)."""
    reach = within(judged, measure)
    return (first_hits(judged, reach, level_of(measure)) <= depth(measure)).astype(np.float64)


def r_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Precision at R, the number of relevant documents (m_Rprec.c)."""
    relevant = relevant_judged(judged, level_of(measure))
    rank, query = hits(judged, None, level_of(measure))
    return ratio(sums(judged, query, rank <= relevant[query]), relevant)


def bpref(judged: JudgedRanking, measure: Measure) -> Floats:
    """Share of judged non-relevant documents below each relevant one (m_bpref.c).

    Documents with a negative grade count as judged neither way, as in trec_eval.
    """
    level = level_of(measure)
    relevant = relevant_judged(judged, level)
    grades = judged.qrels.grades
    other = sums(judged, judged.qrels.query_of_row, (grades >= 0) & (grades < level))
    hit = judged.grade >= level
    wrong = (judged.grade >= 0) & ~hit
    query = judged.query[hit]
    before = np.cumsum(wrong)
    start = np.concatenate([[0], before])[np.searchsorted(judged.query, query)]
    above = np.minimum(before[hit] - start, relevant[query])
    credit = 1.0 - ratio(above, np.minimum(other, relevant)[query])
    return ratio(sums(judged, query, credit), relevant)


def judged_share(judged: JudgedRanking, measure: Measure) -> Floats:
    """Judged documents in the top k over documents returned in the top k, as in ir_measures."""
    reach = within(judged, measure)
    rank, query, _ = by_rank(judged, reach)
    seen = counts(judged, query[front(rank, measure, reach)])
    return ratio(seen, returned(judged, measure))


def err(judged: JudgedRanking, measure: Measure) -> Floats:
    """Compute the expected reciprocal rank; Chapelle et al. 2009, grades up to 4 as in TREC's gdeval.pl.

    Raises
    ------
    InputError
        When a grade is above 4: the probabilities are not defined there.
    """
    reach = within(judged, measure)
    if int(judged.qrels.grades.max()) > ERR_MAX_GRADE:
        raise InputError(f"ERR is defined for grades up to {ERR_MAX_GRADE}; the qrels have higher ones")
    rank, query, _ = by_rank(judged, reach)
    inside = front(rank, measure, reach)
    return sums(judged, query[inside], stops(judged, reach)[inside])


def rank_biased_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """(1 - p) times the sum of p^(rank - 1) over relevant documents; Moffat and Zobel 2008."""
    reach = within(judged, measure)
    p = measure.param("p")
    rank, query = hits(judged, reach, level_of(measure))
    inside = front(rank, measure, reach)
    share: float = 1.0 - p
    return share * sums(judged, query[inside], p ** (rank[inside] - 1.0))


def set_precision(judged: JudgedRanking, measure: Measure) -> Floats:
    """Relevant documents returned over all returned (m_set_P.c)."""
    return ratio(relevant_returned(judged, measure), judged.returned)


def set_f(judged: JudgedRanking, measure: Measure) -> Floats:
    """(1 + beta) P R / (beta P + R), trec_eval's form of the F measure (m_set_F.c)."""
    beta = measure.param("beta")
    p, r = set_precision(judged, measure), recall(judged, measure)
    return ratio((beta + 1.0) * p * r, r + beta * p)


def returned(judged: JudgedRanking, measure: Measure) -> Floats:
    """Count the documents returned, at most up to the cutoff (m_num_ret.c)."""
    return np.minimum(judged.returned, depth(measure)).astype(np.float64)


def relevant_returned(judged: JudgedRanking, measure: Measure) -> Floats:
    """Count the relevant documents returned, at most up to the cutoff (m_num_rel_ret.c)."""
    reach = within(judged, measure)
    rank, query = hits(judged, reach, level_of(measure))
    return counts(judged, query[front(rank, measure, reach)])


def relevant_in_qrels(judged: JudgedRanking, measure: Measure) -> Floats:
    """Count the relevant documents in the qrels (m_num_rel.c)."""
    return relevant_judged(judged, level_of(measure)).copy()


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
    "NumRel": relevant_in_qrels,
    "NumRelRet": relevant_returned,
    "NumQ": queries,
    "latency_p50_ms": latency,
    "latency_p95_ms": latency,
    "latency_max_ms": latency,
}
