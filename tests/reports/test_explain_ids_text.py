"""What is said of a run whose ids are not those of the judgments."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.measures.ranking import judge
from pytest_irbench.reports.explain_ids import explain_ids
from pytest_irbench.runs.doc_ids import PASSAGE_TO_DOCUMENT, map_run, parse_doc_ids
from pytest_irbench.runs.run import Run, read_run


def explained(returned: list[str], judged: list[str]) -> str | None:
    run = Run.from_mapping({"q": {doc_id: -float(place) for place, doc_id in enumerate(returned)}})
    return explain_ids(judge(run, Qrels.from_mapping({"q": dict.fromkeys(judged, 1)})))


@pytest.mark.parametrize(
    ("returned", "judged", "proposal"),
    [
        ("D1-7", "D1", "passage_to_document"),
        ("a-1-2", "a-1", "passage_to_document"),
        ("D1", "MARCO_D1", r"{pattern: '^(.+)$', replace: 'MARCO_\1'}"),
        ("1", "KILT_1", r"{pattern: '^(.+)$', replace: 'KILT_\1'}"),
        ("1", "D1", r"{pattern: '^(.+)$', replace: 'D\1'}"),
        ("1", "MARCO_D1", r"{pattern: '^(.+)$', replace: 'MARCO_D\1'}"),
        ("WAPO_a-b", "a-b", r"{pattern: '^(?:MARCO|CAR|WAPO|KILT)_(.+)$', replace: '\1'}"),
        ("D1", "1", r"{pattern: '^D(?=[0-9])(.+)$', replace: '\1'}"),
        ("1-7", "MARCO_D1", r"{pattern: '^(.+)-[0-9]+$', replace: 'MARCO_D\1'}"),
        ("CAR_b-1-2", "b-1", r"{pattern: '^(?:MARCO|CAR|WAPO|KILT)_(.+)-[0-9]+$', replace: '\1'}"),
        ("d1-7", "D1", "passage_to_document and if upper and lower case were as in the qrels: return the ids as they are judged"),
    ],
)  # fmt: skip
def test_the_mapping_that_helps_is_proposed_and_does_help(returned: str, judged: str, proposal: str) -> None:
    assert explained([returned], [judged, "x"]) == (
        "0 of 1 documents in the top 10 are judged for their query; 100% would be with doc_id: " + proposal
    )


def test_a_proposed_pattern_works_as_it_is_printed() -> None:
    text = str(explained(["1-7", "1-8", "2-1"], ["MARCO_D1"]))
    assert text.startswith("0 of 3 documents in the top 10 are judged for their query; 67% would be with")
    _, pattern, _, replace, _ = text.split("'")
    mapping = parse_doc_ids({"pattern": pattern, "replace": replace})
    run = map_run(Run.from_mapping({"q": {"1-7": 1.0, "1-8": 2.0}}), mapping)
    assert run.to_mapping() == {"q": {"MARCO_D1": 2.0}}


def test_letters_in_another_case_are_told() -> None:
    assert explained(["abc", "x"], ["ABC"]) == (
        "0 of 2 documents in the top 10 are judged for their query; 50% would be if upper and lower case were "
        "as in the qrels: return the ids as they are judged"
    )


def test_of_two_changes_the_simpler_is_proposed_unless_the_other_helps_clearly_more() -> None:
    plain = [f"a{place}-1" for place in range(9)]
    judged = [f"a{place}" for place in range(10)]
    assert str(explained([*plain, "A9-1"], judged)).endswith("90% would be with doc_id: passage_to_document")
    assert " 100% would be" in str(explained([*plain[:5], "A6-1", "A7-1", "A8-1"], judged))


@pytest.mark.parametrize(
    ("returned", "judged"),
    [
        (["a", "b", "c"], ["x", "y"]),  # other documents, the ids are the same
        (["a", "b-1"], ["a", "b"]),  # half is judged
        (["a", "b", "c", "d", "e-1"], ["a", "b", "e", "c"]),
        (["london", "a-b"], ["london-bridge", "c"]),  # whole ids have dashes, too
    ],
)
def test_nothing_is_said_where_nothing_would_help_clearly_or_enough_is_judged(
    returned: list[str], judged: list[str]
) -> None:
    assert explained(returned, judged) is None


def test_only_the_top_of_the_ranking_counts() -> None:
    assert explained([*"abcdefghij", "k-1"], [*"abcdefghij", "k"]) is None
    assert explained([*(f"{c}-1" for c in "abcdefghij"), "k"], [*"abcdefghij", "k"]) is not None


def test_ids_cut_at_their_first_dash_are_told() -> None:
    assert explained(["WAPO_1cf6896e", "MARCO_1"], ["WAPO_1cf6896e-94d0-11e4", "MARCO_1"]) == (
        "1 of 2 documents in the top 10 have ids cut at the first dash, as 'WAPO_1cf6896e' where an id that "
        "begins with 'WAPO_1cf6896e-' is judged: what told documents apart is lost, make the run anew with "
        "whole ids"
    )


def test_cut_ids_without_their_prefix_are_told_after_the_prefix() -> None:
    text = str(explained(["1cf6896e", "ab", "cd"], ["WAPO_1cf6896e-94d0", "WAPO_ab", "WAPO_cd"]))
    assert "67% would be with doc_id: {pattern: '^(.+)$', replace: 'WAPO_\\1'}. 1 of 3 documents" in text


def test_of_very_many_queries_some_are_tried() -> None:
    run = {f"q{number}": {f"d{number}": 2.0, f"e{number}": 1.0} for number in range(450)}
    qrels = {f"q{number}": {f"D{number}": 1, f"e{number}-1": 1} for number in range(450)}
    text = str(explain_ids(judge(Run.from_mapping(run), Qrels.from_mapping(qrels))))
    assert text.startswith(
        "0 of 900 documents in the top 10 are judged for their query; 50% of those of 150 queries would be if"
    )
    assert ". 150 of 300 documents in the top 10 of 150 queries have ids cut" in text


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_file_is_not_read_whole_unless_it_is_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    path = tmp_path / "x.run"
    content = b"".join(b"q%d Q0 d%d-1 1 2 bm25\n" % (query, query) for query in range(5))
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    monkeypatch.setattr("pytest_irbench.runs.run.LARGE", 1)
    run = read_run(path)
    judged = judge(run, Qrels.from_mapping({f"q{query}": {f"d{query}": 1} for query in range(4)}))
    assert "4 documents in the top 10 are judged for their query; 100%" in str(explain_ids(judged))
    assert (run.unread is None) == packed


# The published runs.


def explained_run(shared_data: Path, name: str, *, mapped: bool = False) -> str | None:
    folder = name.partition("/")[0]
    run = read_run(shared_data / "runs" / f"{name}.trec.gz")
    qrels = load_builtin(folder.removesuffix("-passage-ids")).qrels
    return explain_ids(judge(map_run(run, PASSAGE_TO_DOCUMENT) if mapped else run, qrels))


@pytest.mark.usefixtures("published_home")
@pytest.mark.parametrize(("name", "share"), [("org-convdr", "79%"), ("org-manual_ance", "86%")])
def test_passage_ids_of_cast21_find_their_mapping(shared_data: Path, name: str, share: str) -> None:
    name = f"cast21-passage-ids/{name}"
    assert explained_run(shared_data, name) == (
        f"0 of 1,580 documents in the top 10 are judged for their query; {share} would be with doc_id: "
        "passage_to_document"
    )
    assert explained_run(shared_data, name, mapped=True) is None


@pytest.mark.usefixtures("published_home")
@pytest.mark.parametrize(
    ("name", "many"),
    [
        ("org-convdr", 28),
        ("org-convdr_bert", 36),
        ("org-manual_ance", 26),
        ("org-manual_ance_bert", 25),
        ("iai-automatic-bm25-monot5", 33),
    ],
)
def test_cut_ids_of_cast21_are_found_though_most_documents_are_judged(
    shared_data: Path, name: str, many: int
) -> None:
    text = str(explained_run(shared_data, f"cast21/{name}"))
    assert text.startswith(
        f"{many} of 1,580 documents in the top 10 have ids cut at the first dash, as 'WAPO_"
    )
    assert "doc_id" not in text


@pytest.mark.usefixtures("published_home")
@pytest.mark.parametrize(
    "name",
    [
        "dl19-passage/bm25",
        "dl19-passage/splade",
        "dl19-doc/indri-ql-crlf",
        "dl20-passage/bm25",
        "dl20-passage/bm25-rankvicuna",
        "dl20-passage/repllama-rounded-scores",
        "dl20-passage/splade",
        "dl20-doc/bit-run2",
        "dl20-doc/indri-ql",
        "cast19/bert-raw",
        "cast19/bert-cv",
        "cast19/bert-oracle",
    ],
)
def test_nothing_is_said_of_healthy_runs(shared_data: Path, name: str) -> None:
    assert explained_run(shared_data, name) is None
