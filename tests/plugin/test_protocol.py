"""The protocol of a gate: which words are asked, how ids are read, what is left out, what is not certain."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from small_project import BENCHMARKS, Project, said, tables

from pytest_irbench import InputError, read_qrels

TURNS = [
    ["What is FTS5?", "What is FTS5?", "What is FTS5?"],
    ["Is it fast?", "Is FTS5 fast?", "Is the FTS5 fast?"],
    ["And small?", "Is FTS5 small?", "And small FTS5?"],
]
KEYS = ("raw_utterance", "manual_rewritten_utterance", "automatic_rewritten_utterance")
CHATS = "chats: {topics: turns.json, qrels: turns.qrels}"
# Finds something when the words name the subject.
READER = """
@pytest.fixture
def reader():
    def search(topic, k):
        with (FOLDER / "calls.log").open("a") as calls:
            calls.write(f"{topic}\\n")
        return [f"d{topic.turn}"] if "FTS5" in topic else ["x"]
    return search
"""


def chats(project: Project, keys: str = "", thresholds: str = "nDCG@3: 0.1") -> None:
    """Write a conversation of three turns and a gate over it."""
    turns = [
        dict(zip(KEYS, said, strict=True), number=n, passage=f"Answer {n}.")
        for n, said in enumerate(TURNS, 1)
    ]
    project.write("turns.json", json.dumps([{"number": 7, "turn": turns}]))
    project.write("turns.qrels", "".join(f"7_{turn} 0 d{turn} 1\n" for turn in (1, 2, 3)))
    project.fixtures(READER)
    gate = f"{{benchmark: chats, system: reader, {keys and f'{keys}, '}thresholds: {{{thresholds}}}}}"
    project.write("irbench.yaml", f"benchmarks: {{{CHATS}}}\ngates: [{gate}]\n")


def gate(
    project: Project, keys: str, thresholds: str = "nDCG@10: 0.1", benchmark: str = "", system: str = "bm25"
) -> None:
    """Write a gate over ``tiny`` with these keys, and more keys of its benchmark."""
    more = BENCHMARKS.replace("relevance_level: 2", f"relevance_level: 2{benchmark and f', {benchmark}'}")
    body = f"benchmark: tiny, system: {system}, {keys}"
    body += f", thresholds: {{{thresholds}}}" if thresholds else ""
    project.write("irbench.yaml", f"{more}gates:\n  - {{{body}}}\n")


def properties(project: Project) -> dict[str, dict[str, str]]:
    """What the report of JUnit says of each test."""
    project.run("--irbench=all", "--junitxml=report.xml")
    return {
        str(case.get("name")): {str(p.get("name")): p.get("value", "") for p in case.iter("property")}
        for case in ET.parse(project.path / "report.xml").iter("testcase")
    }


# utterance


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_a_failure_shows_the_words_that_were_asked(project: Project, workers: tuple[str, ...]) -> None:
    chats(project, "utterance: manual", "nDCG@3: {max: 0.1}")
    run = project.spawn if workers else project.run
    shown = said(run("--irbench=chats", *workers))
    assert "Is FTS5 small?" in shown
    assert "And small?" not in shown


@pytest.mark.parametrize(
    ("keys", "value", "system"),
    [
        ("", "0.3333", "reader"),
        ("utterance: raw", "0.3333", "reader"),
        ("utterance: manual", "1.0000", "reader@manual"),
        ("utterance: automatic", "1.0000", "reader@automatic"),
    ],
)
def test_a_gate_says_which_words_are_asked(project: Project, keys: str, value: str, system: str) -> None:
    chats(project, keys)
    result = project.run("--irbench=chats")
    result.assert_outcomes(passed=1)
    words = f", utterance {system.partition('@')[2]}" if "@" in system else ""
    assert f"chats · {system}: 3 queries{words}\n" in tables(result)
    assert f"nDCG@3   {value}  min 0.1000 " in tables(result)
    column = 0 if not keys else ("raw", "manual", "automatic").index(keys.split()[1])
    assert project.calls == [said[column] for said in TURNS]


def test_two_utterances_are_two_gates_and_the_gap_is_told(project: Project) -> None:
    chats(project, "utterance: [raw, manual]", "nDCG@3: 0.5, RR: 0.1")
    result = project.run("--irbench=chats", "-v")
    result.assert_outcomes(passed=3, failed=1)
    assert "irbench.yaml::reader[chats-nDCG@3-min] FAILED" in said(result)
    assert "irbench.yaml::reader[chats-manual-nDCG@3-min] PASSED" in said(result)
    assert tables(result).endswith(
        """
