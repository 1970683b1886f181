"""Asking a system, whatever it is and whatever it does: the right value or the right verdict."""

from __future__ import annotations

import json
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from many_topics import falls_over, write_topics
from small_project import BENCHMARKS, RUN, Project, said, tables

# With equal scores, a score of many digits, and an answer in no order.
ANSWERS = {
    "31_1": {"q": 0.3, "d2": 0.1 + 0.2, "d1": 0.3},
    "007": {"d7": 1e-9, "1e5": 2.5},
    "1e5": {"d3": -1.0},
}
MEASURES = "nDCG@10: 0.1, AP: 0.1, RR: 0.1, P@3: 0.1, Judged@2: 0.1"


class Service:
    """A search service: what it was asked, and what it answers to a query_id and the number of times."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.answer: Callable[[str, int], tuple[int, Any]] = lambda query_id, _times: (200, hits(query_id))
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                self.tell(asked["id"], asked["q"])

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self.tell(asked["id"], asked["q"])

            def tell(self, query_id: str, query: str) -> None:
                service.asked.append((query_id, query))
                times = sum(query_id == one for one, _ in service.asked)
                status, answer = service.answer(query_id, times)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that hung up is no news."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/search"

    @property
    def system(self) -> str:
        """It as a system ``web`` of irbench.yaml, without its closing brackets."""
        return (
            f'web: {{http: {{url: "{self.url}?q={{query}}&id={{query_id}}&k={{k}}", '
            "hits: hits, id: id, score: score"
        )


def hits(query_id: str) -> dict[str, Any]:
    return {"hits": [{"id": doc, "score": score} for doc, score in ANSWERS[query_id].items()]}


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,))
    thread.start()
    yield service
    service.server.shutdown()
    service.server.server_close()
    thread.join()


def gate(project: Project, systems: str, thresholds: str = "RR: 0.5") -> pytest.RunResult:
    """Run one gate over the first of these systems."""
    project.gate(thresholds, systems.partition(":")[0], systems)
    return project.run("--irbench=tiny")


def values(project: Project, *args: str) -> dict[str, dict[str, float]]:
    """What each system's measures are, to the last digit."""
    project.run("--irbench=tiny", "--junitxml=report.xml", *args)
    found: dict[str, dict[str, float]] = {}
    for case in ET.parse(project.path / "report.xml").iter("testcase"):
        told = {p.get("name"): p.get("value", "") for p in case.iter("property")}
        found.setdefault(told["irbench_system"], {})[told["irbench_measure"]] = float(told["irbench_value"])
    return found


# One system, whichever way it is asked


