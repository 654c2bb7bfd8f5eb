"""The packages that `imports` of a manifest allows, with everything that they need."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.files import cache_folder, read_cache, write_cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.metadata import Distribution


class Packages(NamedTuple):
    """The modules of some packages, as `import` names them, and their files and folders in site-packages."""

    modules: tuple[str, ...]
    files: tuple[str, ...]


@functools.cache
def site_packages() -> list[str]:
    """Return the folders in which third-party modules are installed."""
    import sysconfig

    return sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})


def third_party(imports: Sequence[str]) -> tuple[str, ...]:
    """Return those of these modules that are not of the standard library."""
    return tuple(name for name in imports if top_of(name) not in sys.stdlib_module_names)


def top_of(name: str) -> str:
    """Return the part of a module's name before the first dot."""
    return name.partition(".")[0]


def is_installed(name: str) -> bool:
    """Return True if a module is there where jails look for it; nothing of it is executed."""
    places: Sequence[str] | None = site_packages()
    parts = name.split(".")
    for i in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: i + 1]), places) if places else None
        if spec is None:
            return False
        places = list(spec.submodule_search_locations or ())
    return True


def one_threaded() -> dict[str, str]:
    """Return the variables under which packages start no threads: a fork has one alone, and others would count as its own.

    matplotlib draws without a screen, and keeps its list of fonts in our cache.
    """
    found = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with contextlib.suppress(OSError):  # no home
        found["MPLCONFIGDIR"] = str(cache_folder("matplotlib"))
    return found | {"MPLBACKEND": "agg", "MPL_IGNORE_SYSTEM_FONTS": "1"}  # jails read those that it brings


@functools.cache
def needed_by(imports: tuple[str, ...]) -> Packages:
    """Return these modules with those of all packages that theirs require here. One that is not installed stands alone.

    What was found is kept in the user's cache until something is installed.
    """
    if not third_party(imports):
        return Packages(imports, ())
    changes = [os.stat(site).st_mtime_ns for site in site_packages()]  # noqa: PTH116  also of a folder that is a link
    key = hashlib.sha256(repr((imports, site_packages(), changes)).encode()).hexdigest()
    if kept := read_cache("packages", key):
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.json.decode(kept, type=Packages)
    found = _found(imports)
    write_cache("packages", key, msgspec.json.encode(found))
    return found


def _found(imports: tuple[str, ...]) -> Packages:
    modules = dict.fromkeys(map(top_of, imports))
    files = dict.fromkeys(part for name in map(top_of, third_party(imports)) for part in (name, f"{name}.py"))
    found: dict[str, Distribution] = {}
    for name in map(top_of, third_party(imports)):
        if brings := _distribution_of(name):
            _add_required(brings, found)
    for brings in found.values():
        names = _files_of(brings)
        files |= dict.fromkeys(names)
        modules |= dict.fromkeys(n.partition(".")[0] for n in names if not n.endswith(".libs"))
    return Packages(tuple(modules), tuple(files))


def _distribution_of(module: str) -> Distribution | None:
    """Return the distribution that brings a module; most have its name."""
    from importlib import metadata  # late: most courses have none of it

    sites = site_packages()
    named = metadata.distributions(name=module, path=sites)
    first = next((one for one in named if module in _modules_of(one)), None)
    return first or next(
        (one for one in metadata.distributions(path=sites) if module in _modules_of(one)), None
    )


def _add_required(one: Distribution, found: dict[str, Distribution]) -> None:
    """Add a distribution and what it requires here, as far as that is installed."""
    from importlib import metadata

    from packaging.requirements import InvalidRequirement, Requirement

    if one.metadata["Name"] in found:
        return
    found[one.metadata["Name"]] = one
    for line in one.requires or ():
        try:
            required = Requirement(line)
        except InvalidRequirement:  # of an old package
            continue
        if required.marker is None or required.marker.evaluate({"extra": ""}):
            for other in metadata.distributions(name=required.name, path=site_packages()):
                _add_required(other, found)


def _modules_of(one: Distribution) -> Iterator[str]:
    return (name.partition(".")[0] for name in _files_of(one))


def _files_of(one: Distribution) -> list[str]:
    """Return the names of a distribution's files and folders in site-packages, without pip's notes about it."""
    lines = (one.read_text("RECORD") or "").splitlines()
    names = dict.fromkeys(re.split("[/,]", line, maxsplit=1)[0] for line in lines)
    return [
        name
        for name in names
        if name != "__pycache__" and re.fullmatch(r"\w+(\.libs|\.py|\.[\w-]*\.?(so|pyd))?", name)
    ]
