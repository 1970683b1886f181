"""A measure as a value: its text form is its identity.

The names and parameters are those of ir_measures (https://ir-measur.es), so that what a user knows
carries over. `signatures.py` says which measures exist and what they take, `kernels.py` what they compute.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from pytest_irbench.errors import InputError
from pytest_irbench.measures.aggregates import aggregate
from pytest_irbench.measures.signatures import ALIASES, SIGNATURES, TREC_EVAL, Cutoff, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_irbench.measures.aggregates import Statistic

# A file of gates asks for the same few texts again and again. Only what we compute ourselves is kept.
_KNOWN: dict[tuple[str, int], Measure] = {}

_EXAMPLE = "write it like nDCG@10, AP or RR(rel=2)@10"


@dataclass(frozen=True)
class Measure:
    """One measure with all that changes its value; equal when its text is equal.

    Attributes
    ----------
    name
        Canonical, for instance ``nDCG``.
    cutoff
        The number behind ``@``, or None.
    params
        The remaining parameters that differ from their defaults, sorted as printed.
    rel
        The lowest grade that counts as relevant; None for measures without a relevance level.
    external
        Computed by the ir_measures package, not by us.
    """

    name: str
    cutoff: int | float | None = None
    params: tuple[tuple[str, Any], ...] = ()
    rel: int | None = None
    external: bool = False

    @classmethod
    def parse(cls, text: str, relevance_level: int = 1) -> Measure:
        """Read a measure, for instance ``nDCG@10`` or ``RR(rel=2)@10``.

        Parameters
        ----------
        text
            The text in ir_measures' syntax, or one of the names in `ALIASES`.
        relevance_level
            The level that a bare binary measure means.

        Raises
        ------
        InputError
            When there is no such measure, with the nearest right text.
        """
        known = _KNOWN.get((f"{text}", relevance_level))
        if known is not None:
            return known
        name, args, cutoff = _split(text)
        name = ALIASES.get(name, name)
        if name == "NumRet" and "rel" in args:
            name = "NumRelRet"  # what ir_measures writes with a parameter is another measure here
        signature = SIGNATURES.get(name)
        if signature is None or any(key not in _accepted(signature) for key in args):
            return cls._external(text, name, args, cutoff, relevance_level)
        _check_cutoff(text, name, signature.cutoff, cutoff)
        rel = _check_rel(text, args.pop("rel", relevance_level)) if signature.binary else None
        measure = cls(name, cutoff, _check_params(text, signature, args), rel)
        _KNOWN[text, relevance_level] = measure
        return measure

    @classmethod
    def _external(cls, text: str, name: str, args: dict[str, Any], cutoff: Any, relevance_level: int) -> Self:
        from pytest_irbench.measures import external

        takes_rel = external.check(text)
        if takes_rel is None:
            raise InputError(_unknown(text, name, args))
        rel = args.pop("rel", relevance_level) if takes_rel else None
        params = tuple((key, _frozen(value)) for key, value in args.items())
        return cls(name, cutoff, params, rel, external=True)

    @property
    def signature(self) -> Signature | None:
        """What the measure takes, or None when ir_measures computes it."""
        return None if self.external else SIGNATURES[self.name]

    @property
    def bounded(self) -> bool:
        """Whether its values lie in 0..1 for certain."""
        return self.signature is not None and self.signature.bounded

    @property
    def is_latency(self) -> bool:
        """Whether it is about the time that answers took, and not about documents."""
        return self.name.startswith("latency_")

    @property
    def statistic(self) -> Statistic:
        """What its values are gathered into: their ``mean``, of a count their ``sum`` …."""
        return self.signature.statistic if self.signature else "mean"

    def aggregate(self, values: Sequence[float]) -> float:
        """Gather the values of at least one query into that of all."""
        return aggregate(self.statistic, values)

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are taken out of the ranking before it looks (condensed lists)."""
        return ("judged_only", True) in self.params

    @property
    def sees(self) -> int | None:
        """How many documents of a ranking decide its values at most; None when all may."""
        # The cutoff of IPrec@0.1 is a recall, that of a condensed list counts judged documents: both may
        # be reached at any depth.
        return self.cutoff if isinstance(self.cutoff, int) and not self.judged_only else None

    def param(self, key: str) -> Any:
        """Return a parameter's value or its default."""
        given = dict(self.params)
        if key in given:
            return given[key]
        return dict(self.signature.params)[key] if self.signature else None

    def text(self, relevance_level: int = 1) -> str:
        """Print the measure as a reader at this level would write it without doubt.

        Defaults are left out. The level of a binary measure is left out only where a bare name means
        1 too: on a benchmark of level 2, ``AP(rel=1)`` is printed in full.
        """
        parts = []
        if self.rel is not None and (self.rel != 1 or relevance_level != 1):
            parts.append(f"rel={self.rel}")
        parts += [f"{key}={_printed(value)}" for key, value in self.params]
        inside = f"({','.join(parts)})" if parts else ""
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{inside}{at}"

    def __str__(self) -> str:
        return self.text()


def _accepted(signature: Signature) -> set[str]:
    return {key for key, _ in signature.params} | ({"rel"} if signature.binary else set())


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{text!r} is not a measure: {_EXAMPLE}") from None


