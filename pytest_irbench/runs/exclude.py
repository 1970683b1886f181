"""A run and its judgments without some of the documents, as if the collection had never held them."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError, clipped
from pytest_irbench.formats.rows import distinct
from pytest_irbench.runs.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pytest_irbench.formats.ids import Ids
    from pytest_irbench.runs.run import Run

    Bools = NDArray[np.bool_]


class Excluded(NamedTuple):
    """What is left, and what is not.

    Attributes
    ----------
    run, qrels
        Without the documents.
    documents, judgments
        How many rows of the run and of the qrels were left out.
    queries
        The queries without a judgment left: they are out of the average.
    """

    run: Run
    qrels: Qrels
    documents: int
    judgments: int
    queries: tuple[str, ...]


def exclude(run: Run, qrels: Qrels, globs: str | Iterable[str]) -> Excluded:
    """Leave documents out of a run and of its judgments, before anything is ranked.

    The values are those of trec_eval on the two files without the lines of these documents. So a query
    whose judgments all go is no judged query any more and leaves the average; one whose results all go
    counts 0.

    Parameters
    ----------
    run
        A large file is read whole.
    globs
        One or more patterns of whole doc_ids, as ``WAPO_*``; upper and lower case differ.

    Raises
    ------
    InputError
        When a glob matches no document of either, or no judgment is left.
    """
    globs = [globs] if isinstance(globs, str) else list(globs)
    returned, judged = _matches(run.doc_ids, globs), _matches(qrels.doc_ids, globs)
    for glob, of_run, of_qrels in zip(globs, returned, judged, strict=True):
        if not (of_run.any() or of_qrels.any()):
            raise InputError(
                f"{clipped(glob)!r} matches no document of run {run} and none of the qrels, which has ids "
                f"like {clipped(qrels.doc_ids[0])!r}: nothing would be excluded"
            )
    documents, judgments = np.any(returned, axis=0), np.any(judged, axis=0)
    left, queries = _judged(qrels, ~judgments, globs)
    counts = int(documents.sum()), int(judgments.sum())
    return Excluded(_returned(run, ~documents), left, *counts, queries)


def exclude_judgments(qrels: Qrels, globs: Iterable[str]) -> Qrels:
    """Leave documents out of another label set of the same topics.

    Parameters
    ----------
    qrels
        It need not have any of them.
    globs
        As those of `exclude`.

    Raises
    ------
    InputError
        When no judgment is left.
    """
    globs = list(globs)
    left, _ = _judged(qrels, ~np.any(_matches(qrels.doc_ids, globs), axis=0), globs)
    return left


def _matches(ids: Ids, globs: list[str]) -> Bools:
    """Tell for each glob which ids match it; shape (globs, n)."""
    names, which = distinct(ids)
    matches = np.zeros((len(globs), len(ids)), np.bool_)
    for row, glob in zip(matches, globs, strict=True):
        match = re.compile(translate(glob)).match
        row[:] = np.fromiter((match(name) is not None for name in names), np.bool_, len(names))[which]
    return matches


def _returned(run: Run, keep: Bools) -> Run:
    rows, columns = np.flatnonzero(keep), run.columns
    offsets = np.searchsorted(rows, columns.offsets)
    left = Columns(columns.query_ids, offsets, columns.doc_ids.take(rows), columns.scores[rows])
    return run.with_columns(left)


def _judged(qrels: Qrels, keep: Bools, globs: list[str]) -> tuple[Qrels, tuple[str, ...]]:
    """Return the judgments that are kept, and the queries that have none."""
    if not keep.any():
        raise InputError(f"without {', '.join(map(repr, globs))} no judgment is left: exclude less")
    rows = np.flatnonzero(keep)
    offsets = np.searchsorted(rows, qrels.offsets)
    sizes = np.diff(offsets)
    stay = [query for query, size in zip(qrels.query_ids, sizes, strict=True) if size]
    gone = tuple(query for query, size in zip(qrels.query_ids, sizes, strict=True) if not size)
    # A query without rows has no part in the sums of the others.
    offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    left = Qrels(stay, offsets, qrels.doc_ids.take(rows), qrels.grades[rows])
    return left.at_level(qrels.relevance_level), gone
