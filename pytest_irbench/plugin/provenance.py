"""Where a baseline comes from: the day, the versions, the commit."""

from __future__ import annotations

import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_irbench.gates.baseline import Provenance

_PATIENCE = 10  # seconds


def provenance(reason: str, folder: Path) -> Provenance:
    """Tell where a baseline that is made now comes from.

    Parameters
    ----------
    reason
        Why it is accepted.
    folder
        A folder of the project, for its git commit.
    """
    from pytest_irbench.gates.baseline import Provenance

    versions = {name: version(name) for name in ("pytest-irbench", "numpy")}
    versions["python"] = platform.python_version()
    day = datetime.now(UTC).date().isoformat()
    return Provenance(day, " ".join(reason.split()), versions, commit(folder))


def commit(folder: Path) -> str | None:
    """Return the git commit that a folder is at, or None where there is none."""
    git = shutil.which("git")
    if git is None:
        return None
    asked = [git, "-C", str(folder), "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603 - no input of others
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
