"""docs/measures.md is true: its examples run, its table is the code's, the cards' snippets agree."""

from __future__ import annotations

import doctest
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import ALIASES, SIGNATURES, Measure
from pytest_irbench.measures.measure import TREC_EVAL as TREC_EVAL_NAMES

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

DOC = Path(__file__).resolve().parents[2] / "docs" / "measures.md"
TEXT = DOC.read_text(encoding="utf-8")
BINARY = "nDCG(gains={0:0,1:1,2:1,3:1})@10"


def sections() -> Iterator[tuple[str, int, str]]:
    """Split the page at its headings: title, line, python blocks joined."""
    line = 1
    for part in re.split(r"(?m)^(?=#+ )", TEXT):
        blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", part)
        if blocks:
            yield part.partition("\n")[0].lstrip("# "), line, "\n".join(blocks)
        line += part.count("\n")


@pytest.fixture(scope="module")
def examples() -> tuple[dict[str, dict[str, Any]], str]:
    """Run every example in the order of the page.

    Title -> the names as they stand at the section's end; and what doctest has to say against them.
    """
    names: dict[str, Any] = {}
    runner = doctest.DocTestRunner(verbose=False)
    told: list[str] = []
    kept = {}
    for title, line, source in sections():
        test = doctest.DocTestParser().get_doctest(source, {}, title, DOC.name, line)
        test.globs = names
        runner.run(test, out=told.append, clear_globs=False)
        kept[title] = dict(names)
    return kept, "".join(told)


@pytest.fixture(scope="module")
def shown(examples: tuple[dict[str, dict[str, Any]], str]) -> dict[str, dict[str, Any]]:
    return examples[0]


def test_every_example_prints_what_the_page_shows(examples: tuple[dict[str, dict[str, Any]], str]) -> None:
    kept, told = examples
    assert not told, told
    assert len(kept) >= 12
    assert TEXT.count(">>> ") > 50


def ranking(run: RunDict, query_id: str) -> list[str]:
    return sorted(run[query_id], key=lambda doc_id: run[query_id][doc_id], reverse=True)


# The snippets of the four cards, as published.


def cast19_compute_ndcg_at_3(predictions, gold):
    dcg = 0.0
    for i, doc_id in enumerate(predictions[:3]):
        rel = gold.get(doc_id, 0)
        dcg += (2**rel - 1) / math.log2(i + 2)
    ideal_rels = sorted(gold.values(), reverse=True)[:3]
    idcg = sum((2**r - 1) / math.log2(i + 2) for i, r in enumerate(ideal_rels))
    return dcg / idcg if idcg > 0 else 0.0


def cast21_compute_metrics(predictions, gold, cutoff=3, recall_cutoff=500, rel_thresh=2):
    import math

    rel_scores = [gold.get(d, 0) for d in predictions[:cutoff]]
    dcg = sum(s / math.log2(i + 2) for i, s in enumerate(rel_scores))
    ideal = sorted(rel_scores, reverse=True)
    idcg = sum(s / math.log2(i + 2) for i, s in enumerate(ideal))
    ndcg = dcg / idcg if idcg > 0 else 0.0
    rel_in_top = sum(1 for d in predictions[:recall_cutoff] if gold.get(d, 0) >= rel_thresh)
    total_rel = sum(1 for s in gold.values() if s >= rel_thresh)
    recall = rel_in_top / total_rel if total_rel > 0 else 0.0
    return {"NDCG@3": ndcg, "Recall@500": recall}


def dl19_compute_metrics(predictions, gold_labels):
    mrr_scores = []
    ndcg_scores = []
    for q in predictions:
        ranked_docs = q["predicted_rank"]
        relevant_docs = q["gold_relevant_ids"]
        for rank, doc_id in enumerate(ranked_docs, 1):
            if doc_id in relevant_docs:
                mrr_scores.append(1.0 / rank)
                break
        dcg = sum(
            1.0 / math.log2(rank + 1)
            for rank, doc_id in enumerate(ranked_docs[:10], 1)
            if doc_id in relevant_docs
        )
        idcg = sum(1.0 / math.log2(i + 1) for i in range(1, len(relevant_docs[:10]) + 1))
        ndcg_scores.append(dcg / idcg if idcg > 0 else 0.0)
    return sum(mrr_scores) / len(mrr_scores), sum(ndcg_scores) / len(ndcg_scores)


