"""The lines of the history: what a session adds, and what is read of them, damaged ones too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_reports import HOSTILE, chat, dropped, gone, report, row, shop

from pytest_irbench.reports.history import history_lines, read_history
from pytest_irbench.reports.report import ReportedGate, TrendPoint

SHOP = ("irbench.yaml", "shop", "bm25")
GOOD = {
    "version": 1,
    "time": "2026-11-30T19:40:00+00:00",
    "commit": "0123456789ab",
    "file": "irbench.yaml",
    "benchmark": "shop",
    "system": "bm25",
    "outcome": "passed",
    "values": {"nDCG@10": 0.6125},
}


def line(**changed: object) -> bytes:
    """A good line, but for what is changed; what is changed to ... is left out."""
    return json.dumps(
        {name: value for name, value in {**GOOD, **changed}.items() if value is not ...}
    ).encode()


def only_fault(damaged: bytes) -> str:
    """What is wrong with a line between two good ones, which stay."""
    history = read_history([line(), damaged, line()])
    ((number, fault),) = history.damaged
    assert number == 2
    assert len(history.trends[SHOP]) == 2
    return fault


def test_a_gate_of_which_something_was_measured_is_a_line() -> None:
    first, second, rest = history_lines(report()).split("\n")
    assert rest == ""
    assert first == (
        '{"version":1,"time":"2026-11-30T19:40:00+00:00","commit":"89abcdef0123456789abcdef0123456789abcdef",'
        '"file":"irbench.yaml","benchmark":"shop","system":"bm25","outcome":"failed",'
        '"values":{"nDCG@10":0.6125,"R@1000":1.0}}'
    )
    assert '"system":"fts5@manual","outcome":"passed"' in second


def test_a_session_that_measured_nothing_adds_nothing() -> None:
    unknown = (row(value=None), row(value=float("nan")), row(value=float("inf")))
    assert history_lines(report(gone(), shop()._replace(rows=unknown))) == ""


def test_what_is_written_is_read() -> None:
    session = report()._replace(commit=None)
    trends, damaged = read_history(history_lines(session).encode().splitlines(keepends=True))
    assert damaged == ()
    assert trends == {
        SHOP: (TrendPoint(session.created, None, "failed", {"nDCG@10": 0.6125, "R@1000": 1.0}),),
        ("irbench.yaml", "chat", "fts5@manual"): (
            TrendPoint(session.created, None, "passed", {"nDCG@3": 0.6}),
        ),
    }


@given(st.text(), st.text(), st.text(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_gate_is_one_line_and_comes_back(file: str, name: str, subject: str, value: float) -> None:
    gate = ReportedGate(file, name, name, (dropped(subject=subject, value=value),))
    text = history_lines(report(gate))
    assert text.count("\n") == 1
    ((key, (point,)),) = read_history([text.encode()]).trends.items()
    assert key == (file, name, name)
    assert point.values == {subject or "nDCG@10": value}


def test_a_subject_of_hostile_text_comes_back() -> None:
    session = report(chat()._replace(system=f"{HOSTILE}\n\ud800"))
    (key,) = read_history([history_lines(session).encode()]).trends
    assert key[2] == f"{HOSTILE}\n\ud800"


def test_points_stand_in_the_order_of_their_times() -> None:
    times = ["2026-11-30T10:00:00+00:00", "2026-11-30T10:30:00+01:00", "2026-11-29T23:00:00Z"]
    trends, _ = read_history(line(time=time) for time in times)
    assert [point.time for point in trends[SHOP]] == [times[2], times[1], times[0]]


def test_blank_lines_say_nothing_and_are_counted() -> None:
    history = read_history([b"\n", b" \r\n", line(), b"x\n"])
    assert len(history.trends[SHOP]) == 1
    assert history.damaged == ((4, "it is no JSON, or was cut short"),)


def test_fields_of_others_are_left_alone() -> None:
    assert read_history([line(branch="main")]).damaged == ()


@pytest.mark.parametrize(
    ("damaged", "fault"),
    [
        (line()[:-9], "it is no JSON, or was cut short"),
        (line() + line(), "it is no JSON, or was cut short"),
        (b"[" * 100_000, "it is no JSON, or was cut short"),
        (b"9" * 5_000, "it is no JSON, or was cut short"),
        (b"\xef\xbb\xbf" + line(), "it begins with a byte order mark: store the file without one"),
        (line().replace(b"shop", b"sh\xf6p"), "it is not UTF-8"),
        (b"[]", "it is no JSON object"),
        (b"7", "it is no JSON object"),
        (line(version=2), "it is of another version: this release reads version 1"),
        (line(version=True), "it is of another version: this release reads version 1"),
        (line(version=...), "it is of another version: this release reads version 1"),
        (line(commit=7), "'commit' is neither a text nor null"),
        (line(file=None), "'file' is missing, or no text"),
        (line(benchmark=7), "'benchmark' is missing, or no text"),
        (line(system=...), "'system' is missing, or no text"),
        (line(outcome=True), "'outcome' is missing, or no text"),
        (line(time=7), "'time' is missing, or no text"),
        (line(time="soon"), "'time' is no time with its zone, such as 2026-11-30T19:40:00+00:00"),
        (line(time="2026-11-30"), "'time' is no time with its zone, such as 2026-11-30T19:40:00+00:00"),
        (line(values=...), "'values' is missing, or not all of them are numbers"),
        (line(values=[0.5]), "'values' is missing, or not all of them are numbers"),
        (line(values={"AP": "0.5"}), "'values' is missing, or not all of them are numbers"),
        (line(values={"AP": True}), "'values' is missing, or not all of them are numbers"),
        (line(values={"AP": 10**400}), "'values' is missing, or not all of them are numbers"),
        (line().replace(b"0.6125", b"1e999"), "'values' is missing, or not all of them are numbers"),
        (line(values={"AP": float("nan")}), "NaN is no value"),
        (line(values={"AP": float("-inf")}), "-Infinity is no value"),
    ],
    ids=range(27),
)
def test_a_damaged_line_is_left_out_and_named(damaged: bytes, fault: str) -> None:
    assert only_fault(damaged) == fault


def test_the_line_that_the_docs_show_is_one() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reports.md"
    (shown,) = re.findall(r"(?m)^\{\"version\".*\n", page.read_text(encoding="utf-8"))
    trends, damaged = read_history([shown.encode()])
    assert (list(trends), damaged) == ([SHOP], ())


@given(st.binary())
def test_no_bytes_at_all_are_a_fault_of_the_session(content: bytes) -> None:
    history = read_history([content])
    assert len(history.damaged) + len(history.trends) <= 1
