"""All rules of a gate, read from the nodes of its file: thresholds, slices, conversations, queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import InputError
from pytest_irbench.gates.kinds import (
    ExpectSpec,
    KnownBadSpec,
    QueryDropSpec,
    Slice,
    StableSpec,
    WorstConversationSpec,
)
from pytest_irbench.gates.nodes import (
    Fields,
    ListNode,
    MapNode,
    Scalar,
    as_map,
    as_text,
    described,
    shown,
    wrong_number,
)
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

KEYS: Mapping[str, tuple[str, ...]] = {
    "slice": ("where", "thresholds"),
    "queries": ("max_drop", "expect", "xfail"),
    "expectation": ("query_id", "doc_id", "within", "absent"),
    "known bad query": ("query_id", "reason", "below"),
}
"""The keys of what they hold."""

_NOT_SLICES = ("worst_conversation", "queries")
"""Keys of a gate that a test's id begins with where another begins with a slice."""

_ITEM = "{measure: RR@10, qrels: sparse, min: 0.3}"
_STABLE = "stable maps measures to how far apart their values may be, such as {nDCG@10: 0.005}"
_THRESHOLDS = "add for instance thresholds: {nDCG@10: 0.45}"
_WHERE = '{where: "turn >= 5", thresholds: {nDCG@3: 0.3}}'
_WORST = "worst_conversation maps measures to the lowest mean of a conversation, such as {nDCG@3: 0.2}"
_DROP = "max_drop maps measures to what a query may lose, such as {nDCG@10: 0.5, allow: 2}"
_EXPECT = '{query_id: "23849", doc_id: "2607127", within: 3}'
_KNOWN_BAD = '{query_id: "h07", reason: no synonyms yet, below: {nDCG@10: 0.3}}'


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
        *reader.queries(fields.get("queries")),
    ]
    return Rules(tuple(found), frozenset(reader.reasons))


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
        self.reasons: dict[str, str] = {}

    def thresholds(self, fields: Fields, among: Slice | None = None) -> list[ThresholdSpec | DropSpec]:
        if "thresholds" not in fields:
            return []
        node = fields.known["thresholds"][1]
        what = f"slice {shown(among.name)}" if among else "this gate"
        empty = isinstance(node, MapNode) and not node.entries
        if empty or (isinstance(node, Scalar) and node.value is None):
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
        if "stable" in fields and "repeats" not in fields:
            said = "stable compares what a system answers when it is asked again: add repeats: 3"
            self.faults.add(fields.known["stable"][0], said)
        for key, value in read_measures(fields.get("stable"), self.faults, self.levels, _STABLE):
            accepted = f"stable of {shown(key.text)} is a number such as 0.005"
            limit = read_limit("max", key, value, self.faults, accepted)
            if limit is not None:
                yield StableSpec(key.text, limit, key.line, key.column)

    def queries(self, node: Node | None) -> Iterator[Threshold]:
        if node is None:
            return
        accepted = f"queries is a mapping with the keys {', '.join(KEYS['queries'])}"
        mapping = as_map(node, self.faults, accepted)
        fields = Fields(mapping or MapNode(1, 1), self.faults, "queries", KEYS["queries"])
        known_bad = list(self.known_bad(fields))
        yield from self.drops(fields.get("max_drop"))
        expected = list(self.expectations(fields))
        yield from expected
        yield from known_bad
        told = {one.query_id for one in expected} | {one.query_id for one in known_bad}
        self.check_known_bad(fields, told)

    def drops(self, node: Node | None) -> Iterator[QueryDropSpec]:
        entries = read_measures(node, self.faults, self.levels, _DROP, beside="allow")
        if node is not None and isinstance(node, MapNode) and node.entries and not entries:
            self.faults.add(node, f"{_DROP}: it names no measure and could never fail")
        allow = self.allow(node)
        for key, value in entries:
            accepted = f"what a query may lose of {shown(key.text)} is a number such as 0.5"
            limit = read_limit("max_drop", key, value, self.faults, accepted)
            if limit is not None:
                yield QueryDropSpec(key.text, limit, allow, key.line, key.column)

    def allow(self, node: Node | None) -> int:
        if not isinstance(node, MapNode) or "allow" not in node.entries:
            return 0
        value = node.entries["allow"][1]
        if isinstance(value, Scalar) and type(value.value) is int and value.value >= 0:
            return value.value
        self.faults.add(value, wrong_number(value, "allow is a whole number from 0, such as 2"))
        return 0

    def items(self, fields: Fields, key: str, example: str) -> Iterator[tuple[MapNode, Fields]]:
        """Give the mappings of a list, with those of their keys that are known."""
        node = fields.get(key)
        if node is None:
            return
        if not isinstance(node, ListNode) or not node.items:
            self.faults.add(node, f"{key} is a list of mappings such as {example}, not {described(node)}")
            return
        what = "expectation" if key == "expect" else "known bad query"
        for item in node.items:
            mapping = as_map(item, self.faults, f"an item of {key} is a mapping such as {example}")
            if mapping:
                yield mapping, Fields(mapping, self.faults, f"an item of {key}", KEYS[what])

    def expectations(self, fields: Fields) -> Iterator[ExpectSpec]:
        seen: dict[tuple[str, str], MapNode] = {}
        for mapping, item in self.items(fields, "expect", _EXPECT):
            query_id, doc_id = self.id_of(mapping, item, "query_id"), self.id_of(mapping, item, "doc_id")
            within, absent = item.whole("within", 3), item.flag("absent")
            if "within" not in item and "absent" not in item:
                said = f"this item has neither within nor absent: it is a mapping such as {_EXPECT}"
                self.faults.add(mapping, said)
            if query_id is None or doc_id is None:
                continue
            first = seen.setdefault((query_id, doc_id), mapping)
            if first is not mapping:
                said = f"document {shown(doc_id)} of query {shown(query_id)} is expected already"
                self.faults.add(mapping, f"{said} in line {first.line}: keep one")
            reason = self.reasons.get(query_id)
            yield ExpectSpec(query_id, doc_id, within, absent, mapping.line, mapping.column, reason)

    def known_bad(self, fields: Fields) -> Iterator[KnownBadSpec]:
        for mapping, item in self.items(fields, "xfail", _KNOWN_BAD):
            query_id = self.id_of(mapping, item, "query_id")
            reason = item.text("reason", "'no synonyms yet'")
            if "reason" not in item:
                self.faults.add(mapping, f"this item has no reason: it is a mapping such as {_KNOWN_BAD}")
            if query_id is None or reason is None:
                continue
            if query_id in self.reasons:
                said = f"query {shown(query_id)} is in xfail already: put what it is below into one item"
                self.faults.add(mapping, said)
            self.reasons[query_id] = reason
            accepted = f"below maps measures to a value, as in {_KNOWN_BAD}"
            for key, value in read_measures(item.get("below"), self.faults, self.levels, accepted):
                limit = read_limit(
                    "below", key, value, self.faults, f"below of {shown(key.text)} is a number"
                )
                if limit is not None:
                    yield KnownBadSpec(query_id, reason, key.text, limit, mapping.line, mapping.column)

    def check_known_bad(self, fields: Fields, told: set[str]) -> None:
        """Note the known bad queries whose recovery nothing would show."""
        for query_id in self.reasons.keys() - told:
            said = f"query {shown(query_id)} of xfail has neither below nor an expect"
            said = f"{said}: nothing would show that it recovered, write it as in {_KNOWN_BAD}"
            self.faults.add(fields.known["xfail"][0], said)

    def id_of(self, mapping: MapNode, item: Fields, key: str) -> str | None:
        """Read an id, which is text however it is written."""
        node = item.get(key)
        if node is None:
            self.faults.add(mapping, f"this item has no {key}")
            return None
        if isinstance(node, Scalar) and node.text and node.value is not None:
            return node.text
        self.faults.add(node, f"{key} is an id such as '31_1', not {described(node)}")
        return None
