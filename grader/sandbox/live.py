"""A live namespace: answers a jail's requests in this process, for `check()` in a notebook.

Loading executes nothing: the namespace has the objects already. Nothing is closed and no limit is in force; Ctrl-C
passes through.
"""

from __future__ import annotations

import contextlib
import random
import sys
from typing import TYPE_CHECKING, Any

from grader.console import printing_to
from grader.sandbox.inside.cells import Capture
from grader.sandbox.inside.definitions import code_of, is_class
from grader.sandbox.inside.worker import Jail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.manifest import Limits
    from grader.sandbox.errors import Frame

_ABSENT = object()
MAX_NAMES = 1_000  # searched in a namespace


class Live:
    """A live namespace; `open` may be called any number of times, as for a jail.

    `is_students` returns True for a file of the student's. `files` are the student's files that errors or definitions
    have named so far; the index of a file is its block index.
    """

    def __init__(self, namespace: dict[str, Any], is_students: Callable[[str], bool]) -> None:
        self.namespace, self.is_students = namespace, is_students
        self.files: list[str] = []
        self.in_force: dict[str, str] = {}

    def find_files(self) -> list[str]:
        """Add the files that define the functions and classes of the namespace; return all files."""
        jail = _LiveNamespace(self)
        for value in list(self.namespace.values())[:MAX_NAMES]:
            members = type.__dict__["__dict__"].__get__(value).values() if is_class(value) else [value]
            for code in map(code_of, members):
                jail.block_of(code.co_filename if code else None)
        return self.files

    def open(  # limits are not in force
        self,
        limits: Limits,  # noqa: ARG002
        imports: Sequence[str] = (),  # noqa: ARG002
        *,
        arrays: bool = False,
        sealed: bool = False,  # noqa: ARG002
    ) -> _LiveReplies:
        """Return the namespace, ready for requests."""
        return _LiveReplies(_LiveNamespace(self, arrays=arrays))


class _LiveReplies:
    """The replies of a live namespace. It raises KeyboardInterrupt; other exceptions become replies."""

    def __init__(self, namespace: _LiveNamespace) -> None:
        self._namespace = namespace
        self.received = 0
        self.ended = False
        self.stood: tuple[Frame, ...] = ()

    def ask(self, message: dict[str, Any], deadline: float) -> dict[str, Any]:  # noqa: ARG002  no limit
        """Carry out one request and return its reply."""
        try:
            with printing_to(Capture(0)), as_much_stack():
                return {"v": getattr(self._namespace, f"do_{message['op']}")(message)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return {"e": self._namespace.failure(error)}

    def end(self) -> None:
        """Restore the attributes that checks have set."""
        self.ended = True
        self._namespace.undo()


class _LiveNamespace(Jail):
    """A jail whose objects exist already; it restores attributes that a check has set."""

    def __init__(self, live: Live, *, arrays: bool = False) -> None:
        super().__init__(-1, -1, arrays=arrays)
        self.live, self.namespace = live, live.namespace
        self.changed: list[tuple[Any, str, Any]] = []  # object, attribute, old value

    def block_of(self, filename: object) -> int | None:
        """Return the index in `Live.files` of a file of the student's."""
        files = self.live.files
        if not isinstance(filename, str) or not self.live.is_students(filename):
            return None
        if filename not in files:
            files.append(filename)
        return files.index(filename)

    def do_open(self, request: dict[str, Any]) -> None:
        """Accept pandas tables; the namespace has everything else."""
        self.take_tables([name for name in request["imports"] if name in sys.modules])

    def do_data(self, request: dict[str, Any]) -> None:
        """Do nothing: the files are beside the notebook."""

    def do_begin(self, request: dict[str, Any]) -> None:  # noqa: ARG002  sets keep one order
        """Forget the objects that the last test met."""
        self.undo()
        self.objects, self.numbers = {}, {}
        random.seed(0)

    def do_reload(self, request: dict[str, Any]) -> list[Any]:
        """Begin again; nothing has to be executed."""
        self.do_begin(request)
        return []

    def do_names(self, request: dict[str, Any]) -> Any:  # noqa: ARG002  the jail's signature
        """Return no names: the cells are unknown."""
        return self.encode([])

    def do_output(self, request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  the jail's signature
        """Return no output: loading printed nothing."""
        return {"size": 0, "text": ""}

    def do_set(self, request: dict[str, Any]) -> None:
        """Set an attribute, and remember its old value."""
        of, name = self.objects[request["h"]], request["name"]
        self.changed.append((of, name, getattr(of, name, _ABSENT)))
        super().do_set(request)

    def undo(self) -> None:
        """Restore the attributes that checks have set, the last one first."""
        while self.changed:
            of, name, before = self.changed.pop()
            with contextlib.suppress(Exception):
                if before is _ABSENT:
                    delattr(of, name)
                else:
                    setattr(of, name, before)


@contextlib.contextmanager
def as_much_stack(levels: int | None = None) -> Iterator[None]:
    """Raise the recursion limit by the frames of the notebook and pytest, which a jail does not have.

    `levels` is the limit without these, by default the one in force.
    """
    depth, frame, limit = 0, sys._getframe(), sys.getrecursionlimit()  # noqa: SLF001  inspect's own way
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit((levels or limit) + depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
