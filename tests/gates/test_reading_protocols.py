"""How a gate's run is made and read: what is read of it, the gates it makes, and each fault."""

from __future__ import annotations

import pytest
from small_gates import rules_of, spec_of

from pytest_irbench.errors import InputErrors
from pytest_irbench.gates.declared import GateSpec
from pytest_irbench.gates.protocol import PROTOCOL_KEYS, Protocol
from pytest_irbench.runs.doc_ids import IDENTITY, PASSAGE_TO_DOCUMENT, DocIds

RULES = "thresholds: {AP: 0.5}\n"


def protocol(keys: str) -> Protocol:
    return rules_of(RULES + keys).protocol


def faults(keys: str) -> list[str]:
    """The faults of keys, which begin in line 6 and column 3, each as line:column: message."""
    with pytest.raises(InputErrors) as caught:
        rules_of(RULES + keys)
    return [f"{f.line}:{f.column}: {f.message}" for f in caught.value.faults]


def gates(*declared: str) -> tuple[GateSpec, ...]:
    """The gates of a file, the first one in line 2."""
    return spec_of("gates:\n" + "".join(f"- {{{one}, thresholds: {{AP: 0.5}}}}\n" for one in declared)).gates


# What is read


def test_a_gate_that_says_nothing_asks_raw_words_once_and_reads_ids_as_they_are() -> None:
    assert protocol("") == Protocol("raw", IDENTITY, (), False, 1, False, False)


def test_everything_that_a_gate_may_say() -> None:
    keys = (
        "utterance: automatic\n"
        "doc_id: passage_to_document\n"
        "exclude_docs: [WAPO_*, KILT_1]\n"
        "rerank: true\n"
        "repeats: 3\n"
        "ties: report\n"
        "unjudged: bounds\n"
    )
    assert protocol(keys) == Protocol(
        utterance="automatic",
        doc_id=PASSAGE_TO_DOCUMENT,
        exclude_docs=("WAPO_*", "KILT_1"),
        rerank=True,
        repeats=3,
        ties=True,
        unjudged=True,
    )
    assert [line.partition(":")[0] for line in keys.splitlines()] == list(PROTOCOL_KEYS)


@pytest.mark.parametrize(
    ("text", "doc_id"),
    [
        ("identity", IDENTITY),
        ("passage_to_document", PASSAGE_TO_DOCUMENT),
        ("{pattern: '-[0-9]+$', replace: ''}", DocIds("pattern", "-[0-9]+$", "")),
        ("{replace: 'D\\1', pattern: '^([0-9]+)$'}", DocIds("pattern", "^([0-9]+)$", r"D\1")),
    ],
)
def test_doc_id_is_a_name_or_a_pattern_with_what_replaces_it(text: str, doc_id: DocIds) -> None:
    assert protocol(f"doc_id: {text}").doc_id == doc_id


def test_one_pattern_of_documents_needs_no_list() -> None:
    assert protocol("exclude_docs: WAPO_*").exclude_docs == ("WAPO_*",)


def test_what_is_false_may_be_said() -> None:
    assert protocol("rerank: false\nrepeats: 1\nutterance: raw\ndoc_id: identity") == Protocol()


# Utterances


def test_each_utterance_is_a_gate_of_its_own() -> None:
    found = gates("benchmark: cast21, system: bm25, utterance: [manual, raw, automatic]")
    assert [(gate.line, gate.protocol.utterance, gate.asked) for gate in found] == [
        (2, "manual", "cast21-manual"),
        (2, "raw", "cast21"),
        (2, "automatic", "cast21-automatic"),
    ]


def test_every_benchmark_and_system_is_asked_with_every_utterance() -> None:
    found = gates("benchmark: cast, system: [a, b], utterance: [raw, manual], repeats: 2")
    assert [(gate.benchmark, gate.system, gate.protocol.utterance) for gate in found] == [
        (benchmark, system, utterance)
        for benchmark in ("cast19", "cast21")
        for system in ("a", "b")
        for utterance in ("raw", "manual")
    ]
    assert {gate.protocol.repeats for gate in found} == {2}


