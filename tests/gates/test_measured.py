"""What thresholds are held against: slices, conversations, and a family that does not hang on who asks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_gates import gate_of

from pytest_irbench import compare
from pytest_irbench.errors import InputError
from pytest_irbench.gates.kinds import DropSpec, Slice
from pytest_irbench.gates.measured import Conversation
from pytest_irbench.gates.significance import holm
from pytest_irbench.gates.where import parse_where

TALKS = {"31_1": 8, "31_2": 6, "31_3": 1, "32_1": 2, "32_2": 1, "33_1": 9}
BEFORE = {"31_1": 9, "31_2": 9, "31_3": 1, "32_1": 5, "32_2": 3, "33_1": 8}
MANY = {f"{c}_{t}": (3 * c + t) % 9 + 1 for c in range(31, 40) for t in range(1, 4)}
LATE = Slice("late", parse_where("turn >= 2"), 1)

some_queries = st.dictionaries(
    st.tuples(st.integers(31, 35), st.integers(1, 5)).map(lambda turn: f"{turn[0]}_{turn[1]}"),
    st.integers(0, 10),
    min_size=1,
).filter(lambda found: any(found.values()))


@given(some_queries, st.integers(1, 5))
def test_a_slice_has_the_mean_of_its_queries(found: dict[str, int], first: int) -> None:
    gate = gate_of("thresholds: {R@10: 0.1, NumRelRet: 1}", found)
    among = Slice("some", parse_where(f"turn >= {first}"), 1)
    inside = [many for query_id, many in found.items() if int(query_id[3:]) >= first]
    if not inside:
        with pytest.raises(InputError, match="picks none of the"):
            gate.value("R@10", among)
    else:
        assert gate.value("R@10", among) == pytest.approx(sum(inside) / 10 / len(inside), abs=1e-12)
        assert gate.value("NumRelRet", among) == sum(inside)
        assert len(gate.values("R@10", among)) == len(inside)


def test_a_slice_of_all_queries_has_the_value_of_all() -> None:
    gate = gate_of("thresholds: {R@10: 0.1, NumRelRet: 1}", TALKS)
    every = Slice("every", parse_where("turn >= 1"), 1)
    for measure in ("R@10", "NumRelRet"):
        assert gate.value(measure, every) == gate.value(measure) == gate.scores.means[measure]
        assert gate.values(measure, every) == gate.values(measure)
    assert gate.query_ids(None) == gate.scores.query_ids


def test_conversations_stand_with_the_worst_first_and_equal_ones_by_name() -> None:
    gate = gate_of("worst_conversation: {R@10: 0.1}", TALKS | {"30_1": 5, "33_1": 5})
    found = [(c.name, round(c.value, 12), c.turns) for c in gate.conversations("R@10")]
    assert found == [("32", 0.15, 2), ("30", 0.5, 1), ("31", 0.5, 3), ("33", 0.5, 1)]


def test_a_topic_outside_conversations_is_in_none() -> None:
    gate = gate_of("worst_conversation: {R@10: 0.1}", {"31_1": 8, "h01": 0})
    assert gate.conversations("R@10") == [Conversation("31", 0.8, 1)]


def test_a_comparison_goes_by_conversation_also_within_a_slice() -> None:
    gate = gate_of("thresholds: {R@10: {max_drop: 0.1}}", TALKS, BEFORE)
    whole, late = gate.comparison("R@10"), gate.comparison("R@10", LATE)
    assert (whole.unit, whole.units, len(whole.query_ids)) == ("conversation", 3, 6)
    assert (late.unit, late.units, late.query_ids) == ("conversation", 2, ("31_2", "31_3", "32_2"))
    assert late.difference == pytest.approx((-3 + 0 - 2) / 10 / 3)
    # Differences by conversation: -0.3 and -0.2, of whose four patterns of signs this one is the lowest.
    assert late.permutation.drop == 1 / 4


def test_a_comparison_is_that_of_compare() -> None:
    gate = gate_of("thresholds: {R@10: {max_drop: 0.1}}", TALKS, BEFORE)
    found = gate.comparison("R@10")
    expected = compare(gate.scores, gate.baseline.scores, "R@10", qrels=gate.benchmark)
    assert str(found) == str(expected)


def test_comparisons_and_slices_are_made_once() -> None:
    gate = gate_of("thresholds: {R@10: {max_drop: 0.1}}", TALKS, BEFORE)
    assert gate.comparison("R@10", LATE) is gate.comparison("R@10", LATE)
    assert gate.comparison("Recall@10") is gate.comparison("R@10")
    assert gate.query_ids(LATE) is gate.query_ids(LATE)


FAMILY = """\
thresholds:
  R@10: {max_drop: 0.01, evidence: significant}
  AP: {max_drop: 0.01, evidence: significant, min: 0.1}
  P@5: {max_drop: 0.01}
