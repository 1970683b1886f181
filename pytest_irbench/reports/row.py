"""One threshold as it came out."""

from __future__ import annotations

from typing import NamedTuple

_RED = ("failed", "error", "depends", "xpassed", "skipped", "not run")


class Row(NamedTuple):
    """One threshold as it came out, made of plain values so that it crosses processes.

    Attributes
    ----------
    benchmark, system, measure, rule, place
        The threshold and where it stands.
    outcome
        ``passed``, ``failed``, ``error``, or pytest's word for what else happened.
    nodeid
        Its test.
    sentence, explanation
        What was found in one sentence, and what a failure says in full, or empty texts.
    limit
        None when it is only known once measured, and was not.
    subject, threshold
        What it is about and what it asks for, in words; by default made of measure, rule and limit.
    value, shown
        None when it could not be measured; in words where it is not the measure's.
    queries, missing, extra
        Number of judged queries, of those the run lacks, and of the run's unjudged ones.
    judged
        Which share of the documents that the measure looks at is judged, from 0 to 1.
    note
        What a reader must know beside the table, or an empty text.
    about
        What a reader must know of the run, line by line, or an empty text.
    without
        Without which few queries it would pass, or an empty text.
    utterance, by_depth
        Which words were asked; values by turn and by conversation, a line each, or an empty text.
    since, rejudged
        Which baseline it was held against, and what other judgments make of that, or empty texts.
    evidence
        That of a ``max_drop``; see `pytest_irbench.gates.comparison` for this and all that follows.
    baseline, change, change_low, change_high, p, worse, better
        The baseline's value; value less baseline with its 95% interval and the one-sided p-value of a drop;
        the numbers of queries. None where there is no baseline that knows the measure.
    detectable, false_alarms, units
        Of a ``max_drop``: the smallest drop that is seen reliably, how often chance alone fails, and what was
        drawn.
    p_adjusted, family
        Where significance is asked for: the p-value adjusted for so many thresholds of the gate.
    """

    benchmark: str
    system: str
    measure: str
    rule: str
    place: str
    outcome: str
    nodeid: str = ""
    sentence: str = ""
    explanation: str = ""
    limit: float | None = None
    subject: str = ""
    threshold: str = ""
    value: float | None = None
    shown: str = ""
    queries: int | None = None
    missing: int | None = None
    extra: int | None = None
    judged: float | None = None
    note: str = ""
    about: str = ""
    without: str = ""
    utterance: str = "raw"
    by_depth: str = ""
    since: str = ""
    rejudged: str = ""
    evidence: str = ""
    baseline: float | None = None
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    p: float | None = None
    worse: int | None = None
    better: int | None = None
    detectable: float | None = None
    false_alarms: float | None = None
    units: str = ""
    p_adjusted: float | None = None
    family: int = 1

    @property
    def is_of_measure(self) -> bool:
        """Whether its value is one of its measure over queries, no rank or count of queries."""
        counts = self.rule == "max_drop" and bool(self.shown)
        return self.value is not None and not counts and self.rule not in {"expect", "xfail", "stable"}

    @property
    def severity(self) -> int:
        """Place of the outcome among those that keep a gate from passing, the worst first; else -1."""
        outcome = "skipped" if self.is_excuse else self.outcome
        return _RED.index(outcome) if outcome in _RED else -1

    @property
    def is_excuse(self) -> bool:
        """Whether nothing was measured and nothing is red: skipped, or an error that was expected."""
        return self.outcome == "skipped" or (self.outcome == "xfailed" and self.queries is None)
