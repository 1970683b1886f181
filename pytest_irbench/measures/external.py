"""Measures that we do not compute: handed to the ir_measures package when it is installed.

The only importer of ir_measures. Its providers break ties by their own rules (most through
pytrec_eval, on float32 scores), which is why what we can compute is never handed over.
"""

from __future__ import annotations

import importlib.util
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def installed() -> bool:
    """Whether the ir_measures package can be imported."""
    return importlib.util.find_spec("ir_measures") is not None


@contextmanager
def _without_deprecations() -> Iterator[None]:
    # Its parser uses what Python 3.12 deprecates; no user of ours can mend that.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _parsed(text: str) -> Any:
    with _without_deprecations():
        import ir_measures

        return ir_measures.parse_measure(text)


def check(text: str) -> bool | None:
    """Ask ir_measures whether it knows a measure.

    Returns
    -------
    bool or None
        None when ir_measures is missing or does not know it; else whether it takes ``rel``.

    Raises
    ------
    InputError
        When ir_measures knows the measure but not these parameters.
    """
    if not installed():
        return None
    try:
        measure = _parsed(text)
    except (NameError, ValueError, TypeError, AttributeError):
        return None
    try:
        measure.validate_params()
    except AssertionError as error:
        raise InputError(f"{text!r}: ir_measures says: {error}") from None
    return "rel" in measure.SUPPORTED_PARAMS


def values(
    text: str,
    qrels: Iterable[tuple[str, str, int]],
    run: Iterable[tuple[str, str, float]],
    query_ids: tuple[str, ...],
) -> list[float]:
    """Compute one measure with ir_measures, a value per query of `query_ids`.

    Parameters
    ----------
    text
        The measure in ir_measures' syntax, its ``rel`` written out.
    qrels, run
        Rows of (query_id, doc_id, grade) and of (query_id, doc_id, score).

    Raises
    ------
    InputError
        When no provider of ir_measures on this machine computes it.
    """
    import ir_measures

    measure = _parsed(text)
    judgments = [ir_measures.Qrel(*row) for row in qrels]
    ranking = [ir_measures.ScoredDoc(*row) for row in run]
    try:
        with _without_deprecations():
            rows = list(ir_measures.iter_calc([measure], judgments, ranking))
    except Exception as error:  # a provider is other people's code, and fails in its own ways
        raise InputError(f"ir_measures could not compute {text!r}: {error}") from error
    found = {row.query_id: row.value for row in rows}
    return [float(found.get(query_id, 0.0)) for query_id in query_ids]
