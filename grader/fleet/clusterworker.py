"""A Dask worker that grades for `grade batch --scheduler`: the course that it got, and what it compares.

A submission is graded by a process of its own (`Workers`), as on one machine, so that one that hangs or dies does not
cost the Dask worker.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed import get_worker
from msgspec.structs import replace

import grader
from grader.errors import Broken, Refused
from grader.fleet.packing import unpack_course
from grader.fleet.session import NotGraded
from grader.fleet.workers import Workers, patience_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.fleet.session import SessionSettings

SAME = "install the commit and the Python of this command there"
KEPT = "the results so far are kept, and the same command goes on"


class PackedCourse:
    """The course of one run on this worker: in a folder of its own, with the processes that grade by it.

    It is the value of a task of Dask's, which makes it again where it is lost, and sends it to each worker. Folder and
    processes come with the first call, and go with the object: when the driver has left the scheduler, or was killed.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed, self._lock = packed, threading.Lock()
        self._opened: tuple[Path, Workers] | None = None

    def __reduce__(self) -> tuple[type[PackedCourse], tuple[bytes]]:
        return PackedCourse, (self._packed,)

    def call(self, call: Callable[..., str], settings: SessionSettings, packed: bytes) -> str:
        """Call in a process of its own. Raises as `Workers` does."""
        with self._lock:
            folder, workers = self._opened = self._opened or self._open(settings.assignment)
        report: str = workers.submit(call, replace(settings, course=str(folder)), packed).result()
        return report

    def _open(self, assignment: str) -> tuple[Path, Workers]:
        """Unpack the course into a folder that only this user can read."""
        worker = get_worker()
        folder = Path(tempfile.mkdtemp(prefix="backgrade-", dir=worker.local_directory))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        limits = unpack_course(self._packed, folder).assignment(assignment).manifest.limits
        workers = Workers(worker.state.nthreads, patience_for(limits))
        weakref.finalize(self, workers.shutdown)
        return folder, workers


def call_on_worker(
    course: PackedCourse, wanted: tuple[str, str], call: Callable[..., str], *args: Any
) -> str:
    """Call on this worker. Raises Refused, Broken and NotGraded."""
    where = f"worker {get_worker().address}"
    if why := trouble_here(wanted):
        raise Refused(f"{where}: {why}; {SAME}; {KEPT}")
    try:
        return course.call(call, *args)
    except NotGraded:
        raise
    except Exception as error:
        kind = Refused if isinstance(error, Refused) else Broken
        what = str(error) if isinstance(error, (Refused, Broken)) else f"{type(error).__name__}: {error}"
        raise kind(f"{where}: {what}; {KEPT}") from error


def trouble_here(wanted: tuple[str, str]) -> str:
    """Return what keeps this worker from grading as the driver would; "" for nothing."""
    python, code = grader_here()
    if wanted[0] != python:
        return f"it runs Python {python}, this command {wanted[0]}"
    if wanted[1] != code:
        return "its files of Backgrade differ from this command's"
    return ""


@functools.cache
def grader_here() -> tuple[str, str]:
    """Return the version of Python, `3.11`, and a hash of the grader's own modules and words.

    Two checkouts may have one version number.
    """
    root = Path(grader.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(p for suffix in ("py", "yaml") for p in root.rglob(f"*.{suffix}")):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return "{}.{}".format(*sys.version_info), digest.hexdigest()
