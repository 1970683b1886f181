"""The systems that a file declares, read from its nodes."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Any

from pytest_irbench.errors import InputError
from pytest_irbench.gates.declared import SystemSpec
from pytest_irbench.gates.nodes import (
    Fields,
    ListNode,
    MapNode,
    Scalar,
    as_map,
    described,
    nearest,
    shown,
    wrong_number,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_irbench.gates.nodes import Faults, Node
    from pytest_irbench.runs.http_spec import HttpSpec

SOURCES = ("search", "run", "http")
"""Where answers come from; a system without one of them is a fixture, and declared for its other keys."""

ASKING = ("depth", "concurrency", "timeout", "duplicates")
"""How a system is asked."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "system": (*SOURCES, *ASKING),
    "http": ("url", "hits", "id", "score", "json", "method", "headers", "timeout", "retries"),
}

_HTTP_NEEDS = ("url", "hits", "id")
_HTTP_TEXTS = {"url": "http://...", "hits": "hits.hits", "id": "_id", "score": "_score", "method": "POST"}
_DUPLICATES = ("error", "first")
_SEARCH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\(\))?", re.ASCII)
_SEARCH_EXAMPLE = "shop.search:bm25"
_RUN_EXAMPLE = "'runs/{benchmark}.bm25.trec.gz'"
_HTTP_EXAMPLE = '{url: "http://localhost:8080/search?q={query}&k={k}", hits: hits, id: id, score: score}'
_ANSWERS = f"{{search: {_SEARCH_EXAMPLE}}}, {{run: {_RUN_EXAMPLE}}} or {{http: {_HTTP_EXAMPLE}}}"


def read_system(key: Scalar, node: Node, faults: Faults) -> SystemSpec | None:
    """Read a system, or return None when nothing can be made of it.

    Parameters
    ----------
    key, node
        Its name and its body.
    faults
        Takes the faults.
    """
    what = f"system {shown(key.text)}"
    mapping = as_map(node, faults, f"{what} takes {_ANSWERS}")
    if mapping is None:
        return None
    fields = Fields(mapping, faults, what, KEYS["system"])
    given = [source for source in SOURCES if source in fields]
    if len(given) > 1:
        faults.add(key, f"{what} takes one of {', '.join(SOURCES)}, not {' and '.join(given)}: keep one")
    if not given and not is_python_name(key.text):
        said = f"{what} has none of {', '.join(SOURCES)}, so it would have to be a fixture"
        faults.add(key, f"{said}, and is no Python name")
    search, run = fields.text("search", _SEARCH_EXAMPLE), fields.text("run", _RUN_EXAMPLE)
    if search is not None and not _SEARCH.fullmatch(search):
        message = f"search is module:attribute, such as {_SEARCH_EXAMPLE}, not {shown(search)}"
        faults.add(fields.known["search"][1], message)
    if run is not None and (fault := _run_fault(run)):
        faults.add(fields.known["run"][1], fault)
    _check_asking(fields, given, faults)
    return SystemSpec(
        key.text,
        key.line,
        search,
        run,
        fields.whole("depth", 100),
        http=_http(fields, faults),
        concurrency=fields.whole("concurrency", 8) or 1,
        timeout=fields.number("timeout", 10),
        duplicates=_duplicates(fields, faults),
    )


def is_python_name(name: str) -> bool:
    """Whether a fixture can have this name."""
    return name.isidentifier() and not keyword.iskeyword(name)


def _check_asking(fields: Fields, given: list[str], faults: Faults) -> None:
    """Note the keys that have no effect on a system of this kind."""
    for key in ASKING:
        if "run" in given and key in fields:
            said = f"{key} is about asking, and a run is read as it is: leave it out"
            faults.add(fields.known[key][0], said)
    if "http" in given and "timeout" in fields:
        said = "the timeout of an http system stands among its http keys: move it there"
        faults.add(fields.known["timeout"][0], said)


def _duplicates(fields: Fields, faults: Faults) -> Any:
    node = fields.get("duplicates")
    if node is None:
        return "error"
    if isinstance(node, Scalar) and node.value in _DUPLICATES:
        return node.value
    text = node.text if isinstance(node, Scalar) else ""
    faults.add(node, f"duplicates is error or first, not {described(node)}{nearest(text, _DUPLICATES)}")
    return "error"


def _run_fault(run: str) -> str | None:
    """Say what is wrong with the text of ``run``."""
    rest = run.replace("{benchmark}", "")
    if braced := re.search(r"\{[^{}]*\}|[{}]", rest):
        return f"run holds {shown(braced[0])}, but its only placeholder is {{benchmark}}: {_RUN_EXAMPLE}"
    return "run is no path: it holds a null character" if "\0" in rest else None


def _http(fields: Fields, faults: Faults) -> HttpSpec | None:
    node = fields.get("http")
    mapping = None if node is None else as_map(node, faults, f"http is a mapping such as {_HTTP_EXAMPLE}")
    if mapping is None:
        return None
    from pytest_irbench.runs.http_spec import HttpSpec

    read = Fields(mapping, faults, "http", KEYS["http"])
    for key in _HTTP_NEEDS:
        if key not in read:
            faults.add(mapping, f"http has no {key}: it is a mapping such as {_HTTP_EXAMPLE}")
    texts = {key: read.text(key, example) for key, example in _HTTP_TEXTS.items()}
    numbers = {"timeout": read.number("timeout", 10), "retries": _retries(read, faults)}
    given: dict[str, Any] = {key: value for key, value in (texts | numbers).items() if value is not None}
    headers, body = _headers(read, faults), _plain(read.get("json"))
    if not all(key in given for key in _HTTP_NEEDS):
        return None
    spec = HttpSpec(**given, headers=headers, json=body)
    _check_http(spec, read, mapping, faults)
    return spec


def _check_http(spec: HttpSpec, read: Fields, mapping: MapNode, faults: Faults) -> None:
    from pytest_irbench.runs.http_spec import check_spec

    try:
        check_spec(spec)
    except InputError as error:
        # Its message begins with the key, or with a text of json.
        place: Node = read.known["json"][0] if "json" in read else mapping
        for key, _ in read.known.values():
            place = key if error.message.startswith(key.text) else place
        faults.add(place, f"http: {error.message}")


def _headers(fields: Fields, faults: Faults) -> dict[str, str]:
    node = fields.get("headers")
    mapping = None if node is None else as_map(node, faults, "headers maps names to texts")
    found = {}
    for key, value in mapping.entries.values() if mapping else ():
        if isinstance(value, Scalar) and value.value is not None:
            found[key.text] = value.text
        else:
            faults.add(value, f"the header {shown(key.text)} is a text, not {described(value)}")
    return found


def _retries(fields: Fields, faults: Faults) -> int | None:
    node = fields.get("retries")
    value = node.value if isinstance(node, Scalar) else None
    if node is None:
        return None
    if type(value) is int and value >= 0:
        return value
    faults.add(node, wrong_number(node, "retries is a whole number from 0, such as 2"))
    return None


def _plain(node: Node | None) -> Any:
    """Return a node as plain data: the body that is sent."""
    if isinstance(node, MapNode):
        return {key.text: _plain(value) for key, value in node.entries.values()}
    if isinstance(node, ListNode):
        return [_plain(item) for item in node.items]
    return node.value if node else None
