"""What a file of benchmarks, systems and gates declares: plain data, faultless once it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.kinds import DropSpec, ExpectSpec, QueryDropSpec, ThresholdSpec
from pytest_irbench.gates.protocol import Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_irbench.gates.kinds import Threshold
    from pytest_irbench.runs.answers import Duplicates
    from pytest_irbench.runs.http_spec import HttpSpec


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
    candidates
        The file of the rerankers' candidates, or None.
    extra_qrels
        The file of each extra label set.
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
    candidates: Path | None = None
    extra_qrels: Mapping[str, Path] = {}


class SystemSpec(NamedTuple):
    """A system that the file declares.

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
    http
        How a service is asked, or None.
    concurrency, timeout, duplicates
        As `pytest_irbench.runs.retrieve.retrieve` takes them.
    """

    name: str
    line: int
    search: str | None
    run: str | None
    depth: int | None
    http: HttpSpec | None = None
    concurrency: int = 1
    timeout: float | None = None
    duplicates: Duplicates = "error"

    @property
    def is_fixture(self) -> bool:
        """Whether it is a fixture after all, of which the file says how it is asked."""
        return self.search is None and self.run is None and self.http is None


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
    protocol
        How its run is made and read.
    """

    line: int
    benchmark: str
    system: str
    depth: int | None
    thresholds: tuple[Threshold, ...]
    topic_columns: Path | None = None
    known_bad: frozenset[str] = frozenset()
    protocol: Protocol = Protocol()

    @property
    def asked(self) -> str:
        """The benchmark, with the utterance of its turns unless that is the raw one; part of a test's id."""
        said = self.protocol.utterance
        return self.benchmark if said == "raw" else f"{self.benchmark}-{said}"

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that its thresholds read of the benchmark's own qrels, as written, each once."""
        return tuple(dict.fromkeys(t.measure for t in self.thresholds if t.measure and not labels_of(t)))

    @property
    def labelled(self) -> dict[str, tuple[str, ...]]:
        """The measures that its thresholds read of each extra label set."""
        found: dict[str, dict[str, None]] = {}
        for threshold in self.thresholds:
            if labels := labels_of(threshold):
                found.setdefault(labels, {})[threshold.measure] = None
        return {labels: tuple(measures) for labels, measures in found.items()}

    @property
    def compared(self) -> tuple[str, ...]:
        """Those of them that are held against a baseline; without any, the gate has none."""
        drops = (t for t in self.thresholds if isinstance(t, DropSpec | QueryDropSpec))
        return tuple(dict.fromkeys(t.measure for t in drops))

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The last ranks that its golden answers look at; None for all that is returned."""
        return tuple(t.within for t in self.thresholds if isinstance(t, ExpectSpec))


def labels_of(threshold: Threshold) -> str | None:
    """Return the extra label set that a threshold is about, or None for the benchmark's own qrels."""
    return threshold.labels if isinstance(threshold, ThresholdSpec) else None


class Spec(NamedTuple):
    """What one file declares; `path` is the file as it was named to `read_spec`."""

    path: Path
    benchmarks: Mapping[str, BenchmarkSpec]
    systems: Mapping[str, SystemSpec]
    gates: tuple[GateSpec, ...]

    def is_fixture(self, system: str) -> bool:
        """Whether a system is a fixture of the user's conftest.py."""
        return system not in self.systems or self.systems[system].is_fixture

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
