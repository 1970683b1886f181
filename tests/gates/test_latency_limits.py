"""Limits on how long a system may take."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputErrors
from pytest_irbench.gates.decide import decide, printed
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.mutations import mutants
from pytest_irbench.gates.rulings import decide_threshold
from pytest_irbench.gates.spec import Spec, read_spec
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.plugin.measuring import depth_for
from pytest_irbench.reports.explain import explain
from pytest_irbench.runs.run import Run

BENCHMARK = Benchmark(
    "tiny",
    Topics([Topic("short", "1"), Topic("a longer text", "2"), Topic("text", "3")]),
    Qrels.from_mapping({"1": {"a": 1}, "2": {"b": 2}, "3": {"c": 1}}),
    depth=100,
)


def spec_of(rules: str, folder: Path) -> Spec:
    path = folder / "irbench.yaml"
    path.write_text(f"gates:\n- {{benchmark: dl20-doc, system: bm25, {rules}}}\n", encoding="utf-8")
    return read_spec(path)


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        ("thresholds: {latency_p95_ms: 250}", "min 250 of 'latency_p95_ms'"),
        ("thresholds: {latency_p95_ms: {min: 250}}", "min 250 of 'latency_p95_ms'"),
        ("thresholds: {latency_p50_ms: {max_drop: 20}}", "max_drop 20 of 'latency_p50_ms'"),
        ("thresholds: {latency_max_ms: {max_drop: 5%}}", "max_drop 5% of 'latency_max_ms'"),
        ("worst_conversation: {latency_p95_ms: 250}", "min 250 of 'latency_p95_ms'"),
        ("queries: {max_drop: {latency_p95_ms: 250}}", "max_drop 250 of 'latency_p95_ms'"),
        (
            "queries: {xfail: [{query_id: a, reason: slow, below: {latency_p95_ms: 250}}]}",
            "below 250 of 'latency_p95_ms'",
        ),
    ],
)
def test_a_latency_takes_a_max_and_nothing_else(rules: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(InputErrors) as caught:
        spec_of(rules, tmp_path)
    said = "less is better, and another machine has another latency: it takes a max, such as {max: 250}"
    assert f"{what}: {said}" in [fault.message for fault in caught.value.faults]


def gate_of(rules: str, folder: Path) -> MeasuredGate:
    gate = spec_of(rules, folder).gates[0]
    run = Run.from_mapping({"1": {"a": 1.0}, "2": {"b": 1.0}}, "bm25")
    run.latencies = {"1": 10.0, "2": 312.44, "3": 20.0}
    scores = evaluate(run, BENCHMARK, gate.measures)
    none: Any = SimpleNamespace()
    return MeasuredGate(gate, BENCHMARK, scores, lambda: none, lambda: None)


def sentences(rules: str, folder: Path) -> list[tuple[str, str]]:
    gate = gate_of(rules, folder)
    verdicts = [decide_threshold(threshold, gate) for threshold in gate.spec.thresholds]
    return [(verdict.outcome, verdict.sentence) for verdict in verdicts]


def test_limits_hold_or_are_missed_in_milliseconds(tmp_path: Path) -> None:
    rules = (
        "thresholds: {latency_p50_ms: {max: 20}, latency_p95_ms: {max: 250}, latency_max_ms: {max: 312.4}}"
    )
    assert sentences(rules, tmp_path) == [
        ("passed", "latency_p50_ms = 20.0, max 20.0"),
        ("failed", "latency_p95_ms = 283.2, above max 250.0 (over by 33.2)"),
        ("failed", "latency_max_ms = 312.44, above max 312.40 (over by 4.0e-02)"),
    ]


def test_a_slice_has_percentiles_of_its_own(tmp_path: Path) -> None:
    rules = """slices: {long: {where: 'query_id != "2"', thresholds: {latency_max_ms: {max: 50}}}}"""
    assert sentences(rules, tmp_path) == [("passed", "latency_max_ms of slice long = 20.0, max 50.0")]


def test_a_limit_is_printed_as_it_was_written() -> None:
    assert printed("latency_p95_ms", 99.96, 99.95) == ("99.96", "99.95")
    assert printed("latency_p95_ms", 1234.56, 250) == ("1234.6", "250.0")
    assert decide("latency_max_ms", 260.0, "<=", 250).sentence == (
        "latency_max_ms = 260.0, not <= 250.0 (over by 10.0)"
    )


def test_the_slowest_queries_explain_it(tmp_path: Path) -> None:
    gate = gate_of("thresholds: {latency_p95_ms: {max: 250}}", tmp_path)
    verdict = decide_threshold(gate.spec.thresholds[0], gate)
    text = explain(verdict, gate.scores, gate.measure("latency_p95_ms"), BENCHMARK)
    assert "system bm25: 95th percentile over 3 judged queries" in text
    assert "counted as 0" not in text
    lines = [line.split() for line in text.splitlines()]
    assert lines.index(["2", "312.4", "a", "longer", "text"]) < lines.index(["3", "20.0", "text"])


def test_a_run_that_is_broken_on_purpose_is_no_slower() -> None:
    run = Run.from_mapping({"1": {"a": 2.0, "b": 1.0}, "2": {"b": 1.0}})
    run.latencies = {"1": 10.0, "2": 20.0, "3": 30.0}
    for _, mutant in mutants(run, BENCHMARK):
        assert mutant is None or mutant.latencies == run.latencies


@pytest.mark.parametrize(
    ("measures", "depth"),
    [(["latency_p95_ms"], 100), (["latency_p95_ms", "nDCG@10"], 10), (["latency_p95_ms", "AP"], 100)],
)
def test_no_more_documents_are_asked_for_because_of_a_latency(measures: list[str], depth: int) -> None:
    assert depth_for(BENCHMARK, map(Measure.parse, measures)) == depth
