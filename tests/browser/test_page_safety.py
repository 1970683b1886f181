"""The page runs nothing but its own script and asks for nothing, whatever a query holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from browsing import draw_all
from small_reports import HOSTILE, query, report, row, shop

from pytest_irbench.gates.detail import Document
from pytest_irbench.reports.report import Failure, TrendPoint

Show = Callable[..., Any]

TEXT = f"{HOSTILE}</script><!--<img src=x onerror=alert(1)>"


def hostile() -> Any:
    document = Document(f"\"'>{TEXT}", 1)
    only = query(TEXT, TEXT, 0.5, 1.0, top=(document,), top_before=(document,), conversation=TEXT, turn=2)
    first = only._replace(query_id="first", turn=1)
    gate = shop()
    detail = gate.detail._replace(
        protocol={TEXT: TEXT},
        stages=(TEXT,),
        queries=(only, first),
        measures=tuple(one._replace(text=TEXT) for one in gate.detail.measures),
    )
    bad = row("failed", sentence=TEXT, explanation=TEXT, nodeid=TEXT, note=TEXT, subject=TEXT)
    trend = (TrendPoint(TEXT, TEXT, TEXT, {TEXT: 0.5}),)
    session = report(gate._replace(system=TEXT, benchmark=TEXT, rows=(bad,), detail=detail, trend=trend))
    return session._replace(problems=(TEXT,), warnings=(TEXT,), failures=(Failure(TEXT, "failed", TEXT),))


def test_it_opens_in_silence_and_asks_for_nothing(show: Show) -> None:
    page = show(report())
    draw_all(page)
    assert page.locator(".drawn").count() == 2
    assert page.title() == "failed: 2 of 3 gates · irbench"


def test_hostile_text_is_shown_and_not_run(show: Show) -> None:
    page = show(hostile(), at="#gate-1")
    draw_all(page)
    assert page.locator(".queries .text").all_inner_texts() == [TEXT, TEXT]
    page.locator(".queries tbody button").first.click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    assert dialog.locator(".asked").inner_text() == TEXT
    assert dialog.locator("li bdi").all_inner_texts() == [f"\"'>{TEXT}"] * 2
    dialog.locator("summary").click()
    assert dialog.locator("details li").inner_text() == TEXT
    page.get_by_role("button", name="Close").click()
    for plot in page.get_by_role("slider").all():
        plot.press("End")
    assert page.get_by_role("option", name=TEXT).count() == 2
    assert page.locator("pre").all_text_contents() == [TEXT, TEXT]
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_a_script_that_got_in_is_not_run(show: Show, noise: list[str]) -> None:
    page = show(report())
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", "<p onclick='window.ran = true' id='trap'>trap</p>");
          document.getElementById("trap").click();
        }"""
    )
    assert page.evaluate("window.ran") is None
    refused = [line for line in noise if "Content Security Policy" in line]
    assert len(refused) == len(noise) == 2
    noise.clear()


def test_nothing_is_loaded_or_sent(show: Show, noise: list[str]) -> None:
    page = show(report())
    failed = page.evaluate("() => fetch('https://example.org/').then(() => false, () => true)")
    assert failed
    assert [line for line in noise if "Content Security Policy" in line]
    noise.clear()


def test_a_query_with_half_a_surrogate_pair_has_an_address(show: Show) -> None:
    gate = shop()
    broken = gate._replace(detail=gate.detail._replace(queries=(query("caf\udce9", "x", 0.5, 1.0),)))
    page = show(report(broken), at="#gate-1")
    page.locator(".queries tbody button").click()
    page.get_by_role("heading", name=r"Query caf\udce9").wait_for()


def test_without_a_script_the_overview_and_the_tables_are_there(show: Show) -> None:
    page = show(report(), java_script_enabled=False)
    assert "failed 2 of 3 gates" in page.locator("h1").inner_text()
    assert page.get_by_text("would pass without q1, 007").is_visible()
    assert page.get_by_role("table").count() == 4
    assert page.get_by_text("A script draws plots and the table of queries here").first.is_visible()
    assert not page.get_by_role("button").count()