chats · reader: what other words make of it
measure     raw  manual      gap
-------  ------  ------  -------
nDCG@3   0.3333  1.0000  +0.6667
RR       0.3333  1.0000  +0.6667"""
    )


def test_values_are_told_by_turn_and_by_conversation(project: Project) -> None:
    chats(project)
    told = tables(project.run("--irbench=chats"))
    assert "nDCG@3 by turn: 1 1.0000 (1), 2 0.0000 (1), 3 0.0000 (1)\n" in told
    assert "nDCG@3 by conversation: 7 0.3333 (3)" in told


@pytest.mark.parametrize("utterance", ["raw", "manual", "automatic"])
def test_a_system_sees_only_what_was_said_before(project: Project, utterance: str) -> None:
    chats(project, f"utterance: {utterance}")
    project.fixtures("""
    @pytest.fixture
    def reader():
        def search(topic, k):
            with (FOLDER / "calls.log").open("a") as calls:
                calls.write(f"{topic.turn}: {[(turn.utterance, turn.response) for turn in topic.history]}\\n")
            return [f"d{topic.turn}"]
        return search
    """)
    project.run("--irbench=chats").assert_outcomes(passed=1)
    # What the user really said, whichever rewrite of the last turn is asked.
    earlier = [(words[0], f"Answer {turn}.") for turn, words in enumerate(TURNS, 1)]
    assert project.calls == [f"{turn}: {earlier[: turn - 1]}" for turn in (1, 2, 3)]


def test_a_benchmark_without_rewrites_is_an_error_that_says_so(project: Project) -> None:
    gate(project, "utterance: manual")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "query '31_1' has no manual utterance: take utterance raw" in said(result)
    assert project.calls == []


# doc_id


def test_the_message_proposes_the_mapping_with_which_the_gate_then_passes(project: Project) -> None:
    project.answer(q31_1=["d1-3", "d1-4", "q-0"], q007=["1e5-1", "d7-0"], q1e5=["x1-7", "d3-2"])
    project.gate("nDCG@10: 0.797")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    told = "0 of 7 documents in the top 10 are judged for their query; 71% would be with doc_id: passage_to_document"
    # In the failure and below the table.
    assert said(result).partition("short test summary")[0].count(told) == 2
    gate(project, "doc_id: passage_to_document", "nDCG@10: {min: 0.797, max: 0.7971}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2)
    assert "\ndoc_id: passage_to_document" in tables(result)


def test_a_pattern_maps_ids(project: Project) -> None:
    project.answer(q31_1=["doc:d1", "doc:q"], q007=["doc:1e5", "doc:d7"], q1e5=["doc:x1", "doc:d3"])
    gate(project, "doc_id: {pattern: '^doc:', replace: ''}", "nDCG@10: {min: 0.797, max: 0.7971}")
    project.run("--irbench=tiny").assert_outcomes(passed=2)


# exclude_docs


def test_documents_are_left_out_of_run_and_qrels_and_the_effect_is_told(project: Project) -> None:
    gate(project, "exclude_docs: ['x*', d2]", "nDCG@10: {min: 1.0}, AP: {min: 1.0}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2)
    assert (
        "exclude_docs x*, d2: 1 documents of the run and 1 judgments left out; "
        "nDCG@10 is 1.0000, with them 0.7970"
    ) in tables(result)


def test_a_query_of_which_no_judgment_is_left_leaves_the_average(project: Project) -> None:
    gate(project, "exclude_docs: d3")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1)
    assert "tiny · bm25: 2 queries, 1 unjudged left out" in tables(result)
    assert "1 judgments left out, 1 queries left the average" in tables(result)


def test_a_pattern_that_matches_nothing_is_an_error(project: Project) -> None:
    gate(project, "exclude_docs: 'WAPO_*'")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "'WAPO_*' matches no document of run bm25 and none of the qrels" in said(result)


# rerank

CANDIDATES = (
    "31_1 Q0 q 1 2 t\n31_1 Q0 d1 2 1 t\n007 Q0 d7 1 2 t\n007 Q0 1e5 2 1 t\n1e5 Q0 d3 1 2 t\n1e5 Q0 x1 2 1 t\n"
)


def test_a_reranker_gets_candidates_and_is_held_to_them(project: Project) -> None:
    project.write("candidates.trec", CANDIDATES)
    project.fixtures("@pytest.fixture\ndef turned(): return lambda topic, k: topic.candidates[::-1]\n")
    gate(project, "rerank: true", "RR: {max: 0.99}", "candidates: candidates.trec", "turned")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1)
    # d1 and 1e5 come first, and d3 last.
    assert "RR(rel=2)  0.8333" in tables(result)


def test_strangers_among_the_reranked_are_counted(project: Project) -> None:
    project.write("candidates.trec", CANDIDATES)
    project.answer(q31_1=["d1", "new1"], q007=["new2", "new3"])
    gate(project, "rerank: true", "RR: 0.1, P@1: 0.1", "candidates: candidates.trec")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=2)
    assert "run bm25: 3 documents of 2 queries are no candidates: 'new1' for query '31_1'" in said(result)


def test_a_benchmark_without_candidates_is_an_error(project: Project) -> None:
    gate(project, "rerank: true")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "benchmark tiny has no candidates to rerank: give it a file of candidates" in said(result)
    assert project.calls == []


def test_a_faulty_file_of_candidates_is_an_error_before_anything_is_asked(project: Project) -> None:
    project.write("candidates.trec", "31_1 Q0 d1 1 high t\n")
    gate(project, "rerank: true", benchmark="candidates: candidates.trec")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "candidates.trec:1: " in said(result)
    assert project.calls == []


# repeats and stable

JITTERY = """
TIMES = []

