"""The time of one submission, in two accounts: the time that it is charged for, and the time of its explanations.

Verdicts are final before anything is explained, so an explanation never costs a result. `Deadline.attempt` calls the code
that explains or draws. Loops of that code call `Deadline.check`, and its requests to the jail get the time that is left.
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from grader.sandbox.errors import SubmissionStopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.manifest import Limits

T = TypeVar("T")
EXPLAIN_SECONDS = 2.0  # for one submission, a backstop: wrong work has needed 0.6
EXPLAIN_STEPS = 20_000  # ten times as many as wrong work has needed
BUSY = 5  # by the clock, explanations take at most this many times their seconds
LOG_NAME = "grader.grading.explanations"  # for developers; users never see it
KEPT_LOADS = 2
A_DAY = 86_400.0  # seconds: no limit in practice, and a time that the system can wait for
TOTAL = "total_seconds"
EXPLAINING = "explain_seconds"  # not a limit of the manifest; no report names it
_TOO_LONG = {
    "load_seconds": "executing the cells took longer than {:g} s, the limit `load_seconds`; shorten what takes long, or, if no "
    "check needs it, move it into its own cell with the tag `demo`",
    "check_seconds": "the tests of this check took longer than {:g} s, the limit `check_seconds`",
    TOTAL: "grading took longer than {:g} s, the limit `total_seconds`",
}


class OutOfTime(Exception):
    """The time for explanations is used up."""


def waited_for_processor(task: str = "thread-self") -> float:
    """Return the seconds in which a task was ready to work but had no processor; 0 if unknown.

    Only Linux reports them (/proc/PID/schedstat). Sleep does not count, so a submission gains nothing by sleeping.
    """
    try:
        with open(f"/proc/{task}/schedstat", "rb", buffering=0) as file:  # noqa: PTH123  a Path takes three times as long
            return int(file.read(100).split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class Deadline:
    """The account for the explanations of one submission: the steps that are left, and seconds as a backstop.

    A step is a request to the jail or a `check`. Only time inside `running` and `attempt` counts, without the time in which
    the grader or the jail waits for a processor: a busy machine gives the same explanations. By the clock, it is never
    more than BUSY times the seconds. The default is unlimited: an author of a course can wait.
    """

    def __init__(
        self,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        *,
        steps: float = EXPLAIN_STEPS,
    ) -> None:
        self.cut = False  # True once time ran out or a jail ended, so that an explanation is missing
        self.waits: Callable[[], float] = waited_for_processor  # seconds of waiting for a processor
        self._clock = clock
        self._left, self._most = seconds, BUSY * seconds
        self._steps = steps if seconds < math.inf else math.inf
        self._began: tuple[float, float] | None = None  # by the clock and by `waits`, inside `running`

    @property
    def left(self) -> float:
        """The seconds that are left, 0 or more."""
        if self._steps <= 0:
            return 0.0
        if self._began is None:
            return self._left
        passed = self._clock() - self._began[0]
        return self._left - passed if passed < self._left else self._left_after(passed, self._began[1])

    def _left_after(self, passed: float, before: float) -> float:
        """Return the seconds left after `passed` seconds of the clock; `waits` was `before` when they began."""
        worked = passed - max(0.0, self.waits() - before)
        return max(0.0, min(self._left - worked, self._most - passed))

    def step(self) -> None:
        """Count a step."""
        self._steps -= 1

    def check(self) -> None:
        """Count a step. Raise OutOfTime when nothing is left."""
        self.step()
        if not self.left:
            self.cut = True
            raise OutOfTime

    def attempt(self, explain: Callable[[], T], otherwise: T) -> T:
        """Return the result of `explain`, or `otherwise` if it fails or no time is left."""
        if not self.left:
            self.cut = True
            return otherwise
        with self.running():
            return safely(explain, otherwise)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of the block."""
        if self._began is not None:  # nested: the outer explanation counts the time
            yield
            return
        began, before = self._began = self._clock(), self.waits()
        try:
            yield
        finally:
            passed = self._clock() - began
            self._left, self._began = self._left_after(passed, before), None
            self._most -= passed


