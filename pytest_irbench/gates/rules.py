"""All rules of a gate, read from the nodes of its file: thresholds, slices, conversations, queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import InputError
from pytest_irbench.gates.kinds import Slice, StableSpec, WorstConversationSpec
from pytest_irbench.gates.nodes import Fields, ListNode, MapNode, Scalar, as_map, as_text, described, shown
from pytest_irbench.gates.queries import KEYS as KEYS_OF_QUERIES
from pytest_irbench.gates.queries import read_queries
from pytest_irbench.gates.thresholds import (
    check_measures,
    read_limit,
    read_measures,
    read_slack,
    read_thresholds,
)
from pytest_irbench.gates.where import parse_where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from re import Pattern

    from pytest_irbench.gates.kinds import DropSpec, Threshold, ThresholdSpec
    from pytest_irbench.gates.nodes import Faults, Node

RULE_KEYS = ("thresholds", "slices", "worst_conversation", "stable", "queries")
"""The keys of a gate that hold rules; it needs one of them."""

KEYS: Mapping[str, tuple[str, ...]] = {"slice": ("where", "thresholds"), **KEYS_OF_QUERIES}
"""The keys of what they hold."""

_NOT_SLICES = ("worst_conversation", "queries")
"""Keys of a gate that a test's id begins with where another begins with a slice."""

_ITEM = "{measure: RR@10, qrels: sparse, min: 0.3}"
_STABLE = "stable maps measures to how far apart their values may be, such as {nDCG@10: 0.005}"
_THRESHOLDS = "add for instance thresholds: {nDCG@10: 0.45}"
_WHERE = '{where: "turn >= 5", thresholds: {nDCG@3: 0.3}}'
_WORST = "worst_conversation maps measures to the lowest mean of a conversation, such as {nDCG@3: 0.2}"


class Rules(NamedTuple):
    """What a gate holds its system to, in the order of its file, and the queries of ``queries.xfail``."""

    thresholds: tuple[Threshold, ...]
    known_bad: frozenset[str]


def read_rules(gate: MapNode, fields: Fields, faults: Faults, levels: set[int], names: Pattern[str]) -> Rules:
    """Read the rules of a gate.

    Parameters
    ----------
    gate, fields
        The gate, and its keys.
    faults
        Takes the faults.
    levels
        The relevance levels of the gate's benchmarks.
    names
        What a slice may be called: its name becomes part of pytest's node ids.
    """
    reader = _Reader(faults, levels, names, read_slack(fields, faults))
    if not any(key in fields for key in RULE_KEYS):
        faults.add(gate, f"this gate has no thresholds and could never fail: {_THRESHOLDS}")
    found = [
        *reader.thresholds(fields),
        *reader.slices(fields.get("slices")),
        *reader.worst_conversation(fields.get("worst_conversation")),
        *reader.stable(fields),
    ]
    queries = read_queries(fields.get("queries"), faults, levels)
    return Rules((*found, *queries.thresholds), queries.known_bad)


def _is_empty(node: Node) -> bool:
    if isinstance(node, Scalar):
        return node.value is None
    return not (node.entries if isinstance(node, MapNode) else node.items)


def _by_labels(entries: Iterable[tuple[Scalar, Node]]) -> dict[str, list[Scalar]]:
    """Sort measures by the label set that their limits name."""
    found: dict[str, list[Scalar]] = {}
    for measure, limits in entries:
        qrels = limits.entries.get("qrels") if isinstance(limits, MapNode) else None
        labels = qrels[1].text if qrels and isinstance(qrels[1], Scalar) else ""
        found.setdefault(labels, []).append(measure)
    return found


