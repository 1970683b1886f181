"""Every value that trec_eval 10.0 printed on real runs, to its four decimals."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_irbench.benchmarks.qrels import Qrels, read_qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import Scores, evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.measures.ranking import judge
from pytest_irbench.runs.run import Run, read_run

RUNS = [
    "dl19-passage/bm25",
    "dl19-passage/splade",
    "dl20-passage/bm25",
    "dl20-passage/bm25-rankvicuna",
    "dl20-passage/splade",
    "dl20-passage/repllama-rounded-scores",
    "dl19-doc/indri-ql-crlf",
    "dl20-doc/indri-ql",
    "dl20-doc/bit-run2",
    "cast19/bert-raw",
    "cast19/bert-cv",
    "cast19/bert-oracle",
    "cast21/org-convdr",
    "cast21/org-convdr_bert",
    "cast21/org-manual_ance",
    "cast21/org-manual_ance_bert",
    "cast21/iai-automatic-bm25-monot5",
    "cast21-passage-ids/org-convdr",
    "cast21-passage-ids/org-manual_ance",
]
QRELS = {
    "dl19-passage": "msmarco-passage/trec-dl-2019/qrels",
    "dl20-passage": "msmarco-passage/trec-dl-2020/qrels",
    "dl19-doc": "msmarco-document/trec-dl-2019/qrels",
    "dl20-doc": "msmarco-document/trec-dl-2020/qrels",
    "cast19": "trec-cast/2019/2019qrels.txt",
    "cast21": "trec-cast/2021/trec-cast-qrels-docs.2021.qrel",
    "cast21-passage-ids": "trec-cast/2021/trec-cast-qrels-docs.2021.qrel",
}
PLAIN_NAMES = {
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_q": "NumQ",
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "rbp": "RBP(p=0.9)",
    "ndcg_1=3,2=9,4=4.5": "nDCG(gains={1:3,2:9,4:4.5})",
}
CUT_NAMES = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}

Printed = dict[str, dict[str, str]]
"""What trec_eval printed: its measure -> query ("all" for the mean) -> the number as text."""


def our_name(trec_eval_name: str) -> str | None:
    """Translate trec_eval's name of a measure, or return None when we have no such measure."""
    stem, _, cutoff = trec_eval_name.rpartition("_")
    if stem in CUT_NAMES and cutoff.isdecimal():
        return f"{CUT_NAMES[stem]}@{cutoff}"
    return PLAIN_NAMES.get(trec_eval_name)


def read_printed(lines: list[str]) -> Printed:
    printed: Printed = {}
    for line in lines:
        name, query_id, value = line.split(None, 2)
        printed.setdefault(name, {})[query_id] = value.strip()
    return printed


def as_printed(name: str, value: float) -> str:
    return f"{value:.0f}" if name.startswith("num_") else f"{value:.4f}"


