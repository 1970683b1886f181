"""`irbench_baseline("bm25")`: a stored baseline as the right side of an ``assert_…`` comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from pytest_irbench.benchmarks.benchmark import Benchmark
from pytest_irbench.errors import InputError
from pytest_irbench.gates.comparison import compare_pairs
from pytest_irbench.gates.decide import allowed_drop, decide, decide_drop
from pytest_irbench.gates.held import hold_measure
from pytest_irbench.gates.kinds import Budget, Evidence
from pytest_irbench.gates.protocol import Protocol
from pytest_irbench.gates.sides import pairs_of
from pytest_irbench.gates.thresholds import budget_of
from pytest_irbench.plugin.assertions import BaselineLimit, note
from pytest_irbench.plugin.baselines import Accepted
from pytest_irbench.plugin.measuring import depth_for
from pytest_irbench.plugin.session import session_of
from pytest_irbench.reports.explain import counts
from pytest_irbench.reports.explain_drop import against, lost_most

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from pytest_irbench.gates.comparison import Comparison
    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.gates.held import HeldBaseline
    from pytest_irbench.plugin.assertions import MeasuredValue

# pytest leaves the frames of this module out: the line to look at is the user's.
__tracebackhide__ = True


def baseline_of(request: pytest.FixtureRequest) -> Callable[..., BaselineLimit]:
    """Make the value of the fixture `irbench_baseline` for one test."""

    def irbench_baseline(
        name: str, *, budget: float | str = 0.0, evidence: Evidence = "mean"
    ) -> BaselineLimit:
        """Give a baseline to compare a measured value with.

        Parameters
        ----------
        name
            That of the system whose baseline it is.
        budget
            How far the value may drop below it: in units of the measure, or ``"2%"`` of the baseline.
        evidence
            ``mean``, ``significant`` or ``noninferior``, as in irbench.yaml.

        Raises
        ------
        InputError
            When the budget or the evidence is none.
        """
        if evidence not in get_args(Evidence):
            raise InputError(f"evidence is {', '.join(get_args(Evidence))}, not {evidence!r}")
        call = f"irbench_baseline({name!r})"
        against = _Against(request, name, budget_of(budget), evidence)
        return BaselineLimit(call, against.hold)

    return irbench_baseline


class _Against:
    """One baseline, held by one test."""

    def __init__(self, request: pytest.FixtureRequest, name: str, budget: Budget, evidence: Evidence) -> None:
        self.request = request
        self.name = name
        self.budget = budget
        self.evidence = evidence

    def hold(self, value: MeasuredValue, rule: str) -> None:
        """Decide a comparison.

        Raises
        ------
        AssertionError
            When it is false, with an explanation.
        InputError
            When there is no baseline that fits.
        """
        held = self.baseline(value)
        pairs = pairs_of(value.scores, held.scores, value.measure, value.benchmark, None)
        comparison = compare_pairs(pairs)
        verdict = self.verdict(comparison, rule)
        note(verdict, value, self.asked(rule), comparison)
        if verdict.outcome == "failed":
            raise AssertionError(_explained(verdict, value, held, comparison))

    def baseline(self, value: MeasuredValue) -> HeldBaseline:
        benchmark, measure = value.benchmark, value.measure
        if not isinstance(benchmark, Benchmark):
            raise InputError(f"{value.call}: this run belongs to no benchmark, so it has no baseline")
        baselines = session_of(self.request.config).baselines
        depth = depth_for(benchmark, [measure])
        protocol = Protocol(utterance=value.scores.judged.run.utterance)
        nodeid = self.request.node.nodeid
        accepted = Accepted(benchmark, self.name, value.scores, depth, protocol, None, nodeid)
        folder = baselines.folder_of_test(self.request.path)
        return baselines.hold(
            folder, accepted, lambda path: hold_measure(path, benchmark, self.name, accepted.pins, measure)
        )

    def asked(self, rule: str) -> str:
        """Say in words what is asked for."""
        budget = f" within {self.budget}" if self.budget.size else ""
        evidence = f", {self.evidence}" if self.evidence != "mean" else ""
        return f"{rule} baseline of {self.name}{budget}{evidence}"

    def verdict(self, comparison: Comparison, rule: str) -> Verdict:
        if rule == ">=":
            return decide_drop(comparison, self.budget, self.evidence, comparison.permutation.drop)
        if self.evidence != "mean":
            raise InputError(f"evidence {self.evidence} is about a drop: compare with >=, not {rule}")
        if rule == ">" and self.budget.size:
            limit = comparison.baseline - allowed_drop(comparison, self.budget)
        else:
            limit = comparison.baseline + self.budget.of(comparison.baseline)
        return decide(comparison.measure, comparison.value, rule, limit)


def _explained(verdict: Verdict, value: MeasuredValue, held: HeldBaseline, comparison: Comparison) -> str:
    told = [*counts(value.scores, value.measure, value.benchmark), *against(comparison, held), ""]
    told += lost_most(comparison, value.scores, held.scores, value.benchmark)
    return "\n".join([verdict.sentence, *(f"  {line}".rstrip() for line in told)])
