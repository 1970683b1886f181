"""`--irbench-update`: the runs of complete, sound gates become baselines, all of them or none."""

from __future__ import annotations

import gzip
import json
import os
import platform
import signal
import subprocess
import sys
from importlib.metadata import version

import pytest
from small_project import BENCHMARKS, Project, said, told

HELD = "nDCG@10: {min: 0.5, max_drop: 0.05}, RR: {max_drop: 2%}"
WORSE = {"q31_1": ["q", "d1"]}
UPDATE = ("--irbench=tiny", "--irbench-update=new analyzer")
WHOLE = "run them all, without -k, -x, --lf, --deselect or ids"
TWO_GATES = f"""{BENCHMARKS}gates:
  - {{benchmark: tiny, system: bm25, thresholds: {{RR: {{max_drop: 2%}}}}}}
  - {{benchmark: tiny, system: dense, thresholds: {{AP: {{min: 0.9, max_drop: 2%}}}}}}
"""
DENSE = """
@pytest.fixture
def dense():
    return ask
"""


@pytest.fixture
def held(project: Project) -> Project:
    """A project whose gate is to have a baseline."""
    project.gate(HELD)
    return project


def refused(project: Project, *args: str, outcome: str = "") -> str:
    """Run an update that must write nothing and fail, and return why it says it did."""
    before = project.stored
    result = project.run(*(args or UPDATE))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert project.stored == before
    assert "INTERNALERROR" not in said(result)
    text = told(result)
    assert text.startswith("irbench: no baseline was written, so this session fails\n")
    return text


# What it writes and says


def test_both_files_are_written_and_said_to_be_new(held: Project) -> None:
    result = held.run(*UPDATE)
    result.assert_outcomes(passed=3)
    assert told(result) == "irbench-baselines/tiny.bm25.json: new"
    assert set(held.stored) == {"tiny.bm25.json", "tiny.bm25.run.gz"}
    run = gzip.decompress(held.stored["tiny.bm25.run.gz"]).decode()
    assert [line.split()[:3] for line in run.splitlines()] == [
        ["007", "Q0", "1e5"],
        ["007", "Q0", "d7"],
        ["1e5", "Q0", "x1"],
        ["1e5", "Q0", "d3"],
        ["31_1", "Q0", "d1"],
        ["31_1", "Q0", "q"],
    ]


def test_an_unchanged_baseline_is_not_touched(held: Project) -> None:
    held.store()
    before = {path: path.stat().st_mtime_ns for path in held.baseline.parent.iterdir()}
    result = held.run(*UPDATE)
    assert result.ret == pytest.ExitCode.OK
    assert told(result) == "irbench-baselines/tiny.bm25.json: unchanged"
    assert {path: path.stat().st_mtime_ns for path in held.baseline.parent.iterdir()} == before


def test_what_changed_is_said(held: Project) -> None:
    held.store()
    held.answer(**WORSE)
    result = held.run(*UPDATE)
    result.assert_outcomes(passed=3)
    assert told(result) == (
        "irbench-baselines/tiny.bm25.json: RR(rel=2) 0.8333 -> 0.6667 (-0.1667): 0 queries better, 1 worse, 2 the same\n"
        "irbench-baselines/tiny.bm25.json: nDCG@10 0.7970 -> 0.7035 (-0.0935): 0 queries better, 1 worse, 2 the same"
    )
    held.run("--irbench=tiny").assert_outcomes(passed=3)


def test_a_run_that_changed_where_no_measure_looks_is_stored_too(held: Project) -> None:
    held.store()
    held.answer(q1e5=["x2", "d3"])
    assert told(held.run(*UPDATE)) == "irbench-baselines/tiny.bm25.json: run changed"


def test_a_baseline_of_a_gate_that_is_renamed_is_written_anew(held: Project) -> None:
    held.store()
    (held.path / "irbench.yaml").rename(held.path / "search.irbench.yaml")
    result = held.run(*UPDATE)
    assert told(result) == "irbench-baselines/tiny.bm25.json: gates irbench.yaml -> search.irbench.yaml"
    assert held.run("--irbench=tiny").ret == pytest.ExitCode.OK


def test_a_damaged_baseline_is_said_to_have_been_damaged(held: Project) -> None:
    held.store()
    held.baseline.write_text("{")
    assert told(held.run(*UPDATE)) == (
        "irbench-baselines/tiny.bm25.json: the old one was damaged\nirbench-baselines/tiny.bm25.json: new"
    )


