"""Sessions of pytest, in an environment with nothing but the plugin and what it needs."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import venv
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from data import answer
from measure import Row, Settings, added, as_time, clock, interleaved, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
DL20 = Path("msmarco-passage", "trec-dl-2020")
"""Where ir_datasets keeps topics and qrels of dl20-passage."""

SHORT = 10
"""So many times the pairs of the large runs: each takes a few tenths of a second."""

THRESHOLDS = 10_000
CONFTEST = """\
import pytest

def system():
    return lambda topic, k: [("p1", 2.0), ("p2", 1.0)]

for number in range(100):
    globals()[f"system{number}"] = pytest.fixture(scope="session", name=f"system{number}")(system)
"""
FUNCTIONS = f"""\
import pytest

@pytest.mark.parametrize("number", range({THRESHOLDS}))
def test_number(number, system0):
    assert system0
"""


def start(settings: Settings) -> Iterator[Row]:
    """A session of one test that does not use the plugin, with it and without it."""
    folder = project(settings, "start", {"test_nothing.py": "def test_nothing():\n    pass\n"})
    with_it = session(settings, folder, "test_nothing.py")
    without = session(settings, folder, "-p", "no:irbench", "test_nothing.py")
    interleaved(2, with_it, without)
    times = interleaved(SHORT * settings.pairs, clock(with_it), clock(without))
    yield added("pytest session that does not use the plugin, with and without it", *times, 0.003)


def dl20(settings: Settings) -> Iterator[Row]:
    """Two thresholds of dl20-passage on a run file of 54 x 1000; topics and qrels were loaded once before."""
    title = "pytest --irbench=dl20-passage, run file; peer: an empty session"
    if settings.home is None or not (settings.home / DL20).is_dir():
        yield Row(title, "skipped", "-", "give --home with it")
        return
    gate = "{benchmark: dl20-passage, system: made, thresholds: {nDCG@10: 0.01, AP: 0.01}}"
    files = {"irbench.yaml": f"gates: [{gate}]\n", "test_nothing.py": "def test_nothing():\n    pass\n"}
    folder = project(settings, "dl20", files)
    # ir_datasets and the plugin write into this folder.
    shutil.copytree(settings.home / DL20, folder / "home" / DL20)
    answer(settings.home / DL20 / "qrels", folder / "made.trec", 1000)
    selected = session(
        settings, folder, "--irbench=dl20-passage", "--irbench-run=made=made.trec", "irbench.yaml"
    )
    empty = session(settings, folder, "-p", "no:irbench", "test_nothing.py")
    interleaved(2, selected, empty)
    ours, theirs = map(statistics.median, interleaved(SHORT * settings.pairs, clock(selected), clock(empty)))
    yield Row(title, as_time(ours), as_time(theirs), "-", "<= 450 ms", ours <= 0.45)


def thresholds(settings: Settings) -> Iterator[Row]:
    """10,000 thresholds in one file, collected and run, beside 10,000 functions of pytest's own."""
    files = {
        "conftest.py": CONFTEST,
        "test_numbers.py": FUNCTIONS,
        "topics.tsv": "q1\tlamp\nq2\tchair\n",
        "qrels.txt": "q1 0 p1 1\nq2 0 p3 1\n",
        "one.irbench.yaml": yaml_of_thresholds(systems=1),
        "many.irbench.yaml": yaml_of_thresholds(systems=100),
    }
    folder = project(settings, "thresholds", files)
    files_and_options = (
        ("one.irbench.yaml",),
        ("many.irbench.yaml",),
        ("-p", "no:irbench", "test_numbers.py"),
    )
    collected, run = (
        [session(settings, folder, *options, *more) for more in files_and_options]
        for options in (("--collect-only",), ())
    )
    for works, said in ((collected, "tests collected"), (run, "passed")):
        for (first,) in interleaved(1, *works):
            assert f"{THRESHOLDS} {said}" in first.stdout
    times = interleaved(settings.pairs, *map(clock, collected + run))
    collecting, running = times[:3], times[3:]
    # What is collected is not run again: the tests alone are the difference.
    tests = [
        [whole - before for whole, before in zip(*pair, strict=True)]
        for pair in zip(running, collecting, strict=True)
    ]
    for index, title in enumerate(("one gate", "100 gates")):
        work = f"{THRESHOLDS:,} thresholds, {title}; peer: functions of pytest"
        yield ratio(f"{work}, collected", collecting[index], collecting[2], 3)
        yield added(f"{work}, each", tests[index], tests[2], 50e-6, THRESHOLDS)


