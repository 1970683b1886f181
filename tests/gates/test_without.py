"""Whether a failed threshold hangs on a few queries, and on which."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_gates import Tenths, asked_again, gate_of, gate_on

from pytest_irbench.benchmarks.topic_columns import TopicColumns
from pytest_irbench.errors import InputError
from pytest_irbench.gates.comparison import compare_pairs
from pytest_irbench.gates.decide import decide, decide_drop
from pytest_irbench.gates.kinds import DropSpec
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.rulings import decide_threshold
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.without import without

NINE = {f"h{number}": 5 for number in range(9)}
MANY = {f"h{number:02}": 5 for number in range(20)}
TALKS = {"31_1": 1, "31_2": 2, "32_1": 8, "32_2": 8, "33_1": 9}


def said(gate: MeasuredGate, place: int = 0) -> str:
    """What is said of one of a gate's thresholds."""
    threshold = gate.spec.thresholds[place]
    return without(threshold, gate, decide_threshold(threshold, gate))


def told(rules: str, now: Tenths, before: Tenths | None = None) -> str:
    return said(gate_of(rules, now, before))


# min and max


def test_the_fewest_lowest_queries_are_named_that_keep_a_value_below_its_min() -> None:
    now = NINE | {"h3": 0, "h7": 1, "h1": 4}
    assert told("thresholds: {R@10: 0.47}", now) == "would pass without h3, h7"
    assert told("thresholds: {R@10: 0.43}", now) == "would pass without h3"


def test_the_highest_queries_are_named_that_keep_a_value_above_its_max() -> None:
    assert told("thresholds: {R@10: {max: 0.5}}", NINE | {"h4": 9}) == "would pass without h4"


def test_what_passes_hangs_on_nothing() -> None:
    assert told("thresholds: {R@10: 0.5}", NINE) == ""


def test_a_value_that_hangs_on_more_queries_is_told_to_fail_without_the_worst() -> None:
    assert told("thresholds: {R@10: 0.6}", MANY) == "would still fail without its 5 worst queries"


def test_fewer_than_half_of_the_queries_are_left_out() -> None:
    five = {"a": 0, "b": 0, "c": 0, "d": 9, "e": 9}
    assert told("thresholds: {R@10: 0.9}", five) == "would still fail without its 2 worst queries"
    three = {"a": 0, "b": 0, "c": 9}
    assert told("thresholds: {R@10: 0.9}", three) == "would still fail without its worst query"
    assert told("thresholds: {R@10: 0.9}", {"a": 0, "b": 9}) == ""


def test_a_slice_is_tried_without_queries_of_its_own() -> None:
    columns = TopicColumns(Path("facts.tsv"), ("kind",), {q: {"kind": "ab"[q < "h5"]} for q in NINE})
    rules = "slices: {b: {where: 'kind == \"b\"', thresholds: {R@10: {min: 0.45, max_drop: 0.01}}}}"
    now = NINE | {"h7": 0, "h2": 1}
    gate = gate_of(rules, now, NINE, columns=columns)
    assert [said(gate, 0), said(gate, 1)] == ["would pass without h2", "would pass without h2"]


def test_a_label_set_is_tried_without_queries_of_its_own() -> None:
    queries = ("a", "b", "c")
    run = {query_id: {"d1": 3, "d2": 2} for query_id in queries}
    own = {query_id: {"d1": 1} for query_id in queries}
    sparse = {"a": {"d1": 1}, "b": {"d2": 1}, "c": {"d1": 1}}
    rules = "thresholds: {RR: {min: 0.9, qrels: sparse}}"
    assert said(gate_on(rules, run, own, sparse)) == "would pass without b"


def test_ids_are_printed_on_one_line() -> None:
    name = "a\nb" + "c" * 100
    sentence = told("thresholds: {R@10: 0.48}", NINE | {name: 0})
    assert sentence == f"would pass without a\\nb{'c' * 76}…"


@pytest.mark.parametrize(
    "rules",
    [
        "thresholds: {NumRelRet: 99}",
        "thresholds: {NumRelRet: {max_drop: 2}}",
        "queries: {max_drop: {R@10: 0.1}}",
        "queries: {expect: [{query_id: h0, doc_id: d9, within: 1}]}",
        "queries: {xfail: [{query_id: h1, reason: r, below: {R@10: 0.1}}]}",
    ],
)
def test_rules_that_are_no_mean_over_queries_hang_on_none(rules: str) -> None:
    gate = gate_of(rules, NINE | {"h0": 1}, NINE)
    assert decide_threshold(gate.spec.thresholds[0], gate).outcome == "failed"
    assert said(gate) == ""


def test_neither_does_what_must_be_stable() -> None:
    assert said(asked_again("repeats: 2\nstable: {R@10: 0}", NINE, NINE | {"h0": 1})) == ""


def test_a_latency_hangs_on_none() -> None:
    assert said(gate_on("thresholds: {latency_p95_ms: {max: 1}}", {"a": {"d": 1}}, {"a": {"d": 1}})) == ""


def test_where_judgments_decide_too_nothing_is_said() -> None:
    run = {query_id: {"x": 3, "d": 1} for query_id in "abc"}
    qrels = {query_id: {"d": 1, "y": 1} for query_id in "abc"}
    rules = "thresholds: {R@2: 0.9}"
    assert said(gate_on(rules, run, qrels)) == "would still fail without its worst query"
    assert said(gate_on(f"unjudged: bounds\n{rules}", run, qrels)) == ""


# max_drop


