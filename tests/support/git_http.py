"""Git over HTTP on this machine: git's own http-backend behind a server that asks for a token.

    with GitHttp(folder, token) as server:
        ... fetch {server.url}/course/ada.git ...
        assert server.asked  # (path, Authorization)

`moved` are paths that lead elsewhere, by their beginning.
"""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit


class GitHttp:
    """The server, as a context manager."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.wanted = "Basic " + base64.b64encode(f"x-access-token:{token}".encode()).decode()
        self.asked: list[tuple[str, str]] = []
        self.moved: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(server: GitHttp) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            told = self.headers.get("Authorization", "")
            server.asked.append((self.path, told))
            for begin, elsewhere in server.moved.items():
                if self.path.startswith(begin):
                    return self._send(301, [("Location", elsewhere + self.path.removeprefix(begin))], b"")
            if told != server.wanted:
                return self._send(401, [("WWW-Authenticate", 'Basic realm="x"')], b"")
            return self._served()

        def _served(self) -> None:
            url = urlsplit(self.path)
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known = {
                "GIT_PROJECT_ROOT": str(server.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            done = subprocess.run(
                ["git", "http-backend"], input=data, env=os.environ | known, capture_output=True, check=False
            )
            head, _, body = done.stdout.partition(b"\r\n\r\n")
            fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
            status = next((int(value[:3]) for name, value in fields if name == "Status"), 200)
            self._send(status, [(name, value) for name, value in fields if name != "Status"], body)

        def _send(self, status: int, fields: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in fields:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    for verb in ("GET", "POST"):
        setattr(Handler, f"do_{verb}", Handler.do)
    return Handler
