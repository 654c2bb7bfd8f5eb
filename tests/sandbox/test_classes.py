"""Every kind of class works in the jail, and the order of sets is fixed."""

import pytest

NODES = """
class Node:
    pass
def some(number):
    nodes = [Node() for _ in range(number)]
    return [nodes.index(node) for node in set(nodes)]
"""


CLASSES = {
    "dataclass": ("@dataclass\nclass P:\n    x: int = 0\n    y: list = field(default_factory=list)", "P(1) == P(1, [])", True),
    "frozen dataclass": ("@dataclass(frozen=True)\nclass P:\n    x: int", "len({P(1), P(1), P(2)})", 2),
    "ordered dataclass": ("@dataclass(order=True)\nclass P:\n    x: int", "P(1) < P(2)", True),
    "dataclass with slots": ("@dataclass(slots=True)\nclass P:\n    x: int", "P(4).x", 4),
    "dataclass by identity": ("@dataclass(eq=False)\nclass P:\n    x: int", "len({P(1), P(1)})", 2),
    "Enum": ("class Op(Enum):\n    ADD = '+'\n    MUL = '*'", "Op('*') is Op.MUL and len({Op.ADD, Op.MUL})", 2),
    "IntEnum": ("class Op(enum.IntEnum):\n    ADD = 1", "Op.ADD + 1", 2),
    "Flag": ("class F(enum.Flag):\n    A = enum.auto()\n    B = enum.auto()", "(F.A | F.B).value", 3),
    "NamedTuple": ("class P(NamedTuple):\n    x: int\n    y: int = 2", "P(1)._asdict()", {"x": 1, "y": 2}),
    "TypedDict": ("class P(typing.TypedDict):\n    x: int", "P(x=1)", {"x": 1}),
    "ABC": ("class A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass B(A):\n    def f(self): return 5", "B().f()", 5),
    "Generic": ("T = TypeVar('T')\nclass Box(Generic[T]):\n    def __init__(self, x): self.x = x", "Box[int](3).x", 3),
    "Protocol": ("@typing.runtime_checkable\nclass P(typing.Protocol):\n    def f(self): ...\nclass A:\n    def f(self): pass", "isinstance(A(), P)", True),
    "slots": ("class A:\n    __slots__ = ('x',)\n    def __init__(self): self.x = 6", "A().x", 6),
    "slots are kept": ("class A:\n    __slots__ = ()", "hasattr(A(), '__dict__')", False),
    "slots twice": ("class A:\n    __slots__ = ('x',)\nclass B(A):\n    __slots__ = ('y',)", "hasattr(B(), '__dict__')", False),
    "slots beside a plain class": ("class A:\n    __slots__ = ('x',)\nclass B: pass\nclass C(A, B): pass", "len({C(), C()})", 2),
    "metaclass": ("class M(type):\n    def __call__(cls, *a): return super().__call__(*a), 7\nclass A(metaclass=M): pass", "A()[1]", 7),
    "metaclass in a set": ("class M(type): pass\nclass A(metaclass=M): pass", "len({A(), A()})", 2),
    "class keywords": ("class A:\n    def __init_subclass__(cls, n=0): cls.n = n\nclass B(A, n=8): pass", "B.n", 8),
    "super": ("class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return super().f() + 1", "B().f()", 2),
    "no bases of its own": ("class A: pass", "A.__bases__ == (object,) or A.__mro__[-1] is object", True),
    "weak reference": ("import weakref\nclass A: pass\na = A()", "weakref.ref(a)() is a", True),
    "copy": ("import copy\nclass A: pass\na = A()\na.x = [1]\n{a}", "copy.deepcopy(a).x == [1] and copy.copy(a) is not a", True),
    "pickle": ("import pickle\nclass A: pass\na = A()\na.x = 9", "pickle.loads(pickle.dumps(a)).x", 9),
    "state of a copy": ("import copy\nclass A:\n    def __setstate__(self, state): self.__dict__.update(state)\na = A()\na.x = 9\n{a}", "copy.copy(a).x", 9),
    "mixin beside float": ("class M: pass\nclass A(M, float): pass", "A(2.5)", 2.5),
    "mixin beside list": ("class M: pass\nclass A(M, list): pass", "len(A([1, 2]))", 2),
    "mixin beside tuple": ("class M: pass\nclass A(M, tuple): pass", "len(A([1, 2]))", 2),
    "mixin beside an exception": ("class M: pass\nclass A(M, Exception): pass", "str(A('x'))", "x"),
    "mixin beside an int in an Enum": ("class M: pass\nclass A(M, int, Enum):\n    X = 3", "A.X + 0", 3),
    "an answer to every name": ("class A:\n    def __getattr__(self, name): return 0.5", "len({A(), A()})", 2),
    "no answer to any name": ("class A:\n    def __getattribute__(self, name): raise ValueError(name)", "len({A(), A()})", 2),
    "an own error for a missing name": ("class A:\n    def __getattr__(self, name): raise KeyError(name)", "len({A(), A()})", 2),
    "no attribute may be set": ("class A:\n    def __setattr__(self, name, value): raise ValueError(name)", "len({A(), A()})", 2),
}  # fmt: skip


