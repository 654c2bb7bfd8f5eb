"""The limits of time, memory and output, and processes that end."""

import contextlib
import signal
import time

import pytest
from peers import Peer, Peers
from stopped import crashed, past_a_limit

from grader.manifest import Limits
from grader.sandbox import (
    Process,
    Sandbox,
    SubmissionStopped,
)

# Cells that end their process, each in its own way.
DEATHS = {
    "exit": "import os; os._exit(0)",
    "abort": "import os; os.abort()",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
}


def test_a_check_runs_out_of_its_time(any_jail):
    """The error names the limit, and the next load starts a new jail."""
    box = any_jail("import os\npid = os.getpid()\ndef spin():\n    while True: pass", check_seconds=0.2)
    pid = box.get("pid")

    with (
        pytest.raises(
            SubmissionStopped,
            check=past_a_limit,
            match=r"tests of this check took longer than 0.2 s, the limit `check_seconds`",
        ) as caught,
        box.budget.within("check_seconds", 0.2),
    ):
        box.get("spin")()

    assert caught.value.limit == "check_seconds"
    box.load()
    assert box.get("pid") != pid


def test_the_total_time_runs_out(jail):
    """It ends a longer budget, and no load begins after it."""
    box = jail("def spin():\n    while True: pass", total_seconds=0.2)

    with (
        pytest.raises(
            SubmissionStopped,
            check=past_a_limit,
            match=r"grading took longer than 0.2 s, the limit `total_seconds`",
        ),
        box.budget.within("check_seconds", 5),
    ):
        box.get("spin")()
    with pytest.raises(SubmissionStopped, check=past_a_limit) as caught:
        box.load()

    assert caught.value.limit == "total_seconds"


def test_the_total_time_runs_out_while_loading(jail):
    """No further load is tried then."""
    with pytest.raises(SubmissionStopped, check=past_a_limit) as caught:
        jail("while True: pass", "y = 1", total_seconds=0.2)

    assert caught.value.limit == "total_seconds"


def test_the_cell_that_uses_up_the_total_time(launcher):
    """It is the one that took longest, unless the tests took the time."""
    with contextlib.closing(
        Sandbox(launcher, ["y = 1", "while True: pass"], Limits(total_seconds=0.3))
    ) as box:
        with pytest.raises(SubmissionStopped, check=past_a_limit):
            box.load()
        assert box.slowest_block == 1
    with contextlib.closing(Sandbox(launcher, ["y = 1"], Limits())) as box:
        box.load()
        assert box.slowest_block is None


def test_the_processor_time_runs_out():
    """It has a message of its own, for threads can use more of it than wall time (see tests/escapes/test_6_limits.py)."""
    process = Process(Peer(b"", raw=True), Peers(status=signal.SIGXCPU), 1, Limits(total_seconds=0.5))

    with pytest.raises(
        SubmissionStopped, check=past_a_limit, match="more than 1 s of processor time"
    ) as caught:
        process.ask({"op": "run", "block": 0}, time.monotonic() + 20)

    assert caught.value.limit == "total_seconds"


@pytest.mark.parametrize("greedy", ["bytearray(1 << 33)", "[bytearray(1 << 20) for _ in range(10_000)]"])
def test_the_memory_runs_out(jail, greedy, notes, snapshot):
    """It is an error like any other, at once or bit by bit; the note names the limit, and the jail goes on."""
    cell = f"x = {greedy}"
    box = jail(cell, "y = 1", memory_mb=100)

    assert box.errors[0].type == "MemoryError"
    assert notes(box, cell, "y = 1") == snapshot
    assert box.get("y") == 1


@pytest.mark.parametrize(
    "cell",
    [
        "open('losses.txt', 'w')",
        "open('names.txt')",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1/names.txt')",
        "import subprocess; subprocess.run(['dot', '-Tsvg'])",
        "import threading, time; [threading.Thread(target=time.sleep, args=(9,)).start() for _ in range(300)]",
    ],
)
def test_what_is_closed_says_what_to_do(jail, cell, notes, snapshot):
    """The note on a cell that needs a file, the network or a program suggests the tag `demo`; of threads, none is needed."""
    told = notes(jail(cell), cell)

    assert told == snapshot


def test_memory_of_the_load_before_is_free_again(jail):
    """The memory of one load does not count against the next."""
    box = jail("table = 'x' * (150 << 20)", memory_mb=256)

    box.load()

    assert box.errors == {}
    assert "not read" in repr(box.get("table"))  # it is there, and too large to be sent


def test_too_much_is_printed(jail, notes, snapshot):
    """The first kilobytes are kept, all characters are counted, and the note names the limit."""
    cell = "print('x' * 3000)"
    box = jail(cell, output_kb=1)

    assert box.printed == (3001, "x" * 1024)
    assert notes(box, cell) == snapshot


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_as_much_may_be_printed_as_the_manifest_allows(jail, letter):
    """Output up to the limit arrives in a valid message, whatever its characters."""
    box = jail(f"print({letter!r} * 3_000_000)", output_kb=2048)

    assert box.printed[0] == 3_000_001
    assert box.printed[1].startswith(letter * 1000)


@pytest.mark.parametrize("way", DEATHS)
def test_a_cell_that_ends_its_process(any_jail, way):
    """The crash is the cell's error, and the later cells run in a new jail."""
    box = any_jail(DEATHS[way], "y = 1")

    assert isinstance(box.errors[0], SubmissionStopped)
    assert crashed(box.errors[0])
    assert box.get("y") == 1


@pytest.mark.parametrize("way", DEATHS)
def test_a_call_that_ends_its_process(any_jail, way):
    """The call raises the crash, and the next load starts a new jail."""
    box = any_jail(f"import os\npid = os.getpid()\ndef fail():\n    {DEATHS[way]}")
    pid = box.get("pid")

    with pytest.raises(SubmissionStopped, check=crashed):
        box.get("fail")()

    with pytest.raises(SubmissionStopped, check=crashed, match="process has ended"):
        box.get("pid")
    box.load()
    assert box.get("pid") != pid


def test_a_crash_is_told_for_what_it_was(jail, snapshot):
    """The message of a process that ended itself differs from that of one that crashed."""
    box = jail(DEATHS["exit"], DEATHS["segmentation fault"])

    assert str(box.errors[0]) == snapshot
    assert str(box.errors[1]) == snapshot
