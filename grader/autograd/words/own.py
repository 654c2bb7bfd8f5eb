"""The names of a student's engine in facts and in templates. Templates are written with the course's names.

Names that a test or the student chose (`a`, `a * b`, a function) are filled into a template afterwards, unchanged.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.report import Fact, Field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.autograd.engine import EngineNames

_KINDS = frozenset(
    {"array", "cause", "rule", "walk"}
)  # facts whose words have names of an engine's attributes
_STATEMENTS = frozenset(
    {"wrote", "kept", "other"}
)  # fields with attributes in them: `self.grad += out.grad`, `c._prev`
_ATTRIBUTE = re.compile(r"(?<=\.)(?:data|grad|_prev|_children)\b|^_(?:prev|children)$")
# In a template: the class, an attribute of something, or an attribute by itself.
_WORD = re.compile(
    r"(?:(?P<article>\b[Aa]) )?\bValue(?P<several>s?)\b|(?<=\.)(?:data|grad)\b|\b_(?:backward|prev|children|local_grads)\b"
)


def in_names(fact: Fact, engine: EngineNames) -> Fact:
    """Return a fact with an engine's names in its statements, and a field with these names for the words."""
    if fact.kind not in _KINDS or not engine.renames:
        return fact
    fields = [Field(field.name, _rename_field(field, engine)) for field in fact.fields]
    names = [f"{usual}: {own}" for usual, own in engine.renames]
    return replace(fact, fields=[*fields, Field("engine", names)])


def _rename_field(field: Field, engine: EngineNames) -> str | int | float | list[str]:
    value = field.value
    if isinstance(value, list):  # parts of errors: "has no attribute '_backward'"
        return [each.replace("'_backward'", f"'{engine.closure}'") for each in value]
    if not isinstance(value, str):
        return value
    if field.name in _STATEMENTS:
        return _ATTRIBUTE.sub(lambda found: engine.own(found[0]), value)
    return re.sub(r"^Value\b", engine.node, value) if field.name in {"operation", "call"} else value


@functools.lru_cache(maxsize=1000)
def template(text: str, engine: tuple[str, ...]) -> str:
    """Return a template with the names of an engine; `engine` has pairs such as `grad: derivative`, as facts have them.

    >>> template("{input}.grad of a Value", ("grad: derivative", "Value: Node"))
    '{input}.derivative of a Node'
    """
    names = names_in(engine)
    return _WORD.sub(lambda found: _word(found, names), text) if names else text


def names_in(engine: tuple[str, ...]) -> dict[str, str]:
    """Return the engine's names, by the course's names."""
    return dict(pair.split(": ", 1) for pair in engine if ": " in pair)


def _word(found: re.Match[str], names: Mapping[str, str]) -> str:
    if "Value" not in found[0]:
        return names.get(found[0], found[0])
    node = names.get("Value", "Value")
    article = f"{found['article']}{'n' * (node[0] in 'AEIOU')} " if found["article"] else ""
    several = ("s" if node == "Value" else " objects") if found["several"] else ""
    return f"{article}{node}{several}"
