"""What docs/statistics.md shows of `--irbench-prove` is what the example project prints, and its table is whole."""

import re
import subprocess
import sys
from pathlib import Path

from pytest_irbench.gates.mutations import KEPT_ON_TOP, MUTATIONS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## What a gate notices\n")[2].partition("\n## ")[0]


def test_the_example_is_what_the_example_project_prints() -> None:
    (block,) = re.findall(r"(?ms)^```text\n(.*?)^```$", SECTION)
    command = [sys.executable, "-m", "pytest", "--irbench=all", "--irbench-prove", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT / "example_project", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert block in done.stdout


def test_every_mutation_is_described() -> None:
    first_cells = re.findall(r"(?m)^\| ([^|]+) \|", SECTION.partition("| broken by |")[2])
    assert [name for cell in first_cells for name in cell.split(", ")] == list(MUTATIONS)
    assert f"below rank {KEPT_ON_TOP} of" in SECTION
