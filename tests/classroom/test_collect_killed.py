"""`grade collect` that is killed, interrupted, or started twice ends as an undisturbed run does."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from collecting import NOTEBOOK, TWIN, Class, commit, everything
from helpers import GRADE, PATIENCE

from grader.assignment import COLLECTED

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

# A process that is killed when it starts git, replaces a file or removes one for the n-th time.
DRIVER = """
import os, signal, subprocess, sys
from pathlib import Path

left = int(sys.argv.pop(1))

def deadly(kind, name):
    call = getattr(kind, name)
    def counted(*args, **more):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **more)
    setattr(kind, name, counted)

deadly(subprocess.Popen, "__init__")
deadly(os, "replace")
deadly(Path, "unlink")

from grader.cli import main
main()
"""


@pytest.fixture
def class_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Class:
    """Two students of whom one was collected before and has pushed since, and one with nothing to take."""
    made = Class(tmp_path, monkeypatch, capsys)
    ada = made.good("ada", "grace")["ada"]
    commit(made.remote("bob"), {"README.md": "x"})
    made.collect("--student", "ada")
    commit(ada, {NOTEBOOK: None, TWIN: "x = 2\n"})
    return made


def killed(class_: Class, point: int) -> bool:
    """Run the command, and return True where it was killed before its end."""
    words = ["collect", "mini", class_.works, "--roster", class_.write_roster(), "--jobs", "1"]
    command = [sys.executable, "-c", DRIVER, str(point), *map(str, words)]
    done = subprocess.run(command, cwd=class_.course, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode in (1, -signal.SIGKILL), done.stderr.decode()
    return done.returncode == -signal.SIGKILL


def undisturbed(class_: Class) -> dict[str, bytes]:
    """Return the files of an undisturbed run, in a folder of its own."""
    kept, class_.works = class_.works, class_.root / "undisturbed"
    assert class_.collect().code == 1
    class_.works = kept
    return everything(class_.root / "undisturbed")


@pytest.mark.parametrize(
    "points",
    [pytest.param([2, 9], marks=pytest.mark.ci), pytest.param([*range(1, 21)], marks=pytest.mark.whole)],
    ids=len,
)
def test_killed_and_started_again(class_: Class, points: list[int]):
    """Whenever that was: the same folder, to the byte."""
    expected, before = undisturbed(class_), class_.root / "before"
    shutil.copytree(class_.works, before, symlinks=True)
    for point in points:
        assert killed(class_, point) or point > 14
        assert class_.collect().code == 1
        assert everything(class_.works) == expected, point
        shutil.rmtree(class_.works)
        shutil.copytree(before, class_.works, symlinks=True)


@pytest.mark.whole
def test_killed_again_and_again(class_: Class):
    """Each run gets further, and the last one finds little to do."""
    expected = undisturbed(class_)
    shutil.rmtree(class_.works)
    runs = 0
    while killed(class_, 13):
        runs += 1
        assert runs < 10
    assert runs >= 2
    assert everything(class_.works) == expected


@pytest.mark.whole
def test_two_at_once(class_: Class):
    """The second waits for the first, and finds everything there."""
    expected = undisturbed(class_)
    command = [str(GRADE), "collect", "mini", str(class_.works), "--roster", str(class_.write_roster())]
    runs = [
        subprocess.Popen(command, cwd=class_.course, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(2)
    ]
    told = [run.communicate(timeout=PATIENCE)[0].decode() for run in runs]
    assert [run.returncode for run in runs] == [1, 1], told
    assert everything(class_.works) == expected
    assert sorted("2 unchanged" in text for text in told) == [False, True]


@pytest.mark.whole
def test_interrupted(class_: Class):
    """Ctrl-C ends it at once, also where a remote hangs; what was collected stays."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        class_.roster["silent"] = f"git://127.0.0.1:{server.getsockname()[1]}/x.git"
        command = [str(GRADE), "collect", "mini", str(class_.works), "--roster", str(class_.write_roster())]
        run = subprocess.Popen(command, cwd=class_.course, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for(class_.works / COLLECTED / "grace.json")
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130
    assert "Traceback" not in err.decode()
    assert "interrupted" in err.decode()
    assert not (class_.works / COLLECTED / ".work").exists()
    assert class_.taken("grace")


def wait_for(path: Path) -> None:
    last = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < last
        time.sleep(0.02)
