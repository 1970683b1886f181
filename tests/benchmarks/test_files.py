"""Benchmarks from the user's own files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.files import load_files
from pytest_irbench.benchmarks.topics import read_topics
from pytest_irbench.errors import InputError

TOPICS = b"q1\tred shoes\nq2\tnot judged\n007\tbond\n"
QRELS = b"q1 0 d1 1\n007 0 d2 2\n"


def _load(folder: Path, topics: bytes = TOPICS, qrels: bytes = QRELS, name: str = "topics.tsv") -> Benchmark:
    (folder / name).write_bytes(topics)
    (folder / "qrels.txt").write_bytes(qrels)
    return load_files("shop", folder / name, folder / "qrels.txt")


def _fault(folder: Path, topics: bytes = TOPICS, qrels: bytes = QRELS, name: str = "topics.tsv") -> str:
    with pytest.raises(InputError) as caught:
        _load(folder, topics, qrels, name)
    return str(caught.value).replace(f"{folder}/", "")


def _conversations(*turns: dict[str, Any], number: Any = 31) -> bytes:
    return json.dumps([{"number": number, "turn": list(turns)}]).encode()


def test_judged_topics_are_kept_in_file_order(tmp_path: Path) -> None:
    benchmark = _load(tmp_path)
    assert [(topic.query_id, topic) for topic in benchmark.topics] == [("q1", "red shoes"), ("007", "bond")]
    assert benchmark.qrels["007"] == {"d2": 2}


def test_protocol_is_the_users(tmp_path: Path) -> None:
    _load(tmp_path)
    benchmark = load_files(
        "shop", str(tmp_path / "topics.tsv"), str(tmp_path / "qrels.txt"), 2, 20, ("RR",), "Our shop"
    )
    assert (benchmark.relevance_level, benchmark.depth, benchmark.measures) == (2, 20, ("RR",))
    assert benchmark.description == "Our shop"


@pytest.mark.parametrize(
    "topics",
    [
        TOPICS.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + TOPICS,
        TOPICS.replace(b"\n", b"\n\n  \n"),
        TOPICS.rstrip(b"\n"),
        TOPICS.replace(b"red shoes", b"  red shoes "),
    ],
    ids=["crlf", "bom", "blank lines", "no last newline", "blanks around"],
)
def test_variants_of_tsv_mean_the_same(tmp_path: Path, topics: bytes) -> None:
    assert [*_load(tmp_path, topics).topics] == ["red shoes", "bond"]


def test_gzipped_topics_are_unpacked(tmp_path: Path) -> None:
    assert [*_load(tmp_path, gzip.compress(TOPICS, mtime=0), name="topics.tsv.gz").topics] == [
        "red shoes",
        "bond",
    ]


def test_text_keeps_further_tabs_and_unicode_line_separators(tmp_path: Path) -> None:
    (topic, _) = _load(tmp_path, TOPICS.replace(b"red shoes", "red\t\u2028schöne Schuhe".encode())).topics
    assert topic == "red\t\u2028schöne Schuhe"


@pytest.mark.parametrize(
    ("topics", "fault"),
    [
        (b"q1\tred shoes\n\nq2 no tab\n", "topics.tsv:3: expected query_id, tab, text; there is no tab: 'q2 no tab'"),
        (b"q1\tred\nq2\tblue\nq1\tgreen\n", "topics.tsv:3: topic 'q1' is there twice, first in line 1"),
        (b"q1\t \n", "topics.tsv:1: the text of topic 'q1' is empty"),
        (b"\tred shoes\n", "topics.tsv:1: the query_id is empty"),
        (b"q1\tred\nq2\tgr\xfcn\n", "topics.tsv:2: byte 0xfc is not UTF-8: save the file as UTF-8"),
        (b"\n \n", "topics.tsv: has no topics: expected lines of query_id, tab, text"),
        (b"", "topics.tsv: has no topics: expected lines of query_id, tab, text"),
    ],
)  # fmt: skip
def test_faults_of_tsv_name_the_line(tmp_path: Path, topics: bytes, fault: str) -> None:
    assert _fault(tmp_path, topics) == fault


def test_judged_queries_without_text_are_refused_with_three_ids(tmp_path: Path) -> None:
    qrels = QRELS + b"a 0 d 1\nb 0 d 1\nc 0 d 1\nd 0 d 1\n"
    assert _fault(tmp_path, qrels=qrels) == (
        "topics.tsv: 4 judged queries have no topic: 'a', 'b', 'c', ...: "
        "add their text or drop their judgments"
    )


def test_no_overlap_shows_three_ids_of_each_side(tmp_path: Path) -> None:
    assert _fault(tmp_path, qrels=b"2024-1 0 d 1\n2024-2 0 d 1\n") == (
        "topics.tsv: no topic is judged: the topics have 'q1', 'q2', '007', "
        "the qrels '2024-1', '2024-2': use the ids of the qrels"
    )


def test_empty_qrels_are_refused(tmp_path: Path) -> None:
    assert _fault(tmp_path, qrels=b"").startswith("qrels.txt: ")


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"qrels\.txt: cannot be read: No such file"):
        load_files("shop", tmp_path / "topics.tsv", tmp_path / "qrels.txt")


@pytest.mark.parametrize("name", ["topics.json", "topics.json.gz"])
def test_conversations_have_history_responses_and_rewrites(tmp_path: Path, name: str) -> None:
    content = _conversations(
        {
            "number": 1,
            "raw_utterance": "What are sharks?",
            "passage": "Fish.",
            "canonical_result_id": "MARCO_D1",
            "passage_id": 7,
        },
        {
            "number": "2",
            "raw_utterance": "Are they big?",
            "manual_rewritten_utterance": "Are sharks big?",
            "automatic_rewritten_utterance": "Are sharks they big?",
        },
    )
    packed = gzip.compress(content, mtime=0) if name.endswith(".gz") else content
    (topic,) = _load(tmp_path, packed, b"31_2 0 d 1\n", name).topics
    (first,) = topic.history
    assert (topic.query_id, topic.conversation, topic.turn) == ("31_2", "31", 2)
    assert (first.query_id, first.utterance) == ("31_1", "What are sharks?")
    assert (first.response, first.response_id) == ("Fish.", "MARCO_D1-7")
    assert (topic.manual, topic.automatic) == ("Are sharks big?", "Are sharks they big?")


def test_turns_are_ordered_by_number_not_by_place(tmp_path: Path) -> None:
    turns = ({"number": number, "raw_utterance": f"turn {number}"} for number in (10, 2, 1))
    (topic,) = _load(tmp_path, _conversations(*turns), b"31_10 0 d 1\n", "topics.json").topics
    assert [turn.query_id for turn in topic.history] == ["31_1", "31_2"]


def test_ids_of_conversations_stay_text(tmp_path: Path) -> None:
    content = _conversations({"number": "01", "raw_utterance": "hello"}, number="007")
    (topic,) = _load(tmp_path, content, b"007_01 0 d 1\n", "topics.json").topics
    assert (topic.conversation, topic.turn) == ("007", 1)


def test_response_without_passage_is_the_document(tmp_path: Path) -> None:
    content = _conversations(
        {"number": 1, "raw_utterance": "a", "canonical_result_id": "D1"}, {"number": 2, "raw_utterance": "b"}
    )
    (topic,) = _load(tmp_path, content, b"31_2 0 d 1\n", "topics.json").topics
    assert (topic.history[0].response, topic.history[0].response_id) == (None, "D1")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "topics.json: is empty: expected a list of conversations"),
        (b'[{"number": 1,\n "turn" []}]', "topics.json:2:9: is not valid JSON: Expecting ':' delimiter"),
        (b'["\n\xff"]', "topics.json:2: is not UTF-8: save the file as UTF-8"),
        (b"{}", "topics.json: expected a list of conversations, each with 'number' and 'turn'"),
        (b"[]", "topics.json: has no turns: expected a list of conversations, each with 'number' and 'turn'"),
        (b"[3]", "topics.json: conversation 1 of the file: expected a mapping, got int"),
        (b'[{"turn": []}]', "topics.json: conversation 1 of the file: 'number' is missing or empty"),
        (b'[{"number": 31, "turn": []}]', "topics.json: conversation 31: 'turn' must be a list of turns"),
        (_conversations({"raw_utterance": "a"}), "topics.json: conversation 31, turn 1 of the list: 'number' is missing or empty"),
        (_conversations({"number": "b"}), "topics.json: conversation 31, turn 1 of the list: 'number' must be a whole number, not 'b'"),
        (_conversations({"number": True}), "topics.json: conversation 31, turn 1 of the list: 'number' must be text, not bool"),
        (_conversations({"number": 4}), "topics.json: conversation 31, turn 4: 'raw_utterance' is missing or empty"),
        (_conversations({"number": 4, "raw_utterance": " "}), "topics.json: conversation 31, turn 4: 'raw_utterance' is missing or empty"),
        (_conversations({"number": 4, "raw_utterance": "a", "passage": []}), "topics.json: conversation 31, turn 4: 'passage' must be text, not list"),
        (_conversations(*[{"number": 4, "raw_utterance": "a"}] * 2), "topics.json: conversation 31, turn 4 is there twice: give each turn its own number"),
    ],
)  # fmt: skip
def test_faults_of_json_name_conversation_and_turn(tmp_path: Path, content: bytes, fault: str) -> None:
    assert _fault(tmp_path, content, name="topics.json") == fault


def test_published_conversations_read_as_ir_datasets_reads_them(published_home: Path) -> None:
    path = published_home / "trec-cast" / "2021" / "2021_manual_evaluation_topics_v1.0.json"
    topics = read_topics(path)
    assert (len(topics), topics[0].query_id) == (239, "106_1")
    assert len({topic.conversation for topic in topics}) == 26


def test_published_conversations_without_manual_rewrites_are_read(shared_data: Path) -> None:
    topics = read_topics(shared_data / "extra" / "2021_automatic_evaluation_topics_v1.0.json")
    assert all(topic.manual is None and topic.automatic for topic in topics)
