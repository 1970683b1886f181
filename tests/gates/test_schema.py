"""The schema for editors says what the reader does, as far as a schema can see."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_irbench.benchmarks.benchmark import UTTERANCES, Benchmark
from pytest_irbench.benchmarks.builtin import FAMILIES
from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates import spec, yaml_text
from pytest_irbench.gates.nodes import Faults, ListNode, MapNode, Node
from pytest_irbench.gates.thresholds import EVIDENCE
from pytest_irbench.measures.measure import ALIASES, SIGNATURES
from pytest_irbench.runs.http_spec import METHODS, MOST_RETRIES, HttpSpec

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


def labelled(thresholds: str) -> str:
    """A gate on a benchmark that has an extra label set."""
    declared = "benchmarks: {tiny: {topics: t, qrels: q, extra_qrels: {sparse: s}}}\n"
    return declared + gate(thresholds, benchmark="tiny")


def http(more: str = "") -> str:
    return f"systems: {{a: {{http: {{url: 'http://a/?q={{query}}', hits: h, id: i{more}}}}}}}"


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
    "benchmarks: {a: {ir_datasets: x, candidates: c.trec, extra_qrels: {sparse: s, _b2: t}}}",
    "systems: {a: {depth: 5}, b: {concurrency: 8, timeout: 0.5, duplicates: first}}",
    "systems: {a-b: {search: 'a:b', depth: 5, concurrency: 8, timeout: 10, duplicates: error}}",
    http(),
    http(", score: s, json: {a: [~, 1, '{k}']}, method: PUT, timeout: 0.5, retries: 0"),
    http(", headers: {Authorization: 'ApiKey ${KEY}', X-A: 5, X-B: true}, retries: 10"),
    http(", json: ~"),
    "systems: {a: {http: {url: '${HOST}/{query}', hits: h, id: i}, concurrency: 2, duplicates: first}}",
    "systems: {7b: {http: {url: 'HTTPS://a/{query_id}', hits: '@', id: i}, depth: 5}}",
    gate("[{measure: RR, min: 0.5}, {measure: AP, max: 0.9, min: 1e-3, slack: 0.1}]"),
    gate("[{measure: RR, max_drop: 2%, evidence: mean}, {measure: NumRet, min: 15, max_drop: 30}]"),
    labelled("[{measure: RR, min: 0.5, qrels: sparse}, {measure: RR, max: 0.9}]"),
    labelled("{RR: {min: 0.5, slack: 0.1, qrels: sparse}}"),
    gate("{latency_p50_ms: {max: 20}, latency_max_ms: {max: 0}}"),
    gate("[{measure: latency_p95_ms, max: 250}]"),
    sliced("{late: {where: turn >= 5, thresholds: [{measure: AP, min: 0.5}]}}"),
    ruled("stable: {nDCG@10: 0.005, AP: 0, NumRet: 5, latency_p95_ms: 50}, repeats: 2"),
    gate(more=", utterance: raw, doc_id: identity, exclude_docs: W*, rerank: false, repeats: 1"),
    gate(more=", utterance: [manual, automatic], doc_id: passage_to_document, exclude_docs: [W*, W*]"),
    gate(more=", doc_id: {pattern: '-[0-9]+$', replace: ''}, rerank: true, ties: report, unjudged: bounds"),
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
    *[
        gate(items)
        for items in ("[]", "[AP]", "[~]", "[{}]", "[{AP: 0.5}]", "[{min: 0.5}]", "[{measure: AP}]")
    ],
    *[
        gate(f"[{{measure: {item}}}]")
        for item in (
            *("~, min: 0.5", "5, min: 0.5", "AP, min: 0", "AP, min: 1.5", "AP, max: 1", "AP, mim: 0.5"),
            *(
                "AP, max_drop: 1",
                "AP, min: 0.5, evidence: mean",
                "AP, max: 0.5, slack: 0.1",
                "NumRet, min: 0",
            ),
            *("latency_max_ms, min: 5", "latency_max_ms, max: 5, max_drop: 5"),
        )
    ],
    *[gate(f"{{latency_max_ms: {limits}}}") for limits in ("5", "{min: 5}", "{max_drop: 5%}", "{max: -1}")],
    *[labelled(f"{{RR: {{min: 0.5, qrels: {name}}}}}") for name in ("~", "5", "''", "[sparse]")],
    labelled("{RR: {qrels: sparse}}"),
    labelled("{RR: {min: 0.5, max_drop: 0.1, qrels: sparse}}"),
    labelled("[{measure: RR, max_drop: 0.1, qrels: sparse}]"),
    labelled("{AP: 0.5}, slices: {a: {where: turn >= 5, thresholds: {AP: {min: 0.5, qrels: sparse}}}}"),
    labelled(
        "{AP: 0.5}, slices: {a: {where: turn >= 5, thresholds: [{measure: AP, min: 1, qrels: sparse}]}}"
    ),
    *[
        ruled(f"repeats: 2, stable: {stable}")
        for stable in ("~", "{}", "0.1", "[AP]", "{AP: 1}", "{AP: -0.1}", "{NumRet: -1}", "{AP: 2%}")
    ],
    ruled("stable: {AP: 0.1}"),
    ruled("stable: {AP: 0.1}, repeats: 1"),
    *[gate(more=f", utterance: {said}") for said in ("~", "[]", "manuel", "[raw, raw]", "[5]", "Raw")],
    *[
        gate(more=f", doc_id: {doc_id}")
        for doc_id in (
            *("~", "5", "[identity]", "passage", "{}", "{pattern: a}", "{replace: a}"),
            *("{pattern: a, replace: ~}", "{pattern: 5, replace: a}", "{pattern: a, replace: b, flags: i}"),
        )
    ],
    *[gate(more=f", exclude_docs: {globs}") for globs in ("~", "[]", "5", "''", "{a: b}", "[5]")],
    *[gate(more=f", rerank: {flag}") for flag in ("~", "yes", "1", "'true'")],
    *[gate(more=f", repeats: {many}") for many in ("~", "0", "1.5", "'3'", "true")],
    *[gate(more=f", ties: {word}") for word in ("~", "true", "reports", "[report]")],
    *[gate(more=f", unjudged: {word}") for word in ("~", "false", "bound", "[bounds]")],
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
    *[
        f"benchmarks: {{a: {{ir_datasets: x, extra_qrels: {labels}}}}}"
        for labels in ("~", "{}", "q", "[q]", "{a: ~}", "{a: 5}", "{a: ''}", "{a-b: q}", "{7: q}", "{é: q}")
    ],
    *[f"benchmarks: {{a: {{ir_datasets: x, candidates: {path}}}}}" for path in ("~", "5", "''", "[c]")],
    "systems: {}",
    "systems: {a: {}}",
    "systems: {a: {search: 'a:b', run: r}}",
    "systems: {a: {search: a}}",
    "systems: {a: {search: 'a:b c'}}",
    "systems: {a: {run: ''}}",
    "systems: {a: {run: '{system}.gz'}}",
    "systems: {a: {run: 'a{benchmark'}}",
    "systems: {a: {run: r, depth: 0}}",
    *[
        f"systems: {{a: {{run: r, {key}}}}}"
        for key in ("depth: 5", "concurrency: 2", "timeout: 5", "duplicates: first")
    ],
    *[
        f"systems: {{a: {{{key}}}}}"
        for key in (
            *("concurrency: 0", "concurrency: '2'", "timeout: 0", "timeout: true", "timeout: '5'"),
            *("duplicates: last", "duplicates: ~", "retries: 5"),
        )
    ],
    "systems: {a-b: {depth: 5}}",
    "systems: {7b: {depth: 5}}",
    "systems: {a: {http: r}}",
    "systems: {a: {http: {}}}",
    *[
        f"systems: {{a: {{http: {{{lacks}}}}}}}"
        for lacks in ("url: 'http://a/{query}', hits: h", "hits: h, id: i")
    ],
    *[http().replace("'http://a/?q={query}'", url) for url in ("'ftp://a/{query}'", "''", "5", "~")],
    "systems: {a: {search: 'a:b', http: {url: 'http://a/{query}', hits: h, id: i}}}",
    "systems: {a: {run: r, http: {url: 'http://a/{query}', hits: h, id: i}}}",
    "systems: {a: {timeout: 5, http: {url: 'http://a/{query}', hits: h, id: i}}}",
    *[
        http(f", {key}")
        for key in (
            *(
                "scores: s",
                "score: ''",
                "score: 5",
                "method: DELETE",
                "method: get",
                "timeout: 0",
                "timeout: '5'",
            ),
            *("retries: -1", "retries: 11", "retries: 1.5", "retries: '1'", "retries: true", "headers: {}"),
            *("headers: [a]", "headers: {a b: c}", "headers: {a: ~}", "headers: {a: [b]}", "query: a"),
        )
    ],
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
    "an unknown label set": labelled("{RR: {min: 0.5, qrels: sprase}}"),
    "one measure twice in a list": gate("[{measure: AP, min: 0.1}, {measure: AP, max: 0.9}]"),
    "a pair that asks the same words twice": "gates: [{benchmark: cast21, system: a, utterance: manual, "
    "thresholds: {RR: 1}}, {benchmark: cast21, system: a, utterance: [raw, manual], thresholds: {RR: 1}}]",
    "a fixture with a keyword for a name": "systems: {class: {depth: 5}}",
    "a pattern that is none": gate(more=", doc_id: {pattern: '(', replace: ''}"),
    "an infinite timeout": "systems: {a: {timeout: .inf}}",
    "a service that is asked the same for all topics": http().replace("{query}", "{k}"),
    "a brace that stands alone": http(", json: {a: '{'}"),
    "a body that JSON has no word for": http(", json: {a: .nan}"),
    "a path into the answer that is none": http(", score: '['"),
    "a header with a line end": http(', headers: {a: "b\\nc"}'),
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
    objects |= {"file": SCHEMA, "limits": DEFS["rules"]}
    for name, schema in objects.items():
        assert set(schema["properties"]) == set(spec.KEYS[name])
        assert name == "limits" or schema["additionalProperties"] is False
    assert set(DEFS["threshold"]["properties"]) == {"measure", *spec.KEYS["limits"]}


def test_every_key_is_described() -> None:
    narrowing = ("threshold", "bounded_rules", "latency_rules")
    described = (DEFS[name] for name in DEFS if "properties" in DEFS[name] and name not in narrowing)
    for schema in (SCHEMA, *described):
        assert all(value["description"] for value in schema["properties"].values())


def test_the_kinds_of_evidence_are_the_same() -> None:
    assert tuple(DEFS["rules"]["properties"]["evidence"]["enum"]) == EVIDENCE


def test_the_utterances_are_the_same() -> None:
    assert tuple(DEFS["utterance"]["enum"]) == UTTERANCES


def test_what_http_takes_is_the_same() -> None:
    properties = DEFS["http"]["properties"]
    assert tuple(properties["method"]["enum"]) == METHODS
    assert properties["retries"]["maximum"] == MOST_RETRIES
    defaults = HttpSpec("", "", "")
    assert (properties["timeout"]["default"], properties["retries"]["default"]) == (
        defaults.timeout,
        defaults.retries,
    )


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
    pattern, _ = DEFS["thresholds"]["patternProperties"]
    for schema in (DEFS["floors"], DEFS["spreads"], drops):
        assert pattern in schema["patternProperties"]
    assert DEFS["threshold"]["allOf"][0]["if"]["properties"]["measure"]["pattern"] == pattern
    for name in (*SIGNATURES, *ALIASES):
        bounded = SIGNATURES[ALIASES.get(name, name)].bounded
        for text in (name, f"{name}@10", f"{name}(rel=2)", f"{name}(rel=2)@10"):
            assert bool(re.search(pattern, text)) is bounded
