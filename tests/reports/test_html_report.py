"""The HTML page as Python writes it: what stands in it without its script. tests/browser is about the rest."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from large_reports import large
from small_reports import HOSTILE, asked_twice, chat, dropped, gone, query, report, row, shop

from pytest_irbench.gates.detail import Document, GateDetail
from pytest_irbench.reports.page import data
from pytest_irbench.reports.page.data import SUBJECTS, as_json
from pytest_irbench.reports.page.elements import Html, element
from pytest_irbench.reports.page.gate import command
from pytest_irbench.reports.page.html import html
from pytest_irbench.reports.page.overview import headline
from pytest_irbench.reports.page.words import change, verdict
from pytest_irbench.reports.report import SESSIONS, Failure, Report, ReportedGate, TrendPoint
from pytest_irbench.reports.row import Row


class Outline(HTMLParser):
    """The elements of a page with their attributes, and the text of the page and of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts.append(data)
        elif self.inside == "style":
            self.styles.append(data)
        else:
            self.text += data

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]


def data_of(session: Report, place: int = 0) -> dict:
    found = re.findall(r'<script type="application/json" id="[^"]+">(.*?)</script>', html(session), re.DOTALL)
    return json.loads(found[place])


def passing(*gates: ReportedGate, **fields: object) -> Report:
    plain = report(*gates)._replace(passed=True, problems=(), failures=(), warnings=())
    return plain._replace(**fields)  # type: ignore[arg-type]


def cells(page: str) -> list[str]:
    return [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", page)]


# What it says


@pytest.mark.parametrize(
    ("session", "said"),
    [
        (report(), "failed: 2 of 3 gates"),
        (report(shop()), "failed: 1 of 1 gate"),
        (passing(chat()), "passed: 1 gate"),
        (passing(chat())._replace(gates=()), "passed: no gate ran"),
        (report(chat()), "failed: 1 problem and 1 other test"),
        (report(chat())._replace(failures=()), "failed: 1 problem"),
        (passing(chat(), passed=False), "failed"),
        (report()._replace(finished=False), "interrupted: 2 of 3 gates"),
        (passing(chat(), finished=False), "interrupted"),
    ],
)
def test_the_title_is_the_verdict(session: Report, said: str) -> None:
    assert headline(session) == said
    assert f"<title>{said} · irbench</title>" in html(session)


def test_it_says_first_what_failed_by_how_much_and_why() -> None:
    text = Outline(html(report())).text
    said = [
        "✗ failed 2 of 3 gates",
        "2026-11-30 19:40 UTC",
        "commit 89abcdef0123",
        "--irbench=all",
        "nDCG@10 dropped by 0.1375, more than max_drop 0.02: 0.6125, baseline 0.7500",
        "R@1000 is unchanged and nDCG@10 fell: the reranking changed",
        "there is no fixture 'gone'",
        "1 selected threshold has no verdict",
        "test_search.py::test_top",
        "assert 0.2 >= 0.4",
        "history.jsonl:3: no line of a history, left out",
    ]
    places = [text.index(one) for one in said]
    assert places == sorted(places)


def test_gates_are_a_table_with_links_to_their_sections() -> None:
    page = html(report())
    assert [link["href"] for link in Outline(page).named("a") if "gate-" in link["href"]] == [
        "#gate-1", "#gate-3", "#gate-1", "#gate-2", "#gate-3",
    ]  # fmt: skip
    assert cells(page)[7:14] == [
        "✗ failed", "shop · bm25", "2 failed of 4 thresholds", "nDCG@10", "0.6125", "-0.1375", "irbench.yaml",
    ]  # fmt: skip
    assert cells(page)[21:28] == [
        "! error", "shop · gone", "1 error of 1 threshold", "RR(rel=2)", "-", "-", "other.irbench.yaml",
    ]  # fmt: skip


def test_what_neither_passed_nor_is_red_is_counted_in_the_table() -> None:
    gate = chat()._replace(rows=(row(), row("skipped"), row("xfailed"), row("xfailed")))
    assert "1 skipped of 4 thresholds, 2 xfailed" in html(passing(gate))


def test_a_gate_without_thresholds_has_no_numbers() -> None:
    assert cells(html(passing(chat()._replace(rows=()))))[10:13] == ["-", "-", "-"]


def test_what_other_words_make_of_a_system_is_a_table() -> None:
    shown = cells(html(passing(*asked_twice())))
    place = shown.index("gap")
    assert shown[place - 3 : place + 5] == [
        "measure", "raw", "manual", "gap", "nDCG@10", "0.6125", "0.7000", "+0.0875",
    ]  # fmt: skip


def test_thresholds_stand_in_a_table_with_baseline_and_chance() -> None:
    shown = cells(html(report(shop())))
    place = shown.index("max_drop 0.02")
    assert shown[place - 3 : place + 9] == [
        "✗ failed", "nDCG@10", "0.6125", "max_drop 0.02", "0.7500", "-0.1375", "-0.3100 to +0.0350", "0.1250",
        "3/1", "0.2000", "97.5%", "irbench.yaml:10",
    ]  # fmt: skip


def test_without_a_baseline_there_are_no_columns_for_it() -> None:
    gate = chat()
    bare = row(baseline=None, change=None, change_low=None, change_high=None, p=None, worse=None, better=None)
    page = html(passing(gate._replace(rows=(bare,), detail=gate.detail._replace(baseline=None))))
    assert "95%" not in page.split("<script")[0]
    assert "no baseline" in Outline(page).text


def test_a_red_threshold_is_told_in_full_with_the_command_that_repeats_it() -> None:
    page = html(report(shop()))
    text = Outline(page).text
    assert "would pass without q1, 007" in text
    assert dropped().explanation in text
    assert 'pytest --irbench=all "irbench.yaml::bm25[shop-nDCG@10-max_drop]"' in text


def test_a_command_has_the_selection_without_which_a_test_in_python_is_skipped() -> None:
    gate = shop()._replace(file="test_shop.py", rows=(row("failed", nodeid="test_shop.py::test_products"),))
    page = Outline(html(report(gate)._replace(selection=("shop", "dl20"))))
    assert 'pytest --irbench=shop,dl20 "test_shop.py::test_products"' in page.text
    plain = Outline(html(report(gate)._replace(selection=())))
    assert 'pytest "test_shop.py::test_products"' in plain.text


def test_remarks_stand_beside_the_table_once() -> None:
    first = row(
        note="61% of its ids", about="asked 3 times", p_adjusted=0.25, family=2, evidence="significant"
    )
    page = html(passing(chat()._replace(rows=(first, first))))
    assert page.count("61% of its ids") == 1
    assert page.count("asked 3 times") == 1
    assert "adjusted for the 2 thresholds of this gate that ask for significance (Holm)" in page


def test_the_protocol_is_a_list_of_definitions() -> None:
    page = html(report(shop()))
    assert "<dt>qrels</dt><dd>sha256 93ab7d20</dd>" in page
    nothing = shop()
    assert "<dl>" not in html(report(nothing._replace(detail=nothing.detail._replace(protocol={}))))


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        (gone(), "nothing was measured"),
        (shop()._replace(detail=None, trend=()), "its values by query are not known"),
        (
            shop()._replace(file="test_shop.py", detail=None, trend=()),
            "compared in Python, which keeps no values by query",
        ),
    ],
    ids=["not measured", "lost", "python"],
)
def test_a_gate_of_which_nothing_can_be_drawn_says_why_and_leaves_no_room(
    gate: ReportedGate, said: str
) -> None:
    outline = Outline(html(report(gate)))
    assert said in outline.text
    assert not [one for one in outline.named("div") if one.get("class") == "explorer"]


