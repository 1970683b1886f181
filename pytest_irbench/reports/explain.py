"""Why a value is what it is: the worst queries, their top documents, and what was left out."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from tabulate import tabulate

from pytest_irbench.benchmarks.benchmark import asked_text
from pytest_irbench.errors import clipped
from pytest_irbench.gates.decide import number_of
from pytest_irbench.reports.explain_ids import explain_ids

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking

QUERIES_SHOWN = 5
DOCUMENTS_SHOWN = 3
_IDS_SHOWN = 10
_DEPTH_OF_COUNTS = 10
_ID_LENGTH = 60
_DEEP = 1_000_000
_NOWHERE = 2 * _DEEP
_RECALLS = ("R", "NCG", "SetR", "NumRelRet")
"""Measures of what is found at all, whatever its order above the cutoff."""
_NOTES: WeakKeyDictionary[JudgedRanking, str] = WeakKeyDictionary()


class Among(NamedTuple):
    """Some of the queries: the slice's name, its condition, and which they are."""

    name: str
    where: str
    query_ids: tuple[str, ...]


def explain(
    verdict: Verdict,
    scores: Scores,
    measure: Measure,
    benchmark: Benchmark | None = None,
    among: Among | None = None,
) -> str:
    """Explain a value that is too low or too high.

    Parameters
    ----------
    verdict
        Its sentence is the first line.
    scores, measure
        Where the value comes from.
    benchmark
        Gives the queries' texts, when there is one.
    among
        The slice that it is about, when it is not all queries.
    """
    lines = [verdict.sentence, *(f"  {line}" for line in counts(scores, measure, benchmark, among)), ""]
    lines.append(f"  {'lowest' if verdict.is_floor else 'highest'} queries:")
    lines += [f"  {line}" for line in _queries(verdict, scores, measure, benchmark, among)]
    return "\n".join(lines)


def counts(
    scores: Scores, measure: Measure, benchmark: Benchmark | None = None, among: Among | None = None
) -> list[str]:
    """Say over what a value was taken: queries, missing, extra and unjudged."""
    judged = scores.judged
    name = f"benchmark {benchmark.name}, " if benchmark else ""
    level = "" if measure.rel is None else f", relevant from grade {measure.rel}"
    queries = plural(len(judged.query_ids), "judged query", "judged queries")
    if among:
        queries = f"{len(among.query_ids)} of {queries}, slice {among.name}: {clipped(among.where)}"
    lines = [f"{name}system {judged.run}: {measure.statistic} over {queries}{level}"]
    if judged.missing and not measure.is_latency:
        shown = ", ".join(map(clipped, judged.missing[:_IDS_SHOWN]))
        more = len(judged.missing) - _IDS_SHOWN
        lines.append(
            f"{plural(len(judged.missing), 'judged query', 'judged queries')} without results, counted "
            f"as 0: {shown}{f' and {more} more' if more > 0 else ''}"
        )
    if judged.extra:
        lines.append(f"{plural(judged.extra, 'query', 'queries')} of the run not judged, left out")
    deepest = int(judged.returned.max())
    if measure.cutoff is not None and deepest < measure.cutoff:
        returned = plural(deepest, "document", "documents")
        lines.append(f"at most {returned} returned for a query, fewer than the cutoff")
    lines += _unjudged(judged, _depth(measure))
    ties = judged.ties_within(_depth(measure))
    if ties:
        lines.append(
            f"{plural(ties, 'query has', 'queries have')} equal scores in the top {_depth(measure)}, "
            "ranked by doc_id descending"
        )
    return lines


def strangers(judged: JudgedRanking) -> str | None:
    """Say that not one returned document is judged, which nearly always means other ids."""
    if len(judged.rank):
        return None
    query_id = next(q for q, count in zip(judged.query_ids, judged.returned, strict=True) if count)
    ours = judged.top(query_id, 1)[0][0]
    # The judged id most like it shows best what differs.
    ours = ours[:_ID_LENGTH]
    judged_ids = (doc_id[:_ID_LENGTH] for doc_id in judged.qrels[query_id])
    near = max(judged_ids, key=lambda doc_id: SequenceMatcher(None, ours, doc_id).ratio())
    return (
        f"none of the returned documents is judged for its query: the run has ids like {ours!r}, the qrels "
        f"like {near!r}; do the ids match?"
    )


