"""The systems of irbench.yaml: what is read of them, and that every fault is told with its place."""

from __future__ import annotations

import pytest
from small_gates import spec_of

from pytest_irbench.errors import InputErrors
from pytest_irbench.gates.declared import SystemSpec
from pytest_irbench.runs.http_spec import HttpSpec

HTTP = "url: 'http://a/?q={query}', hits: hits, id: id"
"""What every http system needs; its braces are closed by `http`."""


def system(body: str) -> SystemSpec:
    return spec_of(f"systems: {{a: {body}}}").systems["a"]


def faults(body: str) -> list[str]:
    """The faults of a system, whose body begins in column 14, each as line:column: message."""
    with pytest.raises(InputErrors) as caught:
        system(body)
    return [f"{f.line}:{f.column}: {f.message}" for f in caught.value.faults]


def http(more: str) -> str:
    """An http system with more keys, which begin in column 70."""
    return f"{{http: {{{HTTP}, {more}}}}}"


# Where answers come from


@pytest.mark.parametrize("search", ["a:b", "a.b_1:c.d", "shop.search:Bm25()", "_a:_b"])
def test_search_names_an_attribute_of_a_module(search: str) -> None:
    assert system(f"{{search: '{search}'}}") == SystemSpec("a", 1, search, None, None)


def test_a_run_is_a_path_with_the_benchmark_in_it() -> None:
    spec = spec_of("systems: {a: {run: 'runs/{benchmark}/{benchmark}.gz'}}")
    assert spec.run_file("a", "dl20-doc") == spec.path.parent / "runs" / "dl20-doc" / "dl20-doc.gz"


def test_a_system_without_a_source_is_a_fixture_that_the_file_says_how_to_ask() -> None:
    others = f"saved: {{run: r}}, path: {{search: 'a:b'}}, web: {{http: {{{HTTP}}}}}"
    spec = spec_of(f"systems: {{bm25: {{concurrency: 8}}, {others}}}")
    assert spec.systems["bm25"] == SystemSpec("bm25", 1, None, None, None, concurrency=8)
    fixtures = [name for name in (*spec.systems, "not_declared") if spec.is_fixture(name)]
    assert fixtures == ["bm25", "not_declared"]


def test_how_a_system_is_asked_has_defaults() -> None:
    asked = system("{search: 'a:b'}")
    assert (asked.depth, asked.concurrency, asked.timeout, asked.duplicates) == (None, 1, None, "error")


def test_how_a_system_is_asked_may_be_said() -> None:
    asked = system("{search: 'a:b', depth: 50, concurrency: 8, timeout: 2.5, duplicates: first}")
    assert asked == SystemSpec("a", 1, "a:b", None, 50, None, 8, 2.5, "first")


# http


def test_an_http_system_needs_a_url_and_where_hits_and_their_ids_are() -> None:
    assert system(f"{{http: {{{HTTP}}}}}").http == HttpSpec("http://a/?q={query}", "hits", "id")


def test_everything_that_an_http_system_may_say() -> None:
    found = spec_of(
        "systems:\n"
        "  elastic:\n"
        "    depth: 100\n"
        "    concurrency: 4\n"
        "    duplicates: first\n"
        "    http:\n"
        "      url: https://${HOST}/articles/_search\n"
        "      method: POST\n"
        "      headers: {Authorization: 'ApiKey ${KEY}', X-Version: 7, X-Debug: true}\n"
        "      json: {size: '{k}', from: 0, explain: false, query: {match: {text: '{query}'}}, f: [a, ~, 1.5]}\n"
        "      hits: hits.hits\n"
        "      id: _id\n"
        "      score: _score\n"
        "      timeout: 30\n"
        "      retries: 0\n"
    ).systems["elastic"]
    assert (found.depth, found.concurrency, found.duplicates, found.is_fixture) == (100, 4, "first", False)
    assert found.http == HttpSpec(
        "https://${HOST}/articles/_search",
        "hits.hits",
        "_id",
        "_score",
        json={
            "size": "{k}",
            "from": 0,
            "explain": False,
            "query": {"match": {"text": "{query}"}},
            "f": ["a", None, 1.5],
        },
        method="POST",
        headers={"Authorization": "ApiKey ${KEY}", "X-Version": "7", "X-Debug": "true"},
        timeout=30.0,
        retries=0,
    )


