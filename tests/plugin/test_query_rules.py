"""Rules for single queries, slices and conversations, as pytest reports them."""

from __future__ import annotations

import re

import pytest
from small_project import BENCHMARKS, Project, said, tables

WORSE = {"q31_1": ["q", "d1"]}
TALKS = (
    '[{"number": 31, "turn": [{"number": 1, "raw_utterance": "a"}, {"number": 2, "raw_utterance": "b"}]},'
    ' {"number": 32, "turn": [{"number": 1, "raw_utterance": "c"}, {"number": 2, "raw_utterance": "d"}]}]'
)
TALKERS = """
ANSWERS = {"31_1": ["d1"], "31_2": ["x", "d1"], "32_1": ["d1"], "32_2": ["x", "x2"]}
"""


def gate(project: Project, *lines: str, benchmark: str = "tiny", benchmarks: str = BENCHMARKS) -> None:
    """Write a gate with these keys, each on a line of its own: the first is line 6."""
    head = f"{benchmarks}gates:\n  - benchmark: {benchmark}\n    system: bm25\n"
    project.write("irbench.yaml", head + "".join(f"    {line}\n" for line in lines))


@pytest.fixture
def talks(project: Project) -> Project:
    """A project with two conversations of two turns: RR is 1, 0.5 and 1, 0."""
    project.write("talks.json", TALKS)
    project.write(
        "talks.qrels", "".join(f"{query_id} 0 d1 1\n" for query_id in ("31_1", "31_2", "32_1", "32_2"))
    )
    project.fixtures(TALKERS)
    return project


def talk_gate(project: Project, *lines: str) -> None:
    gate(
        project,
        *lines,
        benchmark="talks",
        benchmarks="benchmarks:\n  talks: {topics: talks.json, qrels: talks.qrels}\n",
    )


# queries.max_drop


def test_more_queries_than_allowed_may_not_lose_much(project: Project) -> None:
    gate(project, "queries: {max_drop: {nDCG@10: 0.2}}")
    project.store()
    project.run("--irbench=tiny").assert_outcomes(passed=1)
    project.answer(**WORSE)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    text = said(result)
    assert "\n1 query lost more than 0.2 of nDCG@10 against the baseline, 0 may\n" in text
    assert "  31_1        0.7602      0.4796  -0.2806   what is throat cancer\n" in text
    assert "      d1  grade 2: rank 1 before, now 2\n" in text
    assert "irbench.yaml:6: nDCG@10 by query max_drop\n" in text
    assert "nDCG@10 by query 1 lost 0 may lose over 0.2 66.7% failed irbench.yaml:6" in " ".join(
        tables(result).split()
    )


def test_so_many_may_as_are_allowed(project: Project) -> None:
    gate(project, "queries: {max_drop: {nDCG@10: 0.2, allow: 1}}")
    project.store()
    project.answer(**WORSE)
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1)
    assert "1 lost  1 may lose over 0.2   66.7%  passed" in tables(result)
    project.answer(q007=["q"])
    project.run("--irbench=tiny").assert_outcomes(failed=1)


def test_a_loss_of_exactly_the_limit_is_none(project: Project) -> None:
    gate(project, "queries: {max_drop: {RR: 0.5}}")
    project.store()
    project.answer(**WORSE)
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_query_that_gained_does_not_make_up_for_one_that_lost(project: Project) -> None:
    gate(project, "queries: {max_drop: {RR: 0.4}}", "thresholds: {RR: {max_drop: 0.01}}")
    project.store()
    project.answer(q31_1=["q", "d1"], q1e5=["d3"])
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1, passed=1)
    assert "bm25[tiny-queries-RR-max_drop]" in said(result)


def test_a_known_bad_query_is_not_counted(project: Project) -> None:
    known = "xfail: [{query_id: '31_1', reason: no synonyms, below: {nDCG@10: 0.8}}]"
    gate(project, f"queries: {{max_drop: {{nDCG@10: 0.2}}, {known}}}")
    project.store()
    project.answer(**WORSE)
    project.run("--irbench=tiny").assert_outcomes(passed=1, xfailed=1)


def test_a_rule_that_no_loss_could_break_is_an_error(project: Project) -> None:
    gate(project, "queries: {max_drop: {RR: 0.9, allow: 2}}")
    result = project.run("--irbench=tiny", "--irbench-update=first")
    result.assert_outcomes(errors=1)
    assert (
        "2 queries have a baseline above 0.9, so no more can lose that much, 2 may, and this max_drop can never fail"
        in said(result)
    )
    assert project.stored == {}


