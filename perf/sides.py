"""One side of a comparison as a program: score a run file, print means, seconds and peak memory as JSON.

Each side gives the values of five measures for each query. Its own clock starts when its imports are done;
the whole process is timed by `measure.score`, which starts it. Linux only.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pytest_irbench import Scores

    Side = tuple[Callable[[], object], Callable[[object], dict[str, float]]]

MEASURES = ["nDCG@10", "AP", "RR", "R@1000", "P@10"]
# The same measures, in the same order, as the peers call them.
TREC_NAMES = ["ndcg_cut_10", "map", "recip_rank", "recall_1000", "P_10"]
RANX_NAMES = ["ndcg@10", "map", "mrr", "recall@1000", "precision@10"]


def ours(run: str, qrels: str, threads: str) -> Side:
    """pytest-irbench, with a number of threads."""
    from pytest_irbench import evaluate, read_qrels, read_run

    def score() -> object:
        to_score = read_run(run)
        to_score.threads = int(threads)
        return our_values(evaluate(to_score, read_qrels(qrels), MEASURES))

    return score, our_means


def pytrec_eval(run: str, qrels: str) -> Side:
    """pytrec_eval-terrier, which reads the file in Python and scores it in C."""
    import pytrec_eval

    def score() -> object:
        with Path(qrels).open() as qrels_file, Path(run).open() as run_file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels_file), set(TREC_NAMES))
            return evaluator.evaluate(pytrec_eval.parse_run(run_file))

    return score, trec_means


def ir_measures(run: str, qrels: str) -> Side:
    """ir_measures, with the providers that it chooses itself."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES]

    def score() -> object:
        judged, returned = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
        return list(ir_measures.iter_calc(measures, judged, returned))

    def means(values: object) -> dict[str, float]:
        return {
            name: mean([value.value for value in values if value.measure == measure])
            for name, measure in zip(MEASURES, measures, strict=True)
        }

    return score, means


def ranx(run: str, qrels: str, small_run: str, small_qrels: str) -> Side:
    """Score with ranx, whose kernels are compiled before, on a small run with ids of the same length."""
    from ranx import Qrels, Run, evaluate

    def score_files(run: str, qrels: str) -> Run:
        returned = Run.from_file(run, kind="trec")
        # The values for each query are left in the run.
        evaluate(Qrels.from_file(qrels, kind="trec"), returned, RANX_NAMES)
        return returned

    score_files(small_run, small_qrels)

    def means(values: object) -> dict[str, float]:
        return {
            name: mean(values.scores[ranx_name].values())
            for name, ranx_name in zip(MEASURES, RANX_NAMES, strict=True)
        }

    return lambda: score_files(run, qrels), means


def our_values(scores: Scores) -> dict[str, dict[str, float]]:
    """Take the values of each query out of what `evaluate` returns."""
    return {name: scores[name] for name in MEASURES}


def our_means(values: dict[str, dict[str, float]]) -> dict[str, float]:
    """Take the means of our values."""
    return {name: mean(of_measure.values()) for name, of_measure in values.items()}


def trec_means(values: dict[str, dict[str, float]]) -> dict[str, float]:
    """Take the means of pytrec_eval's values, under our names."""
    names = zip(MEASURES, TREC_NAMES, strict=True)
    return {name: mean([of_query[theirs] for of_query in values.values()]) for name, theirs in names}


def mean(values: Collection[float]) -> float:
    """Return the mean; the module `statistics` takes longer to import than thousands of lines to score."""
    return math.fsum(values) / len(values)


def peak_megabytes() -> float:
    """Return the peak memory of this process."""
    # Not ru_maxrss, which begins with the memory of the process that started this one.
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main(side: str, *arguments: str) -> None:
    """Run one side."""
    sides = {"ours": ours, "pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}
    score, means = sides[side](*arguments)
    begin = time.perf_counter()
    values = score()
    seconds = time.perf_counter() - begin
    peak = peak_megabytes()
    print(json.dumps({"inside": seconds, "megabytes": peak, "means": means(values)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