def test_a_fixture_a_path_a_saved_run_and_a_service_have_the_same_values(
    project: Project, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(project.path)
    project.write(
        "engine_of_four.py", f"ANSWERS = {ANSWERS!r}\ndef search(topic, k): return ANSWERS[topic.query_id]\n"
    )
    project.fixtures(f"ANSWERS = {ANSWERS!r}\n")
    gates = f"gates:\n  - {{benchmark: tiny, system: [SYSTEMS], thresholds: {{{MEASURES}}}}}\n"
    systems = f'systems:\n  lib: {{search: "engine_of_four:search"}}\n  {service.system}}}}}\n'
    project.write("irbench.yaml", BENCHMARKS + systems + gates.replace("SYSTEMS", "bm25, lib, web"))
    found = values(project, "--irbench-save-runs=saved")
    saved = "".join(f'  of_{name}: {{run: "saved/{{benchmark}}.{name}.trec.gz"}}\n' for name in found)
    again = gates.replace("SYSTEMS", ", ".join(f"of_{name}" for name in found))
    project.write("irbench.yaml", f"{BENCHMARKS}systems:\n{saved}{again}")
    found |= values(project)
    assert set(found) == {"bm25", "lib", "web", "of_bm25", "of_lib", "of_web"}
    assert len(found["bm25"]) == 5
    assert all(of_one == found["bm25"] for of_one in found.values())
    assert 0.5 < found["bm25"]["nDCG@10"] < 1


@pytest.mark.parametrize(
    "system",
    [
        "async def search(topic, k): return ANSWERS[topic.query_id]",
        "def search(topics, k): return {topic.query_id: ANSWERS[topic.query_id] for topic in topics}",
        "def search_batch(asked, k): return [ANSWERS[topic.query_id] for topic in asked]\nsearch = search_batch",
        "async def search(topics, k): return [ANSWERS[topic.query_id] for topic in topics]",
        "class search:\n    @staticmethod\n    def search_batch(topics, k): return map(ANSWERS.get, (t.query_id for t in topics))",
    ],
    ids=["async", "batch as a mapping", "batch in order", "async batch", "method"],
)
@pytest.mark.parametrize("keys", ["depth: 10", "concurrency: 3, timeout: 30"])
def test_async_systems_and_those_that_take_all_topics_have_the_value_of_a_plain_one(
    project: Project, system: str, keys: str
) -> None:
    project.fixtures(f"{system}\n@pytest.fixture\ndef other(): return search\n")
    result = gate(project, f"other: {{{keys}}}", "nDCG@10: {min: 0.797, max: 0.7971}")
    result.assert_outcomes(passed=2)


# How a fixture is asked stands in irbench.yaml


def test_topics_are_asked_several_at_a_time(project: Project) -> None:
    project.fixtures("""
    from threading import Barrier

    @pytest.fixture
    def together():
        barrier = Barrier(3)
        def search(topic, k):
            barrier.wait(30)
            return ask(topic, k)
        return search
    """)
    gate(project, "together: {concurrency: 3}", "nDCG@10: 0.797").assert_outcomes(passed=1)
    assert sorted(project.calls) == ["007 10", "1e5 10", "31_1 10"]


def test_two_hundred_topics_at_50_ms_take_under_two_seconds(project: Project) -> None:
    write_topics(project, 200)
    # The clock of the retrieval alone: how soon pytest starts is not ours.
    project.fixtures("""
    import time

    @pytest.fixture
    def slow():
        begun = []
        def search(topic, k):
            begun.append(time.monotonic())
            time.sleep(0.05)
            return [f"d{topic.query_id}"]
        yield search
        (FOLDER / "took").write_text(str(max(begun) + 0.05 - min(begun)))
    """)
    gate(project, "slow: {concurrency: 8}", "RR: 1.0").assert_outcomes(passed=1)
    assert 1.2 < float((project.path / "took").read_text()) < 2


def test_a_timeout_is_an_error_with_its_query_and_the_session_goes_on(project: Project) -> None:
    project.fixtures("""
    from threading import Event

    @pytest.fixture
    def hanging():
        return lambda topic, k: Event().wait() if topic.query_id == "007" else ask(topic, k)
    """)
    systems = "systems: {hanging: {timeout: 0.2}}\n"
    gates = "gates: [{benchmark: tiny, system: [hanging, bm25], thresholds: {RR: 0.5, AP: 0.5}}]\n"
    project.write("irbench.yaml", BENCHMARKS + systems + gates)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2, errors=2)
    assert "'hanging' did not answer query '007' (james bond) within its timeout of 0.2 seconds" in said(
        result
    )


@pytest.mark.parametrize(
    ("keys", "outcomes", "message"),
    [
        ("depth: 5", {"errors": 1}, "query '31_1' (what is throat cancer)"),
        ("duplicates: first", {"passed": 1}, "0.7970"),
    ],
)
def test_a_document_that_comes_twice_is_an_error_unless_the_first_one_counts(
    project: Project, keys: str, outcomes: dict[str, int], message: str
) -> None:
    project.fixtures("@pytest.fixture\ndef twice(): return lambda t, k: [*ask(t, k), *ask(t, k)]\n")
    result = gate(project, f"twice: {{{keys}}}", "nDCG@10: 0.797")
    result.assert_outcomes(**outcomes)
    assert message in said(result)


# Latency


def test_latencies_are_thresholds(project: Project) -> None:
    project.fixtures("""
    import time

    @pytest.fixture
    def slow():
        def search(topic, k):
            time.sleep(0.1 if topic.query_id == "007" else 0)
            return ask(topic, k)
        return search
    """)
    limits = "latency_p50_ms: {max: 90}, latency_p95_ms: {max: 90000}, latency_max_ms: {max: 99}"
    result = gate(project, "slow: {depth: 3}", limits)
    result.assert_outcomes(passed=2, failed=1)
    failed = next(line for line in result.outlines if line.startswith("FAILED"))
    assert "irbench.yaml::slow[tiny-latency_max_ms-max] - Failed: latency_max_ms = 1" in failed
    assert ", above max 99" in failed
    highest = said(result).partition("highest queries:")[2].splitlines()[2]
    assert highest.split()[0] == "007"


