"""The fast reader of decimal numbers agrees with float() on every token, and refuses what is none."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_irbench.formats import numbers
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.numbers import parse_numbers

NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE | re.ASCII
)

decimals = st.from_regex(r"-?[0-9]{0,12}(\.[0-9]{0,17})?", fullmatch=True)
printed = st.floats().map(repr)
rounded = st.builds(lambda value, digits: f"{value:.{digits}f}", st.floats(-1e9, 1e9), st.integers(0, 17))
near_numbers = st.text("0123456789.-+eE_x/: \0٣", max_size=12)
tokens = st.lists((decimals | printed | rounded | near_numbers).filter(bool), min_size=1, max_size=40)


@given(tokens)
@example(["9007199254740993", "0.5000000000000000", "1/2", "1.5/", "12345678.9", "123456789.1"])
@example(["9" * 19, "9" * 20, "0." + "9" * 16, "0." + "9" * 17, "-", ".", "-.", "-.5", "5.", "1..2"])
@example(["1_0", "0x10", "1,5", "1\x002", "1\x00", "+3", "1e5", "-0.0", "-0", "nan", "-INF", "infinity"])
def test_values_are_those_of_float(given_tokens: list[str]) -> None:
    values, wrong = parse_numbers(Ids.from_strings(given_tokens))
    assert wrong.tolist() == [i for i, token in enumerate(given_tokens) if not NUMBER.fullmatch(token)]
    for row in set(range(len(given_tokens))) - set(wrong.tolist()):
        expected = float(given_tokens[row])
        same = values[row] == expected or (math.isnan(expected) and math.isnan(values[row]))
        assert same, (given_tokens[row], values[row])
        assert np.signbit(values[row]) == np.signbit(expected)


@st.composite
def columns_of_one_form(draw: st.DrawFn) -> list[str]:
    """Numbers with one number of decimals, as systems print them; now and then with another token."""
    digits, size = draw(st.integers(0, 15)), draw(st.sampled_from([1.0, 100.0, 1e6, 1e12]))
    column = draw(st.lists(st.floats(-size, size).map(lambda value: f"{value:.{digits}f}"), min_size=1))
    return [*column, *draw(st.lists(decimals | near_numbers, max_size=1))] if draw(st.booleans()) else column


@given(columns_of_one_form().map(lambda column: [token for token in column if token] or ["1"]))
@example(["1.50", "150"])
@example(["1.50", "50"])
@example(["1.5", "15", "1.5"])
@example(["7.", "7.", "."])
@example(["1.5", "1/5", "1,5", "1-5"])
@example(["1.5", "-.5", ".5", "-1.5"])
@example(["0.000000", "12.123456", "-12.123456", "123456789.123456"])
def test_columns_of_one_form_are_read_as_float_reads_them(column: list[str]) -> None:
    values, wrong = parse_numbers(Ids.from_strings(column))
    right = [row for row, token in enumerate(column) if NUMBER.fullmatch(token)]
    assert sorted({*range(len(column))} - {*right}) == wrong.tolist()
    assert [repr(float(column[row])) for row in right] == [repr(float(values[row])) for row in right]


@pytest.mark.parametrize("column", [["12.5", "-0.5", "3.0"], ["17", "9", "120"], ["0.123456", "51.123456"]])
def test_columns_of_one_form_take_the_fastest_path(column: list[str]) -> None:
    assert numbers._same_decimals(Ids.from_strings(column)) is not None


@pytest.mark.parametrize("digits", [6, 15, 17])
def test_scores_as_systems_print_them_take_the_fast_path(digits: int) -> None:
    rng = np.random.default_rng(7)
    column = Ids.from_strings([f"{score:.{digits}g}" for score in rng.gamma(4.0, 4.0, 2000)])
    _, known = numbers._plain_numbers(column)
    assert known.mean() > 0.98


def test_without_long_doubles_long_numbers_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "_LONG_DOUBLE_IS_LONG", False)
    values, _ = parse_numbers(Ids.from_strings(["15.780599594116211", "0.3"]))
    assert values.tolist() == [15.780599594116211, 0.3]
