"""The stored baselines of a session: where they lie, and which runs are to become one."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.baseline import Baseline, Pins
    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.gates.protocol import Protocol
    from pytest_irbench.measures.evaluate import Scores

FOLDER = "irbench-baselines"


class Accepted(NamedTuple):
    """A run that is to become a baseline.

    Attributes
    ----------
    benchmark, system
        Whose baseline it is.
    scores
        Those of the run, for the measures that are held against the baseline.
    depth
        How many documents a topic were asked for.
    protocol
        How the run was made and read.
    file
        The YAML file of its gate, or None when a test in Python holds it.
    nodeid
        The test that holds it.
    """

    benchmark: Benchmark
    system: str
    scores: Scores
    depth: int
    protocol: Protocol
    file: Path | None
    nodeid: str

    @property
    def gates(self) -> str | None:
        """The name of its YAML file, as it is stored."""
        return self.file.name if self.file else None

    @property
    def pins(self) -> Pins:
        """What a stored baseline must have been made with."""
        from pytest_irbench.gates.baseline import pins_of

        return pins_of(self.benchmark, self.scores.means, self.depth)._replace(
            doc_id=self.protocol.documents, utterance=self.protocol.utterance
        )


def check_options(config: pytest.Config, *, measures: bool) -> None:
    """Refuse `--irbench-update` where it can't be meant.

    Raises
    ------
    pytest.UsageError
        When it gives no reason, nothing is selected, or the gates are measured in other processes.
    """
    if not config.getoption("irbench_update").strip():
        raise pytest.UsageError('--irbench-update="why" needs a reason: it is stored with the baseline')
    if not measures:
        raise pytest.UsageError(
            "--irbench-update needs --irbench=NAMES or a file of gates: nothing is measured without it"
        )
    # xdist sets it for -n as well.
    if config.getoption("dist", default="no") != "no":
        raise pytest.UsageError("--irbench-update needs all gates in one process: run it without -n")


class Baselines:
    """The baselines of a session.

    Attributes
    ----------
    reason
        That of `--irbench-update`, or None: then baselines are read.
    accepted
        JSON file -> the runs that are to be its baseline.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reason: str | None = config.getoption("irbench_update")
        self.accepted: dict[Path, list[Accepted]] = {}

    @property
    def elsewhere(self) -> Path | None:
        """The folder of `--irbench-baselines`, or None."""
        given: str | None = self.config.getoption("irbench_baselines")
        return None if given is None else self.config.invocation_params.dir / given

    def folder_of_gates(self, file: Path) -> Path:
        """Return the folder of the baselines of a file's gates."""
        return self.elsewhere or file.absolute().parent / FOLDER

    def folder_of_test(self, test: Path) -> Path:
        """Return the folder for a test in Python: the nearest one from its own up to pytest's root."""
        root = self.config.rootpath
        above = (parent / FOLDER for parent in test.parents if parent.is_relative_to(root))
        return self.elsewhere or next((folder for folder in above if folder.is_dir()), root / FOLDER)

    def named(self, path: str | Path) -> str:
        """Name a file as a reader of a message would."""
        return os.path.relpath(path, self.config.invocation_params.dir)

    def hold(self, folder: Path, accepted: Accepted, read: Callable[[Path], HeldBaseline]) -> HeldBaseline:
        """Give the baseline for a run; under `--irbench-update` the run itself, which is to become it.

        Parameters
        ----------
        folder
            Where its files lie.
        accepted
            The run, should it become one.
        read
            Reads and checks what is stored.

        Raises
        ------
        InputError
            When none is stored that fits, with the command that stores one.
        """
        from pytest_irbench.gates.baseline_file import MissingBaselineError, baseline_path
        from pytest_irbench.gates.held import HeldBaseline, OutdatedBaselineError

        path = baseline_path(folder, accepted.benchmark.name, accepted.system)
        if self.reason is not None:
            self.accepted.setdefault(path, []).append(accepted)
            return HeldBaseline(self.made(accepted), accepted.scores, is_new=True)
        try:
            return read(path)
        except InputError as error:
            restored = "restore it from version control, or "
            if isinstance(error, OutdatedBaselineError):
                restored = ""
            elif isinstance(error, MissingBaselineError):
                # A folder of --irbench-baselines is not in version control.
                restored = "" if self.elsewhere else "commit it if it was stored, or "
            said = f"{error.message}: {restored}{self.next_step(accepted)}"
            raise InputError(said, self.named(error.path or path), error.line, error.column) from None

    def next_step(self, accepted: Accepted) -> str:
        """Say how to store a run that has no baseline that fits."""
        elsewhere = self.config.getoption("irbench_baselines")
        option = f" --irbench-baselines={quote(elsewhere)}" if elsewhere else ""
        command = f'pytest --irbench={accepted.benchmark.name}{option} --irbench-update="why"'
        return f"to store this run as the baseline, run {command}"

    def made(self, accepted: Accepted) -> Baseline:
        """Make the baseline of an accepted run."""
        from pytest_irbench.gates.baseline import make_baseline
        from pytest_irbench.plugin.provenance import provenance

        return make_baseline(
            accepted.scores,
            accepted.benchmark,
            accepted.system,
            depth=accepted.depth,
            provenance=provenance(self.reason or "", self.config.rootpath),
            gates=accepted.gates,
        )._replace(pins=accepted.pins)
