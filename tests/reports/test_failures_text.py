"""What a failed threshold of a gate prints, word for word, for each of their kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_gates import asked_again, gate_of, gate_on

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.gates.declared import GateSpec
from pytest_irbench.gates.held import HeldBaseline
from pytest_irbench.gates.kinds import (
    ExpectSpec,
    KnownBadSpec,
    QueryDropSpec,
    Slice,
    StableSpec,
    Threshold,
    ThresholdSpec,
    WorstConversationSpec,
)
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.rulings import decide_threshold
from pytest_irbench.gates.where import parse_where
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.reports.failures import explain_failure
from pytest_irbench.runs.run import Run

FIVE = {"h01": 5, "h02": 5, "h03": 5, "h04": 5, "h05": 5}
TALKS = {"31_1": 8, "31_2": 6, "32_1": 2, "32_2": 1, "33_1": 9}


def explained(threshold: Threshold, gate: MeasuredGate, outcome: str = "failed") -> str:
    verdict = decide_threshold(threshold, gate)
    assert verdict.outcome == outcome
    return explain_failure(threshold, gate, verdict, f"irbench.yaml:{threshold.line}")


def failure(rules: str, now: dict[str, int], before: dict[str, int] | None = None) -> str:
    """What the first threshold prints, which fails."""
    gate = gate_of(rules, now, before)
    return explained(gate.spec.thresholds[0], gate)


def test_a_slice_below_its_min_shows_only_its_queries() -> None:
    assert failure("slices: {late: {where: turn >= 2, thresholds: {R@10: 0.4}}}", TALKS) == (
        """\
R@10 of slice late = 0.3500, below min 0.4000 (short by 0.0500)
  benchmark tiny, system bm25: mean over 2 of 5 judged queries, slice late: turn >= 2, relevant from grade 1
  at most 9 documents returned for a query, fewer than the cutoff
  0 of 26 documents in the top 10 are unjudged

  lowest queries:
  query_id    R@10    text
  32_2        0.1000  the text of 32_2
      1. d0  grade 1
      lacks 9 relevant: d1 grade 1 not returned, d2 grade 1 not returned, d3 grade 1 not returned
  31_2        0.6000  the text of 31_2
      1. d0  grade 1
      2. d1  grade 1
      3. d2  grade 1
      lacks 4 relevant: d6 grade 1 not returned, d7 grade 1 not returned, d8 grade 1 not returned

irbench.yaml:5: R@10 of late min"""
    )


def test_a_drop_shows_what_chance_makes_of_it_and_the_documents_that_went_down() -> None:
    assert failure("thresholds: {R@10: {max_drop: 0.01}}", FIVE | {"h02": 0}, FIVE | {"h01": 8}) == (
        """\
R@10 dropped by 0.1600, more than max_drop 0.01: 0.4000, baseline 0.5600
  benchmark tiny, system bm25: mean over 5 judged queries, relevant from grade 1
  1 judged query without results, counted as 0: h02
  at most 5 documents returned for a query, fewer than the cutoff
  0 of 20 documents in the top 10 are unjudged
  baseline of 2024-05-31 (first), commit 0123456789ab
  95% interval of the change -0.4459 to +0.1259, p = 0.2500; 2 worse, 0 better, 3 the same
  smallest drop that 5 queries show in 8 of 10 cases: 0.3164

  queries that lost most:
  query_id    baseline    now     change    text
  h02         0.5000      0.0000  -0.5000   the text of h02
      d0  grade 1: rank 1 before, now not returned
      d1  grade 1: rank 2 before, now not returned
      d2  grade 1: rank 3 before, now not returned
  h01         0.8000      0.5000  -0.3000   the text of h01
      d5  grade 1: rank 6 before, now not returned
      d6  grade 1: rank 7 before, now not returned
      d7  grade 1: rank 8 before, now not returned

