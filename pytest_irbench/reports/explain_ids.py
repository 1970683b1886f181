"""Why few of the returned documents are judged: ids written in another way, found out by trying."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_irbench.errors import clipped
from pytest_irbench.formats.ids import Ids
from pytest_irbench.formats.windows import is_gzip
from pytest_irbench.measures.tie_rule import rank
from pytest_irbench.runs.doc_ids import IDENTITY, PASSAGE_TO_DOCUMENT, DocIds, map_ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.runs.run import Run

DEPTH = 10
_ENOUGH = 0.5
# What helps has to bring a quarter more than without it, and more than chance.
_TIMES, _MORE = 1.25, 0.02
_MANY_CUT = 0.01
_QUERIES_TRIED = 200

# A collection's prefix, as a pattern, and what stands in its place.
_PREFIXES = (
    ("", "MARCO_"),
    ("", "CAR_"),
    ("", "WAPO_"),
    ("", "KILT_"),
    ("", "D"),
    ("", "MARCO_D"),
    ("(?:MARCO|CAR|WAPO|KILT)_", ""),
    ("D(?=[0-9])", ""),
)
# The mappings to try, by the number of their steps.
_MAPPINGS = (
    (IDENTITY,),
    (PASSAGE_TO_DOCUMENT, *(DocIds("pattern", f"^{old}(.+)$", rf"{new}\1") for old, new in _PREFIXES)),
    tuple(DocIds("pattern", f"^{old}(.+)-[0-9]+$", rf"{new}\1") for old, new in _PREFIXES),
    (),
)


class _Top(NamedTuple):
    """The first documents of some queries.

    Attributes
    ----------
    ids
        The documents, those of a query side by side.
    judged
        For each of them, the judged documents of its query.
    part
        Of how many queries, where not of all.
    """

    ids: Ids
    judged: list[frozenset[str]]
    part: str


class _Trial(NamedTuple):
    """A change that may help, and the share of documents that would be judged."""

    share: float
    mapping: DocIds
    folded: bool = False

    def helps(self, before: _Trial) -> bool:
        """Whether the share is clearly above that of another trial."""
        return self.share >= before.share * _TIMES and self.share >= before.share + _MORE


def explain_ids(judged: JudgedRanking) -> str | None:
    """Say what would make more of the returned documents judged, after trying.

    Less than half of the documents in the top 10 being judged raises the question. Tried are the
    mappings of `doc_id` (the passage suffix cut off, a collection's prefix added or dropped, both) and
    letters in another case. Ids that were cut at their first dash are told however many documents are
    judged: no mapping brings back what was lost, and a few per cent of a run are soon overlooked.

    Parameters
    ----------
    judged
        Of a large run file only some queries are read again; a packed one is read whole.

    Returns
    -------
    str or None
        One or two sentences without a final full stop; None when nothing would help clearly.
    """
    top = _top(judged)
    known, returned = judged.judged_within(DEPTH)
    best = before = _Trial(_share(top.ids.to_list(), top.judged), IDENTITY)
    if known < _ENOUGH * returned:
        best = _best(top, before)
    sentences = []
    if best is not before:
        sentences.append(
            f"{known:,} of {returned:,} documents in the top {DEPTH} are judged for their query; "
            f"{best.share:.0%}{top.part and ' of those'}{top.part} would be {_proposal(best)}"
        )
    lost = _cut(top, best.mapping)
    if lost:
        sentences.append(lost)
    return ". ".join(sentences) or None


def _top(judged: JudgedRanking) -> _Top:
    """Return the top of the judged queries, or of some evenly among very many."""
    run, queries = judged.run, np.flatnonzero(judged.returned)
    if run.unread is not None and is_gzip(run.unread):
        # A place in a packed file is reached by unpacking all in front of it: better once, for all queries.
        _ = run.columns
    ids: list[str] = []
    sets: list[frozenset[str]] = []
    tried = queries[:: -(-len(queries) // _QUERIES_TRIED)].tolist()
    for query in tried:
        first = _first(run, judged.query_ids[query])
        ids += first
        sets += [frozenset(judged.qrels.by_query[query])] * len(first)
    part = f" of {len(tried)} queries" if len(tried) < len(queries) else ""
    return _Top(Ids.from_strings(ids), sets, part)


def _first(run: Run, query_id: str) -> list[str]:
    docs, scores = run.of_query(query_id)
    order, _ = rank(docs, scores, np.array([0, len(scores)]))
    rows = np.arange(len(scores)) if order is None else order
    return docs.take(rows[:DEPTH]).to_list()


def _best(top: _Top, before: _Trial) -> _Trial:
    """Return the change that helps most; one of more steps only where it helps clearly more."""
    folded = _per_query(top.judged, str.casefold)
    best = before
    for steps in range(1, len(_MAPPINGS)):
        trials = []
        for mapping in _MAPPINGS[steps]:
            ids = map_ids(top.ids, mapping).to_list()
            trials.append(_Trial(_share(ids, top.judged), mapping))
        # To fold the case is a step, too.
        for mapping in _MAPPINGS[steps - 1]:
            ids = list(map(str.casefold, map_ids(top.ids, mapping).to_list()))
            trials.append(_Trial(_share(ids, folded), mapping, folded=True))
        most = max(trials, key=lambda trial: trial.share)
        best = most if most.helps(best) else best
    return best


def _share(ids: list[str], judged: list[frozenset[str]]) -> float:
    return sum(map(frozenset.__contains__, judged, ids)) / len(judged)


def _per_query(judged: list[frozenset[str]], change: Callable[[str], str]) -> list[frozenset[str]]:
    """Change the judged documents of each query, once."""
    changed = {docs: frozenset(map(change, docs)) for docs in set(judged)}
    return [changed[docs] for docs in judged]


def _proposal(trial: _Trial) -> str:
    words = []
    if trial.mapping.name == "pattern":
        # As it is written in YAML; a pattern of ours has no quote in it.
        words = [f"with doc_id: {{pattern: '{trial.mapping.pattern}', replace: '{trial.mapping.replace}'}}"]
    elif trial.mapping != IDENTITY:
        words = [f"with doc_id: {trial.mapping}"]
    if trial.folded:
        words.append("if upper and lower case were as in the qrels: return the ids as they are judged")
    return " and ".join(words)


def _cut(top: _Top, mapping: DocIds) -> str | None:
    """Tell of ids that end where the judged one has its first dash.

    Where an id has a dash, ids were not cut there: then ``london`` is a document beside ``london-bridge``.
    """
    ids = map_ids(top.ids, mapping).to_list()
    if any("-" in doc_id for doc_id in ids):
        return None
    heads = _per_query(top.judged, lambda doc_id: doc_id.partition("-")[0])
    found = [
        doc_id
        for doc_id, judged, head in zip(ids, top.judged, heads, strict=True)
        if doc_id in head and doc_id not in judged
    ]
    if len(found) < _MANY_CUT * len(ids) or not found:
        return None
    return (
        f"{len(found):,} of {len(ids):,} documents in the top {DEPTH}{top.part} have ids cut at the first "
        f"dash, as {clipped(found[0])!r} where an id that begins with {clipped(found[0] + '-')!r} is judged: "
        "what told documents apart is lost, make the run anew with whole ids"
    )
