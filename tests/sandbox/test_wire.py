"""The wire: plain values within the caps cross the wall of the jail, and everything else is refused.

The format is tried on its own, and through a real jail whose submission answers for it: student
code may reach the worker beside it and send whatever bytes it likes.
"""

import json
import math
import re
import tracemalloc
from itertools import product

import msgspec
import pytest
from stopped import crashed, forged, past_a_limit

from grader.sandbox import (
    Frame,
    StudentError,
    SubmissionStopped,
    Undefined,
    wire,
)
from grader.sandbox.wire import Handle, Oversize

VALUES = {
    "None": None,
    "True": True,
    "False": False,
    "an int": -7,
    "the largest int of 64 bits": 2**63 - 1,
    "the smallest int of 64 bits": -(2**63),
    "an int of 65 bits": 2**63,
    "a negative int of 65 bits": -(2**63) - 1,
    "a huge int": 10**300,
    "a float": 0.1,
    "a tiny float": 5e-324,
    "a whole float": 2.0,
    "minus zero": -0.0,
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "text": "a × b → é 😀",
    "text with controls": "\x00\n\t\x7f\u2028",
    "no text": "",
    "Ellipsis": ...,
    "a list": [1, 2.5, "three", None],
    "a tuple": (1, (2, (3,))),
    "a set": {1, 2, "three"},
    "a frozenset": frozenset({1, (2, 3)}),
    "a dict": {"a": 1, 2: "b", (3, 4): None, None: [..., math.inf]},
    "a dict that looks like a tag": {"f": "nan"},
    "empty containers": [[], (), set(), frozenset(), {}],
    "nested containers": [{"k": ({1: frozenset({(2,)})}, [[]])}],
}


def beginning(value):
    """Return a short name for a case of many bytes."""
    return repr(value)[:60]


def nobody(value):
    """Return None: no value is a proxy."""
    return


def alone(handle):
    """Return the handle itself."""
    return handle


def decode(data):
    return wire.decode(data, alone)


def nested(depth, tag="l"):
    """Return lists in each other, in the form of the wire."""
    data = {tag: []}
    for _ in range(depth - 1):
        data = {tag: [data]}
    return data


# --- Values on their own


@pytest.mark.parametrize("name", VALUES)
def test_a_value_survives_the_way(name):
    """A value that is written, packed, unpacked and read is the same, of the same types."""
    value = VALUES[name]

    frame = wire.pack({"v": wire.encode(value, nobody)})
    back = decode(wire.unpack(frame[4:])["v"])

    assert repr(back) == repr(value)


def test_a_frame_begins_with_its_length():
    """It has four bytes of length, the highest first, and as many bytes of JSON."""
    frame = wire.pack({"n": 1, "v": "é"})

    assert frame[:4] == (len(frame) - 4).to_bytes(4, "big")
    assert json.loads(frame[4:].decode()) == {"n": 1, "v": "é"}


def test_a_proxy_is_written_as_its_handle():
    """A proxy is found at any depth of a value."""
    data = wire.encode([1, {"k": "me"}], lambda value: 7 if value == "me" else None)

    assert "me" in json.dumps(data)  # text is text
    thing = object()
    data = wire.encode([1, {"k": thing}], lambda value: 7 if value is thing else None)
    assert data == {"l": [1, {"d": [["k", {"h": 7}]]}]}


def test_a_handle_is_read_as_what_it_is():
    """A handle has a number, a kind and the name of a class."""
    assert decode({"h": 7, "k": "class", "c": "Value"}) == Handle(7, "class", "Value")


def test_the_number_of_a_handle_has_a_cap():
    """Below it a number is its own hash, so no two handles share one."""
    assert decode({"h": 2**53 - 1, "k": "class", "c": "Value"}) == Handle(2**53 - 1, "class", "Value")
    with pytest.raises(SubmissionStopped, check=forged, match="an invalid handle"):
        decode({"h": 2**53, "k": "class", "c": "Value"})


def test_the_name_of_a_class_is_cut():
    """A long name of a class is cut to 100 characters."""
    assert len(decode({"h": 7, "k": "instance", "c": "V" * 5000}).cls) == 100


