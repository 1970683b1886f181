"""Candidates for rerankers: the user's, the published ones, and those of any data set."""

from __future__ import annotations

import copy
import gzip
import importlib
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks import candidates as module
from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.builtin import BUILTIN
from pytest_irbench.benchmarks.candidates import Candidates, read_candidates
from pytest_irbench.benchmarks.datasets import load_builtin, load_ir_datasets
from pytest_irbench.benchmarks.files import load_files
from pytest_irbench.errors import DataUnavailableError, InputError
from pytest_irbench.measures.tie_rule import ranked_rows
from pytest_irbench.runs.rerank import check_reranked
from pytest_irbench.runs.run import Run, read_run

# --- the user's own file -----------------------------------------------------------------------------

FILE = b"q1 Q0 d1 1 0.5 bm25\n007 Q0 d3 1 2 bm25\nq1 Q0 d2 2 7.5 bm25\nq9 Q0 d9 1 1 bm25\n"


def _load(folder: Path, content: bytes = FILE) -> Benchmark:
    (folder / "topics.tsv").write_bytes(b"q1\tred shoes\n007\tbond\n")
    (folder / "qrels.txt").write_bytes(b"q1 0 d1 1\n007 0 d2 2\n")
    (folder / "first.run").write_bytes(content)
    return load_files(
        "shop", folder / "topics.tsv", folder / "qrels.txt", candidates_path=folder / "first.run"
    )


def _fault(folder: Path, content: bytes) -> str:
    benchmark = _load(folder, content)
    with pytest.raises(InputError) as caught:
        benchmark.topics[0].candidates
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize("content", [FILE, FILE.replace(b"\n", b"\r\n"), gzip.compress(FILE, mtime=0)])
def test_candidates_are_best_first_by_score(tmp_path: Path, content: bytes) -> None:
    benchmark = _load(tmp_path, content)
    assert [topic.candidates for topic in benchmark.topics] == [("d2", "d1"), ("d3",)]


def test_a_benchmark_has_those_of_its_judged_topics(tmp_path: Path) -> None:
    candidates = _load(tmp_path).candidates
    assert dict(candidates) == {"q1": ("d2", "d1"), "007": ("d3",)}
    assert (len(candidates), repr(candidates)) == (2, "<Candidates>")


def test_a_benchmark_without_such_a_file_has_none(tmp_path: Path) -> None:
    _load(tmp_path)
    benchmark = load_files("shop", tmp_path / "topics.tsv", tmp_path / "qrels.txt")
    assert benchmark.candidates is None
    assert benchmark.topics[0].candidates is None


def test_the_file_is_read_when_first_needed_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    honest = module.read_contents
    monkeypatch.setattr(module, "read_contents", lambda path: reads.append(path) or honest(path))
    benchmark = _load(tmp_path)
    assert reads == []
    assert [topic.candidates for topic in benchmark.topics] == [*benchmark.candidates.values()]
    assert reads == [tmp_path / "first.run"]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda topic: pickle.loads(pickle.dumps(topic))])
def test_topics_in_another_process_find_theirs(tmp_path: Path, again: Callable[[Any], Any]) -> None:
    benchmark = _load(tmp_path)
    assert again(benchmark.topics[0]).candidates == ("d2", "d1")
    assert len(pickle.dumps(benchmark.topics[0])) < 1000


scored = st.dictionaries(
    st.text("ab1é𝄞", min_size=1, max_size=3),
    st.sampled_from([0.0, -0.0, 0.5, -1e-9, float("inf")]),
    min_size=1,
)


@given(docs=scored, data=st.data())
def test_the_order_is_that_of_a_ranked_run(
    tmp_path_factory: pytest.TempPathFactory, docs: dict[str, float], data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.run"
    lines = data.draw(st.permutations([f"q Q0 {doc} 0 {score!r} s\n" for doc, score in docs.items()]))
    path.write_text("".join(lines), encoding="utf-8")
    run = Run.from_mapping({"q": docs})
    expected = tuple(run.doc_ids[row] for row in ranked_rows(run, ["q"])["q"].tolist())
    assert read_candidates(path, ["q"])["q"] == expected


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (FILE + b"007 Q0 d8 1\n", "first.run:5: expected 6 columns (query_id Q0 doc_id rank score tag), got 4: '007 Q0 d8 1'"),
        (FILE + b"007 Q0 d8 1 nan bm25\n", "first.run:5: the score of document 'd8' for query '007' is NaN"),
        (FILE + b"q1 Q0 d2 1 3 bm25\n", "first.run:5: document 'd2' is a candidate of query 'q1' twice"),
        (FILE + b"007 Q0 d8 1 best bm25\n", "first.run:5: the score 'best' is not a number"),
        (FILE[:20], "first.run: judged queries without candidates: 1 ('007'): add theirs or drop their judgments"),
        (FILE.replace(b"q1", b"1").replace(b"007", b"7"), "first.run: no judged query has candidates: the file has '1', '7', 'q9', judged are 'q1', '007': use the ids of the qrels"),
        (b"\n", "first.run: has no candidates: did the step that makes them fail?"),
    ],
)  # fmt: skip
def test_faults_of_the_file_name_the_line_or_the_queries(tmp_path: Path, content: bytes, fault: str) -> None:
    assert _fault(tmp_path, content) == fault


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    benchmark = _load(tmp_path)
    (tmp_path / "first.run").unlink()
    with pytest.raises(InputError, match=r"first\.run: cannot be read: No such file"):
        len(benchmark.candidates)


