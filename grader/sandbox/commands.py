"""The command of the jail: `grade doctor`."""

from __future__ import annotations

import sys

from grader.console import FULL, LESS, command, show, working


@command(examples=[("grade doctor", "when a report says that a jail could not be closed")])
def doctor() -> None:
    """Try the jail's promises on this machine."""
    from grader.sandbox import Launcher
    from grader.sandbox.doctor import examine, render

    with Launcher() as launcher, working("trying ten promises"):
        diagnosis = examine(launcher)
    show(render(diagnosis))
    sys.exit(FULL if diagnosis.sound else LESS)
