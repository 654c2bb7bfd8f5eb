"""The names of a student's engine: the course's, or those in `names` of the manifest."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

from grader.errors import nearest
from grader.sandbox import Sandbox, Undefined
from grader.sandbox.proxy import Proxy, Requester, box_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


# The keys of `names`, each with the course's names.
KEYS = {
    "class": ("Value",),
    "data": ("data",),
    "grad": ("grad",),
    "children": ("_prev", "_children"),
    "local_grads": ("_local_grads",),
    "closure": ("_backward",),
    "backward": ("backward",),
}


class EngineNames:
    """The names of an engine's class of nodes, and of the attributes and methods of a node.

    `renames` pairs each of the course's names that differs with the engine's own; `a_node` is the class with its article,
    `nodes` its plural.

    >>> engine = EngineNames({"grad": "derivative"}, arrays=False)
    >>> engine.grad, engine.renames, engine.a_node
    ('derivative', (('grad', 'derivative'),), 'a Value')
    """

    def __init__(self, names: Mapping[str, str], *, arrays: bool) -> None:
        pairs = ((usual, names.get(key, usual)) for key, all_usual in KEYS.items() for usual in all_usual)
        self.renames = tuple((usual, own) for usual, own in pairs if own != usual)
        self._own = dict(self.renames)
        self.node = names.get("class", "Tensor" if arrays else "Value")
        self.data, self.grad, self.prev, self.children, self.local_grads, self.closure, self.backward = map(
            self.own, ("data", "grad", "_prev", "_children", "_local_grads", "_backward", "backward")
        )
        self.a_node = f"{'an' if self.node[:1] in 'AEIOU' else 'a'} {self.node}"
        self.nodes = f"{self.node}s" if self.node in {"Value", "Tensor"} else f"{self.node} objects"

    def own(self, name: str) -> str:
        """Return the engine's name for one of the course's."""
        return self._own.get(name, name)

    def is_walk(self, name: str) -> bool:
        """Return True for a function or method that walks: its name ends in `backward`, or is the engine's name for `backward`."""
        return name.endswith("backward") or name.rpartition(".")[2] == self.backward


@functools.cache
def _engine(names: tuple[tuple[str, str], ...], *, arrays: bool) -> EngineNames:
    return EngineNames(dict(names), arrays=arrays)


def engine_with(names: Mapping[str, str] | None, *, arrays: bool) -> EngineNames:
    """Return the names of an engine from those of a manifest."""
    return _engine(tuple((names or {}).items()), arrays=arrays)


COURSE = engine_with(None, arrays=False)


def engine_of(of: Requester | Proxy | object) -> EngineNames:
    """Return the names of a submission's engine, for it or one of its objects; for anything else the course's names."""
    box = box_of(of) if isinstance(of, Proxy) else of
    return engine_with(getattr(box, "names", None), arrays=bool(getattr(box, "has_arrays", False)))


def functions_of(sandbox: Sandbox, names: Iterable[str]) -> dict[str, Proxy]:
    """Return the student's functions and classes with these names, by name; methods are left out."""
    found = {}
    for name in filter(str.isidentifier, names):
        with contextlib.suppress(Undefined):
            found[name] = sandbox.get(name)
    return {name: each for name, each in found.items() if isinstance(each, Proxy)}


def wrong_names(
    names: Mapping[str, str], defined: Collection[str], attributes: Collection[str]
) -> Iterator[str]:
    """Yield the faults of `names` in a manifest, from the names that the reference defines and the attributes it uses."""
    for key, name in names.items():
        if key not in KEYS:
            yield f"unknown key `names.{key}`{nearest(key, list(KEYS))}; valid keys: {', '.join(KEYS)}"
        elif key == "class" and name not in defined:
            yield (
                f"`names.class` is `{name}`, which the reference does not define{nearest(name, list(defined))}; "
                "write the name of the class of its nodes"
            )
        elif key != "class" and name not in attributes:
            yield (
                f"`names.{key}` is `{name}`, but nothing in the reference has an attribute of that name"
                f"{nearest(name, list(attributes))}; write the name that its engine uses"
            )
        elif also := [other for other, usual in KEYS.items() if name in usual and other not in {key, *names}]:
            yield f"`names.{key}` is `{name}`, the usual name of `{also[0]}`; write `names.{also[0]}`, too"


def node_data(node: Any) -> Any:
    """Return the data of a node."""
    return getattr(node, engine_of(node).data)


def grad_of(node: Any) -> Any:
    """Return the gradient of a node."""
    return getattr(node, engine_of(node).grad)


def set_grad(node: Any, number: float) -> None:
    """Set the gradient of a node."""
    setattr(node, engine_of(node).grad, number)
