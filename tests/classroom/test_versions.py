"""The states of a branch that count: pushes in short, as `time actor content`."""

from __future__ import annotations

import datetime as dt

import pytest

from grader.classroom.collect.versions import BranchState, Choice, Content, Period, choose, to_compare

DUE, END = 10, 20  # the hours at which work is on time, and counts


def at(hour: int) -> dt.datetime:
    return dt.datetime(2025, 12, 1, tzinfo=dt.UTC) + dt.timedelta(hours=hour)


def chosen(pushes: str, *, best: bool = True) -> tuple[Choice, dict[str, int]]:
    """Choose among pushes such as `1s:A 12b:B`: hour, `s`tudent or `b`ot, content; `-` is none, `0` the stub."""
    states, contents, hours = [], {}, {}
    for number, push in enumerate(pushes.split()):
        when, _, what = push.partition(":")
        commit, hour = f"{number:040}", int(when[:-1])
        states.append(BranchState(commit, at(hour), when[-1], own=when[-1] == "s"))
        contents[commit] = Content((what,), worked=what not in ("-", "0"))
        hours[commit] = hour
    period = Period(at(DUE), at(END), best)
    compared = to_compare(states[::-1], period)
    return choose(compared, period, contents), hours


@pytest.mark.parametrize(
    ("pushes", "last", "in_time"),
    [
        ("1s:A", 1, None),
        ("1s:A 5s:B", 5, None),
        ("1s:A 12s:A 13s:A", 1, None),  # notes only
        ("1s:A 12s:B", 12, 1),
        ("1s:A 12s:B 13s:B", 12, 1),  # the work is that of the first of the two
        ("1s:A 12s:B 13s:C", 13, 1),
        ("1s:A 12s:B 13s:A", 1, None),  # taken back
        ("1s:A 12s:B 13s:C 14s:B", 12, 1),  # a late one, taken up again
        ("1s:A 2s:B 12s:A", 12, 2),  # what was replaced on time is not handed in by that
        ("1s:A 12b:B", 1, None),
        ("1s:A 12b:B 13s:B", 1, None),  # the student's next push leaves the robot's work alone
        ("1s:A 12b:B 13s:C", 13, 1),  # and this one does not
        ("1s:A 12b:B 13s:A", 1, None),
        ("1s:A 2b:B", 1, None),
        ("1s:A 2b:B 3s:B 12s:B", 1, None),
        ("1s:A 2b:B 3b:C 4s:C", 1, None),
        ("1s:A 2b:B 3s:C", 3, None),
        ("12s:A", 12, None),
        ("12s:A 13s:A", 12, None),
        ("12s:A 13s:B", 13, None),  # no work was on time, and the newest is not that of the first push
        ("10s:A 11s:B", 11, 10),  # at the last moment on time
        ("10s:A 20s:B", 20, 10),  # at the last moment of all
        ("12b:0 13s:A 14b:B", 13, None),
        ("1s:0 12s:A", 12, None),  # nothing was begun on time
        ("1s:- 12s:A", 12, None),
        ("1s:A 12s:-", 1, None),  # deleted: the work on time is the better one
        ("1s:A 12s:0", 1, None),
        ("1s:A 25s:B", 1, None),  # no longer counts
    ],
)
def test_which_counts(pushes: str, last: int, in_time: int | None):
    """By the hour of the push that is taken."""
    choice, hours = chosen(pushes)
    assert hours[choice.last.commit] == last
    assert (hours[choice.in_time.commit] if choice.in_time else None) == in_time


@pytest.mark.parametrize(
    ("pushes", "last"), [("1s:A 12s:B", 12), ("1s:A 12s:-", 12), ("1s:A 12s:B 13s:A", 1)]
)
def test_only_the_last(pushes: str, last: int):
    """`keep: last` has one version; work that is brought back is still that on time."""
    choice, hours = chosen(pushes, best=False)
    assert (hours[choice.last.commit], choice.in_time) == (last, None)


def test_the_last_moments_belong_to_a_period():
    """A second later is late, or no longer counts; without a limit every time is on time and counts."""
    period, second = Period(at(DUE), at(END)), dt.timedelta(seconds=1)
    assert [period.is_in_time(time) for time in (at(DUE), at(DUE) + second)] == [True, False]
    assert [period.counts(time) for time in (at(END), at(END) + second)] == [True, False]
    assert Period().is_in_time(at(END))
    assert Period().counts(at(END))


def test_an_unknown_time_is_in_time():
    """But before a last moment that counts, nobody knows that it was."""
    period = Period(at(DUE), at(END))
    assert (period.is_in_time(None), period.counts(None)) == (True, False)
    assert (Period().is_in_time(None), Period().counts(None)) == (True, True)


def test_what_is_compared():
    """On time nothing is, unless somebody else pushed; late pushes with the newest on time."""
    period = Period(at(DUE), at(END))

    def compared(*pushes: str) -> list[int]:
        states = [BranchState(push, at(int(push[:-1])), own=push.endswith("s")) for push in pushes]
        return [int(state.commit[:-1]) for state in to_compare(states[::-1], period)]

    assert compared("1s", "2s", "3s") == [3]
    assert compared("1s", "2s", "12s", "13s", "25s") == [2, 12, 13]
    assert compared("1s", "2s", "3b", "4s", "12s") == [2, 3, 4, 12]
    assert compared("1b", "2s") == [1, 2]


def test_what_is_said_of_it():
    """Pushes that were not taken, and a late one that did not change the work."""
    choice, hours = chosen("1s:A 2b:B 12s:A 13s:A")
    assert [hours[state.commit] for state in choice.refused] == [2]
    assert choice.unchanged
    assert not chosen("1s:A 12s:B")[0].unchanged
