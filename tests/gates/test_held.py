"""A stored baseline as a gate holds itself against it: what must be the same, and what is scored again."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_gates import PROVENANCE

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.gates.baseline import Pins, make_baseline, pins_of
from pytest_irbench.gates.baseline_file import MissingBaselineError, run_path, write_baseline
from pytest_irbench.gates.held import HeldBaseline, hold_gate, hold_measure
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure

JUDGED = {"h01": {"a": 2, "z": 1}, "h02": {"b": 1}}
RUN = {"h01": {"a": 3.0, "b": 2.0, "z": 1.0}, "h02": {"a": 3.0, "b": 2.0}}
MEASURES = ("RR@2", "nDCG@2")


def benchmark_of(
    qrels: dict[str, dict[str, int]] = JUDGED, text: str = "the text", level: int = 1
) -> Benchmark:
    topics = Topics([Topic(f"{text} of {query_id}", query_id) for query_id in qrels])
    return Benchmark("tiny", topics, Qrels.from_mapping(qrels), relevance_level=level)


def wanted(benchmark: Benchmark, measures: tuple[str, ...] = MEASURES, depth: int = 3) -> Pins:
    return pins_of(benchmark, measures, depth)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of the baseline of `RUN`."""
    path = tmp_path / "tiny.bm25.json"
    scores = evaluate(RUN, benchmark_of(), MEASURES)
    write_baseline(path, make_baseline(scores, benchmark_of(), "bm25", depth=3, provenance=PROVENANCE))
    return path


def held(path: Path, benchmark: Benchmark | None = None, pins: Pins | None = None) -> HeldBaseline:
    benchmark = benchmark or benchmark_of()
    return hold_gate(path, benchmark, "bm25", pins or wanted(benchmark))


def refused(path: Path, benchmark: Benchmark | None = None, pins: Pins | None = None) -> str:
    with pytest.raises(InputError) as caught:
        held(path, benchmark, pins)
    assert caught.value.path == path
    return caught.value.message


def test_a_baseline_has_the_scores_that_it_was_stored_with(path: Path) -> None:
    found = held(path)
    assert found.scores.means == evaluate(RUN, benchmark_of(), MEASURES).means
    assert (found.rejudged, found.is_new) == (False, False)
    assert found.told == "baseline of 2024-05-31 (first)"
    assert found.scores.judged.run.benchmark is not None


# Pins


def test_the_baseline_of_another_system_or_benchmark_is_refused(path: Path) -> None:
    benchmark = benchmark_of()
    with pytest.raises(
        InputError,
        match="is the baseline of benchmark tiny, system bm25, not of benchmark tiny, system dense",
    ):
        hold_gate(path, benchmark, "dense", wanted(benchmark))
    other = Benchmark("huge", benchmark.topics, benchmark.qrels)
    assert refused(path, other) == (
        "is the baseline of benchmark tiny, system bm25, not of benchmark huge, system bm25"
    )


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"topics": "0" * 64}, "the judged topics have changed since"),
        ({"measures": ("AP", *MEASURES)}, "it has no values of AP"),
        ({"measures": ("RR@2",)}, "it has values of nDCG@2, which this gate does not hold against it"),
        ({"depth": 10}, "its depth is 3, the gate's is 10"),
        ({"doc_id": "passage_to_document"}, "its doc_id is identity, the gate's is passage_to_document"),
        ({"utterance": "manual"}, "its utterance is raw, the gate's is manual"),
    ],
)
def test_each_pin_that_differs_is_named(path: Path, change: dict[str, object], difference: str) -> None:
    pins = wanted(benchmark_of())._replace(**change)  # type: ignore[arg-type]
    assert refused(path, pins=pins) == f"is no baseline for this gate as it is now: {difference}"


def test_all_differences_are_told_together(path: Path) -> None:
    pins = wanted(benchmark_of(text="another text"), ("AP", "RR@2"), 10)
    assert refused(path, pins=pins) == (
        "is no baseline for this gate as it is now: the judged topics have changed since; it has no values of AP; "
        "it has values of nDCG@2, which this gate does not hold against it; its depth is 3, the gate's is 10"
    )


