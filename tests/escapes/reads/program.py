"""Has another program read a secret and takes what it prints out of a pipe.

guard: landlock+seccomp
"""

import os


def attack():
    ours, theirs = os.pipe()
    try:
        pid = os.posix_spawn(
            "/bin/cat",
            ["cat", SECRET_FILES[0]],
            {},
            file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 1)],
        )
    except PermissionError:
        return "held"
    os.waitpid(pid, 0)
    return "escaped: " + os.read(ours, 1000).decode()
