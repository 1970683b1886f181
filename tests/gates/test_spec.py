"""irbench.yaml: what is read, and that every fault is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_irbench.errors import InputError, InputErrors, IrbenchError
from pytest_irbench.gates.spec import Spec, SystemSpec, ThresholdSpec, read_spec

FULL = """\
benchmarks:
  helpdesk:
    topics: judgments/topics.tsv
    qrels: judgments/qrels.txt
    relevance_level: 2
    depth: 50
    measures: [nDCG@5, RR]
    description: Questions of our help desk
  facts: {ir_datasets: beir/scifact/test}
systems:
  rerank: {run: "runs/{benchmark}.rerank.trec.gz"}
  bm25+rm3: {search: "shop.search:bm25_rm3", depth: 100}
gates:
  - benchmark: dl20
    system: [bm25, bm25+rm3]
    depth: 200
    thresholds:
      nDCG@10: 0.47
      AP: {max: 0.9, min: 28e-2}
  - benchmark: [helpdesk, facts]
    system: rerank
    thresholds: {NumRet: 15}
"""

RULES = """\
  - benchmark: cast21
    system: bm25
    slack: 0.05
    topic_columns: facts.tsv
    thresholds: {RR: {max_drop: 2%, evidence: significant}}
    slices: {late: {where: "turn >= 5", thresholds: {AP: 0.3}}}
    worst_conversation: {nDCG@3: 0.2}
    stable: {nDCG@3: 0.01}
    repeats: 3
    utterance: [raw, manual]
    doc_id: {pattern: "-[0-9]+$", replace: ""}
    exclude_docs: "WAPO_*"
    rerank: false
    ties: report
    unjudged: bounds
    queries:
      max_drop: {nDCG@10: 0.3, allow: 1}
      expect: [{query_id: 31_1, doc_id: "d\\n1", within: 2, absent: true}]
      xfail: [{query_id: 31_2, reason: why, below: {AP: 0.9}}]
