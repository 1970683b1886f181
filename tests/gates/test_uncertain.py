"""What equal scores and unjudged documents make of a verdict, on cases that a hand can compute."""

from __future__ import annotations

import math

import pytest
from small_gates import Grades, gate_on, verdict, verdicts

from pytest_irbench.gates.kinds import ThresholdSpec
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.uncertain import pairs_to_judge

ONE = {"a": {"d1": 1}, "b": {"d1": 1}}


def notes(rules: str, run: Grades, qrels: Grades = ONE, sparse: Grades | None = None) -> list[str]:
    return [one.note for one in verdicts(gate_on(rules, run, qrels, sparse))]


def told(rules: str, run: Grades, qrels: Grades = ONE) -> tuple[str, str, str]:
    """The outcome of a gate's only threshold, its sentence and its note."""
    one = verdict(gate_on(rules, run, qrels))
    return one.outcome, one.sentence, one.note


def to_judge(gate: MeasuredGate) -> list[tuple[str, str]]:
    (threshold,) = gate.spec.thresholds
    assert isinstance(threshold, ThresholdSpec)
    return pairs_to_judge(threshold, gate)


# ties: report. The rule puts d2 before d1, so that query a has RR 1/2 where another order has 1.

TIED = {"a": {"d1": 5, "d2": 5}, "b": {"d1": 5, "d2": 4}}


def test_a_value_that_equal_scores_could_change_is_told_between_its_limits() -> None:
    assert told("ties: report\nthresholds: {RR: 0.7}", TIED) == (
        "passed",
        "RR = 0.7500, min 0.7000",
        "RR lies between 0.7500 and 1.0000 over all orders of equal scores",
    )


@pytest.mark.parametrize(
    ("limits", "outcome", "hangs"),
    [
        ("{min: 0.75}", "passed", False),
        ("{min: 0.8}", "failed", True),
        ("{min: 1}", "failed", True),
        ("{max: 0.75}", "passed", True),
        ("{max: 0.7}", "failed", False),
    ],
)
def test_a_verdict_stays_that_of_the_tie_rule_and_says_when_it_hangs_on_it(
    limits: str, outcome: str, hangs: bool
) -> None:
    said, _, note = told(f"ties: report\nthresholds: {{RR: {limits}}}", TIED)
    assert said == outcome
    assert note.endswith(f", and the verdict of {limits[1:-1].replace(':', '')} hangs on it") is hangs


def test_equal_scores_that_no_cutoff_and_no_grade_tells_apart_change_nothing() -> None:
    rules = "ties: report\nthresholds: {P@2: 0.1, R@2: 0.1, NumRet: 1}"
    assert notes(rules, TIED) == ["", "", ""]
    assert notes("ties: report\nthresholds: {RR: 0.1}", {"a": {"x": 5, "y": 5}, "b": {"d1": 1}}) == [""]


def test_equal_scores_are_told_of_a_slice_by_its_queries() -> None:
    rules = "ties: report\nslices: {%s: {where: 'query_id == \"%s\"', thresholds: {RR: 0.4}}}"
    assert notes(rules % ("tied", "a"), TIED) == [
        "RR lies between 0.5000 and 1.0000 over all orders of equal scores"
    ]
    assert notes(rules % ("other", "b"), TIED) == [""]


def test_values_that_differ_late_are_told_apart() -> None:
    # Of a tie below forty others, in the last of fifty queries: it moves the mean by 1/50 (1/41 - 1/42).
    run = {f"q{i}": {"d1": 5} for i in range(49)}
    run["a"] = {f"x{i}": 9 for i in range(40)} | {"d1": 5, "d2": 5}
    (note,) = notes("ties: report\nthresholds: {RR: 0.1}", run, dict.fromkeys(run, {"d1": 1}))
    assert note == "RR lies between 0.98048 and 0.98049 over all orders of equal scores"


def test_without_the_key_equal_scores_are_not_looked_at() -> None:
    assert notes("thresholds: {RR: 0.8}", TIED) == [""]


def test_equal_scores_are_not_looked_at_for_label_sets_and_latencies() -> None:
    rules = "ties: report\nunjudged: bounds\nthresholds: {RR: {min: 0.4, qrels: sparse}}"
    assert notes(rules, TIED, sparse={"a": {"d1": 1}}) == [""]
    assert notes("ties: report\nunjudged: bounds\nthresholds: {latency_p50_ms: {max: 9}}", TIED) == [""]


def test_slack_and_ties_are_told_line_by_line() -> None:
    (note,) = notes("ties: report\nthresholds: {RR: {min: 0.5, slack: 0.1}}", TIED)
    assert [line.partition(":")[0] for line in note.split("\n")] == [
        "RR = 0.7500, min 0.5000",
        "RR lies between 0.7500 and 1.0000 over all orders of equal scores",
    ]


# unjudged: bounds. Nobody judged x and y: P@2 is 1/2 for both queries, and may be 1.

OPEN = {"a": {"x": 2, "d1": 1}, "b": {"d1": 2, "y": 1}}


@pytest.mark.parametrize(
    ("limits", "outcome"),
    [
        ("{min: 0.5}", "passed"),
        ("{min: 0.51}", "depends"),
        ("{min: 1}", "depends"),
        ("{max: 0.4}", "failed"),
        ("{max: 0.5}", "depends"),
        ("{max: 0.99}", "depends"),
    ],
)
def test_a_verdict_depends_when_judgments_could_turn_it(limits: str, outcome: str) -> None:
    said, sentence, note = told(f"unjudged: bounds\nthresholds: {{P@2: {limits}}}", OPEN)
    assert said == outcome
    if outcome == "depends":
        assert sentence.endswith(": it depends on judgments, 0.5000 to 1.0000 are possible")
        assert note == ""
    else:
        between = "whatever unjudged documents of the top 2 are judged, it lies between 0.5000 and 1.0000"
        assert note == f"{sentence}: {between}"


