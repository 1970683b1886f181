"""Asking a search service over HTTP: a real server, in threads of this process."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError, SystemFailedError
from pytest_irbench.runs import http
from pytest_irbench.runs.http import HttpSpec, HttpSystem
from pytest_irbench.runs.http_spec import encode_json, fill_url
from pytest_irbench.runs.retrieve import retrieve

TOPIC = Topic("do goldfish grow", "31_1")
ANSWER = {"hits": [{"id": "a", "score": 2.5}, {"id": "b", "score": 1}]}
SECRET = "sesame-4711/opens"


class Asked(NamedTuple):
    """What the service was asked."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def parameters(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.target).query)


class Service:
    """A server that answers what it is told to: a JSON value, or (status, headers, body)."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: Callable[[Asked], Any] = lambda _asked: ANSWER
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body in one packet

            def answer(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(
                    self.command, self.path, headers, self.rfile.read(length), self.client_address[1]
                )
                service.asked.append(asked)
                answer = service.answers(asked)
                if not isinstance(answer, tuple):
                    answer = (200, {}, json.dumps(answer).encode())
                status, headers, body = answer
                self.send_response(status)
                for name, value in ({"content-length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = headers.get("connection") == "close"

            do_GET = do_POST = do_PUT = answer  # noqa: N815 - the names that the base class calls

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that hung up is no news."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}"

    def spec(self, path: str = "/search?q={query}&size={k}", **keys: Any) -> HttpSpec:
        paths = {"hits": "hits", "id": "id", "score": "score"}
        return HttpSpec(f"{self.url}{path}", **paths | keys)

    def in_turn(self, *answers: Any) -> None:
        """Give these answers, the last one for ever."""
        left = list(answers)
        self.answers = lambda _asked: left.pop(0) if len(left) > 1 else left[0]


@pytest.fixture(scope="module")
def server() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield service
    service.server.shutdown()
    service.server.server_close()
    thread.join()


@pytest.fixture
def service(server: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The server, forgetful, and asked again without long waits."""
    server.asked = []
    server.answers = lambda _asked: ANSWER
    monkeypatch.setattr(http, "BACK_OFF", 0.001)
    return server


def failure(spec: HttpSpec, topic: Topic = TOPIC) -> str:
    """What is said when this system can't be asked."""
    with pytest.raises(SystemFailedError) as caught:
        HttpSystem(spec)(topic, 10)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


def fault(spec: HttpSpec) -> str:
    """What is said when this system can't be built."""
    with pytest.raises(InputError) as caught:
        HttpSystem(spec)
    return str(caught.value)


# How it is asked


def test_get_fills_the_url(service: Service) -> None:
    assert HttpSystem(service.spec())(TOPIC, 10) == [("a", 2.5), ("b", 1)]
    (asked,) = service.asked
    assert (asked.method, asked.target, asked.body) == ("GET", "/search?q=do%20goldfish%20grow&size=10", b"")


def test_post_fills_the_body_and_a_lone_k_is_a_number(service: Service) -> None:
    body = {
        "size": "{k}",
        "q": ["{query}", "top {k}"],
        "id": "{query_id}",
        "fuzzy": True,
        "boost": 1.5,
        "x": None,
    }
    HttpSystem(service.spec("/search", json=body))(TOPIC, 10)
    (asked,) = service.asked
    assert asked.method == "POST"
    assert asked.headers["content-type"] == "application/json"
    assert json.loads(asked.body) == {
        "size": 10,
        "q": ["do goldfish grow", "top 10"],
        "id": "31_1",
        "fuzzy": True,
        "boost": 1.5,
        "x": None,
    }


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_the_method_may_be_given(service: Service, method: str) -> None:
    HttpSystem(service.spec(json={"q": "{query}"}, method=method))(TOPIC, 10)
    assert (service.asked[0].method, service.asked[0].body) == (method, b'{"q": "do goldfish grow"}')


@pytest.mark.parametrize("query", ["cats & dogs", "c# = c+", "Größe 魚?", "100% {query}", "a/b;c", '"\\'])
def test_a_query_arrives_as_it_is(service: Service, query: str) -> None:
    topic = Topic(query, "q&1")
    HttpSystem(service.spec("/s/{query_id}/?q={query}", json={"q": "{query}"}))(topic, 10)
    (asked,) = service.asked
    assert asked.parameters == {"q": [query]}
    assert asked.target.startswith("/s/q%261/?")
    assert json.loads(asked.body) == {"q": query}


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_survives_both_templates(query: str) -> None:
    values = {"query": query, "k": 3, "query_id": "1"}
    assert parse_qs(urlsplit(fill_url("http://h/?q={query}", values)).query) == {"q": [query]}
    assert json.loads(encode_json({"q": "{{{query}}}"}, values)) == {"q": f"{{{query}}}"}


