"""What a file of benchmarks, systems and gates declares: plain data, faultless once it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pytest_irbench.errors import clipped

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_irbench.gates.where import Where

Limit: TypeAlias = Literal["min", "max"]
Evidence: TypeAlias = Literal["mean", "significant", "noninferior"]


class BenchmarkSpec(NamedTuple):
    """A benchmark that the file declares.

    Attributes
    ----------
    name, line
        Its name and the line that declares it.
    topics, qrels
        Absolute paths of its own files, or both None.
    ir_datasets
        The id of ir_datasets that holds it, or None.
    relevance_level, depth, measures, description
        As in `pytest_irbench.benchmarks.benchmark.Benchmark`; measures as written.
    """

    name: str
    line: int
    topics: Path | None
    qrels: Path | None
    ir_datasets: str | None
    relevance_level: int
    depth: int
    measures: tuple[str, ...]
    description: str


class SystemSpec(NamedTuple):
    """A system that the file declares, and so no fixture.

    Attributes
    ----------
    name, line
        Its name and the line that declares it.
    search
        ``module:attribute`` of the callable, or None.
    run
        The run file as written, ``{benchmark}`` still in it, or None; see `Spec.run_file`.
    depth
        How many documents to ask for, or None for what the gate needs.
    """

    name: str
    line: int
    search: str | None
    run: str | None
    depth: int | None


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
    """

    measure: str
    rule: Limit
    limit: float
    line: int
    column: int
    slice: Slice | None = None
    slack: float | None = None

    @property
    def name(self) -> str:
        """Its part of a test's id: without the limit, so that raising it keeps the test."""
        return _named(self.slice, self.measure, self.rule)

    def subject(self, measure: str) -> str:
        """Name what it is about; `measure` is the measure's text in full."""
        return f"{measure} of {self.slice.name}" if self.slice else measure

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
    ThresholdSpec | DropSpec | WorstConversationSpec | QueryDropSpec | ExpectSpec | KnownBadSpec
)
"""One rule of a gate: one test."""


class GateSpec(NamedTuple):
    """One system on one benchmark with its thresholds.

    Attributes
    ----------
    line
        Where it is declared.
    benchmark, system
        Their names; the system is a fixture unless it is declared.
    depth
        How many documents a topic are asked for, or None for what the thresholds need.
    thresholds
        In the order in which they are declared.
    topic_columns
        The file with the user's own facts about topics, for the slices, or None.
    known_bad
        The query_ids of ``queries.xfail``: their losses are not counted.
    """

    line: int
    benchmark: str
    system: str
    depth: int | None
    thresholds: tuple[Threshold, ...]
    topic_columns: Path | None = None
    known_bad: frozenset[str] = frozenset()

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that its thresholds read, as written, each once."""
        return tuple(dict.fromkeys(t.measure for t in self.thresholds if t.measure))

    @property
    def compared(self) -> tuple[str, ...]:
        """Those of them that are held against a baseline; without any, the gate has none."""
        drops = (t for t in self.thresholds if isinstance(t, DropSpec | QueryDropSpec))
        return tuple(dict.fromkeys(t.measure for t in drops))

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The last ranks that its golden answers look at; None for all that is returned."""
        return tuple(t.within for t in self.thresholds if isinstance(t, ExpectSpec))


def _named(among: Slice | None, measure: str, rule: str) -> str:
    return f"{among.name}-{measure}-{rule}" if among else f"{measure}-{rule}"


class Spec(NamedTuple):
    """What one file declares; `path` is the file as it was named to `read_spec`."""

    path: Path
    benchmarks: Mapping[str, BenchmarkSpec]
    systems: Mapping[str, SystemSpec]
    gates: tuple[GateSpec, ...]

    def run_file(self, system: str, benchmark: str) -> Path:
        """Return the absolute path of a declared system's run on a benchmark.

        Raises
        ------
        ValueError
            When the system is not declared with ``run``.
        """
        template = self.systems[system].run
        if template is None:
            raise ValueError(f"system {system!r} has no run file")
        return self.path.absolute().parent / template.replace("{benchmark}", benchmark)
