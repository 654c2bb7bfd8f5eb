"""Walks up the frames of every thread: to the tests with their constants, and to a local `expected`.

guard: process
"""

import sys


def locals_called(name):
    for frame in sys._current_frames().values():
        while frame is not None:
            if name in frame.f_locals:
                yield frame.f_locals[name]
            frame = frame.f_back


def attack():
    for item in locals_called("item"):
        for test in item.session.items:
            if test.name.startswith("test_answer"):
                return f"escaped: {test.function.__code__.co_consts}"
    return "held"


def answer():
    return next(locals_called("expected"), 1.0)
