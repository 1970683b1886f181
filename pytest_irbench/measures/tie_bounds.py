"""What the order of equal scores is worth: the tie rule picks one order of many that the system left open."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.measures.bounds import Bounds, bounds
from pytest_irbench.measures.evaluate import values_of
from pytest_irbench.measures.shared import gain_of
from pytest_irbench.measures.signatures import SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats, Ints


def tie_bounds(judged: JudgedRanking, measures: Iterable[str | Measure]) -> Bounds:
    """Return the lowest and the highest value of each measure over all orders of equal scores, exactly.

    No order is tried. The highest value is that of the order which has the documents of each tie sorted
    by what they are worth, best first, the lowest that of the opposite order. For let two neighbours of
    a tie stand at ranks r and r + 1, and swap them so that the worthier one stands above. No measure
    falls by that, as nothing else moves:

    - nDCG, DCG, NCG, RBP, P, R, Judged: a sum of worth times a weight that does not rise with the rank,
      over what is the same for all orders. It rises by the difference of worth times that of weights.
    - RR, Success: they hang on the rank of the first relevant document, which does not get worse.
    - AP: with h relevant documents above, the precision of the one that moved up was (h + 1)/(r + 1)
      and is (h + 1)/r; when both are relevant or both not, nothing changes.
    - ERR: with chances to stop a >= b, and p to come this far, p (a/r + (1 - a) b/(r + 1)) is above
      p (b/r + (1 - b) a/(r + 1)) by p (a - b) (1/r - 1/(r + 1)); the chance to go on is the same.
    - Rprec, Bpref: as P; fewer non-relevant documents stand above the relevant one.

    Where a cutoff parts the two, the lower one counts nothing, and the worthier one is in. From any
    order such swaps lead to the sorted one, as bubble sort does, so none is better, and none is worse
    than the opposite. Worth is the gain where gains are given, else the grade; a judged document that is
    worth nothing changes places with an unjudged one without effect, except under Judged, to which any
    judged one is worth 1: so judged documents are placed before the unjudged, or behind them. Counts and
    measures of sets see no order. Condensed lists keep the order of what is left in them.

    Parameters
    ----------
    judged
        A ranking; where it has ties, a large run file is read whole.
    measures
        For instance ``["nDCG@10", "AP"]``; a bare ``AP`` is at the level of the qrels.

    Raises
    ------
    InputError
        When a measure is unknown, or one that ir_measures computes.
    """
    tied = _tied_ranks(judged)
    return bounds(judged, measures, partial(_extremes, judged, tied))


def _extremes(judged: JudgedRanking, tied: tuple[Ints, Ints], measure: Measure) -> tuple[Floats, Floats]:
    if measure.external:
        raise InputError(
            f"what ties can do to {measure} is not known, as ir_measures computes it: "
            f"it is known of {', '.join(SIGNATURES)}"
        )
    gains = dict(measure.params).get("gains")
    worth = gain_of(judged.grade, gains, exponential=False) if gains else judged.grade
    lowest, highest = (_sorted(judged, tied, worth, best_first=best) for best in (False, True))
    return values_of(lowest, measure), values_of(highest, measure)


def _tied_ranks(judged: JudgedRanking) -> tuple[Ints, Ints]:
    """Return the first and the last rank among those that share each judged document's score."""
    first, last = judged.rank.copy(), judged.rank.copy()
    begins = np.searchsorted(judged.query, np.arange(len(judged.query_ids) + 1)).tolist()
    for query in np.flatnonzero(judged.first_tie).tolist():
        part = slice(begins[query], begins[query + 1])
        columns, index = judged.run.columns, judged.run.query_index[judged.query_ids[query]]
        ascending = np.sort(columns.scores[slice(*columns.offsets[index : index + 2].tolist())])
        own = ascending[len(ascending) - judged.rank[part]]
        first[part] = len(ascending) - ascending.searchsorted(own, "right") + 1
        last[part] = len(ascending) - ascending.searchsorted(own, "left")
    return first, last


def _sorted(
    judged: JudgedRanking, tied: tuple[Ints, Ints], worth: Floats | Ints, *, best_first: bool
) -> JudgedRanking:
    """Place the judged documents of each tie at its begin, best first, or at its end, best last."""
    first, last = tied
    order = np.lexsort((-worth if best_first else worth, first, judged.query))
    begins, ends = _ties(judged.query, first)
    rows = np.arange(len(order))
    rank = first + rows - begins if best_first else last + rows - ends + 1
    # Ties keep their places, so the query of each row is the one it was.
    return replace(judged, rank=rank, grade=judged.grade[order])


def _ties(query: Ints, first: Ints) -> tuple[Ints, Ints]:
    """Return for each row where the rows of its tie begin, and the place behind them."""
    apart = (np.diff(query) != 0) | (np.diff(first) != 0)
    edges = np.concatenate([[0], np.flatnonzero(apart) + 1, [len(query)]])
    sizes = np.diff(edges)
    return np.repeat(edges[:-1], sizes), np.repeat(edges[1:], sizes)
