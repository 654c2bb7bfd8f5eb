"""Tries operations at many points; runs in the jail, alone, below the text of application.py.

The grader calls `probe`. Nothing here judges: numbers and notes go back.
"""

import gc
import json
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # in the jail both files are one text
    from grader.autograd.inside.application import (  # noqa: TC004  used there, too
        Application,
        Engine,
        Stuck,
        _code,
        _data,
        _function,
        _grad,
        _inner_codes,
        _is_near,
        _plain,
        _same,
    )

GIVE_UP = 3  # applications that raise alike, after which no more are tried
OLDER = 8  # at one point in so many an older node is watched
AGAIN = 3  # points that are tried again
DEEPEST = 8  # codes of rules that are told of an operation
CALLS = 200  # of functions, that are noted of one application
TEXT = 200  # characters of an error
_IDLE = {"default", "none", "missing", "not_callable", "hands_back"}
_NO_NODE = {"returns_none", "returns_number", "returns_input"}
_clock = time.perf_counter

# Ways to hand an upstream gradient on to a result. Which of them are right shows at the result.
WRAPS = (
    lambda out, factor: out * factor,
    lambda out, factor: factor * out,
    lambda out, factor: out / (1.0 / factor),
    lambda out, factor: (out + (factor / 2 - _data(out))) ** 2,
)


