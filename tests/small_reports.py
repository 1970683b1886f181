"""A session as reports see it, of plain values: two gates held against baselines, one that was not measured."""

from __future__ import annotations

from pytest_irbench.gates.detail import (
    BaselineDetail,
    Document,
    GateDetail,
    MeasureDetail,
    QueryDetail,
    TurnMean,
)
from pytest_irbench.reports.report import Failure, Report, ReportedGate, TrendPoint
from pytest_irbench.reports.row import Row

HOSTILE = "<script>alert('x')</script> \"quoted\" & | `code` **bold** ]]>"
"""What a query or a doc_id may hold, and no report may run or render."""

PROTOCOL = {
    "relevance level": "1",
    "averaged over": "4 judged queries, those without results count 0",
    "ties": "equal scores by doc_id, descending, as trec_eval",
    "depth": "1000",
    "utterance": "raw",
    "doc_id": "identity",
    "topics": "sha256 5c9f0c1d",
    "qrels": "sha256 93ab7d20",
}


def row(outcome: str = "passed", **fields: object) -> Row:
    """A threshold of the shop, by default a floor of nDCG@10 that holds."""
    known = {
        "benchmark": "shop",
        "system": "bm25",
        "measure": "nDCG@10",
        "subject": "nDCG@10",
        "rule": "min",
        "threshold": "min 0.5",
        "limit": 0.5,
        "value": 0.6125,
        "place": "irbench.yaml:9",
        "nodeid": "irbench.yaml::bm25[shop-nDCG@10-min]",
        "sentence": "nDCG@10 = 0.6125, min 0.5000",
        "queries": 4,
        "missing": 0,
        "extra": 0,
        "judged": 0.975,
        "baseline": 0.75,
        "change": -0.1375,
        "change_low": -0.31,
        "change_high": 0.035,
        "p": 0.125,
        "worse": 3,
        "better": 1,
    }
    return Row(outcome=outcome, **{**known, **fields})  # type: ignore[arg-type]


def dropped(**fields: object) -> Row:
    """A budget of nDCG@10 that was not kept."""
    known = {
        "rule": "max_drop",
        "threshold": "max_drop 0.02",
        "limit": 0.02,
        "nodeid": "irbench.yaml::bm25[shop-nDCG@10-max_drop]",
        "sentence": "nDCG@10 dropped by 0.1375, more than max_drop 0.02: 0.6125, baseline 0.7500",
        "explanation": (
            "nDCG@10 dropped by 0.1375, more than max_drop 0.02: 0.6125, baseline 0.7500\n"
            "  benchmark shop, system bm25: mean over 4 judged queries\n\n"
            f"  q1  1.0000  0.5000  -0.5000  {HOSTILE}\n\nirbench.yaml:10: nDCG@10 max_drop"
        ),
        "place": "irbench.yaml:10",
        "without": "would pass without q1, 007",
        "since": "baseline of 2026-11-02 (title boost)",
        "evidence": "mean",
        "detectable": 0.2,
        "false_alarms": 0.31,
        "units": "4 queries",
    }
    return row("failed", **{**known, **fields})


def query(query_id: str, text: str, now: float, old: float | None, **fields: object) -> QueryDetail:
    """A query of the shop with its first documents: d1 went down, and d3 came in without a judgment."""
    known = {
        "conversation": None,
        "turn": None,
        "values": (now, 1.0),
        "before": (old, 1.0 if old is not None else None),
        "top": (Document("d2", 1, 2), Document('d"3', None, None), Document("d1", 3, 1)),
        "top_before": (Document("d1", 3, 3), Document("d2", 1, 1), Document("d9", 2, 17)),
    }
    return QueryDetail(query_id, text, **{**known, **fields})  # type: ignore[arg-type]


