"""The student's calls that ran out of time: the line where each stood, and a shorter limit for the same call."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.sandbox.errors import Frame, Hang, SubmissionStopped
from grader.sandbox.stacks import function_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.sandbox.budget import Budget
    from grader.sandbox.jail import Process

FEW_LOOKS = 3  # samples of a jail that may hang as an earlier one did
AGAIN_SECONDS = 0.5  # for a call that ran out of time before; halved each time that it does so again
LEAST_SECONDS = 0.1
SEND_SECONDS = 1.0  # a request is sent also when its limit is near, because waiting may extend that


class Hangs:
    """The calls of one submission that ran out of their check's time, and how often the same happened again."""

    def __init__(self, found: Sequence[Hang] = (), repeats: int = 0) -> None:
        self.found = list(found)
        self.repeats = repeats

    @property
    def patience(self) -> float:
        """The seconds that the same call may take the next time."""
        return max(LEAST_SECONDS, AGAIN_SECONDS * 0.5**self.repeats)

    def like(self, call: str, frames: Sequence[Frame]) -> Hang | None:
        """Return an earlier hang of the same call, or one that stood in a function of these frames."""
        functions = {function_of(frame) for frame in frames}
        for hang in self.found:
            if hang.call == call or (hang.place and function_of(hang.place) in functions):
                return hang
        return None

    def note(self, stopped: SubmissionStopped, call: str, stood: Sequence[Frame]) -> None:
        """Add to the error the line where the call stood; it is a hang if the check's time is over."""
        stopped.place = next(reversed(stood), None)
        if stopped.limit == "check_seconds":
            stopped.hang = Hang(call, stopped.place)
            self.found.append(stopped.hang)

    def ask(self, process: Process, request: dict[str, Any], call: str, budget: Budget) -> dict[str, Any]:
        """Return the reply to a request; a `call` that hangs as an earlier one did gets less time.

        Time in which the grader or the jail waits for a processor does not count. Raises as `Process.ask` does.
        """
        patience = self.patience if call else math.inf
        process.send(request, budget.until + SEND_SECONDS)
        began, waited = budget.now, budget.waits() if call else 0.0
        while budget.left > 0 and not process.answers_by(min(budget.until, budget.now + patience)):
            if not call or budget.now - began - (budget.waits() - waited) < patience:
                continue
            frames = process.look(FEW_LOOKS)
            if hang := self.like(call, frames):
                process.end()
                raise self._shorten_limit(hang, frames, patience, budget)
        return process.receive(budget.until, looking=True)

    def _shorten_limit(
        self, hang: Hang, frames: Sequence[Frame], seconds: float, budget: Budget
    ) -> SubmissionStopped:
        if budget.explains:
            return budget.out_of_time()
        self.repeats += 1
        stopped = SubmissionStopped(
            f"the same call ran out of time before, so this time it was stopped after {seconds:g} s",
            limit="check_seconds",
        )
        stopped.hang, stopped.place = hang, next(reversed(frames), None)
        return stopped


def name_of(request: dict[str, object], label: str) -> str:
    """Return the name of the function, operator or attribute that a request uses; `label` names its object."""
    return f"{request['op']} {request.get('name') or label.rpartition('.')[2]}"
