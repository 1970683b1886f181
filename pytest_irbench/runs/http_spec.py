"""What irbench.yaml says about an HTTP system, and the templates in it."""

from __future__ import annotations

import json
import math
import os
import re
from string import Formatter
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.runs.http_answer import Paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PLACEHOLDERS = ("query", "k", "query_id")
METHODS = ("GET", "POST", "PUT")
MOST_RETRIES = 10

_KNOWN = "{query}, {k} and {query_id} are filled in, and a brace that is meant stands twice"
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}", re.ASCII)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_UNSENDABLE = re.compile(r"[\x00-\x20\x7f]|%(?![0-9A-Fa-f]{2})")
_USER = re.compile(r"^([^/?#]*//)([^/?#]*)@")


class HttpSpec(NamedTuple):
    """How an HTTP service is asked, and where its answer has the hits.

    `url` and the texts of `json` are templates: ``{query}``, ``{k}`` and ``{query_id}`` are filled in, and a
    brace that is meant stands twice, as in Python's `str.format`: ``{{!edismax}}{query}`` for Solr. In `url`
    and in the values of `headers`, ``${NAME}`` is the environment's variable of that name.

    Attributes
    ----------
    url
        What is filled in is percent-encoded, and so is a variable of the environment behind the ``?``.
        A key of the service belongs into `headers`: urllib3 logs URLs (at level DEBUG).
    hits
        JMESPath from the answer to the list of hits; a dotted path is one. ``@`` is the answer itself.
    id
        JMESPath from a hit to its doc_id, a text or a whole number.
    score
        JMESPath from a hit to its score; if None, the order of the hits counts.
    json
        Sent as the body, if not None: mappings, lists, texts, numbers. A text that is exactly ``{k}`` becomes
        a number. Keys are sent as they stand.
    method
        GET, POST or PUT; if None, POST with a body and GET without.
    headers
        Name -> value.
    timeout
        Seconds that one try may take.
    retries
        How often a query is asked again after a connection that failed or status 429, 502, 503 or 504.
    """

    url: str
    hits: str
    id: str
    score: str | None = None
    json: Any = None
    method: str | None = None
    headers: Mapping[str, str] = {}
    timeout: float = 10.0
    retries: int = 2


class Address(NamedTuple):
    """A URL template whose variables are known.

    Attributes
    ----------
    asked
        The template to ask, without a user.
    shown
        The template for messages: without a user, variables of the environment by their names.
    user
        ``user:password``, or None.
    """

    asked: str
    shown: str
    user: str | None


def check_spec(spec: HttpSpec) -> None:
    """Check what can be known without the environment.

    Raises
    ------
    InputError
        With the first fault; its message begins with the key.
    """
    used = check_url(spec.url) | check_json(spec.json)
    if not used & {"query", "query_id"}:
        raise InputError("url and json have no {query}: every topic would be asked the same")
    if spec.method is not None and spec.method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, not {clipped(spec.method)!r}")
    for name, value in spec.headers.items():
        check_header(name, value)
    Paths.compiled(spec.hits, spec.id, spec.score)
    if not 0 < spec.timeout < math.inf:
        raise InputError(f"timeout must be a number of seconds above 0, not {spec.timeout}")
    if not 0 <= spec.retries <= MOST_RETRIES:
        raise InputError(f"retries must be a number from 0 to {MOST_RETRIES}, not {spec.retries}")


def check_url(url: str) -> set[str]:
    """Return the placeholders of a URL; variables of the environment may stand in it.

    Raises
    ------
    InputError
        When it is no template, or can't be asked as it stands.
    """
    if "${" not in url:
        check_address(url)
    return check_template(_VARIABLE.sub("", url), "url")


def check_template(text: str, what: str) -> set[str]:
    """Return the placeholders of a template.

    Parameters
    ----------
    text
        The template.
    what
        How it is called in messages.

    Raises
    ------
    InputError
        When a brace stands alone or holds something else.
    """
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        raise InputError(f"{what} has a single brace: {_KNOWN}") from None
    fields = {field for _, field, _, _ in parts if field is not None}
    unknown = sorted(fields.difference(PLACEHOLDERS))
    if unknown:
        raise InputError(f"{what} has the unknown placeholder {{{clipped(unknown[0])}}}: {_KNOWN}")
    if any(form or conversion for _, _, form, conversion in parts):
        raise InputError(f"{what} has a placeholder with a format: {_KNOWN}")
    return fields


