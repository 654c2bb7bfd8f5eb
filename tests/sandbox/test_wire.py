"""The wire: values of the jail within the caps arrive as they are, and everything else is a named violation.

Hypothesis makes up values and bytes, the same ones in every run. The edges of each cap, every kind of violation and
what was once read wrongly are examples of the same properties.
"""

import functools
import json
import math
import re
import tracemalloc
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import MESSAGES, WRONG, assert_plain, examples, fuzz, handle, line, violation
from reproducible import the_same_everywhere  # noqa: F401  an autouse fixture
from sampled import WHOLE
from stopped import forged

from grader.sandbox import StudentError, SubmissionStopped, Undefined, wire
from grader.sandbox.arrays import decode_array
from grader.sandbox.inside import values, worker
from grader.sandbox.wire import Handle, Oversize

# --- Values

CHARACTERS = 'az19é→😀 "\\\n\0\u2028\ud800\udfff'  # lone surrogates too
TEXT = st.lists(st.sampled_from(CHARACTERS), max_size=20).map("".join)  # st.text() would write a cache
NUMBERS = st.integers() | st.integers(-(10**308), 10**308) | st.floats()
SCALARS = st.none() | st.booleans() | st.just(...) | NUMBERS | TEXT
KEYS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(KEYS, max_size=4)
        | st.frozensets(KEYS, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)
KINDS = [
    None, True, False, -7, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**300, 0.1, 5e-324, 2.0, -0.0, math.nan, math.inf,
    -math.inf, "a × b → é 😀", "\x00\n\t\x7f\u2028", "", ..., [1, 2.5, "three", None], (1, (2, (3,))), {1, 2, "three"},
    frozenset({1, (2, 3)}), {"a": 1, 2: "b", (3, 4): None, None: [..., math.inf]}, {"f": "nan"},
    [[], (), set(), frozenset(), {}], [{"k": ({1: frozenset({(2,)})}, [[]])}],
]  # fmt: skip
SHARING = [  # honest keys of which many share a hash
    {2.0**k for k in range(-1074, 1024)},
    set(product((-1, -2), repeat=9)),
    {(x, y) for x in range(-20, 20) for y in range(-20, 20)},
]


def received(value):
    """Return what the grader reads for a value of the jail."""
    answer = {"n": 1, "v": worker.Jail(-1, -1).encode(value)}
    body = worker._encode_json(answer).encode("utf-8", "replace")
    return decode(wire.unpack(body)["v"])


def decode(data):
    return wire.decode(data, lambda handle: handle)


def encode(value):
    return wire.encode(value, lambda it: 7 if it is THING else None)


def sent(value):
    """Return the value as it arrives, without lone surrogates."""
    if isinstance(value, dict):
        return {sent(key): sent(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(map(sent, value))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def form(value):
    """Return a text that is equal only for equal values of equal types; sets have no order."""
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}{sorted(map(form, value))}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}{list(map(form, value))}"
    if isinstance(value, dict):
        return str([(form(key), form(item)) for key, item in value.items()])
    return repr(value)


@fuzz
@given(VALUES)
@examples([value] for value in (*KINDS, *SHARING, [math.nan, {math.nan, math.nan}, "\ud800"]))
def test_what_the_jail_sends_is_what_is_read(value):
    """The grader reads the same value, of the same types, with a question mark for each lone surrogate."""
    assert form(received(value)) == form(sent(value))


@fuzz
@given(VALUES.map(sent))
@examples([value] for value in KINDS)
def test_what_the_grader_sends_is_what_the_jail_reads(value):
    """The jail reads the same value, of the same types."""
    frame = wire.pack({"v": encode(value)})

    assert form(worker.Jail(-1, -1).decode(worker._decode_json(frame[4:].decode())["v"])) == form(value)


def test_values_survive_the_jail(any_jail):
    """A value that is sent to a real one as an argument, and returned, is the same."""
    same = any_jail("def same(value): return value").get("same")

    assert [form(same(value)) for value in KINDS] == [form(value) for value in KINDS]


