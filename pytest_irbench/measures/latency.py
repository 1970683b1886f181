"""How long a system took to answer: the one thing that is measured of a run besides its ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.ranking import JudgedRanking
    from pytest_irbench.measures.shared import Floats


def latency(judged: JudgedRanking, _measure: Measure) -> Floats:
    """Milliseconds that the answer to each query took, also one without documents.

    Raises
    ------
    InputError
        When that was not measured.
    """
    latencies = judged.run.latencies
    if not latencies:
        raise InputError(
            "latency was not measured: that takes a system that is asked topic by topic, and this run comes "
            "from a file, a mapping or a batch: leave latencies out for it"
        )
    unasked = [query_id for query_id in judged.query_ids if query_id not in latencies]
    if unasked:
        raise InputError(
            f"latency was not measured for {len(unasked)} judged queries, for instance {unasked[0]!r}"
        )
    return np.array([latencies[query_id] for query_id in judged.query_ids], np.float64)
