"""Topics from a user's file, and the topics that a benchmark asks: the judged ones."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_irbench.benchmarks.benchmark import Topic, Topics
from pytest_irbench.benchmarks.conversations import read_utterances, with_history
from pytest_irbench.errors import InputError
from pytest_irbench.formats.windows import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_irbench.benchmarks.qrels import Qrels


def read_topics(path: str | Path) -> list[Topic]:
    """Read topics: CAsT-style JSON when the name ends in ``.json`` or ``.json.gz``, else TSV.

    A TSV file has ``query_id``, tab, text on each line. CRLF, a byte order mark, gzip and blank lines
    are fine.

    Raises
    ------
    InputError
        With the line, or the conversation and turn, of the first fault.
    """
    path = Path(path)
    if path.name.endswith((".json", ".json.gz")):
        return with_history(read_utterances(path))
    return _read_tsv(path)


def judged_topics(topics: Iterable[Topic], qrels: Qrels, source: str | Path | None = None) -> Topics:
    """Keep the topics that have judgments.

    Parameters
    ----------
    topics
        All topics.
    qrels
        The judgments.
    source
        Where the topics come from, for messages.

    Raises
    ------
    InputError
        When a judged query has no topic: it could not be asked, and would count 0 for ever.
    """
    topics = tuple(topics)
    judged = set(qrels.query_ids)
    kept = [topic for topic in topics if topic.query_id in judged]
    if not kept:
        theirs = some_ids(topic.query_id for topic in topics)
        raise InputError(
            f"no topic is judged: the topics have {theirs}, the qrels {some_ids(qrels.query_ids)}: "
            "use the ids of the qrels",
            source,
        )
    missing = judged - {topic.query_id for topic in kept}
    if missing:
        ids = some_ids(query_id for query_id in qrels.query_ids if query_id in missing)
        raise InputError(
            f"{len(missing)} judged queries have no topic: {ids}: add their text or drop their judgments",
            source,
        )
    return Topics(kept)


def some_ids(query_ids: Iterable[str]) -> str:
    """Name the first three of these ids."""
    ids = [repr(query_id) for query_id in islice(query_ids, 4)]
    return ", ".join(ids[:3]) + (", ..." if len(ids) > 3 else "")


def _read_tsv(path: Path) -> list[Topic]:
    topics: dict[str, Topic] = {}
    lines: dict[str, int] = {}
    # Lines end at a line feed only; other separators of Unicode may stand inside a text.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        query_id, tab, text = line.partition("\t")
        query_id, text = query_id.strip(), text.strip()
        if not tab:
            raise InputError(
                f"expected query_id, tab, text; there is no tab: {query_id[:80]!r}", path, number
            )
        if not query_id or not text:
            what = "query_id" if not query_id else f"text of topic {query_id!r}"
            raise InputError(f"the {what} is empty", path, number)
        if query_id in topics:
            first = lines[query_id]
            raise InputError(f"topic {query_id!r} is there twice, first in line {first}", path, number)
        topics[query_id], lines[query_id] = Topic(text, query_id), number
    if not topics:
        raise InputError("has no topics: expected lines of query_id, tab, text", path)
    return list(topics.values())
