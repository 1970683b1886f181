"""Which thresholds of a gate notice that its run was broken on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates.mutations import mutants
from pytest_irbench.gates.rulings import decide_threshold
from pytest_irbench.measures.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_irbench.gates.kinds import Threshold
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.runs.run import Run


class Asked(NamedTuple):
    """A threshold as it is proved: `text` names it in its gate, for instance ``nDCG@10 min``."""

    text: str
    threshold: Threshold

    def holds(self, gate: MeasuredGate) -> bool:
        """Whether it passes on a gate; what can't be measured is an error, which is seen."""
        try:
            return decide_threshold(self.threshold, gate).outcome == "passed"
        except IrbenchError:
            return False


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


def prove(gate: MeasuredGate, thresholds: Sequence[Asked]) -> Proof:
    """Break the run of a gate in every way, and decide its thresholds on what is left.

    Parameters
    ----------
    gate
        With the scores of the run as it is.
    thresholds
        Those to ask; a threshold notices a mutation when it passes on the run and not on the mutant.
    """
    able = tuple(asked for asked in thresholds if asked.holds(gate))
    noticed: dict[str, tuple[str, ...] | None] = {}
    for name, mutant in mutants(gate.scores.judged.run, gate.benchmark) if able else ():
        if mutant is None:
            noticed[name] = None
        else:
            broken = _measured(mutant, gate)
            noticed[name] = tuple(asked.text for asked in able if broken is None or not asked.holds(broken))
    failing = tuple(asked.text for asked in thresholds if asked not in able)
    return Proof(tuple(asked.text for asked in able), failing, noticed)


def _measured(mutant: Run, gate: MeasuredGate) -> MeasuredGate | None:
    """Score a mutant, or return None when that can't be done: its gate would be an error, which is seen."""
    scores = gate.scores
    try:
        broken = evaluate(mutant, scores.judged.qrels, scores.columns, relevance_level=scores.relevance_level)
    except IrbenchError:
        return None
    return gate.with_scores(broken)
