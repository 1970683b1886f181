"""Workflow commands of GitHub Actions, read back as its runner reads them."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_reports import chat, dropped, gone, report, row, shop

from pytest_irbench.reports.github import workflow_commands
from pytest_irbench.reports.report import Report, ReportedGate
from pytest_irbench.reports.row import Row

UNESCAPED = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


STAGE = "\nR@1000 is unchanged and nDCG@10 fell: the reranking changed"


class Annotation(NamedTuple):
    """What GitHub shows."""

    properties: dict[str, str]
    message: str


def unescaped(text: str) -> str:
    for escape, character in UNESCAPED.items():
        text = text.replace(escape, character)
    return text.replace("%25", "%")


def read(command: str) -> Annotation:
    """Read a command: up to the first :: its properties, behind it the message."""
    name, properties, message = re.fullmatch(r"::(\w+) (.*?)::(.*)", command).groups()
    assert name == "error"
    pairs = (pair.partition("=") for pair in properties.split(","))
    return Annotation({key: unescaped(value) for key, _, value in pairs}, unescaped(message))


def shown(session: Report, prefix: str = "") -> list[Annotation]:
    return [read(command) for command in workflow_commands(session, prefix)]


def session_of(*rows: Row, problems: tuple[str, ...] = ()) -> Report:
    return report(shop()._replace(rows=rows))._replace(problems=problems)


def test_a_red_threshold_is_shown_at_its_line() -> None:
    (first, *_) = workflow_commands(report())
    assert first.startswith(
        "::error file=irbench.yaml,line=10,title=shop · bm25%3A nDCG@10 max_drop 0.02::nDCG@10 dropped by"
    )


def test_the_message_tells_what_was_found_and_where_to_look() -> None:
    explanation = (
        dropped().sentence + "\n  mean over 4 judged queries\n\n  100%\nirbench.yaml:10: nDCG@10 max_drop"
    )
    (only,) = shown(session_of(dropped(explanation=explanation)))
    assert only.message == (
        """\
nDCG@10 dropped by 0.1375, more than max_drop 0.02: 0.6125, baseline 0.7500
would pass without q1, 007
R@1000 is unchanged and nDCG@10 fell: the reranking changed
  mean over 4 judged queries
  100%