QUERIES = 7_000
SEARCH = """\
import os
import pytest

@pytest.fixture(scope="session")
def made():
    worse = os.environ.get("WORSE") == "1"
    def search(topic, k):
        number = int(topic.query_id)
        first = number % 5 + (number % 3 if worse else 0)
        return [(f"MARCO_D{number}{rank}", 99.0 - rank) for rank in range(first, first + k)]
    return search
"""


def reports(settings: Settings) -> Iterator[Row]:
    """7,000 queries held against a baseline, with every report and without any."""
    numbers = range(QUERIES)
    files = {
        "conftest.py": SEARCH,
        "topics.tsv": "".join(f"{number}\twhat is told of number {number}\n" for number in numbers),
        "qrels.txt": "".join(
            f"{n} 0 MARCO_D{n}{rank} {rank % 3 + 1}\n" for n in numbers for rank in range(9)
        ),
        "irbench.yaml": "benchmarks:\n  shop: {topics: topics.tsv, qrels: qrels.txt}\ngates:\n"
        "  - {benchmark: shop, system: made, thresholds: {nDCG@10: {max_drop: 90%}, RR: {max_drop: 90%}}}\n",
    }
    folder = project(settings, "reports", files)
    session(settings, folder, "--irbench=shop", "--irbench-update=first")()
    os.environ["WORSE"] = "1"
    forms = [f"--irbench-report=report.{ending}" for ending in ("html", "md", "json")]
    told, plain = (session(settings, folder, "--irbench=shop", *more) for more in (forms, ()))
    interleaved(1, told, plain)
    times = interleaved(settings.pairs, clock(told), clock(plain))
    del os.environ["WORSE"]
    yield ratio(f"{QUERIES:,} queries, page, Markdown and JSON; peer: no report", *times, 3)
    size = folder.joinpath("report.html").stat().st_size / 1e6
    yield Row("its page of two measures", f"{size:.1f} MB", target="< 10 MB", met=size < 10)


def yaml_of_thresholds(systems: int) -> str:
    """Write a gate for each system; each measure has a lower and an upper limit, and is 0.5."""
    cutoffs = range(1, 1 + THRESHOLDS // (2 * 5 * systems))
    measures = [f"{name}@{k}" for k in cutoffs for name in ("nDCG", "AP", "RR", "R", "Success")]
    names = ", ".join(f"system{number}" for number in range(systems))
    assert 2 * len(measures) * systems == THRESHOLDS
    return (
        "benchmarks:\n  shop: {topics: topics.tsv, qrels: qrels.txt}\n"
        f"gates:\n  - benchmark: shop\n    system: [{names}]\n    thresholds:\n"
        + "".join(f"      {measure}: {{min: 0.4, max: 0.6}}\n" for measure in measures)
    )


def project(settings: Settings, name: str, files: dict[str, str]) -> Path:
    """Write the files of a project."""
    folder = settings.scratch / name
    folder.mkdir()
    for path, text in files.items():
        folder.joinpath(path).write_text(text)
    return folder


def session(
    settings: Settings, folder: Path, *options: str
) -> Callable[[], subprocess.CompletedProcess[str]]:
    """Make a work that runs pytest in a project; it must pass."""
    command = [python(settings.scratch), "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    # Without bytecode pytest would compile its files anew each time.
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    variables["IR_DATASETS_HOME"] = str(folder / "home")
    return partial(
        subprocess.run, command, cwd=folder, env=variables, check=True, stdout=subprocess.PIPE, text=True
    )


@cache
def python(scratch: Path) -> Path:
    """Make an environment with the plugin; return its Python."""
    environment = scratch / "environment"
    venv.create(environment, with_pip=True)
    program = environment / "bin" / "python"
    subprocess.run([program, "-m", "pip", "install", "-qq", str(ROOT)], check=True)
    return program


ROWS = {"start": start, "dl20": dl20, "thresholds": thresholds, "reports": reports}
