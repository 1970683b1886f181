"""How reports say the numbers of a threshold: in all of them alike."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_reports import dropped, row

from pytest_irbench.reports.numbers import (
    asked_of,
    baseline_of,
    change_of,
    detectable_of,
    interval_of,
    judged_of,
    number,
    p_of,
    signed,
    subject_of,
    tally_of,
    value_of,
)
from pytest_irbench.reports.row import Row

BARE = Row("shop", "bm25", "nDCG@10", "min", "irbench.yaml:9", "error")


@pytest.mark.parametrize(
    ("measure", "value", "said"),
    [
        ("nDCG@10", 0.61254, "0.6125"),
        ("nDCG@10", -0.0104, "-0.0104"),
        ("nDCG@10", -0.00001, "0.0000"),
        ("nDCG@10", -0.0, "0.0000"),
        ("NumRelRet", 310.0, "310"),
        ("NumRelRet", -0.0, "0"),
        ("NumRelRet", 4.5, "4.5"),
        ("NumRelRet", -4.25, "-4.2"),
        ("NumRelRet", -0.04, "0.0"),
        ("latency_p95_ms", 12.34, "12.3"),
        ("nDCG@10", math.inf, ""),
        ("nDCG@10", math.nan, ""),
        ("nDCG@10", None, ""),
    ],
)
def test_a_number_has_the_decimals_of_its_measure(measure: str, value: float | None, said: str) -> None:
    assert number(measure, value) == said


@pytest.mark.parametrize(
    ("measure", "change", "said"),
    [
        ("AP", 0.05, "+0.0500"),
        ("AP", -0.25, "-0.2500"),
        ("AP", 0.0, "0.0000"),
        ("AP", -0.0, "0.0000"),
        ("AP", -1e-5, "-1.0e-05"),
        ("AP", 1e-5, "+1.0e-05"),
        ("NumRelRet", 2.0, "+2"),
        ("NumRelRet", -0.5, "-0.5"),
        ("latency_p95_ms", -3.0, "-3.0"),
        ("AP", math.nan, ""),
        ("AP", None, ""),
    ],
)
def test_a_change_has_a_sign_and_the_smallest_is_not_none(
    measure: str, change: float | None, said: str
) -> None:
    assert signed(measure, change) == said


@given(st.floats(-1, 1), st.sampled_from(["AP", "NumRet", "latency_p50_ms"]))
def test_a_change_is_printed_on_its_side_of_0(change: float, measure: str) -> None:
    said = float(signed(measure, change))
    assert math.copysign(1, said) == math.copysign(1, change) if change else said == 0


def test_a_comparison_is_told_by_baseline_change_interval_p_and_queries() -> None:
    cells = (baseline_of, change_of, interval_of, p_of, tally_of, judged_of, detectable_of)
    told = [cell(dropped()) for cell in cells]
    assert told == ["0.7500", "-0.1375", "-0.3100 to +0.0350", "0.1250", "3/1", "97.5%", "0.2000"]
    assert [cell(BARE) for cell in cells] == [""] * len(cells)


def test_one_unit_has_no_interval() -> None:
    assert interval_of(row(change_low=None, change_high=None)) == ""
    assert detectable_of(dropped(detectable=math.inf)) == ""


def test_what_is_seen_reliably_is_told_where_a_drop_decides() -> None:
    # Where no query moved, none is known.
    assert detectable_of(dropped(detectable=0.0)) == detectable_of(row()) == ""


def test_an_adjusted_p_value_has_a_star() -> None:
    assert p_of(row(p=0.02, p_adjusted=0.04, family=2)) == "0.0400*"


def test_one_threshold_that_asks_for_significance_needs_no_star() -> None:
    assert p_of(row(p=0.02, p_adjusted=0.02, family=1)) == "0.0200"


@pytest.mark.parametrize(
    ("share", "said"),
    [(1.0, "100%"), (0.9999, ">99.9%"), (0.9994, "99.9%"), (0.975, "97.5%"), (0.0, "0.0%"), (None, "")],
)
def test_only_what_is_all_judged_is_judged_by_100_percent(share: float | None, said: str) -> None:
    assert judged_of(row(judged=share)) == said


@given(st.floats(0, 1, exclude_max=True))
def test_no_share_is_rounded_to_all(share: float) -> None:
    assert not judged_of(row(judged=share)).startswith("100")


def test_a_near_miss_has_the_digits_that_tell_it_apart() -> None:
    near = row("failed", value=0.4444444, limit=0.44445)
    assert (value_of(near), asked_of(near)) == ("0.44444", "min 0.44445")
    high = row("failed", rule="max", value=0.500001, limit=0.5)
    assert (value_of(high), asked_of(high)) == ("0.500001", "max 0.500000")


def test_a_drop_is_asked_for_as_it_is_written() -> None:
    assert (value_of(dropped()), asked_of(dropped())) == ("0.6125", "max_drop 0.02")
    assert value_of(row(limit=None)) == "0.6125"


def test_a_value_in_words_stands_as_it_is() -> None:
    rank = row(rule="expect", shown="rank 17", value=17.0, threshold="within 3")
    assert (value_of(rank), asked_of(rank)) == ("rank 17", "within 3")


def test_what_could_not_be_measured_has_a_name_and_a_threshold() -> None:
    assert (subject_of(BARE), value_of(BARE), asked_of(BARE)) == ("nDCG@10", "", "min")
    assert asked_of(BARE._replace(limit=0.5)) == "min 0.5000"
    assert subject_of(BARE._replace(subject="nDCG@10 (sparse)")) == "nDCG@10 (sparse)"
