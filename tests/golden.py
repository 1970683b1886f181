"""Whole reports that are kept as files, to be read when they change.

They are renewed by ``IRBENCH_GOLDEN=write python -m pytest tests/reports``: look at the difference before you
commit it. Without that variable nothing is ever written, and a file that is missing fails its test.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "reports" / "golden"


def golden(name: str, text: str) -> str:
    """Give what the file of this name holds; with ``IRBENCH_GOLDEN=write`` it holds `text` from now on."""
    path = FOLDER / name
    if os.environ.get("IRBENCH_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.is_file(), f"{path} is missing: IRBENCH_GOLDEN=write python -m pytest tests/reports"
    return path.read_text(encoding="utf-8")
