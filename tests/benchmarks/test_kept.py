"""A built-in benchmark is kept beside its data, and is the same when it is read again."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_irbench.benchmarks import datasets, rewrites
from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.datasets import load_builtin


def everything(benchmark: Benchmark) -> object:
    topics = [
        (t.raw, t.query_id, t.conversation, t.turn, t.history, t.manual, t.automatic)
        for t in benchmark.topics
    ]
    return topics, benchmark.qrels.canonical, benchmark.qrels.query_ids, benchmark.relevance_level


def kept_files(home: Path) -> list[Path]:
    return sorted((home / ".irbench").glob("*"))


@pytest.mark.parametrize("name", ["cast19", "cast21", "dl19-passage", "dl20-passage"])
def test_what_was_kept_is_what_was_loaded(
    tiny_home: Path, tiny_rewrites: bytes, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tiny_home / "trec-cast" / "2019" / rewrites.FILE_NAME
    path.write_bytes(tiny_rewrites)
    first = everything(load_builtin(name))
    (kept,) = kept_files(tiny_home)
    assert kept.name.startswith(f"{name}-")
    monkeypatch.setattr(datasets, "_load_published", lambda *_: pytest.fail("was loaded again"))
    assert everything(load_builtin(name)) == first


def test_a_kept_turn_finds_its_rewrite_in_another_process(tiny_home: Path, tiny_rewrites: bytes) -> None:
    (tiny_home / "trec-cast" / "2019" / rewrites.FILE_NAME).write_bytes(tiny_rewrites)
    for _ in ("loaded", "kept"):
        topic = pickle.loads(pickle.dumps(load_builtin("cast19").topics[1]))
        assert topic.manual == "Tell me more about sharks."


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-20],
        lambda content: content.replace(b"goldfish", b"goldfisk"),
        lambda content: b"\xff" + content,
        lambda content: b"[]",
    ],
)
def test_what_was_kept_and_is_damaged_is_not_used(tiny_home: Path, damage) -> None:
    first = everything(load_builtin("dl19-passage"))
    (kept,) = kept_files(tiny_home)
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))
    assert everything(load_builtin("dl19-passage")) == first
    assert kept.read_bytes() == whole


def test_where_nothing_can_be_written_nothing_is_kept(tiny_home: Path) -> None:
    (tiny_home / ".irbench").write_text("a file")
    assert len(load_builtin("dl19-passage").topics) == 2
    assert len(load_builtin("dl19-passage").topics) == 2


def test_a_second_session_does_not_import_ir_datasets(published_home: Path) -> None:
    code = (
        "import sys; from pytest_irbench import load_builtin; "
        "benchmark = load_builtin('dl20-doc'); print(len(benchmark.topics), 'ir_datasets' in sys.modules)"
    )
    environment = os.environ | {"IR_DATASETS_HOME": str(published_home)}
    printed = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert printed[1] == "45 False\n"
