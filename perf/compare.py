"""Print what the plugin costs as ratios to its peers, from interleaved runs on this machine."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
MEASURES = ["nDCG@10", "AP", "RR", "R@1000", "P@10"]
TREC_NAMES = {"ndcg_cut_10", "map", "recip_rank", "recall_1000", "P_10"}


def interleaved(ours: Callable[[], object], theirs: Callable[[], object], pairs: int) -> tuple[float, float]:
    """Run both in turn; return the median seconds of each."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(pairs):
        for work, taken in zip((ours, theirs), times, strict=True):
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def file_to_values(folder: Path, queries: int) -> None:
    """File to per-query values, in process; qrels are read before, on both sides."""
    import pytrec_eval
    from data import make

    from pytest_irbench import evaluate, read_qrels, read_run

    run, qrels = make(folder, queries, 1000)
    judged = read_qrels(qrels)
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), TREC_NAMES)

    def ours() -> object:
        return evaluate(read_run(run), judged, MEASURES)["nDCG@10"]

    def theirs() -> object:
        with run.open() as file:
            return evaluator.evaluate(pytrec_eval.parse_run(file))

    a, b = interleaved(ours, theirs, 15)
    report(f"file to values, {queries} x 1000, against pytrec_eval", a, b)


def session_start(folder: Path) -> None:
    """A pytest session of one test that does not use the plugin, with it and without it."""
    environment = folder / "venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(ROOT)], check=True)
    folder.joinpath("test_nothing.py").write_text("def test_nothing():\n    pass\n")
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def session(*options: str) -> Callable[[], object]:
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_nothing.py"]
        return lambda: subprocess.run(command, cwd=folder, env=variables, check=True, capture_output=True)

    with_it, without = session(), session("-p", "no:irbench")
    interleaved(with_it, without, 3)
    a, b = interleaved(with_it, without, 61)
    report("pytest session that does not use the plugin, with and without it", a, b)
    print(f"  the plugin adds {1000 * (a - b):.1f} ms")


def report(what: str, ours: float, theirs: float) -> None:
    """Print one line."""
    print(f"{what}: {1000 * ours:.1f} ms / {1000 * theirs:.1f} ms = {ours / theirs:.2f}x")


def main() -> None:
    """Run all comparisons."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session_start(folder)
        for queries in (54, 200):
            file_to_values(folder, queries)


if __name__ == "__main__":
    main()
