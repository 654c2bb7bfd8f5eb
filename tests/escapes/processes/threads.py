"""Starts threads without end, each with the smallest stack: more than the system and 300 of its own.

guard: threads
"""

import ctypes
import threading

end = threading.Event()


def running():
    """Return the number of threads of the whole system."""
    told = ctypes.create_string_buffer(128)
    ctypes.CDLL(None).sysinfo(told)
    return int.from_bytes(told[80:82], "little")  # `procs`


def attack():
    wanted = running() + 300
    threading.stack_size(32 << 10)
    started = 0
    try:
        while started < wanted:
            threading.Thread(target=end.wait).start()
            started += 1
    except RuntimeError:
        return "held"
    finally:
        end.set()
    return f"escaped: {started} threads"