# queries.expect


def test_a_golden_answer_within_its_rank_passes(project: Project) -> None:
    gate(
        project,
        "queries:",
        "  expect:",
        "    - {query_id: '31_1', doc_id: d1, within: 1}",
        "    - {query_id: '1e5', doc_id: d3, within: 2}",
        "    - {query_id: '007', doc_id: q, absent: true}",
        "    - {query_id: '007', doc_id: d7, within: 1, absent: true}",
    )
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=4)
    rows = " ".join(tables(result).split())
    assert "1e5: d3 rank 2 within 2 passed irbench.yaml:9" in rows
    assert "007: q not returned not returned passed irbench.yaml:10" in rows
    assert "007: d7 rank 2 not within 1 passed irbench.yaml:11" in rows


def test_a_golden_answer_that_is_missed_shows_what_stands_there(project: Project) -> None:
    gate(
        project,
        "queries:",
        "  expect:",
        "    - {query_id: '1e5', doc_id: d3, within: 1}",
        "    - {query_id: '31_1', doc_id: d2, within: 5}",
        "    - {query_id: '007', doc_id: d7, absent: true}",
        "    - {query_id: '31_1', doc_id: d1, within: 1, absent: true}",
    )
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=4)
    text = said(result)
    assert (
        "\nquery 1e5, document d3: expected within 1, it is at rank 2\n"
        "  benchmark tiny, system bm25\n"
        "  query: how far is 100 km\n"
        "  1. x1  unjudged\n"
        "\n"
        "irbench.yaml:8: queries.expect, 1e5: d3\n"
    ) in text
    assert "\nquery 31_1, document d2: expected within 5, it is not returned\n" in text
    assert "\nquery 007, document d7: expected not returned, it is at rank 2\n" in text
    assert "\nquery 31_1, document d1: expected not within 1, it is at rank 1\n" in text


def test_a_document_is_not_absent_from_what_was_never_returned(project: Project) -> None:
    gate(project, "queries: {expect: [{query_id: '007', doc_id: bad, absent: true}]}")
    project.answer(q007=[])
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "query 007, document bad: expected not returned, nothing is returned" in said(result)


@pytest.mark.parametrize(
    ("gate", "system"), [("depth: 1", ""), ("", "systems: {own: {search: 'own:ask', depth: 1}}")]
)
def test_a_document_is_not_absent_from_where_nobody_looked(project: Project, gate: str, system: str) -> None:
    project.write("own.py", "def ask(topic, k):\n    return ['x1', 'd3'][:k]\n")
    name = "own" if system else "bm25"
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}{system}\ngates:\n"
        f"  - benchmark: tiny\n    system: {name}\n    {gate}\n"
        "    queries: {expect: [{query_id: 1e5, doc_id: d3, within: 2, absent: true}]}\n",
    )
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert (
        "an expect looks within 2 documents, and only 1 a topic are asked for: raise depth to 2, or lower within\n"
    ) in said(result)


def test_a_document_deeper_than_any_measure_looks_is_found(project: Project) -> None:
    gate(project, "thresholds: {P@1: 0.1}", "queries: {expect: [{query_id: '007', doc_id: d7, within: 50}]}")
    project.answer(q007=["1e5", *(f"x{rank}" for rank in range(40)), "d7"])
    project.run("--irbench=tiny").assert_outcomes(passed=2)
    assert "007 50" in project.calls