def test_no_change_is_told_from_values_that_were_edited(held: Project) -> None:
    held.store()
    text = held.baseline.read_text()
    assert '"nDCG@10": 0.797039' in text
    held.baseline.write_text(text.replace('"nDCG@10": 0.797039', '"nDCG@10": 0.700000'))
    assert told(held.run(*UPDATE)) == (
        "irbench-baselines/tiny.bm25.json: the old one was damaged\nirbench-baselines/tiny.bm25.json: new"
    )


def test_the_same_run_gives_the_same_bytes_in_any_process(held: Project) -> None:
    held.run(*UPDATE)
    first = held.stored
    for path in held.baseline.parent.iterdir():
        path.unlink()
    held.spawn(*UPDATE)
    assert held.stored == first


def test_a_folder_of_its_own_can_be_updated(held: Project) -> None:
    result = held.run(*UPDATE, "--irbench-baselines=of-main")
    assert told(result) == "of-main/tiny.bm25.json: new"
    assert held.stored == {}
    held.run("--irbench=tiny", "--irbench-baselines=of-main").assert_outcomes(passed=3)


def test_a_file_of_gates_needs_no_selection(held: Project) -> None:
    result = held.run("irbench.yaml", "--irbench-update=first")
    assert told(result) == "irbench-baselines/tiny.bm25.json: new"


def test_a_whole_gate_may_be_picked(project: Project) -> None:
    project.fixtures(DENSE)
    project.write("irbench.yaml", TWO_GATES.replace("0.9", "0.1"))
    result = project.run(*UPDATE, "-k", "dense")
    assert result.ret == pytest.ExitCode.OK
    assert told(result) == "irbench-baselines/tiny.dense.json: new"


def test_every_gate_of_a_session_gets_its_baseline(project: Project) -> None:
    project.fixtures(DENSE)
    project.write("irbench.yaml", TWO_GATES.replace("0.9", "0.1"))
    assert told(project.run(*UPDATE)) == (
        "irbench-baselines/tiny.bm25.json: new\nirbench-baselines/tiny.dense.json: new"
    )


def test_no_drop_is_told_of_a_run_that_is_to_be_the_baseline(held: Project) -> None:
    held.store()
    held.answer(**WORSE)
    assert "against the baseline" not in said(held.run(*UPDATE))


# Where it comes from


def provenance(project: Project) -> dict[str, object]:
    stored: dict[str, object] = json.loads(project.baseline.read_text(encoding="utf-8"))["provenance"]
    return stored


def test_a_baseline_says_where_it_comes_from(held: Project) -> None:
    held.run("--irbench=tiny", "--irbench-update= new\n analyzer ☃ ")
    stored = provenance(held)
    assert stored["reason"] == "new analyzer ☃"
    assert stored["commit"] is None
    assert stored["versions"] == {
        "numpy": version("numpy"),
        "pytest-irbench": version("pytest-irbench"),
        "python": platform.python_version(),
    }


def git(project: Project, *args: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *identity, *args]
    done = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_project_in_git_has_its_commit_in_the_baseline_and_in_what_fails(held: Project) -> None:
    git(held, "init", "-q")
    held.run(*UPDATE)
    # Nothing is committed yet.
    assert provenance(held)["commit"] is None
    held.baseline.unlink()
    git(held, "add", ".")
    git(held, "commit", "-qm", "first")
    commit = git(held, "rev-parse", "HEAD")
    held.run(*UPDATE)
    assert provenance(held)["commit"] == commit
    held.answer(**WORSE)
    assert f"(new analyzer), commit {commit[:12]}\n" in said(held.run("--irbench=tiny"))


