"""`max_drop`: a gate is held against its stored baseline, or says why it can't be."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from small_project import BENCHMARKS, QRELS, TOPICS, Project, said, tables

from pytest_irbench.gates.baseline import Baseline
from pytest_irbench.gates.baseline_file import read_baseline

HELD = "nDCG@10: {min: 0.5, max_drop: 0.05}, RR: {max_drop: 2%}"
# nDCG@10 of 31_1 goes from 0.7602 to 0.4796, RR from 1 to 0.5.
WORSE = {"q31_1": ["q", "d1"]}
COMMAND = 'pytest --irbench=tiny --irbench-update="why"'


@pytest.fixture
def held(project: Project) -> Project:
    """A project whose gate has a stored baseline."""
    project.gate(HELD)
    project.store()
    return project


def body(result: pytest.RunResult) -> str:
    """What pytest printed, without the blanks of empty lines."""
    return re.sub(" +\n", "\n", result.stdout.str())


def test_what_is_like_its_baseline_passes_and_the_table_names_it(held: Project) -> None:
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=3)
    assert re.search(r"^against the baseline of \d{4}-\d\d-\d\d \(first\)$", tables(result), re.MULTILINE)
    assert " ".join(tables(result).split()).count("RR(rel=2) 0.8333 max_drop 2% 0.8333 0.0000 ") == 1


def test_a_drop_over_its_budget_fails_and_explains_itself(held: Project) -> None:
    held.answer(**WORSE)
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=2)
    text = body(result)
    assert "nDCG@10 dropped by 0.0935, more than max_drop 0.05: 0.7035, baseline 0.7970\n" in text
    assert "RR(rel=2) dropped by 0.1667, more than max_drop 2%: 0.6667, baseline 0.8333\n" in text
    assert (
        "  queries that lost most:\n"
        "  query_id    baseline    now     change    text\n"
        "  31_1        1.0000      0.5000  -0.5000   what is throat cancer\n"
        "      d1  grade 2: rank 1 before, now 2\n"
        "\n"
        "irbench.yaml:4: RR(rel=2) max_drop\n"
    ) in text


def test_a_system_that_became_better_passes(held: Project) -> None:
    held.answer(q1e5=["d3"])
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=3)
    assert re.search(
        r"^RR\(rel=2\) +1\.0000  max_drop 2% +0\.8333  \+0\.1667  ", tables(result), re.MULTILINE
    )


def test_a_budget_in_percent_is_of_the_baseline(held: Project) -> None:
    # The baseline is 0.8333 and the drop 0.1667: exactly a fifth.
    held.answer(**WORSE)
    held.gate(HELD.replace("2%", "20%"))
    held.run("--irbench=tiny", "-k", "RR").assert_outcomes(passed=1)
    held.gate(HELD.replace("2%", "19.9%"))
    held.run("--irbench=tiny", "-k", "RR").assert_outcomes(failed=1)


def test_without_a_baseline_only_what_needs_one_is_an_error(project: Project) -> None:
    project.gate(HELD)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, errors=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    message = f"irbench-baselines/tiny.bm25.json: there is no such baseline: commit it if it was stored, or to store this run as the baseline, run {COMMAND}"
    assert (
        f"{message}\n\nirbench.yaml:2: benchmark tiny\nirbench.yaml:4: this threshold could not be measured\n"
        in body(result)
    )
    assert "nDCG@10 - max_drop 0.05 error" in " ".join(tables(result).split())
    assert project.stored == {}
    assert len(project.calls) == 3


def test_the_command_of_the_message_does_what_it_says(project: Project) -> None:
    project.gate(HELD)
    command = re.search(r'run (pytest .* --irbench-update="why")', said(project.run("--irbench=tiny")))
    assert command is not None
    project.run(*shlex.split(command[1])[1:]).assert_outcomes(passed=3)
    project.run("--irbench=tiny").assert_outcomes(passed=3)


def edited(old: str, new: str) -> Callable[[Project], None]:
    def damage(project: Project) -> None:
        text = project.baseline.read_text(encoding="utf-8")
        assert text.count(old) == 1
        project.baseline.write_text(text.replace(old, new), encoding="utf-8")

    return damage


def cut(suffix: str) -> Callable[[Project], None]:
    def damage(project: Project) -> None:
        path = project.baseline.with_suffix(suffix)
        path.write_bytes(path.read_bytes()[:-20])

    return damage


def other_run(project: Project) -> None:
    path = project.baseline.with_suffix(".run.gz")
    content = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(content.replace(b" d3 ", b" d4 "), mtime=0))


DAMAGES = {
    "a value": (
        edited('"31_1": {"RR(rel=2)": 1.000000', '"31_1": {"RR(rel=2)": 0.900000'),
        "31_1: RR(rel=2) is 0.900000 here, but the stored run scores 1.000000: the file was edited by hand",
    ),
    "a mean": (
        edited('"nDCG@10": 0.797039', '"nDCG@10": 0.700000'),
        "means: nDCG@10 is 0.700000 here, but the stored run scores 0.797039: the file was edited by hand",
    ),
    "a value of its own kind": (
        edited('"RR(rel=2)": 0.833333', '"RR(rel=2)": NaN'),
        "holds NaN, which is no value: the file was edited by hand",
    ),
    "a query left out": (
        edited('    "1e5": {"RR(rel=2)": 0.500000, "nDCG@10": 0.630930},\n', ""),
        "1e5 is judged, but has no line here: the file was edited by hand",
    ),
    "cut short": (
        cut(".json"),
        "is not valid JSON (Unterminated string starting at): it was edited or cut short",
    ),
    "a newer format": (edited('"format": 1', '"format": 2'), "upgrade pytest-irbench"),
    "run cut short": (cut(".run.gz"), "is no gzip file, or a damaged one: it was edited or cut short"),
    "run missing": (
        lambda project: project.baseline.with_suffix(".run.gz").unlink(),
        "is missing: it holds the run that belongs to tiny.bm25.json",
    ),
    "another run": (other_run, "is not the run that tiny.bm25.json was written with"),
    "another benchmark": (
        edited('"benchmark": "tiny"', '"benchmark": "big"'),
        "is the baseline of benchmark big, system bm25, not of benchmark tiny, system bm25",
    ),
    "another system": (
        edited('"system": "bm25"', '"system": "dense"'),
        "is the baseline of benchmark tiny, system dense, not of benchmark tiny, system bm25",
    ),
    "a conflict": (edited('  "means"', '<<<<<<< HEAD\n  "means"'), "holds the marks of a merge conflict"),
    "another depth": (
        lambda project: project.write(
            "irbench.yaml",
            (project.path / "irbench.yaml").read_text().replace("system:", "depth: 50, system:"),
        ),
        "is no baseline for this gate as it is now: its depth is 1000, the gate's is 50",
    ),
    "more measures": (
        lambda project: project.gate(f"{HELD}, AP: {{max_drop: 0.1}}"),
        "is no baseline for this gate as it is now: it has no values of AP(rel=2)",
    ),
    "fewer measures": (
        lambda project: project.gate("nDCG@10: {min: 0.5, max_drop: 0.05}, RR: 0.5"),
        "it has values of RR(rel=2), which this gate does not hold against it",
    ),
    "another relevance level": (
        lambda project: project.write(
            "irbench.yaml", (project.path / "irbench.yaml").read_text().replace("_level: 2", "_level: 1")
        ),
        "it has no values of RR; it has values of RR(rel=2), which this gate does not hold against it",
    ),
    "other topics": (
        lambda project: project.write("topics.tsv", TOPICS.replace("bond", "Bond")),
        "is no baseline for this gate as it is now: the judged topics have changed since",
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_baseline_that_does_not_belong_here_is_one_clear_error(held: Project, what: str) -> None:
    damage, message = DAMAGES[what]
    damage(held)
    result = held.run("--irbench=tiny")
    # Everything else is decided as ever.
    outcomes = result.parseoutcomes()
    assert "failed" not in outcomes
    assert outcomes["passed"] >= 1
    told = [line for line in result.outlines if line.startswith("irbench-baselines/tiny.bm25.")]
    assert len(told) == outcomes["errors"] >= 1
    for line in told:
        assert message in line
        assert line.endswith(f"to store this run as the baseline, run {COMMAND}")
    assert "Traceback" not in said(result)
    assert "INTERNALERROR" not in said(result)


@pytest.mark.parametrize("what", DAMAGES)
def test_the_command_of_the_error_mends_it(held: Project, what: str) -> None:
    DAMAGES[what][0](held)
    assert held.run("--irbench=tiny", "--irbench-update=mended").ret == pytest.ExitCode.OK
    assert held.run("--irbench=tiny").ret == pytest.ExitCode.OK
    assert set(held.stored) == {"tiny.bm25.json", "tiny.bm25.run.gz"}


# d7 is what 007 asks for now: the stored run has it at rank 2, so RR of 007 goes from 1 to 0.5.
REJUDGED = QRELS.replace("007 0 1e5 3", "007 0 1e5 0").replace("007 0 d7 0", "007 0 d7 3")


def test_a_baseline_with_documents_that_the_gate_leaves_out_is_no_baseline(held: Project) -> None:
    # Without q, document d1 of 31_1 would stand higher than in the stored run, whatever the system does.
    path = held.path / "irbench.yaml"
    path.write_text(path.read_text().replace("system: bm25,", "system: bm25, exclude_docs: q,"))
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=1, errors=2)
    assert "its doc_id is identity, the gate's is identity without q" in body(result)
    held.store()
    held.run("--irbench=tiny").assert_outcomes(passed=3)


def test_other_judgments_are_told_apart_from_another_system(held: Project) -> None:
    held.write("qrels.txt", REJUDGED)
    held.answer(**WORSE)
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=2)
    text = said(result)
    assert "RR(rel=2) dropped by 0.1667, more than max_drop 2%: 0.5000, baseline 0.6667\n" in text
    assert "  the qrels changed since: the baseline's run was scored again with them\n" in text
    assert (
        "the qrels changed since the baseline: with them its RR(rel=2) is 0.6667 and was 0.8333 (-0.1667 by "
        "the judgments); the system makes it 0.5000 (-0.1667)"
    ) in " ".join(tables(result).split())


def test_counts_of_other_judgments_are_whole_numbers(project: Project) -> None:
    project.gate("NumRelRet: {max_drop: 50%}")
    project.store()
    project.write("qrels.txt", QRELS.replace("007 0 d7 0", "007 0 d7 3"))
    text = " ".join(tables(project.run("--irbench=tiny")).split())
    assert ("its NumRelRet(rel=2) is 4 and was 3 (+1 by the judgments); the system makes it 4 (+0)") in text


def test_other_judgments_alone_are_no_drop(held: Project) -> None:
    held.write("qrels.txt", REJUDGED)
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=3)
    assert "(-0.1667 by the judgments); the system makes it 0.6667 (+0.0000)" in " ".join(
        tables(result).split()
    )


def test_a_query_that_is_judged_since_counts_in_the_baseline_too(held: Project) -> None:
    held.add("topics.tsv", "new\tnobody asked\n")
    held.add("qrels.txt", "new 0 d1 2\n")
    held.answer(new=["d1"])
    # Other topics are another benchmark; that is said before anything is scored.
    assert "the judged topics have changed since" in said(held.run("--irbench=tiny"))


def test_baselines_can_be_read_from_elsewhere(held: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    held.baseline.parent.rename(held.path / "main-branch")
    held.run("--irbench=tiny", "--irbench-baselines=main-branch").assert_outcomes(passed=3)
    # Relative to where pytest was started, as files named on a command line are.
    (held.path / "ci").mkdir()
    monkeypatch.chdir(held.path / "ci")
    result = held.run("..", "--irbench=tiny", "--irbench-baselines=../main-branch")
    result.assert_outcomes(passed=3)
    result = held.run("..", "--irbench=tiny", "--irbench-baselines=main-branch")
    result.assert_outcomes(passed=1, errors=2)
    assert (
        "main-branch/tiny.bm25.json: there is no such baseline: to store this run as the baseline, "
        'run pytest --irbench=tiny --irbench-baselines=main-branch --irbench-update="why"'
    ) in said(result)


def test_a_folder_of_baselines_with_a_blank_can_be_copied_from_the_message(project: Project) -> None:
    project.gate(HELD)
    text = said(project.run("--irbench=tiny", "--irbench-baselines=of main"))
    command = re.search(r'run (pytest .* --irbench-update="why")', text)
    assert command is not None
    assert "--irbench-baselines=of main" in shlex.split(command[1])


def test_a_run_from_the_command_line_is_held_against_the_baseline(held: Project) -> None:
    held.write("new.trec", "31_1 Q0 d1 1 2 t\n007 Q0 1e5 1 2 t\n1e5 Q0 x 1 2 t\n")
    result = held.run("--irbench=tiny", "--irbench-run", "bm25=new.trec")
    result.assert_outcomes(passed=1, failed=2)
    assert "RR(rel=2) dropped by 0.1667, more than max_drop 2%: 0.6667, baseline 0.8333\n" in said(result)
    assert len(held.calls) == 3


def test_each_parameter_of_a_system_has_a_baseline_of_its_own(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["fast", "a/b", "ü"])
    def tuned(request):
        return ask if request.param != "fast" else (lambda topic, k: ask(topic, k)[:1])
    """)
    project.gate("nDCG@10: {min: 0.1, max_drop: 0.05}", system="tuned")
    project.store()
    names = [name for name in project.stored if name.endswith(".json")]
    assert sorted(names) == ["tiny.tuned[%5Cxfc].json", "tiny.tuned[a%2Fb].json", "tiny.tuned[fast].json"]
    project.run("--irbench=tiny").assert_outcomes(passed=6)
    project.answer(**WORSE)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=3, failed=3)
    # 31_1 has only what is at rank 1 of it.
    assert "baseline 0.7970" in said(result)
    assert "baseline 0.5867" in said(result)


