"""What is judged: topics, and the benchmark that holds them with its qrels and its protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

from pytest_irbench.errors import InputError, IrbenchError

Utterance: TypeAlias = Literal["raw", "manual", "automatic"]
UTTERANCES: tuple[Utterance, ...] = get_args(Utterance)
"""Which texts a turn may have."""
Offered: TypeAlias = Sequence[str] | Callable[[], Sequence[str] | None] | None
"""The candidates of a topic, or what finds them."""

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.qrels import Qrels
    from pytest_irbench.runs.run import Run


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of a conversation, as a system may see it.

    Attributes
    ----------
    query_id
        The id of the turn, for instance ``31_3``.
    utterance
        What the user said, raw.
    response
        The text of the track's canonical response, or None where the track gives none.
    response_id
        The id of the passage or document that holds the response, or None.
    """

    query_id: str
    utterance: str
    response: str | None = None
    response_id: str | None = None


class Topic(str):  # noqa: SLOT000 - a str with attributes needs its __dict__
    """One query to ask: a `str` (the query text) that knows its id and, for turns, its conversation.

    Parameters
    ----------
    text
        The query text; for a turn its raw utterance.
    query_id
        The id under which qrels and runs know it.
    conversation, turn
        The conversation's id and the turn's number in it, or None outside conversations.
    history
        The earlier turns of the conversation, first to last.
    manual
        The rewrite by the track's organisers, a callable that finds it when first needed, or None.
    automatic
        The track's automatic rewrite, or None.
    candidates
        The doc_ids that a reranker may put in another order, best first; a callable that finds them when
        first needed, or None.
    """

    query_id: str
    conversation: str | None
    turn: int | None
    history: tuple[Turn, ...]
    automatic: str | None
    _raw: str
    _manual: str | Callable[[], str | None] | None
    _candidates: Offered

    def __new__(
        cls,
        text: str,
        query_id: str,
        *,
        conversation: str | None = None,
        turn: int | None = None,
        history: Sequence[Turn] = (),
        manual: str | Callable[[], str | None] | None = None,
        automatic: str | None = None,
        candidates: Offered = None,
    ) -> Self:
        """Make the topic: a `str` takes its text here."""
        topic = super().__new__(cls, text)
        topic.query_id = query_id
        topic._raw = text
        topic.conversation = conversation
        topic.turn = turn
        topic.history = tuple(history)
        topic._manual = manual
        topic.automatic = automatic
        topic._candidates = candidates
        return topic

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, Any]]:
        # A system may hand its topics to other processes.
        return (str(self), self.query_id), {}

    def __repr__(self) -> str:
        return f"Topic({str(self)!r}, query_id={self.query_id!r})"

    @property
    def raw(self) -> str:
        """The text as the user said it."""
        return self._raw

    @property
    def manual(self) -> str | None:
        """The organisers' rewrite, or None; finding it may load a file.

        Raises
        ------
        DataUnavailableError
            When the track's file of rewrites can't be had.
        """
        return self._manual() if callable(self._manual) else self._manual

    @property
    def candidates(self) -> tuple[str, ...] | None:
        """The doc_ids that a reranker may put in another order, best first, or None where there are none.

        Finding them may load a file. `saying` and copies keep them.

        Raises
        ------
        InputError
            When the user's file of candidates is malformed.
        DataUnavailableError
            When the published file of candidates can't be had.
        """
        found = self._candidates() if callable(self._candidates) else self._candidates
        return None if found is None else tuple(found)

    def offering(self, candidates: Offered) -> Topic:
        """Return the topic with other candidates.

        Parameters
        ----------
        candidates
            Doc_ids, best first; a callable that finds them when first needed, or None.
        """
        topic = copy(self)
        topic.__dict__["_candidates"] = candidates
        return topic

    def saying(self, utterance: Utterance) -> Topic:
        """Return the topic with another of its texts.

        Parameters
        ----------
        utterance
            ``raw``, ``manual`` or ``automatic``.

        Raises
        ------
        InputError
            When it has no such text.
        DataUnavailableError
            When the track's file of rewrites can't be had.
        """
        text: str | None = getattr(self, utterance)
        if text is None:
            raise InputError(f"query {self.query_id!r} has no {utterance} utterance: take utterance raw")
        topic = Topic(text, self.query_id)
        # With all that it knows, its raw text too.
        topic.__dict__.update(self.__dict__)
        return topic


