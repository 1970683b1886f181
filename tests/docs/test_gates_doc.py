"""docs/gates.md is true: its files run as shown, its errors are what pytest says, its columns those of the report."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_irbench.benchmarks.topic_columns import KNOWN_COLUMNS
from pytest_irbench.gates.stages import _CAUSES
from pytest_irbench.gates.thresholds import EVIDENCE
from pytest_irbench.reports.terminal.columns import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", TEXT)
FILES = {text.split("\n")[0].removeprefix("# "): text for kind, text in BLOCKS if kind in ("python", "yaml")}
GATES = [name for name in FILES if name.endswith(".yaml")]
# Each file of the page is tried alone, with the benchmarks that the first one declares.
BENCHMARKS = FILES["irbench.yaml"].partition("gates:\n")[0]
COMMANDS = re.findall(r"(?m)^\$ pytest (.+)$", TEXT)
PRINTED = [text for kind, text in BLOCKS if kind == "text"]
QRELS = "q1 0 p1 1\nq2 0 p2 1\nq3 0 p3 1\nq4 0 p5 1\nq5 0 p2 1\nq6 0 p6 1\n"
TOPICS = (
    "q1\tdesk lamp\nq2\tfloor lamp\nq3\tred office chair\nq4\tdesk chair\nq5\tlamp with two arms\nq6\tsofa\n"
)
CONFTEST = """
import pytest

@pytest.fixture(scope="session")
def products():
    def search(topic, k):
        if "lamp" in topic:
            return ["p2", "p1"] if "floor" in topic else ["p1", "p2"]
        return ["p5", "p3"] if "chair" in topic else ["p7"]
    return search