def test_braces_that_are_meant_stand_twice(service: Service) -> None:
    spec = service.spec(
        "/select?q={{!edismax}}{query}", json={"source": "{{{{query_string}}}}", "{key}": "{query}"}
    )
    HttpSystem(spec)(TOPIC, 10)
    (asked,) = service.asked
    assert asked.parameters == {"q": ["{!edismax}do goldfish grow"]}
    assert json.loads(asked.body) == {"source": "{{query_string}}", "{key}": "do goldfish grow"}


def test_headers_take_variables_of_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_KEY", SECRET)
    headers = {"Authorization": "ApiKey ${SEARCH_KEY}", "Content-Type": "application/x", "X-Price": "$5 {k}"}
    HttpSystem(service.spec(headers=headers, json={}))(TOPIC, 10)
    sent = service.asked[0].headers
    assert sent["authorization"] == f"ApiKey {SECRET}"
    assert (sent["content-type"], sent["x-price"]) == ("application/x", "$5 {k}")


def test_the_url_takes_variables_of_the_environment(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_URL", service.url)
    monkeypatch.setenv("SEARCH_KEY", "a&b{c}")
    spec = HttpSpec("${SEARCH_URL}/s?q={query}&key=${SEARCH_KEY}", "hits", "id")
    HttpSystem(spec)(TOPIC, 10)
    assert service.asked[0].parameters == {"q": [str(TOPIC)], "key": ["a&b{c}"]}


def test_a_user_in_the_url_is_sent_as_a_header(service: Service) -> None:
    spec = service.spec()
    HttpSystem(spec._replace(url=spec.url.replace("//", "//jo:pa%40ss@")))(TOPIC, 10)
    assert service.asked[0].headers["authorization"] == f"Basic {b64encode(b'jo:pa@ss').decode()}"


def test_a_proxy_of_the_environment_is_not_used(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert HttpSystem(service.spec())(TOPIC, 10)


# What it answers


def test_elasticsearch_and_opensearch(service: Service) -> None:
    service.answers = lambda _asked: {
        "took": 3,
        "timed_out": False,
        "hits": {
            "total": {"value": 2, "relation": "eq"},
            "max_score": 7.1,
            "hits": [
                {"_index": "shop", "_id": "D1-2", "_score": 7.1, "_source": {"title": "x"}},
                {"_index": "shop", "_id": "D7", "_score": 7, "_source": {"title": "y"}},
            ],
        },
    }
    body = {"size": "{k}", "_source": False, "query": {"match": {"text": {"query": "{query}"}}}}
    spec = service.spec("/shop/_search", json=body, hits="hits.hits", id="_id", score="_score")
    assert HttpSystem(spec)(TOPIC, 10) == [("D1-2", 7.1), ("D7", 7)]


def test_solr_with_ids_in_lists_and_without_scores(service: Service) -> None:
    service.answers = lambda _asked: {"response": {"numFound": 2, "docs": [{"id": ["a"]}, {"id": ["b"]}]}}
    spec = service.spec(
        "/solr/shop/select?q={query}&rows={k}&wt=json", hits="response.docs", id="id[0]", score=None
    )
    assert HttpSystem(spec)(TOPIC, 10) == ["a", "b"]


@pytest.mark.parametrize(
    ("answer", "paths", "hits"),
    [
        (["a", 7], {"hits": "@", "id": "@", "score": None}, ["a", "7"]),
        ({"r": [["a", 1], ["b", -2]]}, {"hits": "r", "id": "[0]", "score": "[1]"}, [("a", 1), ("b", -2)]),
        ({"r": [{"doc-id": "a"}]}, {"hits": "r", "id": '"doc-id"', "score": None}, ["a"]),
        ({"hits": []}, {}, []),
    ],
    ids=["ids", "lists", "quoted name", "no hit"],
)
def test_other_shapes(service: Service, answer: Any, paths: dict[str, Any], hits: list[Any]) -> None:
    service.answers = lambda _asked: answer
    assert HttpSystem(service.spec(**paths))(TOPIC, 10) == hits


def test_a_packed_answer_is_unpacked(service: Service) -> None:
    packed = gzip.compress(json.dumps(ANSWER).encode(), mtime=0)
    service.answers = lambda _asked: (200, {"content-encoding": "gzip"}, packed)
    assert len(HttpSystem(service.spec())(TOPIC, 10)) == 2


def test_retrieve_makes_a_run_of_it_and_names_the_query_on_failure(service: Service) -> None:
    benchmark = Benchmark("tiny", Topics([TOPIC]), Qrels.from_mapping({"31_1": {"a": 1}}), depth=10)
    assert retrieve(benchmark, HttpSystem(service.spec())).to_mapping() == {"31_1": {"a": 2.5, "b": 1.0}}
    service.answers = lambda _asked: (404, {}, b"no such index")
    with pytest.raises(
        SystemFailedError, match=r"on query '31_1' \(do goldfish grow\): .* 404 Not Found: no such index"
    ):
        retrieve(benchmark, HttpSystem(service.spec()))


# What goes wrong


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": "no\n  such index"}', ': {"error": "no such index"}'),
        (b"", ""),
        (b"x" * 5000, f": {'x' * 237}…"),
        (b"\xff\x00", ": \ufffd\\x00"),
    ],
    ids=["text", "nothing", "long", "bytes"],
)
def test_a_status_is_told_with_the_beginning_of_the_body(service: Service, body: bytes, said: str) -> None:
    service.answers = lambda _asked: (400, {}, body)
    asked = f"GET {service.url}/search?q=do%20goldfish%20grow&size=10"
    assert failure(service.spec()) == f"{asked} answered 400 Bad Request{said}"
    assert len(service.asked) == 1


