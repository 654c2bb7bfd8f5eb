"""The code of a function says that it stands at line 10**9 of a cell that is not there."""


def attack():
    return "held"


def answer():
    return 2


answer.__code__ = answer.__code__.replace(
    co_firstlineno=2**31 - 1, co_filename="<block 99999999999999999999>", co_qualname="\x1b[2J::error::" * 9
)