def test_a_gate_of_tests_in_python_has_a_trend_and_its_file_in_its_name() -> None:
    text = Outline(html(report(shop()._replace(file="test_shop.py", detail=None)))).text
    assert "shop · bm25 (test_shop.py)" in text
    assert "A script draws the trend here" in text


def test_where_no_query_moved_no_drop_is_said_to_be_detectable() -> None:
    shown = cells(html(report(shop()._replace(rows=(dropped(detectable=None, false_alarms=None),)))))
    assert shown[shown.index("3/1") + 1] == "-"


def test_queries_that_count_zero_or_not_at_all_are_counted() -> None:
    text = Outline(html(passing(chat()._replace(rows=(row(missing=2, extra=3),))))).text
    assert "2 without results count 0" in text
    assert "3 unjudged left out" in text


def test_rejudged_baselines_are_named_so() -> None:
    said = "against the baseline of 2026-11-02 (first), its run scored with the judgments of today"
    assert said in Outline(html(report(chat()))).text


def test_a_broken_system_does_not_fill_the_overview() -> None:
    many = tuple(
        row("failed", sentence=f"sentence {number}.", explanation="why", place="") for number in range(60)
    )
    page = html(report(shop()._replace(rows=many)))
    overview, _, section = page.partition('<section class="gate"')
    assert overview.count("sentence ") == 12
    assert "and 48 more in the sections of the gates" in overview
    assert section.count("<pre") == 50
    assert "10 more are red: they stand in the table, a .json report tells them in full." in section


def test_a_red_threshold_without_a_sentence_still_has_words() -> None:
    bare = Row(
        "shop", "bm25", "nDCG@10", "min", "irbench.yaml:9", "error", threshold="min 0.5", subject="nDCG@10"
    )
    page = html(report(shop()._replace(rows=(bare,), detail=None)))
    assert page.count("<p>nDCG@10 min 0.5: error</p>") == 1
    assert "</span> nDCG@10 min 0.5</h3>" in page


