"""The files of a site: what a student may see and nothing else; the same course gives the same files."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from helpers import COURSE, copy_course, unpack_files
from minicourse import FILES, put
from traces import secrets, traces

from grader.assignment import Course
from grader.errors import Broken, Refused
from grader.site.folder import Site, make_site, write_site
from grader.site.packages import archive
from grader.site.runtime import MSGSPEC, PLATFORM, PYODIDE, PYTHON, STDLIB, numpy_pin, read_runtime


@pytest.fixture(scope="module")
def of_day2(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of a day, made without node and with nothing in the cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(shutil, "which", lambda _: None)
        return make_site(Course(COURSE), ["day2"], archives)


@pytest.fixture(scope="module")
def of_course(archives: Path) -> Site:
    """The site of all days."""
    return make_site(Course(COURSE), Course(COURSE).names, archives)


@pytest.fixture(scope="module", params=["of_day2", pytest.param("of_course", marks=pytest.mark.ci)])
def site(request: pytest.FixtureRequest) -> Site:
    """Each of the two."""
    made: Site = request.getfixturevalue(request.param)
    return made


def test_nothing_of_the_solutions_is_in_it(site: Site) -> None:
    """The search for secrets of `grade release`, in all that is not the runtime's or a library's."""
    given = {name: data for name, data in site.files.items() if not name.startswith("runtime-")}
    (name,) = (name for name in given if name.startswith("files/packages."))
    own = {
        member: data for member, data in unpack_files(given.pop(name)).items() if member.startswith("grader/")
    }
    assert traces(given | {"packages.whl": archive(own)}, secrets(COURSE)) == []
    assert len(own) > 100
    (course,) = (data for name, data in given.items() if name.startswith("files/course."))
    assert {name.partition("/")[0] for name in unpack_files(course)} == {"assignments"}
    secret = min(secrets(COURSE), key=len)
    assert (
        traces({"x.bin": archive({"assignments/x": secret.encode()})}, {secret}) != []
    )  # it looks into them


@pytest.mark.ci
def test_what_a_page_imports_is_compiled(of_course: Site) -> None:
    """Modules of libraries, the grader's and Python's own; of Python's others the sources are there."""
    (address,) = (name for name in of_course.files if name.startswith("files/packages."))
    modules = unpack_files(of_course.files[address]).keys()
    assert {"_pytest/runner.pyc", "grader/site/__pycache__/desk.cpython-314.pyc"} <= modules
    assert "_pytest/runner.py" not in modules
    (address,) = (name for name in of_course.files if name.endswith(f"/{STDLIB}"))
    with zipfile.ZipFile(io.BytesIO(of_course.files[address])) as stdlib:
        names = set(stdlib.namelist())
    assert {"asyncio/events.pyc", "dataclasses.pyc", "statistics.py"} <= names
    assert not names & {"asyncio/events.py", "dataclasses.py"}


@pytest.mark.ci
def test_the_same_course_gives_the_same_files(archives: Path, tmp_path: Path) -> None:
    """Wherever it lies."""
    first, second = (
        make_site(Course(root), ["day1"], archives) for root in (COURSE, copy_course(tmp_path / "course"))
    )
    assert first.files == second.files


def test_a_second_run_changes_only_what_changed(tmp_path: Path) -> None:
    """And removes what is not needed any more, but nothing of anybody else's."""
    folder, files = tmp_path / "site", {"day1.html": b"1", "day2.html": b"2", "files/x.js": b"3"}
    assert write_site(Site(files, []), folder) == (3, 0)
    assert write_site(Site(files, []), folder) == (0, 0)
    (folder / "CNAME").write_text("example.org", encoding="utf-8")

    assert write_site(Site({"day1.html": b"new", "files/x.js": b"3"}, []), folder) == (1, 1)

    assert (folder / "day1.html").read_bytes() == b"new"
    assert not (folder / "day2.html").exists()
    assert (folder / "CNAME").is_file()


