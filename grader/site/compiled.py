"""The packages of a site with their compiled form beside the sources, which saves a page more than a second.

Only the runtime's own Python can compile for it. Node.js, which brings npm, runs it here.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from grader.files import read_cache, write_cache
from grader.site.runtime import KIND

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 120
# The arguments are the folder of the runtime, the archive, and the file to write. A compiled module names no time and no
# size of its source, for those are lost on the way.
_PROGRAM = """
import { readFileSync, writeFileSync } from "node:fs";
const [runtime, source, target] = process.argv.slice(-3);
const { loadPyodide } = await import(`${runtime}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: runtime });
python.unpackArchive(new Uint8Array(readFileSync(source)).buffer, "zip", { extractDir: "/packages" });
python.runPython(`
import compileall, os, py_compile, zipfile
how = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("/packages", quiet=2, stripdir="/packages", prependdir="/lib/backgrade", invalidation_mode=how)
names = sorted(os.path.join(folder, name) for folder, _, names in os.walk("/packages") for name in names)
with zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
    for name in names:
        info = zipfile.ZipInfo(os.path.relpath(name, "/packages"), (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        opened.writestr(info, open(name, "rb").read(), compresslevel=9)
`);
writeFileSync(target, python.FS.readFile("/compiled.zip"));
"""


def compiled(archive: bytes, runtime: Mapping[str, bytes], notes: list[str]) -> bytes:
    """Return the archive with compiled modules in it, or as it is, with a note, where Node.js cannot do it."""
    key = hashlib.sha256(b"".join((archive, _PROGRAM.encode(), *runtime.values()))).hexdigest()
    if (kept := read_cache(KIND, key)) is not None:
        return kept
    node = shutil.which("node")
    if node is None:
        notes.append(
            "node is not installed: the pages compile their modules themselves, which takes them a second longer"
        )
        return archive
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "packages.zip"), Path(folder, "compiled.zip")
        for name, data in runtime.items():
            Path(folder, name).write_bytes(data)
        source.write_bytes(archive)
        command = [node, "--input-type=module", "-e", _PROGRAM, "--", folder, str(source), str(target)]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=SECONDS)
            made = target.read_bytes()
        except (OSError, subprocess.SubprocessError):
            notes.append(
                "node could not compile the modules: the pages do it themselves, which takes them a second longer"
            )
            return archive
    write_cache(KIND, key, made)
    return made
