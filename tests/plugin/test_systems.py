"""What a system may be, and how it is asked."""

from __future__ import annotations

import pytest
from small_project import BENCHMARKS, RUN, Project, said

TWENTY = ", ".join(f"P@{k}: {{max: 0.9}}" for k in range(1, 21))


@pytest.mark.parametrize("scope", ["function", "class", "module", "package", "session"])
def test_a_system_is_a_fixture_of_any_scope(project: Project, scope: str) -> None:
    project.fixtures(f"""
    @pytest.fixture(scope="{scope}")
    def scoped():
        yield ask
    """)
    project.gate("nDCG@10: 0.75, RR: 0.5", system="scoped")
    project.run("--irbench=tiny").assert_outcomes(passed=2)
    assert len(project.calls) == 3


def test_a_fixture_of_a_system_uses_other_fixtures(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(scope="module")
    def built(tmp_path_factory, bm25):
        assert tmp_path_factory.mktemp("index").is_dir()
        return bm25
    """)
    project.gate(system="built")
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_parametrized_fixture_is_a_system_for_each_parameter(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["good", "bad"], scope="session")
    def tuned(request):
        return ask if request.param == "good" else (lambda topic, k: ["nothing"])
    """)
    project.gate("nDCG@10: 0.75, RR: 0.5", system="tuned")
    result = project.run("--irbench=tiny", "-v")
    result.assert_outcomes(passed=2, failed=2)
    text = result.stdout.str()
    names = [line.split()[0] for line in result.outlines if line.startswith("irbench.yaml::tuned[")]
    assert len(set(names)) == 4
    assert all("good" in name or "bad" in name for name in names)
    assert "tiny · tuned[good]: 3 queries" in text
    assert "tiny · tuned[bad]: 3 queries" in text
    assert len(project.calls) == 3


def test_two_parameters_that_print_alike_are_two_systems(project: Project) -> None:
    project.fixtures("""
    class Setting:
        def __init__(self, search):
            self.search = search

        def __repr__(self):
            return "Setting"

    @pytest.fixture(params=[Setting(ask), Setting(lambda topic, k: ["nothing"])])
    def tuned(request):
        return request.param.search
    """)
    project.gate("nDCG@10: 0.75", system="tuned")
    project.run("--irbench=tiny").assert_outcomes(passed=1, failed=1)


def test_parameters_that_differ_in_their_sign_have_a_table_each(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=[-1, 1])
    def tuned(request):
        return ask if request.param == 1 else (lambda topic, k: ["nothing"])
    """)
    project.gate("nDCG@10: 0.75", system="tuned")
    text = project.run("--irbench=tiny").stdout.str()
    assert "tiny · tuned[-1]: 3 queries" in text
    assert "tiny · tuned[1]: 3 queries" in text


def test_a_system_of_two_parameters_is_named_by_both(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=["a", "b"])
    def first(request): return request.param

    @pytest.fixture(params=["x", "y"])
    def tuned(request, first): return ask
    """)
    project.gate("nDCG@10: 0.75", system="tuned")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=4)
    titles = [line for line in result.outlines if line.startswith("tiny · tuned[")]
    assert len(set(titles)) == 4
    assert len(project.calls) == 12


