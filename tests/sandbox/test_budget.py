"""The time of a submission, by a clock that these tests move."""

import pytest
from stopped import past_a_limit

from grader.manifest import Limits
from grader.sandbox import SubmissionStopped
from grader.sandbox.budget import EXPLAINING, Budget, Deadline, OutOfTime, waited_for_processor

LIMITS = Limits(load_seconds=20, check_seconds=10, total_seconds=100)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.time = 5000.0

    def __call__(self):
        """Return the time."""
        return self.time

    def move(self, seconds):
        """Let these seconds pass."""
        self.time += seconds


@pytest.fixture
def clock():
    """A clock that stands still until it is moved."""
    return Clock()


@pytest.fixture
def budget(clock):
    """The budget of a submission that begins now, with two seconds for explanations, on a machine where nobody waits."""
    budget = Budget(LIMITS, Deadline(2.0, clock), clock)
    budget.waits = lambda: 0.0
    return budget


def of(budget):
    """The limit that is reached first, and the seconds until then."""
    return budget.limit, budget.left


# --- The submission


def test_outside_of_blocks_the_total_counts(budget, clock):
    """All of it is charged."""
    clock.move(30)

    assert of(budget) == ("total_seconds", 70)
    assert budget.until == clock.time + 70
    assert budget.charged == 30


def test_a_block_has_a_limit_of_its_own(budget, clock):
    """Until it ends."""
    with budget.within("check_seconds", 10):
        clock.move(4)
        assert of(budget) == ("check_seconds", 6)

    assert of(budget) == ("total_seconds", 96)


def test_the_total_is_named_where_it_is_reached_first(budget, clock):
    """A block never has more than the rest of it."""
    clock.move(95)

    with budget.within("check_seconds", 10):
        assert of(budget) == ("total_seconds", 5)


def test_a_load_has_its_own_time_within_a_block(budget, clock):
    """The block goes on afterwards as if there had been none; the total does not."""
    with budget.within("check_seconds", 10):
        clock.move(1)
        with budget.load("forward"), budget.within("load_seconds", 20):
            clock.move(15)
            assert of(budget) == ("load_seconds", 5)
        assert of(budget) == ("check_seconds", 9)

    assert (budget.charged, budget.loading, budget.tested) == (16, 15, 1)


def test_a_load_may_move_a_block_beyond_the_total(budget, clock):
    """Then the total is named."""
    clock.move(80)

    with budget.within("check_seconds", 10):
        with budget.load("forward"):
            clock.move(15)
        assert of(budget) == ("total_seconds", 5)


def test_a_load_that_the_grader_owes_is_free(budget, clock):
    """The first one, and no other."""
    budget.owes_a_load = True

    with budget.within("check_seconds", 10):
        with budget.load("forward"):
            clock.move(7)
        assert of(budget) == ("check_seconds", 10)
        with budget.load("forward"):
            clock.move(3)

    assert (budget.charged, budget.loading, budget.tested) == (3, 3, 0)


def test_what_a_replay_wasted_is_not_charged(budget, clock):
    """The check runs after it, with all of its time."""
    clock.move(8)
    budget.waste(8)

    assert (budget.charged, budget.tested) == (0, 0)


def test_later_loads_of_an_order_have_an_account_of_their_own(budget, clock):
    """The first one of each order is charged; the others together may take the total once more."""
    for order in ("forward", "forward", "reverse", "forward"):
        with budget.load(order):
            clock.move(20)

    assert (budget.charged, budget.loading, budget.reloading) == (40, 40, 40)
    assert budget.may_load("forward")  # 60 s are left, of which two loads are kept
    with budget.load("reverse"):
        clock.move(20)
    assert not budget.may_load("forward")
    assert budget.may_load("permuted"), "it was never loaded in this order"


def test_the_next_jail_has_time_for_loads_in_other_orders(budget, clock):
    """Checks share loads before the account is used up."""
    for order in ("forward", "reverse", "permuted"):
        with budget.load(order):
            clock.move(20)
    while budget.may_load("forward"):
        with budget.load("forward"):
            clock.move(20)
    budget.stop()

    after = budget.following()
    for order in ("forward", "reverse", "permuted"):
        with after.load(order):
            clock.move(20)

    assert after.charged == 60


def test_a_later_load_ends_with_its_account(budget, clock):
    """The account of later loads bounds it, and the total is named."""
    for _ in range(5):
        with budget.load("forward"):
            clock.move(20)
    with budget.load("forward"), budget.within("load_seconds", 50):
        assert of(budget) == ("total_seconds", 20)


