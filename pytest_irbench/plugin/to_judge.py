"""The documents that a verdict depends on, as a file to fill in, in pytest's root folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError, clipped

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_irbench.gates.kinds import ThresholdSpec
    from pytest_irbench.plugin.collect import Measured
    from pytest_irbench.plugin.session import IrbenchSession

FOLDER = "irbench-to-judge"
_SHOWN = 10


def told(session: IrbenchSession, threshold: ThresholdSpec, measured: Measured, gates: Path) -> str:
    """Write the documents to judge, and say which and where.

    Parameters
    ----------
    threshold, measured
        What depends on judgments.
    gates
        The file of gates. What stands in a folder below the root gets one here, too: another file may
        have the same gate.
    """
    from pytest_irbench.gates.baseline_file import baseline_path
    from pytest_irbench.gates.uncertain import pairs_to_judge
    from pytest_irbench.measures.to_judge import write_to_judge

    pairs = pairs_to_judge(threshold, measured.gate)
    root = session.config.rootpath
    below = gates.parent.relative_to(root) if gates.is_relative_to(root) else ""
    name = f"{measured.gate.scores.judged.run.name}-{threshold.name}"
    path = baseline_path(root / FOLDER / below, measured.gate.benchmark.name, name).with_suffix(".qrels")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_to_judge(path, pairs)
        where = f"written to {session.baselines.named(path)}, to fill in and add to the qrels"
    except (InputError, OSError) as error:
        where = f"no file was written: {error}"
    shown = [f"  {clipped(query_id)} {clipped(doc_id)}" for query_id, doc_id in pairs[:_SHOWN]]
    more = [f"  and {len(pairs) - _SHOWN} more"] if len(pairs) > _SHOWN else []
    many = "1 document decides" if len(pairs) == 1 else f"{len(pairs)} documents decide"
    return "\n".join(["", f"{many} it, {where}:", *shown, *more])
