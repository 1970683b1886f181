"""Small benchmarks in the exact formats of the published files."""

from __future__ import annotations

import gzip
import importlib
import json
from hashlib import md5
from pathlib import Path

import pytest

from pytest_irbench.benchmarks import rewrites
from pytest_irbench.benchmarks.benchmark import Topic, Topics
from pytest_irbench.benchmarks.builtin import BUILTIN
from pytest_irbench.benchmarks.qrels import Qrels

CAST19 = [
    {
        "number": 31,
        "description": "Comparing sharks.",
        "turn": [
            {"number": 1, "raw_utterance": "What are sharks?"},
            {"number": 2, "raw_utterance": "Are they endangered? "},
            {"number": 3, "raw_utterance": "Tell me more."},
        ],
        "title": "sharks",
    }
]
CAST21 = [
    {
        "number": 106,
        "turn": [
            {
                "number": number,
                "raw_utterance": raw,
                "passage": f"answer {number}",
                "manual_rewritten_utterance": f"manual {number}",
                "canonical_result_id": "MARCO_D59865",
                "passage_id": 6 + number,
                "automatic_rewritten_utterance": f"automatic {number}",
            }
            for number, raw in ((1, "What types are there?"), (2, "How deadly is it?"))
        ],
    }
]
CAST19_QRELS = "31_1 Q0 CAR_1 0\n31_3 Q0 MARCO_2 3\n31_3 Q0 CAR_1 1\n"
CAST21_QRELS = "106_2 0 KILT_105219 2\n106_2 0 MARCO_D1 0\n"
DL_QUERIES = "1\tdo goldfish grow\n2\tnot judged\n3\twhat is it\n"
DL_QRELS = "1 Q0 10 0\n1 Q0 11 3\n3 Q0 10 2\n"
REWRITES = "31_1\tWhat are sharks?\r\n31_2\tAre sharks endangered?\r\n31_3\tTell me more about sharks.\r\n"

FILES = {
    "trec-cast/2019/evaluation_topics_v1.0.json": json.dumps(CAST19).encode(),
    "trec-cast/2019/2019qrels.txt": CAST19_QRELS.encode(),
    "trec-cast/2021/2021_manual_evaluation_topics_v1.0.json": json.dumps(CAST21).encode(),
    "trec-cast/2021/trec-cast-qrels-docs.2021.qrel": CAST21_QRELS.encode(),
    "msmarco-passage/trec-dl-2019/queries.tsv": DL_QUERIES.encode(),
    "msmarco-passage/trec-dl-2019/qrels": DL_QRELS.encode(),
    "msmarco-passage/trec-dl-2020/queries.tsv.gz": gzip.compress(DL_QUERIES.encode(), mtime=0),
    "msmarco-passage/trec-dl-2020/qrels": DL_QRELS.encode(),
}


@pytest.fixture(scope="session", autouse=True)
def _imported(ir_datasets_home: Path) -> None:
    """Bind ir_datasets to the session's folder before a test points to another one."""
    importlib.import_module("ir_datasets")


@pytest.fixture
def tiny_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder where cast19, cast21, dl19-passage and dl20-passage are tiny, and pinned so."""
    home = tmp_path / "home"
    for name, content in FILES.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))
    pin_tiny(monkeypatch)
    return home


@pytest.fixture
def tiny_rewrites() -> bytes:
    """The file of manual rewrites that belongs to the tiny cast19."""
    return REWRITES.encode()


def pin_tiny(patch: pytest.MonkeyPatch) -> None:
    """Make the tiny data the published one."""
    cast19 = {"31_1": "What are sharks?", "31_3": "Tell me more."}
    dl = {"1": "do goldfish grow", "3": "what is it"}
    _pin(patch, "cast19", cast19, CAST19_QRELS)
    _pin(patch, "cast21", {"106_2": "How deadly is it?"}, CAST21_QRELS)
    _pin(patch, "dl19-passage", dl, DL_QRELS)
    _pin(patch, "dl20-passage", dl, DL_QRELS)
    patch.setattr(rewrites, "FILE_MD5", md5(REWRITES.encode(), usedforsecurity=False).hexdigest())


def _pin(patch: pytest.MonkeyPatch, name: str, texts: dict[str, str], qrels_text: str) -> None:
    rows = [line.split() for line in qrels_text.splitlines()]
    qrels = Qrels.from_rows((query_id, doc_id, int(grade)) for query_id, _, doc_id, grade in rows)
    topics = Topics([Topic(text, query_id) for query_id, text in texts.items()])
    pinned = BUILTIN[name]._replace(
        judged=len(topics),
        judgments=len(qrels),
        topics_sha256=topics.sha256,
        qrels_sha256=qrels.sha256,
    )
    patch.setitem(BUILTIN, name, pinned)
