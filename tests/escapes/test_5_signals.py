"""Promise 5: a submission cannot signal, trace or read the grader, nor use root's privileges on it."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest
from escapes.ground import HERE, SECRET, Ground, attacks, opened
from escapes.stories import it_is_held, it_succeeds_without_its_guard, skip_where_nobody_traces

named = {attack.name: attack for attack in attacks("signals")}

TIOCSTI = Path("/proc/sys/dev/tty/legacy_tiocsti")  # 0: nobody types for another

# Two submissions in one grader: prints what the second one got of the first, and what the first one says.
SIBLINGS = """
import sys
from pathlib import Path
here, guard, attack = sys.argv[1:]
sys.path.insert(0, here)
import without
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox
if guard != "nothing":
    without.weak_launcher(guard)
with Launcher() as launcher:
    victim = Sandbox(launcher, ["x = 'unharmed'"], Limits())
    victim.load()
    source = Path(attack).read_text().replace("os.getppid()", str(victim._process._child))
    attacker = Sandbox(launcher, [source], Limits())
    attacker.load()
    print(attacker.get("attack")(), victim.get("x"))
    attacker.close()  # before whom it may trace: nobody else could wait for that one's end
"""
# Whose the memory of a jail and of its launcher is; that of a process that can be traced is its user's.
OWNERS = """
import os
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox
with Launcher() as launcher:
    box = Sandbox(launcher, ["import os; mine, its = os.getpid(), os.getppid()"], Limits())
    box.load()
    print(*(os.stat(f"/proc/{box.get(name)}/mem").st_uid for name in ("mine", "its")))
    box.close()
"""
# Makes its standard input the terminal of its session, then is the command.
WITH_TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


@pytest.mark.parametrize("attack", ["kill", "trace"])
def test_a_sibling_is_out_of_reach(ground: Ground, attack: str) -> None:
    """An attack does not reach another jail of the same launcher and the same user."""
    assert _against_a_sibling(ground, attack, "nothing") == "held unharmed"


def test_a_jail_cannot_be_read_by_its_own_user(weak_ground: Ground) -> None:
    """What /proc shows of it is root's, for it is not dumpable; its user's is the launcher's."""
    done = weak_ground.run([str(weak_ground.python), "-c", OWNERS])

    jails, launchers = done.stdout.split()
    assert jails == b"0"
    assert launchers != b"0"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("attack", "guards", "got"),
    [
        ("kill", "seccomp+landlock", "escaped: kill"),
        ("trace", "seccomp+landlock", "held"),
        ("trace", "seccomp+landlock+dumpable", "escaped: readv"),
    ],
)
def test_a_sibling_without_its_guards(weak_ground: Ground, attack: str, guards: str, got: str) -> None:
    """It can be signalled; it can be read only where PR_SET_DUMPABLE is missing too."""
    if attack == "trace":
        skip_where_nobody_traces()
    assert got in _against_a_sibling(weak_ground, attack, guards)


def _against_a_sibling(ground: Ground, attack: str, guard: str) -> str:
    path = str(named[attack].path)
    done = ground.run([str(ground.python), "-c", SIBLINGS, str(HERE), guard, path])
    assert not done.stderr, done.stderr.decode()
    return done.stdout.decode().strip()


# --- Root


@pytest.fixture(scope="module", params=["root-only", pytest.param("root", marks=pytest.mark.ci)])
def roots(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """Yield grounds of root, with an interpreter that all can read and with one for root alone."""
    if os.geteuid() != 0:
        pytest.skip("needs root: to give up privileges")
    with opened(request.param) as ground:
        private = ground.root / "students/bob/private.txt"
        private.parent.mkdir(parents=True)
        private.write_text(SECRET, encoding="utf-8")
        private.chmod(0o600)
        os.chown(private, 1234, 1234)
        yield ground
        assert ground.left_behind() == []


def test_root_has_no_privileges_in_the_jail(roots: Ground) -> None:
    """It has none where it becomes another user, and none where it has to stay user 0."""
    it_is_held(roots, named["privileges"])


def test_capabilities_alone_hold(roots: Ground) -> None:
    """Giving up capabilities stops the attack without Landlock and seccomp too."""
    (tried,) = roots.without("seccomp+landlock", [roots.submission(named["privileges"])])

    assert tried.told == "held"


@pytest.mark.whole
def test_root_would_have_them(roots: Ground) -> None:
    it_succeeds_without_its_guard(roots, named["privileges"])


# --- The terminal


def test_the_terminal_is_out_of_reach(ground: Ground) -> None:
    """Under the real command, in its own terminal, nothing is written on it and nothing typed into it."""
    path = str(ground.submission(named["terminal"]))

    screen, typed = _in_a_terminal(ground, [str(ground.python.with_name("grade")), "vault", path])

    assert "50 of 100 points" in screen
    assert "escaped" not in screen
    assert typed == ""


@pytest.mark.whole
def test_the_terminal_is_reached_without_its_guards(weak_ground: Ground) -> None:
    """Its device can be opened, and in the session of the command it is typed into as well."""
    attack = named["terminal"]
    path = str(weak_ground.submission(attack))
    command = [str(weak_ground.python), str(HERE / "without.py"), attack.line("guard", ""), path]

    screen, typed = _in_a_terminal(weak_ground, command)

    assert "\nescaped" in screen.replace("\r", "")
    if not TIOCSTI.exists() or TIOCSTI.read_text(encoding="ascii").strip() == "1":
        assert "escaped" in typed


def _in_a_terminal(ground: Ground, command: list[str]) -> tuple[str, str]:
    """Return the text on the terminal after the command, and the text that waits there as typed input."""
    ours, theirs = os.openpty()
    if ground.user is not None:
        os.fchown(theirs, ground.user, ground.user)
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    with ground.start([str(ground.python), "-c", WITH_TERMINAL, *command], **streams) as process:
        screen = b""
        while process.poll() is None or select.select([ours], [], [], 0)[0]:
            if select.select([ours], [], [], 0.05)[0]:
                screen += os.read(ours, 1 << 16)
    os.set_blocking(theirs, False)
    try:
        typed = os.read(theirs, 1 << 16)
    except BlockingIOError:
        typed = b""
    os.close(ours)
    os.close(theirs)
    return screen.decode(), typed.decode()
