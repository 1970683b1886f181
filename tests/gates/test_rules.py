"""The rules of a gate: what is read of drops, slices, conversations and queries, and each fault."""

from __future__ import annotations

import pytest
from small_gates import rules_of, spec_of

from pytest_irbench.errors import InputErrors
from pytest_irbench.gates.declared import labels_of
from pytest_irbench.gates.kinds import (
    Budget,
    DropSpec,
    ExpectSpec,
    KnownBadSpec,
    QueryDropSpec,
    Slice,
    StableSpec,
    ThresholdSpec,
    WorstConversationSpec,
)
from pytest_irbench.gates.thresholds import budget_of
from pytest_irbench.gates.where import parse_where


def faults(rules: str) -> list[str]:
    """The faults of rules, which begin in line 5 and column 3, each as line:column: message."""
    with pytest.raises(InputErrors) as caught:
        rules_of(rules)
    return [f"{f.line}:{f.column}: {f.message}" for f in caught.value.faults]


# What is read


def test_a_drop_is_a_budget_with_its_evidence_and_the_line_to_edit() -> None:
    gate = rules_of(
        "thresholds:\n"
        "  AP: {min: 0.3, max_drop: 0.02}\n"
        "  RR: {max_drop: 2.5%, evidence: significant}\n"
        "  P@5: {max_drop: ' 1 % ', evidence: noninferior}\n"
        "  R@5: {max_drop: 0, evidence: mean}\n"
    )
    assert gate.thresholds == (
        ThresholdSpec("AP", "min", 0.3, 6, 10),
        DropSpec("AP", Budget(0.02), "mean", 6, 20),
        DropSpec("RR", Budget(2.5, percent=True), "significant", 7, 10),
        DropSpec("P@5", Budget(1, percent=True), "noninferior", 8, 11),
        DropSpec("R@5", Budget(0), "mean", 9, 11),
    )
    assert [str(t) for t in gate.thresholds[:3]] == [
        "min 0.3",
        "max_drop 0.02",
        "max_drop 2.5%, significant",
    ]
    assert gate.compared == ("AP", "RR", "P@5", "R@5")


def test_a_budget_in_percent_is_taken_of_the_baseline() -> None:
    assert Budget(2, percent=True).of(0.5) == 0.01
    assert Budget(0.02).of(0.5) == 0.02


def test_slack_is_that_of_the_measure_or_else_of_the_gate_and_only_of_a_min() -> None:
    gate = rules_of(
        "slack: 0.05\nthresholds: {AP: 0.3, RR: {min: 0.3, max: 0.9, slack: 0.01}}\n"
        "slices: {late: {where: turn >= 5, thresholds: {AP: 0.2}}}\n"
    )
    slack = [(t.name, t.slack) for t in gate.thresholds if isinstance(t, ThresholdSpec)]
    assert slack == [("AP-min", 0.05), ("RR-min", 0.01), ("RR-max", None), ("late-AP-min", 0.05)]


def test_a_slice_has_thresholds_of_its_own() -> None:
    gate = rules_of(
        'slices:\n  late-turns:\n    where: "turn >= 5"\n'
        "    thresholds: {nDCG@3: 0.3, AP: {max_drop: 5%, evidence: significant}}\n"
    )
    late = Slice("late-turns", parse_where("turn >= 5"), 6)
    assert gate.thresholds == (
        ThresholdSpec("nDCG@3", "min", 0.3, 8, 20, late),
        DropSpec("AP", Budget(5, percent=True), "significant", 8, 38, late),
    )
    assert [t.name for t in gate.thresholds] == ["late-turns-nDCG@3-min", "late-turns-AP-max_drop"]
    assert [t.subject(t.measure) for t in gate.thresholds] == ["nDCG@3 of late-turns", "AP of late-turns"]


