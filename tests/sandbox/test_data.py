"""The files of `data/`: found in a jail as beside a notebook, sealed or not, and nothing of it can be seen later."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.manifest import Limits
from grader.sandbox import Sandbox
from grader.sandbox.foreseen import named_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.sandbox import Launcher

FILES = {
    "sales.csv": b"town,sold\nBonn,3\nK\xc3\xb6ln,4\n",
    "more/2025.csv": b"town,sold\nBonn,30\n",
    "note.txt": b"one\r\ntwo\r\n",
    "numbers.txt": b"1 2\n3 4\n",
}
SIDES = {"visible": FILES, "hidden": FILES}
# What a notebook does with files; each entry is the same beside a notebook and in a jail.
READS = r"""
import codecs, csv, fileinput, glob, io, json, os, pathlib, shutil, tarfile, zipfile
from os import path, stat

def said(way):
    try:
        return way()
    except Exception as error:
        return [type(error).__name__, str(error)]

class Named:
    def __fspath__(self):
        return "data/sales.csv"

def walked(top):
    return [[where, sorted(folders), sorted(names)] for where, folders, names in os.walk(top)]

ways = {
    "text": lambda: open("data/sales.csv", encoding="utf-8").read(),
    "bytes": lambda: open("data/sales.csv", "rb").read(4),
    "lines": lambda: [line for line in open("data/note.txt")],
    "newline": lambda: open("data/note.txt", newline="").read(),
    "latin": lambda: open("data/sales.csv", encoding="latin-1").read(),
    "strict": lambda: open("data/sales.csv", encoding="ascii").read(),
    "replaced": lambda: open("data/sales.csv", "r", -1, "ascii", "replace").read(),
    "io": lambda: io.open("./data/../data/note.txt").readline(),
    "raw": lambda: open("data/note.txt", "rb", buffering=0).read(3),
    "bytes path": lambda: open(b"data/note.txt").read(),
    "path object": lambda: open(Named(), encoding="utf-8").readline(),
    "pathlib": lambda: pathlib.Path("data", "sales.csv").read_text(encoding="utf-8"),
    "pathlib bytes": lambda: len(pathlib.Path("data/more/2025.csv").read_bytes()),
    "pathlib with": lambda: [p.name for p in sorted(pathlib.Path("data").iterdir())],
    "pathlib glob": lambda: sorted(map(str, pathlib.Path("data").glob("**/*.csv"))),
    "pathlib kinds": lambda: [pathlib.Path("data", n).is_file() for n in ("more", "note.txt", "no.csv")],
    "codecs": lambda: codecs.open("data/sales.csv", encoding="utf-8").readline(),
    "csv": lambda: list(csv.DictReader(open("data/sales.csv", newline="", encoding="utf-8"))),
    "fileinput": lambda: list(fileinput.input("data/numbers.txt")),
    "seek": lambda: (lambda f: (f.seek(4), f.read(3), f.tell()))(open("data/sales.csv", "rb")),
    "attributes": lambda: (lambda f: (f.name, f.mode, f.buffer.name, f.buffer.raw.mode, f.closed))(open("data/note.txt")),
    "closed": lambda: (lambda f: (f.close(), f.closed, f.buffer.closed))(open("data/note.txt")),
    "kinds": lambda: [type(open("data/note.txt", mode)).__name__ for mode in ("r", "rb", "rt")],
    "not writable": lambda: open("data/note.txt").writable(),
    "exists": lambda: [path.exists(p) for p in ("data", "data/sales.csv", "data/no.csv", ".", "sales.csv")],
    "isfile": lambda: [path.isfile(p) for p in ("data", "data/sales.csv", b"data/sales.csv")],
    "isdir": lambda: [path.isdir(p) for p in ("data", "data/more", "data/sales.csv")],
    "size": lambda: [path.getsize("data/sales.csv"), os.stat("data/more/2025.csv").st_size],
    "same": lambda: [path.samefile("data/note.txt", "data/../data/note.txt"), path.samefile("data", "data/more")],
    "links": lambda: [path.islink("data/note.txt"), path.realpath("data/note.txt") == path.abspath("data/note.txt")],
    "list": lambda: [sorted(os.listdir("data")), sorted(os.listdir(b"data")), os.listdir("data/more"), os.listdir()],
    "scan": lambda: sorted((e.name, e.path, e.is_dir(), e.is_file(), e.is_symlink()) for e in os.scandir("data")),
    "glob": lambda: sorted(glob.glob("data/*.csv")) + glob.glob("*.csv") + sorted(glob.glob("data/**", recursive=True)),
    "walk": lambda: walked("data"),
    "here": lambda: [pathlib.Path.cwd() == pathlib.Path("data").absolute().parent, os.listdir(os.getcwd())],
    "absolute": lambda: open(path.abspath("data/numbers.txt")).read(),
    "no such file": lambda: open("data/no.csv"),
    "forgot the folder": lambda: open("sales.csv"),
    "a folder": lambda: open("data"),
    "no such folder": lambda: os.listdir("data/none"),
    "list a file": lambda: os.listdir("data/note.txt"),
    "no such stat": lambda: os.stat("data/no.csv"),
    "no name": lambda: open(""),
    "another mode": lambda: open("data/note.txt", "q"),
    "a number": lambda: open(1.5),
    "copy": lambda: shutil.copyfileobj(open("data/note.txt"), io.StringIO()),
    "zip": lambda: zipfile.is_zipfile("data/note.txt"),
    "tar": lambda: tarfile.is_tarfile("data/note.txt"),
}
def kinds():
    return [[name, repr(said(way))] for name, way in ways.items()]
