"""The files of a site, and the folder that they are written to.

A file whose name has a part of its hash never changes, so a browser may keep it for good; the pages name these.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from grader.assignment import Assignment
from grader.classroom.release.contents import day_files
from grader.classroom.release.release import refuse_giveaways
from grader.errors import Refused
from grader.files import write_bytes
from grader.grading.grader import grade
from grader.render.htmlpage import asset, page_style
from grader.sandbox import Launcher
from grader.sandbox.packages import third_party
from grader.site import packages, runtime
from grader.site.compiled import compile_site
from grader.site.pages import OFFLINE, PAGE, SCRIPTS, STYLE, day_page, player_page, start_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from grader.assignment import Course

RECORD = "site.json"


class Site(NamedTuple):
    """The files of a site by name, and notes for the instructor."""

    files: dict[str, bytes]
    notes: list[str]


class _SiteRecord(msgspec.Struct):
    """The names of the files that the last run wrote."""

    about: str = "the files that `grade site` wrote; its next run removes those that are not needed any more"
    files: list[str] = []


def make_site(course: Course, days: Sequence[str], pyodide: Path | None = None, hand_in: str = "") -> Site:
    """Make the files of a site of these days. Raises Broken, Refused.

    `hand_in` is the address of the page that takes a notebook; it may contain {day} and {github}.
    """
    if hand_in and not hand_in.startswith("https://"):
        raise Refused(f"{hand_in}: --hand-in takes an address that begins with https://")
    listed = [course.assignment(day) for day in days]
    for assignment in listed:
        refuse_giveaways(assignment)
    of_runtime = runtime.read_runtime(pyodide)

    # The modules that a browser lacks.
    without = _missing_there(listed)
    numpy = _numpy(without, of_runtime, pyodide)
    missing = _missing_there([a for a in listed if a.name in without], {"numpy"}) if numpy else without
    users = [day for day in without if day not in missing]
    notes = [
        f"{day}: needs {', '.join(modules)}, which a browser does not have; its page has the lesson and the notebook, to "
        "work on one's own machine"
        for day, modules in missing.items()
    ]
    if ["numpy"] in missing.values():
        notes.append(
            f"to have numpy on pages, put {runtime.numpy_pin(of_runtime).file} of Pyodide's distribution into the folder of --pyodide"
        )

    # What a page fetches: the runtime, the libraries, numpy, the course.
    given = {a.name: day_files(a, days, notes) for a in listed}
    libraries = packages.packages(runtime.read_msgspec(pyodide)) | numpy
    libraries, of_runtime[runtime.STDLIB] = compile_site(libraries, of_runtime, notes)
    tops = {name.partition("/")[0] for name in numpy}
    of_numpy = packages.archive({n: data for n, data in libraries.items() if n.partition("/")[0] in tops})
    of_packages = packages.archive(
        {n: data for n, data in libraries.items() if n.partition("/")[0] not in tops}
    )
    at = f"runtime-{_hash(b''.join(of_runtime.values()))}"
    files = {f"{at}/{name}": data for name, data in of_runtime.items()}
    addresses = {name: _add(files, name, (PAGE / name).read_bytes()) for name in SCRIPTS}
    addresses[STYLE] = _add(files, STYLE, page_style().encode() + (PAGE / STYLE).read_bytes())
    addresses["player.css"] = _add(files, "player.css", asset("render/player/player.css").encode())
    of_course = packages.archive(
        {name: data for day in given if day not in missing for name, data in given[day].items()}
    )
    fetched = [data for name, data in of_runtime.items() if not name.endswith(".mjs")]
    size = sum(map(len, [of_packages, of_course, *fetched]))
    of_all = {
        "script": f"{at}/{runtime.SCRIPT}",
        "packages": _add(files, "packages.bin", of_packages),
        "course": _add(files, "course.bin", of_course),
        "numpy": "",
        "bytes": size,
    }
    of_users = of_all
    if users:
        of_users = of_all | {"numpy": _add(files, "numpy.bin", of_numpy), "bytes": size + len(of_numpy)}
        notes.append(f"numpy: {len(of_numpy) / 1e6:.1f} MB, which only the pages of {', '.join(users)} fetch")

    # The pages of each day, and the first page.
    for assignment in listed:
        untouched = given[day := assignment.name][assignment.stub.relative_to(course.root).as_posix()]
        own = {
            "worker": addresses["worker.js"],
            "runtime": of_users if day in users else of_all,
            "hand_in": hand_in.replace("{day}", day),
            "file": _add(files, assignment.stub.name, untouched),
            "needs": missing.get(day, []),
            "player": (play := f"play-{day}.html" if assignment.manifest.topic else ""),
        }
        files[f"{day}.html"] = day_page(assignment, untouched, addresses, own).encode()
        if play:
            files[play] = player_page(assignment, untouched, addresses, own).encode()
    title = listed[0].manifest.title if len(listed) == 1 else "The course"
    files["index.html"] = start_page(title, listed, missing, addresses).encode()

    # The service worker, which keeps numpy only for those who have used it.
    used = {of_users["numpy"]} - {""}
    kept = {
        "version": _hash(b"".join(files.values())),
        "files": ["./", *sorted(files.keys() - used)],
        "used": [*used],
    }
    files["sw.js"] = f"const SITE = {json.dumps(kept)};\n".encode() + (PAGE / OFFLINE).read_bytes()
    return Site(files, notes)


def write_site(site: Site, folder: Path) -> tuple[int, int]:
    """Write the changed files; remove files of an earlier run that are no longer needed.

    Returns the numbers of both. Raises Refused rather than overwrite a file that no run wrote.
    """
    if folder.is_file():
        raise Refused(f"{folder}: this is a file; give a folder, which need not exist yet")
    before = _before(folder)
    names = site.files if before else [*site.files, RECORD]
    foreign = [name for name in names if name not in before and (folder / name).exists()]
    if foreign:
        raise Refused(
            f"{folder / foreign[0]}: `grade site` did not write this file; give another folder, or remove it"
        )
    written = 0
    for name, data in site.files.items():
        path = folder / name
        if not (path.is_file() and path.read_bytes() == data):
            write_bytes(path, data, folder, make_folder=True)
            written += 1
    old = [name for name in before if name not in site.files]
    for name in old:
        (folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # a folder that is not empty
            (folder / name).parent.rmdir()
    record = msgspec.json.format(msgspec.json.encode(_SiteRecord(files=sorted(site.files))), indent=1)
    write_bytes(folder / RECORD, record + b"\n", folder, make_folder=True)
    return written, len(old)


def _before(folder: Path) -> list[str]:
    try:
        return msgspec.json.decode((folder / RECORD).read_bytes(), type=_SiteRecord).files
    except (OSError, msgspec.DecodeError):
        return []


def _add(files: dict[str, bytes], name: str, data: bytes) -> str:
    """Add a file under a name that has a part of its hash; return the name."""
    stem, _, ending = name.rpartition(".")
    address = f"files/{stem}.{_hash(data)}.{ending}"
    files[address] = data
    return address


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


# --- Missing modules


def _numpy(
    missing: Mapping[str, Sequence[str]], of_runtime: Mapping[str, bytes], pyodide: Path | None
) -> dict[str, bytes]:
    """Return the files of numpy for the runtime; none if no day needs it, or it is not to be had. Raises Broken."""
    needed = any("numpy" in modules for modules in missing.values())
    wheel = runtime.read_numpy(runtime.numpy_pin(of_runtime), pyodide) if needed else None
    return packages.files_of(wheel) if wheel else {}


def _missing_there(
    assignments: Sequence[Assignment], there: AbstractSet[str] = frozenset()
) -> dict[str, list[str]]:
    """Return, for each day that does not work in a browser, the modules that it needs and that are not there.

    The browser has the standard library and the modules `there`. Raises SandboxUnavailable where the references cannot be
    graded.
    """
    asking = [a for a in assignments if _others(a, there) and a.reference.is_file()]
    if not asking:
        return {}
    with Launcher() as launcher:

        def points(assignment: Assignment) -> float:
            return grade(assignment, assignment.reference, launcher, report_unread=True).score or 0

        had = {
            a.name: 0 if "numpy" in _others(a, there) and a.manifest.arrays else points(_with_only(a, there))
            for a in asking
        }
        poorer = [a for a in asking if had[a.name] < a.manifest.judged_points]
        return {a.name: _others(a, there) for a in poorer if had[a.name] < points(a)}


def _others(assignment: Assignment, there: AbstractSet[str] = frozenset()) -> list[str]:
    """Return the third-party modules of an assignment that are not `there`."""
    imports = [*assignment.manifest.imports, *(["numpy"] if assignment.manifest.arrays else [])]
    return [name for name in dict.fromkeys(third_party(imports)) if name not in there]


def _with_only(assignment: Assignment, there: AbstractSet[str]) -> Assignment:
    """Return the assignment as it is where no third-party module is installed but those `there`."""
    poorer = Assignment(assignment.course, assignment.name)
    others = _others(assignment, there)
    kept = tuple(name for name in assignment.manifest.imports if name not in others)
    vars(poorer)["manifest"] = replace(assignment.manifest, imports=kept)
    return poorer
