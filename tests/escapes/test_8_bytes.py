"""Promise 8: a submission cannot crash, hang or confuse the grader with any bytes that it sends.

Whatever comes ends in a verdict or in a failure with a named cause, in time, and the next submission is
graded as ever. The kinds of bytes are many, so they are graded in one warm grader, as in a batch, with an
honest submission after each.
"""

from __future__ import annotations

import pytest
from escapes.ground import EXPECTED, HERE, HONEST, Ground, Tried, attacks
from escapes.stories import cases, graded, it_is_held

ATTACKS = {attack.name: attack for attack in attacks("frames")}
TOTAL = 5  # seconds, in the manifest
RIGHT = f"def answer():\n    return {EXPECTED}\n"


@pytest.mark.parametrize("name", ["any_answer", pytest.param("lost_channel", marks=pytest.mark.ci)])
def test_held(ground: Ground, name: str) -> None:
    it_is_held(ground, ATTACKS[name])


@pytest.mark.ci
@pytest.mark.parametrize("case", cases(ATTACKS["lost_channel"]))
def test_lost_channel(ground: Ground, case: str) -> None:
    """A jail that lost its channel has ended or is out of time; some attacks happen to pass."""
    tried, honest = graded(ground, ATTACKS["lost_channel"], RIGHT, HONEST)[case]

    assert cases(ATTACKS["lost_channel"])[case][0] in said(tried)
    assert [check.outcome for check in tried.report.checks].count("passed") >= 1
    assert tried.report.score in (50, 100)
    it_was_in_time(tried)
    assert is_honest(honest)


@pytest.mark.ci
@pytest.mark.parametrize("case", cases(ATTACKS["any_answer"]))
def test_any_answer(ground: Ground, case: str) -> None:
    """A submission that answers for the jail gets no points of the hidden check."""
    attack = ATTACKS["any_answer"]
    (tried, honest) = graded(ground, attack, "", HONEST)[case]

    assert cases(attack)[case][0] in said(tried)
    assert tried.report.checks[-1].outcome in ("failed", "todo")
    it_was_in_time(tried)
    assert is_honest(honest)


def said(tried: Tried) -> str:
    """Return all that the student reads."""
    return " ".join([tried.told, *(check.message for check in tried.report.checks), *tried.report.notes])


def it_was_in_time(tried: Tried) -> None:
    """Check that the grading was ended, with a minute for a busy machine; without its deadline it would take hours."""
    assert tried.report.seconds < TOTAL + 60


def is_honest(tried: Tried) -> bool:
    """Return True where the honest submission was graded as on its own."""
    return [check.outcome for check in tried.report.checks] == ["passed", "failed"] and not tried.report.notes


# Runs without.py as it is and then tells the most memory that it had, in kilobytes.
MEASURED = """
import resource, runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
print("most", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.ci
def test_the_grader_does_not_grow(weak_ground: Ground) -> None:
    """Thirty submissions need no more memory than two."""
    path = weak_ground.submission(ATTACKS["large_errors"])

    def megabytes(times: int) -> int:
        command = [weak_ground.python, "-c", MEASURED, HERE / "without.py", "nothing", *[path] * times]
        return int(weak_ground.run([str(word) for word in command]).stdout.split()[-1]) >> 10

    assert megabytes(30) < megabytes(2) + 30