def test_a_system_whose_fixture_skips_is_skipped_and_shown_as_that(project: Project) -> None:
    project.fixtures("@pytest.fixture\ndef remote(): pytest.skip('no server here')\n")
    project.gate("RR: 0.5", system="[remote, bm25]")
    result = project.run("--irbench=tiny", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    assert "min 0.5000  skipped " in result.stdout.str()
    assert "no server here" in result.stdout.str()


def test_a_parameter_of_a_fixture_below_the_system_makes_another_system(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture(params=[1, 2], ids=["k1=1", "k1=2"])
    def setting(request):
        return request.param

    @pytest.fixture
    def tuned(setting):
        return ask if setting == 1 else (lambda topic, k: ["nothing"])
    """)
    project.gate("nDCG@10: 0.75", system="tuned")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(passed=1, failed=1)
    assert "tuned[k1=2]" in result.stdout.str()


def test_autouse_fixtures_are_active_while_the_system_is_asked(project: Project) -> None:
    project.fixtures("""
    READY = []

    @pytest.fixture(autouse=True)
    def service():
        READY.append(1)
        yield
        READY.clear()

    @pytest.fixture
    def careful():
        def search(topic, k):
            assert READY
            return ask(topic, k)
        return search
    """)
    project.gate(system="careful")
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_conftest_of_a_sub_folder_overrides_the_fixture_there(project: Project) -> None:
    gates = (project.path / "irbench.yaml").read_text()
    project.write(
        "sub/irbench.yaml", gates.replace("topics.tsv", "../topics.tsv").replace("qrels.txt", "../qrels.txt")
    )
    project.write(
        "sub/conftest.py",
        """\
        import pytest

        @pytest.fixture
        def bm25():
            return lambda topic, k: ["nothing"]
        """,
    )
    result = project.run("--irbench=tiny", "-v")
    result.assert_outcomes(passed=5, failed=3)
    assert "sub/irbench.yaml::bm25[tiny-nDCG@10-min] FAILED" in result.stdout.str()
    assert "\nirbench.yaml::bm25[tiny-nDCG@10-min] PASSED" in result.stdout.str()


def test_an_overriding_fixture_may_use_the_one_it_overrides(project: Project) -> None:
    project.write("sub/topics.tsv", "007\tjames bond\n")
    project.write("sub/qrels.txt", "007 0 1e5 3\n")
    project.write(
        "sub/irbench.yaml", f"{BENCHMARKS}gates: [{{benchmark: tiny, system: bm25, thresholds: {{RR: 0.4}}}}]"
    )
    project.write(
        "sub/conftest.py",
        """\
        import pytest

        @pytest.fixture
        def bm25(bm25):
            return lambda topic, k: ["other", *bm25(topic, k)]
        """,
    )
    result = project.run("--irbench=tiny", "sub")
    result.assert_outcomes(passed=1)
    assert "0.5000  min 0.4000" in result.stdout.str()


@pytest.mark.parametrize(
    "reference", ["shop.search:bm25", "shop.search:Engine", "shop.search:make()", "shop.search:ENGINE.search"]
)
def test_a_system_is_an_attribute_of_a_module(project: Project, reference: str) -> None:
    package = f"shop_{abs(hash(reference))}"
    project.write("pytest.ini", "[pytest]\npythonpath = src\n")
    project.write(
        f"src/{package}/search.py",
        """\
        ANSWERS = {"31_1": [("d1", 2.0), ("q", 1.0)], "007": ["1e5", "d7"], "1e5": ["x1", "d3"]}

        def bm25(topic, k):
            return ANSWERS[topic.query_id][:k]

        class Engine:
            def __call__(self, topic, k):
                return bm25(topic, k)

            def search(self, topic, k):
                return bm25(topic, k)

        def make():
            return Engine()

        ENGINE = Engine()
        """,
    )
    project.gate(system="lib", systems=f'lib: {{search: "{reference.replace("shop", package)}"}}')
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_system_is_a_run_file_per_benchmark(project: Project) -> None:
    project.gate("RR: 0.9", system="saved", systems='saved: {run: "runs/{benchmark}.txt"}')
    project.write("runs/tiny.txt", RUN)
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_a_given_run_file_replaces_the_fixture_which_is_not_asked(project: Project) -> None:
    project.write("out.txt", RUN)
    project.gate("RR: {min: 0.99}")
    result = project.run("--irbench=tiny", "--irbench-run=bm25=out.txt")
    result.assert_outcomes(passed=1)
    assert project.calls == []


def test_a_given_run_file_replaces_a_declared_one(project: Project) -> None:
    project.gate("RR: 0.9", system="saved", systems="saved: {run: gone.txt}")
    project.write("out/tiny.run", RUN)
    project.run("--irbench=tiny", "--irbench-run=saved=out/{benchmark}.run").assert_outcomes(passed=1)


def test_a_given_run_file_needs_no_fixture(project: Project) -> None:
    project.gate("RR: 0.9", system="nowhere")
    project.write("out.txt", RUN)
    project.run("--irbench=tiny", "--irbench-run=nowhere=out.txt").assert_outcomes(passed=1)


def test_a_given_run_file_is_relative_to_where_pytest_starts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("elsewhere/out.txt", RUN)
    project.gate("RR: {min: 0.99}")
    monkeypatch.chdir(project.path / "elsewhere")
    project.run("..", "--irbench=tiny", "--irbench-run=bm25=out.txt").assert_outcomes(passed=1)


def test_a_given_run_file_reaches_xdist_workers(project: Project) -> None:
    project.write("out.txt", RUN)
    project.gate("RR: {min: 0.99}, AP: {min: 0.99}")
    project.spawn("--irbench=tiny", "--irbench-run=bm25=out.txt", "-n2").assert_outcomes(passed=2)
    assert project.calls == []


def test_a_given_run_that_no_gate_uses_is_an_error(project: Project) -> None:
    project.write("out.txt", RUN)
    result = project.run("--irbench=tiny", "--irbench-run=bm52=out.txt")
    result.assert_outcomes(passed=4, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "no selected gate has a system 'bm52'; systems are: bm25" in result.stdout.str()


def test_a_given_run_that_is_missing_is_an_error_with_its_path(project: Project) -> None:
    result = project.run("--irbench=tiny", "--irbench-run=bm25=gone.txt")
    result.assert_outcomes(errors=4)
    assert f"{project.path / 'gone.txt'}: cannot be read: No such file or directory" in result.stdout.str()


@pytest.mark.parametrize("value", ["bm25", "=out.txt", "bm25=", "", "="])
def test_a_malformed_given_run_is_a_usage_error(project: Project, value: str) -> None:
    result = project.run("--irbench=tiny", f"--irbench-run={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-run takes NAME=PATH" in said(result)


def test_a_given_run_without_a_selection_is_a_usage_error(project: Project) -> None:
    result = project.run("--irbench-run=bm25=out.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--irbench-run needs --irbench=NAMES" in said(result)


def test_a_system_is_asked_once_per_topic_for_twenty_thresholds(project: Project) -> None:
    project.gate(TWENTY)
    project.run("--irbench=tiny").assert_outcomes(passed=20)
    assert project.calls == ["31_1 20", "007 20", "1e5 20"]


def test_a_system_of_function_scope_is_asked_once_too(project: Project) -> None:
    project.fixtures("@pytest.fixture\ndef fresh(): return lambda topic, k: ask(topic, k)\n")
    project.gate(TWENTY, system="fresh")
    project.run("--irbench=tiny").assert_outcomes(passed=20)
    assert len(project.calls) == 3


def test_a_system_that_failed_is_not_asked_again(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def broken():
        def search(topic, k):
            ask(topic, k)
            raise OSError("index is closed")
        return search
    """)
    project.gate(TWENTY, system="broken")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=20)
    assert project.calls == ["31_1 20"]


