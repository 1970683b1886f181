"""Systems and projects that misbehave: the number stays right, nothing is green by accident."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, Project, said

GATE = "gates:\n  - {benchmark: tiny, system: [%s], thresholds: {RR: 0.5}}\n"


def system(body: str, name: str = "odd") -> str:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"@pytest.fixture\ndef {name}():\n    def search(topic, k):\n{lines}    return search\n"


def test_a_benchmark_declared_twice_is_not_guessed(project: Project) -> None:
    for folder in ("a", "b"):
        project.write(f"{folder}/irbench.yaml", BENCHMARKS)
        project.write(f"{folder}/topics.tsv", "q\tx\n")
        project.write(f"{folder}/qrels.txt", "q 0 d 2\n")
    (project.path / "irbench.yaml").unlink()
    project.write("b/test_b.py", "def test_b(irbench_benchmark): irbench_benchmark('tiny')\n")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "benchmark 'tiny' is declared in a/irbench.yaml and b/irbench.yaml" in said(result)


def test_gates_of_two_files_have_tables_of_their_own(project: Project) -> None:
    project.write("a/irbench.yaml", (project.path / "irbench.yaml").read_text())
    project.write("a/topics.tsv", "007\tx\n")
    project.write("a/qrels.txt", "007 0 1e5 2\n")
    result = project.run("--irbench=all")
    assert "tiny · bm25: 1 query" in said(result)
    assert "tiny · bm25: 3 queries" in said(result)


def test_qrels_of_a_benchmark_keep_its_level_alone(project: Project) -> None:
    project.write(
        "test_it.py",
        "from pytest_irbench import assert_measure\n"
        "def test_it(irbench_benchmark):\n"
        "    qrels = irbench_benchmark('tiny').qrels\n"
        "    run = {'31_1': {'d2': 2.0, 'd1': 1.0}}\n"
        "    assert assert_measure(run, 'RR', qrels=qrels) == 0.5 / 3\n",
    )
    project.run("--irbench=tiny", "test_it.py").assert_outcomes(passed=1)


def test_what_a_system_does_to_its_topic_does_not_reach_the_next(project: Project) -> None:
    project.fixtures(system("topic.query_id = '007'\nreturn {'x': 1.0}"))
    project.write("irbench.yaml", BENCHMARKS + GATE % "odd, bm25")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=1)
    assert "tiny · bm25: 3 queries\n" in said(result)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pytest.skip('timeout')", "Skipped: timeout"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("import asyncio\nraise asyncio.CancelledError", "CancelledError"),
        ("raise OSError('no file \\udcff')", "OSError: no file \\udcff"),
        (
            "class Lazy:\n    def __iter__(self): raise ValueError('lazy boom')\nreturn Lazy()",
            "ValueError: lazy boom",
        ),
        ("import itertools\nreturn (str(n) for n in itertools.count())", "with over 1,000,000 documents"),
        ("return {10**5000: 1.0}", "ids are text"),
    ],
)
def test_a_query_that_was_not_answered_is_an_error_of_its_gate_alone(
    project: Project, body: str, message: str
) -> None:
    project.fixtures(system(body))
    project.write("irbench.yaml", BENCHMARKS + GATE % "odd, bm25")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, errors=1)
    assert "system 'odd'" in said(result)
    assert "query '31_1' (what is throat cancer)" in said(result)
    assert message in said(result)


def test_half_a_surrogate_pair_does_not_end_an_xdist_session(project: Project) -> None:
    project.fixtures(system("raise OSError('no file \\udcff')"))
    project.write("irbench.yaml", BENCHMARKS + GATE % "odd, bm25")
    project.spawn("--irbench=tiny", "-n2", "-p", "no:cacheprovider").assert_outcomes(passed=1, errors=1)


def test_long_ids_and_texts_are_clipped(project: Project) -> None:
    project.fixtures(system("return {'line\\n' * 10_000: 2.0, 'y' * 50_000: 1.0}", "long"))
    project.fixtures(system("raise ValueError('page ' * 100_000)"))
    project.write("irbench.yaml", BENCHMARKS + GATE % "odd, long")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1, errors=1)
    assert len(said(result)) < 60_000
    assert "line\\n" in said(result)


@pytest.mark.parametrize("selected", ["dl20", "cast", "all", "dl20-passage"])
def test_asking_for_one_benchmark_by_name_excuses_no_other(project: Project, selected: str) -> None:
    project.write("irbench.yaml", BENCHMARKS)
    project.write("test_it.py", "def test_it(irbench_benchmark): irbench_benchmark('tiny')\n")
    assert project.run(f"--irbench={selected}").ret == pytest.ExitCode.TESTS_FAILED


def test_a_system_without_parameters_is_an_error(project: Project) -> None:
    project.fixtures("@pytest.fixture(params=[])\ndef none(request):\n    return request.param\n")
    project.write("irbench.yaml", BENCHMARKS + GATE % "none")
    result = project.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "irbench.yaml:4: system 'none' is a fixture without parameters" in said(result)


def test_a_named_file_without_gates_is_an_error(project: Project) -> None:
    project.write("irbench.yaml", BENCHMARKS)
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.run("irbench.yaml", "test_ok.py")
    result.assert_outcomes(passed=1, errors=1)
    assert "irbench.yaml was named on the command line and has no gate" in said(result)


def test_one_id_among_the_arguments_does_not_excuse_the_rest(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    assert project.run("--irbench=dl20", "test_ok.py::test_ok", ".").ret == pytest.ExitCode.TESTS_FAILED


def test_a_mistyped_run_is_an_error_beside_one_id_too(project: Project) -> None:
    result = project.run("--irbench=tiny", "--irbench-run", "bm52=x", "irbench.yaml::bm25[tiny-nDCG@10-min]")
    result.assert_outcomes(passed=1, errors=1)


def test_a_run_given_twice_is_a_usage_error(project: Project) -> None:
    result = project.run("--irbench=tiny", "--irbench-run", "bm25=a", "--irbench-run", "bm25=b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-run: a system is named twice" in said(result)


@pytest.mark.parametrize("comparison", ["== 0.99", "== 1"])
def test_an_equality_that_is_false_fails(project: Project, comparison: str) -> None:
    project.write(
        "test_it.py",
        "from pytest_irbench import assert_ndcg_at\n"
        f"def test_it(): assert_ndcg_at({{'q': {{'x': 1.0}}}}, 3, qrels={{'q': {{'d': 1}}}}) {comparison}\n",
    )
    result = project.run("test_it.py")
    result.assert_outcomes(failed=1)
    assert "nDCG@3 = 0.0000, not == " in said(result)


def test_a_value_made_in_a_teardown_must_be_compared_too(project: Project) -> None:
    project.write(
        "test_it.py",
        "import pytest\nfrom pytest_irbench import assert_ndcg_at\n"
        "@pytest.fixture\ndef late():\n    yield\n"
        "    assert_ndcg_at({'q': {'x': 1.0}}, 3, qrels={'q': {'d': 1}})\n"
        "def test_it(late): pass\n",
    )
    result = project.run("test_it.py")
    result.assert_outcomes(passed=1, errors=1)
    assert "was never compared" in said(result)


def test_a_level_above_every_grade_could_not_be_measured(project: Project) -> None:
    project.gate("RR(rel=4): 0.1")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "the highest grade is 3, so nothing is relevant for RR(rel=4)" in said(result)


def test_a_user_without_a_home_folder_can_guard_own_files(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> None:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("IR_DATASETS_HOME")
    monkeypatch.setattr("pathlib.Path.home", no_home)
    project.gate("RR: 0.1")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1)
    assert "data home none (set IR_DATASETS_HOME)" in said(result)
    assert project.run("--irbench-list").ret == 0


def test_a_terminal_of_ascii_keeps_the_lines_of_the_table(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    project.write(
        "irbench.yaml",
        BENCHMARKS.replace("relevance_level", "description: Suche für alle, relevance_level") + GATE % "bm25",
    )
    result = project.spawn("--irbench=tiny", "-p", "no:cacheprovider")
    assert result.ret == 0
    assert any(line.startswith("RR(rel=2)") for line in result.outlines)
    listed = project.spawn("--irbench-list")
    assert listed.ret == 0
    assert "Suche f\\xfcr alle" in listed.stdout.str()
