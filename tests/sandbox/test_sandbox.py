"""The answers of a jail, which student code may give in its place: each is a value or a named violation.

Hypothesis makes up bytes and answers, the same ones in every run; every kind of violation is an example of the same
properties. Real jails send such bytes in tests/escapes/frames.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import (  # fmt: skip
    ASKED,
    ERROR,
    WRONG,
    Peer,
    Peers,
    answering,
    assert_plain,
    examples,
    framed,
    fuzz,
    handle,
    line,
    violation,
)
from reproducible import the_same_everywhere  # noqa: F401  an autouse fixture
from sampled import WHOLE, every
from stopped import forged

from grader.manifest import Limits
from grader.sandbox import Frame, Process, Proxy, Sandbox, StudentError, SubmissionStopped, Undefined, errors

# --- Frames: all that a jail sends in reply to one request

NOT_ASKED = "a reply that belongs to no request"
ENDED = "the submission ended its own Python process; look for a call such as `os._exit`"
LONGEST = (1 << 20) + 64
PIECES = st.sampled_from([b"\0\0\0\x1b", b'{"n":@,"v":1}', b"\xff\xff\xff\xff", b"\0\0\0\0"])


def asked(process):
    """Ask once; return why the jail was ended, "" if it was not."""
    try:
        answer = process.ask({"op": "get"}, deadline=0)
    except SubmissionStopped as error:
        assert process.ended
        assert_bounded(error)
        return violation(error) if error.forged else str(error)
    assert answer
    assert isinstance(answer, dict)
    return ""


@fuzz
@given(st.lists(st.binary(max_size=9) | PIECES).map(b"".join), st.just(0), st.none())
@examples((b"", code << 8, ENDED) for code in (0, 1, 255))
@examples((b"", signal, None) for signal in range(1, 65))  # also those without a name
@examples(
    (framed(body), 0, what)
    for body, what in [
        (b'{"n":@,"v":1}', ""),
        (b"hello", "bytes that are not a message"),
        (b"[@]", "a message that is not an object"),
        *((b'{"n":%s,"v":1}' % number, NOT_ASKED) for number in (b"1", b"-@", b'"@"', b"null")),
        (b'{"v":1}', NOT_ASKED),
    ]
)
@examples(
    [
        (b"\xff\xff\xff\xff", 0, "a message of 4294967295 bytes"),
        (b"\0\0\0\0", 0, "bytes that are not a message"),
        (b"hello", 0, "a message of 1751477356 bytes"),
        (b"\0\0\0\x10{", 0, ENDED),
        (LONGEST.to_bytes(4, "big"), 0, ENDED),
        ((LONGEST + 1).to_bytes(4, "big"), 0, f"a message of {LONGEST + 1} bytes"),
    ]
)
def test_a_stream_of_any_bytes(data, status, what):
    """It is an answer, a violation with a name or, with this status of its process, a crash."""
    assert what in {None, asked(Process(Peer(data, raw=True), Peers(status=status), 1, Limits()))}


def test_an_answer_of_the_question_before():
    """A second answer to one request is not taken as the answer to the next."""
    process = Process(Peer(framed(b'{"n":@,"v":1}') * 2, raw=True), Peers(), 1, Limits())

    assert [asked(process), asked(process)] == ["", NOT_ASKED]


# --- Answers: a submission is loaded, asked, and loaded again


def session(lines):
    """Return the violation at which it ended, "" if it did not."""
    box, what = Sandbox(Peers(lines), ["x = 1"], Limits(), arrays=True), ""
    for step in (
        box.load,
        lambda: box.get("x"),
        lambda: box.ask("attr", "x.data", h=1, name="data"),
        lambda: box.peek(["data"]),
        lambda: assert_places(box.find_definitions(["x", "y.z"])),
        lambda: box.ask("apply", "x + 1", name="add", args=[]),
        lambda: items(box),
        lambda: box.load("reverse"),
        lambda: box.get("x"),
    ):
        try:
            assert_plain(step())
        except (StudentError, SubmissionStopped, Undefined) as error:
            assert_bounded(error)
            if isinstance(error, SubmissionStopped):
                what = violation(error)
                break
    assert set(box.errors) <= {0}, "there is one cell"
    for error in box.errors.values():
        assert_bounded(error)
    box._end()
    box.load()
    assert isinstance(box.get("x"), Proxy), "a jail that has ended is replaced"
    return what


def items(box):
    """The items of an object, or that they were too large to be read."""
    try:
        return box.items(1, 64, "list(x)")
    except StudentError:
        raise
    except TypeError as error:
        assert_bounded(error)


def assert_places(places):
    """Assert that there is one for each name, with numbers and a name that have room in a report."""
    assert len(places) == 2
    for place in filter(None, places):
        assert_frame(place)


def assert_frame(frame):
    assert 0 <= frame.block <= 1 << 30
    assert 0 <= frame.line <= 1 << 30
    assert len(frame.function) <= 80


def assert_bounded(error):
    """Assert that what is told of an error fits into a report."""
    assert len(str(error)) <= 2200
    if isinstance(error, StudentError):
        assert max(len(error.type), len(error.missing_name)) <= 100
        assert len(error.text) <= 2000
        assert len(error.frames) <= 6
        for frame in error.frames:
            assert_frame(frame)


def fields(**changed):
    """The answers `{"e": ...}` of an error with other fields."""
    return {"e": ERROR | changed}


# What is asked for, the violation, and values of another form.
FORMS = [
    ("output", "an invalid output", [5, None, [1, 2], {"size": "x", "text": ""}, {"size": 1}, "text",
               *({"size": size, "text": ""} for size in (-5, 2**63, 10**400))]),
    ("names", "an invalid value", [[5], [], ["x"]]),
    ("names", "invalid names", [5, None, {"l": [5]}, {"l": ["x", "y", "z"]}, {"l": [{"l": [5]}]}, {"x": "too long"}]),
    ("peek", "invalid rows", [5, None, [], [5], ["ab"], [{}], [{"grad": 1}], [{"data": 1}] * 2]),
    ("peek", "an invalid value", [[{"data": [1]}]]),
    ("items", "a value with an unknown tag", [{"items": {"l": [1]}}]),
    ("items", "an invalid handle for more items",
               [{"items": {"l": [1]}, "rest": True}, {"items": {"l": []}, "rest": 7}, {"items": {"l": [1]}, "rest": 0}]),
    ("items", "items that are not a list", [5, None, {"items": 5, "rest": None}, {"items": {"t": [1]}, "rest": None}]),
    ("items", "an invalid value", [{"items": [1], "rest": 7}]),
    ("defined", "invalid definitions", [5, None, [], [None] * 3, [[0, 1], None], [[-1, 1, "f"], None], [[0, 1.5, "f"], None],
                [[0, True, "f"], None], [[0, 1, None], None], [[0, 1, "f", "more"], None], [{"block": 0}, None]]),
    ("get", "an invalid value", [[1]]),
]  # fmt: skip
ANSWERS = [
    *((op, {"v": value}, what) for op, what, values in FORMS for value in values),
    *(("get", {"e": error}, "an invalid error") for error in (5, {}, None)),
    *(
        ("get", fields(**changed), "an invalid error")
        for changed in (
            {"bases": 5}, *({"frames": [frame]} for frame in (
                5, [0, "x", "f"], [0, 1], [-1, 1, "f"], [0, -1, "f"], [-(10**400), -(10**400), "f"],
            )),
        )
    ),
    ("get", {}, "a reply with neither a value nor an error"),
    ("get", {"v": {"l": [0] * 30_000}}, "more than 20000 values in one message"),
    ("attr", fields(type="T" * 5000, bases=["B" * 5000] * 20, text="x" * 100_000, name="n" * 5000,
                   frames=[[0, 10**30, "f" * 5000]] * 30), ""),
]  # fmt: skip


@st.composite
def conversations(draw):
    """All the answers that a submission gives, one or four of them wrong."""
    lines, wrong = [b""] * len(ASKED), draw(st.sampled_from([1, 4]))
    for at in draw(st.lists(st.integers(0, len(ASKED) - 1), min_size=wrong, max_size=wrong)):
        lines[at] = line(draw(st.sampled_from(WRONG[at])))
    return b"\n".join(lines)


@settings(fuzz, max_examples=500 if WHOLE else 60)
@given(conversations(), st.none())
@examples((answering(op, answer), what) for op, answer, what in ANSWERS)
def test_wrong_answers(lines, what):
    """Each is a value, an error of the student's or a violation with a name, and the next jail works."""
    assert what in {None, session(lines)}


