"""The `grade` command, already up: for each message that it gets it forks, and the fork runs the command.

    warm_grade.py GRADE     GRADE is where the installed command lies; standard input is a socket

A message is JSON, the arguments, the folder and the environment, and two descriptors for what is printed.
The answer is the exit code. The imports and the taking down of the interpreter are saved, which is
more than half of the time of most commands; in between the fork is the whole command.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import sysconfig
import threading
from typing import Any, NoReturn

LONGEST = 1 << 20  # bytes
NOTEBOOKS = {"stub": ["jupytext", "nbformat"], "validate": ["jupytext", "nbformat", "nbclient"]}
LATE = ("grader.sandbox.inside", "grader.practice.check")  # the jail's; what wants IPython


def import_all() -> None:
    """Import every module that a command may import."""
    import _pytest.config

    import grader

    ours = [module.name for module in pkgutil.walk_packages(grader.__path__, "grader.")]
    theirs = [f"_pytest.{name}" for name in _pytest.config.default_plugins]
    for name in [*ours, *theirs, "ctypes", "h11", "httpx", "pdb"]:
        if not name.startswith(LATE):
            importlib.import_module(name)
    sysconfig.get_config_vars()
    read_certificates_once()


def read_certificates_once() -> None:
    """Share the certificates between all clients of httpx, and import what it imports with its first client."""
    import encodings.idna  # noqa: F401  with the first request
    import ssl

    import httpx

    ssl.create_default_context = functools.cache(ssl.create_default_context)
    httpx.Client().close()


def serve() -> tuple[dict[str, Any], list[int]]:
    """Fork for each message; comes back in the forks only, with what to run and where to print."""
    with socket.socket(fileno=os.dup(0)) as messages:
        while True:
            message, descriptors, *_ = socket.recv_fds(messages, LONGEST, 2)
            if not message:
                sys.exit()
            command = json.loads(message)
            for name in NOTEBOOKS.get(command["args"][0] if command["args"] else "", ()):
                importlib.import_module(name)
            gc.freeze()
            if (fork := os.fork()) == 0:
                return command, descriptors
            for number in descriptors:
                os.close(number)
            _, status = os.waitpid(fork, 0)
            messages.send(b"%d" % os.waitstatus_to_exitcode(status))


def become(command: dict[str, Any], descriptors: list[int]) -> None:
    """Take on the command's arguments, folder, environment and streams."""
    sys.argv[1:] = command["args"]
    os.chdir(command["cwd"])
    os.environ.clear()
    os.environ.update(command["env"])
    for number, stream in enumerate([os.open(os.devnull, os.O_RDONLY), *descriptors]):
        os.dup2(stream, number)
        os.close(stream)
    for printed, on_errors in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        printed.reconfigure(encoding="utf-8", errors=on_errors)


def run() -> NoReturn:
    """The command, and what an interpreter does at its end."""
    from grader.__main__ import main

    code: Any = 1
    try:
        code = main()
    except SystemExit as left:
        code = left.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120  as for an installed command
    import_all()
    become(*serve())
    run()
