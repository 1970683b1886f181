"""What one system returned: for each query a ranking of documents with scores."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.windows import is_gzip
from pytest_irbench.runs.columns import Columns
from pytest_irbench.runs.trec import first_tag, read_columns, read_rows, write_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from pytest_irbench.benchmarks.benchmark import Benchmark, Utterance


# A file from here on (bytes; packed, a quarter of it) is read when it is needed, and never as a whole if
# it is only scored: see measures/streaming.py.
LARGE = 32 << 20


class Run:
    """A run: for each query the returned documents with scores.

    Build one with `read_run`, `from_mapping` or `from_pairs`. The order of rows inside a query means
    nothing: documents are ranked by score (`pytest_irbench.measures.tie_rule`).

    Attributes
    ----------
    name
        The run's tag or the system's name.
    benchmark
        The benchmark it answers, or None.
    source
        The file that it was read from, or None.
    latencies
        query_id -> milliseconds that its answer took; empty when that was not seen.
    utterance
        Which text of the turns it answers.
    threads
        How many threads may share a file that is not read yet, or None for as many as there are processors.
    """

    def __init__(self, columns: Columns | Path | Mapping[Any, Any], name: str = "run") -> None:
        self._columns = columns
        self.name = name
        self.threads: int | None = None
        self.places: Mapping[str, int] = {}
        self.benchmark: Benchmark | None = None
        self.source: Path | None = None
        self.latencies: Mapping[str, float] = {}
        self.utterance: Utterance = "raw"

    @property
    def unread(self) -> Path | None:
        """The file that its columns come from when they are first needed, or None."""
        return self._columns if isinstance(self._columns, Path) else None

    @property
    def mapping(self) -> Mapping[Any, Any] | None:
        """The mapping that its columns come from when they are first needed, or None."""
        return None if isinstance(self._columns, Path | Columns) else self._columns

    @property
    def columns(self) -> Columns:
        """All rows.

        Raises
        ------
        InputError
            When a large file or a mapping, which is read now, is malformed.
        """
        if isinstance(self._columns, Path):
            self._columns, _ = read_columns(self._columns)
        elif not isinstance(self._columns, Columns):
            self._columns = self.from_mapping(self._columns).columns
        return self._columns

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Every query of the run, in order of first appearance."""
        return self.columns.query_ids

    @property
    def doc_ids(self) -> Ids:
        """Column of the returned documents."""
        return self.columns.doc_ids

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each row."""
        return self.columns.scores

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

        return cls(Columns.of_answers(answers(), distinct=True), name)

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

        return cls(Columns.of_answers(answers()), name)

    def with_columns(self, columns: Columns) -> Self:
        """Return a run of the same name, benchmark and source that has other rows."""
        other = copy(self)
        other._columns = columns  # noqa: SLF001 - its own class
        other.places = {}
        other.__dict__.pop("query_index", None)
        return other

    def __len__(self) -> int:
        return len(self.scores)

    def __str__(self) -> str:
        return self.name if self.source is None else f"{self.name} ({self.source})"

    def __repr__(self) -> str:
        if not isinstance(self._columns, Columns):
            return f"<Run {self.name}: not read yet>"
        return f"<Run {self.name}: {len(self)} documents for {len(self.query_ids)} queries>"

    def of_query(self, query_id: str) -> tuple[Ids, NDArray[np.float64]]:
        """Return the documents of one query and their scores; empty when the run lacks it."""
        if self.unread is not None and query_id in self.places:
            begin = self.places[query_id]
            end = min((place for place in self.places.values() if place > begin), default=None)
            return read_rows(self.unread, begin, end)
        if self.mapping is not None:
            columns = self.from_mapping({query_id: self.mapping.get(query_id, {})}).columns
            return columns.doc_ids, columns.scores
        index = None if self.unread and self.places else self.query_index.get(query_id)
        if index is None:
            return Ids.from_strings([]), np.zeros(0)
        rows = np.arange(*self.columns.offsets[index : index + 2].tolist())
        return self.doc_ids.take(rows), self.scores[rows]

    @cached_property
    def query_index(self) -> dict[str, int]:
        """Map each query id to its position in `query_ids`."""
        return {query_id: index for index, query_id in enumerate(self.query_ids)}

    def rows(self) -> Iterator[tuple[str, str, float]]:
        """Give every row as (query_id, doc_id, score)."""
        for index, query_id in enumerate(self.query_ids):
            for row in range(*self.columns.offsets[index : index + 2].tolist()):
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
        write_columns(self.columns, self.name, Path(path))


def read_run(path: str | Path) -> Run:
    """Read a TREC run file: ``query_id Q0 doc_id rank score tag`` on each line.

    Lines may stand in any order; the rank is not used. ``.gz`` is unpacked. A file of at least `LARGE`
    bytes is read when it is first needed, and its faults are told then.

    Raises
    ------
    InputError
        With file and line, when a line has another number of columns, a score is no number or NaN, a
        document is returned twice for a query, or the file is empty or not UTF-8.
    """
    path = Path(path)
    try:
        size = path.stat().st_size * (4 if is_gzip(path) else 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path) from None
    run = Run(path, first_tag(path)) if size >= LARGE else Run(*read_columns(path))
    run.source = path
    return run
