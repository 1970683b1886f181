"""Runs scored inside a running Python, as tests do; qrels are read before, on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytrec_eval
from data import make
from measure import Row, Settings, check_same, clock, interleaved, ratio
from sides import MEASURES, TREC_NAMES, our_means, our_values, trec_means

from pytest_irbench import evaluate, read_qrels, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Values = dict[str, dict[str, float]]

SHORT = 10
"""So many times the pairs of the large runs: each takes a few milliseconds."""


def in_process(settings: Settings) -> Iterator[Row]:
    """From the file to the values of each query."""
    for queries, limit in ((54, 0.30), (200, 0.25)):
        run, qrels = make(settings.folder / "small", queries, 1000)
        sides = file_sides(run, qrels)
        yield compare(f"in process, {queries} x 1000, file to values", sides, SHORT * settings.pairs, limit)


def mapping(settings: Settings) -> Iterator[Row]:
    """From {query_id: {doc_id: score}} to the values of each query."""
    for queries in (54, 200):
        sides = mapping_sides(*make(settings.folder / "small", queries, 1000))
        yield compare(f"mapping of {queries} x 1000 to values", sides, SHORT * settings.pairs, 0.45)
    sides = mapping_sides(*make(settings.folder, settings.queries, 1000, judged=4))
    yield compare(f"mapping of {settings.queries} x 1000 to values", sides, settings.pairs, 0.15)


def file_sides(run: Path, qrels: Path) -> tuple[Callable[[], Values], Callable[[], Values]]:
    """Make both sides of scoring a file."""
    judged, evaluator = read_qrels(qrels), evaluator_of(qrels)

    def ours() -> Values:
        return our_values(evaluate(read_run(run), judged, MEASURES))

    def theirs() -> Values:
        with run.open() as file:
            return evaluator.evaluate(pytrec_eval.parse_run(file))

    return ours, theirs


def mapping_sides(run: Path, qrels: Path) -> tuple[Callable[[], Values], Callable[[], Values]]:
    """Make both sides of scoring a mapping."""
    judged, evaluator = read_qrels(qrels), evaluator_of(qrels)
    with run.open() as file:
        returned = pytrec_eval.parse_run(file)
    return lambda: our_values(evaluate(returned, judged, MEASURES)), lambda: evaluator.evaluate(returned)


def evaluator_of(qrels: Path) -> pytrec_eval.RelevanceEvaluator:
    """Read qrels for pytrec_eval."""
    with qrels.open() as file:
        return pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(TREC_NAMES))


def compare(
    title: str, sides: tuple[Callable[[], Values], Callable[[], Values]], pairs: int, limit: float
) -> Row:
    """Let both sides take turns."""
    ours, theirs = sides
    check_same([our_means(ours()), trec_means(theirs())])
    return ratio(title, *interleaved(pairs, clock(ours), clock(theirs)), limit)


ROWS = {"in-process": in_process, "mapping": mapping}