def test_a_system_of_several_parameters_is_named_by_all_of_them(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["k1", "k2"])
    def weight(request): return request.param

    @pytest.fixture(params=["fast"])
    def tuned(request, weight): return ask
    """)
    project.gate(HELD, system="tuned")
    project.store()
    assert {name for name in project.stored if name.endswith(".json")} == {
        "tiny.tuned[fast-k1].json",
        "tiny.tuned[fast-k2].json",
    }


def test_workers_decide_as_one_process_does(held: Project) -> None:
    held.answer(**WORSE)
    alone, spread = held.run("--irbench=tiny"), held.spawn("--irbench=tiny", "-n2")
    assert alone.parseoutcomes() == spread.parseoutcomes() == {"passed": 1, "failed": 2}
    assert tables(alone) == tables(spread)


def test_a_report_for_junit_has_plain_numbers(held: Project) -> None:
    held.gate(HELD.replace("2%", "2%, evidence: noninferior"))
    held.answer(**WORSE)
    held.run("--irbench=tiny", "--junitxml=report.xml")
    cases = {case.get("name"): case for case in ET.parse(held.path / "report.xml").iter("testcase")}
    told = {str(p.get("name")): str(p.get("value")) for p in cases["bm25[tiny-RR-max_drop]"].iter("property")}
    numbers = {
        "irbench_value": 2 / 3,
        "irbench_baseline": 5 / 6,
        "irbench_change": -1 / 6,
        "irbench_limit": 5 / 300,
        "irbench_p": 0.5,
    }
    assert {name: float(told[name]) for name in numbers} == pytest.approx(numbers)
    assert float(told["irbench_change_low"]) < -1 / 6 < float(told["irbench_change_high"])
    assert (told["irbench_worse"], told["irbench_better"]) == ("1", "0")
    assert told["irbench_rule"] == "max_drop"
    assert told["irbench_evidence"] == "noninferior"
    assert "np." not in " ".join(told.values())
    assert "(" not in told["irbench_detectable"]


def test_a_baseline_is_read_once_a_gate(held: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(path: Path) -> Baseline:
        read.append(path.name)
        return read_baseline(path)

    monkeypatch.setattr("pytest_irbench.gates.held.read_baseline", noted)
    held.run("--irbench=tiny").assert_outcomes(passed=3)
    assert read == ["tiny.bm25.json"]


def test_evidence_decides_how_a_drop_is_judged(project: Project) -> None:
    topics = [f"t{number}" for number in range(8)]
    project.write("topics.tsv", "".join(f"{topic}\ta question\n" for topic in topics))
    project.write("qrels.txt", "".join(f"{topic} 0 d1 2\n" for topic in topics))
    project.fixtures("ANSWERS.update({f't{number}': ['d1'] for number in range(8)})\n")
    line = "RR: {{max_drop: 0.05, evidence: {}}}"
    project.gate(line.format("mean"))
    project.store()
    # One query of eight at rank 2: the mean drops by 0.0625, which chance can do.
    project.answer(t0=["x", "d1"])
    outcomes = {}
    for evidence in ("mean", "significant", "noninferior"):
        project.gate(line.format(evidence))
        result = project.run("--irbench=tiny")
        outcomes[evidence] = result.parseoutcomes()
        assert "RR(rel=2) dropped by 0.0625" in said(result) or evidence == "significant"
    assert outcomes == {"mean": {"failed": 1}, "significant": {"passed": 1}, "noninferior": {"failed": 1}}
    # All of them: p = 1/256.
    project.answer(**{topic: ["x", "d1"] for topic in topics})
    project.gate(line.format("significant"))
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "more than max_drop 0.05, p = 0.0039: 0.5000, baseline 1.0000" in said(result)


def test_significance_is_adjusted_for_all_thresholds_of_the_gate_that_ask_for_it(project: Project) -> None:
    topics = [f"t{number}" for number in range(8)]
    project.write("topics.tsv", "".join(f"{topic}\ta question\n" for topic in topics))
    project.write("qrels.txt", "".join(f"{topic} 0 d1 2\n" for topic in topics))
    project.fixtures("ANSWERS.update({f't{number}': ['d1'] for number in range(8)})\n")
    asked = "{max_drop: 0.05, evidence: significant}"
    project.gate(f"RR: {asked}, nDCG@10: {asked}, P@1: {asked}")
    project.store()
    # Five of eight are worse: p is 1/32, and three times that with two others.
    project.answer(**{topic: ["x", "d1"] for topic in topics[:5]})
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=3)
    assert " 0.0938* 5/0 " in " ".join(tables(result).split())
    assert "* adjusted for the 3 thresholds of this gate that ask for significance (Holm)" in tables(result)
    # Which of them are run makes no difference.
    project.run("--irbench=tiny", "-k", "RR").assert_outcomes(passed=1)
    project.gate(f"RR: {asked}")
    project.fixtures("ANSWERS.update({f't{number}': ['d1'] for number in range(8)})\n")
    project.store()
    project.answer(**{topic: ["x", "d1"] for topic in topics[:5]})
    project.run("--irbench=tiny").assert_outcomes(failed=1)


def test_a_drop_that_no_verdict_could_show_is_an_error(held: Project) -> None:
    held.gate(HELD.replace("2%", "2%, evidence: significant"))
    result = held.run("--irbench=tiny")
    result.assert_outcomes(passed=2, errors=1)
    assert "no drop can ever be significant, and this threshold can never fail" in said(result)


def test_a_baseline_below_the_budget_is_an_error(project: Project) -> None:
    project.answer(q31_1=["x"], q007=["x"], q1e5=["x", "d3"])
    project.gate("RR: {max_drop: 0.3}")
    result = project.run("--irbench=tiny", "--irbench-update=first")
    result.assert_outcomes(errors=1)
    assert (
        "the baseline's RR(rel=2) is 0.1667, so it can't drop by more than 0.3, and this max_drop can never fail"
        in said(result)
    )
    assert project.stored == {}


EVERY_KIND = f"""{BENCHMARKS}gates:
  - benchmark: tiny
    system: bm25
    thresholds: {{nDCG@10: {{min: 0.9, max_drop: 0.05}}, "nDCG(dcg='exp-log2')@3": {{max_drop: 1%}}}}
    slices: {{james: {{where: 'query_id in ["31_1", "1e5"]', thresholds: {{RR: 0.99}}}}}}
    queries:
      max_drop: {{nDCG@10: 0.2}}
      expect:
        - {{query_id: "007", doc_id: 1e5, absent: true}}
        - {{query_id: "007", doc_id: "https://x.org/a b?c=[1]&d::e", within: 2}}
        - {{query_id: "31_1", doc_id: "naïve-☃ 'quoted' \\\\ back", within: 2}}
      xfail: [{{query_id: "1e5", reason: "no synonyms", below: {{nDCG@10: 0.1}}}}]
