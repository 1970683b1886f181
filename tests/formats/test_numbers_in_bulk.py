"""Many decimal numbers at once, held against `float` to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_irbench.formats import numbers
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.numbers import parse_numbers


@pytest.mark.parametrize("long_double", [True, False])
def test_many_decimals_are_read_to_the_last_bit(long_double: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not long_double:
        monkeypatch.setattr(numbers, "_LONG_DOUBLE_IS_LONG", False)
    random = np.random.default_rng(3)
    texts = []
    for width in range(1, 19):
        for mantissa in random.integers(0, 10**width, 150).tolist():
            text = str(mantissa).rjust(width, "0")
            point = int(random.integers(0, width + 1))
            texts.append(f"{text[:point]}.{text[point:]}" if point < 9 else text)
    texts += [repr(value) for value in (random.random(1000) * 10.0 ** random.integers(-6, 8, 1000)).tolist()]
    values, wrong = parse_numbers(Ids.from_strings(texts))
    assert not len(wrong)
    assert values.tolist() == [float(text) for text in texts]


def test_an_empty_column_has_no_numbers() -> None:
    values, wrong = parse_numbers(Ids.from_strings([]))
    assert (values.tolist(), wrong.tolist()) == ([], [])
