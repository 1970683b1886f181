"""Why a value is what it is, from small runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.decide import decide
from pytest_irbench.measures.evaluate import Scores, evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.reports.explain import counts, explain, strangers
from pytest_irbench.runs.run import Run, read_run

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


def test_a_miss_is_told_from_the_number_down_to_the_documents() -> None:
    assert explained("RR@10", "min", 0.5, benchmark=benchmark()) == (
        """\
RR@10 = 0.4444, below min 0.5000 (short by 0.0556)
  benchmark tiny, system bm25: mean over 3 judged queries, relevant from grade 1
  1 judged query without results, counted as 0: 1e5
  1 query of the run not judged, left out
  at most 3 documents returned for a query, fewer than the cutoff
  2 of 5 documents in the top 10 are unjudged

  lowest queries:
  query_id    RR@10    text
  1e5         0.0000   how far is 100 km
      no results
      better: d3 grade 1 not returned
  007         0.3333   james bond
      1. x  unjudged
      2. d7  grade 0
      3. 1e5  grade 3
  31_1        1.0000   what is throat cancer
      1. d1  grade 2
      2. q  unjudged
      better: d2 grade 1 not returned"""
    )


def test_without_a_benchmark_its_name_and_texts_are_left_out() -> None:
    text = explained("RR@10", ">=", 0.5)
    assert text.startswith("RR@10 = 0.4444, not >= 0.5000 (short by 0.0556)\n  system bm25: mean over")
    assert "james bond" not in text
    assert text.endswith("2. q  unjudged\n      better: d2 grade 1 not returned")


def test_the_best_documents_that_a_query_misses_are_shown_with_their_ranks() -> None:
    qrels = {"q": {"a": 1, "b": 0, "low": 0, "d2": 1, "d3": 3, "d9": 3, "e": 2, "f": 1}}
    run = {"q": {"a": 9.0, "b": 8.0, "x": 7.0, "y": 6.0, "d2": 5.0, "e": 4.0, "d9": 3.0, "low": 2.0}}
    measure = Measure.parse("nDCG@2", 1)
    scores = evaluate(run, qrels, [measure])
    text = explain(decide("nDCG@2", scores.aggregate(measure), "min", 0.9), scores, measure)
    # By grade, then by rank; the three best of five.
    assert text.endswith(
        "3. x  unjudged\n      better: d9 grade 3 at rank 7, d3 grade 3 not returned, e grade 2 at rank 6"
    )


def test_recall_names_what_is_not_found_above_its_cutoff_whatever_the_order() -> None:
    qrels = {"q": {"a": 1, "b": 1, "late": 2, "gone": 1, "bad": 0}}
    run = {"q": {"x": 9.0, "y": 8.0, "z": 7.0, "a": 6.0, "b": 5.0, "late": 4.0}}
    scores = evaluate(run, qrels, ["R@5"])
    measure = next(iter(scores.columns))
    text = explain(decide("R@5", 0.5, "min", 0.9), scores, measure)
    # a and b stand below the first three, and count all the same.
    assert text.endswith(
        "3. z  unjudged\n      lacks 2 relevant: late grade 2 at rank 6, gone grade 1 not returned"
    )


def test_a_query_with_its_best_documents_on_top_misses_nothing() -> None:
    qrels = {"q": {"a": 2, "b": 2, "c": 1, "d": 1, "e": 0}}
    measure = Measure.parse("P@5", 1)
    scores = evaluate({"q": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0}}, qrels, [measure])
    text = explain(decide("P@5", scores.aggregate(measure), "min", 0.9), scores, measure)
    assert text.endswith("3. c  grade 1")


def test_too_few_documents_for_the_cutoff_are_noted() -> None:
    note = "at most 3 documents returned for a query, fewer than the cutoff"
    assert note in counts(*scored("RR@10"))
    assert note in counts(*scored("RR@4"))
    for enough in ("RR@3", "RR@1", "RR", "AP"):
        assert not [line for line in counts(*scored(enough)) if "cutoff" in line]


def test_the_file_of_a_run_is_shown_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("31_1 Q0 d1 1 2 bm25\n", encoding="utf-8")
    measure = Measure.parse("RR", 1)
    scores = evaluate(read_run(path), QRELS, [measure])
    assert counts(scores, measure)[0].startswith(f"system bm25 ({path}): mean over 3 judged queries")


def test_counts_of_queries_are_whole_numbers() -> None:
    text = explained("NumRet", "max", 4.0)
    assert text.startswith("NumRet = 5, above max 4 (over by 1")
    assert "\n  007         3\n" in text
    assert "\n  31_1        2\n" in text


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


def test_strange_ids_are_shown_beside_the_judged_id_most_like_them() -> None:
    measure = Measure.parse("RR", 1)
    scores = evaluate({"q": {}, "r": {"D12": 1.0}}, {"q": {"zz": 1}, "r": {"77": 1, "12": 0}}, [measure])
    assert str(strangers(scores.judged)).endswith(
        "has ids like 'D12', the qrels like '12'; do the ids match?"
    )
