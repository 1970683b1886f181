"""Fixtures for the tests of the plugin."""

from __future__ import annotations

# pytester forgets what was imported inside; importing it once here saves that time in each test.
import pytest
from small_project import CONFTEST, GATES, QRELS, TOPICS, Project

import pytest_irbench.benchmarks.datasets
import pytest_irbench.benchmarks.files
import pytest_irbench.benchmarks.topic_columns
import pytest_irbench.gates.detailed
import pytest_irbench.gates.spec
import pytest_irbench.gates.without
import pytest_irbench.plugin.asking
import pytest_irbench.plugin.asserted
import pytest_irbench.plugin.collect
import pytest_irbench.plugin.details
import pytest_irbench.plugin.history
import pytest_irbench.plugin.measuring
import pytest_irbench.plugin.orphans
import pytest_irbench.plugin.proof
import pytest_irbench.plugin.provenance
import pytest_irbench.plugin.python_baselines
import pytest_irbench.plugin.reporting
import pytest_irbench.plugin.told
import pytest_irbench.plugin.updates
import pytest_irbench.reports.as_json
import pytest_irbench.reports.failures
import pytest_irbench.reports.github
import pytest_irbench.reports.markdown.markdown
import pytest_irbench.reports.page.html
import pytest_irbench.reports.terminal.gaps
import pytest_irbench.reports.terminal.movers
import pytest_irbench.runs.retrieve  # noqa: F401


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with four thresholds, all of which pass."""
    monkeypatch.setenv("COLUMNS", "250")
    # Importing hypothesis, which happens in each inner session, takes longer than all else there.
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")
    small = Project(pytester)
    small.write("topics.tsv", TOPICS)
    small.write("qrels.txt", QRELS)
    small.write("conftest.py", CONFTEST)
    small.write("irbench.yaml", GATES)
    return small
