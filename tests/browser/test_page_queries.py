"""What a reader does with the page: look at plots, find queries, open them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_reports import chat, query, report, row, shop

from pytest_irbench.gates.detail import MeasureDetail, QueryDetail
from pytest_irbench.reports.page import data
from pytest_irbench.reports.report import ReportedGate, TrendPoint

Show = Callable[..., Any]

FILTER = """([selector, text]) => {
  const search = document.querySelector(selector);
  const start = performance.now();
  search.value = text;
  search.dispatchEvent(new Event("input"));
  document.body.offsetHeight;
  return performance.now() - start;
}"""
SORT = """(title) => {
  const button = [...document.querySelectorAll("th button")].find((one) => one.textContent === title);
  const start = performance.now();
  button.click();
  document.body.offsetHeight;
  return performance.now() - start;
}"""


def ids(page: Any, gate: int = 1) -> list[str]:
    return page.locator(f"#gate-{gate} .queries tbody th").all_inner_texts()


def opened(page: Any, query_id: str) -> None:
    """Wait until a query is open: its address is followed a moment after a click."""
    page.get_by_role("heading", name=f"Query {query_id}", exact=True).wait_for()


def closed(page: Any) -> None:
    page.locator("dialog").wait_for(state="hidden")


def focused(page: Any, what: str, value: str) -> None:
    """Wait until what has the focus is so: a closed dialog hands it back a moment later."""
    page.wait_for_function(f"(value) => document.activeElement.{what} === value", arg=value)


def ordered(page: Any, title: str) -> list[str]:
    page.get_by_role("button", name=title, exact=True).click()
    return ids(page)


def of(*queries: QueryDetail, held: bool = True, **fields: object) -> ReportedGate:
    gate = shop()
    measures = (
        gate.detail.measures if held else tuple(one._replace(baseline=None) for one in gate.detail.measures)
    )
    known = {"queries": queries, "measures": measures, "baseline": gate.detail.baseline if held else None}
    return gate._replace(detail=gate.detail._replace(**{**known, **fields}), trend=())


# The table


def test_queries_are_sorted_by_change_the_worst_first(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    assert ids(page) == ["q1", "007", "1e5", "31_1"]
    cells = page.locator(".queries tbody tr").first.locator("th, td").all_inner_texts()
    assert cells[:4] == ["q1", "1.0000", "0.5000", "-0.5000"]


def test_a_click_on_a_header_sorts_and_a_second_turns_it_round(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    assert ordered(page, "now") == ["q1", "1e5", "007", "31_1"]
    heads = page.locator(".queries thead th")
    assert [head.get_attribute("aria-sort") for head in heads.all()] == [
        "none",
        "none",
        "ascending",
        "none",
        "none",
    ]
    assert ordered(page, "now") == ["31_1", "007", "q1", "1e5"]
    assert heads.nth(2).get_attribute("aria-sort") == "descending"
    assert ordered(page, "query") == ["1e5", "007", "31_1", "q1"]
    assert ordered(page, "text")[0] == "q1"


def test_turns_are_a_column_of_conversations(show: Show) -> None:
    page = show(report(chat()), at="#gate-1")
    page.get_by_role("button", name="turn", exact=True).click()
    assert ids(page) == ["31_1", "32_1", "31_2", "32_2"]


def test_unknown_values_come_last_both_ways(show: Show) -> None:
    page = show(
        report(of(query("a", "x", 0.2, None), query("b", "x", 0.2, 0.5), query("c", "x", 0.2, 0.4))),
        at="#gate-1",
    )
    assert ids(page) == ["b", "c", "a"]
    assert ordered(page, "change") == ["c", "b", "a"]


def test_queries_are_found_by_id_and_text_in_any_case(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    search = page.get_by_label("Find")
    search.fill("JAMES")
    assert ids(page) == ["007"]
    assert page.locator(".count").inner_text() == "1 of 4 queries"
    search.fill("31_")
    assert ids(page) == ["31_1"]
    search.fill("nothing like it")
    assert page.get_by_text("No query fits.").is_visible()


def test_queries_are_filtered_by_what_happened_to_them(show: Show) -> None:
    queries = (
        query("worse", "", 0.2, 0.5),
        query("better", "", 0.6, 0.5, top=query("", "", 0, 0).top[:1]),
        query("noise", "", 0.1 + 0.2, 0.3),
        query("empty", "", 0.0, 0.0, top=()),
    )
    page = show(report(of(*queries)), at="#gate-1")
    found = {}
    for name in ("worse", "better", "same", "empty", "unjudged", "all"):
        page.get_by_role("combobox", name="Show").select_option(name)
        found[name] = ids(page)
    assert found == {
        "worse": ["worse"],
        "better": ["better"],
        "same": ["empty", "noise"],
        "empty": ["empty"],
        "unjudged": ["worse", "noise"],
        "all": ["worse", "empty", "noise", "better"],
    }


def test_what_is_looked_for_stays_when_the_measure_changes(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    page.get_by_label("Find").fill("what")
    page.get_by_role("combobox", name="Show").select_option("better")
    page.get_by_label("Measure").select_option("R@1000")
    assert ids(page) == []
    page.get_by_role("combobox", name="Show").select_option("all")
    assert ids(page) == ["31_1"]


def test_fifty_rows_are_shown_at_once(show: Show, large_page: Path) -> None:
    page = show(large_page, at="#gate-1")
    assert len(ids(page)) == 50
    more = page.get_by_role("button", name="Show 50 more of 6,950")
    more.click()
    assert len(ids(page)) == 100
    focused(page, "textContent", ids(page)[50])


def test_seven_thousand_queries_are_filtered_and_sorted_at_once(show: Show, large_page: Path) -> None:
    page = show(large_page, at="#gate-1")
    page.get_by_label("Find").wait_for()
    assert page.evaluate(FILTER, ["input[type=search]", "throat"]) < 100
    assert "of 7,000" in page.locator(".count").inner_text()
    assert page.evaluate(FILTER, ["input[type=search]", ""]) < 100
    assert page.evaluate(SORT, "baseline") < 100
    assert page.evaluate(SORT, "text") < 250


def test_seven_thousand_bars_are_a_few_paths(show: Show, large_page: Path) -> None:
    page = show(large_page, at="#gate-1")
    assert 1 <= page.locator(".plot path").count() <= 6
    assert page.locator("*").count() < 1500


def test_numbers_are_rounded_as_python_rounds(show: Show) -> None:
    values = (1 / 32, 3 / 32, 5 / 32, 0.61255, 0.1 + 0.2, 2 / 3)
    page = show(
        report(of(*(query(f"{place}", "", value, 0.0) for place, value in enumerate(values)))), at="#gate-1"
    )
    ordered(page, "query")
    shown = [row.locator("td").nth(1).inner_text() for row in page.locator(".queries tbody tr").all()]
    assert shown == [f"{value:.4f}" for value in values]


def test_small_changes_are_not_none_and_counts_are_whole(show: Show) -> None:
    count = MeasureDetail("NumRelRet", None, 5, 7, 1, 0, 1, ())
    queries = (query("a", "", 3, 5), query("b", "", 2 + 1e-6, 2))
    page = show(report(of(*queries, measures=(count, count))), at="#gate-1")
    assert page.locator(".queries tbody tr").first.locator("td").all_inner_texts()[:3] == ["5", "3", "-2"]
    plain = show(report(of(query("b", "", 0.2 + 1e-6, 0.2))), at="#gate-1")
    assert plain.locator(".queries tbody td").nth(2).inner_text() == "+1.0e-6"


# The plots


def test_a_bar_tells_its_query_by_pointer_and_a_click_opens_it(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    plot = page.get_by_role("slider", name="Change by query")
    plot.hover(position={"x": 60, "y": 40})
    assert page.locator(".said").first.inner_text().startswith("q1: 1.0000 → 0.5000 (-0.5000) · <script>")
    plot.click(position={"x": 60, "y": 40})
    opened(page, "q1")


def test_a_tap_tells_and_the_button_opens(show: Show) -> None:
    page = show(report(shop()), at="#gate-1", width=390, has_touch=True)
    page.get_by_role("slider", name="Change by query").tap(position={"x": 60, "y": 40})
    page.get_by_text("q1: 1.0000 → 0.5000").wait_for()
    closed(page)
    page.get_by_role("button", name="Open this query").tap()
    opened(page, "q1")


def test_arrow_keys_walk_over_the_bars_and_enter_opens(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    plot = page.get_by_role("slider", name="Change by query")
    plot.focus()
    told = []
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft", "Home", "PageDown", "x"):
        plot.press(key)
        told.append(plot.get_attribute("aria-valuetext").split(":")[0])
    assert told == ["q1", "007", "31_1", "1e5", "q1", "31_1", "31_1"]
    plot.press("Enter")
    opened(page, "31_1")
    page.keyboard.press("Escape")
    focused(page, "getAttribute('role')", "slider")


def test_without_a_baseline_values_are_drawn_and_nothing_is_compared(show: Show) -> None:
    page = show(report(of(query("a", "", 0.2, None), query("b", "", 0.1, None), held=False)), at="#gate-1")
    assert page.get_by_role("slider", name="Value by query. 2 queries, the lowest first.").is_visible()
    assert page.locator(".queries thead th").all_inner_texts()[:2] == ["query", "value"]
    assert ids(page) == ["b", "a"]
    page.get_by_role("button", name="b", exact=True).click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator("th").all_inner_texts() == ["measure", "value", "nDCG@10", "R@1000"]
    assert dialog.locator("h4").all_inner_texts() == ["This run"]
    assert dialog.get_by_text("was").count() == 0


def test_where_nothing_changed_the_plot_says_so(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    page.get_by_label("Measure").select_option("R@1000")
    assert page.get_by_text("No query changed.").is_visible()


def test_values_are_counted_on_one_scale(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    plot = page.get_by_role("slider", name="Queries by value. Median 0.7000 → 0.5750; 0 queries at 0.")
    plot.press("Home")
    assert plot.get_attribute("aria-valuetext") == "0 to 0.05: 0 queries, baseline 0"
    plot.press("End")
    assert plot.get_attribute("aria-valuetext") == "0.95 to 1: 0 queries, baseline 1"


def test_conversations_are_drawn_by_turn(show: Show) -> None:
    page = show(report(chat()), at="#gate-1")
    plot = page.get_by_role("slider", name="Values by turn. From 0.8000 at turn 1 to 0.4000 at turn 2.")
    plot.press("End")
    assert plot.get_attribute("aria-valuetext") == "turn 2: 0.4000, baseline 0.4000 (2 queries)"


def test_a_trend_ends_with_this_session(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    plot = page.get_by_role("slider", name="nDCG@10. 3 sessions: lowest 0.6125, highest 0.7500.")
    plot.press("Home")
    assert plot.get_attribute("aria-valuetext") == "2026-11-28 09:00 UTC, aaaaaaaaaaaa: 0.7400 (gate passed)"
    plot.press("End")
    assert (
        plot.get_attribute("aria-valuetext")
        == "this session, 2026-11-30 19:40 UTC, 89abcdef0123: 0.6125 (gate failed)"
    )
    assert page.get_by_role("slider", name="R@1000. 3 sessions: always 1.0000.").count() == 1
    new = TrendPoint("2026-11-29T09:00:00+00:00", None, "passed", {"AP": 0.5})
    page = show(report(shop()._replace(trend=(new,))), at="#gate-1")
    assert page.get_by_role("slider", name="AP. 1 session: 0.5; this session has no value.").count() == 1
    assert page.get_by_role("slider", name="q1: d9").count() == 0


def test_a_trend_without_a_value_in_this_session_says_so_and_draws_no_point(show: Show) -> None:
    page = show(report(shop()._replace(rows=(row("error", value=None),))), at="#gate-1")
    said = "2 sessions: lowest 0.7400, highest 0.7500; this session has no value."
    plot = page.get_by_role("slider", name=f"nDCG@10. {said}")
    assert plot.locator("circle").count() == 2
    plot.press("End")
    assert plot.get_attribute("aria-valuetext").endswith("89abcdef0123: no value (gate error)")


def test_sessions_of_one_day_are_told_apart_by_their_times(show: Show) -> None:
    ends = ends_of(show(report(shop()), at="#gate-1"))
    assert ends == ["2026-11-28", "2026-11-30"]
    morning = TrendPoint("2026-11-30T09:00:00+00:00", None, "passed", {"nDCG@10": 0.7})
    ends = ends_of(show(report(shop()._replace(trend=(morning,))), at="#gate-1"))
    assert ends == ["2026-11-30 09:00", "2026-11-30 19:40"]


def ends_of(page: Any) -> list[str]:
    """Return what stands at both ends of the axis of sessions."""
    page.locator(".trends svg").first.wait_for(state="attached")
    return page.locator(".trends svg").first.locator("text").all_text_contents()[-2:]


def test_the_axis_reaches_a_tick_beyond_all_values(show: Show) -> None:
    queries = (query("a", "", 0.305, 0.5), query("b", "", 0.587, 0.5))
    page = show(report(of(*queries)), at="#gate-1")
    labels = page.locator(".plot svg").first.locator("text").all_text_contents()
    assert labels == ["-0.2", "-0.15", "-0.1", "-0.05", "0", "0.05", "0.1"]


def test_plots_are_drawn_anew_when_the_window_changes(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function("document.querySelector('.plot svg').clientWidth < 390")


# A query


def test_a_query_is_opened_by_mouse_and_escape_brings_back(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    page.get_by_role("button", name="007", exact=True).click()
    dialog = page.get_by_role("dialog", name="Query 007")
    assert "james bond" in dialog.inner_text()
    assert page.evaluate("location.hash") == "#gate-1/query=007"
    page.keyboard.press("Escape")
    closed(page)
    page.wait_for_function("location.hash === '#gate-1'")
    focused(page, "textContent", "007")


def test_a_query_is_opened_by_keyboard(show: Show) -> None:
    page = show(report(shop()), at="#gate-1")
    page.get_by_role("button", name="1e5", exact=True).press("Enter")
    opened(page, "1e5")
    focused(page, "textContent", "Close")
    page.keyboard.press("Enter")
    closed(page)


def test_a_query_has_an_address(show: Show) -> None:
    page = show(report(), at="#gate-2/query=31_2")
    dialog = page.get_by_role("dialog", name="Query 31_2")
    assert "conversation 31, turn 2" in dialog.inner_text()
    page.keyboard.press("Escape")
    focused(page, "id", "gate-2")
    page.evaluate("location.hash = '#gate-1/query=q1'")
    opened(page, "q1")
    page.go_back()
    closed(page)


@pytest.mark.parametrize(
    ("at", "name"),
    [
        ("#gate-1/query=missing", "missing"),
        ("#gate-9/query=q1", "q1"),
        ("#gate-3/query=q1", "q1"),
        ("#gate-1/query=%E0%A4%A", "%E0%A4%A"),
    ],
)
def test_an_address_of_nothing_says_so(show: Show, at: str, name: str) -> None:
    page = show(report(), at=at)
    dialog = page.get_by_role("dialog", name=f"Query {name}")
    assert f"Gate {at[6]} of this page has no such query." in dialog.inner_text()
    page.keyboard.press("Escape")
    closed(page)


def test_an_address_of_nothing_is_told_where_a_query_is_open(show: Show) -> None:
    page = show(report(), at="#gate-1/query=q1")
    page.evaluate("location.hash = '#gate-1/query=missing'")
    opened(page, "missing")
    focused(page, "textContent", "Close")


def test_queries_that_a_sentence_names_are_links_to_them(show: Show) -> None:
    page = show(report(), at="#gate-1")
    line = page.locator(".without")
    assert line.inner_text() == "would pass without q1, 007"
    line.get_by_role("link", name="007").click()
    opened(page, "007")
    page.keyboard.press("Escape")
    closed(page)
    focused(page, "textContent", "007")
    heading = page.get_by_role("heading", name="failed query q1, document d9: expected within 3")
    assert heading.get_by_role("link", name="q1").get_attribute("href") == "#gate-1/query=q1"


def test_what_names_no_query_of_the_gate_stays_text(show: Show) -> None:
    sentences = ("would pass without q1, gone", "would still fail without its worst query")
    rows = tuple(row("failed", sentence="query of whom: no id", without=text) for text in sentences)
    page = show(report(shop()._replace(rows=rows)), at="#gate-1")
    assert page.locator(".without").all_inner_texts() == list(sentences)
    assert page.locator(".red a").count() == 0


def test_a_query_shows_both_sides_with_grades_and_moves(show: Show) -> None:
    page = show(report(shop()), at="#gate-1/query=q1")
    dialog = page.get_by_role("dialog")
    rows = [item.replace("\n", " ") for item in dialog.locator("li").all_inner_texts()]
    assert rows == [
        "1 d1 grade 3 now 3", "2 d2 grade 1 now 1", "3 d9 grade 2 now 17",
        "1 d2 grade 1 was 2", '2 d"3 unjudged new', "3 d1 grade 3 was 1",
    ]  # fmt: skip
    dialog.locator(".moves path").nth(1).wait_for(state="attached")
    assert dialog.locator(".moves path").count() == 2
    values = dialog.locator("tbody tr").all_inner_texts()
    assert values == ["nDCG@10\t1.0000\t0.5000\t-0.5000", "R@1000\t1.0000\t1.0000\t0.0000"]


def test_documents_that_left_or_stayed_are_named_so(show: Show) -> None:
    first = query("q1", "", 0.5, 1.0)
    left = first.top_before[2]._replace(elsewhere=None)
    page = show(
        report(
            of(
                first._replace(
                    top=first.top_before[:1], top_before=(first.top_before[0]._replace(elsewhere=1), left)
                )
            )
        ),
        at="#gate-1/query=q1",
    )
    assert page.get_by_role("dialog").locator(".move").all_inner_texts() == [
        "same",
        "gone",
        "now 3"[:0] + "was 3",
    ]


def test_a_query_without_results_says_what_that_means(show: Show) -> None:
    page = show(report(of(query("q1", "", 0.0, 0.0, top=(), top_before=()))), at="#gate-1/query=q1")
    assert page.locator("dialog .ranking").all_inner_texts() == [
        "Baseline\n\nNo results.",
        "This run\n\nNo results: it counts 0.",
    ]


def test_a_line_marks_where_the_measure_stops_looking(show: Show) -> None:
    turn = chat()
    first = turn.detail.queries[0]
    long = first._replace(top=first.top * 2, top_before=first.top_before * 2)
    page = show(report(turn._replace(detail=turn.detail._replace(queries=(long,)))), at="#gate-1/query=31_1")
    assert page.locator("dialog li.last .rank").all_inner_texts() == ["3", "3"]


def test_queries_are_walked_through_in_the_order_of_the_table(show: Show) -> None:
    page = show(report(shop()), at="#gate-1/query=q1")
    forward = page.get_by_role("button", name="Next query")
    for name in ("007", "1e5"):
        forward.click()
        opened(page, name)
        focused(page, "textContent", "›")
    forward.click()
    opened(page, "31_1")
    assert forward.is_disabled()
    focused(page, "textContent", "Close")


def test_a_click_beside_it_closes_a_query(show: Show) -> None:
    page = show(report(shop()), at="#gate-1/query=q1")
    page.mouse.click(10, 10)
    closed(page)


def test_the_turns_before_are_at_hand(show: Show) -> None:
    page = show(report(chat()), at="#gate-1/query=31_2")
    page.get_by_text("Judged turns before it: 1").click()
    assert page.locator("dialog details li").all_inner_texts() == ["tell me about its history"]


def test_a_query_without_documents_names_the_report_that_has_them(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "EMBEDDED", 3)
    page = show(report(shop()), at="#gate-1/query=1e5")
    assert (
        "A .json report of the session has them: --irbench-report=report.json"
        in page.get_by_role("dialog").inner_text()
    )
    page.get_by_role("button", name="Next query").click()
    page.locator("dialog .ranking").first.wait_for()


def test_a_gate_without_queries_draws_its_trend(show: Show) -> None:
    gate = shop()._replace(detail=None, rows=(row("error", value=None),))
    page = show(report(gate), at="#gate-1")
    assert page.get_by_role("slider").count() == 2
    assert page.get_by_role("table").count() == 2