def _depth(measure: Measure) -> int:
    return int(measure.cutoff) if measure.cutoff and measure.cutoff >= 1 else _DEPTH_OF_COUNTS


def note_on_ids(judged: JudgedRanking) -> str:
    """Say what is wrong with the ids of a run, found out once, or give an empty text."""
    if judged not in _NOTES:
        _NOTES[judged] = explain_ids(judged) or strangers(judged) or ""
    return _NOTES[judged]


def _unjudged(judged: JudgedRanking, depth: int) -> list[str]:
    known, returned = judged.judged_within(depth)
    counted = f"{returned - known} of {returned} documents in the top {depth} are unjudged"
    return list(dict.fromkeys(filter(None, (strangers(judged) or counted, note_on_ids(judged)))))


def _queries(
    verdict: Verdict, scores: Scores, measure: Measure, benchmark: Benchmark | None, among: Among | None
) -> list[str]:
    values = dict(zip(scores.query_ids, scores.columns[measure].tolist(), strict=True))
    if among:
        values = {query_id: values[query_id] for query_id in among.query_ids}
    worst = sorted(values, key=values.__getitem__, reverse=not verdict.is_floor)[:QUERIES_SHOWN]
    rows = [
        [
            clipped(query_id),
            number_of(verdict.measure, values[query_id]),
            text_of(scores, benchmark, query_id),
        ]
        for query_id in worst
    ]
    table = tabulate(rows, ("query_id", verdict.measure, "text"), "plain", disable_numparse=True).split("\n")
    lines = [table[0]]
    for query_id, line in zip(worst, table[1:], strict=True):
        shown = documents(scores.judged, query_id)
        if verdict.is_floor:
            shown += _lacking(scores.judged, query_id, measure)
        lines += [line, *(f"    {document}" for document in shown)]
    return lines


def documents(judged: JudgedRanking, query_id: str, many: int = DOCUMENTS_SHOWN) -> list[str]:
    """Show the first documents of a query with their grades."""
    top = judged.top(query_id, many)
    return [
        f"{rank}. {clipped(doc_id)}  {'unjudged' if grade is None else f'grade {grade}'}"
        for rank, (doc_id, _, grade) in enumerate(top, start=1)
    ] or ["no results"]


def _lacking(judged: JudgedRanking, query_id: str, measure: Measure) -> list[str]:
    """Name the best relevant documents that the value lacks: at a higher rank, or at all."""
    grades = judged.qrels[query_id]
    ranks = {doc_id: rank for rank, doc_id in enumerate(judged.ranked(query_id), start=1)}
    least, depth = measure.rel or 1, measure.sees or _DEEP
    if measure.name not in _RECALLS:
        depth = DOCUMENTS_SHOWN
        # Nothing is better where a document is that is as good.
        shown = [grades.get(doc_id, 0) for doc_id, rank in ranks.items() if rank <= depth]
        least = max(least, (min(shown) if len(shown) == depth else 0) + 1)
    lacking = [d for d in grades if grades[d] >= least and ranks.get(d, _NOWHERE) > depth]
    lacking.sort(key=lambda doc_id: (-grades[doc_id], ranks.get(doc_id, _NOWHERE)))
    what = f"lacks {len(lacking)} relevant" if measure.name in _RECALLS else "better"
    return [f"{what}: {_named(lacking, grades, ranks)}"] if lacking else []


def _named(lacking: Sequence[str], grades: Mapping[str, int], ranks: Mapping[str, int]) -> str:
    named = [
        f"{clipped(doc_id)} grade {grades[doc_id]} "
        + (f"at rank {ranks[doc_id]}" if doc_id in ranks else "not returned")
        for doc_id in lacking[:DOCUMENTS_SHOWN]
    ]
    return ", ".join(named)


def text_of(scores: Scores, benchmark: Benchmark | None, query_id: str) -> str:
    """Return the text of a query as it was asked, on one line and not endless."""
    topic = benchmark.topics.by_id(query_id) if benchmark else None
    return clipped(" ".join(asked_text(topic, scores.judged.run.utterance).split()), 70)


def plural(count: int, one: str, many: str) -> str:
    """Count something in words."""
    return f"{count} {one if count == 1 else many}"
