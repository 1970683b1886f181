"""evaluate(run, qrels, measures): values per query and their means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures import external
from pytest_irbench.measures.kernels import KERNELS
from pytest_irbench.measures.measure import Measure
from pytest_irbench.measures.ranking import JudgedRanking, judge
from pytest_irbench.measures.shared import condensed
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class _Means(dict[str, float]):
    """Means by the text of their measure; ``AP`` finds ``AP(rel=2)`` where that is what it means.

    What is no measure raises `InputError` with the nearest one, not `KeyError`.
    """

    relevance_level = 1

    def __missing__(self, measure: str) -> float:
        text = Measure.parse(measure, self.relevance_level).text(self.relevance_level)
        if text not in self:
            raise KeyError(measure)
        return self[text]


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
        means = _Means({m.text(self.relevance_level): self.aggregate(m) for m in self.columns})
        means.relevance_level = self.relevance_level
        return means

    def aggregate(self, measure: Measure) -> float:
        """Return a measure's mean over all judged queries, a count's sum, a latency's percentile."""
        return measure.aggregate(self.columns[measure].tolist())

    def only(self, measures: Iterable[Measure]) -> Scores:
        """Return the scores of some of the measures."""
        return self.with_columns({measure: self.columns[measure] for measure in measures})

    def with_columns(self, columns: Mapping[Measure, NDArray[np.float64]]) -> Scores:
        """Return scores of the same ranking with other measures."""
        return replace(self, columns=columns)

    def __getitem__(self, measure: str) -> dict[str, float]:
        """Return the values of one measure: query_id -> value."""
        values = self.columns[Measure.parse(measure, self.relevance_level)]
        return dict(zip(self.query_ids, values.tolist(), strict=True))

    def __repr__(self) -> str:
        means = ", ".join(f"{text} = {value:.4f}" for text, value in self.means.items())
        return f"<Scores over {len(self.query_ids)} queries: {means}>"


def evaluate(
    run: Run | Mapping[str, Mapping[str, float]],
    qrels: Qrels | Benchmark | Mapping[str, Mapping[str, int]],
    measures: Iterable[str | Measure],
    *,
    relevance_level: int | None = None,
) -> Scores:
    """Score a run exactly as trec_eval does with ``-c``.

    Parameters
    ----------
    run
        A `Run` or ``{query_id: {doc_id: score}}``.
    qrels
        `Qrels`, a `Benchmark`, or ``{query_id: {doc_id: grade}}``.
    measures
        For instance ``["nDCG@10", "AP(rel=2)"]``.
    relevance_level
        What a bare ``AP``, ``RR``, ``P@k`` … means: trec_eval's ``-l``; by default the level of the
        benchmark that the qrels belong to, else 1.

    Raises
    ------
    InputError
        When a measure is unknown, run or qrels are malformed, or the run answers no judged query.
    """
    run = as_run(run)
    if isinstance(qrels, str | os.PathLike):
        raise InputError(f"qrels is a path: read it with read_qrels({str(qrels)!r})")
    if isinstance(qrels, Benchmark):
        qrels = qrels.qrels
    qrels = qrels if isinstance(qrels, Qrels) else Qrels.from_mapping(qrels)
    if relevance_level is None:
        relevance_level = qrels.relevance_level
    parsed = as_measures(measures, relevance_level)
    judged = judge(run, qrels)
    return Scores(judged, {measure: values_of(judged, measure) for measure in parsed}, relevance_level)


def as_run(run: Run | Mapping[str, Mapping[str, float]]) -> Run:
    """Return a run, made from a mapping if need be.

    Raises
    ------
    InputError
        When it is neither.
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, Mapping):
        return Run(run)
    hint = f": read it with read_run({str(run)!r})" if isinstance(run, str | os.PathLike) else ""
    raise InputError(f"a run is a Run or {{query_id: {{doc_id: score}}}}, not {type(run).__name__}{hint}")


def as_measures(measures: Iterable[str | Measure], relevance_level: int) -> tuple[Measure, ...]:
    """Return measures, read from their text if need be; named twice, for two limits, one is computed once.

    Raises
    ------
    InputError
        When one is unknown, or a single text was handed in.
    """
    if isinstance(measures, str):
        raise InputError(f"measures is a list, for instance [{measures!r}]")
    parsed = (m if isinstance(m, Measure) else Measure.parse(m, relevance_level) for m in measures)
    return tuple(dict.fromkeys(parsed))


def values_of(judged: JudgedRanking, measure: Measure) -> NDArray[np.float64]:
    """Compute one measure: a value for each judged query; shape (q,).

    Raises
    ------
    InputError
        When a value is not finite, or ir_measures can't compute the measure.
    """
    # What overflows (grades or gains without measure) is found in the values, and is an error.
    with np.errstate(over="ignore", invalid="ignore"):
        if measure.external:
            values = _external_values(judged, measure)
        else:
            values = KERNELS[measure.name](condensed(judged) if measure.judged_only else judged, measure)
    finite = np.isfinite(values)
    if not finite.all():
        first = int(np.argmin(finite))
        query_id = judged.query_ids[first]
        raise InputError(f"{measure} is {values[first]} for query {query_id!r}, which is no value")
    return values


def _external_values(judged: JudgedRanking, measure: Measure) -> NDArray[np.float64]:
    qrels = ((q, d, grade) for q in judged.query_ids for d, grade in judged.qrels[q].items())
    # ir_measures' text always carries rel, as its own default is 1 whatever the benchmark says.
    text = measure.text(relevance_level=0)
    return np.array(external.values(text, qrels, judged.run.rows(), judged.query_ids))
