"""docs/systems.md is true: its systems are asked as shown, its messages are what pytest prints."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from pytest_irbench.benchmarks.qrels import read_qrels
from pytest_irbench.errors import InputError
from pytest_irbench.formats.ids import Ids
from pytest_irbench.gates.systems import SOURCES
from pytest_irbench.runs.answers import MOST
from pytest_irbench.runs.doc_ids import map_ids, parse_doc_ids
from pytest_irbench.runs.http import BACK_OFF, LONGEST_WAIT
from pytest_irbench.runs.http_spec import HttpSpec
from pytest_irbench.runs.run import Run

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", TEXT)
FILES = {text.split("\n")[0].removeprefix("# "): text for kind, text in BLOCKS if kind in ("python", "yaml")}
GATES = [name for name in FILES if name.endswith(".yaml")]
# Each file of the page is tried alone, with what the first one declares.
DECLARED = FILES["irbench.yaml"].partition("gates:\n")[0]
PRINTED = [text for kind, text in BLOCKS if kind == "text"]
ASKED = ["products", "keyword", "dense", "batch"]
# What the page shows as missed.
MISSED = {
    "unjudged.irbench.yaml": ["unjudged.irbench.yaml::products[shop-nDCG@3-min]"],
    "labels.irbench.yaml": ["labels.irbench.yaml::products[shop-RR@10-min]"],
}
# Where each printed text comes from: a file of the page, and what is changed in it.
SHOWN = [
    ("http.irbench.yaml", "", ""),
    ("more.irbench.yaml", "", ""),
    ("more.irbench.yaml", "passage_to_document, exclude_docs: 'p8*'", "identity"),
    ("unjudged.irbench.yaml", "", ""),
    ("labels.irbench.yaml", "", ""),
]
(COMMAND,) = re.findall(r"(?m)^\$ pytest (.+)$", TEXT)

TOPICS = (
    "q1\tdesk lamp\nq2\tfloor lamp\nq3\tred office chair\nq4\tdesk chair\nq5\tlamp with two arms\nq6\tsofa\n"
)
QRELS = (
    "q1 0 p1 2\nq1 0 p5 0\nq2 0 p2 2\nq2 0 p1 1\nq3 0 p3 2\nq3 0 p4 1\n"
    "q4 0 p5 2\nq5 0 p1 1\nq5 0 p2 1\nq6 0 p6 1\n"
)
CHAT = {
    "1": [("desk lamp", "desk lamp"), ("and one for the hall", "floor lamp")],
    "2": [("office chair", "office chair"), ("one for the garden", "garden chair")],
}
CHAT_QRELS = "1_1 0 p1 1\n1_2 0 p2 1\n2_1 0 p3 1\n2_2 0 p4 1\n"
SEARCH = """
import asyncio
from types import SimpleNamespace

NAMES = {
    "p1": "desk lamp", "p2": "floor lamp", "p3": "office chair", "p4": "garden chair", "p5": "desk chair",
    "p6": "sofa", "p8": "lamp shade",
}


def rank(text, k, context=()):
    words, before = set(text.split()), set(" ".join(context).split())
    found = []
    for sku, name in NAMES.items():
        score = 4.0 * len(words & {*name.split()}) + len(before & {*name.split()})
        found += [(sku, score)] if score else []
    return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:k]


def keyword(topic, k):
    return [sku for sku, _ in rank(topic, k)]


async def search(text, k):
    await asyncio.sleep(0)
    return [{"id": sku, "score": score} for sku, score in rank(text, k)]


def find(text, limit, context=()):
    hits = rank(text, limit, context)
    return [SimpleNamespace(id=sku, sku=sku, score=score) for sku, score in hits]


client = SimpleNamespace(search=search)
index = SimpleNamespace(find=find)
model = SimpleNamespace(score=lambda text, doc_id: dict(rank(text, 99)).get(doc_id, 0.0))
"""
MORE_FIXTURES = """

@pytest.fixture(scope="session")
def passages():
    return lambda topic, k: [
        (f"{hit.sku}-{n}", hit.score / n) for hit in index.find(topic, limit=k) for n in (1, 2)
    ]
"""


class Engine(BaseHTTPRequestHandler):
    """Answers as Elasticsearch and as Solr do."""

    status = 200

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/products/_search"
        assert self.headers["Authorization"] == "ApiKey secret"
        assert type(body["size"]) is int
        hits = self.rank(body["query"]["multi_match"]["query"])
        self.answer({"hits": {"hits": [{"_id": doc_id, "_score": score} for doc_id, score in hits]}})

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        assert (asked["qf"], int(asked["rows"][0])) == (["title text"], 10)
        hits = self.rank(asked["q"][0])
        self.answer({"response": {"docs": [{"id": doc_id, "score": score} for doc_id, score in hits]}})

    def rank(self, text: str) -> list[tuple[str, float]]:
        search: dict[str, object] = {}
        exec(SEARCH, search)
        return search["rank"](text, 10)  # type: ignore[operator, no-any-return]

    def answer(self, answer: object) -> None:
        fault = {"error": {"msg": "undefined field text"}}
        body = json.dumps(answer if self.status == 200 else fault).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no line for each request."""


