"""The entry point of the command: it ignores Python's environment variables and the user's site folder.

If one of them could change the code that runs, the command starts again in Python's isolated mode. Until then this file
imports only modules that every interpreter has loaded already.

    python -I -m grader      isolated from the beginning
"""

import os
import site
import sys

# The variables that change the executed code or the way it runs; `python --help-env` lists all of them.
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
    """Run the command, isolated."""
    if sys.executable and _is_steered():
        _replace_process(_isolated_command())
    import gc

    gc.disable()  # useless in a process of half a second; other commands enable it again
    _keep_encoding()
    os.environ.pop("_ARGCOMPLETE", None)  # a shell may set it, and then `import pytest` ends the process
    try:
        if _grades():
            from grader.sandbox import jail

            jail.start_early()  # it starts during the other imports
        from grader.cli import main as command
    except ModuleNotFoundError as error:
        if not sys.flags.isolated:
            raise
        sys.stderr.write(
            f"grade: {error.name} is not installed for {sys.executable} itself, and `grade` ignores "
            "PYTHONPATH; install Backgrade into a virtual environment and start it from there\n"
        )
        sys.exit(UNGRADABLE)
    except KeyboardInterrupt:
        sys.stderr.write("grade: interrupted\n")
        sys.exit(INTERRUPTED)
    command(prog_name="grade")


def _grades() -> bool:
    """Return True if the command grades an assignment of the current folder."""
    words = sys.argv[1:]
    manifest = os.path.join("assignments", *words[:1], "assignment.yaml")  # noqa: PTH118  pathlib is not loaded yet
    return bool(words) and os.path.isfile(manifest) and not {"-h", "--help"} & {*words}  # noqa: PTH113  the same


def _is_steered() -> bool:
    environment = not sys.flags.ignore_environment and any(os.environ.get(name) for name in STEERING)
    users_folder = site.USER_SITE in sys.path and not _is_installed_for_user()
    current_folder = __name__ == "__main__" and not sys.flags.safe_path  # `python -m` puts it first
    return environment or users_folder or current_folder


def _is_installed_for_user() -> bool:
    """Return True if the command is installed in the user's site folder and so needs it."""
    folder = site.USER_SITE or ""
    return os.path.isdir(folder) and any(name.startswith("backgrade-") for name in os.listdir(folder))  # noqa: PTH112, PTH208  pathlib is not loaded yet


def _isolated_command() -> list[str]:
    """Return the command line that starts the same command isolated; UTF-8 mode and `-B` are kept."""
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
    """Apply PYTHONIOENCODING, the encoding of the user's console, which isolated mode ignores."""
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
