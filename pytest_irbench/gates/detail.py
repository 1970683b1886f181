"""What the reports of a gate show beyond its verdicts: values of both sides query by query, first documents.

Plain data, so that it crosses processes. `detailed.py` makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TOP = 10
"""How many documents of a ranking are shown."""


class Document(NamedTuple):
    """A document of a ranking.

    Attributes
    ----------
    doc_id
        As the run has it, once mapped.
    grade
        That of the qrels, or None when it is unjudged.
    elsewhere
        Its rank on the other side, from 1; None when it is not returned there, or there is no other side.
    """

    doc_id: str
    grade: int | None
    elsewhere: int | None = None


class QueryDetail(NamedTuple):
    """A judged query.

    Attributes
    ----------
    query_id, text
        Its text as it was asked.
    conversation, turn
        Where it stands, for turns of conversations.
    values, before
        Values of the run and of the baseline, one for each of the gate's measures; `before` has None where
        there is no baseline that knows them.
    top, top_before
        The first documents of the run and of the baseline, best first.
    """

    query_id: str
    text: str
    conversation: str | None
    turn: int | None
    values: tuple[float, ...]
    before: tuple[float | None, ...]
    top: tuple[Document, ...]
    top_before: tuple[Document, ...]


class TurnMean(NamedTuple):
    """A measure over all turns of one depth: the turn, how many they are, and the means of both sides."""

    turn: int
    queries: int
    value: float
    baseline: float | None


class MeasureDetail(NamedTuple):
    """A measure of a gate over all of its judged queries.

    Attributes
    ----------
    text
        In full.
    cutoff
        How many documents of a ranking decide it, or None when all may.
    value, baseline
        Of the run and of the baseline, None where there is none that knows it; of a count the sum.
    worse, better, same
        Numbers of queries.
    by_turn
        Means by turn, for conversations.
    """

    text: str
    cutoff: int | None
    value: float
    baseline: float | None
    worse: int
    better: int
    same: int
    by_turn: tuple[TurnMean, ...]


class BaselineDetail(NamedTuple):
    """Which baseline a gate was held against: when and why it was accepted, and of which commit it is."""

    date: str
    reason: str
    commit: str | None
    rejudged: bool


class GateDetail(NamedTuple):
    """A gate with all of its values.

    Attributes
    ----------
    protocol
        Name -> text of all that its values hang on: relevance level, depth, utterance, pins …
    measures
        Those of its thresholds on the benchmark's own qrels, in the order in which they are declared;
        latencies are left out.
    baseline
        None when it has none that fits.
    stages
        Sentences on which stage of the system changed.
    queries
        In the order of the qrels: all judged ones, or only those that moved most, for a session that
        writes no report.
    """

    protocol: Mapping[str, str]
    measures: tuple[MeasureDetail, ...]
    baseline: BaselineDetail | None
    stages: tuple[str, ...]
    queries: tuple[QueryDetail, ...]

    @classmethod
    def of_plain(cls, plain: Any) -> GateDetail:
        """Build it from the lists that JSON makes of it."""
        protocol, measures, baseline, stages, queries = plain
        return cls(
            protocol,
            tuple(_measure(*fields) for fields in measures),
            None if baseline is None else BaselineDetail(*baseline),
            tuple(stages),
            tuple(_query(*fields) for fields in queries),
        )

    def place(self, measure: str) -> int | None:
        """Return the place of a measure among `measures`, or None."""
        return next((place for place, one in enumerate(self.measures) if one.text == measure), None)


def _measure(*fields: Any) -> MeasureDetail:
    text, cutoff, value, baseline, worse, better, same, by_turn = fields
    turns = tuple(TurnMean(*one) for one in by_turn)
    return MeasureDetail(text, cutoff, value, baseline, worse, better, same, turns)


def _query(*fields: Any) -> QueryDetail:
    query_id, text, conversation, turn, values, before, top, top_before = fields
    sides = (tuple(Document(*one) for one in side) for side in (top, top_before))
    return QueryDetail(query_id, text, conversation, turn, tuple(values), tuple(before), *sides)
