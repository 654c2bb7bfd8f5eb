"""Looks around on the machine: its folders, its kernel, its network, its devices, its disks.

guard: landlock
ways: /etc /proc /sys/class /dev /tmp /proc/version /proc/net/tcp
"""

import os

FOLDERS = "/etc /root /proc /sys/class /dev /tmp".split()
FILES = "/proc/version /proc/net/tcp /dev/kmsg /dev/mem /dev/sda /dev/vda /dev/nvme0n1".split()


def attack():
    got = []
    for path in FOLDERS + FILES:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            got.append(path)
        except (PermissionError, FileNotFoundError):
            pass
    return "escaped: " + " ".join(got) if got else "held"
