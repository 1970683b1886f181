"""What the reports of a gate show beside its verdicts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_gates import PROVENANCE, benchmark_of, gate_of, gate_on, rules_of, scores_of

from pytest_irbench.benchmarks.benchmark import Topic, Topics
from pytest_irbench.gates.baseline import make_baseline
from pytest_irbench.gates.detail import Document, GateDetail, TurnMean
from pytest_irbench.gates.detailed import MOST, detail_of
from pytest_irbench.gates.held import HeldBaseline
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.protocol import Protocol
from pytest_irbench.measures.evaluate import Scores, evaluate
from pytest_irbench.runs.run import Run

RULES = "thresholds: {R@10: {max_drop: 0.1}}"


def test_each_query_has_its_values_and_first_documents_on_both_sides() -> None:
    found = detail_of(gate_of(RULES, {"a": 1, "b": 2}, {"a": 2, "b": 2}))
    first = found.queries[0]
    assert (first.query_id, first.text) == ("a", "the text of a")
    assert (first.values, first.before) == ((0.1,), (0.2,))
    assert first.top == (Document("d0", 1, 1),)
    assert first.top_before == (Document("d0", 1, 1), Document("d1", 1, None))


def test_a_document_has_its_grade_and_its_rank_on_the_other_side() -> None:
    run = {"q": {"new": 9.0, "good": 8.0}}
    gate = gate_on("thresholds: {nDCG@10: {min: 0.1, max_drop: 0.9}}", run, {"q": {"good": 3, "gone": 1}})
    before = evaluate(
        Run.from_mapping({"q": {"good": 2.0, "gone": 1.0}}, "bm25"), gate.benchmark, ["nDCG@10"]
    )
    (query,) = detail_of(against(gate, before)).queries
    assert query.top == (Document("new", None, None), Document("good", 3, 1))
    assert query.top_before == (Document("good", 3, 2), Document("gone", 1, None))


def against(gate: MeasuredGate, before: Scores) -> MeasuredGate:
    stored = make_baseline(before, gate.benchmark, "bm25", depth=10, provenance=PROVENANCE)
    return replace(gate, hold=lambda: HeldBaseline(stored, before))


def test_measures_have_the_values_that_decide_and_count_queries() -> None:
    found = detail_of(gate_of(RULES, {"a": 1, "b": 2, "c": 5}, {"a": 2, "b": 2, "c": 3}))
    (measure,) = found.measures
    assert (measure.text, measure.cutoff) == ("R@10", 10)
    assert (measure.value, measure.baseline) == (pytest.approx(8 / 30), pytest.approx(7 / 30))
    assert (measure.worse, measure.better, measure.same) == (1, 1, 1)


def test_turns_are_gathered_by_their_depth() -> None:
    found = detail_of(gate_of(RULES, {"1_1": 3, "1_2": 4, "2_1": 1}, {"1_1": 3, "1_2": 5, "2_1": 3}))
    assert found.measures[0].by_turn == (
        TurnMean(1, 2, pytest.approx(0.2), pytest.approx(0.3)),
        TurnMean(2, 1, pytest.approx(0.4), pytest.approx(0.5)),
    )
    assert [(query.conversation, query.turn) for query in found.queries] == [("1", 1), ("1", 2), ("2", 1)]


def test_without_a_baseline_only_today_is_told() -> None:
    found = detail_of(gate_of("thresholds: {R@10: 0.1}", {"a": 1, "b": 2}))
    assert found.baseline is None
    assert found.measures[0].baseline is None
    assert found.measures[0].same == 0
    assert found.queries[0].before == (None,)
    assert found.queries[0].top_before == ()


def test_a_baseline_that_is_missing_keeps_nothing_from_being_told() -> None:
    assert detail_of(gate_of(RULES, {"a": 1, "b": 2})).baseline is None


def test_the_baseline_says_when_why_and_of_which_commit_it_is() -> None:
    baseline = detail_of(gate_of(RULES, {"a": 1}, {"a": 2})).baseline
    assert baseline == ("2024-05-31", "first", "0123456789abcdef", False)


def test_a_run_that_is_to_become_the_baseline_is_held_against_nothing() -> None:
    gate = replace(gate_of(RULES, {"a": 1}), renews=True, hold=lambda: pytest.fail("asked for"))
    assert detail_of(gate).baseline is None


def test_a_plain_session_is_told_the_queries_that_moved_most() -> None:
    now = {f"q{i}": i for i in range(10)} | {"same": 5}
    before = dict.fromkeys(now, 9) | {"same": 5}
    found = detail_of(gate_of(RULES, now, before), every=False)
    assert [query.query_id for query in found.queries] == [f"q{i}" for i in range(MOST)]


def test_all_that_got_worse_may_be_asked_for() -> None:
    now = {f"q{i}": i for i in range(10)} | {"same": 5, "up": 9}
    before = dict.fromkeys(now, 9) | {"same": 5, "up": 8}
    found = detail_of(gate_of(RULES, now, before), every=False, losers=True)
    assert [query.query_id for query in found.queries] == [f"q{i}" for i in range(9)]


def test_a_value_that_is_no_number_leaves_its_measure_without_a_baseline() -> None:
    gate = gate_of(RULES, {"a": 1, "b": 2}, {"a": 2, "b": 2})
    columns = {measure: np.array([np.nan, 1.0]) for measure in gate.scores.columns}
    broken = gate.baseline._replace(scores=gate.baseline.scores.with_columns(columns))
    assert detail_of(replace(gate, hold=lambda: broken)).measures[0].baseline is None


def test_the_protocol_says_what_the_values_hang_on() -> None:
    gate = replace(gate_of(RULES, {"a": 1, "b": 0}), depth=1000)
    told = detail_of(gate).protocol
    assert (told["run"], told["measures"]) == ("bm25", "R@10")
    assert told["averaged over"] == "2 judged queries; one without results counts 0"
    assert told["depth"] == "1000 documents a topic"
    assert (told["utterance"], told["doc_id"]) == ("raw", "identity")
    assert told["topics"] == f"sha256 {gate.benchmark.topics.sha256}"
    assert told["qrels"] == f"sha256 {gate.benchmark.qrels.sha256}"
    assert {"rerank", "repeats"}.isdisjoint(told)


def test_what_is_asked_for_beyond_the_usual_is_in_the_protocol() -> None:
    gate = gate_of(RULES, {"a": 1})
    protocol = Protocol(rerank=True, repeats=3)
    told = detail_of(replace(gate, spec=gate.spec._replace(protocol=protocol))).protocol
    assert told["repeats"] == "asked 3 times; the first answers count"
    assert "candidates" in told["rerank"]


def test_the_text_is_what_was_asked() -> None:
    gate = gate_of(RULES, {"1_1": 1})
    topics = Topics(
        [Topic("and the second", "1_1", conversation="1", turn=1, manual="the second moon of Mars")]
    )
    benchmark = replace(gate.benchmark, topics=topics)
    asked = replace(gate, benchmark=benchmark, spec=gate.spec._replace(protocol=Protocol(utterance="manual")))
    assert detail_of(asked).queries[0].text == "the second moon of Mars"
    # A run file may have been made of words that the topics do not have.
    other = replace(asked, spec=gate.spec._replace(protocol=Protocol(utterance="automatic")))
    assert detail_of(other).queries[0].text == "and the second"


def test_judgments_without_a_topic_have_no_text() -> None:
    gate = gate_of(RULES, {"a": 1})
    bare = replace(gate, benchmark=replace(gate.benchmark, topics=Topics([])))
    assert detail_of(bare).queries[0].text == ""


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 10), min_size=1), st.data())
def test_json_carries_all_of_it(now: dict[str, int], data: st.DataObject) -> None:
    before = {query_id: data.draw(st.integers(0, 10)) for query_id in now}
    if any(now.values()) and any(before.values()):
        found = detail_of(gate_of(RULES, now, before))
        assert GateDetail.of_plain(json.loads(json.dumps(found))) == found


def test_many_queries_of_a_file_are_read_at_once(tmp_path) -> None:
    found = {f"q{i:02}": 3 for i in range(30)}
    gate, benchmark = rules_of("thresholds: {R@10: 0.1}"), benchmark_of(found)
    path = tmp_path / "run.txt"
    scores_of(found, gate, benchmark).judged.run.write(path)
    run = Run(path, "bm25")
    scores = evaluate(run, benchmark, ["R@10"])
    measured = MeasuredGate(gate, benchmark, scores, lambda: pytest.fail("has none"), lambda: None)
    detail = detail_of(measured)
    assert run.unread is None
    assert [len(query.top) for query in detail.queries] == [3] * 30


def test_names_of_measures_are_found_by_their_place() -> None:
    detail = detail_of(gate_of("thresholds: {R@10: 0.1, nDCG@10: 0.1}", {"a": 1}))
    assert (detail.place("nDCG@10"), detail.place("AP")) == (1, None)
