"""`imports` means a package with all that it needs, imported once for all jails."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox, packages
from grader.sandbox import jail as of_jails
from grader.sandbox import loading as of_sandboxes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def box_of() -> Iterator[Callable[..., Sandbox]]:
    """A function: a cell and the imports -> a loaded sandbox."""
    with Launcher() as launcher:
        opened: list[Sandbox] = []

        def load(source: str, *imports: str, **options: Any) -> Sandbox:
            opened.append(Sandbox(launcher, [source], Limits(), imports, **options))
            opened[-1].load()
            assert opened[-1].errors == {}
            return opened[-1]

        yield load
        for box in opened:
            box.close()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """A function: the name of a module and its source -> it is installed, and it alone."""

    def install(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")

    for where in (packages, of_jails, of_sandboxes):
        monkeypatch.setattr(where, "site_packages", lambda: [str(tmp_path)])
    packages.needed_by.cache_clear()
    return install


def test_what_a_package_requires_is_allowed_too(box_of: Callable[..., Sandbox]) -> None:
    """By the modules of its requirements, which have other names: attrs has `attr`. Nothing else is there."""
    needed = packages.needed_by(("jsonschema", "json"))
    assert {"jsonschema", "json", "attr", "referencing"} <= {*needed.modules}
    assert not {"msgspec", "grader", "pytest"} & {*needed.modules}

    box = box_of("import attr, referencing, msgspec\nhas = attr.define is not None", "jsonschema")
    assert box.get("has") is True
    box = box_of("import msgspec\ndef use(): return msgspec.json", "jsonschema")
    with pytest.raises(Exception, match="not available while grading"):
        box.get("use")()


def test_a_package_that_is_not_installed_stands_alone(box_of: Callable[..., Sandbox]) -> None:
    """Its use raises an error that says so, as the only one."""
    assert packages.needed_by(("no_such_package",)).modules == ("no_such_package",)
    assert not packages.is_installed("no_such_package")
    assert not packages.is_installed("json.no_such_module")
    box = box_of("import no_such_package\ndef use(): return no_such_package.x", "no_such_package")
    with pytest.raises(Exception, match="is not installed where this is graded"):
        box.get("use")()


@pytest.mark.ci
def test_the_launcher_imports_it_once_and_no_limit_counts_that(
    box_of: Callable[..., Sandbox], installed: Callable[[str, str], None]
) -> None:
    """A jail finds it there, and another one finds the same."""
    installed("slow", "import time, os\ntime.sleep(1.2)\nby = os.getpid()")
    source = "import sys\nthere = 'slow' in sys.modules\nimport slow\nby = slow.by"
    first, second = (box_of(source, "slow") for _ in range(2))

    assert first.get("there") is True
    assert first.get("by") == second.get("by")
    assert first.budget.charged < 1
    assert first.budget.loading < 1
    assert first.seconds[0] < 1


@pytest.mark.ci
def test_a_package_that_starts_a_thread_is_imported_in_each_jail(
    box_of: Callable[..., Sandbox], installed: Callable[[str, str], None]
) -> None:
    """A fork would have lost the thread, and might wait for it for ever."""
    installed(
        "threader", "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()"
    )
    source = "import sys\nthere = 'threader' in sys.modules\nimport threader, threading\nmany = threading.active_count()"
    box = box_of(source, "threader")

    assert box.get("there") is False
    assert box.get("many") == 2


@pytest.mark.ci
def test_an_import_that_fails_is_the_error_of_the_cell(
    installed: Callable[[str, str], None],
) -> None:
    installed("broken", "raise RuntimeError('built for another Python')")
    with Launcher() as launcher:
        box = Sandbox(launcher, ["x = 1", "import broken"], Limits(), ["broken"])
        box.load()
        assert box.get("x") == 1
        assert {i: str(error) for i, error in box.errors.items()} == {
            1: "RuntimeError: built for another Python"
        }
        box.close()


@pytest.mark.ci
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux seals a jail")
def test_a_module_that_the_manifest_names_is_there_in_a_sealed_jail(
    box_of: Callable[..., Sandbox], installed: Callable[[str, str], None], tmp_path: Path
) -> None:
    """`imports: [parts.late]` has it imported in advance; `parts` alone has not, unless somebody names it."""
    installed("unused", "")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text(
        "def use():\n    from parts.late import x\n    return x\n"
    )
    (tmp_path / "parts" / "late.py").write_text("x = 7\n")
    source = "import parts\ndef use(): return parts.use()"

    assert box_of(source, "parts.late", foreseen=["parts"]).get("use")() == 7
    with pytest.raises(Exception, match="parts"):
        box_of(source, "parts", foreseen=["parts"]).get("use")()
