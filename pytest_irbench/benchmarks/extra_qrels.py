"""Extra label sets: other judgments of the same topics, such as the sparse labels of MS MARCO."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_irbench.benchmarks.qrels import Qrels, read_qrels
from pytest_irbench.benchmarks.topics import some_ids
from pytest_irbench.errors import InputError, clipped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class ExtraQrels(Mapping[str, Qrels]):
    """Judgments by the name of their set, each read when it is first needed.

    A bare binary measure means ``rel=1`` on them, whatever the benchmark's own level is: an extra set
    has its own grades, and the sparse labels have grade 1 only. An explicit ``rel=`` wins.

    Judgments of queries that are no topic of the benchmark are left out, since nobody asks those; their
    number is the `left_out` of the qrels.

    Parameters
    ----------
    paths
        The TREC qrels file of each set.
    query_ids
        The topics of the benchmark.

    Raises
    ------
    InputError
        When a name is no identifier. Where a set is first needed: as `read_qrels`, or when it judges no
        topic of the benchmark.
    """

    def __init__(self, paths: Mapping[str, str | Path], query_ids: Collection[str]) -> None:
        for name in paths:
            if not (name.isascii() and name.isidentifier()):
                raise InputError(
                    f"'{clipped(name)}' can't be the name of a label set: use letters, digits and "
                    "underscores, such as sparse"
                )
        self._paths = {name: Path(path) for name, path in paths.items()}
        self._query_ids = query_ids
        self._read: dict[str, Qrels] = {}

    def __getitem__(self, name: str) -> Qrels:
        if name not in self._read:
            self._read[name] = self._judging(self._paths[name])
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        # Without reading it.
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __repr__(self) -> str:
        return f"<ExtraQrels: {', '.join(self._paths) or 'none'}>"

    def _judging(self, path: Path) -> Qrels:
        every = read_qrels(path)
        qrels = every.of_queries(self._query_ids)
        if not qrels.query_ids:
            theirs, asked = some_ids(every.query_ids), some_ids(self._query_ids)
            raise InputError(
                f"judges no topic of the benchmark: it has {theirs}, the topics are {asked}: "
                "use the ids of the topics",
                path,
            )
        return qrels