def test_a_built_in_benchmark_can_be_given_others(tiny_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.run"
    path.write_text("1 Q0 12 1 1 s\n3 Q0 13 1 1 s\n")
    benchmark = load_builtin("dl19-passage")
    find = partial(read_candidates, path, benchmark.qrels.query_ids)
    benchmark = replace(benchmark, candidates=Candidates(find))
    assert [topic.candidates for topic in benchmark.topics] == [("12",), ("13",)]


# --- the published ones ------------------------------------------------------------------------------

PASSAGES = "msmarco-passage/trec-dl-2019/ms.run"
DOCUMENTS = "msmarco-document/trec-dl-2020/ms.run.gz"
EXTRACT = b"3\t30\n1\t10\n2\t20\n1\t9\n1\t11\n"
RUN = b"1 Q0 D10 1 -5.5 Indri\r\n3 Q0 D30 1 -1 Indri\r\n1 Q0 D11 2 -5.25 Indri\r\n1 Q0 D9 3 -6 Indri\r\n"


@pytest.fixture
def offered(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give dl19-passage candidates in the form of the passage tasks, dl20-passage in that of documents."""
    (tiny_home / PASSAGES).write_bytes(EXTRACT)
    (tiny_home / DOCUMENTS).parent.mkdir(parents=True)
    (tiny_home / DOCUMENTS).write_bytes(gzip.compress(RUN, mtime=0))
    for name, form in (("dl19-passage", "dl19-passage"), ("dl20-passage", "dl20-doc")):
        tiny = BUILTIN[name]._replace(candidates=BUILTIN[form].candidates, candidates_count=4)
        monkeypatch.setitem(BUILTIN, name, tiny)
    return tiny_home


def _candidates(name: str) -> list[tuple[str, ...] | None]:
    return [topic.candidates for topic in load_builtin(name).topics]


def test_candidates_without_scores_are_ordered_as_ties(offered: Path) -> None:
    assert _candidates("dl19-passage") == [("9", "11", "10"), ("30",)]


def test_candidates_with_scores_are_best_first(offered: Path) -> None:
    assert _candidates("dl20-passage") == [("D11", "D10", "D9"), ("D30",)]


@pytest.mark.parametrize("name", ["cast19", "cast21"])
def test_turns_have_no_candidates(tiny_home: Path, name: str) -> None:
    benchmark = load_builtin(name)
    assert benchmark.candidates is None
    assert benchmark.topics[0].candidates is None


def test_published_candidates_survive_the_way_to_another_process(offered: Path) -> None:
    topic = load_builtin("dl19-passage").topics[1]
    assert pickle.loads(pickle.dumps(topic)).candidates == ("30",)


@pytest.mark.parametrize(
    ("file", "name", "damage", "fault"),
    [
        (PASSAGES, "dl19-passage", lambda content: content[:15], "has 2 candidates for the judged topics, the published file has 4: truncated or edited"),
        (PASSAGES, "dl19-passage", lambda content: content + b"3\t31\n", "has 5 candidates for the judged topics, the published file has 4: edited"),
        (PASSAGES, "dl19-passage", lambda content: content + b"3\t30\n", "cannot be used (document '30' is a candidate of query '3' twice): edited"),
        (PASSAGES, "dl19-passage", lambda content: b"1\t10\twhat is it\tIt is a text\n", "cannot be read (cannot access local variable"),
        (PASSAGES, "dl19-passage", lambda content: b"1\t10\n1\t11\twhat is it\tIt is a text\n", "cannot be used (document '10' is a candidate of query '1' twice): edited"),
        (PASSAGES, "dl19-passage", lambda content: b"", "has 0 candidates"),
        (DOCUMENTS, "dl20-passage", lambda content: content[:-9], "cannot be read"),
        (DOCUMENTS, "dl20-passage", lambda content: RUN, "cannot be read (Not a gzipped file"),
    ],
)  # fmt: skip
def test_a_damaged_file_of_candidates_is_named(
    offered: Path, file: str, name: str, damage: Callable[[bytes], bytes], fault: str
) -> None:
    path = offered / file
    path.write_bytes(damage(path.read_bytes()))
    benchmark = load_builtin(name)
    with pytest.raises(DataUnavailableError) as caught:
        benchmark.topics[0].candidates
    message = str(caught.value)
    assert message.startswith(f"{path} ")
    assert fault in message
    assert message.endswith("; delete it and it is fetched again")


def test_without_a_network_the_benchmark_loads_and_the_candidates_say_where_they_go(
    offered: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    config = importlib.import_module("ir_datasets.util").DownloadConfig
    entry = config.context("msmarco-passage").contents()["trec-dl-2019/scoreddocs"]
    monkeypatch.setitem(entry, "url", "https://nowhere.invalid/top1000.tsv.gz")
    path = offered / PASSAGES
    path.unlink()
    benchmark = load_builtin("dl19-passage")
    with pytest.raises(DataUnavailableError) as caught:
        benchmark.topics[0].candidates
    assert str(caught.value) == (
        "the candidates of dl19-passage: ms.run is missing and could not be fetched "
        "(cannot reach host nowhere.invalid): put https://nowhere.invalid/top1000.tsv.gz "
        f"(unpacked, its first two columns alone) at {path}, "
        f"or set IR_DATASETS_HOME (now {offered}) to the folder that has the data"
    )
    assert "fetching top1000.tsv.gz for the candidates of dl19-passage from" in capfd.readouterr().err
    assert not path.exists()


def test_the_tracks_candidates_of_documents_are_its_baseline_run(
    published_home: Path, shared_data: Path
) -> None:
    benchmark = load_builtin("dl20-doc")
    assert {len(found) for found in benchmark.candidates.values()} == {100}
    run = read_run(shared_data / "runs" / "dl20-doc" / "indri-ql.trec.gz")
    for query_id, rows in ranked_rows(run, benchmark.qrels.query_ids).items():
        expected = tuple(run.doc_ids[row] for row in rows.tolist())
        assert benchmark.topics.by_id(query_id).candidates == expected
    check_reranked(run, benchmark)


# --- those of any data set ---------------------------------------------------------------------------


class _Query(NamedTuple):
    query_id: str
    text: str


class _Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class _Scored(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class _Handlers:
    """The three handlers of a data set."""

    def __init__(self, scored: list[_Scored]) -> None:
        self.scored = scored

    def queries_iter(self) -> Iterator[_Query]:
        return iter([_Query("a", "red shoes"), _Query("b", "socks")])

    def queries_cls(self) -> Any:
        return _Query

    def qrels_iter(self) -> Iterator[_Judgment]:
        return iter([_Judgment("a", "d1", 1), _Judgment("b", "d1", 1)])

    def scoreddocs_iter(self) -> Iterator[_Scored]:
        return iter(self.scored)

    def queries_handler(self) -> _Handlers:
        return self

    def qrels_handler(self) -> _Handlers:
        return self

    def scoreddocs_handler(self) -> _Handlers:
        return self


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Benchmark]:
    registry = importlib.import_module("ir_datasets").registry
    dataset = importlib.import_module("ir_datasets.datasets.base").Dataset

    def _register(*scored: _Scored) -> Benchmark:
        monkeypatch.setitem(registry._registered, "shop/test", dataset(_Handlers([*scored])))
        return load_ir_datasets("shop/test", "shop")

    return _register


def test_scored_documents_of_a_data_set_are_its_candidates(register: Callable[..., Benchmark]) -> None:
    benchmark = register(_Scored("a", "d1", 1), _Scored("a", "d2", 2), _Scored("c", "d1", 1))
    assert dict(benchmark.candidates) == {"a": ("d2", "d1"), "b": ()}
    assert [topic.candidates for topic in benchmark.topics] == [("d2", "d1"), ()]


def test_scored_documents_that_stand_twice_are_refused(register: Callable[..., Benchmark]) -> None:
    benchmark = register(_Scored("a", "d1", 1), _Scored("a", "d1", 2))
    with pytest.raises(DataUnavailableError, match=r"shop/test cannot be used \(document 'd1' .* twice\)"):
        benchmark.topics[0].candidates


def test_a_data_set_without_scored_documents_has_no_candidates(published_home: Path) -> None:
    assert load_ir_datasets("trec-cast/v1/2020/judged", "cast20").candidates is None
