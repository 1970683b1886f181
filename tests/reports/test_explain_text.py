"""Why a value is what it is, from small runs."""

from __future__ import annotations

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.decide import decide
from pytest_irbench.measures.evaluate import Scores, evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.reports.explain import counts, explain, strangers
from pytest_irbench.runs.run import Run

QRELS = {"31_1": {"d1": 2, "d2": 1}, "007": {"1e5": 3, "d7": 0}, "1e5": {"d3": 1}}
RUN = {"31_1": {"d1": 2.0, "q": 1.0}, "007": {"x": 3.0, "d7": 2.0, "1e5": 1.0}, "99": {"d": 1.0}}
TEXTS = {"31_1": "what is throat cancer", "007": "james bond", "1e5": "how far is 100 km"}


def scored(measure: str, run: dict[str, dict[str, float]] = RUN, level: int = 1) -> tuple[Scores, Measure]:
    parsed = Measure.parse(measure, level)
    return evaluate(Run.from_mapping(run, "bm25"), QRELS, [parsed], relevance_level=level), parsed


def explained(measure: str, rule: str, limit: float, **more: object) -> str:
    scores, parsed = scored(measure)
    verdict = decide(parsed.text(1), scores.aggregate(parsed), rule, limit)
    return explain(verdict, scores, parsed, **more)  # type: ignore[arg-type]


def benchmark() -> Benchmark:
    topics = Topics([Topic(text, query_id) for query_id, text in TEXTS.items()])
    return Benchmark("tiny", topics, Qrels.from_mapping(QRELS))


def test_a_miss_is_told_from_the_number_down_to_the_line() -> None:
    assert explained("RR@10", "min", 0.5, benchmark=benchmark(), place="irbench.yaml:12") == (
        """\
RR@10 = 0.4444, below min 0.5000 (short by 0.0556)
  benchmark tiny, system bm25: mean over 3 judged queries, relevant from grade 1
  1 judged query without results, counted as 0: 1e5
  1 query of the run not judged, left out
  2 of 5 documents in the top 10 are unjudged

  lowest queries:
  query_id    RR@10    text
  1e5         0.0000   how far is 100 km
      no results
  007         0.3333   james bond
      1. x  unjudged
      2. d7  grade 0
      3. 1e5  grade 3
  31_1        1.0000   what is throat cancer
      1. d1  grade 2
      2. q  unjudged

irbench.yaml:12: RR@10 min"""
    )


def test_without_a_benchmark_and_a_place_both_are_left_out() -> None:
    text = explained("RR@10", ">=", 0.5)
    assert text.startswith("RR@10 = 0.4444, not >= 0.5000 (short by 0.0556)\n  system bm25: mean over")
    assert "james bond" not in text
    assert text.endswith("2. q  unjudged")


@pytest.mark.parametrize("rule", ["max", "<=", "<"])
def test_too_much_shows_the_highest_queries(rule: str) -> None:
    text = explained("RR@10", rule, 0.4)
    assert "(over by 0.0444)" in text
    assert "highest queries:" in text
    assert text.index("  31_1 ") < text.index("  007 ") < text.index("  1e5 ")


def test_a_count_is_a_sum() -> None:
    scores, measure = scored("NumRet")
    assert counts(scores, measure)[0].startswith("system bm25: sum over 3 judged queries")


def test_unjudged_documents_are_counted_down_to_the_cutoff() -> None:
    assert "1 of 2 documents in the top 1 are unjudged" in counts(*scored("RR@1"))
    assert "2 of 5 documents in the top 10 are unjudged" in counts(*scored("AP"))


def test_nan_is_told_without_a_size() -> None:
    scores, measure = scored("RR@10")
    text = explain(decide("RR@10", float("nan"), "min", 0.5), scores, measure)
    assert text.startswith("RR@10 = nan, below min 0.5")
    assert "short by" not in text.split("\n")[0]


def test_strange_ids_are_shown_from_both_sides() -> None:
    scores, measure = scored("RR@10", {"31_1": {"MARCO_d1": 1.0}})
    assert strangers(scores.judged) == (
        "none of the returned documents is judged for its query: the run has ids like 'MARCO_d1', the qrels "
        "like 'd1'; do the ids match?"
    )
    assert strangers(scores.judged) in counts(scores, measure)
    assert strangers(scored("RR@10")[0].judged) is None
