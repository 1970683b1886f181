"""Measures as text: what is read, what is printed, what is refused and how."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.errors import InputError
from pytest_irbench.measures import external
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.measures.kernels import KERNELS
from pytest_irbench.measures.measure import ALIASES, SIGNATURES, Measure, Signature
from pytest_irbench.runs.run import Run

HINT = " (more measures: pip install 'pytest-irbench[measures]')"
EXAMPLE = "is not a measure: write it like nDCG@10, AP or RR(rel=2)@10"

finite = st.floats(-1e200, 1e200, allow_nan=False)
PARAMS: dict[str, st.SearchStrategy[Any]] = {
    "dcg": st.sampled_from(["log2", "exp-log2"]),
    "gains": st.dictionaries(st.integers(-3, 9), st.one_of(st.integers(-5, 10**9), finite), min_size=1),
    "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "beta": st.one_of(st.integers(1, 9), st.floats(0, 1e6, exclude_min=True)),
    "rel": st.integers(1, 9),
    "judged_only": st.booleans(),
}


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Write a measure in any way that is right, with parameters in any order and blanks anywhere."""
    name = draw(st.sampled_from(sorted(SIGNATURES)))
    signature = SIGNATURES[name]
    keys = [key for key, _ in signature.params] + (["rel"] if signature.binary else [])
    chosen = draw(st.permutations(keys)) if keys else []
    blank = draw(st.sampled_from(["", " "]))
    args = f",{blank}".join(f"{key}={draw(PARAMS[key])!r}" for key in chosen if draw(st.booleans()))
    with_cutoff = signature.cutoff == "required" or (signature.cutoff == "optional" and draw(st.booleans()))
    cutoff = f"{blank}@{draw(st.integers(1, 2000))}" if with_cutoff else ""
    return f"{blank}{name}({args}){cutoff}{blank}" if args else f"{name}{cutoff}"


@given(texts(), st.sampled_from([1, 2, 3]))
def test_what_is_printed_reads_back_as_the_same_measure(text: str, level: int) -> None:
    measure = Measure.parse(text, level)
    assert Measure.parse(measure.text(level), level) == measure
    assert Measure.parse(str(measure)) == measure
    assert measure.text(level) == Measure.parse(measure.text(level), level).text(level)
    assert not measure.external


@given(texts(), texts())
def test_measures_are_equal_when_their_texts_are(one: str, two: str) -> None:
    first, second = Measure.parse(one), Measure.parse(two)
    assert (first == second) == (str(first) == str(second))
    assert len({first, second}) == len({str(first), str(second)})


def test_every_signature_has_its_kernel() -> None:
    assert list(KERNELS) == list(SIGNATURES)


@pytest.mark.parametrize("name", SIGNATURES)
def test_every_measure_can_be_computed(name: str) -> None:
    text = f"{name}@2" if SIGNATURES[name].cutoff == "required" else name
    run = Run.from_mapping({"q": {"a": 2.0, "b": 1.0}})
    run.latencies = {"q": 12.5, "p": 3.0}
    scores = evaluate(run, {"q": {"a": 1, "c": 2}, "p": {"a": 1}}, [text])
    assert list(scores.means) == [text]
    assert list(scores[text]) == ["q", "p"]
    assert all(value == value for value in scores[text].values())


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("nDCG@10", "nDCG@10"),
        (" nDCG @ 10 ", "nDCG@10"),
        ("nDCG()", "nDCG"),
        ("AP(rel=1)", "AP"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("RBP", "RBP"),
        ("RBP(p=0.8)", "RBP"),
        ("RBP(p=0.5, rel=2)@5", "RBP(rel=2,p=0.5)@5"),
        ("SetF(beta=1)", "SetF"),
        ("SetF(beta=2)", "SetF(beta=2.0)"),
        ("nDCG(judged_only=False)@3", "nDCG@3"),
        ("nDCG(judged_only=True)@3", "nDCG(judged_only=True)@3"),
        ("AP(judged_only=True,rel=2)", "AP(rel=2,judged_only=True)"),
        ("nDCG(dcg='log2')@3", "nDCG@3"),
        ('nDCG(dcg="exp-log2")@3', "nDCG(dcg='exp-log2')@3"),
        ("nDCG(gains={2: 3, 0: 0, 1: 1})@10", "nDCG(gains={2:3})@10"),
        ("nDCG(gains={0:0,1:1,2:2})@10", "nDCG@10"),
        ("nDCG(gains={1:3,2:9,4:4.5})", "nDCG(gains={1:3,2:9,4:4.5})"),
        ("nDCG(gains={2:3},dcg='exp-log2')", "nDCG(dcg='exp-log2',gains={2:3})"),
    ],
)
def test_printed_text_leaves_defaults_out(text: str, printed: str) -> None:
    assert str(Measure.parse(text)) == printed


