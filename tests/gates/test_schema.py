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
from pytest_irbench.gates.thresholds import EVIDENCE
from pytest_irbench.measures.measure import ALIASES, SIGNATURES

SCHEMA: dict[str, Any] = json.loads(Path(spec.__file__).with_name("irbench.schema.json").read_text("utf-8"))
DEFS = SCHEMA["$defs"]


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


def ruled(rules: str) -> str:
    """A gate with other rules than thresholds for all topics."""
    return f"gates: [{{benchmark: cast21, system: a, {rules}}}]"


def sliced(slices: str) -> str:
    return ruled(f"slices: {slices}")


def queries(rules: str) -> str:
    return ruled(f"queries: {rules}")


ACCEPTED = [
    gate(),
    gate(benchmark="dl20"),
    gate(benchmark="[cast19, dl19-doc]", system="[a, b]", more=", depth: 10"),
    gate("{nDCG@10: 1, AP: {min: 0.1, max: 0.9}, RR: {max: 0}, P@5: 1e-3}"),
    gate("{NumRet: 15, DCG@10: {min: 2, max: 30}, NumQ: {max: 0}}"),
    gate('{"nDCG(gains={0:0,1:1})@10": 0.3, "AP(rel=2)@100": 0.2, "nDCG(dcg=\'exp-log2\')@3": 0.2}'),
    gate("{RR: {max_drop: 0}, AP: {max_drop: 0.02, min: 0.1}, NumRet: {max_drop: 30}}"),
    gate("{RR: {max_drop: 2%}, AP: {max_drop: ' 0.5 % '}, P@5: {max_drop: 099%}, NumRet: {max_drop: 5%}}"),
    gate("{RR: {max_drop: 1%, evidence: mean}, AP: {max_drop: 0, evidence: significant}}"),
    gate("{RR: {max_drop: 1%, evidence: noninferior, min: 0.5, max: 0.9, slack: 0.05}}"),
    gate(more=", slack: 0.05, topic_columns: facts.tsv"),
    sliced("{late: {where: turn >= 5, thresholds: {nDCG@3: 0.3, AP: {max_drop: 0.1}}}}"),
    sliced("{31.a+b-c: {where: 'query_id in [\"31_1\"]', thresholds: {NumRet: 20}}}"),
    ruled("worst_conversation: {nDCG@3: 0.2, AP: 1, NumRet: 10}"),
    queries("{max_drop: {nDCG@10: 0.5}}"),
    queries("{max_drop: {nDCG@10: 0, NumRet: 40, allow: 0}}"),
    queries("{expect: [{query_id: 31_1, doc_id: d, within: 3}, {query_id: 7, doc_id: no, absent: true}]}"),
    queries("{expect: [{query_id: true, doc_id: 1.5, within: 3, absent: true}]}"),
    queries("{expect: [{query_id: a, doc_id: d, absent: false}]}"),
    queries("{xfail: [{query_id: a, reason: why, below: {nDCG@10: 0.3, AP: 1}}]}"),
    queries("{xfail: [{query_id: a, reason: why}], expect: [{query_id: a, doc_id: d, within: 1}]}"),
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
    *[
        gate(f"{{RR: {{max_drop: {budget}}}}}")
        for budget in ("1", "-0.1", "1.5", "~", "true", "'0.02'", "100%", "-1%", "5", "2 %%", "1e1%", "[]")
    ],
    *[gate(f"{{NumRet: {{max_drop: {budget}}}}}") for budget in ("-1", "'3'", "100%", "~")],
    *[
        gate(f"{{RR: {{max_drop: 0.1, evidence: {evidence}}}}}")
        for evidence in ("~", "certain", "5", "[mean]", "Mean")
    ],
    gate("{RR: {evidence: mean}}"),
    gate("{RR: {min: 0.5, evidence: mean}}"),
    gate("{RR: {slack: 0.1}}"),
    gate("{RR: {max: 0.5, slack: 0.1}}"),
    *[gate(f"{{RR: {{min: 0.5, slack: {slack}}}}}") for slack in ("0", "-0.1", "'0.1'", "~", "2%")],
    *[gate(more=f", slack: {slack}") for slack in ("0", "-0.1", "'0.1'", "~")],
    *[gate(more=f", topic_columns: {path}") for path in ("~", "5", "''", "[facts.tsv]")],
    *[sliced(slices) for slices in ("~", "{}", "[late]", "{late: ~}", "{late: {}}", "{late: turn >= 5}")],
    sliced("{late: {where: turn >= 5}}"),
    sliced("{late: {thresholds: {AP: 0.5}}}"),
    *[sliced(f"{{late: {{where: {where}, thresholds: {{AP: 0.5}}}}}}") for where in ("~", "5", "''", "[a]")],
    *[sliced(f"{{late: {{where: turn >= 5, thresholds: {limits}}}}}") for limits in ("~", "{}", "{AP: 0}")],
    sliced("{late: {where: turn >= 5, thresholds: {AP: 0.5}, slack: 0.1}}"),
    *[
        sliced(f"{{{name}: {{where: turn >= 5, thresholds: {{AP: 0.5}}}}}}")
        for name in ("a b", "'a[1]'", "queries", "worst_conversation")
    ],
    *[
        ruled(f"worst_conversation: {worst}")
        for worst in ("~", "{}", "0.2", "[AP]", "{AP: 0}", "{AP: 1.5}", "{AP: {min: 0.1}}", "{NumRet: 0}")
    ],
    *[queries(rules) for rules in ("~", "{}", "[a]", "{golden: []}")],
    *[
        queries(f"{{max_drop: {drops}}}")
        for drops in (
            *("~", "{}", "0.5", "{allow: 2}", "{AP: 1}", "{AP: -0.1}", "{AP: 5%}", "{AP: ~}", "{NumRet: -1}"),
            *(
                "{AP: 0.5, allow: -1}",
                "{AP: 0.5, allow: 1.5}",
                "{AP: 0.5, allow: '1'}",
                "{AP: 0.5, allow: ~}",
            ),
        )
    ],
    *[queries(f"{{expect: {items}}}") for items in ("~", "[]", "{}", "[~]", "[d]", "[{}]")],
    *[
        queries(f"{{expect: [{{{item}}}]}}")
        for item in (
            "query_id: a, doc_id: d",
            "query_id: a, within: 3",
            "doc_id: d, within: 3",
            "query_id: a, doc_id: ~, within: 3",
            "query_id: '', doc_id: d, within: 3",
            "query_id: [a], doc_id: d, within: 3",
            "query_id: a, doc_id: d, within: 0",
            "query_id: a, doc_id: d, within: '3'",
            "query_id: a, doc_id: d, absent: yes",
            "query_id: a, doc_id: d, within: 3, rank: 3",
        )
    ],
    queries("{expect: [{query_id: a, doc_id: d, within: 3}, {query_id: a, doc_id: d, within: 3}]}"),
    *[queries(f"{{xfail: {items}}}") for items in ("~", "[]", "{}", "[a]", "[{}]")],
    *[
        queries(f"{{xfail: [{{{item}}}]}}")
        for item in (
            "query_id: a, below: {AP: 0.1}",
            "reason: why, below: {AP: 0.1}",
            "query_id: a, reason: '', below: {AP: 0.1}",
            "query_id: a, reason: why, below: 0.1",
            "query_id: a, reason: why, below: {}",
            "query_id: a, reason: why, below: {AP: 0}",
            "query_id: a, reason: why, below: {AP: 1.5}",
            "query_id: a, reason: why, below: {AP: 0.1}, until: 2030",
        )
    ],
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
    "an infinite slack": gate("{AP: {min: 0.5, slack: .inf}}"),
    "an infinite drop": gate("{NumRet: {max_drop: .inf}}"),
    "a condition that can't be read": sliced("{late: {where: late turns, thresholds: {AP: 0.5}}}"),
    "a condition of blanks": sliced("{late: {where: ' ', thresholds: {AP: 0.5}}}"),
    "an unknown measure of a slice": sliced("{late: {where: turn >= 5, thresholds: {nDGC@3: 0.5}}}"),
    "an unknown measure of conversations": ruled("worst_conversation: {allow: 2}"),
    "an unknown measure of queries": queries("{max_drop: {nDGC@3: 0.5}}"),
    "a golden answer expected twice": queries(
        "{expect: [{query_id: a, doc_id: d, within: 3}, {query_id: a, doc_id: d, within: 4}]}"
    ),
    "a known bad query twice": queries(
        "{xfail: [{query_id: a, reason: r, below: {AP: 0.1}}, {query_id: a, reason: r, below: {RR: 0.1}}]}"
    ),
    "a known bad query that nothing tells": queries("{xfail: [{query_id: a, reason: why}]}"),
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
    objects = {name: DEFS.get(name.replace(" ", "_")) for name in spec.KEYS}
    objects |= {"file": SCHEMA, "limits": DEFS["limits"]["anyOf"][1]}
    for name, schema in objects.items():
        assert set(schema["properties"]) == set(spec.KEYS[name])
        assert schema["additionalProperties"] is False


def test_every_key_is_described() -> None:
    described = (DEFS[name] for name in DEFS if "properties" in DEFS[name] and name != "bounded_limits")
    for schema in (SCHEMA, DEFS["limits"]["anyOf"][1], *described):
        assert all(value["description"] for value in schema["properties"].values())


def test_the_kinds_of_evidence_are_the_same() -> None:
    assert tuple(DEFS["limits"]["anyOf"][1]["properties"]["evidence"]["enum"]) == EVIDENCE


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
    drops = DEFS["queries"]["properties"]["max_drop"]
    (pattern,) = DEFS["thresholds"]["patternProperties"]
    assert pattern in DEFS["floors"]["patternProperties"]
    assert pattern in drops["patternProperties"]
    for name in (*SIGNATURES, *ALIASES):
        bounded = SIGNATURES[ALIASES.get(name, name)].bounded
        for text in (name, f"{name}@10", f"{name}(rel=2)", f"{name}(rel=2)@10"):
            assert bool(re.search(pattern, text)) is bounded
