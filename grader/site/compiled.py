"""The Python of a site in its compiled form, which saves a page two seconds: the packages, and of Python's own modules
those that they import.

Only the runtime's own Python can compile for it. Node.js, which brings npm, runs it here.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from grader.files import read_cache, write_cache
from grader.site.packages import archive
from grader.site.runtime import KIND, STDLIB

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 120
# The arguments are the folder of the runtime, with the packages in it, and the zip to write: compiled modules by the names
# under which Python looks for them. They name no time and no size of their sources, for those are lost on the way.
_PROGRAM = """
import { readFileSync, writeFileSync } from "node:fs";
const [runtime, target] = process.argv.slice(-2);
const { loadPyodide } = await import(`${runtime}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: runtime });
python.unpackArchive(new Uint8Array(readFileSync(`${runtime}/packages`)).buffer, "gztar", { extractDir: "/packages" });
python.FS.writeFile("/stdlib.zip", readFileSync(`${runtime}/python_stdlib.zip`));
python.runPython(`
import contextlib, importlib, os, sys, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import cache_from_source, source_hash

def compile_site(path, source):
    return _code_to_hash_pyc(compile(source, path, "exec", dont_inherit=True), source_hash(source), False)

made = zipfile.ZipFile("/made.zip", "w")
paths = [os.path.join(folder, name) for folder, _, names in os.walk("/packages") for name in names]
names = sorted(os.path.relpath(path, "/packages") for path in paths if path.endswith(".py"))
for name in names:
    with open(f"/packages/{name}", "rb") as source:
        data = compile_site(f"/lib/backgrade/{name}", source.read())
    made.writestr(cache_from_source(name) if name.startswith("grader/") else f"{name}c", data)
    os.makedirs(os.path.dirname(cache := cache_from_source(f"/packages/{name}")), exist_ok=True)
    with open(cache, "wb") as file:
        file.write(data)

sys.path.insert(0, "/packages")
from _pytest.config import default_plugins
from grader.grading.session import ARGUMENTS
plugins = [f"_pytest.{plugin}" for plugin in default_plugins if f"no:{plugin}" not in ARGUMENTS]
ours = [name[:-3].replace("/", ".").removesuffix(".__init__") for name in names if name.startswith("grader/")]
for name in [*plugins, *ours, "jinja2"]:
    with contextlib.suppress(Exception):  # what needs a system's modules is not for a page
        importlib.import_module(name)
used = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
with zipfile.ZipFile("/stdlib.zip") as stdlib:
    for name in stdlib.namelist():
        path = f"/lib/python{sys.version_info[0]}{sys.version_info[1]}.zip/{name}"
        if path in used:
            made.writestr(f"stdlib/{name}c", compile_site(path, stdlib.read(name)))
made.close()
`);
writeFileSync(target, python.FS.readFile("/made.zip"));
"""


def compile_site(
    packages: Mapping[str, bytes], runtime: Mapping[str, bytes], notes: list[str]
) -> tuple[dict[str, bytes], bytes]:
    """Return the files of the packages, and the zip of Python's own modules, with compiled modules among them.

    But for the grader's own modules, which are read as texts too, they take the place of their sources: both would be
    too much to fetch. Where Node.js cannot compile, all is as it was, and `notes` gets a line.
    """
    given = [text for name in sorted(packages) for text in (name.encode(), packages[name])]
    key = hashlib.sha256(b"".join((*given, _PROGRAM.encode(), *runtime.values()))).hexdigest()
    made = read_cache(KIND, key)
    if made is None:
        made = _zip_compiled(archive(packages), runtime, notes)
        if not made:
            return dict(packages), runtime[STDLIB]
        write_cache(KIND, key, made)
    with zipfile.ZipFile(io.BytesIO(made)) as opened:
        of_stdlib = {
            n.removeprefix("stdlib/"): opened.read(n) for n in opened.namelist() if n.startswith("stdlib/")
        }
        found = {n: opened.read(n) for n in opened.namelist() if not n.startswith("stdlib/")}
    sources = {n: data for n, data in packages.items() if n.startswith("grader/") or not n.endswith(".py")}
    return sources | found, _with(of_stdlib, runtime[STDLIB])


def _zip_compiled(packed: bytes, runtime: Mapping[str, bytes], notes: list[str]) -> bytes:
    """Return the zip of the compiled modules; without them nothing, and a note."""
    longer = "the pages compile their modules themselves, which takes them two seconds longer"
    node = shutil.which("node")
    if node is None:
        notes.append(f"node is not installed: {longer}")
        return b""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in {**runtime, "packages": packed}.items():
            Path(folder, name).write_bytes(data)
        target = Path(folder, "made.zip")
        command = [node, "--input-type=module", "-e", _PROGRAM, "--", folder, str(target)]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=SECONDS)
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError):
            notes.append(f"node could not compile the modules: {longer}")
            return b""


def _with(compiled: Mapping[str, bytes], stdlib: bytes) -> bytes:
    """Return the zip of Python's own modules with these in the place of their sources."""
    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(stdlib)) as source, zipfile.ZipFile(data, "w") as made:
        for name in sorted(source.namelist()):
            found = (
                (f"{name}c", compiled[f"{name}c"]) if f"{name}c" in compiled else (name, source.read(name))
            )
            info = zipfile.ZipInfo(found[0], (1980, 1, 1, 0, 0, 0))  # no file of a site has a date
            made.writestr(info, found[1], zipfile.ZIP_DEFLATED)
    return data.getvalue()
