"""The wire under attack: any bytes of a jail are plain data within the caps, or a named violation.

Hypothesis makes the bytes up, the same ones in every run. `fuzz_wire.py` looks further, by coverage.
"""

import random
from copy import deepcopy
from itertools import chain

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from reproducible import the_same_everywhere  # noqa: F401  an autouse fixture
from sampled import WHOLE, every
from stopped import forged
from wire_targets import ASKED, ERROR, Peers, change, decoder, framing, line, messages, session, variants

from grader.manifest import Limits
from grader.sandbox import Sandbox, StudentError, SubmissionStopped, errors, wire
from grader.sandbox.inside import worker
from grader.sandbox.wire import Oversize

fuzz = settings(
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=300 if WHOLE else 50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


# --- Honest values, as either side writes them

CHARACTERS = 'az19é→😀 "\\\n\0\u2028\ud800\udfff'  # lone surrogates too
TEXT = st.lists(st.sampled_from(CHARACTERS), max_size=20).map("".join)  # st.text() would write a cache
NUMBERS = st.integers() | st.integers(-(10**308), 10**308) | st.floats()
SCALARS = st.none() | st.booleans() | st.just(...) | NUMBERS | TEXT
KEYS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)
HONEST = st.recursive(
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


def read(value):
    """Return what the grader reads for a value of the jail."""
    answer = {"n": 1, "v": worker.Jail(-1, -1).encode(value)}
    body = worker._encode_json(answer).encode("utf-8", "replace")
    return wire.decode(wire.unpack(body)["v"], lambda handle: handle)


def told(value):
    """Return what the jail reads for a value of the grader."""
    frame = wire.pack({"v": wire.encode(value, lambda _: None)})
    return worker.Jail(-1, -1).decode(worker._decode_json(frame[4:].decode())["v"])


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
@given(HONEST)
@example([float("nan"), -0.0, float("inf"), {float("nan"), float("nan")}, 2**63, -(2**63) - 1, "\ud800"])
def test_what_the_jail_sends_is_what_is_read(value):
    """The grader reads the same value, of the same types, with a question mark for each lone surrogate."""
    assert form(read(value)) == form(sent(value))


@fuzz
@given(HONEST.map(sent))
def test_what_the_grader_sends_is_what_the_jail_reads(value):
    """The jail reads the same value, of the same types."""
    assert form(told(value)) == form(value)


def cut(value, depth=0):
    """Return a value as the jail writes it, down to its own depth."""
    if depth > worker.MAX_DEPTH:
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
    value = 5
    for wrap in wrappers:
        value = wrap(value)

    assert repr(read(value)) == repr(cut(value))


@fuzz
@given(st.integers(-(10**5000), 10**5000))
@example(10**308 * 2)
@example(-(10**3600))
def test_ints_of_any_size(value):
    """They are read exactly up to the largest float, and marked as not read beyond it."""
    found = read(value)
    try:
        float(value)
    except OverflowError:
        assert isinstance(found, Oversize)
    else:
        assert found == value


# --- Bytes, frames and answers of any kind

MESSAGES = list(chain(*messages()))


@st.composite
def changed(draw, among):
    """One of these messages with a few of its values replaced, removed, wrapped or repeated, as a line."""
    message = deepcopy(draw(st.sampled_from(among)))
    for seed in draw(st.lists(st.integers(0, 2**20), min_size=1, max_size=3)):
        change(message, random.Random(seed))
    return line(message)


@st.composite
def damaged(draw, among):
    """One of these messages as a line with a few of its bytes changed, taken out or put in."""
    body = line(draw(st.sampled_from(among)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(body)))
        body = body[:start] + draw(st.binary(max_size=3)) + body[start + draw(st.integers(0, 3)) :]
    return body


@st.composite
def conversations(draw, wrong):
    """All the answers that a submission gives, that many of them wrong."""
    lines = [b""] * len(ASKED)
    for at in draw(st.lists(st.integers(0, len(ASKED) - 1), min_size=wrong, max_size=wrong)):
        lines[at] = draw(changed(messages()[at]))
    return b"\n".join(lines)


@settings(fuzz, max_examples=1000 if WHOLE else 150)
@given(st.binary() | damaged(MESSAGES) | changed(MESSAGES))
def test_a_body_of_any_bytes(body):
    """It is plain data within the caps, or refused."""
    decoder(body)


PIECES = st.sampled_from([b"\0\0\0\x1b", b'{"n":@,"v":1}', b"\xff\xff\xff\xff", b"\0\0\0\0"])


@fuzz
@given(st.lists(st.binary(max_size=9) | PIECES))
@example([b"\0\0\0\x1b", b'{"n":@,"v":1}'])
def test_a_stream_of_any_bytes(pieces):
    """They are an answer or a named violation."""
    framing(b"".join(pieces))


@pytest.mark.parametrize("at", range(len(ASKED)), ids=lambda at: f"{at} {ASKED[at]}")
def test_one_odd_value(at):
    """At any place of an answer it gives a value, an error of the student's, or a named violation."""
    for odd in every(7, chain.from_iterable(map(variants, messages()[at])), at % 7):
        session(b"\n" * at + line(odd))


@settings(fuzz, max_examples=500 if WHOLE else 60)
@given(conversations(wrong=1) | conversations(wrong=4))
def test_wrong_answers(lines):
    """Several answers that are wrong in several ways are refused too, and the next jail works."""
    session(lines)


# --- What was found


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"v":%s}' % (b"9" * 400), "an invalid value"),
        (b'{"v":{"i":"1_000"}}', "an invalid int"),
        (b'{"v":{"i":" 12 "}}', "an invalid int"),
        ('{"v":{"i":"١٢"}}'.encode(), "an invalid int"),
        (b'{"v":{"i":"0012"}}', "an invalid int"),
        (b'{"v":{"i":"12\\n"}}', "an invalid int"),
        (b'{"v":{"i":"-"}}', "an invalid int"),
        (b'{"v":{"i":"%s"}}' % (b"9" * 4001), "an int of more than 4000 digits"),
        (b'{"v":{"..":[[]]}}', "a value with an unknown tag"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_found_bodies(body, text):
    """Each of these was once read as a valid value."""
    with pytest.raises(SubmissionStopped, check=forged, match=f"sent {text}$"):
        wire.decode(wire.unpack(body)["v"], lambda handle: handle)
    decoder(body)


def test_a_jail_that_dies_of_any_signal():
    """A signal without a name is reported by its number."""
    for number in range(1, 65):
        framing(b"", status=number)


@pytest.mark.parametrize("code", [0, 1, 255])
def test_a_jail_that_ends_with_any_exit_code(code):
    """It counts as a crash, whatever it has sent."""
    framing(b"", status=code << 8)


@pytest.mark.parametrize("size", [-5, 2**63, 10**400])
def test_a_forged_size_of_the_output(size):
    """A negative or huge size is refused."""
    box = Sandbox(Peers(b"\n" * 4 + line({"n": "@", "v": {"size": size, "text": ""}})), ["x = 1"], Limits())

    with pytest.raises(SubmissionStopped, check=forged, match="an invalid output"):
        box.load()


@pytest.mark.parametrize("number", [-1, -(10**400)])
def test_forged_places_of_an_error(number):
    """Negative blocks and lines are refused."""
    error = ERROR | {"frames": [[number, number, "f"]]}
    box = Sandbox(Peers(b"\n" * 6 + line({"n": "@", "e": error})), ["x = 1"], Limits())
    box.load()

    with pytest.raises(SubmissionStopped, check=forged, match="an invalid error"):
        box.get("x")


def test_forged_bases_of_errors():
    """The grader keeps no names of unknown exceptions in memory."""
    known = errors._also.cache_info().currsize
    for i in range(30):
        error = ERROR | {"bases": [f"{i} {j}" for j in range(8)]}
        box = Sandbox(Peers(b"\n" * 6 + line({"n": "@", "e": error})), ["x = 1"], Limits())
        box.load()
        with pytest.raises(StudentError):
            box.get("x")

    assert errors._also.cache_info().currsize - known < 100


@pytest.mark.parametrize("ask", [len, list], ids=["len", "list"])
@pytest.mark.parametrize("value", ["abc", -1, None, {"t": [1]}, {"f": "inf"}], ids=str)
def test_forged_lengths_and_lists(ask, value):
    """A length that is not a number from 0, and items that are not a list, are refused."""
    box = Sandbox(Peers(b"\n" * 7 + line({"n": "@", "v": value})), ["x = 1"], Limits())
    box.load()
    thing = box.get("x")

    with pytest.raises(SubmissionStopped, check=forged):
        ask(thing)
