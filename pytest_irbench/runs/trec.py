"""TREC run files: read into columns, a part of them, and written."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.rows import Grouping
from pytest_irbench.formats.trec import RUN_FIELDS, Contents, read_contents
from pytest_irbench.formats.windows import BOM, open_unpacked
from pytest_irbench.runs.columns import Columns

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_SEPARATORS = b" \t\r\n"
_LONGEST_LINE = 1 << 16
_BLANK_LINES = 1000
_DOC_ID, _SCORE, _TAG = (RUN_FIELDS.index(field) for field in ("doc_id", "score", "tag"))


def first_tag(path: Path) -> str:
    """Return the tag of the first line that isn't blank, or ``run`` when that line is malformed."""
    with open_unpacked(path) as file:
        lines = (file.readline(_LONGEST_LINE) for _ in range(_BLANK_LINES))
        first = next((line for line in lines if line.strip(_SEPARATORS)), b"")
    fields = re.split(b"[" + _SEPARATORS + b"]+", first.strip(_SEPARATORS))
    return fields[-1].decode(errors="replace") if len(fields) == len(RUN_FIELDS) else "run"


def read_columns(path: Path) -> tuple[Columns, str]:
    """Read all rows of a file, and the tag of the first one."""
    return parse_columns(read_contents(path))


def parse_columns(contents: Contents) -> tuple[Columns, str]:
    """Read all rows of a file that is in memory, and the tag of the first one.

    Raises
    ------
    InputError
        As `pytest_irbench.runs.run.read_run`.
    """
    queries, docs, scores = Grouping(), [], []
    tag = ""
    for table, values in contents.tables(RUN_FIELDS, _SCORE):
        queries.add(table.ids(0))
        docs.append(table.ids(_DOC_ID))
        # Made while the bytes are in the cache; rows in any order take theirs along.
        _ = docs[-1].hashes
        scores.append(values)
        tag = tag or table.ids(_TAG)[0]
    if not docs:
        raise InputError("has no results: did the search step fail?", contents.path)
    offsets, order = queries.offsets_and_order()
    column, values = Ids.joined(docs), np.concatenate(scores)
    if order is not None:
        column, values = column.take(order), values[order]
    columns = Columns(tuple(queries.query_ids), offsets, column, values)
    columns.check(lambda row, message: contents.fault(column.starts[row], message))
    return columns, tag


def read_rows(path: Path, begin: int, end: int | None) -> tuple[Ids, NDArray[np.float64]]:
    """Read the documents and scores of the lines between two places of a file, unpacked."""
    with open_unpacked(path) as file:
        file.seek(begin)
        contents = Contents.of(path, file.read() if end is None else file.read(end - begin))
    portions = list(contents.tables(RUN_FIELDS, _SCORE))
    docs = Ids.joined([table.ids(_DOC_ID) for table, _ in portions])
    return docs, np.concatenate([scores for _, scores in portions])


def write_columns(columns: Columns, tag: str, path: Path) -> None:
    """Write a run file, whole or not at all; see `pytest_irbench.runs.run.Run.write`."""
    content = columns_text(columns, tag)
    if path.suffix == ".gz":
        content = packed(content)
    half = path.with_name(f".{path.name}.{os.getpid()}.half")
    try:
        half.write_bytes(content)
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def columns_text(columns: Columns, tag: str) -> bytes:
    """Return the content of a run file, unpacked.

    Raises
    ------
    InputError
        When an id or the tag is empty or holds a blank, a tab or a line end.
    """
    tag = written_field(tag, "name of the run")
    lines = []
    for index, query_id in enumerate(columns.query_ids):
        query = written_field(query_id, "query id")
        begin, end = columns.offsets[index : index + 2].tolist()
        for row in range(begin, end):
            doc = written_field(columns.doc_ids[row], "document id")
            lines.append(f"{query} Q0 {doc} {row - begin + 1} {float(columns.scores[row])!r} {tag}\n")
    content = "".join(lines).encode()
    # Only the first byte order mark is taken for one.
    return BOM + content if content.startswith(BOM) else content


def packed(content: bytes) -> bytes:
    """Pack the content of a file with gzip; the same content gives the same bytes at any time."""
    import gzip

    return gzip.compress(content, mtime=0)


def written_field(text: str, what: str) -> str:
    """Return an id as a TREC file carries it.

    Raises
    ------
    InputError
        When it is empty or holds a blank, a tab or a line end.
    """
    if not text or any(separator in text for separator in " \t\r\n"):
        raise InputError(f"the {what} {text!r} can't be written to a TREC file: it is empty or has blanks")
    return text
