"""Mistakes: edits of the reference, with words for students whose code gives the same wrong values.

solutions/DAY/mistakes/SUBJECT.py holds one entry for each of them:

    Mistake(
        "encode_forgets_the_last_run",
        "The last run is missing: nothing is added after the loop.",
        edits={"return text + pair": "return text"},
        fails="encode saved",
    )

The files are data: they are parsed and never executed.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from msgspec.structs import replace

from grader.authoring.reference import read_text, reference_blocks
from grader.authoring.results import CodeCase
from grader.errors import Broken, nearest
from grader.grading.fingerprints import MistakeTests, SealedMistakes, seal_mistakes
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.authoring.results import JudgedTest
    from grader.authoring.runner import Runner
    from grader.submissions.submission import Block
    from grader.topic import Test

VISIBILITIES = ("visible", "hidden")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FIELDS = ("name", "words", "edits", "fails")
_GIVE = "give `name`, `words`, `edits` and `fails`"


@dataclass(frozen=True)
class Mistake:
    """One mistake: the words for the student, the edits (old text -> new text), the checks that it fails.

    Each of the `edits` is one way to make it: in + or in ×, for example.
    """

    name: str
    words: str
    edits: tuple[dict[str, str], ...]
    fails: tuple[str, ...]
    path: Path
    line: int

    @property
    def location(self) -> str:
        """File, line and name: the beginning of every message about it, whose verb follows."""
        return f"{self.path}, line {self.line}: the mistake `{self.name}`"


# --- Reading


def read_mistakes(assignment: Assignment) -> list[Mistake]:
    """Return the mistakes of an assignment in the order of the files. Raises Broken."""
    mistakes: dict[str, Mistake] = {}
    for path in sorted((assignment.solutions / "mistakes").glob("*.py")):
        for mistake in _mistakes_in(path):
            if (other := mistakes.setdefault(mistake.name, mistake)) is not mistake:
                raise Broken(
                    f"{mistake.location} has the same name as another in {other.path.name}, line {other.line}; rename one of them"
                )
    return list(mistakes.values())


def _mistakes_in(path: Path) -> Iterator[Mistake]:
    source = read_text(path)
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise Broken(f"{path}, line {error.lineno}: SyntaxError: {error.msg}; correct this line") from error
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]  # the file's docstring
    for node in body:
        call = node.value if isinstance(node, ast.Expr) else None
        if (
            not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Name)
            or call.func.id != Mistake.__name__
        ):
            raise Broken(
                f"{path}, line {node.lineno}: this file may hold only mistakes; write "
                '`Mistake("name", "words", edits={"old": "new"}, fails="check")`'
            )
        yield _Entry(path, call).mistake()


class _Entry:
    """The literals of one `Mistake(...)` entry; each has its own error."""

    def __init__(self, path: Path, call: ast.Call) -> None:
        self.path, self.line = path, call.lineno
        self.fields = dict(zip(_FIELDS, call.args, strict=False))
        if len(call.args) > len(_FIELDS):
            self.refuse(call, f"this mistake has more than {len(_FIELDS)} values; {_GIVE}")
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg not in _FIELDS:
                found = keyword.arg or "**"
                self.refuse(
                    keyword,
                    f"this mistake has the unknown key `{found}`{nearest(found, list(_FIELDS))}; {_GIVE}",
                )
            if keyword.arg in self.fields:
                self.refuse(keyword, f"`{keyword.arg}` is given twice; remove one")
            self.fields[keyword.arg] = keyword.value
        for name in _FIELDS:
            if name not in self.fields:
                self.refuse(call, f"this mistake has no `{name}`; {_GIVE}")

    def mistake(self) -> Mistake:
        """Return the entry. Raises Broken."""
        name = self.text("name")
        if not _NAME.fullmatch(name):
            self.refuse(
                self.fields["name"],
                f"{name!r} cannot name a mistake; use lower-case letters, digits and `_`, and begin with a letter",
            )
        words, fails = (
            " ".join(self.text("words").split()),
            tuple(self.text("fails").replace(",", " ").split()),
        )
        if not words:
            self.refuse(
                self.fields["words"],
                f"`{name}` has no words; write the sentence for students who make this mistake",
            )
        if not fails:
            self.refuse(
                self.fields["fails"], f"`{name}` fails no check; name the checks that this mistake fails"
            )
        node = self.fields["edits"]
        ways = node.elts if isinstance(node, ast.List) and node.elts else [node]
        edits = tuple(self.edits(name, way) for way in ways)
        return Mistake(name, words, edits, fails, self.path, self.line)

    def text(self, field: str) -> str:
        """Return the text that a field holds."""
        return self.literal(self.fields[field], f"`{field}`")

    def literal(self, node: ast.expr | None, what: str) -> str:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            self.refuse(
                node or self.fields["edits"],
                f"{what} must be a text in quotes, because this file is read and not executed",
            )
        return node.value

    def edits(self, name: str, node: ast.expr) -> dict[str, str]:
        """Return the edits, old text -> new text, of one way to make the mistake."""
        if not isinstance(node, ast.Dict) or not node.keys:
            self.refuse(
                node,
                '`edits` must be a dictionary of texts, or a list of such dictionaries; write {"old text": "new text"}',
            )
        edits: dict[str, str] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            old, new = self.literal(key, "an old text"), self.literal(value, "a new text")
            if not old.strip() or old == new or old in edits:
                self.refuse(
                    value,
                    f"`{name}` has an edit that changes nothing or is there twice; give each old text once, with its new text",
                )
            edits[old] = new
        return edits

    def refuse(self, node: ast.expr | ast.keyword, what: str) -> NoReturn:
        raise Broken(f"{self.path}, line {node.lineno}: {what}")


# --- Applying


def apply_mistake(blocks: Sequence[Block], mistake: Mistake, way: int = 0) -> list[Block]:
    """Return the reference with the edits of one way to make the mistake.

    Each old text must occur exactly once in all blocks, earlier days included. Raises Broken.
    """
    edited = list(blocks)
    for old, new in mistake.edits[way].items():
        found = [i for i, block in enumerate(edited) for _ in range(block.source.count(old))]
        if len(found) != 1:
            files = ", ".join(dict.fromkeys(edited[i].file for i in found))
            where = (
                f"{len(found)} times in {files}; add the lines around it"
                if found
                else "nowhere in the code of the reference; copy the text from the reference, spaces included"
            )
            raise Broken(f"{mistake.location} replaces {_first_line(old)}, which occurs {where}")
        edited[found[0]] = _edit(edited[found[0]], old, new, mistake)
    return edited


def _edit(block: Block, old: str, new: str, mistake: Mistake) -> Block:
    source = block.source.replace(old, new)
    try:
        ast.parse(source)
    except SyntaxError as error:
        line = source.split("\n")[(error.lineno or 1) - 1]
        raise Broken(
            f"{mistake.location} writes {_first_line(new)} in place of {_first_line(old)}, and then {line.strip()!r} is not "
            f"valid Python ({error.msg}); correct the edit"
        ) from error
    return replace(block, source=source)


def _first_line(text: str) -> str:
    """Return the first non-blank line of an edit, quoted."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return repr(lines[0] + (" ..." if len(lines) > 1 else "")) if lines else "nothing"


