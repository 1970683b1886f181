"""`-n`: the same numbers and the same tables."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, RUN, Project, tables

GATES = f"""{BENCHMARKS}systems:
  saved: {{run: run.txt}}
gates:
  - benchmark: tiny
    system: [bm25, saved, tuned, gone]
    thresholds:
      nDCG@10: 0.75
      AP: {{min: 0.5, max: 0.9}}
      RR: 0.99
"""


@pytest.fixture
def busy(project: Project) -> Project:
    project.write("irbench.yaml", GATES)
    project.write("run.txt", RUN)
    project.fixtures("""
    @pytest.fixture(params=["one", "two"])
    def tuned(request):
        return ask if request.param == "one" else (lambda topic, k: ["d1"])
    """)
    return project


def test_the_tables_are_those_of_a_session_without_workers(busy: Project) -> None:
    """Case 60."""
    alone, spread = busy.run("--irbench=tiny"), busy.spawn("--irbench=tiny", "-n2")
    assert alone.parseoutcomes() == spread.parseoutcomes()
    assert tables(spread) == tables(alone)
    assert tables(alone).count(" · ") == 5
    for text in (alone.stdout.str(), spread.stdout.str()):
        assert "RR(rel=2) = 0.8333, below min 0.9900 (short by 0.1567)" in text
        assert "      1. 1e5  grade 3" in text


def test_an_id_named_without_a_selection_runs_on_a_worker(project: Project) -> None:
    project.spawn("irbench.yaml::bm25[tiny-AP-max]", "-n2").assert_outcomes(passed=1)


def test_last_failed_works_over_workers(project: Project) -> None:
    project.gate("nDCG@10: 0.8, RR: 0.5")
    project.spawn("--irbench=tiny", "-n2").assert_outcomes(failed=1, passed=1)
    project.run("--irbench=tiny", "--lf").assert_outcomes(failed=1)


def test_without_xdist_nothing_is_missed(project: Project) -> None:
    project.spawn("--irbench=tiny", "-p", "no:xdist").assert_outcomes(passed=4)