def test_thresholds_may_be_a_list_that_names_measures() -> None:
    gate = rules_of(
        "slack: 0.05\n"
        "thresholds:\n"
        "  - {measure: RR@10, min: 0.3, max: 0.9}\n"
        "  - measure: nDCG@3\n"
        "    max_drop: 2%\n"
        "    evidence: significant\n"
    )
    assert gate.thresholds == (
        ThresholdSpec("RR@10", "min", 0.3, 7, 24, None, 0.05),
        ThresholdSpec("RR@10", "max", 0.9, 7, 34),
        DropSpec("nDCG@3", Budget(2, percent=True), "significant", 9, 7),
    )


def test_a_threshold_may_be_about_an_extra_label_set() -> None:
    gate = rules_of(
        "thresholds:\n"
        "  - {measure: RR@10, min: 0.3}\n"
        "  - {measure: RR@10, qrels: sparse, min: 0.2}\n"
        "  - {measure: AP, qrels: sparse, max: 0.9}\n"
    )
    own, sparse, most = gate.thresholds
    assert sparse == ThresholdSpec("RR@10", "min", 0.2, 7, 39, labels="sparse")
    assert [t.name for t in gate.thresholds] == ["RR@10-min", "sparse-RR@10-min", "sparse-AP-max"]
    assert sparse.subject("RR@10") == "RR@10 (sparse)"
    assert [labels_of(t) for t in (own, sparse, most)] == [None, "sparse", "sparse"]
    assert gate.measures == ("RR@10",)
    assert gate.labelled == {"sparse": ("RR@10", "AP")}


def test_a_label_set_may_be_named_in_a_mapping_too() -> None:
    (threshold,) = rules_of("thresholds: {RR@10: {min: 0.3, qrels: sparse}}").thresholds
    assert threshold == ThresholdSpec("RR@10", "min", 0.3, 5, 24, labels="sparse")


def test_a_label_set_has_a_relevance_level_of_its_own() -> None:
    header = "benchmarks: {two: {topics: t, qrels: q, relevance_level: 2, extra_qrels: {sparse: s}}}\n"
    items = "{measure: AP, min: 0.1, qrels: sparse}, {measure: AP(rel=2), min: 0.1, qrels: sparse}"
    text = f"{header}gates: [{{benchmark: two, system: bm25, thresholds: [%s]}}]"
    assert len(spec_of(text % items).gates[0].thresholds) == 2
    with pytest.raises(
        InputErrors, match="is the same measure as 'AP' in line 2 where the relevance level is 2"
    ):
        spec_of(text % items.replace(", qrels: sparse", ""))


def test_values_may_be_held_together_when_the_system_is_asked_again() -> None:
    gate = rules_of("repeats: 3\nstable: {nDCG@10: 0.005, AP: 0, latency_p50_ms: 20}")
    assert gate.thresholds == (
        StableSpec("nDCG@10", 0.005, 6, 12),
        StableSpec("AP", 0, 6, 28),
        StableSpec("latency_p50_ms", 20, 6, 35),
    )
    first = gate.thresholds[0]
    assert (first.name, str(first), first.rule) == ("stable-nDCG@10", "apart by 0.005", "stable")
    assert first.subject("nDCG@10") == "nDCG@10 asked again"
    assert gate.measures == ("nDCG@10", "AP", "latency_p50_ms")
    assert (gate.protocol.repeats, gate.compared) == (3, ())


def test_the_worst_conversation_has_lowest_values() -> None:
    (threshold,) = rules_of("worst_conversation: {nDCG@3: 0.2}").thresholds
    assert threshold == WorstConversationSpec("nDCG@3", 0.2, 5, 24)
    assert (threshold.name, str(threshold)) == ("worst_conversation-nDCG@3-min", "min 0.2")
    assert threshold.subject("nDCG@3") == "nDCG@3 of the worst conversation"


