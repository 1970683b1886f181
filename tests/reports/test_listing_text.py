"""The list of benchmarks, from plain data."""

from __future__ import annotations

from pytest_irbench.reports.listing import Listed, listing


def test_the_list_is_one_table_with_families_and_folder() -> None:
    benchmarks = [
        Listed("dl20-passage", "54", 2, ("nDCG@10", "AP"), "on disk", "TREC Deep Learning 2020"),
        Listed("007", "", 1, ("nDCG(gains={0:0,1:1})@10",), "not on disk", "our own"),
    ]
    assert listing(benchmarks, {"dl20": ("dl20-passage", "dl20-doc"), "cast": ("cast19",)}, "/data") == (
        """\
name          judged    level    measures                  data         what
------------  --------  -------  ------------------------  -----------  -----------------------
dl20-passage  54        2        nDCG@10, AP               on disk      TREC Deep Learning 2020
007                     1        nDCG(gains={0:0,1:1})@10  not on disk  our own

families: dl20 = dl20-passage, dl20-doc; cast = cast19; all = every benchmark that a gate names
data home: /data"""
    )
