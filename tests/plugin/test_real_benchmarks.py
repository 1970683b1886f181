"""The six benchmarks with public runs, held against trec_eval's own values."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_project import Project

from pytest_irbench.benchmarks.builtin import BUILTIN

pytestmark = pytest.mark.usefixtures("published_home")

MEASURES = {
    "num_ret": "NumRet",
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "ndcg": "nDCG",
}
CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
# trec_eval prints 4 decimals: the value it means lies at most half of the last one away.
HALF = 0.00005
RAISED = 0.0002


@dataclass(frozen=True)
class Expected:
    """What trec_eval prints for one run and measure."""

    benchmark: str
    system: str
    measure: str
    value: float


def ours(name: str) -> str:
    """The name of a measure of trec_eval here."""
    if name in MEASURES:
        return MEASURES[name]
    stem, _, cutoff = name.rpartition("_")
    return f"{CUT[stem]}@{cutoff}"


@pytest.fixture(scope="module")
def expected(shared_data: Path) -> list[Expected]:
    reference = json.loads((shared_data / "runs" / "reference.json").read_text(encoding="utf-8"))
    found = []
    for run, told in reference.items():
        benchmark, _, file = run.partition("/")
        if benchmark in BUILTIN and "error" not in told["values"]:
            assert told["relevance_level"] == BUILTIN[benchmark].relevance_level
            system = file.removesuffix(".trec.gz")
            values = {name: value for name, value in told["values"].items() if name != "num_q"}
            found += [Expected(benchmark, system, ours(name), value) for name, value in values.items()]
    assert {one.benchmark for one in found} == set(BUILTIN)
    return found


def declare(project: Project, shared_data: Path, limits: dict[Expected, dict[str, float]]) -> None:
    """Write an irbench.yaml with these limits over the public runs."""
    gates: dict[tuple[str, str], list[str]] = {}
    for one, limit in limits.items():
        text = ", ".join(f"{rule}: {value!r}" for rule, value in limit.items())
        gates.setdefault((one.benchmark, one.system), []).append(f"      {one.measure}: {{{text}}}")
    lines = ["systems:"]
    for system in dict.fromkeys(system for _, system in gates):
        path = shared_data / "runs" / "{benchmark}" / f"{system}.trec.gz"
        lines.append(f'  {system}: {{run: "{path}"}}')
    lines.append("gates:")
    for (benchmark, system), thresholds in gates.items():
        lines += [f"  - benchmark: {benchmark}", f"    system: {system}", "    thresholds:", *thresholds]
    project.write("irbench.yaml", "\n".join(lines))


def test_every_gate_passes_at_the_values_of_trec_eval(
    project: Project, shared_data: Path, expected: list[Expected]
) -> None:
    limits = {}
    for one in expected:
        limits[one] = {"min": one.value - HALF, "max": one.value + HALF}
        if one.value + HALF > 1 and one.measure != "NumRet":
            # All that could be found: a maximum above 1 is refused, since it could never fail.
            del limits[one]["max"]
    declare(project, shared_data, limits)
    result = project.spawn("--irbench=all", "-q", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=sum(map(len, limits.values())))
    assert result.ret == 0


def test_every_gate_fails_when_raised_by_two_in_the_fourth_decimal(
    project: Project, shared_data: Path, expected: list[Expected]
) -> None:
    raised = {one: {"min": one.value - HALF + RAISED} for one in expected if one.value < 1 or one.value > 2}
    declare(project, shared_data, raised)
    result = project.spawn("--irbench=all", "-q", "--tb=no", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=len(raised))
    failed = {line.split(" - ")[0] for line in result.outlines if line.startswith("FAILED irbench.yaml::")}
    assert len(failed) == len(raised)


def test_a_raised_gate_is_the_only_one_that_fails(
    project: Project, shared_data: Path, expected: list[Expected]
) -> None:
    some = [one for one in expected if one.benchmark == "dl20-passage" and one.system == "bm25"]
    limits = {one: {"min": one.value - HALF + RAISED * (one.measure == "nDCG@10")} for one in some}
    declare(project, shared_data, limits)
    result = project.spawn("--irbench=dl20", "-q", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1, passed=len(limits) - 1)
    assert "FAILED irbench.yaml::bm25[dl20-passage-nDCG@10-min]" in result.stdout.str()
    # The explanation has the text of real topics.
    run = os.path.relpath(shared_data / "runs" / "dl20-passage" / "bm25.trec.gz", project.path)
    assert f"benchmark dl20-passage, system bm25 ({run}): mean over 54 judged queries" in result.stdout.str()


def test_a_run_file_with_four_columns_is_refused_with_its_line(project: Project, shared_data: Path) -> None:
    project.write(
        "irbench.yaml", "gates: [{benchmark: dl20-passage, system: bm25, thresholds: {nDCG@10: 0.4}}]"
    )
    run = shared_data / "runs" / "dl20-passage" / "repllama-four-columns.txt.gz"
    result = project.spawn("--irbench=dl20-passage", f"--irbench-run=bm25={run}")
    result.assert_outcomes(errors=1)
    assert f"{run}:1: expected 6 columns" in result.stdout.str()


CONVDR = "runs/cast21-passage-ids/org-convdr.trec.gz"


def test_passages_against_judged_documents_find_the_mapping_and_with_it_the_published_value(
    project: Project, shared_data: Path
) -> None:
    systems = f'systems: {{convdr: {{run: "{shared_data / CONVDR}"}}}}'
    gate = "{{benchmark: cast21, system: convdr, {}thresholds: {{nDCG@3: {{min: 0.36105, max: 0.36115}}}}}}"
    project.write("irbench.yaml", f"{systems}\ngates: [{gate.format('')}]\n")
    result = project.spawn("--irbench=cast21")
    result.assert_outcomes(failed=1, passed=1)
    text = result.stdout.str()
    assert "nDCG@3 = 0.00000, below min 0.36105" in text
    assert "none of the returned documents is judged for its query" in text
    told = "0 of 1,580 documents in the top 10 are judged for their query; 79% would be with doc_id: passage_to_document"
    assert text.partition("short test summary")[0].count(told) == 2
    project.write("irbench.yaml", f"{systems}\ngates: [{gate.format('doc_id: passage_to_document, ')}]\n")
    result = project.spawn("--irbench=cast21")
    result.assert_outcomes(passed=2)
    assert "nDCG@3   0.36108  min 0.36105   84.2%  passed" in result.stdout.str()


def test_ids_that_were_cut_are_found_among_many_that_are_judged(project: Project, shared_data: Path) -> None:
    run = shared_data / "runs" / "cast21" / "org-convdr.trec.gz"
    project.write("irbench.yaml", "gates: [{benchmark: cast21, system: bm25, thresholds: {nDCG@3: 0.3}}]")
    result = project.spawn("--irbench=cast21", f"--irbench-run=bm25={run}")
    result.assert_outcomes(passed=1)
    text = result.stdout.str()
    assert (
        "28 of 1,580 documents in the top 10 have ids cut at the first dash, as 'WAPO_27f71b8a' where" in text
    )
    assert "make the run anew with whole ids" in text


def test_what_the_cut_ids_cost_is_told_when_their_collection_is_left_out(
    project: Project, shared_data: Path
) -> None:
    run = shared_data / "runs" / "cast21" / "org-convdr.trec.gz"
    gate = "{benchmark: cast21, system: bm25, exclude_docs: 'WAPO_*', thresholds: {nDCG@3: 0.1}}"
    project.write("irbench.yaml", f"gates: [{gate}]")
    result = project.spawn("--irbench=cast21", f"--irbench-run=bm25={run}")
    result.assert_outcomes(passed=1)
    text = result.stdout.str()
    assert "judgments left out" in text
    assert ", with them 0.3542" in text
    assert "cut at the first dash" not in text


def test_a_judged_query_that_a_public_run_lacks_is_named(project: Project, shared_data: Path) -> None:
    project.write("irbench.yaml", "gates: [{benchmark: dl20-doc, system: bm25, thresholds: {nDCG@10: 0.6}}]")
    run = shared_data / "runs" / "dl20-doc" / "bit-run2.trec.gz"
    result = project.spawn("--irbench=dl20-doc", f"--irbench-run=bm25={run}")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "nDCG@10 = 0.5283, below min 0.6000" in text
    assert "1 judged query without results, counted as 0: 1030303" in text
    assert "1030303     0.0000     who is aziz hashim" in text


def test_offline_with_an_empty_folder_each_benchmark_is_one_error_of_one_line(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "empty"))
    # No way out: each connection is refused at once.
    for scheme in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(scheme, "http://127.0.0.1:9")
    names = ", ".join(BUILTIN)
    project.write(
        "irbench.yaml", f"gates: [{{benchmark: [{names}], system: bm25, thresholds: {{nDCG@3: 0.3}}}}]"
    )
    result = project.spawn("--irbench=all", "--show-capture=no")
    result.assert_outcomes(errors=len(BUILTIN))
    for name in BUILTIN:
        lines = [line for line in result.outlines if line.startswith(f"{name}: ")]
        assert len(lines) == 1
        assert "could not be fetched" in lines[0]
        assert "IR_DATASETS_HOME" in lines[0]
    assert "Traceback" not in result.stdout.str()
    assert project.calls == []
