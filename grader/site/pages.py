"""The start page, a day's page, and that of a day that no browser runs. The lesson stands in the page itself, so that it is read before any script runs."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.authoring.reference import for_instructors
from grader.render.htmlpage import fill
from grader.render.player import player

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.assignment import Assignment

PAGE = Path(__file__).parent / "page"
SCRIPTS = ("day.js", "play.js", "start.js", "worker.js")
STYLE = "page.css"
OFFLINE = "offline.js"
with for_instructors("site"):  # only `grade site` imports this module
    from grader.site.markdown import markdown_html


def _policy() -> str:
    """Return the policy of every page: only its own origin, no script but the site's files and the player's.

    `wasm-unsafe-eval` lets the runtime compile, `unsafe-inline` lets the editor style itself. The worker is made from a
    blob, so that this holds in it too.
    """
    script = base64.b64encode(hashlib.sha256(player("inline", []).script.text.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-{script}'; worker-src blob: 'self'; connect-src 'self'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
    )


def day_page(assignment: Assignment, untouched: bytes, files: Mapping[str, str], data: dict[str, Any]) -> str:
    """Return the page of a day. `files` are the addresses of scripts and styles, `data` what the page adds to its own.

    `untouched` is the notebook that a student gets. Where data has modules that a browser does not have (`needs`), it is
    a page to read, which says how to work on one's own machine.
    """
    notebook = json.loads(untouched)
    specs = assignment.manifest.checks
    told = {
        **data,
        "name": assignment.name,
        "title": assignment.manifest.title,
        "submission": assignment.manifest.submission,
        "seconds": assignment.manifest.limits.load_seconds,
        "notebook": notebook,
        "asks": {cell["id"]: name for cell in notebook["cells"] if (name := _asks(cell)) in specs},
        "checks": {
            name: {"title": spec.title, "points": spec.points, "hints": spec.hints, "manual": spec.manual}
            for name, spec in specs.items()
        },
    }
    title = f"{assignment.name}: {assignment.manifest.title}"
    template = "site/local.html" if told["needs"] else "site/day.html"
    return _page(template, title, files, day=told, cells=notebook["cells"], lesson=markdown_html)


def player_page(
    assignment: Assignment, untouched: bytes, files: Mapping[str, str], data: Mapping[str, Any]
) -> str:
    """Return the lesson's player for a day; the arguments are as those of its page."""
    told = {
        **data,
        "name": assignment.name,
        "title": assignment.manifest.title,
        "seconds": assignment.manifest.limits.load_seconds,
        "arrays": assignment.manifest.arrays,
        "notebook": json.loads(untouched),
    }
    return _page("site/play.html", f"{assignment.name}: the player", files, day=told)


def start_page(
    title: str,
    assignments: Sequence[Assignment],
    missing: Mapping[str, Sequence[str]],
    files: Mapping[str, str],
) -> str:
    """Return the start page: the days, each with the points that are kept in the browser.

    `missing` are the days that no browser runs, each with the modules that it needs and a browser does not have.
    """
    days = {
        a.name: {name: spec.points for name, spec in a.manifest.checks.items() if not spec.manual}
        for a in assignments
        if a.name not in missing
    }
    return _page("site/start.html", title, files, listed=assignments, missing=missing, days=days)


def _page(template: str, title: str, files: Mapping[str, str], **values: Any) -> str:
    return str(fill(template, title=title, files=files, policy=_policy(), **values))


def _asks(cell: Mapping[str, Any]) -> str:
    """Return the check that a cell asks for and does nothing else; empty for any other cell."""
    if cell["cell_type"] != "code":
        return ""
    try:
        body = ast.parse("".join(cell["source"])).body
    except (SyntaxError, ValueError, MemoryError):  # before 3.11.4 a NUL is a ValueError; what is too deep
        return ""
    match body:
        case [ast.Expr(ast.Call(ast.Name("check"), [ast.Constant(name)], []))]:
            return str(name)
    return ""
