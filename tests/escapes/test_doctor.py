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
from escapes.ground import Ground

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
