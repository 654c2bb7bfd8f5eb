"""The sentences for rules and causes, from words.yaml, in the names of a test."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.rules.operations import Operation
    from grader.autograd.rules.search import Rule

FORWARD = "out"  # the input of a rule that is about the forward pass
MOST_RELATIONS = 2  # that are told of one rule
LONGEST_NAME = 20
_VAGUE = frozenset(
    {"factor_missing", "factor_added", "term_missing", "term_added", "operator", "number", "value_for_local"}
)
_REFLECTED = {"+": "__radd__", "-": "__rsub__", "*": "__rmul__", "/": "__rtruediv__", "**": "__rpow__"}
_ROWS = [
    {"self.data": 0.7, "other.data": 1.9, "n": 3.0, "out.grad": 0.6, "self.grad": 0.4, "other.grad": -0.3},
    {"self.data": 1.3, "other.data": -0.8, "n": 2.0, "out.grad": -1.7, "self.grad": 1.1, "other.grad": 0.9},
]
_TAKEN = frozenset({"out", "math", "self", "other"})  # names that mean something else in a formula


def sentence(rule: Rule, operation: Operation, names: Sequence[str] = (), *, local: bool = False) -> str:
    """Return what the engine does, how that differs from the right rule, and why it is wrong.

    `names` are the labels of the operands in a test; where they are no names, it is `a` and `b`. `local` says that
    the engine's nodes keep local gradients. A rule without a known relation is told by its formula alone.
    """
    reasons = _reasons(rule, operation)
    filled = _names(operation, names, rule.input) | {"like": _like(rule, operation)}
    return " ".join([_fact(rule, filled, local=local), *(text.format_map(filled) for text in reasons)])


def sentences(
    rules: Sequence[Rule], operation: Operation, names: Sequence[str] = (), *, local: bool = False
) -> list[str]:
    """Return the words of each rule of one operation; the reasons of an earlier one are not repeated."""
    told: set[tuple[str, ...]] = set()
    words = []
    for rule in rules:
        reasons = _reasons(rule, operation)
        if reasons and reasons in told:
            words.append(_fact(rule, _names(operation, names, rule.input), local=local, likewise=True))
        else:
            words.append(sentence(rule, operation, names, local=local))
        told.add(reasons)
    return words


def cause(
    name: str, operation: Operation, names: Sequence[str] = (), which: str = "self", **about: str
) -> str:
    """Return the fact that no formula shows; `which` input it is about.

    `about` holds `error` and `kind` where the cause has them, and `call` for another application than the usual
    one (`2 * a`). Raises KeyError for a cause that has no words, or that lacks one of these.
    """
    about["type"] = about.get("error", "an error").partition(":")[0]
    about["reflected"] = _REFLECTED.get(operation.symbol, "a method of its own")
    return str(_words()["causes"][name]).format_map(_names(operation, names, which) | about)


def known_relations() -> frozenset[str]:
    """Return the relations that have words."""
    return frozenset(_words()["what"])


def known_causes() -> frozenset[str]:
    """Return the causes that have words."""
    return frozenset(_words()["causes"])


@functools.cache
def _words() -> dict[str, Any]:
    """Read words.yaml, once and only where something is told: parsing it takes longer than most gradings."""
    import yaml

    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


# --- The fact


def _fact(rule: Rule, filled: dict[str, str], *, local: bool, likewise: bool = False) -> str:
    """Return what the engine does, as one sentence."""
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
    """Tell whether no bracket closes that was not opened in it."""
    depth = 0
    for sign in formula:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


# --- How it differs, and why


def _reasons(rule: Rule, operation: Operation) -> tuple[str, ...]:
    """Return the templates of at most two sentences beside the fact."""
    words = _words()
    if rule.input == FORWARD:
        return (words["forward"],)
    relations = _telling([relation for relation in rule.relations if relation in words["what"]])
    told = [words["what"][relation] for relation in relations]
    another = (
        relations == ["function"] and f"math.{operation.name}(" not in rule.wrote
    )  # not its own once more
    if len(relations) == 1 and not another:
        why = words["why"].get(operation.name, {}).get(relations[0], "")
        told.append(why if isinstance(why, str) else why.get(rule.input, ""))
    return tuple(filter(None, told))


def _telling(relations: list[str]) -> list[str]:
    """Return the relations that say most: the rule of another operation says more than a term, and less than a value."""
    named = [relation for relation in relations if relation not in _VAGUE]
    if "other_operation" in named and len(named) > 1:
        named.remove("other_operation")
    return (named or relations)[:MOST_RELATIONS]


def _like(rule: Rule, operation: Operation) -> str:
    """Return the operation whose rule it is, however the formula is written."""
    if rule.input == FORWARD or "other_operation" not in rule.relations:
        return ""
    # Late: they are of the search, which not every sentence needs.
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
    """Return what stands for the names in a template."""
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
    """Return names for the operands: the test's, where they are plain and different; else `a` and `b`."""
    wanted = names[: 1 + two]
    plain = all(name.isidentifier() and len(name) <= LONGEST_NAME and name not in _TAKEN for name in wanted)
    if not plain or len(set(wanted)) != 1 + two:
        return ("a", "b")
    return (wanted[0], wanted[-1])
