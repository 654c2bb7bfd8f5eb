"""The objects that a submission's names reach after a load: compared before the next, restored if changed.

The state of an object is what it refers to, as the garbage collector sees it, whatever its class says. An object with
other state that can change (a generator, a lock, a stream) makes a heap unreadable, except those that tell it.

A heap is read whole while it is small. Otherwise only what tests can reach is read, when a test first asks for a name.
Tests before it cannot have changed any of it: they reached only what was read, and that is restored.
"""

import builtins
import functools
import gc
import itertools
import random
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, takewhile
from operator import is_
from typing import Any

from .imports import Missing, Placeholder
from .orders import MODULE, Indexed
from .reach import FUNCTIONS, MODULES, deletes_attributes, globals_of

MAX_REFERENCES = 500_000
FEW = 20_000  # references that are read whole: comparing them takes about a millisecond
EACH = 200  # objects that are compared together
BYTES_EACH = 32  # of memory for one reference, with its place in our lists

# Objects of exactly these types. Fixed: it never changes, and reaches nothing that does.
_FIXED = {
    *(type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, range),
    *(types.CodeType, types.TracebackType, types.GetSetDescriptorType, types.MemberDescriptorType),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
}
_SIZED = {int, str, bytes}
_COLLECTIONS = {dict, list, set, tuple, frozenset}
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
    """Some objects, and what each referred to when it was found; of dictionaries also the order of keys."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.separated = [item for one in items for item in (one, _BETWEEN)]
        self.references = _referents(*self.separated)
        self.dicts = [item for item in items if dict in _mro(type(item))]
        self.keys = self._keys_now()

    def _keys_now(self) -> list[Any]:
        return list(chain.from_iterable(map(dict.__iter__, self.dicts)))

    def is_unchanged(self) -> bool:
        return _same(_referents(*self.separated), self.references) and _same(self._keys_now(), self.keys)

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
    """The objects that a namespace reaches, in the state in which they were found.

    `is_whole` is True if all have been read. Otherwise `reach` reads those that a name reaches.
    """

    def __init__(self, namespace: dict[str, Any], fixed: Iterable[Any], *, deletes: bool) -> None:
        """Read the bindings of all names; objects that are `fixed` count as never changing.

        With `deletes` some code of the submission deletes attributes, so that the heap cannot be read whole.
        """
        self.namespace, self.deletes, self.is_whole = namespace, deletes, False
        self.met: dict[int, Any] = {id(item): item for item in fixed}
        self.objects: list[Any] = []  # that may change, and are in no part yet
        self.sealed: list[Any] = []
        self.classes: dict[int, type] = {}  # by the id of the dictionary of their attributes
        self.modules: list[Any] = []  # names of imported modules
        self.references = 0
        self.weight = 0  # bytes, roughly
        self.most = 0  # references that may be read
        self.grew = False  # since the owner has last looked
        self.asked: set[str] = set()
        self._kinds: dict[type, str] = {}
        self._codes: set[int] = set()  # ids of those whose names have been followed
        self._parts: list[_Part] = []
        self._contents: list[Any] = []
        self._copies: dict[int, dict[Any, Any]] = {}
        self.modules.append(self._add(vars(builtins)))
        self._bound = self._add(namespace).copy()

    def read_all(self, most: int) -> None:
        """Read all that the names reach. Raises Unreadable if it has more than `most` references."""
        if self.deletes:
            raise Unreadable("code that deletes attributes")
        self.is_whole = True
        self._follow([tuple(self._bound.values())], most)

    def read_little(self) -> None:
        """Read what tests reach without a name: imported modules, and what the cells have put into them."""
        modules = [item for item in self._bound.values() if _is_a(type(item), types.ModuleType)]
        imported = [item for item in (builtins, sys, *modules) if _is_imported(_names(item))]
        self._follow([part for item in imported for part in self._compare_module(item)], MAX_REFERENCES)

    def reach(self, name: str) -> None:
        """Read what this name reaches as well, before a test uses it. Raises Unreadable."""
        if self.is_whole or name in self.asked:
            return
        self.asked.add(name)
        if name in self._bound:
            self._follow([(self._bound[name],)], MAX_REFERENCES)

    def reach_all(self) -> None:
        """Read what all names reach. Raises Unreadable."""
        if not self.is_whole:
            self.read_all(MAX_REFERENCES)

    # Search

    def _follow(self, waiting: list[Any], most: int) -> None:
        was_whole, self.most = self.is_whole, most
        while waiting:
            found = _referents(*waiting)
            self.references += len(found)
            self.weight += BYTES_EACH * len(found)
            if self.references > self.most:
                raise Unreadable("too many objects")
            waiting = [further for item in found for further in self._meet(item)]
        if self.is_whole and not was_whole:
            self.read_all(MAX_REFERENCES)
        else:
            self._take()

    def _take(self) -> None:
        """Note the state of the objects that were found."""
        new, self.objects = self.objects, []
        self._parts += [_Part(new[i : i + EACH]) for i in range(0, len(new), EACH)]
        self._copies.update((id(item), item.copy()) for item in new if type(item) is dict)
        sealed = self.sealed[len(self._contents) :]
        self._contents += [_content(item) for item in sealed]
        self.weight += sum(2 * item.nbytes for item in sealed if _full_name(type(item)) == "numpy.ndarray")
        self.grew |= bool(new)

    def _add(self, item: Any) -> Any:
        self.met[id(item)] = item
        self.objects.append(item)
        return item

    def _meet(self, item: Any) -> Iterable[Any]:
        """Return the objects whose references must be met as well: this one, parts of it, or none."""
        kind = type(item)
        if kind in _FIXED or id(item) in self.met:
            self.weight += item.__sizeof__() if kind in _SIZED else 0
            self.is_whole |= item is self.namespace
            return ()
        self.met[id(item)] = item
        how = self._kinds.get(kind)
        if how is None:
            how = self._kinds[kind] = _how(kind)
            if id(kind) not in self.met:  # the class itself, which need not be among the references
                return (*self._meet(kind), *self._meet_as(how, item))
        return self._meet_as(how, item)

    def _meet_as(self, how: str, item: Any) -> Iterable[Any]:
        if type(item) in _COLLECTIONS and len(item) > self.most:
            raise Unreadable("too many objects")  # before they are listed, which takes memory
        if how == "open":
            self.objects.append(item)
            return (item,)
        if how == "frozen":
            return (item,) if type(item) is not types.BuiltinMethodType else self._meet_builtin(item)
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

    def _meet_builtin(self, function: Any) -> Iterable[Any]:
        self.is_whole |= id(function) in FUNCTIONS
        return () if function.__self__ is builtins else (function,)

    def _meet_function(self, function: Any) -> Iterable[Any]:
        names = function.__globals__
        if names is not self.namespace and _is_imported(names):  # it may keep what a decorator was given
            self.is_whole |= _top(names) in MODULES
            kept = (function.__closure__, function.__defaults__, function.__kwdefaults__)
            return [part for part in kept if part]
        self.objects.append(function)
        return (function,) if self.is_whole else self._reached_by(function)

    def _reached_by(self, function: Any) -> Iterable[Any]:
        """Return what a function of the student's refers to, without the globals that its code does not name."""
        own, code = (
            tuple(item for item in _referents(function) if item is not self.namespace),
            function.__code__,
        )
        if id(code) in self._codes:
            return (own,)
        self._codes.add(id(code))
        if deletes_attributes(code):
            raise Unreadable("code that deletes attributes")
        names = globals_of(code)
        self.is_whole |= names is None
        return own, tuple(self._bound[name] for name in names or () if name in self._bound)

    def _meet_class(self, cls: Any) -> Iterable[Any]:
        if not _is_students(cls):
            return () if self.is_whole else (tuple(self._own_in(_members(cls))),)
        self.objects.append(cls)
        self.classes[id(_referents(_members(cls))[0])] = cls
        return (cls,)

    def _meet_module(self, module: Any) -> Iterable[Any]:
        names = _names(module)
        if not _is_imported(names):
            self.objects.append(module)
            return (module,)
        self.is_whole |= _top(names) in MODULES
        return self._compare_module(module)

    def _compare_module(self, module: Any) -> Iterable[Any]:
        """Compare the names of an imported module, not what they reach; the loads restore what is in `sys`."""
        names = _names(module)
        if module is not sys and id(names) not in self.met:
            self.modules.append(self._add(names))
        if self.is_whole:
            return ()
        classes = [item for item in names.values() if _is_a(type(item), type)]
        return tuple(self._own_in(names)), *(tuple(self._own_in(_members(cls))) for cls in classes)

    def _own_in(self, names: Mapping[str, Any]) -> Iterator[Any]:
        """Yield what the student's code has put into an imported module or class: functions, classes, instances."""
        return filter(self._is_own, names.values())

    def _is_own(self, value: Any) -> bool:
        kind = type(value)
        if kind is types.MethodType or kind is functools.partial:
            return self._is_own(value.__func__ if kind is types.MethodType else value.func)
        if kind is types.FunctionType:
            return value.__globals__ is self.namespace
        return _module(value if _is_a(kind, type) else kind) == MODULE

    # Comparison

    def is_unchanged(self) -> bool:
        """Return True if every object is as it was found."""
        return (
            all(part.is_unchanged() for part in self._parts)
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


def _is_a(kind: type, base: type) -> bool:
    """Return True for a subclass, whatever a metaclass says."""
    return any(each is base for each in _mro(kind))


def _is_imported(names: dict[str, Any]) -> bool:
    """Return True for the names of a module that was imported, not made by the student's code."""
    name = names.get("__name__")
    module = sys.modules.get(name) if type(name) is str and name != MODULE else None
    return module is not None and types.ModuleType in _mro(type(module)) and _names(module) is names


def _top(names: dict[str, Any]) -> str:
    """Return the name of a module's package."""
    name = names.get("__name__")
    return name.partition(".")[0] if type(name) is str else ""


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
