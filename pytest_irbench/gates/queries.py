"""The rules of a gate for single queries, read from the nodes of its file: the key ``queries``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.kinds import ExpectSpec, KnownBadSpec, QueryDropSpec
from pytest_irbench.gates.nodes import (
    Fields,
    ListNode,
    MapNode,
    Scalar,
    as_map,
    described,
    shown,
    wrong_number,
)
from pytest_irbench.gates.thresholds import read_limit, read_measures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_irbench.gates.nodes import Faults, Node

KEYS: Mapping[str, tuple[str, ...]] = {
    "queries": ("max_drop", "expect", "xfail"),
    "expectation": ("query_id", "doc_id", "within", "absent"),
    "known bad query": ("query_id", "reason", "below"),
}
"""The keys of ``queries``, and of what it holds."""

_DROP = "max_drop maps measures to what a query may lose, such as {nDCG@10: 0.5, allow: 2}"
_EXPECT = '{query_id: "23849", doc_id: "2607127", within: 3}'
_KNOWN_BAD = '{query_id: "h07", reason: no synonyms yet, below: {nDCG@10: 0.3}}'


class QueryRules(NamedTuple):
    """Rules for single queries, in the order of their file, and the queries of ``xfail``."""

    thresholds: tuple[QueryDropSpec | ExpectSpec | KnownBadSpec, ...] = ()
    known_bad: frozenset[str] = frozenset()


def read_queries(node: Node | None, faults: Faults, levels: set[int]) -> QueryRules:
    """Read the rules of a gate for single queries.

    Parameters
    ----------
    node
        The value of ``queries``, or None.
    faults
        Takes the faults.
    levels
        The relevance levels of the gate's benchmarks.
    """
    if node is None:
        return QueryRules()
    accepted = f"queries is a mapping with the keys {', '.join(KEYS['queries'])}"
    mapping = as_map(node, faults, accepted)
    fields = Fields(mapping or MapNode(1, 1), faults, "queries", KEYS["queries"])
    reader = _Reader(faults, levels)
    # First, because a golden answer of such a query has its reason.
    known_bad = list(reader.known_bad(fields))
    drops = list(reader.drops(fields.get("max_drop")))
    expected = list(reader.expectations(fields))
    told = {one.query_id for one in expected} | {one.query_id for one in known_bad}
    reader.check_known_bad(fields, told)
    return QueryRules((*drops, *expected, *known_bad), frozenset(reader.reasons))


class _Reader:
    """Turns nodes into the data of `kinds`; what is faulty is noted and left out."""

    def __init__(self, faults: Faults, levels: set[int]) -> None:
        self.faults = faults
        self.levels = levels
        self.reasons: dict[str, str] = {}

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
