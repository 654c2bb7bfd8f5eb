"""The texts of `solutions/` that no student may get, and a search for them in files.

A text is compared without its blanks, in the bytes unchanged and with JSON's escapes undone, and in every
member of an archive too.
"""

from __future__ import annotations

import ast
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from helpers import unpack_files

from grader.assignment import Course
from grader.authoring.mistakes import read_mistakes
from grader.authoring.reference import solution_blocks

SHORTEST = 12  # characters of a line that says something
KEY = 10  # characters without blanks that a text has at least
STEP = 4
GRAM = KEY - STEP + 1  # characters by which a text is looked up
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([\\"/])|[nrtbf])')


def secrets(root: Path) -> set[str]:
    """Every distinctive text of the course's secret side that is not in `assignments/` as well."""
    found: set[str] = set()
    course = Course(root)
    for name in course.names:
        assignment = course.assignment(name)
        for path in (assignment.solutions / "checks").glob("test_*.py"):
            found |= lines(source := path.read_text(encoding="utf-8")) | strings(source)
        for mistake in read_mistakes(
            assignment
        ):  # their edits are of the reference, most of them of few words
            found |= {mistake.words, mistake.name}
        for block in solution_blocks(assignment):
            found |= lines(block.solution)
        found |= numbers(assignment.solutions / "checks" / "parity.json")
        found |= fingerprints(assignment.solutions / "checks" / "sealed.json")
        found.add(assignment.salt)
    texts = {squeezed(text) for text in found}
    texts = {text for text in texts if len(text) >= KEY}
    open_ = {path.relative_to(root).as_posix(): path.read_bytes() for path in files(root / "assignments")}
    return texts - {text for _, text in traces(open_, texts)}


def lines(text: str) -> set[str]:
    """The lines that are long enough to be somebody's."""
    return {line.strip() for line in text.split("\n") if len(line.strip()) >= SHORTEST}


def strings(source: str) -> set[str]:
    """Return the texts of string literals, docstrings included: a page or a report would show them without quotes."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {node.value for node in nodes if isinstance(node.value, str) and len(node.value) >= SHORTEST}


def numbers(record: Path) -> set[str]:
    """The recorded numbers with many digits."""
    text = record.read_text(encoding="utf-8") if record.is_file() else ""
    return {number for number in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text) if len(number) >= SHORTEST}


def fingerprints(path: Path) -> set[str]:
    """The marks and the boxes."""
    items = json.loads(path.read_text(encoding="utf-8"))["mistakes"]
    return {part for item in items.values() for part in item.split()}


def files(folder: Path) -> Iterator[Path]:
    """The files of a course that anybody has written."""
    return (p for p in sorted(folder.rglob("*")) if p.is_file() and "__pycache__" not in p.parts)


def traces(given: dict[str, bytes], texts: set[str]) -> list[tuple[str, str]]:
    """(file, text) for each of the texts that is in one of the files."""
    # Every text of KEY characters has one of its first STEP grams at a place of the page that STEP divides.
    grams: dict[str, list[tuple[int, str]]] = {}
    for text in texts:
        for offset in range(STEP):
            grams.setdefault(text[offset : offset + GRAM], []).append((offset, text))
    names: dict[str, list[str]] = {}  # many files are in several archives
    for name, page in pages(given):
        names.setdefault(page, []).append(name)
    found = set()
    for page, its in names.items():
        there = set()
        for place in range(0, len(page), STEP):
            for offset, text in grams.get(page[place : place + GRAM], ()):
                if place >= offset and page.startswith(text, place - offset):
                    there.add(text)
        for name in its:
            ours = ".whl/grader/" in name and name.endswith(".py")
            found |= {(name, text) for text in there if not (ours and is_idiom(text))}
    return sorted(found)


def is_idiom(text: str) -> bool:
    """A short line of Python such as `return found`, which the grader's own code may have too."""
    return len(text) < 30 and not re.fullmatch(r"[0-9a-f.e-]+", text)


def pages(given: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """The text of each file and of each member of an archive, without blanks, as it is and unescaped."""
    for name, data in given.items():
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = {f"{name}/{member}": archive.read(member) for member in archive.namelist()}
            yield from pages(members)
            continue
        if data.startswith(b"\x1f\x8b"):  # of a site
            yield from pages({f"{name}/{member}": content for member, content in unpack_files(data).items()})
            continue
        text = data.decode("utf-8", errors="replace")
        yield name, squeezed(text)
        if "\\" in text:
            yield name, squeezed(_ESCAPE.sub(_unescaped, text))


def squeezed(text: str) -> str:
    """Without blanks and line ends."""
    return "".join(text.split())


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2] or " "
