"""Rows grouped by query, ids as text, and documents that stand twice."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.rows import Grouping, distinct, find_twins, text_id

queries = st.lists(st.sampled_from(["q1", "q2", "q10", "a long query id", ""]), max_size=30)


@given(queries, st.integers(1, 7))
def test_rows_of_a_query_come_side_by_side_in_their_order(rows: list[str], portion: int) -> None:
    grouping = Grouping()
    for begin in range(0, len(rows), portion):
        grouping.add(Ids.from_strings(rows[begin : begin + portion]))
    query_ids = grouping.query_ids
    offsets, order = grouping.offsets_and_order()
    order = np.arange(len(rows)) if order is None else order
    assert query_ids == list(dict.fromkeys(rows))
    assert sorted(order.tolist()) == list(range(len(rows)))
    for index, query_id in enumerate(query_ids):
        block = order[offsets[index] : offsets[index + 1]].tolist()
        assert block == [row for row, query in enumerate(rows) if query == query_id]


def test_many_queries_in_order_take_little_memory() -> None:
    grouping = Grouping()
    tracemalloc.start()
    try:
        for begin in range(0, 200_000, 20_000):
            grouping.add(Ids.from_strings([f"q{row}" for row in range(begin, begin + 20_000)]))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(grouping.query_ids) == 200_000
    assert peak < 64 << 20


def test_queries_that_come_again_are_found_in_a_table() -> None:
    grouping, rng = Grouping(), np.random.default_rng(3)
    rows = [f"a-rather-long-query-{number}" for number in rng.integers(0, 3000, 50_000)]
    for begin in range(0, 50_000, 5_000):
        grouping.add(Ids.from_strings(rows[begin : begin + 5_000]))
    assert len(grouping._table) > 2500
    assert grouping.query_ids == list(dict.fromkeys(rows))
    offsets, order = grouping.offsets_and_order()
    assert order is not None
    names = [rows[row] for row in order.tolist()]
    assert names == [
        q for q, size in zip(grouping.query_ids, np.diff(offsets), strict=True) for _ in range(size)
    ]


@given(queries)
def test_rows_that_stand_together_are_not_moved(rows: list[str]) -> None:
    grouping = Grouping()
    grouping.add(Ids.from_strings(sorted(rows)))
    assert grouping.offsets_and_order()[1] is None


@given(queries, st.integers(0, 3))
def test_distinct_ids_are_told_apart_whatever_their_hashes(rows: list[str], hashes: int) -> None:
    ids = Ids.from_strings(rows)
    with pytest.MonkeyPatch.context() as patch:
        if hashes:
            patch.setattr(Ids, "_hash", lambda self: self.lengths.astype(np.uint64) % np.uint64(hashes))
        names, which = distinct(ids)
    assert names == list(dict.fromkeys(rows))
    assert [names[place] for place in which] == rows


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c", "a\0", "x" * 9]), max_size=8), min_size=1, max_size=4)
)
def test_every_repeated_document_is_found_with_its_first_row(blocks: list[list[str]]) -> None:
    offsets = np.cumsum([0, *map(len, blocks)])
    first, second = find_twins(Ids.from_strings([doc for block in blocks for doc in block]), offsets)
    expected = [
        (int(start) + block.index(doc), int(start) + place)
        for start, block in zip(offsets, blocks, strict=False)
        for place, doc in enumerate(block)
        if block.index(doc) < place
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [("31_1", "31_1"), ("007", "007"), (7, "7"), (-1, "-1"), (np.int64(7), "7"), ("é", "é"), ("", "")],
)
def test_text_and_whole_numbers_are_ids(value: Any, text: str) -> None:
    assert text_id(value, "query id") == text


def test_a_kind_of_text_becomes_plain_text() -> None:
    class Name(str):
        __slots__ = ()

    assert type(text_id(Name("x"), "query id")) is str
    assert type(text_id(np.str_("x"), "query id")) is str


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "NoneType"),
        (1.0, "float"),
        (True, "bool"),
        (b"q1", "bytes"),
        (("q", 1), "tuple"),
        (Fraction(3), "Fraction"),
    ],
)
def test_anything_else_is_no_id(value: Any, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        text_id(value, "query id")
    assert str(caught.value) == f"the query id {value!r} is {kind}: ids are text"


def test_a_lone_surrogate_is_no_id() -> None:
    with pytest.raises(InputError, match=r"the document id 'a\\udc80' is not valid Unicode"):
        text_id("a\udc80", "document id")
