"""A session as large as it gets: seven thousand queries, two sides of ten documents, four measures."""

from __future__ import annotations

import random

from small_reports import PROTOCOL, report, row

from pytest_irbench.gates.detail import BaselineDetail, Document, GateDetail, MeasureDetail, QueryDetail
from pytest_irbench.reports.report import Report, ReportedGate

MEASURES = ("nDCG@10", "AP(rel=2)", "RR(rel=2)@10", "R(rel=2)@1000")
WORDS = "what how is the of price cancer throat history who was best lamp desk chair city river long take why".split()


def large(queries: int = 7000, *, gates: int = 1) -> Report:
    """A session whose gates have so many queries each, the same each time."""
    chance = random.Random(7)
    return report(*(_gate(chance, f"bm25-{number}", queries) for number in range(gates)))


def _gate(chance: random.Random, system: str, many: int) -> ReportedGate:
    queries = tuple(_query(chance, number) for number in range(many))
    measures = []
    for place, text in enumerate(MEASURES):
        now, old = (
            sum(side) / many
            for side in zip(*((q.values[place], q.before[place]) for q in queries), strict=True)
        )
        worse = sum(query.values[place] < query.before[place] for query in queries)
        better = sum(query.values[place] > query.before[place] for query in queries)
        measures.append(MeasureDetail(text, 10, now, old, worse, better, many - worse - better, ()))
    baseline = BaselineDetail("2026-11-02", "first", None, rejudged=False)
    detail = GateDetail(PROTOCOL, tuple(measures), baseline, (), queries)
    return ReportedGate(
        "irbench.yaml", "large", system, (row(benchmark="large", system=system, queries=many),), detail
    )


def _query(chance: random.Random, number: int) -> QueryDetail:
    values = tuple(chance.random() for _ in MEASURES)
    before = tuple(value if chance.random() < 0.5 else chance.random() for value in values)
    ids = [f"MARCO_D{chance.randrange(10**7)}" for _ in range(13)]
    sides = ids[:10], ids[3:]
    ranks = [{doc_id: rank for rank, doc_id in enumerate(side, 1)} for side in sides]
    top, top_before = (
        tuple(Document(doc_id, chance.choice([None, 0, 1, 2, 3]), elsewhere.get(doc_id)) for doc_id in side)
        for side, elsewhere in zip(sides, reversed(ranks), strict=True)
    )
    text = " ".join(chance.choices(WORDS, k=8))
    return QueryDetail(f"{1_000_000 + number}", text, None, None, values, before, top, top_before)
