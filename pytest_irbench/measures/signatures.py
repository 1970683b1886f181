"""Which measures exist and what they take: the table beside `kernels.py`, which says what they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from pytest_irbench.measures.aggregates import Statistic

Cutoff = Literal["none", "optional", "required"]


class Signature(NamedTuple):
    """What a measure takes.

    Attributes
    ----------
    cutoff
        Whether ``@k`` may or must follow the name.
    params
        Parameter name -> default, besides ``rel``.
    binary
        It counts a document as relevant from a grade on: it takes ``rel``.
    bounded
        Its values lie in 0..1.
    statistic
        What its values over queries are gathered into: counts, as trec_eval prints them, into their sum.
    """

    cutoff: Cutoff = "optional"
    params: tuple[tuple[str, Any], ...] = ()
    binary: bool = True
    bounded: bool = True
    statistic: Statistic = "mean"


_LATENCY = Signature("none", binary=False, bounded=False)
_CONDENSED = (("judged_only", False),)
_GAINS = (("dcg", "log2"), ("gains", None), *_CONDENSED)

SIGNATURES: dict[str, Signature] = {
    "nDCG": Signature(params=_GAINS, binary=False),
    "DCG": Signature(params=_GAINS, binary=False, bounded=False),
    "NCG": Signature("required", params=(("gains", None), *_CONDENSED), binary=False),
    "AP": Signature(params=_CONDENSED),
    "RR": Signature(params=_CONDENSED),
    "P": Signature("required", params=_CONDENSED),
    "R": Signature("required", params=_CONDENSED),
    "Success": Signature("required", params=_CONDENSED),
    "Rprec": Signature("none", params=_CONDENSED),
    "Bpref": Signature("none"),
    "Judged": Signature(binary=False),
    "ERR": Signature(binary=False),
    "RBP": Signature(params=(("p", 0.8),)),
    "SetP": Signature("none", params=_CONDENSED),
    "SetR": Signature("none"),
    "SetF": Signature("none", params=(("beta", 1.0), *_CONDENSED)),
    "NumRet": Signature("none", binary=False, bounded=False, statistic="sum"),
    "NumRel": Signature("none", bounded=False, statistic="sum"),
    "NumRelRet": Signature("none", bounded=False, statistic="sum"),
    "NumQ": Signature("none", binary=False, bounded=False, statistic="sum"),
    "latency_p50_ms": _LATENCY._replace(statistic="median"),
    "latency_p95_ms": _LATENCY._replace(statistic="95th percentile"),
    "latency_max_ms": _LATENCY._replace(statistic="highest"),
}

ALIASES = {
    "NDCG": "nDCG",
    "MAP": "AP",
    "MRR": "RR",
    "Recall": "R",
    "Precision": "P",
    "Hit": "Success",
    "HitRate": "Success",
    "RPrec": "Rprec",
    "BPref": "Bpref",
}

TREC_EVAL = {
    "ndcg": "nDCG",
    "map": "AP",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "ndcg_cut": "nDCG@",
    "map_cut": "AP@",
    "recall": "R@",
    "P": "P@",
    "success": "Success@",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}
"""trec_eval's names, only to say what they are called here."""
