"""What docs/reports.md says to programs is true: its commands run, its fields are those of the schema."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_reports import report

from pytest_irbench.reports.as_json import FORMAT, VERSION, as_json

ROOT = Path(__file__).resolve().parents[2]
SECTION = (
    (ROOT / "docs" / "reports.md")
    .read_text(encoding="utf-8")
    .partition("## For programs\n")[2]
    .partition("\n## ")[0]
)
FAILED, LOST, WHERE = re.findall(r"(?m)^\$ (.+)$", SECTION)
SCHEMA = ROOT / "pytest_irbench" / "reports" / "report.schema.json"
PROPERTIES = json.loads(SCHEMA.read_text(encoding="utf-8"))


def table(title: str) -> list[tuple[str, str]]:
    """The rows of a table of the section: names in its first column, what they hold in the second."""
    found = re.search(rf"(?ms)^\| {title} \|.*?\n\|---.*?\n(.*?)(?:\n\n|\Z)", SECTION)
    assert found
    return [tuple(line.strip("|").split(" | ", 1)) for line in found[1].splitlines()]


def names(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (
            FAILED,
            [
                "nDCG@10 dropped by 0.1375, more than max_drop 0.02: 0.6125, baseline 0.7500",
                "query q1, document d9: expected within 3, it is at rank 17",
            ],
        ),
        (LOST, ["q1"]),
    ],
    ids=["failed", "lost"],
)
def test_jq_finds_what_the_page_says(command: str, printed: list[str], tmp_path: Path) -> None:
    tmp_path.joinpath("irbench.json").write_text(as_json(report()), encoding="utf-8")
    done = subprocess.run(shlex.split(command), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == printed


def test_the_schema_is_where_the_page_says() -> None:
    _, *arguments = shlex.split(WHERE)
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == SCHEMA


def test_the_tables_have_the_fields_of_the_schema() -> None:
    session = [name for fields, _ in table("field of the file") for name in names(fields)]
    assert session == list(PROPERTIES["properties"])
    gate = [name for fields, _ in table("field of a gate") for name in names(fields)]
    assert gate == list(PROPERTIES["$defs"]["gate"]["properties"])


def test_what_lists_hold_is_named_as_in_the_schema() -> None:
    held = dict(table("field of a gate")) | dict(table("field of the file"))
    kinds = {"thresholds": "threshold", "measures": "measure", "baseline": "baseline", "queries": "query"}
    for field, kind in {**kinds, "failures": "failure"}.items():
        assert {*names(held[f" `{field}`"])} <= set(PROPERTIES["$defs"][kind]["properties"])


def test_the_format_and_its_version_are_those_of_the_report() -> None:
    assert f'| `format`, `version` | `"{FORMAT}"` and {VERSION} |' in SECTION
