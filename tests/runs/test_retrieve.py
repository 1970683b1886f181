"""Asking a system for every topic."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError, IrbenchError, SystemFailedError
from pytest_irbench.runs.retrieve import load_system, retrieve

BENCHMARK = Benchmark(
    "tiny",
    Topics([Topic("do goldfish grow", "1"), Topic("what is  it", "2")]),
    Qrels.from_mapping({"1": {"a": 1}, "2": {"b": 2}}),
    depth=3,
)


def answering(answer: Any) -> Callable[[Topic, int], Any]:
    """Make a system that always gives this answer."""

    def bm25(topic: Topic, k: int) -> Any:
        return answer

    return bm25


def generated() -> Iterator[tuple[str, float]]:
    yield "a", 2.0
    yield "b", 1.0


@pytest.mark.parametrize(
    "answer",
    [
        [("a", 2.0), ("b", 1.0)],
        (("a", 2.0), ("b", 1.0)),
        [["a", 2], ["b", 1]],
        [("a", np.float32(2)), ("b", np.int64(1))],
        {"a": 2.0, "b": 1.0},
        {"a": 2.0, "b": 1.0}.items(),
        ["a", "b"],
        ("a", "b"),
        [np.str_("a"), np.str_("b")],
    ],
    ids=["pairs", "tuple", "lists", "numpy", "mapping", "items", "ids", "ids-tuple", "numpy-ids"],
)
def test_accepted_answers(answer: Any) -> None:
    run = retrieve(BENCHMARK, answering(answer))
    assert run.to_mapping() == {query: {"a": 2.0, "b": 1.0} for query in ("1", "2")}


def test_generators_and_iterators_are_accepted() -> None:
    for system in (lambda _topic, _k: generated(), lambda _topic, _k: iter(list(generated()))):
        assert retrieve(BENCHMARK, system).to_mapping()["2"] == {"a": 2.0, "b": 1.0}


def test_ids_in_order_rank_in_that_order() -> None:
    run = retrieve(BENCHMARK, answering(["c", "a", "b"]))
    assert run.to_mapping()["1"] == {"c": 3.0, "a": 2.0, "b": 1.0}


def test_document_ids_may_be_whole_numbers_in_pairs() -> None:
    assert retrieve(BENCHMARK, answering([(7, 1.0)])).to_mapping()["1"] == {"7": 1.0}


def test_a_system_is_asked_once_per_topic_with_text_and_depth() -> None:
    asked = []

    def search(topic: Topic, k: int) -> list[str]:
        asked.append((topic.query_id, str(topic), k))
        return ["a"]

    retrieve(BENCHMARK, search)
    retrieve(BENCHMARK, search, depth=7)
    assert asked == [
        (query, text, k) for k in (3, 7) for query, text in (("1", "do goldfish grow"), ("2", "what is  it"))
    ]


def test_the_run_knows_its_benchmark_and_its_system() -> None:
    run = retrieve(BENCHMARK, answering(["a"]))
    assert run.benchmark is BENCHMARK
    assert run.name == "bm25"
    assert retrieve(BENCHMARK, answering(["a"]), name="mine").name == "mine"


def test_a_system_without_a_name_is_called_after_its_class() -> None:
    class Searcher:
        def __call__(self, topic: Topic, k: int) -> list[str]:
            return ["a"]

    assert retrieve(BENCHMARK, Searcher()).name == "Searcher"


def lazily() -> Callable[[Topic, int], Any]:
    return lambda _topic, _k: ["a"]


class Index:
    def search(self, _topic: Topic, _k: int) -> list[str]:
        return ["a"]

    def searcher(self) -> Callable[[Topic, int], Any]:
        return lambda _topic, _k: ["a"]


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (lazily(), "lazily"),
        (Index().searcher(), "searcher"),
        (Index().search, "search"),
        (lambda _topic, _k: ["a"], "<lambda>"),
    ],
    ids=["lambda", "lambda of a method", "method", "lambda of a module"],
)
def test_a_lambda_is_called_after_the_function_that_made_it(system: Any, name: str) -> None:
    assert retrieve(BENCHMARK, system).name == name


def test_a_benchmark_retrieves_under_a_given_name() -> None:
    assert BENCHMARK.retrieve(lazily(), name="mine").name == "mine"


def test_a_benchmark_retrieves_with_its_depth() -> None:
    run = BENCHMARK.retrieve(answering(["a", "b", "c", "d"]))
    assert list(run.to_mapping()["1"]) == ["a", "b", "c"]
    assert list(BENCHMARK.retrieve(answering(["a", "b"]), depth=1).to_mapping()["1"]) == ["a"]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_longer_answers_are_cut_as_they_will_be_ranked(k: int) -> None:
    answer = [("D9", 1.0), ("D10", 1.0), ("\U0001f600", 1.0), ("\uffff", 1.0), ("low", 0.5), ("high", 2)]
    run = retrieve(BENCHMARK, answering(answer), depth=k)
    assert run.to_mapping()["1"] == dict([("high", 2.0), ("\U0001f600", 1.0), ("\uffff", 1.0)][:k])


def test_a_topic_without_results_stays_in_the_run() -> None:
    run = retrieve(BENCHMARK, lambda topic, _k: ["a"] if topic.query_id == "1" else [])
    assert run.to_mapping() == {"1": {"a": 1.0}, "2": {}}


@pytest.mark.parametrize("nothing", [[], {}, ()])
def test_nothing_for_every_topic_is_a_failure(nothing: Any) -> None:
    with pytest.raises(SystemFailedError) as caught:
        retrieve(BENCHMARK, answering(nothing))
    assert str(caught.value) == "system 'bm25' returned nothing for all 2 topics"


ACCEPTED = (
    "accepted are (doc_id, score) pairs, a mapping doc_id -> score, doc_ids best first, "
    "or objects with doc_id, docid or id and score; without results, an empty list"
)


@pytest.mark.parametrize(
    ("answer", "described"),
    [
        (None, "NoneType None"),
        ("a", "str 'a'"),
        (b"a", "bytes b'a'"),
        (3, "int 3"),
        ([7, 8], "list [7, 8]"),
        ([("a",)], "list [('a',)]"),
        ([("a", 1.0, 2.0)], "list [('a', 1.0, 2.0)]"),
        (["a", ("b", 1.0)], "list ['a', ('b', 1.0)]"),
        (["x" * 100], None),
    ],
)
def test_other_answers_are_failures_of_the_system(answer: Any, described: str | None) -> None:
    if described is None:
        answer, described = [0, *answer], f"list [0, '{'x' * 74}…"
    with pytest.raises(SystemFailedError) as caught:
        retrieve(BENCHMARK, answering(answer))
    assert (
        str(caught.value)
        == f"system 'bm25' answered query '1' (do goldfish grow) with {described}; {ACCEPTED}"
    )


def test_a_set_of_ids_is_no_ranking() -> None:
    with pytest.raises(SystemFailedError, match=r"answered query '1' \(do goldfish grow\) with set"):
        retrieve(BENCHMARK, answering({"a"}))


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ([("a", float("nan"))], "the score of document 'a' for query '1' is NaN"),
        ([("a", None)], "the score None of document 'a' for query '1' is NoneType, not a real number"),
        ([("a", "1.0")], "the score '1.0' of document 'a' for query '1' is str, not a real number"),
        ([("a", 2.0), ("b", 1.5), ("a", 1.0)], "document 'a' is returned twice for query '1'"),
        (["a", "b", "a"], "document 'a' is returned twice for query '1'"),
        ([(None, 1.0)], "the document id None is NoneType: ids are text"),
    ],
)
def test_answers_that_are_no_ranking_are_failures_with_their_query(answer: Any, fault: str) -> None:
    with pytest.raises(SystemFailedError) as caught:
        retrieve(BENCHMARK, answering(answer))
    assert str(caught.value) == f"system 'bm25' answered query '1' (do goldfish grow) wrongly: {fault}"


def test_an_exception_of_the_system_becomes_a_failure_with_the_query() -> None:
    def search(topic: Topic, k: int) -> list[str]:
        if topic.query_id == "2":
            raise ConnectionError("index is down")
        return ["a"]

    with pytest.raises(SystemFailedError) as caught:
        retrieve(BENCHMARK, search)
    assert (
        str(caught.value)
        == "system 'search' failed on query '2' (what is it): ConnectionError: index is down"
    )
    assert isinstance(caught.value.__cause__, ConnectionError)


def broken_generator() -> Iterator[tuple[str, float]]:
    yield "a", 1.0
    raise ConnectionError("index is down")


@pytest.mark.parametrize("lazy", [broken_generator, lambda: map(int, ["x"])], ids=["generator", "map"])
def test_an_exception_of_a_lazy_answer_is_a_failure_with_the_query(lazy: Callable[[], Any]) -> None:
    with pytest.raises(SystemFailedError, match=r"^system 'lazy' failed on query '1' \(do goldfish grow\): "):
        retrieve(BENCHMARK, lambda _topic, _k: lazy(), name="lazy")


def test_a_long_query_is_shortened_in_messages() -> None:
    benchmark = Benchmark("long", Topics([Topic("word " * 50, "1")]), Qrels.from_mapping({"1": {"a": 1}}))
    with pytest.raises(SystemFailedError) as caught:
        retrieve(benchmark, answering(None))
    assert f"query '1' ({'word ' * 11}word…)" in str(caught.value)


def test_interrupts_are_not_swallowed() -> None:
    def search(topic: Topic, k: int) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retrieve(BENCHMARK, search)


def test_what_cannot_be_called_is_no_system() -> None:
    with pytest.raises(SystemFailedError) as caught:
        retrieve(BENCHMARK, {"a": 1.0})
    assert str(caught.value) == (
        "system 'dict' is of type dict, which can't be called: it must be a callable search(topic, k)"
    )


@pytest.mark.parametrize("depth", [0, -1])
def test_depth_is_at_least_1(depth: int) -> None:
    with pytest.raises(InputError, match=f"depth must be at least 1, not {depth}"):
        retrieve(BENCHMARK, answering(["a"]), depth=depth)


@pytest.mark.parametrize("concurrency", [0, -1])
def test_concurrency_is_at_least_1(concurrency: int) -> None:
    with pytest.raises(InputError, match=f"concurrency must be at least 1, not {concurrency}"):
        retrieve(BENCHMARK, answering(["a"]), concurrency=concurrency)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e300])
def test_a_timeout_is_a_number_of_seconds_above_0(timeout: float) -> None:
    with pytest.raises(InputError, match=re.escape(f"seconds above 0, not {timeout}")):
        retrieve(BENCHMARK, answering(["a"]), timeout=timeout)


def test_of_a_document_that_is_returned_twice_the_first_may_count() -> None:
    run = retrieve(BENCHMARK, answering(["a", "b", "a", "c", "d"]), duplicates="first")
    assert run.to_mapping()["2"] == {"a": 5.0, "b": 4.0, "c": 2.0}


TURNS = Benchmark(
    "turns",
    Topics(
        [
            Topic("what is throat cancer", "31_1", automatic="throat cancer", manual="Throat cancer?"),
            Topic(
                "is it treatable", "31_2", automatic="treatable", manual=lambda: "Is throat cancer treatable?"
            ),
        ]
    ),
    Qrels.from_mapping({"31_1": {"a": 1}, "31_2": {"b": 2}}),
)


@pytest.mark.parametrize(
    ("utterance", "texts"),
    [
        ("raw", ["what is throat cancer", "is it treatable"]),
        ("manual", ["Throat cancer?", "Is throat cancer treatable?"]),
        ("automatic", ["throat cancer", "treatable"]),
    ],
)
def test_turns_are_asked_in_the_words_that_are_chosen(utterance: Any, texts: list[str]) -> None:
    asked = []

    def search(topic: Topic, k: int) -> list[str]:
        asked.append((topic.query_id, str(topic), topic.raw))
        return ["a"]

    retrieve(TURNS, search, utterance=utterance)
    assert [text for _, text, _ in asked] == texts
    assert [raw for _, _, raw in asked] == ["what is throat cancer", "is it treatable"]
    assert [query_id for query_id, _, _ in asked] == ["31_1", "31_2"]


@pytest.mark.parametrize("utterance", ["manual", "automatic"])
def test_without_such_words_nothing_is_asked(utterance: Any) -> None:
    def search(topic: Topic, k: int) -> list[str]:
        raise AssertionError

    with pytest.raises(InputError) as caught:
        retrieve(BENCHMARK, search, utterance=utterance)
    assert str(caught.value) == f"query '1' has no {utterance} utterance: take utterance raw"


def test_the_run_knows_how_long_each_answer_took() -> None:
    latencies = retrieve(BENCHMARK, answering(["a"]), concurrency=2).latencies
    assert list(latencies) == ["1", "2"]
    assert all(0 < latency < 1000 for latency in latencies.values())
    assert retrieve(BENCHMARK, lambda topics, k: [["a"]] * 2).latencies == {}


def test_each_topic_that_is_answered_is_told() -> None:
    told: list[None] = []
    retrieve(BENCHMARK, answering(["a"]), step=lambda: told.append(None))
    assert len(told) == 2


MODULE = """
def search(topic, k):
    return ["a"]

