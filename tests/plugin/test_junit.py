"""`--junitxml`: values as properties, failures and errors apart."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from small_project import BENCHMARKS, Project

GATES = f"""{BENCHMARKS}gates:
  - {{benchmark: tiny, system: bm25, thresholds: {{nDCG@10: 0.75, RR: 0.99}}}}
  - {{benchmark: tiny, system: gone, thresholds: {{AP: 0.5}}}}
"""


def cases(project: Project, *args: str) -> dict[str, ET.Element]:
    project.write("irbench.yaml", GATES)
    run = project.spawn if "-n2" in args else project.run
    run("--irbench=tiny", "--junitxml=report.xml", *args)
    return {str(case.get("name")): case for case in ET.parse(project.path / "report.xml").iter("testcase")}


def properties(case: ET.Element) -> dict[str, str]:
    return {str(p.get("name")): str(p.get("value")) for p in case.iter("property")}


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_each_threshold_is_a_case_with_plain_numbers(project: Project, workers: tuple[str, ...]) -> None:
    found = cases(project, *workers)
    assert set(found) == {"bm25[tiny-nDCG@10-min]", "bm25[tiny-RR-min]", "gone[tiny-AP-min]"}
    told = properties(found["bm25[tiny-nDCG@10-min]"])
    assert told["irbench_measure"] == "nDCG@10"
    assert float(told["irbench_value"]) == pytest.approx(0.7970393, abs=1e-6)
    assert "np." not in " ".join(told.values())
    assert (told["irbench_limit"], told["irbench_rule"]) == ("0.75", "min")
    assert (told["irbench_benchmark"], told["irbench_system"]) == ("tiny", "bm25")
    assert (told["irbench_queries"], told["irbench_missing"], told["irbench_extra"]) == ("3", "0", "0")
    assert told["irbench_place"] == "irbench.yaml:4"


def test_the_measure_is_the_one_that_was_decided(project: Project) -> None:
    assert properties(cases(project)["bm25[tiny-RR-min]"])["irbench_measure"] == "RR(rel=2)"


def test_a_property_is_written_once(project: Project) -> None:
    for case in cases(project).values():
        names = [p.get("name") for p in case.iter("property")]
        assert len(names) == len(set(names))


def test_too_low_is_a_failure_and_not_measured_an_error(project: Project) -> None:
    found = cases(project)
    failure = found["bm25[tiny-RR-min]"].find("failure")
    assert failure is not None
    assert str(failure.get("message")).startswith(
        "Failed: RR(rel=2) = 0.8333, below min 0.9900 (short by 0.1567)"
    )
    error = found["gone[tiny-AP-min]"].find("error")
    assert error is not None
    assert "there is no fixture 'gone'" in str(error.get("message"))
    assert not list(found["bm25[tiny-nDCG@10-min]"].iter("failure"))


def test_ids_are_text_in_the_report(project: Project) -> None:
    failure = cases(project)["bm25[tiny-RR-min]"].find("failure")
    assert failure is not None
    text = failure.text or ""
    assert "  31_1  " in text
    assert "  007  " in text


def test_a_case_that_could_not_be_measured_has_no_value(project: Project) -> None:
    assert "irbench_value" not in properties(cases(project)["gone[tiny-AP-min]"])
