"""`grade doctor` tries every promise for real: all hold here, and each is seen to break without its guard."""

from __future__ import annotations

import builtins
import contextlib
import math
import os
import random
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from escapes.ground import HONEST, Ground, opened

from grader.sandbox import doctor

# What is taken out, and the promises that do not hold without it.
BROKEN = {
    "landlock+seccomp": {1, 2, 3, 4, 5},
    "memory": {6},
    "numbers": {8},
}


def test_every_promise_holds(ground: Ground) -> None:
    """Every promise holds for root and for an ordinary user; the exit code is 0."""
    done = ground.run([str(ground.python.with_name("grade")), "doctor"])

    said = done.stdout.decode()
    assert done.returncode == 0, said
    assert [line.split()[:2] for line in said.splitlines() if " holds  " in line] == [
        [str(number), "holds"] for number in range(1, 11)
    ]
    for measure in ("rlimits", "landlock", "seccomp", "privileges"):
        assert f"  {measure:<10}  in force  " in said
    assert ("each jail becomes a user of its own" in said) == (ground.user is None and os.geteuid() == 0)
    assert "Every promise holds on this machine." in said


@pytest.mark.whole
@pytest.mark.parametrize("guard", BROKEN)
def test_a_promise_without_its_guard_is_seen_to_break(weak_ground: Ground, guard: str) -> None:
    """A probe finds a missing guard: it says what got through."""
    script = Path(__file__).with_name("without.py")

    done = weak_ground.run([str(weak_ground.python), str(script), guard, "doctor"])

    said = done.stdout.decode()
    broken = {int(line.split()[0]) for line in said.splitlines() if " broken " in line}
    assert broken == BROKEN[guard], said + done.stderr.decode()
    assert "Not every promise holds on this machine." in " ".join(said.split())


class NoJail:
    """A stand-in that runs a probe in the grader's own process, without a jail."""

    secret = "3f" * 16

    @contextlib.contextmanager
    def jail(self, source: str) -> Iterator[Any]:
        namespace: dict[str, Any] = {}
        exec(textwrap.dedent(source), namespace)
        self.get = namespace.__getitem__
        yield self

    def escaped(self, source: str) -> list[str]:
        with self.jail(source):
            return self.get("probe")()


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")  # a probe looks at deprecated objects of libraries, too
@pytest.mark.parametrize("probe", [doctor._secrets, doctor._neighbours])
def test_a_process_of_its_own_is_what_keeps_the_rest(probe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a jail, a submission finds expected values, and the next one finds its traces."""
    for module, name in ((math, "pi"), (builtins, "sum"), (random, "random")):
        monkeypatch.setattr(module, name, getattr(module, name))  # so that it is put back

    assert probe(NoJail()) != []


# --- Where a measure is missing, it is reported, and the work of others is refused

# A container whose own rules refuse a measure to everything that runs in it; then the command.
CONTAINER = """
import os, sys
from grader.sandbox.inside import confine, seccomp
rules = seccomp.Filter(seccomp.ALLOW)
if sys.argv[1] == "landlock":
    rules.add(seccomp.ERRNO | 1, "landlock_restrict_self")
else:
    rules.add(seccomp.ERRNO | 22, "prctl", (0, seccomp.EQ, 22))
confine._prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
confine._load_filter(rules.export())
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture(scope="module", params=["no landlock", pytest.param("no seccomp", marks=pytest.mark.ci)])
def weaker(request: pytest.FixtureRequest) -> Iterator[tuple[Ground, str]]:
    """Yield an install on a system that lacks a measure, and the name of the measure."""
    measure = request.param.split()[1]
    with opened("ordinary", lacking=measure) as ground:
        yield ground, measure


def _command(ground: Ground, *arguments: str | Path) -> tuple[int, str]:
    done = ground.run([str(ground.python.with_name("grade")), *map(str, arguments)])
    return done.returncode, " ".join((done.stdout + done.stderr).decode().split())


@pytest.mark.ci
def test_a_missing_measure_is_told(weaker: tuple[Ground, str]) -> None:
    """`grade doctor` names the measure, why it is missing and which promises are broken."""
    ground, measure = weaker

    code, said = _command(ground, "doctor")

    assert code == 1
    assert f"{measure} missing" in said
    assert "the kernel has no Landlock" in said or "libseccomp cannot be loaded" in said
    assert ("1 broken" if measure == "landlock" else "3 broken") in said
    assert "Not every promise holds on this machine" in said


@pytest.mark.ci
def test_ones_own_work_is_graded_and_the_report_says_so(weaker: tuple[Ground, str]) -> None:
    """A file inside the course folder gets its points; the report lists what held."""
    ground, measure = weaker
    own = ground.course / "mine.py"
    own.write_text(HONEST, encoding="utf-8")

    tried = ground.grade(own)
    _, said = _command(ground, "vault", own)
    own.unlink()

    assert tried.report.score == 50
    assert measure not in tried.report.grader.isolation
    assert f"could not fully confine the code, because {measure} is missing there" in said


def test_others_work_is_refused(weaker: tuple[Ground, str]) -> None:
    """A file from elsewhere is graded only with --allow-weak-isolation."""
    ground, measure = weaker
    theirs = ground.hand_in(HONEST)

    code, said = _command(ground, "vault", theirs)
    assert code == 2
    assert measure in said
    assert "--allow-weak-isolation" in said

    code, said = _command(ground, "vault", theirs, "--allow-weak-isolation")
    assert code == 1
    assert "50 of 100 points" in said


@pytest.mark.ci
@pytest.mark.parametrize("measure", ["landlock", "seccomp"])
def test_a_container_that_refuses_is_told(weak_ground: Ground, measure: str) -> None:
    """A measure that a container refuses is found to be missing before any jail starts."""
    grade = weak_ground.python.with_name("grade")

    done = weak_ground.run([str(weak_ground.python), "-c", CONTAINER, measure, str(grade), "doctor"])

    said = " ".join(done.stdout.decode().split())
    assert done.returncode == 1
    assert f"{measure} missing" in said
    assert "the system refuses it" in said
    assert "broken" in said


def test_a_jail_that_cannot_be_closed_is_the_graders_fault(weak_ground: Ground) -> None:
    """A measure that is refused only for a jail ends in no score, never in a zero."""
    (tried,) = weak_ground.without("late", [weak_ground.hand_in(HONEST)])

    assert tried.report.score is None
    assert {check.outcome for check in tried.report.checks} == {"ungradable"}
    assert "the jail could not be closed: OSError" in tried.report.checks[0].message
