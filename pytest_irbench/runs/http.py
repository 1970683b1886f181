"""Ask a search service over HTTP."""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from urllib3 import PoolManager, Retry, Timeout, exceptions

from pytest_irbench.errors import SystemFailedError, clipped
from pytest_irbench.runs.http_answer import Paths, Telling, one_line, read_hits
from pytest_irbench.runs.http_spec import (
    HttpSpec,
    check_spec,
    encode_json,
    fill_url,
    resolve_header,
    resolve_url,
    variable,
    variables,
)

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

    from pytest_irbench.benchmarks.benchmark import Topic

__all__ = ["HttpSpec", "HttpSystem"]

LARGEST = 64 << 20
"""Bytes, unpacked, that an answer may have."""

BACK_OFF = 0.25
"""The first retry comes at once, the second after twice these seconds, then each time twice as late."""

LONGEST_WAIT = 30.0
"""Seconds that a Retry-After is obeyed at most."""

_BUSY = frozenset({429, 502, 503, 504})
_UNCONNECTED = (
    exceptions.NewConnectionError,
    exceptions.ConnectTimeoutError,
    exceptions.ProtocolError,
)
_REDIRECTS = 3
_CONNECTIONS = 64
_CHUNK = 1 << 16
_SHORTEST_SECRET = 4


class _Waits(Retry):
    """Waits before retries; a service can't make a session wait for ever."""

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        try:
            asked = super().get_retry_after(response)
        except exceptions.InvalidHeader:
            return None
        return asked and min(asked, LONGEST_WAIT)


class _Answer(NamedTuple):
    response: BaseHTTPResponse
    body: bytes


class HttpSystem:
    """A search service as a system: call it with a topic and k.

    It may be called from several threads at once, which share its connections. It connects directly: the
    proxies that the environment names (``HTTP_PROXY``) are not used, so that a service on localhost is never
    asked through one. Certificates are held to those that OpenSSL trusts, or to ``SSL_CERT_FILE``.
    A search is taken for a read: POST is retried like GET. Redirects are followed for GET only, at most 3,
    and no header of the declaration goes along to another host.

    Parameters
    ----------
    spec
        How to ask, and where the answer has the hits.

    Raises
    ------
    InputError
        When the declaration is faulty, or a variable of the environment that it uses is missing.
    """

    def __init__(self, spec: HttpSpec) -> None:
        check_spec(spec)
        self._spec = spec
        self._paths = Paths.compiled(spec.hits, spec.id, spec.score)
        self._method = spec.method or ("GET" if spec.json is None else "POST")
        self._address = resolve_url(spec.url)
        self._headers = _headers(spec, self._address.user)
        self._secrets = _secrets(spec, self._address.user)
        self._waits = _Waits(total=spec.retries, backoff_factor=BACK_OFF, backoff_max=LONGEST_WAIT)
        # For one try: only redirects are left to the pool.
        self._once = Retry(
            total=None,
            connect=False,
            read=False,
            other=False,
            redirect=_REDIRECTS,
            raise_on_redirect=False,
            remove_headers_on_redirect=tuple(self._headers),
        )
        self._pool = PoolManager(maxsize=_CONNECTIONS)

    def __call__(self, topic: Topic, k: int) -> list[str] | list[tuple[str, float]]:
        """Ask for one topic.

        Parameters
        ----------
        topic
            The query text with its query_id.
        k
            How many documents to ask for.

        Returns
        -------
        (doc_id, score) pairs, or doc_ids best first when no score is declared.

        Raises
        ------
        SystemFailedError
            When no answer comes, or another than a list of hits. The URL in it is without secrets.
        """
        values = {"query": str(topic), "k": k, "query_id": topic.query_id}
        try:
            url = fill_url(self._address.asked, values)
            body = None if self._spec.json is None else encode_json(self._spec.json, values)
        except UnicodeEncodeError:
            raise SystemFailedError("the query holds half of a surrogate pair, which is no Unicode") from None
        asked = f"{self._method} {clipped(fill_url(self._address.shown, values), 200)}"
        outcome, retries = self._outcome(url, body)
        after = f" after {retries} {'retry' if retries == 1 else 'retries'}" if retries else ""
        if isinstance(outcome, exceptions.HTTPError):
            raise self._fault(f"{asked} failed{after}: ", self._trouble(outcome)) from None
        response = outcome.response
        status = f"{response.status} {response.reason or ''}".strip()
        answered = f"{asked} answered {status}{after}"
        if not 200 <= response.status < 300:
            raise self._fault(answered, self._refusal(outcome))
        tell = Telling(lambda text: self._fault(f"{answered}, but ", text), self._hidden)
        return read_hits(outcome.body, self._paths, tell)

    def _outcome(self, url: str, body: bytes | None) -> tuple[_Answer | exceptions.HTTPError, int]:
        """Ask, again where that may help; return the last outcome and how many retries were made."""
        waits = self._waits
        while True:
            outcome = self._try(url, body)
            if not waits.total or not _passing(outcome):
                return outcome, len(waits.history)
            response = outcome.response if isinstance(outcome, _Answer) else None
            waits = waits.increment(self._method, response=response)
            waits.sleep(response)

    def _try(self, url: str, body: bytes | None) -> _Answer | exceptions.HTTPError:
        end = monotonic() + self._spec.timeout
        try:
            response = self._pool.request(
                self._method,
                url,
                body=body,
                headers=self._headers,
                timeout=Timeout(total=self._spec.timeout),
                retries=self._once,
                redirect=self._method == "GET",
                preload_content=False,
            )
            with closing(response):
                return _Answer(response, _read(response, end))
        except exceptions.MaxRetryError as error:
            return error.reason if isinstance(error.reason, exceptions.HTTPError) else error
        except exceptions.HTTPError as error:
            return error
        except ValueError as error:  # urllib.parse, of a redirect's target
            return exceptions.LocationValueError(f"a redirect to no URL: {error}")

    def _trouble(self, error: exceptions.HTTPError) -> str:
        match error:
            case exceptions.NameResolutionError():
                text = f"the name {error.conn.host!r} can't be resolved"
            case exceptions.NewConnectionError():
                why = getattr(error.__cause__, "strerror", None) or error.__cause__
                text = f"connecting to {error.conn.host}:{error.conn.port}: {why}; is the service running?"
            case exceptions.TimeoutError():
                what = "connection" if isinstance(error, exceptions.ConnectTimeoutError) else "answer"
                text = f"no {what} within its timeout of {self._spec.timeout:g} s"
            case exceptions.SSLError():
                text = f"TLS: {error}"
            case exceptions.ProtocolError():
                text = f"the connection broke: {error}"
            case _:
                text = str(error)
        return text

    def _refusal(self, answer: _Answer) -> str:
        target = answer.response.get_redirect_location()
        redirect = ""
        if target:
            why = f"{_REDIRECTS} were followed" if self._method == "GET" else "only GET follows one"
            redirect = f", a redirect to {clipped(self._hidden(target))}, and {why}"
        text = one_line(answer.body)
        return f"{redirect}: {text}" if text else redirect

    def _fault(self, beginning: str, text: str) -> SystemFailedError:
        # What was cut in two would not be found.
        return SystemFailedError(f"{beginning}{clipped(self._hidden(text), 240)}")

    def _hidden(self, text: str) -> str:
        """Take the secrets out of a text that the service wrote."""
        for secret, name in self._secrets.items():
            text = text.replace(secret, name)
        return text


