"""Opens devices for writing: terminals, the kernel's log, tunnels, disks.

guard: landlock
ways: /dev/ptmx /dev/full /dev/zero
"""

import os

NAMES = "ptmx full zero tty console kmsg fuse net/tun vsock mem sda vda nvme0n1 uinput".split()


def attack():
    got = []
    for name in NAMES:
        try:
            os.close(os.open(f"/dev/{name}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))
            got.append(f"/dev/{name}")
        except (PermissionError, FileNotFoundError):
            pass
        except OSError as error:
            got.append(f"almost {error.errno}")  # there, and allowed, but nothing is connected to it
    return "escaped: " + " ".join(got) if got else "held"
