"""What the fixtures of benchmarks hand out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_irbench.plugin import FIXTURE_NAMES, FIXTURE_PARTS

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Benchmark

_BENCHMARKS = {f"{stem}{part}": name for stem, name in FIXTURE_NAMES.items() for part in FIXTURE_PARTS}
"""Every fixture of a benchmark -> its name."""


def get_benchmark(config: pytest.Config, name: str) -> Benchmark:
    """Load a selected benchmark; skip when it is not selected, error when it can't be had."""
    from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES, unknown_benchmark
    from pytest_irbench.errors import IrbenchError
    from pytest_irbench.plugin.selection import readable_specs
    from pytest_irbench.plugin.session import could_not_measure, session_of

    session = session_of(config)
    if name in FAMILIES:
        pytest.fail(unknown_benchmark(name), pytrace=False)
    specs = [] if name in BUILTIN else readable_specs(config)
    declared = [own for spec in specs for own in spec.benchmarks]
    specs = [spec for spec in specs if name in spec.benchmarks]
    if name not in BUILTIN and not specs:
        pytest.fail(unknown_benchmark(name, declared), pytrace=False)
    if len(specs) > 1:
        files = " and ".join(os.path.relpath(spec.path, config.invocation_params.dir) for spec in specs)
        pytest.fail(
            f"benchmark {name!r} is declared in {files}: call one of them something else", pytrace=False
        )
    if not session.selection.includes(name):
        pytest.skip(f"{name} is not selected: run pytest --irbench={name}")
    try:
        return session.benchmark(name, specs[0] if specs else None)
    except IrbenchError as error:
        message = could_not_measure(error)
    # Outside the except block, or pytest would print the same sentence a second time as a context.
    pytest.fail(message, pytrace=False)


def benchmarks_used(item: pytest.Item) -> set[str]:
    """Return the benchmarks that a test asks for through fixtures."""
    names: list[str] = getattr(item, "fixturenames", [])
    used = {_BENCHMARKS[name] for name in names if name in _BENCHMARKS}
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    if "irbench" in parameters:
        used.add(parameters["irbench"])
    return used