def test_some_queries_may_be_allowed_to_lose_more() -> None:
    gate = rules_of("queries: {max_drop: {nDCG@10: 0.5, AP: 0, allow: 2}}")
    assert gate.thresholds == (
        QueryDropSpec("nDCG@10", 0.5, 2, 5, 24),
        QueryDropSpec("AP", 0, 2, 5, 38),
    )
    assert (gate.thresholds[0].name, str(gate.thresholds[0])) == (
        "queries-nDCG@10-max_drop",
        "2 may lose over 0.5",
    )
    assert gate.compared == ("nDCG@10", "AP")
    (strict,) = rules_of("queries: {max_drop: {nDCG@10: 0.5}}").thresholds
    assert isinstance(strict, QueryDropSpec)
    assert strict.allow == 0


def test_golden_answers_are_ids_that_stay_text() -> None:
    gate = rules_of(
        "queries:\n  expect:\n"
        "    - {query_id: 31_1, doc_id: 007, within: 3}\n"
        "    - {query_id: no, doc_id: 1e5, absent: true}\n"
        "    - {query_id: true, doc_id: d, within: 5, absent: true}\n"
        "    - {query_id: a, doc_id: d, absent: false}\n"
    )
    assert gate.thresholds == (
        ExpectSpec("31_1", "007", 3, False, 7, 9),
        ExpectSpec("no", "1e5", None, True, 8, 9),
        ExpectSpec("true", "d", 5, True, 9, 9),
        ExpectSpec("a", "d", None, False, 10, 9),
    )
    assert [str(t) for t in gate.thresholds] == ["within 3", "not returned", "not within 5", "returned"]
    assert gate.ranks == (3, None, 5, None)
    assert gate.measures == gate.compared == ()


def test_a_known_bad_query_excuses_its_golden_answers_and_is_held_below_a_value() -> None:
    gate = rules_of(
        "queries:\n"
        "  expect: [{query_id: h01, doc_id: d, within: 1}, {query_id: h02, doc_id: d, within: 1}]\n"
        "  xfail:\n"
        "    - {query_id: h01, reason: no synonyms yet}\n"
        "    - {query_id: h03, reason: why, below: {nDCG@10: 0.3, AP: 1}}\n"
    )
    assert gate.thresholds == (
        ExpectSpec("h01", "d", 1, False, 6, 14, "no synonyms yet"),
        ExpectSpec("h02", "d", 1, False, 6, 53, None),
        KnownBadSpec("h03", "why", "nDCG@10", 0.3, 9, 9),
        KnownBadSpec("h03", "why", "AP", 1, 9, 9),
    )
    assert gate.known_bad == {"h01", "h03"}
    assert [t.name for t in gate.thresholds[::2]] == ["expect-h01-d", "xfail-h03-nDCG@10"]
    assert (gate.thresholds[0].subject(""), gate.thresholds[2].subject("AP")) == ("h01: d", "h03: AP")
    assert str(gate.thresholds[2]) == "below 0.3"


def test_the_tests_of_a_gate_have_different_names_whatever_its_slices_are_called() -> None:
    gate = rules_of(
        "thresholds: {AP: {min: 0.1, max: 0.9, max_drop: 0.1}}\n"
        "slices: {AP: {where: turn > 1, thresholds: {AP: 0.1}}, xfail-a: {where: turn > 1, thresholds: {AP: 0.1}}}\n"
        "worst_conversation: {AP: 0.1}\n"
        "queries: {max_drop: {AP: 0.1}, xfail: [{query_id: a, reason: r, below: {AP: 0.1}}]}\n"
    )
    names = [t.name for t in gate.thresholds]
    assert len(set(names)) == len(names) == 8


@pytest.mark.parametrize(
    ("given", "budget"),
    [(0.02, Budget(0.02)), (0, Budget(0)), ("2%", Budget(2, percent=True)), (" 0.5 % ", Budget(0.5, True))],
)
def test_a_budget_in_python_is_written_as_in_the_file(given: float | str, budget: Budget) -> None:
    assert budget_of(given) == budget


# Faults

