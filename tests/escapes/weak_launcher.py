"""The launcher of jails without one of its measures, so that an attack can succeed.

    weak_launcher.py INSIDE GUARD

INSIDE is the folder of the real launcher, which does the rest.
"""

import importlib.util
import os
import sys
from pathlib import Path


def main(inside: str, guards: str) -> None:
    """Serve as the real launcher does."""
    import socket

    control = socket.socket(fileno=os.dup(0))  # first: it takes descriptor 3, which is the jail's later
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
    kept = {"death": confine.PR_SET_PDEATHSIG, "dumpable": confine.PR_SET_DUMPABLE}
    options, prctl = {kept[name] for name in out & set(kept)}, confine._prctl
    confine._prctl = lambda option, value: None if option in options else prctl(option, value)
    policy = confine.Policy()
    policy.in_force = {name: what for name, what in policy.in_force.items() if name not in out}
    if "closing" in out:
        policy.descriptors = 4
        os.dup(0)  # stands for a descriptor that the launcher left open
    if "late" in out:  # the filter is found to be refused when the jail is closed, not on trial before
        policy.filter = policy.sealable = bytes(8)
        policy.prepare_seal = lambda: None
    launcher._forget_the_outside()
    launcher.JailForker(control, worker, policy).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
