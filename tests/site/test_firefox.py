"""A day's page in Firefox: what the page does in Chromium it does there, too. One visit."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from site_pages import DOORS, WRONG, work

if TYPE_CHECKING:
    from site_pages import Served

pytestmark = pytest.mark.ci
SCRIPT = Path(__file__).parents[1] / "support" / "firefox.mjs"
PUPPETEER = (
    Path(__file__).resolve().parents[2] / ".venv" / "share" / "firefox" / "node_modules" / "puppeteer-core"
)


class Visited(NamedTuple):
    """What a visit has seen, and who was reached from it at another address."""

    seen: dict[str, Any]
    heard: list[object]
    address: str


@pytest.fixture
def visited(served: Served) -> Visited:
    """Read, run, loop, try every way out, reload, open wrong work, check all."""
    node, firefox = shutil.which("node"), shutil.which("firefox-esr") or shutil.which("firefox")
    if not (node and firefox and PUPPETEER.is_dir()):
        pytest.skip("needs node, Firefox (on Debian the package firefox-esr) and what .ci/site fetches")
    heard: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=lambda: heard.append(listener.accept()), daemon=True).start()
        outside = f"http://127.0.0.1:{listener.getsockname()[1]}"
        wanted = {
            "notebook": work("day2", (WRONG, "self.grad += self.data * out.grad")),
            "doors": "await_less = str\n" + DOORS.replace("ADDRESS", outside),
        }
        library = (PUPPETEER / "lib/puppeteer/puppeteer-core.js").as_uri()
        ran = subprocess.run(
            [node, SCRIPT, library, firefox, served.address],
            input=json.dumps(wanted),
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return Visited(json.loads(ran.stdout), heard, served.address)


def test_a_visit_in_firefox(visited: Visited) -> None:
    """A loop is ended with its line, wrong work is told by its rule and kept, and nobody else is asked for anything."""
    seen = visited.seen
    assert [error for error in seen["errors"] if "Content-Security-Policy" not in error] == []
    assert seen["editable"]
    assert (seen["sum"].strip(), seen["after"].strip()) == ("42", "43")
    assert "it ran for more than 2 seconds. It stood in line" in seen["loop"]

    assert seen["kept"] == "import math"  # of the notebook that was opened
    assert "a.grad += a.data * out.grad" in seen["told"]
    assert seen["pictures"] >= 1

    assert visited.heard == []
    assert seen["doors"].count("refused") >= 2
    assert {"fetch None", "locks None", "storage None"} <= set(seen["doors"].splitlines())
    others = [url for url in seen["asked"] if not url.startswith((visited.address, "blob:", "data:"))]
    assert others == []
