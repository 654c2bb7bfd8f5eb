"""A page is closed: texts of a submission are shown as texts, and nothing is sent or fetched, whatever is tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from hostile import MARKUP, report_of
from playerpages import Player
from walked import UPSTREAM, chain, trace_of, wrong_trace

from grader.render.html import render_html
from grader.render.player import CheckTrace, inline_page, play_page
from grader.report import Trace, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from playerpages import Watched
    from playwright.sync_api import Page

TEXTS = {
    "image": '<img src=x onerror="window.owned=1;alert(1)">',
    "script": "</script><script>window.owned=1</script>",
    "comment": "<!--<script>window.owned=1",
    "template": "${window.owned=1}{{7*7}}`",
    "entity": "&lt;b&gt;&#60;script&#62;",
    "handler": '" onfocus="window.owned=1" autofocus x="',
    "style": "</style><style>*{display:none}</style>",
    "address": "javascript:window.owned=1",
    "right to left": "\u202egnp.exe\u2066 \u200f",
    "prototype": "__proto__",
    "constructor": "constructor",
    "line ends": "a\u2028b\u2029c\nd",
    "very long": "long" * 2_000,
    "one word": "<" * 500,
}


def hostile(trace: Trace, text: str) -> Trace:
    """Return the trace with the text as every name, operation and sentence, and as a number where a text may stand."""
    nodes = [msgspec.structs.replace(node, name=text, op=text if node.op else "") for node in trace.nodes]
    nodes = [
        msgspec.structs.replace(
            node, inputs=[msgspec.structs.replace(one, value=text, local=text) for one in node.inputs]
        )
        for node in nodes
    ]
    steps = [
        msgspec.structs.replace(step, changes=[(at, text) for at, _ in step.changes])
        for step in trace.student
    ]
    return Trace(text, nodes, steps, trace.right, trace.wrong, text)


def owned(page: Page) -> bool:
    return (
        page.evaluate("() => 'owned' in window")
        or page.locator("img, iframe, object, a[href^=javascript]").count() > 0
    )


# Steps through the whole walk, and opens every edge.
WALK = """() => {
    for (const player of document.querySelectorAll('.walk')) {
        const [first, , , forward] = player.querySelectorAll('.controls button');
        for (first.click(); forward.getAttribute('aria-disabled') !== 'true';) forward.click();
        for (const edge of player.querySelectorAll('[data-edge]')) edge.dispatchEvent(new MouseEvent('click'));
    }
}"""


def test_texts_stay_texts_in_the_lesson(window: Callable[..., Watched]) -> None:
    """In names, operations, numbers, sentences and titles: they are on the page, letter by letter, and do nothing."""
    graphs = [
        CheckTrace(text, text, hostile(wrong_trace("mul without upstream"), text)) for text in TEXTS.values()
    ]
    page = window(play_page(graphs)).page
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.evaluate(WALK)
    told = page.get_by_role("region", name="Your graphs").evaluate("one => one.textContent")

    assert not owned(page)
    assert [name for name, text in TEXTS.items() if text not in told] == []
    assert page.locator(".walk").count() == 1 + len(TEXTS)
    assert page.get_by_role("heading", name="Order game").first.is_visible()


# All at once, the one that would swallow the others last; each alone belongs to `whole`.
ALL = " ".join([text for name, text in TEXTS.items() if name != "comment"] + [TEXTS["comment"]])


@pytest.mark.ci
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ALL, id="all"),
        *(pytest.param(text, id=name, marks=pytest.mark.whole) for name, text in TEXTS.items()),
    ],
)
def test_a_text_stays_a_text_in_a_notebook(window: Callable[..., Watched], text: str) -> None:
    """There it is in the page's title too, and nothing is beside it."""
    page = window(
        inline_page(CheckTrace(text, text, hostile(wrong_trace("mul without upstream"), text)))
    ).page
    page.get_by_role("button", name="Step table").click()
    page.evaluate(WALK)

    assert not owned(page)
    assert text in page.locator("main").evaluate("one => one.textContent")
    assert page.locator("body > *:not(main, script)").count() == 0


def test_a_hostile_report(window: Callable[..., Watched]) -> None:
    """A report that is hostile in every field, with checks of each text, has players all the same."""
    reports = [report_of(text) for text in MARKUP.values()]
    report = msgspec.structs.replace(
        reports[0], checks=[check for each in reports for check in each.checks[2:4]]
    )
    page = window(render_html(from_json(to_json(report)))).page
    assert page.locator(".player .walk").count() >= len(reports)
    assert not owned(page)


@pytest.mark.ci
def test_a_long_name_does_not_widen_a_phone(window: Callable[..., Watched]) -> None:
    """Long names are cut in the picture and wrapped in sentences."""
    trace = hostile(wrong_trace("mul without upstream"), "long" * 200)
    phone = {"viewport": {"width": 360, "height": 740}}
    page = window(inline_page(CheckTrace("check", "title" * 100, trace)), **phone).page
    page.get_by_role("button", name="Step table").click()
    assert page.evaluate("() => document.scrollingElement.scrollWidth") <= 360