def test_what_was_not_sent_says_why():
    """The reason is kept, cut to 200 characters."""
    assert decode({"x": "it is too long"}) == Oversize("it is too long")
    assert len(decode({"x": "y" * 5000}).why) == 200


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1j, "complex"), (b"bytes", "bytes"), (range(3), "range"), (len, "builtin_function_or_method"),
        ([1, {"a": b""}], "bytes"), ({1j}, "complex"), ({1j: 1}, "complex"), (Oversize("why"), "Oversize"),
    ],
)  # fmt: skip
def test_what_cannot_go_into_the_jail_is_refused(value, kind):
    """The error names the type and says what can be sent."""
    expected = (
        f"an? {kind} cannot be sent into the jail; send numbers, text, containers or the student's objects"
    )

    with pytest.raises(TypeError, match=f"^{expected}$"):
        wire.encode(value, nobody)


def test_the_refusal_has_the_right_article():
    """The message for authors says `an object`."""
    with pytest.raises(TypeError, match=r"^an object cannot be sent"):
        wire.encode(object(), nobody)


# --- Data that is not of the format


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([1, 2], "an invalid value"),
        ({}, "a value with several tags"),
        ({"l": [], "t": []}, "a value with several tags"),
        ({"f": "nan", "i": "1"}, "a value with several tags"),
        ({"q": 1}, "a value with an unknown tag"),
        ({"q": []}, "a value with an unknown tag"),
        ({"q": [["k", 1]]}, "a value with an unknown tag"),
        ({"l": 5}, "a value with an unknown tag"),
        ({"l": {"l": []}}, "a value with an unknown tag"),
        ({"f": "1.5"}, "a value with an unknown tag"),
        ({"f": 1.5}, "a value with an unknown tag"),
        ({"f4": "1.5"}, "a value with an unknown tag"),
        ({"f4": 1}, "a value with an unknown tag"),
        ({"i": 5}, "a value with an unknown tag"),
        ({"i": "five"}, "an invalid int"),
        ({"i": ""}, "an invalid int"),
        ({"x": 5}, "a value with an unknown tag"),
        ({"d": [["k"]]}, "a dict whose items are not pairs"),
        ({"d": [["k", 1, 2]]}, "a dict whose items are not pairs"),
        ({"d": ["kv"]}, "a dict whose items are not pairs"),
        ({"d": [[{"l": []}, 1]]}, "an unhashable dict key"),
        ({"s": [{"l": []}]}, "a set with unhashable items"),
        ({"z": [{"d": []}]}, "a set with unhashable items"),
        ({"h": 0, "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": -1, "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": True, "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": 1.0, "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": "1", "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": None, "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": 1, "k": "verdict", "c": "V"}, "an invalid handle"),
        ({"h": wire.MAX_HANDLE, "k": "instance", "c": "V"}, "an invalid handle"),
        ({"h": 1, "k": "instance", "c": "V", "more": 1}, "an invalid handle"),
        ({"h": 1, "k": ["instance"], "c": "V"}, "an invalid handle"),
        ({"h": 1, "k": "instance", "c": 5}, "an invalid handle"),
        ({"h": 1}, "an invalid handle"),
    ],
)
def test_data_that_is_not_of_the_format(data, text):
    """Each violation is named in the message."""
    with pytest.raises(SubmissionStopped, check=forged, match=f"sent {text}$"):
        decode(data)


@pytest.mark.parametrize("tag", ["l", "t", "z"])
def test_depth_has_a_cap(tag):
    """Just within it and just beyond it."""
    assert decode(nested(wire.MAX_DEPTH + 1, tag)) is not None
    with pytest.raises(SubmissionStopped, check=forged, match="an invalid value"):
        decode(nested(wire.MAX_DEPTH + 2, tag))


def test_depth_has_a_cap_in_dicts():
    """Along values and along keys."""
    values = 0
    for _ in range(wire.MAX_DEPTH + 1):
        values = {"d": [["k", values]]}
    assert decode(values) is not None
    assert decode({"d": [[nested(wire.MAX_DEPTH, "t"), 1]]}) is not None
    for deeper in ({"d": [["k", values]]}, {"d": [[nested(wire.MAX_DEPTH + 1, "t"), 1]]}):
        with pytest.raises(SubmissionStopped, check=forged, match="an invalid value"):
            decode(deeper)


def test_the_number_of_values_has_a_cap():
    """Over the whole message, however they are spread."""
    assert len(decode({"l": [0] * (wire.MAX_ITEMS - 1)})) == wire.MAX_ITEMS - 1
    with pytest.raises(
        SubmissionStopped, check=forged, match=f"more than {wire.MAX_ITEMS} values in one message"
    ):
        decode({"l": [{"l": [0] * 1000}] * 21})


