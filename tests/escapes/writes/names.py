"""Makes, moves and removes names: folders, links, pipes, a hidden check, what it handed in.

guard: landlock+seccomp
ways: mkdir rmdir symlink link mkfifo mknod rename replace unlink
"""

import os
import stat

NEW, MOVED = MINE + "/escaped", MINE + "/escaped-moved"
HIDDEN = COURSE + "/solutions/vault/checks/test_answer.py"


def rename():
    os.rename(HIDDEN, HIDDEN + ".escaped")
    os.rename(HIDDEN + ".escaped", HIDDEN)


WAYS = {
    "mkdir": lambda: os.mkdir(NEW),
    "rmdir": lambda: os.rmdir(NEW),
    "symlink": lambda: os.symlink("anywhere", NEW),
    "link": lambda: os.link(MINE + "/vault.py", MINE + "/escaped-link"),
    "mkfifo": lambda: os.mkfifo(MINE + "/escaped-pipe"),
    "mknod": lambda: os.mknod(MINE + "/escaped-file", stat.S_IFREG | 0o600),
    "rename": rename,
    "replace": lambda: os.replace(NEW, MOVED),
    "unlink": lambda: os.unlink(MINE + "/vault.py"),
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            way()
            got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
