"""Sends, while it is asked something, every kind of bytes that is not an answer; CASE says which.

told: a message of 4294967295 bytes
"""

import json
import os
import sys
import threading
import time


def raw(data):
    while data:
        data = data[os.write(3, data) :]


def send(body):
    """A frame; @ is the number of the question that the caller has been asked."""
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    body = body.encode() if isinstance(body, str) else body
    body = body.replace(b"@", b"%d" % frame.f_locals["request"]["n"])
    raw(len(body).to_bytes(4, "big") + body)


def value(text):
    send('{"n":@,"v":' + text + "}")


def error(**fields):
    plain = {"type": "E", "bases": [], "text": "", "name": "", "frames": []}
    send('{"n":@,"e":' + json.dumps(plain | fields) + "}")


def flood():
    while True:
        raw(b'\0\0\0\7{"n":1}')


def many(pattern, numbers):
    return ",".join(pattern % number for number in numbers)


PRIME = 2**61 - 1  # its multiples share a hash
NOT_ASKED = "a reply that belongs to no request"
NO_MESSAGE = "bytes that are not a message"
NO_VALUE = "an invalid value"
NO_TAG = "a value with an unknown tag"
NO_HANDLE = "an invalid handle"
NO_ERROR = "an invalid error"
OUT_OF_TIME = "limit `check_seconds`"