MEASURES = {
    "AP: {max_drop: 0.1, qrels: sparse}": (
        "5:36: a max_drop is about the benchmark's own qrels: leave qrels out"
    ),
    "AP: {max_drop: 1}": "5:31: max_drop 1 of 'AP': a drop of 1 can never fail, lower it or leave it out",
    "AP: {max_drop: 100%}": (
        "5:31: max_drop 100% of 'AP': nothing drops by more than all, it can never fail"
    ),
    "AP: {max_drop: two}": ("5:31: max_drop of 'AP' is a number such as 0.02, or 2%, not the text 'two'"),
    "AP: {max_drop: '0.02'}": "5:31: '0.02' is text: write 0.02 without quotes",
    "AP: {max_drop: [1%]}": "5:31: max_drop of 'AP' is a number such as 0.02, or 2%, not a list",
    "AP: {max_drop: -0.1}": (
        "5:31: max_drop -0.1 of 'AP': the values of this measure lie in 0..1, and so must its limit"
    ),
    "AP: {max_drop: .nan}": "5:31: max_drop .nan of 'AP': a limit must be a finite number",
    "AP: {min: 0.5, evidence: mean}": "5:31: evidence of 'AP' goes with a max_drop: add one",
    "AP: {max_drop: 0.1, evidence: significance}": (
        "5:46: evidence is mean, significant, noninferior, not the text 'significance', "
        "did you mean 'significant'?"
    ),
    "AP: {max_drop: 0.1, evidence: [mean]}": (
        "5:46: evidence is mean, significant, noninferior, not a list: known are mean, significant, "
        "noninferior"
    ),
    "AP: {max_drop: 0.1, slack: 0.1}": "5:36: slack of 'AP' goes with a min: add one",
    "AP: {min: 0.1, slack: 0}": ("5:38: slack 0.0: how far a value may be above its min is more than 0"),
    "AP: {min: 0.1, slack: .inf}": ("5:38: slack inf: how far a value may be above its min is more than 0"),
    "AP: {min: 0.1, slack: 2%}": "5:38: slack is a number such as 0.05, not the text '2%'",
    "allow: 2": "unknown measure 'allow'",
}


@pytest.mark.parametrize("limits", MEASURES)
def test_a_faulty_drop_or_slack_is_one_fault(limits: str) -> None:
    (fault,) = faults(f"thresholds: {{{limits}}}")
    assert MEASURES[limits] in fault


def test_evidence_and_slack_alone_could_never_fail() -> None:
    assert faults("thresholds: {AP: {evidence: mean, slack: 0.1}}") == [
        "5:16: the measure 'AP' has neither min nor max nor max_drop and could never fail: add one",
        "5:21: evidence of 'AP' goes with a max_drop: add one",
        "5:37: slack of 'AP' goes with a min: add one",
    ]


