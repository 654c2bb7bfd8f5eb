"""Replay: sends the recorded requests of a check's tests in one message, in one load.

If the submission's replies equal those of the reference, the check has the reference's result. Otherwise the replies are
dropped, and the check runs from its first test in a fresh load.
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

SCRIPT_SECONDS = 0.5  # for one script; a check that takes longer runs without a replay, with its full time
PACKED = 200  # packed scripts in the cache: more than an assignment has
UNTAPED = LOADING | {"look", "shared"}  # not sent by tests
_encode = msgspec.json.Encoder().encode


class OtherRequest(BaseException):
    """A request differs from the one that was answered. Not an Exception, so that no check catches it."""


class Script(msgspec.Struct, frozen=True, dict=True):
    """The requests of one load as a JSON list, and the order of sets."""

    order: str
    requests: bytes

    @cached_property
    def steps(self) -> list[bytes]:
        """Each request in JSON."""
        return [bytes(step) for step in msgspec.json.decode(self.requests, type=list[msgspec.Raw])]

    def message(self) -> tuple[str, dict[str, str]]:
        """Return the requests for a message, and the code of their helpers separately."""
        return _pack(self.requests)


@functools.lru_cache(PACKED)
def _pack(requests: bytes) -> tuple[str, dict[str, str]]:
    steps, codes = msgspec.json.decode(requests), dict[str, str]()
    for step in steps:
        if step["op"] == "source":
            with suppress(SyntaxError, ValueError):  # the jail says so
                key, codes[key] = _compile_helper(step["source"])
                step["source"] = (key,)
    return base64.b64encode(marshal.dumps(steps)).decode(), codes


@functools.lru_cache(PACKED)
def _compile_helper(source: str) -> tuple[str, str]:
    """Return a name for helper code that many scripts share, and the compiled code. Raises SyntaxError, ValueError."""
    code = marshal.dumps(compile(source, "<helper>", "exec", dont_inherit=True, optimize=0))
    return hashlib.sha256(code).hexdigest()[:16], base64.b64encode(code).decode()


class ScriptReplies(msgspec.Struct):
    """The replies to a script, in its order, with errors as `{"e": ...}`, and their seconds without the load."""

    script: Script
    answers: list[Any]
    seconds: float


class Tape(msgspec.Struct):
    """A recording: the requests of some tests in one load, each in JSON, and their replies in the form of a replay."""

    requests: list[bytes] = []
    answers: list[Any] = []
    is_torn: bool = False  # True if another load interrupted them

    @property
    def script(self) -> bytes:
        """The requests as a list in JSON."""
        return b"[" + b",".join(self.requests) + b"]"

    def is_equal(self, answered: ScriptReplies) -> bool:
        """Return True if the replies are equal to the bit."""
        return _encode(self.answers) == _encode(answered.answers)

    def note(self, answer: dict[str, Any]) -> None:
        """Record a reply; of an error, neither frames nor held values."""
        error = {key: value for key, value in answer.get("e", {}).items() if key not in {"frames", "held"}}
        self.answers.append({"e": error} if error else answer.get("v"))


class ReplayingSandbox(Sandbox):
    """A sandbox that replays scripts; a `tape` records its requests."""

    script_seconds = SCRIPT_SECONDS
    tape: Tape | None = None
    _noting: Tape | None = None  # while a request that is taped is carried out
    _given: Iterator[tuple[bytes, Any]] | None = None
    _holder: object = None  # the jail that has the code of these helpers
    _held: frozenset[str] = frozenset()

    def replay(self, script: Script, left: float) -> ScriptReplies | None:
        """Load afresh and send the script; return the replies, or None unless every request has one.

        The limit is `left` seconds, at most `script_seconds`. Also returns None if the submission reached a limit or ended
        its process; then nothing is charged, and the jail is closed.
        """
        try:
            if not self._loaded:
                with self.budget.load(script.order):
                    self._load_first()
            return self._replay(script, min(left, self.script_seconds))
        except (SubmissionStopped, StudentError):
            self._end()
            return None

    def _replay(self, script: Script, left: float) -> ScriptReplies | None:
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
                failures = self._receive()
            self._note_new_failures(self._value(failures))
        answered, started = None, self.budget.now
        try:
            with self.budget.within("check_seconds", left):
                answered = self._read(script, self._receive(), started)
        finally:
            if answered is None:
                self.budget.waste(self.budget.now - started)
        return answered

    def _read(self, script: Script, answer: dict[str, Any], started: float) -> ScriptReplies | None:
        """Return the replies to a script; None if they are too large for one message."""
        answers = answer.get("v")
        if isinstance(answers, dict) or "e" in answer:
            return None
        if not isinstance(answers, list) or len(answers) > len(script.steps):
            raise self.violation("invalid replies to a script")
        if len(answers) != len(script.steps):
            return None
        return ScriptReplies(script, answers, self.budget.now - started)

    def _receive(self) -> dict[str, Any]:
        with self._in_time() as until:
            return cast("Replays", self._process).receive(until)

    # Tapes

    def load(self, order: str = "forward") -> None:
        """Load as a Sandbox does; a load after the first request tears the tape."""
        if self.tape is not None and self.tape.requests:
            self.tape.is_torn = True
        super().load(order)

    def _tape(self, request: dict[str, Any]) -> Any:
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

    # Given replies

    @contextmanager
    def given(self, answers: Sequence[tuple[bytes, Any]]) -> Iterator[None]:
        """Answer the requests in the block from these (request, reply) pairs. Raises OtherRequest for any other request."""
        self._given = iter(answers)
        try:
            yield
        finally:
            self._given = None

    def ready(self, order: str) -> None:
        """Load as a Sandbox does; given replies need no load."""
        if self._given is None:
            super().ready(order)
        else:
            self.record = Record()

    def request(self, request: dict[str, Any]) -> Any:
        """Return the given reply, or send the request."""
        if self._given is None or self.is_muted or request["op"] in LOADING:
            return self._tape(request)
        step, answer = next(self._given, (b"", None))
        if step != _encode(request):
            raise OtherRequest
        if isinstance(answer, dict) and "e" in answer:
            raise self._student_error(answer["e"] | {"frames": []})
        return answer