def differences(scores: Scores, printed: Printed, ours: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """List every number that is not the printed one."""
    found = []
    for name, text in ours.items():
        values = {**scores[text], "all": scores.aggregate(Measure.parse(text, scores.relevance_level))}
        for query_id, expected in printed[name].items():
            got = as_printed(name, values[query_id])
            if got != expected:
                found.append((name, query_id, expected, got))
    return found


@pytest.fixture(scope="module")
def qrels_of(shared_data: Path) -> Callable[[str], Qrels]:
    """Qrels of a benchmark, each file read once."""
    loaded: dict[str, Qrels] = {}

    def get(benchmark: str) -> Qrels:
        name = QRELS[benchmark]
        if name not in loaded:
            loaded[name] = read_qrels(shared_data / "ir_datasets_home" / name)
        return loaded[name]

    return get


def test_every_run_with_a_reference_is_compared(shared_data: Path) -> None:
    reference = json.loads((shared_data / "runs/reference.json").read_text())
    expected = {name.removesuffix(".trec.gz") for name in reference if not name.endswith(".txt.gz")}
    assert set(RUNS) == expected


@pytest.mark.parametrize("name", RUNS)
def test_a_real_run_scores_as_trec_eval_says(
    name: str, shared_data: Path, qrels_of: Callable[[str], Qrels]
) -> None:
    folder = shared_data / "runs"
    entry = json.loads((folder / "reference.json").read_text())[f"{name}.trec.gz"]
    with gzip.open(folder / f"{name}.per-query.tsv.gz", "rt") as lines:
        printed = read_printed(list(lines))
    for measure, value in entry["values"].items():
        printed[measure]["all"] = as_printed(measure, value)
    ours = {measure: text for measure in entry["values"] if (text := our_name(measure))}
    assert len(ours) == len(entry["values"])
    scores = evaluate(
        read_run(folder / f"{name}.trec.gz"),
        qrels_of(name.split("/")[0]),
        ours.values(),
        relevance_level=entry["relevance_level"],
    )
    assert differences(scores, printed, ours) == []
    assert all(set(printed[measure]) >= set(scores.query_ids) for measure in ours if measure != "num_q")


def test_a_run_of_four_columns_is_refused_at_its_first_line(shared_data: Path) -> None:
    path = shared_data / "runs/dl20-passage/repllama-four-columns.txt.gz"
    with pytest.raises(InputError, match="expected 6 columns .* got 4") as caught:
        read_run(path)
    assert (caught.value.path, caught.value.line) == (path, 1)


def six_columns(path: Path) -> Run:
    """Read a results file of trec_eval's tests; behind the tag they hold junk, which we would refuse."""
    rows = [line.split()[:6] for line in path.read_text().splitlines()]
    run: dict[str, dict[str, float]] = {}
    for query_id, _, doc_id, _, score, _ in rows:
        run.setdefault(query_id, {})[doc_id] = float(score)
    return Run.from_mapping(run)


def cut(run: Run, qrels: Qrels, depth: int) -> Run:
    """Keep the first documents of each query, as trec_eval's ``-M`` does."""
    judged = judge(run, qrels)
    return Run.from_pairs(
        {
            query_id: [(doc, score) for doc, score, _ in judged.top(query_id, depth)]
            for query_id in run.query_ids
        }
    )


@pytest.mark.parametrize(
    ("output", "qrels_name", "run_name", "level", "depth", "measures"),
    [
        ("out.test.aq", "qrels.test", "results.test", 1, None, 52),
        ("out.test.aqc", "qrels.test", "results.trunc", 1, None, 52),
        ("out.test.aqcM", "qrels.test", "results.trunc", 1, 100, 52),
        ("out.test.aql", "qrels.rel_level", "results.test", 2, None, 51),
        ("out.test.meas_params", "qrels.test", "results.test", 1, None, 12),
    ],
)
def test_trec_evals_own_tests_pass(
    shared_data: Path,
    output: str,
    qrels_name: str,
    run_name: str,
    level: int,
    depth: int | None,
    measures: int,
) -> None:
    folder = shared_data / "trec_eval"
    printed = read_printed((folder / output).read_text().splitlines())
    qrels, run = read_qrels(folder / qrels_name), six_columns(folder / run_name)
    if depth is not None:
        run = cut(run, qrels, depth)
    ours = {name: text for name in printed if (text := our_name(name))}
    if level > 1:
        del ours["rbp"]  # trec_eval weighs its hits by their grade, so that only binary qrels agree
    assert len(ours) == measures
    scores = evaluate(run, qrels, ours.values(), relevance_level=level)
    assert differences(scores, printed, ours) == []


def test_the_plain_output_averages_over_the_same_queries(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    printed = read_printed((folder / "out.test").read_text().splitlines())
    ours = {name: text for name in printed if (text := our_name(name))}
    scores = evaluate(six_columns(folder / "results.test"), read_qrels(folder / "qrels.test"), ours.values())
    # Without -c trec_eval averages over the queries that both sides have; here these are all.
    assert scores.judged.missing == ()
    assert differences(scores, printed, ours) == []
