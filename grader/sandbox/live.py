"""A live namespace in the place of a jail: the same requests, answered in this process.

For `check()` in a notebook. Loading executes nothing: the objects are those that the namespace
holds. Nothing is closed and no limit is in force; Ctrl-C passes through.
"""

from __future__ import annotations

import contextlib
import random
import sys
from typing import TYPE_CHECKING, Any

from grader.sandbox.inside.cells import Capture
from grader.sandbox.inside.definitions import code_of, is_class
from grader.sandbox.inside.worker import Jail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.manifest import Limits

_ABSENT = object()
MAX_NAMES = 1_000  # of a namespace, that are looked at


class Live:
    """Opens the namespace as often as it is asked to, in a launcher's place.

    `is_students` tells the files whose lines are the student's from all others; `files` are those that errors
    passed through and that hold definitions, as far as they were asked for, in the order of their block indices.
    """

    def __init__(self, namespace: dict[str, Any], is_students: Callable[[str], bool]) -> None:
        self.namespace, self.is_students = namespace, is_students
        self.files: list[str] = []
        self.in_force: dict[str, str] = {}

    def find_files(self) -> list[str]:
        """Add the files in which the functions and classes that the namespace holds now are defined."""
        jail = LiveNamespace(self)
        for value in list(self.namespace.values())[:MAX_NAMES]:
            members = type.__dict__["__dict__"].__get__(value).values() if is_class(value) else [value]
            for code in map(code_of, members):
                jail.block_of(code.co_filename if code else None)
        return self.files

    def open(self, limits: Limits, imports: Sequence[str] = ()) -> Answers:  # noqa: ARG002  none is in force
        """The namespace, ready to be asked."""
        return Answers(LiveNamespace(self))


class Answers:
    """Answers as the process of a jail does; only an interrupt is not an answer."""

    def __init__(self, namespace: LiveNamespace) -> None:
        self._namespace = namespace
        self.received = 0
        self.ended = False

    def ask(self, message: dict[str, Any], deadline: float) -> dict[str, Any]:  # noqa: ARG002  no limit
        """Carry out one request and give its answer."""
        try:
            with _quiet(), _as_much_stack():
                return {"v": getattr(self._namespace, f"do_{message['op']}")(message)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return {"e": self._namespace.failure(error)}

    def end(self) -> None:
        """Leave the student's own objects as they were."""
        self.ended = True
        self._namespace.undo()


class LiveNamespace(Jail):
    """Answers from objects that are there already, and puts back what a check sets."""

    def __init__(self, live: Live) -> None:
        super().__init__(-1, -1)
        self.live, self.namespace = live, live.namespace
        self.changed: list[tuple[Any, str, Any]] = []  # object, attribute, what it was

    def block_of(self, filename: object) -> int | None:
        """The place in `Live.files` of a file of the student's."""
        files = self.live.files
        if not isinstance(filename, str) or not self.live.is_students(filename):
            return None
        if filename not in files:
            files.append(filename)
        return files.index(filename)

    def do_open(self, request: dict[str, Any]) -> None:
        """Nothing is taken: everything is there."""

    def do_begin(self, request: dict[str, Any]) -> None:  # noqa: ARG002  one order of sets
        """Forget what the last test met."""
        self.undo()
        self.objects, self.numbers = {}, {}
        random.seed(0)

    def do_reload(self, request: dict[str, Any]) -> list[Any]:
        """Begin again; there is nothing to execute."""
        self.do_begin(request)
        return []

    def do_names(self, request: dict[str, Any]) -> Any:  # noqa: ARG002  the jail's signature
        """No cell is known by what it defines."""
        return self.encode([])

    def do_output(self, request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  the jail's signature
        """Nothing was printed by loading."""
        return {"size": 0, "text": ""}

    def do_set(self, request: dict[str, Any]) -> None:
        """Set it, and remember what it was."""
        of, name = self.objects[request["h"]], request["name"]
        self.changed.append((of, name, getattr(of, name, _ABSENT)))
        super().do_set(request)

    def undo(self) -> None:
        """Put back what checks have set, the last first."""
        while self.changed:
            of, name, before = self.changed.pop()
            with contextlib.suppress(Exception):
                if before is _ABSENT:
                    delattr(of, name)
                else:
                    setattr(of, name, before)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What the student's functions print is nobody's to read here."""
    nowhere = Capture(0)
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


@contextlib.contextmanager
def _as_much_stack() -> Iterator[None]:
    """The depth that recursion has in a jail, though a notebook and pytest stand below it here."""
    depth, frame, limit = 0, sys._getframe(), sys.getrecursionlimit()  # noqa: SLF001  inspect's own way
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(limit + depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
