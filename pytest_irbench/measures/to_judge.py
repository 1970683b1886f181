"""Which documents to judge so that a verdict no longer hangs on what nobody has judged."""

from __future__ import annotations

import operator
import os
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import Scores, as_measures, values_of
from pytest_irbench.measures.shared import depth as depth_of
from pytest_irbench.measures.unjudged_bounds import extremes, unjudged
from pytest_irbench.runs.trec import written_field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats, Ints
    from pytest_irbench.measures.unjudged_bounds import Unjudged

UNFILLED = "?"
"""The grade in a file to fill in: no whole number, so that it is refused as qrels until it is one."""

_HOLDS = {
    ("min", True): operator.ge,
    ("min", False): operator.lt,
    ("max", True): operator.le,
    ("max", False): operator.gt,
}


class _Block(NamedTuple):
    """Documents of a query that are judged together: those from one place in its line to another."""

    query: int
    begin: int
    end: int


def to_judge(
    judged: JudgedRanking,
    measure: str | Measure,
    limit: float,
    rule: Literal["min", "max"],
    *,
    depth: int | None = None,
) -> list[tuple[str, str]]:
    """Return a short list of pairs (query_id, doc_id) on which today's verdict hangs.

    When all of them are judged and gain nothing, which is how they count today, the verdict is certain,
    whatever the rest is. When some turn out relevant, ask again: the value has moved, or the list is
    another one. (A list that is enough whatever is found on it would be all of them, nearly always: some
    judgments bring the mean to the edge, and then the last document decides.) The list is empty when the
    verdict is certain already.

    It is short, and often shortest. Today's verdict is certain when the bound on the other side of the
    limit has come to this one. For each query the best t documents to judge are known: the topmost ones
    to bring its highest value down, the deepest ones to bring its lowest value up, since those that stay
    in doubt then stand deepest (or highest), rank by rank, and no measure gains by standing deeper. So
    each query has a curve, what t judgments bring. Blocks of documents are taken in the order of what
    they bring per document, along the concave hulls of these curves. Whatever number of documents that
    makes, no other list of that length brings more to the mean. So the list before its last block is too
    short, and so is each of that length: the whole is longer than the shortest by less than its last
    block. Under P, RBP and DCG each block is one document, and the list is a shortest one.

    Parameters
    ----------
    judged
        A ranking.
    measure
        One that `unjudged_bounds` knows; a bare ``AP`` is at the level of the qrels.
    limit, rule
        The mean must be at least the limit under ``min``, at most the limit under ``max``.
    depth
        As in `unjudged_bounds`.

    Returns
    -------
    list of (str, str)
        Those with the greatest effect per document first; the same for the same input.

    Raises
    ------
    InputError
        As `unjudged_bounds`, when the rule is another one, or for ``Judged``, which every judgment raises.
    """
    (measure,) = as_measures([measure], judged.qrels.relevance_level)
    if rule not in ("min", "max"):
        raise InputError(f"the rule is 'min' or 'max', not {rule!r}")
    if measure.name == "Judged":
        raise InputError(
            f"every judgment raises {measure}, whatever it says: judge any of the documents it counts"
        )

    def mean(values: Floats) -> float:
        return Scores(judged, {measure: values}).aggregate(measure)

    passes = bool(_HOLDS[rule, True](mean(values_of(judged, measure)), limit))
    holds = _HOLDS[rule, passes]
    lifts = (rule == "min") == passes
    curves = _curves(judged, unjudged(judged, depth), measure, lifts=lifts)
    blocks = _settling(curves, lambda values: bool(holds(mean(values), limit)))
    return _documents(judged, curves, blocks)


class _Curves(NamedTuple):
    """How the bound of each query comes to its value, judgment by judgment.

    Attributes
    ----------
    order
        The rows in doubt of each query that has any, in the order in which they are judged.
    bounds
        Of each of those, the bound after 0, 1, 2 … judgments.
    all_bounds
        The bound of every query before any; shape (q,).
    """

    order: dict[int, Ints]
    bounds: dict[int, Floats]
    all_bounds: Floats


