"""What the summary says below a gate's table of the thresholds that are held against a baseline."""

from __future__ import annotations

from small_reports import shop

from pytest_irbench.gates.detail import GateDetail
from pytest_irbench.reports.X
from pytest_irbench.reports.report import ReportedGate
from pytest_irbench.reports.row import Row
from pytest_irbench.reports.terminal.screen import Screen
from pytest_irbench.reports.terminal.terminal import terminal

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


def told(*rows: Row, detail: GateDetail | None = None) -> str:
    gate = ReportedGate("irbench.yaml", "dl20-passage", "bm25", rows, detail)
    return "\n".join(span.text for line in against_baseline(gate, Screen(100)) for span in line)


def test_the_baseline_is_named() -> None:
    assert told(DROP) == "against the baseline of 2024-05-31 (first)"


def test_a_gate_without_a_baseline_says_nothing() -> None:
    assert told(replace(since="", evidence="")) == told() == ""


def test_where_no_rule_asks_the_baseline_of_the_columns_is_named() -> None:
    detail = shop().detail
    assert detail is not None
    plain = replace(since="", evidence="", rule="min")
    assert told(plain, detail=detail) == "against the baseline of 2026-11-02 (title boost)"
    assert told(plain, detail=detail._replace(baseline=None)) == ""


def test_it_stands_between_the_table_and_the_notes_of_a_gate() -> None:
    gate = ReportedGate("irbench.yaml", "dl20-passage", "bm25", (replace(note="raise it"),))
    text = "\n".join(span.text for line in terminal([gate], 80) for span in line)
    table, against, note = text.index("nDCG@10 "), text.index("against the baseline"), text.index("raise it")
    assert table < against < note


def test_a_budget_that_is_smaller_than_what_can_be_seen_is_marked_once_per_gate() -> None:
    coin = replace(limit=0.01, false_alarms=0.31)
    shown = replace(measure="AP", subject="AP", limit=0.02, evidence="significant")
    text = " ".join(told(coin, shown, DROP).split("\n")[1:])
    assert text == (
        "max_drop is smaller than the smallest drop that 54 queries show in 8 of 10 cases, so below that "
        "chance decides: nDCG@10 may drop by 0.0100, seen reliably is 0.0288 (an unchanged system fails 31% of "
        "the time); AP may drop by 0.0200, seen reliably is 0.0288. More queries or a larger max_drop make the "
        "verdict firm"
    )


def test_a_budget_of_0_is_marked_and_one_at_the_detectable_drop_is_not() -> None:
    assert "may drop by 0.0000" in told(replace(limit=0.0))
    assert "may drop" not in told(replace(limit=0.0288))


def test_gates_of_turns_are_marked_by_their_conversations() -> None:
    text = told(replace(limit=0.01, units="26 conversations"), replace(limit=0.01, units="20 conversations"))
    assert "that 26 conversations or 20 conversations show" in text.replace("\n", " ")


def test_an_adjusted_p_value_has_a_star_that_is_explained() -> None:
    adjusted = replace(evidence="significant", p=0.02, p_adjusted=0.04, family=2)
    text = told(adjusted, DROP)
    assert (p_of(adjusted), p_of(DROP)) == ("0.0400*", "0.1834")
    assert text.endswith("* adjusted for the 2 thresholds of this gate that ask for significance (Holm)")


def test_one_threshold_that_asks_for_significance_needs_no_star() -> None:
    only = replace(evidence="significant", p=0.02, p_adjusted=0.02, family=1)
    assert p_of(only) == "0.0200"
    assert "*" not in told(only)


def test_what_other_judgments_make_of_the_baseline_is_told_for_each_measure_once() -> None:
    text = told(
        replace(rejudged="the qrels changed: nDCG@10"), replace(rejudged="the qrels changed: nDCG@10")
    )
    assert text.count("the qrels changed: nDCG@10") == 1


def test_counts_have_one_decimal_and_nothing_is_minus_0() -> None:
    count = replace(measure="NumRelRet")
    assert [number(count, value) for value in (310.0, -0.0, -4.25, 0.04)] == ["310.0", "0.0", "-4.2", "0.0"]
    assert [number(DROP, value) for value in (-0.0, -0.00001, -0.0104)] == ["0.0000", "0.0000", "-0.0104"]


def test_what_is_not_there_is_no_number() -> None:
    assert [number(DROP, value) for value in (None, float("inf"), float("nan"))] == ["", "", ""]
    assert p_of(replace(p=None)) == ""


def test_one_unit_has_no_interval_and_says_nothing_about_chance() -> None:
    one = replace(change_low=None, change_high=None, p=None, detectable=float("inf"), units="1 query")
    text = told(one)
    assert "inf" not in text
    assert text.endswith("\n1 query alone says nothing about chance")


def test_lines_stay_within_the_width_of_a_terminal() -> None:
    many = [replace(measure=f"P@{i}", subject=f"P@{i}", limit=0.001) for i in range(1, 30)]
    assert max(map(len, told(*many).split("\n"))) <= 100
