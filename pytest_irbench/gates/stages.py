"""Which stage of a system changed, in words: what is retrieved, its order, its judgments, or its answers.

A sentence says what both runs show, and names a cause only where they leave no other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from pytest_irbench.errors import clipped
from pytest_irbench.gates.decide import ALPHA, size
from pytest_irbench.gates.kinds import DropSpec
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.significance import randomization
from pytest_irbench.measures.evaluate import values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.gates.sides import Pairs
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure

_TOP_HEAVY = ("nDCG", "DCG", "RR", "P", "AP", "ERR", "RBP", "Success")
_OF_CANDIDATES = ("R", "NCG", "NumRelRet", "SetR")
_DEEPER = 2
"""Candidates are looked at so many times deeper than the top at least."""
_TOP = 10
"""How deep the top is to a measure without a cutoff."""
_LESS_JUDGED = 0.02
_NAMED = 5
_NOISE = 1e-12  # as in decide.py

Moved = Literal["same", "fell", "rose", "maybe"]

_CAUSES: dict[tuple[Moved, Moved], str] = {
    ("same", "fell"): "the reranking changed",
    ("same", "rose"): "the reranking changed",
    ("fell", "fell"): "less of what is relevant is retrieved",
    ("fell", "maybe"): "less of what is relevant is retrieved",
    ("fell", "same"): "documents are lost below what {top} looks at",
    ("fell", "rose"): "less of what is relevant is retrieved, and it is ranked better",
    ("rose", "rose"): "more of what is relevant is retrieved",
    ("rose", "maybe"): "more of what is relevant is retrieved",
    ("rose", "same"): "documents are gained below what {top} looks at",
    ("rose", "fell"): "more of what is relevant is retrieved, and it is ranked worse",
}
"""How the candidates moved and how the top did -> what that means; other pairs show no cause."""


class _Change(NamedTuple):
    """A measure on both sides; `moved` is ``maybe`` where it may be chance."""

    measure: Measure
    pairs: Pairs
    moved: Moved

    @property
    def told(self) -> str:
        if self.moved == "same":
            return f"{self.pairs.text} is unchanged"
        if self.moved == "maybe":
            return f"{self.pairs.text} moved within chance ({_signed(self.pairs)})"
        return f"{self.pairs.text} {self.moved}"


def stages(gate: MeasuredGate) -> tuple[str, ...]:
    """Say which stage of a system changed since its baseline.

    Parameters
    ----------
    gate
        With its baseline; without one that fits there is nothing to say.

    Returns
    -------
    tuple of str
        Sentences without a final full stop; none where nothing moved or no cause can be shown.
    """
    held = gate.accepted
    if held is None:
        return ()
    told: list[str] = []
    top = _top(gate, held)
    if top is not None and (deep := _candidates(gate, held, top.measure)) is not None:
        told += _candidates_or_order(gate.scores, held.scores, deep, top)
    if top is not None and top.moved != "same":
        told += _same_documents(gate.scores, held.scores, top)
        told += _less_judged(gate.scores, held.scores, top)
    return (*told, *_unanswered(gate.scores, held.scores))


def _top(gate: MeasuredGate, held: HeldBaseline) -> _Change | None:
    """Return the gate's first measure of the first ranks."""
    found = (measure for measure in _comparable(gate) if measure.name in _TOP_HEAVY)
    measure = next(found, None)
    return None if measure is None else _change(gate, held, measure)


def _candidates(gate: MeasuredGate, held: HeldBaseline, top: Measure) -> _Change | None:
    """Return the deepest measure of what is retrieved at all, or None where none is clearly below the top.

    Where no threshold has one, it is R at the depth that the gate asks for.
    """
    depth = held.stored.pins.depth
    # What looks at all documents is held against all of them, not against the first ones.
    least = _DEEPER * top.sees if top.sees else max(depth, _DEEPER * _TOP)
    declared = [m for m in _comparable(gate) if m.name in _OF_CANDIDATES]
    deepest = sorted(declared, key=lambda m: -(m.sees or depth))
    for measure in (*deepest, gate.measure(f"R@{depth}")):
        if (measure.sees or depth) >= least:
            change = _change(gate, held, measure)
            # Without a relevant document at its level it would be 0 whatever is retrieved.
            if change.pairs.values.any() or change.pairs.baseline_values.any():
                return change
    return None


def _comparable(gate: MeasuredGate) -> list[Measure]:
    """Return the measures of the gate that its baseline knows, in the order in which they are declared."""
    measures = [gate.measure(text) for text in gate.spec.measures if gate.is_comparable(text)]
    return [m for m in measures if not m.external and not m.judged_only]


