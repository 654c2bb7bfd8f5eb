"""Gives numbers, texts and objects that agree to whatever they are compared with.

Each of them is believed where it is compared itself: see `test_7_forging.py`. The grader compares
what arrives of it, plain data.
"""

import functools
import sys
import types


def agree(*args):
    return True


def itself(self, *args):
    return self


AGREES = dict.fromkeys(
    "__eq__ __lt__ __le__ __gt__ __ge__ __contains__ __bool__ __instancecheck__".split(), agree
)
AGREES |= dict.fromkeys("__sub__ __rsub__ __add__ __radd__ __mul__ __round__ __call__ item".split(), itself)
AGREES |= {
    "__ne__": lambda self, other: False,
    "__hash__": lambda self: 0,
    "__abs__": lambda self: 0.0,
    "__float__": lambda self: 1.0,
    "__index__": lambda self: 1,
    "__repr__": lambda self: "0.7",
}


class Meta(type):
    __eq__ = __instancecheck__ = __subclasscheck__ = agree
    __hash__ = type.__hash__


class Claims:
    __class__ = property(lambda self: float)
    locals().update(AGREES)


class Descriptor:
    __get__ = itself
    locals().update(AGREES)


class Holder:
    number = Descriptor()


sys.modules["numpy"] = types.ModuleType("numpy")
sys.modules["numpy"].generic = Scalar = type("float64", (), AGREES)

CASES = {
    "float": type("Float", (float,), AGREES)(1.0),
    "not a number": type("Float", (float,), AGREES)("nan"),
    "int": type("Int", (int,), AGREES)(1),
    "str": type("Str", (str,), AGREES)("0.7"),
    "list": type("List", (list,), AGREES)([1.0]),
    "object": type("Anything", (), AGREES)(),
    "mapping": type("Dict", (dict,), AGREES)(a=1.0),
    "claims to be a float": Claims(),
    "class": Meta("float", (), {}),
    "named like approx": type("ApproxScalar", (), AGREES)(),
    "descriptor": Holder.number,
    "scalar of numpy": Scalar(),
    "partial": type("Partial", (functools.partial,), AGREES)(float),
    "exception": type("Error", (ValueError,), AGREES)(),
}
CASE = "float"


def attack():
    return "held"


def answer():
    return CASES[CASE]