# Numbers and words


def test_a_change_is_coloured_by_whether_it_is_good() -> None:
    assert 'class="bad"' in change("latency_p95_ms", 3.0)
    assert 'class="good"' in change("AP", 0.1)
    assert "class" not in change("AP", 0.0)


def test_what_is_not_known_is_a_dash() -> None:
    bare = row(value=None, change=None, change_low=None, p=None, worse=None, judged=None)
    page = html(report(shop()._replace(rows=(bare,))))
    place = cells(page).index("min 0.5000")
    assert cells(page)[place - 1 : place + 7] == ["-", "min 0.5000", "0.7500", "-", "-", "-", "-", "-"]


def test_a_verdict_has_a_sign_and_a_word() -> None:
    words = [re.sub(r"<[^>]+>", "", verdict(one)) for one in ("passed", "depends", "xpassed", "skipped")]
    assert words == ["✓ passed", "? depends", "✗ xpassed", "! skipped"]


def test_times_that_are_not_utc_are_left_as_they_are() -> None:
    assert "2026-11-30T19:40:00+02:00" in html(report()._replace(created="2026-11-30T19:40:00+02:00"))


def test_a_session_outside_of_git_has_no_commit() -> None:
    bare = passing(gone())._replace(commit=None, selection=())
    assert "commit" not in Outline(html(bare)).text
    assert "--irbench=" not in Outline(html(bare)).text


# What it must never do


def test_it_runs_and_loads_nothing_but_itself() -> None:
    page = html(report())
    outline = Outline(page)
    policy = next(meta["content"] for meta in outline.named("meta") if meta.get("http-equiv"))
    script, style = ("".join(parts[-1:]) for parts in (outline.scripts, outline.styles))
    for kind, text in (("script-src", script), ("style-src", style)):
        assert f"{kind} 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith("base-uri 'none'; form-action 'none'")
    for _, attributes in outline.elements:
        assert not {"src", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    text = f"{HOSTILE}</script><!--"
    everywhere = {field: text for field, value in row()._asdict().items() if isinstance(value, str)}
    bad = row()._replace(**{**everywhere, "outcome": "failed"})
    detail = shop().detail._replace(
        protocol={text: text},
        stages=(text,),
        queries=(query(text, text, 0.5, 1.0, top=(Document(text, 1),), conversation=text, turn=1),),
    )
    trend = (TrendPoint(text, text, text, {text: 0.5}),)
    gate = ReportedGate(text, text, text, (bad,), detail, trend)
    session = Report(
        text,
        text,
        text,
        (text,),
        text,
        False,
        True,
        (gate,),
        (text,),
        (text,),
        (Failure(text, "failed", text),),
    )
    plain = Outline(html(report()))
    hostile = Outline(html(session))
    assert {tag for tag, _ in hostile.elements} <= {tag for tag, _ in plain.elements}
    assert len(hostile.named("script")) == 2
    assert hostile.text.count(text) > 10
    assert data_of(session)["queries"][0][0] == text


@given(st.text() | st.text(st.sampled_from("<>&\u2028\ud800\udfff/script!-\\u")))
def test_any_text_goes_through_json_and_through_html(text: str) -> None:
    written = as_json([text])
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written.encode("utf-8")) == [text.encode("utf-8", "backslashreplace").decode()]
    outline = Outline(element("p", text, title=text))
    assert [tag for tag, _ in outline.elements] == ["p"]


def test_halves_of_surrogate_pairs_can_be_written() -> None:
    broken = "caf\udce9"
    gate = shop()._replace(rows=(row("failed", sentence=broken),))
    page = html(report(gate._replace(detail=gate.detail._replace(queries=(query("q1", broken, 1.0, 0.5),)))))
    page.encode("utf-8")
    assert r"caf\udce9" in page
    assert r"caf\\udce9" in page


def test_only_html_is_not_escaped() -> None:
    assert element("td", Html("<b>a</b>"), "<b>", class_='"') == '<td class="&quot;"><b>a</b>&lt;b&gt;</td>'


SHELL = st.text(st.characters(exclude_characters="\0", codec="utf-8"))


@given(SHELL, SHELL)
def test_the_command_hands_the_whole_id_and_the_selection_to_pytest(nodeid: str, name: str) -> None:
    assert shlex.split(command(nodeid, [])) == ["pytest", nodeid]
    assert shlex.split(command(nodeid, [name, "b"])) == ["pytest", f"--irbench={name},b", nodeid]
    assert not set(command(nodeid, [name]).partition("'")[0]) & set("$`")


# What the script draws from


