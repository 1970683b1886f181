"""Loading through ir_datasets: turns, damage, absence."""

from __future__ import annotations

import gzip
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_irbench.benchmarks import importing, rewrites
from pytest_irbench.benchmarks.datasets import load_builtin, load_ir_datasets
from pytest_irbench.benchmarks.handlers import files_of
from pytest_irbench.benchmarks.home import data_home, is_on_disk
from pytest_irbench.errors import DataUnavailableError, InputError

QRELS = "trec-cast/2019/2019qrels.txt"
TOPICS = "trec-cast/2019/evaluation_topics_v1.0.json"


def _entry(area: str, key: str) -> dict[str, Any]:
    config = importlib.import_module("ir_datasets.util").DownloadConfig
    entry: dict[str, Any] = config.context(area).contents()[key]
    return entry


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the publishers to a host that is promised never to exist."""
    monkeypatch.setenv("NO_PROXY", "*")
    for area, key in (
        ("trec-cast", "2019/eval/queries"),
        ("trec-cast", "2019/eval/qrels"),
        ("msmarco-passage", "trec-dl-2019/queries"),
    ):
        entry = _entry(area, key)
        monkeypatch.setitem(entry, "url", f"https://nowhere.invalid/data/{entry['url'].rpartition('/')[2]}")
        monkeypatch.delitem(entry, "irds_mirror", raising=False)


def _failure(name: str) -> str:
    with pytest.raises(DataUnavailableError) as caught:
        load_builtin(name)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_turns_have_history_and_scored_topics_are_the_judged_ones(tiny_home: Path) -> None:
    benchmark = load_builtin("cast19")
    assert [topic.query_id for topic in benchmark.topics] == ["31_1", "31_3"]
    last = benchmark.topics[1]
    assert (last.conversation, last.turn) == ("31", 3)
    assert [turn.utterance for turn in last.history] == ["What are sharks?", "Are they endangered? "]


def test_canonical_responses_are_in_the_history(tiny_home: Path) -> None:
    (topic,) = load_builtin("cast21").topics
    (first,) = topic.history
    assert (first.response, first.response_id) == ("answer 1", "MARCO_D59865-7")
    assert (topic.manual, topic.automatic) == ("manual 2", "automatic 2")


@pytest.mark.parametrize("name", ["dl19-passage", "dl20-passage"])
def test_plain_and_gzipped_queries_are_read(tiny_home: Path, name: str) -> None:
    benchmark = load_builtin(name)
    assert [(topic.query_id, topic) for topic in benchmark.topics] == [
        ("1", "do goldfish grow"),
        ("3", "what is it"),
    ]


def test_loading_says_nothing(tiny_home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_builtin("cast21")
    assert capfd.readouterr() == ("", "")


def test_manual_rewrites_are_read_when_first_needed(
    tiny_home: Path, tiny_rewrites: bytes, offline: None
) -> None:
    topic = load_builtin("cast19").topics[1]
    path = tiny_home / "trec-cast" / "2019" / rewrites.FILE_NAME
    with pytest.raises(
        DataUnavailableError, match=r"manual rewrites of cast19.*cannot reach host nowhere\.invalid"
    ):
        _ = topic.manual
    path.write_bytes(tiny_rewrites)
    assert topic.manual == "Tell me more about sharks."


def test_edited_manual_rewrites_are_refused(tiny_home: Path, tiny_rewrites: bytes) -> None:
    path = tiny_home / "trec-cast" / "2019" / rewrites.FILE_NAME
    path.write_bytes(tiny_rewrites[:-9])
    with pytest.raises(DataUnavailableError, match="is not the published file: truncated or edited"):
        _ = load_builtin("cast19").topics[1].manual


@pytest.mark.parametrize(
    ("file", "name", "damage", "fault"),
    [
        (QRELS, "cast19", lambda content: content[:-1] + b"\n31_1 Q0 CAR_9 1\n", "has 4 judgments, the published file has 3: edited"),
        (QRELS, "cast19", lambda content: content[: content.index(b"\n") + 1], "has 1 judgments, the published file has 3: truncated"),
        (QRELS, "cast19", lambda content: content[:-3], "expected 4 columns, got 3"),
        (QRELS, "cast19", lambda content: content.replace(b" 3", b" 2"), "has 3 judgments as published, but other ids or grades: edited"),
        (QRELS, "cast19", lambda content: content.replace(b" 3", b" 0.5"), "0.5"),
        (QRELS, "cast19", lambda content: content + b"31_1 Q0 CAR_1 2\n", "judged twice"),
        (QRELS, "cast19", lambda content: b"", "is empty (0 bytes)"),
        (TOPICS, "cast19", lambda content: content[:-40], "cannot be read"),
        (TOPICS, "cast19", lambda content: b"", "is empty (0 bytes)"),
        (TOPICS, "cast19", lambda content: b'{"number": 1}', "cannot be read"),
        (TOPICS, "cast19", lambda content: content.replace(b"more", b"less"), "text of some is not the published one"),
        ("msmarco-passage/trec-dl-2019/queries.tsv", "dl19-passage", lambda content: content[:19], "has 1 of the 2 judged topics"),
        ("msmarco-passage/trec-dl-2019/queries.tsv", "dl19-passage", lambda content: b"\xff\xfe\n", "cannot be read"),
        ("msmarco-passage/trec-dl-2020/queries.tsv.gz", "dl20-passage", lambda content: content[:-12], "cannot be read"),
        ("msmarco-passage/trec-dl-2020/queries.tsv.gz", "dl20-passage", gzip.decompress, "cannot be read"),
        ("msmarco-passage/trec-dl-2020/queries.tsv.gz", "dl20-passage", lambda content: b"", "has 0 of the 2 judged topics"),
    ],
)  # fmt: skip
def test_damaged_file_is_named_with_what_is_wrong(
    tiny_home: Path, file: str, name: str, damage: Callable[[bytes], bytes], fault: str
) -> None:
    path = tiny_home / file
    path.write_bytes(damage(path.read_bytes()))
    message = _failure(name)
    assert message.startswith(f"{path} ")
    assert fault in message
    assert message.endswith("delete it and it is fetched again")


def test_offline_failure_says_what_is_missing_where_it_goes_and_why(
    tiny_home: Path, offline: None, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tiny_home / QRELS
    path.unlink()
    assert _failure("cast19") == (
        "cast19: 2019qrels.txt is missing and could not be fetched (cannot reach host nowhere.invalid): "
        f"put https://nowhere.invalid/data/2019qrels.txt at {path}, "
        f"or set IR_DATASETS_HOME (now {tiny_home}) to the folder that has the data"
    )
    assert capfd.readouterr().err == (
        f"irbench: fetching 2019qrels.txt for cast19 from nowhere.invalid into {path.parent}\n"
    )


def test_offline_failure_names_every_missing_file_at_once(tiny_home: Path, offline: None) -> None:
    for file in (QRELS, TOPICS):
        (tiny_home / file).unlink()
    assert "evaluation_topics_v1.0.json and 2019qrels.txt are missing" in _failure("cast19")


def test_terms_of_the_publisher_are_shown_before_fetching(
    tiny_home: Path, offline: None, capfd: pytest.CaptureFixture[str]
) -> None:
    (tiny_home / "msmarco-passage/trec-dl-2019/queries.tsv").unlink()
    assert "msmarco-test2019-queries.tsv.gz (unpacked) at" in _failure("dl19-passage")
    assert "MSMARCO data usage agreement" in capfd.readouterr().err


def test_nothing_is_left_behind_by_a_failed_fetch(tiny_home: Path, offline: None) -> None:
    (tiny_home / QRELS).unlink()
    _failure("cast19")
    assert {path.name for path in (tiny_home / QRELS).parent.iterdir()} == {"evaluation_topics_v1.0.json"}
    assert "IR_DATASETS_DL_DISABLE_PBAR" not in os.environ


def test_folder_that_cannot_be_made_is_said(
    tiny_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "file" / "home"))
    assert "cannot write" in _failure("cast19")
    with pytest.raises(DataUnavailableError, match="must write into its folder"):
        load_ir_datasets("trec-cast/v1/2019", "mine")


def test_file_that_ir_datasets_cannot_import_beside_is_said(
    tiny_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise PermissionError(13, "Permission denied", "/data/nyt")

    monkeypatch.setattr(importing, "import_module", refuse)
    assert "cannot create its folders ([Errno 13] Permission denied: '/data/nyt')" in _failure("cast19")


def test_folder_that_cannot_be_written_is_left_alone_by_the_import(tmp_path: Path) -> None:
    code = (
        "import os; from pathlib import Path; from pytest_irbench.benchmarks import home, importing\n"
        "importing.is_writable = lambda home: False\n"
        "importing.import_ir_datasets(home.data_home())\n"
        "print(os.environ['IR_DATASETS_HOME'])"
    )
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "IR_DATASETS_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(home)
    assert [*home.iterdir()] == []


def test_presence_is_told_from_the_paths(tiny_home: Path) -> None:
    assert is_on_disk("cast19")
    (tiny_home / QRELS).unlink()
    assert not is_on_disk("cast19")


def test_data_folder_is_in_the_users_home_unless_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("IR_DATASETS_HOME")
    assert data_home() == tmp_path / ".ir_datasets"


@pytest.mark.parametrize("ask", [is_on_disk, load_builtin])
def test_unknown_name_is_refused(ask: Callable[[str], object]) -> None:
    with pytest.raises(InputError, match=r"unknown benchmark 'dl20doc', did you mean 'dl20-doc'\?"):
        ask("dl20doc")


# --- any id of ir_datasets ---------------------------------------------------------------------------


class _Query(NamedTuple):
    query_id: str
    text: str


class _Link(NamedTuple):
    query_id: str
    doc_id: str


class _Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float


class _Handlers:
    """The two handlers of a data set, from records."""

    def __init__(self, queries: list[Any], qrels: list[_Judgment]) -> None:
        self.queries, self.qrels = queries, qrels

    def queries_iter(self) -> Iterator[Any]:
        return iter(self.queries)

    def queries_cls(self) -> Any:
        return type(self.queries[0])

    def qrels_iter(self) -> Iterator[_Judgment]:
        return iter(self.qrels)

    def queries_handler(self) -> _Handlers:
        return self

    def qrels_handler(self) -> _Handlers:
        return self


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    registry = importlib.import_module("ir_datasets").registry
    dataset = importlib.import_module("ir_datasets.datasets.base").Dataset

    def _register(queries: list[Any], qrels: list[_Judgment]) -> str:
        monkeypatch.setitem(registry._registered, "shop/test", dataset(_Handlers(queries, qrels)))
        return "shop/test"

    return _register


def test_registered_data_set_keeps_its_judged_queries(register: Callable[..., str]) -> None:
    dataset_id = register([_Query("a", "red shoes"), _Query("b", "socks")], [_Judgment("a", "d1", 2)])
    benchmark = load_ir_datasets(dataset_id, "shop", relevance_level=2, depth=50, description="Our shop")
    assert [(topic.query_id, topic) for topic in benchmark.topics] == [("a", "red shoes")]
    assert (benchmark.name, benchmark.relevance_level, benchmark.depth) == ("shop", 2, 50)


def test_registered_data_set_with_fractional_grades_is_refused(register: Callable[..., str]) -> None:
    dataset_id = register([_Query("a", "red shoes")], [_Judgment("a", "d1", 0.5)])
    with pytest.raises(InputError, match=r"shop/test: the relevance 0\.5 .* is not a whole number"):
        load_ir_datasets(dataset_id, "shop")


def test_registered_data_set_whose_queries_have_no_text_is_refused(register: Callable[..., str]) -> None:
    dataset_id = register([_Link("a", "d7")], [_Judgment("a", "d1", 1)])
    with pytest.raises(InputError, match=r"no text \(fields: query_id, doc_id\)"):
        load_ir_datasets(dataset_id, "shop")


def test_registered_data_set_with_a_judged_query_of_unknown_text_is_refused(
    register: Callable[..., str],
) -> None:
    dataset_id = register([_Query("a", "red shoes")], [_Judgment("a", "d1", 1), _Judgment("b", "d1", 1)])
    with pytest.raises(InputError, match="1 judged queries have no topic: 'b'"):
        load_ir_datasets(dataset_id, "shop")


def test_unknown_id_suggests_near_ones() -> None:
    with pytest.raises(
        InputError, match=r"no data set 'beir/scifact/tset', did you mean 'beir/scifact/test'"
    ):
        load_ir_datasets("beir/scifact/tset", "mine")


def test_unknown_id_without_near_ones_points_to_the_catalogue() -> None:
    with pytest.raises(InputError, match=r"no data set '\?\?\?': see https://ir-datasets\.com"):
        load_ir_datasets("???", "mine")


def test_id_without_queries_suggests_its_parts() -> None:
    with pytest.raises(InputError, match=r"has no queries and no qrels: try 'msmarco-document/dev'"):
        load_ir_datasets("msmarco-document", "mine")


@pytest.mark.parametrize(
    "dataset_id", ["msmarco-document/trec-dl-2019", "msmarco-passage/dev/small", "beir/scifact/test"]
)
def test_registered_data_set_tells_its_files(dataset_id: str) -> None:
    dataset = importlib.import_module("ir_datasets").registry[dataset_id]
    files = [*files_of(dataset.queries_handler()), *files_of(dataset.qrels_handler())]
    assert len(files) == 2
    assert all(file.url.startswith("https://") for file in files)


def test_damaged_file_of_a_registered_data_set_is_named(ir_datasets_home: Path) -> None:
    folder = ir_datasets_home / "trec-cast" / "2019"
    folder.mkdir(parents=True, exist_ok=True)
    topics, qrels = folder / "train_topics_v1.0.json", folder / "train_topics_mod.qrel"
    topics.write_text("[]")
    qrels.write_text("31_1 0 MARCO_1\n")
    try:
        with pytest.raises(DataUnavailableError, match=r"train_topics_mod\.qrel cannot be read"):
            load_ir_datasets("trec-cast/v0/train", "mine")
    finally:
        topics.unlink()
        qrels.unlink()
