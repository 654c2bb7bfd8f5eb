"""Promise 4: a submission starts no program and no process, and nothing outlives the grading."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from escapes.ground import HERE, PATIENCE, Ground

# It deafens itself, waits in other threads until everybody is gone, and never comes to an end.
ENDLESS = """
import os, signal, threading, time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
parent = os.getppid()


def wait():
    while os.getppid() == parent:
        time.sleep(0.01)
    while True:
        pass


def attack():
    for _ in range(3):
        threading.Thread(target=wait).start()
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
# It answers, and leaves threads behind that go on.
LINGERING = """
import threading


def forever():
    while True:
        pass


threading.Thread(target=forever).start()


def attack():
    threading.Thread(target=forever, daemon=True).start()
    return "held"
"""


def test_threads_end_with_the_grading(ground: Ground) -> None:
    """Threads of a cell and of a call, one of them no daemon, are gone when the command is."""
    tried = ground.grade(ground.hand_in(LINGERING))

    assert tried.told == "held"
    assert list(ground.processes()) == []


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.ci),
        pytest.param(signal.SIGHUP, marks=pytest.mark.ci),
    ],
)
def test_nothing_outlives_a_grader_that_is_ended(ground: Ground, number: signal.Signals) -> None:
    """Ctrl-C, the end of a job, a closed terminal, and an end without warning, amid an endless attack."""
    with _endless(ground) as (command, _):
        os.killpg(command.pid, number)
        printed = b"".join(command.communicate(timeout=PATIENCE)).decode()

        assert _all_gone_within(PATIENCE, ground)
        assert "Traceback" not in printed


@pytest.mark.parametrize("guard", ["nothing", pytest.param("death", marks=pytest.mark.whole)])
def test_nothing_outlives_its_launcher(weak_ground: Ground, guard: str) -> None:
    """Launcher and grader are killed at once: the kernel ends the jail, which nobody else could.

    Without that signal (PR_SET_PDEATHSIG) the jail was still there, at work, a second later.
    """
    with _endless(weak_ground, guard) as (command, jail):
        os.kill(_parent(jail), signal.SIGKILL)
        command.kill()

        held = guard == "nothing"
        assert _all_gone_within(60 if held else 1, weak_ground) == held
        with contextlib.suppress(ProcessLookupError):
            os.kill(jail, signal.SIGKILL)


@contextlib.contextmanager
def _endless(ground: Ground, guard: str = "") -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command amid an endless attack, and the number of its jail."""
    path = str(ground.hand_in(ENDLESS))
    command = [str(ground.python.with_name("grade")), "vault", path]
    if guard:
        command = [str(ground.python), str(HERE / "without.py"), guard, path]
    with ground.limits(check_seconds=60, total_seconds=120), ground.start(command) as process:
        try:
            yield process, _busy_jail(ground, process)
        finally:
            process.kill()


def _busy_jail(ground: Ground, command: subprocess.Popen[bytes]) -> int:
    """The process that computes without end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and command.poll() is None:
        for number in _numbers(ground):
            if "launcher.py" in _line(_parent(number)) and _cpu_seconds(number) > 0.2:
                return number
        time.sleep(0.02)
    raise AssertionError("the attack has not begun")


def _numbers(ground: Ground) -> list[int]:
    return [int(told.split()[1].rstrip(":")) for told in ground.processes()]


def _line(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _stat(number: int) -> list[str]:
    """The fields from the third on, of proc(5)."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ["Z", "0", *"0" * 20]


def _parent(number: int) -> int:
    return int(_stat(number)[1])


def _cpu_seconds(number: int) -> float:
    user, system = _stat(number)[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _all_gone_within(seconds: float, ground: Ground) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not list(ground.processes()):
            return True
        time.sleep(0.01)
    return False
