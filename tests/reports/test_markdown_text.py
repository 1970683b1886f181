"""The report in Markdown: as a real renderer shows it, whatever others wrote, and however much there is."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from golden import golden
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from small_reports import HOSTILE, asked_twice, chat, dropped, gone, query, report, row, shop

from pytest_irbench.gates.detail import Document
from pytest_irbench.reports.markdown.fit import Version, fitted, left_out, size
from pytest_irbench.reports.markdown.markdown import markdown
from pytest_irbench.reports.markdown.prose import prose
from pytest_irbench.reports.markdown.rows import verdict
from pytest_irbench.reports.markdown.text import block, code, details, table
from pytest_irbench.reports.report import Failure, Report, ReportedGate

RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")

OURS = {
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "ul",
    "li",
    "p",
    "h2",
    "h3",
    "hr",
    "br",
    "code",
    "pre",
} | {
    "details",
    "summary",
}
NASTY = [
    HOSTILE,
    "@team see #123, GH-1 and https://example.org or me@example.org :smile:",
    "</code></summary></details><img src=x onerror=alert(1)>",
    "| a | b |\\| \\",
    "`one` ``two`` ```",
    "` ",
    " blanks around ",
    "*a* _b_ ~~c~~ [d](http://e.f) ![g](h) &amp; &#124; $x$",
    "a\r\nb\n\n# heading\n```\n</pre>",
    "- [ ] <!-- -->",
    "\\",
    "|",
    "||a|",
    "7\x00\x1b[31m\u202e\ud800",
    "漢字 ✗ é",
]
DANGERS = [
    *NASTY,
    *"@#!$%&~:|<>`*_-+=.,()[]'\"\\/^ 1aé",
    "@team",
    "GH-1",
    "#1",
    "1234567",
    "abcdef0",
    "www.e.org",
    "http://",
    "1. ",
    "---",
]
"""What tests make texts of."""

CALLS = re.compile(
    r"""[@#~$&/\[\]<>`*_"!^\\]   # names, references, and all that renders
    |[0-9a-f]{7}              # commits
    |www\.\S|://              # addresses
    |[a-z]-[0-9]              # issues of trackers
    |:[\w+-]                  # emoji
    |%\w                      # milestones
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What GitHub or GitLab make a link of or render, outside of code."""


class Page(HTMLParser):
    """The tags of a rendered page, its text, the texts that stand in code, and the text around them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.text = ""
        self.codes: list[str] = []
        self.around = ""
        self._open: list[str] = []
        self.feed(RENDERER.render(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {f"{name}={value}" for name, value in attrs}
        if tag not in ("br", "hr"):
            self._open.append(tag)
        if tag == "code":
            self.codes.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "code" in self._open:
            self.codes[-1] += data
        else:
            self.around += data


def shown(text: str) -> str:
    """A text as a report may show it: what can't be printed as its escape."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text.replace("\ud800", "\\ud800")
    )


def with_texts(text: str) -> ReportedGate:
    """A gate in which every text of others is this one."""
    red = dropped(
        benchmark=text,
        system=text,
        subject=text,
        threshold=text,
        shown=text,
        place=text,
        sentence=text,
        explanation=text,
        without=text,
        since=text,
        rejudged=text,
        note=text,
        about=text,
        by_depth=text,
    )
    one = query(text, text, 0.1, 0.9, top=(Document(text, 1, None),), top_before=(Document(text, None, 99),))
    detail = shop().detail
    detail = detail._replace(protocol={text: text}, stages=(text,), queries=(one,))
    return ReportedGate("irbench.yaml", text, text, (red,), detail)


def session_of(text: str) -> Report:
    passed = with_texts(text)
    passed = passed._replace(rows=tuple(row._replace(outcome="passed") for row in passed.rows))
    return report(with_texts(text), passed)._replace(
        plugin_version=text,
        created=text,
        commit=text,
        selection=(text,),
        problems=(text,),
        warnings=(text,),
        failures=(Failure(text, text, text),),
    )


# The page


def test_it_reads_as_the_golden_file() -> None:
    told = markdown(report())
    assert told == golden("report.md", told)


def test_the_first_line_says_what_failed() -> None:
    first = markdown(report()).split("\n")[0]
    assert first == (
        "## ✗ failed: 1 failed, 1 could not be measured, 1 passed of 3 gates; 1 problem; 1 other test failed"
    )


def test_the_first_line_of_a_green_session_says_so() -> None:
    green = report(chat())._replace(passed=True, problems=(), failures=(), warnings=())
    assert markdown(green).startswith("## ✓ passed: 1 passed of 1 gate\n")


def test_a_red_gate_is_never_told_as_a_green_session() -> None:
    assert markdown(report(gone())._replace(passed=True)).startswith("## ✗ failed: 1 could not be measured")


def test_a_session_that_was_interrupted_says_so_and_one_without_gates_too() -> None:
    said = report()._replace(gates=(), problems=(), failures=(), warnings=(), finished=False)
    assert markdown(said).startswith("## ✗ failed: no gate; interrupted before its end\n\n---\n")


def test_red_gates_come_first() -> None:
    told = markdown(report(chat(), shop()))
    assert told.index("shop · bm25") < told.index("chat · fts5@manual")


def test_a_gate_without_thresholds_or_detail_has_no_table() -> None:
    told = markdown(report(ReportedGate("irbench.yaml", "shop", "bm25", ())))
    assert "<summary><code>shop · bm25</code>: passed, 0 thresholds</summary>\n\n</details>" in told


def test_what_all_gates_share_of_their_protocols_stands_once() -> None:
    told = markdown(report())
    assert told.count("depth: 1000") == 1
    assert [line for line in told.split("\n") if line.startswith("Protocol")] == [
        "Protocol: utterance: raw",
        "Protocol: utterance: manual",
    ]


def test_what_other_words_make_of_a_system_is_a_table() -> None:
    told = markdown(report(*asked_twice()))
    assert (
        "### `shop · bm25: what other words make of it`\n\n"
        "| measure | raw | manual | gap |\n| --- | ---: | ---: | ---: |\n"
        "| `nDCG@10` | 0.6125 | 0.7000 | +0.0875 |\n"
    ) in told


def test_a_session_without_a_commit_says_so() -> None:
    assert "\npytest-irbench `0.1.0`, no commit, selected `all`" in markdown(report()._replace(commit=None))


# Thresholds


def test_columns_of_which_nothing_is_known_are_left_out() -> None:
    assert "| verdict | measure | threshold | where |" in markdown(report(gone()))


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ("passed", "✓ passed"),
        ("failed", "✗ failed"),
        ("error", "! error"),
        ("depends", "? depends"),
        ("xpassed", "✗ xpassed"),
        ("skipped", "skipped"),
        ("xfailed", "xfailed"),
        ("rerun", "`rerun`"),
    ],
)
def test_a_verdict_is_a_word_with_a_plain_symbol(outcome: str, told: str) -> None:
    assert verdict(outcome) == told


def test_red_thresholds_are_told_first_the_worst_before_the_others() -> None:
    rows = (
        row(sentence="none"),
        row("depends", sentence="third"),
        row("error", sentence="second"),
        row("failed", sentence="first"),
    )
    told = markdown(report(shop()._replace(rows=rows)))
    assert "| 1 failed, 1 error, 1 depends of 4 thresholds | first |" in told
    assert (
        told.index("- ✗ failed: first") < told.index("- ! error: second") < told.index("- ? depends: third")
    )
    assert re.findall(r"^\| (\S \w+) \| `nDCG", told, re.MULTILINE) == [
        "✗ failed",
        "! error",
        "? depends",
        "✓ passed",
    ]


def test_why_a_gate_is_red_stands_before_its_table_and_the_rest_behind() -> None:
    told = markdown(report(shop()._replace(rows=(dropped(note="a note"),))))
    texts = [
        "### ✗ failed: `shop · bm25`, 1 failed of 1 threshold\n\n- ✗ failed: `nDCG@10` dropped by",
        "\n- `R@1000` is unchanged",
        "\n- `nDCG@10` `max_drop` 0.02: would pass without",
        "\n| verdict | measure |",
        "\n- against the baseline of 2026-11-02 (title boost)\n",
        "\n- a note\n",
    ]
    places = [told.index(text) for text in texts]
    assert places == sorted(places)
    assert [told.count(text) for text in texts[1:3] + texts[4:]] == [1] * 4


def test_thresholds_that_were_not_run_are_told_with_one_sentence() -> None:
    rows = [row("not run", sentence=f"{name}: the session ended without its verdict") for name in "abc"]
    told = markdown(report(shop()._replace(rows=(*rows, dropped()))))
    assert "- ✗ failed: `nDCG@10` dropped by" in told
    assert "\n- 3 thresholds were not run\n" in told
    assert "1 failed, 3 not run of 4 thresholds" in told
    assert "ended without" not in told
    alone = markdown(report(shop()._replace(rows=(rows[0],))))
    assert "| `shop · bm25` | 1 not run of 1 threshold | 1 threshold was not run |" in alone


def test_a_comparison_is_told_once_where_a_drop_is_limited() -> None:
    other = row(measure="AP", subject="AP", value=0.3, baseline=0.3, change=0.0)
    told = markdown(report(shop()._replace(rows=(row("failed"), row(), dropped(), other))))
    assert told.count("| -0.3100 to +0.0350 | 0.1250 |") == 2
    assert told.count("| ✗ failed | `nDCG@10` | 0.6125 | `max_drop 0.02` | 0.7500 | -0.1375 |") == 1
    assert told.count("| ✗ failed | `nDCG@10` | 0.6125 | `min 0.5000` |  |  |") == 1


def test_a_red_threshold_without_a_sentence_is_named() -> None:
    assert "! error: `nDCG@10` min 0.5000\n" in markdown(
        report(shop()._replace(rows=(row("error", sentence=""),)))
    )


def test_stars_and_brackets_of_numbers_mean_nothing_in_markdown() -> None:
    page = Page(markdown(report(shop()._replace(rows=(dropped(p_adjusted=0.25, family=2, judged=0.9999),)))))
    assert "\n0.2500*\n" in page.text
    assert "\n>99.9%\n" in page.text
    assert "* adjusted for the 2 thresholds of this gate that ask for significance (Holm)" in page.text


# Queries that moved


def test_queries_stand_in_the_order_in_which_they_moved_and_those_that_did_not_are_left_out() -> None:
    told = markdown(report(shop()))
    places = [told.index(f"\n| `{query_id}` |") for query_id in ("q1", "31_1", "007", "1e5")]
    assert places == sorted(places)
    still = shop().detail._replace(queries=(query("q1", "", 0.5, 0.5), query("q2", "", 0.5, None)))
    assert "queries that moved" not in markdown(report(shop()._replace(detail=still)))


def test_documents_that_left_and_entered_have_their_grades_and_ranks() -> None:
    told = markdown(report(shop()))
    assert '| `d9` (grade 2): 3 → 17 | `d"3` (unjudged): not returned → 2 |' in told


# Texts of others


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_texts_of_others_are_shown_and_not_rendered(text: str) -> None:
    page = Page(markdown(session_of(text)))
    assert page.tags.keys() <= OURS
    assert page.attributes <= {"style=text-align:right", "class=language-text"}
    # In pieces, where a pipe stands between them.
    assert shown(text) in page.text


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_a_report_keeps_its_shape_whatever_its_texts_are(text: str) -> None:
    tags = [Page(markdown(session_of(one))).tags for one in ("plain", text)]
    for one in tags:
        del one["code"]
    # Notes of several lines are several notes.
    assert tags[0] == tags[1] or "\n" in text


@given(st.lists(st.sampled_from(DANGERS) | st.text(max_size=4), max_size=8).map("".join))
def test_prose_shows_any_text_and_nothing_in_it_renders_or_calls(text: str) -> None:
    told = prose(text, 10_000)
    for before, tags in (
        ("", {"p", "code"}),
        ("- ", {"ul", "li", "code"}),
        ("| a |\n| --- |\n| ", {"table", "thead", "tbody", "tr", "th", "td", "code"}),
    ):
        page = Page(f"{before}{told}{' |' if '|' in before else ''}")
        assert page.tags.keys() <= tags
        assert page.text.replace("a", "", "|" in before).strip() == shown_by_code(text).strip()
        assert page.tags["li"] == ("-" in before and "|" not in before)
        assert not CALLS.search(page.around)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nDCG@10 = 0.3912, below min 0.4200", "`nDCG@10` = 0.3912, below min 0.4200"),
        ("(short by -0.0288): 95%, 1,000", "(short by -0.0288): 95%, 1,000"),
        ("against 'first' of 2026-11-02 (it's non-trivial)", None),
        (
            "ask @team, @org/team, (@team) me@example.org",
            "ask `@team`, `@org/team`, (`@team`) `me@example.org`",
        ),
        ("closes #1 and GH-1, org/repo#1 !2", "closes `#1` and `GH-1`, `org/repo#1` `!2`"),
        ("JIRA-7 CVE-2020-1234", "`JIRA-7` `CVE-2020-1234`"),
        ("of 89abcdef0123: 1234567", "of `89abcdef0123`: `1234567`"),
        ("see https://e.org, www.e.org.", "see `https://e.org`, `www.e.org`."),
        (":smile: ~label $1 &2", "`:smile`: `~label` `$1` `&2`"),
        ("1. x", "1\\. x"),
        ("12) x", "12\\) x"),
        ("0.5, 0, 10 and 007", "0.5, 0, 10 and `007`"),
        ("- x", "`-` x"),
        ("a  b", "`a  b`"),
        ("a|@b", "`a`&#124;`@b`"),
        ("漢字 für …", None),
        ("", None),
    ],
)
def test_a_sentence_is_prose_and_only_words_that_may_mean_something_are_code(
    text: str, told: str | None
) -> None:
    assert prose(text) == (text if told is None else told)


def test_names_and_addresses_are_in_code_where_no_site_makes_links_of_them() -> None:
    name = "@team,#123,https://example.org"
    page = Page(markdown(session_of(name)))
    assert page.text.count(name) == sum(text.count(name) for text in page.codes) > 20


@given(st.text(max_size=40))
def test_code_shows_any_text_in_a_line(text: str) -> None:
    page = Page(f"before {code(text)} after")
    assert page.text == f"before {shown_by_code(text)} after\n"
    assert page.tags.keys() <= {"p", "code"}


@given(st.text(alphabet="a|`\\ &<\n", max_size=12), st.text(alphabet="b|`\\ ", max_size=12))
def test_code_shows_any_text_in_a_cell(one: str, other: str) -> None:
    page = Page(table(["x", "y"], [[code(one), code(other)]], right={"y"}))
    assert page.tags["td"] == 2
    assert page.tags.keys() <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    cells = RENDERER.render(table(["x", "y"], [[code(one), code(other)]])).split("<td>")[1:]
    unmarked = [re.sub("<[^>]*>", "", cell).rstrip("\n") for cell in cells]
    escaped = [one.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "\\n"), other]
    assert [cell.strip() for cell in unmarked] == [text.strip() for text in escaped]


@given(st.text(alphabet="a`\n ~<&", max_size=40))
def test_a_block_shows_any_text_in_its_lines(text: str) -> None:
    page = Page(details("why", "", [block(text)]))
    assert page.tags == Counter(["details", "summary", "pre", "code"])
    assert page.codes == [f"{text}\n"]


def shown_by_code(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def test_long_texts_are_shortened() -> None:
    assert code("x" * 500) == f"`{'x' * 299}…`"
    assert block("x" * 50, 10) == "```text\nxxxxxxxxxx …\n```"


# Its size


def many(gates: int, rows: int, explanation: str = "why\n" * 20) -> Report:
    """A session of red gates, each also with passing thresholds, and a gate that passes."""
    one = shop()
    red = tuple(dropped(explanation=explanation, place=f"irbench.yaml:{n}") for n in range(rows))
    found = [one._replace(system=f"s{n}", rows=(*red, row(system=f"s{n}"))) for n in range(gates)]
    return report(*found, chat())


def rest_of(told: str) -> str:
    return next((line for line in told.split("\n") if line.startswith("Left out")), "")


def test_what_fits_is_told_in_full() -> None:
    assert rest_of(markdown(many(3, 3))) == ""


@pytest.mark.parametrize("share", [0.99, 0.7, 0.4, 0.2, 0.1])
def test_a_report_fits_its_limit_and_says_what_it_leaves_out(share: float) -> None:
    session = many(10, 5, "a long line of an explanation\n" * 100)
    limit = int(size(markdown(session)) * share)
    told = markdown(session, limit)
    assert limit * 0.5 < size(told) <= limit
    assert rest_of(told).startswith(f"Left out to fit into {limit:,} bytes: ")
    assert rest_of(told).endswith(". The .html and .json reports have everything.")
    Page(told)


def test_first_to_go_are_queries_that_moved_then_explanations_then_details_then_passing_thresholds() -> None:
    detail = shop().detail._replace(queries=tuple(query(f"q{n}", "", 0.1, 0.9) for n in range(12)))
    red = dropped(explanation="because " * 1000)
    gate = shop()._replace(rows=(red, row()), detail=detail)
    session = report(gate)._replace(problems=(), failures=(), warnings=())
    full = size(markdown(session))
    left = [rest_of(markdown(session, limit)).split(": ")[-1] for limit in range(full + 1_000, 1_900, -100)]
    assert [text.partition(" of 1 gate")[0] for text in dict.fromkeys(left)] == [
        "",
        "some moved queries",
        "the ends of explanations and some moved queries",
        "explanations and moved queries",
        "all but the red thresholds",
        "all thresholds",
    ]


def test_red_verdicts_of_all_gates_come_before_the_explanations_of_one() -> None:
    session = many(20, 2, "because " * 2_000)
    told = markdown(session, 60_000)
    for gate in session.gates[:20]:
        assert f"### ✗ failed: `shop · {gate.system}`" in told
    assert told.count("| ✗ failed | `nDCG@10` |") == 40


def test_a_huge_session_fits_github() -> None:
    told = markdown(many(300, 50, "because of `this`\n" * 500))
    assert 900_000 < size(told) <= 1_000_000
    # A line for each gate, and whole tables.
    assert told.count(" | 50 failed of 51 thresholds | ") == 300
    assert {
        len(re.findall(r"(?<!\\)\|", line)) for line in told.split("\n") if line.startswith("| ✗ failed")
    } == {
        5,
        13,
    }


@pytest.mark.parametrize("limit", [2_000, 3_000, 10_000])
def test_a_small_limit_is_kept(limit: int) -> None:
    session = many(100, 3)._replace(
        problems=("p" * 3_000,) * 9,
        selection=("s" * 5_000,),
        failures=(Failure("t" * 3_000, "error", "m" * 90_000),) * 9,
        warnings=("w" * 3_000,) * 9,
    )
    told = markdown(session, limit)
    assert size(told) <= limit
    assert told.startswith(
        "## ✗ failed: 100 failed, 1 passed of 101 gates; 9 problems; 9 other tests failed\n"
    )
    Page(told)


@given(
    st.lists(
        st.lists(st.text(max_size=9), min_size=1, max_size=4).map(lambda texts: sorted(texts, key=size)),
        max_size=5,
    ),
    st.integers(0, 60),
)
def test_chosen_versions_fit(texts: list[list[str]], room: int) -> None:
    pieces = [[Version(""), *map(Version, versions)] for versions in texts]
    chosen = fitted(pieces, room)
    assert sum(size(version.text) + 2 for version in chosen if version.text) <= room
    assert all(version in versions for version, versions in zip(chosen, pieces, strict=True))
    if sum(size(versions[-1].text) + 2 for versions in pieces) <= room:
        assert chosen == [versions[-1] for versions in pieces]


def test_what_is_left_out_is_counted() -> None:
    chosen = [Version("a"), *[Version("b", "rows of {gates}")] * 2, Version("", "warnings")]
    assert left_out(chosen) == "rows of 2 gates; warnings"
