"""Threshold and value -> verdict."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.gates.decide import decide, distinct, printed

RULES: dict[str, Callable[[float, float], bool]] = {
    "min": operator.ge,
    "max": operator.le,
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
finite = st.floats(allow_nan=False, allow_infinity=False)
not_finite = st.sampled_from([math.nan, math.inf, -math.inf])


@given(finite, st.sampled_from(sorted(RULES)), finite)
def test_a_finite_value_passes_exactly_when_the_rule_holds(value: float, rule: str, limit: float) -> None:
    verdict = decide("AP", value, rule, limit)
    assert (verdict.outcome == "passed") == RULES[rule](value, limit)
    assert (verdict.measure, verdict.value, verdict.rule, verdict.limit) == ("AP", value, rule, limit)


@pytest.mark.parametrize("rule", RULES)
def test_a_value_equal_to_its_limit_passes_unless_the_rule_is_strict(rule: str) -> None:
    assert decide("AP", 0.3, rule, 0.3).outcome == ("failed" if rule in "<>" else "passed")


def test_the_unrounded_value_decides() -> None:
    assert decide("RR", 0.42 - 1e-12, "min", 0.42).outcome == "failed"
    assert decide("RR", math.nextafter(0.42, 0), "min", 0.42).outcome == "failed"
    assert decide("RR", math.nextafter(0.42, 1), "max", 0.42).outcome == "failed"


@pytest.mark.parametrize("rule", RULES)
def test_nan_never_passes(rule: str) -> None:
    for value, limit in ((math.nan, 0.5), (0.5, math.nan), (math.nan, math.nan)):
        assert decide("AP", value, rule, limit).outcome == "failed"


@given(not_finite, st.sampled_from(sorted(RULES)), finite)
def test_a_value_that_is_not_finite_never_passes(value: float, rule: str, limit: float) -> None:
    assert decide("AP", value, rule, limit).outcome == "failed"


@given(finite, st.sampled_from(sorted(RULES)), not_finite)
def test_a_limit_that_is_not_finite_never_passes(value: float, rule: str, limit: float) -> None:
    assert decide("AP", value, rule, limit).outcome == "failed"


@pytest.mark.parametrize(
    ("value", "rule", "limit", "sentence"),
    [
        (0.3912, "min", 0.42, "nDCG@10 = 0.3912, below min 0.4200 (short by 0.0288)"),
        (0.5, "max", 0.42, "nDCG@10 = 0.5000, above max 0.4200 (over by 0.0800)"),
        (0.3912, ">=", 0.42, "nDCG@10 = 0.3912, not >= 0.4200 (short by 0.0288)"),
        (0.3912, ">", 0.42, "nDCG@10 = 0.3912, not > 0.4200 (short by 0.0288)"),
        (0.5, "<=", 0.42, "nDCG@10 = 0.5000, not <= 0.4200 (over by 0.0800)"),
        (0.5, "<", 0.42, "nDCG@10 = 0.5000, not < 0.4200 (over by 0.0800)"),
        (0.5, "min", 0.42, "nDCG@10 = 0.5000, min 0.4200"),
        (0.42, "min", 0.42, "nDCG@10 = 0.4200, min 0.4200"),
        (0.3, "max", 0.42, "nDCG@10 = 0.3000, max 0.4200"),
        (0.5, ">=", 0.42, "nDCG@10 = 0.5000, >= 0.4200"),
        (4 / 9, "min", 0.44445, "nDCG@10 = 0.44444, below min 0.44445 (short by 5.6e-06)"),
        (0.4199999, "min", 0.42, "nDCG@10 = 0.4199999, below min 0.4200000 (short by 1.0e-07)"),
        (0.9, "min", 0.44445, "nDCG@10 = 0.90000, min 0.44445"),
        (0.0, "min", 0.42, "nDCG@10 = 0.0000, below min 0.4200 (short by 0.4200)"),
        (251.5, "max", 250.0, "nDCG@10 = 251.5000, above max 250.0000 (over by 1.5000)"),
        (math.nan, "min", 0.42, "nDCG@10 = nan, below min 0.4200"),
        (math.nan, "max", 0.42, "nDCG@10 = nan, above max 0.4200"),
    ],
)
def test_the_sentence_says_value_rule_and_miss(value: float, rule: str, limit: float, sentence: str) -> None:
    assert decide("nDCG@10", value, rule, limit).sentence == sentence


@pytest.mark.parametrize("rule", [">", "<"])
def test_a_value_at_a_strict_limit_misses_by_nothing(rule: str) -> None:
    assert decide("AP", 0.5, rule, 0.5).sentence == f"AP = 0.5000, not {rule} 0.5000"


@given(finite, finite)
def test_two_numbers_that_differ_are_printed_differently(value: float, limit: float) -> None:
    if value != limit:
        one, two = distinct(value, limit)
        assert one != two


@pytest.mark.parametrize(
    ("measure", "value", "limit", "texts"),
    [
        ("NumRet", 251.0, 250.0, ("251", "250")),
        ("NumRelRet(rel=2)", 0.0, 2.0, ("0", "2")),
        ("NumRet", 5400.0, 5399.5, ("5400", "5399.5")),
        ("NumRet", 1234567.0, 1234568.0, ("1234567", "1234568")),
        ("DCG@10", 3.0, 2.0, ("3.0000", "2.0000")),
        ("P@1", 1.0, 1, ("1.0000", "1.0000")),
    ],
)
def test_counts_are_printed_as_whole_numbers(
    measure: str, value: float, limit: float, texts: tuple[str, str]
) -> None:
    assert printed(measure, value, limit) == texts


def test_the_miss_of_a_count_is_a_count_too() -> None:
    assert decide("NumRet", 3.0, "min", 7).sentence == "NumRet = 3, below min 7 (short by 4)"


@given(st.floats(0, 1), st.integers(0, 10**6).map(lambda number: number / 10**6))
def test_a_limit_is_printed_with_all_the_digits_it_was_written_with(value: float, limit: float) -> None:
    # At equal numbers four digits are enough.
    if value != limit:
        assert float(distinct(value, limit)[1]) == limit


@pytest.mark.parametrize(
    ("rule", "floor"), [("min", True), (">=", True), (">", True), ("max", False), ("<=", False)]
)
def test_a_floor_is_a_rule_under_which_more_is_better(rule: str, floor: bool) -> None:
    assert decide("AP", 0.5, rule, 0.4).is_floor == floor
