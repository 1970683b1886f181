"""Importing ir_datasets, which creates folders in its home meanwhile."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pytest_irbench.errors import DataUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def import_ir_datasets(home: Path) -> None:
    """Import ir_datasets.

    Where it may not write, it gets another home for that moment: what is read of the built-in benchmarks
    does not depend on it.

    Parameters
    ----------
    home
        The data folder.

    Raises
    ------
    DataUnavailableError
        When it can't create its folders.
    """
    if "ir_datasets" in sys.modules or is_writable(home):
        _import()
    else:
        with TemporaryDirectory() as scratch, _ir_datasets_home(scratch):
            _import()


def is_writable(home: Path) -> bool:
    """Tell whether files can be put into a folder, which is made when it is not there."""
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(home, os.W_OK)


def _import() -> None:
    try:
        import_module("ir_datasets")
    except OSError as error:
        raise DataUnavailableError(
            f"ir_datasets cannot create its folders ({error}): "
            "make them writable or set IR_DATASETS_HOME to a folder that is"
        ) from None


@contextmanager
def _ir_datasets_home(home: str) -> Iterator[None]:
    before = os.environ.get("IR_DATASETS_HOME")
    os.environ["IR_DATASETS_HOME"] = home
    try:
        yield
    finally:
        del os.environ["IR_DATASETS_HOME"]
        if before is not None:
            os.environ["IR_DATASETS_HOME"] = before
