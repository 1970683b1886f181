"""Fixtures for all tests."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

# Tests of the plugin run pytest inside this process, which forgets the modules that were imported
# meanwhile. numpy can't be imported a second time, so it is imported before.
import numpy as np  # noqa: F401
import pytest
from hypothesis import settings

# How long an example takes hangs on what else the machine does: it is no property of the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# A shell that starts tests in the background has them ignore Ctrl-C, and so would all that they start: some
# of them are about Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["pytester"]

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REWRITES = "evaluation_topics_annotated_resolved_v1.0.tsv"


@pytest.fixture(scope="session", autouse=True)
def ir_datasets_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep tests out of the user's data folder: one of our own, with the published data if we have it.

    For the session, since ir_datasets binds what it has registered to the folder of its import.
    """
    home = tmp_path_factory.mktemp("ir_datasets") / "home"
    home.mkdir()
    if SHARED_DATA.is_dir():
        copy_folder(SHARED_DATA / "ir_datasets_home", home)
        shutil.copyfile(SHARED_DATA / "extra" / REWRITES, home / "trec-cast" / "2019" / REWRITES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(home))
        yield home


@pytest.fixture(autouse=True)
def not_on_github(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the sessions inside tests from writing into the summary of the job that runs them."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the published topics, qrels and runs; read-only."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the published data is not beside the repository (../shared/data)")
    return SHARED_DATA


@pytest.fixture(scope="session")
def published_home(shared_data: Path, ir_datasets_home: Path) -> Path:
    """The data folder with the published data of all built-in benchmarks; not to be edited."""
    return ir_datasets_home


@pytest.fixture
def own_home(published_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the published data for one test, which may damage it."""
    home = tmp_path / "home"
    copy_folder(published_home, home)
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))
    return home


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder that may be write-protected into one that is not."""
    for path in source.rglob("*"):
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir(parents=True, exist_ok=True)
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
