"""The files behind a handler of ir_datasets, which has no public way to ask for them.

Its classes are told by their names, so that nothing of ir_datasets is imported here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_irbench.benchmarks.fetching import DataFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KEEPERS = {"Cache", "TarExtractAll", "ZipExtractCache"}


def files_of(part: Any) -> Iterator[DataFile]:
    """Find the files that a handler reads.

    Parameters
    ----------
    part
        A handler, or what it is made of.
    """
    kinds = _kinds(part)
    if "Download" in kinds:
        kept_at = part._cache_path  # noqa: SLF001 - its path() would download what has no place of its own
        path = Path(kept_at) if kept_at else None
        url = next((source.url for source in part.mirrors if hasattr(source, "url")), "")
        yield DataFile(path, url, part.path, part.dua)
        return
    inside = part if isinstance(part, list) else list(getattr(part, "__dict__", {}).values())
    ours = (piece for piece in inside if _is_of_ir_datasets(piece) and "BaseDocs" not in _kinds(piece))
    found = [file for piece in ours for file in files_of(piece)]
    if found and kinds & _KEEPERS:
        # What it unpacks is kept; what it unpacks from is needed only until then.
        kept = Path(part.path(force=False))
        yield DataFile(kept, found[0].url, part.path, found[0].terms, form_of(part))
    else:
        yield from found


def form_of(store: Any) -> str:
    """Say what ir_datasets keeps of a download; empty where that is the download itself.

    Parameters
    ----------
    store
        Its object that fetches a file and opens it.
    """
    if not _kinds(store) & _KEEPERS:
        return ""
    inside = getattr(store, "_streamer", None)
    return "unpacked, its first two columns alone" if "ExtractQidPid" in _kinds(inside) else "unpacked"


def place_of(files: Sequence[DataFile], dataset_id: str) -> Path | str:
    """Name the file that is read, or the data set when ir_datasets keeps none."""
    return next((file.path for file in files if file.path), dataset_id)


def _kinds(part: Any) -> set[str]:
    return {kind.__name__ for kind in type(part).__mro__}


def _is_of_ir_datasets(part: Any) -> bool:
    return isinstance(part, list) or type(part).__module__.startswith("ir_datasets.")