@pytest.mark.parametrize("gain", [0.12345678, 1234567, 1e-9, 0.1 + 0.2])
def test_gains_are_printed_with_every_digit(gain: float) -> None:
    text = str(Measure.parse(f"nDCG(gains={{1:{gain!r}}})@10"))
    assert Measure.parse(text).param("gains") == ((1, gain),)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases_print_as_the_name_they_mean(alias: str, name: str) -> None:
    cutoff = "@5" if SIGNATURES[name].cutoff == "required" else ""
    assert str(Measure.parse(alias + cutoff)) == name + cutoff
    assert Measure.parse(alias + cutoff, 2) == Measure.parse(name + cutoff, 2)


BINARY = [name for name, signature in SIGNATURES.items() if signature.binary]


@pytest.mark.parametrize("name", BINARY)
def test_a_bare_binary_measure_means_the_relevance_level(name: str) -> None:
    cutoff = "@5" if SIGNATURES[name].cutoff == "required" else ""
    bare = Measure.parse(name + cutoff, relevance_level=2)
    assert bare == Measure.parse(f"{name}(rel=2){cutoff}")
    assert bare.text(relevance_level=2) == f"{name}(rel=2){cutoff}"


@pytest.mark.parametrize("name", BINARY)
def test_an_explicit_level_wins_and_is_printed_where_a_bare_name_means_another(name: str) -> None:
    cutoff = "@5" if SIGNATURES[name].cutoff == "required" else ""
    explicit = Measure.parse(f"{name}(rel=1){cutoff}", relevance_level=2)
    assert explicit == Measure.parse(name + cutoff)
    assert explicit.text(relevance_level=2) == f"{name}(rel=1){cutoff}"
    assert explicit.text() == name + cutoff


@pytest.mark.parametrize(
    "text", ["nDCG@10", "nDCG", "NCG@10", "Judged@10", "DCG@5", "ERR@20", "NumRet", "NumQ"]
)
def test_measures_of_grades_ignore_the_relevance_level(text: str) -> None:
    assert Measure.parse(text, relevance_level=2) == Measure.parse(text)
    assert Measure.parse(text, relevance_level=2).text(relevance_level=2) == text


def test_means_are_named_as_a_reader_of_the_benchmark_needs_them() -> None:
    scores = evaluate(
        {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}}, ["RR", "RR(rel=1)", "nDCG"], relevance_level=2
    )
    assert list(scores.means) == ["RR(rel=2)", "RR(rel=1)", "nDCG"]
    assert scores["RR"] == scores["RR(rel=2)"] == {"q": 0.5}
    assert scores["RR(rel=1)"] == {"q": 1.0}


def test_counts_are_summed_and_all_else_is_averaged() -> None:
    scores = evaluate(
        {"q": {"a": 2.0}, "p": {"a": 1.0}}, {"q": {"a": 1}, "p": {"b": 1}}, ["NumRet", "NumQ", "RR"]
    )
    assert scores.means == {"NumRet": 2.0, "NumQ": 2.0, "RR": 0.5}


