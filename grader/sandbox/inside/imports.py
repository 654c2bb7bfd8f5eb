"""The imports of a submission: the standard library, the modules that the manifest allows, placeholders."""

import builtins
import importlib.machinery
import sys
import types
from collections.abc import Callable
from typing import Any

from .orders import MODULE

_import = builtins.__import__
_KNOWN = sys.stdlib_module_names | {MODULE}


class _Placeholder(types.ModuleType):
    """A placeholder for a module that the jail does not offer; any use of it raises an error that says so."""

    _why = "is not available while grading"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        used = f"{self.__name__}.{name}" if type(self) is _Placeholder else self.__name__
        raise ModuleNotFoundError(f"{used} {self._why}", name=self.__name__)

    def __call__(self, *_: object, **__: object) -> Any:
        raise ModuleNotFoundError(f"{self.__name__} {self._why}", name=self.__name__)

    __instancecheck__ = __mro_entries__ = __getitem__ = __iter__ = __call__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __call__


class _MissingModule(_Placeholder):
    """A placeholder for a module that the manifest allows and that is not installed."""

    _why = "is not installed where this is graded; install it in the environment of `grade`"


def _grader() -> types.ModuleType:
    """Return a stand-in for Backgrade itself, in which a notebook's own `check()` and `draw()` do nothing."""
    module = types.ModuleType("grader")
    module.__dict__["check"] = module.__dict__["draw"] = lambda *_, **__: None
    return module


def make_import(allowed: list[str]) -> Callable[..., Any]:
    """Return `__import__` for the jail: the standard library, `allowed`, and placeholders for other modules."""

    def jail_import(
        name: str,
        globals: Any = None,  # noqa: A002  the names by which it may be called
        locals: Any = None,  # noqa: A002
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        top = name.partition(".")[0]
        by_student = isinstance(globals, dict) and globals.get("__name__") == MODULE
        if not by_student or (level == 0 and (top in _KNOWN or top in allowed)):
            try:
                return _import(name, globals, locals, fromlist, level)
            except ModuleNotFoundError as error:
                if error.name != top or top not in allowed:
                    raise  # not installed here: a placeholder says so
        if name == "grader" and level == 0:
            return _grader()
        kind = _MissingModule if top in allowed else _Placeholder
        module = kind(name if fromlist else top)
        if not fromlist:  # import a.b as c: reads c through a
            parent = module
            for part in name.split(".")[1:]:
                child = kind(f"{parent.__name__}.{part}")
                parent.__dict__[part] = child
                parent = child
        for item in fromlist or ():
            if item != "*":
                module.__dict__[item] = kind(f"{name}.{item}")
        module.__dict__["__all__"] = []
        return module

    return jail_import


class AllowedModules:
    """A finder of the third-party modules that the manifest allows; site-packages is not on the path."""

    def __init__(self, names: list[str], paths: list[str]) -> None:
        self.names, self.paths = frozenset(names), paths

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if path is None and name in self.names:
            return importlib.machinery.PathFinder.find_spec(name, self.paths)
        return None