"""


@pytest.fixture
def opened(launcher: Launcher) -> Iterator[Callable[..., Sandbox]]:
    """A function: a cell -> a loaded sandbox with the files, sealed if it says so."""
    boxes: list[Sandbox] = []

    def load(source: str, *, sealed: bool = False, **how: Any) -> Sandbox:
        source = textwrap.dedent(source)
        foreseen = named_modules(source, how.get("imports", ())) if sealed else None
        how = {"data": SIDES, **how}
        boxes.append(Sandbox(launcher, [source], Limits(load_seconds=9), foreseen=foreseen, **how))
        boxes[-1].load()
        assert boxes[-1].errors == {}
        return boxes[-1]

    yield load
    for box in boxes:
        box.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can enter, with the files in it."""
    with tempfile.TemporaryDirectory(prefix="data-") as name:
        Path(name).chmod(0o755)
        for file, content in FILES.items():
            path = Path(name, "data", file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield Path(name)


@pytest.mark.parametrize("sealed", [False, True])
def test_a_jail_reads_as_a_notebook_does(
    opened: Callable[..., Sandbox], folder: Path, *, sealed: bool
) -> None:
    """Contents, names, kinds, sizes and errors of each way that Python has."""
    beside = subprocess.run(
        [sys.executable, "-c", f"{READS}\nfor row in kinds(): print(*row, sep=chr(9))"],
        cwd=folder, capture_output=True, text=True, check=True, encoding="utf-8", env={"PYTHONUTF8": "1"},
    ).stdout  # fmt: skip

    assert dict(opened(READS, sealed=sealed).get("kinds")()) == dict(
        line.split("\t", 1) for line in beside.splitlines()
    )


NUMPY = """
import io, os
import numpy as np

def read():
    with np.load("data/both.npz") as both:
        found = [both["x"].tolist(), both["y"].tolist()]
    return [
        *found,
        np.load("data/one.npy").tolist(),
        np.loadtxt("data/numbers.txt").tolist(),
        np.genfromtxt("data/numbers.txt", dtype=int).tolist(),
    ]
"""


@pytest.mark.ci
@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("arrays", [False, True])
def test_numpy_reads_them(opened: Callable[..., Sandbox], *, sealed: bool, arrays: bool) -> None:
    """`loadtxt` too, which keeps the function with which it opens files."""
    import numpy as np

    both, one = io.BytesIO(), io.BytesIO()
    np.savez_compressed(both, x=np.arange(3), y=np.eye(2))
    np.save(one, np.arange(2))
    files = FILES | {"both.npz": both.getvalue(), "one.npy": one.getvalue()}

    box = opened(
        NUMPY, sealed=sealed, imports=["numpy"], arrays=arrays, data={"visible": files, "hidden": files}
    )

    numbers = [[1, 2], [3, 4]]
    assert box.get("read")() == [[0, 1, 2], [[1, 0], [0, 1]], [0, 1], numbers, numbers]


WRITES = """
import io, os, pathlib

ways = {
    "a new file": lambda: open("data/new.csv", "w"),
    "beside it": lambda: open("out.csv", "x"),
    "more": lambda: open("data/sales.csv", "a"),
    "both": lambda: open("data/sales.csv", "r+b"),
    "pathlib": lambda: pathlib.Path("data/sales.csv").write_text("x"),
    "remove": lambda: os.remove("data/sales.csv"),
    "a folder": lambda: os.makedirs("data/new"),
}
def tried():
    found = []
    for name, way in ways.items():
        try:
            found.append([name, str(way())])
        except OSError as error:
            found.append([name, error.strerror])
    return found
"""


@pytest.mark.parametrize("sealed", [False, True])
def test_nothing_can_be_written(opened: Callable[..., Sandbox], *, sealed: bool) -> None:
    """The error of `open` says so; the system refuses the rest."""
    said = dict(opened(WRITES, sealed=sealed).get("tried")())

    assert [*said.values()][:5] == ["nothing can be written while this is graded"] * 5
    assert {said["remove"], said["a folder"]} <= {"Operation not permitted", "Permission denied"}


CHANGES = """
import builtins, gc, io, os

first = open("data/note.txt").read(), os.path.getsize("data/note.txt"), sorted(os.listdir("data"))

def change():
    raw = open("data/note.txt", "rb", buffering=0)
    raw.write(b"changed")
    raw.getbuffer()[:3] = b"xyz"
    os.listdir("data").clear()
    builtins.open = io.open = os.stat = os.listdir = os.scandir = lambda *_: None

def seen():
    return [*first]
"""


def test_each_load_finds_them_anew(opened: Callable[..., Sandbox]) -> None:
    """Whatever an earlier one did with a file, or put into the place of a function."""
    box = opened(CHANGES)
    before = box.get("seen")()
    box.get("change")()

    box.load()

    assert box.get("seen")() == before == ["one\ntwo\n", 10, ["more", "note.txt", "numbers.txt", "sales.csv"]]


def test_tests_of_each_side_find_their_own(opened: Callable[..., Sandbox]) -> None:
    """Without that, a jail has those of the visible tests."""
    hidden = {"visible": {"a.csv": b"1"}, "hidden": {"a.csv": b"1", "b.csv": b"2"}}
    source = "import os\ndef names(): return sorted(os.listdir('data'))"
    box, sealed = opened(source, data=hidden), opened(source, data=hidden, sealed=True)

    assert box.get("names")() == ["a.csv"]
    assert sealed.get("names")() == ["a.csv", "b.csv"]
    box.turn_to("hidden")
    box.load()
    assert box.get("names")() == ["a.csv", "b.csv"]


def test_a_large_file_comes_in_parts(opened: Callable[..., Sandbox]) -> None:
    """Each byte is in its place; an empty file is there, too."""
    large = os.urandom(3 << 20)
    files = {"large.bin": large, "empty.txt": b""}
    source = """
    import hashlib
    def found(): return [hashlib.sha256(open(f"data/{n}", "rb").read()).hexdigest() for n in ("large.bin", "empty.txt")]
    """

    box = opened(source, data={"visible": files, "hidden": files})

    assert box.get("found")() == [hashlib.sha256(each).hexdigest() for each in files.values()]


# --- What a hidden jail reads


# Tells its bits by the files that it touches, and by links that lead to them: each way changes an access time.
TELLS = """
import ctypes, glob, os, pathlib
libc = ctypes.CDLL(None)

def touch(path, link):
    for way in (
        lambda: open(path).read(),
        lambda: open(link).read(),
        lambda: os.open(path, os.O_RDONLY),
        lambda: os.stat(link),
        lambda: os.path.getsize(os.fsencode(link)),
        lambda: pathlib.Path(link).exists(),
        lambda: os.listdir(os.path.dirname(path)),
        lambda: glob.glob(link + "/*"),
        lambda: os.readlink(link),
        lambda: os.chdir(os.path.dirname(link)),
        lambda: libc.access(link.encode(), 0),
        lambda: libc.open(path.encode(), 0),
    ):
        try:
            way()
        except OSError:
            pass

def tell(folder, secret):
    for bit in range(8):
        if secret >> bit & 1:
            touch(f"{folder}/data/{bit}.csv", f"{folder}/links/{bit}")
            touch(f"data/{bit}.csv", f"data/../{folder}/links/{bit}")
    return open("data/1.csv").read()
"""


@pytest.fixture
def bits(folder: Path) -> list[Path]:
    """A folder, eight files in it and a link to each; nobody has read them since they were written."""
    (folder / "links").mkdir(mode=0o755)
    for bit in range(8):
        (folder / f"data/{bit}.csv").write_bytes(b"0\n")
        (folder / f"links/{bit}").symlink_to(folder / f"data/{bit}.csv")
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        os.utime(path, (1, 2), follow_symlinks=False)
    return paths


def told_by(box: Sandbox, bits: list[Path], secret: int) -> set[str]:
    """The names that a hidden jail has touched, as far as anybody can see afterwards."""
    box.get("tell")(str(bits[0]), secret)
    return {path.name for path in bits if path.lstat().st_atime != 1}


def test_hidden_inputs_by_access_times(opened: Callable[..., Sandbox], bits: list[Path]) -> None:
    """A sealed jail reads its data and leaves no trace of it; one that is not sealed tells its bits by links."""
    files = {f"{bit}.csv": b"0\n" for bit in range(8)}
    data = {"visible": files, "hidden": files}
    sealed, weak = opened(TELLS, data=data, sealed=True), opened(TELLS, data=data)

    assert told_by(sealed, bits, 0b10100110) == set()
    link = bits[0] / "links/0"
    link.stat()  # by us: some disks are mounted without access times
    told = {"1", "2", "5", "7"} if link.lstat().st_atime != 1 else set()
    assert told_by(weak, bits, 0b10100110) - {"0"} == told