SLICE = '{where: "turn >= 5", thresholds: {nDCG@3: 0.3}}'
SLICES = {
    "{late: {where: turn > 5, thresholds: {AP: {min: 0.5, qrels: sparse}}}}": (
        "5:64: a slice is about the benchmark's own qrels: leave qrels out"
    ),
    "~": f"5:11: slices maps names to {SLICE}, not nothing",
    "{}": f"5:11: slices maps names to {SLICE}, not an empty mapping",
    "{late: turn >= 5}": (f"5:18: slice 'late' is a mapping such as {SLICE}, not the text 'turn >= 5'"),
    "{late: {thresholds: {AP: 0.5}}}": (f"5:12: slice 'late' has no where: it is a mapping such as {SLICE}"),
    "{late: {where: turn > 5}}": (f"5:12: slice 'late' has no thresholds: it is a mapping such as {SLICE}"),
    "{late: {where: turn > 5, thresholds: {}}}": (
        "5:48: slice 'late' has no thresholds and could never fail: add for instance "
        "thresholds: {nDCG@10: 0.45}"
    ),
    "{late: {where: turn > 5, thresholds: 0.5}}": (
        "5:48: thresholds maps measures to limits, not the number 0.5: add for instance "
        "thresholds: {nDCG@10: 0.45}"
    ),
    "{late: {where: turn = 5, thresholds: {AP: 0.5}}}": (
        "5:26: where 'turn = 5': one = does not compare: write =="
    ),
    "{late: {where: 5, thresholds: {AP: 0.5}}}": (
        "5:26: where is text such as \"turn >= 5\", not the number 5: put '5' in quotes"
    ),
    "{late: {where: turn > 5, thresholds: {AP: 0.5, MAP: 0.4}}}": (
        "5:58: 'MAP' is the same measure as 'AP' in line 5 (both are AP): keep one"
    ),
    "{late: {where: turn > 5, thresholds: {AP: 0.5}, min: 0.2}}": (
        "5:59: unknown key 'min' in slice 'late': known are where, thresholds"
    ),
    "{a b: {where: turn > 5, thresholds: {AP: 0.5}}}": (
        "5:12: the slice name 'a b' can't be part of a test's id: use letters a to z, digits and _, "
        "and after the first also . + -"
    ),
    "{queries: {where: turn > 5, thresholds: {AP: 0.5}}}": (
        "5:12: a slice can't be called queries: the tests of that key of a gate are, "
        "call the slice something else"
    ),
}


@pytest.mark.parametrize("slices", SLICES)
def test_a_faulty_slice_is_one_fault(slices: str) -> None:
    assert faults(f"slices: {slices}") == [SLICES[slices]]


WORST = "worst_conversation maps measures to the lowest mean of a conversation, such as {nDCG@3: 0.2}"
CONVERSATIONS = {
    "0.2": f"5:23: {WORST}, not the number 0.2",
    "{}": f"5:23: {WORST}, not an empty mapping",
    "{AP: 0}": "5:28: min 0 of 'AP': a minimum of 0 can never fail, raise it or leave it out",
    "{AP: {min: 0.2}}": "5:28: worst_conversation of 'AP' is a number such as 0.2, not a mapping",
    "{allow: 2}": "5:24: unknown measure 'allow'",
}


@pytest.mark.parametrize("worst", CONVERSATIONS)
def test_a_faulty_worst_conversation_is_one_fault(worst: str) -> None:
    (fault,) = faults(f"worst_conversation: {worst}")
    assert fault.startswith(CONVERSATIONS[worst])


STABLE = "stable maps measures to how far apart their values may be, such as {nDCG@10: 0.005}"
STABLES = {
    "0.1": f"6:11: {STABLE}, not the number 0.1",
    "{}": f"6:11: {STABLE}, not an empty mapping",
    "{AP: 1}": "6:16: max 1 of 'AP': a maximum of 1 can never fail, lower it or leave it out",
    "{AP: -0.1}": "6:16: max -0.1 of 'AP': the values of this measure lie in 0..1, and so must its limit",
    "{AP: 2%}": "6:16: stable of 'AP' is a number such as 0.005, not the text '2%'",
    "{AP: 0.1, MAP: 0.1}": "6:21: 'MAP' is the same measure as 'AP' in line 6 (both are AP): keep one",
}


@pytest.mark.parametrize("stable", STABLES)
def test_a_faulty_stable_is_one_fault(stable: str) -> None:
    assert faults(f"repeats: 2\nstable: {stable}") == [STABLES[stable]]


@pytest.mark.parametrize("repeats", ["", "\nrepeats: 1"])
def test_what_is_asked_once_is_always_stable(repeats: str) -> None:
    assert faults(f"stable: {{AP: 0.1}}{repeats}") == [
        "5:3: stable compares what a system answers when it is asked again: add repeats: 3"
    ]


