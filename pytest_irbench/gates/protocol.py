"""How a gate's run is made and read: which words are asked, how ids are read, what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_irbench.benchmarks.benchmark import UTTERANCES
from pytest_irbench.errors import InputError
from pytest_irbench.gates.nodes import MapNode, Scalar, described, nearest, shown
from pytest_irbench.runs.doc_ids import IDENTITY, DocIds, parse_doc_ids

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Utterance
    from pytest_irbench.gates.nodes import Faults, Fields, Node

PROTOCOL_KEYS = ("utterance", "doc_id", "exclude_docs", "rerank", "repeats", "ties", "unjudged")
"""The keys of a gate that say it."""


class Protocol(NamedTuple):
    """How a gate's run is made and read.

    Attributes
    ----------
    utterance
        Which text of a turn is asked.
    doc_id
        How doc_ids of the run become those of the qrels.
    exclude_docs
        Patterns of doc_ids that run and qrels are read without.
    rerank
        Whether the run may only have the benchmark's candidates.
    repeats
        How often the system is asked.
    ties, unjudged
        Whether the report says what equal scores, and unjudged documents, make of a value.
    """

    utterance: Utterance = "raw"
    doc_id: DocIds = IDENTITY
    exclude_docs: tuple[str, ...] = ()
    rerank: bool = False
    repeats: int = 1
    ties: bool = False
    unjudged: bool = False

    @property
    def documents(self) -> str:
        """How doc_ids are read and which documents are left out, as baselines pin it."""
        without = f" without {', '.join(self.exclude_docs)}" if self.exclude_docs else ""
        return f"{self.doc_id}{without}"


def read_protocols(fields: Fields, faults: Faults) -> list[Protocol]:
    """Read the protocol of a gate, one for each utterance that it asks for.

    Parameters
    ----------
    fields
        The keys of the gate.
    faults
        Takes the faults.
    """
    protocol = Protocol(
        doc_id=_doc_id(fields, faults),
        exclude_docs=tuple(scalar.text for scalar in fields.texts("exclude_docs", "'WAPO_*'")),
        rerank=fields.flag("rerank"),
        repeats=fields.whole("repeats", 3) or 1,
        ties=_word(fields, faults, "ties", "report"),
        unjudged=_word(fields, faults, "unjudged", "bounds"),
    )
    asked: dict[Utterance, None] = {}
    for scalar in fields.texts("utterance", "manual"):
        found = next((one for one in UTTERANCES if one == scalar.text), None)
        if found is None:
            said = f"utterance is {', '.join(UTTERANCES)}, not {shown(scalar.text)}"
            faults.add(scalar, f"{said}{nearest(scalar.text, UTTERANCES)}")
        elif found in asked:
            faults.add(scalar, f"utterance {found} is given twice: keep one")
        else:
            asked[found] = None
    return [protocol._replace(utterance=utterance) for utterance in asked] or [protocol]


def _word(fields: Fields, faults: Faults, key: str, word: str) -> bool:
    """Read a key that takes one word."""
    node = fields.get(key)
    if node is None or (isinstance(node, Scalar) and node.value == word):
        return node is not None
    faults.add(
        node, f"{key} takes the word {word}, not {described(node)}: write {key}: {word}, or leave it out"
    )
    return False


def _doc_id(fields: Fields, faults: Faults) -> DocIds:
    node = fields.get("doc_id")
    if node is None:
        return IDENTITY
    try:
        return parse_doc_ids(_plain(node))
    except InputError as error:
        faults.add(node, error.message)
        return IDENTITY


def _plain(node: Node) -> Any:
    if isinstance(node, MapNode):
        return {key.text: _plain(value) for key, value in node.entries.values()}
    return node.value if isinstance(node, Scalar) else [_plain(item) for item in node.items]
