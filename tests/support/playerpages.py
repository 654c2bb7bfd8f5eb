"""Pages with the player, in a browser: opened, watched, and read by roles and names as a screen reader reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Dialog, Locator, Page

LONGEST = 30_000  # milliseconds that anything on a page may take on a busy machine
SCREENS = {
    "light": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
NO_STORAGE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("The operation is insecure.", "SecurityError"); }
})"""
# The middle of an edge's line, in the window.
MIDDLE = """edge => {
    edge.scrollIntoView({block: "center", inline: "center"});
    const line = edge.querySelector("path.hit");
    const {x, y} = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
    return [x, y];
}"""
NODE = re.compile(
    r"(?P<name>.*?), (?P<op>[^,]+), data (?P<data>[^,]+), grad (?P<grad>[^,]+)(?P<rest>.*)", re.DOTALL
)
NOTHING = "not computed yet"


class Watched:
    """A window for pages from files. `faults` has what they did wrong: requests, dialogs, logged errors.

    A request that the page's policy refused is among them, under another name.
    """

    def __init__(self, browser: Browser, folder: Path, *, storage: bool = True, **settings: Any) -> None:
        self.file, self.faults = folder / "page.html", []
        self.context = browser.new_context(**{"reduced_motion": "reduce", **settings})
        self.context.set_default_timeout(LONGEST)
        self.page = self.context.new_page()
        if not storage:
            self.page.add_init_script(NO_STORAGE)
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("requestfailed", lambda request: self._refused(request.url, request.failure))
        self.page.on("dialog", self._dialog)
        self.page.on("popup", lambda popup: self.faults.append(f"window {popup.url}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        self.page.on("console", lambda line: self._logged(line.type, line.text))

    def open(self, html: str) -> Page:
        """Show a page; nothing is remembered of earlier ones."""
        if self.page.url != "about:blank":
            self.page.evaluate("() => { try { localStorage.clear() } catch {} }")
        self.file.write_text(html, encoding="utf-8")
        return self.load()

    def load(self) -> Page:
        """Load the file, and wait until the player is there."""
        self.page.goto(self.file.as_uri())
        self.page.locator("html[data-player=ready]").wait_for()
        return self.page

    def _asked(self, url: str) -> None:
        if url.partition("#")[0] not in {self.file.as_uri(), "about:srcdoc"}:
            self.faults.append(f"request {url}")

    def _refused(self, url: str, why: str | None) -> None:
        if why == "csp":
            self.faults[self.faults.index(f"request {url}")] = f"refused {url}"

    def _dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _logged(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.faults.append(f"{kind} {text}")


class Contribution(NamedTuple):
    """What an edge's label says: upstream · local = amount."""

    source: str
    target: str
    upstream: float
    local: float
    amount: float


class Player:
    """The player of one graph: its buttons, and the numbers of its nodes and edges."""

    def __init__(self, root: Locator) -> None:
        self.root = root

    @classmethod
    def of(cls, page: Page, title: str) -> Player:
        """Return the player with this title."""
        return cls(page.get_by_role("group", name=f"Player: {title}", exact=True))

    def button(self, name: str) -> Locator:
        """Return one of the controls."""
        return self.root.get_by_role("button", name=name, exact=True)

    def press(self, name: str) -> None:
        """Press one of the controls."""
        self.button(name).click()

    def ended(self) -> bool:
        """Whether there is no step after this one."""
        return self.button("Forward").get_attribute("aria-disabled") == "true"

    def to_the_end(self) -> int:
        """Step forward to the end. Return the number of steps."""
        steps = 0
        while not self.ended():
            self.button("Forward").press("Enter")  # a click waits for two frames
            steps += 1
        return steps

    def position(self) -> int:
        """The number of steps that are done, as the slider says."""
        return int(self.root.get_by_role("slider").input_value())

    def words(self) -> str:
        """What is said of this step."""
        return self.root.locator(".sentence").inner_text()

    def walk(self, heading: str) -> Player:
        """Return one of two walks side by side."""
        return Player(self.root.locator(f".pane:has(.walk-name:text-is('{heading}'))"))

    def nodes(self) -> dict[str, dict[str, str]]:
        """The parts of each node's name for screen readers: op, data, grad and the rest."""
        pictures = self.root.get_by_role("img")
        pictures.first.wait_for()  # a graph that is unfolded comes a moment later
        labels = pictures.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        found = [NODE.fullmatch(label) for label in labels]
        assert all(found), labels
        return {match["name"]: match.groupdict() for match in found if match}

    def numbers(self, kind: str) -> dict[str, str]:
        """The data, or the grad, of each node that has one."""
        return {name: node[kind] for name, node in self.nodes().items() if node[kind] != NOTHING}

    def edge(self, name: str) -> Locator:
        """Return an edge, such as "a → d"."""
        return self.root.get_by_role("button", name=re.compile(f"^Edge {re.escape(name)}:"))

    def click_edge(self, name: str) -> str:
        """Click the middle of an edge's line; return what is said of the edge."""
        x, y = self.edge(name).evaluate(MIDDLE)
        self.root.page.mouse.click(x, y)
        return self.root.get_by_role("status", name="The edge").inner_text()

    def contributions(self) -> list[Contribution]:
        """The labels of all edges, as the screen shows them."""
        labels = self.root.get_by_role("button", name=re.compile("^Edge ")).evaluate_all(
            "all => all.map(one => [one.getAttribute('aria-label'), [...one.querySelectorAll('tspan')].map(row => row.textContent).join(' ')])"
        )
        found = []
        for label, shown in labels:
            match = re.fullmatch(r"Edge (.+) → (.+?)(?: \(\w+ input\))?: (.+) · (.+) = (.+)", label)
            assert match, label
            assert label.endswith(shown), (label, shown)
            found.append(Contribution(match[1], match[2], *map(float, match.groups()[2:])))
        return found


def choose(page: Page, preset: str) -> Player:
    """Choose a graph of the lesson."""
    page.get_by_role("radio", name=preset, exact=True).first.check(force=True)
    return Player.of(page, preset)


def serious_findings(page: Page, context: Any = None, **options: Any) -> list[str]:
    """Return axe's serious and critical findings: the rule and the element of each.

    `context` is what axe looks at, by default the whole page; `options` are axe's own.
    """
    # Late: where it is missing, the tests that need a browser are skipped.
    from axe_playwright_python.sync_playwright import Axe

    options["resultTypes"] = ["violations"]
    return [
        f"{one['id']}: {node['html']}"
        for one in Axe().run(page, context, options).response["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]
