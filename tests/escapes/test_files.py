"""Hostile and broken files: each ends in a report or a clear refusal, soon and in little memory.

A submission is read by the grader itself, outside of every jail. What was seen before it was read as it is
now: 94 MB of `{}` in a notebook of format 3 took nbformat two minutes and 16 GB; a megabyte declared to be
punycode, or `# %% ` and 170,000 times `tags=[`, took minutes; lone halves of characters, which
`unicode_escape` makes, could not be sent to the jail and were told as a failure of the check.
"""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from escapes.files import notebooks, sources
from escapes.files.notebooks import cell, many, notebook, old
from escapes.ground import HONEST, Ground, Tried
from sampled import every

from grader.submissions.submission import SubmissionError, read_submission

SOON = 60  # seconds, hundreds of times what it takes; what hangs takes for ever
REFUSED = {
    **{f"{name}.ipynb": case for name, case in notebooks.REFUSED.items()},
    **{f"{name}.py": case for name, case in sources.REFUSED.items()},
}
READ: dict[str, Callable[[], bytes]] = {
    **{f"{name}.ipynb": make for name, make in notebooks.READ.items()},
    **{f"{name}.py": make for name, make in sources.FILES.items()},
}
SOME = list(READ)[::4]  # those that are read by default
CELLS = every(2, sources.CELLS)


# --- All of them


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path: Path, name: str) -> None:
    """The file is refused in one line that says what to do."""
    make, why = REFUSED[name]
    path = tmp_path / f"vault{Path(name).suffix}"
    path.write_bytes(make())
    started = time.monotonic()

    with pytest.raises(SubmissionError) as caught:
        read_submission(path)

    text = str(caught.value)
    assert time.monotonic() - started < SOON
    assert text.startswith(f"{path}: {why}")
    assert text.isprintable()
    assert len(text) < len(str(path)) + 200


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SOME else pytest.mark.ci) for name in READ]
)
def test_read(ground: Ground, name: str) -> None:
    """The honest part of the file counts."""
    it_counts(_files(ground, name in SOME)[name])


@cache
def _files(ground: Ground, some: bool) -> dict[str, Tried]:  # noqa: FBT001  the key of a cache
    """Grade the files that are SOME, or the others, in one warm grader."""
    names = [name for name in READ if (name in SOME) is some]
    return dict(
        zip(names, graded(ground, [(READ[n](), f"vault{Path(n).suffix}") for n in names]), strict=True)
    )


@pytest.mark.ci
@pytest.mark.parametrize("name", CELLS)
def test_cells(weak_ground: Ground, name: str) -> None:
    """The honest cell beside it counts; the cell gets a note at most."""
    tried = _cells(weak_ground)[name]

    it_counts(tried)
    assert sources.CELLS[name][1] in " ".join(tried.report.notes)


@cache
def _cells(ground: Ground) -> dict[str, Tried]:
    cells = [with_cell(sources.CELLS[name][0]()) for name in CELLS]
    return dict(zip(CELLS, graded(ground, [(cell, "vault.py") for cell in cells]), strict=True))


def with_cell(cell: str) -> bytes:
    """Return a file of this cell and an honest one."""
    return f"# %%\n{cell}\n\n# %%\n{HONEST}".encode()


def graded(ground: Ground, files: list[tuple[bytes, str]]) -> list[Tried]:
    paths = [ground.hand_in(source, name, f"file-{i}") for i, (source, name) in enumerate(files)]
    return ground.without("nothing", paths)


def it_counts(tried: Tried) -> None:
    assert tried.told == "held"
    assert tried.report.score == 50
    assert tried.report.seconds < SOON


@pytest.mark.ci
def test_slow_to_compile(weak_ground: Ground) -> None:
    """The note names the cell, which is left out; once it was compiled again for every test, and not named."""
    with weak_ground.limits(load_seconds=0.3):
        (tried,) = graded(weak_ground, [(with_cell(sources.SLOW), "vault.py")])

    assert tried.told == "held"
    assert "cell 1" in tried.report.notes[0]


# --- The worst of them through the command