@pytest.fixture
def jittery():
    def search(topic, k):
        TIMES.append(topic.query_id)
        found = ask(topic, k)
        return found[::-1] if topic.query_id == "007" and TIMES.count("007") == 2 else found
    return search
"""


def test_a_system_is_asked_again_and_how_far_apart_it_is_told(project: Project) -> None:
    project.fixtures(JITTERY)
    gate(project, "repeats: 3, stable: {nDCG@10: 0.005}", "RR: 0.5", system="jittery")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=1)
    assert len(project.calls) == 9
    told = (
        "asked 3 times: RR(rel=2) 0.6667 to 0.8333; nDCG@10 0.6740 to 0.7970; "
        "the top 10 differs for 1 of 3 queries"
    )
    assert told in tables(result)
    explained = said(result).partition("FAILURES")[2].partition("irbench.yaml:")[0]
    assert (
        "nDCG@10 is apart by 0.1230, over 0.005: 0.6740 to 0.7970 in 3 times that it was asked" in explained
    )
    assert "queries whose values are farthest apart:" in explained
    assert "  007         1.0000    0.6309    1.0000    james bond" in explained


def test_a_steady_system_is_stable(project: Project) -> None:
    gate(project, "repeats: 2, stable: {nDCG@10: 0, RR: 0.1}", "")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=2)
    assert "the top 10 differs for 0 of 3 queries" in tables(result)


def test_a_run_file_can_t_be_asked_again(project: Project) -> None:
    project.run("--irbench=tiny", "--irbench-save-runs=saved")
    gate(project, "repeats: 3")
    result = project.run("--irbench=tiny", "--irbench-run=bm25=saved/tiny.bm25.trec.gz")
    result.assert_outcomes(errors=1)
    assert "system 'bm25' is a run file, which can't be asked again: leave repeats out" in said(result)


# ties


def test_the_values_of_other_orders_of_ties_are_told_with_what_hangs_on_them(project: Project) -> None:
    project.fixtures("ANSWERS['31_1'] = {'d1': 1.0, 'q': 1.0}")
    gate(project, "ties: report", "RR: {min: 0.6}, AP: {min: 0.3}, P@2: {min: 0.1}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=3)
    # By doc_id descending, q stands above d1.
    assert "RR(rel=2) lies between 0.6667 and 0.8333 over all orders of equal scores\n" in tables(result)
    assert "P(rel=2)@2 lies" not in tables(result)
    gate(project, "ties: report", "RR: {min: 0.7}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "over all orders of equal scores, and the verdict of min 0.7 hangs on it" in tables(result)


# unjudged


def test_a_verdict_that_depends_on_judgments_fails_with_the_list_to_judge(project: Project) -> None:
    gate(project, "unjudged: bounds", "P@1: {min: 0.7}, RR: {min: 0.8}, Judged@10: 0.5")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1, passed=2)
    text = said(result)
    assert (
        "P(rel=2)@1 = 0.6667, below min 0.7000 (short by 0.0333): it depends on judgments, 0.6667 to 1.0000"
        in text
    )
    path = project.path / "irbench-to-judge" / "tiny.bm25-P@1-min.qrels"
    assert (
        f"1 document decides it, written to {path.relative_to(project.path)}, to fill in and add to the qrels:\n  1e5 x1\n"
        in text
    )
    assert "min 0.7000   66.7%  depends  irbench.yaml:" in tables(result)
    assert "RR(rel=2) = 0.8333" in tables(result)
    assert path.read_text(encoding="utf-8") == "1e5 0 x1 ?\n"
    with pytest.raises(InputError, match=r"tiny\.bm25-P@1-min\.qrels:1: "):
        read_qrels(path)
    filled_in(project, path)


def filled_in(project: Project, path: Path) -> None:
    """Judge the document, and the verdict is certain; what was filled in is never overwritten."""
    path.write_text("1e5 0 x1 2\n", encoding="utf-8")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1, passed=2)
    assert "no file was written: " in said(result)
    assert "has grades that were filled in: add them to the qrels, then delete the file" in said(result)
    assert path.read_text(encoding="utf-8") == "1e5 0 x1 2\n"
    project.add("qrels.txt", path.read_text(encoding="utf-8"))
    project.run("--irbench=tiny").assert_outcomes(passed=3)


def test_workers_tell_the_same_as_one_process(project: Project) -> None:
    chats(project)
    project.write("candidates.trec", CANDIDATES)
    project.write(
        "irbench.yaml",
        f"""\
        benchmarks:
          {CHATS}
          tiny: {{topics: topics.tsv, qrels: qrels.txt, candidates: candidates.trec}}
        gates:
          - benchmark: chats
            system: reader
            utterance: [raw, manual]
            unjudged: bounds
            repeats: 2
            thresholds: {{P@1: 0.9, nDCG@3: {{max: 0.5}}, RR: 0.3}}
          - {{benchmark: tiny, system: bm25, rerank: true, ties: report, thresholds: {{RR: 0.1}}}}
          - {{benchmark: tiny, system: late, exclude_docs: d2, thresholds: {{RR: {{max: 0.5}}}}}}
        """,
    )
    project.fixtures("@pytest.fixture\ndef late(): return lambda topic, k: ['x', *ask(topic, k)]\n")
    alone, spread = project.run("--irbench=all"), project.spawn("--irbench=all", "-n2")
    assert alone.parseoutcomes() == spread.parseoutcomes()
    assert tables(spread) == tables(alone)
    assert "depends" in tables(spread)
    assert "what other words make of it" in tables(spread)
    lists = [path.name for path in (project.path / "irbench-to-judge").iterdir()]
    assert sorted(lists) == ["chats.reader-P@1-min.qrels", "chats.reader-nDCG@3-max.qrels"]


def test_lists_to_judge_lie_beside_the_gates_one_for_each_system(project: Project) -> None:
    chats(project, "utterance: [raw, manual], unjudged: bounds", "P@1: 0.9")
    project.fixtures("""
    @pytest.fixture(params=["a", "b"])
    def reader(request):
        return lambda topic, k: ["d1"] if topic.turn == 1 else [f"{request.param}{topic}".replace(" ", "_")]
    """)
    project.write("sub/irbench.yaml", (project.path / "irbench.yaml").read_text(encoding="utf-8"))
    for name in ("turns.json", "turns.qrels"):
        (project.path / name).rename(project.path / "sub" / name)
    (project.path / "irbench.yaml").unlink()
    project.run("--irbench=chats").assert_outcomes(failed=4)
    lists = sorted((project.path / "sub" / "irbench-to-judge").iterdir())
    assert [path.name for path in lists] == [
        "chats.reader[a]-P@1-min.qrels",
        "chats.reader[a]@manual-P@1-min.qrels",
        "chats.reader[b]-P@1-min.qrels",
        "chats.reader[b]@manual-P@1-min.qrels",
    ]
    assert lists[1].read_text(encoding="utf-8") == "7_2 0 aIs_FTS5_fast? ?\n"


def test_a_verdict_that_no_judgment_can_change_stands(project: Project) -> None:
    gate(project, "unjudged: bounds", "P@1: {min: 0.6}, RR: {max: 0.5}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=1)
    between = "whatever unjudged documents of the top 1 are judged, it lies between 0.6667 and 1.0000"
    assert between in tables(result)
    assert not (project.path / "irbench-to-judge").exists()


def test_a_measure_without_bounds_says_so(project: Project) -> None:
    gate(project, "unjudged: bounds", "Bpref: {min: 0.1}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1)
    assert "Bpref" in tables(result).rpartition("\n")[2]


def test_a_verdict_that_depends_is_plain_in_the_report_of_junit(project: Project) -> None:
    gate(project, "unjudged: bounds", "P@1: {min: 0.7}")
    told = properties(project)["bm25[tiny-P@1-min]"]
    assert told["irbench_verdict"] == "depends"
    assert float(told["irbench_value"]) == pytest.approx(2 / 3)


# JUnit


def test_the_report_of_junit_has_plain_values_of_every_kind(project: Project) -> None:
    chats(
        project,
        "utterance: [raw, manual], repeats: 2, stable: {RR: 0.1}",
        "latency_p50_ms: {max: 60000}, RR: 0.1",
    )
    found = properties(project)
    assert len(found) == 6
    for told in found.values():
        assert "np." not in " ".join(told.values())
        assert float(told["irbench_value"]) >= 0
        assert told["irbench_about"].startswith("asked 2 times: ")
    first, second = found["reader[chats-RR-min]"], found["reader[chats-manual-RR-min]"]
    assert (first["irbench_utterance"], second["irbench_utterance"]) == ("raw", "manual")
    assert (first["irbench_system"], second["irbench_system"]) == ("reader", "reader@manual")
    assert first["irbench_by_depth"].startswith("RR by turn: 1 1.0000 (1), ")


# extra_qrels


def test_a_threshold_may_be_held_against_another_label_set(project: Project) -> None:
    project.write("sparse.txt", "31_1 0 q 1\n1e5 0 x1 1\n99 0 d 1\n")
    more = BENCHMARKS.replace("relevance_level: 2", "relevance_level: 2, extra_qrels: {sparse: sparse.txt}")
    gates = """gates:
      - benchmark: tiny
        system: bm25
        thresholds:
          - {measure: RR, min: 0.8}
          - {measure: RR@10, qrels: sparse, min: 0.7, max: 0.76}
          - {measure: R@1, qrels: sparse, min: 0.6}
    """
    project.write("irbench.yaml", more + gates)
    result = project.run("--irbench=tiny", "-v")
    result.assert_outcomes(passed=3, failed=1)
    assert "R@1 of qrels sparse = 0.5000, below min 0.6000" in said(result)
    assert "2 judged queries" in said(result)
    found = properties(project)
    values = {told["irbench_subject"]: float(told["irbench_value"]) for told in found.values()}
    assert values == pytest.approx({"RR(rel=2)": 2.5 / 3, "RR@10 (sparse)": 0.75, "R@1 (sparse)": 0.5})


def test_a_label_set_that_the_benchmark_lacks_is_a_fault_of_the_file(project: Project) -> None:
    gate(project, "depth: 10", "RR: {min: 0.1, qrels: sparse}")
    result = project.run("--irbench=tiny")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "benchmark tiny has no extra_qrels 'sparse', it has none" in said(result) + result.stderr.str()


# Baselines


def test_a_baseline_is_one_of_its_utterance(project: Project) -> None:
    chats(project, "utterance: [raw, manual]", "nDCG@3: {max_drop: 0.1}")
    project.store("--irbench=chats")
    assert sorted(project.stored) == [
        "chats.reader.json",
        "chats.reader.run.gz",
        "chats.reader@manual.json",
        "chats.reader@manual.run.gz",
    ]
    project.run("--irbench=chats").assert_outcomes(passed=2)
    for name in ("json", "run.gz"):
        stored = project.baseline.with_name(f"chats.reader.{name}")
        stored.with_name(f"chats.reader@manual.{name}").write_bytes(stored.read_bytes())
    result = project.run("--irbench=chats")
    result.assert_outcomes(passed=1, errors=1)
    assert "utterance" in said(result)


@pytest.mark.parametrize(
    ("keys", "told"),
    [("doc_id: passage_to_document", "passage_to_document"), ("exclude_docs: 'x*'", "identity without x*")],
)
def test_a_baseline_of_another_protocol_is_an_error(project: Project, keys: str, told: str) -> None:
    gate(project, "depth: 10", "nDCG@10: {max_drop: 0.1}")
    project.store()
    gate(project, f"{keys}, depth: 10", "nDCG@10: {max_drop: 0.1}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert f"its doc_id is identity, the gate's is {told}" in said(result)
    project.store()
    project.run("--irbench=tiny").assert_outcomes(passed=1)


# --irbench-prove


def test_thresholds_of_every_kind_are_proved(project: Project) -> None:
    project.fixtures(JITTERY)
    project.write("sparse.txt", "31_1 0 d1 1\n")
    project.write("candidates.trec", CANDIDATES)
    keys = (
        "repeats: 2, stable: {nDCG@10: 0.5}, ties: report, unjudged: bounds, rerank: true, exclude_docs: d2"
    )
    limits = "nDCG@10: {min: 0.84}, RR: {min: 0.5}, Judged@10: 0.5, latency_p95_ms: {max: 60000}, RR@10: {min: 0.9, qrels: sparse}"
    gate(project, keys, limits, "candidates: candidates.trec, extra_qrels: {sparse: sparse.txt}", "jittery")
    result = project.run("--irbench=tiny", "--irbench-prove")
    proof = said(result).partition(" irbench-prove ====")[2]
    assert "INTERNALERROR" not in said(result)
    assert result.ret == pytest.ExitCode.OK
    reverse = proof.partition("\nreverse ")[2].partition("\ntruncate")[0]
    assert "nDCG@10 min" in reverse
    assert "RR@10 (sparse) min" in reverse
    for blind in ("latency_p95_ms max", "nDCG@10 asked again stable"):
        assert blind in proof.partition("none of these")[2].replace("\n", " ")


def test_a_run_file_stands_for_one_utterance(project: Project) -> None:
    chats(project, "utterance: [raw, manual]")
    project.write("run.txt", "7_1 Q0 d1 1 1 x\n")
    result = project.run("--irbench=chats", "--irbench-run=reader=run.txt")
    result.assert_outcomes(errors=2)
    assert (
        "system 'reader' is a run file, which answers one utterance, and its gates ask for raw and manual: "
        "declare a system with a run of its own for each"
    ) in said(result)


def test_a_test_in_python_holds_no_utterance_against_the_baseline_of_another(project: Project) -> None:
    chats(project, "depth: 10", "nDCG@3: {max_drop: 0.1}")
    project.store("--irbench=chats")
    project.write(
        "test_it.py",
        """
        import pytest
        from pytest_irbench import assert_ndcg_at

        @pytest.mark.parametrize("utterance", ["raw", "manual"])
        def test_it(irbench_benchmark, reader, irbench_baseline, utterance):
            run = irbench_benchmark("chats").retrieve(reader, 10, utterance=utterance)
            assert_ndcg_at(run, 3) >= irbench_baseline("reader")
        """,
    )
    result = project.run("--irbench=chats", "test_it.py")
    result.assert_outcomes(passed=1, failed=1)
    assert "its utterance is raw, the gate's is manual" in said(result)
