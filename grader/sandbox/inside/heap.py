"""All objects that the submission's names reach, read after a load: compared before the next, restored if changed.

The state of an object is what it refers to, as the garbage collector sees it, whatever its class says. An object with
other state that can change (a generator, a lock, a stream) makes a heap unreadable, except those that tell it.
"""

import builtins
import functools
import gc
import itertools
import random
import sys
import types
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile
from operator import is_
from typing import Any

from .imports import Missing, Placeholder
from .orders import MODULE, Indexed

MAX_REFERENCES = 500_000
EACH = 200  # objects that are compared together
BYTES_EACH = 32  # of memory for one reference, with its place in our lists

# Objects of exactly these types. Fixed: it never changes, and reaches nothing that does.
_FIXED = {
    *(type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, range),
    *(types.CodeType, types.TracebackType, types.GetSetDescriptorType, types.MemberDescriptorType),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
}
_SIZED = {int, str, bytes}
# Frozen: it never changes itself.
_FROZEN = {
    *(tuple, frozenset, slice, types.MethodType, types.MethodWrapperType, types.BuiltinMethodType),
    *(types.MappingProxyType, types.GenericAlias, types.UnionType),
    *map(type, ({}.keys(), {}.values(), {}.items())),
}
# Open: its whole state is what it refers to.
_OPEN = {
    *(dict, list, set, types.CellType, property, staticmethod, classmethod, functools.partial),
    *(functools.partialmethod, types.SimpleNamespace, Placeholder, Missing, zip, map, filter, enumerate),
}
# Sealed: it has state beside what it refers to, which `_content` reads; the references of a closed one do not count.
_Cached = type(functools.cache(len))
_ITERATORS = {
    *map(type, map(iter, ([], (), range(0), "", {}, {}.values(), {}.items(), set()))),
    *(type(reversed([])), reversed),
}
_BY_NAME = {
    **dict.fromkeys(("_abc._abc_data", "decimal.Decimal", "fractions.Fraction", "re.Pattern"), "fixed"),
    **dict.fromkeys(("numpy.dtype", "numpy.ufunc", "dataclasses._FIELD_BASE"), "fixed"),
    **dict.fromkeys(("__future__._Feature", "_collections._tuplegetter"), "fixed"),
    **dict.fromkeys(("dataclasses._MISSING_TYPE", "dataclasses._HAS_DEFAULT_FACTORY_CLASS"), "fixed"),
    **dict.fromkeys(("dataclasses.Field", "dataclasses._DataclassParams"), "open"),
    **dict.fromkeys(("collections.deque", "collections.defaultdict", "collections.Counter"), "open"),
    **dict.fromkeys(("datetime.datetime", "datetime.timedelta", "time.struct_time", "re.Match"), "fixed"),
    **dict.fromkeys(("numpy.random._generator.Generator", "numpy.ndarray"), "closed"),
}
# An instance of a student's class is open if all other bases of the class are among these.
_BASES = {object, Indexed, int, float, complex, str, bytes, tuple, list, dict, set, frozenset}
_BASE_NAMES = {"abc.ABC", "typing.Generic", "typing.Protocol"}

_BETWEEN = (object(),)  # stands between the references of two objects
_referents = gc.get_referents
_names: Any = vars(types.ModuleType)["__dict__"].__get__
_mro, _members = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__
_NOTHING = object()


class Unreadable(Exception):
    """An object has state that cannot be read, or there are too many objects."""


def _is_reference(item: object) -> bool:
    return item is not _BETWEEN[0]


