"""A call that never ends: the line where it stood, and the time that the same call still gets."""

import pytest
from stopped import past_a_limit

from grader.sandbox import Frame, SubmissionStopped
from grader.sandbox.errors import Hang
from grader.sandbox.hangs import LEAST_SECONDS, Hangs
from grader.sandbox.jail import Process
from grader.sandbox.stacks import standing

# A cell, and the line and the function in which `f(60)` stands.
ENDLESS = {
    "a loop that calls": (
        "def f(n):\n    while n:\n        n = g(n)\n\ndef g(n):\n    m = n + 1\n    return m",
        {(2, "f"), (3, "f")},
    ),
    "a loop that swallows every exception": (
        "def f(n):\n    while True:\n        try:\n            g()\n        except:\n            n = 1\n\ndef g(): raise ValueError",
        {(n, "f") for n in range(2, 7)},
    ),
    "a loop that Python does not leave": ("def f(n):\n    return sum(iter(int, 1))", {(2, "f")}),
    "a wait": ("import threading\ndef f(n):\n    threading.Event().wait()", {(3, "f")}),
    "a recursion that doubles": (
        "def f(n):\n    if n:\n        f(n - 1)\n        f(n - 1)",
        {(2, "f"), (3, "f"), (4, "f")},
    ),
    "a recursion that is deep": (
        "def f(n, deep=300):\n    if deep:\n        return f(n, deep - 1)\n    while n:\n        n += 1",
        {(4, "f"), (5, "f")},
    ),
    "a constructor": ("class f:\n    def __init__(self, n):\n        while n: pass", {(3, "__init__")}),
}


def hang(box, name="f", seconds=0.1):
    """Call a function of one argument for so long; return the error that ends it."""
    with (
        pytest.raises(SubmissionStopped, check=past_a_limit) as caught,
        box.budget.within("check_seconds", seconds),
    ):
        box.get(name)(60)
    return caught.value


@pytest.mark.parametrize(
    "cell", [pytest.param(cell, marks=[] if n % 3 == 0 else pytest.mark.ci) for n, cell in enumerate(ENDLESS)]
)
def test_the_place_where_it_stood(jail, cell):
    """Whatever the code does, and also in a loop of C's."""
    source, lines = ENDLESS[cell]

    place = hang(jail(source, check_seconds=0.1)).place

    assert (place.line, place.function) in lines


@pytest.mark.parametrize(
    "cell",
    [
        "def f(n):\n    for _ in iter(int, 1): str(g)\nclass G:\n    def __repr__(self):\n        while True: pass\ng = G()",
        "class G:\n    def __radd__(self, n):\n        while True: pass\ng = G()\ndef f(n): n + g",
    ],
)
def test_the_place_in_a_method_that_python_calls(jail, cell):
    """The loop stands in the method, and not in the line that Python came from."""
    assert "while True" in cell.split("\n")[hang(jail(cell, check_seconds=0.1)).place.line - 1]


def test_code_that_refuses_to_be_looked_at(jail):
    """It is stopped all the same; only the line is missing."""
    cell = "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\ndef f(n):\n    while n: pass"

    error = hang(jail(cell, check_seconds=0.1))

    assert error.hang
    assert error.place is None


def test_code_that_writes_stacks_of_its_own(jail):
    """A made-up stack is cut to the bounds of a frame, and nothing else that it writes counts."""
    dump = 'Stack (most recent call first):\n  File "<block 7>", line 99 in x\n  ...\n'
    cell = f"import os\ndef f(n):\n    while n: os.write(4, {dump!r}.encode() * 100)"

    error = hang(jail(cell, check_seconds=0.1))

    assert error.limit == "check_seconds"
    assert error.place is None or len(error.place.function) <= 80


def dump(*lines, whole=True):
    """The text of one stack of functions of the first block, the innermost last."""
    rows = [f'  File "<block 0>", line {line} in {name}' for line, name in reversed(lines)]
    last = ['  File "/x/inside/launcher.py", line 150 in <module>'] if whole else []
    return "\n".join(["Stack (most recent call first):", *rows, *last, ""])


