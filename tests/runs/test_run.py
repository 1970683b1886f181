"""Runs from mappings and pairs, and their way to a file and back."""

from __future__ import annotations

import enum
import gzip
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.run import Run, read_run

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scores = st.floats(allow_nan=False)


@given(st.dictionaries(any_text, st.dictionaries(any_text, scores, max_size=5), max_size=4))
def test_a_mapping_comes_back_as_it_was(mapping: dict[str, dict[str, float]]) -> None:
    run = Run.from_mapping(mapping)
    assert run.to_mapping() == mapping
    assert list(run.rows()) == [(q, d, score) for q, docs in mapping.items() for d, score in docs.items()]
    assert len(run) == sum(map(len, mapping.values()))
    assert run.query_index == {query: index for index, query in enumerate(mapping)}


@given(st.dictionaries(any_text, st.dictionaries(any_text, scores, max_size=5), max_size=4))
def test_pairs_are_the_same_run_as_a_mapping(mapping: dict[str, dict[str, float]]) -> None:
    run = Run.from_pairs({query: iter(docs.items()) for query, docs in mapping.items()})
    assert list(run.rows()) == list(Run.from_mapping(mapping).rows())


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    "score",
    [3, 3.0, np.float32(3), np.float16(3), np.float64(3), np.int64(3), np.int8(3), np.uint64(3), Level.HIGH],
    ids=lambda score: type(score).__name__,
)
def test_real_numbers_of_python_and_numpy_are_scores(score: Any) -> None:
    run = Run.from_mapping({"q1": {"a": score, "b": 2, "c": 1.0}})
    assert run.to_mapping() == {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    means = evaluate(run, {"q1": {"a": 1, "b": 0, "c": 2}}, ["nDCG@10", "RR", "AP"]).means
    assert means == pytest.approx({"nDCG@10": 0.760188, "RR": 1.0, "AP": 0.833333}, abs=1e-6)


@pytest.mark.parametrize(
    "score",
    [None, "3.0", True, np.True_, b"3", 3j, Decimal(3), Fraction(3), [3.0], np.array(3.0)],
    ids=lambda score: type(score).__name__,
)
def test_what_is_no_real_number_is_refused_with_query_document_and_value(score: Any) -> None:
    with pytest.raises(InputError) as caught:
        Run.from_mapping({"q1": {"a": 1.0}, "q2": {"b": 2.0, "c": score}})
    kind = type(score).__name__
    expected = f"the score {score!r} of document 'c' for query 'q2' is {kind}, not a real number"
    assert str(caught.value) == expected


@pytest.mark.parametrize("score", [math.nan, np.float32("nan"), -math.nan])
def test_nan_is_refused_with_query_and_document(score: Any) -> None:
    with pytest.raises(InputError) as caught:
        Run.from_mapping({"q1": {"a": 1.0}, "q2": {"b": 2.0, "c": score}})
    assert str(caught.value) == "the score of document 'c' for query 'q2' is NaN"


def test_infinite_scores_are_scores() -> None:
    run = Run.from_mapping({"q1": {"a": math.inf, "b": 0.5, "c": -math.inf}})
    assert run.to_mapping()["q1"] == {"a": math.inf, "b": 0.5, "c": -math.inf}


def test_an_integer_beyond_doubles_is_refused() -> None:
    with pytest.raises(InputError, match="a score for query 'q1' is too large for a double"):
        Run.from_mapping({"q1": {"a": 10**400}})


def test_whole_numbers_are_ids_as_their_text() -> None:
    run = Run.from_mapping({1: {7: 2.0}, np.int64(2): {np.int32(9): 2.0, 8: 1.0}})
    assert run.to_mapping() == {"1": {"7": 2.0}, "2": {"9": 2.0, "8": 1.0}}
    assert evaluate(run, {"1": {"7": 1}, "2": {"8": 1}}, ["RR"]).means == {"RR": 0.75}


@pytest.mark.parametrize("bad", [None, 1.0, True, b"x", ("x",)])
def test_other_ids_are_refused(bad: Any) -> None:
    with pytest.raises(InputError, match=f"the query id .* is {type(bad).__name__}: ids are text"):
        Run.from_mapping({bad: {"a": 1.0}})
    with pytest.raises(InputError, match=f"the document id .* is {type(bad).__name__}: ids are text"):
        Run.from_mapping({"q": {bad: 1.0}})


def test_a_query_as_text_and_as_number_is_refused() -> None:
    with pytest.raises(
        InputError, match="query '1' stands twice in the run, once as text and once as a number"
    ):
        Run.from_mapping({1: {"a": 1.0}, "1": {"b": 1.0}})


def test_a_document_as_text_and_as_number_is_refused() -> None:
    with pytest.raises(InputError, match="document '7' is returned twice for query 'q'"):
        Run.from_mapping({"q": {7: 1.0, "7": 2.0}})


def test_a_document_returned_twice_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        Run.from_pairs({"q0": [("a", 1.0)], "q1": [("a", 2.0), ("b", 1.5), ("a", 1.0)]})
    assert str(caught.value) == "document 'a' is returned twice for query 'q1'"


def test_ids_of_a_mapping_may_hold_blanks() -> None:
    run = {"q 1": {"my doc": 9.5, "a": 3.0}}
    assert evaluate(run, {"q 1": {"a": 1}}, ["RR"]).means == {"RR": 0.5}


def test_an_empty_ranking_scores_0_and_changes_no_other_query() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 1, "d": 1}, "q3": {"e": 1}, "q4": {"f": 1}}
    first = {"q1": {"a": 1.0}, "q2": {"d": 1.0}, "q3": {}, "q4": {"f": 1.0}}
    second = {"q1": {"a": 1.0}, "q2": {}, "q3": {"e": 1.0}, "q4": {"f": 1.0}}
    without = {query: docs for query, docs in first.items() if docs}
    for run in (first, second, without):
        scores = evaluate(run, qrels, ["P@1", "RR"])
        assert scores.means == {"P@1": 0.75, "RR": 0.75}
        assert scores["P@1"] == {query: float(bool(run.get(query))) for query in qrels}