def test_the_environment_is_not_needed_to_read_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARCH_HOST", raising=False)
    assert system("{http: {url: '${SEARCH_HOST}/?q={query}', hits: h, id: i}}").http is not None


# Faults

EXAMPLE = '{url: "http://localhost:8080/search?q={query}&k={k}", hits: hits, id: id, score: score}'
TAKES = (
    "system 'a' takes {search: shop.search:bm25}, {run: 'runs/{benchmark}.bm25.trec.gz'} "
    f"or {{http: {EXAMPLE}}}"
)
WHERE_FROM = {
    "~": f"1:14: {TAKES}, not nothing",
    "{}": f"1:14: {TAKES}, not an empty mapping",
    "bm25": f"1:14: {TAKES}, not the text 'bm25'",
    "{search: 'a:b', run: r}": (
        "1:11: system 'a' takes one of search, run, http, not search and run: keep one"
    ),
    f"{{run: r, http: {{{HTTP}}}}}": (
        "1:11: system 'a' takes one of search, run, http, not run and http: keep one"
    ),
    "{serach: 'a:b'}": "1:15: unknown key 'serach' in system 'a', did you mean 'search'?",
    "{search: shop}": "1:23: search is module:attribute, such as shop.search:bm25, not 'shop'",
    "{search: 'shop.search:bm 25'}": (
        "1:23: search is module:attribute, such as shop.search:bm25, not 'shop.search:bm 25'"
    ),
    "{search: 5}": "1:23: search is text such as shop.search:bm25, not the number 5: put '5' in quotes",
    "{run: 'runs/{system}.gz'}": (
        "1:20: run holds '{system}', but its only placeholder is {benchmark}: 'runs/{benchmark}.bm25.trec.gz'"
    ),
    "{run: 'runs/{}.gz'}": (
        "1:20: run holds '{}', but its only placeholder is {benchmark}: 'runs/{benchmark}.bm25.trec.gz'"
    ),
    "{run: 'runs/{benchmark.gz'}": (
        "1:20: run holds '{', but its only placeholder is {benchmark}: 'runs/{benchmark}.bm25.trec.gz'"
    ),
    "{run: {benchmark}}": "1:20: run is text such as 'runs/{benchmark}.bm25.trec.gz', not a mapping",
    '{run: "a\\0"}': "1:20: run is no path: it holds a null character",
}
HOW_ASKED = {
    "{depth: 0}": "1:22: depth is a whole number from 1, such as 100, not the number 0",
    "{concurrency: 0}": "1:28: concurrency is a whole number from 1, such as 8, not the number 0",
    "{concurrency: '8'}": "1:28: '8' is text: write 8 without quotes",
    "{timeout: 0}": "1:24: timeout is a number above 0, such as 10, not the number 0",
    "{timeout: .inf}": "1:24: timeout is a number above 0, such as 10, not the number .inf",
    "{timeout: '5'}": "1:24: '5' is text: write 5 without quotes",
    "{timeout: true}": "1:24: timeout is a number above 0, such as 10, not true",
    "{timeout: [5]}": "1:24: timeout is a number above 0, such as 10, not a list",
    "{duplicates: frist}": (
        "1:27: duplicates is error or first, not the text 'frist', did you mean 'first'?"
    ),
    "{duplicates: [first]}": "1:27: duplicates is error or first, not a list: known are error, first",
    "{duplicates: ~}": "1:27: duplicates is error or first, not nothing: known are error, first",
    f"{{http: {{{HTTP}}}, timeout: 3}}": (
        "1:71: the timeout of an http system stands among its http keys: move it there"
    ),
}


@pytest.mark.parametrize("body", WHERE_FROM)
def test_a_system_that_answers_from_nowhere_or_twice_is_one_fault(body: str) -> None:
    assert faults(body) == [WHERE_FROM[body]]


@pytest.mark.parametrize("body", HOW_ASKED)
def test_a_system_that_can_not_be_asked_so_is_one_fault(body: str) -> None:
    assert faults(body) == [HOW_ASKED[body]]


def test_a_run_is_not_asked() -> None:
    said = "is about asking, and a run is read as it is: leave it out"
    assert faults("{run: r, depth: 5, concurrency: 2, timeout: 3, duplicates: first}") == [
        f"1:23: depth {said}",
        f"1:33: concurrency {said}",
        f"1:49: timeout {said}",
        f"1:61: duplicates {said}",
    ]


