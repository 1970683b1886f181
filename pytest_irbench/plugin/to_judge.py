"""The documents that a verdict depends on, as a file to fill in beside the file of the gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_irbench.errors import InputError, clipped

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_irbench.gates.kinds import ThresholdSpec
    from pytest_irbench.gates.measured import MeasuredGate
    from pytest_irbench.plugin.session import IrbenchSession

FOLDER = "irbench-to-judge"
_SHOWN = 10


def told(
    session: IrbenchSession, threshold: ThresholdSpec, gate: MeasuredGate, folder: Path, name: str
) -> str:
    """Write the documents to judge, and say which and where.

    Parameters
    ----------
    threshold, gate
        What depends on judgments.
    folder
        That of the file of the gates.
    name
        The system and the threshold: no two tests of a benchmark have the same.
    """
    from pytest_irbench.gates.baseline_file import baseline_path
    from pytest_irbench.gates.uncertain import pairs_to_judge
    from pytest_irbench.measures.to_judge import write_to_judge

    pairs = pairs_to_judge(threshold, gate)
    path = baseline_path(folder / FOLDER, gate.benchmark.name, name).with_suffix(".qrels")
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