def test_a_long_query_is_cut_in_messages(service: Service) -> None:
    service.answers = lambda _asked: (400, {}, b"too long")
    said = failure(service.spec(), Topic("word " * 1000, "1"))
    assert len(said) < 300
    assert said.endswith("… answered 400 Bad Request: too long")


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("body", [None, {"q": "{query}"}], ids=["GET", "POST"])
def test_a_busy_service_is_asked_again(service: Service, status: int, body: Any) -> None:
    service.in_turn((status, {}, b""), (status, {}, b"busy"), ANSWER)
    assert HttpSystem(service.spec(json=body))(TOPIC, 10) == [("a", 2.5), ("b", 1)]
    assert len(service.asked) == 3


def test_the_retries_that_were_made_are_told(service: Service) -> None:
    service.answers = lambda _asked: (503, {}, b"busy")
    assert failure(service.spec()).endswith("answered 503 Service Unavailable after 2 retries: busy")
    assert failure(service.spec(retries=1)).endswith("answered 503 Service Unavailable after 1 retry: busy")
    assert failure(service.spec(retries=0)).endswith("answered 503 Service Unavailable: busy")
    assert len(service.asked) == 3 + 2 + 1


@pytest.mark.parametrize("answer", [(500, {}, b""), (413, {"retry-after": "1"}, b""), ["no hits"]])
def test_what_asking_again_does_not_help_is_asked_once(service: Service, answer: Any) -> None:
    service.answers = lambda _asked: answer
    failure(service.spec())
    assert len(service.asked) == 1


