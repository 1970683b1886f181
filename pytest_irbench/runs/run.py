"""What one system returned: for each query a ranking of documents with scores."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.rows import find_twins, group, text_id
from pytest_irbench.formats.trec import BOM, RUN_FIELDS, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from pytest_irbench.benchmarks.benchmark import Benchmark

_REAL = (float, int, np.float64, np.float32, np.float16, np.integer)


class Run:
    """A run as columns, the rows of a query side by side.

    Build one with `read_run`, `from_mapping` or `from_pairs`. The order of rows inside a query means
    nothing: documents are ranked by score (`pytest_irbench.measures.ranking`).

    Attributes
    ----------
    query_ids
        Every query of the run, in order of first appearance; ``q`` of them.
    offsets
        The rows of query ``i`` are ``offsets[i]`` to ``offsets[i + 1]``; shape (q + 1,).
    doc_ids
        Column of the returned documents, n of them.
    scores
        Their scores; shape (n,), float64, no NaN.
    name
        The run's tag or the system's name.
    benchmark
        The benchmark it answers, or None.
    source
        The file that it was read from, or None.
    """

    def __init__(
        self,
        query_ids: Sequence[str],
        offsets: NDArray[np.int64],
        doc_ids: Ids,
        scores: NDArray[np.float64],
        name: str = "run",
    ) -> None:
        self.query_ids = tuple(query_ids)
        self.offsets = offsets
        self.doc_ids = doc_ids
        self.scores = scores
        self.name = name
        self.benchmark: Benchmark | None = None
        self.source: Path | None = None

    @classmethod
    def from_mapping(cls, mapping: Mapping[Any, Mapping[Any, Any]], name: str = "run") -> Self:
        """Build a run from ``{query_id: {doc_id: score}}``.

        Ids are text; whole numbers are taken as their text. Scores are real numbers of Python or
        numpy.

        Raises
        ------
        InputError
            When a score is no real number or NaN, or two ids of a query have the same text.
        """

        def answers() -> Iterator[tuple[Any, list[Any], list[Any]]]:
            for query_id, docs in mapping.items():
                if not isinstance(docs, Mapping):
                    raise InputError(f"the ranking of query {query_id!r} is not a mapping doc_id -> score")
                yield query_id, list(docs), list(docs.values())

        return cls._from_answers(answers(), name)

    @classmethod
    def from_pairs(cls, pairs: Mapping[Any, Iterable[tuple[Any, Any]]], name: str = "run") -> Self:
        """Build a run from ``{query_id: [(doc_id, score), ...]}``.

        Raises
        ------
        InputError
            As `from_mapping`, and when a document is returned twice for a query.
        """

        def answers() -> Iterator[tuple[Any, list[Any], list[Any]]]:
            for query_id, ranking in pairs.items():
                rows: list[Any] = list(ranking)
                if not all(isinstance(row, tuple | list) and len(row) == 2 for row in rows):
                    raise InputError(f"the ranking of query {query_id!r} is no list of (doc_id, score) pairs")
                yield query_id, [doc for doc, _ in rows], [score for _, score in rows]

        return cls._from_answers(answers(), name)

    @classmethod
    def _from_answers(cls, answers: Iterable[tuple[Any, list[Any], list[Any]]], name: str) -> Self:
        query_ids: list[str] = []
        sizes, docs, scores = [0], [], []
        for query, query_docs, query_scores in answers:
            query_ids.append(text_id(query, "query id"))
            docs += query_docs
            scores.append(_real_numbers(query_scores, query_ids[-1], query_docs))
            sizes.append(len(query_docs))
        if len(set(query_ids)) < len(query_ids):
            twice = next(q for q in query_ids if query_ids.count(q) > 1)
            raise InputError(f"query {twice!r} stands twice in the run, once as text and once as a number")
        if not all(type(doc) is str and doc.isascii() for doc in docs):
            docs = [text_id(doc, "document id") for doc in docs]
        values = np.concatenate(scores) if scores else np.zeros(0)
        offsets = np.cumsum(np.array(sizes, np.int64))
        return cls(query_ids, offsets, Ids.from_strings(docs), values, name).checked(
            lambda _row, message: InputError(message)
        )

    def checked(self, fault: Callable[[int, str], InputError]) -> Self:
        """Refuse NaN scores and repeated documents; `fault` builds the error for a row."""
        nan = np.flatnonzero(np.isnan(self.scores))
        if len(nan):
            row = int(nan[0])
            raise fault(row, f"the score of document {self.doc_ids[row]!r} for {self._query(row)} is NaN")
        _, second = find_twins(self.doc_ids, self.offsets)
        if len(second):
            row = int(second[0])
            raise fault(row, f"document {self.doc_ids[row]!r} is returned twice for {self._query(row)}")
        return self

    def _query(self, row: int) -> str:
        return f"query {self.query_ids[int(np.searchsorted(self.offsets, row, 'right')) - 1]!r}"

    def __len__(self) -> int:
        return len(self.scores)

    def __str__(self) -> str:
        return self.name if self.source is None else f"{self.name} ({self.source})"

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self)} documents for {len(self.query_ids)} queries>"

    @cached_property
    def query_index(self) -> dict[str, int]:
        """Map each query id to its position in `query_ids`."""
        return {query_id: index for index, query_id in enumerate(self.query_ids)}

    def rows(self) -> Iterator[tuple[str, str, float]]:
        """Give every row as (query_id, doc_id, score)."""
        for index, query_id in enumerate(self.query_ids):
            for row in range(int(self.offsets[index]), int(self.offsets[index + 1])):
                yield query_id, self.doc_ids[row], float(self.scores[row])

    def to_mapping(self) -> dict[str, dict[str, float]]:
        """Return the run as ``{query_id: {doc_id: score}}``."""
        mapping: dict[str, dict[str, float]] = {query_id: {} for query_id in self.query_ids}
        for query_id, doc_id, score in self.rows():
            mapping[query_id][doc_id] = score
        return mapping

    def write(self, path: str | Path) -> None:
        """Write the run as a TREC file; packed when the name ends in ``.gz``.

        What is read back equals this run: scores keep every digit. The file appears whole or not at
        all. The rank column counts the rows of a query as they stand.

        Raises
        ------
        InputError
            When an id or the name holds a blank, a tab or a line end, which the format can't carry.
        """
        tag = _field(self.name, "name of the run")
        lines = []
        for index, query_id in enumerate(self.query_ids):
            query = _field(query_id, "query id")
            begin = int(self.offsets[index])
            for row in range(begin, int(self.offsets[index + 1])):
                doc = _field(self.doc_ids[row], "document id")
                lines.append(f"{query} Q0 {doc} {row - begin + 1} {float(self.scores[row])!r} {tag}\n")
        content = "".join(lines).encode()
        if content.startswith(BOM):
            content = BOM + content  # only the first one is taken for a mark
        path = Path(path)
        if path.suffix == ".gz":
            content = gzip.compress(content, mtime=0)
        half = path.with_name(f".{path.name}.{os.getpid()}.half")
        try:
            half.write_bytes(content)
            half.replace(path)
        finally:
            half.unlink(missing_ok=True)


def read_run(path: str | Path) -> Run:
    """Read a TREC run file: ``query_id Q0 doc_id rank score tag`` on each line.

    Lines may stand in any order; the rank is not used. ``.gz`` is unpacked.

    Raises
    ------
    InputError
        With file and line, when a line has another number of columns, a score is no number or NaN, a
        document is returned twice for a query, or the file is empty or not UTF-8.
    """
    table = read_table(path, RUN_FIELDS)
    if not len(table):
        raise InputError("has no results: did the search step fail?", table.path)
    scores = table.numbers(4)
    query_ids, offsets, order = group(table.ids(0))
    run = Run(query_ids, offsets, table.ids(2).take(order), scores[order], table.ids(5)[0])
    run.source = table.path
    return run.checked(lambda row, message: table.fault(int(order[row]), message))


def _real_numbers(scores: list[Any], query_id: str, docs: list[Any]) -> NDArray[np.float64]:
    for kind in set(map(type, scores)):
        if kind is bool or not issubclass(kind, _REAL):
            doc, score = next(
                (doc, score) for doc, score in zip(docs, scores, strict=True) if type(score) is kind
            )
            raise InputError(
                f"the score {score!r} of document {doc!r} for query {query_id!r} is {kind.__name__}, "
                "not a real number"
            )
    try:
        return np.fromiter(scores, np.float64, len(scores))
    except OverflowError:
        raise InputError(f"a score for query {query_id!r} is too large for a double") from None


def _field(text: str, what: str) -> str:
    if not text or any(separator in text for separator in " \t\r\n"):
        raise InputError(f"the {what} {text!r} can't be written to a TREC file: it is empty or has blanks")
    return text