def test_without_git_there_is_no_commit(held: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    git(held, "init", "-q")
    git(held, "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.setenv("PATH", str(held.path / "nowhere"))
    held.run(*UPDATE)
    assert provenance(held)["commit"] is None


@pytest.mark.skipif(os.name == "nt", reason="there a program is known by its name")
def test_a_git_that_does_not_start_gives_no_commit(held: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    held.write("bin/git", "no program").chmod(0o755)
    monkeypatch.setenv("PATH", str(held.path / "bin"))
    held.run(*UPDATE)
    assert provenance(held)["commit"] is None


# What it refuses


@pytest.mark.parametrize("reason", ["", "  ", "\t\n"])
def test_a_reason_is_needed(held: Project, reason: str) -> None:
    result = held.run("--irbench=tiny", f"--irbench-update={reason}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert '--irbench-update="why" needs a reason: it is stored with the baseline' in said(result)
    assert held.stored == {}


def test_a_selection_is_needed(held: Project) -> None:
    result = held.run("--irbench-update=why")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-update needs --irbench=NAMES or a file of gates" in said(result)


def test_workers_are_refused(held: Project) -> None:
    result = held.spawn(*UPDATE, "-n2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-update needs all gates in one process: run it without -n" in said(result)
    assert held.stored == {}


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--setup-only"])
def test_a_session_that_decides_nothing_by_intention_writes_nothing(held: Project, option: str) -> None:
    result = held.run(*UPDATE, option)
    assert result.ret == pytest.ExitCode.OK
    assert "irbench-update ==" not in said(result)
    assert held.stored == {}


def test_a_gate_below_its_min_is_refused(held: Project) -> None:
    held.gate("nDCG@10: {min: 0.9, max_drop: 0.05}")
    assert refused(held).endswith("\n  irbench.yaml:4: bm25, nDCG@10, min 0.9: failed")


def test_a_golden_answer_that_is_missing_is_refused(held: Project) -> None:
    text = (held.path / "irbench.yaml").read_text()
    expect = 'queries: {expect: [{query_id: "007", doc_id: d7, within: 1}]}, thresholds'
    held.write("irbench.yaml", text.replace("thresholds", expect))
    assert refused(held).endswith("\n  irbench.yaml:4: bm25, 007: d7, within 1: failed")


def test_an_error_is_refused(held: Project) -> None:
    held.fixtures("""
    @pytest.fixture
    def broken():
        raise OSError("no server here")
    """)
    held.gate(HELD, system="[bm25, broken]")
    lines = refused(held).splitlines()
    assert lines[1:] == [
        f"  irbench.yaml:4: broken, {threshold}: error"
        for threshold in ("nDCG@10, min 0.5", "nDCG@10, max_drop 0.05", "RR(rel=2), max_drop 2%")
    ]


def test_a_skipped_threshold_is_refused(held: Project) -> None:
    held.fixtures("""
    def pytest_collection_modifyitems(items):
        items[0].add_marker(pytest.mark.skip(reason="not today"))
    """)
    text = refused(held)
    assert "  irbench.yaml:4: bm25, nDCG@10, min 0.5: skipped\n" in text
    assert text.endswith(f"\n  tiny, bm25: only 2 of its 3 thresholds were run: {WHOLE}")


def test_a_system_that_is_not_there_is_refused(held: Project) -> None:
    held.fixtures("""
    @pytest.fixture
    def remote():
        pytest.skip("no server here")
    """)
    held.gate(HELD, system="remote")
    assert "irbench.yaml:4: remote, nDCG@10, min 0.5: skipped" in refused(held)


@pytest.mark.parametrize(
    "filtered",
    [
        ("-k", "max_drop"),
        ("--deselect", "irbench.yaml::bm25[tiny-nDCG@10-min]"),
        ("irbench.yaml::bm25[tiny-nDCG@10-max_drop]", "irbench.yaml::bm25[tiny-RR-max_drop]"),
    ],
    ids=["k", "deselect", "node ids"],
)
def test_a_part_of_a_gate_is_refused(held: Project, filtered: tuple[str, ...]) -> None:
    text = refused(held, *UPDATE, *filtered)
    assert text.endswith(f"\n  tiny, bm25: only 2 of its 3 thresholds were run: {WHOLE}")


def test_a_gate_left_out_with_last_failed_is_refused(held: Project) -> None:
    held.gate("nDCG@10: {min: 0.9, max_drop: 0.05}")
    held.run("--irbench=tiny")
    held.gate("nDCG@10: {min: 0.5, max_drop: 0.05}")
    held.run("--irbench=tiny", "--lf", "-k", "min").assert_outcomes(passed=1)
    # Only what failed last, which is the max_drop.
    assert "only 1 of its 2 thresholds" in refused(held, *UPDATE, "--lf")


def test_a_session_that_stopped_early_is_refused(held: Project) -> None:
    held.gate("nDCG@10: {min: 0.9}, RR: {max_drop: 2%}")
    text = refused(held, *UPDATE, "-x")
    assert "  nothing that was selected is held against a baseline" in text
    held.gate("RR: {max_drop: 2%}, nDCG@10: {min: 0.9}, AP: 0.5")
    text = refused(held, *UPDATE, "-x")
    assert "  irbench.yaml:4: bm25, nDCG@10, min 0.9: failed\n" in text
    assert text.endswith(f"\n  tiny, bm25: only 2 of its 3 thresholds were run: {WHOLE}")


def test_an_interrupted_session_is_refused(project: Project) -> None:
    project.fixtures(DENSE)
    project.fixtures("""
    def pytest_runtest_setup(item):
        if "dense" in item.name:
            raise KeyboardInterrupt
    """)
    project.write("irbench.yaml", TWO_GATES)
    result = project.spawn(*UPDATE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert project.stored == {}
    assert "  the session did not come to its end" in told(result)


def test_a_system_that_is_interrupted_stores_nothing(held: Project) -> None:
    held.fixtures("""
    def ask(topic, k):
        raise KeyboardInterrupt
    """)
    result = held.spawn(*UPDATE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert held.stored == {}


def test_a_run_file_without_all_judged_queries_is_refused(held: Project) -> None:
    held.write("part.trec", "31_1 Q0 d1 1 2 t\n007 Q0 1e5 1 2 t\n")
    text = refused(held, *UPDATE, "--irbench-run", "bm25=part.trec")
    assert (
        "  irbench-baselines/tiny.bm25.json: bm25 (part.trec) lacks 1 of 3 judged queries, for instance '1e5': "
        "a partial run is no baseline"
    ) in text


def test_a_system_that_finds_nothing_for_a_query_was_asked_and_is_accepted(held: Project) -> None:
    held.answer(q1e5=[])
    assert told(held.run(*UPDATE)) == "irbench-baselines/tiny.bm25.json: new"
    held.run("--irbench=tiny").assert_outcomes(passed=3)


def test_a_gate_without_max_drop_has_nothing_to_store(project: Project) -> None:
    text = refused(project)
    assert text.endswith(
        "\n  nothing that was selected is held against a baseline: give a threshold max_drop"
    )


def test_one_unsound_gate_keeps_all_from_being_written(project: Project) -> None:
    project.fixtures(DENSE)
    project.write("irbench.yaml", TWO_GATES.replace("0.9", "0.1"))
    project.store()
    project.write("irbench.yaml", TWO_GATES)
    project.answer(**WORSE)
    assert refused(project).endswith("\n  irbench.yaml:5: dense, AP(rel=2), min 0.9: failed")


def test_two_files_whose_gates_would_share_a_baseline_are_refused(held: Project) -> None:
    for name in ("topics.tsv", "qrels.txt"):
        held.write(f"other/{name}", (held.path / name).read_text())
    held.write("other/b.irbench.yaml", (held.path / "irbench.yaml").read_text())
    text = refused(held, *UPDATE, "--irbench-baselines=all")
    assert text.endswith(
        "\n  all/tiny.bm25.json: two gates would share this file: call one of their systems something else"
    )
    assert not (held.path / "all").exists()


def test_gates_of_one_file_name_in_two_folders_do_not_share_a_baseline(held: Project) -> None:
    for name in ("topics.tsv", "qrels.txt", "irbench.yaml"):
        held.write(f"other/{name}", (held.path / name).read_text())
    text = refused(held, *UPDATE, "--irbench-baselines=all")
    assert "\n  all/tiny.bm25.json: two gates would share this file: call one of their systems" in text
    assert not (held.path / "all").exists()


def test_a_baseline_is_not_taken_from_a_gate_of_another_file(held: Project) -> None:
    held.store()
    gates = (held.path / "irbench.yaml").read_text()
    held.write("b.irbench.yaml", gates)
    text = refused(held, *UPDATE, "b.irbench.yaml")
    assert text.endswith(
        "\n  irbench-baselines/tiny.bm25.json belongs to a gate of irbench.yaml, and b.irbench.yaml has one too: "
        "call one of their systems something else"
    )
    # Where it has moved to, it may take its baseline along.
    held.gate("RR: 0.5")
    held.run(*UPDATE, "b.irbench.yaml").assert_outcomes(passed=3)
    assert json.loads(held.stored["tiny.bm25.json"])["gates"] == "b.irbench.yaml"


def test_the_baseline_of_a_gate_in_a_faulty_file_may_be_taken(held: Project) -> None:
    held.store()
    (held.path / "irbench.yaml").rename(held.path / "b.irbench.yaml")
    held.write("irbench.yaml", "gates: [")
    held.run(*UPDATE, "b.irbench.yaml").assert_outcomes(passed=3)
    assert json.loads(held.stored["tiny.bm25.json"])["gates"] == "b.irbench.yaml"


def test_a_session_that_stopped_before_a_gate_began_is_refused(project: Project) -> None:
    project.fixtures(DENSE)
    project.write(
        "irbench.yaml",
        TWO_GATES.replace("0.9", "0.1").replace("  - {benchmark: tiny, system: dense", "# ", 1),
    )
    project.write(
        "z.irbench.yaml", TWO_GATES.replace("0.9", "0.1").replace("  - {benchmark: tiny, system: bm25", "# ")
    )
    project.write("test_own.py", "def test_own(): assert False\n")
    text = refused(project, *UPDATE, "-x")
    assert text.endswith(
        "\n  z.irbench.yaml::dense[tiny-AP-min]: has no verdict\n  z.irbench.yaml::dense[tiny-AP-max_drop]: has no verdict"
    )


def test_a_folder_that_cannot_be_written_fails_the_session(held: Project) -> None:
    held.write("irbench-baselines", "a file stands here\n")
    result = held.run(*UPDATE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = told(result)
    assert "irbench: no baseline was written, so this session fails" in text
    assert "tiny.bm25.json: cannot be written" in text
    assert "INTERNALERROR" not in said(result)


def test_a_failure_elsewhere_does_not_keep_a_sound_gate_from_its_baseline(held: Project) -> None:
    held.write("test_own.py", "def test_own(): assert False\n")
    result = held.run(*UPDATE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert told(result) == "irbench-baselines/tiny.bm25.json: new"


# What a killed process leaves

KILLER = """
import signal
from pathlib import Path

AT = {at}
SEEN = []
REAL = Path.replace


def replace(self, target):
    SEEN.append(target)
    if len(SEEN) > AT:
        os.kill(os.getpid(), signal.SIGKILL)
    return REAL(self, target)


if os.environ.get("KILL"):
    Path.replace = replace
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
@pytest.mark.parametrize("at", [0, 1])
def test_a_process_killed_while_it_renames_leaves_a_baseline_that_can_be_read(
    held: Project, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    held.store()
    before = held.stored
    held.answer(**WORSE)
    held.fixtures(KILLER.format(at=at))
    monkeypatch.setenv("KILL", "1")
    assert held.spawn(*UPDATE).ret == -signal.SIGKILL
    monkeypatch.delenv("KILL")
    if at == 0:
        assert {name: held.stored[name] for name in before} == before
        held.run("--irbench=tiny").assert_outcomes(passed=1, failed=2)
    else:
        # The new one was complete when it was renamed.
        held.run("--irbench=tiny").assert_outcomes(passed=3)
        assert ".tiny.bm25.run.gz.half" in held.stored
    held.run(*UPDATE)
    held.run("--irbench=tiny").assert_outcomes(passed=3)
    assert set(held.stored) == set(before)
    assert told(held.run(*UPDATE)).endswith(": unchanged")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
def test_a_process_killed_at_any_moment_leaves_the_old_baseline_or_the_new_one(held: Project) -> None:
    held.store()
    held.fixtures("ANSWERS['31_1'] = ['q', 'd1'] if os.environ.get('WORSE') else ['d1', 'q']\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *UPDATE]
    for turn in range(4):
        environment = {**os.environ, "WORSE": "1" if turn % 2 == 0 else ""}
        process = subprocess.Popen(
            command, cwd=held.path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        stdout = process.stdout
        assert stdout is not None
        # The dots come just before the baselines are written.
        stdout.read(40 + 60 * turn)
        process.kill()
        process.wait()
        stdout.close()
        result = held.run("--irbench=tiny")
        assert "error" not in result.parseoutcomes(), said(result)
    held.store()
    assert set(held.stored) == {"tiny.bm25.json", "tiny.bm25.run.gz"}