@pytest.mark.parametrize("name", SIGNATURES)
def test_bounded_says_whether_values_lie_in_0_to_1(name: str) -> None:
    text = f"{name}@2" if SIGNATURES[name].cutoff == "required" else name
    unbounded = {"DCG", "NumRet", "NumRel", "NumRelRet", "NumQ"}
    assert Measure.parse(text).bounded == (name not in unbounded and not name.startswith("latency_"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "unknown measure 'nDGC@10', did you mean 'nDCG@10'?"),
        ("nCDG@10", "unknown measure 'nCDG@10', did you mean 'nDCG@10'?"),
        ("nDCGG@10", "unknown measure 'nDCGG@10', did you mean 'nDCG@10'?"),
        (
            "ndcg(dcg='exp-log2')@3",
            "unknown measure \"ndcg(dcg='exp-log2')@3\", did you mean \"nDCG(dcg='exp-log2')@3\"?",
        ),
        ("mrr@10", "unknown measure 'mrr@10', did you mean 'MRR@10'?"),
        ("ndcg", "unknown measure 'ndcg', did you mean 'nDCG'?"),
        ("ndcg@10", "unknown measure 'ndcg@10', did you mean 'nDCG@10'?"),
        ("map@100", "unknown measure 'map@100', did you mean 'AP@100'?"),
        ("map(rel=2)", "unknown measure 'map(rel=2)', did you mean 'AP(rel=2)'?"),
        ("recip_rank@10", "unknown measure 'recip_rank@10', did you mean 'RR@10'?"),
        ("recip_rank", "unknown measure 'recip_rank', did you mean 'RR'?"),
        ("ndcg_cut_10", "unknown measure 'ndcg_cut_10', did you mean 'nDCG@10'?"),
        ("map_cut_100", "unknown measure 'map_cut_100', did you mean 'AP@100'?"),
        ("recall_1000", "unknown measure 'recall_1000', did you mean 'R@1000'?"),
        ("P_5", "unknown measure 'P_5', did you mean 'P@5'?"),
        ("success_1", "unknown measure 'success_1', did you mean 'Success@1'?"),
        ("num_rel_ret", "unknown measure 'num_rel_ret', did you mean 'NumRelRet'?"),
        ("set_F", "unknown measure 'set_F', did you mean 'SetF'?"),
        ("Zzz", f"unknown measure 'Zzz': known are {', '.join(SIGNATURES)}"),
        ("P", "'P' needs a cutoff: write P@10 for the first 10 documents"),
        ("R", "'R' needs a cutoff: write R@10 for the first 10 documents"),
        ("NCG", "'NCG' needs a cutoff: write NCG@10 for the first 10 documents"),
        ("Recall(rel=2)", "'Recall(rel=2)' needs a cutoff: write R@10 for the first 10 documents"),
        ("Rprec@10", "'Rprec@10' takes no cutoff: write Rprec"),
        ("nDCG@0", "'nDCG@0': the cutoff must be a whole number from 1, not 0"),
        ("nDCG@-1", "'nDCG@-1': the cutoff must be a whole number from 1, not -1"),
        ("nDCG@2.5", "'nDCG@2.5': the cutoff must be a whole number from 1, not 2.5"),
        ("nDCG@10.0", "'nDCG@10.0': the cutoff must be a whole number from 1, not 10.0"),
        ("nDCG@1e1", "'nDCG@1e1': the cutoff must be a whole number from 1, not 10.0"),
        ("nDCG@'10'", "\"nDCG@'10'\": the cutoff must be a whole number from 1, not '10'"),
        ("nDCG@True", "'nDCG@True': the cutoff must be a whole number from 1, not True"),
        ("AP(rel=0)", "'AP(rel=0)': rel must be a whole number from 1, not 0"),
        ("AP(rel=1.5)", "'AP(rel=1.5)': rel must be a whole number from 1, not 1.5"),
        ("AP(rel='2')", "\"AP(rel='2')\": rel must be a whole number from 1, not '2'"),
        ("AP(rel=True)", "'AP(rel=True)': rel must be a whole number from 1, not True"),
        ("nDCG(dcg='ln')", "\"nDCG(dcg='ln')\": dcg must be 'log2' or 'exp-log2', not 'ln'"),
        ("nDCG(dcg=[])", "'nDCG(dcg=[])': dcg must be 'log2' or 'exp-log2', not []"),
        (
            "nDCG(gains=3)@10",
            "'nDCG(gains=3)@10': gains maps grades to finite gains, for instance gains={1:0,2:1}",
        ),
        (
            "nDCG(gains={'1':2})",
            "\"nDCG(gains={'1':2})\": gains maps grades to finite gains, for instance gains={1:0,2:1}",
        ),
        (
            "nDCG(gains={1:1e999})",
            "'nDCG(gains={1:1e999})': gains maps grades to finite gains, for instance gains={1:0,2:1}",
        ),
        ("RBP(p=1)", "'RBP(p=1)': p must lie between 0 and 1, not 1"),
        ("RBP(p=0)", "'RBP(p=0)': p must lie between 0 and 1, not 0"),
        ("RBP(p='x')", "\"RBP(p='x')\": p must lie between 0 and 1, not 'x'"),
        ("SetF(beta=0)", "'SetF(beta=0)': beta must be a number above 0, not 0"),
        ("SetF(beta=1e999)", "'SetF(beta=1e999)': beta must be a number above 0, not inf"),
        ("", f"'' {EXAMPLE}"),
        ("10", f"'10' {EXAMPLE}"),
        ("nDCG@", f"'nDCG@' {EXAMPLE}"),
        ("@10", f"'@10' {EXAMPLE}"),
        ("nDCG@10@20", f"'nDCG@10@20' {EXAMPLE}"),
        ("nDCG(10)", f"'nDCG(10)' {EXAMPLE}"),
        ("nDCG@k", f"'nDCG@k' {EXAMPLE}"),
        ("-nDCG", f"'-nDCG' {EXAMPLE}"),
        ("nDCG@10 >= 0.4", f"'nDCG@10 >= 0.4' {EXAMPLE}"),
        ("nDCG@10, AP", f"'nDCG@10, AP' {EXAMPLE}"),
        ("nDCG\n@10;", f"'nDCG\\n@10;' {EXAMPLE}"),
        ("AP(rel=1, rel=2)", f"'AP(rel=1, rel=2)' {EXAMPLE}"),
    ],
)
def test_faults_are_told_in_full(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Measure.parse(text)
    hint = HINT if message.startswith("unknown measure") and not external.installed() else ""
    assert str(caught.value) == message + hint


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "__import__('os').system('true')",
        "AP(rel=__import__('os'))",
        "AP(rel=open('x'))@10",
        "(lambda: AP)()",
        "AP.__class__",
        "AP[0]",
        "[AP for x in y]",
        "f'{AP}'",
        "AP(rel=10**10**10)",
        "nDCG@10**10**10",
        "nDCG@(9**9)",
        "nDCG\0@10",
        "\ud800@10",
        "(" * 5000,
        "nDCG(" * 5000,
        "-" * 100_000 + "1",
        "1" + "+1" * 20_000,
        "nDCG@" + "9" * 5000,
        "nDCG" + "@1" * 5000,
        "AP(rel=" + "[" * 5000 + "]" * 5000 + ")",
        "AP(x=" + "{1:" * 90 + "1" + "}" * 90 + ")",
    ],
    ids=range(22),
)
def test_hostile_text_is_refused_and_never_run(text: str) -> None:
    with pytest.raises(InputError):
        Measure.parse(text)


