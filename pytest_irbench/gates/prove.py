"""Which thresholds of a gate notice that its run was broken on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates.decide import decide
from pytest_irbench.gates.mutations import mutants
from pytest_irbench.measures.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.runs.run import Run


class Limit(NamedTuple):
    """A threshold as it is proved: `text` names it in its gate, for instance ``nDCG@10 min``."""

    text: str
    measure: Measure
    rule: str
    limit: float

    def holds(self, scores: Scores) -> bool:
        """Whether it passes with these scores."""
        return decide(self.text, scores.aggregate(self.measure), self.rule, self.limit).outcome == "passed"


class Proof(NamedTuple):
    """What the thresholds of a gate notice, each by its text.

    Attributes
    ----------
    able
        Those that pass on the run as it is, and so can notice something.
    failing
        Those that fail on it already.
    noticed
        Mutation -> those that fail on the run that it makes; None where it changes nothing.
    """

    able: tuple[str, ...]
    failing: tuple[str, ...]
    noticed: Mapping[str, tuple[str, ...] | None]

    @property
    def notices(self) -> bool:
        """Whether any threshold notices anything."""
        return any(self.noticed.values())

    @property
    def is_blind(self) -> bool:
        """Whether the gate notices nothing; one that fails as a whole already has noticed something."""
        return not self.notices and bool(self.able or not self.failing)

    @property
    def unnoticed(self) -> tuple[str, ...]:
        """The mutations that change the run and that no threshold notices."""
        return tuple(name for name, texts in self.noticed.items() if texts == ())

    @property
    def idle(self) -> tuple[str, ...]:
        """The thresholds that notice nothing."""
        awake = {text for texts in self.noticed.values() for text in texts or ()}
        return tuple(text for text in self.able if text not in awake)


def prove(scores: Scores, benchmark: Benchmark, limits: Sequence[Limit]) -> Proof:
    """Break the run of a gate in every way, and decide its thresholds on what is left.

    Parameters
    ----------
    scores
        Those of the run as it is.
    benchmark
        What it answers.
    limits
        The thresholds; a threshold notices a mutation when it passes on the run and fails on the mutant.
    """
    able = tuple(limit for limit in limits if limit.holds(scores))
    noticed: dict[str, tuple[str, ...] | None] = {}
    for name, mutant in mutants(scores.judged.run, benchmark) if able else ():
        if mutant is None:
            noticed[name] = None
        else:
            broken = _measured(mutant, scores, able)
            noticed[name] = tuple(limit.text for limit in able if broken is None or not limit.holds(broken))
    failing = tuple(limit.text for limit in limits if limit not in able)
    return Proof(tuple(limit.text for limit in able), failing, noticed)


def _measured(mutant: Run, scores: Scores, limits: Sequence[Limit]) -> Scores | None:
    """Score a mutant, or return None when that can't be done: its gate would be an error, which is seen."""
    measures = [limit.measure for limit in limits]
    try:
        return evaluate(mutant, scores.judged.qrels, measures, relevance_level=scores.relevance_level)
    except IrbenchError:
        return None
