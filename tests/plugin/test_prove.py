"""`--irbench-prove`: which thresholds notice that a run was broken on purpose."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, RUN, Project, said

PROVE = ("--irbench=tiny", "--irbench-prove")


def proofs(result: pytest.RunResult) -> str:
    """The terminal's section with the proofs."""
    after = result.stdout.str().split(" irbench-prove ====", 1)[1].split("\n", 1)[1]
    return after.split("\n====", 1)[0]


def test_a_sensible_gate_notices_and_passes(project: Project) -> None:
    result = project.run(*PROVE)
    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.OK
    table, last = proofs(result).split("random order")
    # Two documents for each query: nothing stands below rank 3.
    assert table == (
        """\
tiny, bm25: what notices a run that was broken on purpose
broken by            noticed by
-------------------  --------------------------------------------
drop a query         nDCG@10 min, RR(rel=1)@10 min
drop a conversation  (changes nothing here)
remove rank 1        nDCG@10 min, AP(rel=2) min, RR(rel=1)@10 min
swap 1 and 2         nDCG@10 min, RR(rel=1)@10 min
reverse              nDCG@10 min, RR(rel=1)@10 min
truncate to half     nDCG@10 min, RR(rel=1)@10 min
shuffle the tail     (changes nothing here)
"""
    )
    assert last.endswith("\nnotices none of these: AP(rel=2) max")