class Trial:
    """One operation at all its points: on two values, or with a plain number on one side."""

    def __init__(self, engine: "Engine", ask: Any, variant: str, shape: str) -> None:
        self.engine, self.name, self.points = engine, ask["name"], ask["points"]
        if variant in ask["few"]:
            self.points = [self.points[i] for i in ask["few"][variant]]
        self.variant, self.shape, self.found = variant, shape, shape
        self.rows: list[Any] = []
        self.told: dict[str, Any] = {"variant": variant, "stage": "", "error": "", "stuck": False}
        self.told.update(again=True, later=True, composite=False, codes=[], rule=None, method=None)
        self.told.update(defines=False, early=False, uses=[])

    def application(self, i: int, between: Any = None) -> Any:
        """One application at the point `i`, and its row; `between` runs between the two passes."""
        one = None
        try:
            one = Application(self.engine, self.name, self.variant, self.points[i], self.shape)
            if not one.forward():
                return one, [0.0, _plain(_data(one.out)), None, None, " ".join(sorted(one.notes)), None, None]
            if between is not None:
                between()
            one.back()
        except (Exception, SystemExit):
            if one is None or not one.stage:  # not by the operation: its leaves cannot be set or read
                raise Stuck from None
            self.told["stage"] = self.told["stage"] or one.stage
            raise
        return one, one.row()

    def older(self, i: int) -> Any:
        """The nodes of an application whose backward pass is still to come, and what they hold."""
        try:
            old = Application(self.engine, self.name, self.variant, self.points[i % len(self.points)])
            old.forward()
            nodes = [*old.inputs, *old.new]
            if not self.engine.forward_only:
                old.out.grad = 0.77
        except (Exception, SystemExit):
            nodes = []
        return nodes, [[_grad(node), _data(node)] for node in nodes]

    def run(self, until: float) -> bool:
        """Try all points. False where there was no time."""
        raised = 0
        for i in range(len(self.points)):
            if _clock() > until:
                return False
            nodes, held = self.older(i + 1) if i % OLDER == 1 else ([], [])
            try:
                one, row = self.application(i)
            except Stuck:
                self.told["stuck"] = True
                return True
            except (Exception, SystemExit) as error:
                self.told["error"] = self.told["error"] or _told(error)
                self.rows.append(None)
                raised += 1
                if raised == len(self.rows) == GIVE_UP:
                    break
                continue
            if not _same(held, [[_grad(node), _data(node)] for node in nodes]):
                row[4] += " changes_older"
            self.rows.append(row)
            self.keep(one)
        self.try_again()
        self.look_at_method()
        return True

    def keep(self, one: "Application") -> None:
        """Keep the rule that was read, and which other ones it was made of."""
        self.found = one.shape
        told = self.told
        told["rule"] = told["rule"] or one.rule
        told["composite"] = told["composite"] or any(node is not one.out for node in one.new)
        for rule in [one.rule, *one.inner]:
            number = -1 if rule is None else self.engine.code_number(rule)
            if number not in told["codes"] and len(told["codes"]) < DEEPEST:
                told["codes"].append(number)

    def try_again(self) -> None:
        """Repeat the first points: as they were, and with another application between the two passes."""
        picked = [i for i, row in enumerate(self.rows) if row is not None][:AGAIN]
        for i in picked:
            for key, between in (("again", None), ("later", lambda i=i: self.older(i + AGAIN))):
                try:
                    _, row = self.application(i, between)
                except (Exception, SystemExit):
                    row = [None]
                if not _same(row[:4], self.rows[i][:4]):
                    self.told[key] = False

    def look_at_method(self) -> None:
        """Note which other operations this one calls and, where no rule was left, if its code defines one that ran."""
        method = self.engine.method_of(
            self.name, "number_left" if self.variant == "number_left" else "values"
        )
        codes, called = _inner_codes(_function(method)), self.called()
        own = [known for known in self.engine.methods if known[0] == self.name]
        others = [known for known in self.engine.methods if known[0] != self.name]
        calls = called.count(_code(method)) if method is not None else 0
        shared = [known for known in others if any(known[2] is mine[2] for mine in own)]
        used = [known for known in others if known[2] in called and (known not in shared or calls > 1)]
        self.told["method"] = method
        self.told["uses"] = [[name, variant] for name, variant, _ in used]
        if self.notes and all(found & (_IDLE | {"ran_early"}) for found in self.notes):
            self.told["defines"] = bool(codes)
            self.told["early"] = any(code in called for code in codes)

    def called(self) -> list[Any]:
        """The codes of the functions that run while the operation is applied."""
        if sys.getprofile() is not None:  # somebody else's profiler is at work
            return []
        seen: list[Any] = []

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "call" and len(seen) < CALLS:
                seen.append(frame.f_code)

        try:
            one = Application(self.engine, self.name, self.variant, self.points[0])
            sys.setprofile(note)
            one.apply()
        except (Exception, SystemExit):  # noqa: S110  what it raises was told before
            pass
        finally:
            sys.setprofile(None)
        return seen

    @property
    def notes(self) -> list[set[str]]:
        return [set(row[4].split()) for row in self.rows if row is not None]

    @property
    def made(self) -> list[set[str]]:
        """The notes of the applications that made a node: the others say nothing about rules."""
        return [notes for notes in self.notes if not _NO_NODE & notes]

    @property
    def is_idle(self) -> bool:
        return bool(self.made) and all(_IDLE & notes for notes in self.made)

    @property
    def lacks_rule(self) -> bool:
        return any({"missing", "hands_back"} & notes for notes in self.notes)

    @property
    def raises_back(self) -> bool:
        return not self.notes and self.told["stage"] == "backward"

    def answer(self) -> dict[str, Any]:
        """Give everything that was read, as plain data."""
        return {**self.told, "shape": self.found, "rows": json.dumps(self.rows)}


def _told(error: BaseException) -> str:
    """The type of an error and the beginning of its text."""
    try:
        text = str(error)
    except Exception:
        text = ""
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:TEXT]


# Engines that have only `backward()`


def _reads_whole(engine: "Engine", asks: Any) -> bool:
    """True where `backward()` seeds with 1, hands on what it is given, and reaches the leaves.

    Looks for a way to hand on another upstream gradient, too: through an operation that is right.
    """
    reached = False
    ways = {"times": [], "once": []}  # type: dict[str, Any]
    for ask in asks:
        try:
            alone, before, after = _whole(engine, ask, lambda out: out)
        except (Exception, SystemExit):  # reported elsewhere
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


