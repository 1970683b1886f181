"""The table of what a gate notices."""

from __future__ import annotations

from pytest_irbench.gates.prove import Proof
from pytest_irbench.reports.proof import proof_table


def test_a_row_for_each_mutation_and_below_it_what_goes_unnoticed() -> None:
    proof = Proof(
        ("RR min", "R@50 min", "AP max"),
        ("P@5 min",),
        {
            "drop a query": ("RR min", "R@50 min"),
            "drop a conversation": None,
            "remove rank 1": ("RR min", "R@50 min", "AP max"),
            "reverse": ("R@50 min",),
            "swap 1 and 2": (),
        },
    )
    assert proof_table("dl20-passage, bm25", proof, ["NumRet min (xfailed)"]) == (
        """\
dl20-passage, bm25: what notices a run that was broken on purpose
broken by            noticed by
-------------------  ----------------------
drop a query         RR min, R@50 min
drop a conversation  (changes nothing here)
remove rank 1        all
reverse              R@50 min
swap 1 and 2         none
not noticed by any threshold: swap 1 and 2
fails on the run as it is, so not asked: P@5 min
left out: NumRet min (xfailed)"""
    )


def test_a_threshold_that_notices_nothing_is_named() -> None:
    text = proof_table("g", Proof(("RR min", "R@50 min"), (), {"reverse": ("RR min",)}))
    assert text.endswith("\nreverse      RR min\nnotices none of these: R@50 min")


def test_a_gate_that_notices_nothing_is_told_so_once() -> None:
    text = proof_table("g", Proof(("RR min", "AP min"), (), {"reverse": (), "swap 1 and 2": ()}))
    assert text.endswith("\nno threshold of this gate notices anything: it can't fail in any of these ways")
    assert "not noticed by any" not in text
    assert "notices none" not in text


def test_a_gate_that_can_not_be_proved_has_no_table() -> None:
    assert proof_table("g", Proof((), ("RR min",), {})) == (
        """\
g: what notices a run that was broken on purpose
no threshold of this gate passes on the run as it is: nothing can be proved
fails on the run as it is, so not asked: RR min"""
    )


def test_many_thresholds_stay_narrow_and_no_measure_is_torn() -> None:
    texts = tuple(f"nDCG(dcg='exp-log2')@{cutoff} min" for cutoff in range(1, 9))
    text = proof_table("g", Proof((*texts, "RR min"), (), {"drop a conversation": texts}))
    assert max(map(len, text.split("\n")[1:-1])) <= 90
    assert all(text.count(measure.split()[0]) == 1 for measure in texts)


def test_ids_that_look_like_numbers_stay_as_they_are() -> None:
    text = proof_table("007, 1e5", Proof(("1e5", "2e5"), (), {"reverse": ("1e5",)}))
    assert text.startswith("007, 1e5: ")
    assert "\nreverse      1e5\n" in text
