"""Prints without measure, while the cells are executed and in calls.

limits: load_seconds=0.3 check_seconds=0.3 total_seconds=20
told: held
"""

import logging
import os
import sys
import warnings

print("flood" * 200_000)
for _ in range(5_000):
    sys.stderr.write("floodflood\n")
    warnings.warn("floodflood")
    logging.error("floodflood")
for stream in (sys.__stdout__, sys.__stderr__):
    stream.write("flood" * 100_000)
for descriptor in (0, 1, 2):
    os.write(descriptor, b"flood" * 100_000)


# %%
def prints():
    """Five megabytes in a call: nobody reads them."""
    for _ in range(100):
        print("flood" * 10_000)
    return "held"


def goes_on():
    """And without end.

    told: check_seconds
    """
    while True:
        print("flood" * 1_000)


def into_the_answer():
    """Onto the descriptor on which answers are written.

    told: sent a message of
    """
    os.write(3, b"flood" * 100_000)


def into_its_stack():
    """Onto the descriptor of its stack, with stacks of its own.

    told: check_seconds
    """
    while True:
        os.write(4, b'Stack (most recent call first):\n  File "<block 9>", line 9 in f\n  ...\n' * 1_000)


# %%
while True:
    print("flood" * 1_000)
