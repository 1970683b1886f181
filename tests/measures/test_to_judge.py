"""The documents that a verdict hangs on, and the file in which they are judged."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.benchmarks.qrels import Qrels, read_qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.ranking import judge
from pytest_irbench.measures.to_judge import to_judge, write_to_judge
from pytest_irbench.measures.unjudged_bounds import unjudged_bounds
from pytest_irbench.runs.run import Run, read_run

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]
Rule = Literal["min", "max"]
Pairs = list[tuple[str, str]]

SHORTEST = ["P@2", "P@5", "RBP", "DCG@3", "DCG", "NumRelRet"]
SHORT = ["nDCG", "nDCG@2", "NCG@3", "AP", "AP@2", "R@2", "SetR", "RR", "RR@3", "Success@3", "ERR", "SetP"]


def answers(count: int) -> st.SearchStrategy[tuple[RunDict, QrelsDict]]:
    """Draw a run with at most 3 unjudged documents a query, and qrels of grades 0 to 2."""
    query = st.permutations("abcxyz").flatmap(
        lambda docs: st.tuples(
            st.just({doc: -float(rank) for rank, doc in enumerate(docs)}),
            st.fixed_dictionaries({doc: st.integers(0, 2) for doc in ("a", "b", "c", "not returned")}),
        )
    )
    return st.lists(query, min_size=1, max_size=count).map(
        lambda drawn: (
            {f"q{number}": ranking for number, (ranking, _) in enumerate(drawn)},
            {f"q{number}": judged for number, (_, judged) in enumerate(drawn)},
        )
    )


def pairs_to_judge(
    run: RunDict, qrels: QrelsDict, measure: str, limit: float, rule: Rule = "min", depth: int | None = None
) -> Pairs:
    return to_judge(judge(Run(run), Qrels.from_mapping(qrels)), measure, limit, rule, depth=depth)


def is_certain(run: RunDict, qrels: QrelsDict, measure: str, limit: float, rule: Rule) -> bool:
    """Whether today's verdict holds whatever unjudged documents turn out to be."""
    bounds = unjudged_bounds(judge(Run(run), Qrels.from_mapping(qrels)), [measure])
    low, high = bounds.lowest.means[measure], bounds.highest.means[measure]
    return (low >= limit or high < limit) if rule == "min" else (high <= limit or low > limit)


def judged_worthless(qrels: QrelsDict, pairs: Pairs | tuple[tuple[str, str], ...]) -> QrelsDict:
    more = {query: dict(judged) for query, judged in qrels.items()}
    for query, doc in pairs:
        more[query][doc] = 0
    return more


@pytest.mark.parametrize("rule", ["min", "max"])
@given(answers(4), st.sampled_from(SHORTEST + SHORT), st.floats(0, 1.2))
@settings(deadline=None, max_examples=80)
def test_when_all_are_judged_and_gain_nothing_the_verdict_is_certain(
    rule: Rule, pair: tuple[RunDict, QrelsDict], measure: str, limit: float
) -> None:
    run, qrels = pair
    pairs = pairs_to_judge(run, qrels, measure, limit, rule)
    assert len(set(pairs)) == len(pairs)
    assert all(doc in run[query] and doc not in qrels[query] for query, doc in pairs)
    after = judged_worthless(qrels, pairs)
    assert is_certain(run, after, measure, limit, rule)
    assert evaluate(run, after, [measure]).means == pytest.approx(evaluate(run, qrels, [measure]).means)
    assert bool(pairs) != is_certain(run, qrels, measure, limit, rule)


@pytest.mark.parametrize("rule", ["min", "max"])
@given(answers(2), st.sampled_from(SHORTEST + SHORT), st.floats(0, 1.2))
@settings(deadline=None, max_examples=40)
def test_no_list_is_shorter_by_a_whole_block(
    rule: Rule, pair: tuple[RunDict, QrelsDict], measure: str, limit: float
) -> None:
    run, qrels = pair
    unjudged = [(query, doc) for query, ranking in run.items() for doc in ranking if doc not in qrels[query]]
    shortest = next(
        length
        for length in range(len(unjudged) + 1)
        if any(
            is_certain(run, judged_worthless(qrels, pairs), measure, limit, rule)
            for pairs in combinations(unjudged, length)
        )
    )
    pairs = pairs_to_judge(run, qrels, measure, limit, rule)
    # The block that the last document belongs to has at most the 3 documents of its query.
    longest_block = sum(query == pairs[-1][0] for query, _ in pairs) if pairs else 1
    assert len(pairs) <= shortest + (0 if measure in SHORTEST else longest_block - 1)


RUN = {"q1": {"a": 4.0, "x": 3.0, "y": 2.0}, "q2": {"u": 4.0, "v": 3.0, "a": 2.0}}
QRELS = {"q1": {"a": 1}, "q2": {"a": 1}}


def test_a_verdict_that_is_certain_hangs_on_nothing() -> None:
    assert pairs_to_judge(RUN, QRELS, "RR", 0.5) == []
    assert pairs_to_judge(RUN, QRELS, "RR", 1.01) == []


