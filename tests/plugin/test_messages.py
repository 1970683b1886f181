"""What a failure says."""

from __future__ import annotations

import re

import pytest
from small_project import BENCHMARKS, QRELS, Project, said


def message(result: pytest.RunResult) -> str:
    """The text of the one failure or error of a session."""
    text = result.stdout.str()
    body = text.split("_____\n", 1)[1]
    return body.split("\n====", 1)[0]


def test_a_failure_names_value_limit_queries_documents_and_the_line_to_edit(project: Project) -> None:
    project.gate("nDCG@10: 0.80")
    assert message(project.run("--irbench=tiny")) == (
        """\
nDCG@10 = 0.7970, below min 0.8000 (short by 0.0030)
  benchmark tiny, system bm25: mean over 3 judged queries
  at most 2 documents returned for a query, fewer than the cutoff
  2 of 6 documents in the top 10 are unjudged

  lowest queries:
  query_id    nDCG@10    text
  1e5         0.6309     how far is 100 km
      1. x1  unjudged
      2. d3  grade 2
  31_1        0.7602     what is throat cancer
      1. d1  grade 2
      2. q  unjudged
      better: d2 grade 1 not returned
  007         1.0000     james bond
      1. 1e5  grade 3
      2. d7  grade 0

irbench.yaml:4: nDCG@10 min"""
    )


def test_a_maximum_shows_the_highest_queries(project: Project) -> None:
    project.gate("AP: {max: 0.5}")
    text = message(project.run("--irbench=tiny"))
    assert text.startswith("AP(rel=2) = 0.8333, above max 0.5000 (over by 0.3333)\n")
    assert "relevant from grade 2" in text
    assert "highest queries:" in text
    assert text.index("31_1 ") < text.index("1e5 ")
    assert text.endswith("irbench.yaml:4: AP(rel=2) max")


def test_the_first_line_is_the_short_summary(project: Project) -> None:
    project.gate("nDCG@10: 0.80")
    project.run("--irbench=tiny").stdout.fnmatch_lines(
        [
            (
                "FAILED irbench.yaml::bm25[[]tiny-nDCG@10-min[]] - Failed: "
                "nDCG@10 = 0.7970, below min 0.8000 (short by 0.0030)"
            )
        ]
    )


@pytest.mark.parametrize("form", ["RR: 0.44445", "RR: {min: 0.44445}"])
def test_a_near_miss_is_printed_with_the_digits_that_tell_both_apart(project: Project, form: str) -> None:
    """Case 67."""
    project.write("near.tsv", "q1\ta\nq2\tb\nq3\tc\n")
    project.write("near.qrels", "q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n")
    project.write(
        "near.run",
        "q1 Q0 x 1 2.0 s\nq1 Q0 a 2 1.0 s\nq2 Q0 x 1 2.0 s\nq2 Q0 a 2 1.0 s\n"
        "q3 Q0 x 1 3.0 s\nq3 Q0 y 2 2.0 s\nq3 Q0 a 3 1.0 s\n",
    )
    project.write(
        "irbench.yaml",
        f"""\
        benchmarks: {{near: {{topics: near.tsv, qrels: near.qrels}}}}
        systems: {{saved: {{run: near.run}}}}
        gates: [{{benchmark: near, system: saved, thresholds: {{{form}}}}}]
        """,
    )
    result = project.run("--irbench=near")
    result.assert_outcomes(failed=1)
    assert "RR = 0.44444, below min 0.44445 (short by 5.6e-06)" in result.stdout.str()
    assert "0.44444  min 0.44445" in result.stdout.str()


def test_a_miss_of_one_last_bit_still_shows_two_numbers(project: Project) -> None:
    project.gate("Success@1: 0.6666666666666667")
    text = project.run("--irbench=tiny").stdout.str()
    assert "Success(rel=2)@1 = 0.6666666666666666, below min 0.6666666666666667 (short by 1.1e-16)" in text


