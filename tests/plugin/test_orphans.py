"""A stored baseline that no gate is held against would lie there for ever: it is an error."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from small_project import BENCHMARKS, Project, said

HELD = "RR: {min: 0.5, max_drop: 2%}"
NAME = "irbench-baselines/tiny.bm25.json"


@pytest.fixture
def held(project: Project) -> Project:
    """A project whose gate has a stored baseline."""
    project.gate(HELD)
    project.store()
    return project


def orphans(project: Project, *args: str) -> list[str]:
    """Run all gates; return the baselines that are told to be of no gate."""
    text = said(project.run(*(args or ("--irbench=all",))))
    return re.findall(r"^(\S+) belongs to no gate of irbench\.yaml that has a max_drop: ", text, re.MULTILINE)


def test_the_baseline_of_a_gate_without_max_drop_is_an_error(held: Project) -> None:
    held.gate("RR: 0.5")
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        f"{NAME} belongs to no gate of irbench.yaml that has a max_drop: give its gate one, or delete it with "
        f"rm {NAME} irbench-baselines/tiny.bm25.run.gz\n"
    ) in said(result)


@pytest.mark.parametrize("name", ["bm25", "it's", "a b"])
def test_the_command_of_the_error_deletes_it(project: Project, name: str) -> None:
    project.fixtures(f"""
    @pytest.fixture(params=[{name!r}])
    def tuned(request): return ask
    """)
    project.gate(HELD, system="tuned")
    project.store()
    project.gate("RR: 0.5", system="tuned")
    command = re.search(r"delete it with (rm .*)", said(project.run("--irbench=tiny")))
    assert command is not None
    paths = [Path(path) for path in shlex.split(command[1])[1:]]
    assert all(path.is_file() for path in paths)
    for path in paths:
        path.unlink()
    assert project.run("--irbench=tiny").ret == pytest.ExitCode.OK


def test_a_gate_that_is_gone_leaves_an_orphan(held: Project) -> None:
    held.fixtures("""
    @pytest.fixture
    def dense(): return ask
    """)
    held.gate("RR: 0.5", system="dense")
    assert orphans(held) == [NAME]
    # Also where its own benchmark is not selected, as long as the file is collected.
    held.write(
        "irbench.yaml",
        f"{BENCHMARKS}  other: {{topics: topics.tsv, qrels: qrels.txt}}\n"
        "gates: [{benchmark: other, system: bm25, thresholds: {RR: 0.5}}]\n",
    )
    assert orphans(held, "--irbench=other") == [NAME]


def test_a_gate_that_is_not_selected_keeps_its_baseline(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["fast"])
    def tuned(request): return ask
    """)
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}  other: {{topics: topics.tsv, qrels: qrels.txt}}\n"
        "gates:\n"
        f"  - {{benchmark: tiny, system: [bm25, tuned], thresholds: {{{HELD}}}}}\n"
        "  - {benchmark: other, system: bm25, thresholds: {RR: 0.5}}\n",
    )
    project.store("--irbench=all")
    assert project.run("--irbench=other").ret == pytest.ExitCode.OK
    assert project.run("--irbench=all").ret == pytest.ExitCode.OK


def test_a_parameter_that_is_gone_leaves_an_orphan(project: Project) -> None:
    fixture = """
    @pytest.fixture(params=["{}"])
    def tuned(request): return ask
    """
    project.fixtures(fixture.format("slow"))
    project.gate(HELD, system="tuned")
    project.store()
    project.fixtures(fixture.format("fast"))
    assert orphans(project, "--irbench=all", "--irbench-update=why") == [
        "irbench-baselines/tiny.tuned[slow].json"
    ]
    assert orphans(project) == ["irbench-baselines/tiny.tuned[slow].json"]


def test_a_copy_under_another_name_is_an_orphan(held: Project) -> None:
    copy = held.baseline.with_name("tiny.bm25-old.json")
    copy.write_bytes(held.baseline.read_bytes())
    assert orphans(held) == ["irbench-baselines/tiny.bm25-old.json"]


def test_a_file_that_cannot_be_read_is_an_orphan_unless_a_gate_tells_of_it(held: Project) -> None:
    held.baseline.write_text("{")
    held.write("irbench-baselines/other.json", "[]")
    assert orphans(held) == ["irbench-baselines/other.json"]


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '{"gates": "' + "x" * 5000 + '"}', '{"gates": "\\u0000"}', '{"gates": 5}', "\ufeff{}"],
    ids=["deep", "the name of its file is too long", "a name with a null", "a number", "a byte order mark"],
)
def test_whatever_stands_in_a_file_it_is_an_orphan(held: Project, content: str) -> None:
    held.write("irbench-baselines/other.json", content)
    assert orphans(held) == ["irbench-baselines/other.json"]


def test_a_file_of_gates_that_was_renamed_takes_its_baselines_along(held: Project) -> None:
    (held.path / "irbench.yaml").rename(held.path / "b.irbench.yaml")
    assert held.run("--irbench=all").ret == pytest.ExitCode.OK


def test_the_gates_of_a_second_file_in_the_folder_keep_their_baselines(held: Project) -> None:
    held.write(
        "b.irbench.yaml", f"{BENCHMARKS}gates: [{{benchmark: tiny, system: bm25, thresholds: {{RR: 0.5}}}}]\n"
    )
    assert held.run("--irbench=all").ret == pytest.ExitCode.OK
    (held.path / "irbench.yaml").unlink()
    text = said(held.run("--irbench=all"))
    assert f"{NAME} belongs to no gate of b.irbench.yaml that has a max_drop" in text


def test_the_baseline_of_a_test_in_python_is_left_alone(project: Project) -> None:
    project.write(
        "test_search.py",
        """
        from pytest_irbench import assert_ndcg_at

        def test_search(irbench_benchmark, bm25, irbench_baseline):
            run = irbench_benchmark("tiny").retrieve(bm25)
            assert assert_ndcg_at(run, 10) >= irbench_baseline("by hand")
        """,
    )
    project.store()
    assert "tiny.by hand.json" in project.stored
    assert project.run("--irbench=all").ret == pytest.ExitCode.OK
    assert project.run("--irbench=all", "irbench.yaml").ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "part",
    [
        ("irbench.yaml::bm25[tiny-RR-min]",),
        ("--irbench=all", "irbench.yaml::bm25[tiny-RR-min]"),
        ("--irbench=all", "--irbench-baselines=elsewhere"),
    ],
    ids=["an id", "an id with a selection", "another folder"],
)
def test_a_part_of_the_tests_says_nothing_of_orphans(held: Project, part: tuple[str, ...]) -> None:
    held.gate("RR: 0.5")
    held.baseline.parent.joinpath("x.json").write_text("{}")
    held.run(*part).assert_outcomes(passed=1)


def test_what_k_leaves_out_keeps_its_baseline(held: Project) -> None:
    held.run("--irbench=all", "-k", "min").assert_outcomes(passed=1)
    held.fixtures("""
    @pytest.fixture
    def dense(): return ask
    """)
    held.gate(HELD, system="[bm25, dense]")
    held.run("--irbench=all", "-k", "bm25").assert_outcomes(passed=2)


def test_workers_tell_of_an_orphan_once(held: Project) -> None:
    held.gate("RR: 0.5")
    result = held.spawn("--irbench=tiny", "-n2")
    result.assert_outcomes(passed=1, errors=1)
    assert said(result).count("belongs to no gate of irbench.yaml that has a max_drop: give") == 2