@pytest.mark.parametrize(
    "rule",
    [
        "expect: [{{query_id: {}, doc_id: d1, within: 3}}]",
        "xfail: [{{query_id: {}, reason: why, below: {{RR: 0.5}}}}]",
    ],
)
def test_a_query_that_is_not_judged_is_an_error(project: Project, rule: str) -> None:
    # 7 is not 007.
    gate(project, f"queries: {{{rule.format(7)}}}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "query '7' is not judged in benchmark tiny, which has 31_1, 007, 1e5, ..." in said(result)


# queries.xfail

KNOWN = "xfail: [{query_id: '1e5', reason: no synonyms yet, below: {nDCG@10: 0.7}}]"


def test_a_known_bad_query_is_an_expected_failure(project: Project) -> None:
    gate(project, f"queries: {{{KNOWN}}}")
    result = project.run("--irbench=tiny", "-rx")
    result.assert_outcomes(xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    assert "query 1e5: nDCG@10 = 0.6309, below 0.7000 as expected (no synonyms yet)" in said(result)
    assert "1e5: nDCG@10 0.6309 below 0.7 xfailed irbench.yaml:6" in " ".join(tables(result).split())


def test_a_known_bad_query_that_recovered_fails(project: Project) -> None:
    gate(project, f"queries: {{{KNOWN}}}")
    project.answer(q1e5=["d3"])
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert (
        "query 1e5: nDCG@10 = 1.0000, no longer below 0.7000, it recovered: take the query out of xfail "
        "(no synonyms yet)\n  benchmark tiny, system bm25\n"
    ) in said(result)


def test_a_value_at_its_limit_is_not_below_it(project: Project) -> None:
    gate(project, "queries: {xfail: [{query_id: '1e5', reason: why, below: {RR: 0.5}}]}")
    project.run("--irbench=tiny").assert_outcomes(failed=1)


def test_a_golden_answer_of_a_known_bad_query_is_expected_to_be_missed(project: Project) -> None:
    known = "xfail: [{query_id: '1e5', reason: no synonyms yet}]"
    gate(project, f"queries: {{expect: [{{query_id: '1e5', doc_id: d3, within: 1}}], {known}}}")
    project.run("--irbench=tiny").assert_outcomes(xfailed=1)
    project.answer(q1e5=["d3"])
    result = project.run("--irbench=tiny")
    result.assert_outcomes(failed=1)
    assert "it is at rank 1, it recovered: take the query out of xfail (no synonyms yet)" in said(result)


def test_runxfail_wants_no_excuses(project: Project) -> None:
    gate(project, f"queries: {{{KNOWN}}}")
    result = project.run("--irbench=tiny", "--runxfail")
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "query 1e5: nDCG@10 = 0.6309, below 0.7000 as expected" in said(result)


def test_workers_expect_the_same_failures(project: Project) -> None:
    gate(project, "thresholds: {RR: 0.5}", f"queries: {{{KNOWN}}}")
    alone, spread = project.run("--irbench=tiny"), project.spawn("--irbench=tiny", "-n2")
    assert alone.parseoutcomes() == spread.parseoutcomes() == {"passed": 1, "xfailed": 1}
    assert tables(alone) == tables(spread)


# Slices


def test_a_slice_has_a_value_of_its_own(talks: Project) -> None:
    talk_gate(talks, "slices:", "  late: {where: 'turn >= 2', thresholds: {RR: 0.3, nDCG@3: {max: 0.9}}}")
    result = talks.run("--irbench=talks")
    result.assert_outcomes(failed=1, passed=1)
    text = said(result)
    assert "\nRR of slice late = 0.2500, below min 0.3000 (short by 0.0500)\n" in text
    assert "2 of 4 judged queries, slice late: turn >= 2" in text
    lowest = text.split("lowest queries:")[1]
    assert re.findall(r"^  (3\d_\d)", lowest, re.MULTILINE) == ["32_2", "31_2"]
    assert "bm25[talks-late-RR-min]" in text
    assert "RR of late 0.2500 min 0.3000 failed irbench.yaml:7" in " ".join(tables(result).split())


def test_a_slice_is_held_against_the_same_queries_of_the_baseline(talks: Project) -> None:
    talk_gate(talks, "slices: {late: {where: 'turn >= 2', thresholds: {RR: {max_drop: 0.1}}}}")
    talks.store("--irbench=talks")
    talks.fixtures('ANSWERS["31_1"] = ["x", "d1"]\n')
    talks.run("--irbench=talks").assert_outcomes(passed=1)
    talks.fixtures('ANSWERS["31_2"] = ["x"]\n')
    result = talks.run("--irbench=talks")
    result.assert_outcomes(failed=1)
    assert "RR of slice late dropped by 0.2500, more than max_drop 0.1: 0.0000, baseline 0.2500" in said(
        result
    )


def test_a_slice_can_ask_for_the_users_own_columns(talks: Project) -> None:
    talks.write("kinds.tsv", "query_id\tkind\n31_1\tfactoid\n31_2\tlist\n32_1\tfactoid\n32_2\tlist\n")
    talk_gate(
        talks,
        "topic_columns: kinds.tsv",
        "slices:",
        "  lists: {where: 'kind == \"list\"', thresholds: {RR: {max: 0.25}}}",
        '  facts: {where: \'kind == "factoid" and conversation == "31"\', thresholds: {RR: 1}}',
    )
    talks.run("--irbench=talks").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        (None, 'kind == "list"', "kinds.tsv: "),
        ("query_id\tkind\n31_1\n", 'kind == "list"', "kinds.tsv:2: expected 2 cells as in the header, got 1"),
        ("query_id\tkind\n31_1\ta\n31_1\tb\n", 'kind == "a"', "kinds.tsv:3: query_id '31_1' is there twice"),
        ("query_id\tkind\n31_1\tlist\n", 'kind == "list"', "kinds.tsv"),
        ("query_id\tsort\n31_1\ta\n31_2\ta\n32_1\ta\n32_2\ta\n", 'kind == "a"', "kind"),
    ],
    ids=["missing", "short line", "twice", "a topic without a row", "no such column"],
)
def test_a_fault_of_the_columns_is_an_error_of_what_needs_them(
    talks: Project, content: str | None, where: str, message: str
) -> None:
    if content is not None:
        talks.write("kinds.tsv", content)
    talk_gate(
        talks,
        "topic_columns: kinds.tsv",
        f"slices: {{some: {{where: '{where}', thresholds: {{RR: 0.1}}}}}}",
        "thresholds: {RR: 0.1}",
    )
    result = talks.run("--irbench=talks")
    result.assert_outcomes(passed=1, errors=1)
    error = said(result).split("ERROR at setup of bm25[talks-some-RR-min]")[1].split("\n")[1]
    assert message in error
    assert "Traceback" not in said(result)