def test_only_the_five_lowest_queries_are_shown(project: Project) -> None:
    ids = [f"q{i}" for i in range(30)]
    project.write("topics.tsv", "".join(f"{q}\ttext of {q}\n" for q in ids))
    project.write("qrels.txt", "".join(f"{q} 0 d 2\n" for q in ids))
    project.fixtures(
        "@pytest.fixture\ndef half(): return lambda topic, k: ['d' if int(topic.query_id[1:]) % 2 else 'x']\n"
    )
    project.gate("RR: 0.9", system="half")
    text = message(project.run("--irbench=tiny"))
    assert text.count("text of q") == 5
    assert text.count("  0.0000  ") == 5


def test_a_long_query_is_cut_and_line_ends_are_flattened(project: Project) -> None:
    project.write("topics.tsv", f"31_1\t{'very long ' * 20}\n007\tb\n1e5\tc\n")
    project.gate("RR: 0.99")
    line = next(x for x in message(project.run("--irbench=tiny")).split("\n") if "very long" in x)
    assert line.endswith("…")
    assert len(line) < 110


def test_ties_in_the_top_are_counted(project: Project) -> None:
    project.fixtures("@pytest.fixture\ndef tied(): return lambda topic, k: [('d1', 1.0), ('zz', 1.0)]\n")
    project.gate("RR@5: 0.9", system="tied")
    text = message(project.run("--irbench=tiny"))
    assert "3 queries have equal scores in the top 5, ranked by doc_id descending" in text
    assert text.index("1. zz") < text.index("2. d1")


def test_many_queries_without_results_are_counted_and_ten_are_named(project: Project) -> None:
    ids = [f"q{i}" for i in range(15)]
    project.write("topics.tsv", "".join(f"{q}\t{q}\n" for q in ids))
    project.write("qrels.txt", "".join(f"{q} 0 d 2\n" for q in ids))
    project.write("run.txt", "q0 Q0 d 1 1 x\n")
    project.gate("RR: 0.9", system="saved", systems="saved: {run: run.txt}")
    text = message(project.run("--irbench=tiny"))
    assert (
        "14 judged queries without results, counted as 0: q1, q2, q3, q4, q5, q6, q7, q8, q9, q10 and 4 more"
        in text
    )
    assert "no results" in text


def test_ids_are_text_in_messages_and_tables(project: Project) -> None:
    """Case 71."""
    project.gate("nDCG@10: 0.99")
    text = message(project.run("--irbench=tiny"))
    for wanted in ("\n  31_1  ", "\n  007  ", "\n  1e5  ", "1. 1e5  grade 3"):
        assert wanted in text
    for wrong in (" 311 ", "\n  7 ", "100000"):
        assert wrong not in text