@given(st.text(max_size=30))
def test_any_text_is_a_measure_or_an_input_error(text: str) -> None:
    try:
        measure = Measure.parse(text)
    except InputError:
        return
    assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize("value", [None, 10, 0.5, ["nDCG@10"], b"nDCG@10"])
def test_what_is_no_text_is_no_measure(value: Any) -> None:
    with pytest.raises(InputError, match="is not a measure: write it like nDCG@10"):
        Measure.parse(value)


@pytest.mark.parametrize(
    "measure", ["nDCG", "AP", "RR", "P", "R", "Success", "Judged", "NCG", "DCG", "ERR", "RBP"]
)
def test_a_huge_cutoff_is_one_beyond_the_list(measure: str) -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2, "c": 1}}
    huge, far = f"{measure}@{10**20}", f"{measure}@{10**6}"
    means = evaluate(run, qrels, [huge, far]).means
    assert means[huge] == pytest.approx(means[far], abs=1e-6)


RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
QRELS = {"q1": {"a": 0, "b": 2, "d": 1}, "q2": {"a": 1, "b": 0}, "q3": {"a": 1}}


@pytest.mark.parametrize(
    "text", ["infAP", "infAP(rel=2)", "IPrec@0.1", "SetAP", "SetAP(judged_only=True)", "Compat(p=0.8)"]
)
def test_a_measure_we_do_not_compute_is_that_of_ir_measures(text: str) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    parsed = ir_measures.parse_measure(text)
    theirs = {row.query_id: row.value for row in ir_measures.iter_calc([parsed], QRELS, RUN)}
    scores = evaluate(RUN, QRELS, [text])
    assert list(scores.means) == [text]
    assert scores[text] == pytest.approx({query: theirs.get(query, 0.0) for query in QRELS})
    assert any(scores[text].values())
    assert scores.means[text] == pytest.approx(sum(scores[text].values()) / 3)


