"""What each rule of a gate means: when it passes, fails or can't be measured, and what it says then."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_gates import asked_again, gate_of, gate_on, verdict, verdicts

from pytest_irbench.benchmarks.topic_columns import TopicColumns
from pytest_irbench.errors import InputError
from pytest_irbench.gates import rulings
from pytest_irbench.gates.kinds import QueryDropSpec, Threshold
from pytest_irbench.gates.rulings import decide_threshold, losers

FIVE = {"h01": 5, "h02": 5, "h03": 5, "h04": 5, "h05": 5}
TALKS = {"31_1": 8, "31_2": 6, "32_1": 2, "32_2": 1, "33_1": 9}
NINE = {f"h{i}": 5 for i in range(9)}


def told(rules: str, *found: dict[str, int], columns: TopicColumns | None = None) -> tuple[str, str]:
    """The outcome of a gate's only threshold and its sentence."""
    one = verdict(gate_of(rules, *found, columns=columns))
    return one.outcome, one.sentence


def refused(rules: str, *found: dict[str, int], columns: TopicColumns | None = None) -> str:
    """Why a gate's only threshold can't be measured."""
    with pytest.raises(InputError) as caught:
        verdict(gate_of(rules, *found, columns=columns))
    return caught.value.message


# min and max


def test_a_value_is_held_against_its_limits() -> None:
    gate = gate_of(
        "thresholds: {R@10: {min: 0.5, max: 0.4}, P@5: {min: 0.9, max: 0.99}}".replace("0.4", "0.6"), FIVE
    )
    assert [(v.outcome, v.sentence) for v in verdicts(gate)] == [
        ("passed", "R@10 = 0.5000, min 0.5000"),
        ("passed", "R@10 = 0.5000, max 0.6000"),
        ("passed", "P@5 = 1.0000, min 0.9000"),
        ("failed", "P@5 = 1.0000, above max 0.9900 (over by 0.0100)"),
    ]


def test_a_slice_is_held_by_the_mean_over_its_queries() -> None:
    rules = "slices: {late: {where: turn >= 2, thresholds: {R@10: 0.4}}}"
    expected = "R@10 of slice late = 0.3500, below min 0.4000 (short by 0.0500)"
    assert told(rules, TALKS) == ("failed", expected)


def test_a_count_of_a_slice_is_a_sum_and_is_told_as_a_whole_number() -> None:
    rules = "slices: {late: {where: turn >= 2, thresholds: {NumRelRet: 8}}}"
    expected = "NumRelRet of slice late = 7, below min 8 (short by 1)"
    assert told(rules, TALKS) == ("failed", expected)
    assert told("thresholds: {NumRelRet: 26}", TALKS) == ("passed", "NumRelRet = 26, min 26")


def test_a_slice_may_read_facts_of_the_user() -> None:
    columns = TopicColumns(Path("facts.tsv"), ("kind",), {q: {"kind": f"k{q[-1]}"} for q in FIVE})
    rules = "slices: {k: {where: 'kind == \"k2\"', thresholds: {R@10: 0.4}}}"
    assert told(rules, FIVE, columns=columns) == ("passed", "R@10 of slice k = 0.5000, min 0.4000")


def test_a_slice_without_topics_can_not_be_measured() -> None:
    rules = "slices: {late: {where: turn >= 7, thresholds: {R@10: 0.4}}}"
    assert refused(rules, TALKS) == ("where 'turn >= 7' picks none of the 5 topics: turn goes from 1 to 2")
    assert "the topics have no turn" in refused(rules, FIVE)


# slack


def test_a_value_far_above_its_min_asks_to_raise_it() -> None:
    one = verdict(gate_of("thresholds: {R@10: {min: 0.3, slack: 0.05}}", FIVE))
    assert (one.outcome, one.note) == (
        "passed",
        "R@10 = 0.5000, min 0.3000: 0.2000 above it, more than its slack 0.05: raise it, for instance to 0.47",
    )


