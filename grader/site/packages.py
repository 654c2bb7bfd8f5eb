"""A page imports the grader and its libraries from one archive, which is packed here.

The libraries are those with which this `grade` runs; they are pure Python but for msgspec, whose wheel the runtime brings.
"""

from __future__ import annotations

import io
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import Broken

if TYPE_CHECKING:
    from collections.abc import Mapping

GRADER = Path(__file__).parents[1]
# The rooms and modules that no page needs.
ELSEWHERE = {"authoring", "classroom", "fleet", "gradebook", "cli.py", "__main__.py"}
LIBRARIES = ("click", "iniconfig", "packaging", "pluggy", "pytest", "PyYAML")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # no file of a site has a date
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


def packages(msgspec: bytes) -> bytes:
    """Return the archive of all packages; `msgspec` is its wheel. Raises Broken."""
    files = {name: text.encode() for name, text in _PYGMENTS.items()}
    for path in sorted(GRADER.rglob("*")):
        name = path.relative_to(GRADER)
        is_source = path.suffix == ".py" or path.name in {"player.js", "player.css"}
        if is_source and name.parts[0] not in ELSEWHERE and "node_modules" not in name.parts:
            files[f"grader/{name.as_posix()}"] = path.read_bytes()
    for library in LIBRARIES:
        files |= _library(library)
    with zipfile.ZipFile(io.BytesIO(msgspec)) as wheel:
        files |= {
            name: wheel.read(name) for name in wheel.namelist() if not name.endswith((".pyi", "RECORD"))
        }
    return archive(files)


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
    """Return a zip of these files: the same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            opened.writestr(info, content)
    return data.getvalue()
