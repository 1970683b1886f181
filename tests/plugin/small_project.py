"""A small search project, and pytest run in it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_irbench.plugin import forget_values

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TOPICS = "31_1\twhat is throat cancer\n007\tjames bond\n1e5\thow far is 100 km\n"
QRELS = "31_1 0 d1 2\n31_1 0 d2 1\n007 0 1e5 3\n007 0 d7 0\n1e5 0 d3 2\n"
# Ids that a careless reader takes for numbers. nDCG@10: 0.7602, 1, 0.6309; mean 0.7970. AP and RR: 1, 1, 0.5.
CONFTEST = """
import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ANSWERS = {"31_1": [("d1", 2.0), ("q", 1.0)], "007": ["1e5", "d7"], "1e5": ["x1", "d3"]}


def ask(topic, k):
    with (FOLDER / "calls.log").open("a") as log:
        log.write(f"{topic.query_id} {k}\\n")
    return ANSWERS[topic.query_id]


@pytest.fixture(scope="session")
def bm25():
    return ask
"""
BENCHMARKS = "benchmarks:\n  tiny: {topics: topics.tsv, qrels: qrels.txt, relevance_level: 2}\n"
GATES = f"""{BENCHMARKS}gates:
  - benchmark: tiny
    system: bm25
    thresholds:
      nDCG@10: 0.75
      AP: {{min: 0.5, max: 0.9}}
      RR(rel=1)@10: 0.8
"""
RUN = "31_1 Q0 d1 1 2 tag\n007 Q0 1e5 1 2 tag\n1e5 Q0 d3 1 2 tag\n"


@dataclass
class Project:
    """A folder with a benchmark ``tiny`` of three topics, and a system ``bm25`` that logs its calls."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.pytester.path

    def write(self, name: str, text: str) -> Path:
        """Write a file, its folders too."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def add(self, name: str, text: str) -> None:
        """Add text to the end of a file."""
        path = self.path / name
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(before + textwrap.dedent(text), encoding="utf-8")

    def fixtures(self, text: str) -> None:
        """Add fixtures to conftest.py."""
        self.add("conftest.py", text)

    def gate(self, thresholds: str = "nDCG@10: 0.75", system: str = "bm25", systems: str = "") -> None:
        """Write irbench.yaml with one gate, its thresholds in one line."""
        declared = f"systems:\n  {systems}\n" if systems else ""
        gate = f"gates:\n  - {{benchmark: tiny, system: {system}, thresholds: {{{thresholds}}}}}\n"
        self.write("irbench.yaml", f"{BENCHMARKS}{declared}{gate}")

    def answer(self, **answers: list[str]) -> None:
        """Let the system return other documents; an id that is no name is written ``q31_1``."""
        for name, doc_ids in answers.items():
            self.fixtures(f"\nANSWERS[{name.removeprefix('q')!r}] = {doc_ids!r}\n")

    def store(self, *args: str) -> pytest.RunResult:
        """Store the baselines of what is selected, by default of all gates of ``tiny``."""
        result = self.run(*(args or ("--irbench=tiny",)), "--irbench-update=first")
        assert result.ret == 0, said(result)
        return result

    @property
    def baseline(self) -> Path:
        """The stored baseline of ``bm25``."""
        return self.path / "irbench-baselines" / "tiny.bm25.json"

    @property
    def stored(self) -> dict[str, bytes]:
        """What stands in the folder of the baselines, by file name."""
        folder = self.baseline.parent
        return {p.name: p.read_bytes() for p in sorted(folder.iterdir())} if folder.is_dir() else {}

    def run(self, *args: str) -> pytest.RunResult:
        """Run pytest in this process."""
        result = self.pytester.runpytest_inprocess(*args)
        # What the inner session never compared must not be held against the outer one.
        forget_values()
        return result

    def spawn(self, *args: str) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        return self.pytester.runpytest_subprocess(*args)

    @property
    def calls(self) -> list[str]:
        """What the system was asked: ``query_id k``, in order."""
        log = self.path / "calls.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def said(result: pytest.RunResult) -> str:
    """Everything that pytest printed."""
    return f"{result.stdout.str()}\n{result.stderr.str()}"


def told(result: pytest.RunResult, section: str = "irbench-update") -> str:
    """What stands in a section of the terminal of its own."""
    after = result.stdout.str().split(f" {section} ====", 1)[1].split("\n", 1)[1]
    return after.split("\n====", 1)[0].strip("\n")


def tables(result: pytest.RunResult) -> str:
    """The terminal's section with the tables."""
    after = result.stdout.str().split(" irbench ====", 1)[1].split("\n", 1)[1]
    return after.split("\n====", 1)[0].strip("\n")