class _Block(NamedTuple):
    limit: str
    ends: float  # in `Budget.tested`
    waited: float = 0.0  # seconds for a processor before it


class Budget:
    """The seconds of one submission in its jail.

    The submission is charged for at most `limits.total_seconds`. Within these, a block of requests may have its own limit,
    which does not count loads. `deadline` has the seconds for explanations. Nothing is charged for a replay that decides no
    check, or for a load after the grader itself ended the jail. Of the loads in one order of sets, only the first is
    charged; all later loads together may take another `limits.total_seconds`.
    """

    def __init__(
        self, limits: Limits, deadline: Deadline | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.waits: Callable[[], float] = waited_for_processor  # of the grader and its jail
        self.deadline = deadline or Deadline(clock=clock)
        self.loading = 0.0  # seconds of the loads that were charged
        self.reloading = 0.0  # seconds of later loads, which have a separate account
        self._orders: set[str] = set()  # of sets, of loads that were charged
        self._longest = 0.0  # seconds of a load
        self._uncharged = 0.0  # seconds of uncharged blocks
        self._reload_began: float | None = None
        self.owes_a_load = False  # True: the next load is not charged
        self._clock = clock
        self._start = clock()  # moves forward by all uncharged time
        self._end: float | None = None
        self._block = _Block(TOTAL, math.inf)

    @property
    def deadline(self) -> Deadline:
        """The account of explanations."""
        return self._deadline

    @deadline.setter
    def deadline(self, deadline: Deadline) -> None:
        self._deadline = deadline
        deadline.waits = self._waited_seconds

    def _waited_seconds(self) -> float:
        return self.waits()  # of the jail that is open now

    # What was used

    @property
    def charged(self) -> float:
        """The seconds that the submission is charged for so far."""
        return self.now - self._start

    @property
    def tested(self) -> float:
        """The charged seconds without loads."""
        return self.charged - self.loading

    @property
    def now(self) -> float:
        """The time of the clock, or the time at which it was stopped."""
        return self._clock() if self._end is None else self._end

    # What is left

    @property
    def limit(self) -> str:
        """The name of the limit that is reached first: the block's or the total; EXPLAINING in explanations."""
        return self._block.limit if self.explains or self._left_in_block < self._left_in_all else TOTAL

    @property
    def left(self) -> float:
        """The seconds until that limit is reached; negative if it was."""
        return min(self._left_in_block, self.deadline.left if self.explains else self._left_in_all)

    @property
    def until(self) -> float:
        """The time of the clock at which that limit is reached."""
        return self.now + self.left

    @property
    def explains(self) -> bool:
        """True within `explaining`."""
        return self._block.limit == EXPLAINING

    @property
    def _left_in_block(self) -> float:
        left = self._block.ends - self.tested
        return left if left > 0 else left + max(0.0, self.waits() - self._block.waited)

    @property
    def _left_in_all(self) -> float:
        if self._reload_began is not None:
            return self.limits.total_seconds - self.reloading - (self.now - self._reload_began)
        return self.limits.total_seconds - self.charged

    def is_most(self, seconds: float) -> bool:
        """Return True if these seconds are more than half of the present limit, if that is for one check or one load."""
        return (
            self.limit in {"check_seconds", "load_seconds"} and seconds > getattr(self.limits, self.limit) / 2
        )

    def check_total(self) -> None:
        """Raise SubmissionStopped if the total is used up, except in an explanation."""
        if self._left_in_all <= 0 and not self.explains:
            raise self.out_of_time(TOTAL)

    def out_of_time(self, limit: str = "") -> SubmissionStopped:
        """Return the error for a limit that was reached, by default the present one."""
        limit = limit or self.limit
        if limit == EXPLAINING:
            return SubmissionStopped("there was no time left to explain it", limit=limit)
        seconds: float = getattr(self.limits, limit)
        return SubmissionStopped(_TOO_LONG[limit].format(seconds), limit=limit)

    # Who is charged

    @contextlib.contextmanager
    def within(self, limit: str, seconds: float) -> Iterator[None]:
        """Limit the block to `seconds` without those of waiting for a processor; `limit` is its name in the manifest.

        An outer block's limit is suspended meanwhile. Explanations have their own limit and name.
        """
        outer, ends = self._block, self.tested + seconds
        if self.explains:
            limit, ends = EXPLAINING, min(ends, outer.ends)
        self._block = _Block(limit, ends, self.waits())
        try:
            yield
        finally:
            self._block = outer

    @contextlib.contextmanager
    def explaining(self) -> Iterator[None]:
        """Take the time of the block from the deadline; the submission is not charged."""
        start, began = self._start, self.now
        try:
            with self.within(EXPLAINING, A_DAY), self.deadline.running():
                yield
        finally:
            self._start = start + self.now - began

    @contextlib.contextmanager
    def uncharged(self) -> Iterator[None]:
        """Do not charge the submission for the block."""
        began = self.now
        try:
            yield
        finally:
            self._start += self.now - began
            self._uncharged += self.now - began

    @contextlib.contextmanager
    def another_deadline(self, seconds: float) -> Iterator[None]:
        """Give explanations in the block these seconds, however many are left elsewhere."""
        own, self.deadline = self.deadline, Deadline(seconds, self._clock)
        try:
            yield
        finally:
            self.deadline = own

    @contextlib.contextmanager
    def load(self, order: str) -> Iterator[None]:
        """Count the time of the block as a load in an order of sets; the first load in each order is charged.

        Later loads have a separate account. A load that is needed after this account is empty is charged. A load for an
        explanation counts as explanation. Raises SubmissionStopped if the total is used up.
        """
        self.check_total()
        began, uncharged = self.now, self._uncharged
        is_later = order in self._orders and self._has_room(1)
        is_later = is_later and not (self.explains or self.owes_a_load)
        if is_later:
            self._reload_began = began
        try:
            yield
        finally:
            seconds, self._reload_began = self.now - began - (self._uncharged - uncharged), None
            if not self.explains:
                self._count(order, seconds, is_later=is_later)

    def _count(self, order: str, seconds: float, *, is_later: bool) -> None:
        self._longest = max(self._longest, seconds)
        if is_later:
            self._start += seconds
            self.reloading += seconds
        elif self.owes_a_load:
            self._start += seconds
            self.owes_a_load = False
        else:
            self.loading += seconds
            self._orders.add(order)

    def may_load(self, order: str) -> bool:
        """Return True if there is time for an optional load in an order of sets.

        Some time stays reserved for the loads of hidden tests in other orders.
        """
        return order not in self._orders or self._has_room(1 + KEPT_LOADS)

    def _has_room(self, loads: int) -> bool:
        """Return True if there is time for so many later loads, each as long as the longest load so far."""
        return loads * self._longest <= self.limits.total_seconds - self.reloading

    def waste(self, seconds: float) -> None:
        """Do not charge the seconds of a replay that has just ended and decides no check."""
        self._start += seconds

    # From one jail to the next

    def stop(self) -> None:
        """Stop the clock: the jail is closed for good."""
        self._end = self.now

    def following(self) -> Budget:
        """Return the budget of the submission's next jail, with the time that is left here; this one must have stopped.

        Two jails that follow this one do not share their time. The first load is not charged and may take twice as long
        as all loads here.
        """
        assert self._end is not None, "two jails of one submission are never open together"
        longest = max(self.limits.load_seconds, 2 * self.loading)
        limits = replace(self.limits, load_seconds=longest)
        budget = Budget(limits, Deadline(self.deadline.left, self._clock), self._clock)
        budget._start -= self.charged
        budget.owes_a_load = True
        budget.reloading, budget._orders = self.reloading, set(self._orders)
        return budget


def safely(
    explain: Callable[[], T], otherwise: T, besides: type[Exception] | tuple[type[Exception], ...] = ()
) -> T:
    """Return the result of `explain`, or `otherwise` if it fails; errors of the types `besides` are raised."""
    try:
        return explain()
    except besides:
        raise
    except OutOfTime:
        return otherwise
    except Exception:
        import logging  # takes 3 ms

        logging.getLogger(LOG_NAME).debug("an explanation was left out", exc_info=True)
        return otherwise