def dl20_compute_ndcg_at_10(predictions, gold, k=10):
    dcg = 0.0
    for i, doc_id in enumerate(predictions[:k]):
        rel = gold.get(doc_id, 0)
        dcg += (2**rel - 1) / math.log2(i + 2)
    ideal_rels = sorted(gold.values(), reverse=True)[:k]
    idcg = sum((2**r - 1) / math.log2(i + 2) for i, r in enumerate(ideal_rels))
    return dcg / idcg if idcg > 0 else 0.0


def dl19_predictions(run: RunDict, qrels: QrelsDict) -> list[dict[str, list[str]]]:
    return [
        {
            "predicted_rank": ranking(run, query_id),
            "gold_relevant_ids": [doc_id for doc_id, grade in qrels[query_id].items() if grade >= 1],
        }
        for query_id in run
    ]


DOC_IDS = [f"d{number}" for number in range(14)]
# Distinct scores: the snippets know no tie rule.
rankings = st.permutations(DOC_IDS).flatmap(
    lambda order: st.integers(1, len(order)).map(
        lambda size: {doc_id: float(size - place) for place, doc_id in enumerate(order[:size])}
    )
)
grades = st.dictionaries(st.sampled_from(DOC_IDS), st.integers(0, 3), min_size=1)


@given(rankings, grades)
@settings(deadline=None)
def test_the_snippets_of_cast19_and_dl20_are_ndcg_with_exponential_gains(
    answer: dict[str, float], gold: dict[str, int]
) -> None:
    run, qrels = {"q": answer}, {"q": gold}
    means = evaluate(run, qrels, ["nDCG(dcg='exp-log2')@3", "nDCG(dcg='exp-log2')@10"]).means
    expected = [
        cast19_compute_ndcg_at_3(ranking(run, "q"), gold),
        dl20_compute_ndcg_at_10(ranking(run, "q"), gold),
    ]
    assert list(means.values()) == pytest.approx(expected, abs=1e-12)


@given(rankings, grades)
@settings(deadline=None)
def test_recall_of_the_cast21_snippet_is_recall_from_grade_2(
    answer: dict[str, float], gold: dict[str, int]
) -> None:
    run = {"q": answer}
    card = cast21_compute_metrics(ranking(run, "q"), gold)
    assert evaluate(run, {"q": gold}, ["R(rel=2)@500"]).means["R(rel=2)@500"] == card["Recall@500"]


@given(rankings, grades)
@settings(deadline=None)
def test_ndcg_never_exceeds_that_of_the_cast21_snippet(
    answer: dict[str, float], gold: dict[str, int]
) -> None:
    run = {"q": answer}
    card = cast21_compute_metrics(ranking(run, "q"), gold)["NDCG@3"]
    assert evaluate(run, {"q": gold}, ["nDCG@3"]).means["nDCG@3"] <= card + 1e-12


@given(rankings, grades.filter(lambda gold: any(gold.values())))
@settings(deadline=None)
def test_the_dl19_snippet_is_binary_ndcg_and_rr_of_a_query_with_a_hit(
    answer: dict[str, float], gold: dict[str, int]
) -> None:
    run, qrels = {"q": answer}, {"q": gold}
    rr, ndcg = evaluate(run, qrels, ["RR", BINARY]).means.values()
    # A query that always has a hit keeps the snippet from dividing by zero.
    run["hit"], qrels["hit"] = {"a": 1.0}, {"a": 1}
    card_rr, card_ndcg = dl19_compute_metrics(dl19_predictions(run, qrels), None)
    assert (ndcg + 1.0) / 2 == pytest.approx(card_ndcg, abs=1e-12)
    assert ((rr + 1.0) / 2 if rr else 1.0) == pytest.approx(card_rr, abs=1e-12)


@given(rankings, grades, st.integers(1, 15))
@settings(deadline=None)
def test_rr_with_a_cutoff_is_0_past_it(answer: dict[str, float], gold: dict[str, int], k: int) -> None:
    whole, cut = evaluate({"q": answer}, {"q": gold}, ["RR(rel=2)", f"RR(rel=2)@{k}"]).means.values()
    assert cut == (whole if whole >= 1 / k else 0.0)


