"""Calls a server that is really there: with TCP, HTTP, UDP, a question of DNS, a local path, a local name.

guard: landlock+seccomp
ways: tcp http urllib asyncio dns log path abstract client
"""

import asyncio
import http.client
import logging.handlers
import multiprocessing.connection
import socket
import urllib.error
import urllib.request
import xmlrpc.client


def dns():
    """Send a DNS query directly, past the settings of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.sendto(b"\0\1\1\0\0\1\0\0\0\0\0\0\7escaped\0\0\1\0\1", ("127.0.0.1", UDP))


def connection(path):
    client = http.client.HTTPConnection("127.0.0.1", TCP, timeout=1)
    client.request("GET", path)
    client.getresponse()


def local(name):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as here:
        here.connect(name)


async def streams():
    await asyncio.open_connection("127.0.0.1", TCP)


def log():
    handler = logging.handlers.SysLogHandler(("127.0.0.1", UDP))
    handler.emit(logging.makeLogRecord({"msg": "here I am"}))
    handler.close()


WAYS = {
    "tcp": lambda: socket.create_connection(("127.0.0.1", TCP), 1).close(),
    "http": lambda: connection("/http"),
    "urllib": lambda: urllib.request.urlopen(f"http://127.0.0.1:{TCP}/urllib", timeout=1).close(),
    "asyncio": lambda: asyncio.run(streams()),
    "dns": dns,
    "log": log,
    "path": lambda: local(PATH),
    "abstract": lambda: local(ABSTRACT),
    "client": lambda: multiprocessing.connection.Client(PATH).close(),
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            way()
            got.append(name)
        except PermissionError:
            pass
        except urllib.error.URLError as error:
            assert isinstance(error.reason, PermissionError)
    try:
        socket.getaddrinfo("escaped.invalid", 80)
    except socket.gaierror:
        pass  # the same whether it asked or not
    return "escaped: " + " ".join(got) if got else "held"
