"""What reports say of a gate beside the table of its thresholds."""

from __future__ import annotations

from small_reports import shop

from pytest_irbench.gates.detail import GateDetail
from pytest_irbench.reports.remarks import Kind, remarks
from pytest_irbench.reports.report import ReportedGate
from pytest_irbench.reports.row import Row

DROP = Row(
    benchmark="dl20-passage",
    system="bm25",
    measure="nDCG@10",
    rule="max_drop",
    place="irbench.yaml:9",
    outcome="passed",
    limit=0.1,
    subject="nDCG@10",
    threshold="max_drop 0.1",
    value=0.4796,
    queries=54,
    since="baseline of 2024-05-31 (first)",
    evidence="mean",
    baseline=0.49,
    change=-0.0104,
    change_low=-0.0331,
    change_high=0.0123,
    p=0.1834,
    worse=20,
    better=15,
    detectable=0.0288,
    false_alarms=0.0,
    units="54 queries",
)
replace = DROP._replace


def of_kind(*rows: Row, detail: GateDetail | None = None) -> list[tuple[str, Kind]]:
    gate = ReportedGate("irbench.yaml", "dl20-passage", "bm25", rows, detail)
    return [(remark.text, remark.kind) for remark in remarks(gate)]


def told(*rows: Row, detail: GateDetail | None = None) -> list[str]:
    return [text for text, _ in of_kind(*rows, detail=detail)]


AGAINST = "against the baseline of 2024-05-31 (first)"


def test_the_baseline_is_named() -> None:
    assert told(DROP) == [AGAINST]


def test_several_baselines_are_named_once_each() -> None:
    later = replace(since="baseline of 2024-06-30 (boost)")
    assert told(DROP, later, DROP) == [f"{AGAINST}, baseline of 2024-06-30 (boost)"]


def test_a_gate_without_a_baseline_says_nothing() -> None:
    assert told(replace(since="", evidence="")) == told() == []


def test_where_no_rule_asks_the_baseline_of_the_columns_is_named() -> None:
    detail = shop().detail
    assert detail is not None
    detail = detail._replace(stages=())
    plain = replace(since="", evidence="", rule="min")
    assert told(plain, detail=detail) == ["against the baseline of 2026-11-02 (title boost)"]
    assert told(plain, detail=detail._replace(baseline=None)) == []


def test_a_budget_that_is_smaller_than_what_can_be_seen_is_marked_once_per_gate() -> None:
    coin = replace(limit=0.01, false_alarms=0.31)
    shown = replace(measure="AP", subject="AP", limit=0.02, evidence="significant")
    ((said, kind),) = of_kind(coin, shown, DROP)[1:]
    assert kind == "warned"
    assert said == (
        "max_drop is smaller than the smallest drop that 54 queries show in 8 of 10 cases, so below that "
        "chance decides: nDCG@10 may drop by 0.0100, seen reliably is 0.0288 (an equally good system fails 31% of "
        "the time); AP may drop by 0.0200, seen reliably is 0.0288. More queries, a larger max_drop or "
        "evidence: significant make the verdict firm"
    )


def test_a_budget_of_0_is_marked_and_one_at_the_detectable_drop_is_not() -> None:
    assert "may drop by 0.0000" in told(replace(limit=0.0))[1]
    assert told(replace(limit=0.0288)) == [AGAINST]


def test_gates_of_turns_are_marked_by_their_conversations() -> None:
    said = told(replace(limit=0.01, units="26 conversations"), replace(limit=0.01, units="20 conversations"))
    assert "that 26 conversations or 20 conversations show" in said[1]


def test_an_adjusted_p_value_has_a_star_that_is_explained() -> None:
    adjusted = replace(evidence="significant", p=0.02, p_adjusted=0.04, family=2)
    said = "* adjusted for the 2 thresholds of this gate that ask for significance (Holm)"
    assert told(adjusted, DROP) == [AGAINST, said]


def test_one_threshold_that_asks_for_significance_needs_no_star() -> None:
    assert told(replace(evidence="significant", p=0.02, p_adjusted=0.02, family=1)) == [AGAINST]


def test_what_other_judgments_make_of_the_baseline_is_told_once() -> None:
    changed = replace(rejudged="the qrels changed: nDCG@10")
    assert told(changed, changed) == [AGAINST, "the qrels changed: nDCG@10"]


def test_one_unit_says_nothing_about_chance() -> None:
    one = replace(change_low=None, change_high=None, p=None, detectable=float("inf"), units="1 query")
    assert of_kind(one)[1:] == [("1 query alone says nothing about chance", "warned")]


def test_the_stage_that_changed_is_named() -> None:
    said = "R@1000 is unchanged and nDCG@10 fell: the reranking changed"
    assert (said, "stage") in of_kind(DROP, detail=shop().detail)


def test_without_which_queries_it_would_pass_is_said_of_its_threshold() -> None:
    said = "nDCG@10 max_drop 0.1: would pass without q1, 007"
    assert of_kind(replace(without="would pass without q1, 007"))[1:] == [(said, "without")]


def test_values_by_turn_and_by_conversation_are_a_list_each_and_told_once() -> None:
    by_depth = "nDCG@3 by turn: 1 0.5000 (2), 2 0.1000 (1)\nnDCG@3 by conversation: 106 0.3000 (3)"
    both = replace(by_depth=by_depth)
    assert of_kind(DROP, both, both)[1:] == [(line, "depth") for line in by_depth.split("\n")]


def test_what_was_done_to_the_run_stands_before_the_notes_and_each_is_told_once() -> None:
    about = "doc_id: passage_to_document\nasked 3 times: the top 10 differs for 2 of 54 queries"
    first = replace(about=about, note="RR lies between 0.5 and 1")
    assert of_kind(first, replace(about=about), first)[1:] == [
        *((line, "said") for line in about.split("\n")),
        ("RR lies between 0.5 and 1", "warned"),
    ]
