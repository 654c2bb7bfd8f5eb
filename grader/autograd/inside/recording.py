"""What student code does to nodes, noted while it runs. It reports and does not judge.

An event is [code, node, value]. A node is given by its index. The codes:

CALL     a `_backward` is called; the node's gradient
HANDED   the call that runs has changed a gradient; the new one
BACK     a call within this node's call has ended
GRAD     a gradient was set outside of every call; the new one
READ     a gradient was read
CUT      at the end the node has lost its children
CHANGED  at the end the node has another `_backward`
MARK     a request of a test begins; its number in the place of a node
"""

from collections.abc import Callable, Sequence
from typing import Any

CALL, GRAD, READ, CUT, CHANGED, HANDED, BACK, MARK = range(8)
MAX_EVENTS = 300


def _plain_float(value: Any) -> float | None:
    """Return a plain float, or None for anything that is not a number."""
    if type(value) is float:
        return value
    try:
        return float(value)
    except Exception:
        return None


def _place_of(nodes: Sequence[Any], node: Any) -> int:
    """Return the index of this very object, or -1."""
    return next((i for i, other in enumerate(nodes) if other is node), -1)


def attempt(walk: Callable[[], Any]) -> tuple[Any, str]:
    """Return the result of a student's function, and the name of the error that it raised instead."""
    try:
        return walk(), ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, type(error).__name__


class Recorder:
    """The events about some nodes. A walk that makes more than `most` ends with SystemExit.

    `read` returns the form of a value in an event. A recorder of a `test` also notes the changes of a call and the calls
    within it, and ends no walk. `quiet` is above 0 while nothing is noted.
    """

    def __init__(
        self,
        nodes: list[Any],
        most: int = MAX_EVENTS,
        read: Callable[[Any], Any] = _plain_float,
        *,
        test: bool = False,
    ) -> None:
        self.nodes, self.most, self.read, self.test = nodes, most, read, test
        self.events: list[list[Any]] = []
        self.full = False  # True if there were more events
        self.quiet = 0
        self.nested = False  # True after a rule has called another one, which is noted only in a test
        self.odd = ""  # a text, as for an error, after a gradient became an object that is no number
        self.last: list[Any] = []  # the gradient of each node when it was last seen
        self.running: list[int] = []  # the nodes whose calls have not returned yet
        self.rules: dict[int, Any] = {}  # the recording `_backward` of a node
        self.subclasses: dict[type, type] = {}

    def note(self, code: int, node: int, value: Any) -> None:
        """Add an event."""
        self.full = len(self.events) >= self.most
        if not self.full:
            self.events.append([code, node, value])
        elif not self.test:
            raise SystemExit

    def add(self, code: int, node: int, value: Any) -> None:
        """Note an access to a gradient of a node; other objects are left out."""
        if self.quiet or node < 0:
            return
        plain = self.read(value)
        self.odd = self.odd or ("object" if plain is None and value is not None else "")
        if code == GRAD and 0 <= node < len(self.last):
            self.last[node] = plain
        self.note(code, node, plain)

    # Nodes with a `_backward`

    def look(self) -> None:
        """Note the gradients that have changed since they were last seen."""
        for place, (old, new) in enumerate(zip(self.last, self.state(), strict=False)):
            if old != new:
                self.note(HANDED if self.running else GRAD, place, new)
            self.last[place] = new

    def state(self) -> list[Any]:
        """Return the gradient of each node."""
        self.quiet += 1
        try:
            return [self.read(getattr(node, "grad", None)) for node in self.nodes]
        finally:
            self.quiet -= 1

    def note_calls(self, place: int) -> None:
        """Note from now on the calls of a node's `_backward`. Raises TypeError if it cannot be replaced."""
        node = self.nodes[place]
        rule = node._backward
        if rule is self.rules.get(place):
            return
        self.last = self.last or self.state()
        node._backward = self.rules[place] = self._calling(place, rule)
        if node._backward is not self.rules[place]:
            raise TypeError("its `_backward` cannot be replaced")

    def _calling(self, place: int, rule: Any) -> Any:
        def _backward(*args: Any) -> Any:
            if self.running and not self.test:
                self.nested = True
                return rule(*args)
            self.look()
            self.note(CALL, place, self.last[place])
            self.running.append(place)
            try:
                return rule(*args)
            finally:
                if self.test:
                    self.look()
                else:
                    self.last = self.state()
                self.running.pop()
                if self.running:
                    self.note(BACK, self.running[-1], None)

        return _backward

    # Nodes without one

    def note_accesses(self, place: int) -> None:
        """Note from now on every access to a node's gradient: it gets a subclass of its class."""
        node = self.nodes[place]
        kind = type(node)
        if kind in self.subclasses.values():
            return
        if kind not in self.subclasses:
            self.subclasses[kind] = self._noting_subclass(kind)
        node.__class__ = self.subclasses[kind]

    def _noting_subclass(self, kind: Any) -> type:
        """Return a subclass of `kind` that notes reads and writes of `grad` and changes nothing else."""
        found: Any = next((vars(cls)["grad"] for cls in kind.__mro__ if "grad" in vars(cls)), None)
        slot = hasattr(type(found), "__set__")

        def get(node: Any) -> Any:
            if not slot and "grad" in node.__dict__:
                return node.__dict__["grad"]
            return found.__get__(node, kind) if slot else kind.grad

        def read(node: Any) -> Any:
            value = get(node)
            self.add(READ, _place_of(self.nodes, node), value)
            return value

        def write(node: Any, value: Any) -> None:
            if slot:
                found.__set__(node, value)
            else:
                node.__dict__["grad"] = value
            self.add(GRAD, _place_of(self.nodes, node), get(node))

        made: type = type(kind)(kind.__name__, (kind,), {"__slots__": (), "grad": property(read, write)})
        return made


def _pairs_of(nodes: Sequence[Any], node: Any) -> list[list[Any]]:
    """Return the children of a node that keeps local gradients, by index, each with its local gradient."""
    kept = zip(node._children, node._local_grads, strict=True)  # the course's names
    return [[_place_of(nodes, child), _plain_float(slope)] for child, slope in kept]
