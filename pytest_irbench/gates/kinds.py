"""The kinds of thresholds that a gate may have: plain data, faultless once it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pytest_irbench.errors import clipped

if TYPE_CHECKING:
    from pytest_irbench.gates.where import Where

Limit: TypeAlias = Literal["min", "max"]
Evidence: TypeAlias = Literal["mean", "significant", "noninferior"]


class Budget(NamedTuple):
    """How much may be lost: `size` in units of the measure, or in percent of the baseline."""

    size: float
    percent: bool = False

    def of(self, baseline: float) -> float:
        """Return it in units of the measure."""
        return self.size * baseline / 100 if self.percent else self.size

    def __str__(self) -> str:
        return f"{self.size:g}%" if self.percent else f"{self.size:g}"


class Slice(NamedTuple):
    """Some of a gate's topics, by name: those for which `where` holds."""

    name: str
    where: Where
    line: int


class ThresholdSpec(NamedTuple):
    """A lowest or highest value.

    Attributes
    ----------
    measure
        Its text as written.
    rule, limit
        The lowest (``min``) or highest (``max``) value that passes.
    line, column
        The place to edit: of ``min`` or ``max``, in the short form of the measure.
    slice
        Which topics it is about, or None for all.
    slack
        How far above its ``min`` a value may be before it asks to raise it, or None.
    labels
        The extra label set that it is about, or None for the benchmark's own qrels.
    """

    measure: str
    rule: Limit
    limit: float
    line: int
    column: int
    slice: Slice | None = None
    slack: float | None = None
    labels: str | None = None

    @property
    def name(self) -> str:
        """Its part of a test's id: without the limit, so that raising it keeps the test."""
        named = _named(self.slice, self.measure, self.rule)
        return f"{self.labels}-{named}" if self.labels else named

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        labelled = f"{measure} ({self.labels})" if self.labels else measure
        return f"{labelled} of {self.slice.name}" if self.slice else labelled

    def __str__(self) -> str:
        return f"{self.rule} {self.limit:g}"


class DropSpec(NamedTuple):
    """How far a mean may drop below the baseline's; `evidence` is what it takes to fail or to pass."""

    measure: str
    budget: Budget
    evidence: Evidence
    line: int
    column: int
    slice: Slice | None = None
    rule: Literal["max_drop"] = "max_drop"

    @property
    def name(self) -> str:
        """Its part of a test's id."""
        return _named(self.slice, self.measure, self.rule)

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        return f"{measure} of {self.slice.name}" if self.slice else measure

    def __str__(self) -> str:
        return f"max_drop {self.budget}" + (f", {self.evidence}" if self.evidence != "mean" else "")


class StableSpec(NamedTuple):
    """How far apart the values of a measure may be when the system is asked again."""

    measure: str
    limit: float
    line: int
    column: int
    rule: Literal["stable"] = "stable"

    @property
    def name(self) -> str:
        """Its part of a test's id."""
        return f"stable-{self.measure}"

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        return f"{measure} asked again"

    def __str__(self) -> str:
        return f"apart by {self.limit:g}"


class WorstConversationSpec(NamedTuple):
    """The lowest mean of a measure over the turns of one conversation, for the worst one."""

    measure: str
    limit: float
    line: int
    column: int
    rule: Literal["min"] = "min"

    @property
    def name(self) -> str:
        """Its part of a test's id."""
        return f"worst_conversation-{self.measure}-min"

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        return f"{measure} of the worst conversation"

    def __str__(self) -> str:
        return f"min {self.limit:g}"


class QueryDropSpec(NamedTuple):
    """How much a single query may lose against the baseline; `allow` queries may lose more."""

    measure: str
    limit: float
    allow: int
    line: int
    column: int
    rule: Literal["max_drop"] = "max_drop"

    @property
    def name(self) -> str:
        """Its part of a test's id."""
        return f"queries-{self.measure}-max_drop"

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        return f"{measure} by query"

    def __str__(self) -> str:
        return f"{self.allow} may lose over {self.limit:g}"


class ExpectSpec(NamedTuple):
    """A golden answer.

    Attributes
    ----------
    query_id, doc_id
        The document that the query must find, or must not.
    within
        The last rank that is looked at, or None for all that is returned.
    absent
        Whether the document must not be there.
    line, column
        The place to edit.
    reason
        Why the query is known to miss it (``queries.xfail``), or None.
    """

    query_id: str
    doc_id: str
    within: int | None
    absent: bool
    line: int
    column: int
    reason: str | None = None
    measure: Literal[""] = ""
    rule: Literal["expect"] = "expect"

    @property
    def name(self) -> str:
        """Its part of a test's id."""
        return f"expect-{self.query_id}-{self.doc_id}"

    def subject(self, measure: str) -> str:  # noqa: ARG002 - as of the other rules
        """Name what it is about."""
        return f"{clipped(self.query_id)}: {clipped(self.doc_id)}"

    def __str__(self) -> str:
        where = f"within {self.within}" if self.within else "returned"
        return f"not {where}" if self.absent else where


class KnownBadSpec(NamedTuple):
    """A query that is known to be bad (``queries.xfail``): below `below`, for a `reason`."""

    query_id: str
    reason: str
    measure: str
    below: float
    line: int
    column: int
    rule: Literal["xfail"] = "xfail"

    @property
    def name(self) -> str:
        """Its part of a test's id."""
        return f"xfail-{self.query_id}-{self.measure}"

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        return f"{clipped(self.query_id)}: {measure}"

    def __str__(self) -> str:
        return f"below {self.below:g}"


Threshold: TypeAlias = (
    ThresholdSpec | DropSpec | StableSpec | WorstConversationSpec | QueryDropSpec | ExpectSpec | KnownBadSpec
)
"""One rule of a gate: one test."""


def _named(among: Slice | None, measure: str, rule: str) -> str:
    return f"{among.name}-{measure}-{rule}" if among else f"{measure}-{rule}"
