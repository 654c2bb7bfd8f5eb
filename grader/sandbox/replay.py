"""Replay: the recorded requests of a check's tests in one load, sent in one message.

If the submission answers as the reference does, the check has the reference's result. Else nothing of it is kept, and
the check runs from its first test in a load of its own.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import marshal
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import msgspec

from grader.sandbox.errors import StudentError, SubmissionStopped
from grader.sandbox.loading import LOADING
from grader.sandbox.record import Record
from grader.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.sandbox.asked import Replays

SCRIPT_SECONDS = 0.5  # of one script; a check that takes longer runs without a replay, with all of its time
PACKED = 200  # scripts that are kept packed: more than an assignment has
UNTAPED = LOADING | {"look", "shared"}  # no part of what a test asks
_encode = msgspec.json.Encoder().encode


class OtherRequest(BaseException):
    """A request is not the one whose answer was given. A check must not catch it, so it is no Exception."""


class Script(msgspec.Struct, frozen=True, dict=True):
    """Requests in one load, as a list in JSON, and the order of sets."""

    order: str
    requests: bytes

    @cached_property
    def steps(self) -> list[bytes]:
        """Each request in JSON."""
        return [bytes(step) for step in msgspec.json.decode(self.requests, type=list[msgspec.Raw])]

    def message(self) -> tuple[str, dict[str, str]]:
        """Return the requests as they go into a message, and apart from them the code of their helpers."""
        return _packed(self.requests)


@functools.lru_cache(PACKED)
def _packed(requests: bytes) -> tuple[str, dict[str, str]]:
    steps, codes = msgspec.json.decode(requests), dict[str, str]()
    for step in steps:
        if step["op"] == "source":
            with suppress(SyntaxError, ValueError):  # the jail says so
                key, codes[key] = _compiled(step["source"])
                step["source"] = (key,)
    return base64.b64encode(marshal.dumps(steps)).decode(), codes


@functools.lru_cache(PACKED)
def _compiled(source: str) -> tuple[str, str]:
    """Return a name for helper code, which many scripts share, and the code. Raises SyntaxError and ValueError."""
    code = marshal.dumps(compile(source, "<helper>", "exec", dont_inherit=True, optimize=0))
    return hashlib.sha256(code).hexdigest()[:16], base64.b64encode(code).decode()


class Answered(msgspec.Struct):
    """The answers to a script, in its order, an error as `{"e": ...}`, and the seconds that they took without the load."""

    script: Script
    answers: list[Any]
    seconds: float


class Tape(msgspec.Struct):
    """The requests of some tests in one load, each in JSON, and the answers as a replay gives them."""

    requests: list[bytes] = []
    answers: list[Any] = []
    is_torn: bool = False  # True if there was another load amid them

    @property
    def script(self) -> bytes:
        """The requests as a list in JSON."""
        return b"[" + b",".join(self.requests) + b"]"

    def is_equal(self, answered: Answered) -> bool:
        """Return True if these answers are the same, to the bit."""
        return _encode(self.answers) == _encode(answered.answers)

    def note(self, answer: dict[str, Any]) -> None:
        """Write down an answer, an error without its frames and what these hold."""
        error = {key: value for key, value in answer.get("e", {}).items() if key not in {"frames", "held"}}
        self.answers.append({"e": error} if error else answer.get("v"))


class ReplayingSandbox(Sandbox):
    """A sandbox that replays scripts; on a `tape` it writes down what is asked."""

    script_seconds = SCRIPT_SECONDS
    tape: Tape | None = None
    _noting: Tape | None = None  # while a request that is taped is carried out
    _given: Iterator[tuple[bytes, Any]] | None = None
    _holder: object = None  # the jail that has the code of these helpers
    _held: frozenset[str] = frozenset()

    def replay(self, script: Script, left: float) -> Answered | None:
        """Load afresh and send the script; return the answers, None if there is not one to each request.

        A script has `left` seconds, and `script_seconds` at most. None also if the submission reached a limit or ended
        its process; then it is charged for nothing, and its jail is closed.
        """
        try:
            if not self._loaded:
                with self.budget.load(script.order):
                    self._load_first()
            return self._replay(script, min(left, self.script_seconds))
        except (SubmissionStopped, StudentError):
            self._end()
            return None

    def _replay(self, script: Script, left: float) -> Answered | None:
        with self.budget.load(script.order):
            with self._load_seconds():
                self._open()
                process = cast("Replays", self._process)
                self._holder, self._held = process, self._held if self._holder is process else frozenset()
                requests, codes = script.message()
                new = {key: code for key, code in codes.items() if key not in self._held}
                self._held |= codes.keys()
                message = {"op": "replay", "order": script.order, "blocks": self._good_blocks()}
                process.received = 0
                with self._in_time() as until:
                    process.send(message | {"requests": requests, "codes": new}, until)
                self._order, self._serves = script.order, False
                failures = self._received()
            self._note_new_failures(self._value(failures))
        answered, started = None, self.budget.now
        try:
            with self.budget.within("check_seconds", left):
                answered = self._read(script, self._received(), started)
        finally:
            if answered is None:
                self.budget.waste(self.budget.now - started)
        return answered

    def _read(self, script: Script, answer: dict[str, Any], started: float) -> Answered | None:
        """Return the answers to a script; None if they are too large for one message."""
        answers = answer.get("v")
        if isinstance(answers, dict) or "e" in answer:
            return None
        if not isinstance(answers, list) or len(answers) > len(script.steps):
            raise self.violation("invalid answers to a script")
        if len(answers) != len(script.steps):
            return None
        return Answered(script, answers, self.budget.now - started)

    def _received(self) -> dict[str, Any]:
        with self._in_time() as until:
            return cast("Replays", self._process).receive(until)

    # Tapes

    def load(self, order: str = "forward") -> None:
        """Load as a Sandbox does; a tape with requests has a second load then."""
        if self.tape is not None and self.tape.requests:
            self.tape.is_torn = True
        super().load(order)

    def _taped(self, request: dict[str, Any]) -> Any:
        if self.tape is None or self.watcher is not None or request["op"] in UNTAPED:
            return super().request(request)
        self.tape.requests.append(_encode(request))
        self._noting = self.tape
        try:
            return super().request(request)
        finally:
            self._noting = None

    def _value(self, answer: dict[str, Any]) -> Any:
        if self._noting is not None:
            self._noting.note(answer)
        return super()._value(answer)

    # Given answers

    @contextmanager
    def given(self, answers: Sequence[tuple[bytes, Any]]) -> Iterator[None]:
        """Answer the requests in the block from these pairs of request and answer. Raises OtherRequest for another one."""
        self._given = iter(answers)
        try:
            yield
        finally:
            self._given = None

    def ready(self, order: str) -> None:
        """Load as a Sandbox does; where answers are given there is nothing to load."""
        if self._given is None:
            super().ready(order)
        else:
            self.record = Record()

    def request(self, request: dict[str, Any]) -> Any:
        """Return the given answer, or send the request."""
        if self._given is None or self._muted or request["op"] in LOADING:
            return self._taped(request)
        step, answer = next(self._given, (b"", None))
        if step != _encode(request):
            raise OtherRequest
        if isinstance(answer, dict) and "e" in answer:
            raise self._student_error(answer["e"] | {"frames": []})
        return answer
