"""The JSON of a stored baseline, made for review: one line for each query, every number with 6 decimals."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.gates.baseline import Baseline, Pins, Provenance
from pytest_irbench.runs.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1
EDITED = "the file was edited by hand"

_CUT_SHORT = "it was edited or cut short"
_KEYS = ("format", "benchmark", "system", "gates", "provenance", "pins", "means", "queries")
# A line end inside a text is an escape, so that no line of its own can begin so.
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})", re.MULTILINE)


def to_text(baseline: Baseline, run_sha256: str) -> str:
    """Write a baseline, without the rows of its run, as JSON; the same data gives the same text.

    Parameters
    ----------
    run_sha256
        Of the content of its run file, unpacked.

    Raises
    ------
    InputError
        When a value is not finite.
    """
    provenance, measures = baseline.provenance, baseline.pins.measures
    head = {
        "format": FORMAT,
        "benchmark": baseline.benchmark,
        "system": baseline.system,
        "gates": baseline.gates,
        "provenance": provenance._asdict() | {"versions": dict(sorted(provenance.versions.items()))},
        "pins": baseline.pins._asdict() | {"run": run_sha256},
    }
    names = {measure: _quoted(measure) for measure in measures}
    means = [f"    {name}: {_printed(baseline.means[measure])}" for measure, name in names.items()]
    queries = []
    for query_id in sorted(baseline.values[measures[0]]):
        row = (f"{name}: {_printed(baseline.values[measure][query_id])}" for measure, name in names.items())
        queries.append(f"    {_quoted(query_id)}: {{{', '.join(row)}}}")
    opened = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
    sections = (("means", means), ("queries", queries))
    closed = [f'  "{name}": {{\n' + ",\n".join(lines) + "\n  }" for name, lines in sections]
    return ",\n".join([opened, *closed]) + "\n}\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _printed(value: float) -> str:
    if not math.isfinite(value):
        raise InputError(f"a value is {value}, which can't be stored")
    return f"{value:.6f}"


def parse(data: bytes) -> tuple[Baseline, str]:
    """Read what `to_text` wrote.

    Returns
    -------
    baseline, run_sha256
        The run of the baseline has no rows yet.

    Raises
    ------
    InputError
        Without a path, when the text is no JSON, or not of this layout.
    """
    root = _mapping(_json(_decoded(data)), "the file")
    _check_format(root)
    _check_keys(root, _KEYS, "the file")
    pins = _section(root, "pins", (*Pins._fields, "run"))
    run_sha256 = _text(pins.pop("run"), "the run in pins")
    pinned = _pins(pins)
    means = _values(root["means"], pinned.measures, "means")
    baseline = Baseline(
        benchmark=_text(root["benchmark"], "benchmark"),
        system=_text(root["system"], "system"),
        gates=_text_or_null(root["gates"], "gates"),
        provenance=_provenance(_section(root, "provenance", Provenance._fields)),
        pins=pinned,
        means=means,
        values=_by_measure(_mapping(root["queries"], "queries"), pinned.measures),
        run=Run({}),
    )
    return baseline, run_sha256


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"is not UTF-8 text: {_CUT_SHORT}", line=line) from None


def _json(text: str) -> Any:
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        message = (
            f"holds the marks of a merge conflict ({conflict[0]}): take one side whole, with its run file"
        )
        raise InputError(message, line=line)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        message = f"is not valid JSON ({error.msg}): {_CUT_SHORT}"
        raise InputError(message, line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError):
        # A number of thousands of digits, or brackets as deep.
        raise InputError(f"is not valid JSON (too long a number, or too deep): {_CUT_SHORT}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"holds {_shown(twice)} twice in one mapping: {EDITED}")
    return mapping


def _no_constant(text: str) -> float:
    raise InputError(f"holds {text}, which is no value: {EDITED}")


def _check_format(root: Mapping[str, Any]) -> None:
    found = root.get("format", FORMAT)
    if type(found) is int and found > FORMAT:
        raise InputError(f"was written by a newer pytest-irbench (format {found}): upgrade pytest-irbench")
    if type(found) is not int or found != FORMAT:
        raise InputError(f"has the format {_shown(found)}, not {FORMAT}: {EDITED}")


def _check_keys(mapping: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in keys:
        if key not in mapping:
            raise InputError(f"{what} lacks {_shown(key)}: {EDITED}")
    for key in mapping:
        if key not in keys:
            raise InputError(f"{what} has {_shown(key)}, which does not belong there: {EDITED}")


def _section(root: Mapping[str, Any], name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    section = _mapping(root[name], name)
    _check_keys(section, keys, name)
    return section


def _pins(pins: dict[str, Any]) -> Pins:
    depth, measures = pins["depth"], pins["measures"]
    if type(depth) is not int or depth < 1:
        raise InputError(f"the depth in pins is {_shown(depth)}, not a whole number from 1: {EDITED}")
    if not isinstance(measures, list) or not measures:
        raise InputError(f"the measures in pins are {_shown(measures)}, not a list of texts: {EDITED}")
    texts = tuple(_text(measure, "a measure in pins") for measure in measures)
    if list(texts) != sorted(set(texts)):
        raise InputError(f"the measures in pins are not sorted, or one stands there twice: {EDITED}")
    others = {name: _text(pins[name], f"the {name} in pins") for name in pins.keys() - {"depth", "measures"}}
    return Pins(depth=depth, measures=texts, **others)


def _provenance(fields: Mapping[str, Any]) -> Provenance:
    versions = _mapping(fields["versions"], "the versions in provenance")
    return Provenance(
        date=_text(fields["date"], "the date in provenance"),
        reason=_text(fields["reason"], "the reason in provenance"),
        versions={name: _text(version, f"the version of {name}") for name, version in versions.items()},
        commit=_text_or_null(fields["commit"], "the commit in provenance"),
    )


def _by_measure(queries: Mapping[str, Any], measures: tuple[str, ...]) -> dict[str, dict[str, float]]:
    if not queries:
        raise InputError(f"queries is empty: {_CUT_SHORT}")
    rows = {
        query_id: _values(row, measures, f"query {_shown(query_id)}") for query_id, row in queries.items()
    }
    return {measure: {query_id: row[measure] for query_id, row in rows.items()} for measure in measures}


def _values(found: Any, measures: tuple[str, ...], what: str) -> dict[str, float]:
    row = _mapping(found, what)
    _check_keys(row, measures, what)
    return {measure: _number(value, measure, what) for measure, value in row.items()}


def _number(value: Any, measure: str, what: str) -> float:
    # The exact type: true is an int to isinstance.
    if type(value) in (float, int) and abs(value) <= sys.float_info.max:
        return float(value)
    raise InputError(f"{what}: {measure} is {_shown(value)}, not a finite number: {EDITED}")


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise InputError(f"{what} is {_shown(value)}, not a mapping: {EDITED}")


def _text(value: Any, what: str) -> str:
    if isinstance(value, str):
        return value
    raise InputError(f"{what} is {_shown(value)}, not a text: {EDITED}")


def _text_or_null(value: Any, what: str) -> str | None:
    return None if value is None else _text(value, what)


def _shown(value: Any) -> str:
    return clipped(json.dumps(value, ensure_ascii=False))