class Searcher:
    def __call__(self, topic, k):
        return ["b"]
    def search(self, topic, k):
        return ["c"]

class Picky(Searcher):
    def __init__(self, index):
        pass

def make():
    return Searcher()

def broken():
    raise OSError("no index")

def interrupted():
    raise KeyboardInterrupt

ready = Searcher()
"""


@pytest.fixture
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put a package ``irbench_shop`` and a module that can't be imported on the path."""
    package = tmp_path / "irbench_shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "found.py").write_text(MODULE)
    (package / "broken.py").write_text("import os\nos.nothing\n")
    (package / "stopped.py").write_text("raise KeyboardInterrupt\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [name for name in sys.modules if name.startswith("irbench_shop")]:
        del sys.modules[name]


@pytest.mark.usefixtures("_shop")
@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("irbench_shop.found:search", "a"),
        ("irbench_shop.found:Searcher", "b"),
        ("irbench_shop.found:Searcher()", "b"),
        ("irbench_shop.found:make()", "b"),
        ("irbench_shop.found:ready", "b"),
        ("irbench_shop.found:ready.search", "c"),
    ],
)
def test_a_system_is_loaded_by_module_and_attribute(reference: str, found: str) -> None:
    assert retrieve(BENCHMARK, load_system(reference)).to_mapping()["1"] == {found: 1.0}