def cut(value, depth=0):
    """Return a value as the jail writes it, down to its own depth."""
    if depth > values.MAX_DEPTH:
        return Oversize("it is nested too deeply")
    if isinstance(value, dict):
        return {cut(key, depth + 1): cut(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(cut(item, depth + 1) for item in value)
    return value


@fuzz
@given(st.lists(st.sampled_from([lambda v: [v], lambda v: (v,), lambda v: {1: v}]), min_size=9, max_size=16))
def test_values_in_values(wrappers):
    """They are read as deep as the jail writes them; deeper values are marked as not read."""
    value = functools.reduce(lambda inner, wrap: wrap(inner), wrappers, 5)

    assert repr(received(value)) == repr(cut(value))


@fuzz
@given(st.integers(-(10**5000), 10**5000))
@examples([number] for number in (10**308 * 2, -(10**3600)))
def test_ints_of_any_size(value):
    """They are read exactly up to the largest float, and marked as not read beyond it."""
    found = received(value)
    try:
        float(value)
    except OverflowError:
        assert isinstance(found, Oversize)
    else:
        assert found == value


# --- What goes in


class Name(str):
    """Text with a class of its own."""

    __slots__ = ()


THING = object()
LARGEST = 2 ** (3 * wire.MAX_DIGITS) - 1  # three bits for each of the digits


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ([1, {"k": THING}], {"l": [1, {"d": [["k", {"h": 7}]]}]}),
        ([..., math.nan, (1,), frozenset()], {"l": [{"..": 1}, {"f": "nan"}, {"t": [1]}, {"z": []}]}),
        (2**63 - 1, 2**63 - 1),  # another program reads no larger number
        (2**63, {"i": str(2**63)}),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, {"i": str(-(2**63) - 1)}),
        (LARGEST, {"i": str(LARGEST)}),
        (Name("x"), "x"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_goes_in(value, data):
    """A proxy's handle, at any depth; a number where it has 64 bits, else its digits; plain text."""
    assert (encode(value), type(encode(value))) == (data, type(data))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1j, "a complex"), (b"bytes", "a bytes"), (range(3), "a range"), (len, "a builtin_function_or_method"),
        ([1, {"a": b""}], "a bytes"), ({1j}, "a complex"), ({1j: 1}, "a complex"), (Oversize("why"), "an Oversize"),
        (object(), "an object"), (LARGEST + 1, "an int of more than a thousand digits"),
        (-(10**4200), "an int of more than a thousand digits"),  # which Python itself refuses to write
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)  # fmt: skip
def test_what_cannot_go_into_the_jail_is_refused(value, name):
    """The error names the type and says what can be sent."""
    with pytest.raises(TypeError) as refused:
        encode(value)

    said, _, remedy = str(refused.value).partition("; ")
    assert said == f"{name} cannot be sent into the jail"
    assert remedy in {"", "send numbers, text, containers or the student's objects"}


def test_a_frame_begins_with_its_length():
    """It has four bytes of length, the highest first, and as many bytes of JSON."""
    frame = wire.pack({"n": 1, "v": "é"})

    assert frame[:4] == (len(frame) - 4).to_bytes(4, "big")
    assert json.loads(frame[4:].decode()) == {"n": 1, "v": "é"}


def test_a_reading_goes_in_as_a_number(jail):
    """The jail gets a plain float or int, not the grader's subclass."""
    box = jail("x, n = 0.5, 3\ndef kinds(*values): return [type(value).__name__ for value in values]")

    assert box.get("kinds")(box.get("x"), box.get("n"), math.nan) == ["float", "int", "float"]


# --- Bodies


def nested(depth, tag="l"):
    """Return lists in each other, in the form of the wire."""
    return functools.reduce(lambda inner, _: {tag: [inner]}, range(depth - 1), {tag: []})


def in_values(depth):
    """Return dicts in each other, each the value of the one around it."""
    return functools.reduce(lambda inner, _: {"d": [["k", inner]]}, range(depth), 0)


def keyed(key):
    """Return a dict of one key."""
    return {"d": [[key, 1]]}


def same_hash(number, keep):
    """Return a container of so many keys: an int hashes to its remainder by 2**61 - 1."""
    return keep([{"i": str((2**61 - 1) * (i + 8))} for i in range(number)])


