"""The handed cases on ranking, coverage, measures, judgments, formats and ids, on their own files.

Each case is a fault that people met. The same inputs stand as small tests beside the code they are
about; here the files themselves are read, and the numbers come from each case's own table.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels, read_qrels
from pytest_irbench.errors import InputError, SystemFailedError
from pytest_irbench.measures.evaluate import Scores, evaluate
from pytest_irbench.runs.retrieve import retrieve
from pytest_irbench.runs.run import Run, read_run

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
KINDS = {"ranking", "coverage", "measure", "judgements", "format", "ids"}
# A case's table of expected values stands under this heading, a row per query and one for the mean.
TABLE = re.compile(r"## Values \(qrels\.txt, run\.txt; [^\n]*\n\n((?:\|[^\n]*\n)+)")
RENAMED = {"nDCGexp@10": "nDCG(dcg='exp-log2')@10"}

WITH_VALUES = [
    *(
        "01-tie-docno-desc",
        "03-tie-digits-are-bytes",
        "04-near-tie-float32",
        "05-rank-column-contradicts-score",
    ),
    *("11-missing-query-mean", "14-unjudged-queries-in-run", "16-query-with-no-relevant"),
    *(
        "19-ndcg-linear-gain",
        "20-ndcg-ideal-from-all-judged",
        "22-ndcg-without-cutoff",
        "23-ap-cut-denominator",
    ),
    *("25-precision-short-list", "26-rr-cutoff", "27-relevance-level", "29-ncg", "31-negative-grades"),
    *("38-tabs-runs-of-blanks", "39-crlf", "46-leading-zeros", "48-collection-prefix"),
]
WITHOUT_VALUES = [
    *("07-nan-score", "08-int-and-numpy-scores", "10-duplicate-doc-in-run", "13-empty-ranking-in-dict"),
    *(
        "15-no-overlap",
        "28-judged-short-list",
        "33-float-grades",
        "35-columns-missing",
        "37-docid-with-space",
    ),
    *("42-gzip-run", "44-empty-run-file", "45-int-query-ids"),
]


@pytest.fixture(scope="module")
def cases() -> Path:
    """The folder of the handed cases."""
    if not CASES.is_dir():
        pytest.skip("the handed cases are not beside the repository (../shared/cases)")
    return CASES


def table(case: Path) -> list[dict[str, str]]:
    """Read the values of a case: a mapping column -> cell for each row."""
    found = TABLE.search((case / "case.md").read_text())
    if found is None:
        return []
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def score(case: Path, measures: list[str], run: str = "run.txt") -> Scores:
    return evaluate(read_run(case / run), read_qrels(case / "qrels.txt"), measures)


def refused(path: Path, line: int | None = None) -> str:
    """Read a run that must be refused at this line; return what is said."""
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert (caught.value.path, caught.value.line) == (path, line)
    return caught.value.message


def test_every_handed_case_of_these_kinds_is_here(cases: Path) -> None:
    of_our_kinds = {
        case.name
        for case in cases.iterdir()
        if case.is_dir()
        and re.findall(r"^- kind: (\w+)", (case / "case.md").read_text(), re.MULTILINE)[0] in KINDS
    }
    assert of_our_kinds == {*WITH_VALUES, *WITHOUT_VALUES}


@pytest.mark.parametrize("name", WITH_VALUES)
def test_values_are_those_of_the_case(cases: Path, name: str) -> None:
    rows = table(cases / name)
    columns = [column for column in rows[0] if column != "query"]
    scores = score(cases / name, [RENAMED.get(column, column) for column in columns])
    queries = [row["query"] for row in rows if not row["query"].startswith("mean")]
    assert queries == sorted(scores.query_ids)
    for row in rows:
        for column in columns:
            text = RENAMED.get(column, column)
            if row["query"] == "mean, intersection only":
                present = [v for q, v in scores[text].items() if q not in scores.judged.missing]
                value = math.fsum(present) / len(present)
            else:
                value = scores.means[text] if row["query"] == "mean" else scores[text][row["query"]]
            assert f"{value:.6f}" == row[column], (row["query"], text)


def test_ties_are_in_byte_order(cases: Path) -> None:
    scores = score(cases / "03-tie-digits-are-bytes", ["RR"])
    assert [doc for doc, _, _ in scores.judged.top("q1", 3)] == ["9", "100", "10"]


def test_near_ties_are_the_same_in_a_file_and_a_mapping(cases: Path) -> None:
    case = cases / "04-near-tie-float32"
    run = read_run(case / "run.txt").to_mapping()
    assert (
        evaluate(run, read_qrels(case / "qrels.txt"), ["RR"]).means
        == score(case, ["RR"]).means
        == {"RR": 1.0}
    )


def test_the_score_orders_not_the_rank_column(cases: Path) -> None:
    scores = score(cases / "05-rank-column-contradicts-score", ["RR"])
    assert [doc for doc, _, _ in scores.judged.top("q1", 6)] == ["p4", "p5", "p6", "p1", "p2", "p3"]


def test_nan_is_refused_and_infinity_has_its_place(cases: Path) -> None:
    case = cases / "07-nan-score"
    assert refused(case / "run.txt", 1) == "the score of document 'a' for query 'q1' is NaN"
    with pytest.raises(InputError, match="the score of document 'a' for query 'q1' is NaN"):
        Run.from_mapping({"q1": {"a": float("nan"), "b": 0.5}})
    scores = score(case, ["RR"], "run_inf.txt")
    assert scores.means == {"RR": 1.0}
    assert [doc for doc, _, _ in scores.judged.top("q1", 3)] == ["a", "b", "c"]


def names_of(snippet: Path) -> dict[str, Any]:
    """Run a case's snippet and return what it defines."""
    names: dict[str, Any] = {"np": np}
    exec(compile(snippet.read_text(), str(snippet), "exec"), names)
    return names