def test_the_page_shows_the_value_of_the_cast19_and_dl20_snippets(shown: dict[str, dict[str, Any]]) -> None:
    names = shown["Gains of the CAsT 2019 and DL 2020 cards"]
    order, gold = ranking(names["run"], "q1"), names["qrels"]["q1"]
    expected = [cast19_compute_ndcg_at_3(order, gold), dl20_compute_ndcg_at_10(order, gold)]
    assert list(names["card"].values()) == pytest.approx(expected, abs=1e-12)


def test_the_page_shows_the_value_of_the_cast21_snippet(shown: dict[str, dict[str, Any]]) -> None:
    names = shown["Ideal of the CAsT 2021 card"]
    card = cast21_compute_metrics(ranking(names["run"], "q1"), names["qrels"]["q1"])
    assert names["card"] == card["NDCG@3"]
    assert card["Recall@500"] == 0.5


def test_the_page_shows_both_values_of_the_dl19_snippet(shown: dict[str, dict[str, Any]]) -> None:
    names = shown["Mean of the DL 2019 card"]
    card = dl19_compute_metrics(dl19_predictions(names["run"], names["qrels"]), None)
    assert names["card"] == pytest.approx(card, abs=1e-12)
    names = shown["Binary nDCG of the DL 2019 card"]
    _, ndcg = dl19_compute_metrics(dl19_predictions(names["run"], names["qrels"]), None)
    assert list(names["card"].values()) == pytest.approx([ndcg], abs=1e-12)


def test_pytrec_eval_has_the_tie_that_the_page_says_it_has() -> None:
    evaluator = pytrec_eval.RelevanceEvaluator({"q1": {"a": 1}}, {"recip_rank"})
    value = evaluator.evaluate({"q1": {"a": 0.92226214540, "b": 0.92226214537}})["q1"]["recip_rank"]
    assert value == 0.5


def test_the_cards_snippets_are_pasted_as_published(shared_data: Path) -> None:
    source = "".join(Path(__file__).read_text().split()).replace('"', "'").replace(",)", ")")
    for name, prefix in (("cast19", "cast19_"), ("cast21", "cast21_"), ("dl19", "dl19_"), ("dl20", "dl20_")):
        card = (shared_data.parent / "cards" / f"{name}.md").read_text()
        snippet = re.search(r"(?ms)^def .*?^    return [^\n]*$", card)
        assert snippet is not None
        expected = snippet[0].replace("def ", f"def {prefix}", 1)
        assert "".join(expected.split()) in source


def rows(header: str) -> list[list[str]]:
    """Read the cells of the table whose first row begins so."""
    table = TEXT[TEXT.index(f"| {header} |") :].partition("\n\n")[0]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in table.split("\n")[2:]]


def cells(header: str) -> dict[str, list[str]]:
    return {row[0].strip(" `"): row for row in rows(header)}


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_table_has_every_measure_with_its_parameters() -> None:
    table = cells("measure | what it is")
    assert list(table) == list(SIGNATURES)
    for name, signature in SIGNATURES.items():
        _, _, cutoff, params, aliases, *_ = table[name]
        expected = ["rel"] if signature.binary else []
        expected += [key if default is None else f"{key}={default!r}" for key, default in signature.params]
        assert (cutoff, names_in(params)) == (signature.cutoff, expected), name
        assert names_in(aliases) == [alias for alias, of in ALIASES.items() if of == name], name
        assert (signature.statistic == "sum") == table[name][1].endswith("a sum"), name


def test_the_table_has_every_name_of_trec_eval() -> None:
    named = {
        theirs.removesuffix("_k"): f"{name}@" if theirs.endswith("_k") else name
        for name, row in cells("measure | what it is").items()
        for theirs in names_in(row[5])
    }
    # Rprec is called the same on both sides and needs no translation.
    assert named == {**TREC_EVAL_NAMES, "Rprec": "Rprec"}


def test_every_measure_of_the_table_of_cards_can_be_parsed() -> None:
    texts = [text for row in rows("card | what the card computes") for text in names_in(row[2])]
    assert len(texts) >= 15
    for text in texts:
        assert str(Measure.parse(text)).startswith(text.partition("(")[0].partition("@")[0])


def test_links_inside_the_page_lead_to_headings() -> None:
    headings = re.findall(r"(?m)^#+ (.+)$", TEXT)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    targets = re.findall(r"\]\(#([^)]+)\)", TEXT)
    assert targets
    assert set(targets) <= anchors
