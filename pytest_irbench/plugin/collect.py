"""irbench.yaml as tests: one function per system, one parameter set per threshold.

A file of gates is a `pytest.Module` whose object is a made-up module. Its functions carry the
system's fixture in their signature and are parametrized like any other, so that pytest itself takes
care of fixtures, marks, ``--lf``, ``-k``, ``--collect-only``, xdist and the rest.
"""

from __future__ import annotations

import difflib
import inspect
import os
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_irbench.benchmarks.builtin import BUILTIN
from pytest_irbench.errors import IrbenchError
from pytest_irbench.gates.kinds import ThresholdSpec
from pytest_irbench.plugin.fixtures import benchmarks_used
from pytest_irbench.plugin.logged import logged
from pytest_irbench.plugin.properties import Known, declared_properties, measured_properties
from pytest_irbench.plugin.selection import asked_for, named_on_command_line
from pytest_irbench.plugin.session import IrbenchSession, could_not_measure, printable, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_irbench.gates.decide import Verdict
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.gates.spec import GateSpec, Spec, Threshold

PARAMETER = "irbench_threshold"


class Measured(NamedTuple):
    """A threshold, what it was held against, and the verdict."""

    threshold: Threshold
    gate: MeasuredGate
    verdict: Verdict


@dataclass(eq=False, slots=True)
class GateThreshold:
    """One threshold with all that its test needs.

    Attributes
    ----------
    spec, gate, threshold
        Where it is declared.
    place
        The file and line to edit.
    fixture
        Name of the system's fixture, or None when the system is declared in the file.
    missing
        What to say when that fixture does not exist.
    measured
        Set when its test is set up; for each parameter of the system's fixtures anew.
    name
        The system's name with what these parameters and its utterance add; set then, too.
    twin
        Counts those before it whose id would be the same.
    """

    spec: Spec
    gate: GateSpec
    threshold: Threshold
    place: str
    fixture: str | None
    missing: str | None
    measured: Measured | None = None
    name: str = ""
    twin: int = 0

    @property
    def places(self) -> list[str]:
        """What of the gate stands where."""
        file, benchmark = self.place.rpartition(":")[0], self.spec.benchmarks.get(self.gate.benchmark)
        system = self.spec.systems.get(self.gate.system)
        lines = [f"{file}:{benchmark.line}: benchmark {benchmark.name}"] if benchmark else []
        lines += [f"{file}:{system.line}: system {system.name}"] if system else []
        return [*lines, f"{self.place}: this threshold could not be measured"]

    @property
    def relevance_level(self) -> int:
        """The level of the gate's benchmark, which is known before its data is loaded."""
        declared = self.spec.benchmarks.get(self.gate.benchmark)
        return (declared or BUILTIN[self.gate.benchmark]).relevance_level

    @property
    def id(self) -> str:
        """The id in brackets: without the limit, so that raising it keeps the test."""
        return f"{self.gate.asked}-{self.threshold.name}{f'-{self.twin}' if self.twin else ''}"


def gate_file(path: Path, parent: pytest.Collector) -> GateFile | None:
    """Make the collector of a file of gates, or count what is left out when nothing is selected."""
    from pytest_irbench.gates.spec import read_spec

    session = session_of(parent.config)
    if named_on_command_line(parent.config, path):
        session.named_files.add(str(path))
    elif not session.selection.names:
        # pytest shows us the neighbours of a test that was named, too.
        if not asked_for(parent.config, path):
            return None
        name = os.path.relpath(path, parent.config.invocation_params.dir)
        try:
            session.left_out[name] = sum(len(gate.thresholds) for gate in read_spec(path).gates)
        except IrbenchError:
            session.left_out[name] = -1
        return None
    return GateFile.from_parent(parent, path=path)