ITEM = "{measure: RR@10, qrels: sparse, min: 0.3}"
ITEMS = {
    "RR": f"5:16: an item of thresholds is a mapping such as {ITEM}, not the text 'RR'",
    "{}": f"5:16: an item of thresholds is a mapping such as {ITEM}, not an empty mapping",
    "{min: 0.3}": f"5:16: this item has no measure: it is a mapping such as {ITEM}",
    "{measure: 5, min: 0.3}": f"5:26: measure is text, as in {ITEM}, not the number 5: put '5' in quotes",
    "{measure: RR}": "5:26: the measure 'RR' has neither min nor max nor max_drop and could never fail: add one",
    "{measure: RR, mim: 0.3}": "5:30: unknown key 'mim' in the limits of 'RR', did you mean 'min'?",
    "{measure: RR, min: 2}": (
        "5:35: min 2 of 'RR': the values of this measure lie in 0..1, and so must its limit"
    ),
    "{measure: RR, min: 0.3}, {measure: MRR, max: 0.9}": (
        "5:51: 'MRR' is the same measure as 'RR' in line 5 (both are RR): keep one"
    ),
    "{measure: RR, min: 0.3, qrels: sparse}, {measure: MRR, max: 0.9, qrels: sparse}": (
        "5:66: 'MRR' is the same measure as 'RR' in line 5 (both are RR): keep one"
    ),
    "{measure: RR, min: 0.3, qrels: 5}": "5:47: qrels is text such as sparse, not the number 5: put '5' in quotes",
    "{measure: RR, min: 0.3, qrels: [a]}": "5:47: qrels is text such as sparse, not a list",
}


@pytest.mark.parametrize("items", ITEMS)
def test_a_faulty_item_of_thresholds_is_one_fault(items: str) -> None:
    assert faults(f"thresholds: [{items}]") == [ITEMS[items]]


DROP = "max_drop maps measures to what a query may lose, such as {nDCG@10: 0.5, allow: 2}"
EXPECT = '{query_id: "23849", doc_id: "2607127", within: 3}'
KNOWN_BAD = '{query_id: "h07", reason: no synonyms yet, below: {nDCG@10: 0.3}}'
QUERIES = {
    "~": "5:12: queries is a mapping with the keys max_drop, expect, xfail, not nothing",
    "{xfails: []}": "5:13: unknown key 'xfails' in queries, did you mean 'xfail'?",
    "{max_drop: 0.5}": f"5:23: {DROP}, not the number 0.5",
    "{max_drop: {allow: 2}}": f"5:23: {DROP}: it names no measure and could never fail",
    "{max_drop: {AP: 2%}}": (
        "5:28: what a query may lose of 'AP' is a number such as 0.5, not the text '2%'"
    ),
    "{max_drop: {AP: 1}}": ("5:28: max_drop 1 of 'AP': a drop of 1 can never fail, lower it or leave it out"),
    "{max_drop: {AP: 0.5, allow: -1}}": (
        "5:40: allow is a whole number from 0, such as 2, not the number -1"
    ),
    "{max_drop: {AP: 0.5, allow: '1'}}": "5:40: '1' is text: write 1 without quotes",
    "{expect: []}": f"5:21: expect is a list of mappings such as {EXPECT}, not an empty list",
    "{expect: {query_id: a}}": f"5:21: expect is a list of mappings such as {EXPECT}, not a mapping",
    "{expect: [a]}": f"5:22: an item of expect is a mapping such as {EXPECT}, not the text 'a'",
    "{expect: [{doc_id: d, within: 3}]}": "5:22: this item has no query_id",
    "{expect: [{query_id: a, within: 3}]}": "5:22: this item has no doc_id",
    "{expect: [{query_id: a, doc_id: d}]}": (
        f"5:22: this item has neither within nor absent: it is a mapping such as {EXPECT}"
    ),
    "{expect: [{query_id: '', doc_id: d, within: 3}]}": (
        "5:33: query_id is an id such as '31_1', not an empty text"
    ),
    "{expect: [{query_id: a, doc_id: ~, within: 3}]}": ("5:44: doc_id is an id such as '31_1', not nothing"),
    "{expect: [{query_id: a, doc_id: [d], within: 3}]}": ("5:44: doc_id is an id such as '31_1', not a list"),
    "{expect: [{query_id: a, doc_id: d, within: 0}]}": (
        "5:55: within is a whole number from 1, such as 3, not the number 0"
    ),
    "{expect: [{query_id: a, doc_id: d, absent: yes}]}": (
        "5:55: absent is true or false, not the text 'yes'"
    ),
    "{expect: [{query_id: a, doc_id: d, within: 3, rank: 1}]}": (
        "5:58: unknown key 'rank' in an item of expect: known are query_id, doc_id, within, absent"
    ),
    "{expect: [{query_id: a, doc_id: d, within: 3}, {query_id: a, doc_id: d, absent: true}]}": (
        "5:59: document 'd' of query 'a' is expected already in line 5: keep one"
    ),
    "{xfail: []}": f"5:20: xfail is a list of mappings such as {KNOWN_BAD}, not an empty list",
    "{xfail: [{query_id: a, below: {AP: 0.1}}]}": (
        f"5:21: this item has no reason: it is a mapping such as {KNOWN_BAD}"
    ),
    "{xfail: [{reason: why, below: {AP: 0.1}}]}": "5:21: this item has no query_id",
    "{xfail: [{query_id: a, reason: why}]}": (
        "5:13: query 'a' of xfail has neither below nor an expect: nothing would show that it recovered, "
        f"write it as in {KNOWN_BAD}"
    ),
    "{xfail: [{query_id: a, reason: r, below: {AP: 0.1}}, {query_id: a, reason: r, below: {RR: 0.1}}]}": (
        "5:65: query 'a' is in xfail already: put what it is below into one item"
    ),
}


