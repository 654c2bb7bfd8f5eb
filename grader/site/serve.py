"""Serves a site only on this machine."""

from __future__ import annotations

import contextlib
import functools
import http.server
import webbrowser
from typing import TYPE_CHECKING

from grader.console import say

if TYPE_CHECKING:
    from pathlib import Path


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, with the media types that the runtime needs, and says nothing."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def open_server(folder: Path, port: int = 0) -> http.server.ThreadingHTTPServer:
    """Return a server of this folder; `server_address` has its port, by default a free one."""
    return http.server.ThreadingHTTPServer(
        ("127.0.0.1", port), functools.partial(_Quiet, directory=str(folder))
    )


def serve(folder: Path, *, browser: bool = True) -> None:
    """Serve the folder until Ctrl-C, and open it in the browser."""
    with open_server(folder) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        say(f"{address}  (Ctrl-C ends it)")
        if browser:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
