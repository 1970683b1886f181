"""Values against pytrec_eval (trec_eval's own C code) and against definitions written out plainly."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

CUTOFFS = (1, 2, 3, 5, 10, 100)
CUT_MEASURES = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
SHARED = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_q": "NumQ",
    **{f"{stem}_{k}": f"{ours}@{k}" for stem, ours in CUT_MEASURES.items() for k in CUTOFFS},
}
ASKED = {name for name in SHARED if name.rpartition("_")[0] not in CUT_MEASURES} | {
    f"{stem}.{','.join(map(str, CUTOFFS))}" for stem in CUT_MEASURES
}

# Few ids, so that runs and qrels meet; of all lengths, with beginnings in common and beyond ASCII.
DOC_IDS = [
    *("a", "b", "D1", "D10", "D9", "7", "007", "MARCO_D59865", "MARCO_D59865-7", "MARCO_D59865-70"),
    *("clueweb09-en0000-00-00001", "clueweb09-en0000-00-00002", "x" * 8, "x" * 9, "x" * 16, "x" * 200),
    *("é", "日本語-1", "日本語-10", "\U0001f600", "Straße", "\uffff", "~"),
]
doc_ids = st.sampled_from(DOC_IDS)
query_ids = st.sampled_from(["1", "2", "31_1", "31_10", "frage-ä", "q" * 20])
# pytrec_eval rounds scores to float32: only such scores have the same ties on both sides.
scores = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, -1.0, 0.5]),
    st.floats(-1e6, 1e6, width=32).map(lambda score: score + 0.0),
)
rankings = st.dictionaries(doc_ids, scores, min_size=1, max_size=len(DOC_IDS))
runs = st.dictionaries(query_ids, rankings, min_size=1)
judgments = st.dictionaries(doc_ids, st.integers(0, 4), min_size=1, max_size=len(DOC_IDS))
all_qrels = st.dictionaries(query_ids, judgments, min_size=1)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[RunDict, QrelsDict]:
    """Draw a run and qrels that share at least one query."""
    run, qrels = draw(runs), draw(all_qrels)
    shared = draw(query_ids)
    run.setdefault(shared, draw(rankings))
    qrels.setdefault(shared, draw(judgments))
    return run, qrels


@given(pairs(), st.sampled_from([1, 2]))
@settings(deadline=None)
def test_values_are_those_of_pytrec_eval(pair: tuple[RunDict, QrelsDict], level: int) -> None:
    run, qrels = pair
    theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level).evaluate(run)
    ours = evaluate(run, qrels, SHARED.values(), relevance_level=level)
    for name, text in SHARED.items():
        values = ours[text]
        assert set(values) == set(qrels)
        for query_id in qrels:
            # A query that the run lacks is not in pytrec_eval's answer; in ours it counts.
            missing = {"num_rel": sum(grade >= level for grade in qrels[query_id].values()), "num_q": 1}
            expected = theirs[query_id][name] if query_id in run else missing.get(name, 0)
            assert values[query_id] == pytest.approx(expected, rel=1e-12, abs=1e-12), (text, query_id)


def test_all_values_of_a_large_run_are_those_of_pytrec_eval() -> None:
    random = np.random.default_rng(7)
    docs = [f"doc-{number}" for number in range(3000)]
    run = {
        f"q{query}": dict(zip(random.permutation(docs)[:800], random.integers(0, 300, 800) / 4, strict=True))
        for query in range(40)
    }
    qrels = {
        f"q{query}": dict(
            zip(random.permutation(docs)[:200], random.integers(0, 5, 200).tolist(), strict=True)
        )
        for query in range(45)
    }
    plain = {query: {str(d): float(s) for d, s in ranking.items()} for query, ranking in run.items()}
    judged = {query: {str(d): grade for d, grade in grades.items()} for query, grades in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(judged, ASKED).evaluate(plain)
    ours = evaluate(run, qrels, SHARED.values())
    for name, text in SHARED.items():
        values = ours[text]
        for query_id in plain:
            assert values[query_id] == pytest.approx(theirs[query_id][name], rel=1e-12), (text, query_id)


def ranked(ranking: dict[str, float]) -> list[str]:
    """The tie rule in one line."""
    return sorted(ranking, key=lambda doc: (ranking[doc], doc.encode()), reverse=True)


def ratio(over: float, under: float) -> float:
    return over / under if under else 0.0


def plain_dcg(grades: list[int], gain: Callable[[int], float], k: int | None) -> float:
    return sum(max(gain(g), 0.0) / math.log2(place + 1) for place, g in enumerate(grades[:k], start=1))


def plain_ndcg(docs: list[str], judged: dict[str, int], gain: Callable[[int], float], k: int | None) -> float:
    ideal = sorted(judged.values(), key=gain, reverse=True)
    # An unjudged document gains nothing, also where the user maps grade 0 to a gain.
    won = sum(max(gain(judged[d]), 0.0) / math.log2(p + 2) for p, d in enumerate(docs[:k]) if d in judged)
    return ratio(won, plain_dcg(ideal, gain, k))


def plain_ncg(docs: list[str], judged: dict[str, int], k: int) -> float:
    best = sorted((max(grade, 0) for grade in judged.values()), reverse=True)[:k]
    return ratio(sum(max(judged.get(doc, 0), 0) for doc in docs[:k]), sum(best))


def plain_err(docs: list[str], judged: dict[str, int], k: int | None) -> float:
    value, going_on = 0.0, 1.0
    for place, doc in enumerate(docs[:k], start=1):
        stop = (2 ** max(judged.get(doc, 0), 0) - 1) / 16
        value += going_on * stop / place
        going_on *= 1 - stop
    return value


def plain_rbp(docs: list[str], judged: dict[str, int], p: float, k: int | None, rel: int) -> float:
    return (1 - p) * sum(p**place for place, doc in enumerate(docs[:k]) if judged.get(doc, 0) >= rel)


def plain_judged(docs: list[str], judged: dict[str, int], k: int | None) -> float:
    return ratio(sum(doc in judged for doc in docs[:k]), len(docs[:k]))


def plain_set_f(docs: list[str], judged: dict[str, int], beta: float) -> float:
    hits = sum(judged.get(doc, 0) >= 1 for doc in docs)
    p, r = ratio(hits, len(docs)), ratio(hits, sum(grade >= 1 for grade in judged.values()))
    return ratio((1 + beta) * p * r, beta * p + r)


def exponential(grade: int) -> float:
    return 2.0 ** max(grade, 0) - 1


def mapped(grade: int) -> float:
    return {0: 0.5, 1: 3, 2: 0, 4: -2}.get(grade, grade)


DEFINITIONS: dict[str, Callable[[list[str], dict[str, int]], float]] = {
    "nDCG(dcg='exp-log2')": lambda docs, judged: plain_ndcg(docs, judged, exponential, None),
    "nDCG(dcg='exp-log2')@3": lambda docs, judged: plain_ndcg(docs, judged, exponential, 3),
    "nDCG(gains={0:0.5,1:3,2:0,4:-2})": lambda docs, judged: plain_ndcg(docs, judged, mapped, None),
    "nDCG(gains={0:0.5,1:3,2:0,4:-2})@5": lambda docs, judged: plain_ndcg(docs, judged, mapped, 5),
    "DCG@5": lambda docs, judged: plain_dcg([judged.get(doc, 0) for doc in docs], float, 5),
    "NCG@3": lambda docs, judged: plain_ncg(docs, judged, 3),
    "NCG@100": lambda docs, judged: plain_ncg(docs, judged, 100),
    "ERR": lambda docs, judged: plain_err(docs, judged, None),
    "ERR@5": lambda docs, judged: plain_err(docs, judged, 5),
    "RBP": lambda docs, judged: plain_rbp(docs, judged, 0.8, None, 1),
    "RBP(rel=2,p=0.5)@4": lambda docs, judged: plain_rbp(docs, judged, 0.5, 4, 2),
    "Judged": lambda docs, judged: plain_judged(docs, judged, None),
    "Judged@4": lambda docs, judged: plain_judged(docs, judged, 4),
    "SetF(beta=2)": lambda docs, judged: plain_set_f(docs, judged, 2),
    "SetF(beta=0.5)": lambda docs, judged: plain_set_f(docs, judged, 0.5),
}
signed_judgments = st.dictionaries(doc_ids, st.integers(-2, 4), min_size=1, max_size=len(DOC_IDS))


@given(rankings, signed_judgments)
@settings(deadline=None)
def test_measures_that_trec_eval_lacks_follow_their_definition(
    ranking: dict[str, float], judged: dict[str, int]
) -> None:
    means = evaluate({"q": ranking}, {"q": judged}, DEFINITIONS).means
    assert len(means) == len(DEFINITIONS)
    for value, (text, definition) in zip(means.values(), DEFINITIONS.items(), strict=True):
        assert value == pytest.approx(definition(ranked(ranking), judged), rel=1e-12, abs=1e-15), text


@given(pairs())
@settings(deadline=None, max_examples=30)
def test_values_are_those_of_ir_measures(pair: tuple[RunDict, QrelsDict]) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    drawn, qrels = pair
    # Without ties: its provider of Judged breaks them in another way.
    run = {query: {doc: float(n) for n, doc in enumerate(ranking)} for query, ranking in drawn.items()}
    texts = ["Judged@3", "Judged", "nDCG(gains={1:3,2:9,4:5})@5", "nDCG(gains={1:3,2:9,4:5})"]
    measures = [ir_measures.parse_measure(text) for text in texts]
    ours = evaluate(run, qrels, texts)
    by_measure = dict(zip(map(str, measures), texts, strict=True))
    seen = 0
    for row in ir_measures.iter_calc(measures, qrels, run):
        assert ours[by_measure[str(row.measure)]][row.query_id] == pytest.approx(row.value, rel=1e-12)
        seen += 1
    assert seen >= len(texts)


BOUNDED = ["nDCG@3", "nDCG", "nDCG(dcg='exp-log2')@5", "NCG@3", "AP", "AP@5", "RR", "P@3", "R@3", "Success@3",
           "Rprec", "Bpref", "Judged@3", "ERR@5", "RBP", "SetP", "SetR", "SetF"]  # fmt: skip


@given(rankings, signed_judgments, st.sampled_from([1, 2]))
@settings(deadline=None)
def test_values_stay_in_0_to_1_with_negative_grades(
    ranking: dict[str, float], judged: dict[str, int], level: int
) -> None:
    means = evaluate({"q": ranking}, {"q": judged}, BOUNDED, relevance_level=level).means
    assert all(0 <= value <= 1 + 1e-12 for value in means.values()), means


@given(rankings, signed_judgments)
@settings(deadline=None)
def test_negative_grades_gain_what_grade_0_gains(ranking: dict[str, float], judged: dict[str, int]) -> None:
    # Bpref is left out: it alone tells "not relevant" from "not judged".
    texts = [text for text in BOUNDED if text != "Bpref"]
    raised = {doc: max(grade, 0) for doc, grade in judged.items()}
    assert evaluate({"q": ranking}, {"q": judged}, texts).means == pytest.approx(
        evaluate({"q": ranking}, {"q": raised}, texts).means, rel=1e-12
    )


@given(rankings, signed_judgments)
@settings(deadline=None)
def test_bpref_takes_negative_grades_as_unjudged(ranking: dict[str, float], judged: dict[str, int]) -> None:
    positive = {doc: grade for doc, grade in judged.items() if grade >= 0}
    if positive:
        assert evaluate({"q": ranking}, {"q": judged}, ["Bpref"]).means == pytest.approx(
            evaluate({"q": ranking}, {"q": positive}, ["Bpref"]).means
        )


@pytest.mark.parametrize(
    "measure",
    [
        "nDCG",
        "nDCG@10",
        "nDCG(dcg='exp-log2')@10",
        "NCG@10",
        "AP",
        "AP@10",
        "RR",
        "Rprec",
        "Bpref",
        "R@10",
        "SetR",
    ],
)
def test_the_ideal_ranking_scores_1(measure: str) -> None:
    judged = {"a": 3, "b": 2, "c": 1, "d": 0, "e": -1}
    run = {"q": {doc: float(grade) for doc, grade in judged.items()}}
    assert evaluate(run, {"q": judged}, [measure]).means[measure] == pytest.approx(1.0, abs=1e-15)


def test_err_is_refused_above_grade_4_where_it_is_not_defined() -> None:
    with pytest.raises(InputError, match="ERR is defined for grades up to 4; the qrels have higher ones"):
        evaluate({"q": {"a": 1.0}}, {"q": {"a": 5}}, ["ERR@10"])
