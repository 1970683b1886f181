"""Extra label sets: other judgments of the same topics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_irbench.benchmarks import extra_qrels as module
from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.extra_qrels import ExtraQrels
from pytest_irbench.benchmarks.files import load_files
from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate

LABELS = b"q1 0 d1 1\nq8 0 d1 1\nq9 0 d1 1\n"
RUN = {"q1": {"d2": 2.0, "d1": 1.0}, "007": {"d2": 1.0}}


def _load(folder: Path, labels: bytes = LABELS, name: str = "sparse") -> Benchmark:
    (folder / "topics.tsv").write_bytes(b"q1\tred shoes\n007\tbond\n")
    (folder / "qrels.txt").write_bytes(b"q1 0 d2 2\n007 0 d2 2\n")
    (folder / "labels.txt").write_bytes(labels)
    return load_files(
        "shop", folder / "topics.tsv", folder / "qrels.txt", 2, extra_qrels={name: folder / "labels.txt"}
    )


def _fault(folder: Path, labels: bytes) -> str:
    benchmark = _load(folder, labels)
    with pytest.raises(InputError) as caught:
        benchmark.extra_qrels["sparse"]
    return str(caught.value).replace(f"{folder}/", "")


def test_a_run_is_measured_on_either_set(tmp_path: Path) -> None:
    benchmark = _load(tmp_path)
    assert evaluate(RUN, benchmark.qrels, ["RR"]).means == {"RR(rel=2)": 1.0}
    assert evaluate(RUN, benchmark.extra_qrels["sparse"], ["RR"]).means == {"RR": 0.5}


def test_an_extra_set_has_its_own_level_unless_the_measure_says_another(tmp_path: Path) -> None:
    benchmark = _load(tmp_path)
    sparse = benchmark.extra_qrels["sparse"]
    assert (benchmark.qrels.relevance_level, sparse.relevance_level) == (2, 1)
    assert evaluate(RUN, sparse, ["RR(rel=2)"]).means == {"RR(rel=2)": 0.0}


def test_judgments_of_queries_without_a_topic_are_left_out_and_counted(tmp_path: Path) -> None:
    sparse = _load(tmp_path).extra_qrels["sparse"]
    assert (sparse.query_ids, sparse.left_out) == (("q1",), 2)


def test_a_set_is_read_when_first_needed_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    honest = module.read_qrels
    monkeypatch.setattr(module, "read_qrels", lambda path: reads.append(path.name) or honest(path))
    extra = _load(tmp_path).extra_qrels
    assert ([*extra], len(extra), "sparse" in extra, "dense" in extra) == (["sparse"], 1, True, False)
    assert repr(extra) == "<ExtraQrels: sparse>"
    assert reads == []
    assert extra["sparse"] is extra["sparse"]
    assert reads == ["labels.txt"]


def test_a_benchmark_has_no_extra_set_unless_it_is_given_one(tmp_path: Path) -> None:
    _load(tmp_path)
    benchmark = load_files("shop", tmp_path / "topics.tsv", tmp_path / "qrels.txt")
    assert benchmark.extra_qrels == {}
    extra = ExtraQrels({"sparse": str(tmp_path / "labels.txt")}, benchmark.qrels.query_ids)
    assert replace(benchmark, extra_qrels=extra).extra_qrels["sparse"]["q1"] == {"d1": 1}


def test_an_unknown_set_is_a_key_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="dense"):
        _load(tmp_path).extra_qrels["dense"]


@pytest.mark.parametrize("name", ["", "1st", "ms marco", "a-b", "é"])
def test_names_of_sets_are_identifiers(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        _load(tmp_path, name=name)
    assert str(caught.value) == (
        f"'{name}' can't be the name of a label set: use letters, digits and underscores, such as sparse"
    )


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        (LABELS + b"q1 0 d3 0.5\n", "labels.txt:4: the relevance '0.5' is not a whole number"),
        (LABELS + b"q1 0 d1 0\n", "labels.txt:4: document 'd1' is judged twice for query 'q1': 1 and 0: keep one of the lines"),
        (b"1 0 d1 1\n", "labels.txt: judges no topic of the benchmark: it has '1', the topics are 'q1', '007': use the ids of the topics"),
        (b"", "labels.txt: has no judgments"),
    ],
)  # fmt: skip
def test_faults_of_a_set_name_file_and_line(tmp_path: Path, labels: bytes, fault: str) -> None:
    assert _fault(tmp_path, labels) == fault