def test_text_has_a_cap():
    """In characters."""
    assert len(decode("é" * wire.MAX_TEXT)) == wire.MAX_TEXT
    with pytest.raises(
        SubmissionStopped, check=forged, match=f"a text of more than {wire.MAX_TEXT} characters"
    ):
        decode({"d": [["x" * (wire.MAX_TEXT + 1), 1]]})


def test_digits_have_a_cap():
    """An int that no float can be compared with is not read, one of more digits is not even converted."""
    assert decode({"i": "9" * 300}) == 10**300 - 1
    assert decode({"i": str(10**308)}) == 10**308
    assert decode({"i": str(2 * 10**308)}) == Oversize("a huge integer")
    assert decode({"i": "9" * wire.MAX_DIGITS}) == Oversize("a huge integer")
    with pytest.raises(SubmissionStopped, check=forged):
        decode({"i": "9" * (wire.MAX_DIGITS + 1)})


def in_pairs(keys):
    """A dict of these keys, as it is on the wire."""
    return {"d": [[key, None] for key in keys]}


def in_tuples(keys):
    """A set of tuples of these, as it is on the wire."""
    return {"s": [{"t": ["the same", key]} for key in keys]}


@pytest.mark.parametrize("keep", [lambda keys: {"s": keys}, lambda keys: {"z": keys}, in_pairs, in_tuples])
def test_keys_that_share_a_hash_have_a_cap(keep):
    """An int hashes to its remainder by 2**61 - 1; 20,000 of the same one would take seconds."""
    keys = [{"i": str((2**61 - 1) * (i + 8))} for i in range(wire.MAX_COLLISIONS + 2)]

    assert len(next(iter(keep(keys[:3000]).values()))) == len(decode(keep(keys[:3000])))
    with pytest.raises(
        SubmissionStopped, check=forged, match=f"more than {wire.MAX_COLLISIONS} keys that share a hash"
    ):
        decode(keep(keys))
    with pytest.raises(SubmissionStopped, check=forged, match="share a hash"):
        decode({"l": [keep(keys[:2500]), keep(keys[:2500])]})


def test_keys_that_share_a_hash_up_to_the_cap():
    """As many as may."""
    keys = [{"i": str((2**61 - 1) * (i + 8))} for i in range(wire.MAX_COLLISIONS + 1)]
    assert len(decode({"s": keys})) == wire.MAX_COLLISIONS + 1


@pytest.mark.parametrize(
    "value",
    [
        {2.0**k for k in range(-1074, 1024)},  # 61 different hashes
        set(product((-1, -2), repeat=9)),  # one: -1 and -2 have the same
        {(x, y) for x in range(-30, 30) for y in range(-30, 30)},
    ],
    ids=["powers of two", "minus one and two", "a grid"],
)
def test_honest_keys_that_share_a_hash(value):
    """No set that the jail writes comes near that cap."""
    assert decode(wire.encode(value, nobody)) == value


def test_keys_that_are_the_same():
    """They are one key, however often they come; what did not fit through is a key like any other."""
    assert decode({"s": [{"x": "it is too long"}] * 9000}) == {Oversize("it is too long")}
    assert decode(in_pairs([1, 1.0, True] * 3000)) == {1: None}


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
    assert single == pytest.approx(101, abs=2)
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


@pytest.mark.parametrize("unit", ["[", '{"a":', '[{"a":'])
def test_a_message_has_a_largest_depth(unit):
    """Arrays and objects count alike: what is nested deeper could break the grader where it is shown."""
    close = "".join("]" if sign == "[" else "}" for sign in reversed(unit) if sign in "[{")
    deep = f'{{"v":{unit * 100}1{close * 100}}}'.encode()

    with pytest.raises(SubmissionStopped, check=forged, match=f"nested more than {wire.MAX_NESTING} deep"):
        wire.unpack(deep)


@pytest.mark.parametrize("value", [2**63 - 1, 2**63, -(2**63), -(2**63) - 1])
def test_ints_at_the_edge_of_64_bits(value):
    """The jail reads each as it was sent."""
    assert decode(msgspec.json.decode(msgspec.json.encode(wire.encode(value, nobody)))) == value