def _change(gate: MeasuredGate, held: HeldBaseline, measure: Measure) -> _Change:
    """Compare a measure; the seed is that of `compare`, so that p is the one that reports print."""
    sides = (_scored(gate.scores, measure), _scored(held.scores, measure))
    pairs = pairs_of(*sides, measure, gate.benchmark, None)
    if np.array_equal(pairs.values, pairs.baseline_values):
        return _Change(measure, pairs, "same")
    p_values, _ = randomization(pairs.units, np.random.default_rng(0))
    if p_values.either > ALPHA and not _is_over_budget(gate, measure, pairs):
        return _Change(measure, pairs, "maybe")
    return _Change(measure, pairs, "fell" if pairs.units.mean < 0 else "rose")


def _scored(scores: Scores, measure: Measure) -> Scores:
    if measure in scores.columns:
        return scores
    return scores.with_columns({measure: values_of(scores.judged, measure)})


def _is_over_budget(gate: MeasuredGate, measure: Measure, pairs: Pairs) -> bool:
    """Whether a measure dropped by more than the gate itself allows, where that alone makes it fail."""
    drops = [
        t
        for t in gate.spec.thresholds
        if isinstance(t, DropSpec) and t.slice is None and t.evidence == "mean"
    ]
    baseline = pairs.aggregate(pairs.baseline_values)
    budgets = [t.budget.of(baseline) for t in drops if gate.measure(t.measure) == measure]
    return any(-pairs.units.mean > budget + _NOISE for budget in budgets)


def _candidates_or_order(now: Scores, before: Scores, deep: _Change, top: _Change) -> Iterator[str]:
    cause = _CAUSES.get((deep.moved, top.moved), "").format(top=top.pairs.text)
    depth = (deep.measure.sees if top.measure.sees else None) or math.inf
    if deep.moved == "same" and cause and not _same_grades(now, before, depth):
        # As many count as relevant to the one, but the other sees a difference.
        cause = "other judged documents are retrieved"
    if deep.moved == "maybe" and top.moved in ("fell", "rose"):
        cause = _no_worse(deep.pairs, top)
    if cause:
        yield f"{deep.told} and {top.told}: {cause}"


def _same_grades(now: Scores, before: Scores, depth: float) -> bool:
    """Whether each query finds as many documents of each grade above 0 as it did."""
    return np.array_equal(_grades(now, depth), _grades(before, depth))


def _grades(scores: Scores, depth: float) -> NDArray[np.int64]:
    """Return the grades that each query finds, as columns of query and grade."""
    judged = scores.judged
    seen = (judged.rank <= depth) & (judged.grade > 0)
    query, grade = judged.query[seen], judged.grade[seen]
    return np.stack([query, grade])[:, np.lexsort((grade, query))]


def _no_worse(deep: Pairs, top: _Change) -> str:
    """Count the queries whose move the candidates do not explain."""
    sign, word, way = (1, "lower", "fell") if top.moved == "fell" else (-1, "higher", "rose")
    moved = sign * (top.pairs.values - top.pairs.baseline_values) < 0
    alike = moved & (sign * (deep.values - deep.baseline_values) >= 0)
    if not alike.any():
        return ""
    many = f"{np.count_nonzero(alike)} of {np.count_nonzero(moved)} queries"
    return f"{deep.text} is no {word} in {many} whose {top.pairs.text} {way}"


def _same_documents(now: Scores, before: Scores, top: _Change) -> Iterator[str]:
    depth = top.measure.sees
    moved = np.flatnonzero(top.pairs.values != top.pairs.baseline_values)
    ids = (top.pairs.query_ids[place] for place in moved.tolist())
    # Most often the first query that moved shows that it is not so.
    if depth and all(_documents(now, one, depth) == _documents(before, one, depth) for one in ids):
        where = f"every query whose {top.pairs.text} changed"
        yield f"the same documents are in the top {depth} of {where}, in another order"


def _documents(scores: Scores, query_id: str, depth: int) -> set[str]:
    return {doc_id for doc_id, _, _ in scores.judged.top(query_id, depth)}


def _less_judged(now: Scores, before: Scores, top: _Change) -> Iterator[str]:
    sides = (now, before)
    depth = top.measure.sees or _TOP
    new, old = (judged / returned for judged, returned in (s.judged.judged_within(depth) for s in sides))
    if top.pairs.units.mean < 0 and old - new >= _LESS_JUDGED - _NOISE:
        told = f"{old:.0%} of the top {depth} was judged, now {new:.0%}"
        yield f"{told}: part of the drop of {top.pairs.text} may be documents that nobody has judged"


def _unanswered(now: Scores, before: Scores) -> Iterator[str]:
    already = set(before.judged.missing)
    lost = [query_id for query_id in now.judged.missing if query_id not in already]
    if lost:
        have = "1 query has" if len(lost) == 1 else f"{len(lost)} queries have"
        more = ", …" if len(lost) > _NAMED else ""
        yield f"{have} no results now and had some: {', '.join(map(clipped, lost[:_NAMED]))}{more}"


def _signed(pairs: Pairs) -> str:
    """Print a difference with its sign, and so that a small one is not 0."""
    difference = pairs.units.mean
    sign = "+" if difference > 0 else "-" if difference < 0 else ""
    return f"{sign}{size(pairs.text, abs(difference))}"