def test_gates_that_ask_other_words_are_no_twins() -> None:
    found = gates("benchmark: cast21, system: a", "benchmark: cast21, system: a, utterance: manual")
    assert [gate.asked for gate in found] == ["cast21", "cast21-manual"]


@pytest.mark.parametrize(
    ("utterance", "doc_id"), [("manual", "identity"), ("[raw, manual]", "passage_to_document")]
)
def test_a_pair_that_asks_the_same_words_is_a_twin_however_its_ids_are_read(
    utterance: str, doc_id: str
) -> None:
    with pytest.raises(InputErrors) as caught:
        gates(
            "benchmark: cast21, system: a, utterance: manual",
            f"benchmark: cast21, system: a, utterance: {utterance}, doc_id: {doc_id}",
        )
    (fault,) = caught.value.faults
    assert fault.message == (
        "benchmark cast21 with system a is a gate already in line 2: put all of its thresholds there"
    )


# Faults

DOC_ID = "doc_id is identity, passage_to_document or {pattern: REGEX, replace: TEXT}"
FAULTS = {
    "utterance: manuel": ("6:14: utterance is raw, manual, automatic, not 'manuel', did you mean 'manual'?"),
    "utterance: [raw, raw]": "6:20: utterance raw is given twice: keep one",
    "utterance: []": "6:14: utterance is text such as manual, or a list of such texts, not an empty list",
    "utterance: [5]": "6:15: an item of utterance is text such as manual, not the number 5: put '5' in quotes",
    "doc_id: ~": f"6:11: {DOC_ID}, not None",
    "doc_id: 5": f"6:11: {DOC_ID}, not 5",
    "doc_id: [identity]": f"6:11: {DOC_ID}, not ['identity']",
    "doc_id: passage_to_documents": (
        f"6:11: {DOC_ID}, not 'passage_to_documents', did you mean 'passage_to_document'?"
    ),
    "doc_id: {pattern: a}": f"6:11: {DOC_ID}, not {{'pattern': 'a'}}",
    "doc_id: {pattern: a, replace: [b]}": f"6:11: {DOC_ID}, not {{'pattern': 'a', 'replace': ['b']}}",
    "doc_id: {pattern: '(', replace: ''}": (
        "6:11: the pattern '(' of doc_id is no regular expression: "
        "missing ), unterminated subpattern at position 0"
    ),
    "doc_id: {pattern: a, replace: '\\2'}": (
        r"6:11: the text '\\2' cannot replace 'a' of doc_id: invalid group reference 2 at position 1"
    ),
    "exclude_docs: 5": (
        "6:17: exclude_docs is text such as 'WAPO_*', or a list of such texts, not the number 5: "
        "put '5' in quotes"
    ),
    "exclude_docs: []": (
        "6:17: exclude_docs is text such as 'WAPO_*', or a list of such texts, not an empty list"
    ),
    "rerank: yes": "6:11: rerank is true or false, not the text 'yes'",
    "repeats: 0": "6:12: repeats is a whole number from 1, such as 3, not the number 0",
    "repeats: '3'": "6:12: '3' is text: write 3 without quotes",
    "ties: true": "6:9: ties takes the word report, not true: write ties: report, or leave it out",
    "ties: [report]": "6:9: ties takes the word report, not a list: write ties: report, or leave it out",
    "ties: ~": "6:9: ties takes the word report, not nothing: write ties: report, or leave it out",
    "unjudged: bound": (
        "6:13: unjudged takes the word bounds, not the text 'bound': write unjudged: bounds, or leave it out"
    ),
    "utterances: raw": "6:3: unknown key 'utterances' in a gate, did you mean 'utterance'?",
}


@pytest.mark.parametrize("keys", FAULTS)
def test_a_faulty_protocol_is_one_fault(keys: str) -> None:
    assert faults(keys) == [FAULTS[keys]]


def test_all_faults_of_a_protocol_are_told_together() -> None:
    found = faults("utterance: [manuel, auto]\ndoc_id: 5\nrerank: 1\nunjudged: yes\n")
    assert [fault.partition(": ")[0] for fault in found] == ["6:15", "6:23", "7:11", "8:11", "9:13"]