slices: {late: {where: turn >= 2, thresholds: {R@10: {max_drop: 0.01, evidence: significant}}}}
"""


def test_p_values_are_adjusted_for_the_whole_family_whoever_asks_first() -> None:
    found = {query_id: max(0, many - 1) for query_id, many in MANY.items()}
    asked: list[dict[str, float]] = []
    for order in (1, -1):
        gate = gate_of(FAMILY, found, MANY)
        asked.append({t.name: gate.adjusted_p(t) for t in gate.family[::order]})
    alone = gate_of(FAMILY, found, MANY)
    first = alone.family[0]
    assert asked[0] == asked[1]
    assert alone.adjusted_p(first) == asked[0][first.name]
    p_values = [alone.comparison(t.measure, t.slice).permutation.drop for t in alone.family]
    assert [asked[0][t.name] for t in alone.family] == holm(p_values)


def test_a_slice_that_is_called_like_the_adjustment_is_a_slice_like_any_other() -> None:
    gate = gate_of(FAMILY.replace("late:", "holm:"), MANY, MANY)
    late = tuple(query_id for query_id in MANY if not query_id.endswith("_1"))
    for _ in range(2):
        assert [gate.adjusted_p(threshold) for threshold in gate.family] == [1.0, 1.0, 1.0]
        assert gate.query_ids(gate.family[-1].slice) == late


def test_only_thresholds_that_ask_for_significance_are_in_the_family() -> None:
    gate = gate_of(FAMILY, MANY, MANY)
    assert [t.name for t in gate.family] == ["R@10-max_drop", "AP-max_drop", "late-R@10-max_drop"]
    assert all(isinstance(t, DropSpec) and t.evidence == "significant" for t in gate.family)


def test_a_rank_is_counted_from_1_by_score_and_then_by_id() -> None:
    gate = gate_of("thresholds: {R@10: 0.1}", {"h01": 5, "h02": 0})
    assert [gate.rank("h01", doc_id) for doc_id in ("d0", "d4", "d5", "x")] == [1, 5, None, None]
    assert gate.rank("h02", "d0") is None
    with pytest.raises(
        InputError, match="query 'h9' is not judged in benchmark tiny, which has h01, h02, ..."
    ):
        gate.rank("h9", "d0")


def test_the_queries_that_are_counted_are_those_not_known_to_be_bad() -> None:
    rules = "queries: {xfail: [{query_id: h02, reason: why, below: {R@10: 0.9}}]}"
    assert gate_of(rules, {"h01": 5, "h02": 5, "h03": 5}).counted == ("h01", "h03")


def test_other_scores_are_held_against_the_same_baseline() -> None:
    gate = gate_of("thresholds: {R@10: {max_drop: 0.1}}", TALKS, BEFORE)
    same = gate.with_scores(gate.baseline.scores)
    assert same.baseline is gate.baseline
    assert same.comparison("R@10").difference == 0
    assert not math.isclose(gate.comparison("R@10").difference, 0)