def test_64_bits_are_a_number_of_json_and_more_are_text():
    """Another program reads no larger number; one that comes in another form is forged."""
    assert [wire.encode(value, nobody) for value in (2**63 - 1, 2**63)] == [2**63 - 1, {"i": str(2**63)}]
    assert [wire.encode(-value, nobody) for value in (2**63, 2**63 + 1)] == [
        -(2**63),
        {"i": str(-(2**63) - 1)},
    ]
    with pytest.raises(SubmissionStopped, check=forged, match="an invalid value"):
        decode(2**63)


def test_the_largest_int_that_is_sent():
    """It has three bits for each of the digits."""
    most = 2 ** (3 * wire.MAX_DIGITS) - 1
    assert wire.encode(most, nobody) == {"i": str(most)}
    with pytest.raises(TypeError, match="more than a thousand digits"):
        wire.encode(most + 1, nobody)


@pytest.mark.parametrize("value", [10**3700, -(10**4200)])
def test_an_int_that_is_too_large_to_send(value):
    """It raises TypeError, for Python itself refuses to write it."""
    with pytest.raises(TypeError, match="an int of more than a thousand digits cannot be sent into the jail"):
        wire.encode(value, nobody)


def test_text_of_another_class_is_sent_as_text():
    """A subclass of str is sent as a plain text."""
    assert type(wire.encode(Name("x"), nobody)) is str


class Name(str):
    """Text with a class of its own."""

    __slots__ = ()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"hello", b"{", b'{"n":1}x', b'{"n":1,}', b'{"v":"\xff"}', b'\xef\xbb\xbf{"n":1}', b'{"v":"\\ud800"}',
        '{"n":1}'.encode("utf-16"), b'{"v":NaN}', b'{"v":Infinity}', b'{"v":1e999}', b"[" * 100_000,
        b'{"a":' * 100_000, b'{"v":' + b"1" * 5000 + b"}",
    ],
    ids=beginning,
)  # fmt: skip
def test_bytes_that_are_no_message(body):
    """No other encoding is guessed, no constant that JSON lacks is taken, nothing is too deep."""
    with pytest.raises(SubmissionStopped, check=forged, match="bytes that are not a message"):
        wire.unpack(body)


@pytest.mark.parametrize("body", [b"[]", b"5", b'"text"', b"null", b"true"])
def test_a_message_is_an_object(body):
    """Any other JSON value is refused."""
    with pytest.raises(SubmissionStopped, check=forged, match="a message that is not an object"):
        wire.unpack(body)


# --- Through a jail


# A submission that answers for the worker beside it.
FORGER = """
import os, sys
worker = sys._getframe(1)
while "self" not in worker.f_locals:
    worker = worker.f_back
worker = worker.f_locals["self"]
number = [0]
receive = worker.receive
def listen():
    request = receive()
    number[0] = request["n"]
    return request
worker.receive = listen
def write(data):
    while data:
        data = data[os.write(worker.write_fd, data):]
def frame(body):
    body = body.replace(b"@", str(number[0]).encode())
    return len(body).to_bytes(4, "big") + body
def answer_with(body):
    "The answer to this is these bytes, @ in them the number of the question."
    send = worker.send
    def once(message):
        worker.send = send
        write(frame(body.encode("latin-1")))
    worker.send = once
def send_raw(data):
    "These bytes at once, and no answer."
    worker.send = lambda message: None
    write(data.encode("latin-1"))
"""


def test_values_survive_the_jail(jail):
    """A value that is sent as an argument and returned is the same."""
    same = jail("def same(value): return value").get("same")

    given = {name: same(value) for name, value in VALUES.items()}

    assert {name: shown(value) for name, value in given.items()} == {
        name: shown(value) for name, value in VALUES.items()
    }


def shown(value):
    """Return the text of a value, whose sets may have any order, and its built-in type."""
    return sorted(repr(value)), type(value).__mro__[-2]


def test_the_types_are_those_of_the_jail_too(jail, snapshot):
    """The student's code sees values of the same types."""
    told = jail("def told(value): return repr(value)").get("told")

    assert told([1.0, (2,), {3}, {"a": None}, ..., True]) == snapshot