@pytest.mark.parametrize("limits", ["{min: 0.3}", "{min: 0.45, slack: 0.05}", "{min: 0.6, slack: 0.05}"])
def test_a_value_within_its_slack_or_below_its_min_has_no_note(limits: str) -> None:
    assert verdict(gate_of(f"thresholds: {{R@10: {limits}}}", FIVE)).note == ""


@given(st.integers(1, 9), st.integers(1, 500).map(lambda n: n / 1000))
def test_the_limit_that_is_asked_for_is_higher_and_passes(tenths: int, slack: float) -> None:
    low = 0.0001
    one = verdict(
        gate_of(f"thresholds: {{R@10: {{min: {low}, slack: {slack}}}}}", dict.fromkeys(FIVE, tenths))
    )
    if one.note:
        assert low < float(one.note.rpartition(" ")[2]) <= one.value


def test_the_slack_of_a_count_is_told_in_whole_numbers() -> None:
    note = verdict(gate_of("thresholds: {NumRelRet: {min: 15, slack: 4}}", FIVE)).note
    assert note == (
        "NumRelRet = 25, min 15: 10 above it, more than its slack 4: raise it, for instance to 23"
    )


def test_the_slack_of_a_slice_is_told_of_the_slice() -> None:
    rules = "slack: 0.1\nslices: {late: {where: turn >= 2, thresholds: {R@10: 0.1}}}"
    note = verdict(gate_of(rules, TALKS)).note
    assert note.startswith("R@10 of slice late = 0.3500, min 0.1000: 0.2500 above it")


# stable


@pytest.mark.parametrize(
    ("limit", "outcome", "over"),
    [("0.02", "passed", ""), ("0.0199", "failed", ", over 0.0199"), ("0", "failed", ", over 0")],
)
def test_values_of_a_system_that_is_asked_again_are_held_together(
    limit: str, outcome: str, over: str
) -> None:
    # 0.52 - 0.5 is a little more than 0.02 to a computer.
    rules = f"repeats: 3\nstable: {{R@10: {limit}}}"
    one = verdict(asked_again(rules, FIVE | {"h01": 6}, FIVE, FIVE | {"h02": 6}))
    assert (one.outcome, one.sentence, one.shown) == (
        outcome,
        f"R@10 is apart by 0.0200{over}: 0.5000 to 0.5200 in 3 times that it was asked",
        "0.0200",
    )


def test_what_does_not_change_is_stable_to_nothing() -> None:
    one = verdict(asked_again("repeats: 2\nstable: {R@10: 0}", FIVE, FIVE))
    assert (one.outcome, one.value) == ("passed", 0)
    assert one.sentence == "R@10 is apart by 0.0000: 0.5000 to 0.5000 in 2 times that it was asked"


def test_queries_that_change_places_leave_a_mean_stable() -> None:
    gate = asked_again("repeats: 2\nstable: {R@10: 0}", FIVE | {"h01": 3}, FIVE | {"h02": 3})
    assert verdict(gate).outcome == "passed"


def test_a_count_that_changes_is_told_in_whole_numbers() -> None:
    one = verdict(asked_again("repeats: 2\nstable: {NumRelRet: 2}", FIVE, FIVE | {"h01": 8}))
    assert one.sentence == "NumRelRet is apart by 3, over 2: 25 to 28 in 2 times that it was asked"


# Extra label sets

OWN = {"a": {"d1": 1}, "b": {"d1": 1}}
SPARSE = {"a": {"d3": 1}}
ANSWERS = {"a": {"d1": 3, "d2": 2, "d3": 1}, "b": {"d1": 1}}


