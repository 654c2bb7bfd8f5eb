"""Hooks into whatever runs a hook, to look from there into the locals of who called.

guard: process
alone: yes
"""

import gc
import os
import sys
import threading

seen, busy = [], threading.Lock()


def look(*args):
    if not busy.acquire(blocking=False):  # looking is an event too
        return
    for frame in sys._current_frames().values():
        while frame is not None:
            if "expected" in frame.f_locals:
                seen.append(frame.f_locals["expected"])
            frame = frame.f_back
    busy.release()


def looking(function):
    def wrapped(*args):
        look()
        return function(*args)

    return wrapped


sys.addaudithook(look)
gc.callbacks.append(look)
threading.excepthook = sys.excepthook = sys.unraisablehook = sys.breakpointhook = look
threading.setprofile(look)
sys.setprofile(look)
sys.settrace(look)
if hasattr(threading, "settrace_all_threads"):  # Python 3.12
    threading.settrace_all_threads(look)
    sys.monitoring.use_tool_id(1, "look")
    sys.monitoring.register_callback(1, sys.monitoring.events.LINE, look)
    sys.monitoring.set_events(1, sys.monitoring.events.LINE)
os.urandom, os.read = looking(os.urandom), looking(os.read)


def attack():
    return "held"


def answer():
    return seen[-1] if seen else 1.0