def test_a_reading_goes_in_as_a_number(jail):
    """The jail gets a plain float or int, not the grader's subclass."""
    box = jail("x, n = 0.5, 3\ndef kinds(*values): return [type(value).__name__ for value in values]")

    assert box.get("kinds")(box.get("x"), box.get("n"), math.nan) == ["float", "int", "float"]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("hello", "bytes that are not a message"),
        ("[@]", "a message that is not an object"),
        ('{"v":1}', "an answer to a question that was not asked"),
        ('{"n":1,"v":1}', "an answer to a question that was not asked"),
        ('{"n":@0,"v":1}', "an answer to a question that was not asked"),
        ('{"n":"@","v":1}', "an answer to a question that was not asked"),
        ('{"n":null,"v":1}', "an answer to a question that was not asked"),
        ('{"n":@}', "an answer with neither a value nor an error"),
        ('{"n":@,"v":[1]}', "an invalid value"),
        ('{"n":@,"v":{"l":[' + "0," * 30_000 + "0]}}", "more than 20000 values in one message"),
        ('{"n":@,"v":"' + "x" * 70_000 + '"}', "a text of more than 65536 characters"),
        ('{"n":@,"v":"' + "x" * 1_100_000 + '"}', r"a message of 11\d{5} bytes"),
        ('{"n":@,"e":5}', "an invalid error"),
        ('{"n":@,"e":{}}', "an invalid error"),
        ('{"n":@,"e":null}', "an invalid error"),
        ('{"n":@,"e":{"type":"E","bases":5,"text":"","name":"","frames":[]}}', "an invalid error"),
        ('{"n":@,"e":{"type":"E","bases":[],"text":"","name":"","frames":[5]}}', "an invalid error"),
        ('{"n":@,"e":{"type":"E","bases":[],"text":"","name":"","frames":[[0,"x","f"]]}}', "an invalid error"),
        ('{"n":@,"e":{"type":"E","bases":[],"text":"","name":"","frames":[[0,1]]}}', "an invalid error"),
    ],
    ids=beginning,
)  # fmt: skip
def test_a_forged_answer_is_a_violation_with_a_name(jail, body, text):
    """It ends the jail, says what was wrong, and the next load works in a new one."""
    box = jail(FORGER, "x = 5")
    forge = box.get("answer_with")

    with pytest.raises(SubmissionStopped, check=forged, match=f"^the submission's process sent {text}$"):
        forge(body)

    box.load()
    assert box.get("x") == 5


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("\xff\xff\xff\xff", "a message of 4294967295 bytes"),
        ("\x00\x00\x00\x00", "bytes that are not a message"),
    ],
)
def test_a_header_that_lies(jail, data, text):
    """A length beyond the cap, and a length of 0, are refused."""
    send_raw = jail(FORGER).get("send_raw")

    with pytest.raises(SubmissionStopped, check=forged, match=text):
        send_raw(data)


@pytest.mark.parametrize("data", ["", "\x00\x00", "\x00\x00\x00\x10", '\x00\x00\x00\x10{"n":'])
def test_half_a_frame_and_silence(jail, data):
    """The time of the check runs out, which is the error."""
    box = jail(FORGER, check_seconds=0.1)
    send_raw = box.get("send_raw")

    with (
        pytest.raises(SubmissionStopped, check=past_a_limit) as caught,
        box.budget.within("check_seconds", 0.1),
    ):
        send_raw(data)

    assert caught.value.limit == "check_seconds"


def test_half_a_frame_and_the_end(jail):
    """It counts as a crash."""
    box = jail(FORGER, 'def fail():\n    write(b"\\x00\\x00\\x00\\x10{")\n    os._exit(0)')

    with pytest.raises(SubmissionStopped, check=crashed, match="ended its own Python process"):
        box.get("fail")()


def test_bytes_between_the_answers(jail):
    """Bytes that student code writes into the stream itself are refused."""
    box = jail(FORGER, 'def chat():\n    write(b"hello")\n    return 1')

    with pytest.raises(SubmissionStopped, check=forged):
        box.get("chat")()


def test_an_answer_of_the_question_before(jail):
    """A second answer to one request is not taken as the answer to the next."""
    box = jail(FORGER, 'x = 5\ndef twice():\n    write(frame(b\'{"n":@,"v":1}\'))\n    return 1')
    assert box.get("twice")() == 1

    with pytest.raises(SubmissionStopped, check=forged, match="an answer to a question that was not asked"):
        box.get("x")


def test_a_handle_that_was_never_given_out(jail):
    """Using it is the student's error in the jail; nothing happens in the grader."""
    box = jail(FORGER)
    thing = box.get("answer_with")('{"n":@,"v":{"h":123456,"k":"instance","c":"Value"}}')

    with pytest.raises(StudentError):
        thing.data  # noqa: B018


