"""Trials of operations at many points. The grader sends application.py and this file as one text, and calls `probe`.

It reports numbers and notes. It does not judge.
"""

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.application import (  # noqa: TC004  used there, too
        _FUNCTION_TYPES,
        DEEPEST,
        LONGEST,
        _Application,
        _attempt,
        _clock,
        _code,
        _data,
        _Engine,
        _error,
        _function,
        _grad,
        _is_near,
        _like,
        _plain,
        _same,
        _UnreadableEngine,
        _without_collection,
        _written_at,
    )

GIVE_UP = 3  # applications that raise, after which no more are tried
LOOKS = 4  # applications after which it is looked at what the result holds
AGAIN = 3  # points that are tried again
CALLS = 200  # codes of functions that are recorded during one application
_IDLE = {"default", "none", "missing", "not_callable", "hands_back", "hands_function"}
_NO_NODE = {"returns_none", "returns_number", "returns_input"}

# Operations that pass an upstream gradient to a result. The result's gradient shows which of them work.
WRAPS = (
    lambda out, factor: out * factor,
    lambda out, factor: factor * out,
    lambda out, factor: out / (1.0 / factor),
    lambda out, factor: (out + (factor / 2 - _data(out))) ** 2,
)


class _JailTrial:
    """One operation at all its points: on two values, or with a plain number on one side."""

    def __init__(self, engine: "_Engine", ask: Any, shape: str) -> None:
        self.engine, self.ask, self.trials, self.shape = engine, ask, ask["trials"], shape
        self.name, self.variant = ask["name"], ask["variant"]
        self.rows: list[Any] = []
        self.ran: dict[int, Any] = {}  # rules, by the identity of their code
        self.facts: dict[str, Any] = {
            "name": self.name,
            "variant": self.variant,
            "shape": shape,
            "stage": "",
            "error": "",
            "again": True,
            "composite": False,
            "codes": [],
            "rule": None,
            "method": None,
            "defines": False,
            "uses": [],
            "cut": None,
            "unkept": None,
        }

    def application(self, i: int, between: Any = None) -> Any:
        """Return one application in the trial `i` and its row; `between` runs between the two passes."""
        one = None
        try:
            one = _Application(self.engine, self.ask, self.trials[i], self.shape)
            if one.forward():
                # The inputs to which no result so far leads, by anything or by more than functions.
                for key, lost in zip(
                    ("cut", "unkept"), one.lost_inputs() if len(self.rows) < LOOKS else (), strict=False
                ):
                    before = self.facts[key]
                    self.facts[key] = sorted(lost if before is None else lost & set(before))
                if between is not None:
                    between()
                one.back()
        except (Exception, SystemExit):
            # The operation is not at fault: its leaves cannot be set or read.
            if one is None or one.stage not in {"forward", "backward"}:
                raise _UnreadableEngine from None
            self.facts["stage"] = self.facts["stage"] or one.stage
            raise
        return one, one.row()

    def run(self, until: float) -> bool:
        """Make all trials. Return False if the time ran out."""
        for i in range(len(self.trials)):
            if _clock() > until:
                return False
            try:
                one, row = self.application(i)
            except _UnreadableEngine:
                self.facts |= {"again": False, "error": ""}  # nothing is read
                return True
            except (Exception, SystemExit) as error:
                self.facts["error"] = self.facts["error"] or ": ".join(filter(None, _error(error)))[:LONGEST]
                self.rows.append(None)
                if self.rows == [None] * GIVE_UP:
                    break
                continue
            self.rows.append(row)
            self.facts["shape"], self.facts["rule"] = one.shape, self.facts["rule"] or one.rule
            self.facts["composite"] |= any(node is not one.out for node in one.new)
            self.ran |= {id(_code(rule)): rule for rule in (one.rule, *one.inner)}
        self.facts["codes"] = [*dict.fromkeys(map(_written_at, self.ran.values()))][:DEEPEST]
        self.try_again()
        self.look_at_method()
        return True

    def try_again(self) -> None:
        """Repeat the first points: as they were, and with another application between the two passes.

        A rule that then has other numbers is not read: it depends on more than its inputs.
        """
        for i in [i for i, row in enumerate(self.rows) if row is not None][:AGAIN]:
            other = self.trials[(i + AGAIN) % len(self.trials)]
            for between in (None, lambda other=other: _attempt(_apply_forward, self.engine, self.ask, other)):
                _, row = _attempt(self.application, i, between) or (None, [None])
                self.facts["again"] = self.facts["again"] and _same(row[:4], self.rows[i][:4])

    def look_at_method(self) -> None:
        """Note which other operations this one calls, and whether its method made a function."""
        method, handed = (self.engine.method_of(self.name, each) for each in (self.variant, "values"))
        ends = self.ends()
        called = [code for code, _ in ends]
        own = [code for name, _, code in self.engine.methods if name == self.name]
        again = method is not None and called.count(_code(method)) > 1
        self.facts["method"] = method
        self.facts["uses"] = [
            [name, variant]
            for name, variant, code in self.engine.methods
            if name != self.name and code in called and (again or not any(code is mine for mine in own))
        ]
        if self.is_idle:  # of the method, or of the one to which it handed the work
            self.facts["defines"] = _makes_function(method, ends) or _makes_function(handed, ends)

    def ends(self) -> list[Any]:
        """Return the ends of the functions that run while the operation is applied.

        An end is a function's code, with the functions that its names hold at that moment.
        """
        ends: list[Any] = []
        if sys.getprofile() is not None:  # another profiler is active
            return ends

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "return" and len(ends) < CALLS:
                held = [value for value in frame.f_locals.values() if type(value) in _FUNCTION_TYPES]
                ends.append((frame.f_code, held))

        one = _attempt(_Application, self.engine, self.ask, self.trials[0])
        if one is not None:
            sys.setprofile(note)
            _attempt(one.apply)  # its error was reported before
            sys.setprofile(None)
        return ends

    @property
    def notes(self) -> list[set[str]]:
        return [set(row[4].split()) for row in self.rows if row is not None]

    @property
    def made(self) -> list[set[str]]:
        """The notes of the applications that made a node; the others say nothing about rules."""
        return [notes for notes in self.notes if not _NO_NODE & notes]

    @property
    def is_idle(self) -> bool:
        return bool(self.made) and all(_IDLE & notes for notes in self.made)

    def notes_any(self, *words: str) -> bool:
        return any({*words} & notes for notes in self.notes)

    @property
    def raises_back(self) -> bool:
        return not self.notes and self.facts["stage"] == "backward"


