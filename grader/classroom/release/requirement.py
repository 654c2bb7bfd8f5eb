"""The requirement on Backgrade: the wheel that a template brings along.

It is a wheel of the running Backgrade, made from the files that it runs from. A checkout (an editable
install) and an installed wheel give the same wheel: the package's folder and pip's own notes about it. That needs
no build backend and no network, and the same files give the same bytes. The format is
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import os
import re
import sys
import zipfile
from importlib import metadata
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import grader
from grader.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from collections.abc import Set as AbstractSet


NAME = "backgrade"
DOCS = ("docs/students.md", "docs/notebooks.md")
CALLED = ".github/workflows/grade-class.yml"  # `grade open` copies it into a course of one's own
TEMPLATE = Path(__file__).parent / "template"


class Wheel(NamedTuple):
    """A wheel of Backgrade, which a release brings along in its folder `vendor/`."""

    name: str
    data: bytes

    def line(self, *extras: str) -> str:
        """Return the line for pip, with these extras."""
        return f"./vendor/{self.name}" + (f"[{','.join(extras)}]" if extras else "")


def lines_of_modules(modules: AbstractSet[str], constraints: bytes) -> list[str]:
    """Return a line for pip for each third-party module, by the package that has it on this machine.

    The line names the version here, unless the constraints name the package. Raises Refused.
    """
    third_party = sorted(modules - sys.stdlib_module_names)
    brought = metadata.packages_distributions() if third_party else {}
    named = re.findall(r"^\s*([\w.-]+)", constraints.decode(errors="replace"), re.MULTILINE)
    pinned = {_normalized(name) for name in named}
    lines = []
    for module in third_party:
        names = set(brought.get(module, ()))
        if len(names) > 1:
            names = {name for name in names if _normalized(name) == _normalized(module)}
        if len(names) != 1:
            raise Refused(
                f"{module}: `imports` in a manifest allows it, but no single package that is installed here has it; "
                "install that package beside `grade` with pip and release again"
            )
        (name,) = names
        lines.append(name if _normalized(name) in pinned else f"{name}=={metadata.version(name)}")
    return lines


def _normalized(name: str) -> str:
    """Return a package's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


# --- The wheel of the running Backgrade

_INSTALL = "install it again (from a checkout: `pip install -c constraints.txt -e .`)"
# The other files of a .dist-info folder describe the installation on this machine.
_NOTED = ("METADATA", "WHEEL", "entry_points.txt", "licenses")


def running_wheel() -> Wheel:
    """Return the wheel of the running Backgrade. Raises Refused."""
    noted = f"{NAME}-{grader.__version__}.dist-info"
    try:
        files = _package() | {f"{noted}/{name}": data for name, data in _noted().items()}
    except OSError as error:
        raise Refused(f"{error.filename}: cannot be read: {error.strerror}; {_INSTALL}") from error
    files = dict(sorted(files.items()))
    files[f"{noted}/RECORD"] = _record(files, f"{noted}/RECORD")
    return Wheel(f"{NAME}-{grader.__version__}-py3-none-any.whl", _packed(tuple(files.items())))


@functools.lru_cache(maxsize=1)
def _packed(files: tuple[tuple[str, bytes], ...]) -> bytes:
    """The same files are packed once a process: that takes longer than all else of a release."""
    return zipped(dict(files))


def _package() -> dict[str, bytes]:
    """Return the package's files, and those that a wheel holds from elsewhere."""
    top = Path(grader.__file__).parent
    files: dict[str, bytes] = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__"]
        place = Path(folder).relative_to(top.parent)
        files |= {
            f"{place.as_posix()}/{name}": Path(folder, name).read_bytes()
            for name in names
            if Path(folder, name).is_file() and not _is_source_of_a_page(place / name)
        }
    return files | {
        f"grader/classroom/release/template/{name}": shipped_file(name).read_bytes()
        for name in (*DOCS, CALLED)
    }


def _is_source_of_a_page(name: Path) -> bool:
    """Return True for what only a checkout has: the sources of the pages. pyproject.toml leaves them out too."""
    pages = (Path("grader/render/player"), Path("grader/site/page"))
    page = next((page for page in pages if name.is_relative_to(page)), None)
    return page is not None and (name.parent != page or name.suffix not in {".py", ".js", ".css", ".html"})


def _noted() -> dict[str, bytes]:
    """Return pip's own notes about the installed Backgrade, by their names in its .dist-info folder."""
    try:
        installed = distribution(NAME)
    except PackageNotFoundError as error:
        raise Refused(
            f"{NAME} runs without being installed, so no wheel can be made of it; {_INSTALL}"
        ) from error
    if installed.version != grader.__version__:
        raise Refused(
            f"{NAME} was installed as version {installed.version} and is {grader.__version__} now; {_INSTALL}"
        )
    noted = [path for path in installed.files or () if path.parts[0].endswith(".dist-info")]
    found = {"/".join(path.parts[1:]): path for path in noted if path.parts[1] in _NOTED}
    if not {"METADATA", "WHEEL", "entry_points.txt"} <= set(found):
        raise Refused(f"{NAME}: pip's notes about it are not complete; {_INSTALL}")
    return {name: Path(path.locate()).read_bytes() for name, path in found.items()}


def _record(files: Mapping[str, bytes], itself: str) -> bytes:
    """Return the wheel's RECORD: a line for each file with its name, hash and size."""
    hashes = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()) for name, data in files.items()}
    lines = [f"{name},sha256={hashes[name].decode().rstrip('=')},{len(data)}" for name, data in files.items()]
    return "\n".join([*lines, f"{itself},,", ""]).encode()


def zipped(files: Mapping[str, bytes], executable: Collection[str] = ()) -> bytes:
    """Return a zip archive without dates, the same on every system."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, (0o100755 if name in executable else 0o100644) << 16
            # A wheel is compressed already.
            archive.writestr(
                entry, data, zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            )
    return packed.getvalue()


def shipped_file(name: str) -> Path:
    """Find a file of Backgrade's repository: beside the template's texts in a wheel, in its place in a checkout."""
    packaged = TEMPLATE / name
    return packaged if packaged.is_file() else Path(__file__).parents[3] / name
