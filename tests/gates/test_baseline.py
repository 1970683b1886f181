"""What a baseline keeps of a run, and what an update is said to change."""

from __future__ import annotations

import pytest
from baselines import QRELS, RANKINGS, baseline_of
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.benchmark import Benchmark, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.baseline import Provenance, changes, cut_run
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.run import Run

JUDGED = Qrels.from_mapping({"q2": {"a": 1}, "q1": {"b": 2, "c": 0}, "q3": {"a": 1}})


# The cut.


def test_a_cut_run_has_the_judged_queries_sorted_and_their_documents_best_first() -> None:
    run = Run.from_mapping(
        {"x": {"a": 1.0}, "q2": {"a": 1.0, "b": 2.0, "c": 1.0}, "q1": {"z": 0.5}, "q3": {}}
    )
    assert list(cut_run(run, JUDGED, 2).rows()) == [("q1", "z", 0.5), ("q2", "b", 2.0), ("q2", "c", 1.0)]


def test_without_a_depth_every_document_of_a_judged_query_is_kept() -> None:
    run = Run.from_mapping({"q2": {"a": 1.0, "b": 2.0, "c": 1.0}})
    assert list(cut_run(run, JUDGED, None).rows()) == [("q2", "b", 2.0), ("q2", "c", 1.0), ("q2", "a", 1.0)]


def test_a_cut_run_keeps_its_name_and_its_benchmark() -> None:
    run = Run.from_mapping({"q2": {"a": 1.0}}, "bm25")
    run.benchmark = Benchmark("tiny", Topics(()), JUDGED)
    cut = cut_run(run, JUDGED, 1)
    assert cut.name == "bm25"
    assert cut.benchmark is run.benchmark


def test_of_a_run_without_judged_queries_nothing_is_left() -> None:
    assert len(cut_run(Run.from_mapping({"x": {"a": 1.0}}), JUDGED, 10)) == 0


few_scores = st.sampled_from([3.0, 2.0, 2.0 - 2**-51, 0.1, -0.0, float("-inf"), float("inf")])
rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "x"]),
    st.dictionaries(st.sampled_from("abcdefgh"), few_scores, min_size=1),
)


@given(rankings.filter(lambda run: run.keys() & set(JUDGED.query_ids)), st.integers(1, 5))
def test_measures_within_the_depth_are_the_same_on_the_cut_run(
    mapping: dict[str, dict[str, float]], depth: int
) -> None:
    run = Run.from_mapping(mapping)
    cut = cut_run(run, JUDGED, depth)
    names = ("nDCG", "DCG", "P", "R", "RR", "AP", "ERR", "Judged", "Success", "RBP")
    measures = [f"{name}@{cutoff}" for name in names for cutoff in (1, depth)]
    whole, part = evaluate(run, JUDGED, measures), evaluate(cut, JUDGED, measures)
    assert [part[measure] for measure in part.means] == [whole[measure] for measure in whole.means]
    assert part.means == whole.means
    for query_id in JUDGED.query_ids:
        assert part.judged.top(query_id, depth) == whole.judged.top(query_id, depth)


@given(rankings, st.randoms())
def test_a_cut_run_does_not_hang_on_the_order_of_the_rows(mapping: dict, random) -> None:
    shuffled = [
        (query_id, random.sample(list(docs.items()), len(docs))) for query_id, docs in mapping.items()
    ]
    random.shuffle(shuffled)
    other = Run.from_pairs(dict(shuffled))
    cut = cut_run(Run.from_mapping(mapping), JUDGED, 3)
    assert list(cut_run(other, JUDGED, 3).rows()) == list(cut.rows())


# What is stored.


def test_a_baseline_pins_what_its_values_hang_on() -> None:
    baseline = baseline_of()
    assert baseline.pins.measures == ("RR@2", "nDCG@2")
    assert baseline.pins.qrels == Qrels.from_mapping(QRELS).sha256
    assert len(baseline.pins.topics) == 64
    assert baseline.pins[3:] == (2, "identity", "raw")


def test_a_baseline_holds_means_and_values_of_every_measure() -> None:
    baseline = baseline_of()
    assert baseline.means == pytest.approx({"RR@2": 0.75, "nDCG@2": 0.695559}, abs=1e-6)
    assert baseline.values["RR@2"] == {"h02": 0.5, "h01": 1.0}
    assert list(baseline.values["nDCG@2"]) == ["h02", "h01"]


@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "NumRet", "IPrec@0.1", "P(judged_only=True)@2"])
def test_a_measure_that_sees_more_than_the_depth_keeps_the_run_whole(measure: str) -> None:
    assert len(baseline_of(measures=("RR@2",)).run) == 4
    assert len(baseline_of(measures=("RR@2", measure)).run) == 5


# What an update changes.

WORSE = RANKINGS | {"h01": {"a": 1.0, "b": 2.5, "z": 0.1}}