def test_values_are_embedded_in_full() -> None:
    gate = shop()
    third = gate._replace(detail=gate.detail._replace(queries=(query("q1", "text", 1 / 3, None),)))
    only = data_of(report(third))["queries"][0]
    assert only == [
        "q1", "text", None, None, [1 / 3, 1.0], [None, None], 3, 0b010,
        [["d2", 1, 2], ['d"3', None, None], ["d1", 3, 1]], [["d1", 3, 3], ["d2", 1, 1], ["d9", 2, 17]],
    ]  # fmt: skip


def test_measures_are_embedded_with_their_turns() -> None:
    found = data_of(report(chat()))
    turns = [[1, 2, 0.8, 0.7], [2, 2, 0.4, 0.4]]
    assert found["measures"] == [["nDCG@3", 3, False, 0.6, 0.55, 1, 3, 0, turns]]
    assert found["held"] is True


def test_what_json_has_no_number_for_is_left_out() -> None:
    gate = shop()
    broken = query("q1", "text", float("nan"), float("inf"))
    assert data_of(report(gate._replace(detail=gate.detail._replace(queries=(broken,)))))["queries"][0][
        4:6
    ] == [[None, 1.0], [None, 1.0]]


def test_a_trend_ends_with_this_session() -> None:
    trend = data_of(report(shop()))["trend"]
    assert trend["sessions"][0] == ["2026-11-28T09:00:00+00:00", "aaaaaaaaaaaa", "passed"]
    assert trend["sessions"][-1] == [
        "2026-11-30T19:40:00+00:00",
        "89abcdef0123456789abcdef0123456789abcdef",
        "failed",
    ]
    assert trend["subjects"] == [
        ["nDCG@10", False, [0.74, 0.75, 0.6125]],
        ["R@1000", False, [1.0, 1.0, 1.0]],
    ]


def test_ranks_and_counts_of_queries_have_no_trend() -> None:
    rank = row(rule="expect", subject="q1: d9", value=17.0, shown="rank 17")
    count = row(rule="max_drop", subject="nDCG@10 of queries", value=3.0, shown="3 queries")
    trend = data_of(report(shop()._replace(rows=(row(), rank, count))))["trend"]
    assert [subject for subject, *_ in trend["subjects"]] == ["nDCG@10", "R@1000"]


def test_a_threshold_without_a_value_now_keeps_its_trend() -> None:
    gate = shop()._replace(rows=(row("error", value=None),))
    assert data_of(report(gate))["trend"]["subjects"][0] == ["nDCG@10", False, [0.74, 0.75, None]]


def test_a_trend_may_have_thresholds_that_are_gone() -> None:
    gate = gone()._replace(trend=(TrendPoint("2026-11-28T09:00:00+00:00", None, "passed", {"RR": 0.5}),))
    assert data_of(report(gate))["trend"]["subjects"] == [["RR", True, [0.5, None]]]


def test_a_long_history_is_cut_and_says_so() -> None:
    point = TrendPoint(
        "2026-11-28T09:00:00+00:00", None, "passed", {f"P@{number}": 0.5 for number in range(SUBJECTS)}
    )
    trend = data_of(report(gone()._replace(trend=(point,) * (SESSIONS + 3))))["trend"]
    assert (len(trend["sessions"]), trend["left"], trend["unshown"]) == (SESSIONS + 1, 3, 0)
    trend = data_of(report(shop()._replace(trend=(point,))))["trend"]
    assert (len(trend["subjects"]), trend["unshown"]) == (SUBJECTS, 2)


def test_seven_thousand_queries_fit_into_ten_megabytes() -> None:
    page = html(large())
    assert len(page.encode()) < 10_000_000
    assert page.count("MARCO_D") == 7000 * 20


def test_documents_are_embedded_for_what_changed_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "EMBEDDED", 150)
    session = large(100, gates=3)
    changes: dict[bool, list[float]] = {True: [], False: []}
    for place in range(3):
        for one in data_of(session, place)["queries"]:
            changes[len(one) == 10].append(abs(one[4][0] - one[5][0]))
    assert len(changes[True]) == len(changes[False]) == 150
    assert min(changes[True]) >= max(changes[False])


def test_without_baselines_documents_are_embedded_for_the_lowest_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(data, "EMBEDDED", 2)
    gate = shop()
    queries = tuple(query("q", "text", value, None) for value in (0.5, 0.2, 0.9, 0.1))
    session = report(gate._replace(detail=gate.detail._replace(queries=queries)))
    assert [len(one) for one in data_of(session)["queries"]] == [8, 10, 8, 10]


def test_a_gate_without_measures_of_its_own_still_has_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "EMBEDDED", 1)
    queries = tuple(query(name, "text", 0.5, None, values=(), before=()) for name in ("q1", "q2"))
    session = report(shop()._replace(detail=GateDetail({}, (), None, (), queries)))
    assert [len(one) for one in data_of(session)["queries"]] == [10, 8]