irbench.yaml:10: nDCG@10 max_drop"""
    )


def test_what_failed_comes_before_what_was_not_measured_and_what_depends() -> None:
    rows = [row(outcome, sentence=outcome) for outcome in ("depends", "xpassed", "error", "passed", "failed")]
    assert [one.message.split("\n")[0] for one in shown(session_of(*rows))] == [
        "failed",
        "error",
        "depends",
        "xpassed",
    ]


def test_a_test_in_python_tells_its_sentence_once_and_its_file() -> None:
    sentence = "RR = 0.8333, not <= 0.2500 (over by 0.5833)"
    explanation = (
        f">   assert_measure(run, 'RR') <= 0.25\nE   AssertionError: {sentence}\nE     highest queries"
    )
    one = row(
        "failed", sentence=sentence, explanation=explanation, subject="RR", threshold="<= 0.25", limit=None
    )
    gate = ReportedGate("test_own.py", "tiny", "ask", (one,))
    (only,) = shown(report(gate)._replace(problems=()))
    assert only.properties["title"] == "tiny · ask (test_own.py): RR <= 0.25"
    assert only.message == f"{sentence}\n>   assert_measure(run, 'RR') <= 0.25\nE     highest queries"


def test_an_explanation_that_is_cut_says_so_in_its_last_line() -> None:
    lines = [f"line {n}" for n in range(20)]
    full, cut = (shown(session_of(dropped(explanation="\n".join(lines[:n]))))[0].message for n in (12, 13))
    assert full.endswith("\nline 11")
    assert cut == f"{full}\n…"


def test_what_was_not_run_is_shown_only_where_nothing_else_is_red() -> None:
    not_run = row("not run", sentence="nDCG@10 min 0.5: the session ended without its verdict")
    assert [one.message for one in shown(session_of(not_run, not_run))] == [not_run.sentence + STAGE] * 2
    (failed,) = shown(session_of(*[not_run] * 20, dropped()))
    assert failed.message.startswith("nDCG@10 dropped by")
    assert [one.message for one in shown(session_of(not_run, problems=("a worker died",)))] == [
        "a worker died"
    ]


def test_a_green_session_has_none() -> None:
    assert workflow_commands(report(chat())._replace(problems=())) == []


def test_a_gate_without_detail_has_no_stages() -> None:
    (only,) = shown(report(gone())._replace(problems=()))
    sentence, explanation = only.message.split("\n")
    assert explanation == f"{sentence}, returning search(topic, k)"


@pytest.mark.parametrize(
    ("place", "prefix", "file", "line"),
    [
        ("irbench.yaml:9", "", "irbench.yaml", "9"),
        ("irbench.yaml:9", "services/search", "services/search/irbench.yaml", "9"),
        ("irbench.yaml:9", "services/search/", "services/search/irbench.yaml", "9"),
        ("../gates/irbench.yaml:9", "services/search", "services/gates/irbench.yaml", "9"),
        ("a,b:c.yaml:9", "", "a,b:c.yaml", "9"),
        ("irbench.yaml", "", "irbench.yaml", None),
        ("test_a.py::test_b", "", "test_a.py::test_b", None),
        ("", "services", None, None),
    ],
)
def test_a_file_is_named_as_seen_from_the_root_of_the_repository(
    place: str, prefix: str, file: str | None, line: str | None
) -> None:
    (only,) = shown(session_of(dropped(place=place)), prefix)
    assert (only.properties.get("file"), only.properties.get("line")) == (file, line)


def test_a_threshold_without_a_sentence_is_named() -> None:
    (only,) = shown(session_of(row("error", sentence="", subject="")))
    assert only.message.startswith("nDCG@10 min 0.5000: error")


def test_problems_of_the_session_come_last_and_have_no_file() -> None:
    last = shown(report())[-1]
    assert last.properties == {"title": "irbench"}
    assert last.message == "1 selected threshold has no verdict: irbench.yaml::bm25[shop-AP-min]"


def test_ten_are_shown_in_full() -> None:
    commands = shown(session_of(*[dropped()] * 9, problems=("a worker died",)))
    assert [one.message.split("\n")[0] for one in commands[8:]] == [dropped().sentence, "a worker died"]


@pytest.mark.parametrize(
    ("rows", "problems", "last"),
    [
        (
            11,
            0,
            "2 more red thresholds (1 in a/irbench.yaml, 1 in a/b.yaml): the summary and the log have all",
        ),
        (
            10,
            1,
            "1 more red threshold (1 in a/b.yaml) and 1 more problem of the session: the summary and the log have all",
        ),
        (1, 12, "4 more problems of the session: the summary and the log have all"),
        (0, 11, "2 more problems of the session: the summary and the log have all"),
    ],
    ids=["thresholds", "both", "problems", "problems only"],
)
def test_where_there_are_more_than_ten_the_last_counts_the_others(
    rows: int, problems: int, last: str
) -> None:
    red = [*[dropped()] * (rows - 1), *[dropped(place="b.yaml:3")] * bool(rows)]
    commands = shown(session_of(*red, problems=("a problem",) * problems), "a")
    assert len(commands) == 10
    assert commands[-1].message == last
    assert commands[-1].properties == {"title": f"irbench: {rows + problems - 9} more"}


def test_what_has_no_file_is_counted_too() -> None:
    commands = shown(session_of(*[dropped(place="")] * 11))
    assert commands[-1].message.startswith("2 more red thresholds (2 in no file)")


def test_a_message_is_as_long_as_github_shows_and_ends_in_a_whole_character() -> None:
    long = dropped(sentence="ü" * 5_000, explanation="漢\n" * 500 + "漢" * 9_000, without="ü" * 5_000)
    gate = shop()
    stages = gate.detail._replace(stages=("漢" * 1_000,) * 9)
    (only,) = shown(report(gate._replace(rows=(long,), detail=stages))._replace(problems=()))
    assert len(only.message.encode()) < 4_096
    assert only.message.endswith("漢\n…")
    assert len(only.properties["title"]) <= 200


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=30))
def test_any_text_arrives_as_it_is(text: str) -> None:
    gate = ReportedGate("irbench.yaml", text, "bm25", (dropped(sentence=text, place=f"{text}:7"),))
    (command,) = workflow_commands(report(gate)._replace(problems=()))
    only = read(command)
    assert only.message.startswith(f"{text}\n")
    assert only.properties["title"] == f"{text} · bm25: nDCG@10 max_drop 0.02"
    assert only.properties["line"] == "7"


@pytest.mark.parametrize("text", ["a\nb", "a\r\n::error::b", "a\ud800", "\x1b[31m"], ids=range(4))
def test_a_command_is_one_line_that_can_be_printed(text: str) -> None:
    for command in workflow_commands(session_of(dropped(sentence=text, place=f"{text}:1"), problems=(text,))):
        assert "\n" not in command
        assert "\r" not in command
        command.encode()
