"""The table of built-in benchmarks, and how they are named."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES, expand, unknown_benchmark
from pytest_irbench.benchmarks.datasets import load_builtin, load_ir_datasets
from pytest_irbench.measures.measure import Measure


def test_protocols_are_those_of_the_tracks() -> None:
    protocols = {name: (info.judged, info.relevance_level, info.depth) for name, info in BUILTIN.items()}
    assert protocols == {
        "cast19": (173, 1, 1000),
        "cast21": (158, 2, 500),
        "dl19-passage": (43, 2, 1000),
        "dl19-doc": (43, 1, 100),
        "dl20-passage": (54, 2, 1000),
        "dl20-doc": (45, 1, 100),
    }


@pytest.mark.parametrize(
    ("name", "primary"),
    [("cast19", "nDCG@3"), ("cast21", "nDCG@3"), ("dl19-doc", "RR"), ("dl19-passage", "nDCG@10")],
)
def test_primary_measure_comes_first(name: str, primary: str) -> None:
    assert BUILTIN[name].measures[0] == primary


@pytest.mark.parametrize("name", BUILTIN)
def test_every_measure_of_the_table_can_be_parsed(name: str) -> None:
    for text in BUILTIN[name].measures:
        Measure.parse(text)


def test_family_stands_for_its_members() -> None:
    assert expand("dl20") == ("dl20-passage", "dl20-doc")
    assert expand("cast19") == ("cast19",)
    assert {name for members in FAMILIES.values() for name in members} == set(BUILTIN)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("dl20_passage", "dl20-passage"), ("DL20", "dl20"), ("cast2019", "cast19"), ("helpdsk", "helpdesk")],
)
def test_unknown_name_suggests_the_nearest(typed: str, meant: str) -> None:
    assert unknown_benchmark(typed, ["helpdesk"]) == f"unknown benchmark {typed!r}, did you mean {meant!r}?"


def test_unknown_name_without_a_near_one_lists_all_the_declared_ones_first() -> None:
    assert unknown_benchmark("zzz", ["helpdesk", "faq"]) == (
        "unknown benchmark 'zzz': known are helpdesk, faq, cast19, cast21, dl19-passage, dl19-doc, "
        "dl20-passage, dl20-doc, cast, dl19, dl20"
    )


@pytest.mark.usefixtures("published_home")
@pytest.mark.parametrize("name", [name for name in BUILTIN if name != "cast21"])
def test_builtin_equals_what_ir_datasets_registers_under_its_id(name: str) -> None:
    ours, theirs = load_builtin(name), load_ir_datasets(BUILTIN[name].source, name)
    assert [(topic.query_id, str(topic)) for topic in ours.topics] == [
        (topic.query_id, str(topic)) for topic in theirs.topics
    ]
    assert [topic.history for topic in ours.topics] == [topic.history for topic in theirs.topics]
    assert ours.qrels.sha256 == theirs.qrels.sha256


def test_names_and_presence_are_known_without_importing_ir_datasets() -> None:
    code = (
        "import sys; from pytest_irbench.benchmarks.home import is_on_disk;"
        "is_on_disk('dl20-doc'); print('ir_datasets' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