def test_a_threshold_of_a_label_set_is_the_mean_over_the_queries_of_that_set() -> None:
    rules = "thresholds: [{measure: RR, min: 1}, {measure: RR, qrels: sparse, min: 0.4, max: 0.5}]"
    assert [(v.outcome, v.sentence) for v in verdicts(gate_on(rules, ANSWERS, OWN, SPARSE))] == [
        ("passed", "RR = 1.0000, min 1.0000"),
        ("failed", "RR of qrels sparse = 0.3333, below min 0.4000 (short by 0.0667)"),
        ("passed", "RR of qrels sparse = 0.3333, max 0.5000"),
    ]


def test_a_gate_may_have_thresholds_of_a_label_set_only() -> None:
    gate = gate_on("thresholds: {RR: {min: 0.3, qrels: sparse}}", ANSWERS, OWN, SPARSE)
    assert verdict(gate).outcome == "passed"
    assert gate.primary is None


def test_a_query_of_a_label_set_that_the_run_lacks_counts_0() -> None:
    gate = gate_on(
        "thresholds: {RR: {min: 0.3, qrels: sparse}}", {"b": {"d1": 1}}, OWN, SPARSE | {"b": {"d1": 1}}
    )
    assert verdict(gate).value == 0.5


def test_slack_is_told_of_the_label_set() -> None:
    rules = "slack: 0.1\nthresholds: {RR: {min: 0.1, qrels: sparse}}"
    assert verdict(gate_on(rules, ANSWERS, OWN, SPARSE)).note.startswith(
        "RR of qrels sparse = 0.3333, min 0.1000: 0.2333 above it"
    )


def test_a_benchmark_without_that_label_set_can_not_be_measured() -> None:
    gate = gate_on("thresholds: {RR: {min: 0.3, qrels: sparse}}", ANSWERS, OWN)
    with pytest.raises(InputError, match="benchmark tiny has no extra_qrels 'sparse': it has none"):
        verdict(gate)
    crowd = replace(gate.benchmark, extra_qrels={"crowd": gate.benchmark.qrels})
    with pytest.raises(InputError, match="no extra_qrels 'sparse': it has crowd"):
        verdict(replace(gate, benchmark=crowd))


# max_drop by the mean


@pytest.mark.parametrize(
    ("budget", "outcome", "sentence"),
    [
        ("0.02", "passed", "R@10 dropped by 0.0200, within max_drop 0.02: 0.5000, baseline 0.5200"),
        ("0.0199", "failed", "R@10 dropped by 0.0200, more than max_drop 0.0199: 0.5000, baseline 0.5200"),
        ("0", "failed", "R@10 dropped by 0.0200, more than max_drop 0: 0.5000, baseline 0.5200"),
        ("4%", "passed", "R@10 dropped by 0.0200, within max_drop 4%: 0.5000, baseline 0.5200"),
        ("3.8%", "failed", "R@10 dropped by 0.0200, more than max_drop 3.8%: 0.5000, baseline 0.5200"),
    ],
)
def test_a_drop_is_held_against_its_budget(budget: str, outcome: str, sentence: str) -> None:
    # 0.52 - 0.5 is a little more than 0.02 to a computer.
    before = FIVE | {"h01": 6}
    assert told(f"thresholds: {{R@10: {{max_drop: {budget}}}}}", FIVE, before) == (outcome, sentence)


@given(st.lists(st.integers(1, 10), min_size=1, max_size=8), st.integers(0, 3))
def test_a_drop_that_is_its_budget_passes_however_it_is_rounded(tenths: list[int], lost: int) -> None:
    before = {f"h{i}": many for i, many in enumerate(tenths)}
    now = {q: max(0, many - lost) for q, many in before.items()} | {"z": 1}
    before |= {"z": 1}
    budget = sum(before[q] - now[q] for q in before) / 10 / len(before)
    if budget < sum(before.values()) / 10 / len(before):
        assert told(f"thresholds: {{R@10: {{max_drop: {budget!r}}}}}", now, before)[0] == "passed"


