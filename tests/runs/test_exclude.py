"""Documents left out of run and judgments."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_irbench.benchmarks.datasets import load_builtin
from pytest_irbench.benchmarks.qrels import Qrels
from pytest_irbench.errors import InputError
from pytest_irbench.measures.evaluate import evaluate
from pytest_irbench.runs.exclude import exclude
from pytest_irbench.runs.run import Run, read_run

QRELS = {"q1": {"WAPO_1": 2, "MARCO_1": 1}, "q2": {"WAPO_2": 1}, "q3": {"MARCO_3": 1, "CAR_3": 0}}
RUN = {"q1": {"WAPO_1": 3.0, "MARCO_1": 2.0, "wapo_9": 1.0}, "q2": {"x": 1.0}, "q3": {"WAPO_7": 1.0}}


def test_documents_go_from_run_and_judgments() -> None:
    left = exclude(Run.from_mapping(RUN, "bm25"), Qrels.from_mapping(QRELS), "WAPO_*")
    assert left.run.to_mapping() == {"q1": {"MARCO_1": 2.0, "wapo_9": 1.0}, "q2": {"x": 1.0}, "q3": {}}
    assert left.qrels.by_query == [{"MARCO_1": 1}, {"MARCO_3": 1, "CAR_3": 0}]
    assert (left.documents, left.judgments) == (2, 2)
    assert left.run.name == "bm25"


def test_documents_below_move_up() -> None:
    left = exclude(Run.from_mapping(RUN), Qrels.from_mapping(QRELS), "WAPO_*")
    assert evaluate(left.run, left.qrels, ["RR"])["RR"] == {"q1": 1.0, "q3": 0.0}


def test_a_query_whose_judgments_all_go_leaves_the_average_and_is_named() -> None:
    left = exclude(Run.from_mapping(RUN), Qrels.from_mapping(QRELS), "WAPO_*")
    assert left.queries == ("q2",)
    scores = evaluate(left.run, left.qrels, ["RR"])
    assert (scores.means, scores.judged.extra) == ({"RR": 0.5}, 1)


def test_a_query_whose_results_all_go_counts_0() -> None:
    left = exclude(Run.from_mapping(RUN), Qrels.from_mapping(QRELS), "WAPO_*")
    assert evaluate(left.run, left.qrels, ["RR"]).judged.missing == ("q3",)


def test_many_globs_leave_out_what_any_of_them_matches() -> None:
    left = exclude(Run.from_mapping(RUN), Qrels.from_mapping(QRELS), ["WAPO_*", "?APO_1", "CAR_[0-9]"])
    assert (left.documents, left.judgments) == (2, 3)


def test_the_relevance_level_of_the_judgments_is_kept() -> None:
    qrels = Qrels.from_mapping(QRELS).at_level(2)
    left = exclude(Run.from_mapping(RUN), qrels, "CAR_*")
    assert (left.qrels.relevance_level, qrels.relevance_level) == (2, 2)
    assert len(qrels) == 5


@pytest.mark.parametrize("globs", ["wapo_*", ["WAPO_*", "wapo_*"], "WAPO", "WAPO_[ab]"])
def test_a_glob_that_matches_nothing_is_refused(globs: str | list[str]) -> None:
    run = Run.from_mapping({"q1": {"MARCO_1": 1.0}}, "bm25")
    glob = globs if isinstance(globs, str) else globs[-1]
    with pytest.raises(InputError) as caught:
        exclude(run, Qrels.from_mapping(QRELS), globs)
    assert str(caught.value) == (
        f"'{glob}' matches no document of run bm25 and none of the qrels, which has ids like 'WAPO_1': "
        "nothing would be excluded"
    )


def test_a_glob_that_matches_on_one_side_only_is_enough() -> None:
    run = Run.from_mapping(RUN)
    assert exclude(run, Qrels.from_mapping(QRELS), "wapo_9").judgments == 0
    assert exclude(run, Qrels.from_mapping(QRELS), "MARCO_3").documents == 0


def test_to_leave_no_judgment_is_refused() -> None:
    with pytest.raises(InputError, match=r"without 'WAPO_\*', '\*_\*' no judgment is left: exclude less"):
        exclude(Run.from_mapping(RUN), Qrels.from_mapping(QRELS), ["WAPO_*", "*_*"])


ids = st.sampled_from(["a", "ab", "b", "B", "ba\n", "[a]", "*"])


@given(
    st.dictionaries(st.sampled_from("123"), st.dictionaries(ids, st.floats(allow_nan=False))),
    st.dictionaries(st.sampled_from("123"), st.dictionaries(ids, st.integers(0, 3), min_size=1), min_size=1),
    st.sampled_from(["a*", "*b", "?", "[a-z]*", "[[]*", "[!a]"]),
)
def test_values_are_those_of_files_without_the_lines(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], glob: str
) -> None:
    kept_run = {q: {d: s for d, s in docs.items() if not fnmatchcase(d, glob)} for q, docs in run.items()}
    kept = {q: {d: g for d, g in docs.items() if not fnmatchcase(d, glob)} for q, docs in qrels.items()}
    kept_qrels = {q: docs for q, docs in kept.items() if docs}
    try:
        left = exclude(Run.from_mapping(run), Qrels.from_mapping(qrels), glob)
    except InputError:
        assert not kept_qrels or (kept_run, kept_qrels) == (run, qrels)
    else:
        assert left.run.to_mapping() == kept_run
        assert dict(zip(left.qrels.query_ids, left.qrels.by_query, strict=True)) == kept_qrels
        assert set(left.queries) == qrels.keys() - kept_qrels.keys()
        assert left.documents == sum(map(len, run.values())) - sum(map(len, kept_run.values()))


@pytest.mark.usefixtures("published_home")
def test_cast21_without_the_washington_post(shared_data: Path) -> None:
    run = read_run(shared_data / "runs" / "cast21" / "org-convdr.trec.gz")
    cast21 = load_builtin("cast21")
    left = exclude(run, cast21.qrels, "WAPO_*")
    assert left.judgments == 1666
    assert len(left.run) == len(run) - left.documents
    assert len(left.qrels.query_ids) + len(left.queries) == 158
    assert evaluate(left.run, left.qrels, ["nDCG@3"]).means["nDCG@3"] > 0.3
