"""Which thresholds notice a broken run."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_gates import gate_of

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.gates.declared import GateSpec
from pytest_irbench.gates.held import HeldBaseline
from pytest_irbench.gates.kinds import ThresholdSpec
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.mutations import MUTATIONS
from pytest_irbench.gates.prove import Asked, Proof, prove
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.run import Run, read_run

QRELS = Qrels.from_mapping({"q1": {"a": 1, "z": 0}, "q2": {"a": 1}})
BENCHMARK = Benchmark("tiny", Topics([Topic("one", "q1"), Topic("two", "q2")]), QRELS)
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}}

# No conversations, and nothing below rank 3.
NOT_HERE = ("drop a conversation", "shuffle the tail")


def proof_of(*limits: tuple[str, str, float], run: Run | dict[str, dict[str, float]] = RUN) -> Proof:
    thresholds = [ThresholdSpec(measure, rule, limit, 1, 1) for measure, rule, limit in limits]  # type: ignore[arg-type]
    gate = GateSpec(1, "tiny", "bm25", None, tuple(thresholds))
    scores = evaluate(run, QRELS, gate.measures)
    measured = MeasuredGate(gate, BENCHMARK, scores, no_baseline, lambda: None)
    return prove(measured, [Asked(f"{t.measure} {t.rule}", t) for t in thresholds])


def no_baseline() -> HeldBaseline:
    raise InputError("there is no such baseline")


def proof_of_all(gate: MeasuredGate) -> Proof:
    return prove(gate, [Asked(threshold.name, threshold) for threshold in gate.spec.thresholds])


def test_a_threshold_notices_what_takes_its_value_below_the_floor() -> None:
    proof = proof_of(("RR", "min", 0.75), ("R@3", "min", 0.75))
    assert proof.able == ("RR min", "R@3 min")
    assert proof.noticed["drop a query"] == ("RR min", "R@3 min")
    assert proof.noticed["remove rank 1"] == ("RR min", "R@3 min")
    assert proof.noticed["swap 1 and 2"] == ("RR min",)
    assert proof.noticed["truncate to half"] == ()
    assert proof.noticed["drop a conversation"] is None
    assert proof.notices
    assert proof.unnoticed == ("truncate to half",)
    assert proof.idle == ()


def test_a_run_that_is_not_held_is_proved_like_one_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.txt"
    Run.from_mapping(RUN).write(path)
    held = proof_of(("RR", "min", 0.75))
    monkeypatch.setattr("pytest_irbench.runs.run.LARGE", 1)
    unread = read_run(path)
    assert unread.unread
    assert proof_of(("RR", "min", 0.75), run=unread) == held


def test_a_value_that_falls_onto_the_limit_still_passes() -> None:
    assert proof_of(("RR", "min", 0.5)).noticed["swap 1 and 2"] == ()
    assert proof_of(("RR", "min", 0.5001)).noticed["swap 1 and 2"] == ("RR min",)


def test_a_low_floor_notices_only_a_run_without_its_documents() -> None:
    proof = proof_of(("RR", "min", 0.01))
    assert {name for name, texts in proof.noticed.items() if texts} == {"remove rank 1"}


def test_a_ceiling_notices_what_rises() -> None:
    low = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
    proof = proof_of(("RR", "max", 0.6), run=low)
    assert proof.noticed["swap 1 and 2"] == ("RR max",)
    assert proof.noticed["drop a query"] == ()


def test_a_mutant_that_can_not_be_measured_is_noticed_by_all() -> None:
    proof = proof_of(("RR", "max", 0.9), ("P@9", "max", 0.9), run={"q1": {"a": 1.0}})
    assert proof.noticed["drop a query"] == proof.noticed["remove rank 1"] == ("RR max", "P@9 max")


def test_what_fails_already_is_not_asked() -> None:
    proof = proof_of(("RR", "min", 0.75), ("P@3", "min", 0.75))
    assert (proof.able, proof.failing) == (("RR min",), ("P@3 min",))
    assert all(texts is None or set(texts) <= {"RR min"} for texts in proof.noticed.values())


def test_a_gate_that_fails_as_a_whole_is_not_blind_and_one_without_thresholds_is() -> None:
    failing = proof_of(("P@3", "min", 0.75))
    assert (failing.able, failing.noticed, failing.is_blind) == ((), {}, False)
    assert Proof((), (), {}).is_blind


def test_a_blind_gate_notices_nothing_in_any_way() -> None:
    proof = proof_of(("NumRet", "min", 0.5))
    assert proof.is_blind
    assert proof.unnoticed == tuple(name for name in MUTATIONS if name not in NOT_HERE)
    assert proof.idle == ("NumRet min",)


def test_a_drop_is_proved_against_the_baseline_that_its_run_is_held_against() -> None:
    found = {"h01": 5, "h02": 5, "h03": 5}
    proof = proof_of_all(gate_of("thresholds: {R@10: {max_drop: 0.1}, R@1: {max_drop: 5%}}", found, found))
    assert proof.able == ("R@10-max_drop", "R@1-max_drop")
    assert proof.noticed["drop a query"] == ("R@10-max_drop", "R@1-max_drop")
    assert proof.noticed["truncate to half"] == ("R@10-max_drop",)
    assert proof.noticed["swap 1 and 2"] == ()


def test_a_drop_without_a_baseline_is_not_asked() -> None:
    proof = proof_of_all(gate_of("thresholds: {R@10: {min: 0.4, max_drop: 0.1}}", {"h01": 5, "h02": 5}))
    assert (proof.able, proof.failing) == (("R@10-min",), ("R@10-max_drop",))


def test_every_kind_of_rule_can_notice() -> None:
    found = {"31_1": 8, "31_2": 8, "32_1": 8, "32_2": 8}
    gate = gate_of(
        "slices: {late: {where: turn >= 2, thresholds: {R@10: 0.8}}}\n"
        "worst_conversation: {R@10: 0.8}\n"
        "queries: {max_drop: {R@10: 0.3}, expect: [{query_id: 31_1, doc_id: d0, within: 1}]}\n",
        found,
        found,
    )
    proof = proof_of_all(gate)
    assert proof.able == tuple(threshold.name for threshold in gate.spec.thresholds)
    assert proof.noticed["drop a conversation"] is not None
    assert proof.noticed["reverse"] == ("expect-31_1-d0",)
    assert proof.idle == ()


def test_a_known_bad_query_is_not_asked_since_it_does_not_pass() -> None:
    rules = "queries: {max_drop: {R@10: 0.3}, xfail: [{query_id: h01, reason: why, below: {R@10: 0.9}}]}"
    found = {"h01": 5, "h02": 5}
    proof = proof_of_all(gate_of(rules, found, found))
    assert (proof.able, proof.failing) == (("queries-R@10-max_drop",), ("xfail-h01-R@10",))