def test_what_did_not_move_passes_a_budget_of_0_and_what_rose_is_told_so() -> None:
    rules = "thresholds: {R@10: {max_drop: 0}}"
    same = "R@10 rose by 0.0000, within max_drop 0: 0.5000, baseline 0.5000"
    assert told(rules, FIVE, FIVE) == ("passed", same)
    rose = "R@10 rose by 0.0200, within max_drop 0: 0.5200, baseline 0.5000"
    assert told(rules, FIVE | {"h01": 6}, FIVE) == ("passed", rose)


def test_a_drop_of_a_slice_is_that_of_its_queries() -> None:
    rules = "slices: {late: {where: turn >= 2, thresholds: {R@10: {max_drop: 10%}}}}"
    expected = "R@10 of slice late dropped by 0.0500, more than max_drop 10%: 0.3500, baseline 0.4000"
    assert told(rules, TALKS, TALKS | {"32_2": 2, "33_1": 1}) == ("failed", expected)


def test_a_drop_of_a_count_is_that_of_the_sum() -> None:
    one = verdict(gate_of("thresholds: {NumRelRet: {max_drop: 2}}", FIVE, FIVE | {"h01": 8}))
    assert (one.outcome, one.value, one.limit) == ("failed", 25, 2)
    assert one.sentence == "NumRelRet dropped by 3, more than max_drop 2: 25, baseline 28"


@pytest.mark.parametrize("evidence", ["mean", "significant", "noninferior"])
def test_a_budget_that_the_baseline_is_not_above_can_never_be_overdrawn(evidence: str) -> None:
    rules = f"thresholds: {{R@10: {{max_drop: 0.1, evidence: {evidence}}}}}"
    assert refused(rules, NINE, dict.fromkeys(NINE, 1)) == (
        "the baseline's R@10 is 0.1000, so it can't drop by more than 0.1, and this max_drop can never fail"
    )


def test_a_percentage_of_a_baseline_of_0_can_never_be_overdrawn() -> None:
    found = FIVE | {"h06": 0}
    rules = "slices: {none: {where: 'query_id == \"h06\"', thresholds: {R@10: {max_drop: 5%}}}}"
    assert refused(rules, found, found).startswith("the baseline's R@10 is 0.0000, so it can't drop by more")


def test_without_a_baseline_a_drop_can_not_be_measured() -> None:
    assert refused("thresholds: {R@10: {max_drop: 0.1}}", FIVE) == "there is no such baseline"


# max_drop with evidence


def test_a_drop_over_budget_that_chance_explains_is_not_significant() -> None:
    rules = "thresholds: {R@10: {max_drop: 0.01, evidence: significant}}"
    outcome, sentence = told(rules, FIVE, FIVE | {"h01": 6})
    assert (outcome, sentence) == (
        "passed",
        "R@10 dropped by 0.0200, over max_drop 0.01 but not significantly, p = 0.5000: 0.5000, baseline 0.5200",
    )


def test_a_drop_of_every_query_is_significant_but_must_be_over_budget() -> None:
    before = dict.fromkeys(FIVE, 7)
    rules = "thresholds: {R@10: {max_drop: %s, evidence: significant}}"
    assert told(rules % "0.1", FIVE, before) == (
        "failed",
        "R@10 dropped by 0.2000, more than max_drop 0.1, p = 0.0312: 0.5000, baseline 0.7000",
    )
    assert told(rules % "0.2", FIVE, before)[0] == "passed"


def test_significance_is_adjusted_for_all_thresholds_that_ask_for_it() -> None:
    before = dict.fromkeys(FIVE, 7) | {"h06": 7}
    now = dict.fromkeys(FIVE, 5) | {"h06": 5}
    one = "thresholds: {R@10: {max_drop: 0.1, evidence: significant}%s}"
    assert verdict(gate_of(one % "", now, before)).sentence.count("p = 0.0156") == 1
    two = gate_of(one % ", AP: {max_drop: 0.1, evidence: significant}", now, before)
    assert [v.sentence.count("p = 0.0312") for v in verdicts(two)] == [1, 1]
    assert [v.outcome for v in verdicts(two)] == ["failed", "failed"]


