"""The real data of the six benchmarks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.benchmarks.builtin import BUILTIN
from pytest_irbench.benchmarks.datasets import load_builtin, load_ir_datasets
from pytest_irbench.benchmarks.home import data_home, is_on_disk
from pytest_irbench.errors import DataUnavailableError

pytestmark = pytest.mark.usefixtures("published_home")


@pytest.fixture(scope="module")
def cast19(published_home: Path) -> Benchmark:
    return load_builtin("cast19")


@pytest.fixture(scope="module")
def cast21(published_home: Path) -> Benchmark:
    return load_builtin("cast21")


@pytest.mark.parametrize("name", BUILTIN)
def test_has_the_judged_topics_and_all_judgments(name: str) -> None:
    benchmark, info = load_builtin(name), BUILTIN[name]
    assert len(benchmark.topics) == len(benchmark.qrels.query_ids) == info.judged
    assert len(benchmark.qrels) == info.judgments
    assert benchmark.topics.sha256 == info.topics_sha256
    assert benchmark.qrels.sha256 == info.qrels_sha256


@pytest.mark.parametrize(
    ("name", "query_id", "text"),
    [
        ("cast19", "31_1", "What is throat cancer?"),
        ("cast21", "106_1", "I just had a breast biopsy for cancer. What are the most common types?"),
        ("dl19-passage", "156493", "do goldfish grow"),
        ("dl19-doc", "156493", "do goldfish grow"),
        ("dl20-passage", "1030303", "who is aziz hashim"),
        ("dl20-doc", "1030303", "who is aziz hashim"),
    ],
)
def test_first_topic(name: str, query_id: str, text: str) -> None:
    first = load_builtin(name).topics[0]
    assert (first.query_id, first) == (query_id, text)


def test_the_tasks_of_dl19_judge_different_queries() -> None:
    passage = set(load_builtin("dl19-passage").qrels.query_ids)
    document = set(load_builtin("dl19-doc").qrels.query_ids)
    assert (len(passage - document), len(document - passage)) == (2, 2)


def test_cast19_turn_knows_all_earlier_turns_also_unjudged_ones(cast19: Benchmark) -> None:
    judged = set(cast19.qrels.query_ids)
    for topic in cast19.topics:
        assert [turn.query_id for turn in topic.history] == [
            f"{topic.conversation}_{number}" for number in range(1, topic.turn)
        ]
    assert any(turn.query_id not in judged for topic in cast19.topics for turn in topic.history)
    assert all(turn.response is None for topic in cast19.topics for turn in topic.history)


def test_cast19_manual_rewrites_resolve_what_the_user_left_out(cast19: Benchmark) -> None:
    topic = cast19.topics.by_id("31_2")
    assert (topic.raw, topic.manual) == ("Is it treatable?", "Is throat cancer treatable?")
    assert all(topic.manual for topic in cast19.topics)


def test_cast21_history_has_the_canonical_responses(cast21: Benchmark) -> None:
    second = cast21.topics.by_id("106_2")
    (first,) = second.history
    assert first.response_id == "MARCO_D59865-7"
    assert first.response.startswith("More research is needed. Types Breast cancer can be: Ductal carcinoma")
    assert all(turn.response and turn.response_id for topic in cast21.topics for turn in topic.history)


def test_cast21_has_both_rewrites(cast21: Benchmark) -> None:
    second = cast21.topics.by_id("106_2")
    assert second.manual == "Once it breaks out, how likely is lobular carcinoma breast cancer to spread?"
    assert second.automatic == "Once the cancer breaks out, how likely is it to spread?"


def test_all_are_on_disk() -> None:
    assert all(is_on_disk(name) for name in BUILTIN)


def test_other_data_sets_of_ir_datasets_load_by_id() -> None:
    cast20 = load_ir_datasets("trec-cast/v1/2020/judged", "cast20", measures=["nDCG@3"])
    assert (len(cast20.topics), cast20.measures) == (208, ("nDCG@3",))
    topic = cast20.topics.by_id("81_3")
    assert topic.history[0].response_id == "MARCO_5498474"
    assert topic.manual == "How much does it cost for someone to repair a garage door opener?"


def test_cut_judgments_are_named(own_home: Path) -> None:
    shutil.rmtree(own_home / ".irbench", ignore_errors=True)
    path = own_home / "msmarco-passage" / "trec-dl-2019" / "qrels"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:8000]))
    with pytest.raises(DataUnavailableError) as caught:
        load_builtin("dl19-passage")
    assert str(caught.value) == (
        f"{path} has 8,000 judgments, the published file has 9,260: truncated or edited; "
        "delete it and it is fetched again"
    )


def test_a_folder_with_the_files_alone_is_enough(published_home: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(tmp_path))
        assert data_home() == tmp_path
        shutil.copytree(
            published_home / "msmarco-document" / "trec-dl-2020", tmp_path / "msmarco-document/trec-dl-2020"
        )
        assert is_on_disk("dl20-doc")
        assert not is_on_disk("dl20-passage")
        assert len(load_builtin("dl20-doc").topics) == 45
