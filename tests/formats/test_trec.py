"""TREC run and qrels files: what is read, and what is refused at which line."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.benchmarks.qrels import read_qrels
from pytest_irbench.errors import InputError
from pytest_irbench.formats.trec import read_bytes
from pytest_irbench.runs.run import read_run

RUN_COLUMNS = "expected 6 columns (query_id Q0 doc_id rank score tag)"
QRELS_COLUMNS = "expected 4 columns (query_id iteration doc_id relevance)"

Write = Callable[[bytes], Path]
RunRow = tuple[str, str, float]
QrelsRow = tuple[str, str, int]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def write(content: bytes) -> Path:
        path = tmp_path / "file.txt"
        path.write_bytes(content)
        return path

    return write


def qrels_rows(path: Path) -> list[QrelsRow]:
    qrels = read_qrels(path)
    return [(query, doc, grade) for query in qrels.query_ids for doc, grade in qrels[query].items()]


def run_rows(path: Path) -> list[RunRow]:
    return list(read_run(path).rows())


TWO_ROWS = [("q1", "b", 2.0), ("q1", "a", 1.0)]


@pytest.mark.parametrize(
    "content",
    [
        b"q1 Q0 b 1 2.0 s\nq1 Q0 a 2 1.0 s\n",
        b"q1 Q0 b 1 2.0 s\nq1 Q0 a 2 1.0 s",
        b"q1\tQ0\tb\t1\t2.0\ts\nq1\tQ0\ta\t2\t1.0\ts\n",
        b"  q1   Q0 \t b  1  2.0   s  \n\t q1 Q0 a 2 1.0 s\t\n",
        b"q1 Q0 b 1 2.0 s\r\nq1 Q0 a 2 1.0 s\r\n",
        b"q1 Q0 b 1 2.0 s\r\nq1 Q0 a 2 1.0 s",
        b"\n\nq1 Q0 b 1 2.0 s\n \t \n\r\nq1 Q0 a 2 1.0 s\n\n\n",
        b"\xef\xbb\xbfq1 Q0 b 1 2.0 s\nq1 Q0 a 2 1.0 s\n",
        b"q1 0 b x 2 s\nq1 whatever a -7 1 t\n",
        b"q1 Q0 b 1 +2e0 s\nq1 Q0 a 2 10E-1 s\n",
        gzip.compress(b"q1 Q0 b 1 2.0 s\nq1 Q0 a 2 1.0 s\n", mtime=0),
        gzip.compress(b"q1 Q0 b 1 2.0 s\n", mtime=0) + gzip.compress(b"q1 Q0 a 2 1.0 s\n", mtime=0),
        gzip.compress(b"\xef\xbb\xbfq1 Q0 b 1 2.0 s\r\nq1 Q0 a 2 1.0 s", mtime=0),
    ],
    ids=["plain", "no-final-newline", "tabs", "padding", "crlf", "crlf-no-final-newline", "blank-lines", "bom",
         "any-rank-and-tag", "exponents", "gzip", "gzip-members", "gzip-bom-crlf"],
)  # fmt: skip
def test_a_run_may_be_written_in_many_ways(write: Write, content: bytes) -> None:
    run = read_run(write(content))
    assert list(run.rows()) == TWO_ROWS
    assert run.name == "s"


@pytest.mark.parametrize(
    "content",
    [
        b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n",
        b"q1\t0\ta\t1\n  q1   0  b\t 0  \n\nq2 0 a 2",
        b"q1 0 a 1\r\nq1 0 b 0\r\nq2 0 a 2\r\n",
        b"\xef\xbb\xbfq1 Q0 a 1.0\nq1 x b -0\nq2 1 a +2e0\n",
        b"q1 0 a 1\nq2 0 a 2\nq1 0 b 0\n",
        b"q1 0 a 1\nq1 0 b 0\nq1 0 a 1\nq2 0 a 2\n",
        gzip.compress(b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n", mtime=0),
    ],
    ids=["plain", "blanks", "crlf", "bom-and-whole-floats", "interleaved", "same-judgment-twice", "gzip"],
)
def test_qrels_may_be_written_in_many_ways(write: Write, content: bytes) -> None:
    assert qrels_rows(write(content)) == [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 2)]


def test_rows_of_a_query_may_stand_apart(write: Write) -> None:
    path = write(b"q2 Q0 a 1 3 s\nq1 Q0 a 1 2 s\nq2 Q0 b 2 1 s\n")
    assert read_run(path).to_mapping() == {"q2": {"a": 3.0, "b": 1.0}, "q1": {"a": 2.0}}


@pytest.mark.parametrize(
    "name",
    ["007", "7", "31_1", "1e5", "3.0", "#1", "q#1", "nan", "-", "Q0", "a\u00a0b", "a\u2028b", "a\u3000b", "a\x0bb",
     "a\x0cb", "a\x1cb", "a\x85b", "a\0b", "\ufeff", "é", "e\u0301", "日本語", "\U0001f600", '"a', "a,b", "x" * 5000],
)  # fmt: skip
def test_ids_stay_the_text_they_are(write: Write, name: str) -> None:
    path = write(f"x Q0 {name} 1 2.0 s\n{name} Q0 {name} 1 2.0 s\n".encode())
    assert run_rows(path) == [("x", name, 2.0), (name, name, 2.0)]
    path = write(f"x 0 {name} 1\n{name} 0 {name} 2\n".encode())
    assert qrels_rows(path) == [("x", name, 1), (name, name, 2)]


@pytest.mark.parametrize(
    "token",
    ["0", "-0.0", "1.5", "-1.5", "+1.5", ".5", "-.5", "5.", "1e3", "1E+3", "1.5e-3", "0.30000000000000004",
     "-8.699999809265137", "123456789.12345678", "0.1234567890123456789012345678901234567890", "9" * 400,
     "1e-400", "4.9e-324", "1.7976931348623157e308", "1e400", "-1e400"],
)  # fmt: skip
def test_scores_are_read_to_the_last_bit(write: Write, token: str) -> None:
    path = write(f"q Q0 a 1 {token} s\nq Q0 b 1 1.5 s\n".encode())
    score = read_run(path).to_mapping()["q"]["a"]
    assert (score, math.copysign(1, score)) == (float(token), math.copysign(1, float(token)))


@pytest.mark.parametrize("token", ["inf", "-inf", "+inf", "Inf", "INFINITY", "-Infinity"])
def test_infinite_scores_are_read(write: Write, token: str) -> None:
    assert run_rows(write(f"q Q0 a 1 {token} s\n".encode())) == [("q", "a", float(token))]


@pytest.mark.parametrize(
    "token",
    ["high", "1_0", "0x1p3", "0x10", "1,5", "0,9", "--1", "+-1", "-", "+", ".", "-.", "1.2.3", "1-2", "1e", "e5", "1e5.0",
     "1d3", "1f", "infin", "nane", "None", "1\0", "\u00a01", "\u0663", "½", "1" * 40 + "x"],
)  # fmt: skip
def test_a_score_that_is_no_number_is_refused_at_its_line(write: Write, token: str) -> None:
    path = write(f"\nq Q0 a 1 2.0 s\nq Q0 b 1 {token} s\nq Q0 c 1 1.0 s\n".encode())
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}:3: the score {token!r} is not a number"


@pytest.mark.parametrize("token", ["nan", "NaN", "-nan", "+NAN"])
def test_a_nan_score_is_refused_with_query_document_and_line(write: Write, token: str) -> None:
    path = write(f"q1 Q0 a 1 2.0 s\nq2 Q0 a 1 2.0 s\nq1 Q0 b 1 {token} s\n".encode())
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}:3: the score of document 'b' for query 'q1' is NaN"


RUN_FAULTS = [
    (b"q1 Q0 a 1 2.0\n", 1, f"{RUN_COLUMNS}, got 5: 'q1 Q0 a 1 2.0'"),
    (b"q1 Q0 a 1 2.0 s\nq1 Q0 b 2 1.0\n", 2, f"{RUN_COLUMNS}, got 5: 'q1 Q0 b 2 1.0'"),
    (b"q1 Q0 a 1 2.0 s\r\nq1 Q0 b 2 1.0\r\n", 2, f"{RUN_COLUMNS}, got 5: 'q1 Q0 b 2 1.0'"),
    (b"q1 Q0 my doc 1 9.5 s\nq1 Q0 a 2 3.0 s\n", 1, f"{RUN_COLUMNS}, got 7: 'q1 Q0 my doc 1 9.5 s'"),
    (b"q1\tQ0\tmy doc\t1\t9.5\ts\n", 1, f"{RUN_COLUMNS}, got 7: 'q1\\tQ0\\tmy doc\\t1\\t9.5\\ts'"),
    (b"q1\ta\t1\nq1\tb\t2\n", 1, f"{RUN_COLUMNS}, got 3: 'q1\\ta\\t1'"),
    (b"q1 Q0 a\n1 2.0 s\n", 1, f"{RUN_COLUMNS}, got 3: 'q1 Q0 a'"),
    (b"q1 Q0 a \n1 2.0 s\n", 1, f"{RUN_COLUMNS}, got 3: 'q1 Q0 a'"),
    (b"q1 Q0 a\r\n1 2.0 s\n", 1, f"{RUN_COLUMNS}, got 3: 'q1 Q0 a'"),
    (b"q1 Q0 b 1 2.0 s\nq1 Q0 a \n1 2.0 s\n", 2, f"{RUN_COLUMNS}, got 3: 'q1 Q0 a'"),
    (b"q1 Q0 a 1 2 s q1 Q0 b 1 2 s\n", 1, f"{RUN_COLUMNS}, got 12: 'q1 Q0 a 1 2 s q1 Q0 b 1 2 s'"),
    (b"q1 Q0 a 1 2 s\rq1 Q0 b 1 2 s\r", 1, f"{RUN_COLUMNS}, got 12: 'q1 Q0 a 1 2 s\\rq1 Q0 b 1 2 s'"),
    (b"# comment\nq1 Q0 a 1 2 s\n", 1, f"{RUN_COLUMNS}, got 2: '# comment'"),
    (b"\n\n \nq1\n", 4, f"{RUN_COLUMNS}, got 1: 'q1'"),
    ("é".encode() * 100, 1, f"{RUN_COLUMNS}, got 1: {'é' * 40!r}"),
    (b"q1 Q0 a 1 2 s\nq1 Q0 b\xe9 2 1 s\n", 2, "byte 0xe9 is not UTF-8: save the file as UTF-8"),
    (b"q1 Q0\n\xff", 2, "byte 0xff is not UTF-8: save the file as UTF-8"),
    ("q1 Q0 a 1 2 s\n".encode("utf-16"), 1, "byte 0xff is not UTF-8: save the file as UTF-8"),
    (b"q1 Q0 a 1 2 s\nq1 Q0 b 2 1 s\nq1 Q0 a 3 1 s\n", 3, "document 'a' is returned twice for query 'q1'"),
    (
        b"\nq1 Q0 a 1 2 s\n\nq2 Q0 a 1 2 s\nq1 Q0 a 1 2 s\n",
        5,
        "document 'a' is returned twice for query 'q1'",
    ),
    (b"", None, "has no results: did the search step fail?"),
    (b"\n\n", None, "has no results: did the search step fail?"),
    (b" \t\r\n", None, "has no results: did the search step fail?"),
    (b"\xef\xbb\xbf", None, "has no results: did the search step fail?"),
    (gzip.compress(b"", mtime=0), None, "has no results: did the search step fail?"),
]
QRELS_FAULTS = [
    (b"q1 0 a\n", 1, f"{QRELS_COLUMNS}, got 3: 'q1 0 a'"),
    (b"q1 0 a 1\nq1 0 my doc 1\n", 2, f"{QRELS_COLUMNS}, got 5: 'q1 0 my doc 1'"),
    (b"q1 0 \na 1\n", 1, f"{QRELS_COLUMNS}, got 2: 'q1 0'"),
    (b"q1 Q0 a 1 2.0 s\n", 1, f"{QRELS_COLUMNS}, got 6: 'q1 Q0 a 1 2.0 s'"),
    (b"q1 0 a 0.9\nq1 0 b 1.9\n", 1, "the relevance '0.9' is not a whole number"),
    (b"q1 0 a 1\n\nq1 0 b 1.5\n", 3, "the relevance '1.5' is not a whole number"),
    (b"q1 0 a nan\n", 1, "the relevance 'nan' is not a whole number"),
    (b"q1 0 a inf\n", 1, "the relevance 'inf' is not a whole number"),
    (b"q1 0 a 1e400\n", 1, "the relevance '1e400' is not a whole number"),
    (b"q1 0 a 2147483648\n", 1, "the relevance '2147483648' is not a whole number"),
    (b"q1 0 a high\n", 1, "the relevance 'high' is not a number"),
    (b"q1 0 a 1_0\n", 1, "the relevance '1_0' is not a number"),
    (
        b"q1 0 a 1\nq1 0 b 1\nq1 0 a 2\n",
        3,
        "document 'a' is judged twice for query 'q1': 1 and 2: keep one of the lines",
    ),
    (
        b"q1 0 a 1\nq2 0 a 2\nq1 0 a 0\n",
        3,
        "document 'a' is judged twice for query 'q1': 1 and 0: keep one of the lines",
    ),
    (b"q1 0 a 1\nq1 0 \xe9 1\n", 2, "byte 0xe9 is not UTF-8: save the file as UTF-8"),
    (b"", None, "has no judgments"),
    (b"\n \n", None, "has no judgments"),
]


@pytest.mark.parametrize(("content", "line", "message"), RUN_FAULTS, ids=range(len(RUN_FAULTS)))
def test_a_faulty_run_is_refused_with_file_and_line(
    write: Write, content: bytes, line: int | None, message: str
) -> None:
    path = write(content)
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert str(caught.value) == (f"{path}:{line}: {message}" if line else f"{path}: {message}")


@pytest.mark.parametrize(("content", "line", "message"), QRELS_FAULTS, ids=range(len(QRELS_FAULTS)))
def test_faulty_qrels_are_refused_with_file_and_line(
    write: Write, content: bytes, line: int | None, message: str
) -> None:
    path = write(content)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert str(caught.value) == (f"{path}:{line}: {message}" if line else f"{path}: {message}")


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_what_cannot_be_read_is_an_input_error(read: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / "none.txt")
    assert str(caught.value) == f"{tmp_path / 'none.txt'}: cannot be read: No such file or directory"
    with pytest.raises(InputError, match="cannot be read: "):
        read(tmp_path)


def test_a_path_may_be_text(write: Write) -> None:
    assert len(read_run(str(write(b"q Q0 a 1 1 s\n")))) == 1


def test_compression_is_seen_from_the_content_not_the_name(tmp_path: Path) -> None:
    content = b"q Q0 a 1 1.0 s\n"
    packed = tmp_path / "run.txt"
    packed.write_bytes(gzip.compress(content, mtime=0))
    assert run_rows(packed) == [("q", "a", 1.0)]
    plain = tmp_path / "run.txt.gz"
    plain.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_run(plain)
    assert str(caught.value) == f"{plain}: is named .gz but is not a gzip file: rename or compress it"


@pytest.mark.parametrize("damage", ["truncated", "header-only", "flipped", "trailing"])
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, damage: str) -> None:
    content = gzip.compress(b"q Q0 a 1 1.0 s\n" * 1000, mtime=0)
    middle = len(content) // 2
    path = tmp_path / "run.gz"
    path.write_bytes(
        {
            "truncated": content[:-10],
            "header-only": content[:10],
            "flipped": content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :],
            "trailing": content + b"junk",
        }[damage]
    )
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}: is a damaged gzip file: ")


def test_an_empty_file_named_gz_has_no_results(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="has no results"):
        read_run(path)


def test_only_one_byte_order_mark_is_taken_off(write: Write) -> None:
    assert read_bytes(write(b"\xef\xbb\xbf\xef\xbb\xbfq")) == b"\xef\xbb\xbfq"


# The same once more, one line after the other, to hold the vectorised reader against.

NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)


class RefusedError(Exception):
    """The plain reader refuses the file at this line, or as a whole."""

    def __init__(self, line: int | None) -> None:
        super().__init__()
        self.line = line


def plain_lines(content: bytes, width: int) -> list[tuple[int, list[str]]]:
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise RefusedError(content[: error.start].count(b"\n") + 1) from None
    rows = []
    for line, row in enumerate(text.split("\n"), start=1):
        tokens = [token for token in re.split("[ \t\r]", row) if token]
        if len(tokens) not in (0, width):
            raise RefusedError(line)
        if tokens:
            rows.append((line, tokens))
    return rows


def plain_numbers(rows: list[tuple[int, list[str]]], field: int) -> list[float]:
    for line, tokens in rows:
        if not NUMBER.fullmatch(tokens[field]):
            raise RefusedError(line)
    return [float(tokens[field]) for _, tokens in rows]


def plain_run(content: bytes) -> list[RunRow]:
    rows = plain_lines(content, 6)
    if not rows:
        raise RefusedError(None)
    scores = plain_numbers(rows, 4)
    queries = list(dict.fromkeys(tokens[0] for _, tokens in rows))
    numbered = [(t[0], t[2], score, line) for (line, t), score in zip(rows, scores, strict=True)]
    numbered.sort(key=lambda row: queries.index(row[0]))
    for _, _, score, line in numbered:
        if math.isnan(score):
            raise RefusedError(line)
    seen = set()
    for query, doc, _, line in numbered:
        if (query, doc) in seen:
            raise RefusedError(line)
        seen.add((query, doc))
    return [row[:3] for row in numbered]


def plain_qrels(content: bytes) -> list[QrelsRow]:
    rows = plain_lines(content, 4)
    for (line, _), value in zip(rows, plain_numbers(rows, 3), strict=True):
        if not (math.isfinite(value) and value == int(value) and abs(value) < 2**31):
            raise RefusedError(line)
    if not rows:
        raise RefusedError(None)
    queries = list(dict.fromkeys(tokens[0] for _, tokens in rows))
    kept: dict[tuple[str, str], int] = {}
    for line, tokens in sorted(rows, key=lambda row: queries.index(row[1][0])):
        grade = int(float(tokens[3]))
        if kept.setdefault((tokens[0], tokens[2]), grade) != grade:
            raise RefusedError(line)
    return [(query, doc, grade) for (query, doc), grade in kept.items()]


QUERIES = ["q1", "q2", "31_1", "q-with-a-long-name", "é"]
DOCS = [
    "a",
    "a\u00a0b",
    "a\x0bb",
    "a\0b",
    "\x1fz",
    "#",
    "x" * 8,
    "x" * 17,
    "日本語",
    "\U0001f600",
    "\ufeff",
    "\x85",
    "7",
]
GOOD = [
    "1",
    "2.5",
    "-1",
    "+3",
    "1e3",
    "1E-2",
    "inf",
    "-inf",
    ".5",
    "5.",
    "0.30000000000000004",
    "9" * 40,
    "1e400",
]
BAD = ["nan", "1_0", "0x1p3", "1,5", "--1", "-", ".", "1.2.3", "1e", "x", "1\0", "\u0663"]
GOOD_GRADES = ["0", "1", "2", "-2", "+3", "1.0", "2e0", "-0", "2147483647"]
BAD_GRADES = [*BAD, "0.9", "1e-3", "inf", "1e400", "2147483648"]


@st.composite
def files(draw: st.DrawFn, *, run: bool) -> bytes:
    """Write a file, clean or with faults, in blanks and line ends of all kinds."""
    clean = draw(st.booleans())
    good, bad = (GOOD, BAD) if run else (GOOD_GRADES, BAD_GRADES)
    blanks, ends = [" ", "\t", "  ", " \t "], ["\n", "\r\n", " \n", "\n\n", "\t\r\n \n"]
    if not clean:
        blanks, ends = [*blanks * 4, "\n", " \n", "\r\n", "\r"], [*ends * 2, " ", "\r", " x\n"]
    parts = [draw(st.sampled_from(["", "\ufeff", "\n", " ", "\ufeff\r\n"]))]
    for number in range(draw(st.integers(0, 6))):
        doc = draw(st.sampled_from(DOCS))
        if clean or draw(st.integers(0, 3)):
            doc += str(number)
        value = draw(st.sampled_from(good if clean or draw(st.integers(0, 3)) else bad))
        row = [draw(st.sampled_from(QUERIES)), "Q0", doc, *(["1", value, "tag"] if run else [value])]
        parts += [part for token in row for part in (token, draw(st.sampled_from(blanks)))]
        parts[-1] = draw(st.sampled_from(ends))
    content = "".join(parts)
    if draw(st.booleans()):
        content = content.rstrip("\r\n \t")
    broken = not clean and draw(st.integers(0, 9)) == 0
    return content.encode() + (b"\xff" if broken else b"")


def agree(
    content: bytes, path: Path, read: Callable[[Path], object], plain: Callable[[bytes], object]
) -> None:
    path.write_bytes(content)
    try:
        expected = plain(content)
    except RefusedError as refusal:
        with pytest.raises(InputError) as caught:
            read(path)
        assert caught.value.line == refusal.line
        assert caught.value.path == path
    else:
        assert read(path) == expected


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readers") / "file.txt"


@given(content=files(run=True))
@settings(deadline=None, max_examples=300)
def test_both_readers_agree_on_any_run(scratch: Path, content: bytes) -> None:
    agree(content, scratch, run_rows, plain_run)


@given(content=files(run=False))
@settings(deadline=None, max_examples=300)
def test_both_readers_agree_on_any_qrels(scratch: Path, content: bytes) -> None:
    agree(content, scratch, qrels_rows, plain_qrels)


@given(content=st.text(st.sampled_from("aé1.-e \t\r\n\0"), max_size=60).map(str.encode))
@settings(deadline=None, max_examples=300)
def test_both_readers_agree_on_noise(scratch: Path, content: bytes) -> None:
    agree(content, scratch, run_rows, plain_run)
    agree(content, scratch, qrels_rows, plain_qrels)