def check_address(url: str) -> None:
    """Check a URL template whose variables are filled in; messages don't show it, it may hold a password.

    Raises
    ------
    InputError
        When it can't be asked as it stands.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise InputError("url must begin with http:// or https://, or with a variable that does")
    if _UNSENDABLE.search(url):
        raise InputError(
            "url has a blank, a control character or a bare percent sign: write them as %20 and the like"
        )
    if "#" in url:
        raise InputError("url has a '#', and what follows it is never sent: write %23")
    try:
        parts = urlsplit(url)
        known = parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        known = None
    if not known or "{" in parts.netloc:
        raise InputError("url needs a plain host between // and the path, with a number as its port if any")


def check_json(template: Any) -> set[str]:
    """Return the placeholders of a body.

    Raises
    ------
    InputError
        When a text of it is no template, or it is not made of what JSON has.
    """
    try:
        used = [check_template(text, f"the text {clipped(text)!r} of json") for text in _texts(template)]
        encode_json(template, dict.fromkeys(PLACEHOLDERS, ""))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"json can't be sent: {clipped(str(error))}") from None
    return set().union(*used)


def check_header(name: str, value: str) -> None:
    """Check a header as it is declared.

    Raises
    ------
    InputError
        When HTTP has no such header, or ``${`` names no variable.
    """
    if not _HEADER_NAME.fullmatch(name):
        raise InputError(f"headers: {clipped(name)!r} is no name of a header")
    if "${" in _VARIABLE.sub("", value):
        raise InputError(f"headers: in {name!r}, '${{' begins no variable like ${{API_KEY}}")
    if not _HEADER_VALUE.fullmatch(value):
        raise InputError(f"headers: {name!r} holds a line end or another character that HTTP can't send")


def resolve_url(url: str) -> Address:
    """Fill the variables of the environment into a URL template.

    Raises
    ------
    InputError
        When one is missing or empty, or the address that results can't be asked.
    """
    place, question, rest = url.partition("?")
    # A variable may be the whole address; behind the question mark it is a value.
    place = _VARIABLE.sub(lambda found: _braces_doubled(variable(found[1])), place)
    rest = _VARIABLE.sub(lambda found: quote(variable(found[1]), safe=""), rest)
    whole = f"{place}{question}{rest}"
    check_address(whole)
    user = _USER.match(whole)
    shown = _VARIABLE.sub(r"${{\1}}", url)
    return Address(_USER.sub(r"\1", whole), _USER.sub(r"\1", shown), unquote(user[2]) if user else None)


def resolve_header(name: str, value: str) -> str:
    """Fill the variables of the environment into the value of a header.

    Raises
    ------
    InputError
        When one is missing or empty, or holds what can't be sent. Its value is not shown.
    """
    resolved = _VARIABLE.sub(lambda found: variable(found[1]), value)
    if not _HEADER_VALUE.fullmatch(resolved):
        names = ", ".join(_VARIABLE.findall(value))
        raise InputError(
            f"headers: {name!r} would hold a line end or the like, which HTTP can't send: see {names}"
        )
    return resolved


def variable(name: str) -> str:
    """Return a variable of the environment.

    Raises
    ------
    InputError
        When it is missing, or empty, as a secret is that CI does not hand out.
    """
    value = os.environ.get(name, "")
    if not value:
        what = "is empty" if name in os.environ else "is not set"
        raise InputError(f"the environment variable {name} {what}: set it, or correct the name")
    return value


def variables(spec: HttpSpec) -> set[str]:
    """Name the variables of the environment that a system uses."""
    return {name for text in (spec.url, *spec.headers.values()) for name in _VARIABLE.findall(text)}


def fill_url(template: str, values: Mapping[str, Any]) -> str:
    """Fill placeholders into a URL, percent-encoded."""
    return template.format_map({name: quote(str(value), safe="") for name, value in values.items()})


def encode_json(template: Any, values: Mapping[str, Any]) -> bytes:
    """Fill placeholders into a body."""
    return json.dumps(_filled(template, values), ensure_ascii=False, allow_nan=False).encode()


def _filled(node: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(node, str):
        return values["k"] if node == "{k}" else node.format_map(values)
    if isinstance(node, dict):
        return {key: _filled(value, values) for key, value in node.items()}
    return [_filled(value, values) for value in node] if isinstance(node, list | tuple) else node


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif any(node == {name: None} for name in PLACEHOLDERS):
        bare = f"{{{next(iter(node))}}}"
        raise InputError(f'json has {bare} without quotes, a mapping in YAML: write "{bare}"')
    elif isinstance(node, dict | list | tuple):
        for value in node.values() if isinstance(node, dict) else node:
            yield from _texts(value)


def _braces_doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
