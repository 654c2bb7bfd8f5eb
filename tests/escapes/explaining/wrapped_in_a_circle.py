"""Two functions are each other's `__wrapped__`: whoever looks below the decorators goes in circles."""


def attack():
    return "held"


def answer():
    return 2


attack.__wrapped__, answer.__wrapped__ = answer, attack
