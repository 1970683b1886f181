"""The lowest and the highest value over all orders of equal scores."""

from __future__ import annotations

from itertools import groupby, permutations, product
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
from pytest_irbench.measures.tie_bounds import tie_bounds
from pytest_irbench.runs.run import Run, read_run

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

MEASURES = [
    *("nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "nDCG(gains={0:2,1:3,2:0,3:-1})@3", "nDCG(gains={-1:1})"),
    *("DCG@3", "DCG(gains={1:5,2:1})", "NCG@2", "NCG(gains={0:2,1:3,2:0})@3", "AP", "AP(rel=2)@3", "RR"),
    *("RR(rel=2)@2", "P@2", "P(rel=2)@3", "R@2", "R(rel=3)@3", "Success@1", "Success(rel=2)@3", "Rprec"),
    *("Rprec(rel=2)", "Bpref", "Bpref(rel=2)", "Judged", "Judged@2", "ERR", "ERR@3", "RBP", "RBP(p=0.5)@2"),
    *("SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "NumQ"),
    *("nDCG(judged_only=True)@2", "AP(judged_only=True)", "P(judged_only=True)@1"),
]

doc_ids = st.sampled_from("abcdef")
rankings = st.dictionaries(doc_ids, st.sampled_from([0.0, 1.0]), min_size=1)
judgments = st.dictionaries(st.sampled_from("abcdefxyz"), st.integers(-1, 4), min_size=1)


def bounds_of(run: RunDict, qrels: QrelsDict, measures: list[str]) -> Bounds:
    return tie_bounds(judge(Run(run), Qrels.from_mapping(qrels)), measures)


def all_orders(ranking: dict[str, float]) -> RunDict:
    """Write every order of equal scores as the ranking of a query of its own, without ties."""
    by_score = sorted(ranking, key=ranking.__getitem__, reverse=True)
    ties = [permutations(tie) for _, tie in groupby(by_score, ranking.__getitem__)]
    orders = [sum(order, ()) for order in product(*ties)]
    return {
        f"order {number}": {doc: -float(rank) for rank, doc in enumerate(order)}
        for number, order in enumerate(orders)
    }


@given(rankings, judgments)
@settings(deadline=None, max_examples=60)
def test_bounds_are_the_extremes_of_all_orders(ranking: dict[str, float], judged: dict[str, int]) -> None:
    bounds = bounds_of({"q": ranking}, {"q": judged}, MEASURES)
    orders = all_orders(ranking)
    scores = evaluate(orders, dict.fromkeys(orders, judged), MEASURES)
    for text in MEASURES:
        values = scores[text].values()
        assert bounds.lowest[text]["q"] == pytest.approx(min(values), rel=1e-12, abs=1e-15), text
        assert bounds.highest[text]["q"] == pytest.approx(max(values), rel=1e-12, abs=1e-15), text


@given(
    st.dictionaries(st.sampled_from(["q", "p", "r"]), rankings, min_size=1),
    st.dictionaries(st.sampled_from(["q", "p", "r"]), judgments, min_size=3),
)
@settings(deadline=None, max_examples=60)
def test_bounds_hold_the_value_and_those_of_each_query_alone(run: RunDict, qrels: QrelsDict) -> None:
    bounds = bounds_of(run, qrels, MEASURES)
    scores = evaluate(run, qrels, MEASURES)
    for text in MEASURES:
        assert bounds.lowest.means[text] <= scores.means[text] <= bounds.highest.means[text]
        for query, value in scores[text].items():
            assert bounds.lowest[text][query] <= value <= bounds.highest[text][query]
    for query, ranking in run.items():
        alone = bounds_of({query: ranking}, {query: qrels[query]}, ["nDCG@2", "AP"])
        for text in ("nDCG@2", "AP"):
            assert bounds.lowest[text][query] == alone.lowest[text][query]
            assert bounds.highest[text][query] == alone.highest[text][query]


def test_the_order_of_three_equal_scores_is_worth_two_thirds_of_rr() -> None:
    bounds = bounds_of({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"b": 1}}, ["RR"])
    assert bounds.lowest.means == {"RR": pytest.approx(1 / 3)}
    assert bounds.highest.means == {"RR": 1.0}


def test_without_ties_there_is_one_value() -> None:
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 0, "c": 2}}
    bounds = bounds_of(run, qrels, MEASURES)
    assert bounds.lowest.means == bounds.highest.means == evaluate(run, qrels, MEASURES).means


def test_a_query_without_documents_or_without_judged_ones_is_certain() -> None:
    qrels = {"missing": {"a": 1}, "unjudged": {"a": 1}, "q": {"a": 1}}
    bounds = bounds_of({"unjudged": {"x": 1.0, "y": 1.0}, "q": {"a": 1.0, "x": 1.0}}, qrels, ["RR"])
    assert bounds.lowest["RR"] == {"missing": 0.0, "unjudged": 0.0, "q": 0.5}
    assert bounds.highest["RR"] == {"missing": 0.0, "unjudged": 0.0, "q": 1.0}


def test_a_bare_measure_is_at_the_level_of_the_qrels() -> None:
    qrels = Qrels.from_mapping({"q": {"a": 1, "b": 2}}).at_level(2)
    bounds = tie_bounds(judge(Run({"q": {"a": 1.0, "b": 1.0}}), qrels), ["RR", "RR(rel=1)"])
    assert bounds.lowest.means == {"RR(rel=2)": 0.5, "RR(rel=1)": 1.0}
    assert bounds.lowest.means["RR"] == 0.5


def test_what_ir_measures_computes_is_refused_with_what_is_known() -> None:
    pytest.importorskip("ir_measures")
    message = r"what ties can do to IPrec@0.1 is not known, as ir_measures computes it: it is known of nDCG, "
    with pytest.raises(InputError, match=message):
        bounds_of({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["RR", "IPrec@0.1"])


def test_a_published_run_with_rounded_scores_lies_between_its_bounds(
    shared_data: Path, published_home: Path
) -> None:
    run = read_run(shared_data / "runs" / "dl20-passage" / "repllama-rounded-scores.trec.gz")
    bounds = tie_bounds(judge(run, load_builtin("dl20-passage").qrels), ["nDCG@10"])
    # .7195 is what trec_eval's tie rule gives, .7205 the order of the file.
    assert bounds.lowest.means["nDCG@10"] < 0.7195 < 0.7205 < bounds.highest.means["nDCG@10"]
