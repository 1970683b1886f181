"""What ir_datasets' readers return, made into topics and judgments.

Its records are named tuples whose fields differ from data set to data set; they are told apart by
their fields, so that nothing of ir_datasets is imported here.
"""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.benchmark import Topic
from pytest_irbench.benchmarks.conversations import Utterance, with_history
from pytest_irbench.benchmarks.published import unreadable
from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

# ir_datasets' readers check little and let through what their parsers of gzip, JSON, XML and numbers raise.
_CHOKES = (
    OSError,
    EOFError,
    zlib.error,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    RuntimeError,
    SyntaxError,
    # The reader of candidates uses names that it binds only for lines of a shape that it knows.
    NameError,
)


def read(rows: Callable[[], Iterable[Any]], place: Path | str) -> list[Any]:
    """Read all records.

    Parameters
    ----------
    rows
        ``queries_iter``, ``qrels_iter`` or ``scoreddocs_iter`` of a handler of ir_datasets.
    place
        The file, for messages, or the id of the data set.

    Raises
    ------
    DataUnavailableError
        When the reader chokes on the file.
    """
    try:
        from pytest_irbench.benchmarks.fetching import quiet

        with quiet():
            return list(rows())
    except _CHOKES as error:
        raise unreadable(place, error) from None


def judgments_in(records: Iterable[Any]) -> Iterator[tuple[str, str, int]]:
    """Make rows for `Qrels.from_rows` of qrels records."""
    return ((record.query_id, record.doc_id, record.relevance) for record in records)


def is_conversational(query_type: Any) -> bool:
    """Tell whether queries of this type are turns of conversations, as those of CAsT are."""
    return {"topic_number", "turn_number"} <= set(query_type._fields)


def topics_in(
    records: list[Any],
    rewrite: Callable[[str], str | None] | None = None,
    responses: Mapping[str, Utterance] | None = None,
) -> list[Topic]:
    """Make topics of query records.

    Parameters
    ----------
    records
        The queries; of conversations all turns, also unjudged ones.
    rewrite
        Finds the manual rewrite of a query_id, when the records don't have it.
    responses
        Utterances by query_id, whose canonical responses the records don't have.

    Raises
    ------
    InputError
        When the records have no text.
    """
    if not records or not is_conversational(type(records[0])):
        return [Topic(_text(record), record.query_id) for record in records]
    return with_history(_utterance(record, rewrite, responses or {}) for record in records)


def _utterance(
    record: Any, rewrite: Callable[[str], str | None] | None, responses: Mapping[str, Utterance]
) -> Utterance:
    said = responses.get(record.query_id)
    # CAsT 2020 tells the canonical result's id and not its text.
    result_id = getattr(record, "manual_canonical_result_id", None)
    manual = getattr(record, "manual_rewritten_utterance", None)
    return Utterance(
        record.query_id,
        str(record.topic_number),
        int(record.turn_number),
        _text(record),
        manual=partial(rewrite, record.query_id) if rewrite else manual,
        automatic=getattr(record, "automatic_rewritten_utterance", None),
        response=said.response if said else None,
        response_id=said.response_id if said else result_id,
    )


def _text(record: Any) -> str:
    text = record.default_text() if hasattr(record, "default_text") else getattr(record, "text", None)
    if not isinstance(text, str):
        raise InputError(f"the queries of this data set have no text (fields: {', '.join(record._fields)})")
    return text
