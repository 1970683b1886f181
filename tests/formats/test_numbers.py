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
