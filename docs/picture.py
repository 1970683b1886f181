"""Photograph the top of a report: python docs/picture.py report.html docs/report.png."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SIZE = {"width": 1180, "height": 820}


def picture(report: Path, image: Path) -> None:
    """Open a report in chromium and keep what is seen first.

    Parameters
    ----------
    report, image
        The page, and the PNG that is written.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(report.resolve().as_uri())
        page.screenshot(path=image)
        browser.close()


if __name__ == "__main__":
    picture(Path(sys.argv[1]), Path(sys.argv[2]))
