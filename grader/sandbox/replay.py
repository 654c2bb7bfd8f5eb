"""Replay: the recorded requests of a test, sent in one message; their answers are kept for the test.

A test is a function of the answers that it reads. While its requests are those of its script, a test that runs
after the replay gets the kept answers. At its first other request the submission is loaded afresh, gets the same
requests again, and must give the same answers; then the test goes on in the jail.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import marshal
from contextlib import contextmanager, nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import msgspec

from grader.sandbox.errors import StudentError, SubmissionStopped
from grader.sandbox.record import Record
from grader.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.sandbox.asked import Replays

WASTE_SECONDS = 5.0  # of one submission: the wall time of replays that decided nothing; then no more are made
SCRIPT_SECONDS = (
    0.5  # of one script; a test that takes longer runs without a replay, with all of its check's time
)
PACKED = 1_000  # scripts that are kept packed
_encode = msgspec.json.Encoder().encode


def _seconds(answer: dict[str, Any]) -> float:
    """Return the seconds of a script by the jail's clock; what they leave is counted for the scripts after it."""
    own = answer.get("seconds")
    return max(0.0, own) if isinstance(own, float) else 0.0


class NotRepeatable(BaseException):
    """The submission answered the same requests differently. A check must not catch it, so it is no Exception."""


class Script(msgspec.Struct, frozen=True, dict=True):
    """The requests of one test, as a list in JSON, and its order of sets."""

    order: str
    requests: bytes

    @cached_property
    def steps(self) -> list[bytes]:
        """Each request in JSON."""
        return [bytes(step) for step in msgspec.json.decode(self.requests, type=list[msgspec.Raw])]

    def message(self) -> dict[str, Any]:
        """Return the script as it goes into a request."""
        return {"order": self.order, "requests": _packed(self.requests)[0]}

    def codes(self) -> dict[str, str]:
        """Return the code of the script's helpers by the name that its message has for it."""
        return _packed(self.requests)[1]

    def names(self, count: int) -> set[str]:
        """Return the names of the submission's that the first requests ask for."""
        return {name for i, name in self._names.items() if i < count}

    @cached_property
    def _names(self) -> dict[int, str]:
        requests = msgspec.json.decode(self.requests, type=list[dict[str, Any]])
        return {i: request["name"] for i, request in enumerate(requests) if request["op"] == "get"}

    def until(self, count: int) -> Script:
        """Return the script of the first requests."""
        return Script(self.order, b"[" + b",".join(self.steps[:count]) + b"]")


@functools.lru_cache(PACKED)
def _packed(requests: bytes) -> tuple[str, dict[str, str]]:
    """Return requests in the form that the jail reads fastest, and apart from them the code of their helpers."""
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


class Answered(msgspec.Struct, dict=True):
    """The answers to a script, in its order. An error is `{"e": ...}`; its frames, and what they hold, stand in `frames`."""

    script: Script
    answers: list[Any] = []
    frames: dict[int, Any] = {}
    loading: float = 0.0  # seconds that were charged
    seconds: float = 0.0  # without loading
    read: int = 0  # answers that the test has read
    left: bool = False  # the test sent another request than the script has
    repeatable: bool = True  # False once the submission has answered the same requests differently

    @property
    def complete(self) -> bool:
        """True if there is an answer to every request."""
        return len(self.answers) == len(self.script.steps)

    @property
    def decided(self) -> bool:
        """True if a test has read all answers and sent no other request."""
        return self.read == len(self.script.steps) and not self.left

    @cached_property
    def texts(self) -> list[bytes]:
        """Each answer in JSON, errors with their frames and what these hold: nobody reads another student's values."""
        return [_encode([answer, self.frames.get(i)]) for i, answer in enumerate(self.answers)]

    def repeats(self, other: Answered) -> bool:
        """Return True if the answers are the first ones of `other`; what frames hold may differ, such as random numbers."""
        return self.answers == other.answers[: len(self.answers)] and len(self.answers) == other.read

    def next_if(self, request: dict[str, Any]) -> bool:
        """Return True, and count the answer as read, if the next request of the script is this one."""
        expected = self.read < len(self.script.steps) and self.script.steps[self.read] == _encode(request)
        self.read += expected
        return expected


