"""Every command and every listing of the README is run."""

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHARED = ROOT.parent / "shared" / "data"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
COMMANDS = [
    line.removeprefix("$ ") for kind, text in BLOCKS if kind == "console" for line in text.splitlines()
]
FILES = {
    text.split("\n")[0].removeprefix("# "): text
    for kind, text in BLOCKS
    if kind in ("python", "yaml") and text.startswith("# ")
}
SHOP = """\
def search_products(text, limit):
    hits = [("p1", 2.0), ("p2", 1.0)] if "lamp" in text else [("p3", 1.0)]
    return hits[:limit]
"""


def run(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    assert command in COMMANDS
    arguments = [sys.executable, "-m", *shlex.split(command), "-p", "no:cacheprovider"]
    return subprocess.run(
        arguments,
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ | environment | {"PYTHONPATH": str(cwd)},
    )


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with the README's files and a search of two queries."""
    for name in ("conftest.py", "irbench.yaml", "test_shop.py"):
        tmp_path.joinpath(name).write_text(FILES[name], encoding="utf-8")
    tmp_path.joinpath("shop.py").write_text(SHOP)
    tmp_path.joinpath("topics.tsv").write_text("q1\tdesk lamp\nq2\tchair\n")
    tmp_path.joinpath("qrels.txt").write_text("q1 0 p1 1\nq2 0 p3 1\n")
    return tmp_path


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_every_command_has_a_test_here() -> None:
    assert COMMANDS == [
        "make demo",
        "make test",
        "pip install .",
        "pytest --irbench=all",
        'pytest --irbench=all --irbench-update="first baseline"',
        "pytest --irbench-list",
        "pytest --irbench=dl20",
        "pytest --irbench=dl20 --irbench-run bm25=runs/bm25.trec.gz",
    ]


def test_the_first_two_commands_are_what_ci_calls() -> None:
    called = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in called if line in COMMANDS] == COMMANDS[:2]
    made = subprocess.run(["make", "-n", *("demo", "test")], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def test_the_table_is_what_the_demo_prints_of_a_worse_search(tmp_path: Path) -> None:
    (table,) = [text for kind, text in BLOCKS if kind == ""]
    project = tmp_path / "example_project"
    shutil.copytree(ROOT / "example_project", project)
    demo = [sys.executable, "-m", "pytest", "--irbench=all", "-p", "no:cacheprovider"]
    wide = os.environ | {"COLUMNS": "108"}
    done = subprocess.run(demo, cwd=project, capture_output=True, text=True, env=wide)
    assert done.returncode == 0, done.stdout
    systems = (project / "conftest.py").read_text(encoding="utf-8")
    worse = systems.replace("Index(ARTICLES).search", "Index(ARTICLES, title_boost=1.0).search", 1)
    (project / "conftest.py").write_text(worse, encoding="utf-8")
    done = subprocess.run(demo, cwd=project, capture_output=True, text=True, env=wide)
    assert done.returncode == 1
    rest = done.stdout
    for part in table.split("[...]\n"):
        assert part in rest
        rest = rest.partition(part)[2]


def test_pip_installs_the_plugin_with_its_data(tmp_path: Path) -> None:
    assert "pip install ." in COMMANDS
    build = [
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(tmp_path),
    ]
    subprocess.run([sys.executable, *build, "."], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    schemas = {"pytest_irbench/gates/irbench.schema.json", "pytest_irbench/reports/report.schema.json"}
    assert {"pytest_irbench/py.typed", *schemas} <= set(names)
    assert not [name for name in names if not name.startswith("pytest_irbench")]


def test_a_search_of_ones_own_is_guarded(shop: Path) -> None:
    done = run("pytest --irbench=all", shop)
    assert done.returncode == 0, done.stdout
    assert "shop · products: 2 queries" in done.stdout
    assert "4 passed" in done.stdout


def test_a_search_is_held_to_its_last_accepted_run(shop: Path) -> None:
    declared = FILES["irbench.yaml"].partition("gates:\n")[0]
    shop.joinpath("irbench.yaml").write_text(declared + FILES["irbench.yaml, with more rules"])
    done = run('pytest --irbench=all --irbench-update="first baseline"', shop)
    assert done.returncode == 0, done.stdout
    names = ["shop.products.json", "shop.products.run.gz"]
    assert sorted(path.name for path in shop.joinpath("irbench-baselines").iterdir()) == names
    search = shop / "shop.py"
    search.write_text(SHOP.replace('("p1", 2.0), ("p2", 1.0)', '("p2", 2.0), ("p1", 1.0)'))
    done = run("pytest --irbench=all", shop)
    assert "nDCG@10 dropped by 0.1845, more than max_drop 0.02" in done.stdout
    assert "p1  grade 1: rank 1 before, now 2" in done.stdout


def test_the_list_names_every_benchmark(shop: Path) -> None:
    done = run("pytest --irbench-list", shop)
    assert done.returncode == 0
    for name in ("cast19", "cast21", "dl19-doc", "dl19-passage", "dl20-doc", "dl20-passage", "shop"):
        assert name in done.stdout


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real data of ../shared")
def test_the_public_benchmarks_run_on_real_data(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(SHARED / "ir_datasets_home" / "msmarco-passage", home / "msmarco-passage")
    project = tmp_path / "project"
    project.mkdir()
    name = "dl20.irbench.yaml"
    project.joinpath(name).write_text(FILES[name], encoding="utf-8")
    runs = project / "runs"
    runs.mkdir()
    shutil.copy(SHARED / "runs" / "dl20-passage" / "bm25.trec.gz", runs)
    saved = "import gzip, pytest\n\n@pytest.fixture\ndef bm25():\n"
    saved += "    lines = [line.split() for line in gzip.open('runs/bm25.trec.gz', 'rt')]\n"
    saved += (
        "    return lambda topic, k: [(d, float(s)) for q, _, d, _, s, _ in lines if q == topic.query_id]\n"
    )
    project.joinpath("conftest.py").write_text(saved)
    with gzip.open(runs / "bm25.trec.gz") as run_file:
        assert run_file.read(1)
    for command in COMMANDS[-2:]:
        done = run(command, project, IR_DATASETS_HOME=str(home))
        assert done.returncode == 0, done.stdout
        assert "dl20-passage · bm25: 54 queries" in done.stdout
        assert "2 passed" in done.stdout


def test_the_ci_recipe_runs_commands_that_are_tested() -> None:
    recipe = yaml.load(FILES[".github/workflows/search.yml"], yaml.BaseLoader)
    runs = [step["run"] for step in recipe["jobs"]["ranking"]["steps"] if "run" in step]
    assert runs == ["pip install -r requirements.txt", "pytest --irbench=all --junitxml=ranking.xml"]


def test_the_library_scores_files(tmp_path: Path) -> None:
    (code,) = re.findall(r"`(evaluate\(.+\)\.means)`", README)
    tmp_path.joinpath("run.trec").write_text("q1 Q0 d1 1 2.0 s\n")
    tmp_path.joinpath("qrels.txt").write_text("q1 0 d1 2\n")
    shown = f"from pytest_irbench import *\nprint({code})"
    done = subprocess.run([sys.executable, "-c", shown], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "{'nDCG@10': 1.0, 'AP(rel=2)': 1.0}\n", done.stderr
