"""Measures and limits of a gate, read from the nodes of its file."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, cast, get_args

from pytest_irbench.errors import InputError
from pytest_irbench.gates.kinds import Budget, DropSpec, Evidence, Limit, ThresholdSpec
from pytest_irbench.gates.nodes import (
    Fields,
    MapNode,
    Scalar,
    as_map,
    described,
    nearest,
    shown,
    wrong_number,
)
from pytest_irbench.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_irbench.gates.kinds import Slice
    from pytest_irbench.gates.nodes import Faults, Node

LIMIT_KEYS = ("min", "max", "max_drop", "evidence", "slack", "qrels")
"""The keys of a threshold's long form."""

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)

_EMPTY: dict[tuple[str, float], str] = {
    ("min", 0): "a minimum of 0 can never fail, raise it or leave it out",
    ("below", 0): "nothing is below 0, raise it",
    ("max", 1): "a maximum of 1 can never fail, lower it or leave it out",
    ("max_drop", 1): "a drop of 1 can never fail, lower it or leave it out",
}
"""Limits that can't be meant; those of 1 for measures whose values lie in 0..1."""

_LATENCY = "less is better, and another machine has another latency: it takes a max, such as {max: 250}"

_LIMITS: tuple[Limit, ...] = ("min", "max")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%", re.ASCII)


def read_thresholds(
    entries: Iterable[tuple[Scalar, Node]],
    faults: Faults,
    among: Slice | None = None,
    slack: float | None = None,
) -> list[ThresholdSpec | DropSpec]:
    """Read a mapping of measures to limits; the measures are checked by `check_measures`.

    Parameters
    ----------
    entries
        The measures with their limits.
    faults
        Takes the faults.
    among
        The slice that they are about, or None.
    slack
        That of the gate, for a ``min`` without its own.
    """
    return [
        threshold for key, value in entries for threshold in _Limits(key, faults, among, slack).read(value)
    ]


def check_measures(measures: Iterable[Scalar], faults: Faults, levels: Iterable[int]) -> None:
    """Note measures that are unknown, and two spellings of one measure at any of the relevance levels."""
    seen: dict[tuple[int, str], Scalar] = {}
    for text in measures:
        parsed = [(level, _parsed(text.text, level)) for level in sorted(levels)]
        if unknown := next((measure for _, measure in parsed if isinstance(measure, str)), None):
            faults.add(text, unknown)
            continue
        spelled = [(level, measure.text(level)) for level, measure in parsed if isinstance(measure, Measure)]
        firsts = [(seen.setdefault(key, text), key) for key in spelled]
        twin = next(((first, key) for first, key in firsts if first is not text), None)
        if twin is not None:
            first, (level, measure) = twin
            where = f" where the relevance level is {level}" if level > 1 else ""
            said = (
                f"{shown(text.text)} is the same measure as {shown(first.text)} in line {first.line}{where}"
            )
            faults.add(text, f"{said} (both are {measure}): keep one")


class _Limits:
    """Reads what stands beside one measure."""

    def __init__(self, key: Scalar, faults: Faults, among: Slice | None, slack: float | None) -> None:
        self.key = key
        self.faults = faults
        self.among = among
        self.slack = slack
        self.labels: str | None = None
        self.what = f"the measure {shown(key.text)}"

    def read(self, node: Node) -> Iterator[ThresholdSpec | DropSpec]:
        if not isinstance(node, MapNode):
            accepted = f"{self.what} takes a number such as 0.45, or {{min: 0.45, max: 0.9}}"
            limit = read_limit("min", self.key, node, self.faults, accepted)
            if limit is not None:
                yield self.threshold("min", limit, self.key)
            return
        fields = Fields(node, self.faults, f"the limits of {shown(self.key.text)}", LIMIT_KEYS)
        # A key that is unknown is told already, and most often it is the limit, misspelt.
        misspelt = len(fields.known) < len(node.entries)
        if not misspelt and not any(rule in fields for rule in (*_LIMITS, "max_drop")):
            said = f"{self.what} has neither min nor max nor max_drop and could never fail: add one"
            self.faults.add(self.key, said)
        self.read_slack(fields)
        self.labels = fields.text("qrels", "sparse")
        if self.labels is not None and (self.among or "max_drop" in fields):
            what = "a slice" if self.among else "a max_drop"
            said = f"{what} is about the benchmark's own qrels: leave qrels out"
            self.faults.add(fields.known["qrels"][0], said)
        yield from self.limits(fields)
        yield from self.drop(fields)

    def threshold(self, rule: Limit, limit: float, place: Scalar) -> ThresholdSpec:
        slack = self.slack if rule == "min" else None
        return ThresholdSpec(
            self.key.text, rule, limit, place.line, place.column, self.among, slack, self.labels
        )

    def read_slack(self, fields: Fields) -> None:
        if "slack" in fields and "min" not in fields:
            self.faults.add(
                fields.known["slack"][0], f"slack of {shown(self.key.text)} goes with a min: add one"
            )
        self.slack = read_slack(fields, self.faults) or self.slack

    def limits(self, fields: Fields) -> list[ThresholdSpec]:
        found = []
        for rule in _LIMITS:
            if rule in fields:
                place, value = fields.known[rule]
                accepted = f"{rule} of {shown(self.key.text)} is a number such as 0.45"
                limit = read_limit(rule, self.key, value, self.faults, accepted)
                if limit is not None:
                    found.append(self.threshold(rule, limit, place))
        if len(found) == len(_LIMITS) and found[0].limit > found[1].limit:
            said = f"min {found[0].limit:g} of {shown(self.key.text)} is above its max {found[1].limit:g}"
            self.faults.add(fields.known["min"][1], f"{said}: nothing passes")
        return found

    def drop(self, fields: Fields) -> Iterator[DropSpec]:
        evidence = self.evidence(fields)
        if "max_drop" in fields:
            place, value = fields.known["max_drop"]
            budget = read_budget(self.key, value, self.faults)
            if budget is not None:
                yield DropSpec(self.key.text, budget, evidence, place.line, place.column, self.among)

    def evidence(self, fields: Fields) -> Evidence:
        if "evidence" not in fields:
            return "mean"
        place, node = fields.known["evidence"]
        if "max_drop" not in fields:
            said = f"evidence of {shown(self.key.text)} goes with a max_drop: add one"
            self.faults.add(place, said)
        if isinstance(node, Scalar) and node.value in EVIDENCE:
            return node.value
        text = node.text if isinstance(node, Scalar) else ""
        self.faults.add(
            node, f"evidence is {', '.join(EVIDENCE)}, not {described(node)}{nearest(text, EVIDENCE)}"
        )
        return "mean"