# --- Running


@dataclass(frozen=True)
class Way:
    """One way to make a mistake: the index of its edits, and the reference with them."""

    mistake: Mistake
    number: int
    blocks: list[Block]


@dataclass(frozen=True)
class MistakeRun(Way):
    """The results of the checks over the reference with a mistake in it."""

    results: list[JudgedTest]
    skipped: frozenset[Test]  # tests that skip the reference too, so a skip is not a failure
    worded: frozenset[str]  # the failed checks whose report has the words of a mistake

    @property
    def failing_checks(self) -> set[str]:
        """Return the checks with a test that did not pass."""
        silent = {r.test for r in self.results if r.outcome is TestOutcome.SKIPPED} & self.skipped
        failing = (r.test for r in self.results if r.outcome is not TestOutcome.PASSED)
        return {test.check for test in failing if test not in silent}


def ways_of(assignment: Assignment) -> list[Way]:
    """Return every way to make every mistake of an assignment. Raises Broken."""
    blocks, mistakes = reference_blocks(assignment), read_mistakes(assignment)
    return [Way(m, way, apply_mistake(blocks, m, way)) for m in mistakes for way in range(len(m.edits))]


def run_mistakes(
    runner: Runner, ways: Sequence[Way], only: Collection[str] | None = None
) -> list[MistakeRun]:
    """Run every mistake through all checks or those in `only`, once for each way to make it."""
    cases = [CodeCase(way.blocks, only, spares_hidden=True) for way in ways]
    runner.prepare(cases)
    right = runner.results(CodeCase(reference_blocks(runner.assignment), only))
    skipped = frozenset(r.test for r in right if r.outcome is TestOutcome.SKIPPED)
    return [
        MistakeRun(
            way.mistake, way.number, way.blocks, runner.results(case), skipped, runner.checks_with_words(case)
        )
        for way, case in zip(ways, cases, strict=True)
    ]


def sealed_mistakes(runs: Sequence[MistakeRun], salt: str) -> SealedMistakes:
    """Return the fingerprints of the mistakes in the visible tests, sealed. Hidden tests choose no words for students."""
    mistakes = []
    for run in runs:
        fingerprints: dict[str, list[str]] = {}
        for result in run.results:
            failed = result.outcome is TestOutcome.FAILED and result.test.diagnosed
            if failed and result.test.visibility == "visible":
                fingerprints.setdefault(result.test.key, []).append(result.fingerprint)
        way = f"{run.mistake.name}/{run.number}"
        mistakes.append(MistakeTests(way, run.mistake.name, run.mistake.words, fingerprints))
    return seal_mistakes(mistakes, salt)
