"""What the commands remember in `.backgrade/` of the course folder; losing it loses nothing that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from grader.files import FileError, read_plain, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Course

FORMAT = 1
MAX_STATE = 1 << 20  # bytes; a course of five days has some hundreds
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000)]


class State(msgspec.Struct):
    """How many hints of each check were given, by assignment and check."""

    format: int = FORMAT
    hints: dict[str, dict[str, _Count]] = {}


def read_state(course: Course) -> State:
    """What was remembered; what cannot be read, or is not ours, counts as nothing."""
    path = _path(course)
    try:
        state = msgspec.json.decode(read_plain(path, MAX_STATE, course.root)[0], type=State)
    except (OSError, msgspec.DecodeError, RecursionError):
        return State()
    return state if state.format == FORMAT else State()


def write_state(course: Course, state: State) -> str:
    """Remember it. Gives why that could not be done, or nothing."""
    text = msgspec.json.format(msgspec.json.encode(state), indent=1).decode() + "\n"
    try:
        write_text(_path(course), text, course.root, make_folder=True)
    except FileError as error:
        return str(error)
    return ""


def _path(course: Course) -> Path:
    return course.root / ".backgrade" / "state.json"