class GateFile(pytest.Module):
    """A file of gates."""

    holds_gates = True

    _module: ModuleType | None = None

    def _getobj(self) -> ModuleType:
        # pytest asks for the module here; there is no public way to hand it one that is not imported.
        # With collect_imported_tests=false it asks once for each system.
        if self._module is None:
            self._module = self._made_up_module()
        return self._module

    def _made_up_module(self) -> ModuleType:
        module = ModuleType(self.path.name.replace(".", "_"))
        module.__file__ = str(self.path)
        for name, thresholds in self._by_system().items():
            test = _make_test(session_of(self.config), module.__name__, name, thresholds)
            setattr(module, name, test)
        return module

    def _by_system(self) -> dict[str, list[GateThreshold]]:
        from pytest_irbench.gates.spec import read_spec

        try:
            spec = read_spec(self.path)
        except IrbenchError as error:
            raise self.CollectError(str(error)) from None
        session = session_of(self.config)
        named = not session.selection.names
        found: dict[str, list[GateThreshold]] = {}
        for gate in spec.gates:
            if named or session.selection.includes(gate.benchmark):
                found.setdefault(gate.system, []).extend(self._thresholds(spec, gate))
        for thresholds in found.values():
            _tell_apart(thresholds)
        return found

    def _thresholds(self, spec: Spec, gate: GateSpec) -> Iterator[GateThreshold]:
        given = session_of(self.config).selection.runs
        fixture = gate.system if spec.is_fixture(gate.system) and gate.system not in given else None
        name = self.nodeid or self.path.name
        missing = self._missing(fixture, f"{name}:{gate.line}") if fixture else None
        for threshold in gate.thresholds:
            yield GateThreshold(spec, gate, threshold, f"{name}:{threshold.line}", fixture, missing)

    def _missing(self, fixture: str, place: str) -> str | None:
        # Asked here, because pytest's own error would point into this plugin instead of at the YAML
        # line, and there is no public way to ask whether a fixture exists.
        manager: Any = self.session._fixturemanager  # noqa: SLF001
        if manager.getfixturedefs(fixture, self):
            return None
        # The tables of names differ between pytest 8 and 9; without them only the hint is lost.
        tables = ("_arg2fixturedefs", "_arg2node2fixturedefs", "_arg2nodeid2fixturedefs")
        names = {name for table in tables for name in getattr(manager, table, ())}
        near = difflib.get_close_matches(fixture, names, n=1, cutoff=0.7)
        hint = f", did you mean {near[0]!r}?" if near else ":"
        return (
            f"{place}: there is no fixture {fixture!r}{hint} define it in conftest.py, returning "
            "search(topic, k), or declare the system under systems:"
        )


def _tell_apart(thresholds: list[GateThreshold]) -> None:
    """Give equal ids a number, such as those of query a-b, document c and of query a, document b-c."""
    taken: set[str] = set()
    for threshold in thresholds:
        while threshold.id in taken:
            threshold.twin += 1
        taken.add(threshold.id)


def _make_test(
    session: IrbenchSession, module: str, system: str, thresholds: list[GateThreshold]
) -> Callable[..., None]:
    """Build the test function of a system, as if a user had written it."""

    def test(irbench_threshold: GateThreshold, **_systems: Any) -> None:
        tell_verdict(session, irbench_threshold)

    names = [PARAMETER, *{t.fixture for t in thresholds if t.fixture and not t.missing}]
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    test.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    test.__name__ = test.__qualname__ = system
    test.__module__ = module
    test.__doc__ = f"Thresholds of system {system}."
    # Collected whatever the user's python_functions says.
    test.__test__ = True  # type: ignore[attr-defined]
    parametrize = pytest.mark.parametrize(PARAMETER, [pytest.param(t, id=t.id) for t in thresholds])
    decorated: Callable[..., None] = parametrize(test)
    return decorated


