"""The FTS5 index as a service over HTTP, for as long as standard input is open.

``python -m helpcentre.http_service`` prints its address and answers, in the manner of Elasticsearch,

- ``GET /search?q=reset+password&k=10``
- ``POST /search`` with ``{"query": {"match": {"text": "reset password"}}, "size": 10}``
"""

from __future__ import annotations

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from helpcentre.search import Index
from helpcentre.served import serve_until_left


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    index: Index
    protocol_version = "HTTP/1.1"
    # Head and body of an answer are two packets; the second must not wait for the first one's receipt.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a query in the address."""
        given = parse_qs(urlsplit(self.path).query)
        self._answer(lambda: (given["q"][0], int(given["k"][0])))

    def do_POST(self) -> None:
        """Answer a query in a JSON body."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))

        def read() -> tuple[str, int]:
            asked = json.loads(body)
            return str(asked["query"]["match"]["text"]), int(asked["size"])

        self._answer(read)

    def _answer(self, read: Any) -> None:
        if urlsplit(self.path).path != "/search":
            self._send(HTTPStatus.NOT_FOUND, {"error": "there is only /search"})
            return
        try:
            query, k = read()
        except (KeyError, TypeError, ValueError) as error:
            self._send(HTTPStatus.BAD_REQUEST, {"error": f"{type(error).__name__}: {error}"})
            return
        hits = [{"_id": doc_id, "_score": score} for doc_id, score in self.index.search(query, k)]
        self._send(HTTPStatus.OK, {"hits": {"hits": hits}})

    def _send(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no line for each request."""


def main() -> None:
    """Serve on a free port of this machine until standard input ends."""
    _Handler.index = Index()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        serve_until_left(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


if __name__ == "__main__":
    main()