def test_a_load_that_has_to_be_is_charged_where_its_account_is_used_up(budget, clock):
    """After a death of the jail, or for a question after a failure: no other load serves."""
    for _ in range(4):
        with budget.load("forward"):
            clock.move(30)
    assert (budget.charged, budget.reloading) == (30, 90)

    with budget.load("forward"), budget.within("load_seconds", 50):
        assert of(budget) == ("load_seconds", 50)
        clock.move(30)

    assert (budget.charged, budget.reloading) == (60, 90)


def test_no_load_begins_when_the_total_is_used_up(budget, clock):
    """Whatever is left for later loads."""
    with budget.load("forward"):
        clock.move(100)

    with pytest.raises(SubmissionStopped, check=past_a_limit), budget.load("forward"):
        pass


def test_the_total_is_over(budget, clock, snapshot):
    """The error names it and says how much it was."""
    clock.move(99)
    budget.check_total()
    clock.move(1)

    with pytest.raises(SubmissionStopped, check=past_a_limit) as caught:
        budget.check_total()

    assert str(caught.value) == snapshot


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("check_seconds", "the tests of this check took longer than 10 s, the limit `check_seconds`"),
        (
            "load_seconds",
            "executing the cells took longer than 20 s, the limit `load_seconds`; shorten what takes long, or, if no check needs it, move it into its own cell with the tag `demo`",
        ),
    ],
)
def test_a_limit_is_told_as_the_manifest_has_it(budget, limit, text):
    """However little of it was left for this block."""
    with budget.within(limit, 3):
        assert str(budget.out_of_time()) == text


def test_most_of_a_limit(budget):
    """Only a limit of one check or of one load can be used up by one request."""
    assert not budget.is_most(99)
    with budget.within("check_seconds", 3):
        assert not budget.is_most(5)
        assert budget.is_most(5.1)


# --- Explanations


def test_an_explanation_is_not_charged(budget, clock):
    """It has its own time, and the block around it goes on afterwards."""
    with budget.within("check_seconds", 10):
        clock.move(1)
        with budget.explaining():
            clock.move(1.5)
            assert of(budget) == (EXPLAINING, 0.5)
        assert of(budget) == ("check_seconds", 9)

    assert (budget.charged, budget.deadline.left) == (1, 0.5)


def test_an_explanation_goes_on_after_the_total(budget, clock):
    """Verdicts are final by then."""
    clock.move(200)

    with budget.explaining():
        budget.check_total()
        assert of(budget) == (EXPLAINING, 2)
        assert budget.out_of_time().limit == EXPLAINING


def test_blocks_of_an_explanation_have_no_name_of_their_own(budget, clock):
    """They can only be shorter; a load is part of it."""
    with budget.explaining():
        with budget.within("check_seconds", 10):
            assert of(budget) == (EXPLAINING, 2)
        with budget.load("forward"), budget.within("load_seconds", 0.5):
            clock.move(0.25)
            assert of(budget) == (EXPLAINING, 0.25)

    assert (budget.charged, budget.loading, budget.deadline.left) == (0, 0, 1.75)


def test_an_explanation_within_another_counts_once(budget, clock):
    """Also where code of an explanation asks the jail."""
    with budget.explaining():
        clock.move(0.5)
        budget.deadline.attempt(lambda: clock.move(0.5), None)
        with budget.explaining():
            clock.move(0.5)
        assert of(budget) == (EXPLAINING, 0.5)

    assert (budget.charged, budget.deadline.left) == (0, 0.5)


def test_time_between_explanations_does_not_count(budget, clock):
    """Only the explanations use up their time."""
    budget.deadline.attempt(lambda: clock.move(0.5), None)
    clock.move(50)

    assert budget.deadline.left == 1.5


def test_no_explanation_begins_without_time(budget, clock):
    """What is left out for that is noted."""
    budget.deadline.attempt(lambda: clock.move(3), None)

    assert budget.deadline.attempt(lambda: "late", "nothing") == "nothing"
    assert budget.deadline.cut


def test_a_loop_of_an_explanation_ends_with_its_time(budget, clock):
    """That, too, is noted."""
    budget.deadline.check()
    assert not budget.deadline.cut

    with budget.explaining():
        clock.move(3)
        with pytest.raises(OutOfTime):
            budget.deadline.check()

    assert budget.deadline.cut


def test_another_deadline_leaves_what_others_have(budget, clock):
    """Traces have their own."""
    with budget.another_deadline(5), budget.explaining():
        clock.move(4)
        assert of(budget) == (EXPLAINING, 1)

    assert (budget.charged, budget.deadline.left) == (0, 2)


def test_an_author_can_wait(clock):
    """Without a deadline an explanation has a time that the system can wait for."""
    budget = Budget(LIMITS, clock=clock)

    with budget.explaining():
        assert of(budget) == (EXPLAINING, 86_400)