def test_the_latency_of_a_run_file_is_an_error_that_says_why(project: Project) -> None:
    project.run("--irbench=tiny", "--irbench-save-runs=.")
    result = gate(project, "saved: {run: tiny.bm25.trec.gz}", "latency_p95_ms: {max: 1000}")
    result.assert_outcomes(errors=1)
    assert "latency was not measured: that takes a system that is asked topic by topic" in said(result)


# What goes wrong at query 17 of 20


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise OSError('index is closed')", "failed on query '17' (number 17): OSError: index is closed"),
        ("os.environ['NO_SUCH_KEY']", "failed on query '17' (number 17): KeyError: 'NO_SUCH_KEY'"),
        (
            "return None",
            "answered query '17' (number 17) with NoneType None; accepted are (doc_id, score) pairs",
        ),
        ("return 17", "answered query '17' (number 17) with int 17; accepted are"),
        ("return [('d17', float('nan'))]", "answered query '17' (number 17) wrongly: "),
        ("return ['d17', 'd17']", "answered query '17' (number 17) wrongly: "),
        ("return {'d17': 'high'}", "answered query '17' (number 17) wrongly: "),
    ],
)
def test_a_query_without_an_answer_is_an_error_of_every_threshold(
    project: Project, body: str, message: str
) -> None:
    falls_over(project, body)
    project.gate("RR: 0.1, P@1: {max: 0.99}", system="troubled")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=2)
    assert said(result).count(f"] - Failed: system 'troubled' {message}") == 2
    assert len(project.calls) == 17


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return []", "1 judged query without results, counted as 0: 17"),
        ("return {}", "1 judged query without results, counted as 0: 17"),
        ("return ['stranger']", "1. stranger  unjudged"),
    ],
)
def test_a_query_whose_answer_is_no_good_counts_0(project: Project, body: str, told: str) -> None:
    falls_over(project, body)
    project.gate("RR: 0.96, P@1: {min: 0.95, max: 0.95}", system="troubled")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1, passed=2)
    assert "RR(rel=2) = 0.9500, below min 0.9600 (short by 0.0100)" in said(result)
    assert told in said(result)


def test_a_system_that_hangs_is_an_error(project: Project) -> None:
    falls_over(project, "import threading; threading.Event().wait()")
    gate(project, "troubled: {timeout: 0.3, concurrency: 4}").assert_outcomes(errors=1)


@pytest.mark.parametrize("answer", ["[]", "['stranger']"])
def test_a_system_that_finds_nothing_for_any_query_never_passes(project: Project, answer: str) -> None:
    project.fixtures(f"@pytest.fixture\ndef empty(): return lambda topic, k: {answer}\n")
    project.gate("nDCG@10: {max: 0.5}, P@1: 0.0001", system="empty")
    result = project.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    if answer == "[]":
        result.assert_outcomes(errors=2)
        assert "system 'empty' returned nothing for all 3 topics" in said(result)
    else:
        assert "none of the returned documents is judged for its query" in tables(result)


