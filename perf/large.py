"""Runs of 7 million lines (as MS MARCO dev), each side in a process of its own."""

from __future__ import annotations

import statistics
import subprocess
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from data import make
from measure import Row, Scored, Settings, as_time, check_same, interleaved, ratio, score

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEGABYTES = 120


def plain(settings: Settings) -> Iterator[Row]:
    """File to values with one thread and with two, and the memory that takes."""
    run, qrels = data(settings, "plain")
    one, two, peer = interleaved(
        settings.pairs,
        partial(score, "ours", run, qrels, "1"),
        partial(score, "ours", run, qrels, "2"),
        partial(score, "pytrec_eval", run, qrels),
    )
    check_same([scored.means for scored in one + two + peer])
    title = f"{settings.queries} x 1000, file to values, whole process"
    yield ratio(f"{title}, one thread", times(one), times(peer), 0.14)
    yield ratio(f"{title}, two threads", times(two), times(peer), 0.10)
    most, peers = (max(scored.megabytes for scored in side) for side in (one + two, peer))
    target = f"<= {MEGABYTES} MB"
    yield Row("  peak memory", f"{most:.0f} MB", f"{peers:.0f} MB", "-", target, most <= MEGABYTES)


def form(name: str, title: str, limit: float, settings: Settings) -> Iterator[Row]:
    """Score another form of the same data, with one thread and with two."""
    run, qrels = data(settings, name)
    one, two, peer = interleaved(
        settings.pairs,
        partial(score, "ours", run, qrels, "1"),
        partial(score, "ours", run, qrels, "2"),
        partial(unpacked_first if name == "gz" else score, "pytrec_eval", run, qrels),
    )
    # pytrec_eval rounds scores to float32: of 17 digits it may see ties that are none.
    check_same([scored.means for scored in one + two + peer], 1e-4 if name == "digits" else 1e-9)
    yield ratio(f"  {title}, one thread", times(one), times(peer), limit)
    yield ratio(f"  {title}, two threads", times(two), times(peer), limit)


def ir_measures(settings: Settings) -> Iterator[Row]:
    """Compare with ir_measures, whole process."""
    run, qrels = data(settings, "plain")
    two, theirs = interleaved(
        settings.pairs, partial(score, "ours", run, qrels, "2"), partial(score, "ir_measures", run, qrels)
    )
    check_same([scored.means for scored in two + theirs])
    yield ratio("  against ir_measures, whole process, two threads", times(two), times(theirs), 0.08)


def ranx(settings: Settings) -> Iterator[Row]:
    """Compare with ranx when it is warm, so without the start of either process."""
    run, qrels = data(settings, "plain")
    small = make(settings.folder, 20, 1000, judged=4)
    two, theirs = interleaved(
        settings.pairs, partial(score, "ours", run, qrels, "2"), partial(score, "ranx", run, qrels, *small)
    )
    # ranx orders tied documents in a way of its own.
    check_same([scored.means for scored in two + theirs], 1e-6)
    inside = [[scored.inside for scored in side] for side in (two, theirs)]
    yield ratio("  against ranx, warm, without start and imports, two threads", *inside, 0.05)


def growth(settings: Settings) -> Iterator[Row]:
    """Time per line beside the size before, and peak memory beside the lowest; values are kept per query."""
    sizes = [size for size in (500, 1000, 2000) if size < settings.queries] + [settings.queries]
    works = [partial(score, "ours", *data(replace(settings, queries=size), "plain"), "1") for size in sizes]
    seen: list[tuple[int, float, float]] = []
    for size, side in zip(sizes, interleaved(settings.pairs, *works), strict=True):
        lines = 1000 * size
        seconds = statistics.median(scored.inside for scored in side)
        peak = max(scored.megabytes for scored in side)
        ours = f"{as_time(seconds / lines, 0)} {peak:.0f} MB"
        row = Row(f"growth: {size} x 1000, per line, and peak", ours)
        if seen:
            lines_before, seconds_before, _ = seen[-1]
            slower = (seconds / lines) / (seconds_before / lines_before)
            larger = peak / min(megabytes for _, _, megabytes in seen)
            each = as_time((seconds - seconds_before) / (lines - lines_before), 0)
            result = f"{slower:.2f}x {larger:.2f}x +{each}/line"
            row = replace(row, result=result, target="1.2x 1.5x", met=slower <= 1.2 and larger <= 1.5)
        seen.append((lines, seconds, peak))
        yield row


def data(settings: Settings, name: str) -> tuple[Path, Path]:
    """Make a run and its qrels, with few judgments, as MS MARCO has."""
    return make(settings.folder, settings.queries, 1000, judged=4, form=name)


def times(side: list[Scored]) -> list[float]:
    """Return the seconds of each process."""
    return [scored.seconds for scored in side]


def unpacked_first(side: str, run: Path, qrels: Path) -> Scored:
    """Score a packed run with a peer that can't read one; unpacking counts."""
    unpacked = run.with_suffix(".unpacked")
    begin = time.perf_counter()
    with unpacked.open("wb") as file:
        subprocess.run(["gunzip", "-c", str(run)], stdout=file, check=True)
    unpacking = time.perf_counter() - begin
    scored = score(side, unpacked, qrels)
    unpacked.unlink()
    return replace(scored, seconds=unpacking + scored.seconds)


ROWS = {
    "plain": plain,
    "long-ids": partial(form, "long-ids", "ids of 12 to 45 characters", 0.17),
    "shuffled": partial(form, "shuffled", "lines in any order", 0.25),
    "padded": partial(form, "padded", "tabs and padding", 0.25),
    "digits": partial(form, "digits", "scores of 17 digits", 0.25),
    "gz": partial(form, "gz", "packed, against gunzip and pytrec_eval", 0.25),
    "ir_measures": ir_measures,
    "ranx": ranx,
    "growth": growth,
}
