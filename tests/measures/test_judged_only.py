"""Condensed lists: unjudged documents are taken out before the measure looks."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.measures.signatures import SIGNATURES
from pytest_irbench.runs.run import read_run

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

TREC_EVAL = {
    "map": "AP(judged_only=True)",
    "recip_rank": "RR(judged_only=True)",
    "ndcg": "nDCG(judged_only=True)",
    "Rprec": "Rprec(judged_only=True)",
    "set_P": "SetP(judged_only=True)",
    "set_F": "SetF(judged_only=True)",
    **{f"P_{k}": f"P(judged_only=True)@{k}" for k in (1, 3)},
    **{f"recall_{k}": f"R(judged_only=True)@{k}" for k in (1, 3)},
    **{f"success_{k}": f"Success(judged_only=True)@{k}" for k in (1, 3)},
    **{f"map_cut_{k}": f"AP(judged_only=True)@{k}" for k in (1, 3)},
    **{f"ndcg_cut_{k}": f"nDCG(judged_only=True)@{k}" for k in (1, 3)},
}
ASKED = {"map", "recip_rank", "ndcg", "Rprec", "set_P", "set_F"} | {
    f"{stem}.1,3" for stem in ("P", "recall", "success", "map_cut", "ndcg_cut")
}
TAKE_IT = [name for name, signature in SIGNATURES.items() if ("judged_only", False) in signature.params]

doc_ids = st.sampled_from("abcdefghijkl")
# Scores that a float32 holds, so that pytrec_eval has the same ties.
rankings = st.dictionaries(doc_ids, st.integers(0, 4).map(float), min_size=1)
judgments = st.dictionaries(doc_ids, st.integers(0, 4), min_size=1)
signed_judgments = st.dictionaries(doc_ids, st.integers(-2, 4), min_size=1)


def with_option(text: str) -> str:
    """Write a measure as one of condensed lists: ``P@3`` as ``P(judged_only=True)@3``."""
    name, at, cutoff = text.partition("@")
    return f"{name}(judged_only=True){at}{cutoff}"


def condensed(run: RunDict, qrels: QrelsDict) -> RunDict:
    """Take the unjudged documents out by hand."""
    return {
        query: {doc: score for doc, score in ranking.items() if qrels.get(query, {}).get(doc, -1) >= 0}
        for query, ranking in run.items()
    }


# Without negative grades: on many of those, trec_eval's C code writes beyond its tables.
@given(rankings, judgments, st.sampled_from([1, 2]))
@settings(deadline=None)
def test_values_are_those_of_trec_evals_option_for_judged_documents(
    ranking: dict[str, float], judged: dict[str, int], level: int
) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"q": judged}, ASKED, relevance_level=level, judged_docs_only_flag=True
    )
    theirs = evaluator.evaluate({"q": ranking})["q"]
    ours = evaluate({"q": ranking}, {"q": judged}, TREC_EVAL.values(), relevance_level=level)
    for name, text in TREC_EVAL.items():
        assert ours[text]["q"] == pytest.approx(theirs[name], rel=1e-12), text


@pytest.mark.parametrize("name", TAKE_IT)
@given(rankings, signed_judgments)
@settings(deadline=None, max_examples=30)
def test_values_are_those_of_the_run_without_its_unjudged_documents(
    name: str, ranking: dict[str, float], judged: dict[str, int]
) -> None:
    cutoffs = {"required": ["@1", "@3"], "optional": ["", "@3"], "none": [""]}
    plain = [name + at for at in cutoffs[SIGNATURES[name].cutoff]]
    run, qrels = {"q": ranking, "p": {"a": 1.0}}, {"q": judged, "p": {"a": 1}}
    by_hand = evaluate(condensed(run, qrels), qrels, plain)
    ours = evaluate(run, qrels, map(with_option, plain))
    for text in plain:
        assert ours[with_option(text)] == by_hand[text]


@pytest.mark.parametrize(
    "text",
    [
        "nDCG(judged_only=True)@3",
        "AP(rel=2,judged_only=True)",
        "RR(judged_only=True)",
        "P(rel=2,judged_only=True)@3",
        "R(judged_only=True)@3",
        "Success(judged_only=True)@1",
        "Rprec(judged_only=True)",
        "SetP(judged_only=True)",
        "SetF(judged_only=True)",
    ],
)
def test_values_are_those_of_ir_measures(text: str) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    run = {"q": {"u": 6.0, "a": 5.0, "v": 4.0, "n": 3.0, "b": 2.0, "c": 1.0}, "p": {"u": 2.0, "a": 1.0}}
    qrels = {"q": {"a": 1, "n": 0, "b": 2, "c": 3, "d": 2}, "p": {"a": 2}}
    theirs = ir_measures.iter_calc([ir_measures.parse_measure(text)], qrels, run)
    assert not Measure.parse(text).external
    assert evaluate(run, qrels, [text])[text] == pytest.approx({r.query_id: r.value for r in theirs})


def test_a_negative_grade_is_no_judgment_as_in_trec_eval() -> None:
    run, qrels = {"q": {"n": 3.0, "z": 2.0, "a": 1.0}}, {"q": {"n": -1, "z": 0, "a": 1}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}, judged_docs_only_flag=True)
    assert evaluator.evaluate(run)["q"]["recip_rank"] == 0.5
    assert evaluate(run, qrels, ["RR(judged_only=True)"])["RR(judged_only=True)"] == {"q": 0.5}


def test_a_query_whose_documents_are_all_unjudged_scores_0() -> None:
    run, qrels = {"q": {"u": 1.0}, "p": {"a": 1.0}}, {"q": {"a": 1}, "p": {"a": 1}}
    texts = [f"{name}(judged_only=True)@5" for name in ("nDCG", "AP", "RR", "P")]
    scores = evaluate(run, qrels, texts)
    assert {scores[text]["q"] for text in texts} == {0.0}


def test_measures_with_and_without_it_stand_side_by_side() -> None:
    run, qrels = {"q": {"u": 2.0, "a": 1.0}}, {"q": {"a": 1}}
    means = evaluate(run, qrels, ["RR", "RR(judged_only=True)", "Judged@2"]).means
    assert means == {"RR": 0.5, "RR(judged_only=True)": 1.0, "Judged@2": 0.5}


@pytest.mark.parametrize("value", ["1", "0", "'yes'", "None"])
def test_it_is_true_or_false_and_nothing_else(value: str) -> None:
    with pytest.raises(InputError, match=r"judged_only must be True or False, not "):
        Measure.parse(f"AP(judged_only={value})")


@pytest.mark.parametrize(
    ("text", "sees"), [("nDCG@10", 10), ("nDCG(judged_only=True)@10", None), ("AP", None)]
)
def test_ten_judged_documents_may_reach_past_rank_ten(text: str, sees: int | None) -> None:
    assert Measure.parse(text).sees == sees


def test_published_runs_score_as_without_their_unjudged_documents(
    shared_data: Path, published_home: Path
) -> None:
    benchmark = load_builtin("dl20-passage")
    run = read_run(shared_data / "runs" / "dl20-passage" / "splade.trec.gz")
    qrels = {query: benchmark.qrels[query] for query in benchmark.qrels.query_ids}
    bare = condensed(run.to_mapping(), qrels)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map"}, relevance_level=2)
    theirs = evaluator.evaluate({query: docs for query, docs in bare.items() if docs})
    ours = evaluate(run, benchmark, ["nDCG(judged_only=True)@10", "AP(judged_only=True)"])
    for text, name in {"nDCG(judged_only=True)@10": "ndcg_cut_10", "AP(judged_only=True)": "map"}.items():
        expected = {query: theirs[query][name] for query in qrels}
        assert ours[text] == pytest.approx(expected, rel=1e-12)
    assert ours.means["nDCG(judged_only=True)@10"] > evaluate(run, benchmark, ["nDCG@10"]).means["nDCG@10"]