irbench.yaml:5: R@10 max_drop"""
    )


def test_a_drop_of_a_slice_names_it_in_every_place() -> None:
    limits = "{max_drop: 10%, evidence: noninferior}"
    text = failure(
        f"slices: {{late: {{where: turn >= 2, thresholds: {{R@10: {limits}}}}}}}",
        TALKS,
        TALKS | {"32_2": 2, "33_1": 1},
    )
    first, counted, *_ = text.split("\n")
    assert first.startswith(
        "R@10 of slice late dropped by 0.0500, more than max_drop 10%, and may have dropped"
    )
    assert "mean over 2 of 5 judged queries, slice late: turn >= 2" in counted
    assert "smallest drop that 2 conversations show in 8 of 10 cases" in text
    assert "\n  32_2        0.2000      0.1000  -0.1000   the text of 32_2\n" in text
    assert "33_1" not in text
    assert text.endswith("\n\nirbench.yaml:5: R@10 of late max_drop")


def test_a_count_is_told_in_whole_numbers() -> None:
    text = failure("thresholds: {NumRelRet: {max_drop: 2}}", FIVE, FIVE | {"h01": 8})
    assert text.startswith("NumRelRet dropped by 3, more than max_drop 2: 25, baseline 28\n")
    assert "\n  h01         8           5      -3        the text of h01\n" in text


def test_where_no_query_lost_the_failure_says_so() -> None:
    # It rose, but two queries that far apart show nothing.
    now, before = {"h01": 10, "h02": 5}, {"h01": 1, "h02": 5}
    text = failure("thresholds: {R@10: {max_drop: 0.1, evidence: noninferior}}", now, before)
    assert text.startswith("R@10 rose by 0.4500, not shown to be within max_drop 0.1")
    assert text.endswith("\n\n  no query lost\n\nirbench.yaml:5: R@10 max_drop")


def test_the_queries_that_lost_most_are_five_and_the_rest_is_counted() -> None:
    many = {f"h{i:02}": 9 for i in range(8)}
    text = failure("thresholds: {R@10: {max_drop: 0.01}}", dict.fromkeys(many, 5), many)
    assert "\n  queries that lost most (of 8):\n" in text
    assert text.count("the text of") == 5


def test_the_worst_conversations_are_listed() -> None:
    assert failure("worst_conversation: {R@10: 0.2}", TALKS) == (
        """\
R@10 of the worst conversation (32) = 0.1500, below min 0.2000 (short by 0.0500)
  benchmark tiny, system bm25: mean over 5 judged queries, relevant from grade 1
  at most 9 documents returned for a query, fewer than the cutoff
  0 of 26 documents in the top 10 are unjudged

  lowest conversations:
  conversation    R@10    turns
  32              0.1500  2
  31              0.7000  2
  33              0.9000  1

irbench.yaml:5: R@10 of the worst conversation min"""
    )


def test_queries_that_lost_too_much_are_shown_and_the_others_are_not() -> None:
    text = failure("queries: {max_drop: {R@10: 0.2}}", FIVE, FIVE | {"h01": 8, "h02": 6})
    assert text.startswith("1 query lost more than 0.2 of R@10 against the baseline, 0 may\n")
    assert text.endswith(
        """
  queries that lost most:
  query_id    baseline    now     change    text
  h01         0.8000      0.5000  -0.3000   the text of h01
      d5  grade 1: rank 6 before, now not returned
      d6  grade 1: rank 7 before, now not returned
      d7  grade 1: rank 8 before, now not returned

irbench.yaml:5: R@10 by query max_drop"""
    )


def test_a_golden_answer_shows_what_stands_where_it_should() -> None:
    assert failure("queries: {expect: [{query_id: h01, doc_id: d3, within: 2}]}", FIVE) == (
        """\
query h01, document d3: expected within 2, it is at rank 4
  benchmark tiny, system bm25
  query: the text of h01
  1. d0  grade 1
  2. d1  grade 1

irbench.yaml:5: queries.expect, h01: d3"""
    )


@pytest.mark.parametrize(
    ("more", "found", "shown"),
    [("absent: true", 5, 3), ("within: 2", 5, 2), ("within: 900", 10, 10), ("within: 9", 5, 5)],
)
def test_as_many_documents_are_shown_as_matter_and_at_most_ten(more: str, found: int, shown: int) -> None:
    doc_id = "d0" if "absent" in more else "x"
    rules = f"queries: {{expect: [{{query_id: h01, doc_id: {doc_id}, {more}}}]}}"
    assert failure(rules, FIVE | {"h01": found}).count("  grade 1") == shown


def test_an_empty_answer_says_no_results() -> None:
    text = failure("queries: {expect: [{query_id: h01, doc_id: d0, absent: true}]}", FIVE | {"h01": 0})
    assert "expected not returned, nothing is returned\n" in text
    assert "\n  query: the text of h01\n  no results\n" in text


def test_a_query_that_recovered_names_the_line_to_take_out() -> None:
    rules = "queries: {xfail: [{query_id: h01, reason: no synonyms, below: {R@10: 0.4}}]}"
    assert failure(rules, FIVE) == (
        """\
query h01: R@10 = 0.5000, no longer below 0.4000, it recovered: take the query out of xfail (no synonyms)
  benchmark tiny, system bm25
  query: the text of h01

irbench.yaml:5: queries.xfail, h01: R@10"""
    )


def test_what_is_not_stable_shows_the_queries_that_change() -> None:
    gate = asked_again("repeats: 3\nstable: {R@10: 0.01}", FIVE | {"h01": 6}, FIVE, FIVE | {"h02": 0})
    told = replace(gate, about=("asked 3 times: the top 10 differs for 2 of 5 queries",))
    assert explained(gate.spec.thresholds[0], told) == (
        """\
R@10 is apart by 0.1200, over 0.01: 0.4000 to 0.5200 in 3 times that it was asked
  benchmark tiny, system bm25
  asked 3 times: the top 10 differs for 2 of 5 queries

  queries whose values are farthest apart:
  query_id    time 1    time 2    time 3    text
  h02         0.5000    0.5000    0.0000    the text of h02
  h01         0.6000    0.5000    0.5000    the text of h01

