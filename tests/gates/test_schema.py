"""The schema for editors says what the reader does, as far as a schema can see."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.builtin import FAMILIES
from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates import spec, yaml_text
from pytest_irbench.gates.nodes import Faults, ListNode, MapNode, Node
from pytest_irbench.measures.measure import ALIASES, SIGNATURES

SCHEMA: dict[str, Any] = json.loads(Path(spec.__file__).with_name("irbench.schema.json").read_text("utf-8"))
DEFS = SCHEMA["$defs"]
THRESHOLDS = DEFS["gate"]["properties"]["thresholds"]


def plain(node: Node | None) -> Any:
    """The document as a schema's validator takes it."""
    if isinstance(node, MapNode):
        return {name: plain(value) for name, (_, value) in node.entries.items()}
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return None if node is None else node.value


def schema_accepts(text: str) -> bool:
    document = plain(yaml_text.parse(text.encode(), Faults(Path("irbench.yaml"))))
    return bool(Draft202012Validator(SCHEMA).is_valid(document))


def reader_accepts(text: str, path: Path) -> bool:
    path.write_text(text, encoding="utf-8")
    try:
        spec.read_spec(path)
    except IrbenchError:
        return False
    return True


def gate(
    thresholds: str = "{RR: 0.5}", benchmark: str = "dl20-doc", system: str = "a", more: str = ""
) -> str:
    return f"gates: [{{benchmark: {benchmark}, system: {system}, thresholds: {thresholds}{more}}}]"


ACCEPTED = [
    gate(),
    gate(benchmark="dl20"),
    gate(benchmark="[cast19, dl19-doc]", system="[a, b]", more=", depth: 10"),
    gate("{nDCG@10: 1, AP: {min: 0.1, max: 0.9}, RR: {max: 0}, P@5: 1e-3}"),
    gate("{NumRet: 15, DCG@10: {min: 2, max: 30}, NumQ: {max: 0}}"),
    gate('{"nDCG(gains={0:0,1:1})@10": 0.3, "AP(rel=2)@100": 0.2, "nDCG(dcg=\'exp-log2\')@3": 0.2}'),
    "benchmarks: {a: {topics: t, qrels: q}}",
    "benchmarks: {31_1: {ir_datasets: x, relevance_level: 2, depth: 5, measures: [AP, RR], description: d}}",
    "benchmarks: {no: {ir_datasets: x, measures: AP}}\n" + gate(benchmark="'no'"),
    "systems: {bm25+rm3: {search: 'shop.search:bm25', depth: 3}, b: {search: 'a:B()'}}\n"
    + gate(system="bm25+rm3"),
    "systems: {a: {run: 'runs/{benchmark}.gz'}, b: {run: r}}",
]

REFUSED = [
    "{}",
    "[]",
    "text",
    "~",
    "gate: []",
    "gates: []",
    "gates: ~",
    "gates: {}",
    "gates: [~]",
    "gates: [{}]",
    "gates: [{system: a, thresholds: {RR: 0.5}}]",
    "gates: [{benchmark: dl20, thresholds: {RR: 0.5}}]",
    "gates: [{benchmark: dl20, system: a}]",
    gate("~"),
    gate("{}"),
    gate("0.5"),
    gate("[AP]"),
    *[
        gate(f"{{RR: {limit}}}")
        for limit in ("~", "'0.5'", "yes", "true", "1_0.5", "[0.5]", "{}", "{mim: 0.5}")
    ],
    *[
        gate(f"{{RR: {limit}}}")
        for limit in ("0", "1.5", "-0.1", ".inf", "{min: 0}", "{max: 1}", "{max: -0.1}")
    ],
    *[gate(f"{{NumRet: {limit}}}") for limit in ("0", "-1", "{min: 0}", "{max: -1}", "{min: '3'}", "{}")],
    *[
        gate(f"{{{measure}: 1.5}}")
        for measure in ("MAP", "'AP(rel=2)@100'", "nDCG", "Recall@5", "\"nDCG(dcg='log2')@3\"")
    ],
    *[gate(benchmark=name) for name in ("[]", "[dl20, dl20]", "~", "5", "{}", "a b")],
    *[gate(system=name) for name in ("[]", "[a, a]", "~", "5", "{}", "a b", "[a, 5]", "é")],
    *[gate(more=f", depth: {depth}") for depth in ("0", "1.5", "'5'", "~", "true")],
    gate(more=", max_drop: 1"),
    "benchmarks: {}",
    "benchmarks: [a]",
    "benchmarks: {a: ~}",
    "benchmarks: {a: {}}",
    "benchmarks: {a: {topics: t}}",
    "benchmarks: {a: {topics: t, qrels: q, ir_datasets: x}}",
    "benchmarks: {a: {topics: t, ir_datasets: x}}",
    "benchmarks: {a b: {ir_datasets: x}}",
    "benchmarks: {dl20: {ir_datasets: x}}",
    "benchmarks: {all: {ir_datasets: x}}",
    "benchmarks: {a: {ir_datasets: 5}}",
    "benchmarks: {a: {ir_datasets: ''}}",
    "benchmarks: {a: {ir_datasets: x, relevance_level: 0}}",
    "benchmarks: {a: {ir_datasets: x, depth: 1_000}}",
    "benchmarks: {a: {ir_datasets: x, measures: []}}",
    "benchmarks: {a: {ir_datasets: x, measures: [5]}}",
    "benchmarks: {a: {ir_datasets: x, measures: [AP, AP]}}",
    "benchmarks: {a: {ir_datasets: x, description: 5}}",
    "benchmarks: {a: {ir_datasets: x, extra_qrels: {}}}",
    "systems: {}",
    "systems: {a: {}}",
    "systems: {a: {search: 'a:b', run: r}}",
    "systems: {a: {search: a}}",
    "systems: {a: {search: 'a:b c'}}",
    "systems: {a: {run: ''}}",
    "systems: {a: {run: '{system}.gz'}}",
    "systems: {a: {run: 'a{benchmark'}}",
    "systems: {a: {run: r, depth: 0}}",
    "systems: {a: {http: r}}",
    "systems: {a/b: {run: r}}",
]

