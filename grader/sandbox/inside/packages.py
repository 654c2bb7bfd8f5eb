"""Third-party packages for jails: the launcher imports them once, with everything for which they would open files later."""

import contextlib
import os
import sys

from .sealing import import_all, read_all

# Modules that most submissions with a package import, too.
USUAL = {"matplotlib": ["matplotlib.pyplot", "matplotlib.backends.backend_agg"]}
# Modules that a package imports at first use, which is too late in a sealed jail.
LAZY = {
    "numpy": ["numpy.fft", "numpy.linalg", "numpy.random", "numpy.rec"],
    "pandas": [
        *(f"pandas.io.formats.{name}" for name in ("csvs", "html", "string", "xml")),
        *("pandas.core.methods.to_dict", "pandas.core.reshape.reshape"),
    ],
    "sklearn": ["sklearn.utils._pprint"],
    "sympy": [
        *("sympy.assumptions.wrapper", "sympy.codegen.ast", "sympy.physics.units", "sympy.sets.setexpr"),
        *("sympy.combinatorics", "sympy.tensor.tensor"),
    ],
}
TASKS = "/proc/self/task"  # has an entry for each thread of this process


def import_packages(names: list[str], folders: list[str]) -> bool:
    """Import these modules from the folders, which leave the path afterwards; return False if one started a thread.

    A fork keeps only one thread. A module that cannot be imported is left out: the submission that imports it meets the error.
    """
    before, sys.path[:] = list(sys.path), [*sys.path, *folders]
    try:
        import_all([*names, *(also for name in names for also in USUAL.get(name, ()))])
        with contextlib.suppress(Exception):  # it reads /proc, once
            sys.modules["sklearn.utils.parallel"]._get_threadpool_controller()  # noqa: SLF001  no other name
    finally:
        sys.path[:] = before
    os.environ.pop("MPLCONFIGDIR", None)  # a path of this machine, which matplotlib has read
    return not os.path.isdir(TASKS) or len(os.listdir(TASKS)) == 1


def import_lazy() -> None:
    """Import the modules that loaded packages import on first use, and read their fonts into memory."""
    for name in LAZY.keys() & sys.modules.keys():
        import_all(LAZY[name])
    read_all(_fonts())


def open_fonts() -> None:
    """Have matplotlib open its fonts, if it is loaded: a sealed jail can neither open nor find them."""
    if not (fonts := _fonts()):
        return
    is_file, exists = os.path.isfile, os.path.exists
    os.path.isfile, os.path.exists = (
        lambda path: str(path) in fonts or is_file(path),
        lambda path: str(path) in fonts or exists(path),
    )
    with contextlib.suppress(Exception):
        figure = sys.modules["matplotlib.figure"].Figure()
        for text in ("a", "$a_1 \\times \\alpha$", r"$\mathdefault{10^{1}}$"):
            for weight in ("normal", "bold"):
                figure.text(0, 0, text, weight=weight)
        figure.text(0, 0, "a", family="monospace")
        sys.modules["matplotlib.backends.backend_agg"].FigureCanvasAgg(figure).draw()


def _fonts() -> set[str]:
    manager = sys.modules.get("matplotlib.font_manager")
    return {font.fname for font in manager.fontManager.ttflist} if manager else set()
