"""What the thresholds of a gate are held against: its scores, its slices, and its baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.comparison import compare_pairs
from pytest_irbench.gates.declared import labels_of
from pytest_irbench.gates.kinds import DropSpec, ThresholdSpec
from pytest_irbench.gates.relevant import check_relevant
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.significance import holm
from pytest_irbench.gates.where import select
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.runs.exclude import exclude_judgments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.benchmarks.topic_columns import TopicColumns
    from pytest_irbench.gates.comparison import Comparison
    from pytest_irbench.gates.declared import GateSpec
    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.gates.kinds import Slice, Threshold
    from pytest_irbench.measures.evaluate import Scores

_ALL_RETURNED = 1_000_000_000


class Conversation(NamedTuple):
    """A conversation with the mean over its turns."""

    name: str
    value: float
    turns: int


@dataclass(frozen=True, eq=False)
class MeasuredGate:
    """A gate whose run is scored. What is only read by some thresholds is found when one asks for it.

    Attributes
    ----------
    spec, benchmark
        The gate as declared, and its benchmark.
    scores
        Those of its run, for all of its measures.
    hold
        Gives the baseline; raises `InputError` when there is none that fits.
    read_columns
        Gives the user's facts about topics, or None; raises `InputError`.
    repeats
        The scores of every time that the system was asked, these ones first.
    about
        What a reader must know of the run, for instance what was left out of it.
    depth
        How many documents a topic it was asked for.
    renews
        Whether the run is to become the baseline.
    """

    spec: GateSpec
    benchmark: Benchmark
    scores: Scores
    hold: Callable[[], HeldBaseline]
    read_columns: Callable[[], TopicColumns | None]
    repeats: tuple[Scores, ...] = ()
    about: tuple[str, ...] = ()
    depth: int = 0
    renews: bool = False
    _picked: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)
    _compared: dict[tuple[Measure, str | None], Comparison] = field(
        default_factory=dict, init=False, repr=False
    )
    _labelled: dict[str, Scores] = field(default_factory=dict, init=False, repr=False)

    @property
    def primary(self) -> Threshold | None:
        """The first threshold that is about all queries, whose measure stands for the gate."""
        plain = (t for t in self.spec.thresholds if isinstance(t, ThresholdSpec | DropSpec))
        return next(
            (t for t in plain if not t.slice and not labels_of(t) and not self.measure(t.measure).is_latency),
            None,
        )

    def with_scores(self, scores: Scores) -> MeasuredGate:
        """Return the same gate with another run, held against the same baseline."""
        return replace(self, scores=scores, hold=lambda: self.baseline)

    def measure(self, text: str) -> Measure:
        """Read a measure as the benchmark means it."""
        return Measure.parse(text, self.scores.relevance_level)

    def text(self, measure: str) -> str:
        """Return a measure's text in full, as reports print it."""
        return self.measure(measure).text(self.scores.relevance_level)

    @cached_property
    def baseline(self) -> HeldBaseline:
        """The baseline, scored on the same judgments."""
        return self.hold()

    @cached_property
    def accepted(self) -> HeldBaseline | None:
        """The baseline, or None where the gate has none, or none that fits, or the run is to become it."""
        try:
            return self.baseline if self.spec.compared and not self.renews else None
        except InputError:
            # Those thresholds that are held against it say why.
            return None

    def is_comparable(self, measure: str) -> bool:
        """Whether the baseline knows a measure, which it may although no threshold holds it against it."""
        return self.accepted is not None and self.measure(measure) in self.accepted.scores.columns

    def query_ids(self, among: Slice | None) -> tuple[str, ...]:
        """Return the judged queries of a slice, or all.

        Raises
        ------
        InputError
            When it can't be told which they are, or there are none.
        """
        if among is None:
            return self.scores.query_ids
        if among.name not in self._picked:
            columns = self.read_columns()
            self._picked[among.name] = select(among.where, self.benchmark.topics, columns)
        return self._picked[among.name]

    def values(self, measure: str, among: Slice | None = None) -> dict[str, float]:
        """Return a measure's value for each query of a slice, or of all."""
        values = self.scores_of(measure)[measure]
        return values if among is None else {query_id: values[query_id] for query_id in self.query_ids(among)}

    def value(self, measure: str, among: Slice | None = None) -> float:
        """Return a measure's value over a slice or all judged queries."""
        return self.gathered(self.scores_of(measure)[measure], self.measure(measure), among)

    def gathered(self, values: Mapping[str, float], measure: Measure, among: Slice | None = None) -> float:
        """Gather values of queries into that of a slice, or of all: their mean, of a count the sum."""
        if among is None:
            return measure.aggregate(list(values.values()))
        return measure.aggregate([values[query_id] for query_id in self.query_ids(among)])

    def scores_of(self, measure: str) -> Scores:
        """Return the scores that hold a measure: latencies are read for their own thresholds alone.

        Raises
        ------
        InputError
            When it is a latency and none was measured.
        """
        return _timed(self.scores, self.measure(measure))

    def labelled(self, labels: str) -> Scores:
        """Return the scores of the run on an extra label set.

        Raises
        ------
        InputError
            When the benchmark has no such set, or no judgment of it is left by ``exclude_docs``, or nothing
            in it is relevant for a measure.
        """
        sets = self.benchmark.extra_qrels
        if labels not in sets:
            known = f"it has {', '.join(sets)}" if sets else "it has none"
            said = f"benchmark {self.benchmark.name} has no extra_qrels {labels!r}: {known}"
            raise InputError(said)
        if labels not in self._labelled:
            # The run was left without them, too.
            qrels = exclude_judgments(sets[labels], self.spec.protocol.exclude_docs)
            level = qrels.relevance_level
            measures = [Measure.parse(text, level) for text in self.spec.labelled[labels]]
            check_relevant(f"extra_qrels {labels} of benchmark {self.benchmark.name}", qrels, measures)
            run = self.scores.judged.run
            self._labelled[labels] = evaluate(run, qrels, measures, relevance_level=level)
        return self._labelled[labels]

    def repeated(self, measure: str) -> list[Scores]:
        """Return the scores that hold a measure, of every time that the system was asked."""
        return [_timed(scores, self.measure(measure)) for scores in self.repeats]

    def apart(self, measure: str) -> tuple[float, float]:
        """Return the lowest and the highest value of a measure over all times that the system was asked."""
        values = [scores.aggregate(self.measure(measure)) for scores in self.repeated(measure)]
        return min(values), max(values)

    def conversations(self, measure: str) -> list[Conversation]:
        """Return the conversations, the worst one first.

        Raises
        ------
        InputError
            When the benchmark has none.
        """
        groups: dict[str, list[float]] = {}
        values = self.scores[measure]
        for topic in self.benchmark.topics:
            if topic.conversation is not None:
                groups.setdefault(topic.conversation, []).append(values[topic.query_id])
        if not groups:
            raise InputError(f"benchmark {self.benchmark.name} has no conversations, so none is the worst")
        means = [
            Conversation(name, math.fsum(group) / len(group), len(group)) for name, group in groups.items()
        ]
        return sorted(means, key=lambda conversation: (conversation.value, conversation.name))

    def comparison(self, measure: str, among: Slice | None = None) -> Comparison:
        """Hold a slice, or all queries, against the baseline.

        Raises
        ------
        InputError
            When there is no baseline that fits.
        """
        parsed = self.measure(measure)
        key = (parsed, among.name if among else None)
        if key not in self._compared:
            pairs = pairs_of(self.scores, self.baseline.scores, parsed, self.benchmark, None)
            self._compared[key] = compare_pairs(pairs.among(self.query_ids(among)) if among else pairs)
        return self._compared[key]

    def adjusted_p(self, threshold: DropSpec) -> float:
        """Return the p-value of a drop, adjusted for all thresholds of the gate that ask for significance.

        Which of them are run does not matter: the family is the gate's.
        """
        return self._adjusted[threshold.name]

    @cached_property
    def _adjusted(self) -> dict[str, float]:
        """The p-values of the family, adjusted, by the names of its thresholds."""
        p_values = [self.comparison(t.measure, t.slice).permutation.drop for t in self.family]
        return dict(zip((t.name for t in self.family), holm(p_values), strict=True))

    @property
    def family(self) -> tuple[DropSpec, ...]:
        """The thresholds that ask for significance."""
        drops = (t for t in self.spec.thresholds if isinstance(t, DropSpec))
        return tuple(drop for drop in drops if drop.evidence == "significant")

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The judged queries that are not known to be bad.

        Raises
        ------
        InputError
            When there are none.
        """
        found = tuple(query_id for query_id in self.scores.query_ids if query_id not in self.spec.known_bad)
        if not found:
            raise InputError(
                f"every query of benchmark {self.benchmark.name} is in queries.xfail: none is left"
            )
        return found

    def rank(self, query_id: str, doc_id: str) -> int | None:
        """Return the rank of a document from 1, or None when it is not returned.

        Raises
        ------
        InputError
            When the query is not judged.
        """
        self.check_judged(query_id)
        top = self.scores.judged.top(query_id, _ALL_RETURNED)
        return next((rank for rank, (found, _, _) in enumerate(top, start=1) if found == doc_id), None)

    def check_judged(self, query_id: str) -> None:
        """Refuse a query that the benchmark does not judge.

        Raises
        ------
        InputError
            With ids of queries that it does.
        """
        if query_id not in self.scores.judged.qrels.query_index:
            some = ", ".join(map(clipped, self.scores.query_ids[:3]))
            raise InputError(
                f"query {query_id!r} is not judged in benchmark {self.benchmark.name}, which has {some}, ..."
            )


def _timed(scores: Scores, measure: Measure) -> Scores:
    """Return scores that hold a measure, computed now when it is a latency."""
    if not measure.is_latency:
        return scores
    judged, level = scores.judged, scores.relevance_level
    return evaluate(judged.run, judged.qrels, [measure], relevance_level=level)
