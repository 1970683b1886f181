"""What thresholds in YAML can't say, said in Python."""

import pytest

from pytest_irbench import assert_measure, assert_ndcg_at, evaluate


@pytest.fixture
def helpcentre(irbench_benchmark):
    return irbench_benchmark("helpcentre")


@pytest.fixture
def conversations(irbench_benchmark):
    return irbench_benchmark("conversations")


def test_the_title_boost_pays(helpcentre, fts5, fts5_without_title_boost):
    plain = evaluate(helpcentre.retrieve(fts5_without_title_boost), helpcentre.qrels, ["nDCG@10"])
    assert_ndcg_at(helpcentre.retrieve(fts5), 10) >= plain.means["nDCG@10"] + 0.02


def test_history_helps_in_conversations(conversations, fts5, fts5_with_history):
    raw = evaluate(conversations.retrieve(fts5), conversations.qrels, ["nDCG@3"])
    assert_ndcg_at(conversations.retrieve(fts5_with_history), 3) >= raw.means["nDCG@3"] + 0.05


def test_manual_rewrites_are_the_ceiling(conversations, fts5, fts5_with_history):
    def rewritten(topic, k):
        return fts5(topic.manual, k)

    with_history = evaluate(conversations.retrieve(fts5_with_history), conversations.qrels, ["nDCG@3"])
    assert_ndcg_at(conversations.retrieve(rewritten), 3) > with_history.means["nDCG@3"]


def test_short_questions_are_answered_first(helpcentre, fts5):
    short = [topic for topic in helpcentre.topics if len(topic.split()) <= 3]
    run = {topic.query_id: dict(fts5(topic, 10)) for topic in short}
    qrels = {topic.query_id: helpcentre.qrels[topic.query_id] for topic in short}
    assert_measure(run, "RR(rel=2)@10", qrels=qrels) >= 0.9


def test_no_question_goes_unanswered(helpcentre, fts5):
    assert all(fts5(topic, 10) for topic in helpcentre.topics)


def test_the_first_answer_is_right_as_often_as_it_was(helpcentre, fts5, irbench_baseline):
    # The gate holds no Success@1 against its baseline: the stored run is scored by it here.
    assert_measure(helpcentre.retrieve(fts5), "Success@1") >= irbench_baseline("fts5", budget=0.05)
