"""How long answers took, as a measure of a run beside its ranking."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.gates.comparison import compare
from pytest_irbench.measures.aggregates import aggregate
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.runs.retrieve import retrieve
from pytest_irbench.runs.run import Run, read_run

LATENCIES = ["latency_p50_ms", "latency_p95_ms", "latency_max_ms"]
QRELS = {"b": {"d": 1}, "a": {"d": 1}, "c": {"d": 1}}


def run_with(latencies: Mapping[str, float]) -> Run:
    run = Run.from_mapping({"a": {"d": 1.0}, "c": {"x": 1.0}})
    run.latencies = latencies
    return run


def test_each_query_has_its_latency_and_all_of_them_a_percentile() -> None:
    scores = evaluate(run_with({"a": 10.0, "b": 20.0, "c": 70.0}), QRELS, [*LATENCIES, "RR"])
    for text in LATENCIES:
        assert scores[text] == {"b": 20.0, "a": 10.0, "c": 70.0}
    # Between 20 and 70, nine tenths of the way.
    assert scores.means == {
        "latency_p50_ms": 20.0,
        "latency_p95_ms": pytest.approx(65.0),
        "latency_max_ms": 70.0,
        "RR": 1 / 3,
    }


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_percentiles_are_those_of_numpy(values: list[float]) -> None:
    assert aggregate("median", values) == np.percentile(values, 50)
    assert aggregate("95th percentile", values) == np.percentile(values, 95)
    assert aggregate("highest", values) == max(values)
    assert min(values) <= aggregate("median", values) <= aggregate("95th percentile", values) <= max(values)


@pytest.mark.parametrize("text", LATENCIES)
def test_a_latency_is_written_without_parameters_and_cutoff(text: str) -> None:
    measure = Measure.parse(text, relevance_level=2)
    assert str(measure) == measure.text(2) == text
    assert measure.is_latency
    assert not measure.bounded
    for wrong in (f"{text}@10", f"{text}(rel=1)", f"{text}(p=0.9)"):
        with pytest.raises(InputError):
            Measure.parse(wrong)


def test_the_nearest_right_name_is_told() -> None:
    with pytest.raises(InputError, match="did you mean 'latency_p95_ms'"):
        Measure.parse("latency_p90_ms")


def test_without_latencies_there_is_nothing_to_measure(tmp_path) -> None:
    run_with({}).write(tmp_path / "run.txt")
    benchmark = Benchmark(
        "tiny", Topics([Topic("text", query_id) for query_id in QRELS]), Qrels.from_mapping(QRELS)
    )
    batch = retrieve(benchmark, lambda topics, k: [["d"]] * 3)
    for run in (read_run(tmp_path / "run.txt"), {"a": {"d": 1.0}}, batch):
        with pytest.raises(InputError) as caught:
            evaluate(run, QRELS, ["latency_p95_ms"])
        assert str(caught.value) == (
            "latency was not measured: that takes a system that is asked topic by topic, and this run comes "
            "from a file, a mapping or a batch: leave latencies out for it"
        )


def test_a_judged_query_that_was_not_asked_is_no_fast_one() -> None:
    with pytest.raises(InputError, match="latency was not measured for 2 judged queries, for instance 'b'"):
        evaluate(run_with({"a": 10.0}), QRELS, ["latency_max_ms"])


def test_queries_that_are_not_judged_do_not_count() -> None:
    scores = evaluate(run_with({"other": 999.0, "a": 1.0, "b": 1.0, "c": 1.0}), QRELS, ["latency_max_ms"])
    assert scores.means == {"latency_max_ms": 1.0}


def test_a_latency_is_compared_with_no_baseline() -> None:
    run = run_with({"a": 10.0, "b": 20.0, "c": 70.0})
    with pytest.raises(InputError) as caught:
        compare(run, run, "latency_p95_ms", qrels=QRELS)
    assert str(caught.value) == (
        "latency_p95_ms has no baseline, as another machine has another latency: give it a max"
    )


def test_a_system_that_is_asked_is_measured() -> None:
    benchmark = Benchmark(
        "tiny", Topics([Topic("text", query_id) for query_id in QRELS]), Qrels.from_mapping(QRELS)
    )
    run = retrieve(benchmark, lambda topic, k: ["d"], concurrency=2)
    means = evaluate(run, benchmark, LATENCIES).means
    assert 0 < means["latency_p50_ms"] <= means["latency_p95_ms"] <= means["latency_max_ms"] < 1000
