"""Streams carry bytes to a jail and back: over a socket, or over pipes where the system cannot fork."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    import subprocess


class Stream:
    """Bytes to and from a jail; every deadline is a time of `time.monotonic`."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def send(self, data: bytes, deadline: float) -> None:
        """Send all of it. Raises TimeoutError, or EOFError if the jail has ended."""
        raise NotImplementedError

    def more(self, deadline: float) -> bytes:
        """Return the bytes that have arrived, at least one. Raises TimeoutError, EOFError."""
        raise NotImplementedError

    def has_arrived(self, deadline: float) -> bool:
        """Wait for bytes; return False if none came in time."""
        with contextlib.suppress(EOFError):  # the next `receive` raises it
            try:
                self.buffer += b"" if self.buffer else self.more(deadline)
            except TimeoutError:
                return False
        return True

    def close(self) -> None:
        """Close the descriptors."""
        raise NotImplementedError

    def receive(self, size: int, deadline: float) -> bytes:
        """Return exactly `size` bytes. Raises TimeoutError, EOFError."""
        while len(self.buffer) < size:
            self.buffer += self.more(deadline)
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data


class SocketStream(Stream):
    """The socket of a jail that the launcher has forked."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self.sock = sock

    def _arm(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left)

    def send(self, data: bytes, deadline: float) -> None:
        self._arm(deadline)
        try:
            self.sock.sendall(data)
        except ConnectionError as error:
            raise EOFError from error

    def more(self, deadline: float) -> bytes:
        self._arm(deadline)
        try:
            chunk = self.sock.recv(1 << 16)
        except ConnectionError as error:
            raise EOFError from error
        if not chunk:
            raise EOFError
        return chunk

    def close(self) -> None:
        self.sock.close()


class PipeStream(Stream):
    """The pipes of a jail that was not forked.

    A thread reads them, because Windows cannot wait on a pipe with a deadline.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__()
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        self.chunks: queue.Queue[bytes] = queue.Queue(maxsize=64)
        self.closed = False
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        # Only this thread closes the pipe: its number must not become another jail's while it is read.
        with self.stdout as pipe, contextlib.suppress(OSError):
            while chunk := os.read(pipe.fileno(), 1 << 16):
                self._put(chunk)
        self._put(b"")

    def _put(self, chunk: bytes) -> None:
        """Wait until there is room, so that a jail that floods the pipe does not fill the grader's memory."""
        while not self.closed:
            with contextlib.suppress(queue.Full):
                self.chunks.put(chunk, timeout=0.1)
                return

    def send(self, data: bytes, deadline: float) -> None:  # noqa: ARG002  a pipe cannot wait
        try:
            self.stdin.write(data)
            self.stdin.flush()
        except (OSError, ValueError) as error:
            raise EOFError from error

    def more(self, deadline: float) -> bytes:
        try:
            chunk = self.chunks.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if not chunk:
            self.chunks.put(chunk)  # nothing comes after it: the next call finds the end, too
            raise EOFError
        return chunk

    def close(self) -> None:
        self.closed = True
        with contextlib.suppress(OSError):
            self.stdin.close()
