"""Which stage of a system changed, as both runs show it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_gates import PROVENANCE, gate_of, gate_on, rules_of

from pytest_irbench.benchmarks.qrels import read_qrels
from pytest_irbench.gates.baseline import make_baseline
from pytest_irbench.gates.held import HeldBaseline
from pytest_irbench.gates.measured import MeasuredGate
from pytest_irbench.gates.stages import stages
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.run import Run, read_run

QUERIES = tuple(f"q{number:02}" for number in range(12))
DEEP = "thresholds: {nDCG@5: {max_drop: 0.9}, R@40: 0.01}"
Ranking = dict[str, int]
GRADES = {f"r{number}": 1 for number in range(4)} | {f"n{rank}": 0 for rank in range(1, 61)}


def ranked(*places: int, length: int = 40, other: str = "n") -> Ranking:
    """A ranking with relevant documents r0, r1 … at these ranks and judged others between them."""
    at = {rank: f"r{number}" for number, rank in enumerate(places)}
    return {at.get(rank, f"{other}{rank}"): 1000 - rank for rank in range(1, length + 1)}


def gate_with(
    rules: str,
    now: dict[str, Ranking],
    before: dict[str, Ranking],
    grades: dict[str, int] | None = None,
    depth: int = 40,
) -> MeasuredGate:
    """A gate whose baseline was stored `depth` documents deep."""
    qrels = dict.fromkeys(before, grades or GRADES)
    gate = gate_on(rules, now, qrels)

    def hold() -> HeldBaseline:
        scores = evaluate(Run.from_mapping(before), gate.benchmark, gate.spec.measures)
        stored = make_baseline(scores, gate.benchmark, "bm25", depth=depth, provenance=PROVENANCE)
        return HeldBaseline(stored, scores)

    return replace(gate, hold=hold)


def told(now: Ranking, before: Ranking, rules: str = DEEP, grades: dict[str, int] | None = None) -> list[str]:
    """What is said of a system that changed in every query alike."""
    both = (dict.fromkeys(QUERIES, now), dict.fromkeys(QUERIES, before))
    return list(stages(gate_with(rules, *both, grades)))


# Candidates and their order


@pytest.mark.parametrize(
    ("now", "before", "sentence"),
    [
        ((9, 20), (1, 20), "R@40 is unchanged and nDCG@5 fell: the reranking changed"),
        ((1, 20), (9, 20), "R@40 is unchanged and nDCG@5 rose: the reranking changed"),
        ((), (1, 20), "R@40 fell and nDCG@5 fell: less of what is relevant is retrieved"),
        ((1,), (1, 20), "R@40 fell and nDCG@5 is unchanged: documents are lost below what nDCG@5 looks at"),
        (
            (1,),
            (9, 20),
            "R@40 fell and nDCG@5 rose: less of what is relevant is retrieved, and it is ranked better",
        ),
        ((1, 20), (), "R@40 rose and nDCG@5 rose: more of what is relevant is retrieved"),
        ((1, 20), (1,), "R@40 rose and nDCG@5 is unchanged: documents are gained below what nDCG@5 looks at"),
        (
            (9, 20),
            (1,),
            "R@40 rose and nDCG@5 fell: more of what is relevant is retrieved, and it is ranked worse",
        ),
    ],
)
def test_what_is_retrieved_is_told_from_its_order(
    now: tuple[int, ...], before: tuple[int, ...], sentence: str
) -> None:
    assert told(ranked(*now), ranked(*before)) == [sentence]


def test_what_did_not_move_is_not_told() -> None:
    assert told(ranked(1, 20), ranked(1, 20)) == []
    # Others that nobody has judged in their place.
    assert told(ranked(1, 20), ranked(1, 20, other="m")) == []


def test_without_an_accepted_baseline_nothing_is_told() -> None:
    assert stages(gate_of("thresholds: {P@1: {max_drop: 0}}", {"q1": 3})) == ()
    gate = gate_with(DEEP, {"q": ranked(9)}, {"q": ranked(1)})
    assert stages(replace(gate, hold=lambda: gate.hold()._replace(is_new=True))) == ()


def test_a_gate_without_a_measure_of_the_top_tells_no_order() -> None:
    assert told(ranked(), ranked(1, 20), "thresholds: {R@40: {max_drop: 0}, Judged@5: 0.01}") == []


def test_the_deepest_measure_of_candidates_is_taken() -> None:
    rules = "thresholds: {P@5: {max_drop: 0}, R@10: 0.1, NCG@20: 0.1, R@15: 0.1}"
    assert told(ranked(9), ranked(1), rules) == ["NCG@20 is unchanged and P@5 fell: the reranking changed"]


def test_a_count_of_relevant_documents_stands_for_candidates_too() -> None:
    rules = "thresholds: {P@5: {max_drop: 0}, NumRelRet: {max_drop: 99%}}"
    assert told(ranked(9), ranked(1), rules) == ["NumRelRet is unchanged and P@5 fell: the reranking changed"]


def test_without_such_a_threshold_it_is_the_recall_of_all_that_is_asked_for() -> None:
    told_of = told(ranked(9, 20), ranked(1, 20), "thresholds: {P@5: {max_drop: 0}, R@5: 0.01}")
    assert told_of == ["R@40 is unchanged and P@5 fell: the reranking changed"]


def test_a_baseline_that_is_hardly_deeper_than_the_top_shows_no_candidates() -> None:
    both = ({"q": ranked(9)}, {"q": ranked(1)})
    rules = "thresholds: {P@5: {max_drop: 0}}"
    assert stages(gate_with(rules, *both, depth=9)) == ()
    (sentence,) = stages(gate_with(rules, *both, depth=10))
    assert sentence.startswith("R@10 is unchanged and P@5 fell")


def test_a_recall_of_nothing_shows_no_candidates() -> None:
    # No document has grade 2, so that R(rel=2)@40 is 0 whatever is retrieved.
    rules = "thresholds: {nDCG@5: {max_drop: 0}, R(rel=2)@40: 0.01}"
    assert told(ranked(), ranked(1, 20), rules)[0].startswith("R@40 fell and nDCG@5 fell")


def test_a_measure_without_a_cutoff_is_held_against_all_that_is_retrieved() -> None:
    # Its loss is below rank 20, which R@20 does not look at.
    rules = "thresholds: {AP: {max_drop: 0.0}, R@20: 0.1}"
    assert told(ranked(1, 39), ranked(1, 30), rules) == [
        "R@40 is unchanged and AP fell: the reranking changed"
    ]
    assert told(ranked(1), ranked(1, 30), rules) == [
        "R@40 fell and AP fell: less of what is relevant is retrieved"
    ]


def test_what_is_lost_below_the_deepest_rank_is_no_reranking() -> None:
    deeper = ranked(1, 50, length=60)
    told_of = told(ranked(1, length=60), deeper, "thresholds: {AP: {max_drop: 0}}")
    assert told_of == ["R@40 is unchanged and AP fell: other judged documents are retrieved"]


def test_documents_of_another_grade_are_no_reranking() -> None:
    rules = "thresholds: {nDCG@5: {max_drop: 0}, R(rel=2)@40: 0.1}"
    before = {"good": 9, "fair": 8, "n": 7}
    told_of = told({"good": 9, "n": 7}, before, rules, {"good": 2, "fair": 1, "n": 0})
    assert told_of == ["R(rel=2)@40 is unchanged and nDCG@5 fell: other judged documents are retrieved"]


# What chance may explain


def some(moved: dict[str, Ranking], rest: Ranking) -> dict[str, Ranking]:
    return dict.fromkeys(QUERIES, rest) | moved


def test_a_move_within_chance_names_no_cause() -> None:
    now, before = some({"q01": ranked(9)}, ranked(1)), some({}, ranked(1))
    assert stages(gate_with(DEEP, now, before)) == ()


def test_a_drop_over_the_budget_is_one_whatever_chance_says() -> None:
    now, before = some({"q01": ranked(9)}, ranked(1)), some({}, ranked(1))
    rules = "thresholds: {nDCG@5: {max_drop: 0.01}, R@40: 0.01}"
    assert stages(gate_with(rules, now, before)) == (
        "R@40 is unchanged and nDCG@5 fell: the reranking changed",
    )
    # A drop that is not significant passes a gate that asks for that: then it is no fall.
    lenient = rules.replace("max_drop: 0.01", "max_drop: 0.01, evidence: significant")
    assert stages(gate_with(lenient, now, before)) == ()
    sliced = "slices: {a: {where: 'text != \"\"', thresholds: {nDCG@5: {max_drop: 0.01}}}}"
    assert stages(gate_with(sliced, now, before)) == ()


def test_candidates_that_moved_within_chance_are_told_by_the_queries_that_they_leave_unexplained() -> None:
    fallen = dict.fromkeys(QUERIES[:8], ranked(9, 20))
    now = some(fallen | {"q00": ranked(9)}, ranked(1, 20))
    assert stages(gate_with(DEEP, now, some({}, ranked(1, 20)))) == (
        "R@40 moved within chance (-0.0208) and nDCG@5 fell: R@40 is no lower in 7 of 8 queries whose nDCG@5 fell",
    )
    assert stages(gate_with(DEEP, some({}, ranked(1, 20)), now)) == (
        "R@40 moved within chance (+0.0208) and nDCG@5 rose: R@40 is no higher in 7 of 8 queries whose nDCG@5 rose",
    )


def test_moves_that_cancel_out_have_no_sign() -> None:
    start = ranked(1, 20)
    now = some({"q00": ranked(9, 20, 30), "q01": ranked(9)} | {q: ranked(9, 20) for q in QUERIES[2:]}, start)
    (sentence,) = stages(gate_with(DEEP, now, some({}, start)))
    assert sentence.startswith("R@40 moved within chance (0.0000) and nDCG@5 fell")


def test_a_top_that_moved_within_chance_is_no_reason_to_keep_a_loss_of_candidates_silent() -> None:
    now = some({"q00": ranked(2)}, ranked(1))
    assert stages(gate_with(DEEP, now, some({}, ranked(1, 20)))) == (
        "R@40 fell and nDCG@5 moved within chance (-0.0120): less of what is relevant is retrieved",
    )


# Order only


def test_another_order_of_the_same_top_is_told() -> None:
    assert told(ranked(5), ranked(1)) == [
        "R@40 is unchanged and nDCG@5 fell: the reranking changed",
    ]
    moved = {"r0": 2, "n1": 3, "n2": 1}
    assert told(moved, moved | {"r0": 4}) == [
        "R@40 is unchanged and nDCG@5 fell: the reranking changed",
        "the same documents are in the top 5 of every query whose nDCG@5 changed, in another order",
    ]


def test_one_query_with_other_documents_in_its_top_is_enough_to_say_nothing_of_order() -> None:
    before = some({}, {"r0": 4, "n1": 3, "n2": 1})
    now = some({"q11": {"n1": 3, "r0": 2}}, {"n1": 3, "r0": 2, "n2": 1})
    assert len(stages(gate_with(DEEP, now, before))) == 1


# Judgments


def judged_top(unjudged: int) -> Ranking:
    """A top 5 with a relevant document last, and so many unjudged ones."""
    names = [f"x{n}" for n in range(unjudged)] + [f"b{n}" for n in range(4 - unjudged)]
    return {doc_id: 50 - place for place, doc_id in enumerate((*names, "r0"))}


JUDGED = {"r0": 1, **{f"b{n}": 0 for n in range(5)}}


def test_a_top_that_is_less_judged_may_be_better_than_it_seems() -> None:
    before = {"r0": 9} | {f"b{n}": 5 for n in range(4)}
    assert told(judged_top(1), before, grades=JUDGED)[-1] == (
        "100% of the top 5 was judged, now 80%: "
        "part of the drop of nDCG@5 may be documents that nobody has judged"
    )


def test_a_top_that_is_as_much_judged_or_that_rose_is_not_told() -> None:
    best = {"r0": 9} | {f"b{n}": 5 for n in range(4)}
    assert not any("judged" in one for one in told(judged_top(0), best, grades=JUDGED))
    rose = {"r0": 9, "x0": 5, "x1": 4}
    assert not any("judged" in one for one in told(rose, judged_top(0), grades=JUDGED))


def test_a_little_less_judged_is_not_told() -> None:
    before = some({}, {"r0": 9} | {f"b{n}": 5 for n in range(4)})
    now = some({"q00": judged_top(1)}, judged_top(0))
    # 1 of 60 documents is 1.7 points.
    assert not any("judged" in one for one in stages(gate_with(DEEP, now, before, JUDGED)))


def test_a_measure_without_a_cutoff_is_told_by_the_judged_share_of_the_first_ten() -> None:
    before = {"r0": 99} | {f"b{n}": 50 - n for n in range(5)}
    now = {f"x{n}": 99 - n for n in range(3)} | {"r0": 5} | {f"b{n}": 0 for n in range(2)}
    assert any(
        one.startswith("100% of the top 10 was judged, now 50%")
        for one in told(now, before, "thresholds: {RR: {max_drop: 0}}", JUDGED)
    )


# Answers


def test_queries_that_lost_all_results_are_named() -> None:
    before = some({}, ranked(20))
    now = {q: ranking for q, ranking in before.items() if q not in ("q03", "q07")}
    assert stages(gate_with(DEEP, now, before)) == ("2 queries have no results now and had some: q03, q07",)


def test_a_query_that_had_no_results_before_is_not_named() -> None:
    before = {q: ranked(20) for q in QUERIES[2:]}
    now = {q: ranked(20) for q in QUERIES[3:]}
    gate = gate_with(DEEP, now, before | {"q00": {}, "q01": {}})
    assert stages(gate) == ("1 query has no results now and had some: q02",)


def test_of_many_queries_without_results_the_first_are_named() -> None:
    now = {"q11": ranked(1)}
    *_, last = stages(gate_with(DEEP, now, some({}, ranked(1))))
    assert last == "11 queries have no results now and had some: q00, q01, q02, q03, q04, …"


# Real runs


def test_a_reranker_that_is_taken_away_shows_as_a_reranking(shared_data: Path) -> None:
    folder = shared_data / "runs" / "dl20-passage"
    rules = "thresholds: {nDCG@10: {max_drop: 0.02}}"
    gate = gate_on(rules, {"q": {"d": 1}}, {"q": {"d": 1}})
    qrels = read_qrels(shared_data / "ir_datasets_home" / "msmarco-passage" / "trec-dl-2020" / "qrels")
    benchmark = replace(gate.benchmark, qrels=qrels)
    now, before = (
        evaluate(read_run(folder / f"{name}.trec.gz"), qrels, ["nDCG@10"], relevance_level=2)
        for name in ("bm25", "bm25-rankvicuna")
    )
    stored = make_baseline(before, benchmark, "bm25", depth=100, provenance=PROVENANCE)
    held = HeldBaseline(stored, before)
    real = MeasuredGate(rules_of(rules), benchmark, now, lambda: held, lambda: None)
    assert stages(real)[0] == "R(rel=2)@100 is unchanged and nDCG@10 fell: the reranking changed"