def test_a_system_that_ends_the_process_is_an_error(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def broken():
        def search(topic, k):
            ask(topic, k)
            raise SystemExit(0)
        return search
    """)
    project.gate("P@1: 0.1, P@2: 0.1", system="broken")
    result = project.run("--irbench=tiny")
    result.assert_outcomes(errors=2)


def test_one_attribute_is_built_once_for_two_gates(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\npythonpath = .\n")
    project.write(
        "slow_engine.py",
        """\
        from pathlib import Path

        class Engine:
            def __init__(self):
                with Path(__file__).with_name("built.log").open("a") as log:
                    log.write("built\\n")

            def __call__(self, topic, k):
                return ["d1", "1e5", "d3"]
        """,
    )
    project.write(
        "irbench.yaml",
        """\
        benchmarks:
          tiny: {topics: topics.tsv, qrels: qrels.txt}
          other: {topics: topics.tsv, qrels: qrels.txt}
        systems: {lib: {search: "slow_engine:Engine"}}
        gates: [{benchmark: [tiny, other], system: lib, thresholds: {RR: 0.1}}]
        """,
    )
    project.run("--irbench=all").assert_outcomes(passed=2)
    assert (project.path / "built.log").read_text() == "built\n"


@pytest.mark.parametrize(
    ("thresholds", "depth"),
    [
        ("nDCG@10: 0.1, R@7: 0.1", 10),
        ("nDCG@3: 0.1", 3),
        ("nDCG@3: 0.1, AP: 0.1", 55),
        ("RR: 0.1", 55),
        ("Rprec: 0.1", 55),
        ("Judged@90: 0.1", 90),
        ("nDCG(judged_only=True)@3: 0.1", 55),
        ("P(judged_only=True)@90: 0.1", 90),
    ],
)
def test_the_depth_is_the_deepest_cutoff_or_that_of_the_benchmark(
    project: Project, thresholds: str, depth: int
) -> None:
    project.gate(thresholds)
    text = (project.path / "irbench.yaml").read_text()
    project.write("irbench.yaml", text.replace("relevance_level: 2", "relevance_level: 2, depth: 55"))
    project.run("--irbench=tiny")
    assert {call.split()[1] for call in project.calls} == {str(depth)}


def test_the_depth_of_the_gate_is_the_one_that_is_asked(project: Project) -> None:
    project.write(
        "irbench.yaml",
        f"{BENCHMARKS}gates: [{{benchmark: tiny, system: bm25, depth: 5, thresholds: {{nDCG@3: 0.1, AP: 0.1}}}}]",
    )
    project.run("--irbench=tiny").assert_outcomes(passed=2)
    assert project.calls[0] == "31_1 5"


def test_only_judged_topics_are_asked(project: Project) -> None:
    project.add("topics.tsv", "99\tnobody judged this\n")
    project.run("--irbench=tiny").assert_outcomes(passed=4)
    assert [call.split()[0] for call in project.calls] == ["31_1", "007", "1e5"]


def test_the_system_gets_the_text_of_the_query_with_its_id(project: Project) -> None:
    project.fixtures("""
    @pytest.fixture
    def reading():
        def search(topic, k):
            assert isinstance(topic, str)
            assert (topic.query_id, topic) in {
                ("31_1", "what is throat cancer"), ("007", "james bond"), ("1e5", "how far is 100 km")}
            return ask(topic, k)
        return search
    """)
    project.gate(system="reading")
    project.run("--irbench=tiny").assert_outcomes(passed=1)


def test_conversations_come_with_their_history(project: Project) -> None:
    project.write(
        "turns.json",
        """[{"number": 31, "turn": [
            {"number": 1, "raw_utterance": "What is throat cancer?"},
            {"number": 2, "raw_utterance": "Is it treatable?"}]}]""",
    )
    project.write("turns.qrels", "31_2 0 d1 1\n")
    project.fixtures("""
    @pytest.fixture
    def chat():
        def search(topic, k):
            assert (topic.conversation, topic.turn) == ("31", 2) or (topic.conversation, topic.turn) == (31, 2)
            assert [turn.utterance for turn in topic.history] == ["What is throat cancer?"]
            return ["d1"]
        return search
    """)
    project.write(
        "irbench.yaml",
        """\
        benchmarks: {chats: {topics: turns.json, qrels: turns.qrels}}
        gates: [{benchmark: chats, system: chat, thresholds: {nDCG@3: 0.9}}]
        """,
    )
    project.run("--irbench=chats").assert_outcomes(passed=1)