"""


class Folder:
    """A folder in which a test writes irbench.yaml and reads it."""

    def __init__(self, path: Path) -> None:
        self.file = path / "irbench.yaml"

    def read(self, text: str | bytes) -> Spec:
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_spec(self.file)

    def faults(self, text: str | bytes) -> list[str]:
        """The faults, each as line:column: message."""
        with pytest.raises(InputErrors) as caught:
            self.read(text)
        return [f"{f.line}:{f.column}: {f.message}" for f in caught.value.faults]

    def gate_faults(self, thresholds: str, more: str = "") -> list[str]:
        """The faults of a file whose line 1 is one gate, the thresholds from column 54 on."""
        return self.faults(f"gates: [{{benchmark: dl20-doc, system: a, thresholds: {thresholds}}}]\n{more}")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_benchmarks_are_read_with_paths_beside_the_file(folder: Folder) -> None:
    benchmarks = folder.read(FULL).benchmarks
    helpdesk = benchmarks["helpdesk"]
    assert (helpdesk.name, helpdesk.line) == ("helpdesk", 2)
    assert helpdesk.topics == folder.file.parent / "judgments" / "topics.tsv"
    assert helpdesk.qrels == folder.file.parent / "judgments" / "qrels.txt"
    assert (helpdesk.ir_datasets, helpdesk.relevance_level, helpdesk.depth) == (None, 2, 50)
    assert helpdesk.measures == ("nDCG@5", "RR")
    assert helpdesk.description == "Questions of our help desk"


def test_what_a_benchmark_leaves_out_has_defaults(folder: Folder) -> None:
    facts = folder.read(FULL).benchmarks["facts"]
    assert (facts.topics, facts.qrels, facts.ir_datasets) == (None, None, "beir/scifact/test")
    assert (facts.relevance_level, facts.depth, facts.description) == (1, 1000, "")
    assert facts.measures == ("nDCG@10", "AP", "RR")


def test_a_benchmark_may_have_candidates_and_label_sets_beside_the_file(folder: Folder) -> None:
    facts = folder.read(FULL).benchmarks["facts"]
    assert (facts.candidates, facts.extra_qrels) == (None, {})
    more = "candidates: top100.trec, extra_qrels: {sparse: labels/sparse.txt, crowd_2: c.txt}"
    one = folder.read(f"benchmarks: {{a: {{topics: t, qrels: q, {more}}}}}").benchmarks["a"]
    here = folder.file.parent
    assert one.candidates == here / "top100.trec"
    assert one.extra_qrels == {"sparse": here / "labels" / "sparse.txt", "crowd_2": here / "c.txt"}


def test_paths_are_absolute_for_a_relative_file(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.file.write_text(FULL)
    monkeypatch.chdir(folder.file.parent)
    spec = read_spec(Path(folder.file.name))
    assert spec.path == Path(folder.file.name)
    topics = spec.benchmarks["helpdesk"].topics
    assert topics is not None
    assert topics.is_absolute()
    assert spec.run_file("rerank", "facts") == Path.cwd() / "runs" / "facts.rerank.trec.gz"


def test_absolute_paths_stay(folder: Folder) -> None:
    path = folder.file.parent.parent / "t.tsv"
    spec = folder.read(f"benchmarks: {{a: {{topics: '{path}', qrels: q}}}}")
    assert spec.benchmarks["a"].topics == path


def test_systems_are_read(folder: Folder) -> None:
    spec = folder.read(FULL)
    assert spec.systems == {
        "rerank": SystemSpec("rerank", 11, None, "runs/{benchmark}.rerank.trec.gz", None),
        "bm25+rm3": SystemSpec("bm25+rm3", 12, "shop.search:bm25_rm3", None, 100),
    }
    with pytest.raises(ValueError, match="has no run file"):
        spec.run_file("bm25+rm3", "facts")


def test_every_pair_of_benchmark_and_system_is_a_gate(folder: Folder) -> None:
    gates = folder.read(FULL).gates
    assert [(g.line, g.benchmark, g.system, g.depth) for g in gates] == [
        (14, "dl20-passage", "bm25", 200),
        (14, "dl20-passage", "bm25+rm3", 200),
        (14, "dl20-doc", "bm25", 200),
        (14, "dl20-doc", "bm25+rm3", 200),
        (20, "helpdesk", "rerank", None),
        (20, "facts", "rerank", None),
    ]


def test_min_and_max_are_two_thresholds_with_the_line_to_edit(folder: Folder) -> None:
    thresholds = folder.read(FULL).gates[0].thresholds
    assert thresholds == (
        ThresholdSpec("nDCG@10", "min", 0.47, 18, 7),
        ThresholdSpec("AP", "min", 0.28, 19, 22),
        ThresholdSpec("AP", "max", 0.9, 19, 12),
    )
    assert all(type(threshold.limit) is float for threshold in thresholds)


def test_a_file_may_declare_no_gate(folder: Folder) -> None:
    assert folder.read("benchmarks: {a: {ir_datasets: b}}").gates == ()


def test_anchors_and_aliases_work(folder: Folder) -> None:
    spec = folder.read(
        "gates:\n"
        "  - {benchmark: dl20-doc, system: a, thresholds: &low {AP: &n 0.2}}\n"
        "  - {benchmark: dl20-doc, system: b, thresholds: *low}\n"
        "  - {benchmark: dl20-doc, system: c, thresholds: {RR: *n}}\n"
    )
    assert [gate.thresholds[0].limit for gate in spec.gates] == [0.2, 0.2, 0.2]
    assert spec.gates[1].thresholds[0].line == 2


@pytest.mark.parametrize("text", [FULL.replace("\n", "\r\n"), f"\ufeff{FULL}"], ids=["crlf", "bom"])
def test_files_of_windows_read_the_same(folder: Folder, text: str) -> None:
    assert folder.read(text) == folder.read(FULL)


def test_ids_and_words_of_yaml_1_1_stay_text_as_names(folder: Folder) -> None:
    names = ["31_1", "3_11", "31_10", "106_2", "no", "on", "null", "2024-01-01", "007", "true"]
    declared = "".join(f"  {name}: {{ir_datasets: x}}\n" for name in names)
    asked = "".join(f"  {name}: {{run: run_{name}.txt}}\n" for name in names)
    gate = "gates: [{benchmark: [31_1, 3_11, no, 2024-01-01, '007'], system: on, thresholds: {RR: 0.5}}]\n"
    spec = folder.read(f"benchmarks:\n{declared}systems:\n{asked}{gate}")
    assert list(spec.benchmarks) == list(spec.systems) == names
    assert [(g.benchmark, g.system) for g in spec.gates] == [
        (name, "on") for name in ["31_1", "3_11", "no", "2024-01-01", "007"]
    ]


def test_names_that_yaml_reads_as_something_else_need_quotes(folder: Folder) -> None:
    text = "systems: {007: {run: r}}\ngates: [{benchmark: 7, system: [007, true, ~], thresholds: {RR: 1}}]"
    assert folder.faults(text) == [
        (
            "2:21: benchmark is text such as dl20-passage, or a list of such texts, not the number 7: "
            "put '7' in quotes"
        ),
        "2:33: an item of system is text such as bm25, not the number 007: put '007' in quotes",
        "2:38: an item of system is text such as bm25, not true: put 'true' in quotes",
        "2:44: an item of system is text such as bm25, not nothing: put '~' in quotes",
    ]


@pytest.mark.parametrize(("text", "limit"), [("1e-3", 0.001), ("5e-1", 0.5), ("1.0e-3", 0.001), (".5", 0.5)])
def test_exponents_are_numbers(folder: Folder, text: str, limit: float) -> None:
    spec = folder.read(
        f"gates: [{{benchmark: dl20-doc, system: a, thresholds: {{AP: {text}, RR: {{max: {text}}}}}}}]"
    )
    assert [threshold.limit for threshold in spec.gates[0].thresholds] == [limit, limit]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("'0.5'", "'0.5' is text: write 0.5 without quotes"),
        ("{min: '0.5'}", "'0.5' is text: write 0.5 without quotes"),
        ("1_0.5", "takes a number such as 0.45, or {min: 0.45, max: 0.9}, not the text '1_0.5'"),
        ("yes", "not the text 'yes'"),
        ("true", "not true"),
        ("{min: true}", "min of 'RR' is a number such as 0.45, not true"),
        ("~", "not nothing"),
        ("", "not nothing"),
        ("[0.5]", "not a list"),
        ("{min: {}}", "not an empty mapping"),
        ("{max: }", "not nothing"),
        (".nan", "min .nan of 'RR': a limit must be a finite number"),
        (".inf", "a limit must be a finite number"),
        ("-.inf", "a limit must be a finite number"),
        ("1e999", "a limit must be a finite number"),
        ("9" * 400, "a limit must be a finite number"),
        ("0x" + "f" * 290, "a limit must be a finite number"),
        ("1.5", "the values of this measure lie in 0..1, and so must its limit"),
        ("47", "the values of this measure lie in 0..1, and so must its limit"),
        ("-0.1", "the values of this measure lie in 0..1, and so must its limit"),
        ("{max: 1.5}", "max 1.5 of 'RR': the values of this measure lie in 0..1"),
        ("0", "a minimum of 0 can never fail"),
        ("-0.0", "a minimum of 0 can never fail"),
        ("{min: 0.0, max: 0.5}", "a minimum of 0 can never fail"),
        ("{max: 1}", "a maximum of 1 can never fail"),
        ("{min: 0.5, max: 1.0}", "a maximum of 1 can never fail"),
        ("{min: 0.6, max: 0.5}", "min 0.6 of 'RR' is above its max 0.5: nothing passes"),
        ("{}", "the measure 'RR' has neither min nor max nor max_drop and could never fail: add one"),
        ("{tolerance: 1}", "unknown key 'tolerance' in the limits of 'RR': known are min, max, max_drop"),
        ("{min: 0.5, unjudged: bounds}", "unknown key 'unjudged' in the limits of 'RR'"),
        ("{mim: 0.5}", "unknown key 'mim' in the limits of 'RR', did you mean 'min'?"),
    ],
)
def test_a_limit_that_cannot_be_meant_is_refused(folder: Folder, limit: str, message: str) -> None:
    faults = folder.gate_faults(f"{{RR: {limit}}}")
    assert len(faults) == 1
    assert faults[0].startswith("1:")
    assert message in faults[0]


def test_all_faulty_limits_are_told_together(folder: Folder) -> None:
    faults = folder.faults(
        "gates:\n- benchmark: dl20-doc\n  system: a\n  thresholds:\n"
        "    RR: .nan\n    AP: .inf\n    P@10: -.inf\n    nDCG@10: 1.5\n    R@10: -0.1\n"
    )
    assert [fault.partition(": ")[0] for fault in faults] == ["5:9", "6:9", "7:11", "8:14", "9:11"]


@pytest.mark.parametrize("limit", ["0.5", "1", "{min: 1}", "{max: 0}", "{min: 0.5, max: 0.5}"])
def test_limits_at_the_edge_are_accepted(folder: Folder, limit: str) -> None:
    assert folder.read(f"gates: [{{benchmark: dl20-doc, system: a, thresholds: {{RR: {limit}}}}}]").gates


@pytest.mark.parametrize("measure", ["DCG@10", "NumRet", "NumRel", "NumRelRet", "NumQ"])
def test_measures_beyond_1_take_any_limit_above_0(folder: Folder, measure: str) -> None:
    line = f"gates: [{{benchmark: dl20-doc, system: a, thresholds: {{{measure}: {{min: %s, max: %s}}}}}}]"
    assert folder.read(line % (15, 1e3)).gates[0].thresholds[0].limit == 15
    assert folder.read(line % (0.5, 1)).gates[0].thresholds[1].limit == 1
    assert "a minimum of 0 can never fail" in folder.faults(line % (0, 5))[0]
    assert "no measure is below 0" in folder.faults(line % (-3, 5))[0]


def test_an_unknown_measure_is_a_fault_with_the_nearest(folder: Folder) -> None:
    faults = folder.gate_faults("{nDGC@10: 0.4}")
    assert len(faults) == 1
    assert faults[0].startswith("1:55: unknown measure 'nDGC@10', did you mean 'nDCG@10'?")


@pytest.mark.parametrize("measure", ["nDCG@0", "R", "P@-1", "AP(rel=0)", "''", "'nDCG@10@5'", "nDCG@1.5"])
def test_a_measure_that_cannot_be_computed_is_a_fault(folder: Folder, measure: str) -> None:
    faults = folder.gate_faults(f"{{{measure}: 0.4}}")
    assert len(faults) == 1
    assert faults[0].startswith("1:55: ")


def test_two_spellings_of_one_measure_are_a_fault(folder: Folder) -> None:
    faults = folder.faults(
        "gates:\n- benchmark: dl20-doc\n  system: a\n  thresholds:\n    AP: 0.1\n    RR: 0.1\n    MAP: 0.2\n"
        "    AP(rel=1): 0.2\n    AP: 0.3\n"
    )
    assert faults == [
        "7:5: 'MAP' is the same measure as 'AP' in line 5 (both are AP): keep one",
        "8:5: 'AP(rel=1)' is the same measure as 'AP' in line 5 (both are AP): keep one",
        "9:5: the key 'AP' is given twice, first in line 5: keep one",
    ]


def test_the_relevance_level_decides_whether_two_measures_are_one(folder: Folder) -> None:
    text = (
        "benchmarks: {one: {ir_datasets: x}, two: {ir_datasets: y, relevance_level: 2}}\n"
        "gates: [{benchmark: %s, system: a, thresholds: {AP: 0.1, AP(rel=2): 0.1}}]\n"
    )
    assert folder.read(text % "one").gates
    for benchmark in ("two", "[one, two]"):
        faults = folder.faults(text % benchmark)
        assert len(faults) == 1
        assert "'AP(rel=2)' is the same measure as 'AP' in line 2 where the relevance level is 2" in faults[0]


def test_measures_of_a_benchmark_are_checked(folder: Folder) -> None:
    faults = folder.faults("benchmarks: {a: {ir_datasets: x, measures: [AP, MAP, nDGC@3, 5]}}")
    assert [fault.partition(": ")[0] for fault in faults] == ["1:49", "1:54", "1:62"]


@pytest.mark.parametrize(
    ("thresholds", "place"),
    [("", "2:3"), ("  thresholds:", "4:14"), ("  thresholds: {}", "4:15"), ("  thresholds: ~", "4:15")],
)
def test_a_gate_without_thresholds_is_a_fault(folder: Folder, thresholds: str, place: str) -> None:
    faults = folder.faults(f"gates:\n- benchmark: dl20-doc\n  system: a\n{thresholds}\n")
    expected = (
        "this gate has no thresholds and could never fail: add for instance thresholds: {nDCG@10: 0.45}"
    )
    assert faults == [f"{place}: {expected}"]


@pytest.mark.parametrize("thresholds", ["0.5", "nDCG@10"])
def test_thresholds_of_a_wrong_type_are_a_fault(folder: Folder, thresholds: str) -> None:
    faults = folder.gate_faults(thresholds)
    assert len(faults) == 1
    assert faults[0].startswith("1:54: thresholds maps measures to limits, not ")


def test_a_pair_that_occurs_twice_is_a_fault_naming_the_first(folder: Folder) -> None:
    gate = "- {benchmark: %s, system: %s, thresholds: {RR: 0.5}}\n"
    text = "gates:\n" + gate % ("dl20", "[a, b]") + gate % ("dl20-doc", "c") + gate % ("dl20-doc", "[c, b]")
    assert folder.faults(text) == [
        "4:3: benchmark dl20-doc with system b is a gate already in line 2: put all of its thresholds there",
        "4:3: benchmark dl20-doc with system c is a gate already in line 3: put all of its thresholds there",
    ]


@pytest.mark.parametrize(("benchmark", "system"), [("[dl20, dl20-doc]", "a"), ("dl20-doc", "[a, a]")])
def test_a_pair_twice_in_one_gate_is_a_fault(folder: Folder, benchmark: str, system: str) -> None:
    faults = folder.faults(f"gates: [{{benchmark: {benchmark}, system: {system}, thresholds: {{RR: 0.5}}}}]")
    assert len(faults) == 1
    assert "benchmark dl20-doc with system a is a gate already in line 1" in faults[0]


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("dl20-passag", ", did you mean 'dl20-passage'?"),
        ("helpdesc", ", did you mean 'helpdesk'?"),
        (
            "all",
            ": known are cast19, cast21, dl19-doc, dl19-passage, dl20-doc, dl20-passage, cast, dl19, dl20, helpdesk",
        ),
    ],
)
def test_an_unknown_benchmark_is_a_fault_with_the_nearest(folder: Folder, name: str, end: str) -> None:
    text = f"gates: [{{benchmark: {name}, system: a, thresholds: {{RR: 0.5}}}}]\nbenchmarks: {{helpdesk: {{ir_datasets: x}}}}"
    assert folder.faults(text) == [f"1:21: unknown benchmark '{name}'{end}"]


@pytest.mark.parametrize(
    "name", ["cast19", "cast21", "dl19-doc", "dl20-passage", "cast", "dl19", "dl20", "all"]
)
def test_a_declared_benchmark_may_not_take_a_name_that_selects_something(folder: Folder, name: str) -> None:
    faults = folder.faults(f"benchmarks: {{{name}: {{ir_datasets: x}}}}")
    assert faults == [f"1:14: the name '{name}' is built in: call your benchmark something else"]


@pytest.mark.parametrize("name", ["a b", "é", "a/b", "a[1]", "-a", "+a", ".a", "a:b", "''", '"a\\n"'])
def test_names_that_no_test_id_can_hold_are_a_fault(folder: Folder, name: str) -> None:
    for text in (
        f"benchmarks:\n  ? {name}\n  : {{ir_datasets: x}}",
        f"systems:\n  ? {name}\n  : {{run: r}}",
    ):
        faults = folder.faults(text)
        assert len(faults) == 1
        assert faults[0].startswith("2:5: the ")
        assert "can't be part of a test's id" in faults[0]


@pytest.mark.parametrize("name", ["pytest_plugins", "setup_module", "__all__"])
def test_a_system_may_not_take_a_name_that_means_something_to_pytest(folder: Folder, name: str) -> None:
    assert folder.faults(f"systems: {{{name}: {{run: r}}}}") == [
        f"1:11: the system name '{name}' means something to pytest: call the system something else"
    ]


def test_a_system_that_is_neither_declared_nor_a_python_name_is_a_fault(folder: Folder) -> None:
    gate = "gates: [{benchmark: dl20-doc, system: [bm25+rm3, class, ok, 'a b'], thresholds: {RR: 0.5}}]\n"
    said = "is not under systems:, so it would have to be a fixture, and is no Python name"
    faults = folder.faults(gate)
    assert faults[:2] == [f"1:40: system 'bm25+rm3' {said}", f"1:50: system 'class' {said}"]
    assert len(faults) == 3
    assert "'a b' can't be part of a test's id" in faults[2]
    faults = folder.faults(gate + "systems: {bm25-rm3: {run: r}}")
    assert faults[0] == f"1:40: system 'bm25+rm3' {said}, did you mean 'bm25-rm3'?"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{topics: t}", "benchmark 'a' needs {topics: topics.tsv, qrels: qrels.txt} or {ir_datasets: "),
        ("{qrels: t}", "benchmark 'a' needs {topics: "),
        ("{depth: 5}", "benchmark 'a' needs {topics: "),
        ("{topics: t, qrels: q, ir_datasets: x}", "takes either topics and qrels, or ir_datasets: keep one"),
        ("{qrels: q, ir_datasets: x}", "takes either topics and qrels, or ir_datasets: keep one"),
        ("{}", "benchmark 'a' takes {topics: topics.tsv, qrels: qrels.txt} or {ir_datasets: beir/scifact/test}, not an empty mapping"),
        ("", "not nothing"),
        ("beir/scifact/test", "not the text 'beir/scifact/test'"),
        ("{ir_datasets: [x]}", "ir_datasets is text such as beir/scifact/test, not a list"),
        ("{ir_datasets: ''}", "not an empty text"),
        ("{topics: 2024, qrels: q}", "topics is text such as topics.tsv, not the number 2024: put '2024' in quotes"),
        ('{topics: "a\\0b", qrels: q}', "topics is no path: it holds a null character"),
        ("{ir_datasets: x, relevance_level: 0}", "relevance_level is a whole number from 1, such as 2, not the number 0"),
        ("{ir_datasets: x, depth: 1.5}", "depth is a whole number from 1, such as 1000, not the number 1.5"),
        ("{ir_datasets: x, depth: '10'}", "'10' is text: write 10 without quotes"),
        ("{ir_datasets: x, depth: true}", "not true"),
        ("{ir_datasets: x, depth: }", "not nothing"),
        ("{ir_datasets: x, depth: 1_000}", "not the text '1_000'"),
        ("{ir_datasets: x, measures: []}", "measures is text such as nDCG@10, or a list of such texts, not an empty list"),
        ("{ir_datasets: x, description: 5}", "description is text"),
        ("{ir_datasets: x, qrel: q}", "unknown key 'qrel' in benchmark 'a', did you mean 'qrels'?"),
        ("{ir_datasets: x, extra_qrels: q}", "extra_qrels maps names to files, not the text 'q'"),
        ("{ir_datasets: x, extra_qrels: {}}", "extra_qrels maps names to files, not an empty mapping"),
        ("{ir_datasets: x, extra_qrels: {sparse: 5}}", "sparse is text such as labels.txt, not the number 5: put '5' in quotes"),
        ('{ir_datasets: x, extra_qrels: {sparse: "a\\0"}}', "sparse is no path: it holds a null character"),
        ("{ir_datasets: x, extra_qrels: {a-b: q}}", "the name 'a-b' of a label set can't be part of a test's id: use letters, digits and _"),
        ("{ir_datasets: x, extra_qrels: {é: q}}", "the name 'é' of a label set can't be part of a test's id"),
        ("{ir_datasets: x, candidates: [c]}", "candidates is text such as candidates.trec, not a list"),
    ],
)  # fmt: skip
def test_a_faulty_benchmark_is_one_fault(folder: Folder, body: str, message: str) -> None:
    faults = folder.faults(f"benchmarks: {{a: {body}}}")
    assert len(faults) == 1
    assert message in faults[0]


@pytest.mark.parametrize(
    ("labels", "end"),
    [
        ("", ", it has none"),
        (", extra_qrels: {sparse: s}", ", did you mean 'sparse'?"),
        (", extra_qrels: {crowd: s, experts: e}", ": known are crowd, experts"),
    ],
)
def test_an_unknown_label_set_is_a_fault_where_its_limit_stands(
    folder: Folder, labels: str, end: str
) -> None:
    declared = f"benchmarks: {{a: {{topics: t, qrels: q{labels}}}}}\n"
    limits = "{RR: 0.5, AP: {max: 0.9, qrels: sprase}}"
    faults = folder.faults(f"{declared}gates: [{{benchmark: a, system: b, thresholds: {limits}}}]")
    assert faults == [f"2:62: benchmark a has no extra_qrels 'sprase'{end}"]


def test_each_benchmark_of_a_gate_needs_its_label_sets(folder: Folder) -> None:
    declared = "benchmarks: {a: {topics: t, qrels: q, extra_qrels: {sparse: s}}}\n"
    limits = "[{measure: RR, min: 0.5, qrels: sparse}]"
    gate = f"gates: [{{benchmark: [a, dl20-doc], system: b, thresholds: {limits}}}]"
    assert folder.faults(declared + gate) == [
        "2:74: benchmark dl20-doc has no extra_qrels 'sparse', it has none"
    ]


@pytest.mark.parametrize("key", ["evidence", "name", "where", "fixture"])
def test_keys_of_no_gate_are_unknown(folder: Folder, key: str) -> None:
    faults = folder.faults(f"gates: [{{{key}: 1, benchmark: dl20-doc, system: a, thresholds: {{RR: 1}}}}]")
    known = "benchmark, system, depth, thresholds, slices, worst_conversation, stable, queries, slack"
    assert len(faults) == 1
    assert faults[0].startswith(f"1:10: unknown key '{key}' in a gate: known are {known}, ")


def test_a_typing_error_in_a_key_is_told_beside_what_is_then_missing(folder: Folder) -> None:
    faults = folder.faults("gates:\n  - benchmark: dl20-doc\n    system: a\n    treshold: {RR: 0.5}\n")
    assert faults[0].startswith("2:5: this gate has no thresholds")
    assert faults[1] == "4:5: unknown key 'treshold' in a gate, did you mean 'thresholds'?"


@pytest.mark.parametrize(("text", "missing"), [("system: a", "benchmark"), ("benchmark: dl20-doc", "system")])
def test_a_gate_names_its_benchmark_and_system(folder: Folder, text: str, missing: str) -> None:
    faults = folder.faults(f"gates: [{{{text}, thresholds: {{RR: 0.5}}}}]")
    assert len(faults) == 1
    assert faults[0].startswith(f"1:9: this gate has no {missing}: a gate is a mapping such as ")


@pytest.mark.parametrize("value", ["", "~", "[]", "{}", "dl20", "{benchmark: dl20}"])
def test_gates_must_be_a_list_with_a_gate(folder: Folder, value: str) -> None:
    faults = folder.faults(f"gates: {value}\n")
    assert len(faults) == 1
    assert "gates is a list, one '- benchmark: ...' for each gate, not " in faults[0]


@pytest.mark.parametrize("gate", ["", "dl20", "[]", "{}", "5"])
def test_a_gate_must_be_a_mapping(folder: Folder, gate: str) -> None:
    faults = folder.faults(f"gates:\n  - {gate}\n")
    assert len(faults) == 1
    assert "a gate is a mapping such as {benchmark: dl20-passage, " in faults[0]


@pytest.mark.parametrize("section", ["benchmarks", "systems"])
@pytest.mark.parametrize("value", ["", "{}", "[a]", "a"])
def test_sections_must_not_be_empty(folder: Folder, section: str, value: str) -> None:
    faults = folder.faults(f"{section}: {value}\n")
    assert len(faults) == 1
    assert f"{section} maps names to their declarations, not " in faults[0]


@pytest.mark.parametrize("text", ["", "# nothing\n", "~", "---\n", "\ufeff"])
def test_an_empty_file_declares_nothing(folder: Folder, text: str) -> None:
    assert folder.faults(text) == ["1:1: this file declares nothing: it needs the key gates"]


@pytest.mark.parametrize("text", ["- a\n", "{}", "text", "5", "[]"])
def test_a_file_must_be_a_mapping(folder: Folder, text: str) -> None:
    faults = folder.faults(text)
    assert len(faults) == 1
    assert faults[0].startswith("1:1: this file is a mapping with the keys benchmarks, systems, gates, not ")


def test_unknown_keys_of_the_file_are_faults(folder: Folder) -> None:
    assert folder.faults("gate: 1\nRR: 0.75\r\n") == [
        "1:1: unknown key 'gate' in this file, did you mean 'gates'?",
        "2:1: unknown key 'RR' in this file: known are benchmarks, systems, gates",
    ]


def test_a_limit_in_a_crlf_file_is_a_number(folder: Folder) -> None:
    text = b"gates:\r\n- benchmark: dl20-doc\r\n  system: a\r\n  thresholds:\r\n    RR: 0.75\r\n"
    assert folder.read(text).gates[0].thresholds == (ThresholdSpec("RR", "min", 0.75, 5, 5),)


def test_vanished_measures_and_empty_gates_are_all_told(folder: Folder) -> None:
    faults = folder.faults(
        "systems: {dense: {run: run.txt}}\n"
        "gates:\n"
        "  - benchmark: dl20-doc\n"
        "    system: dense\n"
        "    queries: [q99]\n"
        "    thresholds: {ndgc@10: 0.4, RR@10: 0.4, nDCG@0: 0.4, R: 0.4}\n"
        "  - {benchmark: dl19-doc, system: dense, thresholds: {}}\n"
    )
    assert [fault.partition(": ")[0] for fault in faults] == ["5:14", "6:18", "6:44", "6:57", "7:54"]
    assert faults[0].endswith("queries is a mapping with the keys max_drop, expect, xfail, not a list")
    assert "did you mean 'nDCG@10'?" in faults[1]


def test_a_fault_in_the_syntax_comes_with_the_faults_before_it(folder: Folder) -> None:
    faults = folder.faults("gates: 1\ngates: 2\nsystems: *a\n")
    assert faults == [
        "2:1: the key 'gates' is given twice, first in line 1: keep one",
        "3:10: the alias *a has no anchor &a before it",
    ]


def test_a_fault_met_again_through_an_alias_is_told_once(folder: Folder) -> None:
    gate = "{benchmark: dl20-doc, system: %s, thresholds: %s}"
    text = f"gates: [{gate % ('a', '&t {RR: 2}')}, {gate % ('b', '*t')}, {gate % ('c', '*t')}]"
    assert len(folder.faults(text)) == 1


def test_the_message_names_the_file_as_it_was_given(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.file.write_text("gates: []")
    monkeypatch.chdir(folder.file.parent)
    with pytest.raises(InputErrors, match=r"^irbench\.yaml:1:8: gates is a list"):
        read_spec(Path("irbench.yaml"))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.yaml: this file can't be read: "):
        read_spec(tmp_path / "gone.yaml")


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this file can't be read: "):
        read_spec(tmp_path)


def test_long_text_is_cut_in_messages(folder: Folder) -> None:
    faults = folder.faults("x" * 100_000 + ": 1")
    assert len(faults[0]) < 250


def test_ten_thousand_thresholds_are_read(folder: Folder) -> None:
    gate = "  - benchmark: dl20-doc\n    system: s%d\n    thresholds:\n"
    lines = "".join(f"      P@{cutoff}: {{min: 0.5}}\n" for cutoff in range(1, 101))
    spec = folder.read("gates:\n" + "".join(gate % number + lines for number in range(100)))
    assert sum(len(gate.thresholds) for gate in spec.gates) == 10_000


WORDS = st.sampled_from(
    ["gates", "benchmarks", "systems", "thresholds", "benchmark", "system", "min", "max", "run", "search", "topics"]
    + ["qrels", "depth", "measures", "dl20", "dl20-doc", "bm25", "nDCG@10", "AP", "P@5", "nDCG(gains={0:0})@3"]
    + [": ", ":", "\n", "\n  ", "\n    ", "- ", "{", "}", "[", "]", ", ", "&a ", "*a", "!!str ", "!x ", "|", ">", "? "]
    + ["'", '"', "\\", "#", "\t", "\r\n", "---\n", "...\n", "%", "@", "0.5", "1e-3", ".nan", "true", "~", "0x1F", "é"]
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A faultless file in which one stretch is replaced."""
    text = FULL + RULES
    start = draw(st.integers(0, len(text)))
    length = draw(st.integers(0, 30))
    inserted = draw(st.one_of(st.text(max_size=10), st.lists(WORDS, max_size=5).map("".join)))
    return text[:start] + inserted + text[start + length :]


@settings(
    database=None,
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    data=st.one_of(
        st.binary(max_size=60),
        st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass")),
        st.lists(WORDS, max_size=40).map(lambda words: "".join(words).encode()),
        damaged().map(lambda text: text.encode(errors="surrogatepass")),
    )
)
def test_any_text_is_a_spec_or_a_told_fault(folder: Folder, data: bytes) -> None:
    try:
        spec = folder.read(data)
    except IrbenchError as error:
        told = str(error).splitlines()
        assert told
        assert all(line.startswith(f"{folder.file}:") for line in told)
    else:
        assert isinstance(spec, Spec)
