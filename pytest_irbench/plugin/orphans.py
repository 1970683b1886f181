"""Stored baselines that no gate holds any more: each is an error, or it would lie there for ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.gates.baseline_file import baseline_path, run_path
from pytest_irbench.plugin.collect import gate_of
from pytest_irbench.plugin.session import session_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pytest

    from pytest_irbench.gates.spec import Spec


class _Owner(NamedTuple):
    """Whose a baseline says it is; None for what it does not say."""

    benchmark: str | None
    system: str | None
    gates: str | None


def orphans(config: pytest.Config, items: Sequence[pytest.Item]) -> Iterator[tuple[str, str]]:
    """Give the baselines beside the files of gates that none of their gates is held against.

    Those of a test in Python are left alone, and so is a folder of `--irbench-baselines`, which another
    version of the project wrote.
    """
    baselines = session_of(config).baselines
    if baselines.elsewhere is not None:
        return
    specs = {threshold.spec.path: threshold.spec for item in items if (threshold := gate_of(item))}
    for file, spec in specs.items():
        for path in sorted(baselines.folder_of_gates(file).glob("*.json")):
            if _is_orphan(path, spec):
                name, run = baselines.named(path), baselines.named(run_path(path))
                said = f"{name} belongs to no gate of {baselines.named(file)} that has a max_drop"
                yield name, f"{said}: give its gate one, or delete it with rm '{name}' '{run}'"


def _is_orphan(path: Path, spec: Spec) -> bool:
    owner = _owner(path)
    if owner is None:
        # A damaged file is told by the gate that reads it, if there is one.
        paths = {baseline_path(path.parent, g.benchmark, g.system) for g in spec.gates if g.compared}
        return path not in paths
    if owner.gates is None:
        return False
    gone = not (spec.path.absolute().parent / owner.gates).exists()
    return gone or (owner.gates == spec.path.name and not _has_gate(spec, owner))


def _has_gate(spec: Spec, owner: _Owner) -> bool:
    # A parametrized system is called bm25[fast].
    system = (owner.system or "").partition("[")[0]
    return any((g.benchmark, g.system) == (owner.benchmark, system) and g.compared for g in spec.gates)


def _owner(path: Path) -> _Owner | None:
    """Read whose a baseline is, or give None when it can't be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return _Owner(*(found[key] for key in _Owner._fields))
    except (OSError, ValueError, KeyError, TypeError):
        return None