@pytest.mark.parametrize("name", ["bm25+rm3", "bm25-rm3", "class", "7"])
def test_a_fixture_has_a_python_name(name: str) -> None:
    with pytest.raises(InputErrors) as caught:
        spec_of(f"systems: {{{name}: {{depth: 5}}}}")
    (fault,) = caught.value.faults
    assert f"{fault.line}:{fault.column}: {fault.message}" == (
        f"1:11: system '{name}' has none of search, run, http, so it would have to be a fixture, "
        "and is no Python name"
    )


HTTP_FAULTS = {
    "{http: 'http://a'}": f"1:21: http is a mapping such as {EXAMPLE}, not the text 'http://a'",
    "{http: {}}": f"1:21: http is a mapping such as {EXAMPLE}, not an empty mapping",
    "{http: {url: 'http://a/{query}', hits: h}}": (
        f"1:21: http has no id: it is a mapping such as {EXAMPLE}"
    ),
    "{http: {url: 5, hits: h, id: i}}": (
        "1:27: url is text such as http://..., not the number 5: put '5' in quotes"
    ),
    "{http: {url: 'ftp://a/{query}', hits: h, id: i}}": (
        "1:22: http: url must begin with http:// or https://, or with a variable that does"
    ),
    "{http: {url: 'http://a', hits: h, id: i}}": (
        "1:22: http: url and json have no {query}: every topic would be asked the same"
    ),
    http("scores: s"): "1:70: unknown key 'scores' in http, did you mean 'score'?",
    http("method: DELETE"): "1:70: http: method must be one of GET, POST, PUT, not 'DELETE'",
    http("timeout: 0"): "1:79: timeout is a number above 0, such as 10, not the number 0",
    http("retries: -1"): "1:79: retries is a whole number from 0, such as 2, not the number -1",
    http("retries: true"): "1:79: retries is a whole number from 0, such as 2, not true",
    http("retries: '1'"): "1:79: '1' is text: write 1 without quotes",
    http("retries: 11"): "1:70: http: retries must be a number from 0 to 10, not 11",
    http("headers: {}"): "1:79: headers maps names to texts, not an empty mapping",
    http("headers: [a]"): "1:79: headers maps names to texts, not a list",
    http("headers: {A: ~}"): "1:83: the header 'A' is a text, not nothing",
    http("headers: {A: [b]}"): "1:83: the header 'A' is a text, not a list",
    http("headers: {a b: c}"): "1:70: http: headers: 'a b' is no name of a header",
    http("headers: {A: '${1}'}"): "1:70: http: headers: in 'A', '${' begins no variable like ${API_KEY}",
    http("json: {a: .nan}"): (
        "1:70: http: json can't be sent: Out of range float values are not JSON compliant"
    ),
    http("json: {size: {k}}"): ('1:70: http: json has {k} without quotes, a mapping in YAML: write "{k}"'),
    http("json: {a: ['{top}']}"): (
        "1:70: http: the text '{top}' of json has the unknown placeholder {top}: {query}, {k} and {query_id} "
        "are filled in, and a brace that is meant stands twice"
    ),
}


@pytest.mark.parametrize("body", HTTP_FAULTS)
def test_a_faulty_http_system_is_one_fault(body: str) -> None:
    assert faults(body) == [HTTP_FAULTS[body]]


@pytest.mark.parametrize(("key", "column"), [("hits", 47), ("id", 56)])
def test_a_path_into_the_answer_that_is_none_is_told_at_its_key(key: str, column: int) -> None:
    paths = {"hits": "h", "id": "i"} | {key: "'['"}
    (fault,) = faults(f"{{http: {{url: 'http://a/{{query}}', hits: {paths['hits']}, id: {paths['id']}}}}}")
    assert fault.startswith(f"1:{column}: http: {key} '[' is no JMESPath: ")


def test_all_that_an_http_system_lacks_is_told_together() -> None:
    assert [fault.partition(": it is")[0] for fault in faults("{http: {score: s, retries: x}}")] == [
        "1:21: http has no hits",
        "1:21: http has no id",
        "1:21: http has no url",
        "1:41: retries is a whole number from 0, such as 2, not the text 'x'",
    ]
