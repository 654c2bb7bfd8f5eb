"""A failing test leaves as much behind as a message can hold, and its names are defined in 4,000 places."""

import sys

caller = sys._getframe()
while "op" not in caller.f_locals.get("request", ()):
    caller = caller.f_back
jail = caller.f_locals["self"]
WIDE = {"l": [{"l": [0.1] * 90}] * 210}
PLACES = [[1, line, "f" * 70] for line in range(4_000)]
jail.do_peek = lambda request: [{"data": WIDE, "grad": WIDE}] * len(request["handles"])
jail.do_defined = lambda request: PLACES


class Odd:
    pass


def attack():
    return "held"


def answer():
    return [Odd() for _ in range(3)] and Odd()