def test_scores_of_all_number_types_count(cases: Path) -> None:
    snippet = names_of(cases / "08-int-and-numpy-scores" / "snippet.py")
    assert len(snippet["runs"]) == 4
    for run in snippet["runs"]:
        means = evaluate(run, snippet["qrels"], ["nDCG@10", "RR", "AP"]).means
        assert {text: f"{value:.6f}" for text, value in means.items()} == {
            "nDCG@10": "0.760188",
            "RR": "1.000000",
            "AP": "0.833333",
        }
    refused_scores: list[Any] = [None, "3.0", float("nan")]
    for bad in refused_scores:
        with pytest.raises(InputError, match=r"document 'a' for query 'q1' is (NoneType|str|NaN)"):
            evaluate({"q1": {"a": bad}}, snippet["qrels"], ["RR"])


def test_a_document_twice_is_refused_from_a_file_and_from_a_callable(cases: Path) -> None:
    case = cases / "10-duplicate-doc-in-run"
    assert refused(case / "run.txt", 3) == "document 'a' is returned twice for query 'q1'"
    search = names_of(case / "snippet.py")["search"]
    benchmark = Benchmark("case", Topics([Topic("text", "q1")]), read_qrels(case / "qrels.txt"))
    with pytest.raises(SystemFailedError, match="document 'a' is returned twice for query 'q1'"):
        retrieve(benchmark, lambda topic, _k: search(topic))


def test_a_missing_query_is_named(cases: Path) -> None:
    assert score(cases / "11-missing-query-mean", ["RR"]).judged.missing == ("q3",)


def test_an_empty_ranking_counts_as_a_missing_query(cases: Path) -> None:
    snippet = names_of(cases / "13-empty-ranking-in-dict" / "snippet.py")
    for name, empty in (("run_x", "q3"), ("run_y", "q2")):
        scores = evaluate(snippet[name], snippet["qrels"], ["P@1", "RR"])
        assert scores.means == {"P@1": 0.75, "RR": 0.75}
        assert scores["P@1"] == {query: float(query != empty) for query in ("q1", "q2", "q3", "q4")}
        assert scores.judged.missing == (empty,)


def test_unjudged_queries_are_counted(cases: Path) -> None:
    assert score(cases / "14-unjudged-queries-in-run", ["RR"]).judged.extra == 2


