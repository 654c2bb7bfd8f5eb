"""A day of the course, and a student's work for it, as a course whose engine has other names."""

from __future__ import annotations

import io
import re
import shutil
import tokenize
from typing import TYPE_CHECKING, Any

import msgspec
import yaml
from helpers import COURSE

from grader.assignment import Course

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.report import Report

USUAL = {
    "class": ("Value", "Tensor"),
    "data": ("data",),
    "grad": ("grad",),
    "children": ("_prev", "_children"),
    "local_grads": ("_local_grads",),
    "closure": ("_backward",),
    "backward": ("backward",),
}


def by_usual(names: Mapping[str, str]) -> dict[str, str]:
    """The names of `names:` in a manifest, by the course's."""
    return {usual: names[key] for key, found in USUAL.items() if key in names for usual in found}


def in_code(source: str, names: Mapping[str, str]) -> str:
    """Python with other names; comments, and texts that are no code, stay as they are."""
    renames, lines = by_usual(names), source.splitlines(keepends=True)
    tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
    for token in reversed(tokens):
        (row, begin), (last, end) = token.start, token.end
        if token.type == tokenize.NAME and token.string in renames:
            line = lines[row - 1]
            lines[row - 1] = line[:begin] + renames[token.string] + line[end:]
        elif token.type == tokenize.STRING and (token.string[0] == "f" or "def " in token.string):
            text = lines[row - 1][:begin] + in_text(token.string, names) + lines[last - 1][end:]
            lines[row - 1 : last] = text.splitlines(keepends=True)
    return "".join(lines)


def in_text(text: str, names: Mapping[str, str]) -> str:
    """Any text with other names, wherever such a word stands."""
    renames = by_usual(names)
    return (
        text
        if not renames
        else re.sub(rf"\b({'|'.join(map(re.escape, renames))})\b", lambda found: renames[found[0]], text)
    )


def renamed_day(root: Path, day: str, names: Mapping[str, str], checks: Collection[str]) -> Assignment:
    """Some checks of a day, without hidden ones, whose engine has these names."""
    folder = root / "assignments" / day
    shutil.copytree(COURSE / "assignments" / day / "checks", folder / "checks", ignore=_left_out(checks))
    for path in folder.glob("checks/*.py"):
        path.write_text(in_code(path.read_text(encoding="utf-8"), names), encoding="utf-8")
    manifest = yaml.safe_load((COURSE / "assignments" / day / "assignment.yaml").read_text(encoding="utf-8"))
    manifest["checks"] = {
        name: {**spec, "needs": [each for each in spec.get("needs", ()) if each in checks]}
        for name, spec in manifest["checks"].items()
        if name in checks
    }
    if "walks" in manifest:
        manifest["walks"] = [in_text(name, names) for name in manifest["walks"]]
    if names:
        manifest["names"] = dict(names)
    (folder / "assignment.yaml").write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    return Course(root).assignment(day)


def _left_out(checks: Collection[str]) -> Callable[[str, list[str]], list[str]]:
    def left_out(_: str, files: list[str]) -> list[str]:
        kept = {f"test_{name}.py" for name in checks} | {"parity.json", "_helpers.py"}
        return [name for name in files if name not in kept]

    return left_out


def readable(report: Report, names: Mapping[str, str]) -> list[Any]:
    """The checks of a report in plain values, without times, places of the course and keys; in the names of an engine."""
    return [_plain(msgspec.to_builtins(found), names) for found in report.checks]


def _plain(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        if "fields" in value:  # a fact
            value = {**value, "fields": [each for each in value["fields"] if each["name"] != "engine"]}
        return {key: _plain(each, names) for key, each in value.items() if key not in {"seconds", "key"}}
    if isinstance(value, list | tuple):
        return [_plain(each, names) for each in value]
    return _in_words(value, names) if isinstance(value, str) else value


def _in_words(text: str, names: Mapping[str, str]) -> str:
    node = names.get("class", "Value")
    several = re.sub(r"\bValues\b", f"{node} objects", text)
    return re.sub(rf"\b([Aa])n? (?={node}\b)", r"\1 ", in_text(several, names))


COURSES = re.compile(r"(?<=\.)(data|grad)\b|\b_(backward|prev|children|local_grads)\b|\b(Value|Tensor)s?\b")


def left_in(report: Report) -> list[str]:
    """The course's own names in what is said of an engine that has others."""
    said = [
        text
        for found in report.checks
        for text in (
            found.message,
            found.trace.words if found.trace else "",
            *(rule.words + rule.wrote for rule in found.rules),
            *([found.walk.words] if found.walk else []),
        )
    ]
    return [text for text in said if COURSES.search(text)]
