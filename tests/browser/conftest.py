"""The page in a real browser, which must stay silent and ask for nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import REQUIRED, absent, drawn
from large_reports import large

from pytest_irbench.reports.page.html import html
from pytest_irbench.reports.report import Report


# For a module, not for the session: while it is open, its event loop would be found running by tests of
# other folders that start their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by playwright."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        absent("there is no chromium")
    if not REQUIRED:
        pytest.importorskip("playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        launched = playwright.chromium.launch(executable_path=program, args=arguments)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of seven thousand queries."""
    path = tmp_path_factory.mktemp("large") / "report.html"
    path.write_text(html(large()), encoding="utf-8")
    return path


@pytest.fixture
def noise() -> list[str]:
    """What pages said, asked for or threw; a test that wants some takes it out."""
    return []


@pytest.fixture
def show(browser: Any, tmp_path: Path, noise: list[str]) -> Iterator[Callable[..., Any]]:
    """Opens a report, or a page that is written already, and holds it to be silent."""
    contexts = []

    def show(report: Report | Path, *, at: str = "", width: int = 1280, **options: Any) -> Any:
        path = report
        if isinstance(report, Report):
            path = tmp_path / f"report{len(contexts)}.html"
            path.write_text(html(report), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: noise.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: noise.append(f"threw: {error}"))
        page.on("dialog", lambda dialog: (noise.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request", lambda request: request.url.split("#")[0] == path.as_uri() or noise.append(request.url)
        )
        page.goto(f"{path.as_uri()}{at}")
        if at:
            drawn(page, at.split("/")[0])
        return page

    yield show
    for context in contexts:
        context.close()
    assert noise == []
