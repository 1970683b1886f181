"""What a user knows of the topics beside their text: a file with a column for each fact."""

from __future__ import annotations

import keyword
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.formats.windows import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

KNOWN_COLUMNS = ("query_id", "conversation", "turn", "text")
"""What every topic has without such a file."""

_EXPECTED = "expected a header of query_id and names of columns, with tabs between them"


@dataclass(frozen=True, slots=True)
class TopicColumns:
    """The facts of one file.

    Attributes
    ----------
    path
        The file.
    names
        The names of the columns, without ``query_id``.
    rows
        query_id -> name of the column -> cell; an empty cell is empty text.
    """

    path: Path
    names: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]] = field(repr=False)


def read_topic_columns(path: str | Path) -> TopicColumns:
    """Read a TSV file whose first line names its columns, ``query_id`` first.

    Every further line has a cell for each column; a cell may be empty, and blanks around it don't count.
    CRLF, a byte order mark, gzip and blank lines are fine.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    InputError
        With the line of the first fault.
    """
    path = Path(path)
    lines = _lines(path)
    if not lines:
        raise InputError(f"is empty: {_EXPECTED}", path)
    names = _names(path, *lines[0])
    rows = _rows(path, names, lines[1:])
    if not rows:
        raise InputError("has no row below its header: add one for each topic", path)
    return TopicColumns(path, names, rows)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the cells of each line that is not blank, with its number."""
    # As in topics, lines end at a line feed only.
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [(number, [cell.strip() for cell in line.split("\t")]) for number, line in lines if line.strip()]


def _names(path: Path, line: int, header: list[str]) -> tuple[str, ...]:
    """Return the names of the columns behind ``query_id``, each fit for an expression."""
    first, *written = header
    if first != "query_id":
        raise InputError(f"{_EXPECTED}; it begins with '{clipped(first)}'", path, line)
    if not written:
        raise InputError(f"there is no column beside query_id: {_EXPECTED}", path, line)
    names: list[str] = []
    for name in written:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise InputError(
                f"'{clipped(name)}' can't be the name of a column: use letters, digits and underscores, "
                "such as kind or words_2, and no keyword of Python",
                path,
                line,
            )
        # What Python does to names in an expression.
        names.append(unicodedata.normalize("NFKC", name))
        if names[-1] in KNOWN_COLUMNS:
            taken = ", ".join(KNOWN_COLUMNS)
            raise InputError(f"the name {name} is taken, every topic has {taken}: rename it", path, line)
        if names[-1] in names[:-1]:
            raise InputError(f"the column {name} is there twice: rename or drop one", path, line)
    return tuple(names)


def _rows(
    path: Path, names: tuple[str, ...], lines: list[tuple[int, list[str]]]
) -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    places: dict[str, int] = {}
    for number, (query_id, *cells) in lines:
        if len(cells) != len(names):
            raise InputError(
                f"expected {len(names) + 1} cells as in the header, got {len(cells) + 1}: "
                "put one tab between two cells, also beside an empty one",
                path,
                number,
            )
        if not query_id:
            raise InputError("the query_id is empty", path, number)
        if query_id in rows:
            first = places[query_id]
            raise InputError(f"query_id {query_id!r} is there twice, first in line {first}", path, number)
        rows[query_id], places[query_id] = dict(zip(names, cells, strict=True)), number
    return rows
