"""Asks the library for workers: multiprocessing by every method, a pool of processes, a terminal.

guard: seccomp+landlock+files
ways: fork spawn forkserver pool pty forkpty
"""

import multiprocessing
import os
import pty
from concurrent.futures import ProcessPoolExecutor


def child():
    os._exit(7)


def by(method):
    process = multiprocessing.get_context(method).Process(target=child)
    process.start()
    process.join()
    return True


def pool():
    with ProcessPoolExecutor(1) as workers:
        return workers.submit(abs, -1).result() == 1


def terminal(fork):
    pid, end = fork()
    if pid == 0:
        os._exit(0)
    os.close(end)
    return os.waitpid(pid, 0)


WAYS = {
    "fork": lambda: by("fork"),
    "spawn": lambda: by("spawn"),
    "forkserver": lambda: by("forkserver"),
    "pool": pool,
    "pty": lambda: terminal(pty.fork),
    "forkpty": lambda: terminal(os.forkpty),
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except OSError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