def read_slack(fields: Fields, faults: Faults) -> float | None:
    """Read how far above its ``min`` a value may be; None when the key is missing or faulty."""
    node = fields.get("slack")
    if node is None:
        return None
    slack = _number(node, faults, "slack is a number such as 0.05")
    if slack is None or 0 < slack < math.inf:
        return slack
    faults.add(node, f"slack {shown(str(slack))[1:-1]}: how far a value may be above its min is more than 0")
    return None


def read_budget(key: Scalar, node: Node, faults: Faults) -> Budget | None:
    """Read a ``max_drop``: a number in units of its measure, or a percentage of the baseline."""
    text = node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    if percent := _PERCENT.fullmatch(text.strip()):
        budget = Budget(float(percent[1]), percent=True)
        fault = _LATENCY if _is_latency(key.text) else "nothing drops by more than all, it can never fail"
        if budget.size < 100 and fault is not _LATENCY:
            return budget
        faults.add(node, f"max_drop {text} of {shown(key.text)}: {fault}")
        return None
    limit = read_limit(
        "max_drop", key, node, faults, f"max_drop of {shown(key.text)} is a number such as 0.02, or 2%"
    )
    return None if limit is None else Budget(limit)


def budget_of(given: float | str) -> Budget:
    """Read a budget that is written in Python: ``0.02`` or ``"2%"``.

    Raises
    ------
    InputError
        When it is neither, or below 0.
    """
    percent = _PERCENT.fullmatch(given.strip()) if isinstance(given, str) else None
    if percent:
        return Budget(float(percent[1]), percent=True)
    if not isinstance(given, Real) or isinstance(given, bool) or not 0 <= given < math.inf:
        raise InputError(f"budget is a number from 0, such as 0.02, or a text such as '2%', not {given!r}")
    return Budget(float(given))


def read_limit(rule: str, key: Scalar, node: Node, faults: Faults, accepted: str) -> float | None:
    """Read the number of a ``min``, ``max`` or ``max_drop`` of a measure.

    Parameters
    ----------
    rule
        Which of them.
    key
        The measure.
    node, faults
        The value, and what takes its faults.
    accepted
        What to say of a value that is no number.
    """
    limit = _number(node, faults, accepted)
    if limit is None:
        return None
    fault = _LATENCY if _is_latency(key.text) and rule != "max" else None
    fault = fault or _limit_fault(rule, limit, bounded=_is_bounded(key.text))
    if fault is None:
        return limit
    faults.add(node, f"{rule} {cast('Scalar', node).text} of {shown(key.text)}: {fault}")
    return None


def read_measures(
    node: Node | None, faults: Faults, levels: Iterable[int], accepted: str, beside: str | None = None
) -> list[tuple[Scalar, Node]]:
    """Return the entries of a mapping whose keys are measures, but for the key `beside` them."""
    if node is None:
        return []
    mapping = as_map(node, faults, accepted)
    entries = [entry for name, entry in mapping.entries.items() if name != beside] if mapping else []
    check_measures((key for key, _ in entries), faults, levels)
    return entries


def _number(node: Node, faults: Faults, accepted: str) -> float | None:
    if not isinstance(node, Scalar) or type(node.value) not in (int, float):
        faults.add(node, wrong_number(node, accepted))
        return None
    try:
        return float(cast("float", node.value))
    except OverflowError:
        return math.inf


# Large files name the same few measures in thousands of gates.
@lru_cache(maxsize=4096)
def _parsed(text: str, level: int) -> Measure | str:
    """Return the measure, or what is wrong with its text."""
    try:
        return Measure.parse(text, level)
    except InputError as error:
        return error.message


def _is_bounded(text: str) -> bool:
    measure = _parsed(text, 1)
    return isinstance(measure, Measure) and measure.bounded


def _is_latency(text: str) -> bool:
    measure = _parsed(text, 1)
    return isinstance(measure, Measure) and measure.is_latency


def _limit_fault(rule: str, limit: float, *, bounded: bool) -> str | None:
    """Say why a limit can't be meant."""
    if not math.isfinite(limit):
        return "a limit must be a finite number"
    if bounded and not 0 <= limit <= 1:
        return "the values of this measure lie in 0..1, and so must its limit"
    if limit < 0:
        return "no measure is below 0, so neither may its limit be"
    return _EMPTY.get((rule, limit)) if bounded or limit == 0 else None
