"""Where the data of ir_datasets lies, told without importing it."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_irbench.benchmarks.builtin import BUILTIN, BenchmarkInfo, Entry, unknown_benchmark
from pytest_irbench.errors import DataUnavailableError, InputError


def data_home() -> Path:
    """Return the folder where ir_datasets keeps its files: ``IR_DATASETS_HOME`` or ``~/.ir_datasets``.

    Raises
    ------
    DataUnavailableError
        When the variable is not set and the user has no home folder, as in some containers.
    """
    home = os.environ.get("IR_DATASETS_HOME")
    try:
        return (Path(home) if home else Path.home() / ".ir_datasets").absolute()
    except RuntimeError:
        raise DataUnavailableError(
            "there is no folder for the data of ir_datasets: this user has no home; set IR_DATASETS_HOME"
        ) from None


def is_on_disk(name: str) -> bool:
    """Tell whether topics and qrels of a built-in benchmark are there; no file is opened.

    Raises
    ------
    InputError
        When there is no such benchmark.
    """
    info = info_of(name)
    return all(path_of(entry, data_home()).is_file() for entry in (info.topics, info.qrels))


def info_of(name: str) -> BenchmarkInfo:
    """Return the row of a built-in benchmark; InputError when there is none."""
    if name not in BUILTIN:
        raise InputError(unknown_benchmark(name))
    return BUILTIN[name]


def path_of(entry: Entry, home: Path) -> Path:
    """Return where a file lies in the data folder."""
    return home / entry.area / entry.path