def test_no_overlap_is_an_error_with_ids_of_both_sides(cases: Path) -> None:
    with pytest.raises(
        InputError, match=r"it answers '2024-1', '2024-2' …, judged are '2024-1\.0', '2024-2\.0' …"
    ):
        score(cases / "15-no-overlap", ["RR"])


def test_the_relevance_level_is_visible_and_leaves_ndcg_alone(cases: Path) -> None:
    case = cases / "27-relevance-level"
    run, qrels = read_run(case / "run.txt"), read_qrels(case / "qrels.txt")
    means = evaluate(run, qrels, ["AP", "nDCG@10"], relevance_level=2).means
    assert means == pytest.approx({"AP(rel=2)": 1 / 6, "nDCG@10": 0.420004}, abs=1e-6)


def test_judged_is_over_the_documents_returned(cases: Path) -> None:
    scores = score(cases / "28-judged-short-list", ["Judged@2", "Judged@10"])
    assert scores["Judged@2"] == {"q1": 0.5, "q2": 0.0}
    assert scores["Judged@10"] == {"q1": 0.75, "q2": 0.0}


def test_fractional_grades_are_refused_and_whole_floats_are_not(cases: Path) -> None:
    case = cases / "33-float-grades"
    with pytest.raises(InputError) as caught:
        read_qrels(case / "qrels.txt")
    assert str(caught.value) == f"{case / 'qrels.txt'}:1: the relevance '0.9' is not a whole number"
    assert read_qrels(case / "qrels_int_as_float.txt")["q1"] == {"a": 1, "b": 2}
    with pytest.raises(
        InputError, match=r"the relevance 0\.9 of document 'a' for query 'q1' is not a whole number"
    ):
        Qrels.from_mapping({"q1": {"a": 0.9}})  # type: ignore[dict-item]


def test_lines_of_another_shape_are_refused(cases: Path) -> None:
    case = cases / "35-columns-missing"
    columns = "expected 6 columns (query_id Q0 doc_id rank score tag)"
    assert refused(case / "run_no_tag.txt", 2) == f"{columns}, got 5: 'q1 Q0 b 2 1.0'"
    assert refused(case / "run_three_columns.txt", 1) == f"{columns}, got 3: 'q1\\ta\\t1'"
    assert refused(case / "run_bad_score.txt", 1) == "the score '0,9' is not a number"


def test_a_blank_in_a_doc_id_is_refused_in_a_file_and_right_in_a_mapping(cases: Path) -> None:
    case = cases / "37-docid-with-space"
    for name in ("run.txt", "run_tabs.txt"):
        assert "got 7" in refused(case / name, 1)
    run = {"q1": {"my doc": 9.5, "a": 3.0}}
    assert evaluate(run, read_qrels(case / "qrels.txt"), ["RR"]).means == {"RR": 0.5}


def test_a_carriage_return_is_no_part_of_the_last_field(cases: Path) -> None:
    assert read_run(cases / "39-crlf" / "run.txt").name == "s"


def test_a_packed_run_is_read(cases: Path) -> None:
    assert score(cases / "42-gzip-run", ["RR"], "run.txt.gz").means == {"RR": 0.5}


@pytest.mark.parametrize("name", ["run.txt", "run_blank.txt"])
def test_an_empty_run_file_is_an_error(cases: Path, name: str) -> None:
    assert refused(cases / "44-empty-run-file" / name) == "has no results: did the search step fail?"


def test_integer_ids_are_their_text(cases: Path) -> None:
    case = cases / "45-int-query-ids"
    scores = evaluate(names_of(case / "snippet.py")["run"], read_qrels(case / "qrels.txt"), ["RR"])
    assert scores["RR"] == {"1": 1.0, "2": 0.5}
    assert scores.means == {"RR": 0.75}


def test_a_run_of_other_ids_has_nothing_judged(cases: Path) -> None:
    scores = score(cases / "48-collection-prefix", ["Judged@3"])
    assert scores.means == {"Judged@3": 0.0}
    assert scores.judged.judged_within(3) == (0, 2)
