"""The fixtures: every built-in benchmark with its topics and qrels, and what `--irbench` selected."""

from __future__ import annotations

import os
import sys
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_irbench.benchmarks.benchmark import Benchmark

# The names of the table of built-in benchmarks, which is not read in a session that asks for none. What
# the literature calls DL19 and DL20 are the passage tasks.
FIXTURE_NAMES = {
    "cast19": "cast19",
    "cast21": "cast21",
    "dl19_doc": "dl19-doc",
    "dl19_passage": "dl19-passage",
    "dl20_doc": "dl20-doc",
    "dl20_passage": "dl20-passage",
    "dl19": "dl19-passage",
    "dl20": "dl20-passage",
}
"""Fixture name -> benchmark."""

_SUFFIXES = ("", "_topics", "_qrels")
_BENCHMARKS = {f"{stem}{suffix}": name for stem, name in FIXTURE_NAMES.items() for suffix in _SUFFIXES}

# Made once: pytest would work them out for each of them in every session.
_SESSION = pytest.fixture(scope="session")
_SIGNATURE = Signature([Parameter("request", Parameter.POSITIONAL_OR_KEYWORD)])


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


def _fixtures(fixture_name: str, name: str) -> Iterator[tuple[str, Any]]:
    """Make the three fixtures of a benchmark."""

    def benchmark(request: pytest.FixtureRequest) -> Any:
        return get_benchmark(request.config, name)

    def topics(request: pytest.FixtureRequest) -> Any:
        return get_benchmark(request.config, name).topics

    def qrels(request: pytest.FixtureRequest) -> Any:
        return get_benchmark(request.config, name).qrels

    for suffix, function in zip(_SUFFIXES, (benchmark, topics, qrels), strict=True):
        full = f"{fixture_name}{suffix}"
        function.__name__ = full
        function.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
        what = f"{suffix.strip('_')} of benchmark" if suffix else "Benchmark"
        function.__doc__ = f"{what} {name}; skips unless it is selected with --irbench."
        yield full, _SESSION(function)


# One mechanism for all of them: pytest finds fixtures among a plugin's names.
for _fixture_name, _name in FIXTURE_NAMES.items():
    globals().update(_fixtures(_fixture_name, _name))


@pytest.fixture(scope="session")
def irbench(request: pytest.FixtureRequest) -> Benchmark:
    """Every selected benchmark in turn: a test that uses it runs once for each."""
    name: str | None = getattr(request, "param", None)
    if name is None:
        pytest.skip("no benchmark is selected: run pytest --irbench=NAMES")
    return get_benchmark(request.config, name)


@pytest.fixture(scope="session")
def irbench_benchmark(request: pytest.FixtureRequest) -> Callable[[str], Benchmark]:
    """Return a selected benchmark by name, also one that irbench.yaml declares."""
    return lambda name: get_benchmark(request.config, name)


def fail_if_never_compared() -> None:
    """Fail the running test, or its teardown, when it made an ``assert_…`` value that it never compared."""
    assertions = sys.modules.get("pytest_irbench.plugin.assertions")
    message = assertions.never_compared() if assertions else None
    if message:
        pytest.fail(message, pytrace=False)


def forget_values() -> None:
    """Forget the values made so far."""
    assertions = sys.modules.get("pytest_irbench.plugin.assertions")
    if assertions:
        assertions.made.clear()


def benchmarks_used(item: pytest.Item) -> set[str]:
    """Return the benchmarks that a test asks for through fixtures."""
    names: list[str] = getattr(item, "fixturenames", [])
    used = {_BENCHMARKS[name] for name in names if name in _BENCHMARKS}
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    if "irbench" in parameters:
        used.add(parameters["irbench"])
    return used