def test_rules_of_every_kind_are_asked(project: Project) -> None:
    project.write(
        "irbench.yaml",
        f"""{BENCHMARKS}gates:
  - benchmark: tiny
    system: bm25
    thresholds: {{RR: {{max_drop: 10%}}}}
    slices: {{james: {{where: 'query_id == "007"', thresholds: {{RR: {{max_drop: 0.1}}}}}}}}
    queries:
      max_drop: {{nDCG@10: 0.2}}
      expect: [{{query_id: "007", doc_id: 1e5, within: 1}}, {{query_id: "007", doc_id: q, absent: true}}]
      xfail: [{{query_id: "31_1", reason: known, below: {{nDCG@10: 0.8}}}}]
""",
    )
    project.store()
    result = project.run(*PROVE)
    result.assert_outcomes(passed=5, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    lines, name = dict[str, str](), ""
    for line in proofs(result).split("\n")[3:]:
        # A long cell goes on in the next line.
        name = line[:19].strip() or name
        lines[name] = f"{lines.get(name, '')} {line[21:]}".strip()
    everything = "RR(rel=2) max_drop, RR(rel=2) of james max_drop, nDCG@10 by query max_drop, 007: 1e5 expect"
    assert lines["swap 1 and 2"] == lines["reverse"] == lines["remove rank 1"] == everything
    # Of each ranking of two, the first is left.
    assert lines["truncate to half"] == "RR(rel=2) max_drop, nDCG@10 by query max_drop"
    assert "left out: 31_1: nDCG@10 xfail (xfailed)" in proofs(result)


def test_a_drop_is_proved_against_the_baseline_and_not_against_the_run(project: Project) -> None:
    # The system has become better since, so that dropping a query leaves it above its baseline.
    project.answer(q31_1=["q"])
    project.gate("RR: {max_drop: 10%}")
    project.store()
    project.answer(q31_1=["d1"], q1e5=["d3"])
    assert "drop a query         none\n" in proofs(project.run(*PROVE))
    project.store()
    assert "drop a query         RR(rel=2) max_drop\n" in proofs(project.run(*PROVE))


def test_a_gate_whose_baseline_is_to_be_written_can_be_proved_at_once(project: Project) -> None:
    project.gate("RR: {max_drop: 10%}")
    result = project.run(*PROVE, "--irbench-update=first")
    assert result.ret == pytest.ExitCode.OK
    assert "remove rank 1        RR(rel=2) max_drop\n" in proofs(result)
    assert set(project.stored) == {"tiny.bm25.json", "tiny.bm25.run.gz"}


def test_a_gate_without_its_baseline_is_not_proved(project: Project) -> None:
    project.gate("RR: {max_drop: 10%}")
    result = project.run(*PROVE)
    result.assert_outcomes(errors=1)
    assert "irbench-prove ===" not in said(result)


def test_a_gate_with_a_low_floor_notices_nothing_and_the_session_fails(project: Project) -> None:
    project.gate("NumRet: {min: 1}, RR: {max: 0.99}")
    result = project.run(*PROVE)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = proofs(result)
    assert "no threshold of this gate notices anything: it can't fail in any of these ways" in text
    assert "irbench: 1 gate notices nothing, so this session fails: tiny, bm25" in text
    assert project.run("--irbench=tiny").ret == pytest.ExitCode.OK


def test_one_gate_that_notices_nothing_among_others_fails_the_session(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["one", "two"])
    def tuned(request):
        return ask
    """)
    project.write(
        "irbench.yaml",
        f"""{BENCHMARKS}gates:
  - {{benchmark: tiny, system: bm25, thresholds: {{nDCG@10: 0.79}}}}
  - {{benchmark: tiny, system: tuned, thresholds: {{NumRet: {{min: 1}}}}}}
""",
    )
    result = project.run(*PROVE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert proofs(result).count("what notices a run") == 3
    assert "2 gates notice nothing, so this session fails: tiny, tuned[one]; tiny, tuned[two]" in said(result)


def test_a_run_from_a_file_is_proved_too(project: Project) -> None:
    project.write("run.txt", RUN)
    project.gate("RR: 0.9", system="saved", systems="saved: {run: run.txt}")
    result = project.run(*PROVE)
    assert result.ret == pytest.ExitCode.OK
    assert "drop a query         RR(rel=2) min\n" in proofs(result)
    assert "remove rank 1        RR(rel=2) min\n" in proofs(result)


def test_no_system_is_asked_again(project: Project) -> None:
    project.run(*PROVE)
    assert len(project.calls) == 3


def test_conversations_are_dropped_whole(project: Project) -> None:
    project.write(
        "talks.json",
        '[{"number": 31, "turn": [{"number": 1, "raw_utterance": "a"}, {"number": 2, "raw_utterance": "b"}]},'
        ' {"number": 32, "turn": [{"number": 1, "raw_utterance": "c"}]}]',
    )
    project.write("talks.qrels", "31_1 0 d1 1\n31_2 0 d1 1\n32_1 0 d1 1\n")
    project.write(
        "irbench.yaml",
        "benchmarks: {talks: {topics: talks.json, qrels: talks.qrels}}\n"
        "gates: [{benchmark: talks, system: same, thresholds: {RR: 0.5}}]\n",
    )
    project.fixtures("""
    @pytest.fixture
    def same():
        return lambda topic, k: ["d1", "d2"]
    """)
    text = proofs(project.run("--irbench=talks", "--irbench-prove"))
    assert "drop a query         none\ndrop a conversation  RR min\n" in text


def test_a_threshold_that_fails_already_is_marked_and_not_asked(project: Project) -> None:
    project.gate("nDCG@10: 0.99, RR: 0.8")
    result = project.run(*PROVE)
    result.assert_outcomes(failed=1, passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "fails on the run as it is, so not asked: nDCG@10 min" in proofs(result)
    project.gate("nDCG@10: 0.99")
    text = proofs(project.run(*PROVE))
    assert "nothing can be proved" in text
    assert "notices nothing" not in text


def test_expected_failures_are_left_out(project: Project) -> None:
    project.gate("RR: 0.99, AP: 0.8")
    project.fixtures("""
    def pytest_collection_modifyitems(items):
        items[0].add_marker(pytest.mark.xfail(reason="known"))
    """)
    result = project.run(*PROVE)
    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    assert "left out: RR(rel=2) min (xfailed)" in proofs(result)
    only = project.run(*PROVE, "-k", "RR")
    assert only.ret == pytest.ExitCode.TESTS_FAILED
    assert "1 gate notices nothing" in proofs(only)


def test_what_was_not_selected_is_not_asked(project: Project) -> None:
    text = proofs(project.run(*PROVE, "-k", "AP and min"))
    assert "AP(rel=2) min" in text
    assert "nDCG" not in text
    assert "AP(rel=2) max" not in text


def test_a_gate_that_could_not_be_measured_is_not_proved(project: Project) -> None:
    project.gate("RR: 0.5", system="gone")
    result = project.run(*PROVE)
    result.assert_outcomes(errors=1)
    assert "irbench-prove ===" not in said(result)


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--setup-only"])
def test_a_session_that_measures_nothing_proves_nothing(project: Project, option: str) -> None:
    result = project.run(*PROVE, option)
    assert result.ret == pytest.ExitCode.OK
    assert "irbench-prove ===" not in said(result)


def test_workers_are_refused(project: Project) -> None:
    result = project.spawn(*PROVE, "-n2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-prove needs all gates in one process: run it without -n" in said(result)
    assert project.spawn(*PROVE, "-n0").ret == pytest.ExitCode.OK
    assert project.spawn(*PROVE, "-p", "no:xdist").ret == pytest.ExitCode.OK


def test_without_a_gate_to_measure_it_is_refused(project: Project) -> None:
    project.write("test_ok.py", "def test_ok(): pass\n")
    result = project.run("--irbench-prove")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-prove needs --irbench=NAMES or a file of gates" in said(result)


def test_a_file_of_gates_needs_no_selection(project: Project) -> None:
    result = project.run("irbench.yaml", "--irbench-prove")
    assert result.ret == pytest.ExitCode.OK
    assert "tiny, bm25: what notices" in proofs(result)


def test_a_session_in_which_no_gate_was_measured_does_not_pass_as_proved(project: Project) -> None:
    project.write("test_own.py", "def test_own(irbench_benchmark): assert irbench_benchmark('tiny')\n")
    result = project.run("--irbench=tiny", "--irbench-prove", "test_own.py")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "nothing was proved, so this session fails: no gate was measured" in result.stdout.str()


def test_a_large_run_that_vanished_is_told_in_one_line(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_irbench.runs.run.LARGE", 0)
    project.write("run.txt", RUN)
    project.gate("nDCG@10: 0.75", system="saved", systems="saved: {run: run.txt}")
    project.fixtures("""
    def pytest_runtest_logfinish():
        (FOLDER / "run.txt").unlink(missing_ok=True)
    """)
    result = project.run("--irbench=tiny", "--irbench-prove")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = result.stdout.str()
    assert "nothing was proved, so this session fails" in text
    assert "run.txt: cannot be read" in text
    assert "INTERNALERROR" not in text