def _whole(engine: "Engine", ask: Any, wrap: Any) -> Any:
    """The gradient of a result, and the gradients of its inputs before and after `backward()` on what is made of it."""
    one = Application(engine, ask["name"], ask["variants"][0], ask["points"][0])
    one.forward()
    before = one.grads()
    engine.run(wrap(one.out))
    return _grad(one.out), before, one.grads()


def _agrees(engine: "Engine", ask: Any, wrap: Any, wanted: Any, factor: float = 1.0) -> Any:
    """True where the result gets the upstream gradient `factor` and the inputs get what is wanted; None where not.

    False is worse: the same upstream gradient gives the inputs something else.
    """
    try:
        upstream, _, after = _whole(engine, ask, wrap)
    except (Exception, SystemExit):
        return None
    if not _is_near(upstream, factor):
        return None
    return wanted is None or all(
        got is known if type(known) is not float else _is_near(got, known)
        for got, known in zip(after, wanted, strict=True)
    )


def _clears(engine: "Engine", asks: Any) -> bool:
    """True where the gradients that leaves had before `backward()` have no say, and two uses still add."""
    for ask in asks:
        variant, found = ask["variants"][0], []
        x, y, prior, prior_other, up = ask["points"][0]
        for factor in (1.0, 3.0):
            try:
                one = Application(
                    engine, ask["name"], variant, (x, y, prior * factor, prior_other * factor, up)
                )
                one.forward()
                engine.run(one.out)
                found.append(one.grads())
            except (Exception, SystemExit):
                break
        if len(found) == 2 and not _same(found[0], found[1]):
            return False
    leaf = engine.make(0.5)
    try:
        engine.run(leaf + leaf)
    except (Exception, SystemExit):
        return False
    return _is_near(_grad(leaf), 2.0)


# Everything


def probe(make: Any, backward: Any, plan: str, seconds: float) -> Any:
    """Try every operation at all its points; gives rows and notes as plain data.

    `plan` holds, as JSON, of each its name, its variants (alone, values, number_right, number_left) and its points:
    the left and the right number, the gradients that the inputs have before, and the upstream gradient. `few` says
    which of them are enough for a variant.
    """
    until = _clock() + seconds
    asks = json.loads(plan)
    was_on = gc.isenabled()
    gc.disable()
    try:
        engine = Engine(make, backward)
        engine.know_methods([ask["name"] for ask in asks])
        trials, whole, clears = _all(engine, asks, "", until), False, False
        if _is_idle(trials) and engine.runs(make(0.5)):
            whole = _reads_whole(engine, asks)
            clears = whole and _clears(engine, asks)
            trials = _all(engine, asks, "backward", until) if whole else _without_rules(trials)
        elif (_is_idle(trials) and not hasattr(make(0.5), "_backward")) or _hands_back(trials):
            trials = _without_rules(trials)
        operations = [[trial.answer() for trial in found] for found in trials]
    except Stuck:
        return None
    finally:
        if was_on:
            gc.enable()
    return {"whole": whole, "clears": clears, "operations": operations}


def _all(engine: "Engine", asks: Any, shape: str, until: float) -> list[list[Trial]]:
    found = []
    for ask in asks:
        trials = [Trial(engine, ask, variant, shape) for variant in ask["variants"]]
        found.append([trial for trial in trials if trial.run(until)])
    return found


def _is_idle(found: list[list[Trial]]) -> bool:
    """True where no operation leaves a rule or pairs that do something when they are asked alone."""
    trials = [trial for trials in found for trial in trials if trial.made or trial.raises_back]
    return bool(trials) and all(trial.is_idle or trial.raises_back for trial in trials)


def _hands_back(found: list[list[Trial]]) -> bool:
    """True where a `_backward` writes nothing and returns something, which `backward()` may add."""
    return any("hands_back" in notes for trials in found for trial in trials for notes in trial.notes)


def _without_rules(found: list[list[Trial]]) -> list[list[Trial]]:
    """An engine that passes gradients on in its own way: of rules that it lacks there is nothing to say."""
    return [[trial for trial in trials if not (trial.lacks_rule or trial.raises_back)] for trials in found]