# --- The policy

ATTEMPTS = {
    "fetch": "fetch('https://example.org/').catch(() => 0)",
    "beacon": "navigator.sendBeacon('https://example.org/', 'x')",
    "image": "document.body.append(Object.assign(new Image(), {src: 'https://example.org/x.png'}))",
    "data image": "document.body.append(Object.assign(new Image(), {src: 'data:image/gif;base64,R0lGODlhAQABAAAAACw='}))",
    "script": "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.owned = 1'}))",
    "script from a file": "document.body.append(Object.assign(document.createElement('script'), {src: 'x.js'}))",
    "handler": "(document.body.innerHTML += '<p id=x onclick=\"window.owned=1\">', document.getElementById('x').click())",
    "style sheet": "document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: 'https://example.org/x.css'}))",
    "style": "document.head.append(Object.assign(document.createElement('style'), {textContent: 'body { color: red }'}))",
    "frame": "document.body.append(Object.assign(document.createElement('iframe'), {src: 'https://example.org/'}))",
    "form": "(document.body.append(Object.assign(document.createElement('form'), {id: 'f', action: 'https://example.org/'})), document.getElementById('f').submit())",
    "base": "document.head.append(Object.assign(document.createElement('base'), {href: 'https://example.org/'}))",
    "code from text": "(() => { try { setTimeout('window.owned = 1') } catch {} })()",
}


def test_the_policy(window: Callable[..., Watched]) -> None:
    """Code that stood in the page all the same could ask for nothing, run no other code, and change no look."""
    lesson = window(play_page())
    for name, attempt in ATTEMPTS.items():
        with lesson.page.expect_console_message(lambda line: "Content Security Policy" in line.text):
            lesson.page.evaluate(f"() => {{ {attempt}; }}")
        assert "owned" not in lesson.page.evaluate("() => Object.keys(window)"), name
        assert [fault for fault in lesson.faults if not fault.startswith(("error ", "refused "))] == [], name
        assert lesson.page.url == lesson.file.as_uri(), name
        lesson.faults.clear()


@pytest.mark.parametrize("mode", ["play", "inline", "report"])
def test_the_policy_begins_with_nothing(mode: str) -> None:
    """Each page has it, before anything else that it could concern."""
    shown = CheckTrace("check", "Title", trace_of(UPSTREAM))
    report = from_json(to_json(report_of("text")))
    html = {"play": play_page, "inline": lambda: inline_page(shown), "report": lambda: render_html(report)}[
        mode
    ]()
    head, _, rest = html.partition('<meta http-equiv="Content-Security-Policy" content="')
    policy = rest.partition('"')[0]
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"unsafe-(?!hashes)|\*|https?:|data:|self", policy)
    assert not re.search(r"<(?:script|style|link|img)", head)
    assert not re.search(r"<\w[^>]*\sstyle=", html) or mode == "report", (
        "a report has bars, whose widths it allows"
    )


# --- Many nodes

KEEP = """() => {
    window.kept = [...document.querySelectorAll('.player svg *')];
    return window.kept.length;
}"""
KEPT = """() => {
    const now = [...document.querySelectorAll('.player svg *')];
    return now.length === window.kept.length && now.every((one, at) => one === window.kept[at]);
}"""


@pytest.mark.ci
def test_300_nodes(window: Callable[..., Watched]) -> None:
    """All are there, and a step makes no element of the picture anew: it changes what it touched."""
    trace = trace_of(chain(300))
    page = window(inline_page(CheckTrace("chain", "A chain", trace))).page
    player = Player.of(page, "A chain")
    walk = player.walk("Your engine")
    assert walk.root.get_by_role("img").count() == 300
    assert page.evaluate(KEEP) > 1_000

    player.button("First").focus()
    page.keyboard.press("Home")
    assert player.position() == 0
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert len(walk.numbers("data")) == 20
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert player.position() == len(trace.student) - 1
    assert len(walk.numbers("grad")) >= 298
    assert page.evaluate(KEPT)


CHANGES = """async () => {
    let changed = 0;
    const watcher = new MutationObserver(list => { changed += list.length; });
    for (const one of document.querySelectorAll('.player svg'))
        watcher.observe(one, {subtree: true, attributes: true, childList: true, characterData: true});
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    await new Promise(done => setTimeout(done));
    return changed;
}"""


@pytest.mark.ci
def test_a_step_among_300_nodes_changes_little(window: Callable[..., Watched]) -> None:
    """A step touches its node, the one before it and their edges: a few dozen changes, not one for each node."""
    page = window(inline_page(CheckTrace("chain", "A chain", trace_of(chain(300))))).page
    player = Player.of(page, "A chain")
    player.button("First").focus()
    page.keyboard.press("Home")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert 0 < page.evaluate(CHANGES) < 100
