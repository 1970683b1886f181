"""The manual rewrites of CAsT 2019: a file of its own, fetched when a rewrite is first read."""

from __future__ import annotations

from functools import cached_property
from hashlib import md5
from typing import TYPE_CHECKING

from pytest_irbench.benchmarks.fetching import DataFile, ensure
from pytest_irbench.benchmarks.published import damaged

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "evaluation_topics_annotated_resolved_v1.0.tsv"
FILE_MD5 = "bf8d3e1eb7183c8e18f402bb929babd1"


class ManualRewrites:
    """Rewrites by query_id.

    Parameters
    ----------
    path
        Where the file lies or will lie.
    file
        How to get it.
    home
        The data folder.
    """

    def __init__(self, path: Path, file: DataFile, home: Path) -> None:
        self.path = path
        self.file = file
        self.home = home

    def get(self, query_id: str) -> str | None:
        """Return the rewrite of a turn, or None.

        Raises
        ------
        DataUnavailableError
            When the file is missing and can't be fetched, or is not the published one.
        """
        return self._by_id.get(query_id)

    @cached_property
    def _by_id(self) -> dict[str, str]:
        ensure("the manual rewrites of cast19", [self.file], self.home)
        content = self.path.read_bytes()
        if md5(content, usedforsecurity=False).hexdigest() != FILE_MD5:
            raise damaged(self.path, "is not the published file: truncated or edited")
        rows = (line.partition("\t") for line in content.decode().splitlines())
        return {query_id: text.strip() for query_id, _, text in rows}