def _makes_function(method: Any, ends: list[Any]) -> bool:
    """Return True if a method ran and then held a function that its own code defines."""
    whole: Any = getattr(_function(method), "__code__", None)
    constants = whole.co_consts if whole is not None else ()
    codes = [each for each in constants if type(each) is type(whole) and not each.co_name.startswith("<")]
    made = [each for code, held in ends if code is _code(method) for each in held]
    return any(_code(each) is code for each in made for code in codes)


def _apply_forward(engine: "_Engine", ask: Any, trial: Any) -> "_Application":
    """Return an application after its forward pass."""
    one = _Application(engine, ask, trial)
    one.forward()
    return one


# Engines that have only `backward()`


def _reads_whole(engine: "_Engine", asks: Any) -> bool:
    """Return True if `backward()` seeds with 1, passes upstream gradients on, and reaches the leaves.

    Also finds an operation that passes another upstream gradient to a result.
    """
    reached = False
    ways = {"times": [], "once": []}  # type: dict[str, Any]
    for ask in asks:
        alone, before, after = _attempt(_whole, engine, ask, lambda out: out) or _NOT_WHOLE
        if after is None:  # reported elsewhere
            continue
        if not _is_near(alone, 1.0):
            return False
        reached = reached or not _same(before, after)
        for wrap in WRAPS:
            ways["once"].append(_agrees(engine, ask, lambda out, wrap=wrap: wrap(out, 1.0), after))
            if _agrees(engine, ask, lambda out, wrap=wrap: wrap(out, 2.5), None, 2.5):
                ways["times"].append(wrap)
    engine.wrap = max(WRAPS, key=ways["times"].count)
    return reached and engine.wrap in ways["times"] and False not in ways["once"]


_NOT_WHOLE: Any = (None, None, None)


def _whole(engine: "_Engine", ask: Any, wrap: Any, factor: float = 1.0) -> Any:
    """Return the gradient of a result, and its inputs' gradients before and after `backward()` on `wrap(result)`.

    The gradients before are those of the first point, times `factor`.
    """
    leaves, priors, *rest = ask["trials"][0]
    one = _apply_forward(engine, ask, [leaves, [prior and prior * factor for prior in priors], *rest])
    before = one.read(_grad)
    engine.walk(wrap(one.out))()
    return _grad(one.out), before, one.read(_grad)


def _agrees(engine: "_Engine", ask: Any, wrap: Any, wanted: Any, factor: float = 1.0) -> Any:
    """Return True if the result gets the upstream gradient `factor` and the inputs the wanted gradients; else None.

    Return False if the inputs get other gradients from the same upstream gradient.
    """
    upstream, _, after = _attempt(_whole, engine, ask, wrap) or _NOT_WHOLE
    if not _is_near(upstream, factor):
        return None
    return wanted is None or all(
        got is known if type(known) is not float else _is_near(got, known)
        for got, known in zip(after, wanted, strict=True)
    )