def test_a_baseline_where_none_was_is_new() -> None:
    assert changes(None, baseline_of()) == ["new"]


def test_provenance_alone_is_no_change() -> None:
    later = Provenance("2025-01-01", "again", {"python": "3.13.0"}, "c0ffee")
    assert changes(baseline_of(), baseline_of(provenance=later)) == []


def test_what_was_rounded_to_be_stored_has_not_changed() -> None:
    baseline = baseline_of()
    stored = baseline._replace(
        means={measure: round(mean, 6) for measure, mean in baseline.means.items()},
        values={m: {q: round(v, 6) for q, v in values.items()} for m, values in baseline.values.items()},
    )
    assert changes(stored, baseline) == []


def test_each_measure_says_how_its_mean_and_its_queries_moved() -> None:
    assert changes(baseline_of(), baseline_of(WORSE)) == [
        "RR@2 0.7500 -> 0.5000 (-0.2500): 0 queries better, 1 worse, 1 the same",
        "nDCG@2 0.6956 -> 0.5553 (-0.1403): 0 queries better, 1 worse, 1 the same",
    ]
    assert changes(baseline_of(WORSE), baseline_of())[0] == (
        "RR@2 0.5000 -> 0.7500 (+0.2500): 1 query better, 0 worse, 1 the same"
    )


def test_queries_that_move_against_each_other_are_told_though_the_mean_stays() -> None:
    swapped = {"h01": {"b": 2.0, "a": 1.0}, "h02": {"b": 2.0, "a": 1.0}}
    assert changes(baseline_of(measures=("RR@2",)), baseline_of(swapped, measures=("RR@2",))) == [
        "RR@2 0.7500 -> 0.7500 (+0.0000): 1 query better, 1 worse, 0 the same"
    ]


def test_counts_are_whole_numbers() -> None:
    fewer = {"h01": {"a": 3.0, "b": 2.5, "z": 0.1}, "h02": {"a": 2.0}}
    assert changes(baseline_of(measures=("NumRet",)), baseline_of(fewer, measures=("NumRet",))) == [
        "NumRet 5 -> 4 (-1): 0 queries better, 1 worse, 1 the same"
    ]


def test_a_mean_that_moved_little_is_printed_so_that_it_can_be_seen() -> None:
    baseline = baseline_of(measures=("RR@2",))
    moved = baseline._replace(means={"RR@2": 0.75001})
    assert changes(baseline, moved) == [
        "RR@2 0.750000 -> 0.750010 (+0.000010): 0 queries better, 0 worse, 2 the same"
    ]


def test_what_stands_lower_than_any_measure_sees_is_a_change_of_the_run() -> None:
    scores = RANKINGS | {"h02": {"a": 2.0, "b": 1.5}}
    document = RANKINGS | {"h01": {"a": 3.0, "c": 2.5}}
    less = {"h02": RANKINGS["h02"]}
    for other in (scores, document):
        assert changes(baseline_of(), baseline_of(other)) == ["run changed"]
    without = baseline_of()._replace(run=Run.from_mapping(less))
    assert changes(baseline_of(), without) == ["run changed"]


def test_measures_come_and_go_by_name() -> None:
    assert changes(baseline_of(measures=("RR@2", "P@1")), baseline_of(measures=("RR@2", "R@2"))) == [
        "R@2 added",
        "P@1 removed",
    ]


def test_pins_that_changed_are_named() -> None:
    old = baseline_of(depth=10)
    new = baseline_of(depth=100)
    pins = new.pins._replace(topics="1", qrels="2", utterance="manual")
    assert changes(old, new._replace(pins=pins)) == [
        "topics changed",
        "qrels changed",
        "depth 10 -> 100",
        "utterance raw -> manual",
    ]


def test_queries_come_and_go_by_name() -> None:
    ids = [f"q{number}" for number in range(5)]
    qrels = {query_id: {"a": 1} for query_id in ids}
    run = {query_id: {"a": 1.0} for query_id in ids}
    old = baseline_of(run, qrels={"q0": {"a": 1}}, measures=("RR@2",))
    new = baseline_of(run, qrels=qrels, measures=("RR@2",))
    pins = ["topics changed", "qrels changed"]
    assert changes(old, new) == [*pins, "4 queries added: q1, q2, q3, …"]
    assert changes(new, old) == [*pins, "4 queries removed: q1, q2, q3, …"]


def test_a_mean_that_moves_because_of_a_new_query_is_told() -> None:
    one, two = {"q0": {"a": 1}}, {"q0": {"a": 1}, "q1": {"b": 1}}
    run = {"q0": {"a": 1.0}}
    lines = changes(
        baseline_of(run, qrels=one, measures=("RR@2",)), baseline_of(run, qrels=two, measures=("RR@2",))
    )
    assert lines[2:] == [
        "1 query added: q1",
        "RR@2 1.0000 -> 0.5000 (-0.5000): 0 queries better, 0 worse, 1 the same",
    ]
