"""What example_project/README.md shows of a regression is what happens when one is made."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "example_project"
README = (PROJECT / "README.md").read_text(encoding="utf-8")
REGRESSION, REFUSED, UPDATED = re.findall(r"(?ms)^```text\n(.*?)^```$", README)
(DIFF,) = re.findall(r"(?ms)^```diff\n(.*?)^```$", README)
(REASON,) = re.findall(r'(?m)^\$ pytest --irbench=all --irbench-update="(.+)"$', README)
CUT = "[...]\n"
BASELINE = "irbench-baselines/helpcentre.fts5.json"
BASELINES = sorted(path.name for path in (PROJECT / "irbench-baselines").iterdir())


class Story(NamedTuple):
    """What pytest printed at each step, and the lines of the baseline before and after."""

    regression: str
    refused: str
    updated: str
    before: list[str]
    after: list[str]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("example") / "example_project"
    shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    return copy


def run(project: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "--irbench=all", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"COLUMNS": "80"}
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, env=environment)
    return re.sub(r" in \d+\.\d+s ", " in 1.18s ", done.stdout)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def story(project: Path) -> Story:
    stored = project / BASELINE
    before = stored.read_text(encoding="utf-8").splitlines(keepends=True)
    edit(
        project / "conftest.py",
        "return Index(ARTICLES).search",
        "return Index(ARTICLES, title_boost=1.0).search",
    )
    regression, refused = run(project), run(project, f"--irbench-update={REASON}")
    assert stored.read_text(encoding="utf-8").splitlines(keepends=True) == before
    edit(project / "irbench.yaml", "doc_id: reset-password, within: 3", "doc_id: reset-password, within: 5")
    updated = run(project, f"--irbench-update={REASON}")
    after = stored.read_text(encoding="utf-8").splitlines(keepends=True)
    return Story(regression, refused, updated, before, after)


def is_told(shown: str, printed: str) -> bool:
    """Whether all that is shown was printed, in this order, with nothing left out but where it is cut."""
    place = 0
    for part in shown.split(CUT):
        place = printed.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def test_the_regression_is_what_pytest_prints(story: Story) -> None:
    assert is_told(REGRESSION, story.regression), story.regression


def test_an_update_is_refused_as_shown(story: Story) -> None:
    assert REFUSED in story.refused, story.refused


def test_an_update_tells_what_is_shown(story: Story) -> None:
    assert UPDATED in story.updated, story.updated


def test_the_diff_is_that_of_the_baseline(story: Story) -> None:
    assert is_told(DIFF, "".join(difflib.unified_diff(story.before, story.after)))


def test_the_committed_baselines_are_those_of_today(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    told = run(project, "--irbench-update=the same again").partition("= irbench-update =")[2]
    names = [name for name in BASELINES if name.endswith(".json")]
    # Another version of SQLite may compute scores that differ in their last digit.
    found = re.findall(r"(?m)^irbench-baselines/(\S+): (?:unchanged|run changed)$", told)
    assert (sorted(found), told.count("irbench-baselines/")) == (names, len(names))
    assert len(BASELINES) == 2 * len(names) == 4


def test_words_are_counted_as_the_readme_says() -> None:
    lines = (PROJECT / "judgments" / "topics.tsv").read_text(encoding="utf-8").splitlines()
    topics = dict(line.split("\t") for line in lines)
    table = (PROJECT / "judgments" / "words.tsv").read_text(encoding="utf-8").splitlines()
    assert table == [
        "query_id\twords",
        *(f"{query_id}\t{len(text.split())}" for query_id, text in topics.items()),
    ]
