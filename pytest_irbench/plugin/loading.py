"""Load a benchmark: a built-in one, one of ir_datasets, or one of the user's own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.gates.spec import BenchmarkSpec


def load(name: str, declared: BenchmarkSpec | None) -> Benchmark:
    """Load a benchmark.

    Parameters
    ----------
    name
        That of a built-in one, when it is not declared.
    declared
        How a file declares it, or None.

    Raises
    ------
    IrbenchError
        When there is no such benchmark or its data can't be had.
    """
    if declared is None:
        from pytest_irbench.benchmarks.datasets import load_builtin

        return load_builtin(name)
    protocol = (declared.relevance_level, declared.depth, declared.measures, declared.description)
    if declared.ir_datasets:
        from pytest_irbench.benchmarks.datasets import load_ir_datasets
        from pytest_irbench.benchmarks.files import with_files

        loaded = load_ir_datasets(declared.ir_datasets, name, *protocol)
        return with_files(loaded, declared.candidates, declared.extra_qrels)
    from pytest_irbench.benchmarks.files import load_files

    if declared.topics is None or declared.qrels is None:
        raise InputError(f"benchmark {name!r} has neither files nor an id of ir_datasets")
    extra = (declared.candidates, declared.extra_qrels)
    return load_files(name, declared.topics, declared.qrels, *protocol, *extra)
