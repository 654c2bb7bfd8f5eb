"""The sentences about rules and causes: those of `autograd/words.py`, filled in with the names of a test."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from grader.autograd import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.rules.operations import Operation
    from grader.autograd.rules.search import Rule

FORWARD = "out"  # the input of a rule that is about the forward pass
MOST_RELATIONS = 2  # relations in the sentences about one rule
LONGEST_NAME = 20
_VAGUE = frozenset(
    {"factor_missing", "factor_added", "term_missing", "term_added", "operator", "number", "value_for_local"}
)
_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "**": "__rpow__"}
_ROWS = [
    {"self.data": 0.7, "other.data": 1.9, "n": 3.0, "out.grad": 0.6, "self.grad": 0.4, "other.grad": -0.3},
    {"self.data": 1.3, "other.data": -0.8, "n": 2.0, "out.grad": -1.7, "self.grad": 1.1, "other.grad": 0.9},
]
_TAKEN = frozenset({"out", "math", "self", "other"})  # names with another meaning in a formula


def sentence(rule: Rule, operation: Operation, names: Sequence[str] = (), *, local: bool = False) -> str:
    """Return up to three sentences: the engine's rule, the difference to the right one, and the reason.

    `names` are the labels of the operands in a test; labels that are not names become `a` and `b`. `local` is True for
    an engine whose nodes keep local gradients. A rule without a known relation has only the first sentence.
    """
    reasons = _reasons(rule, operation)
    filled = _names(operation, names, rule.input) | {"like": _like(rule, operation)}
    return " ".join([_fact(rule, filled, local=local), *(text.format_map(filled) for text in reasons)])


def sentences(
    rules: Sequence[Rule], operation: Operation, names: Sequence[str] = (), *, local: bool = False
) -> list[str]:
    """Return the sentences about each rule of one operation, without repeating reasons."""
    known: set[tuple[str, ...]] = set()
    told = []
    for rule in rules:
        reasons = _reasons(rule, operation)
        if reasons and reasons in known:
            told.append(_fact(rule, _names(operation, names, rule.input), local=local, likewise=True))
        else:
            told.append(sentence(rule, operation, names, local=local))
        known.add(reasons)
    return told


def cause(
    name: str, operation: Operation, names: Sequence[str] = (), which: str = "self", **about: str
) -> str:
    """Return the sentence about a cause; `which` is the input that it concerns.

    `about` holds `error` and `kind` if the cause has them, and `call` for an application with a plain number
    (`2 * a`). Raises KeyError for an unknown cause, or if one of these is missing.
    """
    about["type"] = about.get("error", "an error").partition(":")[0]
    about["reflected"] = _REFLECTED.get(operation.symbol, "a method of its own")
    return words.CAUSES[name].sentence.format_map(_names(operation, names, which) | about)


# --- The engine's rule


def _fact(rule: Rule, filled: dict[str, str], *, local: bool, likewise: bool = False) -> str:
    """Return a sentence about the engine's rule."""
    engine = "In the same way it" if likewise else f"In {filled['call']} your engine"
    if not rule.wrote:
        return f"{engine} leaves {filled['input']}.grad as it was."
    wrote = _renamed(rule.wrote, filled)
    if rule.input == FORWARD:
        return f"{engine} computes {wrote.partition('= ')[2] or wrote}."
    if rule.right:
        return f"{engine} first does {wrote}, as it should."
    if local and (kept := _kept(wrote)):
        return f"{engine} keeps {kept} as the local gradient of {filled['input']}."
    return f"{engine} does {wrote}."


def _renamed(formula: str, filled: dict[str, str]) -> str:
    """Return a formula over `self` and `other` in the names of the test."""
    return re.sub(r"\b(self|other)\b", lambda found: filled[found[0]], formula)


def _kept(wrote: str) -> str:
    """Return the local gradient of `a.grad += LOCAL * out.grad`; empty for a statement of another form."""
    found = re.fullmatch(r"\w+\.grad \+= (?:(?P<local>.+) \* |(?P<minus>-?))out\.grad", wrote)
    if not found:
        return ""
    local = found["local"]
    return _bare(local) if local else f"{found['minus']}1"


def _bare(formula: str) -> str:
    """Return a formula without brackets around the whole of it."""
    inner = formula[1:-1]
    return inner if formula[:1] == "(" and formula[-1:] == ")" and _closes(inner) else formula


def _closes(formula: str) -> bool:
    """Return True if every closing bracket was opened within the formula."""
    depth = 0
    for sign in formula:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


# --- The difference to the right rule, and the reason


def _reasons(rule: Rule, operation: Operation) -> tuple[str, ...]:
    """Return the templates of at most two sentences beside the first one."""
    if rule.input == FORWARD:
        return (words.FORWARD,)
    relations = _most_telling([relation for relation in rule.relations if relation in words.RELATIONS])
    templates = [words.RELATIONS[relation].sentence for relation in relations]
    # So that the operation's own function is not named twice.
    another = relations == ["function"] and f"math.{operation.name}(" not in rule.wrote
    if len(relations) == 1 and not another:
        why = words.WHY.get(operation.name, {}).get(relations[0], "")
        templates.append(why if isinstance(why, str) else why.get(rule.input, ""))
    return tuple(filter(None, templates))


def _most_telling(relations: list[str]) -> list[str]:
    """Return the most telling relations: the rule of another operation comes before a missing term, and after a wrong value."""
    named = [relation for relation in relations if relation not in _VAGUE]
    if "other_operation" in named and len(named) > 1:
        named.remove("other_operation")
    return (named or relations)[:MOST_RELATIONS]


def _like(rule: Rule, operation: Operation) -> str:
    """Return the other operation that has this rule, whatever the form of the formula."""
    if rule.input == FORWARD or "other_operation" not in rule.relations:
        return ""
    # Late: few sentences need these modules of the search.
    from grader.autograd.rules.candidates import rules_of_others
    from grader.autograd.rules.expressions import Points, parse, replaced
    from grader.autograd.rules.operations import KNOWN

    formula = rule.wrote.partition("= ")[2]
    read = replaced(parse(formula), "out.data", parse(operation.out))
    points = Points(_ROWS)
    for name, right in rules_of_others(operation, rule.input).items():
        pairs = zip(points.values(read), points.values(right), strict=True)
        same = all(math.isclose(one, other, rel_tol=1e-9) for one, other in pairs)
        if same or formula == KNOWN[name].rules[rule.input]:
            return "the negation" if name == "neg" else name
    return "another operation"


# --- Names


def _names(operation: Operation, names: Sequence[str], which: str) -> dict[str, str]:
    """Return the values for the names in a template."""
    left, right = _usable(names, two=operation.binary)
    if operation.takes_n:
        left = "a" if left == "n" else left
        right = "n"
    elif not operation.binary:
        right = ""
    this, that = (right, left) if which == "other" else (left, right)
    filled = {"self": left, "other": right, "call": operation.applied(left, right)}
    return filled if which == FORWARD else filled | {"input": this, "partner": that}


def _usable(names: Sequence[str], *, two: bool) -> tuple[str, str]:
    """Return names for the operands: those of the test if they are plain and different; else `a` and `b`."""
    wanted = names[: 1 + two]
    plain = all(name.isidentifier() and len(name) <= LONGEST_NAME and name not in _TAKEN for name in wanted)
    if not plain or len(set(wanted)) != 1 + two:
        return ("a", "b")
    return (wanted[0], wanted[-1])
