"""The lines of a submission that run between `follow(True)` and `follow(False)`; the second call returns them."""

import sys
from typing import Any

MOST = 3_000  # lines; an answer holds no more
_seen: set[tuple[int, int]] = set()


def follow(on: bool) -> list[tuple[int, int]]:  # noqa: FBT001  a call across the wall
    """Begin or end; return block and line of what has run so far."""
    sys.settrace(_trace if on else None)
    return sorted(_seen)[:MOST]


def _trace(frame: Any, event: str, _: object) -> Any:
    file = frame.f_code.co_filename
    if not file.startswith("<block "):
        return None
    if event == "line":
        _seen.add((int(file[7:-1]), frame.f_lineno))
    return _trace
