"""The packages that `imports` of a manifest allows, with everything that they need."""

from __future__ import annotations

import contextlib
import functools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution

_BRINGS = r"\w+(\.libs|\.py|(\.[\w-]+)*\.(so|pyd))?"  # a module, or the shared libraries of a wheel

PACKAGES = {  # module: its package, for those with different names
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "PIL": "pillow",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


class _Packages(NamedTuple):
    """The modules of some packages, as `import` names them, and their files and folders in site-packages."""

    modules: tuple[str, ...]
    files: tuple[str, ...]


@functools.cache
def site_packages() -> list[str]:
    """Return the folders in which third-party modules are installed."""
    import sysconfig

    return sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})


def third_party(imports: Iterable[str]) -> tuple[str, ...]:
    """Return the modules that are not in the standard library."""
    return tuple(name for name in imports if top_of(name) not in sys.stdlib_module_names)


def top_of(name: str) -> str:
    """Return the part of a module's name before the first dot."""
    return name.partition(".")[0]


def is_installed(name: str) -> bool:
    """Return True if jails can find a module; executes nothing of it."""
    names = [name.replace(".", "/") + end for end in ("", ".py", ".*so", ".*pyd")]
    return any([*Path(site).glob(each)] for site in site_packages() for each in names)


@functools.cache
def needed_by(imports: tuple[str, ...]) -> _Packages:
    """Return these modules and those of all packages that they require here. A module that is not installed brings no others."""
    tops = tuple(map(top_of, imports))
    files = {f"{name}{end}" for name in third_party(tops) for end in ("", ".py", ".libs")}
    others = [
        name for name in third_party(tops) if name != "numpy"
    ]  # it needs nothing, and to read that takes time
    seen, waiting = set[str](), [one for name in others for one in _bringing(name)]
    while waiting:
        one = waiting.pop()
        if one.metadata["Name"] not in seen:
            seen.add(one.metadata["Name"])
            files.update(_files_of(one))
            waiting += _required_by(one)
    modules = {top_of(name) for name in files if not name.endswith(".libs")}
    return _Packages(tuple(sorted({*tops, *modules})), tuple(sorted(files)))


def _bringing(module: str) -> list[Distribution]:
    """Return the distributions that bring a module; most have its name."""
    from importlib import metadata  # late: most courses have none of it

    sites = site_packages()
    for known in (metadata.distributions(name=module, path=sites), metadata.distributions(path=sites)):
        if found := [one for one in known if module in map(top_of, _files_of(one))]:
            return found
    return []


def _required_by(one: Distribution) -> Iterator[Distribution]:
    """Yield the installed distributions that this one requires."""
    from importlib import metadata

    from packaging.requirements import InvalidRequirement, Requirement

    for line in one.requires or ():
        with contextlib.suppress(InvalidRequirement):  # of an old package
            required = Requirement(line)
            if required.marker is None or required.marker.evaluate({"extra": ""}):
                yield from metadata.distributions(name=required.name, path=site_packages())


def _files_of(one: Distribution) -> set[str]:
    """Return the names of a distribution's files and folders in site-packages, without pip's notes about it."""
    names = {re.split("[/,]", line, maxsplit=1)[0] for line in (one.read_text("RECORD") or "").splitlines()}
    return {name for name in names - {"__pycache__"} if re.fullmatch(_BRINGS, name)}
