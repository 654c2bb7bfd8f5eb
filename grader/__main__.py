"""Where the command begins: neither the environment nor the user's site folder has a say in what follows.

Where they could have one, the same command is started again in Python's isolated mode. So that nothing
of theirs is imported before, this file imports only what an interpreter has loaded when it is up.

    python -I -m grader      isolated from the first moment, for those who start it themselves
"""

import os
import site
import sys

# What changes which code is executed, or how. Of the others none does; see `python --help-env`.
STEERING = (
    "PYTHONBREAKPOINT",
    "PYTHONCASEOK",
    "PYTHONDEVMODE",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONINTMAXSTRDIGITS",
    "PYTHONOPTIMIZE",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONPYCACHEPREFIX",
    "PYTHONUSERBASE",
    "PYTHONWARNINGS",
    "PYTHON_PRESITE",
)
UNGRADABLE, INTERRUPTED = 3, 130


def main() -> None:
    """The command, in an interpreter in which nobody else has a say."""
    if sys.executable and _is_steered():
        _replace_process(_isolated())
    _keep_encoding()
    os.environ.pop("_ARGCOMPLETE", None)  # a shell's, with which `import pytest` ends the process
    try:
        from grader.cli import main as command
    except ModuleNotFoundError as error:
        if not sys.flags.isolated:
            raise
        sys.stderr.write(
            f"grade: {error.name} is not installed for {sys.executable} itself, and PYTHONPATH has no say "
            "here; install Backgrade into a virtual environment and start it from there\n"
        )
        sys.exit(UNGRADABLE)
    except KeyboardInterrupt:
        sys.stderr.write("grade: interrupted\n")
        sys.exit(INTERRUPTED)
    command(prog_name="grade")


def _is_steered() -> bool:
    environment = not sys.flags.ignore_environment and any(os.environ.get(name) for name in STEERING)
    users_folder = site.USER_SITE in sys.path and not _is_installed_for_user()
    current_folder = __name__ == "__main__" and not sys.flags.safe_path  # `python -m` puts it first
    return environment or users_folder or current_folder


def _is_installed_for_user() -> bool:
    """Whether the user's site folder is where the command itself was installed, and so needed."""
    folder = site.USER_SITE or ""
    return os.path.isdir(folder) and any(name.startswith("backgrade-") for name in os.listdir(folder))  # noqa: PTH112, PTH208  pathlib is not loaded yet


def _isolated() -> list[str]:
    """The command line of the same command, with what a user would notice kept."""
    needed = site.USER_SITE in sys.path and _is_installed_for_user()
    isolation = ["-E", "-P"] if needed else ["-I"]
    kept = [f"-Xutf8={sys.flags.utf8_mode}", *(["-B"] if sys.dont_write_bytecode else [])]
    return [sys.executable, *isolation, *kept, os.path.abspath(__file__), *sys.argv[1:]]  # noqa: PTH100  the same


def _replace_process(command: list[str]) -> None:
    if os.name == "nt":
        _wait_for(command)
    else:
        os.execv(command[0], command)  # noqa: S606  our own interpreter


def _wait_for(command: list[str]) -> None:
    sys.path.insert(0, os.path.dirname(os.__file__))  # noqa: PTH120  the standard library before PYTHONPATH
    import subprocess

    sys.exit(subprocess.call(command))  # noqa: S603  the same


def _keep_encoding() -> None:
    """Isolated mode ignores PYTHONIOENCODING, with which users choose what their console can show."""
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    if not sys.flags.ignore_environment or not (encoding or errors):
        return
    for stream, on_errors in ((sys.stdout, errors or None), (sys.stderr, "backslashreplace")):
        try:
            stream.reconfigure(encoding=encoding or None, errors=on_errors)  # type: ignore[union-attr]
        except (AttributeError, LookupError):
            return  # no such stream, or no such encoding


if __name__ == "__main__":
    main()
