"""The command of the jail: `grade doctor`."""

from __future__ import annotations

import sys

from grader.console import FULL, LESS, command, show, working


@command(examples=[("grade doctor", "when a report says that this machine could not confine the code")])
def doctor() -> None:
    """Test how well this machine confines the code that it grades."""
    from grader.sandbox import Launcher
    from grader.sandbox.doctor import examine, render

    with Launcher() as launcher, working("testing ten promises"):
        diagnosis = examine(launcher)
    show(render(diagnosis))
    sys.exit(FULL if diagnosis.sound else LESS)
