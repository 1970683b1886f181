"""The lowest and the highest value when unjudged documents may have any grade."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures.bounds import Bounds
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.ranking import judge
from pytest_irbench.measures.unjudged_bounds import unjudged_bounds
from pytest_irbench.runs.run import Run, read_run

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

MEASURES = [
    *("nDCG", "nDCG@1", "nDCG@2", "nDCG@4", "nDCG(dcg='exp-log2')@3", "nDCG(gains={0:2,1:3,2:0})@3"),
    *("nDCG(gains={-1:1,3:0})", "nDCG(gains={1:0,2:0})@3", "NCG@2", "NCG@4", "NCG(gains={1:5,2:1})@3"),
    *("DCG@3", "DCG(gains={1:5,2:1})", "DCG(dcg='exp-log2')@2", "AP", "AP@2", "AP(rel=2)", "AP(rel=2)@3"),
    *("R@1", "R@3", "R(rel=2)@2", "R(rel=4)@3", "SetR", "RR", "RR(rel=2)@2", "P@2", "P(rel=3)@3"),
    *("Success@1", "Success(rel=2)@3", "Judged", "Judged@2", "ERR", "ERR@2", "RBP", "RBP(rel=2,p=0.5)@2"),
    *("SetP", "NumRet", "NumRelRet", "NumQ"),
]

RETURNED, NOT_RETURNED = "abcdef", "xyz"
DEPTHS = st.one_of(st.none(), st.integers(1, 5))


@st.composite
def queries(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, int]]:
    """Draw a ranking of which at most 4 documents are unjudged, and the judgments."""
    docs = draw(st.permutations(RETURNED))[: draw(st.integers(1, len(RETURNED)))]
    unjudged = draw(st.sets(st.sampled_from(docs), max_size=4))
    grades = st.integers(-1, draw(st.integers(0, 3)))
    judged = {doc: draw(grades) for doc in docs if doc not in unjudged}
    judged |= draw(st.dictionaries(st.sampled_from(NOT_RETURNED), grades, min_size=0 if judged else 1))
    return {doc: -float(rank) for rank, doc in enumerate(docs)}, judged


def bounds_of(run: RunDict, qrels: QrelsDict, measures: list[str], depth: int | None = None) -> Bounds:
    return unjudged_bounds(judge(Run(run), Qrels.from_mapping(qrels)), measures, depth=depth)


def all_judgments(ranking: dict[str, float], judged: dict[str, int], depth: int | None) -> QrelsDict:
    """Write all that the unjudged documents of a query can turn out to be, each as a query of its own."""
    unjudged = [doc for doc in list(ranking)[:depth] if doc not in judged]
    grades = [None, *range(min(0, *judged.values(), 0), max(0, *judged.values(), 0) + 1)]
    return {
        f"judgments {number}": judged
        | {doc: grade for doc, grade in zip(unjudged, given_, strict=True) if grade is not None}
        for number, given_ in enumerate(product(grades, repeat=len(unjudged)))
    }


@given(queries(), DEPTHS)
@settings(deadline=None, max_examples=60)
def test_bounds_are_the_extremes_of_all_judgments(
    query: tuple[dict[str, float], dict[str, int]], depth: int | None
) -> None:
    ranking, judged = query
    bounds = bounds_of({"q": ranking}, {"q": judged}, MEASURES, depth)
    judgments = all_judgments(ranking, judged, depth)
    scores = evaluate(dict.fromkeys(judgments, ranking), judgments, MEASURES)
    for text in MEASURES:
        values = scores[text].values()
        assert bounds.lowest[text]["q"] == pytest.approx(min(values), rel=1e-12, abs=1e-15), text
        assert bounds.highest[text]["q"] == pytest.approx(max(values), rel=1e-12, abs=1e-15), text


@given(st.lists(queries(), min_size=1, max_size=4))
@settings(deadline=None, max_examples=40)
def test_bounds_of_means_are_means_of_bounds(
    drawn: list[tuple[dict[str, float], dict[str, int]]],
) -> None:
    run = {f"q{number}": ranking for number, (ranking, _) in enumerate(drawn)}
    # One scale for all of them: the highest grade is that of the benchmark.
    qrels = {f"q{number}": judged | {"top": 3} for number, (_, judged) in enumerate(drawn)}
    bounds, scores = bounds_of(run, qrels, MEASURES), evaluate(run, qrels, MEASURES)
    for text in MEASURES:
        assert bounds.lowest.means[text] <= scores.means[text] <= bounds.highest.means[text]
    for query in run:
        alone = bounds_of({query: run[query]}, {query: qrels[query]}, MEASURES)
        for text in MEASURES:
            assert bounds.lowest[text][query] == pytest.approx(alone.lowest[text][query], rel=1e-12)
            assert bounds.highest[text][query] == pytest.approx(alone.highest[text][query], rel=1e-12)


def test_a_grade_in_between_can_be_the_best_one() -> None:
    # As grade 1 the document is second in the ideal, as grade 3 it would share the first place.
    run = {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    qrels = {"q": {"a": 3, "b": 0, "c": 1}}
    highest = bounds_of(run, qrels, ["nDCG"]).highest.means["nDCG"]
    by_grade = [evaluate(run, {"q": qrels["q"] | {"x": grade}}, ["nDCG"]).means["nDCG"] for grade in range(4)]
    assert by_grade.index(max(by_grade)) == 1
    assert highest == pytest.approx(by_grade[1])


def test_documents_below_the_cutoff_can_only_make_the_ideal_larger() -> None:
    run, qrels = {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}, {"q": {"a": 1, "b": 1}}
    whole, top = (bounds_of(run, qrels, ["R@2"], depth) for depth in (None, 2))
    assert whole.lowest.means == {"R@2": pytest.approx(1 / 3)}
    assert top.lowest.means == {"R@2": 0.5}
    assert whole.highest.means == top.highest.means == {"R@2": pytest.approx(2 / 3)}


def test_a_fully_judged_run_is_certain() -> None:
    run, qrels = {"q": {"a": 3.0, "b": 2.0}}, {"q": {"a": 0, "b": 2, "c": 3}, "missing": {"a": 1}}
    bounds = bounds_of(run, qrels, MEASURES)
    assert bounds.lowest.means == bounds.highest.means == evaluate(run, qrels, MEASURES).means


def test_a_query_without_relevant_documents_is_certain_when_none_can_be_relevant() -> None:
    bounds = bounds_of({"q": {"x": 1.0}}, {"q": {"a": 0}}, ["nDCG@3", "AP", "R@3", "RR", "Judged@3"])
    assert set(bounds.lowest.means.values()) == {0.0}
    assert bounds.highest.means == {"nDCG@3": 0.0, "AP": 0.0, "R@3": 0.0, "RR": 0.0, "Judged@3": 1.0}


@pytest.mark.parametrize("measure", ["Rprec", "Bpref", "SetF", "NumRel", "nDCG(judged_only=True)@10"])
def test_what_is_not_known_is_refused_with_what_is(measure: str) -> None:
    with pytest.raises(InputError, match="is not known: it is known of nDCG, NCG, R, SetR, AP, DCG, RR, P"):
        bounds_of({"q": {"a": 1.0}}, {"q": {"a": 1}}, [measure])


def test_qrels_without_a_scale_are_refused() -> None:
    with pytest.raises(InputError, match="the qrels have grades from 0 to 1000000: that is no scale"):
        bounds_of({"q": {"a": 2.0, "x": 1.0}}, {"q": {"a": 10**6}}, ["nDCG@10"])


@pytest.mark.parametrize("name", ["nDCG", "DCG"])
def test_gains_that_overflow_are_no_bound(name: str) -> None:
    # No judged document has grade 1, an unjudged one may.
    measure = f"{name}(dcg='exp-log2',gains={{1:2000}})@3"
    with pytest.raises(InputError, match="has no finite gain for a grade|which is no value"):
        bounds_of({"q": {"a": 2.0, "x": 1.0}}, {"q": {"a": 2}}, [measure])


def test_three_unjudged_documents_of_540_are_little_doubt(shared_data: Path, published_home: Path) -> None:
    run = read_run(shared_data / "runs" / "dl20-passage" / "bm25.trec.gz")
    judged = judge(run, load_builtin("dl20-passage").qrels)
    assert judged.judged_within(10) == (537, 540)
    bounds = unjudged_bounds(judged, ["nDCG@10"], depth=10)
    assert bounds.lowest.means["nDCG@10"] == pytest.approx(0.4796, abs=1e-4)
    assert bounds.highest.means["nDCG@10"] == pytest.approx(0.4835, abs=1e-4)
