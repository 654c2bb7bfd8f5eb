"""Waits for others to call: over TCP, UDP, local names with and without a file, a pair of its own.

guard: landlock+seccomp
ways: tcp udp http pair path abstract listener
"""

import http.server
import multiprocessing.connection
import os
import socket


def local(name):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as here:
        here.bind(name)
        here.listen()


def path():
    local(MINE + "/escaped")
    os.unlink(MINE + "/escaped")


def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.bind(("127.0.0.1", 0))


def http_():
    http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler).server_close()


def pair():
    ours, theirs = socket.socketpair()
    ours.close(), theirs.close()


WAYS = {
    "tcp": lambda: socket.create_server(("127.0.0.1", 0)).close(),
    "udp": udp,
    "http": http_,
    "pair": pair,
    "path": path,
    "abstract": lambda: local("\0escaped"),
    "listener": lambda: multiprocessing.connection.Listener(("127.0.0.1", 0)).close(),
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