def test_so_few_queries_that_no_drop_is_ever_significant_are_refused() -> None:
    rules = "thresholds: {R@10: {max_drop: 0.01, evidence: significant}}"
    four = dict.fromkeys(list(FIVE)[:4], 5)
    assert refused(rules, four, dict.fromkeys(four, 9)) == (
        "with 4 queries, no drop can ever be significant, and this threshold can never fail: "
        "take evidence mean or noninferior"
    )


def test_queries_that_would_do_for_one_threshold_may_be_too_few_for_two() -> None:
    rules = "{max_drop: 0.01, evidence: significant}"
    gate = gate_of(f"thresholds: {{R@10: {rules}, AP: {rules}}}", FIVE, dict.fromkeys(FIVE, 9))
    with pytest.raises(InputError, match="with 5 queries and 2 significance thresholds, no drop can ever"):
        verdicts(gate)


def test_turns_of_few_conversations_are_few() -> None:
    rules = "thresholds: {R@10: {max_drop: 0.01, evidence: significant}}"
    assert refused(rules, TALKS, TALKS).startswith("with 3 conversations, no drop can ever be significant")


def test_noninferior_passes_only_when_the_whole_interval_is_within_the_budget() -> None:
    rules = "thresholds: {R@10: {max_drop: %s, evidence: noninferior}}"
    # Two queries of nine lose a tenth: the mean drops by 0.0222, and by chance perhaps by 0.06.
    before = NINE | {"h0": 6, "h1": 6}
    outcome, sentence = told(rules % "0.03", NINE, before)
    assert outcome == "failed"
    assert sentence.startswith(
        "R@10 dropped by 0.0222, not shown to be within max_drop 0.03, and may have dropped by 0.0"
    )
    outcome, sentence = told(rules % "0.2", NINE, before)
    assert outcome == "passed"
    assert sentence.startswith("R@10 dropped by 0.0222, within max_drop 0.2, and may have dropped by 0.0")
    outcome, sentence = told(rules % "0.02", NINE, before)
    assert outcome == "failed"
    assert ", more than max_drop 0.02, and may have dropped by " in sentence


def test_one_query_shows_nothing_where_something_must_be_shown() -> None:
    rules = "thresholds: {R@10: {max_drop: 0.5, evidence: noninferior}}"
    assert refused(rules, {"h01": 5}, {"h01": 5}) == (
        "one query says nothing about chance, so no drop can be shown to be small: take evidence mean"
    )


# worst_conversation


def test_the_worst_conversation_is_named_with_its_mean() -> None:
    one = verdict(gate_of("worst_conversation: {R@10: 0.2}", TALKS))
    assert (one.outcome, one.sentence, one.shown) == (
        "failed",
        "R@10 of the worst conversation (32) = 0.1500, below min 0.2000 (short by 0.0500)",
        "0.1500 (32)",
    )
    assert told("worst_conversation: {R@10: 0.15}", TALKS)[0] == "passed"


def test_without_conversations_none_is_the_worst() -> None:
    assert refused("worst_conversation: {R@10: 0.2}", FIVE) == (
        "benchmark tiny has no conversations, so none is the worst"
    )


# queries.max_drop


@pytest.mark.parametrize(
    ("allow", "outcome", "many"), [(0, "failed", "0 may"), (1, "failed", "1 may"), (2, "passed", "2 may")]
)
def test_queries_that_lost_too_much_are_counted(allow: int, outcome: str, many: str) -> None:
    before = FIVE | {"h01": 8, "h02": 9, "h03": 7}  # that of h03 is exactly 0.2
    one = verdict(gate_of(f"queries: {{max_drop: {{R@10: 0.2, allow: {allow}}}}}", FIVE, before))
    assert (one.outcome, one.sentence, one.shown) == (
        outcome,
        f"2 queries lost more than 0.2 of R@10 against the baseline, {many}",
        "2 lost",
    )