# A schema knows neither places nor other parts of the document, and a key given twice is gone before it looks.
READER_ONLY = {
    "a pair twice": "gates: [{benchmark: dl20, system: a, thresholds: {RR: 1}}, "
    "{benchmark: dl20-doc, system: a, thresholds: {RR: 1}}]",
    "an unknown benchmark": gate(benchmark="dl20-pasage"),
    "a system neither declared nor a Python name": gate(system="bm25+rm3"),
    "an unknown measure": gate("{nDGC@10: 0.4}"),
    "a measure without its cutoff": gate("{R: 0.4}"),
    "an unknown measure of a benchmark": "benchmarks: {a: {ir_datasets: x, measures: [nDGC]}}",
    "two spellings of one measure": gate("{AP: 0.1, MAP: 0.1}"),
    "min above max": gate("{AP: {min: 0.5, max: 0.4}}"),
    "not a number": gate("{AP: .nan}"),
    "an infinite count": gate("{NumRet: .inf}"),
    "a whole number with a point": gate(more=", depth: 10.0"),
    "a path with a null character": 'systems: {a: {run: "a\\0"}}',
    "a key twice": "systems: {a: {run: r}, a: {run: r}}",
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_both_accept(text: str, tmp_path: Path) -> None:
    assert reader_accepts(text, tmp_path / "irbench.yaml")
    assert schema_accepts(text)


@pytest.mark.parametrize("text", REFUSED)
def test_both_refuse(text: str, tmp_path: Path) -> None:
    assert not reader_accepts(text, tmp_path / "irbench.yaml")
    assert not schema_accepts(text)


@pytest.mark.parametrize("text", READER_ONLY.values(), ids=READER_ONLY)
def test_what_only_the_reader_can_see(text: str, tmp_path: Path) -> None:
    assert not reader_accepts(text, tmp_path / "irbench.yaml")
    assert schema_accepts(text)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_keys_are_the_same() -> None:
    limits = [
        form for name in ("limits", "bounded_limits") for form in DEFS[name]["anyOf"] if "properties" in form
    ]
    objects = {"file": [SCHEMA], "limits": limits} | {
        name: [DEFS[name]] for name in ("benchmark", "system", "gate")
    }
    assert set(objects) == set(spec.KEYS)
    for name, schemas in objects.items():
        for schema in schemas:
            assert set(schema["properties"]) == set(spec.KEYS[name])
            assert schema["additionalProperties"] is False


def test_every_key_is_described() -> None:
    for schema in (SCHEMA, DEFS["benchmark"], DEFS["system"], DEFS["gate"]):
        assert all(value["description"] for value in schema["properties"].values())


def test_the_built_in_names_are_the_same() -> None:
    names = SCHEMA["properties"]["benchmarks"]["propertyNames"]["allOf"][1]["not"]["enum"]
    assert set(names) == set(spec.RESERVED_NAMES)
    assert set(DEFS["benchmark_name"]["anyOf"][0]["enum"]) == {*spec.BUILTIN_NAMES, *FAMILIES}
    assert DEFS["name"]["pattern"] == f"^{spec.NAME.pattern}$"


def test_the_defaults_are_the_same() -> None:
    properties = DEFS["benchmark"]["properties"]
    assert properties["relevance_level"]["default"] == Benchmark.relevance_level
    assert properties["depth"]["default"] == Benchmark.depth
    assert properties["measures"]["default"] == list(Benchmark.measures)


def test_the_measures_within_0_and_1_are_the_same() -> None:
    (pattern,) = THRESHOLDS["patternProperties"]
    for name in (*SIGNATURES, *ALIASES):
        bounded = SIGNATURES[ALIASES.get(name, name)].bounded
        for text in (name, f"{name}@10", f"{name}(rel=2)", f"{name}(rel=2)@10"):
            assert bool(re.search(pattern, text)) is bounded