irbench.yaml:6: R@10 asked again stable"""
    )


def test_a_threshold_of_a_label_set_shows_the_grades_of_that_set() -> None:
    run, own = {"a": {"d1": 3, "d2": 2, "d3": 1}, "b": {"d1": 1}}, {"a": {"d1": 1}, "b": {"d1": 1}}
    gate = gate_on("thresholds: {RR: {min: 0.4, qrels: sparse}}", run, own, {"a": {"d3": 1}})
    assert explained(gate.spec.thresholds[0], gate) == (
        """\
RR of qrels sparse = 0.3333, below min 0.4000 (short by 0.0667)
  benchmark tiny, system bm25: mean over 1 judged query, relevant from grade 1
  1 query of the run not judged, left out
  2 of 3 documents in the top 10 are unjudged

  lowest queries:
  query_id    RR      text
  a           0.3333  the text of a
      1. d1  unjudged
      2. d2  unjudged
      3. d3  grade 1

irbench.yaml:5: RR (sparse) min"""
    )


def test_what_depends_on_judgments_says_between_which_values_and_shows_what_nobody_judged() -> None:
    run, own = {"a": {"x": 2, "d1": 1}, "b": {"d1": 2}}, {"a": {"d1": 1}, "b": {"d1": 1}}
    gate = gate_on("unjudged: bounds\nthresholds: {RR: {max: 0.9}}", run, own)
    assert explained(gate.spec.thresholds[0], gate, "depends") == (
        """\
RR = 0.7500, max 0.9000: it depends on judgments, 0.7500 to 1.0000 are possible
  benchmark tiny, system bm25: mean over 2 judged queries, relevant from grade 1
  1 of 3 documents in the top 10 are unjudged

  highest queries:
  query_id    RR      text
  b           1.0000  the text of b
      1. d1  grade 1
  a           0.5000  the text of a
      1. x  unjudged
      2. d1  grade 1

irbench.yaml:6: RR max"""
    )


def test_judgments_that_changed_are_told_beside_a_drop() -> None:
    gate = gate_of("thresholds: {R@10: {max_drop: 0.01}}", FIVE, FIVE | {"h01": 8})
    rejudged = gate.baseline._replace(rejudged=True)
    text = explained(gate.spec.thresholds[0], replace(gate, hold=lambda: rejudged))
    assert "\n  the qrels changed since: the baseline's run was scored again with them\n" in text


# Texts of other people

LONG = "x" * 5000
NASTY = f"a\n\x1b[31m\t{LONG}"


def nasty_gate() -> MeasuredGate:
    """A gate whose ids, texts and conversations are what no one should write."""
    topics = Topics([Topic(f"text\n{NASTY}", NASTY, conversation=NASTY, turn=1)])
    benchmark = Benchmark("tiny", topics, Qrels.from_mapping({NASTY: {f"d{NASTY}": 1, f"e{NASTY}": 1}}))
    now = evaluate(Run.from_mapping({NASTY: {f"u{NASTY}": 1.0}}, "bm25"), benchmark, ["R@5"])
    before = evaluate(Run.from_mapping({NASTY: {f"d{NASTY}": 1.0}}, "bm25"), benchmark, ["R@5"])
    stored = gate_of("thresholds: {R@10: 0.1}", FIVE, FIVE).baseline.stored
    gate = GateSpec(1, "tiny", "bm25", None, ())
    hold = HeldBaseline(stored, before)
    return MeasuredGate(gate, benchmark, now, lambda: hold, lambda: None, (now, before))


@pytest.mark.parametrize(
    "threshold",
    [
        ThresholdSpec("R@5", "min", 0.5, 1, 1),
        ThresholdSpec(
            "R@5", "min", 0.5, 1, 1, Slice("s", parse_where(f"(turn == 1{' ' * 500}\n and turn < 9)"), 1)
        ),
        StableSpec("R@5", 0.1, 1, 1),
        WorstConversationSpec("R@5", 0.5, 1, 1),
        QueryDropSpec("R@5", 0.1, 0, 1, 1),
        ExpectSpec(NASTY, f"d{NASTY}", 3, False, 1, 1),
        ExpectSpec(NASTY, f"u{NASTY}", 3, True, 1, 1),
    ],
    ids=["min", "slice", "stable", "worst_conversation", "queries.max_drop", "expect", "absent"],
)
def test_hostile_ids_and_texts_stay_on_their_line_and_are_clipped(threshold: Threshold) -> None:
    lines = explained(threshold, nasty_gate()).split("\n")
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 350
    assert len(lines) < 16


def test_a_hostile_reason_is_clipped() -> None:
    gate = gate_of("thresholds: {R@10: 0.1}", FIVE)
    text = explained(KnownBadSpec("h01", NASTY, "R@10", 0.1, 1, 1), gate)
    assert r"xfail (a\n\x1b[31m\txxx" in text
    assert max(map(len, text.split("\n"))) < 250