class ReplayingSandbox(Sandbox):
    """A sandbox that replays scripts, and runs a test with the answers that it kept."""

    script_seconds = SCRIPT_SECONDS
    _kept: Answered | None = None
    _holder: object = None  # the jail that has the code of these helpers
    _held: frozenset[str] = frozenset()

    def replay(self, scripts: Sequence[Script], left: float) -> list[Answered]:
        """Send the scripts in one message; return the answers to each.

        `left` is what is left of the check's seconds. There are fewer answers than scripts if the submission reached
        a limit or ended its process; then the next load opens a new jail, and is not charged to the submission.
        """
        found: list[Answered] = []
        try:
            self._load_for(scripts[0].order)
        except (SubmissionStopped, StudentError):
            return found
        try:
            started = self.budget.now
            for answered in self._replay(scripts, min(left, WASTE_SECONDS - self.budget.wasted)):
                found.append(answered)
                started = self.budget.now
        except (SubmissionStopped, StudentError):
            self.budget.waste(self.budget.now - started)
            self.budget.owes_a_load = True
            self._end()
        return found

    def _load_for(self, order: str) -> None:
        """Load unless the last load was in this order: a load that every way needs, so it counts."""
        if self._loaded and self._order == order:
            return
        with self.budget.load():
            self._load(order) if self._loaded else self._load_first()

    @property
    def may_replay(self) -> bool:
        """True until a call has hung, or too much time went into replays that decided nothing."""
        return self.budget.wasted < WASTE_SECONDS and not self.hangs.found

    def _replay(self, scripts: Sequence[Script], left: float | None = None) -> Iterator[Answered]:
        """Replay the scripts within `left` seconds, quick loads included; one script gets `script_seconds` at most.

        Without `left` within the caller's budget; then loads have a budget of their own.
        """
        with self._load_seconds():
            self._open()
        process = cast("Replays", self._process)
        if self._holder is not process:
            self._holder, self._held = process, frozenset()
        codes = {key: code for script in scripts for key, code in script.codes().items()}
        new = {key: code for key, code in codes.items() if key not in self._held}
        self._held |= codes.keys()
        message = {"op": "replay", "blocks": self._good_blocks(), "codes": new, "apart": left is None}
        message["scripts"] = [script.message() for script in scripts]
        with self._in_time() as until:
            process.send(message, until)
        waited = 0.0  # seconds that are still to be counted
        for number, script in enumerate(scripts, start=1):
            found, started, self._order = Answered(script), self.budget.now, script.order
            process.received = 0
            own = None if left is None else min(left, self.script_seconds)
            most = self.limits.load_seconds if own is None else min(self.limits.load_seconds, own - waited)
            with self.budget.within("load_seconds", most):
                answer = self._received()
                if has_loaded := "frames" not in answer:  # the answers come in a frame of their own
                    self._note_new_failures(self._value(answer))
            if has_loaded:
                found.loading, waited = waited + self.budget.now - started, 0.0
            found.loading = self.budget.loaded(found.loading)
            if has_loaded:
                started = self.budget.now
                with nullcontext() if own is None else self.budget.within("check_seconds", own):
                    answer = self._received()
            self._take(found, answer)
            waited += self.budget.now - started
            more = number < len(scripts) and process.has_more
            found.seconds = min(waited, _seconds(answer)) if more else waited
            waited -= found.seconds
            left = None if left is None else left - found.seconds
            yield found

    def _take(self, found: Answered, answer: dict[str, Any]) -> None:
        """Read the answers to a script; none if they are too large for one message."""
        answers, frames = answer.get("v"), answer.get("frames", [])
        if isinstance(answers, dict) or "e" in answer:
            return
        if not isinstance(answers, list) or len(answers) > len(found.script.steps):
            raise self.violation("invalid answers to a script")
        with self.reading("invalid frames"):
            found.frames = (
                dict(msgspec.convert(frames, list[tuple[int, dict[str, Any]]])) if frames != [] else {}
            )
        found.answers = answers

    def _received(self) -> dict[str, Any]:
        with self._in_time() as until:
            return cast("Replays", self._process).receive(until)

    # Kept answers

    @contextmanager
    def kept(self, answers: Answered | None) -> Iterator[None]:
        """Answer the requests in the block from these answers, as long as they are those of the script."""
        if answers is not None:
            answers.read, answers.left = 0, False
        self._kept = answers
        try:
            yield
        finally:
            self._kept = None

    def load(self, order: str = "forward") -> None:
        """Load as a Sandbox does. With kept answers there is nothing to load yet; after one was read, they are left."""
        if (kept := self._kept) is not None and not kept.read:
            self.record = Record()
            return
        if kept is not None:
            self._kept, kept.left = None, True
        super().load(order)

    def request(self, request: dict[str, Any]) -> Any:
        """Return the kept answer, or send the request. Raises NotRepeatable beside what a Sandbox raises."""
        kept = self._kept
        if kept is None or self._muted:
            return super().request(request)
        if not kept.next_if(request):
            self._kept, kept.left = None, True
            self._catch_up(kept)
            return super().request(request)
        index = kept.read - 1
        answer = kept.answers[index]
        if isinstance(answer, dict) and "e" in answer:
            error = answer["e"]
            own = kept.frames.get(index, {"frames": []})
            raise self._student_error(error | own if isinstance(error, dict) else error)
        return answer

    def _catch_up(self, kept: Answered) -> None:
        """Load afresh and repeat the requests so far. Raises NotRepeatable where an answer differs."""
        (again,) = self._undisturbed(lambda: list(self._replay([kept.script.until(kept.read)])))
        if not again.repeats(kept):
            kept.repeatable = False
            raise NotRepeatable
