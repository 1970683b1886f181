"""docs/reports.md says what is written when, and its examples are what is read and run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pytest_irbench.plugin import pytest_addoption
from pytest_irbench.plugin.report_options import ENDINGS
from pytest_irbench.reports.history import read_history

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", TEXT)
WORKFLOWS = [yaml.safe_load(text) for kind, text in BLOCKS if kind == "yaml"]


def commands(found: object) -> list[str]:
    """Every pytest command of a workflow."""
    if isinstance(found, dict):
        return [command for value in found.values() for command in commands(value)]
    if isinstance(found, list):
        return [command for value in found for command in commands(value)]
    return [str(found)] if str(found).startswith("pytest ") else []


def test_its_workflows_are_yaml_and_use_options_that_exist() -> None:
    known: set[str] = set()

    class Parser:
        def getgroup(self, *_: str) -> Parser:
            return self

        def addoption(self, name: str, **_: object) -> None:
            known.add(name)

        def addini(self, *_: object, **__: object) -> None:
            pass

    pytest_addoption(Parser())  # type: ignore[arg-type]
    found = [command for workflow in WORKFLOWS for command in commands(workflow)]
    assert len(found) == 3
    for command in found:
        options = re.findall(r"(--irbench[a-z-]*)", command)
        assert options
        assert set(options) <= known


def test_every_ending_has_its_row() -> None:
    assert set(re.findall(r"`--irbench-report=ranking(\.\w+)`", TEXT)) == set(ENDINGS)


def test_its_links_go_somewhere() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"(?m)^#+ (.+)$", TEXT)
    }
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        file, _, anchor = target.partition("#")
        assert (ROOT / "docs" / file).exists()
        assert file or anchor in headings


def test_its_line_of_a_history_is_read() -> None:
    (line,) = [text for kind, text in BLOCKS if kind == "json" and '"version"' in text]
    history = read_history([line.encode()])
    assert history.damaged == ()
    assert list(history.trends) == [("irbench.yaml", "shop", "bm25")]


@pytest.mark.parametrize("word", ["auto", "off"])
def test_the_words_of_the_ini_option_are_explained(word: str) -> None:
    assert re.search(rf"(?m)^\| `{word}`", TEXT)
