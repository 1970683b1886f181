"""Measure what pytest-irbench costs beside its peers, and print one table."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import comparison
import large
import session
import small
from measure import Settings, print_header

ROWS = large.ROWS | small.ROWS | comparison.ROWS | session.ROWS
PACKAGES = ("numpy", "pytest", "pytrec_eval-terrier", "ir_measures", "scipy", "ranx", "numba")


def main() -> None:
    """Run the chosen rows."""
    parser = argparse.ArgumentParser(prog="python perf", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"all by default: {' '.join(ROWS)}")
    parser.add_argument("--folder", type=Path, help="keep the data here; by default a temporary folder")
    parser.add_argument(
        "--pairs", type=int, default=5, help="pairs of large runs; short works have ten times as many"
    )
    parser.add_argument("--queries", type=int, default=6980, help="queries of large runs, each of 1000 lines")
    parser.add_argument("--home", type=Path, help="a folder as IR_DATASETS_HOME that has dl20-passage")
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"unknown rows: {' '.join(unknown)}; there are {' '.join(ROWS)}")
    print(f"Python {platform.python_version()}, {os.cpu_count()} CPUs, {options.pairs} pairs; {versions()}")
    print()
    print_header()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folder = options.folder or scratch / "data"
        settings = Settings(folder, scratch, options.queries, options.pairs, options.home)
        for row_name in options.rows or ROWS:
            for row in ROWS[row_name](settings):
                row.print()


def versions() -> str:
    """Say which peers these are."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return ", ".join(found)


if __name__ == "__main__":
    main()
