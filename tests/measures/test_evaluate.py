"""Small runs with values that can be checked by hand, each a mistake that some tool has made."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.kernels import KERNELS
from pytest_irbench.measures.measure import Measure
from pytest_irbench.runs.run import Run


class Example(NamedTuple):
    """Qrels and a run, with the expected value of every query (in the order of the qrels)."""

    name: str
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    values: dict[str, list[float]]


def descending(*docs: str) -> dict[str, float]:
    """Give documents falling scores."""
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


TEN = [f"r{number}" for number in range(10)]
NOISE = [f"n{number:02}" for number in range(10)]

EXAMPLES = [
    Example(
        "ties go to the larger doc_id, not to the first row",
        {"t1": {"m": 1, "c": 0}, "t2": {"m": 1, "x": 0}},
        {"t1": {"m": 2.5, "c": 2.5}, "t2": {"m": 2.5, "x": 2.5}},
        {"RR": [1, 0.5], "P@1": [1, 0], "nDCG@10": [1, 0.630930], "AP": [1, 0.5]},
    ),
    Example(
        "ids of digits are bytes, not numbers",
        {"q1": {"10": 1}},
        {"q1": {"10": 7.0, "9": 7.0, "100": 7.0}},
        {"RR": [1 / 3], "nDCG@10": [0.5], "P@1": [0]},
    ),
    Example(
        "scores are doubles",
        {"q1": {"a": 1}},
        {"q1": {"a": 0.92226214540, "b": 0.92226214537}},
        {"RR": [1], "nDCG@10": [1]},
    ),
    Example(
        "the score orders, not the row",
        {"q1": {"p1": 2, "p4": 1}},
        {"q1": {"p1": 1.73, "p2": 1.59, "p3": 1.58, "p4": 1.98, "p5": 1.95, "p6": 1.76}},
        {"RR": [1], "P@1": [1], "nDCG@3": [0.380094], "nDCG@10": [0.707489]},
    ),
    Example(
        "a missing query counts as 0",
        {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}},
        {"q1": {"a": 1.0}, "q2": {"x": 1.0, "b": 0.5}},
        {"RR": [1, 0.5, 0], "nDCG@10": [1, 0.630930, 0], "R@10": [1, 1, 0], "Judged@10": [1, 0.5, 0]},
    ),
    Example(
        "queries without judgments are left out",
        {"31_1": {"MARCO_1": 2}},
        {"31_1": {"MARCO_1": 5.0}, "31_2": {"MARCO_7": 5.0}, "81_6": {"MARCO_8": 5.0}},
        {"nDCG@3": [1], "RR": [1], "AP": [1]},
    ),
    Example(
        "a query without a relevant document counts as 0",
        {"q1": {"a": 1}, "q2": {"a": 0, "b": 0}},
        {"q1": {"a": 1.0}, "q2": {"a": 1.0}},
        {"nDCG@10": [1, 0], "AP": [1, 0], "RR": [1, 0], "R@10": [1, 0], "P@10": [0.1, 0], "Rprec": [1, 0],
         "Bpref": [1, 0], "NCG@10": [1, 0], "SetF": [1, 0], "Success@1": [1, 0]},
    ),
    Example(
        "nDCG gains the grade itself",
        {"q1": {"a": 1, "b": 3, "c": 2}},
        {"q1": descending("a", "b", "x", "c")},
        {"nDCG@10": [0.788377], "nDCG@2": [0.678762], "nDCG(dcg='exp-log2')@10": [0.714222]},
    ),
    Example(
        "the ideal is of all judged documents",
        {"q1": {"a": 2, "b": 2, "c": 1, "d": 1}},
        {"q1": descending("c", "x", "y", "z")},
        {"nDCG@4": [0.238519], "nDCG@10": [0.238519], "NCG@4": [1 / 6]},
    ),
    Example(
        "nDCG without a cutoff is not cut at the length of the run",
        {"q1": dict.fromkeys(TEN[:5], 1)},
        {"q1": descending("r0", "r1")},
        {"nDCG": [0.553146], "nDCG@2": [1], "nDCG@5": [0.553146]},
    ),
    Example(
        "AP is over all relevant documents, also with a cutoff",
        {"q1": dict.fromkeys(TEN, 1)},
        {"q1": descending(*TEN[:5])},
        {"AP@5": [0.5], "AP": [0.5]},
    ),
    Example(
        "P@k is over k, also when fewer are returned",
        {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}},
        {"q1": descending("a", "b")},
        {"P@10": [0.2, 0], "P@5": [0.4, 0]},
    ),
    Example(
        "RR@k is 0 past k",
        {"q1": {"rel": 1}, "q2": {"rel": 1}},
        {"q1": descending(*NOISE, "rel"), "q2": descending(*NOISE[:9], "rel")},
        {"RR@10": [0, 0.1], "RR": [1 / 11, 0.1]},
    ),
    Example(
        "the relevance level is part of the measure, and not of nDCG",
        {"q1": {"a": 1, "b": 2, "c": 3, "d": 0}},
        {"q1": descending("a", "d", "b")},
        {"AP": [0.555556], "AP(rel=2)": [1 / 6], "RR": [1], "RR(rel=2)": [1 / 3], "R@10": [2 / 3],
         "R(rel=2)@10": [0.5], "P(rel=2)@5": [0.2], "nDCG@10": [0.420004]},
    ),
    Example(
        "Judged@k is over the documents returned",
        {"q1": {"a": 1, "b": 0, "n": -1}, "q2": {"a": 1}},
        {"q1": descending("a", "x", "b", "n")},
        {"Judged@2": [0.5, 0], "Judged@10": [0.75, 0], "Judged": [0.75, 0]},
    ),
    Example(
        "NCG@k is over the best k gains, whatever their order",
        {"q1": {"a": 3, "b": 2, "c": 1, "d": 0, "e": -1}},
        {"q1": descending("c", "x", "e", "b", "a")},
        {"NCG@1": [1 / 3], "NCG@2": [0.2], "NCG@4": [0.5], "NCG@5": [1], "NCG@100": [1], "nDCG@4": [0.390888]},
    ),
    Example(
        "negative grades gain nothing and are never relevant",
        {"q1": {"a": 2, "b": -2, "c": 1, "d": -1}},
        {"q1": descending("b", "a", "d", "c")},
        {"nDCG@10": [0.643322], "AP": [0.5], "P@2": [0.5], "R@2": [0.5], "NCG@2": [2 / 3]},
    ),
    Example(
        "ids keep their leading zeros",
        {"007": {"0042": 1}, "7": {"42": 1}},
        {"007": descending("0042", "42"), "7": descending("0042", "42")},
        {"RR": [1, 0.5], "P@1": [1, 0]},
    ),
    Example(
        "a collection prefix is part of the id",
        {"31_1": {"MARCO_955948": 3, "CAR_5f0e": 2}},
        {"31_1": descending("955948", "5f0e")},
        {"nDCG@3": [0], "RR": [0], "AP": [0], "Judged@3": [0]},
    ),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_values_of_small_examples(example: Example) -> None:
    scores = evaluate(example.run, example.qrels, example.values)
    for measure, expected in example.values.items():
        assert list(scores[measure]) == list(example.qrels)
        assert list(scores[measure].values()) == pytest.approx(expected, abs=5e-7), measure
        assert scores.means[measure] == pytest.approx(sum(expected) / len(expected), abs=5e-7)


def test_runs_and_qrels_may_be_objects_and_measures_too() -> None:
    run, qrels = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    scores = evaluate(Run.from_mapping(run), Qrels.from_mapping(qrels), [Measure.parse("RR"), "AP"])
    assert scores.means == evaluate(run, qrels, ["RR", "AP"]).means == {"RR": 1.0, "AP": 1.0}


def test_one_measure_asked_for_in_two_ways_is_one_column() -> None:
    scores = evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["MRR", "RR", "RR(rel=1)"])
    assert list(scores.means) == ["RR"]


def test_the_mean_does_not_hang_on_the_order_of_the_queries() -> None:
    run = {f"q{n}": {"a": 2.0, **{f"x{m}": 3.0 for m in range(n)}} for n in range(100)}
    qrels = {query: {"a": 1} for query in run}
    backwards = dict(reversed(qrels.items()))
    assert evaluate(run, qrels, ["RR"]).means == evaluate(run, backwards, ["RR"]).means


def test_a_measure_that_was_not_asked_for_has_no_values() -> None:
    scores = evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["RR"])
    with pytest.raises(KeyError):
        scores["AP"]


def test_scores_say_what_they_are() -> None:
    scores = evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}, "p": {"a": 1}}, ["RR", "nDCG@10"])
    assert repr(scores) == "<Scores over 2 queries: RR = 0.5000, nDCG@10 = 0.5000>"


def test_an_unknown_measure_is_an_error_before_anything_is_ranked() -> None:
    with pytest.raises(InputError, match="did you mean 'nDCG@10'"):
        evaluate({"x": {"a": 1.0}}, {"q": {"a": 1}}, ["nDGC@10"])


def test_huge_grades_give_a_number_or_an_error_and_no_warning() -> None:
    run, qrels = {"q": {"a": 1.0, "b": 0.5}}, {"q": {"a": 1, "b": 2**31 - 1}}
    assert 0 < evaluate(run, qrels, ["nDCG@10"]).means["nDCG@10"] < 1
    with pytest.raises(InputError, match="exp-log2"):
        evaluate(run, qrels, ["nDCG(dcg='exp-log2')@10"])


@pytest.mark.parametrize("path", ["run.trec", Path("run.trec")])
def test_a_path_is_no_run_and_the_message_tells_how_to_read_it(path: Any) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(path, {"q": {"a": 1}}, ["AP"])
    assert str(caught.value) == (
        f"a run is a Run or {{query_id: {{doc_id: score}}}}, not {type(path).__name__}: "
        "read it with read_run('run.trec')"
    )


def test_other_things_are_no_run() -> None:
    with pytest.raises(InputError, match=r"^a run is a Run or .*, not list$"):
        evaluate([("q", "a", 1.0)], {"q": {"a": 1}}, ["AP"])  # type: ignore[arg-type]


def test_one_measure_without_a_list_is_refused() -> None:
    with pytest.raises(InputError, match=r"^measures is a list, for instance \['nDCG@10'\]$"):
        evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "nDCG@10")


def test_means_are_found_by_a_measure_as_it_was_typed() -> None:
    scores = evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["AP", "RR(rel=1)", "nDCG@3"], relevance_level=2)
    assert scores.means == {"AP(rel=2)": 0.0, "RR(rel=1)": 1.0, "nDCG@3": 1.0}
    assert scores.means["AP"] == scores.means["AP(rel=2)"] == 0.0
    # Another level is another measure.
    for absent in ("AP(rel=1)", "RR", "P@1"):
        with pytest.raises(KeyError, match=re.escape(absent)):
            scores.means[absent]


MANY = [
    f"{name}{at}"
    for at in ("@1", "@2", "@7", "@8", "@9", "@60", "@64", "@65", "@500", "")
    for name in ("nDCG", "nDCG(gains={1:0,2:5})", "AP", "RR(rel=2)", "Judged", "ERR", "RBP(p=0.5)")
] + [
    "P@7",
    "P@64",
    "R@9",
    "R(rel=2)@65",
    "Success@8",
    "NCG@7",
    "NCG@65",
    "NumRel",
    "NumRelRet",
    "Rprec",
    "SetF",
]


@pytest.mark.parametrize("seed", range(4))
def test_what_measures_share_changes_no_bit_of_their_values(seed: int) -> None:
    """Asked alone, together, or in another order, a measure has the same values."""
    random = np.random.default_rng(seed)
    qrels = {
        f"q{query}": {f"d{doc}": int(random.integers(-1, 5)) for doc in random.permutation(200)[:80]}
        for query in range(5)
    }
    run = {
        query: {f"d{doc}": float(random.random()) for doc in random.permutation(200)[: 20 + 60 * seed]}
        for query in qrels
    }
    together = evaluate(run, qrels, MANY)
    backwards = evaluate(run, qrels, MANY[::-1])
    for measure in MANY:
        alone = evaluate(run, qrels, [measure])
        assert together[measure] == backwards[measure] == alone[measure]


def test_values_that_a_user_writes_over_change_no_other_measure() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1, "c": 1}}
    judged = evaluate(run, qrels, ["NumRel"]).judged
    for measure in ("NumRel", "R@2", "AP", "RR", "P@2", "nDCG"):
        KERNELS[Measure.parse(measure).name](judged, Measure.parse(measure))[:] = 77
    assert KERNELS["R"](judged, Measure.parse("R@2")).tolist() == [2 / 3]
    assert KERNELS["NumRel"](judged, Measure.parse("NumRel")).tolist() == [3]


def test_ranks_past_what_16_bits_hold() -> None:
    """Columns are put in order by rank; a rank of 65,537 is not the first."""
    docs = [f"d{number}" for number in range(70_000)]
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(docs)}, "r": {docs[0]: 1.0}}
    qrels = {"q": dict.fromkeys((docs[65_536], docs[65_540]), 1), "r": {docs[0]: 1}}
    scores = evaluate(run, qrels, ["RR@65536", "RR@65540", "P@65541", "AP@65537"])
    assert scores["RR@65536"] == {"q": 0.0, "r": 1.0}
    assert scores["RR@65540"] == {"q": 1 / 65_537, "r": 1.0}
    assert scores["P@65541"]["q"] == 2 / 65_541
    assert scores["AP@65537"]["q"] == 1 / 65_537 / 2