def measure(session: IrbenchSession, item: pytest.Item) -> None:
    """Decide what a test that is set up will tell; what goes wrong here is an error, not a failure."""
    from pytest_irbench.gates.rulings import decide_threshold
    from pytest_irbench.plugin.asking import AskedGate

    function: Any = item
    threshold: GateThreshold = function.callspec.params[PARAMETER]
    if threshold.missing:
        pytest.fail(threshold.missing, pytrace=False)
    system = function.funcargs[threshold.fixture] if threshold.fixture else None
    # By place, because two parameters may print alike; it is the same in each process.
    variant = {k: place for k, place in function.callspec.indices.items() if k != PARAMETER}
    name = threshold.name = system_name(item, threshold)
    asked = AskedGate(threshold.spec, threshold.gate, name, variant, system, item.nodeid)
    message = ""
    try:
        gate = session.gate(asked)
        threshold.measured = Measured(threshold.threshold, gate, decide_threshold(threshold.threshold, gate))
    except IrbenchError as error:
        message = could_not_measure(error, threshold.places)
    # Outside the except block, or pytest would print the same sentence a second time as a context.
    if message:
        pytest.fail(logged(message), pytrace=False)
    if threshold.measured is not None:
        session.measured[item.nodeid] = threshold.measured
        known = dict(measured_properties(*threshold.measured))
        # Run again by another plugin, the test has them already.
        item.user_properties[:] = [p for p in item.user_properties if p[0] not in known] + list(known.items())


def tell_verdict(session: IrbenchSession, threshold: GateThreshold) -> None:
    """Tell the verdict of a measured threshold; a miss fails the test with its explanation."""
    if threshold.measured is None:
        raise RuntimeError(f"{threshold.place}: this threshold was never measured")
    verdict = threshold.measured.verdict
    if verdict.outcome == "passed":
        return
    if verdict.outcome == "xfailed":
        pytest.xfail(logged(printable(verdict.sentence)))
    # Also what is expected to fail, where --runxfail says that it must not.
    from pytest_irbench.reports.failures import explain_failure

    said = explain_failure(*threshold.measured, threshold.place)
    if verdict.outcome == "depends" and isinstance(threshold.threshold, ThresholdSpec):
        from pytest_irbench.plugin.to_judge import told

        folder, name = threshold.spec.path.parent, f"{threshold.name}-{threshold.threshold.name}"
        said += "\n" + told(session, threshold.threshold, threshold.measured.gate, folder, name)
    pytest.fail(logged(printable(said)), pytrace=False)


def note(session: IrbenchSession, items: Iterable[pytest.Item]) -> None:
    """Note what was collected, and write on each gate's test what it will decide."""
    for order, item in enumerate(items):
        session.orders[item.nodeid] = order
        session.collected |= benchmarks_used(item)
        session.asks_by_name |= "irbench_benchmark" in getattr(item, "fixturenames", ())
        threshold = gate_of(item)
        if threshold:
            session.collected.add(threshold.gate.benchmark)
            session.systems.add(threshold.gate.system)
            session.files.add(str(item.path))
            name = system_name(item, threshold)
            session.files_of.setdefault((threshold.gate.benchmark, name), set()).add(str(item.path))
            utterance = threshold.gate.protocol.utterance
            known = Known(order, threshold.gate.benchmark, name, threshold.relevance_level, utterance)
            item.user_properties += declared_properties(known, threshold.threshold, threshold.place)


def system_name(item: pytest.Item, threshold: GateThreshold) -> str:
    """Name the system, with what its parametrized fixtures add to the test's id."""
    # callspec.id is "<fixture parameters>-<threshold>" in the order pytest chose, and, unless an option of
    # pytest says otherwise, with an escape for what is not ASCII.
    ids, escaped = f"-{item.callspec.id}-", threshold.id.encode("unicode_escape").decode()  # type: ignore[attr-defined]
    own = f"-{threshold.id}-" if f"-{threshold.id}-" in ids else f"-{escaped}-"
    ids = ids.replace(own, "-", 1)[1:-1]
    name, utterance = threshold.gate.system, threshold.gate.protocol.utterance
    said = "" if utterance == "raw" else f"@{utterance}"
    return f"{name}[{ids}]{said}" if ids else f"{name}{said}"


def gate_of(item: pytest.Item) -> GateThreshold | None:
    """Return the threshold that a test decides, or None for other tests."""
    # Not isinstance: a pytest inside a pytest may import this module a second time.
    if not getattr(item.parent, "holds_gates", False):
        return None
    threshold: GateThreshold = item.callspec.params[PARAMETER]  # type: ignore[attr-defined]
    return threshold
