"""The two files of a baseline: what they say, what is refused, and that they are never half of anything."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread

import pytest
from baselines import PROVENANCE, RANKINGS, baseline_of
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.errors import InputError
from pytest_irbench.gates.baseline import Baseline, Pins, Provenance, changes
from pytest_irbench.gates.baseline_file import (
    MissingBaselineError,
    baseline_path,
    check_values,
    read_baseline,
    run_path,
    write_baseline,
)
from pytest_irbench.runs.run import Run

RUN = b"""\
h01 Q0 a 1 3.0 bm25
h01 Q0 b 2 2.5 bm25
h02 Q0 a 1 2.0 bm25
h02 Q0 b 2 1.0 bm25
"""

GOLDEN = f"""\
{{
  "format": 1,
  "benchmark": "helpdesk",
  "system": "bm25",
  "gates": "irbench.yaml",
  "provenance": {{
    "date": "2024-05-31",
    "reason": "first",
    "versions": {{
      "numpy": "2.1.0",
      "python": "3.11.7"
    }},
    "commit": null
  }},
  "pins": {{
    "topics": "{baseline_of().pins.topics}",
    "qrels": "{baseline_of().pins.qrels}",
    "measures": [
      "RR@2",
      "nDCG@2"
    ],
    "depth": 2,
    "doc_id": "identity",
    "utterance": "raw",
    "run": "{sha256(RUN).hexdigest()}"
  }},
  "means": {{
    "RR@2": 0.750000,
    "nDCG@2": 0.695559
  }},
  "queries": {{
    "h01": {{"RR@2": 1.000000, "nDCG@2": 0.760188}},
    "h02": {{"RR@2": 0.500000, "nDCG@2": 0.630930}}
  }}
}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a baseline may be written; its folder is not there yet."""
    return baseline_path(tmp_path / "irbench-baselines", "helpdesk", "bm25")


@pytest.fixture
def stored(path: Path) -> Path:
    """Where a baseline lies."""
    write_baseline(path, baseline_of())
    return path


def fault(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_baseline(path)
    return caught.value


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


# Names.


@pytest.mark.parametrize(
    ("benchmark", "system", "name"),
    [
        ("dl20-passage", "bm25", "dl20-passage.bm25.json"),
        ("helpdesk", "bm25[fast/1]", "helpdesk.bm25[fast%2F1].json"),
        ("helpdesk", "Größe 2", "helpdesk.Größe 2.json"),
        ("helpdesk", "bm25-k1.2", "helpdesk.bm25-k1.2.json"),
        ("helpdesk", "..", "helpdesk....json"),
        ("helpdesk", r"..\x", "helpdesk...%5Cx.json"),
        ("helpdesk", 'a:b*c?d"e<f>g|h', "helpdesk.a%3Ab%2Ac%3Fd%22e%3Cf%3Eg%7Ch.json"),
        ("helpdesk", "100%", "helpdesk.100%25.json"),
        ("helpdesk", "\0\n\udcff", "helpdesk.%00%0A%DCFF.json"),
        ("help/desk.v1", "bm25", "help%2Fdesk%2Ev1.bm25.json"),
    ],
)
def test_a_baseline_is_named_after_benchmark_and_system(benchmark: str, system: str, name: str) -> None:
    assert baseline_path(Path("folder"), benchmark, system) == Path("folder", name)


def test_the_run_lies_beside_the_json() -> None:
    assert run_path(Path("folder/helpdesk.bm25-k1.2.json")) == Path("folder/helpdesk.bm25-k1.2.run.gz")


any_name = st.text(min_size=1, max_size=6) | st.text("a./%\\2E", min_size=1, max_size=4)


@given(st.tuples(any_name, any_name), st.tuples(any_name, any_name))
@settings(max_examples=50)
def test_no_two_pairs_of_names_share_a_file_or_leave_the_folder(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    paths = [baseline_path(Path("folder"), *pair) for pair in (one, other)]
    assert (paths[0] == paths[1]) == (one == other)
    assert all(path.parent == Path("folder") for path in paths)


# What is written.


def test_the_json_is_made_for_review(stored: Path) -> None:
    assert stored.read_bytes().decode() == GOLDEN
    assert json.loads(GOLDEN)["queries"]["h01"]["RR@2"] == 1.0


def test_the_run_is_a_packed_trec_file(stored: Path) -> None:
    assert gzip.decompress(run_path(stored).read_bytes()) == RUN


def test_there_are_two_files_and_nothing_else(stored: Path) -> None:
    assert names(stored) == ["helpdesk.bm25.json", "helpdesk.bm25.run.gz"]


def test_the_same_baseline_has_the_same_bytes_whenever_it_is_written_and_however_its_rows_stood(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_baseline(path, baseline_of())
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 1e8)
    other = tmp_path / "other" / path.name
    backwards = {q: dict(reversed(docs.items())) for q, docs in reversed(RANKINGS.items())}
    versions = dict(reversed(PROVENANCE.versions.items()))
    write_baseline(other, baseline_of(backwards, provenance=PROVENANCE._replace(versions=versions)))
    assert other.read_bytes() == path.read_bytes()
    assert run_path(other).read_bytes() == run_path(path).read_bytes()


def test_counts_have_the_same_decimals_as_all_values(path: Path) -> None:
    write_baseline(path, baseline_of(measures=("NumRet",)))
    text = path.read_text()
    assert '"NumRet": 5.000000' in text
    assert '"h01": {"NumRet": 3.000000}' in text


texts = st.text(max_size=8)
writable = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n"), min_size=1, max_size=8
) | st.sampled_from(['"', "\\", "\\n", "\ufeffq", "\u2028", "\x00", "<<<<<<<", "é", "{}"])
six_decimals = st.integers(-(10**9), 10**9).map(lambda value: value / 10**6)


@st.composite
def baselines(draw: st.DrawFn) -> Baseline:
    # Ids are any text in the JSON, and what a TREC file can hold in the run.
    measures = tuple(sorted(draw(st.sets(texts, min_size=1, max_size=3))))
    query_ids = sorted(draw(st.sets(texts, min_size=1, max_size=4)))
    rankings = st.dictionaries(writable, st.floats(allow_nan=False), min_size=1, max_size=3)
    run = draw(st.dictionaries(writable, rankings, min_size=1, max_size=3))
    versions = draw(st.dictionaries(texts, texts, max_size=2))
    return Baseline(
        benchmark=draw(texts),
        system=draw(texts),
        gates=draw(st.none() | texts),
        provenance=Provenance(draw(texts), draw(texts), versions, draw(st.none() | texts)),
        pins=Pins(draw(texts), draw(texts), measures, draw(st.integers(1)), draw(texts), draw(texts)),
        means={measure: draw(six_decimals) for measure in measures},
        values={measure: {query_id: draw(six_decimals) for query_id in query_ids} for measure in measures},
        run=Run.from_mapping(run, draw(writable)),
    )


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("baselines") / "helpdesk.bm25.json"


@given(baseline=baselines())
@settings(deadline=None, max_examples=50)
def test_what_is_written_is_read_back(scratch: Path, baseline: Baseline) -> None:
    write_baseline(scratch, baseline)
    back = read_baseline(scratch)
    assert back[:-1] == baseline[:-1]
    assert list(back.run.rows()) == list(baseline.run.rows())
    assert back.run.scores.tobytes() == baseline.run.scores.tobytes()
    assert back.run.name == baseline.run.name
    assert back.run.source == run_path(scratch)
    assert changes(baseline, back) == []


@given(baseline=baselines())
@settings(deadline=None, max_examples=50)
def test_every_query_is_one_line_of_json(scratch: Path, baseline: Baseline) -> None:
    write_baseline(scratch, baseline)
    lines = scratch.read_bytes().decode().split("\n")
    queries = lines[lines.index('  "queries": {') + 1 : -3]
    read = {}
    for line in queries:
        read |= json.loads(f"{{{line.removesuffix(',')}}}")
    assert len(read) == len(queries)
    assert list(read) == sorted(read) == sorted({q for row in baseline.values.values() for q in row})


def test_values_come_back_with_six_decimals(stored: Path) -> None:
    assert read_baseline(stored).values["nDCG@2"] == {"h01": 0.760188, "h02": 0.63093}
    assert changes(read_baseline(stored), baseline_of()) == []


def test_a_reason_that_is_no_unicode_comes_back(path: Path) -> None:
    reason = 'Größe \\ "\udcff"\n'
    write_baseline(path, baseline_of(provenance=PROVENANCE._replace(reason=reason)))
    assert read_baseline(path).provenance.reason == reason


def test_line_ends_of_another_system_change_nothing(stored: Path) -> None:
    stored.write_bytes(stored.read_bytes().replace(b"\n", b"\r\n"))
    assert changes(read_baseline(stored), baseline_of()) == []


def test_a_large_baseline_is_read_in_well_under_a_second(path: Path) -> None:
    ids = [f"q{number:04}" for number in range(6980)]
    row = dict.fromkeys(ids, 0.123456)
    measures = ("AP@10", "P@10", "R@10", "RR@10", "nDCG@10")
    run = Run.from_mapping({query_id: {f"d{rank}": -float(rank) for rank in range(10)} for query_id in ids})
    pins = baseline_of().pins._replace(measures=measures)
    means = dict.fromkeys(measures, 0.5)
    baseline = baseline_of()._replace(pins=pins, means=means, values=dict.fromkeys(measures, row), run=run)
    write_baseline(path, baseline)
    start = time.process_time()
    read_baseline(path)
    assert time.process_time() - start < 1


# What can't be written changes nothing.


@pytest.mark.parametrize("bad", ["my doc", ""])
def test_an_id_that_a_run_file_cannot_hold_is_refused(stored: Path, bad: str) -> None:
    with pytest.raises(InputError, match=f"the document id '{bad}' can't be written to a TREC file"):
        write_baseline(stored, baseline_of({"h01": {bad: 1.0}}))
    assert stored.read_text() == GOLDEN
    assert read_baseline(stored)
    assert len(names(stored)) == 2


def test_a_run_without_documents_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match="the run has no document for any judged query"):
        write_baseline(path, baseline_of()._replace(run=Run.from_mapping({})))
    assert not path.parent.exists()


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_value_that_is_none_is_refused(path: Path, value: str) -> None:
    baseline = baseline_of(measures=("RR@2",))._replace(means={"RR@2": float(value)})
    with pytest.raises(InputError, match=f"a value is {value}, which can't be stored"):
        write_baseline(path, baseline)
    assert not path.parent.exists()


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", [1, 2])
def test_a_full_disk_changes_nothing(stored: Path, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    calls = iter([lambda *_: None] * (call - 1) + [full_disk])
    monkeypatch.setattr("os.fsync", lambda file: next(calls)(file))
    with pytest.raises(InputError) as caught:
        write_baseline(stored, baseline_of({"h01": {"z": 1.0}}))
    assert (
        str(caught.value)
        == f"{stored}: cannot be written: No space left on device; the baseline is as it was"
    )
    assert names(stored) == ["helpdesk.bm25.json", "helpdesk.bm25.run.gz"]
    assert changes(read_baseline(stored), baseline_of()) == []


def test_a_folder_that_is_a_file_is_told(path: Path) -> None:
    path.parent.write_text("a file")
    with pytest.raises(InputError, match="cannot be written: .*; the baseline is as it was"):
        write_baseline(path, baseline_of())
    assert path.parent.read_text() == "a file"


def test_a_read_only_folder_is_told(stored: Path) -> None:
    stored.parent.chmod(0o500)
    try:
        if os.access(stored.parent, os.W_OK):
            pytest.skip("nothing is read-only for this user")
        with pytest.raises(InputError, match="cannot be written: Permission denied"):
            write_baseline(stored, baseline_of({"h01": {"z": 1.0}}))
        assert changes(read_baseline(stored), baseline_of()) == []
    finally:
        stored.parent.chmod(0o700)


def test_a_run_file_that_cannot_be_replaced_is_told_and_the_new_run_is_still_found(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = baseline_of({"h01": {"z": 1.0}})
    with monkeypatch.context() as patch:
        let_rename_only(patch, "helpdesk.bm25.json")
        with pytest.raises(InputError) as caught:
            write_baseline(stored, new)
    half = run_path(stored).with_name(".helpdesk.bm25.run.gz.half")
    assert str(caught.value) == (
        f"{run_path(stored)}: cannot be replaced: No space left on device; until then the run is read from {half}"
    )
    assert changes(read_baseline(stored), new) == []


def let_rename_only(patch: pytest.MonkeyPatch, name: str) -> None:
    honest = Path.replace
    patch.setattr(Path, "replace", lambda self, to: honest(self, to) if to.name == name else full_disk())


# What is faulty is refused in one sentence.

EDITED = "the file was edited by hand"

JSON_FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "empty": (lambda text: "", ":1:1: is not valid JSON (Expecting value): it was edited or cut short"),
    "a comma": (
        lambda text: text.replace("1.000000,", "1.000000"),
        ":32:30: is not valid JSON (Expecting ',' delimiter): it was edited or cut short",
    ),
    "deep": (
        lambda text: "[" * 100_000,
        ": is not valid JSON (too long a number, or too deep): it was edited or cut short",
    ),
    "long": (
        lambda text: text.replace("1.000000", "1" * 10_000),
        ": is not valid JSON (too long a number, or too deep): it was edited or cut short",
    ),
    "a conflict": (
        lambda text: text.replace('    "h02"', '<<<<<<< HEAD\n    "h02"'),
        ":33: holds the marks of a merge conflict (<<<<<<<): take one side whole, with its run file",
    ),
    "a list": (lambda text: "[1]", f": the file is [1], not a mapping: {EDITED}"),
    "a key twice": (
        lambda text: text.replace('"h02"', '"h01"'),
        f': holds "h01" twice in one mapping: {EDITED}',
    ),
    "NaN": (lambda text: text.replace("1.000000", "NaN"), f": holds NaN, which is no value: {EDITED}"),
    "infinity": (
        lambda text: text.replace("1.000000", "-Infinity"),
        f": holds -Infinity, which is no value: {EDITED}",
    ),
    "beyond doubles": (
        lambda text: text.replace("1.000000", "1e999"),
        f': query "h01": RR@2 is Infinity, not a finite number: {EDITED}',
    ),
    "a large integer": (
        lambda text: text.replace("1.000000", "1" + "0" * 400),
        f': query "h01": RR@2 is 1{"0" * 78}…, not a finite number: {EDITED}',
    ),
    "newer": (
        lambda text: text.replace('"format": 1', '"format": 2, "more": 1'),
        ": was written by a newer pytest-irbench (format 2): upgrade pytest-irbench",
    ),
    "another format": (
        lambda text: text.replace('"format": 1', '"format": "one"'),
        f': has the format "one", not 1: {EDITED}',
    ),
    "format true": (
        lambda text: text.replace('"format": 1', '"format": true'),
        f": has the format true, not 1: {EDITED}",
    ),
    "no format": (lambda text: text.replace('"format": 1,', ""), f': the file lacks "format": {EDITED}'),
    "no system": (lambda text: text.replace('"system": "bm25",', ""), f': the file lacks "system": {EDITED}'),
    "a key more": (
        lambda text: text.replace('"format": 1', '"format": 1, "note": "x"'),
        f': the file has "note", which does not belong there: {EDITED}',
    ),
    "a pin less": (lambda text: text.replace('"depth": 2,', ""), f': pins lacks "depth": {EDITED}'),
    "a pin more": (
        lambda text: text.replace('"depth": 2', '"depth": 2, "k": 2'),
        f': pins has "k", which does not belong there: {EDITED}',
    ),
    "no depth": (
        lambda text: text.replace('"depth": 2', '"depth": 0'),
        f": the depth in pins is 0, not a whole number from 1: {EDITED}",
    ),
    "depth true": (
        lambda text: text.replace('"depth": 2', '"depth": true'),
        f": the depth in pins is true, not a whole number from 1: {EDITED}",
    ),
    "a number as text": (
        lambda text: text.replace('"doc_id": "identity"', '"doc_id": 7'),
        f": the doc_id in pins is 7, not a text: {EDITED}",
    ),
    "measures of another type": (
        lambda text: re.sub(r'"measures": \[.*?\]', '"measures": "RR@2"', text, flags=re.DOTALL),
        f': the measures in pins are "RR@2", not a list of texts: {EDITED}',
    ),
    "no measures": (
        lambda text: re.sub(r'"measures": \[.*?\]', '"measures": []', text, flags=re.DOTALL),
        f": the measures in pins are [], not a list of texts: {EDITED}",
    ),
    "measures in disorder": (
        lambda text: re.sub(r'"measures": \[.*?\]', '"measures": ["b", "a"]', text, flags=re.DOTALL),
        f": the measures in pins are not sorted, or one stands there twice: {EDITED}",
    ),
    "a reason that is none": (
        lambda text: text.replace('"reason": "first"', '"reason": null'),
        f": the reason in provenance is null, not a text: {EDITED}",
    ),
    "a version that is none": (
        lambda text: text.replace('"numpy": "2.1.0"', '"numpy": 2.1'),
        f": the version of numpy is 2.1, not a text: {EDITED}",
    ),
    "a commit that is none": (
        lambda text: text.replace('"commit": null', '"commit": 7'),
        f": the commit in provenance is 7, not a text: {EDITED}",
    ),
    "gates of another type": (
        lambda text: text.replace('"gates": "irbench.yaml"', '"gates": []'),
        f": gates is [], not a text: {EDITED}",
    ),
    "no mean of a measure": (
        lambda text: text.replace('    "RR@2": 0.750000,\n', ""),
        f': means lacks "RR@2": {EDITED}',
    ),
    "no queries": (
        lambda text: re.sub(r'"queries": \{.*\n  \}', '"queries": {}', text, flags=re.DOTALL),
        ": queries is empty: it was edited or cut short",
    ),
    "a query that is no mapping": (
        lambda text: re.sub(r'"h02": \{.*\}', '"h02": 1', text),
        f': query "h02" is 1, not a mapping: {EDITED}',
    ),
    "a query without a measure": (
        lambda text: text.replace('"RR@2": 1.000000, ', ""),
        f': query "h01" lacks "RR@2": {EDITED}',
    ),
    "a query with another measure": (
        lambda text: text.replace('"RR@2": 1.000000', '"RR@2": 1.000000, "AP": 0.5'),
        f': query "h01" has "AP", which does not belong there: {EDITED}',
    ),
    "a value that is true": (
        lambda text: text.replace("1.000000", "true"),
        f': query "h01": RR@2 is true, not a finite number: {EDITED}',
    ),
    "a value that is text": (
        lambda text: text.replace("0.750000", '"0.750000"'),
        f': means: RR@2 is "0.750000", not a finite number: {EDITED}',
    ),
}


@pytest.mark.parametrize("case", JSON_FAULTS)
def test_a_json_that_was_edited_is_refused_in_one_sentence(stored: Path, case: str) -> None:
    edit, expected = JSON_FAULTS[case]
    edited = edit(GOLDEN)
    assert edited != GOLDEN
    stored.write_text(edited, "utf-8")
    assert str(fault(stored)) == f"{stored}{expected}"


def test_a_json_cut_anywhere_is_refused(stored: Path) -> None:
    content = stored.read_bytes()
    for end in range(0, len(content) - 2, 7):
        stored.write_bytes(content[:end])
        assert fault(stored).path == stored


def test_what_is_not_utf8_is_told_with_its_line(stored: Path) -> None:
    stored.write_bytes(GOLDEN.encode().replace(b"first", b"\xff"))
    assert str(fault(stored)) == f"{stored}:8: is not UTF-8 text: it was edited or cut short"


def test_a_baseline_that_is_not_there_can_be_told_from_a_faulty_one(path: Path) -> None:
    with pytest.raises(MissingBaselineError) as caught:
        read_baseline(path)
    assert str(caught.value) == f"{path}: there is no such baseline"


def test_a_folder_in_the_place_of_the_json_is_told(path: Path) -> None:
    path.mkdir(parents=True)
    assert str(fault(path)).startswith(f"{path}: cannot be read: ")
    with pytest.raises(InputError, match="cannot be written: .*; the baseline is as it was"):
        write_baseline(path, baseline_of())
    assert names(path) == [path.name]


def test_a_missing_run_file_is_told(stored: Path) -> None:
    run = run_path(stored)
    run.unlink()
    assert (
        str(fault(stored))
        == f"{run}: is missing: it holds the run that belongs to helpdesk.bm25.json and is kept beside it"
    )


def test_a_run_file_cut_anywhere_is_refused(stored: Path) -> None:
    run = run_path(stored)
    content = run.read_bytes()
    for end in range(1, len(content)):
        run.write_bytes(content[:end])
        assert str(fault(stored)) == f"{run}: is no gzip file, or a damaged one: it was edited or cut short"


def test_a_run_file_that_is_not_packed_is_refused(stored: Path) -> None:
    run = run_path(stored)
    run.write_bytes(RUN)
    assert str(fault(stored)) == f"{run}: is no gzip file, or a damaged one: it was edited or cut short"


def test_a_file_that_git_lfs_has_not_fetched_is_told(stored: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
    for path in (run_path(stored), stored):
        path.write_bytes(pointer)
        assert str(fault(stored)) == (
            f"{path}: is a pointer of Git LFS, the file itself was not fetched: run git lfs pull"
        )


@pytest.mark.parametrize("content", [RUN.replace(b"2.5", b"2.6"), RUN[:-1], b""])
def test_a_run_file_that_the_json_was_not_written_with_is_refused(stored: Path, content: bytes) -> None:
    run = run_path(stored)
    run.write_bytes(gzip.compress(content, mtime=0))
    assert str(fault(stored)) == (
        f"{run}: is not the run that helpdesk.bm25.json was written with: "
        "one of the two was replaced without the other"
    )


def test_how_the_run_is_packed_means_nothing(stored: Path) -> None:
    run_path(stored).write_bytes(gzip.compress(RUN, 1, mtime=7))
    assert changes(read_baseline(stored), baseline_of()) == []


# The stored values are those of the stored run.


def test_values_that_agree_with_the_stored_run_pass(stored: Path) -> None:
    scored = baseline_of()
    assert check_values(read_baseline(stored), scored.means, scored.values) is None


def test_a_value_that_was_edited_is_told_with_query_and_measure(stored: Path) -> None:
    scored = baseline_of()
    stored.write_text(GOLDEN.replace("0.760188", "0.812000").replace("0.500000", "0.600000"), "utf-8")
    with pytest.raises(InputError) as caught:
        check_values(read_baseline(stored), scored.means, scored.values, stored)
    assert str(caught.value) == (
        f"{stored}: h01: nDCG@2 is 0.812000 here, but the stored run scores 0.760188: {EDITED}"
    )


def test_the_last_decimal_may_differ_and_no_more(stored: Path) -> None:
    scored = baseline_of()
    stored.write_text(GOLDEN.replace("0.760188", "0.760187"), "utf-8")
    check_values(read_baseline(stored), scored.means, scored.values)
    stored.write_text(GOLDEN.replace("0.760188", "0.760186"), "utf-8")
    with pytest.raises(InputError, match="h01: nDCG@2 is 0.760186 here"):
        check_values(read_baseline(stored), scored.means, scored.values)


def test_a_mean_that_was_edited_is_told(stored: Path) -> None:
    scored = baseline_of()
    stored.write_text(GOLDEN.replace("0.750000", "0.850000"), "utf-8")
    with pytest.raises(InputError) as caught:
        check_values(read_baseline(stored), scored.means, scored.values)
    assert str(caught.value) == f"means: RR@2 is 0.850000 here, but the stored run scores 0.750000: {EDITED}"


def test_a_query_that_was_deleted_or_added_is_told(stored: Path) -> None:
    baseline = baseline_of()
    fewer = baseline._replace(values={m: {"h02": row["h02"]} for m, row in baseline.values.items()})
    with pytest.raises(InputError, match=f"h01 is judged, but has no line here: {EDITED}"):
        check_values(fewer, baseline.means, baseline.values)
    with pytest.raises(InputError, match=f"h01 has a line here, but is not judged: {EDITED}"):
        check_values(baseline, fewer.means, fewer.values)


# Whoever is killed leaves the old baseline or the new one; whoever reads meanwhile sees one of them.


def numbered(number: int) -> Baseline:
    """Baselines that differ in values and run."""
    docs = {f"d{place}": -float(place) for place in range(number + 1)}
    return baseline_of({"h01": docs, "h02": {"b": 1.0}}, measures=("NumRet", "RR@2"))


KILLED = """
import os, shutil, signal, sys
from itertools import count
from pathlib import Path
from pytest_irbench.gates.baseline import changes
from pytest_irbench.gates.baseline_file import MissingBaselineError, read_baseline, run_path, write_baseline
from test_baseline_file import numbered

def write_and_die(path, number, step):
    if os.fork():
        status = os.wait()[1]
        assert os.WIFSIGNALED(status) or status == 0
        return status != 0
    steps, armed, honest = count(1), [], os.fsync
    def die(torn=None):
        if next(steps) == step:
            if torn is not None:
                os.ftruncate(torn, os.fstat(torn).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
    def fsync(file):
        die(torn=file)
        honest(file)
        die()
    os.fsync = fsync
    touched = {"open", "os.mkdir", "os.rename", "os.remove"}
    sys.addaudithook(lambda event, _: die() if armed and event in touched else None)
    armed.append(True)
    write_baseline(path, numbered(number))
    os._exit(0)

def found(path):
    try:
        stored = read_baseline(path)
    except MissingBaselineError:
        return None
    number = int(stored.values["NumRet"]["h01"]) - 1
    assert changes(numbered(number), stored) == []
    return number

def killed_at_every_step(before, number, then):
    folder = before.with_name(before.name + str(number))
    for step in count(1):
        shutil.rmtree(folder, ignore_errors=True)
        if before.exists():
            shutil.copytree(before, folder)
        path = folder / "helpdesk.bm25.json"
        old = found(path)
        was_killed = write_and_die(path, number, step)
        assert found(path) in {old, number}
        if not was_killed:
            assert found(path) == number and len(os.listdir(folder)) == 2
            return
        seen.add((old, found(path), (folder / ".helpdesk.bm25.run.gz.half").exists()))
        then(folder)

seen = set()
start = Path(sys.argv[1], "start")
once_more = lambda folder: killed_at_every_step(folder, 3, lambda _: None)
killed_at_every_step(start, 1, lambda _: None)
write_baseline(start / "helpdesk.bm25.json", numbered(1))
killed_at_every_step(start, 2, once_more)
# Old and new, and new while the run still has its half name.
assert {(None, None, True), (None, 1, True), (1, 1, True), (1, 2, True), (2, 2, True), (2, 3, True)} <= seen
print("whole")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_write_that_is_killed_at_any_step_and_once_more_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    here = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": here},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == ("whole\n", 0), done.stderr


def test_a_run_under_its_half_name_is_not_overwritten_before_it_is_placed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_baseline(path, numbered(1))
    with monkeypatch.context() as patch:
        let_rename_only(patch, path.name)
        with pytest.raises(InputError, match="cannot be replaced"):
            write_baseline(path, numbered(2))
        with pytest.raises(InputError, match="cannot be replaced"):
            write_baseline(path, numbered(3))
    assert changes(read_baseline(path), numbered(2)) == []
    write_baseline(path, numbered(3))
    assert names(path) == ["helpdesk.bm25.json", "helpdesk.bm25.run.gz"]


@pytest.mark.parametrize(
    "junk",
    [b"", b"junk", gzip.compress(b"q Q0 d 1 1.0 other\n", mtime=0)],
    ids=["empty", "no gzip", "another run"],
)
def test_other_half_files_are_ignored_and_overwritten(stored: Path, junk: bytes) -> None:
    for name in names(stored):
        stored.with_name(f".{name}.half").write_bytes(junk)
    assert changes(read_baseline(stored), baseline_of()) == []
    write_baseline(stored, numbered(2))
    assert names(stored) == ["helpdesk.bm25.json", "helpdesk.bm25.run.gz"]
    assert changes(read_baseline(stored), numbered(2)) == []


def test_a_faulty_baseline_can_be_written_anew(stored: Path) -> None:
    stored.write_text("{")
    run_path(stored).unlink()
    stored.with_name(".helpdesk.bm25.run.gz.half").write_bytes(gzip.compress(RUN, mtime=0))
    write_baseline(stored, baseline_of())
    assert stored.read_text() == GOLDEN
    assert read_baseline(stored)


def test_a_write_between_two_reads_is_no_fault(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Path.read_bytes
    writes = iter([numbered(1), numbered(2)])

    def meanwhile(self: Path) -> bytes:
        content = honest(self)
        if self == stored and (new := next(writes, None)):
            with monkeypatch.context() as patch:
                patch.setattr(Path, "read_bytes", honest)
                write_baseline(stored, new)
        return content

    monkeypatch.setattr(Path, "read_bytes", meanwhile)
    assert changes(read_baseline(stored), numbered(2)) == []


def test_readers_beside_a_writer_see_whole_baselines(path: Path) -> None:
    write_baseline(path, numbered(0))
    ended, seen, faults = Event(), [], []

    def read() -> None:
        try:
            while not ended.is_set():
                stored = read_baseline(path)
                number = int(stored.values["NumRet"]["h01"]) - 1
                faults.extend(changes(numbered(number), stored))
                seen.append(number)
        except InputError as error:
            faults.append(error)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(1, 30):
        write_baseline(path, numbered(number))
    ended.set()
    for reader in readers:
        reader.join()
    assert faults == []
    assert seen
