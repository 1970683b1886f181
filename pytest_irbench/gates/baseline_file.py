"""The two files of a stored baseline: ``<benchmark>.<system>.json`` and beside it ``.run.gz``, the run.

The JSON pins the run by its sha256, and is what commits a write. Both files are written whole beside the old
ones, ``.<name>.half``; then the JSON is renamed, then the run. Whoever is killed between the two leaves a run
under its half name, where it is found by its pin.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from pytest_irbench.errors import InputError, clipped
from pytest_irbench.formats.trec import Contents
from pytest_irbench.formats.windows import BOM
from pytest_irbench.gates.baseline import same_value
from pytest_irbench.gates.baseline_text import EDITED, parse, to_text
from pytest_irbench.runs.run import Run
from pytest_irbench.runs.trec import columns_text, packed, parse_columns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_irbench.gates.baseline import Baseline

# What some system refuses in a file name, the escape itself, and halves of surrogate pairs.
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"*/:<>?\\|%\ud800-\udfff]')


_POINTER = b"version https://git-lfs.github.com/"
_NOT_FETCHED = "is a pointer of Git LFS, the file itself was not fetched: run git lfs pull"


class MissingBaselineError(InputError):
    """No baseline is stored under this path."""


def baseline_path(folder: Path, benchmark: str, system: str) -> Path:
    """Return the path of a baseline's JSON; no two pairs of names have the same.

    What can't be part of a file name, and a dot in the benchmark's name, is written as ``%2F``.

    Parameters
    ----------
    folder
        For instance ``irbench-baselines``.
    """
    # The first dot ends the benchmark's name.
    return folder / f"{_escaped(benchmark).replace('.', '%2E')}.{_escaped(system)}.json"


def _escaped(name: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", name)


def run_path(path: Path) -> Path:
    """Return the path of the run file that belongs to a baseline's JSON."""
    return path.with_suffix(".run.gz")


def _half(path: Path) -> Path:
    return path.with_name(f".{path.name}.half")


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write both files of a baseline, or change nothing; the same baseline gives the same bytes.

    A process that is killed meanwhile leaves the old baseline or the new one. Two processes must not write
    the same baseline at one time.

    Parameters
    ----------
    path
        From `baseline_path`; the folder is made when it is not there.

    Raises
    ------
    InputError
        When a file can't be written, an id can't stand in a TREC file, a value is not finite, or the run has
        no documents.
    """
    run = columns_text(baseline.run.columns, baseline.run.name)
    if not run:
        raise InputError("the run has no document for any judged query: there is nothing to store", path)
    # A text that is no Unicode, such as a reason from the command line, becomes an escape of JSON.
    text = to_text(baseline, sha256(run).hexdigest()).encode(errors="backslashreplace")
    finish_write(path)
    halves = {_half(path): text, _half(run_path(path)): packed(run)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for half, content in halves.items():
            _write_through(half, content)
        _half(path).replace(path)
    except OSError as error:
        for half in halves:
            with suppress(OSError):
                half.unlink()
        message = f"cannot be written: {error.strerror or error}; the baseline is as it was"
        raise InputError(message, path) from None
    _place_run(path)


def _write_through(path: Path, content: bytes) -> None:
    """Write a file and wait until it is on the disk: its name must not outrun its content."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def finish_write(path: Path) -> None:
    """Bring a write that was killed to its end: its run is placed if its JSON was, and nothing half is left.

    Parameters
    ----------
    path
        From `baseline_path`.

    Raises
    ------
    InputError
        When the run can't be placed.
    """
    if _waits(path):
        _place_run(path)
    for half in (_half(path), _half(run_path(path))):
        with suppress(OSError):
            half.unlink()


def _waits(path: Path) -> bool:
    """Whether a run under its half name is the one that its JSON pins."""
    try:
        look = _Look.at(path)
        return look.half is not None and _sha256(_unpacked(look.half)) == parse(look.text)[1]
    except InputError:
        return False