def test_what_could_lift_the_value_most_is_judged_first() -> None:
    # The mean is (1 + 1/3) / 2, and 1 if u is relevant, 3/4 if only v is.
    assert pairs_to_judge(RUN, QRELS, "RR", 0.9) == [("q2", "u")]
    assert pairs_to_judge(RUN, QRELS, "RR", 0.7) == [("q2", "u"), ("q2", "v")]


def test_what_could_spoil_a_value_that_passes_is_judged_from_the_bottom() -> None:
    run, qrels = {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}, {"q": {"a": 1}}
    # R@1 is 1, and 1/2 or 1/3 when x and y turn out relevant.
    assert pairs_to_judge(run, qrels, "R@1", 0.4) == [("q", "y")]
    assert pairs_to_judge(run, qrels, "R@1", 0.9) == [("q", "y"), ("q", "x")]
    assert pairs_to_judge(run, qrels, "R@1", 0.9, depth=1) == []


def test_under_a_maximum_the_sides_change() -> None:
    assert pairs_to_judge(RUN, QRELS, "RR", 0.9, "max") == [("q2", "u")]
    assert pairs_to_judge(RUN, QRELS, "RR", 0.5, "max") == []


def test_documents_that_only_matter_together_are_listed_together() -> None:
    run = {"q1": {"x": 2.0, "y": 1.0}, "q2": {"u": 2.0, "a": 1.0}}
    qrels = {"q1": {"b": 1}, "q2": {"a": 1}}
    assert pairs_to_judge(run, qrels, "Success@2", 0.9) == [("q1", "x"), ("q1", "y")]


def test_of_a_block_that_is_needed_in_part_the_rest_is_left_out() -> None:
    run, qrels = {"q": {"a": 1.0, "x": 4.0, "y": 3.0, "z": 2.0}}, {"q": {"a": 1}}
    listed = [pairs_to_judge(run, qrels, "RR", limit) for limit in (0.9, 0.45, 0.3)]
    assert list(map(len, listed)) == [1, 2, 3]


def test_documents_that_bring_the_same_are_taken_in_the_order_of_their_query() -> None:
    # 3 hits of 5 less 2 of 5 are a rounding error more than 1 of 5.
    run = {"q": {doc: -float(rank) for rank, doc in enumerate("abxyzc")}}
    qrels = {"q": {"a": 0, "b": 0, "c": 0, "not returned": 1}}
    assert pairs_to_judge(run, qrels, "P@5", 0.0, "max") == [("q", "x"), ("q", "y"), ("q", "z")]


def test_judged_is_refused_since_every_judgment_raises_it() -> None:
    with pytest.raises(InputError, match="every judgment raises Judged@10, whatever it says"):
        pairs_to_judge(RUN, QRELS, "Judged@10", 0.9)


def test_another_rule_is_refused() -> None:
    with pytest.raises(InputError, match="the rule is 'min' or 'max', not 'max_drop'"):
        pairs_to_judge(RUN, QRELS, "RR", 0.9, "max_drop")  # type: ignore[arg-type]


def test_a_published_run_hangs_on_few_documents(shared_data: Path, published_home: Path) -> None:
    run = read_run(shared_data / "runs" / "dl20-passage" / "splade.trec.gz")
    judged = judge(run, load_builtin("dl20-passage").qrels)
    pairs = to_judge(judged, "nDCG@10", 0.73, "min", depth=10)
    assert 0 < len(pairs) < 16
    assert pairs == to_judge(judged, "nDCG@10", 0.73, "min", depth=10)


def test_the_file_is_refused_as_qrels_until_it_is_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "to-judge.txt"
    write_to_judge(path, [("q1", "x"), ("q2", "u")])
    assert path.read_text() == "q1 0 x ?\nq2 0 u ?\n"
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert str(caught.value) == f"{path}:1: the relevance '?' is not a number: fill it in"
    path.write_text("q1 0 x 2\nq2 0 u 0\n")
    assert read_qrels(path)["q1"] == {"x": 2}
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_somebody_began_to_fill_in_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "to-judge.txt"
    write_to_judge(path, [("q1", "x"), ("q2", "u")])
    write_to_judge(path, [("q1", "y"), ("q2", "u")])
    begun = "q1 0 y 3\nq2 0 u ?\n\n"
    path.write_text(begun)
    with pytest.raises(
        InputError, match="has grades that were filled in: add them to the qrels, then delete"
    ):
        write_to_judge(path, [("q2", "u")])
    assert path.read_text() == begun


def test_nothing_to_judge_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing to judge, so no file is written"):
        write_to_judge(tmp_path / "to-judge.txt", [])
    assert not list(tmp_path.iterdir())


def test_ids_that_the_format_cannot_carry_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the document id 'x y' can't be written to a TREC file"):
        write_to_judge(tmp_path / "to-judge.txt", [("q", "x y")])
