"""The JSON report holds all that a session found, and its schema says what it holds."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from small_reports import HOSTILE, chat, dropped, gone, query, report, row, shop

from pytest_irbench.gates.detail import (
    BaselineDetail,
    Document,
    GateDetail,
    MeasureDetail,
    QueryDetail,
    TurnMean,
)
from pytest_irbench.reports import as_json as module
from pytest_irbench.reports.as_json import FORMAT, VERSION, as_json
from pytest_irbench.reports.report import Failure, Report, ReportedGate, TrendPoint
from pytest_irbench.reports.row import Row

SCHEMA: dict[str, Any] = json.loads(
    Path(module.__file__).with_name("report.schema.json").read_text(encoding="utf-8")
)
DEFS = SCHEMA["$defs"]
OBJECTS = [SCHEMA, *(schema for schema in DEFS.values() if "properties" in schema)]
VALIDATOR = Draft202012Validator(SCHEMA)

TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=5)
FLOATS = st.floats()
MAYBE_FLOATS = st.none() | FLOATS
WHOLES = st.integers(0, 10**6)
MAYBE_WHOLES = st.none() | WHOLES
BY_ANNOTATION = {
    "str": TEXTS,
    "str | None": st.none() | TEXTS,
    "float": FLOATS,
    "float | None": MAYBE_FLOATS,
    "int": WHOLES,
    "int | None": MAYBE_WHOLES,
    "bool": st.booleans(),
    "tuple[str, ...]": st.lists(TEXTS, max_size=2).map(tuple),
    "Mapping[str, str]": st.dictionaries(TEXTS, TEXTS, max_size=2),
    "Mapping[str, float]": st.dictionaries(TEXTS, FLOATS, max_size=2),
}


def built(kind: Any, **known: Any) -> st.SearchStrategy[Any]:
    """Any value of a named tuple; what `known` does not give is built of its annotation."""
    annotations = {name: kind.__annotations__[name].__forward_arg__ for name in kind._fields}
    fields = {
        name: known.get(name, BY_ANNOTATION.get(annotation)) for name, annotation in annotations.items()
    }
    return st.builds(kind, **fields)


def some(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(items, max_size=2).map(tuple)


@st.composite
def details(draw: st.DrawFn) -> GateDetail:
    # Two texts with halves of a pair may be one text in JSON; those of measures are our own.
    one = built(MeasureDetail, text=st.text(max_size=5), by_turn=some(built(TurnMean)))
    measures = draw(st.lists(one, max_size=2, unique_by=lambda measure: measure.text))
    count = len(measures)
    tops = some(built(Document))
    queries = built(
        QueryDetail,
        values=st.tuples(*[FLOATS] * count),
        before=st.tuples(*[MAYBE_FLOATS] * count),
        top=tops,
        top_before=tops,
    )
    return draw(
        built(
            GateDetail,
            measures=st.just(tuple(measures)),
            baseline=st.none() | built(BaselineDetail),
            queries=some(queries),
        )
    )


GATES = built(
    ReportedGate,
    rows=some(built(Row)),
    detail=st.none() | details(),
    trend=some(built(TrendPoint, outcome=st.sampled_from(["passed", "failed", "error"]))),
)
REPORTS = built(
    Report,
    gates=some(GATES),
    failures=some(built(Failure, outcome=st.sampled_from(["failed", "error"]))),
)


def read(given: Report) -> Any:
    return json.loads(as_json(given), parse_constant=pytest.fail)


def properties(name: str) -> tuple[str, ...]:
    return tuple(DEFS[name]["properties"])


def test_a_session_tells_what_it_is_and_how_it_ended() -> None:
    found = read(report())
    assert (found["format"], found["version"]) == (FORMAT, VERSION) == ("pytest-irbench report", 1)
    assert found["outcome"] == "failed"
    assert found["problems"] == ["1 selected threshold has no verdict: irbench.yaml::bm25[shop-AP-min]"]
    assert found["failures"] == [
        {"nodeid": "test_search.py::test_top", "outcome": "failed", "message": "assert 0.2 >= 0.4"}
    ]
    assert read(report(chat())._replace(passed=True))["outcome"] == "passed"


def test_each_gate_has_its_outcome() -> None:
    found = [(gate["benchmark"], gate["system"], gate["outcome"]) for gate in read(report())["gates"]]
    assert found == [
        ("shop", "bm25", "failed"),
        ("chat", "fts5@manual", "passed"),
        ("shop", "gone", "error"),
    ]


def test_the_failed_thresholds_of_red_gates_are_found_by_their_outcome() -> None:
    sentences = [
        threshold["sentence"]
        for gate in read(report())["gates"]
        if gate["outcome"] != "passed"
        for threshold in gate["thresholds"]
        if threshold["outcome"] == "failed"
    ]
    assert sentences == [
        "nDCG@10 dropped by 0.1375, more than max_drop 0.02: 0.6125, baseline 0.7500",
        "query q1, document d9: expected within 3, it is at rank 17",
    ]


def test_a_threshold_has_every_field_of_its_row() -> None:
    (gate,) = read(report(shop()))["gates"]
    assert gate["thresholds"] == [one._asdict() for one in shop().rows]


def test_a_query_has_its_values_by_measure_and_its_documents_on_both_sides() -> None:
    (gate,) = read(report(shop()))["gates"]
    assert gate["queries"][1] == {
        "query_id": "007",
        "text": "james bond",
        "conversation": None,
        "turn": None,
        "values": {"nDCG@10": 0.65, "R@1000": 1.0},
        "before": {"nDCG@10": 0.8, "R@1000": 1.0},
        "top": [
            {"doc_id": "d2", "grade": 1, "elsewhere": 2},
            {"doc_id": 'd"3', "grade": None, "elsewhere": None},
            {"doc_id": "d1", "grade": 3, "elsewhere": 1},
        ],
        "top_before": [
            {"doc_id": "d1", "grade": 3, "elsewhere": 3},
            {"doc_id": "d2", "grade": 1, "elsewhere": 1},
            {"doc_id": "d9", "grade": 2, "elsewhere": 17},
        ],
    }


def test_a_gate_has_its_protocol_means_by_turn_baseline_stages_and_trend() -> None:
    red, conversations = read(report(shop(), chat()))["gates"]
    assert red["protocol"]["relevance level"] == "1"
    assert red["baseline"]["reason"] == "title boost"
    assert red["stages"] == ["R@1000 is unchanged and nDCG@10 fell: the reranking changed"]
    assert [point["values"]["nDCG@10"] for point in red["trend"]] == [0.74, 0.75]
    (measure,) = conversations["measures"]
    assert measure["by_turn"] == [
        {"turn": 1, "queries": 2, "value": 0.8, "baseline": 0.7},
        {"turn": 2, "queries": 2, "value": 0.4, "baseline": 0.4},
    ]


def test_a_gate_that_was_not_measured_says_so_and_has_empty_lists() -> None:
    (gate,) = read(report(gone()))["gates"]
    assert gate["measured"] is False
    assert (gate["protocol"], gate["baseline"]) == ({}, None)
    assert gate["measures"] == gate["stages"] == gate["queries"] == gate["trend"] == []
    assert len(gate["thresholds"]) == 1


def test_numbers_that_are_not_finite_are_null() -> None:
    rows = (row(value=math.nan), dropped(detectable=math.inf, change_low=-math.inf))
    (gate,) = read(report(shop()._replace(rows=rows)))["gates"]
    first, second = gate["thresholds"]
    assert first["value"] is second["detectable"] is second["change_low"] is None
    assert second["p"] == 0.125


def test_numbers_are_written_in_full() -> None:
    (gate,) = read(report(shop()._replace(rows=(row(value=0.1 + 0.2),))))["gates"]
    assert gate["thresholds"][0]["value"] == 0.1 + 0.2


def test_a_measure_a_query_and_a_threshold_are_a_line_each() -> None:
    lines = as_json(report(shop())).splitlines()
    for begin, count in [('{"query_id"', 4), ('{"text"', 2), ('{"benchmark"', 4), ('{"time"', 2)]:
        assert len([line for line in lines if line.strip().startswith(begin)]) == count
    assert '        "relevance level": "1",' in lines


def test_hostile_text_stays_text() -> None:
    (gate,) = read(report(shop()))["gates"]
    assert gate["queries"][0]["text"] == HOSTILE


def test_letters_of_all_languages_stand_as_they_are_and_half_a_pair_is_escaped() -> None:
    detail = shop().detail
    assert detail is not None
    asked = (query("q1", "Türkçe 検索 \U0001f600 half \ud83d", 0.5, 1.0),)
    text = as_json(report(shop()._replace(detail=detail._replace(queries=asked))))
    assert '"Türkçe 検索 \U0001f600 half \\ud83d"' in text
    text.encode()


@settings(deadline=None, max_examples=60)
@given(REPORTS)
def test_whatever_a_session_holds_its_json_fits_the_schema(given: Report) -> None:
    text = as_json(given)
    text.encode()
    VALIDATOR.validate(json.loads(text, parse_constant=pytest.fail))


@settings(deadline=None, max_examples=60)
@given(REPORTS)
def test_nothing_is_left_out(given: Report) -> None:
    found = read(given)
    assert [len(gate["thresholds"]) for gate in found["gates"]] == [len(gate.rows) for gate in given.gates]
    for told, gate in zip(found["gates"], given.gates, strict=True):
        assert told["measured"] is gate.is_measured
        assert len(told["trend"]) == len(gate.trend)
        queries = gate.detail.queries if gate.detail else ()
        assert [(len(one["values"]), len(one["top"])) for one in told["queries"]] == [
            (len(one.values), len(one.top)) for one in queries
        ]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_sample_fits_the_schema() -> None:
    VALIDATOR.validate(read(report()))


def test_the_schema_is_closed_and_asks_for_all_that_is_written() -> None:
    for schema in OBJECTS:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_every_field_is_described() -> None:
    for schema in OBJECTS:
        assert schema["description"]
        assert all(value["description"] for value in schema["properties"].values())


def test_the_fields_are_those_of_the_types() -> None:
    kinds = {
        "threshold": Row,
        "failure": Failure,
        "point": TrendPoint,
        "measure": MeasureDetail,
        "turn": TurnMean,
        "baseline": BaselineDetail,
        "query": QueryDetail,
        "document": Document,
    }
    for name, kind in kinds.items():
        assert properties(name) == kind._fields
    assert {name for name, schema in DEFS.items() if "properties" in schema} == {*kinds, "gate"}


def test_a_session_and_a_gate_have_their_fields_with_the_verdicts_in_words() -> None:
    session = {*Report._fields, "format", "version", "outcome"} - {"passed"}
    assert set(SCHEMA["properties"]) == session
    gate = {*ReportedGate._fields, *GateDetail._fields, "outcome", "measured", "thresholds"}
    assert set(properties("gate")) == gate - {"rows", "detail"}


def test_the_schema_has_the_format_and_the_words_of_outcomes() -> None:
    assert SCHEMA["properties"]["format"]["const"] == FORMAT
    assert SCHEMA["properties"]["version"]["const"] == VERSION
    assert {"failed", "error", "depends", "skipped", "not run"} < set(
        DEFS["threshold"]["properties"]["outcome"]["examples"]
    )
