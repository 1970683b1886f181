"""pytest-irbench guards the ranking quality of search systems.

As a pytest plugin it decides thresholds of ``irbench.yaml`` as tests; as a library it scores runs
exactly as trec_eval does. The public names are resolved when first used, so that importing the
package (which pytest does in every session) costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics, Turn
    from pytest_irbench.benchmarks.datasets import load_builtin
    from pytest_irbench.benchmarks.qrels import Qrels, read_qrels
    from pytest_irbench.errors import DataUnavailableError, InputError, IrbenchError, SystemFailedError
    from pytest_irbench.gates.comparison import Comparison, compare
    from pytest_irbench.gates.significance import holm
    from pytest_irbench.measures.evaluate import Scores, evaluate
    from pytest_irbench.measures.measure import Measure
    from pytest_irbench.measures.tie_bounds import tie_bounds
    from pytest_irbench.measures.to_judge import to_judge, write_to_judge
    from pytest_irbench.measures.unjudged_bounds import unjudged_bounds
    from pytest_irbench.plugin.assertions import (
        assert_map_at,
        assert_measure,
        assert_mrr_at,
        assert_ncg_at,
        assert_ndcg_at,
        assert_precision_at,
        assert_recall_at,
    )
    from pytest_irbench.runs.doc_ids import map_run, parse_doc_ids
    from pytest_irbench.runs.retrieve import retrieve
    from pytest_irbench.runs.run import Run, read_run

__all__ = [
    "Benchmark",
    "Comparison",
    "DataUnavailableError",
    "InputError",
    "IrbenchError",
    "Measure",
    "Qrels",
    "Run",
    "Scores",
    "SystemFailedError",
    "Topic",
    "Topics",
    "Turn",
    "assert_map_at",
    "assert_measure",
    "assert_mrr_at",
    "assert_ncg_at",
    "assert_ndcg_at",
    "assert_precision_at",
    "assert_recall_at",
    "compare",
    "evaluate",
    "holm",
    "load_builtin",
    "map_run",
    "parse_doc_ids",
    "read_qrels",
    "read_run",
    "retrieve",
    "tie_bounds",
    "to_judge",
    "unjudged_bounds",
    "write_to_judge",
]

_MODULE_OF = {
    "Benchmark": "benchmarks.benchmark",
    "Comparison": "gates.comparison",
    "DataUnavailableError": "errors",
    "InputError": "errors",
    "IrbenchError": "errors",
    "Measure": "measures.measure",
    "Qrels": "benchmarks.qrels",
    "Run": "runs.run",
    "Scores": "measures.evaluate",
    "SystemFailedError": "errors",
    "Topic": "benchmarks.benchmark",
    "Topics": "benchmarks.benchmark",
    "Turn": "benchmarks.benchmark",
    "assert_map_at": "plugin.assertions",
    "assert_measure": "plugin.assertions",
    "assert_mrr_at": "plugin.assertions",
    "assert_ncg_at": "plugin.assertions",
    "assert_ndcg_at": "plugin.assertions",
    "assert_precision_at": "plugin.assertions",
    "assert_recall_at": "plugin.assertions",
    "compare": "gates.comparison",
    "evaluate": "measures.evaluate",
    "holm": "gates.significance",
    "load_builtin": "benchmarks.datasets",
    "map_run": "runs.doc_ids",
    "parse_doc_ids": "runs.doc_ids",
    "read_qrels": "benchmarks.qrels",
    "read_run": "runs.run",
    "retrieve": "runs.retrieve",
    "tie_bounds": "measures.tie_bounds",
    "to_judge": "measures.to_judge",
    "unjudged_bounds": "measures.unjudged_bounds",
    "write_to_judge": "measures.to_judge",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
