"""Measures and limits of a gate, read from the nodes of its file."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from pytest_irbench.errors import InputError
from pytest_irbench.gates.declared import Rule, ThresholdSpec
from pytest_irbench.gates.nodes import Fields, MapNode, Scalar, described, shown, wrong_number
from pytest_irbench.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_irbench.gates.nodes import Faults, Node

LIMIT_KEYS: tuple[Rule, ...] = ("min", "max")
"""The keys of a threshold's long form."""

_EXAMPLE = "add for instance thresholds: {nDCG@10: 0.45}"


def read_thresholds(
    gate: MapNode, node: Node | None, faults: Faults, levels: Iterable[int]
) -> tuple[ThresholdSpec, ...]:
    """Read the thresholds of a gate.

    Parameters
    ----------
    gate
        The gate itself, for the place of a fault when `node` is None.
    node
        The value of ``thresholds``, or None when the key is missing.
    faults
        Takes the faults.
    levels
        The relevance levels of the gate's benchmarks.
    """
    empty_map = isinstance(node, MapNode) and not node.entries
    if node is None or empty_map or (isinstance(node, Scalar) and node.value is None):
        faults.add(node or gate, f"this gate has no thresholds and could never fail: {_EXAMPLE}")
        return ()
    if not isinstance(node, MapNode):
        faults.add(node, f"thresholds maps measures to limits, not {described(node)}: {_EXAMPLE}")
        return ()
    check_measures((key for key, _ in node.entries.values()), faults, levels)
    return tuple(
        threshold for key, value in node.entries.values() for threshold in _read_limits(key, value, faults)
    )


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


def _read_limits(key: Scalar, node: Node, faults: Faults) -> list[ThresholdSpec]:
    """Read one measure's number (short for ``min``) or mapping of limits."""
    if not isinstance(node, MapNode):
        accepted = "takes a number such as 0.45, or {min: 0.45, max: 0.9}"
        limit = _read_limit("min", key, node, faults, f"the measure {shown(key.text)} {accepted}")
        return [] if limit is None else [ThresholdSpec(key.text, "min", limit, key.line, key.column)]
    fields = Fields(node, faults, f"the limits of {shown(key.text)}", LIMIT_KEYS)
    if not node.entries:
        faults.add(
            key, f"the measure {shown(key.text)} has neither min nor max and could never fail: add one"
        )
    found = []
    for rule in LIMIT_KEYS:
        if rule in fields:
            place, value = fields.known[rule]
            limit = _read_limit(
                rule, key, value, faults, f"{rule} of {shown(key.text)} is a number such as 0.45"
            )
            if limit is not None:
                found.append(ThresholdSpec(key.text, rule, limit, place.line, place.column))
    if len(found) == len(LIMIT_KEYS) and found[0].limit > found[1].limit:
        message = (
            f"min {found[0].limit:g} of {shown(key.text)} is above its max {found[1].limit:g}: nothing passes"
        )
        faults.add(fields.known["min"][1], message)
    return found


def _read_limit(rule: Rule, key: Scalar, node: Node, faults: Faults, accepted: str) -> float | None:
    if not isinstance(node, Scalar) or type(node.value) not in (int, float):
        faults.add(node, wrong_number(node, accepted))
        return None
    try:
        limit = float(cast("float", node.value))
    except OverflowError:
        limit = math.inf
    fault = _limit_fault(rule, limit, bounded=_is_bounded(key.text))
    if fault is None:
        return limit
    faults.add(node, f"{rule} {node.text} of {shown(key.text)}: {fault}")
    return None


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


def _limit_fault(rule: Rule, limit: float, *, bounded: bool) -> str | None:
    """Say why a limit can't be meant."""
    if not math.isfinite(limit):
        return "a limit must be a finite number"
    if bounded and not 0 <= limit <= 1:
        return "the values of this measure lie in 0..1, and so must its limit"
    if limit < 0:
        return "no measure is below 0, so neither may its limit be"
    if rule == "min" and limit == 0:
        return "a minimum of 0 can never fail, raise it or leave it out"
    if rule == "max" and bounded and limit == 1:
        return "a maximum of 1 can never fail, lower it or leave it out"
    return None
