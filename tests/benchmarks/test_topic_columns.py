"""Facts about topics from a user's file."""

from __future__ import annotations

import gzip
import unicodedata
from pathlib import Path

import pytest

from pytest_irbench.benchmarks.topic_columns import TopicColumns, read_topic_columns
from pytest_irbench.errors import InputError, clipped

COLUMNS = b"query_id\tkind\twords\nq1\thow-to\t7\n007\t\t12\n"
ROWS = {"q1": {"kind": "how-to", "words": "7"}, "007": {"kind": "", "words": "12"}}


def _read(folder: Path, content: bytes = COLUMNS, name: str = "columns.tsv") -> TopicColumns:
    (folder / name).write_bytes(content)
    return read_topic_columns(folder / name)


def _fault(folder: Path, content: bytes, name: str = "columns.tsv") -> str:
    with pytest.raises(InputError) as caught:
        _read(folder, content, name)
    return str(caught.value).replace(f"{folder}/", "")


def test_every_query_has_a_cell_in_every_column(tmp_path: Path) -> None:
    columns = _read(tmp_path)
    assert columns.path == tmp_path / "columns.tsv"
    assert columns.names == ("kind", "words")
    assert columns.rows == ROWS


def test_the_path_may_be_text(tmp_path: Path) -> None:
    _read(tmp_path)
    assert read_topic_columns(str(tmp_path / "columns.tsv")).rows == ROWS


@pytest.mark.parametrize(
    "content",
    [
        COLUMNS.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + COLUMNS,
        b"\n" + COLUMNS.replace(b"\n", b"\n\n \t \n"),
        COLUMNS.rstrip(b"\n"),
        COLUMNS.replace(b"\t", b" \t "),
    ],
    ids=["crlf", "bom", "blank lines", "no last newline", "blanks around cells"],
)
def test_variants_of_the_file_mean_the_same(tmp_path: Path, content: bytes) -> None:
    columns = _read(tmp_path, content)
    assert (columns.names, columns.rows) == (("kind", "words"), ROWS)


def test_a_gzipped_file_is_unpacked(tmp_path: Path) -> None:
    assert _read(tmp_path, gzip.compress(COLUMNS, mtime=0), "columns.tsv.gz").rows == ROWS


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_the_last_cell_may_be_empty(tmp_path: Path, ending: bytes) -> None:
    assert _read(tmp_path, b"query_id\tkind\nq1\t" + ending).rows == {"q1": {"kind": ""}}


def test_cells_keep_unicode_line_separators(tmp_path: Path) -> None:
    content = "query_id\tkind\nq1\ta\u2028b\n".encode()
    assert _read(tmp_path, content).rows == {"q1": {"kind": "a\u2028b"}}


def test_names_are_spelt_as_an_expression_spells_them(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "länge")
    assert decomposed != "länge"
    assert _read(tmp_path, f"query_id\t{decomposed}\nq1\t3\n".encode()).names == ("länge",)


HEADER = "expected a header of query_id and names of columns, with tabs between them"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", f"columns.tsv: is empty: {HEADER}"),
        (b"\n \n", f"columns.tsv: is empty: {HEADER}"),
        (b"\nkind\tquery_id\n", f"columns.tsv:2: {HEADER}; it begins with 'kind'"),
        (b"query_id,kind\nq1,a\n", f"columns.tsv:1: {HEADER}; it begins with 'query_id,kind'"),
        (b"query_id\nq1\n", f"columns.tsv:1: there is no column beside query_id: {HEADER}"),
        (
            b"query_id\tturn\nq1\t1\n",
            "columns.tsv:1: the name turn is taken, every topic has query_id, conversation, turn, text: rename it",
        ),
        (
            b"query_id\ta\tb\ta\nq1\t1\t2\t3\n",
            "columns.tsv:1: the column a is there twice: rename or drop one",
        ),
        (b"query_id\tkind\n", "columns.tsv: has no row below its header: add one for each topic"),
        (
            b"query_id\ta\tb\n\nq1\t1\n",
            "columns.tsv:3: expected 3 cells as in the header, got 2: put one tab between two cells, also beside an empty one",
        ),
        (
            b"query_id\ta\nq1\t1\t\n",
            "columns.tsv:2: expected 2 cells as in the header, got 3: put one tab between two cells, also beside an empty one",
        ),
        (b"query_id\ta\n\t1\n", "columns.tsv:2: the query_id is empty"),
        (
            b"query_id\ta\nq1\t1\nq2\t1\nq1\t1\n",
            "columns.tsv:4: query_id 'q1' is there twice, first in line 2",
        ),
        (b"query_id\ta\nq1\tgr\xfcn\n", "columns.tsv:2: byte 0xfc is not UTF-8: save the file as UTF-8"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, content: bytes, fault: str) -> None:
    assert _fault(tmp_path, content) == fault


@pytest.mark.parametrize("name", ["user type", "user-type", "2nd", "", "class", "None", "a\rb"])
def test_a_name_that_no_expression_can_have_is_refused(tmp_path: Path, name: str) -> None:
    assert _fault(tmp_path, f"query_id\tkind\t{name}\nq1\ta\tb\n".encode()) == (
        f"columns.tsv:1: '{clipped(name)}' can't be the name of a column: "
        "use letters, digits and underscores, such as kind or words_2, and no keyword of Python"
    )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"columns\.tsv: cannot be read: No such file"):
        read_topic_columns(tmp_path / "columns.tsv")
