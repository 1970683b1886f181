"""The fixtures that the plugin brings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from small_project import BENCHMARKS, Project

from pytest_irbench.benchmarks import files
from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES
from pytest_irbench.plugin import fixtures

NAMES = [name.replace("-", "_") for name in BUILTIN]


def test_every_benchmark_has_fixtures_that_skip_unless_it_is_selected(project: Project) -> None:
    fixtures = [
        f"{name}{suffix}" for name in [*NAMES, "dl19", "dl20"] for suffix in ("", "_topics", "_qrels")
    ]
    project.write("test_it.py", "".join(f"def test_{f}({f}): raise AssertionError\n" for f in fixtures))
    result = project.run("test_it.py", "-rs")
    result.assert_outcomes(skipped=24)
    for name in BUILTIN:
        assert f"{name} is not selected: run pytest --irbench={name}" in result.stdout.str()


def test_the_fixtures_are_described(project: Project) -> None:
    text = project.run("--fixtures").stdout.str()
    for name in NAMES:
        assert f"{name} [session scope]" in text
    assert "Benchmark dl20-passage; skips unless it is selected with --irbench." in text
    assert "irbench [session scope]" in text


def test_irbench_runs_a_test_for_each_selected_benchmark(project: Project) -> None:
    project.write(
        "irbench.yaml",
        "benchmarks:\n  tiny: {topics: topics.tsv, qrels: qrels.txt}\n  other: {topics: topics.tsv, qrels: qrels.txt}\n",
    )
    project.write("test_it.py", "def test_it(irbench): assert len(irbench.topics) == 3\n")
    result = project.run("--irbench=tiny,other", "-v")
    result.assert_outcomes(passed=2)
    assert "test_it.py::test_it[tiny] PASSED" in result.stdout.str()
    assert "test_it.py::test_it[other] PASSED" in result.stdout.str()


def test_irbench_is_skipped_without_a_selection(project: Project) -> None:
    project.write("test_it.py", "def test_it(irbench): raise AssertionError\n")
    result = project.run("test_it.py", "-rs")
    result.assert_outcomes(skipped=1)
    assert "no benchmark is selected: run pytest --irbench=NAMES" in result.stdout.str()


def test_irbench_with_all_runs_for_each_benchmark_that_a_gate_names(project: Project) -> None:
    project.write("test_it.py", "def test_it(irbench): assert irbench.name == 'tiny'\n")
    project.run("--irbench=all").assert_outcomes(passed=5)


def test_irbench_with_all_keeps_what_is_named_beside_it(project: Project) -> None:
    project.write("test_it.py", "def test_it(irbench): pass\n")
    listed = project.run("--irbench=all,dl20-doc", "--collect-only", "-q").stdout.str()
    assert "test_it.py::test_it[tiny]" in listed
    assert "test_it.py::test_it[dl20-doc]" in listed


def test_irbench_expands_a_family(project: Project) -> None:
    project.write("test_it.py", "def test_it(irbench): pass\n")
    result = project.run("--irbench=dl20", "test_it.py", "--co", "-q")
    assert "test_it.py::test_it[dl20-passage]" in result.stdout.str()
    assert "test_it.py::test_it[dl20-doc]" in result.stdout.str()


def test_irbench_works_beside_other_parameters(project: Project) -> None:
    project.write(
        "test_it.py",
        "import pytest\n@pytest.mark.parametrize('k', [1, 2])\ndef test_it(irbench, k, bm25):\n"
        "    assert len(irbench.retrieve(bm25, depth=k)) <= 3 * k\n",
    )
    project.run("--irbench=tiny", "test_it.py").assert_outcomes(passed=2)


def test_irbench_reaches_tests_through_other_fixtures(project: Project) -> None:
    project.fixtures(
        "@pytest.fixture(scope='session')\ndef run(irbench, bm25): return irbench.retrieve(bm25)\n"
    )
    project.write(
        "test_it.py",
        "from pytest_irbench import assert_ndcg_at\n"
        "def test_it(run): assert_ndcg_at(run, 10) >= 0.75\n"
        "def test_two(run): assert_ndcg_at(run, 10) >= 0.99\n",
    )
    result = project.run("--irbench=tiny", "test_it.py")
    result.assert_outcomes(passed=1, failed=1)
    assert "007         1.0000     james bond" in result.stdout.str()
    assert len(project.calls) == 3


def test_irbench_benchmark_gives_a_declared_one_by_name(project: Project) -> None:
    project.write(
        "test_it.py",
        "def test_it(irbench_benchmark):\n"
        "    tiny = irbench_benchmark('tiny')\n"
        "    assert (tiny.name, tiny.relevance_level, tiny.topics.by_id('007')) == ('tiny', 2, 'james bond')\n",
    )
    project.run("--irbench=tiny").assert_outcomes(passed=5)


def test_a_project_may_ask_for_its_benchmark_in_python_alone(project: Project) -> None:
    project.write("irbench.yaml", BENCHMARKS)
    project.write("test_x.py", "def test_topics(irbench_benchmark): assert irbench_benchmark('tiny').topics")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1)


def test_irbench_benchmark_skips_what_is_not_selected(project: Project) -> None:
    project.write("test_it.py", "def test_it(irbench_benchmark): irbench_benchmark('tiny')\n")
    result = project.run("test_it.py", "-rs")
    result.assert_outcomes(skipped=1)
    assert "tiny is not selected: run pytest --irbench=tiny" in result.stdout.str()


def test_irbench_benchmark_of_an_unknown_name_is_an_error(project: Project) -> None:
    project.write("test_it.py", "def test_it(irbench_benchmark): irbench_benchmark('dl21')\n")
    result = project.run("--irbench=all", "test_it.py")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "unknown benchmark 'dl21'" in result.stdout.str()


@pytest.mark.parametrize("selected", [["--irbench=all"], ["--irbench=tiny"], []])
def test_irbench_benchmark_of_an_unknown_name_names_the_declared_ones(
    project: Project, selected: list[str]
) -> None:
    project.write(
        "test_it.py",
        "def test_one(irbench_benchmark): irbench_benchmark('zzz')\n"
        "def test_two(irbench_benchmark): irbench_benchmark('tny')\n",
    )
    result = project.run(*selected, "test_it.py")
    # No gate was collected for what --irbench=all asks for.
    result.assert_outcomes(failed=2, errors=int("--irbench=all" in selected))
    assert "unknown benchmark 'zzz': known are tiny, cast19, " in result.stdout.str()
    assert "unknown benchmark 'tny', did you mean 'tiny'?" in result.stdout.str()


def test_a_benchmark_is_loaded_once_for_gates_and_fixtures(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []
    load_files = files.load_files
    monkeypatch.setattr(files, "load_files", lambda *a: loaded.append(a[0]) or load_files(*a))
    project.write(
        "test_it.py",
        "def test_it(irbench): pass\ndef test_two(irbench_benchmark): irbench_benchmark('tiny')\n",
    )
    project.run("--irbench=tiny").assert_outcomes(passed=6)
    assert loaded == ["tiny"]


@pytest.mark.usefixtures("published_home")
def test_a_selected_benchmark_is_loaded_with_its_topics_and_qrels(project: Project) -> None:
    project.write(
        "test_it.py",
        "def test_it(dl20_passage, dl20, dl20_passage_topics, dl20_qrels, dl20_doc):\n"
        "    assert dl20 is dl20_passage\n"
        "    assert dl20_passage_topics is dl20.topics and dl20_qrels is dl20.qrels\n"
        "    assert len(dl20.topics) == 54 and len(dl20_doc.topics) == 45\n",
    )
    result = project.run("--irbench=dl20", "test_it.py")
    result.assert_outcomes(passed=1)


def test_a_benchmark_that_can_not_be_had_is_one_error_of_one_line(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "empty"))
    # No way out: each connection is refused at once.
    for scheme in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(scheme, "http://127.0.0.1:9")
    project.write("test_it.py", "def test_it(dl20_passage): pass\n")
    result = project.spawn("--irbench=dl20", "test_it.py", "--show-capture=no")
    result.assert_outcomes(errors=1)
    text = result.stdout.str()
    lines = [line for line in result.outlines if line.startswith("dl20-passage: ")]
    assert len(lines) == 1
    assert "IR_DATASETS_HOME" in lines[0]
    assert f"{tmp_path}{os.sep}empty" in lines[0]
    assert "Traceback" not in text


def test_the_names_of_fixtures_are_those_of_the_table_of_benchmarks() -> None:
    members = {family: names[0] for family, names in FAMILIES.items() if family != "cast"}
    assert fixtures.FIXTURE_NAMES == {name.replace("-", "_"): name for name in BUILTIN} | members
