"""The tests of an assignment as plain calls over a submission in this process.

No grading: without a jail, proxies, messages, limits, explanations or pytest's protocol. A bench compares with it.
"""

from __future__ import annotations

import contextlib
import inspect
import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from grader.autograd.topic import AutogradStudent
from grader.grading.answers import Answers, NotLookedAt
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import CodeType

    from grader.grading.grader import Grader
    from grader.topic import Test

SKIPPED = (NotLookedAt, pytest.skip.Exception)


class Floor:
    """The tests of an assignment, with the names of their arguments."""

    def __init__(self, grader: Grader) -> None:
        plugin = grader.suite.collect()
        plugin.topic.prepare()
        self.salts, self.tables, self.fixtures = plugin.salts, plugin.tables, plugin.topic.fixtures()
        items = {test: item for tests in plugin.tests.values() for test, item in tests.items()}
        self.tests = {
            test: (item, tuple(inspect.signature(item.obj).parameters)) for test, item in items.items()
        }

    def run(self, path: Path) -> float:
        """Return the number of tests that did not fail."""
        blocks = read_submission(path).blocks
        codes = [compile(block.source, f"<{number}>", "exec") for number, block in enumerate(blocks)]
        return sum(self.passes(test, codes) for test in self.tests)

    def passes(self, test: Test, codes: Sequence[CodeType]) -> bool:
        """Run one test over freshly executed cells."""
        item, names = self.tests[test]
        student = Direct(codes)
        given = (item.callspec.params if hasattr(item, "callspec") else {}) | {
            "student": student,
            "answers": Answers(student, self.tables.get(test.visibility, {}), lambda *_: None),
            "rng": random.Random(f"{self.salts[test.visibility]}/{test.check}/{test.name}"),  # noqa: S311
        }
        try:
            item.obj(*(given[name] if name in given else self.fixtures[name]() for name in names))
        except SKIPPED:
            return True
        except (Exception, pytest.fail.Exception):
            return False
        return True


class Direct(AutogradStudent):
    """The fixture `student` whose attributes are the objects themselves; nothing is recorded."""

    def __init__(self, codes: Sequence[CodeType]) -> None:
        self._sandbox: Any = SimpleNamespace(
            watcher=None
        )  # keeps the purpose of a request, of which there is none
        self.space: dict[str, Any] = {"__name__": "submission"}
        for code in codes:
            with contextlib.suppress(Exception):  # a cell of a stub waits for its answer
                exec(code, self.space)  # noqa: S102  the course's own submissions

    def quietly(self, name: str) -> Any:
        """Return the object of that name."""
        return self.space[name]

    glance = quietly

    def note(self, name: str, value: object) -> None:
        """Do nothing."""

    @contextlib.contextmanager
    def trial(self) -> Iterator[None]:
        """Do nothing."""
        yield

    def name(self, /, **objects: Any) -> tuple[Any, ...]:
        """Return the objects."""
        return tuple(objects.values())

    def leaves(self, **data: float) -> tuple[Any, ...]:
        """Return leaves; from now on `made` collects what else is made."""
        value = self.space["Value"]
        leaves = tuple(value(number) for number in data.values())
        self.nodes: list[Any] = []
        begin = value.__init__

        def collecting(node: Any, *args: Any, **options: Any) -> None:
            begin(node, *args, **options)
            self.nodes.append(node)

        value.__init__ = collecting
        return leaves

    def made(self) -> list[Any]:
        """Return the nodes in the order in which they were made."""
        return list(self.nodes)

    def helper(self, source: str, name: str) -> Any:
        """Execute a check's own helper code here."""
        space: dict[str, Any] = {"__name__": "helper"}
        exec(source, space)  # noqa: S102  the course's own code
        return space[name]