def test_retry_after_is_obeyed_within_bounds(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", waited.append)
    service.in_turn((429, {"retry-after": "7"}, b""), (503, {"retry-after": "86400"}, b""), ANSWER)
    HttpSystem(service.spec())(TOPIC, 10)
    assert waited == [7, http.LONGEST_WAIT]


def test_a_garbled_retry_after_is_overlooked(service: Service) -> None:
    service.in_turn((503, {"retry-after": "soon"}, b""), ANSWER)
    assert HttpSystem(service.spec())(TOPIC, 10)


@pytest.mark.parametrize(
    ("status", "location", "body", "end"),
    [
        (302, "/loop", None, "302 Found, a redirect to /loop, and 3 were followed: moved"),
        (
            307,
            "/loop",
            {"q": "{query}"},
            "307 Temporary Redirect, a redirect to /loop, and only GET follows one: moved",
        ),
    ],
    ids=["GET", "POST"],
)
def test_redirects_are_bounded(service: Service, status: int, location: str, body: Any, end: str) -> None:
    service.answers = lambda _asked: (status, {"location": location}, b"moved")
    assert failure(service.spec(json=body)).endswith(end)
    assert len(service.asked) == (4 if body is None else 1)


def test_a_redirect_is_followed_but_secrets_stay_with_the_host(service: Service) -> None:
    other = f"http://localhost:{service.server.server_port}/there"
    service.in_turn((302, {"location": other}, b""), ANSWER)
    HttpSystem(service.spec(headers={"X-Key": "open", "Authorization": "me"}))(TOPIC, 10)
    first, second = (asked.headers for asked in service.asked)
    assert first["x-key"] == "open"
    assert {"x-key", "authorization"}.isdisjoint(second)


def test_a_redirect_to_another_scheme_is_told(service: Service) -> None:
    service.answers = lambda _asked: (302, {"location": "ftp://there/"}, b"")
    assert "failed: " in failure(service.spec())


def test_a_slow_service_is_told_and_not_asked_again(service: Service) -> None:
    done = threading.Event()
    service.answers = lambda _asked: done.wait(5) or ANSWER
    try:
        assert failure(service.spec(timeout=0.1)).endswith("failed: no answer within its timeout of 0.1 s")
    finally:
        done.set()
    assert len(service.asked) == 1


def listening(talk: Callable[[socket.socket], None], connections: int) -> tuple[str, threading.Thread]:
    """A server that talks to each of so many connections like this."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(5)

    def serve() -> None:
        with server:
            for _ in range(connections):
                connection, _ = server.accept()
                with connection:
                    connection.recv(1 << 16)
                    try:
                        talk(connection)
                    except OSError:
                        pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return f"http://127.0.0.1:{server.getsockname()[1]}/?q={{query}}", thread


def test_an_answer_that_trickles_in_meets_the_timeout(service: Service) -> None:
    def trickle(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b" ")
            time.sleep(0.02)

    url, thread = listening(trickle, 1)
    assert failure(service.spec()._replace(url=url, timeout=0.2)).endswith(
        "no answer within its timeout of 0.2 s"
    )
    thread.join()


@pytest.mark.parametrize(
    "begun", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"], ids=["before", "within"]
)
def test_a_connection_that_breaks_is_tried_again(service: Service, begun: bytes) -> None:
    url, thread = listening(lambda connection: connection.sendall(begun), 2)
    said = failure(service.spec()._replace(url=url, retries=1))
    assert "failed after 1 retry: the connection broke: " in said
    thread.join()


def test_a_refused_connection_is_told(service: Service) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        said = failure(service.spec()._replace(url=f"http://127.0.0.1:{port}/?q={{query}}"))
    assert said == (
        f"GET http://127.0.0.1:{port}/?q=do%20goldfish%20grow failed after 2 retries: "
        f"connecting to 127.0.0.1:{port}: Connection refused; is the service running?"
    )


def test_a_connection_that_is_not_made_in_time_is_told(service: Service) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/?q={{query}}"
        said = failure(service.spec()._replace(url=url, timeout=0.1, retries=0))
        for each in waiting:
            each.close()
    assert said.endswith("failed: no connection within its timeout of 0.1 s")


def test_an_unknown_name_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*args: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    said = failure(service.spec()._replace(url="http://search.invalid/?q={query}"))
    assert said.endswith("failed after 2 retries: the name 'search.invalid' can't be resolved")


def test_tls_that_fails_is_told_at_once(service: Service) -> None:
    spec = service.spec()
    assert "failed: TLS: " in failure(spec._replace(url=spec.url.replace("http:", "https:")))


def test_an_answer_that_is_too_large_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LARGEST", 1000)
    bomb = gzip.compress(b" " * 100_000, mtime=0)
    service.answers = lambda _asked: (200, {"content-encoding": "gzip"}, bomb)
    assert failure(service.spec()).endswith("failed: the answer has over 1,000 bytes")


def test_half_a_surrogate_pair_can_not_be_asked(service: Service) -> None:
    for spec in (service.spec(), service.spec("/", json={"q": "{query}"})):
        assert "half of a surrogate pair" in failure(spec, Topic("fish \ud83d", "1"))
    assert not service.asked


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>\n<p>Sign in</p>", "with no JSON: <html> <p>Sign in</p>"),
        (b"", "with an empty body"),
        (b"[" * 100_000, f"with no JSON: {'[' * 225}…"),
        (b'{"took": 3, "hit": []}', "hits 'hits' gives nothing; the answer is a mapping with took, hit"),
        (b"{}", "hits 'hits' gives nothing; the answer is {}"),
        (
            b'{"hits": {"total": 1}}',
            "hits 'hits' gives {\"total\": 1}, no list; the answer is a mapping with hits",
        ),
        (
            b'{"hits": [{"id": "a", "score": 1}, {"_id": "b"}]}',
            "hit 2 has no id at 'id'; it is a mapping with _id",
        ),
        (b'{"hits": ["a"]}', "hit 1 has no id at 'id'; it is \"a\""),
        (b'{"hits": [{"id": ""}]}', "hit 1 has no id at 'id'; it is a mapping with id"),
        (b'{"hits": [{"id": 1.5}]}', "the id of hit 1 is 1.5, neither text nor a whole number"),
        (b'{"hits": [{"id": true}]}', "the id of hit 1 is true, neither text nor a whole number"),
    ],
)
def test_a_body_that_is_no_ranking_is_told(service: Service, body: bytes, said: str) -> None:
    service.answers = lambda _asked: (200, {}, body)
    assert failure(service.spec()).partition(" answered 200 OK, but ")[2] == said


@pytest.mark.parametrize("score", ["null", '"1.5"', "true", "NaN", "[1]"])
def test_a_score_that_is_no_number_is_told(service: Service, score: str) -> None:
    service.answers = lambda _asked: (200, {}, b'{"hits": [{"id": "a", "score": %s}]}' % score.encode())
    said = f"the score of hit 1 is {score}, no number; leave score out where the order of the hits counts"
    assert failure(service.spec()).endswith(said)


def test_a_path_that_can_not_be_computed_is_told(service: Service) -> None:
    assert "hits 'length(@.x)' can't be computed: " in failure(service.spec(hits="length(@.x)"))


# Secrets


def test_no_secret_is_in_a_message(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_KEY", SECRET)
    keys = {"headers": {"X-Key": "${SEARCH_KEY}"}}
    spec = service.spec("/s?q={query}&key=${SEARCH_KEY}", **keys)
    spec = spec._replace(url=spec.url.replace("//", "//jo:pass-word@"))

    def echo(asked: Asked) -> Any:
        told = f"{'x' * 180} {asked.target} {asked.headers}"
        return status, {"location": "/?to=" + asked.target} if status == 307 else {}, told.encode()

    service.answers = echo
    for status in (401, 200, 307):
        said = failure(spec._replace(method="POST"))
        assert said.startswith(
            f"POST {service.url}/s?q=do%20goldfish%20grow&key=${{SEARCH_KEY}} answered {status}"
        )
        assert not any(part in said for part in ("sesame", "4711", "opens", "pass-word", "jo:"))
    assert SECRET not in repr(HttpSystem(spec)) + repr(spec)


def test_a_service_that_returns_the_credentials_is_quoted_without(service: Service) -> None:
    service.answers = lambda asked: (401, {}, asked.headers["authorization"].encode())
    spec = service.spec()
    assert failure(spec._replace(url=spec.url.replace("//", "//jo:pass-word@"))).endswith(
        "401 Unauthorized: Basic ***"
    )


@pytest.mark.parametrize(
    ("value", "said"), [(None, "variable SEARCH_KEY is not set"), ("", "variable SEARCH_KEY is empty")]
)
@pytest.mark.parametrize("place", ["header", "url"])
def test_a_missing_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, place: str, value: str | None, said: str
) -> None:
    monkeypatch.delenv("SEARCH_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SEARCH_KEY", value)
    spec = HttpSpec("http://h/?q={query}", "hits", "id", headers={"X": "${SEARCH_KEY}"})
    if place == "url":
        spec = HttpSpec("http://h/?q={query}&key=${SEARCH_KEY}", "hits", "id")
    assert said in fault(spec)


def test_a_variable_that_a_header_can_not_hold_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SEARCH_KEY", f"{SECRET}\n")
    said = fault(HttpSpec("http://h/?q={query}", "hits", "id", headers={"X-Key": "${SEARCH_KEY}"}))
    assert "'X-Key' would hold a line end" in said
    assert "SEARCH_KEY" in said
    assert SECRET not in said


def test_an_address_from_the_environment_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_URL", "localhost:9200")
    assert (
        fault(HttpSpec("${SEARCH_URL}/?q={query}", "hits", "id"))
        == "url must begin with http:// or https://, or with a variable that does"
    )


# What is declared


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"url": "ftp://h/?q={query}"}, "url must begin with http:// or https://"),
        ({"url": "http://h/?q={query} x"}, "url has a blank"),
        ({"url": "http://h/?q={query}&x=5%"}, "url has a blank, a control character or a bare percent sign"),
        ({"url": "http://h/#{query}"}, "url has a '#'"),
        ({"url": "http://{query}/"}, "url needs a plain host"),
        ({"url": "http:///{query}"}, "url needs a plain host"),
        ({"url": "http://h:p@ss/{query}:x"}, None),
        ({"url": "http://h:port/{query}"}, "url needs a plain host"),
        ({"url": "http://[::1/{query}"}, "url needs a plain host"),
        ({"url": "http://h/{query"}, "url has a single brace: {query}, {k} and {query_id} are filled in"),
        ({"url": "http://h/query}"}, "url has a single brace"),
        ({"url": "http://h/{querry}"}, "url has the unknown placeholder {querry}"),
        ({"url": "http://h/{}"}, "url has the unknown placeholder {}"),
        ({"url": "http://h/{query!r}"}, "url has a placeholder with a format"),
        ({"url": "http://h/{query}?n={k:5}"}, "url has a placeholder with a format"),
        ({"url": "http://h/?n={k}"}, "url and json have no {query}"),
        ({"json": {"a": ["{top}"]}}, "the text '{top}' of json has the unknown placeholder {top}"),
        ({"json": {"a": '{"b": 1}'}}, "of json has the unknown placeholder"),
        ({"json": {"a": "${query}}"}}, "the text '${query}}' of json has a single brace"),
        ({"json": {"size": {"k": None}}}, 'json has {k} without quotes, a mapping in YAML: write "{k}"'),
        ({"json": {"a": float("nan")}}, "json can't be sent"),
        ({"json": {"a": {1, 2}}}, "json can't be sent"),
        ({"method": "GTE"}, "method must be one of GET, POST, PUT, not 'GTE'"),
        ({"headers": {"X Y": "1"}}, "headers: 'X Y' is no name of a header"),
        ({"headers": {"X": "${A-B}"}}, "headers: in 'X', '${' begins no variable"),
        ({"headers": {"X": "a\nb"}}, "headers: 'X' holds a line end"),
        ({"hits": "hits."}, "hits 'hits.' is no JMESPath"),
        ({"id": "doc-id"}, "id 'doc-id' is no JMESPath"),
        ({"score": ""}, "score '' is no JMESPath"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0, not 0"),
        ({"timeout": float("nan")}, "timeout must be"),
        ({"retries": -1}, "retries must be a number from 0 to 10, not -1"),
        ({"retries": 11}, "retries must be"),
    ],
)
def test_faults_of_a_declaration(keys: dict[str, Any], said: str | None) -> None:
    spec = HttpSpec("http://h/?q={query}", "hits", "id")._replace(**keys)
    if said is None:
        HttpSystem(spec)
        return
    told = fault(spec)
    assert said in told
    assert "\n" not in told
    assert not told.endswith(".")


def test_a_query_id_alone_tells_topics_apart(service: Service) -> None:
    HttpSystem(service.spec("/topics/{query_id}"))(TOPIC, 10)
    assert service.asked[0].target == "/topics/31_1"


# Many at once


def test_eight_threads_get_their_own_answers(service: Service) -> None:
    service.answers = lambda asked: {"hits": [{"id": asked.parameters["q"][0], "score": 1}]}
    system = HttpSystem(service.spec())
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: system(Topic(f"query {n}", str(n)), 10), range(200)))
    assert answers == [[(f"query {n}", 1)] for n in range(200)]
    assert len({asked.connection for asked in service.asked}) <= 8


def test_a_busy_answer_to_one_thread_does_not_cost_the_others_retries(service: Service) -> None:
    seen: set[str] = set()

    def first_busy(asked: Asked) -> Any:
        if asked.target in seen:
            return ANSWER
        seen.add(asked.target)
        return 503, {}, b"busy"

    service.answers = first_busy
    system = HttpSystem(service.spec(retries=1))
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda n: system(Topic(f"query {n}", str(n)), 10), range(40)))