@pytest.mark.parametrize("kind", CLASSES)
def test_every_kind_of_class_works(jail, kind):
    """Fixing the order of sets changes the behaviour of no class."""
    source, expression, expected = CLASSES[kind]
    box = jail(
        "import enum, typing\nfrom abc import ABC, abstractmethod\nfrom dataclasses import dataclass, field\n"
        "from enum import Enum\nfrom typing import Generic, NamedTuple, TypeVar",
        source,
        f"answer = {expression}",
    )

    assert box.errors == {}
    assert box.get("answer") == expected


def test_an_abstract_class_cannot_be_made(jail):
    """It raises TypeError, as outside of a jail."""
    box = jail(
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self): ..."
    )

    with pytest.raises(TypeError, match="abstract"):
        box.get("A")()


@pytest.mark.parametrize("number", [2, 3, 4])
def test_small_sets_have_two_opposite_orders(any_jail, number):
    """They have the order in which the objects were made, and its reverse, in every run and every jail."""
    box = any_jail(NODES)
    forward = box.get("some")(number)

    box.load("reverse")
    reverse = box.get("some")(number)
    box.load("forward")

    assert forward == list(range(number))
    assert reverse == forward[::-1]
    assert box.get("some")(number) == forward


@pytest.mark.parametrize("order", ["forward", "reverse", "permuted"])
def test_every_order_is_the_same_in_every_jail(jail, order):
    """This holds for large sets and for sets of text."""
    cells = (NODES, "words = list({'alpha', 'beta', 'gamma', 'delta'})")

    first, second = jail(*cells, order=order), jail(*cells, order=order)

    assert first.get("some")(50) == second.get("some")(50)
    assert first.get("words") == second.get("words")


@pytest.mark.parametrize("order", ["forward", "reverse", "permuted"])
def test_no_two_objects_share_a_hash(jail, order):
    """No two hashes are equal, and no object is lost."""
    box = jail("class Node: pass\nnodes = [Node() for _ in range(1000)]", order=order)
    box2 = jail("class Node: pass\nhashes = len({hash(Node()) for _ in range(1000)})", order=order)

    assert len(box.get("nodes")) == 1000
    assert box2.get("hashes") == 1000


def test_a_third_order_is_another_one(jail):
    """For some sets of three it is neither the order of making nor its reverse."""
    box = jail(NODES, order="permuted")

    orders = [tuple(box.get("some")(3)) for _ in range(20)]

    assert any(order not in {(0, 1, 2), (2, 1, 0)} for order in orders)


def test_the_index_begins_again_at_every_load(any_jail):
    """Objects that one test hashed do not shift the order of the next."""
    box = any_jail("class Node: pass\ndef first(): return hash(Node())")
    first = [box.get("first")() for _ in range(3)]

    box.load()

    assert [box.get("first")() for _ in range(3)] == first


@pytest.mark.parametrize(
    "base", ["", "(Parent)", "(ABC)", "(Generic[T])", "(Exception)", "(metaclass=Meta)", "(Slotted)"]
)
def test_the_order_holds_whatever_the_class_inherits(jail, base):
    """The order does not depend on the base classes."""
    source = f"""
        from abc import ABC
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Parent: pass
        class Meta(type): pass
        class Slotted:
            __slots__ = ("x",)
        class Node{base}: pass
        nodes = [Node() for _ in range(4)]
        order = [nodes.index(node) for node in set(nodes)]
    """

    forward, reverse = jail(source), jail(source, order="reverse")

    assert forward.get("order") == [0, 1, 2, 3]
    assert reverse.get("order") == [3, 2, 1, 0]


def test_a_class_with_a_hash_of_its_own_is_left_alone(any_jail):
    """A student's own `__hash__` is used."""
    box = any_jail("""
        class Own:
            def __hash__(self): return 42
        class Child(Own): pass
        hashes = hash(Own()), hash(Child())
    """)

    assert box.get("hashes") == (42, 42)


@pytest.mark.parametrize("base", ["", "(ABC)", "(Generic[T])", "(Parent)"])
@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@dataclass", "no hash"),
        ("@dataclass(frozen=True)", "by value"),
        ("@dataclass(unsafe_hash=True)", "by value"),
    ],
)
def test_a_dataclass_hashes_as_it_does_everywhere(jail, decorator, expected, base):
    """It is unhashable with eq, and hashes by value where frozen, whatever it inherits."""
    box = jail(f"""
        from abc import ABC
        from dataclasses import dataclass
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Parent: pass
        {decorator}
        class Point{base}:
            x: int
        try:
            found = "by value" if hash(Point(1)) == hash(Point(1)) else "by identity"
        except TypeError:
            found = "no hash"
    """)

    assert box.errors == {}
    assert box.get("found") == expected


def test_a_class_with_eq_alone_stays_unhashable(jail):
    """Such a class has no hash, as Python says."""
    box = jail("class A:\n    def __eq__(self, other): return True\na = A()\nnone = A.__hash__ is None")

    assert box.get("none") is True
