"""The player, which shows a walk over a graph step by step, and the pages around it.

`player.js` and `player.css` are built from `src/` and committed; README.md says how. A page is one file that sends and
fetches nothing. Its policy allows this one script and the page's own styles. The data stand in a script element of the
type `application/json`, which no browser executes, and the player writes their texts as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from grader.render.htmlpage import PageScript, asset, fill, html_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.report import CheckResult, Trace

__all__ = ["CheckTrace", "Player", "check_traces", "iframe", "inline_page", "play_page", "player"]

_TITLE = "See the gradients flow"
_NO_SCRIPT = "This page needs JavaScript. Allow it for this page, and open the page again."


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


def player(
    mode: Literal["play", "report", "inline"], traces: Sequence[CheckTrace], *, arrays: bool = False
) -> Player:
    """Return what a page needs for a player of these traces."""
    data = {"mode": mode, "traces": traces} | ({"arrays": True} if arrays else {})
    return Player(
        asset("render/player/player.css"),
        PageScript(asset("render/player/player.js"), "backgrade-player", data),
    )


def play_page(traces: Sequence[CheckTrace] = (), *, arrays: bool = False) -> str:
    """Return the page of the lesson's graphs and the order game, or of graphs of arrays; `traces` are the student's own."""
    made = player("play", traces, arrays=arrays)
    return html_page(
        "render/player/play.html", _TITLE, [made.style], script=made.script, no_script=_NO_SCRIPT
    )


def inline_page(trace: CheckTrace) -> str:
    """Return a page with one trace and nothing around it, for an `<iframe>` in a notebook."""
    made = player("inline", [trace])
    return html_page(
        "render/player/inline.html",
        f"{trace.check}: {trace.title}",
        [made.style],
        script=made.script,
        words=trace.trace.words or _NO_SCRIPT,
    )


def iframe(trace: CheckTrace) -> str:
    """Return the same page in an `<iframe>`, which runs the player apart from the notebook and without its origin."""
    page, height = inline_page(trace), _height(trace.trace)
    return str(fill("render/player/iframe.html", check=trace.check, height=height, page=page))


def _height(trace: Trace) -> int:
    """Choose the height of the `<iframe>` in pixels, which a notebook cannot ask of its content; the picture fits itself in.

    What stands above and below the picture takes about 320 pixels, each row of nodes a little over 100.
    """
    rows: dict[int | None, int] = {}
    for index, node in enumerate(trace.nodes):  # inputs first
        rows[index] = 1 + max((rows.get(each.node, 0) for each in node.inputs), default=0)
    return min(400 + 105 * (max(rows.values(), default=1) - 1), 760)
