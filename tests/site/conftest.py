"""A site that is served, and pages of it in a browser that may ask nobody else."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import copy_course, edit_manifest
from site_pages import DAYS, Served, Visit

from grader.assignment import Course
from grader.site.folder import make_site, write_site
from grader.site.runtime import MSGSPEC, PYODIDE
from grader.site.serve import open_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

RESET = """() => {
    document.querySelector("#reset").click();
    for (const one of document.querySelectorAll(".output, .hints")) one.replaceChildren();
}"""
ARCHIVES = Path(__file__).resolve().parents[2] / ".venv" / "share" / "site"


@pytest.fixture(scope="session")
def archives() -> Path:
    """The folder with the runtime's archives."""
    if not all((ARCHIVES / pin.file).is_file() for pin in (PYODIDE, MSGSPEC)):
        pytest.skip("the archives of the runtime are not there: .ci/site fetches them")
    return ARCHIVES


@pytest.fixture(scope="session")
def served(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The site of two days; a cell of day 2 may run 2 s."""
    course, folder = copy_course(tmp_path_factory.mktemp("course")), tmp_path_factory.mktemp("site")
    edit_manifest(course, "day2", limits={"load_seconds": 2, "check_seconds": 2})
    write_site(make_site(Course(course), DAYS, archives), folder)
    with open_server(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Served(course, folder, f"http://127.0.0.1:{server.server_address[1]}/")
        server.shutdown()


@pytest.fixture
def visit(browser: Browser, windows: object, served: Served) -> Iterator[Callable[..., Visit]]:
    """A function that begins a visit; at the end no page had an error or asked for anything outside of the site."""
    visits: list[Visit] = []

    def begin(**settings: object) -> Visit:
        visits.append(Visit(browser.new_context(**{"reduced_motion": "reduce", **settings}), served))  # type: ignore[arg-type]
        return visits[-1]

    yield begin
    for one in visits:
        one.context.close()
        one.is_clean()


@pytest.fixture(scope="module")
def lasting(browser: Browser, windows: object, served: Served) -> Iterator[Visit]:
    """A visit for all tests of a module: its pages keep their Python."""
    one = Visit(browser.new_context(reduced_motion="reduce"), served)
    yield one
    one.context.close()


@pytest.fixture
def page(lasting: Visit) -> Iterator[Page]:
    """Day 2 with Python behind it, as untouched as at first; what other tests have defined is still defined."""
    page = lasting.context.pages[0] if lasting.context.pages else lasting.open("day2.html")
    page.evaluate(RESET)
    page.locator("html[data-page=drawn]").wait_for()
    yield page
    lasting.is_clean()
