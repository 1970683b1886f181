"""A stored baseline, held to what a gate asks for today and scored on today's judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import InputError
from pytest_irbench.gates.baseline_file import check_values, read_baseline
from pytest_irbench.measures.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.baseline import Baseline, Pins
    from pytest_irbench.measures.evaluate import Scores
    from pytest_irbench.measures.measure import Measure


class OutdatedBaselineError(InputError):
    """A baseline that is whole, and of another gate or of a gate as it was."""


class HeldBaseline(NamedTuple):
    """A baseline that a run can be held against.

    Attributes
    ----------
    stored
        What was accepted, and when.
    scores
        Those of its run on the judgments of today.
    rejudged
        Whether the judgments have changed since it was stored.
    is_new
        Whether it is the run itself, which is to become the baseline.
    """

    stored: Baseline
    scores: Scores
    rejudged: bool = False
    is_new: bool = False

    @property
    def told(self) -> str:
        """When it was accepted, and why."""
        return f"baseline of {self.stored.provenance.date} ({self.stored.provenance.reason})"


def hold_gate(
    path: Path, benchmark: Benchmark, system: str, wanted: Pins, also: Iterable[Measure] = ()
) -> HeldBaseline:
    """Read the baseline of a gate.

    Parameters
    ----------
    path
        Its JSON file.
    benchmark
        With the judgments of today.
    system
        The name of the gate's system.
    wanted
        What the gate asks for today.
    also
        Measures that reports show beside it; those that its run can be scored by are.

    Raises
    ------
    InputError
        When the file is missing or damaged, or is no baseline of this gate; it says what differs.
    """
    stored = read_baseline(path)
    _check_names(path, stored, (benchmark.name, system))
    differences = list(_differences(stored.pins, wanted))
    if differences:
        raise OutdatedBaselineError(
            f"is no baseline for this gate as it is now: {'; '.join(differences)}", path
        )
    level = benchmark.relevance_level
    texts = [m.text(level) for m in also if serves(stored.pins, m, m.text(level))]
    return _scored(path, stored, wanted, benchmark, (*wanted.measures, *texts))


def hold_measure(
    path: Path, benchmark: Benchmark, system: str, wanted: Pins, measure: Measure
) -> HeldBaseline:
    """Read a baseline for one measure, which its run can be scored by; see `hold_gate`."""
    stored = read_baseline(path)
    _check_names(path, stored, (benchmark.name, system))
    pins = stored.pins
    text = measure.text(benchmark.relevance_level)
    same = wanted._replace(measures=pins.measures, depth=pins.depth)
    differences = list(_differences(pins, same))
    if not serves(pins, measure, text):
        differences.append(f"it holds {pins.depth} documents a topic and no values of {text}")
    if differences:
        raise OutdatedBaselineError(f"is no baseline for {text}: {'; '.join(differences)}", path)
    return _scored(path, stored, wanted, benchmark, (*pins.measures, text))


def serves(pins: Pins, measure: Measure, text: str) -> bool:
    """Whether a baseline with these pins can be scored by a measure, whose text in full is `text`."""
    return text in pins.measures or (measure.sees is not None and measure.sees <= pins.depth)


def _check_names(path: Path, stored: Baseline, names: tuple[str, str]) -> None:
    found = (stored.benchmark, stored.system)
    if found != names:
        theirs, ours = (f"benchmark {benchmark}, system {system}" for benchmark, system in (found, names))
        raise OutdatedBaselineError(f"is the baseline of {theirs}, not of {ours}", path)


def _differences(stored: Pins, wanted: Pins) -> Iterator[str]:
    """Say what differs; other judgments are no hindrance, as the run is scored again."""
    if stored.topics != wanted.topics:
        yield "the judged topics have changed since"
    for lacking in sorted(set(wanted.measures) - set(stored.measures)):
        yield f"it has no values of {lacking}"
    for orphan in sorted(set(stored.measures) - set(wanted.measures)):
        yield f"it has values of {orphan}, which this gate does not hold against it"
    for field in ("depth", "doc_id", "utterance"):
        old, new = getattr(stored, field), getattr(wanted, field)
        if old != new:
            yield f"its {field} is {old}, the gate's is {new}"


def _scored(
    path: Path, stored: Baseline, wanted: Pins, benchmark: Benchmark, measures: Sequence[str]
) -> HeldBaseline:
    run = stored.run
    run.benchmark = benchmark
    scores = evaluate(
        run, benchmark.qrels, dict.fromkeys(measures), relevance_level=benchmark.relevance_level
    )
    rejudged = stored.pins.qrels != wanted.qrels
    if not rejudged:
        check_values(stored, scores.means, {text: scores[text] for text in stored.pins.measures}, path)
    return HeldBaseline(stored, scores, rejudged)
