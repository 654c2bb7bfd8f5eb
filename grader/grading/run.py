"""A check file, and the state of one run over a submission: a suite shares both with its session of pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from grader.sandbox import Sandbox, SubmissionStopped
    from grader.sandbox.replay import Tape
    from grader.topic import Test, TestResult

Around: TypeAlias = "Callable[[dict[str, Any], Callable[[dict[str, Any]], Any]], Any]"  # gets a request and the function that sends it


class CheckFile(msgspec.Struct, frozen=True):
    """One file of a check. With `orders`, its tests run under several orders of sets; with `chart`, they draw a chart.

    `data` is the hash of the data files that its tests read.
    """

    check: str
    visibility: str
    path: Path
    orders: bool
    needs: tuple[str, ...] = ()
    chart: bool = False
    data: str = ""


class Running(msgspec.Struct):
    """The state of one run over one submission."""

    sandbox: Sandbox
    order: str | None
    fingerprinted: Callable[[Test], bool]
    replays: bool = False  # recorded requests are replayed
    unsettled: set[str] = set()  # checks that a replay could not decide
    wasted: float = 0.0  # seconds of replays that decided nothing
    # By check file: the requests of its tests under the first order of sets, and their results.
    taped: dict[Path, tuple[Tape, list[TestResult]]] = {}
    spent: dict[str, float] = {}  # check -> seconds of its tests so far
    results: dict[Test, TestResult] = {}
    comparisons: list[tuple[str, Any, Any]] = []
    # Name of a right answer -> why it is right, or "".
    right: dict[str, str] = {}
    # Check -> the limit that stops its other tests and the checks that need it.
    out_of_time: dict[str, SubmissionStopped] = {}
    obstacle: str = ""  # why the last test could not be set up

    def in_another(self, sandbox: Sandbox) -> Running:
        """Return the state of a run that continues in another sandbox; the time spent so far counts there, too."""
        return replace(
            self,
            sandbox=sandbox,
            unsettled=set(),
            wasted=0.0,
            taped={},
            spent=dict(self.spent),
            results={},
            comparisons=[],
            right={},
            out_of_time=dict(self.out_of_time),
            obstacle="",
        )

    def seconds_left(self, check: str) -> float:
        """Return the seconds that are left for a check."""
        return max(0.0, self.sandbox.limits.check_seconds - self.spent.get(check, 0.0))

    def spend(self, check: str, seconds: float) -> None:
        """Count the seconds of a test of the check."""
        self.spent[check] = self.spent.get(check, 0.0) + seconds
