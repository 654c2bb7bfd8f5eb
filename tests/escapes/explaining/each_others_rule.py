"""Two functions call each other, in both directions: each is the other's rule, and a number is wrong."""


def plus(x, y, again=True):
    return times(x + y, 1, False) if again else x + y


def times(x, y, again=True):
    return plus(x * y, 0, False) if again else x * y


def attack():
    return "held" if plus(1, 1) == 2 else "wrong"


def answer():
    return times(plus(2, 2), 2)
