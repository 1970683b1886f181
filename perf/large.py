"""Compare large runs, each side in a process of its own: file to values, wall time and peak memory.

The peer is pytrec_eval-terrier, which reads the file in Python and scores it in C. Runs take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data import FORMS, make

OURS = """
import sys
from pytest_irbench import evaluate, read_qrels, read_run
run = read_run(sys.argv[1])
run.threads = int(sys.argv[3])
scores = evaluate(run, read_qrels(sys.argv[2]), ["nDCG@10", "AP", "RR", "R@1000", "P@10"])
print(f"{scores.means['nDCG@10']:.10f}")
print(open("/proc/self/status").read())
"""
THEIRS = """
import sys, pytrec_eval
names = {"ndcg_cut_10", "map", "recip_rank", "recall_1000", "P_10"}
judged = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(open(sys.argv[2])), names)
values = judged.evaluate(pytrec_eval.parse_run(open(sys.argv[1])))
print(f"{sum(value['ndcg_cut_10'] for value in values.values()) / len(values):.10f}")
print(open("/proc/self/status").read())
"""


def measured(*command: str) -> tuple[float, float, str]:
    """Run a command; return its seconds, its peak memory in MB, and what it printed."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    value, _, status = process.stdout.read().partition("\n")
    assert process.wait() == 0
    seconds = time.perf_counter() - begin
    # Not ru_maxrss, which begins with the memory of the process that started this one.
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return seconds, int(peak.split()[1]) / 1024, value


def ours(run: Path, qrels: Path, threads: int) -> tuple[float, float, str]:
    """Score a run with pytest-irbench."""
    return measured(sys.executable, "-c", OURS, str(run), str(qrels), str(threads))


def theirs(run: Path, qrels: Path) -> tuple[float, float, str]:
    """Score a run with pytrec_eval; a packed one is unpacked first."""
    if run.suffix != ".gz":
        return measured(sys.executable, "-c", THEIRS, str(run), str(qrels))
    plain = run.with_suffix(".unpacked")
    begin = time.perf_counter()
    with plain.open("wb") as file:
        subprocess.run(["gunzip", "-c", str(run)], stdout=file, check=True)
    unpacking = time.perf_counter() - begin
    seconds, memory, printed = measured(sys.executable, "-c", THEIRS, str(plain), str(qrels))
    return unpacking + seconds, memory, printed


def compare(folder: Path, queries: int, form: str, pairs: int) -> None:
    """Print the rows of one form of the data."""
    run, qrels = make(folder, queries, 1000, judged=4, form=form)
    size = run.stat().st_size / 2**20
    one, two, peer = [], [], []
    for _ in range(pairs):
        one.append(ours(run, qrels, 1))
        two.append(ours(run, qrels, 2))
        peer.append(theirs(run, qrels))
    # pytrec_eval rounds scores to float32: of 17 digits it may see ties that are none.
    assert form == "digits" or len({printed for _, _, printed in one + two + peer}) == 1
    seconds = [statistics.median(run[0] for run in runs) for runs in (one, two, peer)]
    memory = [max(run[1] for run in runs) for runs in (one, two, peer)]
    print(
        f"{form:9} {size:4.0f} MB  one thread {seconds[0]:5.2f} s = {seconds[0] / seconds[2]:.3f}x  "
        f"two threads {seconds[1]:5.2f} s = {seconds[1] / seconds[2]:.3f}x  pytrec_eval {seconds[2]:5.2f} s  "
        f"peak MB {memory[0]:.0f} / {memory[1]:.0f} / {memory[2]:.0f}",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the data is kept; by default a temporary folder")
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("forms", nargs="*", default=FORMS)
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, {options.queries} x 1000")
    with tempfile.TemporaryDirectory() as scratch:
        for chosen in options.forms:
            compare(options.folder or Path(scratch), options.queries, chosen, options.pairs)
