"""What systems answer: the shapes that are accepted, and what is kept of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.benchmark import Topic
from pytest_irbench.errors import SystemFailedError
from pytest_irbench.runs import answers
from pytest_irbench.runs.answers import ACCEPTED, check_answer, named, read_answer
from pytest_irbench.runs.manner import Manner

TOPIC = Topic("do goldfish grow", "1")
PAIRS = [("a", 2.0), ("b", 1.0)]


@dataclass
class Hit:
    docid: str
    score: float


class Reversed(NamedTuple):
    score: float
    doc_id: str


class Plain(NamedTuple):
    docno: str
    weight: float


@pytest.mark.parametrize(
    "rows",
    [
        [Hit("a", 2.0), Hit("b", 1.0)],
        [SimpleNamespace(id="a", score=2.0), SimpleNamespace(id="b", score=1.0)],
        [{"doc_id": "a", "score": 2.0}, {"id": "b", "score": 1.0, "text": "pond"}],
        [Reversed(2.0, "a"), Reversed(1.0, "b")],
        [Plain("a", 2.0), Plain("b", 1.0)],
        [Hit("a", 2.0), ("b", 1.0)],
    ],
    ids=["docid", "id", "mappings", "named tuples by their names", "other named tuples", "mixed"],
)
def test_objects_with_an_id_and_a_score_are_documents(rows: Any) -> None:
    assert read_answer(rows) == PAIRS
    assert read_answer(iter(rows)) == PAIRS


def test_doc_id_wins_over_docid_and_id() -> None:
    row = {"id": 7, "docid": "x", "doc_id": "a", "score": 2.0}
    assert read_answer([row]) == read_answer([SimpleNamespace(**row)]) == [("a", 2.0)]


def test_a_table_is_described_and_not_read_as_the_names_of_its_columns() -> None:
    class DataFrame:
        columns = ("doc_id", "score")

        def __iter__(self) -> Any:
            return iter(self.columns)

        def __repr__(self) -> str:
            return "  doc_id  score\n0  a  2.0"

    assert read_answer(DataFrame()) == r"DataFrame   doc_id  score\n0  a  2.0"


@pytest.mark.parametrize(
    "answer",
    [
        [{"doc_id": "a"}],
        [SimpleNamespace(score=1.0)],
        [SimpleNamespace(doc_id="a")],
        [None],
        object(),
        frozenset("ab"),
        [("a", 1.0), "b"],
    ],
)
def test_what_lacks_an_id_or_a_score_is_described(answer: Any) -> None:
    described = read_answer(answer)
    assert isinstance(described, str)
    assert described.startswith(f"{type(answer).__name__} ")


@given(st.lists(st.text(), max_size=20))
def test_ids_alone_get_scores_that_fall(ids: list[str]) -> None:
    pairs = read_answer(ids)
    assert not isinstance(pairs, str)
    assert [doc for doc, _ in pairs] == ids
    assert [score for _, score in pairs] == sorted({score for _, score in pairs}, reverse=True)


def checked(answer: Any, depth: int = 10, **manner: Any) -> Any:
    return check_answer(TOPIC, read_answer(answer), Manner("bm25", depth, **manner))


@pytest.mark.parametrize("endless", [repeat("a"), repeat(("a", 1.0))], ids=["ids", "pairs"])
def test_an_endless_answer_is_refused(endless: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST", 1000)
    with pytest.raises(SystemFailedError) as caught:
        checked(endless)
    assert str(caught.value) == (
        "system 'bm25' answered query '1' (do goldfish grow) with over 1,000 documents"
    )


def test_a_wrong_shape_says_what_was_returned_and_what_is_accepted() -> None:
    with pytest.raises(SystemFailedError) as caught:
        checked(None)
    assert str(caught.value) == (
        f"system 'bm25' answered query '1' (do goldfish grow) with NoneType None; accepted are {ACCEPTED}"
    )


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (["a", "b", "a"], [("a", 3.0), ("b", 2.0)]),
        ([("a", 1.0), ("b", 5.0), ("a", 9.0)], [("a", 1.0), ("b", 5.0)]),
        ([("7", 1.0), (7, 5.0)], [("7", 1.0)]),
    ],
    ids=["ids", "pairs in the order of the answer", "ids are text"],
)
def test_of_a_document_that_stands_twice_the_first_may_be_kept(answer: Any, kept: Any) -> None:
    assert checked(answer, duplicates="first") == kept
    with pytest.raises(SystemFailedError, match=r"wrongly: document .* is returned twice for query '1'$"):
        checked(answer)


def test_duplicates_do_not_use_up_the_depth() -> None:
    assert checked(["a", "a", "b", "c"], depth=2, duplicates="first") == [("a", 4.0), ("b", 2.0)]


def test_a_query_is_named_with_its_text_on_one_line() -> None:
    assert named(Topic("a\n b\t c", "31_1")) == "query '31_1' (a b c)"
