"""The start page and a day's page. The lesson stands in the page itself, so that it is read before any script runs."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.authoring.reference import for_instructors
from grader.render.escape import escape_html, json_in_script
from grader.render.player import player

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.assignment import Assignment

PAGE = Path(__file__).parent / "page"
SCRIPTS = ("day.js", "start.js", "worker.js", "page.css")
OFFLINE = "offline.js"
KEYS = "Control and Enter run the cell. Tab indents; press Escape, then Tab, to leave the editor. Control and Z undo."
_NO_SCRIPT = (
    "<noscript><p>You can read the lesson. To write and run code, this page needs JavaScript.</p></noscript>"
)


with for_instructors("site"):  # only `grade site` imports this module
    from grader.site.markdown import markdown_html


def policy() -> str:
    """Return the policy of every page: its own origin alone, no script but the site's files and the player's.

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

    `untouched` is the notebook that a student gets.
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
    lesson = "\n".join(map(_section, notebook["cells"]))
    title = f"{assignment.name}: {assignment.manifest.title}"
    body = f"""<header><div>
<a href="index.html">All days</a>
<span class="title">{escape_html(title)}</span> <span id="points"></span>
<span id="status" role="status">Python has not begun to arrive.</span>
<progress id="starting" aria-label="Python is on its way" hidden></progress>
<span class="tools"><button type="button" id="run">Run all</button><button type="button" id="all">Check all</button><button type="button" id="stop" hidden>Stop</button>
<button type="button" id="save">Save notebook</button><button type="button" id="open">Open notebook</button>
<button type="button" id="undo" disabled>Undo</button><button type="button" id="reset">Reset the day</button></span>
</div></header>
<input type="file" id="file" accept=".ipynb,application/x-ipynb+json" class="hidden" tabindex="-1" aria-label="Notebook to open">
<p class="hidden" id="keys">{KEYS}</p>
<main><div id="notice" role="alert" hidden></div>{_NO_SCRIPT}
<p class="aside">Where the lesson names <code>grade {escape_html(assignment.name)}</code>, “Check all” is what does it here. A check judges what
stands in the cells, whether you have run them or not; “Run” needs the cells above it to have run.</p>
<div id="results" aria-live="polite"></div>
<div id="lesson">
{lesson}
</div></main>
<script type="application/json" id="day">{json_in_script(json.dumps(told).encode())}</script>
<script src="{files["day.js"]}"></script>"""
    return _page(title, body, files)


def start_page(
    title: str,
    assignments: Sequence[Assignment],
    missing: Mapping[str, Sequence[str]],
    files: Mapping[str, str],
) -> str:
    """Return the start page: the days, each with the points that are kept in the browser.

    `missing` are the days without a page, each with the modules that it needs and a browser does not have.
    """
    days = {
        a.name: {name: spec.points for name, spec in a.manifest.checks.items() if not spec.manual}
        for a in assignments
        if a.name not in missing
    }
    rows = [
        f"<li>{escape_html(f'{a.name}: {a.manifest.title}')}"
        f"<div>on your machine: it needs {escape_html(' and '.join(missing[a.name]))}, which a browser does not have</div></li>"
        if a.name in missing
        else f'<li><a href="{escape_html(a.name)}.html">{escape_html(f"{a.name}: {a.manifest.title}")}</a>'
        f'<div data-day="{escape_html(a.name)}">not begun in this browser</div></li>'
        for a in assignments
    ]
    body = f"""<main><h1>{escape_html(title)}</h1>
<p>Choose a day. You read, write and check in this page; what you write stays in this browser.</p>
<ul class="days">
{"".join(rows)}
</ul>
<p class="aside">Your work is kept in this browser, on this machine. “Save notebook” makes a file of it, to hand in or to go on elsewhere.</p>
</main>
<script type="application/json" id="start">{json_in_script(json.dumps(days).encode())}</script>
<script src="{files["start.js"]}"></script>"""
    return _page(title, body, files)


def _page(title: str, body: str, files: Mapping[str, str]) -> str:
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape_html(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{files["page.css"]}">
</head>
<body>
{body}
</body>
</html>
"""


def _section(cell: Mapping[str, Any]) -> str:
    source = "".join(cell["source"])
    name = escape_html(cell["id"])
    if cell["cell_type"] == "markdown":
        return f'<section class="cell lesson" data-cell="{name}">{markdown_html(source)}</section>'
    return f'<section class="cell {escape_html(cell["cell_type"])}" data-cell="{name}"><pre>{escape_html(source)}</pre></section>'


def _asks(cell: Mapping[str, Any]) -> str:
    """Return the check that a cell asks for and does nothing else; empty for any other cell."""
    if cell["cell_type"] != "code":
        return ""
    try:
        body = ast.parse("".join(cell["source"])).body
    except (SyntaxError, ValueError):  # before 3.11.4 a NUL is a ValueError
        return ""
    match body:
        case [ast.Expr(ast.Call(ast.Name("check"), [ast.Constant(name)], []))]:
            return str(name)
    return ""