@pytest.mark.usefixtures("_shop")
@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("irbench_nowhere:search", "No module named 'irbench_nowhere'; is its folder on sys.path (pytest's ini option pythonpath)?"),
        ("irbench_shop.found:serch", "irbench_shop.found has no 'serch'"),
        ("irbench_shop.found:ready.nothing", "irbench_shop.found has no 'ready.nothing'"),
        ("irbench_shop.broken:search", "importing failed: AttributeError: module 'os' has no attribute 'nothing'"),
        ("irbench_shop.found:broken()", "building it failed: OSError: no index"),
        ("irbench_shop.found:Picky", "building it failed: TypeError: Picky.__init__() missing 1 required positional argument: 'index'"),
    ],
)  # fmt: skip
def test_a_system_that_cannot_be_loaded_says_why(reference: str, message: str) -> None:
    with pytest.raises(IrbenchError, match=re.escape(f"search {reference!r}: {message}")):
        load_system(reference)


@pytest.mark.usefixtures("_shop")
@pytest.mark.parametrize("reference", ["irbench_shop.found:interrupted()", "irbench_shop.stopped:search"])
def test_an_interrupt_while_a_system_is_loaded_is_not_swallowed(reference: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_system(reference)


@pytest.mark.usefixtures("_shop")
@pytest.mark.parametrize("reference", ["irbench_shop.found", "irbench_shop.found:", ":search", ""])
def test_a_reference_without_module_or_attribute_is_refused(reference: str) -> None:
    with pytest.raises(IrbenchError, match=f"search {reference!r}: "):
        load_system(reference)
