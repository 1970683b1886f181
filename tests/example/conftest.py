"""Fixtures for the tests of the example project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from example_sessions import EXAMPLE, copy_example


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example project, for one test."""
    return copy_example(tmp_path)


@pytest.fixture(scope="session")
def helpcentre() -> Iterator[Path]:
    """The folder of the example project, whose package can be imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLE)
        yield EXAMPLE


@pytest.fixture(scope="session")
def http_service(helpcentre: Path) -> Iterator[str]:
    from helpcentre.served import served

    with served("helpcentre.http_service") as address:
        yield address


@pytest.fixture(scope="session")
def postgres_installed(helpcentre: Path) -> None:
    """Skips where there is no PostgreSQL, but never where all engines are required."""
    from helpcentre.postgres_server import programs

    if os.environ.get("IRBENCH_ENGINES") != "required":
        pytest.importorskip("psycopg")
        if programs() is None:
            pytest.skip("there is no PostgreSQL server")
