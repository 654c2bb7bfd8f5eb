"""A site whose pages have numpy: the wheel that the runtime's lock file names. Here a small package is in its place."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import COURSE, copy_course, edit_manifest, unpack_files
from site_pages import Served, Visit, code_cell, run

from grader.assignment import Course
from grader.errors import Broken
from grader.site import runtime
from grader.site.folder import Site, make_site, write_site
from grader.site.serve import open_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FULL = os.environ.get("BACKGRADE_PYODIDE", "")  # a folder with both archives and the real wheel
STANDS_IN = """\
from math import tanh
__version__ = "a stand-in"
class ndarray: pass
class generic: pass
class ufunc: pass
class dtype: pass
"""
NEEDS = (
    "t = math.tanh(self.data)",
    "import numpy\n    numpy.tanh(self.data)\n    t = math.tanh(self.data)",
)


def wheel_of(source: str) -> bytes:
    """A wheel with this module as numpy, with a header for compilers."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name, text in {"numpy/__init__.py": source, "numpy/core.h": "int x;"}.items():
            made.writestr(zipfile.ZipInfo(name), text)
    return data.getvalue()


def with_lock(archive: bytes, sha256: str) -> bytes:
    """The runtime's archive with a lock file that names this hash for numpy."""
    data = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as source,
        tarfile.open(fileobj=data, mode="w:gz", compresslevel=1) as made,
    ):
        for info in source:
            file = source.extractfile(info)
            content = file.read() if file else b""
            if info.name == f"package/{runtime.LOCK}":
                lock = json.loads(content)
                lock["packages"]["numpy"]["sha256"] = sha256
                content = json.dumps(lock).encode()
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))
    return data.getvalue()


@pytest.fixture(scope="module")
def folder(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The archives and the stand-in, which the pinned archive's lock file names."""
    made = tmp_path_factory.mktemp("archives")
    shutil.copy(archives / runtime.MSGSPEC.file, made)
    wheel = wheel_of(STANDS_IN)
    archive = with_lock((archives / runtime.PYODIDE.file).read_bytes(), hashlib.sha256(wheel).hexdigest())
    (made / runtime.PYODIDE.file).write_bytes(archive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            runtime, "PYODIDE", runtime.PYODIDE._replace(sha256=hashlib.sha256(archive).hexdigest())
        )
        pin = runtime.numpy_pin(runtime.read_runtime(made))
        (made / pin.file).write_bytes(wheel)
        yield made


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Two days, of which the second calls numpy."""
    root = copy_course(tmp_path_factory.mktemp("course"))
    edit_manifest(root, "day2", imports=["numpy"])
    reference = Course(root).assignment("day2").reference
    text = reference.read_text(encoding="utf-8")
    assert NEEDS[0] in text
    reference.write_text(text.replace(*NEEDS), encoding="utf-8")
    return Course(root)


@pytest.fixture(scope="module")
def site(course: Course, folder: Path) -> Site:
    """The site of both days, made without node, which takes longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "which", lambda _: None)
        return make_site(course, ["day1", "day2"], folder)


def page_data(files: dict[str, bytes], day: str) -> dict[str, Any]:
    """What a page of a day gets from its site."""
    (text,) = re.findall(r'id="day">(.*?)</script>', files[f"{day}.html"].decode())
    found: dict[str, Any] = json.loads(text)["runtime"]
    return found


def test_only_the_pages_that_need_it_fetch_numpy(site: Site) -> None:
    """It is a file of its own, and a note says how large; others, and those who only visit, do not get it."""
    with_it, without = page_data(site.files, "day2"), page_data(site.files, "day1")
    assert without["numpy"] == ""
    assert [*unpack_files(site.files[with_it["numpy"]])] == ["numpy/__init__.py"]
    assert not any(name.startswith("numpy") for name in unpack_files(site.files[with_it["packages"]]))
    assert with_it["bytes"] - without["bytes"] == len(site.files[with_it["numpy"]])
    assert any(
        re.fullmatch(r"numpy: 0\.0 MB, which only the pages of day2 fetch", note) for note in site.notes
    )
    worker = json.loads(site.files["sw.js"].decode().partition(";\n")[0].removeprefix("const SITE = "))
    assert worker["used"] == [with_it["numpy"]]
    assert with_it["numpy"] not in worker["files"]
    assert "in the browser" in site.files["index.html"].decode()
    assert "on your machine" not in site.files["index.html"].decode()


def test_another_wheel_is_refused(course: Course, folder: Path, tmp_path: Path) -> None:
    """The pinned archive's hash counts; a lock file in the folder, which names the wheel that is there, does not."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    read = runtime.read_runtime(folder)
    other, pin = wheel_of("bad = 1"), runtime.numpy_pin(read)
    (tmp_path / pin.file).write_bytes(other)
    lock = json.loads(read[runtime.LOCK])
    lock["packages"]["numpy"]["sha256"] = hashlib.sha256(other).hexdigest()
    (tmp_path / runtime.LOCK).write_text(json.dumps(lock), encoding="utf-8")

    with pytest.raises(Broken, match=r"numpy-.*\.whl is not the file .* its SHA-256 differs"):
        make_site(course, ["day2"], tmp_path)


def test_the_wheel_is_fetched_once_where_it_can_be(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a network there is none, and the site is made as if there was no numpy."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pin, asked = runtime.numpy_pin(runtime.read_runtime(folder)), list[str]()

    def open_it(address: str, timeout: float) -> Any:
        asked.append(address)
        if len(asked) == 1:
            raise OSError("no route to host")
        return (folder / pin.file).open("rb")

    monkeypatch.setattr("urllib.request.urlopen", open_it)
    assert runtime.read_numpy(pin) is None
    assert runtime.read_numpy(pin) == runtime.read_numpy(pin) == (folder / pin.file).read_bytes()
    assert asked == [f"{runtime.DISTRIBUTION}/{pin.file}"] * 2
    assert runtime.read_numpy(pin, tmp_path) is None


@pytest.mark.ci
@pytest.mark.usefixtures("windows")
def test_a_page_imports_it(browser: Browser, course: Course, site: Site, tmp_path: Path) -> None:
    """Its cells do, its checks run, and the page asks only its own site."""
    write_site(site, tmp_path)
    with open_server(tmp_path) as server, browser.new_context() as context:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        one = Visit(context, Served(course.root, tmp_path, address))
        page = one.open("day2.html")
        cell = code_cell(page, 1)
        run(cell, "import numpy\nprint(numpy.__version__, numpy.tanh(0))")
        told = cell.locator(".output").inner_text()
        page.get_by_role("button", name="Check all").click()
        page.locator("#results .feedback").wait_for()
        assert told.strip() == "a stand-in 0.0"
        one.is_clean()
        server.shutdown()


@pytest.mark.ci
@pytest.mark.skipif(not FULL, reason="BACKGRADE_PYODIDE names no folder with the wheel of numpy")
@pytest.mark.parametrize("day", ["day6", "day7"])
def test_the_real_one_gives_the_verdicts_of_the_jail(day: str) -> None:
    """The works of a day of arrays, under the runtime itself."""
    command = [
        sys.executable,
        COURSE / "bench" / "page_verdicts.py",
        "--day",
        day,
        "--pyodide",
        FULL,
        "--every",
        "40",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.fullmatch(rf"{day}: \d+ works, 0 differ\n", done.stdout)
