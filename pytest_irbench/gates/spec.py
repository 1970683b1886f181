"""irbench.yaml as frozen data; every fault of the file is told with its place, all at once."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES
from pytest_irbench.errors import InputError
from pytest_irbench.gates import yaml_text
from pytest_irbench.gates.declared import BenchmarkSpec, GateSpec, Spec, SystemSpec, labels_of
from pytest_irbench.gates.kinds import Threshold, ThresholdSpec
from pytest_irbench.gates.nodes import (
    Faults,
    Fields,
    ListNode,
    MapNode,
    Scalar,
    as_map,
    described,
    nearest,
    shown,
)
from pytest_irbench.gates.protocol import PROTOCOL_KEYS, read_protocols
from pytest_irbench.gates.rules import KEYS as KEYS_OF_RULES
from pytest_irbench.gates.rules import RULE_KEYS, read_rules
from pytest_irbench.gates.systems import KEYS as KEYS_OF_SYSTEMS
from pytest_irbench.gates.systems import is_python_name, read_system
from pytest_irbench.gates.thresholds import LIMIT_KEYS, check_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_irbench.gates.nodes import Node

__all__ = ["BenchmarkSpec", "GateSpec", "Spec", "SystemSpec", "Threshold", "ThresholdSpec", "read_spec"]

KEYS: Mapping[str, tuple[str, ...]] = {
    "file": ("benchmarks", "systems", "gates"),
    "benchmark": (
        "topics",
        "qrels",
        "ir_datasets",
        "relevance_level",
        "depth",
        "measures",
        "description",
        "candidates",
        "extra_qrels",
    ),
    **KEYS_OF_SYSTEMS,
    "gate": ("benchmark", "system", "depth", *RULE_KEYS, "slack", "topic_columns", *PROTOCOL_KEYS),
    "limits": LIMIT_KEYS,
    **KEYS_OF_RULES,
}
"""Every key that the file may hold, by the mapping that it stands in."""

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
"""What benchmarks and systems may be called: their names become part of pytest's node ids."""

TAKEN_BY_PYTEST = re.compile(
    r"__.*|_?irbench_.*|pytest.*|(setup|teardown)_(module|function)|(setUp|tearDown)Module"
)
"""Systems become test functions of a module; under these names pytest looks for something else there."""

BUILTIN_NAMES = tuple(sorted({*BUILTIN, *(name for family in FAMILIES.values() for name in family)}))
RESERVED_NAMES = (*BUILTIN_NAMES, *FAMILIES, "all")
"""Names that select something already, so that nothing can be declared under them."""

_SOURCES = "{topics: topics.tsv, qrels: qrels.txt} or {ir_datasets: beir/scifact/test}"
_GATE = "{benchmark: dl20-passage, system: bm25, thresholds: {nDCG@10: 0.45}}"


