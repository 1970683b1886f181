"""The pytest plugin: what pytest must see in every session, its options, hooks and fixtures.

What they do stands in the modules beside this one. What only a session needs that guards something is in
`guard.py` and is registered when one does.

Nothing heavy is imported here, nor while pytest starts: every session in an environment that has
this package pays for it. That is also why this is one module: each costs a third of a millisecond.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pytest_irbench.benchmarks.benchmark import Benchmark
    from pytest_irbench.plugin.collect import GateFile


# The state of a session that asks for something: an `IrbenchSession`, see session.py.
STATE = pytest.StashKey[Any]()

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

FIXTURE_PARTS = ("", "_topics", "_qrels")

# Made once: pytest would work them out for each of them in every session.
_SESSION = pytest.fixture(scope="session")
_SIGNATURE = Signature([Parameter("request", Parameter.POSITIONAL_OR_KEYWORD)])

DEFAULT_FILES = ("irbench.yaml", "irbench.yml", "*.irbench.yaml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; see the README for their use."""
    group = parser.getgroup("irbench", "ranking quality of search systems (pytest-irbench)")
    group.addoption(
        "--irbench",
        action="append",
        default=[],
        metavar="NAMES",
        help="benchmarks to guard, separated by commas: --irbench=dl20, --irbench=all; "
        "see --irbench-list. The = is needed.",
    )
    group.addoption(
        "--irbench-list",
        action="store_true",
        help="list the benchmarks with judged counts, measures and whether their data is on disk, and exit",
    )
    group.addoption(
        "--irbench-run",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="take the run of system NAME from a TREC file instead of asking it; "
        "PATH may hold {benchmark}; repeatable",
    )
    group.addoption(
        "--irbench-prove",
        action="store_true",
        help="break the run of each gate on purpose, print which thresholds notice, and fail when none does",
    )
    group.addoption(
        "--irbench-update",
        metavar="WHY",
        help='store the runs of what is selected as baselines: --irbench-update="new analyzer"',
    )
    group.addoption(
        "--irbench-baselines",
        metavar="DIR",
        help="read baselines from this folder, not from irbench-baselines beside the file of the gates",
    )
    group.addoption(
        "--irbench-save-runs",
        metavar="DIR",
        help="write what systems answer as TREC files into this folder: BENCHMARK.SYSTEM.trec.gz",
    )
    group.addoption(
        "--irbench-report",
        action="append",
        default=[],
        metavar="PATH",
        help="write a report when the session ends: PATH ends in .html, .md or .json; repeatable",
    )
    group.addoption(
        "--irbench-history",
        metavar="FILE",
        help="add a line for each gate to this file (JSONL); reports show the trend",
    )
    parser.addini(
        "irbench_github",
        "on GitHub Actions, write the step's summary and mark lines of the change: auto or off",
        default="auto",
    )
    parser.addini(
        "irbench_files",
        "names (globs) of the files that hold gates",
        type="args",
        default=list(DEFAULT_FILES),
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Print the list of benchmarks instead of running tests."""
    if not config.getoption("irbench_list"):
        return None
    from pytest_irbench.plugin.told import list_benchmarks

    encoding = sys.stdout.encoding or "utf-8"
    text = list_benchmarks(config).encode(encoding, "backslashreplace").decode(encoding)
    print(text)  # noqa: T201 - this is what the option is for
    return 0


def pytest_configure(config: pytest.Config) -> None:
    """Read the selection."""
    if asked(config):
        from pytest_irbench.plugin.selection import start

        start(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GateFile | None:
    """Collect a file of gates when a benchmark is selected or the file is named itself."""
    if not is_gate_file(parent.config, file_path):
        return None
    from pytest_irbench.plugin import collect

    return collect.gate_file(file_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Fail a test that made an ``assert_…`` value and never compared it."""
    try:
        yield
    except BaseException:
        # It did not come to compare them.
        forget_values()
        raise
    fail_if_never_compared()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    """Do the same for what fixtures measure when they are torn down."""
    yield
    fail_if_never_compared()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget values made before this test, for instance by one that failed."""
    forget_values()
    forget_comparisons()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what an xdist worker left out, and what it was to decide."""
    output = getattr(node, "workeroutput", {})
    if any(output.get(f"irbench_{what}") for what in ("left_out", "selected", "by_name")):
        from pytest_irbench.plugin.session import session_of

        session = session_of(node.config)
        session.left_out.update(output["irbench_left_out"])
        session.selected = output["irbench_selected"]
        session.declared = output["irbench_declared"]
        session.by_name.update(output["irbench_by_name"])
        session.used.update(output["irbench_used"])


def is_gate_file(config: pytest.Config, path: Path) -> bool:
    """Whether a file's name is one of those that hold gates (ini ``irbench_files``)."""
    return any(_matches(path.name, pattern) for pattern in config.getini("irbench_files"))


def _matches(name: str, pattern: str) -> bool:
    # Asked for every file of every session: the usual patterns need no regular expression.
    rest = pattern.removeprefix("*")
    if not any(char in rest for char in "*?["):
        return name == pattern or (rest != pattern and name.endswith(rest))
    return fnmatch(name, pattern)


def asked(config: pytest.Config) -> bool:
    """Whether the command line asks for something, rightly or not: by option or by naming a file of gates."""
    options = ("irbench", "irbench_run", "irbench_prove", "irbench_report")
    given = any(config.getoption(option) for option in options) or any(
        config.getoption(option) is not None for option in ("irbench_update", "irbench_history")
    )
    return bool(given or "--irbench" in config.invocation_params.args or names_gate_file(config))


def names_gate_file(config: pytest.Config) -> bool:
    """Whether a file of gates, or a test in one, is an argument itself."""
    files = (Path(argument.partition("::")[0]) for argument in config.args)
    return any(is_gate_file(config, file) for file in files)


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


def forget_comparisons() -> None:
    """Forget the comparisons of tests of which nobody tells."""
    assertions = sys.modules.get("pytest_irbench.plugin.assertions")
    if assertions:
        assertions.decided.clear()


def _benchmark(request: pytest.FixtureRequest, name: str) -> Benchmark:
    from pytest_irbench.plugin.fixtures import get_benchmark

    return get_benchmark(request.config, name)


def _fixtures(fixture_name: str, name: str) -> Iterator[tuple[str, Any]]:
    """Make the three fixtures of a benchmark."""

    def benchmark(request: pytest.FixtureRequest) -> Any:
        return _benchmark(request, name)

    def topics(request: pytest.FixtureRequest) -> Any:
        return _benchmark(request, name).topics

    def qrels(request: pytest.FixtureRequest) -> Any:
        return _benchmark(request, name).qrels

    for suffix, function in zip(FIXTURE_PARTS, (benchmark, topics, qrels), strict=True):
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
    return _benchmark(request, name)


@pytest.fixture(scope="session")
def irbench_benchmark(request: pytest.FixtureRequest) -> Callable[[str], Benchmark]:
    """Return a selected benchmark by name, also one that irbench.yaml declares."""
    return lambda name: _benchmark(request, name)


@pytest.fixture
def irbench_baseline(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Give a stored baseline as the right side of a comparison: ``irbench_baseline("bm25", budget=0.02)``."""
    from pytest_irbench.plugin.python_baselines import baseline_of

    return baseline_of(request)
