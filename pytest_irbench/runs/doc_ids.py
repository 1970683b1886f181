"""Doc-id spaces: a run whose ids are not those of the judgments, and the mapping from one to the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.rows import distinct, numbered, text_id
from pytest_irbench.runs.columns import Columns

if TYPE_CHECKING:
    from pytest_irbench.runs.run import Run

_KEYS = ("pattern", "replace")


class DocIds(NamedTuple):
    """How the ids of a run become those of the judgments; its text is what reports print and pins hold.

    Attributes
    ----------
    name
        ``identity``, ``passage_to_document`` or ``pattern``.
    pattern, replace
        With a pattern: what ``re.sub`` replaces in each id, and by what. An id in which nothing matches
        stays as it is.
    """

    name: str
    pattern: str = ""
    replace: str = ""

    def __str__(self) -> str:
        return f"pattern {self.pattern!r} -> {self.replace!r}" if self.name == "pattern" else self.name


IDENTITY = DocIds("identity")
PASSAGE_TO_DOCUMENT = DocIds("passage_to_document")
_NAMED = {mapping.name: mapping for mapping in (IDENTITY, PASSAGE_TO_DOCUMENT)}


def parse_doc_ids(value: object) -> DocIds:
    """Return the mapping that a gate's ``doc_id`` names.

    Parameters
    ----------
    value
        ``identity``, ``passage_to_document``, or ``{pattern: REGEX, replace: TEMPLATE}``.

    Raises
    ------
    InputError
        When it is anything else, or the pattern or the template is malformed.
    """
    if isinstance(value, str) and value in _NAMED:
        return _NAMED[value]
    if isinstance(value, Mapping) and set(value) == set(_KEYS):
        pattern, replace = (value[key] for key in _KEYS)
        if isinstance(pattern, str) and isinstance(replace, str):
            return _pattern(pattern, replace)
    near = get_close_matches(value, _NAMED, 1) if isinstance(value, str) else []
    hint = f", did you mean {near[0]!r}?" if near else ""
    raise InputError(
        f"doc_id is {', '.join(_NAMED)} or {{pattern: REGEX, replace: TEXT}}, "
        f"not {clipped(repr(value))}{hint}"
    )


def _pattern(pattern: str, replace: str) -> DocIds:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(
            f"the pattern {clipped(pattern)!r} of doc_id is no regular expression: {error}"
        ) from None
    try:
        # The template is read before anything is looked for.
        compiled.sub(replace, "")
    except (re.error, IndexError) as error:
        raise InputError(
            f"the text {clipped(replace)!r} cannot replace {clipped(pattern)!r} of doc_id: {error}"
        ) from None
    return DocIds("pattern", pattern, text_id(replace, "replace of doc_id"))


def map_run(run: Run, mapping: DocIds) -> Run:
    """Return a run with other doc_ids; where two become one, the document has the best score (MaxP).

    Parameters
    ----------
    run
        A large file is read whole. Its queries, name, benchmark and source are kept.
    mapping
        `IDENTITY` returns the run itself.

    Raises
    ------
    InputError
        When a pattern matches no id of the run, or leaves nothing of one.
    """
    if mapping == IDENTITY:
        return run
    columns = run.columns
    docs = map_ids(columns.doc_ids, mapping)
    if mapping.name == "pattern":
        _check(run, mapping, docs)
    first, number = numbered(docs)
    # One key for a document of a query: numpy sorts that faster than two.
    query = np.repeat(np.arange(len(columns.query_ids)), np.diff(columns.offsets))
    key = query * len(first) + number
    order = np.lexsort((-columns.scores, key))
    best = np.sort(order[np.diff(key[order], prepend=-1) > 0])
    offsets = np.searchsorted(best, columns.offsets)
    return run.with_columns(Columns(columns.query_ids, offsets, docs.take(best), columns.scores[best]))


def map_ids(ids: Ids, mapping: DocIds) -> Ids:
    """Return what a mapping makes of each id; what becomes of a run is for `map_run`."""
    if mapping == IDENTITY:
        return ids
    if mapping == PASSAGE_TO_DOCUMENT:
        return _without_passage(ids)
    names, which = distinct(ids)
    pattern = re.compile(mapping.pattern)
    return Ids.from_strings([pattern.sub(mapping.replace, name) for name in names]).take(which)


def _without_passage(ids: Ids) -> Ids:
    """Cut one dash and the digits behind it off the end of each id that has more than that."""
    lengths = ids.lengths.copy()
    rows, digits = np.flatnonzero(lengths > 2), 0
    while len(rows):
        byte = ids.data[ids.starts[rows] + ids.lengths[rows] - 1 - digits]
        if digits:
            lengths[rows[byte == ord("-")]] -= digits + 1
        digits += 1
        # What is left of an id needs a dash, and something in front of it.
        rows = rows[(byte >= ord("0")) & (byte <= ord("9")) & (ids.lengths[rows] > digits + 1)]
    return Ids(ids.data, ids.starts, lengths)


def _check(run: Run, mapping: DocIds, mapped: Ids) -> None:
    ids, search = run.doc_ids, re.compile(mapping.pattern).search
    if len(ids) and not any(search(ids[row]) for row in range(len(ids))):
        raise InputError(
            f"doc_id: {mapping} matches no id of run {run}, which has ids like {clipped(ids[0])!r}: "
            "correct the pattern or leave it out"
        )
    emptied = np.flatnonzero(mapped.lengths == 0)
    if len(emptied):
        raise InputError(
            f"doc_id: {mapping} leaves nothing of the id {clipped(ids[int(emptied[0])])!r} of run {run}"
        )
