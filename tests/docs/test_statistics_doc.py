"""What docs/statistics.md shows of `--irbench-prove` and of the kinds of evidence is what pytest prints."""

import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from pytest_irbench.gates.mutations import KEPT_ON_TOP, MUTATIONS
from pytest_irbench.gates.thresholds import EVIDENCE

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## What a gate notices\n")[2].partition("\n## ")[0]
EVIDENCES = TEXT.partition("## Three kinds of evidence\n")[2].partition("\n## ")[0]
BUDGETS = ("0.01", "0.02", "0.05")
# On the page, and beyond it what its last sentence says.
GATES = [*product(EVIDENCE, BUDGETS), *product(EVIDENCE, ["0.055"])]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", *arguments, "-p", "no:cacheprovider"]
    environment = os.environ | {"COLUMNS": "80"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


def block(text: str) -> str:
    (found,) = re.findall(r"(?ms)^```text\n(.*?)^```$", text)
    return str(found)


def test_the_example_is_what_the_example_project_prints() -> None:
    done = run(ROOT / "example_project", "--irbench=all", "--irbench-prove")
    assert done.returncode == 0, done.stdout
    assert block(SECTION) in done.stdout


def test_every_mutation_is_described() -> None:
    first_cells = re.findall(r"(?m)^\| ([^|]+) \|", SECTION.partition("| broken by |")[2])
    assert [name for cell in first_cells for name in cell.split(", ")] == list(MUTATIONS)
    assert f"below rank {KEPT_ON_TOP} of" in SECTION


@pytest.fixture(scope="module")
def told(published_home: Path, shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest prints of the reranked run, held against the one that it reranks, at all budgets."""
    project = tmp_path_factory.mktemp("cast21")
    current = project / "current.trec.gz"
    systems = [f"  {evidence}-{budget}: {{run: current.trec.gz}}\n" for evidence, budget in GATES]
    gates = [
        f"  - {{benchmark: cast21, system: {evidence}-{budget}, "
        f"thresholds: {{nDCG@3: {{max_drop: {budget}, evidence: {evidence}}}}}}}\n"
        for evidence, budget in GATES
    ]
    project.joinpath("irbench.yaml").write_text(f"systems:\n{''.join(systems)}gates:\n{''.join(gates)}")
    runs = shared_data / "runs" / "cast21"
    current.write_bytes((runs / "org-manual_ance.trec.gz").read_bytes())
    stored = run(project, "--irbench=cast21", "--irbench-update=org-manual_ance")
    assert stored.returncode == 0, stored.stdout
    current.write_bytes((runs / "org-manual_ance_bert.trec.gz").read_bytes())
    return run(project, "--irbench=cast21").stdout


def masked(report: str) -> str:
    report = re.sub(r"baseline of \d{4}-\d\d-\d\d ", "baseline of 2026-11-30 ", report)
    return re.sub(r"irbench\.yaml:\d\d", "irbench.yaml:12", report)


def test_the_report_of_two_public_runs_is_what_pytest_prints(told: str) -> None:
    assert block(EVIDENCES) in masked(told), told


def test_the_verdicts_of_three_kinds_of_evidence_are_those_of_pytest(told: str) -> None:
    rows = re.findall(r"(?m)^nDCG@3 +0\.5196  max_drop ([\d.]+)(?:, (\w+))? .* (passed|failed)\b", told)
    verdicts = {(evidence or "mean", budget): verdict for budget, evidence, verdict in rows}
    assert set(verdicts) == set(GATES)
    for evidence in EVIDENCE:
        cells = " | ".join(verdicts[evidence, budget] for budget in BUDGETS)
        assert f"| {evidence} | {cells} |\n" in EVIDENCES
        assert verdicts[evidence, "0.055"] == "passed"


def test_the_false_alarms_are_those_of_the_reports(told: str) -> None:
    marks = re.findall(r"may drop by (\S+), [^(]+\(an equally good system fails\s+(\d+%)", told)
    alarms = {float(budget): share for budget, share in marks}
    shares = " | ".join(alarms[float(budget)] for budget in BUDGETS)
    assert f"| an equally good system fails by the mean | {shares} |\n" in EVIDENCES
