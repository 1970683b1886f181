"""What the plugin costs a session that does not use it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from small_project import Project

HEAVY = {
    "numpy",
    "yaml",
    "tabulate",
    "ir_datasets",
    "ir_measures",
    "pandas",
    "difflib",
    "gzip",
    "filelock",
    "urllib3",
    "jmespath",
    "tqdm",
    "asyncio",
}


def imported_by(project: Project, code: str) -> set[str]:
    """Which of the heavy modules are there after this code ran in a process of its own."""
    script = f"import sys\n{code}\nprint('IMPORTED', *({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=project.path
    )
    return set(done.stdout.rpartition("IMPORTED")[2].split())


@pytest.mark.parametrize(
    "code",
    [
        "import pytest; pytest.main(['--version'])",
        "import pytest; assert pytest.main(['-q', 'test_ok.py']) == 0",
        "import pytest; assert pytest.main(['-q', '--co', 'test_ok.py']) == 0",
        "import pytest_irbench.plugin",
        "import pytest_irbench; dir(pytest_irbench)",
        "import pytest_irbench; pytest_irbench.InputError",
    ],
)
def test_nothing_heavy_is_imported(project: Project, code: str) -> None:
    """Case 61."""
    (project.path / "irbench.yaml").unlink()
    project.write("test_ok.py", "def test_ok(): pass\n")
    # pytest itself imports some of them, for instance to compare texts.
    without = code.replace("pytest.main([", "pytest.main(['-p', 'no:irbench', ")
    if without == code:
        without = "import pytest"
    assert imported_by(project, code) <= imported_by(project, without)


def test_a_failing_session_without_the_plugin_in_use_imports_no_numpy(project: Project) -> None:
    (project.path / "irbench.yaml").unlink()
    project.write("test_ok.py", "def test_ok(): assert 0\n")
    code = "import pytest; assert pytest.main(['-q', 'test_ok.py']) == 1"
    assert not imported_by(project, code) & {"numpy", "yaml", "tabulate", "ir_datasets"}


def test_a_session_without_the_plugin_in_use_reads_one_module_and_has_none_of_the_hooks_of_gates(
    project: Project,
) -> None:
    (project.path / "irbench.yaml").unlink()
    project.write("test_ok.py", "def test_ok(): pass\n")
    project.write(
        "conftest.py",
        "import sys\n"
        "def pytest_unconfigure(config):\n"
        "    ours = sorted(name for name in sys.modules if name.startswith('pytest_irbench'))\n"
        "    guarded = config.pluginmanager.hasplugin('irbench-guard')\n"
        "    manager = config.pluginmanager\n"
        "    hooks = {c.name for p in manager.get_plugins() if 'irbench' in str(manager.get_name(p))\n"
        "             for c in manager.get_hookcallers(p)}\n"
        "    print('HELD', ours, guarded, sorted(h for h in hooks if 'runtest' in h), file=sys.__stdout__)\n",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], capture_output=True, text=True, check=True, cwd=project.path
    )
    held = next(line for line in done.stdout.splitlines() if line.startswith("HELD"))
    # For a test: three small ones, that look whether a value was made and never compared.
    hooks = ["pytest_runtest_call", "pytest_runtest_setup", "pytest_runtest_teardown"]
    assert held == f"HELD {['pytest_irbench', 'pytest_irbench.plugin']} False {hooks}"


def test_gates_over_fixtures_need_neither_http_nor_a_bar(project: Project) -> None:
    code = "import pytest; assert pytest.main(['-q', '--irbench=tiny', '-p', 'no:hypothesispytest']) == 0"
    assert not imported_by(project, code) & {"urllib3", "jmespath", "tqdm", "filelock"}


def test_the_library_works_without_pytest(project: Project) -> None:
    code = (
        "from pytest_irbench import Qrels, Run, evaluate, read_qrels, read_run\n"
        "scores = evaluate({'q': {'d': 1.0}}, {'q': {'d': 1}}, ['nDCG@10', 'AP'])\n"
        "assert scores.means == {'nDCG@10': 1.0, 'AP': 1.0} and scores['AP'] == {'q': 1.0}\n"
        "assert not {'pytest', '_pytest', 'ir_datasets', 'yaml', 'tabulate'} & sys.modules.keys()"
    )
    assert "numpy" in imported_by(project, code)


def test_every_public_name_can_be_imported() -> None:
    import pytest_irbench

    for name in pytest_irbench.__all__:
        assert getattr(pytest_irbench, name).__name__ == name
    assert dir(pytest_irbench) == sorted(pytest_irbench.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    import pytest_irbench

    with pytest.raises(AttributeError, match="module 'pytest_irbench' has no attribute 'assert_ndgc_at'"):
        pytest_irbench.assert_ndgc_at


def test_the_options_are_in_the_help(project: Project) -> None:
    text = project.run("--help").stdout.str()
    for option in (
        "--irbench=NAMES",
        "--irbench-list",
        "--irbench-run=NAME=PATH",
        "--irbench-prove",
        "irbench_files",
    ):
        assert option in text


def test_nothing_is_declared_that_pytest_warns_about(project: Project) -> None:
    project.spawn("-W", "error", "--strict-config", "--strict-markers", "--irbench=tiny").assert_outcomes(
        passed=4
    )