"""
CHAT = {"1": ["desk lamp", "and a chair for it"], "2": ["office chair", "and a lamp"]}
CHAT_QRELS = "1_1 0 p1 1\n1_2 0 p3 1\n2_1 0 p5 1\n2_2 0 p1 1\n"
BASELINE = "irbench-baselines/shop.products.json"
RUN = "irbench-baselines/shop.products.run.gz"


@pytest.fixture
def shop(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The data and the system that the page's files speak of."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:cacheprovider --tb=short")
    conversations = [
        {"number": number, "turn": [{"number": n, "raw_utterance": text} for n, text in enumerate(turns, 1)]}
        for number, turns in CHAT.items()
    ]
    (columns,) = [text for kind, text in BLOCKS if kind == "tsv"]
    written = {
        "topics.tsv": TOPICS,
        "qrels.txt": QRELS,
        "chat.json": json.dumps(conversations),
        "chat-qrels.txt": CHAT_QRELS,
        "columns.tsv": columns,
        "conftest.py": CONFTEST,
    }
    for name, text in written.items():
        pytester.path.joinpath(name).write_text(text, encoding="utf-8")
    return pytester


def declare(shop: pytest.Pytester, name: str) -> None:
    """Write a file of the page into the project."""
    text = FILES[name]
    declared = text if "benchmarks:" in text else BENCHMARKS + text
    shop.path.joinpath(name).write_text(declared, encoding="utf-8")


def run(shop: pytest.Pytester, *arguments: str) -> str:
    result = shop.runpytest_inprocess(*arguments)
    return f"{int(result.ret)}\n{result.stdout.str()}"


@pytest.mark.parametrize("name", GATES)
def test_every_gate_of_the_page_passes(shop: pytest.Pytester, name: str) -> None:
    declare(shop, name)
    if "max_drop" in FILES[name]:
        assert run(shop, "--irbench=all", "--irbench-update=first baseline").startswith("0\n")
    told = run(shop, "--irbench=all")
    assert told.startswith("0\n"), told
    assert ("against the baseline of" in told) == ("max_drop" in FILES[name])


def test_a_floor_that_is_far_below_asks_to_be_raised_as_shown(shop: pytest.Pytester) -> None:
    declare(shop, "slack.irbench.yaml")
    (line,) = [text for text in PRINTED if "slack" in text]
    assert line in run(shop, "--irbench=all")


def test_the_queries_that_moved_and_what_hangs_on_them_are_told_as_shown(shop: pytest.Pytester) -> None:
    declare(shop, "irbench.yaml")
    run(shop, "--irbench=all", "--irbench-update=first baseline")
    worse = CONFTEST.replace('else ["p1", "p2"]', 'else ["p8", "p2"]').replace('["p5", "p3"]', '["p3", "p5"]')
    shop.path.joinpath("conftest.py").write_text(worse)
    shown = [text for text in PRINTED if text.startswith("queries that moved most") or "would pass" in text]
    told = run(shop, "--irbench=all")
    assert [text for text in shown if text in told] == shown
    assert len(shown) == 2


def test_a_query_of_xfail_is_expected_to_fail(shop: pytest.Pytester) -> None:
    declare(shop, "queries.irbench.yaml")
    run(shop, "--irbench=all", "--irbench-update=first baseline")
    shop.runpytest_inprocess("--irbench=all").assert_outcomes(passed=4, xfailed=1)


def test_the_words_of_the_topics_are_counted_right(shop: pytest.Pytester) -> None:
    rows = [line.split("\t") for line in shop.path.joinpath("columns.tsv").read_text().splitlines()[1:]]
    topics = dict(line.split("\t") for line in TOPICS.splitlines())
    assert {query_id: int(words) for query_id, _, words in rows} == {
        query_id: len(text.split()) for query_id, text in topics.items()
    }


def test_the_test_in_python_passes(shop: pytest.Pytester) -> None:
    declare(shop, "irbench.yaml")
    shop.path.joinpath("test_shop.py").write_text(FILES["test_shop.py"], encoding="utf-8")
    assert run(shop, "--irbench=all", "--irbench-update=first baseline").startswith("0\n")
    shop.runpytest_inprocess("--irbench=all").assert_outcomes(passed=4)


def test_the_commands_do_what_they_say_and_where(shop: pytest.Pytester) -> None:
    declare(shop, "irbench.yaml")
    update, plain, on_main, on_request = (
        [part.strip('"').replace('="', "=") for part in re.findall(r'(?:[^\s"]|"[^"]*")+', command)]
        for command in COMMANDS
    )
    for stored, (writes, reads) in {
        "irbench-baselines": (update, plain),
        "accepted": (on_main, on_request),
    }.items():
        # Under CI=true pytest's short summary has the whole sentence again.
        told = [line for line in run(shop, *reads).split("\n") if line.startswith(f"{stored}/")]
        assert len(told) == 2
        assert all("there is no such baseline" in line for line in told)
        assert run(shop, *writes).startswith("0\n")
        names = [f"shop.products{end}" for end in (".json", ".run.gz")]
        assert sorted(path.name for path in (shop.path / stored).iterdir()) == names
        assert run(shop, *reads).startswith("0\n")
        shutil.rmtree(shop.path / stored)


def test_other_judgments_are_told_apart_as_shown(shop: pytest.Pytester) -> None:
    declare(shop, "irbench.yaml")
    run(shop, "--irbench=all", "--irbench-update=first baseline")
    shop.path.joinpath("qrels.txt").write_text(f"{QRELS}q3 0 p5 1\n")
    (line,) = [text for text in PRINTED if "qrels changed" in text]
    assert line in run(shop, "--irbench=all")


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return edit


def cut(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:100])


def not_fetched(name: str) -> Callable[[Path], None]:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    return lambda folder: (folder / name).write_bytes(pointer)


def removed(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def of_another_update(folder: Path) -> None:
    edited(BASELINE, '"run": "', '"run": "0')(folder)


def without_gate(folder: Path) -> None:
    edited("irbench.yaml", "{min: 0.50, max_drop: 0.02}", "0.5")(folder)
    edited("irbench.yaml", "{max_drop: 3%}", "0.5")(folder)


FAULTS = {
    "there is no such baseline": removed(BASELINE),
    "the file was edited by hand": edited(BASELINE, '"nDCG@10": 0.630930', '"nDCG@10": 0.930930'),
    "it was edited or cut short": cut(BASELINE),
    "run git lfs pull": not_fetched(RUN),
    "holds the marks of a merge conflict": edited(BASELINE, '  "means"', '<<<<<<< ours\n  "means"'),
    "it holds the run that belongs to": removed(RUN),
    "one of the two was replaced without the other": of_another_update,
    "is the baseline of benchmark": edited(BASELINE, '"benchmark": "shop"', '"benchmark": "chat"'),
    "the judged topics have changed since": edited("topics.tsv", "desk lamp", "desk light"),
    "it has no values of": edited(
        "irbench.yaml", "    thresholds:\n", "    thresholds:\n      AP@10: {max_drop: 1%}\n"
    ),
    "which this gate does not hold against it": edited("irbench.yaml", "{max_drop: 3%}", "0.5"),
    "its depth is": edited("irbench.yaml", "    thresholds:\n", "    depth: 20\n    thresholds:\n"),
    "its doc_id is": edited("irbench.yaml", "    thresholds:\n", "    exclude_docs: p6\n    thresholds:\n"),
    "belongs to no gate of": without_gate,
}


def first_cells(header: str) -> list[str]:
    table = TEXT[TEXT.index(f"| {header} |") :].partition("\n\n")[0]
    return [line[1:].split(" |")[0].strip(" `") for line in table.split("\n")[2:]]


def test_every_error_of_the_table_is_brought_about_here() -> None:
    assert first_cells("it says") == list(FAULTS)


@pytest.mark.parametrize("message", FAULTS)
def test_a_baseline_that_does_not_fit_says_what_the_table_says(shop: pytest.Pytester, message: str) -> None:
    declare(shop, "irbench.yaml")
    run(shop, "--irbench=all", "--irbench-update=first baseline")
    FAULTS[message](shop.path)
    told = run(shop, "--irbench=all")
    assert told.startswith("1\n")
    assert message in told
    assert "--irbench-update=" in told or "delete it with rm" in told
    # An error, not a failure.
    assert not re.search(r"\d+ failed", told)


def test_every_kind_of_evidence_has_its_row() -> None:
    assert [cell.partition("`")[0] for cell in first_cells("evidence")] == list(EVIDENCE)


def test_every_column_of_the_report_has_its_row() -> None:
    table = TEXT[TEXT.index("### The columns of the report") :]
    listed = re.findall(r"(?m)^\| `([^`]+)` \|", table.partition("\n### ")[0])
    assert listed == list(COLUMNS)


def test_every_column_that_a_topic_has_is_named() -> None:
    named = re.findall(r"(?m)^\| `(\w+)` \|", TEXT.partition("## Slices")[2].partition("## Single")[0])
    assert set(named) == set(KNOWN_COLUMNS)


def test_the_mark_is_that_of_the_statistics() -> None:
    (mark,) = [text for text in PRINTED if text.startswith("max_drop is smaller")]
    assert mark in (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_every_sentence_on_stages_is_explained() -> None:
    section = TEXT[TEXT.index("## Which stage changed") : TEXT.index("### Does it hang")]
    for cause in _CAUSES.values():
        assert f"`{cause.format(top='nDCG@10')}`" in section


def test_links_lead_to_files_and_headings() -> None:
    for page, anchor in re.findall(r"\]\(([\w./-]+)(?:#([\w-]+))?\)", TEXT):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        headings = {
            re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-")
            for line in re.findall(r"(?m)^#+ (.+)$", text)
        }
        assert not anchor or anchor in headings, (page, anchor)
