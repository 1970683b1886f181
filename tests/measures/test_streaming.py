"""A large run file is scored window by window, with the values and the errors of the plain path."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_irbench import InputError, Qrels, Run, evaluate, read_run
from pytest_irbench.formats import windows
from pytest_irbench.formats.ids import Ids
from pytest_irbench.measures import streaming
from pytest_irbench.measures.ranking import JudgedRanking, judge
from pytest_irbench.runs import run as runs

MEASURES = ["nDCG@3", "AP", "RR", "R@5", "P@2", "Bpref", "Judged@3"]
QRELS = Qrels.from_mapping(
    {
        "q1": {"a": 2, "b": 0, "a-long-document-id": 1, "é": 3, "x" * 70 + "b": 1},
        "q2": {"a": 1, "c": 1},
        "a-long-query-id": {"b": 1},
        "31_1": {"a": 0},
    }
)

query_ids = st.sampled_from(["q1", "q2", "q9", "a-long-query-id", "31_1", "q10"])
doc_ids = st.sampled_from(
    ["a", "b", "c", "ab", "é", "a-long-document-id", "a-long-document-ie", "x" * 40, "a\u00a0b"]
    + ["x" * 64, "x" * 70 + "a", "x" * 70 + "b"]
)
scores = st.sampled_from(
    ["1", "2.0", "-1.5", "1e1", "0.10", "15.780599594116211", "2.5", "2.5", "inf", "-0.0"]
)
line_ends = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n"])
blanks = st.sampled_from([" ", " ", " ", "\t", "  "])
faults = st.sampled_from(["", "", "", "", "nan", "1_0", "x"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A run file: queries in blocks or interleaved, now and then with a fault."""
    rows = draw(st.lists(st.tuples(query_ids, doc_ids, scores), min_size=1, max_size=30))
    if draw(st.integers(0, 3)):
        rows = sorted(set(rows), key=lambda row: row[0])
        seen: set[tuple[str, str]] = set()
        rows = [row for row in rows if not (row[:2] in seen or seen.add(row[:2]))]
    blank, end = draw(blanks), draw(line_ends)
    lines = [blank.join([query, "Q0", doc, "1", score, "s"]) for query, doc, score in rows]
    fault = draw(faults)
    if fault:
        lines[draw(st.integers(0, len(lines) - 1))] = blank.join(
            ["q1", "Q0", "z", "1", fault, "s"][: draw(st.integers(5, 6))]
        )
    text = end.join(lines) + (end if draw(st.booleans()) else "")
    return ("\ufeff" if draw(st.booleans()) else "").encode() + text.encode()


@contextmanager
def window_of(size: int, large: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "SIZE", size)
        patch.setattr(runs, "LARGE", large)
        yield


def outcome(path: Path, threads: int | None = None) -> object:
    """Everything that comes of a file: values and counts, or the error."""
    try:
        run = read_run(path)
        run.threads = threads
        result = evaluate(run, QRELS, MEASURES)
    except InputError as error:
        return str(error)
    judged = result.judged
    columns = [values.tolist() for values in result.columns.values()]
    ranking = (judged.query, judged.rank, judged.grade, judged.returned, judged.first_tie)
    return columns, [array.tolist() for array in ranking], judged.missing, judged.extra, tops(judged)


def tops(judged: JudgedRanking) -> list[object]:
    return [judged.top(query_id, 5) for query_id in judged.query_ids]


@given(files(), st.sampled_from([16, 64, 300]), st.sampled_from([1, 2]), st.booleans())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(b"q1 Q0 a 1 2.0 s\nq2 Q0 a 1 2.0 s\nq1 Q0 b 1 1.0 s\n", 16, 1, False)
@example(b"q1 Q0 a 1 2.0 s\nq1 Q0 a 1 2.0 s\n", 16, 2, False)
@example(b"q1 Q0 a 1 2.0 s\nq1 Q0 b 1 nan s\n", 16, 2, True)
@example(b"q1 Q0 a 1 2.0 s\n" + b"\n" * 500 + b"q2 Q0 b 1 1 s\n" + b" \n" * 500, 16, 1, False)
@example(b"  \n" * 99 + b"  q1 Q0 a 1 2.0 s\n  q1 Q0 b 1 1.0 s\n  q1 Q0 c 1 0.5 s\n", 16, 1, False)
def test_values_and_errors_are_those_of_the_plain_path(
    tmp_path: Path, content: bytes, size: int, threads: int, packed: bool
) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    with window_of(1 << 19, 1 << 40):
        expected = outcome(path)
    with window_of(size, 0):
        assert outcome(path, threads) == expected