def test_a_value_that_is_too_low_may_be_high_enough() -> None:
    assert told("unjudged: bounds\nthresholds: {P@2: 0.6}", OPEN)[:2] == (
        "depends",
        (
            "P@2 = 0.5000, below min 0.6000 (short by 0.1000): "
            "it depends on judgments, 0.5000 to 1.0000 are possible"
        ),
    )


def test_a_relevant_document_that_nobody_judged_also_makes_the_ideal_larger() -> None:
    # Recall at 1 of query a is 0 and is 1/2 when x is relevant; that of b stays 1: y is not in doubt.
    one = gate_on("unjudged: bounds\nthresholds: {R@1: 0.6}", OPEN, ONE)
    assert verdict(one).sentence.endswith("it depends on judgments, 0.5000 to 0.7500 are possible")
    # nDCG@2 of a is 1/log2(3) and 1 when x is relevant; that of b is 1 either way.
    low = (1 / math.log2(3) + 1) / 2
    one = gate_on("unjudged: bounds\nthresholds: {nDCG@2: 0.9}", OPEN, ONE)
    assert verdict(one).sentence.endswith(f"it depends on judgments, {low:.4f} to 1.0000 are possible")


def test_documents_below_the_cutoff_are_not_in_doubt() -> None:
    deep = {"a": {"d1": 3, "d2": 2, "x": 1}}
    judged = {"a": {"d1": 1, "d2": 1}}
    assert told("unjudged: bounds\nthresholds: {nDCG@2: 1}", deep, judged)[::2] == ("passed", "")


def test_without_a_cutoff_all_that_is_returned_is_in_doubt() -> None:
    deep = {"a": {"d1": 3, "x": 2, "y": 1}}
    # Both relevant: AP stays 1. Only y: (1 + 2/3) / 2.
    one = gate_on("unjudged: bounds\nthresholds: {AP: 0.9}", deep, {"a": {"d1": 1}})
    assert verdict(one).sentence == (
        "AP = 1.0000, min 0.9000: it depends on judgments, 0.8333 to 1.0000 are possible"
    )


def test_where_all_is_judged_nothing_depends() -> None:
    run = {"a": {"d1": 1}, "b": {"d1": 1}}
    assert told("unjudged: bounds\nthresholds: {P@1: 1}", run) == ("passed", "P@1 = 1.0000, min 1.0000", "")


def test_measures_of_the_judgments_themselves_hang_on_them_and_are_left_alone() -> None:
    assert told("unjudged: bounds\nthresholds: {Judged@2: 0.9}", OPEN) == (
        "failed",
        "Judged@2 = 0.5000, below min 0.9000 (short by 0.4000)",
        "",
    )


@pytest.mark.parametrize("measure", ["Rprec", "P(judged_only=True)@2"])
def test_a_measure_whose_limits_are_not_known_says_so_and_keeps_its_verdict(measure: str) -> None:
    outcome, _, note = told(f"unjudged: bounds\nthresholds: {{{measure}: 0.4}}", OPEN)
    assert outcome == "passed"
    assert note.startswith(f"what unjudged documents can do to {measure} is not known: ")


def test_slices_have_no_judgments_to_wait_for() -> None:
    rules = "unjudged: bounds\nslices: {all: {where: 'query_id != \"z\"', thresholds: {P@2: 0.6}}}"
    assert told(rules, OPEN) == (
        "failed",
        "P@2 of slice all = 0.5000, below min 0.6000 (short by 0.1000)",
        "",
    )


def test_ties_and_judgments_are_told_both() -> None:
    run = {"a": {"d1": 5, "x": 5}}
    (note,) = notes("ties: report\nunjudged: bounds\nthresholds: {RR: 0.5}", run, {"a": {"d1": 1}})
    assert note.split("\n") == [
        "RR lies between 0.5000 and 1.0000 over all orders of equal scores",
        "RR = 0.5000, min 0.5000: whatever unjudged documents are judged, it lies between 0.5000 and 1.0000",
    ]


# Which documents to judge


@pytest.mark.parametrize(
    ("limits", "pairs"),
    [
        # 3/4 may be reached with either of them, so both must be known not to help.
        ("{min: 0.6}", [("a", "x"), ("b", "y")]),
        # 1 is out of reach as soon as one of them is known not to help.
        ("{min: 1}", [("a", "x")]),
        ("{max: 0.75}", [("a", "x")]),
        ("{min: 0.5}", []),
        ("{max: 0.4}", []),
    ],
)
def test_the_documents_to_judge_are_those_that_the_verdict_hangs_on(
    limits: str, pairs: list[tuple[str, str]]
) -> None:
    assert to_judge(gate_on(f"unjudged: bounds\nthresholds: {{P@2: {limits}}}", OPEN, ONE)) == pairs


def test_once_they_are_judged_the_verdict_is_certain() -> None:
    rules = "unjudged: bounds\nthresholds: {P@2: 0.6}"
    grades = {query_id: dict(judged) for query_id, judged in ONE.items()}
    for query_id, doc_id in to_judge(gate_on(rules, OPEN, ONE)):
        grades[query_id][doc_id] = 0
    assert told(rules, OPEN, grades)[0] == "failed"
    assert told(rules, OPEN, grades | {"a": {"d1": 1, "x": 1}})[0] == "passed"
