"""The gap between utterances stands in every report."""

from __future__ import annotations

import json

from small_project import Project, tables

TURNS = [{"number": 1, "raw_utterance": "Is it fast?", "manual_rewritten_utterance": "Is FTS5 fast?"}]


def test_what_other_words_make_of_a_system_is_told_by_all(project: Project) -> None:
    project.write("turns.json", json.dumps([{"number": 7, "turn": TURNS}]))
    project.write("turns.qrels", "7_1 0 d1 1\n")
    project.fixtures("""
    @pytest.fixture
    def reader():
        return lambda topic, k: ["d1"] if "FTS5" in topic else ["x"]
    """)
    gate = "{benchmark: chats, system: reader, utterance: [raw, manual], thresholds: {nDCG@3: 0.5}}"
    project.write(
        "irbench.yaml",
        f"benchmarks: {{chats: {{topics: turns.json, qrels: turns.qrels}}}}\ngates: [{gate}]\n",
    )
    result = project.run("--irbench=chats", "--irbench-report=r.md", "--irbench-report=r.html")
    assert "nDCG@3   0.0000  1.0000  +1.0000" in tables(result)
    markdown = (project.path / "r.md").read_text(encoding="utf-8")
    assert "| `nDCG@3` | 0.0000 | 1.0000 | +1.0000 |" in markdown
    page = (project.path / "r.html").read_text(encoding="utf-8")
    assert "chats · reader: what other words make of it" in page
    assert '<td class="number">+1.0000</td>' in page
