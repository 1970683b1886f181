"""One session, told by every report: the same verdicts in each."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from small_project import BENCHMARKS, Project, said

from pytest_irbench.plugin.history import read

Verdict = tuple[str, str, str]
"""What a threshold is about, where it stands, and its outcome."""

FILE = f"""{BENCHMARKS}gates:
  - benchmark: tiny
    system: [bm25, gone]
    thresholds:
      nDCG@10: {{min: 0.5, max_drop: 0.05}}
      RR: {{min: 0.99}}
    queries:
      xfail:
        - {{query_id: "1e5", reason: known, below: {{RR: 0.9}}}}
  - benchmark: tiny
    system: doubtful
    unjudged: bounds
    thresholds:
      P@1: 0.9
      Judged@1: 0.1
"""
PYTHON = """\
from pytest_irbench import assert_ndcg_at, assert_measure

def test_own(irbench_benchmark, bm25):
    run = irbench_benchmark("tiny").retrieve(bm25, depth=10)
    assert_ndcg_at(run, 10) >= 0.1
    assert_measure(run, "RR") >= 0.99
"""
EXPECTED = Counter(
    {
        ("nDCG@10", "irbench.yaml:7", "passed"): 1,
        ("nDCG@10", "irbench.yaml:7", "failed"): 1,
        ("RR(rel=2)", "irbench.yaml:8", "failed"): 1,
        ("1e5: RR(rel=2)", "irbench.yaml:11", "xfailed"): 1,
        ("nDCG@10", "irbench.yaml:7", "error"): 2,
        ("RR(rel=2)", "irbench.yaml:8", "error"): 1,
        ("1e5: RR(rel=2)", "irbench.yaml:11", "error"): 1,
        ("P(rel=2)@1", "irbench.yaml:16", "depends"): 1,
        ("Judged@1", "irbench.yaml:17", "passed"): 1,
        ("nDCG@10", "test_own.py:5", "passed"): 1,
        ("RR(rel=2)", "test_own.py:6", "failed"): 1,
    }
)


@pytest.fixture(params=[(), ("-n2",)], ids=["alone", "xdist"])
def session(project: Project, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """What a session with every kind of verdict printed; its reports lie in the folder."""
    project.fixtures("""
    @pytest.fixture
    def doubtful():
        return lambda topic, k: {"31_1": ["new"], "007": ["1e5"], "1e5": ["d3"]}[topic.query_id]
    """)
    project.gate("nDCG@10: {min: 0.5, max_drop: 0.05}, RR: {min: 0.1}")
    project.store()
    project.write("irbench.yaml", FILE)
    project.write("test_own.py", PYTHON)
    project.answer(q31_1=["q", "d1"])
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    reports = [f"--irbench-report=report.{ending}" for ending in ("html", "md", "json")]
    run = project.spawn if request.param else project.run
    result = run(
        "--irbench=tiny", *reports, "--irbench-history=h.jsonl", "--junitxml=report.xml", *request.param
    )
    assert result.parseoutcomes() == {"passed": 2, "failed": 4, "errors": 4, "xfailed": 1}
    return said(result)


def test_every_report_tells_the_same_verdicts(session: str, project: Project) -> None:
    folder = project.path
    assert terminal(session) == EXPECTED
    assert page((folder / "report.html").read_text(encoding="utf-8")) == EXPECTED
    assert markdown((folder / "report.md").read_text(encoding="utf-8")) == EXPECTED
    assert programs((folder / "report.json").read_text(encoding="utf-8")) == EXPECTED
    gates = Counter({key: many for key, many in EXPECTED.items() if "irbench.yaml" in key[1]})
    # What depends on judgments is a failure to JUnit.
    assert junit(folder / "report.xml") == Counter(
        (subject, place, "failed" if outcome == "depends" else outcome)
        for subject, place, outcome in gates.elements()
    )


def test_marks_and_history_agree_with_them(session: str, project: Project) -> None:
    red = Counter(place for _, place, outcome in EXPECTED.elements() if outcome not in {"passed", "xfailed"})
    marks = re.findall(r"^::error file=([^,]+),line=(\d+)", session, re.MULTILINE)
    assert Counter(":".join(place) for place in marks) == red
    trends = read(project.path / "h.jsonl").trends
    assert {(file, system): points[0].outcome for (file, _, system), points in trends.items()} == {
        ("irbench.yaml", "bm25"): "failed",
        ("irbench.yaml", "doubtful"): "failed",
        ("test_own.py", "ask"): "failed",
    }


def terminal(text: str) -> Counter[Verdict]:
    """Read the tables: the columns begin where their headings do."""
    found: Counter[Verdict] = Counter()
    ends: list[tuple[int, int]] = []
    header: list[str] = []
    previous = ""
    for line in text.splitlines():
        if line.startswith("---"):
            ends = [match.span() for match in re.finditer("-+", line)]
            header = [previous[begin:end].strip() for begin, end in ends]
        elif header and "verdict" in header and re.search(r"(irbench\.yaml|test_own\.py):\d+$", line):
            cells = dict(zip(header, (line[begin:end].strip() for begin, end in ends), strict=True))
            found[cells["measure"], line.split()[-1], cells["verdict"]] += 1
        previous = line
    return found


class _Tables(HTMLParser):
    """Collects the rows of the tables of thresholds."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = self.cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.inside = "thresholds" in (dict(attrs).get("class") or "")
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")
            self.cell = True

    def handle_endtag(self, tag: str) -> None:
        self.cell = self.cell and tag not in {"td", "th"}
        self.inside = self.inside and tag != "table"

    def handle_data(self, data: str) -> None:
        if self.cell:
            self.rows[-1][-1] += data


def page(text: str) -> Counter[Verdict]:
    """Read the tables of the gates."""
    parser = _Tables()
    parser.feed(text)
    rows = [row for row in parser.rows if row[0] != "verdict"]
    return Counter((row[1], row[-1], row[0].split()[-1]) for row in rows)


def markdown(text: str) -> Counter[Verdict]:
    """Read the tables of the gates, as a site that renders them would."""
    found: Counter[Verdict] = Counter()
    row: list[str] = []
    header: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            row = []
        elif token.type == "inline":
            row.append("".join(child.content for child in token.children or ()))
        elif token.type == "thead_open":
            header = []
        elif token.type == "thead_close":
            header = row
        elif token.type == "tr_close" and "where" in header:
            cells = dict(zip(header, row, strict=True))
            found[cells["measure"], cells["where"], cells["verdict"].split()[-1]] += 1
    return found


def programs(text: str) -> Counter[Verdict]:
    """Read the JSON."""
    rows = [row for gate in json.loads(text)["gates"] for row in gate["thresholds"]]
    return Counter((row["subject"], row["place"], row["outcome"]) for row in rows)


def junit(path) -> Counter[Verdict]:
    """Read the cases of gates."""
    found: Counter[Verdict] = Counter()
    words = {"failure": "failed", "error": "error", "skipped": "xfailed"}
    for case in ET.parse(path).iter("testcase"):
        told = {p.get("name"): str(p.get("value")) for p in case.iter("property")}
        outcome = next((words[child.tag] for child in case if child.tag in words), "passed")
        if "irbench_place" in told:
            found[told["irbench_subject"], told["irbench_place"], outcome] += 1
    return found
