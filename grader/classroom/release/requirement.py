"""What a template installs: a line for pip, and the wheel behind it where the template brings one along."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.errors import Refused
from grader.files import absolute, read_plain

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from packaging.requirements import Requirement

NAME = "backgrade"
MAX_WHEEL = 32 << 20  # bytes; ours has some hundred thousand
_SECRET = {"solutions"}


@dataclass(frozen=True)
class Pin:
    """The requirement on Backgrade: `before` and `after` the extras in brackets; the wheel by its name."""

    before: str
    extras: tuple[str, ...]
    after: str
    wheel: tuple[str, bytes] | None = None
    note: str = ""

    def line(self, *extras: str) -> str:
        """The line for pip, with these extras too."""
        names = ",".join(sorted({*self.extras, *extras}))
        return f"{self.before}{f'[{names}]' if names else ''}{self.after}"


def read_requirement(spec: str | None) -> Pin:
    """A requirement line, or the path of a wheel; without one the wheel of the running Backgrade.

    Raises Refused.
    """
    if spec is None:
        from grader.classroom.release.wheel import (
            running_wheel,  # which needs contents.py, and that needs this file
        )

        return _brought(*running_wheel())
    spec = spec.strip()
    return _wheel(Path(spec)) if spec.endswith(".whl") and "@" not in spec else _line(spec)


def lines_of_modules(modules: AbstractSet[str], constraints: bytes) -> list[str]:
    """A line for pip for each third-party module, by the package that brings it on this machine.

    Its version is that of the package here, but for one that the constraints name. Raises Refused.
    """
    third_party = sorted(modules - sys.stdlib_module_names)
    brought = metadata.packages_distributions() if third_party else {}
    named = re.findall(r"^\s*([\w.-]+)", constraints.decode(errors="replace"), re.MULTILINE)
    pinned = {_normalized(name) for name in named}
    lines = []
    for module in third_party:
        names = set(brought.get(module, ()))
        if len(names) > 1:
            names = {name for name in names if _normalized(name) == _normalized(module)}
        if len(names) != 1:
            raise Refused(
                f"{module}: submissions may import it (`imports` in a manifest), and pip does not know which package "
                "brings it here; install that package beside `grade` with pip and release again"
            )
        (name,) = names
        lines.append(name if _normalized(name) in pinned else f"{name}=={metadata.version(name)}")
    return lines


def _normalized(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _line(spec: str) -> Pin:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        read = Requirement(spec)
    except InvalidRequirement as error:
        raise Refused(
            f"{spec}: this is no requirement; write one such as `{NAME}=={__version__}`, or the path of a wheel"
        ) from error
    if _normalized(read.name) != NAME:
        raise Refused(f"{spec}: this is a requirement on {read.name}; a template needs one on {NAME}")
    if "@" in (read.url or "").partition("://")[2].partition("/")[0]:
        raise Refused(
            f"{NAME}: the address of the requirement holds a name or a password, which every student could "
            "read; take it out"
        )
    return Pin(read.name, tuple(read.extras), _rest(read))


def _rest(read: Requirement) -> str:
    address = f" @ {read.url}" if read.url else str(read.specifier)
    marker = f"{' ' if read.url else ''}; {read.marker}" if read.marker else ""
    return address + marker


def _wheel(path: Path) -> Pin:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        name, version, _, _ = parse_wheel_filename(path.name)
    except InvalidWheelFilename as error:
        raise Refused(f"{path}: this is not the name of a wheel; {_HOW}") from error
    if name != NAME:
        raise Refused(f"{path}: this is a wheel of {name}; {_HOW}")
    try:
        data = read_plain(absolute(path), MAX_WHEEL)[0]
    except OSError as error:
        raise Refused(f"{path}: the wheel cannot be read: {error.strerror}; {_HOW}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            inside = opened.namelist()
    except zipfile.BadZipFile as error:
        raise Refused(f"{path}: this is not a wheel, or it is damaged; {_HOW}") from error
    if secret := next((n for n in inside if _SECRET & set(Path(n).parts)), None):
        raise Refused(f"{path}: the wheel holds {secret}, which no student may see; {_HOW}")
    other = f"{path}: the wheel is of version {version}, and this is {__version__}; {_HOW}"
    note = other if str(version) != __version__ else ""
    return _brought(path.name, data, note)


def _brought(name: str, data: bytes, note: str = "") -> Pin:
    """The requirement on a wheel that the template brings along."""
    return Pin(f"./vendor/{name}", (), "", (name, data), note)


_HOW = "without --requirement the wheel of the running Backgrade is made and brought along"