def test_a_slice_that_picks_nothing_is_an_error(talks: Project) -> None:
    talk_gate(talks, "slices: {never: {where: 'turn >= 9', thresholds: {RR: 0.1}}}")
    result = talks.run("--irbench=talks")
    result.assert_outcomes(errors=1)
    assert "turn >= 9" in said(result)
    assert "irbench.yaml:6: this threshold could not be measured" in said(result)


def test_turns_of_topics_without_any_are_an_error(project: Project) -> None:
    gate(project, "slices: {late: {where: 'turn >= 2', thresholds: {RR: 0.1}}}")
    project.run("--irbench=tiny").assert_outcomes(errors=1)


# Conversations


def test_the_worst_conversation_is_named(talks: Project) -> None:
    talk_gate(talks, "worst_conversation: {RR: 0.6}")
    result = talks.run("--irbench=talks")
    result.assert_outcomes(failed=1)
    text = said(result)
    assert "\nRR of the worst conversation (32) = 0.5000, below min 0.6000 (short by 0.1000)\n" in text
    assert (
        "  conversation    RR      turns\n  32              0.5000  2\n  31              0.7500  2\n" in text
    )
    assert "RR of the worst conversation 0.5000 (32) min 0.6000 50.0% failed irbench.yaml:6" in " ".join(
        tables(result).split()
    )
    talk_gate(talks, "worst_conversation: {RR: 0.5}")
    talks.run("--irbench=talks").assert_outcomes(passed=1)


def test_topics_without_conversations_have_no_worst_one(project: Project) -> None:
    gate(project, "worst_conversation: {RR: 0.6}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=1)
    assert "benchmark tiny has no conversations, so none is the worst" in said(result)


def test_turns_are_drawn_by_conversation(talks: Project) -> None:
    talk_gate(talks, "thresholds: {RR: {max_drop: 0.05}}")
    talks.store("--irbench=talks")
    talks.fixtures('ANSWERS["31_1"] = ["x", "d1"]\n')
    result = talks.run("--irbench=talks")
    result.assert_outcomes(failed=1)
    assert "smallest drop that 2 conversations show" in said(result)


# Slack


def test_a_value_far_above_its_floor_asks_to_raise_it(project: Project) -> None:
    gate(project, "slack: 0.1", "thresholds: {nDCG@10: 0.5, RR: {min: 0.8, slack: 0.2}, AP: 0.75}")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=3)
    notes = [line for line in tables(result).split("\n") if "raise it" in line]
    assert notes == [
        "nDCG@10 = 0.7970, min 0.5000: 0.2970 above it, more than its slack 0.1: raise it, for instance to 0.75"
    ]