def test_one_query_is_told_in_the_singular_and_a_known_bad_one_is_not_counted() -> None:
    rules = "queries: {max_drop: {R@10: 0.2}, xfail: [{query_id: h02, reason: why, below: {R@10: 0.6}}]}"
    gate = gate_of(rules, FIVE, FIVE | {"h01": 8, "h02": 9})
    drop, known = verdicts(gate)
    assert drop.sentence == "1 query lost more than 0.2 of R@10 against the baseline, 0 may"
    assert (drop.outcome, known.outcome) == ("failed", "xfailed")
    (threshold, _) = gate.spec.thresholds
    assert isinstance(threshold, QueryDropSpec)
    assert losers(threshold, gate) == ["h01"]


def test_a_loss_that_no_more_queries_can_have_than_may_is_refused() -> None:
    rules = "queries: {max_drop: {R@10: 0.6, allow: 1}}"
    assert refused(rules, FIVE, FIVE | {"h01": 8}) == (
        "1 query has a baseline above 0.6, so no more can lose that much, 1 may, "
        "and this max_drop can never fail"
    )
    assert told(rules, FIVE, FIVE | {"h01": 8, "h02": 7})[0] == "passed"


# queries.expect


def expected(more: str, query_id: str = "h01", doc_id: str = "d1", found: int = 5) -> tuple[str, str]:
    rules = f"queries: {{expect: [{{query_id: {query_id}, doc_id: {doc_id}, {more}}}]}}"
    return told(rules, FIVE | {"h01": found})


@pytest.mark.parametrize(
    ("more", "doc_id", "outcome", "end"),
    [
        ("within: 2", "d1", "passed", "expected within 2, it is at rank 2"),
        ("within: 1", "d1", "failed", "expected within 1, it is at rank 2"),
        ("within: 9", "d7", "failed", "expected within 9, it is not returned"),
        ("absent: false", "d4", "passed", "expected returned, it is at rank 5"),
        ("absent: false", "d7", "failed", "expected returned, it is not returned"),
        ("absent: true", "d7", "passed", "expected not returned, it is not returned"),
        ("absent: true", "d4", "failed", "expected not returned, it is at rank 5"),
        ("absent: true, within: 2", "d1", "failed", "expected not within 2, it is at rank 2"),
        ("absent: true, within: 1", "d1", "passed", "expected not within 1, it is at rank 2"),
    ],
)
def test_a_golden_answer_stands_where_it_is_expected(more: str, doc_id: str, outcome: str, end: str) -> None:
    assert expected(more, doc_id=doc_id) == (outcome, f"query h01, document {doc_id}: {end}")


@pytest.mark.parametrize("more", ["within: 3", "absent: true"])
def test_an_empty_answer_shows_nothing_not_even_that_a_document_is_absent(more: str) -> None:
    outcome, sentence = expected(more, found=0)
    assert outcome == "failed"
    assert sentence.endswith(", nothing is returned")


@pytest.mark.parametrize("more", ["within: 3", "absent: true"])
def test_a_golden_answer_of_a_query_that_is_not_judged_can_not_be_measured(more: str) -> None:
    rules = f"queries: {{expect: [{{query_id: h99, doc_id: d1, {more}}}]}}"
    assert refused(rules, FIVE) == (
        "query 'h99' is not judged in benchmark tiny, which has h01, h02, h03, ..."
    )


def test_a_rank_is_a_value_and_a_document_that_is_not_there_has_none() -> None:
    rules = "queries: {expect: [{query_id: h01, doc_id: %s, within: 3}]}"
    here, gone = (verdict(gate_of(rules % doc_id, FIVE)) for doc_id in ("d1", "d9"))
    assert (here.value, here.limit, here.shown) == (2, 3, "rank 2")
    assert (gone.value, gone.shown) == (math.inf, "not returned")


