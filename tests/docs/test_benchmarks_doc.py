"""docs/benchmarks.md is true: its tables are the code's, its YAML is read, the tests it names exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_irbench.benchmarks.benchmark import Benchmark, Topic, Topics
from pytest_irbench.benchmarks.builtin import BUILTIN, FAMILIES
from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.benchmarks.files import load_files
from pytest_irbench.benchmarks.lock import LOCK_NAME
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.benchmarks.rewrites import FILE_NAME
from pytest_irbench.gates.declared import Spec
from pytest_irbench.gates.spec import KEYS, read_spec
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.measure import Measure
from pytest_irbench.reports.explain import counts
from pytest_irbench.runs.retrieve import retrieve

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
CARDS = {"cast19": "CAsT 2019", "cast21": "CAsT 2021", "dl19": "DL 2019", "dl20": "DL 2020"}


def rows(header: str, text: str = TEXT) -> list[list[str]]:
    """Read the cells of the table whose first row begins so."""
    table = text[text.index(f"| {header} |") :].partition("\n\n")[0]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in table.split("\n")[2:]]


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", TEXT)


def test_the_table_is_that_of_the_code() -> None:
    table = {}
    for name, source, judged, judgments, _, level, depth, measures in rows("name | source in ir_datasets"):
        table[codes(name)[0]] = (
            *codes(source),
            int(judged),
            int(judgments.replace(",", "")),
            int(level),
            int(depth),
            tuple(codes(measures)),
        )
    assert table == {
        info.name: (
            info.source,
            info.judged,
            info.judgments,
            info.relevance_level,
            info.depth,
            info.measures,
        )
        for info in BUILTIN.values()
    }


def test_every_benchmark_has_its_section() -> None:
    headings = re.findall(r"(?m)^### (.+)$", TEXT)
    named = [name for heading in headings for name in heading.split(", ")]
    assert set(BUILTIN) <= set(named)
    assert all(f"--irbench={family}`" in TEXT for family in FAMILIES)


def test_the_files_are_those_of_the_code() -> None:
    table = {
        codes(name)[0]: (*codes(topics), *codes(qrels)) for name, topics, qrels in rows("benchmark | topics")
    }
    assert table == {
        info.name: (
            f"{info.topics.area}/{info.topics.path}",
            f"{info.qrels.area}/{info.qrels.path}",
        )
        for info in BUILTIN.values()
    }
    assert f"`trec-cast/2019/{FILE_NAME}`" in TEXT
    assert f"`{LOCK_NAME}`" in TEXT


@pytest.mark.usefixtures("published_home")
@pytest.mark.parametrize("name", BUILTIN)
def test_grades_rewrites_and_responses_are_as_the_page_says(name: str) -> None:
    (grades,) = (row[4] for row in rows("name | source in ir_datasets") if codes(row[0]) == [name])
    benchmark = load_builtin(name)
    found = benchmark.qrels.grades
    assert f"{found.min()}-{found.max()}" == grades
    last = benchmark.topics[-1]
    has = bool(last.manual), bool(last.automatic), bool(last.history and last.history[0].response)
    expected = {"cast19": (True, False, False), "cast21": (True, True, True)}
    assert has == expected.get(name, (False, False, False))
    conversations = {topic.conversation for topic in benchmark.topics}
    if name.startswith("cast"):
        assert f"{len(benchmark.topics)} judged turns of {len(conversations)} conversations" in TEXT
    else:
        assert conversations == {None}


@pytest.mark.usefixtures("published_home")
def test_cast19_judges_no_washington_post_passage() -> None:
    documents = load_builtin("cast19").qrels.doc_ids
    prefixes = {documents[row].partition("_")[0] for row in range(len(documents))}
    assert prefixes == {"CAR", "MARCO"}


def plain(text: str) -> str:
    """Drop the marks of Markdown and fold blanks: the cards are not all written in one style."""
    return " ".join(re.sub(r"[*`|]", " ", text).split())


def card_table(title: str) -> list[list[str]]:
    section = TEXT[TEXT.index(f"### Card of {title}") :]
    return rows("card | covered by", section)


@pytest.mark.parametrize("name", CARDS)
def test_every_line_of_a_card_is_in_its_table(name: str, shared_data: Path) -> None:
    card = (shared_data.parent / "cards" / f"{name}.md").read_text(encoding="utf-8")
    said = [plain(row[0]) for row in card_table(CARDS[name])]
    expected = [
        plain(f"{kind}: {text}") for kind, text in re.findall(r"(?m)^\**(Input|Output)\**: (.+)$", card)
    ]
    metrics, pitfalls = (
        re.split(r"(?m)^#* ?(?:Evidence|Input / output)", card.partition(heading)[2])[0]
        for heading in ("\nMetrics\n" if name == "dl20" else "## Metrics\n", "Common pitfalls\n")
    )
    for metric, primary in re.findall(r"(?m)^[-•] `?([^`\s]+)`?(?: \**\((primary)\)\**)? —", metrics):
        expected.append(f"Measure: {metric}{' (primary)' if primary else ''}")
    expected += [f"Pitfall: {plain(text)}" for text in re.findall(r"(?m)^[-•] (.+)$", pitfalls)]
    assert len(expected) == {"cast19": 8, "cast21": 11, "dl19": 7, "dl20": 9}[name]
    (recipe,) = re.findall(r"(?m)^def (\w+)\(", card)
    assert [line for line in said if not line.startswith("Recipe: ")] == expected
    assert any(line.startswith(f"Recipe: {recipe}") for line in said)


def test_every_line_says_how_it_is_covered_or_why_not() -> None:
    for title in CARDS.values():
        for line, feature, reason in card_table(title):
            assert feature, line
            assert reason, line


def test_every_test_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT))
    assert len(named) >= 12
    for file, function in sorted(named):
        assert f"\ndef {function}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{function}"


@pytest.fixture
def specs(tmp_path: Path) -> list[Spec]:
    """Every YAML example of the page, read as a file of its own."""
    found = []
    for number, block in enumerate(blocks("yaml")):
        path = tmp_path / str(number) / "irbench.yaml"
        path.parent.mkdir()
        path.write_text(block, encoding="utf-8")
        found.append(read_spec(path))
    return found


def test_the_yaml_examples_are_read(specs: list[Spec]) -> None:
    declared = {name: benchmark for spec in specs for name, benchmark in spec.benchmarks.items()}
    assert list(declared) == ["helpdesk", "helpdesk-chat", "scifact", "cast20"]
    assert all(spec.gates for spec in specs)
    helpdesk = declared["helpdesk"]
    assert (helpdesk.relevance_level, helpdesk.depth) == (2, 100)
    assert helpdesk.measures == ("nDCG@10", "R@100")
    assert declared["scifact"].ir_datasets == "beir/scifact/test"


def test_the_yaml_examples_use_every_key_of_a_benchmark() -> None:
    yaml = "\n".join(blocks("yaml"))
    assert [key for key in KEYS["benchmark"] if f" {key}:" not in yaml] == []


def test_the_defaults_in_the_example_are_those_of_the_code() -> None:
    said = dict(re.findall(r"(?m)^    (\w+): .*# default (.+)$", blocks("yaml")[0]))
    assert said == {
        "relevance_level": str(Benchmark.relevance_level),
        "depth": str(Benchmark.depth),
        "measures": ", ".join(Benchmark.measures),
    }


@pytest.mark.usefixtures("ir_datasets_home")
def test_the_ids_of_ir_datasets_exist(specs: list[Spec]) -> None:
    import ir_datasets

    ids = [b.ir_datasets for spec in specs for b in spec.benchmarks.values() if b.ir_datasets]
    sources = [info.source for info in BUILTIN.values() if info.name != "cast21"]
    assert [name for name in ids + sources if name not in ir_datasets.registry] == []
    # Once ir_datasets registers it, this page and the loader can be simpler.
    assert BUILTIN["cast21"].source not in ir_datasets.registry


def test_the_conversation_example_is_read(tmp_path: Path) -> None:
    (conversation,) = blocks("json")
    (tmp_path / "conversations.json").write_text(conversation, encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1_2 0 kb-14 2\n")
    benchmark = load_files("chat", tmp_path / "conversations.json", tmp_path / "qrels.txt")
    (topic,) = benchmark.topics
    assert (topic.query_id, topic.manual) == ("1_2", "What do I do if resetting my router fails?")
    (earlier,) = topic.history
    assert (earlier.response, earlier.response_id) == ("Hold the button for ten seconds.", "kb-12")


def small_benchmark(level: int = 1) -> Benchmark:
    topics = Topics([Topic("what are sharks", "1"), Topic("are they endangered", "2")])
    qrels = Qrels.from_mapping({"1": {"MARCO_D1": 2, "MARCO_D2": 0}, "2": {"MARCO_D3": 1}})
    return Benchmark("small", topics, qrels, level)


@pytest.mark.parametrize(
    "answer",
    [
        [("MARCO_D1", 2.0), ("MARCO_D3", 1.0)],
        {"MARCO_D3": 1.0, "MARCO_D1": 2.0},
        ["MARCO_D1", "MARCO_D3"],
    ],
    ids=["pairs", "mapping", "doc_ids"],
)
def test_every_accepted_shape_of_an_answer_is_the_same_run(answer: Any) -> None:
    run = retrieve(small_benchmark(), lambda _topic, _k: answer)
    ranked = {(query_id, doc_id, score) for query_id, doc_id, score in run.rows()}
    assert ranked == {(q, d, s) for q in "12" for d, s in (("MARCO_D1", 2.0), ("MARCO_D3", 1.0))}


def told(run: dict[str, dict[str, float]], measure: str, level: int = 1) -> str:
    benchmark = small_benchmark(level)
    scores = evaluate(run, benchmark.qrels, [measure], relevance_level=level)
    return "\n".join(counts(scores, Measure.parse(measure, level), benchmark))


def test_messages_count_unjudged_documents() -> None:
    message = told({"1": {"MARCO_D1": 2.0, "WAPO_1": 1.0}}, "nDCG@3")
    assert "mean over 2 judged queries" in message
    assert "1 of 2 documents in the top 3 are unjudged" in message


def test_a_run_of_passages_is_told_on_document_judgments() -> None:
    run = {"1": {"MARCO_D1-7": 1.0}}
    assert "none of the returned documents is judged for its query" in told(run, "nDCG@3")
    assert evaluate(run, small_benchmark().qrels, ["nDCG@3"]).means == {"nDCG@3": 0.0}


def test_binary_measures_are_printed_with_the_level_of_the_benchmark() -> None:
    run = {"1": {"MARCO_D1": 1.0}}
    assert list(evaluate(run, small_benchmark().qrels, ["AP"], relevance_level=2).means) == ["AP(rel=2)"]
    assert "relevant from grade 2" in told(run, "AP", level=2)