def asked_text(topic: Topic | None, utterance: Utterance) -> str:
    """Return the words that were asked, or those of the topic where a run file was made of others."""
    try:
        return str(topic.saying(utterance)) if topic else ""
    except IrbenchError:
        return str(topic)


class Topics(Sequence[Topic]):
    """The topics of a benchmark in their order, also found by ``query_id``."""

    def __init__(self, topics: Sequence[Topic]) -> None:
        self._topics = tuple(topics)
        self._by_id: Mapping[str, Topic] = {topic.query_id: topic for topic in self._topics}

    def __getitem__(self, index: Any) -> Any:
        return self._topics[index]

    def __len__(self) -> int:
        return len(self._topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self._topics)

    def by_id(self, query_id: str) -> Topic | None:
        """Return the topic with this id, or None."""
        return self._by_id.get(query_id)

    def offering(self, candidates: Mapping[str, Sequence[str]]) -> Topics:
        """Return the topics with the candidates that stand here under their ids.

        Parameters
        ----------
        candidates
            query_id -> doc_ids, looked up when first needed. A topic that it lacks has an empty tuple.
        """
        return Topics([topic.offering(partial(candidates.get, topic.query_id, ())) for topic in self])

    @cached_property
    def sha256(self) -> str:
        """Pin of the topics: sha256 of their canonical form.

        One line per topic, ``query_id``, tab, text with its blanks folded, in order of ``query_id``.
        """
        from hashlib import sha256  # loads OpenSSL

        lines = sorted(f"{t.query_id}\t{' '.join(t.split())}\n" for t in self._topics)
        return sha256("".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Benchmark:
    """Topics, qrels and the protocol by which systems are compared on them.

    Attributes
    ----------
    name
        For instance ``dl20-passage``.
    topics
        The judged topics.
    qrels
        The judgments.
    relevance_level
        The lowest grade that counts as relevant for binary measures.
    depth
        How many documents per topic the protocol asks for.
    measures
        The text of the benchmark's measures, the primary one first.
    description
        One line for people.
    candidates
        query_id -> the doc_ids that a reranker may put in another order, best first; None where there
        are none. Its topics know theirs.
    extra_qrels
        Further judgments of the same topics by name, each at its own relevance level.
    """

    name: str
    topics: Topics
    qrels: Qrels
    relevance_level: int = 1
    depth: int = 1000
    measures: tuple[str, ...] = ("nDCG@10", "AP", "RR")
    description: str = field(default="", compare=False)
    candidates: Mapping[str, Sequence[str]] | None = field(default=None, compare=False)
    extra_qrels: Mapping[str, Qrels] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        # Handed on alone, the judgments still know what a bare AP means on them.
        object.__setattr__(self, "qrels", self.qrels.at_level(self.relevance_level))
        if self.candidates is not None:
            # Handed to a system alone, a topic still knows what it may be answered with.
            object.__setattr__(self, "topics", self.topics.offering(self.candidates))

    def __repr__(self) -> str:
        return f"<Benchmark {self.name}: {len(self.topics)} topics>"

    def retrieve(
        self,
        system: Any,
        depth: int | None = None,
        *,
        name: str | None = None,
        concurrency: int = 1,
        timeout: float | None = None,
        duplicates: Literal["error", "first"] = "error",
        utterance: Utterance = "raw",
    ) -> Run:
        """Ask `system` for every topic; see `pytest_irbench.runs.retrieve.retrieve`."""
        # The one step down-hill: sugar for users, kept out of the data's way by the late import.
        from pytest_irbench.runs.retrieve import retrieve

        return retrieve(
            self,
            system,
            depth=depth,
            name=name,
            concurrency=concurrency,
            timeout=timeout,
            duplicates=duplicates,
            utterance=utterance,
        )
