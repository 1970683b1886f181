"""The HTML page: one file that needs no network, with the whole session in it."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_irbench.reports.page.data import scripts
from pytest_irbench.reports.page.elements import Html, element, joined
from pytest_irbench.reports.page.gate import section
from pytest_irbench.reports.page.overview import headline, overview

if TYPE_CHECKING:
    from pytest_irbench.reports.report import Report

_STYLES = ("look.css", "gates.css", "print.css")
_SCRIPTS = ("elements.js", "numbers.js", "plots.js", "charts.js", "table.js", "query.js", "page.js")
"""In the order in which one needs the other."""


def html(report: Report) -> str:
    """Write a session as one HTML page that runs nothing but its own script.

    Parameters
    ----------
    report
        The session.

    Returns
    -------
    str
        The page, which can be written as UTF-8 whatever a query holds.
    """
    style = Html("\n".join(_part(name) for name in _STYLES))
    script = Html('"use strict";\n{\n' + "\n".join(_part(name) for name in _SCRIPTS) + "\n}")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        _policy(style, script),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name_="color-scheme", content="light dark"),
        element("title", f"{headline(report)} · irbench"),
        element("style", style),
    )
    body = element("body", joined(_body(report)), element("script", script))
    page = f"<!doctype html>\n{element('html', head, body, lang='en')}\n"
    return page.encode("utf-8", "backslashreplace").decode()


def _part(name: str) -> str:
    return files("pytest_irbench.reports.page").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> Html:
    """Allow the one style and the one script by their hashes, and nothing else."""
    allowed = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    content = f"{allowed}; base-uri 'none'; form-action 'none'"
    return element("meta", http_equiv="Content-Security-Policy", content=content)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _body(report: Report) -> list[Html]:
    theme = element("button", "Dark", id="theme", type="button", hidden="")
    header = element("header", element("span", "irbench", class_="mark"), theme)
    sections = joined(section(gate, place, report.selection) for place, gate in enumerate(report.gates, 1))
    return [
        element("a", "Skip to the overview", href="#overview", class_="skip"),
        header,
        element("main", overview(report), sections),
        *scripts(report),
    ]
