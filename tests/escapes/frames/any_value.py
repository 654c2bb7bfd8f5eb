"""Answers with objects that crash, hang or mislead whoever looks at them; CASE says with which.

told: it is nested too deeply
"""

import sys
import types


def endless(*args):
    while True:
        pass


def raising(*args):
    raise GeneratorExit


class Endless:
    __getattribute__ = __repr__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = endless


class Raising:
    __getattribute__ = __repr__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = raising


class Meta(type):
    __getattribute__ = __instancecheck__ = __subclasscheck__ = __eq__ = __hash__ = raising


class Colliding(str):
    __hash__ = lambda self: 0
    __eq__ = lambda self, other: self is other


class Text(str):
    __str__ = __len__ = __getitem__ = __iter__ = encode = raising


class Scalar:
    def item(self):
        return self


def in_itself(container, put):
    put(container)
    return container


def scalar():
    sys.modules["numpy"] = types.ModuleType("numpy")
    sys.modules["numpy"].generic = Scalar
    return Scalar()


CASES = {
    "a list in itself": ("a list of one entry", lambda: in_itself([], lambda x: x.append(x))),
    "a dict in itself": ("a dictionary of one entry", lambda: in_itself({}, lambda x: x.update(x=x))),
    "a scalar in itself": ("nested too deeply", scalar),
    "a million digits": ("an integer of more than a thousand digits", lambda: 1 << 3_500_000),
    "a million values": ("it is too long", lambda: [0.0] * 10**6),
    "a million letters": ("it is too long a text", lambda: "x" * 10**6),
    "values below values": ("a list of 99 entries", lambda: [[[0.0] * 99] * 99] * 99),
    "surrogates": ("the text", lambda: "".join(map(chr, range(0xD800, 0xE000)))),
    "controls": ("the text", lambda: "".join(map(chr, range(32)))),
    "a text without a length": ("the text 'x'", lambda: Text("x")),
    "keys that collide": ("a dictionary of 300 entries", lambda: {Colliding(i): i for i in range(300)}),
    "an object that hangs": ("an Endless", Endless),
    "an object that raises": ("a Raising", lambda: object.__new__(Raising)),
    "a class that raises": ("the class Odd", lambda: type.__new__(Meta, "Odd", (), {})),
    "a class with no name": ("an object", lambda: type("", (), {})()),
    "a class with any name": ("a ", lambda: type("\n\x1b[2J\u202e" * 99, (), {})()),
}
CASE = "a list in itself"


def attack():
    return CASES[CASE][1]()


def answer():
    return 1.0