def _clears(engine: "_Engine", asks: Any) -> bool:
    """Return True if `backward()` ignores the gradients that leaves had before, and two uses still add."""
    for ask in asks:
        once, thrice = (_attempt(_whole, engine, ask, lambda out: out, factor) for factor in (1.0, 3.0))
        if once and thrice and not _same(once[2], thrice[2]):
            return False

    def adds() -> bool:
        leaf = engine.make(0.5)
        engine.walk(leaf + leaf)()
        return _is_near(_grad(leaf), 2.0)

    return bool(_attempt(adds))


# Every value


def _leaf(engine: "_Engine", asks: Any) -> dict[str, Any]:
    """Return facts about new leaves: their first gradient, and which of them share one (`all`, `equal` data, or "")."""
    facts = {"start": 0.0, "cleared": False, "shared": "", "init": engine.kind.__init__}
    if engine.forward_only:
        return facts
    pairs = {"all": ((1.37, -0.83), (2.21, 0.71)), "equal": ((1.37, 1.37), (-0.83, -0.83))}
    facts["shared"] = next((word for word, data in pairs.items() if _shares(engine, data)), "")
    numbers = [0.71, -1.74]
    starts = [_grad(engine.make(data)) for data in numbers]
    is_one = type(starts[0]) is float and _same(starts[0], starts[1]) and not _is_near(starts[0], 0.0)
    if is_one or starts == numbers:
        facts["start"], facts["cleared"] = _plain(starts[0]) if is_one else "data", _clears(engine, asks)
    return facts


def _shares(engine: "_Engine", pairs: Any) -> bool:
    """Return True if setting the gradient of one leaf sets that of another leaf with these data."""

    def follows(first: Any, second: Any, number: float) -> bool:
        first.grad = second.grad = _like(second.grad, 7.0)
        second.grad = _like(second.grad, number)
        return _is_near(_grad(first), number)

    made = [[_attempt(engine.make, data) for data in pair] for pair in pairs]
    return all(_attempt(follows, *pair, number) for pair in made for number in (0.3, -0.8))


# Everything


def probe(make: Any, backward: Any, plan: str, seconds: float) -> Any:
    """Try every operation at all its points; return rows and notes as plain data.

    `plan` is a JSON list of asks. A variant is `alone` (one operand), `values`, `number_right`, `number_left`, or `twice`: one
    value on both sides. An ask without trials only names an operation.
    """
    until = _clock() + seconds
    asks = json.loads(plan)
    clears = False
    with _without_collection():
        try:
            engine = _Engine(make, backward, [ask["name"] for ask in asks])
            asks = [ask for ask in asks if ask["trials"]]
            firsts = [*{ask["name"]: ask for ask in reversed(asks)}.values()]  # one of each operation
            trials = _all(engine, asks, "", until)
            if _is_idle(trials) and engine.walk(make(0.5)):
                whole = _reads_whole(engine, firsts)
                clears = whole and _clears(engine, firsts)
                trials = _all(engine, asks, "backward", until) if whole else _without_rules(trials)
            elif (_is_idle(trials) and not hasattr(make(0.5), "_backward")) or _adds_what_is_returned(
                engine, trials
            ):
                trials = _without_rules(trials)
            leaf = _leaf(engine, firsts)
        except _UnreadableEngine:
            return None
    return [clears, leaf, [{**trial.facts, "rows": json.dumps(trial.rows)} for trial in trials]]


def _all(engine: "_Engine", asks: Any, shape: str, until: float) -> list[_JailTrial]:
    trials = [_JailTrial(engine, ask, shape) for ask in asks]
    return [trial for trial in trials if trial.run(until)]


def _is_idle(found: list[_JailTrial]) -> bool:
    """Return True if no operation keeps a rule or pairs that do something on their own."""
    trials = [trial for trial in found if trial.made or trial.raises_back]
    return bool(trials) and all(trial.is_idle or trial.raises_back for trial in trials)


def _adds_what_is_returned(engine: "_Engine", trials: list[_JailTrial]) -> bool:
    """Return True if `backward()` changes gradients where the `_backward` itself changed none and returned a value."""

    def leaves_alone(trial: _JailTrial) -> bool:
        one = _apply_forward(engine, trial.ask, trial.trials[0])
        one.out.grad, before = _like(one.out.grad, 1.0), one.read(_grad)
        engine.walk(one.out)()
        return _same(before, one.read(_grad))

    found = [
        trial
        for trial in trials
        if trial.notes_any("hands_back", "hands_function") and engine.walk(engine.make(0.5))
    ]
    return not all(_attempt(leaves_alone, trial) for trial in found)


def _without_rules(trials: list[_JailTrial]) -> list[_JailTrial]:
    """Return the trials that have a rule: this engine passes the other gradients on in another way."""
    return [
        trial
        for trial in trials
        if not (trial.notes_any("missing", "hands_back", "hands_function") or trial.raises_back)
    ]