def _place_run(path: Path) -> None:
    run = run_path(path)
    try:
        _half(run).replace(run)
    except OSError as error:
        message = (
            f"cannot be replaced: {error.strerror or error}; until then the run is read from {_half(run)}"
        )
        raise InputError(message, run) from None


class _Look(NamedTuple):
    """The content of a baseline's files at one time; None for one that is not there."""

    text: bytes
    run: bytes | None
    half: bytes | None

    @classmethod
    def at(cls, path: Path) -> _Look:
        text = _content(path)
        if text is None:
            raise MissingBaselineError("there is no such baseline", path)
        return cls(text, _content(run_path(path)), _content(_half(run_path(path))))


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path) from None


def read_baseline(path: Path) -> Baseline:
    """Read a stored baseline and check that its run is the one that it was written with.

    Another process may write it meanwhile: then it is the old one or the new one.

    Parameters
    ----------
    path
        Of the JSON.

    Raises
    ------
    MissingBaselineError
        When there is no such file.
    InputError
        With path, and line where there is one, when a file is unreadable, edited, cut short, of a newer
        version, or not the run that belongs here.
    """
    look, before = _Look.at(path), None
    # What does not agree may be the work of a writer between two reads: what is seen twice is not.
    while look != before:
        if look.text.startswith(_POINTER):
            raise InputError(_NOT_FETCHED, path)
        try:
            baseline, pin = parse(look.text)
        except InputError as error:
            raise InputError(error.message, path, error.line, error.column) from None
        for packed_run in (look.run, look.half):
            content = None if packed_run is None else _unpacked(packed_run)
            if content is not None and _sha256(content) == pin:
                return baseline._replace(run=_run(content, run_path(path)))
        look, before = _Look.at(path), look
    raise InputError(_run_fault(look, path), run_path(path))


def _unpacked(content: bytes) -> bytes | None:
    """Return what is packed in a gzip file, or None when it is damaged."""
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


def _sha256(content: bytes | None) -> str | None:
    return None if content is None else sha256(content).hexdigest()


def _run(content: bytes, path: Path) -> Run:
    run = Run(*parse_columns(Contents.of(path, content.removeprefix(BOM))))
    run.source = path
    return run


def _run_fault(look: _Look, path: Path) -> str:
    if look.run is None:
        return f"is missing: it holds the run that belongs to {path.name} and is kept beside it"
    if look.run.startswith(_POINTER):
        return _NOT_FETCHED
    if _unpacked(look.run) is None:
        return "is no gzip file, or a damaged one: it was edited or cut short"
    return f"is not the run that {path.name} was written with: one of the two was replaced without the other"


def check_values(
    baseline: Baseline,
    means: Mapping[str, float],
    values: Mapping[str, Mapping[str, float]],
    path: Path | None = None,
) -> None:
    """Hold the stored values against what the stored run scores.

    Parameters
    ----------
    baseline
        As it was read.
    means
        Measure text -> mean of the stored run.
    values
        Measure text -> query_id -> value of the stored run. Both have all measures of the baseline.
    path
        The file, for the message.

    Raises
    ------
    InputError
        When a value or a mean differs by more than 1e-6, or a query is in one of them only; the first one in
        the order of the file is named.
    """
    measures = baseline.pins.measures
    stored = {query_id for measure in measures for query_id in baseline.values[measure]}
    scored = {query_id for measure in measures for query_id in values[measure]}
    for query_id in sorted(stored | scored):
        name = clipped(query_id)
        if query_id not in stored:
            raise InputError(f"{name} is judged, but has no line here: {EDITED}", path)
        if query_id not in scored:
            raise InputError(f"{name} has a line here, but is not judged: {EDITED}", path)
        for measure in measures:
            _check(name, measure, baseline.values[measure][query_id], values[measure][query_id], path)
    for measure in measures:
        _check("means", measure, baseline.means[measure], means[measure], path)


def _check(name: str, measure: str, stored: float, scored: float, path: Path | None) -> None:
    if not same_value(stored, scored):
        message = f"{name}: {measure} is {stored:.6f} here, but the stored run scores {scored:.6f}: {EDITED}"
        raise InputError(message, path)
