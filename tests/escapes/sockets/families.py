"""Asks for a socket of every family and kind: IP, local, netlink, packets, Bluetooth, CAN, VSOCK, crypto.

guard: seccomp
ways: 1 2 16
"""

import socket

FAMILIES = range(46)  # AF_MAX of Linux 6
KINDS = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET


def attack():
    got = []
    for family in FAMILIES:
        for kind in KINDS:
            try:
                socket.socket(family, kind).close()
            except PermissionError as error:
                assert error.errno == 1  # which is seccomp's; a kernel without the family says so
            except OSError:
                pass
            else:
                got.append(str(family))
                break
    return "escaped: " + " ".join(got) if got else "held"