def _split(text: str) -> tuple[str, dict[str, Any], Any]:
    """Take the text apart: name, arguments, cutoff."""
    if not isinstance(text, str):
        raise InputError(f"{text!r} is not a measure: {_EXAMPLE}")
    if re.search(r"\d_\d", text):  # Python would read 1_0 as 10
        raise InputError(f"{text!r} is not a measure: {_EXAMPLE}")
    node = _parsed(text)
    cutoff, args, twice = None, {}, False
    try:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            cutoff = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:
            args = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            twice = len(args) < len(node.keywords)
            node = node.func
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise InputError(f"{text!r} is not a measure: {_EXAMPLE}") from None
    if twice or not isinstance(node, ast.Name):
        raise InputError(f"{text!r} is not a measure: {_EXAMPLE}")
    return node.id, args, cutoff


def _check_cutoff(text: str, name: str, kind: Cutoff, cutoff: Any) -> None:
    if cutoff is None:
        if kind == "required":
            raise InputError(f"{text!r} needs a cutoff: write {name}@10 for the first 10 documents")
    elif kind == "none":
        raise InputError(f"{text!r} takes no cutoff: write {name}")
    elif type(cutoff) is not int or cutoff < 1:
        raise InputError(f"{text!r}: the cutoff must be a whole number from 1, not {cutoff!r}")


def _check_rel(text: str, rel: Any) -> int:
    if type(rel) is not int or rel < 1:
        raise InputError(f"{text!r}: rel must be a whole number from 1, not {rel!r}")
    return rel


def _check_params(text: str, signature: Signature, args: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Keep the parameters that change the value, in the signature's order."""
    kept = []
    for key, default in signature.params:
        if key in args:
            value = _CHECKS[key](text, args[key])
            if value not in (default, ()):
                kept.append((key, value))
    return tuple(kept)


def _check_dcg(text: str, value: Any) -> str:
    if value not in ("log2", "exp-log2"):
        raise InputError(f"{text!r}: dcg must be 'log2' or 'exp-log2', not {value!r}")
    return str(value)


def _check_gains(text: str, value: Any) -> tuple[tuple[int, float], ...]:
    """Freeze a mapping grade -> gain; a grade that gains itself changes nothing and is dropped."""
    fault = f"{text!r}: gains maps grades to finite gains, for instance gains={{1:0,2:1}}"
    if not isinstance(value, dict):
        raise InputError(fault)
    for grade, gain in value.items():
        if type(grade) is not int or not _is_finite(gain):
            raise InputError(fault)
    return tuple(sorted((grade, gain) for grade, gain in value.items() if grade != gain))


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)


def _check_p(text: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 < value < 1:
        raise InputError(f"{text!r}: p must lie between 0 and 1, not {value!r}")
    return float(value)


def _check_beta(text: str, value: Any) -> float:
    if not _is_finite(value) or value <= 0:
        raise InputError(f"{text!r}: beta must be a number above 0, not {value!r}")
    return float(value)


def _check_judged_only(text: str, value: Any) -> bool:
    if type(value) is not bool:
        raise InputError(f"{text!r}: judged_only must be True or False, not {value!r}")
    return value


_CHECKS = {
    "dcg": _check_dcg,
    "gains": _check_gains,
    "p": _check_p,
    "beta": _check_beta,
    "judged_only": _check_judged_only,
}


def _frozen(value: Any) -> Any:
    return tuple(sorted(value.items())) if isinstance(value, dict) else value


def _printed(value: Any) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{key}:{gain!r}" for key, gain in value) + "}"
    return repr(value)


def _unknown(text: str, name: str, args: dict[str, Any]) -> str:
    """Say that a measure is unknown, with the nearest right text and the way to more measures."""
    if name in SIGNATURES:
        accepted = _accepted(SIGNATURES[name])
        key = next(key for key in args if key not in accepted)
        takes = f"takes {', '.join(sorted(accepted))}" if accepted else "takes no parameters"
        return f"{text!r}: {name} has no parameter {key!r}, it {takes}{_extra_hint()}"
    nearest = _nearest(text, name)
    if nearest:
        return f"unknown measure {text!r}, did you mean {nearest!r}?{_extra_hint()}"
    return f"unknown measure {text!r}: known are {', '.join(SIGNATURES)}{_extra_hint()}"


def _extra_hint() -> str:
    from pytest_irbench.measures import external

    if external.installed():
        return ""
    return " (more measures: pip install 'pytest-irbench[measures]')"


def _nearest(text: str, name: str) -> str | None:
    """Return `text` with its name replaced by the nearest one, or trec_eval's name translated."""
    stem, _, tail = name.rpartition("_")
    if name in TREC_EVAL and not TREC_EVAL[name].endswith("@"):
        return text.strip().replace(name, TREC_EVAL[name], 1)
    if tail.isdecimal() and stem in TREC_EVAL:
        return f"{TREC_EVAL[stem]}{tail}"
    import difflib  # only a misspelt measure needs it

    lower = {known.lower(): known for known in (*ALIASES, *SIGNATURES)}
    # Letters that changed places: nCDG is nDCG, though NCG is closer.
    close = [known for known in lower if sorted(known) == sorted(name.lower())]
    close = close or difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    return text.strip().replace(name, lower[close[0]], 1) if close else None