@pytest.fixture(scope="module")
def engine() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Engine) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def shop(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, engine: str) -> pytest.Pytester:
    """The data and the search that the page's files speak of."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:cacheprovider -o pythonpath=.")
    monkeypatch.setenv("ELASTICSEARCH_URL", engine)
    monkeypatch.setenv("SOLR_URL", engine)
    monkeypatch.setenv("ELASTICSEARCH_KEY", "secret")
    conversations = [
        {
            "number": number,
            "turn": [
                {"number": n, "raw_utterance": raw, "manual_rewritten_utterance": manual}
                for n, (raw, manual) in enumerate(turns, 1)
            ],
        }
        for number, turns in CHAT.items()
    ]
    query_ids = [line.partition("\t")[0] for line in TOPICS.splitlines()]
    candidates = [f"{query_id} Q0 p{n} 0 {9 - n} bm25\n" for query_id in query_ids for n in range(1, 7)]
    written = {
        "topics.tsv": TOPICS,
        "qrels.txt": QRELS,
        "clicks.txt": "q1 0 p1 1\nq4 0 p5 1\nq9 0 p1 1\n",
        "candidates.trec": "".join(candidates),
        "chat.json": json.dumps(conversations),
        "chat-qrels.txt": CHAT_QRELS,
        "shop_search.py": SEARCH,
        "conftest.py": FILES["conftest.py"] + MORE_FIXTURES,
    }
    for name, text in written.items():
        pytester.path.joinpath(name).write_text(text, encoding="utf-8")
    best = {"q1": "p1", "q2": "p2", "q3": "p3", "q4": "p5", "q5": "p1", "q6": "p6"}
    pytester.mkdir("runs")
    nightly = Run.from_pairs({query_id: [(doc_id, 1.0)] for query_id, doc_id in best.items()}, "nightly")
    nightly.write(pytester.path / "runs" / "shop.nightly.trec.gz")
    return pytester


def declare(shop: pytest.Pytester, name: str) -> None:
    """Write a file of the page into the project."""
    text = FILES[name]
    if "benchmarks:" not in text:
        systems = text.partition("systems:\n")[2].partition("gates:\n")[0]
        text = f"{DECLARED}{systems}gates:\n{text.partition('gates:' + chr(10))[2]}"
    shop.path.joinpath(name).write_text(text, encoding="utf-8")


def run(shop: pytest.Pytester, *arguments: str) -> str:
    result = shop.runpytest_inprocess(*arguments)
    return f"{int(result.ret)}\n{result.stdout.str()}"


def values(told: str) -> list[tuple[str, str]]:
    """Read measures and their values from the tables of a session."""
    return re.findall(r"(?m)^(\S+) +(\d\.\d{4}) +min", told)


def test_every_source_of_answers_has_its_row() -> None:
    assert re.findall(r"(?m)^\| an? [\w ]+ \| `(\w+):", TEXT) == list(SOURCES)


@pytest.mark.parametrize("name", GATES)
def test_every_gate_of_the_page_is_measured(shop: pytest.Pytester, name: str) -> None:
    declare(shop, name)
    told = run(shop, "--irbench=all")
    missed = [line for line in told.splitlines() if line.startswith(("FAILED", "ERROR"))]
    assert [line.split()[1] for line in missed] == MISSED.get(name, []), told


@pytest.mark.parametrize("number", range(len(PRINTED)), ids=[text.split("\n")[0][:20] for text in PRINTED])
def test_what_the_page_shows_is_printed(
    shop: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    name, old, new = SHOWN[number]
    declare(shop, name)
    path = shop.path / name
    path.write_text(path.read_text().replace(old, new))
    monkeypatch.setattr(Engine, "status", 400)
    assert PRINTED[number] in run(shop, "--irbench=all").replace(os.environ["SOLR_URL"], "${SOLR_URL}")


def test_a_list_to_judge_is_no_qrels_until_it_is_filled_in(shop: pytest.Pytester) -> None:
    declare(shop, "unjudged.irbench.yaml")
    run(shop, "--irbench=all")
    (path,) = shop.path.joinpath("irbench-to-judge").iterdir()
    with pytest.raises(InputError):
        read_qrels(path)
    path.write_text(path.read_text().replace("?", "0"))
    with shop.path.joinpath("qrels.txt").open("a") as qrels:
        qrels.write(path.read_text())
    told = run(shop, "--irbench=all")
    assert "depends" not in told
    assert re.search(r"failed +unjudged.irbench.yaml", told)


def test_a_saved_run_has_the_values_of_its_system(shop: pytest.Pytester) -> None:
    declare(shop, "irbench.yaml")
    told = run(shop, *COMMAND.split())
    saved = sorted(path.name for path in (shop.path / "runs").iterdir())
    assert saved == sorted(f"shop.{name}.trec.gz" for name in (*ASKED, "nightly"))
    files = [f"--irbench-run={name}=runs/shop.{name}.trec.gz" for name in ASKED]
    again = run(shop, "--irbench=all", *files)
    assert len(values(told)) == 2 * (len(ASKED) + 1)
    assert values(again) == values(told)


def test_saved_runs_are_called_as_the_page_says(shop: pytest.Pytester) -> None:
    declare(shop, "more.irbench.yaml")
    path = shop.path / "more.irbench.yaml"
    path.write_text(path.read_text().replace("system: dense", "system: products"))
    run(shop, *COMMAND.split())
    names = {path.name for path in (shop.path / "runs").iterdir()}
    said = set(re.findall(r"`([\w.@]+\.trec\.gz)`", TEXT))
    assert said == {"chat.assistant@manual.trec.gz", "shop.products.2.trec.gz"}
    assert said < names


def test_the_tests_of_an_utterance_are_called_as_the_page_says(shop: pytest.Pytester) -> None:
    declare(shop, "more.irbench.yaml")
    (name,) = re.findall(r"`(assistant\[.+\])`", TEXT)
    shop.runpytest_inprocess(f"more.irbench.yaml::{name}").assert_outcomes(passed=1)


def test_the_numbers_of_http_are_those_of_the_code() -> None:
    assert "twice by default (`retries`)" in TEXT
    assert f"after {2 * BACK_OFF:g} s, {4 * BACK_OFF:g} s, {8 * BACK_OFF:g} s" in TEXT
    assert f"up to {LONGEST_WAIT:g} s" in TEXT
    spec = HttpSpec("http://localhost/{query}", "hits", "id")
    assert (spec.retries, f"({spec.timeout:g} s for each try)" in TEXT) == (2, True)
    assert f"over {MOST:,} documents" in TEXT


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        ("returns an empty one for all queries", "[]"),
        ("raises, or calls `sys.exit` or `pytest.skip`", "pytest.skip('no index')"),
        ("raises, or calls `sys.exit` or `pytest.skip`", "exit(3)"),
        ("takes longer than `timeout` seconds", "time.sleep(0.3)"),
        ("returns another shape, `None`, a NaN, or over 1,000,000 documents", "None"),
        ("returns another shape, `None`, a NaN, or over 1,000,000 documents", "[('p1', float('nan'))]"),
        ("returns a document twice", "['p1', 'p1']"),
    ],
)
def test_what_is_no_answer_is_an_error(shop: pytest.Pytester, row: str, answer: str) -> None:
    assert f"\n| {row} | E" in TEXT
    shop.path.joinpath("broken.py").write_text(
        f"import pytest, time\ndef search(topic, k): return {answer}\n"
    )
    shop.path.joinpath("broken.irbench.yaml").write_text(
        "benchmarks: {shop: {topics: topics.tsv, qrels: qrels.txt}}\n"
        "systems: {broken: {search: broken:search, timeout: 0.1}}\n"
        "gates: [{benchmark: shop, system: broken, thresholds: {P@1: 0.1, AP: 0.1}}]\n"
    )
    shop.runpytest_inprocess("broken.irbench.yaml").assert_outcomes(errors=2)


def test_the_pattern_of_the_page_does_what_passage_to_document_does() -> None:
    (written,) = re.findall(r"`doc_id: (\{pattern.+?\})`", TEXT)
    ids = Ids.from_strings(["p1-2", "p1", "WAPO_1-2-33"])
    mapped = [
        map_ids(ids, parse_doc_ids(value)).to_list()
        for value in (yaml.safe_load(written), "passage_to_document")
    ]
    assert mapped[0] == mapped[1] == ["p1", "p1", "WAPO_1-2"]


def test_links_lead_to_files_and_headings() -> None:
    for page, anchor in re.findall(r"\]\((?!https:)([\w./-]*)(?:#([\w-]+))?\)", TEXT):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8") if page else TEXT
        headings = {
            re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-")
            for line in re.findall(r"(?m)^#+ (.+)$", text)
        }
        assert not anchor or anchor in headings, (page, anchor)


def test_it_is_one_page() -> None:
    assert len(TEXT.splitlines()) < 250