class _Part:
    """Some objects, and what each referred to when it was found."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.separated = [item for one in items for item in (one, _BETWEEN)]
        self.references = _referents(*self.separated)

    def is_unchanged(self) -> bool:
        return _same(_referents(*self.separated), self.references)

    def changes(self) -> Iterator[tuple[Any, list[Any]]]:
        """Yield each object that has changed, and what it referred to."""
        if self.is_unchanged():
            return
        references = iter(self.references)
        for item in self.items:
            then = list(takewhile(_is_reference, references))
            if not _same(_referents(item), then):
                yield item, then


class Heap:
    """The objects that a namespace reaches, in the state in which they were found. Raises Unreadable."""

    def __init__(self, namespace: dict[str, Any], fixed: Iterable[Any] = ()) -> None:
        """Read all objects; those that are `fixed` count as never changing."""
        self.namespace = namespace
        self.met: dict[int, Any] = {id(item): item for item in fixed}
        self.objects: list[Any] = []  # that may change
        self.sealed: list[Any] = []
        self.classes: dict[int, type] = {}  # by the id of the dictionary of their attributes
        self.modules: list[Any] = []  # names of imported modules
        self.weight = 0  # bytes, roughly
        self._kinds: dict[type, str] = {}
        self._meet_all()
        self._parts = [_Part(self.objects[i : i + EACH]) for i in range(0, len(self.objects), EACH)]
        self._dicts = [item for item in self.objects if dict in _mro(type(item))]
        self._keys = self._keys_now()
        self._contents = [_content(item) for item in self.sealed]
        self.weight += sum(
            2 * item.nbytes for item in self.sealed if _full_name(type(item)) == "numpy.ndarray"
        )
        self._copies = {id(item): item.copy() for item in self._dicts if type(item) is dict}

    # Search

    def _meet_all(self) -> None:
        self.modules.append(self._add(vars(builtins)))
        waiting, references = [self._add(self.namespace)], 0
        while waiting:
            found = _referents(*waiting)
            references += len(found)
            if references > MAX_REFERENCES:
                raise Unreadable("too many objects")
            waiting = [further for item in found for further in self._meet(item)]
        self.weight += BYTES_EACH * references

    def _add(self, item: Any) -> Any:
        self.met[id(item)] = item
        self.objects.append(item)
        return item

    def _meet(self, item: Any) -> Iterable[Any]:
        """Return the objects whose references must be met as well: this one, parts of it, or none."""
        kind = type(item)
        if kind in _FIXED or id(item) in self.met:
            self.weight += item.__sizeof__() if kind in _SIZED else 0
            return ()
        self.met[id(item)] = item
        how = self._kinds.get(kind)
        if how is None:
            how = self._kinds[kind] = _how(kind)
        if how == "open":
            self.objects.append(item)
            return (item,)
        return (item,) if how == "frozen" else self._meet_other(how, item)

    def _meet_other(self, how: str, item: Any) -> Iterable[Any]:
        if how == "function":
            return self._meet_function(item)
        if how == "class":
            return self._meet_class(item)
        if how == "module":
            return self._meet_module(item)
        if how in {"sealed", "closed"}:
            self.sealed.append(item)
        if how == "sealed":
            self.objects.append(item)
            return (item,)
        return ()

    def _meet_function(self, function: Any) -> Iterable[Any]:
        names = function.__globals__
        if names is not self.namespace and _is_imported(names):  # it may keep what a decorator was given
            kept = (function.__closure__, function.__defaults__, function.__kwdefaults__)
            return [part for part in kept if part]
        self.objects.append(function)
        return (function,)

    def _meet_class(self, cls: Any) -> Iterable[Any]:
        if not _is_students(cls):
            return ()
        self.objects.append(cls)
        self.classes[id(_referents(_members(cls))[0])] = cls
        return (cls,)

    def _meet_module(self, module: Any) -> Iterable[Any]:
        """Compare the names of an imported module, not what they reach; the loads restore what is in `sys`."""
        names = _names(module)
        if not _is_imported(names):
            self.objects.append(module)
            return (module,)
        if module is not sys and id(names) not in self.met:
            self.modules.append(self._add(names))
        return ()

    # Comparison

    def _keys_now(self) -> list[Any]:
        return list(chain.from_iterable(map(dict.__iter__, self._dicts)))

    def is_unchanged(self) -> bool:
        """Return True if every object is as it was found."""
        return (
            all(part.is_unchanged() for part in self._parts)
            and _same(self._keys_now(), self._keys)
            and [_content(item) for item in self.sealed] == self._contents
        )

    def restore(self) -> bool:
        """Put names, attributes of classes, lists, dictionaries and closures back; False if more has changed."""
        changed = [change for part in self._parts for change in part.changes()]
        return all(self._put_back(item, then) for item, then in changed) and self.is_unchanged()

    def _put_back(self, item: Any, references: list[Any]) -> bool:
        kind = type(item)
        if any(item is names for names in self.modules):
            return False
        if kind is dict:
            return self._put_back_dict(item, self._copies[id(item)])
        if kind is list:
            item[:] = references
        elif kind is types.CellType and references:
            item.cell_contents = references[0]
        return kind in {list, types.CellType}

    def _put_back_dict(self, item: dict[Any, Any], copy: dict[Any, Any]) -> bool:
        if not all(type(key) is str for key in copy):
            return False  # the hash of another key may be the student's code
        cls = self.classes.get(id(item))
        if cls is None:
            item.clear()
            item.update(copy)
            return True
        for name in [name for name in item if name not in copy]:
            type.__delattr__(cls, name)
        for name, value in copy.items():
            if item.get(name, _NOTHING) is not value:
                type.__setattr__(cls, name, value)
        return True


def _how(kind: type) -> str:
    """Return how objects of exactly this type are met. Raises Unreadable."""
    if kind in _FROZEN:
        return "frozen"
    if kind in _OPEN:
        return "open"
    if kind is types.FunctionType:
        return "function"
    if kind in _ITERATORS or kind in {random.Random, itertools.count, _Cached}:
        return "sealed"
    bases = _mro(kind)
    if type in bases:
        return "class"
    if types.ModuleType in bases:
        return "module"
    name = _full_name(kind)
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("typing.") or any(_full_name(base) == "numpy.generic" for base in bases):
        return "fixed"
    if all(
        _is_students(base) or base in _BASES or _full_name(base) in _BASE_NAMES or _is_error(base)
        for base in bases
    ):
        return "open"
    raise Unreadable(name)


def _is_imported(names: dict[str, Any]) -> bool:
    """Return True for the names of a module that was imported, not made by the student's code."""
    name = names.get("__name__")
    module = sys.modules.get(name) if type(name) is str and name != MODULE else None
    return module is not None and types.ModuleType in _mro(type(module)) and _names(module) is names


def _full_name(cls: type) -> str:
    return f"{_module(cls)}.{type.__dict__['__qualname__'].__get__(cls)}"


def _module(cls: type) -> str:
    name = type.__dict__["__module__"].__get__(cls)
    return name if type(name) is str else ""


def _is_students(cls: type) -> bool:
    return _module(cls) in {MODULE, "types"}  # where `make_dataclass` puts classes


def _is_error(cls: type) -> bool:
    return BaseException in _mro(cls) and _module(cls) == "builtins"


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _content(item: Any) -> Any:
    """Return the state of an object that its references do not tell."""
    kind = type(item)
    if kind in _ITERATORS:
        return (kind.__length_hint__(item),)
    if kind is random.Random:
        return kind.getstate(item)
    if kind is itertools.count:
        return (repr(item),)
    if kind is _Cached:
        return tuple(item.cache_info())
    if _full_name(kind) == "numpy.random._generator.Generator":
        return (repr(item.bit_generator.state),)
    return _array_content(item)


def _array_content(array: Any) -> tuple[Any, ...]:
    if array.dtype.hasobject:
        raise Unreadable("an array of objects")
    return array.shape, array.strides, array.dtype.str, array.flags.writeable, array.tobytes()
