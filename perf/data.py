"""Make runs and qrels of any size, the same ones every time, plain and in harder forms."""

from __future__ import annotations

import argparse
import gzip
import random
from pathlib import Path

import numpy as np

SEED = 20190613
FORMS = ("plain", "long-ids", "digits", "shuffled", "padded", "gz")


def make(folder: Path, queries: int, depth: int, judged: int = 200, form: str = "plain") -> tuple[Path, Path]:
    """Write a run of `queries` x `depth` lines like MS MARCO's and qrels; return both paths.

    Forms: ids of 12 to 45 characters, scores of 17 digits, lines in any order, tabs and padding, packed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    suffix = ".trec.gz" if form == "gz" else ".trec"
    run = folder / f"run-{queries}x{depth}-{form}{suffix}"
    qrels = folder / f"qrels-{queries}x{depth}-{form}.txt"
    if run.exists() and qrels.exists():
        return run, qrels
    rng = np.random.default_rng(SEED)
    lines: list[str] = []
    with qrels.open("w") as qrels_file:
        for query in range(100_000, 100_000 + queries):
            numbers = rng.choice(8_841_823, depth + judged, replace=False)
            docs = [_doc_id(number, form) for number in numbers.tolist()]
            scores = np.sort(rng.gamma(4.0, 4.0, depth))[::-1].tolist()
            for rank, (doc, score) in enumerate(zip(docs[:depth], scores, strict=True), start=1):
                printed = repr(score) if form == "digits" else f"{score:.6f}"
                lines.append(f"{query} Q0 {doc} {rank} {printed} made\n")
            # Half of the judged documents were returned.
            returned = rng.choice(depth, judged // 2, replace=False).tolist()
            for doc in [docs[place] for place in returned] + docs[depth:]:
                qrels_file.write(f"{query} 0 {doc} {rng.integers(0, 4)}\n")
    if form == "shuffled":
        random.Random(SEED).shuffle(lines)
    if form == "padded":
        lines = [f"  {line.replace(' ', chr(9)).rstrip()} \n" for line in lines]
    with gzip.open(run, "wt", compresslevel=6) if form == "gz" else run.open("w") as run_file:
        run_file.writelines(lines)
    return run, qrels


def answer(qrels: Path, run: Path, depth: int) -> None:
    """Write a run for the queries of qrels: the judged documents and made-up ones, scored at random."""
    judged: dict[str, list[str]] = {}
    for line in qrels.read_text().splitlines():
        query, _, doc, _ = line.split()
        judged.setdefault(query, []).append(doc)
    rng = random.Random(SEED)
    with run.open("w") as file:
        for query, docs in judged.items():
            returned = docs[:depth] + [f"made-up-{number}" for number in range(depth - len(docs))]
            scores = sorted((rng.gammavariate(4, 4) for _ in returned), reverse=True)
            rng.shuffle(returned)
            for rank, (doc, score) in enumerate(zip(returned, scores, strict=True), start=1):
                file.write(f"{query} Q0 {doc} {rank} {score:.6f} made\n")


def _doc_id(number: int, form: str) -> str:
    if form != "long-ids":
        return str(number)
    tail = "abcdefghijklmnopqrstuvwxyz0123456"
    return f"cw-{number:09}{tail[: number % (len(tail) + 1)]}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--form", choices=FORMS, default="plain")
    options = parser.parse_args()
    print(*make(options.folder, options.queries, options.depth, form=options.form))