@pytest.mark.parametrize("death", ["os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_system_that_takes_the_process_along_is_never_a_success(project: Project, death: str) -> None:
    falls_over(project, death)
    project.gate("RR: 0.1", system="troubled")
    assert project.spawn("--irbench=tiny").ret not in {0, pytest.ExitCode.TESTS_FAILED}


@pytest.mark.parametrize("death", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_worker_that_dies_with_its_system_fails_each_threshold(project: Project, death: str) -> None:
    falls_over(project, death)
    gates = "gates: [{benchmark: tiny, system: troubled, thresholds: {RR: 0.1, P@1: 0.1}},"
    gates += " {benchmark: tiny, system: found, thresholds: {RR: 0.1}}]"
    project.fixtures("@pytest.fixture\ndef found(): return lambda topic, k: [f'd{topic.query_id}']\n")
    project.write("irbench.yaml", f"{BENCHMARKS}{gates}")
    result = project.spawn("--irbench=tiny", "-n2")
    result.assert_outcomes(failed=2, passed=1)
    assert "crashed while running 'irbench.yaml::troubled[tiny-RR-min]'" in said(result)


# Services


def test_a_service_is_asked_for_each_topic_once(project: Project, service: Service) -> None:
    gate(project, f"{service.system}}}}}", "RR: 0.5, AP: 0.1").assert_outcomes(passed=2)
    assert service.asked == [
        ("31_1", "what is throat cancer"),
        ("007", "james bond"),
        ("1e5", "how far is 100 km"),
    ]


def test_a_service_is_asked_with_a_body(project: Project, service: Service) -> None:
    keys = f'url: "{service.url}", json: {{q: "{{query}}", id: "{{query_id}}", size: "{{k}}"}}'
    systems = f"web: {{http: {{{keys}, hits: hits, id: id, score: score}}, concurrency: 2}}"
    gate(project, systems, "RR: 0.5").assert_outcomes(passed=1)
    assert len(service.asked) == 3


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_refusal_is_an_error_with_its_status_and_the_query(
    project: Project, service: Service, method: str
) -> None:
    service.answer = lambda query_id, _times: (500 if query_id == "007" else 200, hits(query_id))
    systems = f"{service.system}}}}}"
    if method == "POST":
        keys = f'url: "{service.url}", json: {{q: "{{query}}", id: "{{query_id}}"}}'
        systems = f"web: {{http: {{{keys}, hits: hits, id: id, score: score}}}}"
    result = gate(project, systems, "RR: 0.5, AP: 0.1")
    result.assert_outcomes(errors=2)
    told = f"system 'web' failed on query '007' (james bond): {method} {service.url}"
    assert told in said(result)
    assert "answered 500 Internal Server Error" in said(result)
    # Of our own code there is nothing to see.
    assert "Traceback" not in said(result)
    assert [query_id for query_id, _ in service.asked] == ["31_1", "007"]


def test_a_busy_service_is_asked_again(project: Project, service: Service) -> None:
    service.answer = lambda query_id, times: (503 if times == 1 else 200, hits(query_id))
    gate(project, f"{service.system}, retries: 1}}}}").assert_outcomes(passed=1)
    assert len(service.asked) == 6


def test_a_service_that_stays_busy_is_an_error(project: Project, service: Service) -> None:
    service.answer = lambda query_id, _times: (503, hits(query_id))
    result = gate(project, f"{service.system}, retries: 1}}}}")
    result.assert_outcomes(errors=1)
    assert "answered 503 Service Unavailable after 1 retry" in said(result)


def test_a_service_that_is_too_slow_is_an_error(project: Project, service: Service) -> None:
    waits = threading.Event()
    service.answer = lambda query_id, _times: (waits.wait(30) and 200 or 200, hits(query_id))
    result = gate(project, f"{service.system}, timeout: 0.2}}}}")
    waits.set()
    result.assert_outcomes(errors=1)
    assert "no answer within its timeout of 0.2 s" in said(result)


def test_an_answer_without_hits_says_what_the_answer_has(project: Project, service: Service) -> None:
    service.answer = lambda _query_id, _times: (200, {"results": [], "took": 3})
    result = gate(project, f"{service.system}}}}}")
    result.assert_outcomes(errors=1)
    assert "hits 'hits' gives nothing; the answer is a mapping with results, took" in said(result)


def test_a_service_that_does_not_run_is_an_error(project: Project, service: Service) -> None:
    service.server.server_close()
    result = gate(project, f"{service.system}, retries: 0}}}}")
    result.assert_outcomes(errors=1)
    assert "Connection refused; is the service running?" in said(result)


def test_the_other_thresholds_of_a_run_file_are_decided_all_the_same(project: Project) -> None:
    project.write("run.txt", RUN)
    result = gate(project, "saved: {run: run.txt}", "latency_p95_ms: {max: 1000}, nDCG@10: 0.5")
    result.assert_outcomes(passed=1, errors=1)


def test_where_an_error_was_raised_is_told_once_for_all_thresholds(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(scope="session")
    def broken():
        def search(topic, k):
            raise RuntimeError("the index is gone")
        return search
    """)
    project.gate("nDCG@10: 0.5, RR: 0.5, AP: 0.5", system="broken")
    text = said(project.run("--irbench=tiny", "-rN"))
    assert text.count("the index is gone") >= 3
    assert text.count('raise RuntimeError("the index is gone")') == 1
