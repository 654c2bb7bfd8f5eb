"""Starts a shell or an interpreter in the ways that people know.

guard: seccomp+landlock
ways: run shell posix_spawn posix_spawnp system popen spawnv c_system c_popen
"""

import ctypes
import os
import subprocess

PASS = [PYTHON, "-S", "-c", "pass"]
libc = ctypes.CDLL(None)


def waited(child):
    return os.waitpid(child, 0)[1] == 0


def c_popen():
    libc.popen.restype = ctypes.c_void_p
    stream = libc.popen(b"exit 0", b"r")
    return stream and libc.pclose(ctypes.c_void_p(stream)) == 0


WAYS = {
    "run": lambda: subprocess.run(PASS, check=True),
    "shell": lambda: subprocess.run("exit 0", shell=True, check=True),
    "posix_spawn": lambda: waited(os.posix_spawn(PYTHON, PASS, {})),
    "posix_spawnp": lambda: waited(os.posix_spawnp(PYTHON, PASS, {})),
    "system": lambda: os.system("exit 0") == 0,
    "popen": lambda: os.popen("echo words").read(),
    "spawnv": lambda: os.spawnv(os.P_WAIT, PYTHON, PASS) == 0,
    "c_system": lambda: libc.system(b"exit 0") == 0,
    "c_popen": c_popen,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
