"""Promise 3: a submission opens no socket of any family."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from escapes.ground import Ground, attacks

(calling,) = attacks("sockets/more")
HTTP = b"HTTP/1.0 204 No Content\r\n\r\n"


# A server that is really there, on this machine, says who called.


def test_nobody_is_called(ground: Ground) -> None:
    with serving(ground.root) as server:
        tried = ground.grade(ground.hand_in(server.names() + calling.source))

    assert tried.told == "held"
    assert server.calls == []


@pytest.mark.whole
def test_somebody_is_called_without_a_guard(weak_ground: Ground) -> None:
    with serving(weak_ground.root) as server:
        path = weak_ground.hand_in(server.names() + calling.source)
        (tried,) = weak_ground.without(calling.line("guard", ""), [path])

    assert "escaped: " + calling.line("ways", "") in tried.told
    assert {"TCP", "UDP", "PATH", "ABSTRACT"} == set(server.calls)


class Server:
    """A server with a socket of each kind on this machine; it records the calls."""

    def __init__(self, folder: Path) -> None:
        addresses = {
            "TCP": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "UDP": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "PATH": (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "called")),
            "ABSTRACT": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0called-{os.getpid()}"),
        }
        self.sockets = {name: socket.socket(family, kind) for name, (family, kind, _) in addresses.items()}
        self.calls: list[str] = []
        for name, found in self.sockets.items():
            found.bind(addresses[name][2])
            if found.type == socket.SOCK_STREAM:
                found.listen()
        (folder / "called").chmod(0o777)

    def names(self) -> str:
        """Return the addresses of the server as source code."""
        tcp, udp, path, abstract = (found.getsockname() for found in self.sockets.values())
        where = {"TCP": tcp[1], "UDP": udp[1], "PATH": path, "ABSTRACT": abstract.decode()}
        return "".join(f"{name} = {value!r}\n" for name, value in where.items())

    def serve(self, end: int) -> None:
        """Serve until the descriptor `end` can be read."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(end, selectors.EVENT_READ)
            for name, found in self.sockets.items():
                waiting.register(found, selectors.EVENT_READ, name)
            while all(self.answer(key.fileobj, key.data) for key, _ in waiting.select()):
                pass

    def answer(self, found: socket.socket, name: str | None) -> bool:
        """Record a call and answer it."""
        if name is None:
            return False
        self.calls.append(name)
        if found.type == socket.SOCK_DGRAM:
            found.recv(1000)
            return True
        caller, _ = found.accept()
        with caller, contextlib.suppress(OSError):
            caller.settimeout(1)
            caller.recv(1000)
            caller.sendall(HTTP)
        return True


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Yield a server that runs in a thread."""
    server, (end, stop) = Server(folder), os.pipe()
    thread = threading.Thread(target=server.serve, args=[end])
    thread.start()
    try:
        yield server
    finally:
        os.close(stop)
        thread.join()
        os.close(end)
        for found in server.sockets.values():
            found.close()
        (folder / "called").unlink()
