"""Topics are text that knows where it comes from; a benchmark holds them with its qrels."""

import copy
import pickle
from dataclasses import replace

import pytest

from pytest_irbench import Benchmark, Qrels, Topic, Topics, Turn
from pytest_irbench.errors import InputError


@pytest.fixture
def turn() -> Topic:
    earlier = Turn("31_1", "What is throat cancer?", "A cancer of the throat.", "MARCO_1")
    return Topic(
        "Is it treatable?",
        "31_2",
        conversation="31",
        turn=2,
        history=[earlier],
        manual="Is throat cancer treatable?",
    )


def test_a_topic_is_its_text(turn: Topic) -> None:
    assert turn == "Is it treatable?"
    assert turn.lower() == "is it treatable?"
    assert turn.raw == turn
    assert repr(turn) == "Topic('Is it treatable?', query_id='31_2')"


def test_a_turn_knows_its_conversation(turn: Topic) -> None:
    assert (turn.conversation, turn.turn, turn.manual, turn.automatic) == (
        "31",
        2,
        "Is throat cancer treatable?",
        None,
    )
    assert [(t.query_id, t.utterance, t.response) for t in turn.history] == [
        ("31_1", "What is throat cancer?", "A cancer of the throat.")
    ]


def test_a_rewrite_may_be_found_when_first_needed() -> None:
    asked = []
    topic = Topic("Is it?", "31_2", manual=lambda: asked.append(1) or "Is throat cancer?")
    assert asked == []
    assert topic.manual == "Is throat cancer?"


def test_a_turn_can_be_said_in_other_words(turn: Topic) -> None:
    manual = turn.saying("manual")
    assert manual == "Is throat cancer treatable?"
    assert vars(manual) == vars(turn)
    assert manual.saying("raw") == manual.raw == turn
    assert pickle.loads(pickle.dumps(manual)) == manual


def test_a_turn_cannot_be_said_in_words_that_it_does_not_have(turn: Topic) -> None:
    with pytest.raises(InputError, match="^query '31_2' has no automatic utterance: take utterance raw$"):
        turn.saying("automatic")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda topic: pickle.loads(pickle.dumps(topic))])
def test_a_topic_can_go_to_another_process(turn: Topic, again) -> None:
    other = again(turn)
    assert other == turn
    assert vars(other) == vars(turn)


def test_candidates_may_be_found_when_first_needed() -> None:
    asked = []
    topic = Topic("red shoes", "q1", candidates=lambda: asked.append(1) or ["d2", "d1"])
    assert asked == []
    assert topic.candidates == ("d2", "d1")


def test_a_topic_without_candidates_has_none(turn: Topic) -> None:
    assert turn.candidates is None
    assert turn.offering(()).candidates == ()


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        lambda topic: pickle.loads(pickle.dumps(topic)),
        lambda topic: topic.saying("manual"),
    ],
)
def test_candidates_stay_with_a_topic(turn: Topic, again) -> None:
    assert again(turn.offering(["d2", "d1"])).candidates == ("d2", "d1")


def test_topics_are_found_by_position_and_by_id(turn: Topic) -> None:
    topics = Topics([turn, Topic("x", "007")])
    assert len(topics) == 2
    assert topics[0] is turn
    assert [t.query_id for t in topics] == ["31_2", "007"]
    assert topics.by_id("007") == "x"
    assert topics.by_id("7") is None


def test_the_pin_of_topics_ignores_their_order_and_blanks() -> None:
    one = Topics([Topic("a  b\n", "1"), Topic("c", "2")])
    assert one.sha256 == Topics([Topic("c", "2"), Topic("a b", "1")]).sha256
    assert one.sha256 != Topics([Topic("a b", "1"), Topic("C", "2")]).sha256


def test_the_topics_of_a_benchmark_know_its_candidates(turn: Topic) -> None:
    qrels = Qrels.from_mapping({"31_2": {"d": 1}, "007": {"d": 1}})
    topics = Topics([turn, Topic("x", "007")])
    benchmark = Benchmark("tiny", topics, qrels, candidates={"31_2": ["d2", "d1"]})
    assert [topic.candidates for topic in benchmark.topics] == [("d2", "d1"), ()]
    other = replace(benchmark, candidates={"007": ["d3"]})
    assert [topic.candidates for topic in other.topics] == [(), ("d3",)]
    assert [topic.candidates for topic in topics] == [None, None]
    assert other.topics.sha256 == topics.sha256


def test_a_benchmark_retrieves_a_run_that_knows_it(turn: Topic) -> None:
    benchmark = Benchmark("tiny", Topics([turn]), Qrels.from_mapping({"31_2": {"d": 1}}))
    run = benchmark.retrieve(lambda topic, k: [("d", 1.0)], depth=5)
    assert run.benchmark is benchmark
    assert run.to_mapping() == {"31_2": {"d": 1.0}}
    assert repr(benchmark) == "<Benchmark tiny: 1 topics>"


def test_a_benchmark_passes_on_how_a_system_is_asked() -> None:
    topics = Topics([Topic("it", "1", manual="the shop")])
    benchmark = Benchmark("mine", topics, Qrels.from_mapping({"1": {"a": 1}}))

    def search(topic: Topic, _k: int) -> list[str]:
        return ["a", "a"] if topic == "the shop" else []

    run = benchmark.retrieve(search, 5, concurrency=2, timeout=5, duplicates="first", utterance="manual")
    assert run.to_mapping() == {"1": {"a": 2.0}}
