"""Text for a log that GitHub Actions reads: what others wrote is no command there."""

from __future__ import annotations

import os
import re

# Of the older form wherever it stands, of the newer one where a line begins, blanks aside.
_OLDER, _NEWER = re.compile(r"#(?=#\[)"), re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)


def logged(text: str) -> str:
    """Write as an escape what the runner would take for a workflow command; elsewhere it stays as it is.

    An id such as ``::stop-commands::x`` would else hide the marks of a session, and ``::add-mask::passed``
    its verdicts.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return _NEWER.sub(r"\1\\x3a", _OLDER.sub(r"\\x23", text))