def test_the_relevance_level_holds_for_measures_of_ir_measures_too() -> None:
    pytest.importorskip("ir_measures")
    scores = evaluate(RUN, QRELS, ["infAP", "infAP(rel=1)"], relevance_level=2)
    assert list(scores.means) == ["infAP(rel=2)", "infAP(rel=1)"]
    assert scores["infAP"] == evaluate(RUN, QRELS, ["infAP(rel=2)"])["infAP(rel=2)"]
    assert scores["infAP(rel=1)"] == evaluate(RUN, QRELS, ["infAP"])["infAP"]


def test_measures_of_ir_measures_are_external_and_without_known_bounds() -> None:
    pytest.importorskip("ir_measures")
    measure = Measure.parse("IPrec@0.1")
    assert measure.external
    assert measure.signature is None
    assert not measure.bounded


def test_wrong_parameters_of_a_measure_of_ir_measures_are_told() -> None:
    pytest.importorskip("ir_measures")
    with pytest.raises(
        InputError, match=r"'AP\(foo=2\)': ir_measures says: unsupported params found: \['foo'\]"
    ):
        Measure.parse("AP(foo=2)")


def test_a_measure_that_ir_measures_cannot_compute_here_is_an_error() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    measure = ir_measures.parse_measure("alpha_nDCG@20")
    if any(
        provider.is_available() and provider.supports(measure)
        for provider in ir_measures.DefaultPipeline.providers
    ):
        pytest.skip("a provider of alpha_nDCG is installed")
    with pytest.raises(InputError, match=r"ir_measures could not compute 'alpha_nDCG\(rel=1\)@20'"):
        evaluate(RUN, QRELS, ["alpha_nDCG@20"])


def test_a_provider_of_ir_measures_that_breaks_is_an_error() -> None:
    pytest.importorskip("ir_measures")
    # With a single document Accuracy divides by the number of the non-relevant ones.
    with pytest.raises(InputError, match="ir_measures could not compute 'Accuracy"):
        evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["Accuracy"])


@pytest.fixture
def _without_ir_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "ir_measures" else find_spec(name, *rest),
    )


@pytest.mark.usefixtures("_without_ir_measures")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IPrec@0.1", "unknown measure 'IPrec@0.1', did you mean 'Rprec@0.1'?"),
        ("alpha_nDCG@20", f"unknown measure 'alpha_nDCG@20': known are {', '.join(SIGNATURES)}"),
        ("nDGC@10", "unknown measure 'nDGC@10', did you mean 'nDCG@10'?"),
        (
            "ERR(judged_only=True)",
            "'ERR(judged_only=True)': ERR has no parameter 'judged_only', it takes no parameters",
        ),
        ("nDCG(foo=1)@10", "'nDCG(foo=1)@10': nDCG has no parameter 'foo', it takes dcg, gains, judged_only"),
        ("nCDG@10", "unknown measure 'nCDG@10', did you mean 'nDCG@10'?"),
        ("nDCGG@10", "unknown measure 'nDCGG@10', did you mean 'nDCG@10'?"),
        ("NumQ(rel=2)", "'NumQ(rel=2)': NumQ has no parameter 'rel', it takes no parameters"),
    ],
)
def test_without_ir_measures_an_unknown_measure_names_the_extra(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Measure.parse(text)
    assert str(caught.value) == message + HINT


@pytest.mark.usefixtures("_without_ir_measures")
def test_our_measures_work_without_ir_measures() -> None:
    assert not external.installed()
    assert evaluate(RUN, QRELS, ["RR"]).means == {"RR": pytest.approx(1 / 3)}


def test_a_signature_is_a_bounded_binary_measure_unless_said_otherwise() -> None:
    assert Signature() == Signature("optional", (), binary=True, bounded=True, statistic="mean")
