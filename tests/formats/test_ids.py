"""The column of ids, against plain Python strings."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_irbench.formats.ids import Ids

# Lengths around a word of eight bytes, beginnings in common, zeros, and all of Unicode.
ids = st.one_of(
    st.text(st.sampled_from("ab\0"), max_size=18),
    st.integers(0, 20).map(lambda size: "x" * size),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
)
columns = st.lists(ids, max_size=20)


def words_of(text: str, index: int) -> int:
    return int.from_bytes(text.encode()[8 * index : 8 * index + 8].ljust(8, b"\0"))


@given(columns)
def test_strings_come_back_as_they_were(strings: list[str]) -> None:
    column = Ids.from_strings(strings)
    assert column.to_list() == strings
    assert len(column) == len(strings)
    assert column.max_length == max((len(s.encode()) for s in strings), default=0)


@given(columns, st.data())
def test_rows_can_be_taken_in_any_order_and_repeatedly(strings: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=10)) if strings else []
    column = Ids.from_strings(strings).take(np.array(rows, np.int64))
    assert column.to_list() == [strings[row] for row in rows]


@given(columns, st.integers(0, 3))
def test_a_word_is_eight_bytes_as_a_number(strings: list[str], index: int) -> None:
    assert Ids.from_strings(strings).word(index).tolist() == [words_of(s, index) for s in strings]


@given(columns)
def test_words_order_as_the_bytes_do(strings: list[str]) -> None:
    column = Ids.from_strings(strings)
    depth = column.max_length // 8 + 1
    keys = [
        (*(int(column.word(i)[row]) for i in range(depth)), int(column.lengths[row]))
        for row in range(len(strings))
    ]
    expected = sorted(strings, key=str.encode)
    assert [strings[row] for row in sorted(range(len(strings)), key=keys.__getitem__)] == expected


@given(columns)
@example(["b", "a\0"])
def test_equal_ids_have_equal_hashes_and_others_do_not(strings: list[str]) -> None:
    hashes = Ids.from_strings(strings).hashes.tolist()
    # Zero bytes at the end don't count: ids have none, and the bytes decide in any case.
    distinct = {string.rstrip("\0") for string in strings}
    assert len(set(hashes)) == len(distinct)
    assert len({(h, string.rstrip("\0")) for h, string in zip(hashes, strings, strict=True)}) == len(distinct)


def test_the_hash_of_an_id_does_not_hang_on_its_column() -> None:
    alone = Ids.from_strings(["d1"]).hashes[0]
    assert Ids.from_strings(["x" * 100, "é", "d1"]).hashes[2] == alone


@given(columns, columns, st.data())
def test_ids_are_compared_pair_by_pair(one: list[str], two: list[str], data: st.DataObject) -> None:
    if not (one and two):
        return
    pairs = data.draw(
        st.lists(st.tuples(st.integers(0, len(one) - 1), st.integers(0, len(two) - 1)), max_size=20)
    )
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    same = Ids.from_strings(one).equal(rows[:, 0], Ids.from_strings(two), rows[:, 1])
    assert same.tolist() == [one[a] == two[b] for a, b in pairs]


@given(columns)
def test_changes_are_where_an_id_differs_from_the_one_before(strings: list[str]) -> None:
    doubled = [s for s in strings for _ in range(2)]
    expected = [row == 0 or doubled[row] != doubled[row - 1] for row in range(len(doubled))]
    assert Ids.from_strings(doubled).changes().tolist() == expected


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        Ids.from_strings(["ok", "\ud800"])


def test_a_few_very_long_ids_do_not_slow_the_short_ones_down() -> None:
    strings = ["x" * 100_000 + "a", "x" * 100_000 + "b", *map(str, range(100_000))]
    begin = time.process_time()
    column = Ids.from_strings(strings)
    assert len(np.unique(column.hashes)) == len(strings)
    assert not column.equal(np.array([0]), column, np.array([1])).any()
    assert column.changes().all()
    assert time.process_time() - begin < 5