KEEPERS = [
    lambda keys: {"s": keys},
    lambda keys: {"z": keys},
    lambda keys: {"d": [[key, None] for key in keys]},
    lambda keys: {"s": [{"t": ["the same", key]} for key in keys]},
]
# By the name of the violation, which has the cap: values in a message, and bytes that are a message or none.
VIOLATIONS = {
    "an invalid value": [
        [1, 2], 2**63, -(2**63) - 1, b'{"v":%s}' % (b"9" * 400), *(nested(wire.MAX_DEPTH + 2, tag) for tag in "ltz"),
        in_values(wire.MAX_DEPTH + 2), keyed(nested(wire.MAX_DEPTH + 1, "t")),
    ],
    "a value with several tags": [{}, {"l": [], "t": []}, {"f": "nan", "i": "1"}],
    "a value with an unknown tag": [
        {"q": 1}, {"q": []}, {"q": [["k", 1]]}, {"l": 5}, {"l": {"l": []}}, {"f": "1.5"}, {"f": 1.5}, {"f4": "1.5"},
        {"f4": 1}, {"i": 5}, {"x": 5}, {"..": [[]]},
    ],
    "an invalid int": [{"i": text} for text in ("five", "", "1_000", " 12 ", "١٢", "0012", "12\n", "-")],
    "an int of more than 4000 digits": [{"i": "9" * (wire.MAX_DIGITS + 1)}],
    "a dict whose items are not pairs": [{"d": [["k"]]}, {"d": [["k", 1, 2]]}, {"d": ["kv"]}],
    "an unhashable dict key": [keyed({"l": []})],
    "a set with unhashable items": [{"s": [{"l": []}]}, {"z": [{"d": []}]}],
    "an invalid handle": [
        *(handle(number) for number in (0, -1, True, 1.0, "1", None, 2**53)), handle(kind="verdict"),
        handle(more=1), handle(kind=["instance"]), handle(cls=5), {"h": 1},
    ],
    "a text of more than 65536 characters": [keyed("x" * (wire.MAX_TEXT + 1))],
    "more than 20000 values in one message": [{"l": [0] * wire.MAX_ITEMS}, {"l": [{"l": [0] * 1000}] * 21}],
    "more than 4000 keys that share a hash": [
        *(same_hash(wire.MAX_COLLISIONS + 2, keep) for keep in KEEPERS),
        *({"l": [same_hash(2500, keep)] * 2} for keep in KEEPERS[::2]),  # over the whole message
    ],
    "a message that is nested more than 64 deep": [
        f'{{"v":{unit * 100}1{close * 100}}}'.encode() for unit, close in (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"))
    ],
    "bytes that are not a message": [  # no other encoding is guessed, no constant taken that JSON lacks
        b"", b"hello", b"{", b'{"n":1}x', b'{"n":1,}', b'{"v":"\xff"}', b'\xef\xbb\xbf{"n":1}', b'{"v":"\\ud800"}',
        '{"n":1}'.encode("utf-16"), b'{"v":NaN}', b'{"v":Infinity}', b'{"v":1e999}', b"[" * 100_000,
        b'{"a":' * 100_000, b'{"v":' + b"1" * 5000 + b"}",
    ],
    "a message that is not an object": [b"[]", b"5", b'"text"', b"null", b"true"],
    "": [  # within the caps
        *(nested(wire.MAX_DEPTH + 1, tag) for tag in "ltz"), in_values(wire.MAX_DEPTH + 1),
        keyed(nested(wire.MAX_DEPTH, "t")), {"l": [0] * (wire.MAX_ITEMS - 1)}, "é" * wire.MAX_TEXT,
        {"i": "9" * wire.MAX_DIGITS}, same_hash(wire.MAX_COLLISIONS + 1, KEEPERS[0]),
        {"s": [{"x": "it is too long"}] * 9000},
    ],
}  # fmt: skip


def body_of(data):
    return data if isinstance(data, bytes) else json.dumps({"v": data}).encode()


def read_body(body):
    """Read a frame's body and each value in it; return the violation, "" if there is none."""
    try:
        for data in wire.unpack(body).values():
            assert_plain(wire.decode(data, lambda handle: handle, {"a": decode_array}))
    except SubmissionStopped as error:
        return violation(error)
    return ""


@st.composite
def damaged(draw):
    """An honest message as a line with a few of its bytes changed, taken out or put in."""
    body = line(draw(st.sampled_from(list(chain(*MESSAGES)))))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(body)))
        body = body[:start] + draw(st.binary(max_size=3)) + body[start + draw(st.integers(0, 3)) :]
    return body