"""


@pytest.fixture
def every_kind(project: Project) -> Project:
    """A gate with a threshold of every kind, all of which fail."""
    soft = (
        EVERY_KIND.replace("min: 0.9", "min: 0.1").replace("0.99", "0.1").replace("absent: true", "within: 2")
    )
    soft = re.sub(r"        - .*(https|naïve).*\n", "", soft).replace("0.1}}]", "0.9}}]")
    project.write("irbench.yaml", soft)
    project.store()
    project.write("irbench.yaml", EVERY_KIND)
    project.answer(**WORSE)
    return project


def failed_ids(result: pytest.RunResult) -> list[str]:
    lines = [line for line in result.outlines if line.startswith("FAILED ")]
    return [line.removeprefix("FAILED ").partition(" - Failed: ")[0] for line in lines]


def test_ids_that_run_together_are_told_apart(project: Project) -> None:
    project.add("topics.tsv", "a\tone\na-b\tother\n")
    project.add("qrels.txt", "a 0 b-c 2\na-b 0 c 2\n")
    project.fixtures("ANSWERS.update({'a': ['b-c'], 'a-b': ['x', 'c']})\n")
    expected = "{query_id: a, doc_id: b-c, within: 1}, {query_id: a-b, doc_id: c, within: 1}"
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}gates:\n  - {{benchmark: tiny, system: bm25, queries: {{expect: [{expected}]}}}}\n",
    )
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=1)
    assert failed_ids(result) == ["irbench.yaml::bm25[tiny-expect-a-b-c-1]"]
    assert tables(result).count("tiny · bm25:") == 1


@pytest.mark.parametrize("escaped", [True, False])
def test_an_id_that_is_not_ascii_is_no_parameter_of_the_system(project: Project, escaped: bool) -> None:
    if not escaped:
        option = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support"
        project.write("pytest.ini", f"[pytest]\n{option} = true\n")
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}gates:\n  - benchmark: tiny\n    system: bm25\n"
        "    queries: {expect: [{query_id: '007', doc_id: 'ü', absent: true}]}\n"
        "    thresholds: {RR: {max_drop: 0.1}}\n",
    )
    project.store()
    assert "tiny.bm25.json" in project.stored
    assert "tiny · bm25: 3 queries\n" in tables(project.run("--irbench=tiny"))


def test_an_id_of_any_kind_can_be_copied_to_the_command_line(every_kind: Project) -> None:
    ids = failed_ids(every_kind.run("--irbench=tiny"))
    assert len(ids) == 9
    for one in ids:
        result = every_kind.run(one)
        result.assert_outcomes(failed=1)
        assert failed_ids(result) == [one]
    every_kind.run(*ids).assert_outcomes(failed=9)


def test_all_kinds_stand_in_the_table_of_their_gate(every_kind: Project) -> None:
    text = tables(every_kind.run("--irbench=tiny"))
    assert text.count("tiny · bm25") == 1
    assert "007: https://x.org/a b?c=[1]&d::e" in text
    assert "31_1: naïve-☃ 'quoted' \\ back" in text


def test_last_failed_and_k_pick_thresholds_of_any_kind(every_kind: Project) -> None:
    every_kind.run("--irbench=tiny")
    every_kind.run("--irbench=tiny", "--lf").assert_outcomes(failed=9)
    every_kind.run("--irbench=tiny", "-k", "expect").assert_outcomes(failed=3)
    every_kind.run("--irbench=tiny", "-k", "max_drop").assert_outcomes(failed=3)
    every_kind.run("--irbench=tiny", "-k", "queries and nDCG").assert_outcomes(failed=1)
    every_kind.answer(q31_1=["d1", "q"])
    every_kind.run("--irbench=tiny").assert_outcomes(failed=6, passed=3)
    every_kind.run("--irbench=tiny", "--lf").assert_outcomes(failed=6)


def test_workers_carry_ids_of_any_kind(every_kind: Project) -> None:
    alone, spread = every_kind.run("--irbench=tiny"), every_kind.spawn("--irbench=tiny", "-n2")
    assert tables(alone) == tables(spread)


def test_baselines_name_what_they_hold_for_a_reviewer(held: Project) -> None:
    text = held.baseline.read_text(encoding="utf-8")
    assert '    "31_1": {"RR(rel=2)": 1.000000, "nDCG@10": 0.760188}\n' in text
    stored = json.loads(text)
    assert (stored["benchmark"], stored["system"], stored["gates"]) == ("tiny", "bm25", "irbench.yaml")
    assert stored["provenance"]["reason"] == "first"


def test_one_query_says_nothing_about_chance(project: Project) -> None:
    project.write("qrels.txt", "31_1 0 d1 2\n")
    project.gate("nDCG@10: {max_drop: 0.1}")
    project.store()
    project.answer(q31_1=["q", "d1"])
    text = said(project.run("--irbench=tiny"))
    assert "\n  1 query alone says nothing about chance; 1 worse, 0 better, 0 the same\n" in text
    assert "\ntiny · bm25: 1 query\n" in text
    assert "inf" not in text.replace("info", "")


def test_a_folder_without_a_name_is_a_usage_error(project: Project) -> None:
    project.gate("nDCG@10: {max_drop: 0.1}")
    project.store()
    result = project.run("--irbench=tiny", "--irbench-baselines=")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-baselines= needs a folder: leave the option out for the default" in said(result)