@pytest.mark.parametrize("queries", QUERIES)
def test_a_faulty_rule_for_queries_is_one_fault(queries: str) -> None:
    assert faults(f"queries: {queries}") == [QUERIES[queries]]


BELOW = {
    "0.1": f"5:55: below maps measures to a value, as in {KNOWN_BAD}, not the number 0.1",
    "{AP: 0}": "5:60: below 0 of 'AP': nothing is below 0, raise it",
    "{AP: low}": "5:60: below of 'AP' is a number, not the text 'low'",
}


@pytest.mark.parametrize("below", BELOW)
def test_a_faulty_below_leaves_its_query_without_a_value(below: str) -> None:
    first, second = sorted(
        faults(f"queries: {{xfail: [{{query_id: a, reason: why, below: {below}}}]}}"), reverse=True
    )
    assert first == BELOW[below]
    assert second.startswith("5:13: query 'a' of xfail has neither below nor an expect")


EMPTY = "has no thresholds and could never fail: add for instance thresholds: {nDCG@10: 0.45}"


@pytest.mark.parametrize("thresholds", ["~", "{}", "[]"])
def test_nothing_under_thresholds_could_never_fail(thresholds: str) -> None:
    assert faults(f"thresholds: {thresholds}") == [f"5:15: this gate {EMPTY}"]
    late = f"slices: {{late: {{where: turn > 5, thresholds: {thresholds}}}}}"
    assert faults(late) == [f"5:48: slice 'late' {EMPTY}"]


def test_the_faults_of_all_rules_are_told_together() -> None:
    found = faults(
        "thresholds: {AP: 2}\n"
        "slices: {late: {where: turn, thresholds: {AP: 0.5}}}\n"
        "worst_conversation: {AP: 0}\n"
        "queries: {expect: [], max_drop: {allow: 1}}\n"
    )
    assert [fault.partition(": ")[0] for fault in found] == ["5:20", "6:26", "7:28", "8:21", "8:35"]


@pytest.mark.parametrize("given", [-0.1, float("nan"), float("inf"), "0.02", "-2%", "two", True])
def test_a_budget_in_python_that_is_none_is_refused(given: float | str) -> None:
    with pytest.raises(Exception, match="budget is a number from 0, such as 0.02, or a text such as '2%'"):
        budget_of(given)
