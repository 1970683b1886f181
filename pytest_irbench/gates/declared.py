"""What a file of benchmarks, systems and gates declares: plain data, faultless once it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Rule: TypeAlias = Literal["min", "max"]


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


class ThresholdSpec(NamedTuple):
    """One rule of a gate.

    Attributes
    ----------
    measure
        Its text as written.
    rule, limit
        The lowest (``min``) or highest (``max``) value that passes.
    line, column
        The place to edit: of ``min`` or ``max``, in the short form of the measure.
    """

    measure: str
    rule: Rule
    limit: float
    line: int
    column: int


class GateSpec(NamedTuple):
    """One system on one benchmark with its thresholds; `system` is a fixture unless it is declared."""

    line: int
    benchmark: str
    system: str
    depth: int | None
    thresholds: tuple[ThresholdSpec, ...]


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
