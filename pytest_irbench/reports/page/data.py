"""What the script of the page draws from: the values of a gate as compact JSON."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from pytest_irbench.gates.decide import is_count, is_latency
from pytest_irbench.reports.numbers import subject_of
from pytest_irbench.reports.page.elements import Html, element
from pytest_irbench.reports.report import SESSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from pytest_irbench.gates.detail import MeasureDetail, QueryDetail
    from pytest_irbench.reports.report import Report, ReportedGate
    from pytest_irbench.reports.row import Row

EMBEDDED = 10_000
"""Of how many queries a page has the documents: those of all gates that changed most."""

SUBJECTS = 24
"""Of how many thresholds a gate shows the trend."""

_UNSAFE = re.compile("[<>&\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def scripts(report: Report) -> list[Html]:
    """Write the data of each gate as an element ``script`` that no browser runs.

    Parameters
    ----------
    report
        The session.
    """
    chosen = _with_documents(report.gates)
    return [
        element(
            "script",
            as_json(_gate(report, place, chosen)),
            type="application/json",
            id=f"gate-{place + 1}-data",
        )
        for place, gate in enumerate(report.gates)
        if gate.detail is not None or gate.trend
    ]


def as_json(plain: Any) -> Html:
    """Write plain data as JSON that ends no element and is valid UTF-8.

    Parameters
    ----------
    plain
        Lists, mappings, texts and finite numbers. Halves of surrogate pairs are written as escapes are.
    """
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    safe = _SURROGATE.sub(lambda half: rf"\\u{ord(half[0]):04x}", text)
    return Html(_UNSAFE.sub(lambda character: f"\\u{ord(character[0]):04x}", safe))


def _with_documents(gates: Sequence[ReportedGate]) -> AbstractSet[tuple[int, int]]:
    """Choose the queries whose documents are shown: by their change, then the lowest values."""
    pairs = [
        (place, number)
        for place, gate in enumerate(gates)
        for number in range(len(gate.detail.queries) if gate.detail else 0)
    ]
    if len(pairs) > EMBEDDED:
        pairs.sort(key=lambda pair: _weight(gates[pair[0]].detail.queries[pair[1]]))  # type: ignore[union-attr]
    return set(pairs[:EMBEDDED])


def _weight(query: QueryDetail) -> tuple[float, float]:
    if not query.values:
        return 0.0, 0.0
    before = query.before[0]
    return (0.0 if before is None else -abs(query.values[0] - before)), query.values[0]


def _gate(report: Report, place: int, chosen: AbstractSet[tuple[int, int]]) -> dict[str, Any]:
    gate = report.gates[place]
    plain: dict[str, Any] = {"name": gate.name, "trend": _trend(report, gate)}
    if gate.detail is not None:
        plain["measures"] = [_measure(one) for one in gate.detail.measures]
        plain["held"] = gate.detail.baseline is not None
        plain["queries"] = [
            _query(query, documents=(place, number) in chosen)
            for number, query in enumerate(gate.detail.queries)
        ]
    return plain


def _measure(measure: MeasureDetail) -> list[Any]:
    return [
        measure.text,
        measure.cutoff,
        is_count(measure.text),
        _finite(measure.value),
        _finite(measure.baseline),
        measure.worse,
        measure.better,
        measure.same,
        [[one.turn, one.queries, _finite(one.value), _finite(one.baseline)] for one in measure.by_turn],
    ]


def _query(query: QueryDetail, *, documents: bool) -> list[Any]:
    unjudged = sum(1 << place for place, one in enumerate(query.top) if one.grade is None)
    return [
        query.query_id,
        query.text,
        query.conversation,
        query.turn,
        [_finite(value) for value in query.values],
        [_finite(value) for value in query.before],
        len(query.top),
        unjudged,
        *([query.top, query.top_before] if documents else []),
    ]


def _trend(report: Report, gate: ReportedGate) -> dict[str, Any] | None:
    """Join what earlier sessions found with this one, a list of values for each subject."""
    if not gate.trend:
        return None
    points = gate.trend[-SESSIONS:]
    known = {subject_of(row): row for row in gate.rows}
    now = {subject_of(row): row.value for row in gate.rows if row.is_of_measure}
    subjects = list(dict.fromkeys([*now, *(subject for point in points for subject in point.values)]))
    return {
        "sessions": [
            *([point.time, point.commit, point.outcome] for point in points),
            [report.created, report.commit, gate.outcome],
        ],
        "left": len(gate.trend) - len(points),
        "subjects": [
            [
                subject,
                subject not in known or _is_plain(known[subject]),
                [
                    *(_finite(point.values.get(subject)) for point in points),
                    _finite(now.get(subject)),
                ],
            ]
            for subject in subjects[:SUBJECTS]
        ],
        "unshown": max(len(subjects) - SUBJECTS, 0),
    }


def _is_plain(row: Row) -> bool:
    """Whether a value is a count or a latency, and not from 0 to 1."""
    return is_count(row.measure) or is_latency(row.measure)


def _finite(value: float | None) -> float | None:
    """Leave out what JSON has no number for."""
    return value if value is not None and math.isfinite(value) else None
