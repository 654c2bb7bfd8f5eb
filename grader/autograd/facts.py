"""The facts about an engine: wrong rules of operations, causes that no formula shows, wrong walks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.topic import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.report import Fact

FORWARD = "out"  # the input of a rule that is about the forward pass


class _Named(Kind, frozen=True, kw_only=True):
    """A fact whose words have attributes: `engine` are the engine's names that are not the course's: `grad: derivative`."""

    engine: tuple[str, ...] = ()


class _Applied(_Named, frozen=True):
    """What is wrong with one operation; `left`, `right` and `call` are in the names of a test.

    `input` is `self` or `other`, or `out` for the result. `wrote` is a statement in the language that docs/report.md
    describes, or empty.
    """

    operation: str
    input: str
    wrote: str = ""
    call: str = ""
    left: str = "a"
    right: str = ""

    @property
    def key(self) -> str:
        """The operation, its input, and the statement, in which inputs are `self` and `other`; without one the cause, or what it is."""
        said = self.wrote or getattr(self, "cause", "") or " ".join(getattr(self, "relations", ()))
        whole = " ".join(filter(None, [said, getattr(self, "reduction", "")]))
        return f"{self.operation} {self.input}: {whole}"

    @property
    def names(self) -> dict[str, str]:
        """The values for the names in a template."""
        this, that = (self.right, self.left) if self.input == "other" else (self.left, self.right)
        filled = {"self": self.left, "other": self.right, "call": self.call}
        return filled if self.input == FORWARD else filled | {"input": this, "partner": that}


class RuleFact(_Applied, frozen=True):
    """A wrong rule, verified on fresh numbers; `relations` to the right one are keys of `words.RELATIONS`.

    `like` is another operation with this rule, `kept` the local gradient that a node keeps. `first` is True for a right
    rule that a wrong one reads, `symptom` where nothing is written. `number` stands for the plain number on one side, if
    there is one.
    """

    kind: ClassVar[str] = "rule"

    relations: tuple[str, ...] = ()
    like: str = ""
    kept: str = ""
    first: bool = False
    number: str = ""
    symptom: bool = False


class CauseFact(_Applied, frozen=True):
    """A cause that no formula shows, a key of `words.CAUSES`, with the error or the kind of object that it is about."""

    kind: ClassVar[str] = "cause"

    cause: str = ""
    error: str = ""
    object: str = ""
    explains: tuple[str, ...] = ()  # parts of errors that this cause leads to
    symptom: bool = False  # True if it has a cause of its own


class ArrayFact(_Applied, frozen=True):
    """A wrong rule of arrays, verified on shapes that it was not found with.

    `wrote` is a statement of Python over numpy in which inputs are `self` and `other`; without it the gradient stays as
    it was. `reduction` is a key of `arrays.reductions.REDUCTIONS`, for what is wrong about a stretched shape; `relations` to
    the right rule are keys of the tables of words. The other fields are about an example: the
    operation with `shapes` in place of its arrays, the `shape` of the input there, the shape that its contribution
    `had` and the type of numpy's `error`, if it has one; `factor` is how many times the derivative it is.
    `square` is True for a formula that numpy computes of square matrices, where it is wrong. Of a first gradient that has not its data's `shape`, `had` says
    what it is, and `operation` is the `__init__` of the class.
    """

    kind: ClassVar[str] = "array"

    reduction: str = ""
    relations: tuple[str, ...] = ()
    shapes: str = ""
    shape: str = ""
    had: str = ""
    error: str = ""
    factor: str = ""
    square: bool = False
    symptom: bool = False


class WalkFact(_Named, frozen=True):
    """A wrong walk over one graph, with its first wrong step.

    `fault` is a key of `words.WALKS`. `graph` is an expression, or the edges in words. `student` has the nodes in the
    order of their calls, `right` in an order that would be right; `wrong` is the index of the first wrong step in
    `student`, or -1. `hands` is True where nodes are not called, but hand on in a loop over their children. `look` is a
    key of `words.LOOKS`. The fields from `node` on are what the words are about: names of nodes, and numbers as they
    are shown.
    """

    kind: ClassVar[str] = "walk"

    function: str
    fault: str
    graph: str
    student: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    wrong: int = -1
    hands: bool = False
    look: str = ""
    root: str = ""
    node: str = ""
    nodes: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    number: str = ""
    other: str = ""
    times: int = 0

    @property
    def key(self) -> str:
        """The function and the fault."""
        return f"{self.function} {self.fault}"


class NameFact(Kind, frozen=True):
    """An attribute or a method that is asked of the class `owner`, which has the similar name `near` instead.

    If `near` is empty, it is an attribute that every object should have and a new one has not: that has a cause of its
    own, so `symptom` is True.
    """

    kind: ClassVar[str] = "name"

    wanted: str
    owner: str
    near: str = ""
    symptom: bool = False

    @property
    def key(self) -> str:
        """Both names."""
        return f"{self.near or 'nothing'} for {self.wanted}"


OperationFact = RuleFact | CauseFact | ArrayFact
_OF_OPERATIONS: dict[str, type[OperationFact]] = {
    each.kind: each for each in (RuleFact, CauseFact, ArrayFact)
}


def of_operations(facts: Iterable[Fact]) -> Iterator[tuple[OperationFact, Fact]]:
    """Yield the facts about operations, typed and as they are."""
    for fact in facts:
        if fact.kind in _OF_OPERATIONS:
            yield _OF_OPERATIONS[fact.kind].read(fact), fact