@pytest.mark.parametrize(
    ("dumps", "place"),
    [
        ([], None),
        ([dump((3, "f"))], (3, "f")),
        ([dump((3, "f"), (9, "g")), dump((3, "f"), (8, "g"))], (8, "g")),
        ([dump((3, "f"), (9, "g")), dump((2, "f"))], (2, "f")),
        ([dump((3, "f"), (9, "g")), dump((3, "f"), (7, "h"))], (3, "f")),
        ([dump((3, "f")), dump((9, "g"))], None),
        ([dump((3, "f")), dump((9, "g"), whole=False)], (3, "f")),
        ([dump(), dump((3, "f"))], (3, "f")),
    ],
)
def test_what_all_stacks_share(dumps, place):
    """It is the deepest frame that persists; a stack that was cut off, or has none of the student's, does not count."""
    assert standing("".join(dumps))[-1:] == ((Frame(0, *place),) if place else ())


@pytest.mark.ci
def test_the_same_call_gets_less_time(jail):
    """Half a second after a hang: what the message of the call that is stopped says."""
    box = jail("def f(n):\n    while n: pass", check_seconds=0.1)
    first = hang(box)
    box.load()

    again = hang(box, seconds=4)

    assert again.hang is first.hang
    assert "stopped after 0.5 s" in str(again)


def test_each_time_that_it_hangs_again_it_gets_half_of_that():
    """Down to a tenth of a second."""
    assert [Hangs(repeats=n).patience for n in range(6)] == [0.5, 0.25, 0.125, 0.1, 0.1, 0.1]


OTHERS = [
    "def other(n): f(n)",
    "class other:\n    def __init__(self, n): f(n)",
    "def other(n):\n    global g\n    def g(n):\n        while n: pass\n    f(n)",  # f stands in a function of its own
    "def other(n):\n    try:\n        f(n)\n    except BaseException:\n        f(n)",
]


@pytest.mark.parametrize("other", [OTHERS[0], *(pytest.param(o, marks=pytest.mark.ci) for o in OTHERS[1:])])
def test_another_way_to_the_same_loop_gets_less_time(jail, monkeypatch, other):
    """The function in which it stands is what counts."""
    monkeypatch.setattr("grader.sandbox.hangs.AGAIN_SECONDS", LEAST_SECONDS)
    box = jail(f"def g(n): pass\ndef f(n):\n    while n: g(n)\n{other}", check_seconds=0.1)
    first = hang(box)
    box.load()

    assert hang(box, "other", seconds=4).hang is first.hang


@pytest.mark.ci
def test_another_loop_has_all_of_its_time(jail, monkeypatch, snapshot):
    """However often it is looked at; from then on it gets less, too."""
    monkeypatch.setattr("grader.sandbox.hangs.AGAIN_SECONDS", LEAST_SECONDS)
    looked, look = [], Process.look
    monkeypatch.setattr(Process, "look", lambda *given: looked.append(given) or look(*given))
    box = jail("def f(n):\n    while n: pass\n\ndef g(n):\n    while n: pass", check_seconds=0.3)
    hang(box, seconds=0.3)
    box.load()

    error = hang(box, "g", seconds=0.3)

    assert str(error) == snapshot
    assert len(looked) > 2
    assert [found.call for found in box.hangs.found] == ["call f", "call g"]


def test_a_call_that_ends_is_right_as_before(jail):
    """The same call on other input, and one that takes long in another function."""
    box = jail(
        "import time\ndef f(n):\n    while n > 9: pass\n    return n\n\ndef g(n):\n    time.sleep(0.2)\n    return n",
        check_seconds=0.1,
    )
    hang(box)
    box.hangs.repeats = 9
    box.load()

    with box.budget.within("check_seconds", 30):
        assert box.get("f")(2) == 2
        assert box.get("g")(3) == 3


def test_many_calls_that_end_are_no_hang(jail):
    """The call that happens to be running when the time is over is not to blame."""
    box = jail("def f(n):\n    while n: pass", check_seconds=5)

    error = hang(box, seconds=0.1)  # what other calls have left of the five

    assert "check_seconds" in str(error)
    assert error.hang is error.place is None
    assert not box.hangs.found


def test_without_a_look_the_name_of_the_call_counts():
    """On a system that cannot look into a jail."""
    hangs = Hangs()
    hangs.found.append(Hang("call backward", None))

    assert hangs.like("call backward", ()) is hangs.found[0]
    assert hangs.like("call build_topo", ()) is None