# queries.xfail


def known_bad(below: str, found: int = 5, query_id: str = "h01") -> tuple[str, str]:
    rules = f"queries: {{xfail: [{{query_id: {query_id}, reason: no synonyms, below: {below}}}]}}"
    return told(rules, FIVE | {"h01": found})


def test_a_known_bad_query_is_below_its_value_and_fails_when_it_recovered() -> None:
    assert known_bad("{R@10: 0.6}") == (
        "xfailed",
        "query h01: R@10 = 0.5000, below 0.6000 as expected (no synonyms)",
    )
    assert known_bad("{R@10: 0.6}", found=6) == (
        "failed",
        (
            "query h01: R@10 = 0.6000, no longer below 0.6000, it recovered: "
            "take the query out of xfail (no synonyms)"
        ),
    )


def test_a_known_bad_query_that_is_not_judged_can_not_be_measured() -> None:
    rules = "queries: {xfail: [{query_id: h99, reason: why, below: {R@10: 0.6}}]}"
    assert refused(rules, FIVE).startswith("query 'h99' is not judged in benchmark tiny")


def test_a_golden_answer_of_a_known_bad_query_is_expected_to_be_missed() -> None:
    rules = (
        "queries: {xfail: [{query_id: h01, reason: no synonyms}], "
        "expect: [{query_id: h01, doc_id: %s, within: 3}]}"
    )
    assert told(rules % "d7", FIVE) == (
        "xfailed",
        "query h01, document d7: expected within 3, it is not returned (no synonyms)",
    )
    assert told(rules % "d1", FIVE) == (
        "failed",
        "query h01, document d1: it is at rank 2, it recovered: take the query out of xfail (no synonyms)",
    )


def test_a_gate_whose_queries_are_all_known_to_be_bad_can_not_be_measured() -> None:
    bad = ", ".join(f"{{query_id: {q}, reason: why, below: {{R@10: 0.9}}}}" for q in FIVE)
    golden = "expect: [{query_id: h01, doc_id: d7, within: 3}]"
    gate = gate_of(f"queries: {{max_drop: {{R@10: 0.2}}, {golden}, xfail: [{bad}]}}", FIVE, FIVE)
    for threshold in gate.spec.thresholds:
        with pytest.raises(
            InputError, match=r"every query of benchmark tiny is in queries\.xfail: none is left"
        ):
            decide_threshold(threshold, gate)


# Texts of other people


def test_hostile_ids_and_reasons_stay_on_the_line_and_are_clipped() -> None:
    long = "x" * 5000
    rules = (
        'queries: {xfail: [{query_id: h01, reason: "a\\nb\\e[31m", below: {R@10: 0.6}}], '
        f'expect: [{{query_id: h02, doc_id: "d\\n1{long}", within: 3}}]}}'
    )
    expect, known = verdicts(gate_of(rules, FIVE))
    assert known.sentence.endswith(r"as expected (a\nb\x1b[31m)")
    assert r"document d\n1xxx" in expect.sentence
    assert len(expect.sentence) < 200
    assert all(v.sentence.isprintable() for v in (expect, known))


def test_each_kind_of_threshold_has_what_decides_it() -> None:
    assert set(rulings._RULINGS) == set(get_args(Threshold))


def test_a_golden_document_that_nobody_knows_is_asked_about() -> None:
    """A misspelt one would be absent for ever."""
    rules = (
        "queries: {expect: [{query_id: a, doc_id: d0, within: 3}, {query_id: a, doc_id: dO, absent: true}]}"
    )
    known, unknown = verdicts(gate_of(rules, {"a": 1}))
    assert (known.note, unknown.outcome) == ("", "passed")
    assert (
        unknown.note
        == "query a, document dO: it is neither returned nor judged for this query: is its id right?"
    )
