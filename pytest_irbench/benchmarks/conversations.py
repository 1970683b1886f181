"""Turns of conversations: CAsT-style JSON in, topics with their history out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.benchmark import Topic, Turn
from pytest_irbench.errors import InputError
from pytest_irbench.formats.windows import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a user said in one turn, and what the track adds to it.

    Attributes
    ----------
    query_id, conversation, turn
        ``31_4`` is turn 4 of conversation 31.
    raw
        As the user said it.
    manual
        The organisers' rewrite, a callable that finds it when first needed, or None.
    automatic
        The track's automatic rewrite, or None.
    response, response_id
        Text and id of the canonical response, each None where the track gives none.
    """

    query_id: str
    conversation: str
    turn: int
    raw: str
    manual: str | Callable[[], str | None] | None = None
    automatic: str | None = None
    response: str | None = None
    response_id: str | None = None


def with_history(utterances: Iterable[Utterance]) -> list[Topic]:
    """Make a topic of each utterance; its history is all earlier turns of its conversation.

    Conversations keep the order in which they appear, the turns of each are ordered by number.
    """
    conversations: dict[str, list[Utterance]] = {}
    for utterance in utterances:
        conversations.setdefault(utterance.conversation, []).append(utterance)
    return [topic for turns in conversations.values() for topic in _topics_of_one(turns)]


def _topics_of_one(conversation: list[Utterance]) -> Iterator[Topic]:
    history: list[Turn] = []
    for said in sorted(conversation, key=lambda utterance: utterance.turn):
        yield Topic(
            said.raw,
            said.query_id,
            conversation=said.conversation,
            turn=said.turn,
            history=history,
            manual=said.manual,
            automatic=said.automatic,
        )
        history.append(Turn(said.query_id, said.raw, said.response, said.response_id))


def read_utterances(path: str | Path) -> list[Utterance]:
    """Read a CAsT-style JSON file of conversations, also gzipped.

    The file is a list of conversations, each with ``number`` and ``turn``, a list whose entries have
    ``number`` and ``raw_utterance`` and may have ``manual_rewritten_utterance``,
    ``automatic_rewritten_utterance``, ``passage``, ``canonical_result_id`` and ``passage_id``.

    Raises
    ------
    InputError
        With the conversation and turn, when something is missing, of a wrong type or twice there.
    """
    path = Path(path)
    conversations = _load_json(path)
    if not isinstance(conversations, list):
        raise InputError("expected a list of conversations, each with 'number' and 'turn'", path)
    utterances: dict[str, Utterance] = {}
    for position, conversation in enumerate(conversations, start=1):
        for utterance in _Reader(path, f"conversation {position} of the file").conversation(conversation):
            if utterance.query_id in utterances:
                place = f"conversation {utterance.conversation}, turn {utterance.turn}"
                raise InputError(f"{place} is there twice: give each turn its own number", path)
            utterances[utterance.query_id] = utterance
    if not utterances:
        raise InputError(
            "has no turns: expected a list of conversations, each with 'number' and 'turn'", path
        )
    return list(utterances.values())


def _load_json(path: Path) -> Any:
    content = read_bytes(path)
    if not content.strip():
        raise InputError("is empty: expected a list of conversations", path)
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise InputError(f"is not valid JSON: {error.msg}", path, error.lineno, error.colno) from None
    except RecursionError:
        raise InputError("is nested too deep: expected a list of conversations", path) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8: save the file as UTF-8", path, line) from None
    except ValueError as error:  # a number with thousands of digits
        raise InputError(f"is not valid JSON: {error}", path) from None


@dataclass(slots=True)
class _Reader:
    """Reads JSON values, knowing the place that faults are to name."""

    path: Path
    place: str

    def conversation(self, value: Any) -> Iterator[Utterance]:
        number = self.needed(self.mapping(value), "number")
        self.place = f"conversation {number}"
        turns = value.get("turn")
        if not isinstance(turns, list) or not turns:
            raise self.fault("'turn' must be a list of turns")
        for position, turn in enumerate(turns, start=1):
            self.place = f"conversation {number}, turn {position} of the list"
            yield self.utterance(number, self.mapping(turn))

    def utterance(self, conversation: str, turn: dict[str, Any]) -> Utterance:
        number = self.needed(turn, "number")
        if not (number.isascii() and number.isdigit()):
            raise self.fault(f"'number' must be a whole number, not {number!r}")
        self.place = f"conversation {conversation}, turn {number}"
        # CAsT 2020 writes the name of its canonical result in another way.
        result = self.text(turn, "canonical_result_id") or self.text(turn, "manual_canonical_result_id")
        passage = self.text(turn, "passage_id")
        return Utterance(
            f"{conversation}_{number}",
            conversation,
            int(number),
            self.needed(turn, "raw_utterance"),
            self.text(turn, "manual_rewritten_utterance"),
            self.text(turn, "automatic_rewritten_utterance"),
            self.text(turn, "passage"),
            f"{result}-{passage}" if result and passage else result,
        )

    def mapping(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fault(f"expected a mapping, got {type(value).__name__}")
        return value

    def needed(self, mapping: dict[str, Any], key: str) -> str:
        text = self.text(mapping, key)
        if text is None:
            raise self.fault(f"{key!r} is missing or empty")
        return text

    def text(self, mapping: dict[str, Any], key: str) -> str | None:
        """Return the value as text (a whole number as its digits), None when it is absent or blank."""
        value = mapping.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None and not isinstance(value, str):
            raise self.fault(f"{key!r} must be text, not {type(value).__name__}")
        return value if value and value.strip() else None

    def fault(self, message: str) -> InputError:
        return InputError(f"{self.place}: {message}", self.path)
