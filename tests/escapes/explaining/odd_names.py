"""Names and labels that are none: numbers, nothing, containers, bytes of another encoding."""

import sys

caller = sys._getframe()
while "op" not in caller.f_locals.get("request", ()):
    caller = caller.f_back
jail = caller.f_locals["self"]
jail.do_defined = lambda request: [[1, 1, 7]] * len(request["of"])
jail.do_peek = lambda request: [{0: 1, "data": {"d": [[1, 2], [None, {"t": []}], ["\udc80", 3]]}, "grad": 1}]


class Odd:
    def __init__(self):
        vars(self)[5] = "five"
        vars(self)[("a", 1)] = ...


Odd.__name__ = Odd.__qualname__ = "\x1b[2J::error::" * 9


def attack():
    return "held"


def answer():
    return {1: Odd(), None: 2, ("a",): 3, frozenset(): 4}
