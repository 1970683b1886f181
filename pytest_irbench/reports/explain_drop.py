"""Why a value dropped: the queries that lost most, and the documents that went down in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from pytest_irbench.errors import clipped
from pytest_irbench.gates.decide import number_of
from pytest_irbench.reports.explain import QUERIES_SHOWN, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.comparison import Comparison, Mover
    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.measures.evaluate import Scores

_DOCUMENTS_SHOWN = 3
_DEEP = 1_000_000


def against(comparison: Comparison, held: HeldBaseline) -> Iterator[str]:
    """Say what was compared with what, and what chance makes of it."""
    commit = held.stored.provenance.commit
    yield f"{held.told}" + (f", commit {commit[:12]}" if commit else "")
    tally = f"{comparison.losses} worse, {comparison.wins} better, {comparison.ties} the same"
    if comparison.units == 1:
        yield f"{comparison.drawn} alone says nothing about chance; {tally}"
    else:
        low, high = comparison.interval
        interval = f"95% interval of the change {low + 0.0:+.4f} to {high + 0.0:+.4f}"
        yield f"{interval}, p = {comparison.permutation.drop:.4f}; {tally}"
        seen = comparison.detectable_drop()
        yield f"smallest drop that {comparison.drawn} show in 8 of 10 cases: {seen:.4f}"
    if held.rejudged:
        yield "the qrels changed since: the baseline's run was scored again with them"


def lost_most(
    comparison: Comparison,
    scores: Scores,
    before: Scores,
    benchmark: Benchmark | None,
    among: Collection[str] | None = None,
) -> Iterator[str]:
    """Show the queries that lost most, with the relevant documents that went down.

    Parameters
    ----------
    comparison
        Run against baseline.
    scores, before
        Those of the run and of the baseline.
    benchmark
        Gives the queries' texts, when there is one.
    among
        The only queries to show, or None for all.
    """
    every = comparison.movers(len(comparison.query_ids))
    lost = [m for m in every if m.difference < 0 and (among is None or m.query_id in among)]
    if not lost:
        yield "no query lost"
        return
    shown = lost[:QUERIES_SHOWN]
    more = f" (of {len(lost)})" if len(lost) > len(shown) else ""
    yield f"queries that lost most{more}:"
    header = ("query_id", "baseline", "now", "change", "text")
    rows = [_row(comparison.measure, mover, text_of(scores, benchmark, mover.query_id)) for mover in shown]
    table = tabulate(rows, header, "plain", disable_numparse=True).split("\n")
    yield table[0]
    for mover, line in zip(shown, table[1:], strict=True):
        yield line
        for moved in _went_down(mover.query_id, scores, before):
            yield f"    {moved}"


def _row(measure: str, mover: Mover, text: str) -> tuple[str, ...]:
    numbers = (number_of(measure, mover.baseline), number_of(measure, mover.value))
    change = "-" + number_of(measure, -mover.difference)
    return (clipped(mover.query_id), *numbers, change, text)


def _went_down(query_id: str, scores: Scores, before: Scores) -> list[str]:
    """Name the relevant documents that stand lower than they did, the highest gone first."""
    grades = scores.judged.qrels[query_id]
    old, new = (_ranks(side, query_id) for side in (before, scores))
    gone = [
        (rank, doc_id)
        for doc_id, rank in old.items()
        if grades.get(doc_id, 0) > 0 and new.get(doc_id, _DEEP) > rank
    ]
    return [
        f"{clipped(doc_id)}  grade {grades[doc_id]}: rank {rank} before, "
        + (f"now {new[doc_id]}" if doc_id in new else "now not returned")
        for rank, doc_id in sorted(gone)[:_DOCUMENTS_SHOWN]
    ]


def _ranks(scores: Scores, query_id: str) -> dict[str, int]:
    return {doc_id: rank for rank, (doc_id, _, _) in enumerate(scores.judged.top(query_id, _DEEP), start=1)}
