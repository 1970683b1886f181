"""A run is columns: documents that are not judged never become Python objects."""

import sys
from pathlib import Path

from pytest_irbench import Qrels, evaluate, read_run

QUERIES, DEPTH = 20, 1000


def test_no_object_is_kept_for_each_document(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(
        "".join(f"{q} Q0 doc-{q}-{d} {d} {DEPTH - d}.25 s\n" for q in range(QUERIES) for d in range(DEPTH))
    )
    qrels = Qrels.from_mapping({str(q): {f"doc-{q}-1": 1} for q in range(QUERIES)})
    evaluate(read_run(path), qrels, ["nDCG@10"])
    before = sys.getallocatedblocks()
    run = read_run(path)
    scores = evaluate(run, qrels, ["nDCG@10", "AP", "R@1000"])
    made = sys.getallocatedblocks() - before
    assert len(run) == QUERIES * DEPTH
    assert len(scores.judged.rank) == QUERIES
    assert made < len(run) / 20