def test_the_queries_that_lost_most_are_named_of_a_drop_over_its_budget() -> None:
    now = NINE | {"h2": 1, "h6": 2, "h8": 4}
    assert told("thresholds: {R@10: {max_drop: 0.03}}", now, NINE) == "would pass without h2, h6"
    assert told("thresholds: {R@10: {max_drop: 0}}", now, NINE) == "would pass without h2, h6, h8"
    assert told("thresholds: {R@10: {max_drop: 0}}", dict.fromkeys(MANY, 4), MANY) == (
        "would still fail without its 5 worst queries"
    )


def test_a_budget_in_percent_is_that_of_the_queries_that_are_left() -> None:
    # b lost as much as a, and takes more of the budget with it.
    before = {"a": 2, "b": 10, "c": 5, "d": 5, "e": 5}
    now = before | {"a": 1, "b": 9}
    assert told("thresholds: {R@10: {max_drop: 5%}}", now, before) == "would pass without a"


def test_turns_of_a_conversation_are_named_as_queries() -> None:
    before = dict.fromkeys(TALKS, 9)
    sentence = told("thresholds: {R@10: {max_drop: 0.05}}", TALKS | {"31_2": 9}, before)
    assert sentence == "would pass without 31_1"


def test_a_significant_drop_is_tried_until_chance_explains_the_rest() -> None:
    rules = "thresholds: {R@10: {max_drop: 0, evidence: significant}}"
    now = MANY | dict.fromkeys(list(MANY)[:6], 1)
    # Without two, four queries moved: p = 1/16.
    assert told(rules, now, MANY) == "would pass without h00, h01"


def test_other_significant_thresholds_of_the_gate_count() -> None:
    both = (
        "thresholds: {R@10: {max_drop: 0, evidence: significant}, P@5: {max_drop: 0, evidence: significant}}"
    )
    # P@5 did not move. Five queries that lost are p = 1/32, and twice that for two thresholds.
    before = dict.fromkeys(MANY, 10)
    now = before | dict.fromkeys(list(MANY)[:7], 6)
    assert told(both, now, before) == "would pass without h00, h01"
    alone = both.replace(", P@5: {max_drop: 0, evidence: significant}", "")
    assert told(alone, now, before) == "would pass without h00, h01, h02"


def test_a_drop_that_is_not_shown_to_be_small_may_hang_on_one_query() -> None:
    rules = "thresholds: {R@10: {max_drop: 0.01, evidence: noninferior}}"
    assert told(rules, MANY | {"h07": 0}, MANY) == "would pass without h07"


def test_a_rest_that_could_never_fail_is_no_reason_to_pass() -> None:
    rules = "thresholds: {R@10: {max_drop: 0.1}}"
    before = {"a": 10, "b": 0, "c": 0}
    assert told(rules, {"a": 1, "b": 0, "c": 1}, before) == ""


# Conversations


def test_the_worst_conversations_are_named() -> None:
    rules = "worst_conversation: {R@10: 0.5}"
    assert told(rules, TALKS) == "would pass without conversation 31"
    many = {f"{number}_1": number for number in range(1, 8)}
    assert told("worst_conversation: {R@10: 0.3}", many) == "would pass without conversations 1, 2"
    assert told("worst_conversation: {R@10: 0.65}", many) == (
        "would still fail without its 3 worst conversations"
    )


# None are fewer


def holds(gate: MeasuredGate, left_out: tuple[str, ...]) -> bool:
    """Whether the gate's only threshold passes without some queries, decided as rulings do."""
    (threshold,) = gate.spec.thresholds
    measure = gate.measure(threshold.measure)
    rest = [query_id for query_id in gate.scores.query_ids if query_id not in left_out]
    if not isinstance(threshold, DropSpec):
        values = gate.values(threshold.measure)
        value = measure.aggregate([values[query_id] for query_id in rest])
        return decide("", value, threshold.rule, threshold.limit).outcome == "passed"
    pairs = pairs_of(gate.scores, gate.baseline.scores, measure, gate.benchmark, None).among(rest)
    comparison = compare_pairs(pairs)
    verdict = decide_drop(comparison, threshold.budget, threshold.evidence, comparison.permutation.drop)
    return verdict.outcome == "passed"


def fewest(gate: MeasuredGate) -> int | None:
    """How many queries have to be left out, found by trying all sets of at most five and fewer than half."""
    queries = gate.scores.query_ids
    for many in range(1, min(5, (len(queries) - 1) // 2) + 1):
        if any(holds(gate, left_out) for left_out in combinations(queries, many)):
            return many
    return None


def agrees(gate: MeasuredGate) -> None:
    """Check what is said against all sets of queries."""
    (threshold,) = gate.spec.thresholds
    try:
        verdict, expected = decide_threshold(threshold, gate), fewest(gate)
    except InputError:
        return
    sentence = without(threshold, gate, verdict)
    if verdict.outcome == "passed":
        assert sentence == ""
    elif expected is None:
        assert "would pass" not in sentence
    else:
        named = sentence.removeprefix("would pass without ").split(", ")
        assert len(named) == expected
        assert holds(gate, tuple(named))


tenths = st.lists(st.integers(1, 10), min_size=3, max_size=8)


@given(tenths, st.sampled_from(["min", "max"]), st.integers(1, 99))
def test_no_fewer_queries_make_a_limit_pass(values: list[int], rule: str, limit: int) -> None:
    now = {f"h{number}": value for number, value in enumerate(values)}
    agrees(gate_of(f"thresholds: {{R@10: {{{rule}: {limit / 100}}}}}", now))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=3, max_size=6),
    st.sampled_from(["0", "0.05", "0.1", "3%", "10%", "25%"]),
)
def test_no_fewer_queries_make_a_drop_pass(values: list[tuple[int, int]], budget: str) -> None:
    now, before = ({f"h{n}": pair[side] for n, pair in enumerate(values)} for side in (0, 1))
    agrees(gate_of(f"thresholds: {{R@10: {{max_drop: {budget}}}}}", now, before))
