"""The runtime of a site: Pyodide, which is Python for browsers, and the wheels of msgspec and numpy that are built for it.

A runtime has one version of Python, and msgspec has wheels for few, so these are pinned together. Both come from their
registries by the registries' own clients. The runtime's lock file names the wheel of numpy and its hash; the wheel is in
Pyodide's distribution. All are kept in the user's cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader.errors import Broken
from grader.files import read_cache, write_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KIND = "site"  # of the cache


class PinnedArchive(NamedTuple):
    """An archive: its version, the name that the registry's client gives it, its SHA-256."""

    version: str
    file: str
    sha256: str


PYTHON = "3.14"  # of this Pyodide
PLATFORM = "pyemscripten_2026_0_wasm32"  # of this Pyodide, as pip names it
PYODIDE = PinnedArchive(
    "314.0.7", "pyodide-314.0.7.tgz", "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
)
MSGSPEC = PinnedArchive(
    "0.22.0",
    f"msgspec-0.22.0-cp314-cp314-{PLATFORM}.whl",
    "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022",
)
SCRIPT = "pyodide.mjs"
STDLIB = "python_stdlib.zip"  # Python's own modules
LOCK = "pyodide-lock.json"
FILES = (SCRIPT, "pyodide.asm.mjs", "pyodide.asm.wasm", STDLIB, LOCK)
DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE.version}/full"
FETCH_SECONDS, LARGEST = 60, 32 << 20  # of the wheel of numpy


def read_runtime(folder: Path | None = None) -> dict[str, bytes]:
    """Return the files of the runtime by name; `folder` has the archive, else it is fetched once. Raises Broken."""
    archive, found = _read(PYODIDE, folder, _pack), {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for name in FILES:
            file = opened.extractfile(f"package/{name}")
            assert file is not None
            found[name] = file.read()
    return found


def read_msgspec(folder: Path | None = None) -> bytes:
    """Return the wheel of msgspec for this runtime, from `folder` or fetched once. Raises Broken."""
    return _read(MSGSPEC, folder, _download)


def numpy_pin(of_runtime: Mapping[str, bytes]) -> PinnedArchive:
    """Return the wheel of numpy that the lock file of this runtime names."""
    entry = json.loads(of_runtime[LOCK])["packages"]["numpy"]
    return PinnedArchive(entry["version"], entry["file_name"], entry["sha256"])


def read_numpy(pin: PinnedArchive, folder: Path | None = None) -> bytes | None:
    """Return this wheel of numpy, from `folder` or fetched once; None if it is in neither place. Raises Broken."""

    def fetch(target: Path) -> None:
        address = f"{DISTRIBUTION}/{pin.file}"
        with urllib.request.urlopen(address, timeout=FETCH_SECONDS) as answer:  # noqa: S310  a constant: https
            (target / pin.file).write_bytes(answer.read(LARGEST))

    if folder is None or (folder / pin.file).is_file():
        with contextlib.suppress(OSError):  # it cannot be reached from here
            return _read(pin, folder, fetch)
    return None


def _read(pin: PinnedArchive, folder: Path | None, fetch: Callable[[Path], None]) -> bytes:
    if folder is not None:
        try:
            data = (folder / pin.file).read_bytes()
        except OSError as error:
            raise Broken(
                f"{folder / pin.file}: {error.strerror}; --pyodide takes a folder with this archive"
            ) from error
    elif (kept := read_cache(KIND, pin.file)) is not None:
        data = kept
    else:
        with tempfile.TemporaryDirectory() as fetched:
            fetch(Path(fetched))
            data = (Path(fetched) / pin.file).read_bytes()
        write_cache(KIND, pin.file, data)
    if hashlib.sha256(data).hexdigest() != pin.sha256:
        raise Broken(
            f"{pin.file} is not the file that this version of Backgrade was tested with: its SHA-256 differs"
        )
    return data


def _pack(folder: Path) -> None:
    """Write the archive of the runtime into a folder. Raises Broken."""
    npm, wanted = shutil.which("npm"), f"pyodide@{PYODIDE.version}"
    if npm is None:
        raise Broken(
            f"npm is not installed, and it fetches Python for browsers: install Node.js, or run `npm pack {wanted}` "
            "elsewhere and give the folder with --pyodide"
        )
    _call([npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), wanted], wanted)


def _download(folder: Path) -> None:
    """Write the wheel of msgspec into a folder. Raises Broken."""
    wanted = f"msgspec=={MSGSPEC.version}"
    how = ["--no-deps", "--only-binary=:all:", "--platform", PLATFORM, "--python-version", PYTHON]
    _call([sys.executable, "-m", "pip", "download", "-q", *how, "-d", str(folder), wanted], wanted)


def _call(command: list[str], wanted: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr or done.stdout).strip().rsplit("\n", 1)[-1]
        why = why or f"{Path(command[0]).name} ended with the exit code {done.returncode}"
        raise Broken(
            f"{wanted} could not be fetched: {why}; it needs the network, and room on the disk, once; then it is kept"
        )