def test_another_relevance_level_makes_other_measures(path: Path) -> None:
    benchmark = benchmark_of(level=2)
    message = refused(path, benchmark, wanted(benchmark, ("RR(rel=2)@2", "nDCG@2")))
    assert "it has no values of RR(rel=2)@2; it has values of RR@2" in message


# Judgments


def test_under_other_judgments_the_stored_run_is_scored_again(path: Path) -> None:
    more = JUDGED | {"h02": {"a": 1, "b": 0}}
    found = held(path, benchmark_of(more))
    assert found.rejudged
    assert (found.stored.means["RR@2"], found.scores.means["RR@2"]) == (0.75, 1.0)
    assert found.scores.means == evaluate(RUN, benchmark_of(more), MEASURES).means


def test_a_query_that_is_judged_since_has_a_value_of_0(path: Path) -> None:
    topics = benchmark_of(JUDGED | {"h03": {"c": 1}})
    found = held(path, topics, wanted(benchmark_of())._replace(qrels=topics.qrels.sha256))
    assert found.rejudged
    assert found.scores["RR@2"] == {"h01": 1.0, "h02": 0.5, "h03": 0.0}


# Files


def test_a_missing_baseline_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(MissingBaselineError, match="there is no such baseline"):
        held(tmp_path / "tiny.bm25.json")


def test_a_value_that_was_edited_is_refused(path: Path) -> None:
    path.write_text(path.read_text().replace("0.500000", "0.400000"))
    assert "RR@2 is 0.400000 here, but the stored run scores 0.500000" in refused(path)


def test_a_mean_that_was_edited_is_refused(path: Path) -> None:
    path.write_text(path.read_text().replace("0.750000", "0.700000"))
    assert refused(path).startswith("means: RR@2 is 0.700000 here, but the stored run scores 0.750000")


def test_a_run_that_was_edited_or_cut_short_is_refused(path: Path) -> None:
    packed = run_path(path)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(InputError, match="is no gzip file, or a damaged one: it was edited or cut short"):
        held(path)
    packed.unlink()
    with pytest.raises(InputError, match=r"is missing: it holds the run that belongs to tiny\.bm25\.json"):
        held(path)


# One measure, as Python asks for it


def one(path: Path, measure: str, benchmark: Benchmark | None = None, depth: int = 3) -> HeldBaseline:
    benchmark = benchmark or benchmark_of()
    parsed = Measure.parse(measure, benchmark.relevance_level)
    return hold_measure(path, benchmark, "bm25", wanted(benchmark, (measure,), depth), parsed)


def test_one_measure_is_there_or_can_be_scored_within_the_depth(path: Path) -> None:
    assert one(path, "RR@2").scores.means["RR@2"] == 0.75
    assert one(path, "P@1", depth=1).scores.means["P@1"] == 0.5


@pytest.mark.parametrize("measure", ["AP", "R@10"])
def test_one_measure_that_sees_more_than_is_stored_is_refused(path: Path, measure: str) -> None:
    expected = f"is no baseline for {measure}: it holds 3 documents a topic and no values of {measure}"
    with pytest.raises(InputError, match=expected):
        one(path, measure)


def test_one_measure_of_other_topics_or_another_system_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match="is no baseline for RR@2: the judged topics have changed since"):
        one(path, "RR@2", benchmark_of(text="another text"))
    benchmark = benchmark_of()
    with pytest.raises(InputError, match="system bm25, not of benchmark tiny, system dense"):
        hold_measure(path, benchmark, "dense", wanted(benchmark), Measure.parse("RR@2"))


def test_one_measure_is_scored_again_under_other_judgments(path: Path) -> None:
    found = one(path, "P@1", benchmark_of(JUDGED | {"h02": {"a": 1}}))
    assert (found.rejudged, found.scores.means["P@1"]) == (True, 1.0)