class _Reader:
    """Turns nodes into the data of `declared`; what is faulty is noted and left out."""

    def __init__(self, faults: Faults, levels: set[int], names: Pattern[str], slack: float | None) -> None:
        self.faults = faults
        self.levels = levels
        self.names = names
        self.slack = slack

    def thresholds(self, fields: Fields, among: Slice | None = None) -> list[ThresholdSpec | DropSpec]:
        if "thresholds" not in fields:
            return []
        node = fields.known["thresholds"][1]
        what = f"slice {shown(among.name)}" if among else "this gate"
        if _is_empty(node):
            self.faults.add(node, f"{what} has no thresholds and could never fail: {_THRESHOLDS}")
            return []
        entries = self.entries(node)
        for labels, measures in _by_labels(entries).items():
            # An extra label set has a level of its own.
            check_measures(measures, self.faults, {1} if labels else self.levels)
        return read_thresholds(entries, self.faults, among, self.slack)

    def entries(self, node: Node) -> list[tuple[Scalar, Node]]:
        """Return the measures with their limits: of a mapping, or of a list of mappings that name theirs."""
        if isinstance(node, MapNode):
            return list(node.entries.values())
        if not isinstance(node, ListNode):
            said = f"thresholds maps measures to limits, not {described(node)}: {_THRESHOLDS}"
            self.faults.add(node, said)
            return []
        found: list[tuple[Scalar, Node]] = []
        for item in node.items:
            mapping = as_map(item, self.faults, f"an item of thresholds is a mapping such as {_ITEM}")
            if mapping is None:
                continue
            measure = mapping.entries.get("measure")
            named = as_text(measure[1], self.faults, f"measure is text, as in {_ITEM}") if measure else None
            if measure is None:
                self.faults.add(mapping, f"this item has no measure: it is a mapping such as {_ITEM}")
            elif named:
                limits = {key: entry for key, entry in mapping.entries.items() if key != "measure"}
                found.append((named, MapNode(mapping.line, mapping.column, limits)))
        return found

    def slices(self, node: Node | None) -> Iterator[Threshold]:
        if node is None:
            return
        mapping = as_map(node, self.faults, f"slices maps names to {_WHERE}")
        for key, value in mapping.entries.values() if mapping else ():
            body = as_map(value, self.faults, f"slice {shown(key.text)} is a mapping such as {_WHERE}")
            if not self.names.fullmatch(key.text):
                said = f"the slice name {shown(key.text)} can't be part of a test's id"
                said = f"{said}: use letters a to z, digits and _, and after the first also . + -"
                self.faults.add(key, said)
            elif key.text in _NOT_SLICES:
                said = f"a slice can't be called {key.text}: the tests of that key of a gate are"
                self.faults.add(key, f"{said}, call the slice something else")
            elif body:
                yield from self.slice(key, body)

    def slice(self, key: Scalar, body: MapNode) -> Iterator[Threshold]:
        fields = Fields(body, self.faults, f"slice {shown(key.text)}", KEYS["slice"])
        for name in KEYS["slice"]:
            if name not in fields:
                self.faults.add(
                    key, f"slice {shown(key.text)} has no {name}: it is a mapping such as {_WHERE}"
                )
        text = fields.text("where", '"turn >= 5"')
        if text is None:
            return
        try:
            where = parse_where(text)
        except InputError as error:
            self.faults.add(fields.known["where"][1], error.message)
        else:
            yield from self.thresholds(fields, Slice(key.text, where, key.line))

    def worst_conversation(self, node: Node | None) -> Iterator[WorstConversationSpec]:
        for key, value in read_measures(node, self.faults, self.levels, _WORST):
            accepted = f"worst_conversation of {shown(key.text)} is a number such as 0.2"
            limit = read_limit("min", key, value, self.faults, accepted)
            if limit is not None:
                yield WorstConversationSpec(key.text, limit, key.line, key.column)

    def stable(self, fields: Fields) -> Iterator[StableSpec]:
        repeats = fields.get("repeats")
        once = repeats is None or (isinstance(repeats, Scalar) and repeats.value == 1)
        if "stable" in fields and once:
            said = "stable compares what a system answers when it is asked again: add repeats: 3"
            self.faults.add(fields.known["stable"][0], said)
        for key, value in read_measures(fields.get("stable"), self.faults, self.levels, _STABLE):
            accepted = f"stable of {shown(key.text)} is a number such as 0.005"
            limit = read_limit("max", key, value, self.faults, accepted)
            if limit is not None:
                yield StableSpec(key.text, limit, key.line, key.column)
