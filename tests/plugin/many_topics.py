"""A project with as many topics as a test needs, and systems that fall over on one of them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from small_project import Project

LOGGED = """
def log(topic, k):
    with (FOLDER / "calls.log").open("a") as calls:
        calls.write(f"{topic.query_id} {k}\\n")
    return [f"d{topic.query_id}"]
"""


def write_topics(project: Project, count: int) -> None:
    """Write topics 1 to ``count``, of which each has one relevant document: topic 17 has ``d17``."""
    numbers = range(1, count + 1)
    project.write("topics.tsv", "".join(f"{number}\tnumber {number}\n" for number in numbers))
    project.write("qrels.txt", "".join(f"{number} 0 d{number} 2\n" for number in numbers))
    project.fixtures(LOGGED)


def falls_over(project: Project, body: str, topic: int = 17) -> None:
    """Add a system ``troubled`` that finds the document of each of 20 topics, but for one does something else."""
    write_topics(project, 20)
    inside = textwrap.indent(textwrap.dedent(body), " " * 12)
    project.fixtures(f"""
@pytest.fixture(scope="session")
def troubled():
    def search(topic, k):
        found = log(topic, k)
        if topic.query_id == "{topic}":
{inside}
        return found
    return search
""")
