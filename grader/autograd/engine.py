"""The names of a student's engine: those that the course gives, or those in `names` of the manifest."""

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
    """The class of an engine's nodes, and the attributes and methods of a node, by their names.

    `renames` has the names that are not the course's, by the course's; `a_node` is the class with its article, `nodes` are
    several nodes.
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
        """Return True for a function or method that makes calls: its name ends in `backward`, or is the engine's own for it."""
        return name.endswith("backward") or name.rpartition(".")[2] == self.backward


@functools.cache
def _engine(names: tuple[tuple[str, str], ...], *, arrays: bool) -> EngineNames:
    return EngineNames(dict(names), arrays=arrays)


def engine_with(names: Mapping[str, str] | None, *, arrays: bool) -> EngineNames:
    """Return the engine with the names of a manifest."""
    return _engine(tuple((names or {}).items()), arrays=arrays)


COURSE = engine_with(None, arrays=False)


def engine_of(of: Requester | Proxy | object) -> EngineNames:
    """Return the engine of a submission or of one of its objects; for anything else that of the course."""
    box = box_of(of) if isinstance(of, Proxy) else of
    return engine_with(getattr(box, "names", None), arrays=bool(getattr(box, "has_arrays", False)))


def functions_of(sandbox: Sandbox, names: Iterable[str]) -> dict[str, Proxy]:
    """Return the student's functions and classes of these names, outside of any class."""
    found = {}
    for name in filter(str.isidentifier, names):
        with contextlib.suppress(Undefined):
            found[name] = sandbox.get(name)
    return {name: each for name, each in found.items() if isinstance(each, Proxy)}


def wrong_names(
    names: Mapping[str, str], defined: Collection[str], attributes: Collection[str]
) -> Iterator[str]:
    """Yield what is wrong about the names of a manifest; the reference defines names, and uses attributes."""
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
                f"`names.{key}` is `{name}`, and nothing in the reference has an attribute of that name"
                f"{nearest(name, list(attributes))}; write what its engine calls it"
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