# What is made of the file, the exit code, the megabytes that the grader and its jail may take.
HUGE: dict[str, tuple[Callable[[], bytes], int, int]] = {
    "50 MB of outputs": (lambda: notebook(cell(more=f', "outputs": ["{"A" * (50 << 20)}"]')), 1, 200),
    "34 MB of cells": (lambda: notebook(text=many('{"cell_type":"ab"}', 2_000_000)), 2, 100),
    "29 MB of an old format": (lambda: old(many("{}", 10_000_000)[1:-1]), 2, 100),
}
MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(code)
"""


@pytest.mark.ci
@pytest.mark.parametrize("name", HUGE)
def test_huge(weak_ground: Ground, name: str) -> None:
    """The memory of the grader and of all that it starts stays near the size of the file."""
    (make, code, megabytes), ground = HUGE[name], weak_ground
    path = ground.hand_in(make(), "vault.ipynb")
    grade, started = str(ground.python.with_name("grade")), time.monotonic()

    done = ground.run([str(ground.python), "-c", MEASURED, grade, "vault", str(path)])

    assert done.returncode == code, done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    assert int(done.stdout.split()[-1]) < megabytes
    assert time.monotonic() - started < SOON


def _refusal(ground: Ground, path: Path) -> str:
    done = ground.run([str(ground.python.with_name("grade")), "vault", str(path)])
    assert done.returncode == 2
    assert done.stdout == b""
    return done.stderr.decode().removeprefix("grade: ").removesuffix("\n")


def test_sixty_four_gigabytes(ground: Ground) -> None:
    """A sparse file is refused without being read."""
    path = ground.hand_in("")
    with path.open("wb") as file:
        file.truncate(1 << 36)

    assert _refusal(ground, path).startswith(f"{path}: more than 2000 cells or 1 MB of code")


def test_a_name_full_of_commands(ground: Ground) -> None:
    """The message shows the name in one line, without control characters."""
    path = ground.hand_in(b"# coding: hex\n", "\x1b[2J\n::error::##[error]\u202ex.py")

    text = _refusal(ground, path)

    assert text.isprintable()
    assert text.endswith("/ [2J ::error::# #[error] x.py: this is not text in hex; save the file as UTF-8")


@pytest.mark.ci
def test_an_assignment_full_of_commands(ground: Ground) -> None:
    """The name of the assignment in a notebook is shown in one short line."""
    wild = r'"\u001b[2J\n::error::' + "x" * 10**6 + '"'
    metadata = f', "metadata": {{"backgrade": {{"assignment": {wild}}}}}'
    path = ground.hand_in(notebook(cell(), more=metadata), "vault.ipynb")

    text = _refusal(ground, path)

    assert text.isprintable()
    assert text.startswith(f"{path}: this is the notebook of  [2J ::error::xxx")
    assert len(text) < 500


def test_a_message_full_of_commands(ground: Ground) -> None:
    """No printed line starts a command of the runner, and none has control characters."""
    errors = ["'\\x1b[2J\\x9b2J\\x07'", "'x\\n::error::y\\r##[error]z'", "'\\u202e\\u2066\\ufeff'"]
    path = ground.hand_in("".join(f"# %%\nraise ValueError({e})\n" for e in errors) + f"# %%\n{HONEST}")

    done = ground.run([str(ground.python.with_name("grade")), "vault", str(path)])

    lines = done.stdout.decode().splitlines()
    assert done.returncode == 1
    assert all(line.isprintable() and not line.lstrip().startswith("::") for line in lines)
    assert "##[" not in done.stdout.decode()


# --- In a class: what is found in a folder or a zip is read by the grader, too


def _tiny_cells(megabytes: int) -> bytes:
    return notebook(text=many('{"cell_type":"c"}', (megabytes << 20) // 18))


# What each of them hands in, by its place below their folder.
IN_A_CLASS: dict[str, Callable[[], dict[str, bytes]]] = {
    "deep": lambda: {"a/" * 32_700 + "vault.py": b""},
    "bomb": lambda: {"vault.ipynb": bytes(200 << 20)},
    "cells": lambda: {"vault.ipynb": _tiny_cells(40), "other/vault.ipynb": _tiny_cells(41)},
}


@pytest.mark.ci
@pytest.mark.parametrize("names", [["deep", "bomb", "cells"], ["cells"]], ids=["zip", "folder"])
def test_some_of_a_class(weak_ground: Ground, names: list[str]) -> None:
    """The others are graded, and the grader needs the memory of one file."""
    ground, packed = weak_ground, "bomb" in names
    files = {"bob/vault.py": HONEST.encode(), "eve/vault.py": HONEST.encode()}
    files |= {f"{name}/{place}": data for name in names for place, data in IN_A_CLASS[name]().items()}
    top = ground.root / "students" / f"class-{len(names)}"
    source = _zipped(top, files) if packed else _written(top, files)
    ground._own(top)
    batch = [
        str(ground.python.with_name("grade")),
        "batch",
        "vault",
        str(source),
        "-r",
        str(top / "results.db"),
    ]

    done = ground.run([str(ground.python), "-c", MEASURED, *batch])

    printed = done.stdout.decode()
    count = len(names) + 2
    assert done.returncode == 0, printed + done.stderr.decode()
    assert f"{count} students: {count} graded" in printed
    assert re.search(r"nothing to grade +(\d+)\n", printed)[1] == str(len(names))
    assert all(f"\n    {name}  " in printed for name in names)
    assert int(printed.split()[-1]) < 150


def _written(top: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = top / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return top / "class"


def _zipped(top: Path, files: dict[str, bytes]) -> Path:
    top.mkdir()
    with zipfile.ZipFile(top / "class.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return top / "class.zip"
