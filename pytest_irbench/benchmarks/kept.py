"""Built-in benchmarks as they were loaded before, kept beside the data of ir_datasets.

A second session need not import ir_datasets (a quarter of a second), nor read its formats. What is kept
is named after the pins of the published data and is checked against them again; what does not agree is
not used.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.benchmark import Topic, Topics, Turn
from pytest_irbench.benchmarks.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_irbench.benchmarks.builtin import BenchmarkInfo

    Rewrites = Callable[[str], str | None]

_VERSION = 1


def load_kept(info: BenchmarkInfo, home: Path, rewrites: Rewrites | None) -> tuple[Topics, Qrels] | None:
    """Return topics and qrels as they were kept, or None.

    Parameters
    ----------
    rewrites
        Finds the manual rewrite of a turn, where the benchmark has them in a file of its own.
    """
    try:
        check, _, content = _path(info, home).read_bytes().partition(b"\n")
        if check.decode() != sha256(content).hexdigest():
            return None
        kept = json.loads(content)
    except (OSError, ValueError):
        return None
    qrels = Qrels.from_canonical(kept["qrels"])
    turns = [Turn(*turn) for turn in kept["turns"]]
    topics = Topics([_topic(given, turns, rewrites) for given in kept["topics"]])
    pins = topics.sha256, sha256(kept["qrels"].encode()).hexdigest()
    return (topics, qrels) if pins == (info.topics_sha256, info.qrels_sha256) else None


def keep(info: BenchmarkInfo, home: Path, topics: Topics, qrels: Qrels, rewrites: Rewrites | None) -> None:
    """Keep topics and qrels for the next session; where nothing can be written, nothing is kept."""
    turns: dict[Turn, int] = {}
    given = [
        {
            "query_id": topic.query_id,
            "text": topic.raw,
            "conversation": topic.conversation,
            "turn": topic.turn,
            "automatic": topic.automatic,
            "manual": None if rewrites else topic.manual,
            "history": [turns.setdefault(turn, len(turns)) for turn in topic.history],
        }
        for topic in topics
    ]
    fields = [[turn.query_id, turn.utterance, turn.response, turn.response_id] for turn in turns]
    content = json.dumps({"topics": given, "turns": fields, "qrels": qrels.canonical}).encode()
    path = _path(info, home)
    half = path.with_name(f".{path.name}.{os.getpid()}.half")
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        half.write_bytes(sha256(content).hexdigest().encode() + b"\n" + content)
        half.replace(path)


def _path(info: BenchmarkInfo, home: Path) -> Path:
    pins = sha256(f"{_VERSION} {info.topics_sha256} {info.qrels_sha256}".encode()).hexdigest()
    return home / ".irbench" / f"{info.name}-{pins[:16]}.json"


def _topic(given: dict[str, Any], turns: list[Turn], rewrites: Rewrites | None) -> Topic:
    query_id = given["query_id"]
    return Topic(
        given["text"],
        query_id,
        conversation=given["conversation"],
        turn=given["turn"],
        history=[turns[index] for index in given["history"]],
        manual=partial(rewrites, query_id) if rewrites else given["manual"],
        automatic=given["automatic"],
    )
