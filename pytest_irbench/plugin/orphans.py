"""Stored baselines that no gate holds any more: each is an error, or it would lie there for ever."""

from __future__ import annotations

import json
import os
from shlex import quote
from typing import TYPE_CHECKING

from pytest_irbench.gates.baseline_file import baseline_path, run_path
from pytest_irbench.plugin.collect import gate_of, system_name
from pytest_irbench.plugin.session import session_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_irbench.gates.spec import GateSpec, Spec

    # Gate (its id) -> the names of its system, one for each parameter; without the gates that were left out.
    Systems = Mapping[int, set[str]]


def orphans(config: pytest.Config, items: Sequence[pytest.Item]) -> Iterator[tuple[str, str]]:
    """Give the baselines beside the files of gates that none of their gates is held against.

    Those of a test in Python are left alone, and so is a folder of `--irbench-baselines`, which another
    version of the project wrote.
    """
    baselines = session_of(config).baselines
    if baselines.elsewhere is not None:
        return
    for spec, systems in _collected(items):
        file = spec.path
        for path in sorted(baselines.folder_of_gates(file).glob("*.json")):
            if _is_orphan(path, spec, systems):
                name, run = baselines.named(path), baselines.named(run_path(path))
                said = f"{name} belongs to no gate of {baselines.named(file)} that has a max_drop"
                yield name, f"{said}: give its gate one, or delete it with rm {quote(name)} {quote(run)}"


def _collected(items: Sequence[pytest.Item]) -> list[tuple[Spec, Systems]]:
    """Return the files of gates that were collected, with the systems of their gates."""
    found: dict[Path, tuple[Spec, dict[int, set[str]]]] = {}
    for item in items:
        if threshold := gate_of(item):
            _, systems = found.setdefault(threshold.spec.path, (threshold.spec, {}))
            systems.setdefault(id(threshold.gate), set()).add(system_name(item, threshold))
    return list(found.values())


def _is_orphan(path: Path, spec: Spec, systems: Systems) -> bool:
    # What is wrong with a file that a gate reads, that gate tells.
    if any(gate.compared and _reads(gate, path, systems.get(id(gate))) for gate in spec.gates):
        return False
    owner = _owner(path)
    if owner is None:
        return False
    # Not Path.exists(), which raises for a name that is too long.
    return owner in {"", spec.path.name} or not os.path.exists(spec.path.absolute().parent / owner)  # noqa: PTH110


def _reads(gate: GateSpec, path: Path, systems: set[str] | None) -> bool:
    if systems is None:
        # A parametrized system is called bm25[fast]; its parameters are not known before it is collected.
        path, systems = path.with_name(f"{path.stem.partition('[')[0]}.json"), {gate.system}
    return any(path == baseline_path(path.parent, gate.benchmark, system) for system in systems)


def _owner(path: Path) -> str | None:
    """Return the name of the file whose gate a baseline is, an empty one when it can't be read.

    None for that of a test in Python.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["gates"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return found if found is None else str(found)