def _passing(outcome: _Answer | exceptions.HTTPError) -> bool:
    """Whether a moment later the same question may be answered."""
    if isinstance(outcome, _Answer):
        return outcome.response.status in _BUSY
    return isinstance(outcome, _UNCONNECTED)


def _read(response: BaseHTTPResponse, end: float) -> bytes:
    chunks, size = [], 0
    while chunk := response.read1(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise exceptions.HTTPError(f"the answer has over {LARGEST:,} bytes")
        # The socket's timeout is for each piece; an answer that trickles in would never end.
        if monotonic() > end:
            raise exceptions.TimeoutError
    return b"".join(chunks)


def _headers(spec: HttpSpec, user: str | None) -> dict[str, str]:
    headers = {"accept": "application/json", "user-agent": "pytest-irbench"}
    if spec.json is not None:
        headers["content-type"] = "application/json"
    if user is not None:
        headers["authorization"] = f"Basic {b64encode(user.encode()).decode()}"
    return headers | {name.lower(): resolve_header(name, value) for name, value in spec.headers.items()}


def _secrets(spec: HttpSpec, user: str | None) -> dict[str, str]:
    """Map what must not be shown to what is shown instead, the longest first."""
    secrets: dict[str, Any] = {variable(name): f"${{{name}}}" for name in variables(spec)}
    if user is not None:
        secrets |= dict.fromkeys((user, user.partition(":")[2], b64encode(user.encode()).decode()), "***")
    # As a service may send them back.
    secrets |= {
        written: name
        for secret, name in secrets.items()
        for written in (
            quote(secret, safe=""),
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
        )
    }
    longest_first = sorted(secrets.items(), key=lambda item: -len(item[0]))
    return {secret: name for secret, name in longest_first if len(secret) >= _SHORTEST_SECRET}
