"""The player, which shows a walk over a graph step by step, and the pages around it.

`player.js` and `player.css` are built from `src/` and committed; README.md says how. A page is one file that sends and
fetches nothing. Its policy allows this one script and the page's own styles. The data stand in a script element of the
type `application/json`, which no browser executes, and the player writes their texts as text.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from grader.render.escape import escape_html
from grader.render.htmlpage import PageScript, html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.report import CheckResult, Trace

__all__ = ["CheckTrace", "Player", "check_traces", "iframe", "inline_page", "play_page", "player"]

_TITLE = "See the gradients flow"
_NO_SCRIPT = "This page needs JavaScript. Allow it for this page, and open the page again."
# The player's own rules reach no further than the player.
_PAGE_STYLE = ":root{color-scheme:light dark}body{background:Canvas;color:CanvasText;margin:0}"
_INLINE_STYLE = "body{font:14px system-ui,sans-serif;margin:2px}"


class CheckTrace(msgspec.Struct, frozen=True):
    """The trace of one check, with the check's id and title."""

    check: str
    title: str
    trace: Trace


class Player(NamedTuple):
    """The style (CSS) and the script that a page adds for its player."""

    style: str
    script: PageScript


def check_traces(checks: Iterable[CheckResult]) -> list[CheckTrace]:
    """Return the traces of those checks that have one, in their order."""
    return [CheckTrace(check.id, check.title, check.trace) for check in checks if check.trace]


def player(mode: Literal["play", "report", "inline"], traces: Sequence[CheckTrace]) -> Player:
    """Return what a page needs for a player of these traces."""
    data = {"mode": mode, "traces": traces}
    return Player(_built("player.css"), PageScript(_built("player.js"), "backgrade-player", data))


def play_page(traces: Sequence[CheckTrace] = ()) -> str:
    """Return the page of the lesson's graphs and the order game; `traces` are the student's own graphs."""
    main = f'<main id="player"><noscript><p>{_NO_SCRIPT}</p></noscript></main>'
    made = player("play", traces)
    return html_page(_TITLE, main, [_PAGE_STYLE, made.style], script=made.script)


def inline_page(trace: CheckTrace) -> str:
    """Return a page with one trace and nothing around it, for an `<iframe>` in a notebook."""
    words = escape_html(trace.trace.words or _NO_SCRIPT)
    main = f'<main><div class="player inline" data-trace="0"><noscript><p>{words}</p></noscript></div></main>'
    made = player("inline", [trace])
    styles = [_PAGE_STYLE, _INLINE_STYLE, made.style]
    return html_page(f"{trace.check}: {trace.title}", main, styles, script=made.script)


def iframe(trace: CheckTrace) -> str:
    """Return the same page in an `<iframe>`, which runs the player apart from the notebook and without its origin."""
    page = inline_page(trace).replace("&", "&amp;").replace("'", "&#x27;")  # the page has few of these signs
    title = escape_html(f"{trace.check}, step by step")
    return (
        f'<iframe class="backgrade-player" title="{title}" sandbox="allow-scripts" width="100%" height="{_height(trace.trace)}" '
        f"style=\"border: 0\" srcdoc='{page}'></iframe>"
    )


def _height(trace: Trace) -> int:
    """Choose the height of the `<iframe>` in pixels, which a notebook cannot ask of its content; the picture fits itself in.

    What stands above and below the picture takes about 320 pixels, each row of nodes a little over 100.
    """
    rows: dict[int | None, int] = {}
    for index, node in enumerate(trace.nodes):  # inputs first
        rows[index] = 1 + max((rows.get(each.node, 0) for each in node.inputs), default=0)
    return min(400 + 105 * (max(rows.values(), default=1) - 1), 760)


@functools.cache
def _built(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