# --- The next jail


def test_the_next_jail_has_what_is_left(budget, clock):
    """The time between the two does not count, and its first load is free."""
    clock.move(40)
    budget.stop()
    clock.move(1000)

    after = budget.following()
    with after.load("forward"):
        clock.move(5)

    assert of(after) == ("total_seconds", 60)


def test_the_next_jail_loads_also_where_the_account_of_later_loads_is_used_up(budget, clock):
    """Its first load is free, and one in another order of sets is charged."""
    budget.reloading = 100
    for order in ("forward", "reverse"):
        with budget.load(order):
            clock.move(10)
    budget.stop()

    after = budget.following()
    with after.load("forward"):
        assert of(after) == ("total_seconds", 80)
        clock.move(10)
    assert not after.may_load("forward")
    with after.load("reverse"):
        clock.move(10)

    assert of(after) == ("total_seconds", 70)


def test_each_jail_after_the_first_has_as_much(budget, clock):
    """What the second one used does not reach the third, which must not know how hidden tests went."""
    clock.move(40)
    budget.stop()
    second = budget.following()
    clock.move(50)
    with second.explaining():
        clock.move(2)
    second.stop()

    third = budget.following()
    assert of(third) == ("total_seconds", 60)
    assert third.deadline.left == 2


def test_the_first_load_of_the_next_jail_may_take_twice_as_long(budget, clock):
    """As all loads of the first; and never less than the manifest says."""
    with budget.load("forward"):
        clock.move(8)
    with budget.load("reverse"):
        clock.move(7)
    budget.stop()

    assert budget.following().limits.load_seconds == 30
    assert budget.limits.load_seconds == 20


def test_jails_of_a_submission_are_never_open_together(budget):
    """The first one has to be closed."""
    with pytest.raises(AssertionError):
        budget.following()


# --- A busy machine


def test_a_wait_for_a_processor_is_no_time_of_an_explanation(clock):
    """Eight seconds by the clock, of which the jail or the grader had a processor for one."""
    deadline, waiting = Deadline(2.0, clock), Clock()
    deadline.waits = waiting

    with deadline.running():
        clock.move(8)
        waiting.move(7)
        assert deadline.left == 1
        deadline.check()

    assert deadline.left == 1
    assert not deadline.cut


def test_sleep_is_time_of_an_explanation(clock):
    """Who sleeps waits for no processor."""
    deadline = Deadline(2.0, clock)
    deadline.waits = Clock()

    with deadline.running():
        clock.move(2)
        with pytest.raises(OutOfTime):
            deadline.check()


def test_a_jail_whose_wait_has_no_end_gets_five_times_the_seconds(clock):
    """It could let threads of its own wait for each other."""
    deadline, waiting = Deadline(2.0, clock), Clock()
    deadline.waits = waiting

    with deadline.running():
        clock.move(9)
        waiting.move(9)
        assert deadline.left == 1
        clock.move(1)
        waiting.move(1)
        assert not deadline.left


def test_the_number_of_steps_is_bounded(clock):
    """Whatever the clock says, so that the same work is told the same."""
    deadline = Deadline(2.0, clock, steps=3)

    for _ in range(2):
        deadline.check()
    with pytest.raises(OutOfTime):
        deadline.check()

    assert deadline.cut


def test_without_a_system_that_tells_nobody_waits():
    """As on macOS, on Windows and in a page: there the clock alone decides."""
    assert waited_for_processor("no such process") == 0.0


def test_a_budget_asks_for_the_waits_of_its_jail(budget, clock):
    """Also where explanations got another deadline."""
    waiting = Clock()
    budget.waits = waiting

    with budget.another_deadline(2.0), budget.explaining():
        clock.move(3)
        waiting.move(2)
        assert budget.left == 1


def test_a_block_of_an_explanation_leaves_out_waits_too(budget, clock):
    """A busy machine leaves out no operation of those that share a second."""
    waiting = Clock()
    budget.waits = waiting

    with budget.explaining(), budget.within("probe", 1):
        clock.move(1.5)
        waiting.move(1)
        assert budget.left == 0.5


def test_a_wait_for_a_processor_is_no_time_of_a_check(budget, clock):
    """A busy machine fails no right work; the total, which is counted by the clock, bounds it all the same."""
    waiting = Clock()
    budget.waits = waiting

    with budget.within("check_seconds", 10):
        clock.move(12)
        waiting.move(5)
        assert of(budget) == ("check_seconds", 3)
        clock.move(85)
        waiting.move(85)
        assert of(budget) == ("total_seconds", 3)