def _curves(judged: JudgedRanking, open_: Unjudged, measure: Measure, *, lifts: bool) -> _Curves:
    """Compute the lowest value (`lifts`) or the highest one as documents are taken out of doubt."""
    if not lifts:
        # What is past the cutoff wins nothing.
        open_ = open_.only(open_.rank <= depth_of(measure))
    queries, sizes = np.unique(open_.query, return_counts=True)
    ends = np.cumsum(sizes)
    place = np.arange(len(open_.query)) - np.repeat(ends - sizes, sizes)
    turn = np.repeat(sizes, sizes) - 1 - place if lifts else place
    value = values_of(judged, measure)
    points = []
    for taken in range(int(sizes.max(initial=0)) + 1):
        low, high = extremes(judged, open_.only(turn >= taken), measure)
        points.append(np.minimum(low, value) if lifts else np.maximum(high, value))
    table = np.array(points)
    parts = dict(zip(queries.tolist(), np.split(open_.rank, ends[:-1]), strict=True)) if len(queries) else {}
    order = {query: ranks[::-1] if lifts else ranks for query, ranks in parts.items()}
    return _Curves(order, {query: table[: len(order[query]) + 1, query] for query in order}, table[0])


def _settling(curves: _Curves, settled: Callable[[Floats], bool]) -> list[_Block]:
    """Return the blocks that settle a verdict, those that bring most per document first."""
    blocks = sorted(
        ((-slope, block) for query, bound in curves.bounds.items() for slope, block in _hull(query, bound))
    )
    chosen = [block for _, block in blocks]

    def after(taken: Sequence[_Block]) -> bool:
        values = curves.all_bounds.copy()
        for block in taken:
            values[block.query] = curves.bounds[block.query][block.end]
        return settled(values)

    chosen = chosen[: bisect_left(range(len(chosen)), True, key=lambda number: after(chosen[:number]))]
    if chosen:
        # Maybe not all of the last block is needed.
        *rest, last = chosen
        cuts = (last._replace(end=end) for end in range(last.begin + 1, last.end))
        chosen = [*rest, next((cut for cut in cuts if after([*rest, cut])), last)]
    return chosen


def _hull(query: int, bound: Floats) -> list[tuple[float, _Block]]:
    """Part a query's documents into blocks that bring less and less per document."""
    brought = np.abs(bound - bound[0])
    blocks: list[tuple[float, _Block]] = []
    at = 0
    while at < len(brought) - 1:
        slopes = (brought[at + 1 :] - brought[at]) / np.arange(1, len(brought) - at)
        end = at + 1 + int(np.argmax(slopes))
        slope = float(slopes[end - at - 1])
        if slope <= 0:
            break
        # Rounding must not bring a later block before an earlier one.
        blocks.append((min(slope, blocks[-1][0]) if blocks else slope, _Block(query, at, end)))
        at = end
    return blocks


def _documents(judged: JudgedRanking, curves: _Curves, blocks: list[_Block]) -> list[tuple[str, str]]:
    pairs, rankings = [], {}
    for query, begin, end in blocks:
        query_id, ranks = judged.query_ids[query], curves.order[query]
        if query not in rankings:
            rankings[query] = judged.top(query_id, int(ranks.max()))
        pairs += [(query_id, rankings[query][rank - 1][0]) for rank in ranks[begin:end].tolist()]
    return pairs


def write_to_judge(path: str | Path, pairs: Sequence[tuple[str, str]]) -> None:
    """Write pairs as a TREC qrels file in which the grades are to be filled in.

    A grade is ``?`` until then, and `read_qrels` refuses the file at the first line that has one. A file
    whose grades were filled in is never overwritten.

    Parameters
    ----------
    path
        Where to; the file appears whole or not at all.
    pairs
        (query_id, doc_id), as `to_judge` returns them.

    Raises
    ------
    InputError
        When there is no pair, an id can't be written, or somebody has begun to fill in the file.
    """
    path = Path(path)
    if not pairs:
        raise InputError("there is nothing to judge, so no file is written", path)
    if path.exists() and _is_begun(path.read_text("utf-8", "replace")):
        raise InputError("has grades that were filled in: add them to the qrels, then delete the file", path)
    rows = [(written_field(q, "query id"), written_field(d, "document id")) for q, d in pairs]
    half = path.with_name(f".{path.name}.{os.getpid()}.half")
    try:
        half.write_bytes("".join(f"{query} 0 {doc} {UNFILLED}\n" for query, doc in rows).encode())
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def _is_begun(text: str) -> bool:
    return any(line.split()[-1] != UNFILLED for line in text.split("\n") if line.strip())