def made(queries: int, depth: int) -> str:
    rng = np.random.default_rng(5)
    lines = []
    for query in range(queries):
        ranking = sorted(rng.gamma(4.0, 4.0, depth), reverse=True)
        lines += [
            f"q{query} Q0 d{query}-{place} {place} {score:.6f} s\n" for place, score in enumerate(ranking)
        ]
    return "".join(lines)


def judgments(queries: int) -> Qrels:
    return Qrels.from_mapping(
        {f"q{query}": {f"d{query}-{place}": 1 for place in (0, 3, 50)} for query in range(queries)}
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_whole_queries_is_never_held(tmp_path: Path, threads: int, packed: bool) -> None:
    path = tmp_path / "run.trec"
    content = made(60, 100).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    with window_of(8192, 0):
        run = read_run(path)
        run.threads = threads
        scores = evaluate(run, judgments(60), ["AP", "RR"])
        assert run.unread == path
        assert scores.means["RR"] == 1.0
        assert scores.judged.top("q7", 1)[0][0] == "d7-0"
    assert run.name == "s"


@pytest.mark.parametrize("first", ["", "\n \t\r\n", "\ufeff"])
def test_a_run_has_one_name_whether_it_is_held_or_not(tmp_path: Path, first: str) -> None:
    path = tmp_path / "run.trec"
    path.write_text(first + "a\x0bb Q0 d1 1 2 the-tag\nq2 Q0 d1 1 2 other\n", encoding="utf-8")
    whole = read_run(path)
    with window_of(1024, 0):
        lazy = read_run(path)
    assert lazy.unread == path
    assert lazy.name == whole.name == "the-tag"


def test_two_threads_part_a_file_between_queries(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(made(20, 50))
    _, middle, _ = streaming._halves(path)
    text = path.read_text()
    before, after = text[:middle].splitlines()[-1], text[middle:].splitlines()[0]
    assert text[middle - 1] == "\n"
    assert before.split()[0] != after.split()[0]


def test_one_query_is_not_parted(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(made(1, 300))
    assert streaming._halves(path) == [0, path.stat().st_size]


def test_a_query_longer_than_a_window_is_kept_together(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(made(3, 500))
    with window_of(256, 0):
        run = read_run(path)
        means = evaluate(run, judgments(3), ["AP"]).means
        assert means == {"AP": pytest.approx((1 + 2 / 4 + 3 / 51) / 3, abs=1e-15)}
        assert run.unread == path


def test_equal_hashes_lead_to_the_plain_path_and_the_same_values(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(made(5, 30))
    expected = evaluate(read_run(path), judgments(5), ["AP"]).means
    with window_of(1024, 0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ids, "_hash", lambda self: self.lengths.astype(np.uint64))
        run = read_run(path)
        assert evaluate(run, judgments(5), ["AP"]).means == expected
        assert run.unread is None


def test_a_damaged_gzip_file_is_refused_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "run.trec.gz"
    path.write_bytes(gzip.compress(made(20, 50).encode(), mtime=0)[:-200])
    with window_of(1024, 0), pytest.raises(InputError, match="is a damaged gzip file"):
        judge(read_run(path), judgments(20))


mapping_scores = st.sampled_from(
    [3.0, 2.5, 2.5, -1.0, 0.0, -0.0, float("inf"), float("-inf"), float("nan"), 7, True, "x", np.float32(2.5)]
)
mappings = st.dictionaries(
    query_ids | st.just(7),
    st.dictionaries(doc_ids | st.just(5) | st.just("5"), mapping_scores, max_size=8),
    max_size=4,
)


@given(mappings)
@settings(max_examples=300, deadline=None)
@example({"q1": {"b": 2.5, "a": 2.5, "c": 2.5, "é": 3.0}, "q9": {}})
def test_a_mapping_is_scored_as_the_run_made_from_it(mapping: dict[str, dict[str, float]]) -> None:
    def outcome(run: object) -> object:
        try:
            judged = evaluate(run() if callable(run) else run, QRELS, MEASURES).judged
        except InputError as error:
            return str(error)
        ranking = (judged.query, judged.rank, judged.grade, judged.returned, judged.first_tie)
        return [array.tolist() for array in ranking], judged.missing, judged.extra, tops(judged)

    assert outcome(mapping) == outcome(lambda: Run.from_mapping(mapping))


def test_a_mapping_of_text_and_floats_is_not_made_into_columns() -> None:
    scores = evaluate({"q1": {"a": 2.0, "x": 1.0}}, QRELS, ["AP"])
    assert scores.judged.top("q1", 2) == [("a", 2.0, 2), ("x", 1.0, None)]
    assert scores.judged.top("q2", 2) == []
    assert scores.judged.run.mapping is not None
