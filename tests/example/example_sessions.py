"""Run pytest on the example project, and read what it found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

EXAMPLE = Path(__file__).resolve().parents[2] / "example_project"
# The inner sessions need no plugin but ours and xdist; hypothesis takes long to import.
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]


class Gate(NamedTuple):
    """What a session says of the thresholds of one system."""

    outcomes: list[str]
    values: dict[str, float]
    reasons: set[str]


class Session(NamedTuple):
    """What came of one run of pytest."""

    code: int
    text: str
    gates: dict[str, Gate]


def copy_example(folder: Path) -> Path:
    """Copy the example project into a folder, where a test may change it."""
    copy = folder / "example_project"
    return Path(shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__", "*cache")))


def run(project: Path, *arguments: str, **environment: str) -> Session:
    report = project / "report.xml"
    done = subprocess.run(
        [*PYTEST, *arguments, f"--junitxml={report}"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | environment,
    )
    return Session(done.returncode, done.stdout, _gates(report))


def _gates(report: Path) -> dict[str, Gate]:
    gates: dict[str, Gate] = {}
    for case in ET.parse(report).iter("testcase"):
        told = {str(p.get("name")): str(p.get("value")) for p in case.iter("property")}
        if "irbench_system" not in told:
            continue
        gate = gates.setdefault(told["irbench_system"], Gate([], {}, set()))
        faults = [child for child in case if child.tag in {"skipped", "failure", "error"}]
        gate.outcomes.append(faults[0].tag if faults else "passed")
        gate.reasons.update(str(fault.get("message")) for fault in faults)
        if "irbench_value" in told:
            gate.values[told["irbench_measure"]] = float(told["irbench_value"])
    return gates
