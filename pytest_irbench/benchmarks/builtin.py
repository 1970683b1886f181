"""The table of the built-in benchmarks, and the names by which they are selected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Entry(NamedTuple):
    """One file, as ir_datasets names and keeps it.

    Attributes
    ----------
    area, key
        Where it stands in ir_datasets' table of downloads.
    path
        Where it lies, below the area's folder in the data folder.
    """

    area: str
    key: str
    path: str


class BenchmarkInfo(NamedTuple):
    """A benchmark before its data is loaded: everything that can be said without opening a file.

    Attributes
    ----------
    name
        For instance ``dl20-passage``.
    source
        The id of ir_datasets that holds it; ``trec-cast/2021`` is not registered there and is built
        by `pytest_irbench.benchmarks.datasets` from ir_datasets' own download entries.
    topics, qrels
        The two files.
    candidates
        The file of the track's official candidates for reranking, or None.
    candidates_count
        How many candidates it has for the judged topics.
    judged, judgments
        Number of judged topics, and of rows in the qrels.
    relevance_level
        The lowest grade that counts as relevant for binary measures.
    depth
        How many documents per topic the protocol asks for.
    measures
        The primary measure first.
    topics_sha256, qrels_sha256
        Pins of the published data in canonical form (`Topics.sha256`, `Qrels.sha256`).
    description
        One line for people.
    """

    name: str
    source: str
    topics: Entry
    qrels: Entry
    judged: int
    judgments: int
    relevance_level: int
    depth: int
    measures: tuple[str, ...]
    topics_sha256: str
    qrels_sha256: str
    description: str
    candidates: Entry | None = None
    candidates_count: int = 0


_TABLE = (
    BenchmarkInfo(
        name="cast19",
        source="trec-cast/v1/2019/judged",
        topics=Entry("trec-cast", "2019/eval/queries", "2019/evaluation_topics_v1.0.json"),
        qrels=Entry("trec-cast", "2019/eval/qrels", "2019/2019qrels.txt"),
        judged=173,
        judgments=29350,
        relevance_level=1,
        depth=1000,
        measures=("nDCG@3", "AP", "RR", "nDCG(dcg='exp-log2')@3"),
        topics_sha256="4d3f49fe57d23478b0bb1b72f8ae3f287b901864846626ceec8ff3fcf9eb8996",
        qrels_sha256="1a4fa834afbdcb5c5ad572d01173be6053760de64c0117d1bd61c430d6837c09",
        description="TREC CAsT 2019, conversational passage retrieval",
    ),
    BenchmarkInfo(
        name="cast21",
        source="trec-cast/2021",
        topics=Entry("trec-cast", "2021/queries", "2021/2021_manual_evaluation_topics_v1.0.json"),
        qrels=Entry("trec-cast", "2021/qrels", "2021/trec-cast-qrels-docs.2021.qrel"),
        judged=158,
        judgments=19334,
        relevance_level=2,
        depth=500,
        measures=("nDCG@3", "R@500", "AP@500", "RR@500", "nDCG@500"),
        topics_sha256="ca76ac53795b1869570ca23d771358e99a04bca73188c8e003cb17e3df61d8bd",
        qrels_sha256="220515f40d0b1546c7c6bd9e972f724bfd766122e8a9ede921ea992d9a8a0778",
        description="TREC CAsT 2021, conversational retrieval judged on documents",
    ),
    BenchmarkInfo(
        name="dl19-passage",
        source="msmarco-passage/trec-dl-2019/judged",
        # The one file that ir_datasets keeps unpacked.
        topics=Entry("msmarco-passage", "trec-dl-2019/queries", "trec-dl-2019/queries.tsv"),
        qrels=Entry("msmarco-passage", "trec-dl-2019/qrels", "trec-dl-2019/qrels"),
        judged=43,
        judgments=9260,
        relevance_level=2,
        depth=1000,
        measures=("nDCG@10", "AP", "RR", "NCG@1000", "R@1000"),
        topics_sha256="a6779502075f1e8a063e2880fb1c63c026e41a18099bed3f7403526558f96ac9",
        qrels_sha256="c5b8c96c38a392da524e364693fd4f8b2e88efa71ee982cff70710f559fe0bf2",
        description="TREC Deep Learning 2019, passage ranking",
        candidates=Entry("msmarco-passage", "trec-dl-2019/scoreddocs", "trec-dl-2019/ms.run"),
        candidates_count=41042,
    ),
    BenchmarkInfo(
        name="dl19-doc",
        source="msmarco-document/trec-dl-2019/judged",
        topics=Entry("msmarco-document", "trec-dl-2019/queries", "trec-dl-2019/queries.tsv.gz"),
        qrels=Entry("msmarco-document", "trec-dl-2019/qrels", "trec-dl-2019/qrels"),
        judged=43,
        judgments=16258,
        relevance_level=1,
        depth=100,
        measures=("RR", "nDCG@10", "nDCG(gains={0:0,1:1,2:1,3:1})@10", "AP@100", "NCG@100"),
        topics_sha256="d0b9304e5a55bf7fdd34dcc76af4ad75ccdf2afa7ee2d7d2e3d90a25c28d47a5",
        qrels_sha256="78ec7bcadd8b202afbc0d654e60041933c284befd7ddabbb89b32fdfa09e0978",
        description="TREC Deep Learning 2019, document ranking",
        candidates=Entry("msmarco-document", "trec-dl-2019/scoreddocs", "trec-dl-2019/ms.run.gz"),
        candidates_count=4300,
    ),
    BenchmarkInfo(
        name="dl20-passage",
        source="msmarco-passage/trec-dl-2020/judged",
        topics=Entry("msmarco-passage", "trec-dl-2020/queries", "trec-dl-2020/queries.tsv.gz"),
        qrels=Entry("msmarco-passage", "trec-dl-2020/qrels", "trec-dl-2020/qrels"),
        judged=54,
        judgments=11386,
        relevance_level=2,
        depth=1000,
        measures=("nDCG@10", "AP", "RR", "NCG@1000", "R@1000", "nDCG(dcg='exp-log2')@10"),
        topics_sha256="5225311298875d7bcdadbd99ae507b805f39d4fd9e8fc8bf145b130bca531766",
        qrels_sha256="ab822f102f8aac9c114f59c7fa8d7a2666813cb27af0fc3dc16444709d0a0aa4",
        description="TREC Deep Learning 2020, passage ranking",
        candidates=Entry("msmarco-passage", "trec-dl-2020/scoreddocs", "trec-dl-2020/ms.run"),
        candidates_count=50024,
    ),
    BenchmarkInfo(
        name="dl20-doc",
        source="msmarco-document/trec-dl-2020/judged",
        topics=Entry("msmarco-document", "trec-dl-2020/queries", "trec-dl-2020/queries.tsv.gz"),
        qrels=Entry("msmarco-document", "trec-dl-2020/qrels", "trec-dl-2020/qrels"),
        judged=45,
        judgments=9098,
        relevance_level=1,
        depth=100,
        measures=("nDCG@10", "AP@100", "RR", "NCG@100", "nDCG(dcg='exp-log2')@10"),
        topics_sha256="a501fde649026e4c38ac6cef1d0026846fa20b536bf15076a3bf1a58ad9b602f",
        qrels_sha256="c262b0f2055542f52a0bf95923192bf0ae325e7b92a569f89026f8792186f443",
        description="TREC Deep Learning 2020, document ranking",
        candidates=Entry("msmarco-document", "trec-dl-2020/scoreddocs", "trec-dl-2020/ms.run.gz"),
        candidates_count=4500,
    ),
)

BUILTIN: dict[str, BenchmarkInfo] = {info.name: info for info in _TABLE}
FAMILIES: dict[str, tuple[str, ...]] = {
    "cast": ("cast19", "cast21"),
    "dl19": ("dl19-passage", "dl19-doc"),
    "dl20": ("dl20-passage", "dl20-doc"),
}


def expand(name: str) -> tuple[str, ...]:
    """Return the members of a family, or the name itself."""
    return FAMILIES.get(name, (name,))


def unknown_benchmark(name: str, declared: Iterable[str] = ()) -> str:
    """Say that there is no such benchmark, with the nearest right name or all names.

    Parameters
    ----------
    name
        What was asked for.
    declared
        The user's own benchmarks, known besides the built-in ones.
    """
    import difflib

    if name in FAMILIES:
        return f"{name} is a family of benchmarks: name {' or '.join(FAMILIES[name])}"
    known = [*declared, *BUILTIN, *FAMILIES]
    # What people type differs in case, punctuation and how the year is written: 'DL2020_passage'.
    plain = {_plain(other): other for other in known}
    close = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.6)
    hint = f", did you mean {plain[close[0]]!r}?" if close else f": known are {', '.join(known)}"
    return f"unknown benchmark {name!r}{hint}"


def _plain(name: str) -> str:
    return re.sub(r"20(?=\d\d)", "", "".join(filter(str.isalnum, name.lower())))
