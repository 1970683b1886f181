"""The page for every reader: by keyboard, by ear, in the dark, on a phone, on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import REQUIRED, draw_all
from small_reports import HOSTILE, query, report, row, shop

Show = Callable[..., Any]

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = "(tags) => axe.run({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })"
SMALL = """() => [...document.querySelectorAll("button, select, input, summary")]
  .map((one) => [one.textContent || one.tagName, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    if not REQUIRED:
        pytest.importorskip("axe_playwright_python")
    from axe_playwright_python.base import AXE_SCRIPT

    return AXE_SCRIPT


def violations(page: Any, axe: str) -> list[str]:
    page.evaluate(axe)
    found = page.evaluate(RULES, TAGS)["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(show: Show, axe: str, theme: str, width: int) -> None:
    page = show(report(), width=width, color_scheme=theme)
    draw_all(page)
    for details in page.locator("main summary").all():
        details.click()
    page.get_by_role("slider").first.press("ArrowRight")
    assert violations(page, axe) == []
    page.evaluate("location.hash = '#gate-2/query=31_2'")
    page.locator("dialog summary").click()
    assert violations(page, axe) == []


def test_axe_finds_nothing_on_a_page_without_gates(show: Show, axe: str) -> None:
    page = show(report()._replace(gates=(), passed=True, problems=(), warnings=(), failures=()))
    assert violations(page, axe) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_whatever_is_pressed_is_large_enough(show: Show, width: int) -> None:
    page = show(report(), width=width)
    draw_all(page)
    page.get_by_role("slider").first.press("ArrowRight")
    assert page.evaluate(SMALL) == []
    page.evaluate("location.hash = '#gate-2/query=31_2'")
    page.get_by_role("dialog").wait_for()
    assert page.evaluate(SMALL) == []


def test_a_phone_never_scrolls_sideways(show: Show, large_page: Path) -> None:
    long = HOSTILE.replace(" ", "") * 20
    gate = shop()
    wide = gate._replace(
        rows=(row("failed", sentence=long, nodeid=long, subject=long, explanation=long),),
        detail=gate.detail._replace(
            queries=(query(long, long, 0.5, 1.0),), protocol={long: long}, stages=(long,)
        ),
    )
    for session in (report(), large_page, report(wide)):
        page = show(session, width=390)
        draw_all(page)
        for details in page.locator("main summary").all():
            details.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator(".queries tbody button").first.click()
        page.get_by_role("dialog").wait_for()
        assert page.evaluate("document.querySelector('dialog').scrollWidth") <= 390


def test_on_a_phone_an_explanation_is_broken_into_lines(show: Show) -> None:
    page = show(report(), width=390)
    page.locator("main summary").first.click()
    explanation = page.locator("main pre").first
    assert explanation.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_what_is_not_drawn_yet_takes_little_room(show: Show) -> None:
    page = show(report(shop(), shop()), width=390)
    waiting = page.locator("#gate-2 .explorer:not(.drawn)")
    assert waiting.bounding_box()["height"] < 100


def test_the_first_tab_skips_to_the_overview(show: Show) -> None:
    page = show(report())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the overview"
    page.keyboard.press("Enter")
    assert page.url.endswith("#overview")


def ground(page: Any) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_theme_follows_the_system_and_a_button_that_is_remembered(show: Show) -> None:
    page = show(report(), color_scheme="dark")
    dark = ground(page)
    page.emulate_media(color_scheme="light")
    light = ground(page)
    assert light == "rgb(255, 255, 255)" != dark
    page.get_by_role("button", name="Switch to dark").click()
    assert ground(page) == dark
    page.reload()
    assert ground(page) == dark
    page.get_by_role("button", name="Switch to light").click()
    assert ground(page) == light


def test_the_theme_switches_where_nothing_may_be_kept(show: Show) -> None:
    page = show(report(), color_scheme="light")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('forbidden'); }; }")
    page.get_by_role("button", name="Switch to dark").click()
    assert page.get_by_role("button", name="Switch to light").is_visible()


def test_the_command_of_a_red_threshold_is_copied(show: Show) -> None:
    page = show(report(), permissions=["clipboard-read", "clipboard-write"])
    copy = page.locator(".command button").first
    copy.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == 'pytest --irbench=all "irbench.yaml::bm25[shop-nDCG@10-max_drop]"'
    )


def test_where_nothing_can_be_copied_the_command_is_selected(show: Show) -> None:
    page = show(report())
    page.evaluate("() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); }")
    page.locator(".command button").first.click()
    page.get_by_role("button", name="Selected").wait_for()
    assert (
        page.evaluate("String(getSelection())")
        == 'pytest --irbench=all "irbench.yaml::bm25[shop-nDCG@10-max_drop]"'
    )


def test_paper_has_the_tables_and_no_controls(show: Show) -> None:
    page = show(report(), color_scheme="dark")
    draw_all(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    controls = page.locator("button:not(th button), select, input, .skip, header")
    assert [one for one in controls.all() if one.is_visible()] == []
    assert ground(page) == "rgb(255, 255, 255)"
    assert page.get_by_role("table").count() == 6
    assert page.locator("main pre").last.is_visible()
    assert page.locator("dl").first.is_visible()