def read_spec(path: Path) -> Spec:
    """Read a file of benchmarks, systems and gates.

    Parameters
    ----------
    path
        The YAML file. Paths in it are relative to its folder.

    Raises
    ------
    InputError
        When the file can't be opened.
    InputErrors
        With every fault of the file, in its order.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"this file can't be read: {error.strerror or error}", path) from None
    faults = Faults(path)
    spec = _Reader(path, faults).file(yaml_text.parse(data, faults))
    faults.raise_all()
    return spec


class _Reader:
    """Turns nodes into the data of `declared`; what is faulty is noted and left out."""

    def __init__(self, path: Path, faults: Faults) -> None:
        self.path = path
        self.faults = faults
        self.levels = {name: info.relevance_level for name, info in BUILTIN.items()}
        self.labels: dict[str, list[str]] = {}
        self.benchmark_names = dict.fromkeys((*BUILTIN_NAMES, *FAMILIES))
        self.system_names: dict[str, None] = {}
        self.pairs: dict[tuple[str, str, str], GateSpec] = {}

    def file(self, root: Node | None) -> Spec:
        if root is None or (isinstance(root, Scalar) and root.value is None):
            self.faults.add_at(1, 1, "this file declares nothing: it needs the key gates")
            return Spec(self.path, {}, {}, ())
        mapping = as_map(root, self.faults, f"this file is a mapping with the keys {', '.join(KEYS['file'])}")
        fields = Fields(mapping or MapNode(1, 1), self.faults, "this file", KEYS["file"])
        # Names first, wherever they stand in the file: a declaration with a fault is still declared.
        benchmarks, systems = self.section(fields, "benchmarks"), self.section(fields, "systems")
        self.benchmark_names.update(dict.fromkeys(key.text for key, _ in benchmarks))
        self.system_names.update(dict.fromkeys(key.text for key, _ in systems))
        declared = [self.benchmark(key, node) for key, node in benchmarks]
        asked = [read_system(key, node, self.faults) for key, node in systems]
        gates = [gate for node in self.gate_nodes(fields) for gate in self.gate(node)]
        return Spec(
            self.path,
            {benchmark.name: benchmark for benchmark in declared if benchmark},
            {system.name: system for system in asked if system},
            tuple(gates),
        )

    def section(self, fields: Fields, section: str) -> list[tuple[Scalar, Node]]:
        """Return the names and bodies of ``benchmarks`` or ``systems``."""
        node = fields.get(section)
        if node is None:
            return []
        mapping = as_map(node, self.faults, f"{section} maps names to their declarations")
        entries = list(mapping.entries.values()) if mapping else []
        for key, _ in entries:
            self.check_name(key, section.removesuffix("s"))
            if section == "benchmarks" and key.text in RESERVED_NAMES:
                self.faults.add(
                    key, f"the name {shown(key.text)} is built in: call your benchmark something else"
                )
        return entries

    def check_name(self, name: Scalar, what: str) -> bool:
        if what == "system" and TAKEN_BY_PYTEST.fullmatch(name.text):
            said = f"the system name {shown(name.text)} means something to pytest"
            self.faults.add(name, f"{said}: call the system something else")
            return False
        if NAME.fullmatch(name.text):
            return True
        said = f"the {what} name {shown(name.text)} can't be part of a test's id"
        self.faults.add(name, f"{said}: use letters a to z, digits and _, and after the first also . + -")
        return False

    def benchmark(self, key: Scalar, node: Node) -> BenchmarkSpec | None:
        what = f"benchmark {shown(key.text)}"
        mapping = as_map(node, self.faults, f"{what} takes {_SOURCES}")
        if mapping is None:
            return None
        fields = Fields(mapping, self.faults, what, KEYS["benchmark"])
        self.check_source(key, fields, what)
        level = fields.whole("relevance_level", 2) or Benchmark.relevance_level
        self.levels[key.text] = level
        measures = fields.texts("measures", "nDCG@10")
        check_measures(measures, self.faults, {level})
        return BenchmarkSpec(
            name=key.text,
            line=key.line,
            topics=self.path_of(fields, "topics", "topics.tsv"),
            qrels=self.path_of(fields, "qrels", "qrels.txt"),
            ir_datasets=fields.text("ir_datasets", "beir/scifact/test"),
            relevance_level=level,
            depth=fields.whole("depth", 1000) or Benchmark.depth,
            measures=tuple(measure.text for measure in measures) or Benchmark.measures,
            description=fields.text("description", "'questions of our help desk'") or "",
            candidates=self.path_of(fields, "candidates", "candidates.trec"),
            extra_qrels=self.extra_qrels(key.text, fields),
        )

    def extra_qrels(self, name: str, fields: Fields) -> dict[str, Path]:
        """Read the files of the extra label sets."""
        node = fields.get("extra_qrels")
        mapping = as_map(node, self.faults, "extra_qrels maps names to files") if node else None
        if mapping is None:
            return {}
        self.labels[name] = list(mapping.entries)
        for key, _ in mapping.entries.values():
            if not (key.text.isascii() and key.text.isidentifier()):
                said = f"the name {shown(key.text)} of a label set can't be part of a test's id"
                self.faults.add(key, f"{said}: use letters, digits and _")
        files = Fields(mapping, self.faults, "extra_qrels", list(mapping.entries))
        paths = {labels: self.path_of(files, labels, "labels.txt") for labels in mapping.entries}
        return {labels: path for labels, path in paths.items() if path is not None}

    def check_source(self, key: Scalar, fields: Fields, what: str) -> None:
        files = [name for name in ("topics", "qrels") if name in fields]
        if "ir_datasets" in fields and files:
            self.faults.add(
                fields.known[files[0]][0], f"{what} takes either topics and qrels, or ir_datasets: keep one"
            )
        elif "ir_datasets" not in fields and len(files) < 2:
            self.faults.add(key, f"{what} needs {_SOURCES}")

    def path_of(self, fields: Fields, key: str, example: str) -> Path | None:
        text = fields.text(key, example)
        if text is not None and "\0" in text:
            self.faults.add(fields.known[key][1], f"{key} is no path: it holds a null character")
        return None if text is None else self.path.absolute().parent / text

    def gate_nodes(self, fields: Fields) -> list[Node]:
        node = fields.get("gates")
        if node is None:
            return []
        if isinstance(node, ListNode) and node.items:
            return node.items
        self.faults.add(node, f"gates is a list, one '- benchmark: ...' for each gate, not {described(node)}")
        return []

    def gate(self, node: Node) -> list[GateSpec]:
        mapping = as_map(node, self.faults, f"a gate is a mapping such as {_GATE}")
        if mapping is None:
            return []
        fields = Fields(mapping, self.faults, "a gate", KEYS["gate"])
        for key in ("benchmark", "system"):
            if key not in fields:
                self.faults.add(mapping, f"this gate has no {key}: a gate is a mapping such as {_GATE}")
        benchmarks, systems = self.gate_benchmarks(fields), self.gate_systems(fields)
        depth = fields.whole("depth", 100)
        levels = {self.levels.get(name, Benchmark.relevance_level) for name in benchmarks}
        rules = read_rules(mapping, fields, self.faults, levels or {Benchmark.relevance_level}, NAME)
        self.check_labels(rules.thresholds, benchmarks)
        columns = self.path_of(fields, "topic_columns", "columns.tsv")
        gates = []
        for benchmark, system, protocol in product(benchmarks, systems, read_protocols(fields, self.faults)):
            found = (rules.thresholds, columns, rules.known_bad, protocol)
            gates.append(GateSpec(mapping.line, benchmark, system, depth, *found))
            first = self.pairs.setdefault((benchmark, system, protocol.utterance), gates[-1])
            if first is not gates[-1]:
                said = f"benchmark {benchmark} with system {system} is a gate already in line {first.line}"
                self.faults.add(mapping, f"{said}: put all of its thresholds there")
        return gates

    def check_labels(self, thresholds: Iterable[Threshold], benchmarks: list[str]) -> None:
        """Note the extra label sets that a benchmark does not have."""
        for threshold, benchmark in product(thresholds, benchmarks):
            labels, known = labels_of(threshold), self.labels.get(benchmark, [])
            if labels and labels not in known:
                said = f"benchmark {benchmark} has no extra_qrels {shown(labels)}"
                close = nearest(labels, known) if known else ", it has none"
                self.faults.add_at(threshold.line, threshold.column, f"{said}{close}")

    def gate_benchmarks(self, fields: Fields) -> list[str]:
        names: list[str] = []
        for scalar in fields.texts("benchmark", "dl20-passage"):
            if scalar.text not in self.benchmark_names:
                close = nearest(scalar.text, self.benchmark_names)
                self.faults.add(scalar, f"unknown benchmark {shown(scalar.text)}{close}")
            else:
                names += FAMILIES.get(scalar.text, (scalar.text,))
        return names

    def gate_systems(self, fields: Fields) -> list[str]:
        names = fields.texts("system", "bm25")
        for name in names:
            if name.text in self.system_names or not self.check_name(name, "system"):
                continue
            if not is_python_name(name.text):
                said = f"system {shown(name.text)} is not under systems:, so it would have to be a fixture"
                close = nearest(name.text, self.system_names) if self.system_names else ""
                self.faults.add(name, f"{said}, and is no Python name{close}")
        return [name.text for name in names]