def test_a_run_says_what_it_is() -> None:
    run = Run.from_mapping({"q1": {"a": 1.0, "b": 2.0}, "q2": {}}, name="bm25")
    assert repr(run) == "<Run bm25: 2 documents for 2 queries>"
    assert run.name == "bm25"
    assert run.benchmark is None


# Files.

writable = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n"), min_size=1, max_size=12
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@given(
    mapping=st.dictionaries(
        writable, st.dictionaries(writable, scores, min_size=1, max_size=5), min_size=1, max_size=4
    ),
    name=writable,
    suffix=st.sampled_from([".txt", ".gz"]),
)
@settings(deadline=None)
def test_what_is_written_reads_back_to_the_last_bit(
    scratch: Path, mapping: dict[str, dict[str, float]], name: str, suffix: str
) -> None:
    path = scratch / f"run{suffix}"
    run = Run.from_mapping(mapping, name)
    run.write(path)
    back = read_run(path)
    assert list(back.rows()) == list(run.rows())
    assert back.scores.tobytes() == run.scores.tobytes()
    assert back.query_ids == run.query_ids
    assert back.name == name


def test_a_byte_order_mark_that_begins_an_id_survives_the_file(tmp_path: Path) -> None:
    run = Run.from_mapping({"\ufeffq": {"a": 1.0}})
    run.write(tmp_path / "run.txt")
    assert read_run(tmp_path / "run.txt").query_ids == ("\ufeffq",)


def test_a_written_run_is_a_trec_file(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    Run.from_mapping({"q1": {"a": 2, "b": 0.1}, "q2": {"a": 1e-7}}, "bm25").write(path)
    assert path.read_text() == "q1 Q0 a 1 2.0 bm25\nq1 Q0 b 2 0.1 bm25\nq2 Q0 a 1 1e-07 bm25\n"


def test_a_packed_run_has_the_same_bytes_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.from_mapping({"q1": {"a": 2.0}})
    run.write(tmp_path / "one.gz")
    monkeypatch.setattr("time.time", lambda: 4e9)
    run.write(tmp_path / "two.gz")
    content = (tmp_path / "one.gz").read_bytes()
    assert content == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress(content) == b"q1 Q0 a 1 2.0 run\n"


@pytest.mark.parametrize("bad", ["", "a b", "a\tb", "a\nb", "a\rb", " a"])
def test_ids_that_the_format_cannot_carry_are_refused(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "run.txt"
    path.write_text("kept")
    fault = "can't be written to a TREC file: it is empty or has blanks"
    for run, what in (
        (Run.from_mapping({"q": {"ok": 1.0, bad: 1.0}}), "document id"),
        (Run.from_mapping({"ok": {"a": 1.0}, bad: {"a": 1.0}}), "query id"),
        (Run.from_mapping({"q": {"a": 1.0}}, name=bad), "name of the run"),
    ):
        with pytest.raises(InputError) as caught:
            run.write(path)
        assert str(caught.value) == f"the {what} {bad!r} {fault}"
    assert path.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.txt"
    path.write_text("kept")
    honest = Path.write_bytes

    def full_disk(self: Path, content: bytes) -> int:
        honest(self, content[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="No space left"):
        Run.from_mapping({"q": {"a": 1.0}}).write(path)
    assert path.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_and_a_mapping_score_alike_beyond_float32(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 a 1 0.92226214540 s\nq1 Q0 b 2 0.92226214537 s\n")
    mapping = {"q1": {"a": 0.92226214540, "b": 0.92226214537}}
    for run in (read_run(path), mapping):
        assert evaluate(run, {"q1": {"a": 1}}, ["RR"]).means == {"RR": 1.0}