def test_a_system_that_raises_is_an_error_with_the_query_and_its_traceback(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def broken():
        def search(topic, k):
            if topic.query_id == "007":
                return look_up(topic)
            return ["d1"]
        return search

    def look_up(topic):
        raise ConnectionError("index is closed")
    """)
    project.gate("RR: 0.5", system="broken")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    text = message(result)
    assert text.startswith(
        "system 'broken' failed on query '007' (james bond): ConnectionError: index is closed\n"
    )
    assert "in look_up" in text
    assert 'raise ConnectionError("index is closed")' in text
    assert text.endswith(
        "\n\nirbench.yaml:2: benchmark tiny\nirbench.yaml:4: this threshold could not be measured"
    )


def test_an_error_ends_in_the_places_of_benchmark_system_and_gate(project: Project) -> None:
    project.gate("RR: 0.5", system="saved", systems="saved: {run: gone.txt}")
    text = message(project.run("--irbench=tiny"))
    assert "gone.txt: cannot be read: No such file or directory" in text
    assert text.endswith(
        "\n\nirbench.yaml:2: benchmark tiny\nirbench.yaml:4: system saved\n"
        "irbench.yaml:6: this threshold could not be measured"
    )


def test_a_failure_of_a_saved_run_names_its_file(project: Project) -> None:
    project.write("runs/x.txt", "31_1 Q0 d1 1 2 mine\n")
    project.gate("RR: 0.9", system="saved", systems="saved: {run: runs/x.txt}")
    text = message(project.run("--irbench=tiny"))
    assert re.search(
        r"^  benchmark tiny, system saved \((\S*/)?runs/x\.txt\): mean over 3", text, re.MULTILINE
    )


def test_counts_are_whole_numbers(project: Project) -> None:
    project.gate("NumRet: 7")
    result = project.run("--irbench=tiny")
    assert message(result).startswith("NumRet = 6, below min 7 (short by 1")
    assert "  007         2       " in message(result)
    assert re.search(r"^NumRet +6  min 7 +66\.7%  failed ", result.stdout.str(), re.MULTILINE)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("5", "answered query '31_1' (what is throat cancer) with int 5; accepted are (doc_id, score) pairs"),
        ("None", "with NoneType None"),
        ("'d1'", "with str 'd1'"),
        ("[('d1', float('nan'))]", "NaN"),
        ("[('d1', 1.0), ('d1', 2.0)]", "'d1' is returned twice"),
        ("[('d1', 'high')]", "'high'"),
        ("[('d1', True)]", "True"),
        ("[object()]", "with list"),
    ],
)
def test_an_answer_that_is_no_ranking_is_an_error_with_the_query(
    project: Project, answer: str, told: str
) -> None:
    project.fixtures(f"@pytest.fixture\ndef odd(): return lambda topic, k: {answer}\n")
    project.gate("RR: 0.5", system="odd")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert told in message(result)
    assert "'31_1'" in message(result)


def test_a_failing_fixture_is_an_error_with_the_users_own_traceback(project: Project) -> None:
    project.fixtures("@pytest.fixture\ndef down(): raise OSError('cannot reach the server')\n")
    project.gate("RR: 0.5", system="down")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "OSError: cannot reach the server" in message(result)
    assert "conftest.py" in message(result)


def test_a_failing_import_shows_the_users_own_traceback(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\npythonpath = .\n")
    project.write("half_written.py", "import json\n\nraise RuntimeError('no licence')\n")
    project.gate("RR: 0.5", system="lib", systems='lib: {search: "half_written:x"}')
    text = message(project.run("--irbench=tiny"))
    assert text.startswith("search 'half_written:x': importing failed: RuntimeError: no licence\n")
    assert "half_written.py" in text


def test_the_system_of_a_gate_is_named_with_its_place_when_its_fixture_is_missing(project: Project) -> None:
    project.gate("RR: 0.5", system="bm52")
    assert message(project.run("--irbench=tiny")) == (
        "irbench.yaml:4: there is no fixture 'bm52', did you mean 'bm25'? define it in conftest.py, returning "
        "search(topic, k), or declare the system under systems:"
    )


def test_too_low_is_f_and_not_measured_is_e(project: Project) -> None:
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}gates:\n"
        "  - {benchmark: tiny, system: bm25, thresholds: {RR: 0.99, AP: 0.5}}\n"
        "  - {benchmark: tiny, system: gone, thresholds: {RR: 0.99}}\n",
    )
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1, passed=1, errors=1)
    result.stdout.fnmatch_lines(["irbench.yaml F.E*"])


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("qrels.txt", "31_1 0 d1 0.5\n", "qrels.txt:1: "),
        ("qrels.txt", QRELS + "31_1 0 d1 0\n", "qrels.txt:6: "),
        (
            "run.txt",
            "31_1 Q0 d1 1 2 tag\n007 Q0 1e5 1 tag\n",
            "run.txt:2: expected 6 columns (query_id Q0 doc_id rank score tag), got 5",
        ),
        ("run.txt", "31_1 Q0 d1 1 high tag\n", "run.txt:1: "),
        ("run.txt", "31_1 Q0 d1 1 2 t\n31_1 Q0 d1 2 1 t\n", "run.txt:2: "),
    ],
)
def test_a_bad_line_of_a_file_is_one_error_with_its_place(
    project: Project, name: str, text: str, told: str
) -> None:
    project.write("run.txt", "31_1 Q0 d1 1 2 tag\n")
    project.write(name, text)
    project.gate("RR: 0.5", system="saved", systems="saved: {run: run.txt}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert told in message(result)
    assert "Traceback" not in said(result)
