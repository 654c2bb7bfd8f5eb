"""Makes a link to a secret where its own files are, and opens that.

guard: landlock+seccomp
ways: symlink link
"""

import os


def attack():
    got = []
    for link in os.symlink, os.link:
        mine = f"{MINE}/escaped"
        try:
            link(NEIGHBOUR, mine)
            open(mine).read()
            got.append(link.__name__)
            os.unlink(mine)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
