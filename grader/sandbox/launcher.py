"""The clean launcher: forks a closed jail for each request, ends and reaps it.

Launched by its path, like `worker.py`, which it loads; it never sees a submission and
holds no secret.

    launcher.py SITE...    serves on descriptor 0; SITE is where the jail libraries are
"""

import gc
import importlib.util
import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any


def load(name: str) -> Any:
    """The module in the file of that name beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Launcher:
    """Forks a jail for each request on its socket, ends and reaps it; never sees a submission."""

    def __init__(self, control: socket.socket, worker: Any, policy: Any) -> None:
        self.control, self.worker, self.policy = control, worker, policy
        self.children: set[int] = set()

    def serve(self) -> None:
        """Carry out requests until the grader is gone; then end every jail."""
        self.control.sendall(_line({"ready": self.policy.in_force}))
        gc.collect()
        gc.freeze()
        while True:
            data, fds, _, _ = socket.recv_fds(self.control, 4096, 1)
            if not data:
                break
            request = json.loads(data.decode())
            if request["op"] == "fork":
                self.control.sendall(_line({"pid": self.fork(request, fds[0])}))
            else:
                self.control.sendall(_line({"status": self.end(request["pid"], died=request["died"])}))
        for pid in list(self.children):
            self.end(pid)

    def fork(self, request: dict[str, Any], fd: int) -> int:
        imports = tuple(request["imports"])
        self.policy.prepare(imports)
        pid = os.fork()
        if pid:
            os.close(fd)
            self.children.add(pid)
            return pid
        try:
            if request["core"] is not None:
                os.sched_setaffinity(0, {request["core"]})
            self.control.close()
            self.worker.quiet_standard_streams()
            self.policy.apply(request["memory"], request["cpu"], imports)
            fd = os.dup2(fd, 3, inheritable=False) if fd != 3 else fd
            os.closerange(4, 256)
            self.worker.Jail(fd, fd).serve()
        finally:
            os._exit(70)

    def end(self, pid: int, *, died: bool = False) -> int:
        """Kill and reap a jail; gives its wait status when it had `died` by itself, else 0."""
        if pid not in self.children:
            return 0
        self.children.discard(pid)
        patience = 50 if died else 0  # its descriptors close a little before it can be reaped
        for _ in range(patience):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.002)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return 0


def _line(message: object) -> bytes:
    return (json.dumps(message) + "\n").encode()


if __name__ == "__main__":
    Launcher(socket.socket(fileno=os.dup(0)), load("worker"), load("confine").Policy(sys.argv[1:])).serve()
