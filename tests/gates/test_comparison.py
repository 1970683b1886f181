"""Run against baseline: every number held to scipy, to a simulation, or to what must be so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_irbench import (
    Benchmark,
    Comparison,
    InputError,
    Qrels,
    Run,
    Topic,
    Topics,
    compare,
    evaluate,
    load_builtin,
    read_run,
)
from pytest_irbench.gates.decide import decide_drop
from pytest_irbench.gates.kinds import Budget
from pytest_irbench.gates.resampling import DRAWS, Units, resample, sign_flips
from pytest_irbench.gates.significance import bootstrap, randomization, t_test

MEASURE = "DCG@1"
"""Its value is the grade of the first document, so any value can be made."""


def sides(differences: list[float]) -> dict[str, Any]:
    """Runs whose values differ by these whole numbers; those of the baseline are 500."""
    ids = [f"q{i:03}" for i in range(len(differences))]
    grades = zip(ids, differences, strict=True)
    return {
        "run": {query_id: {"new": 1.0} for query_id in ids},
        "baseline": {query_id: {"old": 1.0} for query_id in ids},
        "qrels": {query_id: {"new": 500 + int(d), "old": 500} for query_id, d in grades},
    }


def held(differences: list[float], **more: Any) -> Comparison:
    two = sides(differences)
    return compare(two["run"], two["baseline"], MEASURE, qrels=two["qrels"], **more)


def numbers(comparison: Comparison) -> list[float]:
    return [
        comparison.baseline,
        comparison.value,
        comparison.difference,
        *comparison.interval,
        *comparison.permutation,
        *comparison.t_test,
        comparison.standard_error,
        comparison.detectable_drop(),
        comparison.power(50),
        comparison.false_alarm_rate(0),
        comparison.false_alarm_rate(50),
    ]


@pytest.fixture(scope="module")
def some() -> list[float]:
    """Thirty differences, skewed, some of them 0."""
    drawn = np.random.default_rng(3).exponential(100, 30) - 130
    return [float(round(d)) for d in np.where(np.arange(30) % 5 == 0, 0, np.clip(drawn, -500, 500))]


# What is compared


def test_the_means_and_the_difference_are_those_of_evaluate(some: list[float]) -> None:
    two = sides(some)
    new, old = (evaluate(two[side], two["qrels"], [MEASURE]) for side in ("run", "baseline"))
    found = held(some)
    assert (found.value, found.baseline) == (new.means[MEASURE], old.means[MEASURE])
    assert found.difference == pytest.approx(np.mean(some), abs=1e-12)
    assert (found.measure, found.units, found.unit) == (MEASURE, 30, "query")


def test_wins_ties_and_losses_are_counted() -> None:
    found = held([100, -200, 0, -1])
    assert (found.wins, found.ties, found.losses) == (1, 1, 2)


def test_movers_are_the_queries_that_moved_most() -> None:
    found = held([100, -200, 0, 200])
    assert [(m.query_id, m.difference) for m in found.movers(2)] == [("q001", -200), ("q003", 200)]
    assert found.movers(2)[0].baseline == 500
    assert len(found.movers()) == 3


def test_scores_runs_and_mappings_give_the_same(some: list[float]) -> None:
    two = sides(some)
    scores = [evaluate(two[side], two["qrels"], ["AP", MEASURE]) for side in ("run", "baseline")]
    runs = [Run.from_mapping(two[side]) for side in ("run", "baseline")]
    expected = numbers(held(some))
    assert numbers(compare(scores[0], scores[1], MEASURE)) == expected
    assert numbers(compare(runs[0], runs[1], MEASURE, qrels=Qrels.from_mapping(two["qrels"]))) == expected
    assert numbers(compare(scores[0], two["baseline"], MEASURE)) == expected


def test_a_bare_measure_is_at_the_level_of_the_benchmark() -> None:
    qrels = Qrels.from_mapping({"a": {"x": 1, "y": 2}, "b": {"x": 2}})
    benchmark = Benchmark("b", Topics([Topic("a", "a"), Topic("b", "b")]), qrels, relevance_level=2)
    run = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 1.0}}
    found = compare(run, run, "RR", qrels=benchmark)
    assert (found.measure, found.value) == ("RR(rel=2)", 0.75)
    scores = evaluate(run, qrels, ["RR"], relevance_level=2)
    assert compare(scores, scores, "RR").measure == "RR(rel=2)"


def test_counts_are_compared_by_their_sum() -> None:
    qrels = {"a": {"x": 1, "y": 1}, "b": {"x": 1}, "c": {"x": 1}}
    run = {"a": {"x": 1.0}, "b": {"x": 1.0}, "c": {"x": 1.0}}
    old = {"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0}, "c": {"x": 1.0}}
    found = compare(run, old, "NumRelRet", qrels=qrels)
    assert (found.value, found.baseline, found.difference) == (3, 4, -1)
    assert found.standard_error == pytest.approx(stats.sem([-3, 0, 0]))
    assert found.movers()[0].difference == -1


def test_differences_by_rounding_are_none(some: list[float]) -> None:
    two = sides(some)
    scores = evaluate(two["run"], two["qrels"], [MEASURE])
    shaken = evaluate(two["run"], two["qrels"], [MEASURE])
    column = next(iter(shaken.columns.values()))
    column *= 1 + 1e-15
    assert compare(scores, shaken, MEASURE).ties == len(some)


# Against scipy


def test_the_t_test_is_that_of_scipy(some: list[float]) -> None:
    found, zeros = held(some), np.zeros(len(some))
    assert found.t_test.either == pytest.approx(stats.ttest_rel(some, zeros).pvalue, rel=1e-9)
    less = stats.ttest_rel(some, zeros, alternative="less").pvalue
    assert found.t_test.drop == pytest.approx(less, rel=1e-9)
    assert found.standard_error == pytest.approx(stats.sem(some))


@pytest.mark.parametrize("count", [2, 5, 9, 13])
def test_few_queries_are_tested_exactly(count: int, some: list[float]) -> None:
    differences = [d for d in some if d][:count]
    found = held(differences)
    assert found.exact
    assert found.permutation.drop == pytest.approx(scipy_permutation(differences, "less"), abs=1e-12)
    assert found.permutation.either == pytest.approx(scipy_permutation(differences, "two-sided"), abs=1e-12)


def test_many_queries_are_tested_within_the_error_of_drawing(some: list[float]) -> None:
    found = held(some)
    assert not found.exact
    for ours, side in ((found.permutation.drop, "less"), (found.permutation.either, "two-sided")):
        p = scipy_permutation(some, side, n_resamples=20_000)
        assert ours == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) * (1 / DRAWS + 1 / 20_000)))


def scipy_permutation(differences: list[float], alternative: str, n_resamples: float = np.inf) -> float:
    result = stats.permutation_test(
        (np.array(differences), np.zeros(len(differences))),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        batch=2000,
        n_resamples=n_resamples,
        alternative=alternative,
        rng=np.random.default_rng(1),
    )
    return float(result.pvalue)


def test_resampled_deviations_spread_as_those_of_scipy(some: list[float]) -> None:
    units = Units(np.array(some), np.ones(len(some)))
    deviations, errors = resample(units, np.random.default_rng(0))
    theirs = stats.bootstrap((some,), np.mean, n_resamples=DRAWS, batch=1000, rng=np.random.default_rng(1))
    assert deviations.std(ddof=1) == pytest.approx(theirs.standard_error, rel=0.05)
    assert np.quantile(deviations, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(theirs.bootstrap_distribution - np.mean(some), [0.1, 0.5, 0.9]), abs=2
    )
    assert errors.mean() == pytest.approx(units.standard_error, rel=0.05)


def test_a_resample_has_the_standard_error_of_what_it_drew() -> None:
    units = Units(np.array([1.0, -2.0, 0.5]), np.array([1.0, 4.0, 2.0]))
    deviations, errors = resample(units, np.random.default_rng(0))
    rows = np.random.default_rng(0).integers(0, 3, (DRAWS, 3), np.uint16)
    for draw in range(20):
        again = Units(units.sums[rows[draw]], units.sizes[rows[draw]])
        assert deviations[draw] == pytest.approx(again.mean - units.mean, abs=1e-12)
        assert errors[draw] == pytest.approx(again.standard_error, abs=1e-7)


@pytest.mark.parametrize("count", [14, 16, 17, 100])
def test_every_sign_is_flipped_in_half_of_the_draws(count: int) -> None:
    # Powers of two would do for few units; here each unit is told by its correlation with the total.
    sums = np.arange(1.0, count + 1)
    totals, exact = sign_flips(sums, np.random.default_rng(0))
    assert not exact
    assert len(totals) == DRAWS
    spread = math.sqrt((sums**2).sum())
    assert abs(totals.mean()) < 4 * spread / math.sqrt(DRAWS)
    assert totals.std() == pytest.approx(spread, rel=0.04)


def test_random_signs_are_independent() -> None:
    # The total of 2^i with signs says which signs these were.
    totals, _ = sign_flips(2.0 ** np.arange(20), np.random.default_rng(0))
    bits = ((totals.astype(np.int64) + 2**20 - 1) // 2)[:, None] >> np.arange(20) & 1
    correlation = np.corrcoef(bits.T)
    assert abs(bits.mean(axis=0) - 0.5).max() < 4 * 0.5 / math.sqrt(DRAWS)
    assert abs(correlation - np.eye(20)).max() < 5 / math.sqrt(DRAWS)


# By simulation, with what `docs/statistics.md` tells


def simulated(simulations: int, units: int, drop: float = 0.0, *, turns: bool = False) -> Iterator[Units]:
    """Draw differences as two systems would have them: skewed, a third of them 0.

    With turns, those of a conversation share half of their variance.
    """
    rng = np.random.default_rng(11)
    for _ in range(simulations):
        sizes = rng.integers(4, 12, units) if turns else np.ones(units, np.int64)
        unit = np.repeat(np.arange(units), sizes)
        noise = rng.normal(0, 0.1, len(unit)) * (rng.random(len(unit)) < 0.67)
        noise += rng.normal(0, 0.08, units)[unit] * turns
        yield Units(np.bincount(unit, noise - drop), sizes.astype(float))


def rate(simulations: int, holds: Callable[[Units], bool], *args: Any, **kwargs: Any) -> float:
    return sum(map(holds, simulated(simulations, *args, **kwargs))) / simulations


def error(share: float, simulations: int) -> float:
    """Three standard deviations of a share."""
    return 3 * math.sqrt(share * (1 - share) / simulations)


@cache
def template() -> Comparison:
    """A comparison whose numbers are there to be replaced."""
    return held([100, -100])


def is_significant(one: Units, rng: np.random.Generator) -> bool:
    """Whether a gate fails that takes significant drops only, and no budget."""
    value = {"value": 0.5 + one.mean, "difference": one.mean, "units": len(one)}
    found = replace(template(), baseline=0.5, **value)
    p = randomization(one, rng)[0].drop
    return decide_drop(found, Budget(0.0), "significant", p).outcome == "failed"


@pytest.mark.parametrize("turns", [False, True])
def test_without_a_change_one_gate_in_twenty_sees_a_drop(turns: bool) -> None:
    rng = np.random.default_rng(1)
    seen = rate(2000, lambda one: is_significant(one, rng), 25, turns=turns)
    assert seen == pytest.approx(0.05, abs=error(0.05, 2000))
    by_t = rate(2000, lambda units: t_test(units).drop <= 0.05, 25, turns=turns)
    assert by_t == pytest.approx(0.05, abs=error(0.05, 2000))


def test_turns_drawn_alone_would_see_too_many_drops() -> None:
    """Why conversations are kept together: the same turns, each as if it were a query."""
    rng = np.random.default_rng(11)

    def false_alarm() -> bool:
        unit = np.repeat(np.arange(25), 8)
        turns = rng.normal(0, 0.1, 200) + rng.normal(0, 0.08, 25)[unit]
        return t_test(Units(turns, np.ones(200))).drop <= 0.05

    assert sum(false_alarm() for _ in range(1000)) / 1000 > 0.12


@pytest.mark.parametrize(("units", "turns"), [(10, False), (54, False), (25, True)])
def test_the_detectable_drop_is_detected_in_four_of_five(units: int, turns: bool) -> None:
    # The true standard error, from many pairs, gives the drop; then each pair is tested alone.
    errors = [one.standard_error**2 for one in simulated(1000, units, turns=turns)]
    drop = comparison_of(math.sqrt(np.mean(errors)), units).detectable_drop()
    rng = np.random.default_rng(2)
    seen = rate(1000, lambda one: is_significant(one, rng), units, drop, turns=turns)
    assert seen == pytest.approx(0.80, abs=error(0.8, 1000) + 0.01)


def comparison_of(standard_error: float, units: int) -> Comparison:
    """A comparison of which only the standard error matters."""
    return replace(template(), standard_error=standard_error, units=units)


DROP = 0.02
SIZES = [(10, False), (54, False), (20, True)]


@cache
def intervals(units: int, turns: bool) -> list[Comparison]:
    """Comparisons of pairs whose true drop is `DROP`."""
    rng = np.random.default_rng(3)
    pairs = simulated(500, units, DROP, turns=turns)
    return [
        replace(template(), baseline=0.5, difference=one.mean, interval=bootstrap(one, rng)[0])
        for one in pairs
    ]


@pytest.mark.parametrize(("units", "turns"), SIZES)
def test_the_interval_covers_the_true_difference_at_its_level(units: int, turns: bool) -> None:
    covered = [low <= -DROP <= high for low, high in (one.interval for one in intervals(units, turns))]
    assert np.mean(covered) == pytest.approx(0.95, abs=error(0.95, 500))


@pytest.mark.parametrize(("units", "turns"), SIZES)
def test_one_gate_in_forty_passes_as_noninferior_when_the_drop_is_its_whole_budget(
    units: int, turns: bool
) -> None:
    verdicts = [decide_drop(one, Budget(DROP), "noninferior", 1.0) for one in intervals(units, turns)]
    passed = np.mean([verdict.outcome == "passed" for verdict in verdicts])
    assert 0 < passed <= 0.025 + error(0.025, 500)


def test_the_false_alarm_rate_is_how_often_a_plain_budget_fails() -> None:
    rng = np.random.default_rng(4)
    budget = 0.015
    failing = rate(4000, lambda one: one.mean < -budget, 54)
    told = []
    for one in simulated(100, 54):
        _, deviations = bootstrap(one, rng)
        told.append(np.mean(deviations < -budget))
    assert np.mean(told) == pytest.approx(failing, abs=0.02)


# What must be so


def test_a_larger_budget_fails_less_often(some: list[float]) -> None:
    found = held(some)
    rates = [found.false_alarm_rate(budget) for budget in (0, 10, 20, 50, 500)]
    assert rates == sorted(rates, reverse=True)
    assert 0.4 < rates[0] < 0.6
    assert rates[-1] == 0


def test_power_and_the_detectable_drop_agree(some: list[float]) -> None:
    found = held(some)
    assert found.power(found.detectable_drop()) == pytest.approx(0.80)
    assert found.power(found.detectable_drop(alpha=0.01, power=0.9), alpha=0.01) == pytest.approx(0.9)
    assert found.power(0.0) == pytest.approx(0.05)


def test_the_same_seed_gives_the_same_numbers(some: list[float]) -> None:
    assert numbers(held(some)) == numbers(held(some))
    assert numbers(held(some, seed=np.random.default_rng(0))) == numbers(held(some))
    assert numbers(held(some, seed=1)) != numbers(held(some))


def test_the_order_of_queries_does_not_matter(some: list[float]) -> None:
    two = sides(some)
    turned = {name: dict(reversed(side.items())) for name, side in two.items()}
    found = compare(turned["run"], turned["baseline"], MEASURE, qrels=turned["qrels"])
    assert numbers(found) == numbers(held(some))
    assert found.query_ids == tuple(turned["qrels"])


def test_a_run_turned_into_the_baseline_mirrors_the_difference(some: list[float]) -> None:
    two, there = sides(some), held(some)
    back = compare(two["baseline"], two["run"], MEASURE, qrels=two["qrels"])
    assert back.difference == -there.difference
    assert back.interval == pytest.approx((-there.interval[1], -there.interval[0]))
    assert (back.wins, back.losses) == (there.losses, there.wins)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20), st.integers(1, 6))
def test_no_number_is_ever_nan_and_no_p_is_0(thousandths: list[int], conversations: int) -> None:
    ids = [f"q{i:03}" for i in range(len(thousandths))]
    clusters = {query_id: i % conversations for i, query_id in enumerate(ids)}
    qrels = {query_id: {f"d{k}": 1 for k in range(7)} for query_id in ids}
    run = {
        q: {f"d{k}": 1.0 for k in range(3 + t)} or {"x": 1.0} for q, t in zip(ids, thousandths, strict=True)
    }
    baseline = {q: {"d0": 1.0, "d1": 1.0, "d2": 1.0} for q in ids}
    for groups in (None, clusters):
        found = compare(run, baseline, "R@7", qrels=qrels, clusters=groups)
        assert not any(map(math.isnan, numbers(found)))
        assert all(0 < p <= 1 for p in (*found.permutation, *found.t_test))
        assert found.interval[0] <= found.difference <= found.interval[1]
        assert "nan" not in str(found)


def test_equal_runs_differ_by_nothing() -> None:
    found = held([0.0] * 20)
    assert (found.difference, found.interval) == (0, (0, 0))
    assert (*found.permutation, *found.t_test) == (1, 1, 1, 1)
    assert (found.standard_error, found.detectable_drop(), found.power(0.1), found.power(0)) == (0, 0, 1, 0)
    assert found.false_alarm_rate(0) == 0
    assert found.movers() == []


def test_the_same_change_everywhere_leaves_no_room_for_chance() -> None:
    found = held([-100] * 20)
    assert found.interval == pytest.approx((-100, -100))
    assert found.standard_error == 0
    assert found.permutation.drop < 0.001
    assert 0 < found.t_test.drop < 1e-300
    assert found.t_test.either > 0


def test_one_query_says_nothing_about_chance() -> None:
    found = held([-300])
    assert found.difference == pytest.approx(-300)
    assert found.interval == (-math.inf, math.inf)
    assert (found.permutation.drop, found.t_test.drop) == (0.5, 0.5)
    assert (found.permutation.either, found.t_test.either) == (1, 1)
    assert (found.standard_error, found.detectable_drop(), found.power(500)) == (math.inf, math.inf, 0)
    assert found.false_alarm_rate(900) == 0.5
    assert "one query says nothing about chance" in str(found)


def test_one_conversation_says_nothing_about_chance(some: list[float]) -> None:
    found = held(some, clusters={f"q{i:03}": "31" for i in range(30)})
    assert (found.units, found.interval) == (1, (-math.inf, math.inf))
    assert "one cluster says nothing about chance" in str(found)


def test_few_queries_that_moved_have_the_interval_of_the_t_test() -> None:
    # Of most resamples of these, the one that moved is missing.
    found = held([0.0] * 19 + [-400])
    reach = stats.t.ppf(0.975, 19) * found.standard_error
    assert found.interval == pytest.approx((-20 - reach, -20 + reach))


# Conversations


def conversations(differences: list[float]) -> Benchmark:
    ids = list(sides(differences)["qrels"])
    topics = Topics([Topic("?", query_id, conversation=str(i // 5)) for i, query_id in enumerate(ids)])
    return Benchmark("talks", topics, Qrels.from_mapping(sides(differences)["qrels"]))


def test_turns_go_by_the_conversation_of_their_topic(some: list[float]) -> None:
    two, benchmark = sides(some), conversations(some)
    found = compare(two["run"], two["baseline"], MEASURE, qrels=benchmark)
    assert (found.units, found.unit) == (6, "conversation")
    clusters = {topic.query_id: topic.conversation for topic in benchmark.topics}
    assert numbers(found) == numbers(held(some, clusters=clusters))
    run = Run.from_mapping(two["run"])
    run.benchmark = benchmark
    assert numbers(compare(run, two["baseline"], MEASURE)) == numbers(found)
    scores = [evaluate(two[side], benchmark, [MEASURE]) for side in ("run", "baseline")]
    assert numbers(compare(scores[0], scores[1], MEASURE, qrels=benchmark)) == numbers(found)
    assert "30 queries in 6 conversations" in str(found)


def test_a_topic_without_a_conversation_is_drawn_alone(some: list[float]) -> None:
    benchmark = conversations(some)
    topics = Topics([Topic("?", "q000"), *list(benchmark.topics)[1:]])
    two = sides(some)
    alone = compare(two["run"], two["baseline"], MEASURE, qrels=Benchmark("b", topics, benchmark.qrels))
    assert (alone.units, alone.unit) == (7, "conversation")


def test_whole_conversations_are_flipped(some: list[float]) -> None:
    clusters = {f"q{i:03}": i // 5 for i in range(30)}
    sums = [math.fsum(some[i : i + 5]) for i in range(0, 30, 5)]
    found = held(some, clusters=clusters)
    assert found.permutation.drop == pytest.approx(scipy_permutation(sums, "less"), abs=1e-12)


def test_conversations_of_one_length_have_the_t_test_of_their_means(some: list[float]) -> None:
    means = np.reshape(some, (6, 5)).mean(axis=1)
    found = held(some, clusters={f"q{i:03}": i // 5 for i in range(30)})
    assert found.standard_error == pytest.approx(stats.sem(means))
    assert found.t_test.either == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-9)


def test_the_error_of_uneven_conversations_is_that_of_the_regression(some: list[float]) -> None:
    # The sandwich (X'X)^-1 (sum of X_c' e_c e_c' X_c) (X'X)^-1 with the factor G / (G - 1), X a column of 1.
    groups = [i * i // 90 for i in range(30)]
    residuals = np.array(some) - np.mean(some)
    meat = sum(residuals[[g == group for g in groups]].sum() ** 2 for group in set(groups))
    count = len(set(groups))
    expected = math.sqrt(count / (count - 1) * meat) / 30
    found = held(some, clusters={f"q{i:03}": group for i, group in enumerate(groups)})
    assert found.standard_error == pytest.approx(expected)


# Errors


def test_other_judged_queries_are_refused() -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 1}}
    run = {"a": {"x": 1.0}, "b": {"x": 1.0}}
    all_of_it = evaluate(run, qrels, ["AP"])
    part = evaluate(run, {"a": {"x": 1}}, ["AP"])
    with pytest.raises(InputError, match="1 only in the run, for instance 'b'"):
        compare(all_of_it, part, "AP")
    with pytest.raises(InputError, match="1 only in the baseline, for instance 'b'"):
        compare(part, all_of_it, "AP")


def test_runs_of_two_benchmarks_are_refused(some: list[float]) -> None:
    runs = []
    for name in ("one", "two"):
        run = Run.from_mapping(sides(some)["run"])
        benchmark = conversations(some)
        run.benchmark = Benchmark(name, benchmark.topics, benchmark.qrels)
        runs.append(run)
    with pytest.raises(InputError, match="the run answers one and the baseline two"):
        compare(runs[0], runs[1], "AP")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"qrels": None}, "pass qrels="),
        ({"qrels": "qrels.txt"}, "not str"),
        ({"run": "run.trec"}, "read it with read_run"),
        ({"baseline": None}, "not NoneType"),
        ({"measure": "nDGC@10"}, "nDCG@10"),
        ({"clusters": {"q000": 1}}, "clusters lacks 1 judged queries, for instance 'q001'"),
        ({"run": {"other": {"x": 1.0}}}, "no results for any judged query"),
    ],
)
def test_what_cannot_be_compared_is_refused(more: dict[str, Any], message: str) -> None:
    arguments = sides([100, 200]) | {"measure": MEASURE} | more
    with pytest.raises(InputError, match=message):
        compare(
            arguments["run"],
            arguments["baseline"],
            arguments["measure"],
            qrels=arguments["qrels"],
            clusters=arguments.get("clusters"),
        )


def test_scores_without_the_measure_are_refused() -> None:
    two = sides([100, 200])
    scores = evaluate(two["run"], two["qrels"], ["AP"])
    with pytest.raises(InputError, match="the scores of the run lack nDCG@10; there are: AP"):
        compare(scores, two["baseline"], "nDCG@10")


@pytest.mark.parametrize("wrong", [-0.1, math.nan, math.inf])
def test_a_budget_is_a_number_from_0(wrong: float) -> None:
    found = held([100, 200])
    for method in (found.false_alarm_rate, found.power):
        with pytest.raises(InputError, match="a finite number from 0"):
            method(wrong)


@pytest.mark.parametrize("wrong", [0, 1, 5, math.nan])
def test_levels_lie_between_0_and_1(wrong: float) -> None:
    found = held([100, 200])
    with pytest.raises(InputError, match="alpha lies between"):
        found.detectable_drop(alpha=wrong)
    with pytest.raises(InputError, match="power lies between"):
        found.detectable_drop(power=wrong)
    with pytest.raises(InputError, match="alpha lies between"):
        found.power(0.1, alpha=wrong)


# Real runs


@pytest.fixture(scope="module")
def cast21(shared_data: Path, published_home: Path) -> Comparison:
    benchmark, runs = load_builtin("cast21"), shared_data / "runs" / "cast21"
    run, baseline = (read_run(runs / f"org-manual_ance{end}.trec.gz") for end in ("_bert", ""))
    return compare(run, baseline, "nDCG@3", qrels=benchmark)


def test_the_page_shows_what_cast21_prints(cast21: Comparison) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
    assert str(cast21) in page.read_text(encoding="utf-8")


def test_a_reranker_that_changed_much_and_gained_nothing_is_not_called_worse(cast21: Comparison) -> None:
    assert (len(cast21.query_ids), cast21.unit) == (158, "conversation")
    assert cast21.permutation.drop > 0.05
    assert cast21.interval[0] < 0 < cast21.interval[1]
    assert abs(cast21.difference) < cast21.detectable_drop()
