"""What the summary says below a gate's table of the thresholds that are held against a baseline."""

from __future__ import annotations

from pytest_irbench.reports.drops import against_baseline
from pytest_irbench.reports.summary import Row, summary

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


def told(*rows: Row) -> str:
    return "\n".join(against_baseline(rows))


def test_every_drop_is_shown_with_what_chance_makes_of_it() -> None:
    rising = replace(
        measure="AP", subject="AP of late", change=0.02, change_low=-0.01, change_high=0.05, p=0.9
    )
    assert told(DROP, rising) == (
        """\
against the baseline of 2024-05-31 (first):
measure       baseline    change       95% interval       p  worse/better      detectable
----------  ----------  --------  -----------------  ------  --------------  ------------
nDCG@10         0.4900   -0.0104  -0.0331 to 0.0123  0.1834  20/15                 0.0288
AP of late      0.4900    0.0200  -0.0100 to 0.0500  0.9000  20/15                 0.0288"""
    )


def test_it_stands_between_the_table_and_the_notes_of_a_gate() -> None:
    text = summary([replace(note="raise it")])
    table, against, note = text.index("nDCG@10 "), text.index("against the baseline"), text.index("raise it")
    assert table < against < note


def test_a_gate_without_a_baseline_says_nothing() -> None:
    assert told(replace(since="", evidence="")) == told() == ""


def test_rules_for_queries_name_the_baseline_and_have_no_line_of_their_own() -> None:
    assert told(replace(evidence="")) == "against the baseline of 2024-05-31 (first):"


def test_a_budget_that_is_smaller_than_what_can_be_seen_is_marked_once_per_gate() -> None:
    coin = replace(limit=0.01, false_alarms=0.31)
    shown = replace(measure="AP", subject="AP", limit=0.02, evidence="significant")
    text = " ".join(told(coin, shown, DROP).split("\n")[6:])
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
    assert "  0.0400*  " in text
    assert "  0.1834 " in text
    assert text.endswith("* adjusted for the 2 thresholds of this gate that ask for significance (Holm)")


def test_one_threshold_that_asks_for_significance_needs_no_star() -> None:
    text = told(replace(evidence="significant", p=0.02, p_adjusted=0.02, family=1))
    assert "*" not in text


def test_what_other_judgments_make_of_the_baseline_is_told_for_each_measure_once() -> None:
    text = told(
        replace(rejudged="the qrels changed: nDCG@10"), replace(rejudged="the qrels changed: nDCG@10")
    )
    assert text.count("the qrels changed: nDCG@10") == 1


def test_counts_have_one_decimal_and_nothing_is_minus_0() -> None:
    count = replace(measure="NumRelRet", subject="NumRelRet", baseline=310.0, change=-0.0, change_low=-4.25)
    text = told(count._replace(change_high=4.0, detectable=5.0, limit=9.0))
    assert "310.0       0.0     -4.2 to 4.0" in text


def test_one_unit_has_no_interval_and_says_nothing_about_chance() -> None:
    one = replace(change_low=None, change_high=None, p=None, detectable=float("inf"), units="1 query")
    text = told(one)
    assert "inf" not in text.replace("interval", "")
    assert text.endswith("\n1 query alone says nothing about chance")


def test_lines_stay_within_the_width_of_a_terminal() -> None:
    many = [replace(measure=f"P@{i}", subject=f"P@{i}", limit=0.001) for i in range(1, 30)]
    assert max(map(len, told(*many).split("\n"))) <= 100
