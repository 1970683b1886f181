"""evaluate(run, qrels, measures): values per query and their means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures import external
from pytest_irbench.measures.kernels import KERNELS
from pytest_irbench.measures.measure import Measure
from pytest_irbench.measures.ranking import JudgedRanking, judge
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Scores:
    """The values of a run: queries x measures.

    Attributes
    ----------
    judged
        The ranking they were computed from, with its counts of missing and extra queries.
    columns
        Measure -> values in the order of `query_ids`; each of shape (q,).
    relevance_level
        What a bare binary measure means here.
    """

    judged: JudgedRanking
    columns: Mapping[Measure, NDArray[np.float64]]
    relevance_level: int = 1

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Every judged query: the mean is over all of them, also those that the run lacks."""
        return self.judged.query_ids

    @cached_property
    def means(self) -> dict[str, float]:
        """Measure text -> mean over all judged queries; for counts (``NumRet`` …) the sum."""
        return {m.text(self.relevance_level): self.aggregate(m) for m in self.columns}

    def aggregate(self, measure: Measure) -> float:
        """Return a measure's mean over all judged queries, or the sum of a count."""
        # fsum is exact: the mean can't hang on the order of the queries.
        total = math.fsum(self.columns[measure])
        if measure.signature is not None and measure.signature.total:
            return total
        return total / len(self.query_ids)

    def __getitem__(self, measure: str) -> dict[str, float]:
        """Return the values of one measure: query_id -> value."""
        values = self.columns[Measure.parse(measure, self.relevance_level)]
        return dict(zip(self.query_ids, values.tolist(), strict=True))

    def __repr__(self) -> str:
        means = ", ".join(f"{text} = {value:.4f}" for text, value in self.means.items())
        return f"<Scores over {len(self.query_ids)} queries: {means}>"


def evaluate(
    run: Run | Mapping[str, Mapping[str, float]],
    qrels: Qrels | Mapping[str, Mapping[str, int]],
    measures: Iterable[str | Measure],
    *,
    relevance_level: int = 1,
) -> Scores:
    """Score a run exactly as trec_eval does with ``-c``.

    Parameters
    ----------
    run
        A `Run` or ``{query_id: {doc_id: score}}``.
    qrels
        `Qrels` or ``{query_id: {doc_id: grade}}``.
    measures
        For instance ``["nDCG@10", "AP(rel=2)"]``.
    relevance_level
        What a bare ``AP``, ``RR``, ``P@k`` … means: trec_eval's ``-l``.

    Raises
    ------
    InputError
        When a measure is unknown, run or qrels are malformed, or the run answers no judged query.
    """
    run = run if isinstance(run, Run) else Run.from_mapping(run)
    qrels = qrels if isinstance(qrels, Qrels) else Qrels.from_mapping(qrels)
    parsed = [m if isinstance(m, Measure) else Measure.parse(m, relevance_level) for m in measures]
    judged = judge(run, qrels)
    return Scores(judged, {measure: _values(judged, measure) for measure in parsed}, relevance_level)


def _values(judged: JudgedRanking, measure: Measure) -> NDArray[np.float64]:
    values = _external_values(judged, measure) if measure.external else _own_values(judged, measure)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        query_id = judged.query_ids[int(wrong[0])]
        raise InputError(f"{measure} is {values[wrong[0]]} for query {query_id!r}, which is no value")
    return values


def _own_values(judged: JudgedRanking, measure: Measure) -> NDArray[np.float64]:
    # What overflows (grades or gains without measure) is found afterwards, and is an error.
    with np.errstate(over="ignore", invalid="ignore"):
        return KERNELS[measure.name](judged, measure)


def _external_values(judged: JudgedRanking, measure: Measure) -> NDArray[np.float64]:
    qrels = ((q, d, grade) for q in judged.query_ids for d, grade in judged.qrels[q].items())
    # ir_measures' text always carries rel, as its own default is 1 whatever the benchmark says.
    text = measure.text(relevance_level=0)
    return np.array(external.values(text, qrels, judged.run.rows(), judged.query_ids))
