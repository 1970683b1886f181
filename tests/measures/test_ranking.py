"""The tie rule, and the join of run and qrels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.ranking import JudgedRanking, judge
from pytest_irbench.runs.run import Run

MEASURES = ["nDCG@3", "nDCG", "AP", "RR", "P@3", "R@3", "Rprec", "Bpref", "Judged@3", "ERR", "RBP", "NCG@3"]

# Ids that begin alike, end inside or at a word of eight bytes, and hold zeros.
doc_ids = st.one_of(
    st.text(st.sampled_from("a\0é\U0001f600"), max_size=20),
    st.builds(
        lambda stem, tail: stem + tail,
        st.sampled_from(["", "x" * 7, "x" * 8, "x" * 16, "x" * 63, "x" * 64, "x" * 130]),
        st.text("ab\0", max_size=3),
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
scores = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2.0]), st.floats(allow_nan=False, allow_infinity=False))
rankings = st.dictionaries(doc_ids, scores, min_size=1, max_size=12)


def order(ranking: dict[str, float]) -> list[str]:
    """Rank one query with the code under test."""
    judged = judge(Run.from_mapping({"q": ranking}), Qrels.from_mapping({"q": {"": 0}}))
    return [doc for doc, _, _ in judged.top("q", len(ranking))]


def plain_order(ranking: dict[str, float]) -> list[str]:
    by_id = sorted(ranking, key=str.encode, reverse=True)
    return sorted(by_id, key=lambda doc: -ranking[doc])


@given(rankings)
@settings(deadline=None)
def test_order_is_by_score_then_by_doc_id_descending_bytewise(ranking: dict[str, float]) -> None:
    assert order(ranking) == plain_order(ranking)


def plain_first_tie(ranking: dict[str, float]) -> int:
    values = sorted(ranking.values(), reverse=True)
    return next((rank for rank in range(1, len(values)) if values[rank - 1] == values[rank]), 0)


@given(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), rankings, min_size=1))
@settings(deadline=None)
def test_judged_documents_have_their_ranks_of_that_order_however_the_run_comes(
    run: dict[str, dict[str, float]],
) -> None:
    judged = {query: dict.fromkeys([*list(docs)[::2], "never returned"], 1) for query, docs in run.items()}
    expected = [
        (place, plain_order(docs).index(doc) + 1)
        for place, docs in enumerate(run.values())
        for doc in plain_order(docs)
        if doc in list(docs)[::2]
    ]
    best_first = {query: {doc: docs[doc] for doc in plain_order(docs)} for query, docs in run.items()}
    by_score = {query: dict(sorted(docs.items(), key=lambda row: -row[1])) for query, docs in run.items()}
    for mapping in (run, best_first, by_score):
        pairs = Run.from_pairs({query: list(docs.items()) for query, docs in mapping.items()})
        for given_run in (Run(mapping), pairs):
            found = judge(given_run, Qrels.from_mapping(judged))
            assert list(zip(found.query.tolist(), found.rank.tolist(), strict=True)) == expected
            assert found.first_tie.tolist() == [plain_first_tie(docs) for docs in run.values()]


@given(st.lists(doc_ids, unique=True, min_size=2, max_size=8))
@settings(deadline=None)
def test_equal_scores_are_ordered_by_bytes_whatever_the_order_of_rows(docs: list[str]) -> None:
    expected = sorted(docs, key=str.encode, reverse=True)
    assert order(dict.fromkeys(docs, 1.0)) == expected
    assert order(dict.fromkeys(reversed(docs), 1.0)) == expected


@pytest.mark.parametrize(
    "docs",
    [
        ["m", "c"],
        ["9", "100", "10"],
        ["b", "a\uffff", "a"],
        ["\U0001f600", "\uffff", "é", "z"],  # UTF-16 would put the first behind the second
        ["x" * 8 + "a", "x" * 8, "x" * 7 + "w"],
        ["x" * 17, "x" * 16, "x" * 9, "x" * 8],
        ["ab", "a"],
        ["MARCO_D59865-70", "MARCO_D59865-7", "MARCO_D59865"],
    ],
)
def test_ties_go_to_the_larger_doc_id(docs: list[str]) -> None:
    assert order(dict.fromkeys(docs, 2.5)) == docs
    assert order(dict.fromkeys(reversed(docs), 2.5)) == docs


@pytest.mark.parametrize(
    "docs", [["a\0", "a"], ["a\0\0", "a\0", "a"], ["x" * 8 + "\0", "x" * 8], ["a\0b", "a\0", "a"]]
)
def test_a_zero_byte_is_larger_than_the_end_of_an_id(docs: list[str]) -> None:
    assert order(dict.fromkeys(docs, 1.0)) == docs
    assert order(dict.fromkeys(reversed(docs), 1.0)) == docs


def test_minus_zero_ties_with_zero() -> None:
    assert order({"a": 0.0, "b": -0.0}) == ["b", "a"]


def test_scores_that_differ_in_the_last_bit_of_a_double_are_no_tie() -> None:
    assert order({"a": np.nextafter(0.9, 1.0), "b": 0.9}) == ["a", "b"]


def test_infinite_scores_have_an_order() -> None:
    infinity = float("inf")
    assert order({"c": -infinity, "b": 0.5, "a": infinity}) == ["a", "b", "c"]
    assert order({"a": infinity, "b": infinity, "d": -infinity, "e": -infinity}) == ["b", "a", "e", "d"]


def test_long_ids_are_ordered_right_and_fast() -> None:
    shared = "x" * 100_000
    docs = [shared + "c", shared + "b", shared + "a", shared, *(f"w{n:04}" for n in reversed(range(500)))]
    begin = time.process_time()
    assert order(dict.fromkeys(reversed(docs), 1.0)) == docs
    assert time.process_time() - begin < 5


@given(
    st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), rankings, min_size=1),
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(doc_ids, st.integers(-1, 4), min_size=1)
    ),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_the_order_of_rows_changes_nothing(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], random: Any
) -> None:
    shared = next(iter(run))
    qrels = {**qrels, shared: {**dict.fromkeys(list(run[shared])[::2], 1), **qrels.get(shared, {})}}
    expected = evaluate(run, qrels, MEASURES)
    shuffled = {
        query: dict(shuffle(list(docs.items()), random)) for query, docs in shuffle(list(run.items()), random)
    }
    rows = [(query, doc, grade) for query, docs in qrels.items() for doc, grade in docs.items()]
    got = evaluate(shuffled, Qrels.from_rows(shuffle(rows, random)), MEASURES)
    assert got.means == expected.means
    for measure in MEASURES:
        assert got[measure] == expected[measure]


def shuffle(items: list[Any], random: Any) -> list[Any]:
    random.shuffle(items)
    return items


@contextmanager
def colliding_hashes(distinct: int) -> Iterator[None]:
    """Let every id have one of few hashes."""
    honest = Ids._hash

    def hashes(self: Ids) -> Any:
        return honest(self) % np.uint64(distinct)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ids, "_hash", hashes)
        yield


@given(
    st.dictionaries(st.sampled_from(["q1", "q2"]), rankings, min_size=1),
    st.dictionaries(st.sampled_from(["q1", "q2"]), st.dictionaries(doc_ids, st.integers(-1, 4), min_size=1)),
    st.sampled_from([1, 2, 5]),
)
@settings(deadline=None)
def test_colliding_hashes_change_nothing(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], distinct: int
) -> None:
    shared = next(iter(run))
    qrels = {**qrels, shared: {**dict.fromkeys(list(run[shared])[::2], 1), **qrels.get(shared, {})}}
    expected = evaluate(run, qrels, MEASURES)
    with colliding_hashes(distinct):
        got = evaluate(run, qrels, MEASURES)
    assert got.means == expected.means


@pytest.mark.parametrize("distinct", [1, 2, 5])
def test_colliding_hashes_make_no_twins_and_hide_none(distinct: int) -> None:
    docs = [(f"d{number}", 1.0) for number in range(20)]
    with colliding_hashes(distinct):
        Run.from_pairs({"q1": docs, "q2": docs})
        with pytest.raises(InputError, match="document 'd7' is returned twice for query 'q2'"):
            Run.from_pairs({"q1": docs, "q2": [*docs, ("d7", 0.5), ("d3", 0.5)]})
        judged = Qrels.from_rows([("q", "a", 1), ("q", "b", 0), ("q", "a", 1), ("p", "a", 2)])
        assert judged["q"] == {"a": 1, "b": 0}
        with pytest.raises(InputError, match="document 'b' is judged twice for query 'q': 0 and 2"):
            Qrels.from_rows([("q", "a", 1), ("q", "b", 0), ("p", "b", 2), ("q", "b", 2)])


@given(rankings, st.dictionaries(doc_ids, st.integers(-1, 4), min_size=1))
@settings(deadline=None)
def test_judged_documents_are_found_at_their_rank(ranking: dict[str, float], grades: dict[str, int]) -> None:
    judged = judge(Run.from_mapping({"q": ranking}), Qrels.from_mapping({"p": grades, "q": grades}))
    found = dict(zip(judged.rank.tolist(), judged.grade.tolist(), strict=True))
    expected = {
        place: grades[doc] for place, doc in enumerate(plain_order(ranking), start=1) if doc in grades
    }
    assert found == expected
    assert set(judged.query.tolist()) <= {1}


def two_queries() -> JudgedRanking:
    run = {
        "q1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0},
        "q2": {"a": 2.0, "b": 2.0, "c": 2.0},
        "q3": {"a": 3.0, "b": 2.0},
        "extra": {"a": 1.0},
    }
    qrels = {"q1": {"c": 2, "a": 0}, "q2": {"z": 1}, "q3": {"a": 1}, "missing": {"a": 1}}
    return judge(Run.from_mapping(run), Qrels.from_mapping(qrels))


def test_the_first_tie_of_each_query_is_known() -> None:
    judged = two_queries()
    assert judged.first_tie.tolist() == [2, 1, 0, 0]
    assert [judged.ties_within(depth) for depth in (1, 2, 10)] == [1, 2, 2]


@given(rankings)
@settings(deadline=None)
def test_the_first_tie_is_the_first_pair_of_equal_scores(ranking: dict[str, float]) -> None:
    judged = judge(Run.from_mapping({"q": ranking}), Qrels.from_mapping({"q": {"": 0}}))
    values = [ranking[doc] for doc in plain_order(ranking)]
    ties = [
        place for place, (one, two) in enumerate(zip(values, values[1:], strict=False), start=1) if one == two
    ]
    assert judged.first_tie.tolist() == [ties[0] if ties else 0]


def test_missing_and_extra_queries_are_told() -> None:
    judged = two_queries()
    assert judged.query_ids == ("q1", "q2", "q3", "missing")
    assert judged.missing == ("missing",)
    assert judged.extra == 1
    assert judged.returned.tolist() == [4, 3, 2, 0]


def test_a_query_with_an_empty_ranking_is_missing() -> None:
    run = Run.from_mapping({"q1": {"a": 1.0}, "q2": {}})
    assert judge(run, Qrels.from_mapping({"q1": {"a": 1}, "q2": {"a": 1}})).missing == ("q2",)


def test_the_top_shows_ids_scores_and_grades() -> None:
    judged = two_queries()
    assert judged.top("q1", 3) == [("a", 3.0, 0), ("c", 2.0, 2), ("b", 2.0, None)]
    assert judged.top("missing", 3) == []


def test_judged_documents_of_the_top_are_counted_over_all_queries() -> None:
    assert two_queries().judged_within(2) == (3, 6)


def test_a_run_without_a_judged_query_is_refused_with_ids_of_both_sides() -> None:
    run = Run.from_mapping({"2024-1": {"a": 1.0}, "2024-2": {"b": 1.0}}, name="bm25")
    qrels = Qrels.from_mapping({"2024-1.0": {"a": 1}})
    with pytest.raises(InputError) as caught:
        judge(run, qrels)
    assert str(caught.value) == (
        "run bm25 has no results for any judged query: it answers '2024-1', '2024-2' …, "
        "judged are '2024-1.0' …; is it a run of another benchmark, or are the query ids written in another way?"
    )


@pytest.mark.parametrize("run", [{}, {"q": {}}])
def test_an_empty_run_is_refused(run: dict[str, dict[str, float]]) -> None:
    with pytest.raises(InputError, match="^run run has no results for any query$"):
        evaluate(run, {"q": {"a": 1}}, ["RR"])


def test_a_run_whose_judged_queries_are_all_empty_is_refused() -> None:
    with pytest.raises(InputError, match="has no results for any judged query"):
        evaluate({"q": {}, "other": {"a": 1.0}}, {"q": {"a": 1}}, ["RR"])