@pytest.mark.parametrize("name", ["index.html", "site.json"])
def test_a_file_of_somebody_elses_is_not_replaced(tmp_path: Path, name: str) -> None:
    """Neither a page nor what this command keeps its record in."""
    (tmp_path / name).write_text('{"mine": 1}', encoding="utf-8")

    with pytest.raises(Refused, match=rf"{name}: `grade site` did not write this file"):
        write_site(Site({"index.html": b"<!DOCTYPE html>"}, []), tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text(encoding="utf-8") == '{"mine": 1}'


def test_the_pages_stand_without_a_script(site: Site) -> None:
    """The lesson is in the page, no script stands in it, and every file that it names is there."""
    pages = [data.decode() for name, data in site.files.items() if re.fullmatch(r"day\d\.html", name)]
    assert pages
    for page in pages:
        assert len(re.findall("<h[23]", page)) > 5
        assert re.findall(r"<script(?![^>]*(src=|type=\"application/json\"))", page) == []
        named = re.findall(r'(?:src|href)="((?:files|runtime)[^"]+)"', page)
        for found in re.findall(
            r'id="day">(.*?)</script>', page
        ):  # none in a page of a day that no browser runs
            data = json.loads(found)
            named += [data["worker"], *(data["runtime"][name] for name in ("script", "packages", "course"))]
        assert set(named) <= site.files.keys()


def test_a_day_that_needs_what_a_browser_does_not_have(
    archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reference fails without numpy: its page is for reading, with the notebook and how to set up."""
    root = copy_course(tmp_path)
    reference = Course(root).assignment("day2").reference
    text = reference.read_text(encoding="utf-8")
    needs = text.replace(
        "t = math.tanh(self.data)", "import numpy\n    numpy.tanh(self.data)\n    t = math.tanh(self.data)"
    )
    assert needs != text
    reference.write_text(needs, encoding="utf-8")

    monkeypatch.setattr(shutil, "which", lambda _: None)  # node takes longer
    made = make_site(Course(root), ["day1", "day2"], archives)

    start, page = made.files["index.html"].decode(), made.files["day2.html"].decode()
    assert 'href="day2.html"' in start
    assert "on your machine: it needs numpy" in start
    assert "A function that is defined inside another one is a <strong>closure</strong>" in page
    assert "pip install -q -r requirements.txt" in page
    assert ".venv/bin/grade day2" in page
    (address,) = re.findall('href="(files/[^"]*)" download="day2_backward_pass.ipynb"', page)
    assert "NotImplementedError" in made.files[address].decode()
    assert "<script" not in page
    (course,) = (data for name, data in made.files.items() if name.startswith("files/course."))
    assert not any("day2" in name for name in unpack_files(course))
    assert made.notes[:2] == [
        "day2: needs numpy, which a browser does not have; its page has the lesson and the notebook, to work on one's "
        "own machine",
        f"to have numpy on pages, put {numpy_pin(read_runtime(archives)).file} of Pyodide's distribution into the folder of "
        "--pyodide",
    ]


def test_the_pins_belong_together(archives: Path) -> None:
    """The runtime has the Python for which the wheels are built; both archives are those that were tested."""
    info = json.loads(read_runtime(archives)["pyodide-lock.json"])["info"]
    assert info["python"].startswith(f"{PYTHON}.")
    assert f"pyemscripten_{info['abi_version']}_wasm32" == PLATFORM
    assert f"cp{PYTHON.replace('.', '')}-{PLATFORM}" in MSGSPEC.file
    assert f"cp{PYTHON.replace('.', '')}-{PLATFORM}.whl" in numpy_pin(read_runtime(archives)).file
    for pin in (PYODIDE, MSGSPEC):
        assert pin.version in pin.file
        assert hashlib.sha256((archives / pin.file).read_bytes()).hexdigest() == pin.sha256


def test_another_archive_is_refused(archives: Path, tmp_path: Path) -> None:
    (tmp_path / PYODIDE.file).write_bytes(b"something else")
    with pytest.raises(Broken, match="its SHA-256 differs"):
        make_site(Course(COURSE), ["day1"], tmp_path)
    with pytest.raises(Broken, match="--pyodide takes a folder with this archive"):
        make_site(Course(COURSE), ["day1"], tmp_path / "nowhere")


def test_without_npm_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Broken) as told:
        read_runtime()
    assert "npm is not installed" in str(told.value)
    assert "--pyodide" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.ci
def test_without_node_the_pages_compile_themselves(
    of_day2: Site, archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The site is made all the same, and a note says what it costs."""
    assert any(note.startswith("node is not installed") for note in of_day2.notes)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    failing = tmp_path / "node"
    failing.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    failing.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(failing))
    made = make_site(Course(COURSE), ["day1"], archives)
    assert any(note.startswith("node could not compile") for note in made.notes)


@pytest.mark.parametrize(
    ("ends", "why"), [("'no route to host'", "no route to host"), ("28", "npm ended with the exit code 28")]
)
def test_without_a_network_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ends: str, why: str
) -> None:
    """As the client says it, in its last line; npm says nothing of a full disk."""
    failing = tmp_path / "npm"
    first = "print('first', file=sys.stderr)\n" if why in ends else ""
    failing.write_text(f"#!{sys.executable}\nimport sys\n{first}sys.exit({ends})\n")
    failing.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(shutil, "which", lambda _: str(failing))
    with pytest.raises(
        Broken, match=rf"^pyodide@\S+ could not be fetched: {why}; it needs the network, and room on the disk"
    ):
        read_runtime()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """And left as it is."""
    (path := tmp_path / "notes.md").write_text("mine", encoding="utf-8")
    with pytest.raises(Refused, match="this is a file; give a folder"):
        write_site(Site({"index.html": b"<!DOCTYPE html>"}, []), path)
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.ci
def test_without_its_libraries_it_says_how_they_are_installed(tmp_path: Path) -> None:
    """At once, and not after Python for browsers was fetched."""
    program = "import sys; sys.modules['bleach'] = None; sys.argv = ['grade', 'site', sys.argv[1]]; import grader.__main__ as m; sys.exit(m.main())"
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "site"],
        cwd=COURSE,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 3
    assert done.stderr == (
        f"grade: bleach is not installed, and this command needs it; run `{sys.executable} -m pip install 'backgrade[site]'`\n"
    )
    assert not (tmp_path / "site").exists()


def test_a_hidden_check_among_the_files_stops_the_site(tmp_path: Path) -> None:
    """The pages hold what `grade release` ships, so the same files are refused."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    put(tmp_path, "solutions/mini/checks/test_double.py", HIDDEN)
    put(tmp_path, "assignments/mini/checks/stub.ipynb", '{"cells": []}')
    (tmp_path / "solutions/mini/mini.py").unlink()  # its notebook is not compared
    put(tmp_path, "assignments/mini/notes.txt", HIDDEN)
    with pytest.raises(Refused, match=r"notes\.txt: students would get this file, but it holds lines"):
        make_site(Course(tmp_path), ["mini"])


HIDDEN = """\
def test_doubles_a_secret(student):
    secret = 12345
    answer = student.double(secret)
    assert answer == 2 * secret
"""
