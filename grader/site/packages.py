"""A page imports the grader and its libraries from one archive, which is packed here.

The libraries are those with which this `grade` runs; they are pure Python but for msgspec, whose wheel the runtime brings.
Reports are HTML there too, so Jinja2 is among them, with the part of MarkupSafe that is Python (127 kB together).
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import Broken

if TYPE_CHECKING:
    from collections.abc import Mapping

GRADER = Path(__file__).parents[1]
# The rooms and modules that no page needs.
ELSEWHERE = {"authoring", "classroom", "fleet", "gradebook", "marking", "viva", "cli.py", "__main__.py"}
ELSEWHERE |= {f"site/{name}.py" for name in ("commands", "compiled", "folder", "pages", "runtime", "serve")}
LIBRARIES = ("click", "iniconfig", "Jinja2", "MarkupSafe", "packaging", "pluggy", "pytest", "PyYAML")
# What the HTML of a report takes from files.
BESIDE = {
    f"render/{name}"
    for name in ("fragment.css", "page.css", "player/player.css", "player/player.js", "tokens.css")
}
# pytest imports Pygments to colour what it prints in a terminal, and here it prints nothing. It has 1.2 MB.
_PYGMENTS = {
    "pygments/__init__.py": "from . import util\n\ndef highlight(source, *_):\n    return source\n",
    "pygments/util.py": "class ClassNotFound(ValueError): pass\n\nclass OptionError(Exception): pass\n",
    "pygments/lexer.py": "class Lexer: pass\n",
    "pygments/lexers/__init__.py": "",
    "pygments/lexers/diff.py": "class DiffLexer: pass\n",
    "pygments/lexers/python.py": "class PythonLexer: pass\n",
    "pygments/formatters/__init__.py": "",
    "pygments/formatters/terminal.py": "class TerminalFormatter: pass\n",
}


def packages(msgspec: bytes) -> dict[str, bytes]:
    """Return the files of all packages by name; `msgspec` is its wheel. Raises Broken."""
    files = {name: text.encode() for name, text in _PYGMENTS.items()}
    for path in sorted(GRADER.rglob("*")):
        name = path.relative_to(GRADER)
        is_source = path.suffix in {".html", ".py", ".svg"} or name.as_posix() in BESIDE
        if is_source and not ELSEWHERE & {name.parts[0], name.as_posix()}:
            files[f"grader/{name.as_posix()}"] = path.read_bytes()
    for library in LIBRARIES:
        files |= _library(library)
    return files | files_of(msgspec)


def files_of(wheel: bytes) -> dict[str, bytes]:
    """Return the files of a wheel by name, without those that only a type checker, a compiler or pip reads."""
    others = (".pyi", ".pxd", ".h", ".a", "/", "RECORD")
    with zipfile.ZipFile(io.BytesIO(wheel)) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith(others)}


def _library(name: str) -> dict[str, bytes]:
    """Return the modules of an installed library and what it says of itself."""
    found = {}
    for path in metadata.files(name) or ():
        top = path.parts[0]
        is_module = path.suffix == ".py" and not top.startswith((".", "_yaml"))
        if is_module or (top.endswith(".dist-info") and path.name in {"METADATA", "entry_points.txt"}):
            found[path.as_posix()] = Path(str(path.locate())).read_bytes()
    if not found:
        raise Broken(f"{name} is not installed as files; install Backgrade with pip, and make the site again")
    return found


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of these files, packed by gzip, which a browser unpacks itself: the same files give the same bytes.

    Names are of 255 characters at most (ustar, POSIX.1-1988).
    """
    data = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=data, mode="wb", compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as opened,
    ):
        for name, content in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            opened.addfile(info, io.BytesIO(content))
    return data.getvalue()
