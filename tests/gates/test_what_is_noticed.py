"""Which thresholds notice a broken run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.mutations import MUTATIONS
from pytest_irbench.gates.prove import Limit, Proof, prove
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.runs.run import Run, read_run

QRELS = Qrels.from_mapping({"q1": {"a": 1, "z": 0}, "q2": {"a": 1}})
BENCHMARK = Benchmark("tiny", Topics([Topic("one", "q1"), Topic("two", "q2")]), QRELS)
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}}

# No conversations, and nothing below rank 3.
NOT_HERE = ("drop a conversation", "shuffle the tail")


def proof_of(*limits: tuple[str, str, float], run: Run | dict[str, dict[str, float]] = RUN) -> Proof:
    asked = [Limit(f"{text} {rule}", Measure.parse(text), rule, limit) for text, rule, limit in limits]
    return prove(evaluate(run, QRELS, [limit.measure for limit in asked]), BENCHMARK, asked)


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
