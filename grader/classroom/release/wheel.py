"""The running Backgrade as a wheel, made of the files that it runs from.

A checkout (an editable install) and an installed wheel give the same: the package's folder, and what pip noted
down about it. So no build backend and no network is needed. The same files give the same bytes. The format is
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

import grader
from grader.classroom.release.contents import DOCS, page_file
from grader.classroom.release.requirement import NAME
from grader.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_INSTALL = "install it again as the README says (from a checkout: `pip install -c constraints.txt -e .`)"
# Other files of a .dist-info folder say how it was installed on this machine.
_NOTED = ("METADATA", "WHEEL", "entry_points.txt", "licenses")


def running_wheel() -> tuple[str, bytes]:
    """Give the wheel's file name and its bytes. Raises Refused."""
    noted = f"{NAME}-{grader.__version__}.dist-info"
    try:
        files = _package() | {f"{noted}/{name}": data for name, data in _noted().items()}
    except OSError as error:
        raise Refused(f"{error.filename}: cannot be read: {error.strerror}; {_INSTALL}") from error
    files = dict(sorted(files.items()))
    files[f"{noted}/RECORD"] = _record(files, f"{noted}/RECORD")
    return f"{NAME}-{grader.__version__}-py3-none-any.whl", zipped(files)


def _package() -> dict[str, bytes]:
    """The package's files, and the pages of docs/ that a wheel keeps among them."""
    top = Path(grader.__file__).parent
    paths = {path.relative_to(top.parent): path for path in top.rglob("*") if path.is_file()}
    files = {
        name.as_posix(): path.read_bytes() for name, path in paths.items() if "__pycache__" not in name.parts
    }
    return files | {
        f"grader/classroom/release/template/docs/{name}": page_file(name).read_bytes() for name in DOCS
    }


def _noted() -> dict[str, bytes]:
    """Return pip's own notes about the installed Backgrade, by the name in its .dist-info folder."""
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
        raise Refused(f"{NAME}: what pip noted down about it is not complete; {_INSTALL}")
    return {name: Path(path.locate()).read_bytes() for name, path in found.items()}


def _record(files: Mapping[str, bytes], itself: str) -> bytes:
    """A line for each file: its name, the hash and the size."""
    lines = [f"{name},sha256={_hash(data)},{len(data)}" for name, data in files.items()]
    return "\n".join([*lines, f"{itself},,", ""]).encode()


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def zipped(files: Mapping[str, bytes], executable: Collection[str] = ()) -> bytes:
    """An archive in which nothing is dated, the same on every system."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
