"""Text set for a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.reports.terminal.screen import Screen, filled, padded, width_of

WIDE = Screen(80)
ASCII = Screen(80, ascii_only=True)


def test_accents_take_no_column_and_chinese_two() -> None:
    assert width_of("e\u0301") == 1
    assert width_of("検索") == 4
    assert width_of("naïve · …") == 9


@given(st.text())
def test_what_is_printable_stays_on_one_line(text: str) -> None:
    assert WIDE.printable(text).isprintable()
    assert ASCII.printable(text).isascii()
    assert ASCII.printable(text).isprintable()


def test_halves_of_surrogate_pairs_are_escaped() -> None:
    assert WIDE.printable("a\ud800") == r"a\ud800"


@given(st.text(), st.integers(3, 40), st.booleans())
def test_a_short_text_is_no_wider_than_asked(text: str, width: int, ascii_only: bool) -> None:
    screen = Screen(80, ascii_only)
    short = screen.short(text, width)
    assert width_of(short) <= width
    assert short == screen.printable(text) or short.endswith("..." if ascii_only else "…")


@given(st.text("ab ,検", min_size=1, max_size=200), st.integers(4, 40))
def test_prose_loses_no_word(text: str, width: int) -> None:
    lines = [line for ((line, _),) in Screen(width).prose(text)]
    assert " ".join(lines) == " ".join(text.split())
    assert all(width_of(line) <= width or " " not in line for line in lines)


def test_lists_are_broken_behind_their_pieces_and_hang() -> None:
    talks = ["talks: 31 0.5 (2)", "32 0.25 (3, 4)", "33 1.0 (1)"]
    lines = [line for ((line, _),) in Screen(24).listed(talks)]
    assert lines == ["talks: 31 0.5 (2),", "  32 0.25 (3, 4),", "  33 1.0 (1)"]


def test_a_piece_that_is_too_long_has_a_line_of_its_own() -> None:
    assert list(filled(["a", "b" * 9, "c"], 5, "  ")) == ["  a", "  " + "b" * 9, "  c"]


def test_columns_are_padded_by_what_they_take() -> None:
    assert list(padded(["id", "n"], [["検索", "1"], ["q", "10"]], right=[1])) == [
        ["id  ", " n"],
        ["----", "--"],
        ["検索", " 1"],
        ["q   ", "10"],
    ]
