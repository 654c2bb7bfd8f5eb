"""The launcher of jails without one of its measures: what an attack needs to succeed.

    weak_launcher.py INSIDE GUARD SITE...

INSIDE is the folder of the real launcher, which does the rest.
"""

import importlib.util
import sys
from pathlib import Path


def main(inside: str, guards: str, *sites: str) -> None:
    """Serve as the real launcher does."""
    import socket

    path = Path(inside) / "launcher.py"
    spec = importlib.util.spec_from_file_location("launcher", path)
    launcher = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launcher)
    confine, worker = launcher.load("confine"), launcher.load("worker")
    out = set(guards.split("+"))
    limits = {
        "memory": confine.resource.RLIMIT_AS,
        "cpu": confine.resource.RLIMIT_CPU,
        "files": confine.resource.RLIMIT_FSIZE,
        "threads": confine.resource.RLIMIT_NPROC,
        "descriptors": confine.resource.RLIMIT_NOFILE,
    }
    off = {limits[name] for name in out & set(limits)}
    limit = confine._limit
    confine._limit = lambda which, *args, **kw: None if which in off else limit(which, *args, **kw)
    if "privileges" in out:
        confine._drop_privileges = lambda **_: None
    if "death" in out:
        prctl = confine._prctl
        confine._prctl = lambda option, value: None if option == 1 else prctl(option, value)
    policy = confine.Policy(list(sites))
    policy.in_force = [name for name in policy.in_force if name not in out]
    launcher.Launcher(socket.socket(fileno=launcher.os.dup(0)), worker, policy).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