def shop() -> ReportedGate:
    """A gate that is red: reranking made it worse."""
    expect = {
        "measure": "",
        "subject": "q1: d9",
        "rule": "expect",
        "threshold": "within 3",
        "limit": 3.0,
        "value": 17.0,
        "shown": "rank 17",
        "sentence": "query q1, document d9: expected within 3, it is at rank 17",
        "explanation": "query q1, document d9: expected within 3, it is at rank 17\n\nirbench.yaml:14: queries.expect",
        "nodeid": "irbench.yaml::bm25[shop-expect-q1-d9]",
        "place": "irbench.yaml:14",
        "judged": None,
        "baseline": None,
        "change": None,
        "change_low": None,
        "change_high": None,
        "p": None,
        "worse": None,
        "better": None,
    }
    recall = {
        "measure": "R@1000",
        "subject": "R@1000",
        "threshold": "min 0.9",
        "limit": 0.9,
        "value": 1.0,
        "baseline": 1.0,
        "change": 0.0,
        "change_low": 0.0,
        "change_high": 0.0,
        "p": 1.0,
        "worse": 0,
        "better": 0,
        "place": "irbench.yaml:11",
        "nodeid": "irbench.yaml::bm25[shop-R@1000-min]",
        "sentence": "R@1000 = 1.0000, min 0.9000",
    }
    detail = GateDetail(
        PROTOCOL,
        (
            MeasureDetail("nDCG@10", 10, 0.6125, 0.75, 3, 1, 0, ()),
            MeasureDetail("R@1000", 1000, 1.0, 1.0, 0, 0, 4, ()),
        ),
        BaselineDetail(
            "2026-11-02", "title boost", "0123456789abcdef0123456789abcdef01234567", rejudged=False
        ),
        ("R@1000 is unchanged and nDCG@10 fell: the reranking changed",),
        (
            query("q1", HOSTILE, 0.5, 1.0),
            query("007", "james bond", 0.65, 0.8),
            query("1e5", "how far is 100 km, and how long does it take on foot", 0.5, 0.6),
            query("31_1", "what is throat cancer", 0.8, 0.6),
        ),
    )
    trend = (
        TrendPoint("2026-11-28T09:00:00+00:00", "aaaaaaaaaaaa", "passed", {"nDCG@10": 0.74, "R@1000": 1.0}),
        TrendPoint("2026-11-29T09:00:00+00:00", None, "passed", {"nDCG@10": 0.75, "R@1000": 1.0}),
    )
    rows = (row(), dropped(), row(**recall), row("failed", **expect))
    return ReportedGate("irbench.yaml", "shop", "bm25", rows, detail, trend)


def chat() -> ReportedGate:
    """A gate of conversations that passes."""
    known = {"benchmark": "chat", "system": "fts5@manual", "place": "irbench.yaml:20", "utterance": "manual"}
    numbers = {"baseline": 0.55, "change": 0.05, "change_low": -0.01, "change_high": 0.11, "p": 0.9}
    only = row(
        **known,
        **numbers,
        measure="nDCG@3",
        subject="nDCG@3",
        value=0.6,
        nodeid="irbench.yaml::fts5[chat-manual-nDCG@3-min]",
        sentence="nDCG@3 = 0.6000, min 0.5000",
        worse=1,
        better=3,
        by_depth="nDCG@3 by turn: 1 0.8000 (2), 2 0.4000 (2)\nnDCG@3 by conversation: 31 0.7000 (2), 32 0.5000 (2)",
    )
    turns = (TurnMean(1, 2, 0.8, 0.7), TurnMean(2, 2, 0.4, 0.4))
    queries = tuple(
        query(
            f"{conversation}_{turn}",
            "tell me about its history",
            value,
            before,
            conversation=str(conversation),
            turn=turn,
            values=(value,),
            before=(before,),
        )
        for conversation, turn, value, before in [
            (31, 1, 0.9, 0.7),
            (31, 2, 0.5, 0.4),
            (32, 1, 0.7, 0.7),
            (32, 2, 0.3, 0.4),
        ]
    )
    detail = GateDetail(
        {**PROTOCOL, "utterance": "manual"},
        (MeasureDetail("nDCG@3", 3, 0.6, 0.55, 1, 3, 0, turns),),
        BaselineDetail("2026-11-02", "first", None, rejudged=True),
        (),
        queries,
    )
    return ReportedGate("irbench.yaml", "chat", "fts5@manual", (only,), detail)


def asked_twice() -> tuple[ReportedGate, ReportedGate]:
    """Two gates of one system, which got what users typed and other words."""
    manual = row(system="bm25@manual", utterance="manual", value=0.7)
    return (
        ReportedGate("irbench.yaml", "shop", "bm25", (row(),)),
        ReportedGate("irbench.yaml", "shop", "bm25@manual", (manual,)),
    )


def gone() -> ReportedGate:
    """A gate that could not be measured."""
    error = Row(
        benchmark="shop",
        system="gone",
        measure="RR(rel=2)",
        subject="RR(rel=2)",
        rule="min",
        threshold="min 0.25",
        limit=0.25,
        outcome="error",
        place="other.irbench.yaml:4",
        nodeid="other.irbench.yaml::gone[shop-RR-min]",
        sentence="other.irbench.yaml:3: there is no fixture 'gone': define it in conftest.py",
        explanation="other.irbench.yaml:3: there is no fixture 'gone': define it in conftest.py, returning search(topic, k)",
    )
    return ReportedGate("other.irbench.yaml", "shop", "gone", (error,))


def report(*gates: ReportedGate) -> Report:
    """A session, by default of all three gates."""
    return Report(
        plugin_version="0.1.0",
        created="2026-11-30T19:40:00+00:00",
        commit="89abcdef0123456789abcdef0123456789abcdef",
        selection=("all",),
        data_home="/data/ir_datasets",
        passed=False,
        finished=True,
        gates=gates or (shop(), chat(), gone()),
        problems=("1 selected threshold has no verdict: irbench.yaml::bm25[shop-AP-min]",),
        warnings=("history.jsonl:3: no line of a history, left out",),
        failures=(Failure("test_search.py::test_top", "failed", "assert 0.2 >= 0.4"),),
    )