# What is sent, and a part of what the student is told: nothing where the answer itself was a good one.
AFTERWARDS = ""
CASES = {
    # frames
    "the longest length": ("a message of 4294967295 bytes", lambda: raw(b"\xff" * 4)),
    "a length with a sign": ("a message of 2147483648 bytes", lambda: raw(b"\x80\0\0\0")),
    "just over the cap": ("a message of 1048641 bytes", lambda: raw(b"\0\x10\0\x41" + b" " * (1 << 20))),
    "nothing": (NO_MESSAGE, lambda: raw(bytes(4))),
    "half a length": (OUT_OF_TIME, lambda: (raw(b"\0\0"), time.sleep(9))),
    "half a frame and the end": ("ended its own Python process", lambda: (raw(b"\0\0\1\0{"), os._exit(0))),
    "half a frame and an answer": (OUT_OF_TIME, lambda: raw(b"\0\0\1\0{")),
    "a flood": (NOT_ASKED, flood),
    "a flood beside it": (AFTERWARDS, lambda: threading.Thread(target=flood, daemon=True).start()),
    "bytes after the answer": (AFTERWARDS, lambda: (value('"held"'), raw(b"garbage"))),
    "two answers": (AFTERWARDS, lambda: value('"held"')),
    # JSON
    "no UTF-8": (NO_MESSAGE, lambda: send(b'{"n":@,"v":"\xff"}')),
    "UTF-16": (NO_MESSAGE, lambda: send('{"n":1,"v":1}'.encode("utf-16"))),
    "a mark of byte order": (NO_MESSAGE, lambda: send(b'\xef\xbb\xbf{"n":@,"v":1}')),
    "NaN": (NO_MESSAGE, lambda: value("NaN")),
    "Infinity": (NO_MESSAGE, lambda: value("-Infinity")),
    "a number beyond all": (NO_MESSAGE, lambda: value("1e999999")),
    "half a surrogate": (NO_MESSAGE, lambda: value(r'"\ud800"')),
    "deep lists": (NO_MESSAGE, lambda: value("[" * 100_000 + "]" * 100_000)),
    "deep objects": (NO_MESSAGE, lambda: value('{"a":' * 100_000 + "1" + "}" * 100_000)),
    "deep values": ("nested more than 64 deep", lambda: value('{"l":[' * 60 + "1" + "]}" * 60)),
    "deeper than a jail sends": (NO_VALUE, lambda: value('{"l":[' * 20 + "1" + "]}" * 20)),
    "a list": ("a message that is not an object", lambda: send("[@]")),
    "a number": ("a message that is not an object", lambda: send("@")),
    # numbers of questions
    "another number afterwards": (NOT_ASKED, lambda: send('{"n":@,"v":1,"n":0}')),
    "another number before": ("the number 1", lambda: send('{"n":0,"v":1,"n":@}')),
    "true for a number": (NOT_ASKED, lambda: send('{"n":true,"v":1}')),
    "a text for a number": (NOT_ASKED, lambda: send('{"n":"@","v":1}')),
    "no number": (NOT_ASKED, lambda: send('{"v":1}')),
    "the number below zero": (NOT_ASKED, lambda: send('{"n":-@,"v":1}')),
    "the number as a float": (NOT_ASKED, lambda: send('{"n":@.0,"v":"held"}')),
    # neither a value nor an error
    "nothing but the number": ("neither a value nor an error", lambda: send('{"n":@}')),
    "no error": (NO_ERROR, lambda: send('{"n":@,"v":"held","e":null}')),
    "a text for an error": (NO_ERROR, lambda: send('{"n":@,"e":"x"}')),
    "an empty error": (NO_ERROR, lambda: send('{"n":@,"e":{}}')),
    "frames that are none": (NO_ERROR, lambda: error(frames={"a": 1})),
    "frames of wild things": (NO_ERROR, lambda: error(frames=[[None, {}, []]])),
    "frames beyond everything": (NO_ERROR, lambda: error(frames=[["9" * 9_000, "1", "f"]])),
    "frames of no number": (NO_ERROR, lambda: error(frames=[[1e308, -1e308, "f"]])),
    "frames far away": ("E.", lambda: error(frames=[[10**9, 10**9, "f"]])),
    "bases of wild things": (NO_ERROR, lambda: error(type=[1], bases=[None, {}])),
    "bases that are none": (
        "Odd: 7.",
        lambda: error(type="Odd", text="7", bases=["print", "\0", "x" * 9_000]),
    ),
    "an exit": ("SystemExit.", lambda: error(type="SystemExit", bases=["SystemExit", "KeyboardInterrupt"])),
    # values
    "a value for another question": (NO_TAG, lambda: value('{"missing":1}')),
    "a pickle": (NO_TAG, lambda: value('{"pickle":"Y29zCnN5c3RlbQo="}')),
    "two tags": ("a value with several tags", lambda: value('{"l":[],"t":[]}')),
    "a bare list": (NO_VALUE, lambda: value("[1]")),
    "a float that JSON has": (NO_TAG, lambda: value('{"f":"1.0"}')),
    "not a number": ("nan", lambda: value('{"f":"nan"}')),
    "less than nothing": ("-0", lambda: value("-0.0")),
    "too many digits": ("an int of more than 4000 digits", lambda: value('{"i":"' + "9" * 5_000 + '"}')),
    "no digits": ("an invalid int", lambda: value('{"i":"0x10"}')),
    "too many values": ("more than 20000 values", lambda: value('{"l":[' + "1," * 99_999 + "1]}")),
    "too long a text": ("a text of more than 65536", lambda: value('"' + "x" * 99_999 + '"')),
    "keys that collide": (
        "keys that share a hash",
        lambda: value('{"s":[' + many('{"i":"%d"}', range(8 * PRIME, 19_000 * PRIME, PRIME)) + "]}"),
    ),
    "keys that have no hash": ("an unhashable dict key", lambda: value('{"d":[[{"l":[]},1]]}')),
    "pairs that are none": ("a dict whose items are not pairs", lambda: value('{"d":[[1,2,3]]}')),
    "a set of lists": ("a set with unhashable items", lambda: value('{"s":[{"l":[]}]}')),
    "an array where there are none": (NO_TAG, lambda: value('{"a":["float64",[1],"\u00e9AAAAAAAA+H8="]}')),
    "controls": (r"a\x00b\x1b[2J", lambda: value(r'"a\u0000b\u001b[2J"')),
    # handles
    "a handle below zero": (NO_HANDLE, lambda: value('{"h":-1,"k":"instance","c":"V"}')),
    "a handle that is true": (NO_HANDLE, lambda: value('{"h":true,"k":"instance","c":"V"}')),
    "a handle beyond all": (NO_HANDLE, lambda: value('{"h":9007199254740992,"k":"instance","c":"V"}')),
    "a handle of no kind": (NO_HANDLE, lambda: value('{"h":1,"k":"spaceship","c":"V"}')),
    "a handle of too much": (NO_HANDLE, lambda: value('{"h":1,"k":"instance","c":"V","x":1}')),
    "a handle that lies": ("the class ApproxScalar", lambda: value('{"h":9,"k":"class","c":"ApproxScalar"}')),
    "a handle of nothing": ("a str", lambda: value('{"h":123456,"k":"instance","c":"str"}')),
    "many handles": (
        "a list of 18999 entries",
        lambda: value('{"l":[' + many('{"h":%d,"k":"instance","c":"V"}', range(1, 19_000)) + "]}"),
    ),
}
CASE = "the longest length"


def attack():
    CASES[CASE][1]()
    return "held"


def answer():
    return 1.0
