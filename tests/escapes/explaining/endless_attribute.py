"""Reading what a failing test left behind never comes to an end."""


class Odd:
    @property
    def grad(self):
        while True:
            pass

    data = grad


def attack():
    return "held"


def answer():
    return Odd()