def test_more_objects_than_anybody_needs(jail):
    """A jail that hands out ever new handles is stopped before they fill the grader's memory."""
    box = jail(
        FORGER,
        """
        given = 1000
        def flood(number):
            global given
            made = [{"h": given + i, "k": "instance", "c": "V"} for i in range(number)]
            given += number
            return made
        x = 5
        def begin():
            worker.encode = lambda value, depth=0: {"l": flood(9000)}
        """,
    )
    box.get("begin")()
    assert len(set(box.get("x"))) == 9000
    assert len(set(box.get("x"))) == 9000

    with pytest.raises(SubmissionStopped, check=forged, match="more than 20000 objects"):
        box.get("x")


VALUES_OF = "class Value: pass\nx = Value()\nitems = (i for i in 'ab')"
# For each request: what asks for it once the cells are loaded, what the violation is, and answers of another form.
ANSWERS = {
    "output": (
        lambda box: None, "an invalid output", ["5", "None", "[1, 2]", "{'size': 'x', 'text': ''}", "{'size': 1}", "'text'"]
    ),
    "names": (  # they are read where a cell has raised
        lambda box: None, "sent",
        ["5", "None", "{'l': [5]}", "{'l': ['x', 'y', 'z']}", "{'l': [{'l': [5]}]}", "{'x': 'too long'}", "[]"],
    ),
    "peek": (
        lambda box: (box.get("x"), box.peek(["data", "grad"])), "sent",
        ["5", "None", "[]", "[5]", "['ab']", "[{}]", "{'data': 1}", "[{'data': [1], 'grad': 1}]"],
    ),
    "items": (
        lambda box: list(box.get("items")), "sent",
        ["5", "None", "{'items': {'l': [1]}}", "{'items': {'l': [1]}, 'rest': True}", "{'items': 5, 'rest': None}",
         "{'items': {'l': []}, 'rest': 7}", "{'items': {'t': [1]}, 'rest': None}", "{'items': [1], 'rest': 7}"],
    ),
    "apply": (
        lambda box: str(box.get("x")), "an invalid text", ["5", "None", "{'l': ['a']}", "{'h': 1, 'k': 'class', 'c': 'str'}"]
    ),
    "defined": (
        lambda box: box.defined(["x"]), "invalid definitions",
        ["5", "None", "[]", "[None, None]", "[[0, 1]]", "[[-1, 1, 'f']]", "[[0, 1.5, 'f']]", "[[0, True, 'f']]",
         "[[0, 1, None]]", "[[0, 1, 'f', 'more']]", "[{'block': 0}]"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("op", "answer"), [(op, answer) for op, row in ANSWERS.items() for answer in row[2]])
def test_an_answer_of_another_form_is_a_violation(jail, op, answer):
    """Whatever is asked; also an empty answer that promises more items."""
    ask, text, _ = ANSWERS[op]

    with pytest.raises(SubmissionStopped, check=forged, match=text):
        ask(jail(FORGER, VALUES_OF, f"worker.do_{op} = lambda request: {answer}", "1 / 0"))


def test_items_that_are_too_large_to_be_sent(jail):
    """A generator of long texts is not a violation; reading it raises TypeError."""
    box = jail("x = ('a' * 50_000 for _ in range(64))")

    with pytest.raises(TypeError, match=r"^list\(x\) is a value that was not read: it is too large$"):
        list(box.get("x"))
    assert box.get("x") is not None


def test_a_definition_is_bounded(jail):
    """Its numbers and its name are cut to fit into a report."""
    box = jail(FORGER, "worker.do_defined = lambda request: [[10 ** 18, 10 ** 15, 'f' * 500]]")

    assert box.defined(["x"]) == [Frame(1 << 30, 1 << 30, "f" * 80)]


def test_a_forged_error_is_bounded(jail):
    """Its type, text and frames are cut to fit into a report."""
    box = jail(
        FORGER,
        """
        worker.failure = lambda error: {
            "type": "T" * 5000, "bases": ["B" * 5000] * 20, "text": "x" * 100_000, "name": "n" * 5000,
            "frames": [[0, 10 ** 30, "f" * 5000]] * 30,
        }
        def fail(): 1 / 0
        """,
    )

    with pytest.raises(StudentError) as caught:
        box.get("fail")()

    error = caught.value
    assert len(error.type) <= 100
    assert len(error.text) <= 2000
    assert len(error.missing_name) <= 100
    assert len(error.frames) <= 6
    assert all(frame.line < 2**31 and len(frame.function) <= 80 for frame in error.frames)


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