@pytest.mark.parametrize("at", range(len(ASKED)), ids=lambda at: f"{at} {ASKED[at]}")
def test_one_odd_value(at):
    """At any place of an answer it does no more harm."""
    for odd in every(7, WRONG[at], at % 7):
        session(b"\n" * at + line(odd))


@pytest.mark.parametrize("ask", [len, list, str])
@pytest.mark.parametrize("value", [5.5, -1, None, {"t": [1]}, {"f": "inf"}, handle()], ids=str)
def test_answers_to_python(ask, value):
    """A length that is no number from 0, items that are not a list, and a text that is none are refused."""
    box = Sandbox(Peers(answering("attr", {"v": value})), ["x = 1"], Limits())
    box.load()
    thing = box.get("x")

    with pytest.raises(SubmissionStopped, check=forged):
        ask(thing)


def test_a_definition_is_bounded():
    """Its numbers and its name are cut to fit into a report."""
    answer = {"v": [[10**18, 10**15, "f" * 500]]}
    box = Sandbox(Peers(answering("get", answer)), ["x = 1"], Limits())  # the first request after a load
    box.load()

    assert box.find_definitions(["x"]) == [Frame(1 << 30, 1 << 30, "f" * 80)]


def test_more_objects_than_anybody_needs():
    """A jail that hands out ever new handles is stopped before they fill the grader's memory."""
    flood = [line({"n": "@", "v": {"l": [handle(at + i) for i in range(9000)]}}) for at in (1, 9001, 18_001)]
    box = Sandbox(Peers(b"\n".join([b""] * ASKED.index("get") + flood)), ["x = 1"], Limits())
    box.load()

    assert [len(set(box.get("x"))) for _ in range(2)] == [9000, 9000]
    with pytest.raises(SubmissionStopped, check=forged, match="more than 20000 objects"):
        box.get("x")


def test_forged_bases_of_errors():
    """The grader keeps no names of unknown exceptions in memory."""
    known = errors._also.cache_info().currsize
    for i in range(30):
        answers = answering("get", fields(bases=[f"{i} {j}" for j in range(8)]))
        box = Sandbox(Peers(answers), ["x = 1"], Limits())
        box.load()
        with pytest.raises(StudentError):
            box.get("x")

    assert errors._also.cache_info().currsize - known < 100
