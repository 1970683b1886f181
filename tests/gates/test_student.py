"""Student's t and Holm's adjustment, held to scipy and to hand-made examples."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from pytest_irbench.errors import InputError
from pytest_irbench.gates.significance import holm
from pytest_irbench.gates.student import regularized_beta, t_quantile, t_tail

p_values = st.lists(st.floats(0, 1), max_size=12)


@given(st.floats(-60, 60), st.integers(1, 10_000))
def test_the_tail_is_that_of_scipy(t: float, df: int) -> None:
    assert t_tail(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-9, abs=1e-15)


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 10_000))
def test_the_quantile_is_that_of_scipy(p: float, df: int) -> None:
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-8, abs=1e-8)


@given(st.floats(0, 1), st.floats(0.5, 500), st.floats(0.5, 500))
def test_the_incomplete_beta_is_that_of_scipy(x: float, a: float, b: float) -> None:
    assert regularized_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-13)


def test_nothing_lies_beyond_infinity() -> None:
    assert (t_tail(math.inf, 3), t_tail(-math.inf, 3)) == (0.0, 1.0)


def test_holm_by_hand() -> None:
    # 4 x 0.005; 3 x 0.01; 2 x 0.03; 0.04 is pulled up to the one before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(p_values)
def test_holm_lies_between_the_value_and_bonferroni(values: list[float]) -> None:
    for value, adjusted in zip(values, holm(values), strict=True):
        assert value <= adjusted <= min(1.0, len(values) * value)


@given(p_values)
def test_holm_keeps_the_order(values: list[float]) -> None:
    by_value = [adjusted for _, adjusted in sorted(zip(values, holm(values), strict=True))]
    assert by_value == sorted(by_value)


@given(st.data(), p_values)
def test_holm_does_not_hang_on_the_order(data: st.DataObject, values: list[float]) -> None:
    order = data.draw(st.permutations(range(len(values))))
    adjusted = holm(values)
    assert holm([values[i] for i in order]) == [adjusted[i] for i in order]


@given(p_values.filter(len), st.floats(0.001, 0.5))
def test_holm_rejects_what_the_steps_reject(values: list[float], alpha: float) -> None:
    steps = 0
    for place, value in enumerate(sorted(values)):
        if (len(values) - place) * value > alpha:
            break
        steps += 1
    assert sum(adjusted <= alpha for adjusted in holm(values)) == steps


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.1, math.inf])
def test_holm_refuses_what_is_no_p_value(value: float) -> None:
    with pytest.raises(InputError, match="lies in 0..1"):
        holm([0.5, value])