@settings(fuzz, max_examples=1000 if WHOLE else 150)
@given(st.binary() | damaged() | st.sampled_from(list(chain(*WRONG))).map(line), st.none())
@examples((body_of(data), what) for what, found in VIOLATIONS.items() for data in found)
def test_a_body_of_any_bytes(body, what):
    """It is plain data within the caps, or a violation with a name."""
    assert what in {None, read_body(body)}


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (handle(7, "class", "Value"), Handle(7, "class", "Value")),
        (handle(2**53 - 1), Handle(2**53 - 1, "instance", "V")),  # below 2**61 - 1 a number is its own hash
        (handle(cls="V" * 5000), Handle(1, "instance", "V" * 100)),
        ({"x": "y" * 5000}, Oversize("y" * 200)),
        ({"i": "9" * 300}, 10**300 - 1),
        ({"i": str(10**308)}, 10**308),
        ({"i": str(2 * 10**308)}, Oversize("a huge integer")),  # no float can be compared with it
        ({"i": "-" + "9" * 309}, Oversize("a huge integer")),
        ({"s": [{"x": "it is too long"}] * 2}, {Oversize("it is too long")}),
        ({"d": [[key, None] for key in [1, 1.0, True] * 3000]}, {1: None}),  # one key, however often it comes
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_what_is_read(data, value):
    """A handle and what does not fit keep what is told of them, cut; an int is no larger than a float."""
    assert decode(data) == value


def test_no_nan_is_another_one():
    """In a list the same one would equal itself, and in a set it would be lost."""
    first, second = decode({"l": [{"f": "nan"}] * 2})

    assert first is not second
    assert [first] != [second]
    assert len(decode({"s": [{"f": "nan"}] * 2})) == 2


@pytest.mark.parametrize(
    ("number", "expected", "equal"),
    [
        (100.0005, 100, True),  # within a hundred thousandth
        (100.002, 100, False),
        (-100.0005, -100, True),
        (-100.0005, 100, False),
        (5e-7, 0, True),  # a rest where numbers cancel out
        (1e-6, 0, True),
        (2e-6, 0, False),
        (5e-7, 1e-9, True),
        (1e30, math.inf, False),
        (math.inf, math.inf, True),
    ],
)
def test_single_precision_is_rounded(number, expected, equal):
    """`approx` allows for its rounding: wrong by more is wrong, and a sign is no rounding."""
    single = decode({"f4": number})

    assert (single == pytest.approx(expected)) is equal
    assert (decode(number) == pytest.approx(expected)) is (number == expected)


def test_single_precision_is_a_number_like_any_other():
    """Beside a number or another value it is compared as a float, and `approx` has its own limits, too."""
    single = decode({"f4": 100.0005})

    assert (single == 100.0005, single == 100, single == "100.0005") == (True, False, False)
    assert hash(single) == hash(100.0005)
    assert [single] == pytest.approx([100])
    assert single == pytest.approx(101, abs=2)
    assert single == pytest.approx(100.0005, rel=0, abs=0)
    assert single != pytest.approx("100.0005")


@pytest.mark.parametrize("part", [b"[],", b"{},", b'{"":0},', b"[[[[[]]]]],", '"é",'.encode(), b"0.5,"])
def test_a_frame_costs_a_bounded_amount_of_memory(part):
    """Some forty times its bytes, whatever it holds."""
    body = b'{"v":[' + part * (wire.MAX_FRAME // 16 // len(part)) + b"0]}"

    tracemalloc.start()
    try:
        with pytest.raises(SubmissionStopped, check=forged):
            decode(wire.unpack(body)["v"])
        assert tracemalloc.get_traced_memory()[1] < 64 * len(body)
    finally:
        tracemalloc.stop()


# --- What a real jail says


def test_a_handle_that_was_never_given_out(jail):
    """Using it is the student's error in the jail; nothing happens in the grader."""
    with pytest.raises(StudentError):
        jail("x = 1").ask("attr", "x.data", h=123_456, name="data")


def test_items_that_are_too_large_to_be_sent(jail):
    """A generator of long texts is not a violation; reading it raises TypeError."""
    box = jail("x = ('a' * 50_000 for _ in range(64))")

    with pytest.raises(TypeError, match=r"^list\(x\) is a value that was not read: it is too large$"):
        list(box.get("x"))
    assert box.get("x") is not None


def test_the_jail_says_what_it_does_not_know(jail):
    """A missing name differs from every value that a name may have."""
    box = jail("x = {'missing': 1}")

    assert box.get("x") == {"missing": 1}
    with pytest.raises(Undefined, match=re.escape("y is not defined")):
        box.get("y")


def test_a_lone_surrogate_is_replaced(jail):
    """UTF-8 cannot write it; the jail does not break over it, in values, names or errors."""
    box = jail("x = 'a\\ud800b'\ny = {'\\udfff': 1}\ndef fail(): raise ValueError('\\ud800')")

    assert box.get("x") == "a?b"
    assert box.get("y") == {"?": 1}
    with pytest.raises(ValueError, match=r"ValueError: \?"):
        box.get("fail")()
