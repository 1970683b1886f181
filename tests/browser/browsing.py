"""What the tests of the page share."""

from __future__ import annotations

import os
from typing import Any

import pytest

REQUIRED = os.environ.get("IRBENCH_BROWSER") == "required"


def absent(why: str) -> None:
    """Skip, but never where a browser is required."""
    if REQUIRED:
        pytest.fail(f"IRBENCH_BROWSER=required, but {why}")
    pytest.skip(why)


def drawn(page: Any, gate: str) -> None:
    """Wait until what is in view of a gate is drawn, with its plots."""
    if page.locator(f"{gate} .explorer").count():
        page.locator(f"{gate} .explorer.drawn").wait_for()
    if page.locator(f"{gate} .plot").count():
        page.locator(f"{gate} .plot svg").first.wait_for(state="attached")


def draw_all(page: Any) -> None:
    """Have every gate drawn, which happens when it comes into view."""
    for box in page.locator(".explorer").all():
        box.scroll_into_view_if_needed()
        box.and_(page.locator(".drawn")).wait_for()
