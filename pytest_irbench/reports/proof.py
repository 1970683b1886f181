"""What `--irbench-prove` prints of a gate: the ways in which its run was broken, and who noticed."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from tabulate import tabulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_irbench.gates.prove import Proof

_WIDTH = 60


def proof_table(gate: str, proof: Proof, left_out: Sequence[str] = ()) -> str:
    """Print one gate: a row for each mutation, and below it in words what goes unnoticed.

    Parameters
    ----------
    gate
        Its name.
    proof
        What its thresholds notice.
    left_out
        Thresholds that were not asked, each with the reason.
    """
    lines = [f"{gate}: what notices a run that was broken on purpose"]
    if proof.able:
        rows = [(name, _cell(texts, proof)) for name, texts in proof.noticed.items()]
        lines += [tabulate(rows, ("broken by", "noticed by"), "simple", disable_numparse=True)]
    return "\n".join([*lines, *_in_words(proof, left_out)])


def _cell(texts: tuple[str, ...] | None, proof: Proof) -> str:
    if texts is None:
        return "(changes nothing here)"
    if len(texts) == len(proof.able) > 1:
        return "all"
    return "\n".join(_wrapped(", ".join(texts))) or "none"


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _in_words(proof: Proof, left_out: Sequence[str]) -> Iterator[str]:
    if not proof.able:
        yield "no threshold of this gate passes on the run as it is: nothing can be proved"
    elif not proof.notices:
        yield "no threshold of this gate notices anything: it can't fail in any of these ways"
    else:
        if proof.unnoticed:
            yield f"not noticed by any threshold: {', '.join(proof.unnoticed)}"
        if proof.idle:
            yield f"notices none of these: {', '.join(proof.idle)}"
    if proof.failing:
        yield f"fails on the run as it is, so not asked: {', '.join(proof.failing)}"
    if left_out:
        yield f"left out: {', '.join(left_out)}"
