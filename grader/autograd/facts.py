"""The facts about an engine: wrong rules of operations, causes that no formula shows, wrong walks."""

from __future__ import annotations

from typing import ClassVar

from grader.topic import Kind

FORWARD = "out"  # the input of a rule that is about the forward pass


class _NamedFact(Kind, frozen=True, kw_only=True):
    """A fact with attributes in its words; `engine` has the engine's names that differ from the course's: `grad: derivative`."""

    engine: tuple[str, ...] = ()


class _OperationFact(_NamedFact, frozen=True):
    """A fault of one operation; `left`, `right` and `call` have the names of a test.

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
        """The operation, its input, and its statement, cause or relations.

        >>> RuleFact("*", "self", "self.grad = out.grad").key
        '* self: self.grad = out.grad'
        """
        said = self.wrote or getattr(self, "cause", "") or " ".join(getattr(self, "relations", ()))
        whole = " ".join(filter(None, [said, getattr(self, "reduction", "")]))
        return f"{self.operation} {self.input}: {whole}"

    @property
    def names(self) -> dict[str, str]:
        """The values for the names in a template."""
        this, that = (self.right, self.left) if self.input == "other" else (self.left, self.right)
        filled = {"self": self.left, "other": self.right, "call": self.call}
        return filled if self.input == FORWARD else filled | {"input": this, "partner": that}


class RuleFact(_OperationFact, frozen=True):
    """A wrong rule, verified on fresh numbers; `relations` to the right one are keys of `words.RELATIONS`.

    `like` is another operation with this rule, `kept` the local gradient that a node keeps. `first` is True for a right
    rule whose gradient a wrong one reads, `symptom` if nothing is written. `number` is a plain number on one side, if there
    is one.
    """

    kind: ClassVar[str] = "rule"

    relations: tuple[str, ...] = ()
    like: str = ""
    kept: str = ""
    first: bool = False
    number: str = ""
    symptom: bool = False


class CauseFact(_OperationFact, frozen=True):
    """A cause that no formula shows, a key of `words.CAUSES`, with its error or its kind of object."""

    kind: ClassVar[str] = "cause"

    cause: str = ""
    error: str = ""
    object: str = ""
    explains: tuple[str, ...] = ()  # parts of errors that this cause leads to
    symptom: bool = False  # True if it has a cause of its own


class ArrayFact(_OperationFact, frozen=True):
    """A wrong rule of arrays, verified on shapes that the search did not use.

    `wrote` is a statement of Python over numpy in which inputs are `self` and `other`; if it is empty, the gradient does
    not change. `reduction` is a key of `arrays.reductions.REDUCTIONS`, if the sum over broadcast axes is wrong; `relations`
    to the right rule are keys of the tables of words. The other fields are an example: the operation with `shapes` instead
    of its arrays, the `shape` of the input, the shape that its contribution `had`, and the type of numpy's `error`, if
    there is one; `factor` times the derivative is its value. `square` is True for a formula that numpy computes of square
    matrices, where it is wrong. If a first gradient does not have its data's `shape`, `had` describes it, and `operation`
    is the `__init__` of the class.
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


class WalkFact(_NamedFact, frozen=True):
    """A wrong walk over one graph, with its first wrong step.

    `fault` is a key of `words.WALKS`. `graph` is an expression, or the edges in words. `student` has the nodes in the
    order of their calls, `right` in a right order; `wrong` is the index of the first wrong step in `student`, or -1.
    `hands` is True if nodes are not called, but hand on in a loop over their children. `look` is a key of `words.LOOKS`.
    The fields from `node` on fill the sentences: names of nodes, and numbers as text.
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
    """An attribute or a method that the class `owner` lacks; it has the similar name `near` instead.

    If `near` is empty, every object should have the attribute, and a new one does not. Another fault causes that, so
    `symptom` is True.
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
