"""Writes to /proc: what its own process is, and which process the kernel ends first when memory is short.

guard: landlock+dumpable
ways: comm oom_score_adj coredump_filter clear_refs mem launcher
"""

import os

NAMES = "comm oom_score_adj coredump_filter clear_refs mem".split()
PATHS = {name: f"/proc/self/{name}" for name in NAMES} | {
    "launcher": f"/proc/{os.getppid()}/oom_score_adj",
    "system": "/proc/sys/kernel/core_pattern",
    "memory": "/proc/sys/vm/drop_caches",
}


def attack():
    got = []
    for name, path in PATHS.items():
        try:
            os.close(os.open(path, os.O_WRONLY))
            got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
