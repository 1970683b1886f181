"""Qrels from rows and mappings, and their pin."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.qrels import Qrels, read_qrels
from pytest_irbench.errors import InputError

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
mappings = st.dictionaries(
    text, st.dictionaries(text, st.integers(-3, 5), min_size=1, max_size=5), min_size=1, max_size=4
)


@given(mappings, st.randoms(use_true_random=False))
def test_judgments_come_back_as_they_were_in_any_order_of_rows(
    mapping: dict[str, dict[str, int]], order: random.Random
) -> None:
    rows = [(query, doc, grade) for query, docs in mapping.items() for doc, grade in docs.items()]
    order.shuffle(rows)
    for qrels in (Qrels.from_mapping(mapping), Qrels.from_rows(rows), Qrels.from_rows(rows + rows)):
        assert {query: qrels[query] for query in qrels.query_ids} == mapping
        assert len(qrels) == len(rows)
        assert qrels.query_index == {query: index for index, query in enumerate(qrels.query_ids)}
        assert np.bincount(qrels.query_of_row).tolist() == [len(qrels[query]) for query in qrels.query_ids]


@pytest.mark.parametrize("grade", [2, 2.0, np.int8(2), np.float32(2), np.uint64(2), Fraction(2)], ids=repr)
def test_whole_numbers_of_any_type_are_grades(grade: Any) -> None:
    assert Qrels.from_mapping({"q": {"a": grade}})["q"] == {"a": 2}


@pytest.mark.parametrize(
    "grade",
    [0.9, 1.5, None, "1", True, np.True_, float("nan"), float("inf"), 2**31, -(2**31), 10**400, 1e300, Decimal(1),
     Fraction(1, 2), 1j, [1]],
)  # fmt: skip
def test_other_grades_are_refused_with_query_document_and_value(grade: Any) -> None:
    with pytest.raises(InputError) as caught:
        Qrels.from_mapping({"q1": {"a": 1, "b": grade}})
    assert (
        str(caught.value) == f"the relevance {grade!r} of document 'b' for query 'q1' is not a whole number"
    )


def test_a_fault_names_its_source() -> None:
    with pytest.raises(InputError, match=r"^labels\.txt: the relevance 0\.5 of document 'a'"):
        Qrels.from_rows([("q", "a", 0.5)], "labels.txt")  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"^labels\.txt: has no judgments"):
        Qrels.from_rows([], "labels.txt")


@pytest.mark.parametrize("empty", [{}, {"q": {}}])
def test_no_judgment_is_a_fault(empty: dict[str, dict[str, int]]) -> None:
    with pytest.raises(InputError, match="has no judgments"):
        Qrels.from_mapping(empty)


def test_conflicting_judgments_are_refused_and_equal_ones_count_once() -> None:
    assert len(Qrels.from_rows([("q", "a", 1), ("q", "b", 0), ("q", "a", 1)])) == 2
    with pytest.raises(InputError) as caught:
        Qrels.from_rows([("q", "a", 1), ("p", "a", 2), ("q", "a", 2)])
    assert str(caught.value) == "document 'a' is judged twice for query 'q': 1 and 2: keep one of the lines"


def test_whole_numbers_are_ids_as_their_text() -> None:
    qrels = Qrels.from_mapping({1: {7: 1}, np.int64(2): {"8": 0}})  # type: ignore[dict-item]
    assert (qrels["1"], qrels["2"]) == ({"7": 1}, {"8": 0})


@pytest.mark.parametrize("bad", [None, 1.0, True, b"q"])
def test_other_ids_are_refused(bad: Any) -> None:
    with pytest.raises(InputError, match=f"the query id .* is {type(bad).__name__}: ids are text"):
        Qrels.from_mapping({bad: {"a": 1}})
    with pytest.raises(InputError, match=f"the document id .* is {type(bad).__name__}: ids are text"):
        Qrels.from_mapping({"q": {bad: 1}})


def test_the_pin_is_the_hash_of_the_sorted_lines() -> None:
    qrels = Qrels.from_mapping({"q2": {"b": 0, "a": 2}, "q10": {"é": -1}})
    assert qrels.sha256 == sha256("q10 0 é -1\nq2 0 a 2\nq2 0 b 0\n".encode()).hexdigest()


def test_the_pin_does_not_hang_on_how_the_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(b"\xef\xbb\xbfq2\tQ0\ta  2.0\r\n\r\nq1 x c 1\r\nq2 0 b 0\r\nq2 0 a 2")
    assert read_qrels(path).sha256 == Qrels.from_mapping({"q1": {"c": 1}, "q2": {"a": 2, "b": 0}}).sha256


def test_qrels_say_what_they_are() -> None:
    assert repr(Qrels.from_mapping({"q": {"a": 1, "b": 0}})) == "<Qrels: 2 judgments of 1 queries>"


@given(mappings, st.data())
def test_judgments_of_some_queries_keep_their_grades_and_count_the_others(
    mapping: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    some = data.draw(st.sets(st.sampled_from([*mapping, "no such query"])))
    qrels = Qrels.from_mapping(mapping).at_level(2).of_queries(some)
    assert {query: qrels[query] for query in qrels.query_ids} == {q: mapping[q] for q in mapping if q in some}
    assert qrels.left_out == len(mapping) - len(qrels.query_ids)
    assert qrels.relevance_level == 2
    assert qrels.at_level(1).left_out == qrels.left_out
