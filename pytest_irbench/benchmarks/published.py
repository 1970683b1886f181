"""Is what lies on disk what was published? ir_datasets never looks again at a file it has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_irbench.errors import DataUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_irbench.benchmarks.benchmark import Topics
    from pytest_irbench.benchmarks.builtin import BenchmarkInfo
    from pytest_irbench.benchmarks.qrels import Qrels


def damaged(path: Path | str, fault: str) -> DataUnavailableError:
    """Build the error for a file that is not the published one."""
    return DataUnavailableError(f"{path} {fault}; delete it and it is fetched again")


def unreadable(path: Path | str, error: Exception) -> DataUnavailableError:
    """Build the error for a file that its reader choked on."""
    if isinstance(path, Path) and path.is_dir():
        return DataUnavailableError(f"{path} is a folder where a file should be: move it away")
    if isinstance(error, PermissionError):
        return DataUnavailableError(f"{path} cannot be read: permission denied")
    if isinstance(path, Path) and path.is_file() and path.stat().st_size == 0:
        return damaged(path, "is empty (0 bytes)")
    cause = (str(error).splitlines() or [""])[0] or type(error).__name__
    return damaged(path, f"cannot be read ({cause}): truncated or edited")


def check_qrels(info: BenchmarkInfo, qrels: Qrels, path: Path) -> None:
    """Compare judgments with their pin.

    Raises
    ------
    DataUnavailableError
        When they differ, saying how as far as can be said.
    """
    if qrels.sha256 == info.qrels_sha256:
        return
    count = f"has {len(qrels):,} judgments, the published file has {info.judgments:,}"
    if len(qrels) < info.judgments:
        raise damaged(path, f"{count}: truncated or edited")
    if len(qrels) > info.judgments:
        raise damaged(path, f"{count}: edited")
    raise damaged(path, f"has {len(qrels):,} judgments as published, but other ids or grades: edited")


def check_candidates(info: BenchmarkInfo, candidates: Mapping[str, Sequence[str]], path: Path) -> None:
    """Compare the number of candidates with what was published.

    Of the passage tasks ir_datasets keeps an extract, whose sha256 nobody publishes; the file of the
    document tasks is packed, and its reader checks the sum inside.

    Raises
    ------
    DataUnavailableError
        When they are fewer or more.
    """
    count = sum(map(len, candidates.values()))
    if count != info.candidates_count:
        fault = "truncated or edited" if count < info.candidates_count else "edited"
        raise damaged(
            path,
            f"has {count:,} candidates for the judged topics, "
            f"the published file has {info.candidates_count:,}: {fault}",
        )


def check_topics(info: BenchmarkInfo, topics: Topics, path: Path) -> None:
    """Compare the judged topics with their pin.

    Raises
    ------
    DataUnavailableError
        When they differ, saying how as far as can be said.
    """
    if topics.sha256 == info.topics_sha256:
        return
    if len(topics) < info.judged:
        raise damaged(path, f"has {len(topics)} of the {info.judged} judged topics: truncated or edited")
    raise damaged(path, "has all judged topics, but the text of some is not the published one: edited")
