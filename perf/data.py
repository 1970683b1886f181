"""Make runs and qrels of any size, the same ones every time."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

SEED = 20190613


def make(folder: Path, queries: int, depth: int, judged: int = 200) -> tuple[Path, Path]:
    """Write a run of `queries` x `depth` lines like MS MARCO's and qrels; return both paths."""
    folder.mkdir(parents=True, exist_ok=True)
    run, qrels = folder / f"run-{queries}x{depth}.trec", folder / f"qrels-{queries}x{depth}.txt"
    rng = np.random.default_rng(SEED)
    with run.open("w") as run_file, qrels.open("w") as qrels_file:
        for query in range(100_000, 100_000 + queries):
            docs = rng.choice(8_841_823, depth + judged, replace=False)
            scores = np.sort(rng.gamma(4.0, 4.0, depth))[::-1]
            for rank, (doc, score) in enumerate(zip(docs[:depth], scores, strict=True), start=1):
                run_file.write(f"{query} Q0 {doc} {rank} {score:.6f} made\n")
            # Half of the judged documents were returned.
            for doc in np.concatenate([rng.choice(docs[:depth], judged // 2, replace=False), docs[depth:]]):
                qrels_file.write(f"{query} 0 {doc} {rng.integers(0, 4)}\n")
    return run, qrels


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--depth", type=int, default=1000)
    options = parser.parse_args()
    print(*make(options.folder, options.queries, options.depth))
