"""Doc-id spaces: what a mapping makes of a run."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.doc_ids import (
    IDENTITY,
    PASSAGE_TO_DOCUMENT,
    DocIds,
    map_ids,
    map_run,
    parse_doc_ids,
)
from pytest_irbench.runs.run import Run, read_run

NO_PREFIX = parse_doc_ids({"pattern": "^MARCO_", "replace": ""})


def mapped(docs: dict[str, float], mapping: DocIds = PASSAGE_TO_DOCUMENT) -> dict[str, float]:
    return map_run(Run.from_mapping({"q": docs}), mapping).to_mapping()["q"]


# What a gate says.


def test_the_text_of_a_mapping_is_what_reports_print() -> None:
    assert str(parse_doc_ids("identity")) == "identity"
    assert str(parse_doc_ids("passage_to_document")) == "passage_to_document"
    assert str(parse_doc_ids({"replace": "D", "pattern": "^"})) == "pattern '^' -> 'D'"


def test_equal_mappings_are_equal() -> None:
    assert parse_doc_ids("identity") == IDENTITY
    assert parse_doc_ids("passage_to_document") == PASSAGE_TO_DOCUMENT
    assert parse_doc_ids({"pattern": "^MARCO_", "replace": ""}) == NO_PREFIX
    assert len({IDENTITY, PASSAGE_TO_DOCUMENT, NO_PREFIX}) == 3


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("strip", "'strip'"),
        ("", "''"),
        (None, "None"),
        (["identity"], "['identity']"),
        ({}, "{}"),
        ({"pattern": "^D"}, "{'pattern': '^D'}"),
        ({"pattern": "^D", "replace": 1}, "{'pattern': '^D', 'replace': 1}"),
        (
            {"pattern": "^D", "replace": "", "flags": "i"},
            "{'pattern': '^D', 'replace': '', 'flags': 'i'}",
        ),
    ],
)
def test_anything_else_is_refused_with_what_there_is(value: Any, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_doc_ids(value)
    expected = "doc_id is identity, passage_to_document or {pattern: REGEX, replace: TEXT}, not "
    assert str(caught.value) == expected + shown


def test_a_typo_is_told_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="not 'passage_to_doc', did you mean 'passage_to_document'[?]"):
        parse_doc_ids("passage_to_doc")


def test_a_pattern_that_does_not_compile_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        parse_doc_ids({"pattern": "(D", "replace": ""})
    assert str(caught.value) == (
        "the pattern '(D' of doc_id is no regular expression: missing ), unterminated subpattern at position 0"
    )


@pytest.mark.parametrize("pattern", ["a{99999999999999999999}", "(" * 5000 + ")" * 5000])
def test_a_pattern_beyond_what_python_can_compile_is_refused(pattern: str) -> None:
    with pytest.raises(InputError, match="of doc_id is no regular expression: "):
        parse_doc_ids({"pattern": pattern, "replace": ""})


def test_a_replacement_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(InputError, match="the replace of doc_id .* is not valid Unicode"):
        parse_doc_ids({"pattern": "^", "replace": "\ud800"})


@pytest.mark.parametrize("template", [r"\2", r"\g<name>", r"\q"])
def test_a_template_that_names_no_group_is_refused_before_there_is_a_run(template: str) -> None:
    with pytest.raises(
        InputError, match=re.escape(f"the text {template!r} cannot replace '^(D)' of doc_id:")
    ):
        parse_doc_ids({"pattern": "^(D)", "replace": template})


# Passages.


@pytest.mark.parametrize(
    ("passage", "document"),
    [
        ("MARCO_D59865-7", "MARCO_D59865"),
        ("WAPO_1cf6896e-94d0-11e4-927a-4fa2638cd1b0-12", "WAPO_1cf6896e-94d0-11e4-927a-4fa2638cd1b0"),
        ("a-1-2", "a-1"),
        ("a--1", "a-"),
        ("a-1", "a"),
        ("ä-00012345678901234567890", "ä"),
        ("a-", "a-"),
        ("a1", "a1"),
        ("a-1b", "a-1b"),
        ("a-1 ", "a-1 "),
        ("a-١", "a-١"),
        ("-1", "-1"),
        ("12", "12"),
        ("", ""),
    ],
)
def test_one_dash_and_digits_at_the_end_are_cut_off(passage: str, document: str) -> None:
    assert mapped({passage: 1.0}) == {document: 1.0}


@given(st.lists(st.text("a-01\n٣", max_size=12)))
def test_it_is_what_a_regular_expression_would_cut_off(ids: list[str]) -> None:
    cut = map_ids(Ids.from_strings(ids), PASSAGE_TO_DOCUMENT).to_list()
    assert cut == [re.sub(r"(?<=.)-[0-9]+\Z", "", doc_id, flags=re.DOTALL) for doc_id in ids]


def test_a_document_has_the_score_of_its_best_passage() -> None:
    assert mapped({"d-1": 1.0, "e-1": 2.0, "d-2": 3.0, "d-3": -math.inf, "d": 2.5}) == {"e": 2.0, "d": 3.0}


def test_documents_are_ranked_by_their_best_passage() -> None:
    run = Run.from_mapping({"q": {"d-9": 5.0, "e-1": 4.0, "d-1": 3.0, "c-1": 2.0}})
    scores = evaluate(map_run(run, PASSAGE_TO_DOCUMENT), {"q": {"c": 1}}, ["RR", "NumRet"])
    assert scores.means == {"RR": pytest.approx(1 / 3), "NumRet": 3}


def test_passages_of_one_document_in_two_queries_stay_apart() -> None:
    run = Run.from_mapping({"q1": {"d-1": 1.0}, "none": {}, "q2": {"d-2": 2.0, "d-3": 3.0}})
    assert map_run(run, PASSAGE_TO_DOCUMENT).to_mapping() == {"q1": {"d": 1.0}, "none": {}, "q2": {"d": 3.0}}


passages = st.sampled_from(["d", "d-1", "d-2", "d-1-1", "e-1", "e-12", "f"])
rankings = st.dictionaries(passages, st.sampled_from([-math.inf, -1.0, 0.0, 0.5, math.inf]))


@given(st.dictionaries(st.sampled_from(["1", "2", "3"]), rankings))
def test_every_document_of_every_query_has_its_maximum(mapping: dict[str, dict[str, float]]) -> None:
    expected: dict[str, dict[str, float]] = {}
    for query_id, docs in mapping.items():
        best = expected.setdefault(query_id, {})
        for passage, score in docs.items():
            document = re.sub("-[0-9]+$", "", passage)
            best[document] = max(score, best.get(document, -math.inf))
    assert map_run(Run.from_mapping(mapping), PASSAGE_TO_DOCUMENT).to_mapping() == expected


def test_documents_with_one_hash_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ids, "hashes", property(lambda ids: 0 * ids.starts.astype("u8")))
    run = Run.from_pairs({"q": [("d-1", 1.0), ("e-1", 2.0), ("d-2", 3.0)]})
    assert map_run(run, PASSAGE_TO_DOCUMENT).to_mapping() == {"q": {"e": 2.0, "d": 3.0}}


# Patterns.


def test_a_pattern_is_replaced_wherever_it_matches() -> None:
    assert mapped({"MARCO_a": 1.0, "b": 2.0}, NO_PREFIX) == {"a": 1.0, "b": 2.0}
    groups = parse_doc_ids({"pattern": r"^(\w+):(\d+)/\d+$", "replace": r"\1-\2"})
    assert mapped({"shop:12/3": 1.0, "shop:7/1": 0.5}, groups) == {"shop-12": 1.0, "shop-7": 0.5}


def test_two_ids_that_a_pattern_makes_one_have_the_best_score() -> None:
    assert mapped({"MARCO_a": 1.0, "a": 2.0, "b": 0.0}, NO_PREFIX) == {"a": 2.0, "b": 0.0}


def test_a_pattern_that_matches_no_id_is_refused() -> None:
    run = Run.from_mapping({"q": {"D1": 1.0, "D2": 2.0}}, "bm25")
    with pytest.raises(InputError) as caught:
        map_run(run, NO_PREFIX)
    assert str(caught.value) == (
        "doc_id: pattern '^MARCO_' -> '' matches no id of run bm25, which has ids like 'D1': "
        "correct the pattern or leave it out"
    )


def test_a_pattern_that_leaves_nothing_of_an_id_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        mapped({"MARCO_a": 1.0, "MARCO_": 2.0}, NO_PREFIX)
    assert str(caught.value) == (
        "doc_id: pattern '^MARCO_' -> '' leaves nothing of the id 'MARCO_' of run run"
    )


def test_a_run_without_documents_is_not_the_fault_of_a_pattern() -> None:
    assert mapped({}, NO_PREFIX) == mapped({}) == {}


# Runs.


def test_identity_is_the_run_itself() -> None:
    run = Run.from_mapping({"q": {"d-1": 1.0}})
    assert map_run(run, IDENTITY) is run
    assert map_ids(run.doc_ids, IDENTITY) is run.doc_ids


def test_a_mapped_run_keeps_where_it_comes_from_and_the_run_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 d-1 1 2 bm25\nq Q0 d-2 1 1 bm25\n", encoding="utf-8")
    run = read_run(path)
    assert run.query_index == {"q": 0}
    other = map_run(run, PASSAGE_TO_DOCUMENT)
    assert (str(other), other.benchmark, other.query_index) == (f"bm25 ({path})", None, {"q": 0})
    assert (other.to_mapping(), len(run)) == ({"q": {"d": 2.0}}, 2)


def test_a_large_file_is_mapped_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 d-1 1 2 bm25\nq Q0 d-2 1 1 bm25\n", encoding="utf-8")
    monkeypatch.setattr("pytest_irbench.runs.run.LARGE", 1)
    assert map_run(read_run(path), PASSAGE_TO_DOCUMENT).to_mapping() == {"q": {"d": 2.0}}


@pytest.mark.usefixtures("published_home")
@pytest.mark.parametrize(
    ("name", "ndcg", "recall"), [("org-convdr", 0.3611, 0.4257), ("org-manual_ance", 0.5482, 0.5386)]
)
def test_passages_of_cast21_score_as_documents(
    shared_data: Path, name: str, ndcg: float, recall: float
) -> None:
    run = read_run(shared_data / "runs" / "cast21-passage-ids" / f"{name}.trec.gz")
    cast21 = load_builtin("cast21")
    assert evaluate(run, cast21, ["nDCG@3", "R@500"]).means == {"nDCG@3": 0, "R(rel=2)@500": 0}
    means = evaluate(map_run(run, PASSAGE_TO_DOCUMENT), cast21, ["nDCG@3", "R@500"]).means
    assert means == pytest.approx({"nDCG@3": ndcg, "R(rel=2)@500": recall}, abs=5e-5)
