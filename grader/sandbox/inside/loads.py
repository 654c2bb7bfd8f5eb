"""Finished loads that serve again, as long as nothing that the cells made has changed for good."""

import _thread
import contextlib
import gc
import io
import math
import random
import sys
import types
from typing import Any

from .cells import Block, Capture
from .heap import FEW, MAX_REFERENCES, Heap, Unreadable
from .orders import MODULE, Order
from .reach import deletes_attributes, names_text

LIGHT = 16 << 20  # bytes: lighter loads are kept beside each other
MANY = 500_000  # blocks of memory; with fewer a search for garbage takes some milliseconds
PATIENCE = 3  # as many more loads may be spoiled than served
_random_state, _set_random_state = random.getstate, random.setstate


class Load:
    """A load that has just ended: all that its names reach, and the settings of the interpreter. Raises Unreadable."""

    def __init__(self, namespace: dict[str, Any], output: Capture, *, deletes: bool) -> None:
        self.module, self.namespace, self.output = sys.modules.get(MODULE), namespace, output
        if type(self.module) is not types.ModuleType or vars(self.module) is not namespace:
            raise Unreadable("a module of the student's")
        if sys.stdout is not output or sys.stderr is not output:
            raise Unreadable("a stream of the student's")
        self.recursion, self.random = sys.getrecursionlimit(), _random_state()
        numpy = _numpy_random()
        self.numpy = numpy.get_state() if numpy else None
        self.heap = _read(namespace, [random.seed.__self__, numpy], deletes=deletes)  # type: ignore[attr-defined]
        if self.heap.is_whole:
            self.heap.met.clear()  # the lists of references keep the objects
        self.hashes = Order.taken()
        self.is_lost = False  # a test has reached something that cannot be read

    @property
    def weight(self) -> float:
        """Bytes of memory, roughly; infinite if not all has been read."""
        return self.heap.weight if self.heap.is_whole else math.inf

    def reach(self, name: str = "") -> None:
        """Read what a test can reach through this name, before it uses it; without a name, all."""
        try:
            if name:
                self.heap.reach(name)
            else:
                self.heap.reach_all()
        except BaseException:  # also what a metaclass of the student's raises
            self.is_lost = True

    def restore(self, order: str) -> bool:
        """Make everything as it was at the end of this load; return False if that is not possible."""
        if self.is_lost:
            return False
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), self.output, self.output
        sys.modules[MODULE] = self.module  # type: ignore[assignment]
        sys.setrecursionlimit(self.recursion)
        gc.collect()  # garbage of the last test counts against the memory limit
        if not self.heap.is_unchanged() and not self.heap.restore():
            return False
        _set_random_state(self.random)
        if self.numpy is not None:
            _numpy_random().set_state(self.numpy)
        Order.put_back(order, *self.hashes)
        if self.heap.grew:
            self.heap.grew = False
            gc.freeze()
        return True


class Loads:
    """The loads of one submission that may serve again, by the order of sets and the blocks that were executed."""

    def __init__(self, blocks: list[Block], output: Capture) -> None:
        self.blocks, self.output = blocks, output
        self.kept: dict[tuple[str, tuple[int, ...]], Load] = {}
        self.served = self.spoiled = 0
        self.current: Load | None = None  # of the test that runs

    def restored(self, order: str, blocks: list[int]) -> dict[str, Any] | None:
        """Return the namespace of an earlier load, as that load has left it; None if the blocks must be executed."""
        load = self.kept.get((order, tuple(blocks)))
        self.current = None
        if load is None:
            return None
        with contextlib.suppress(BaseException):
            if load.restore(order):
                self.served += 1
                self.current = load
                return load.namespace
        self.spoiled += 1
        self.forget(order, blocks)
        return None

    def reach(self, name: str) -> None:
        """Make sure that a test may use this name, and that all it changes through it is restored."""
        if self.current is not None:
            self.current.reach(name)

    def reach_for(self, helper: types.CodeType) -> None:
        """Do the same for a check's helper code: it reaches what it is given, or all if it names the module."""
        load = self.current
        if load is not None and not load.heap.is_whole and names_text(helper, MODULE):
            load.reach()

    def is_full_for(self, order: str, blocks: list[int]) -> bool:
        """Return True if other blocks, or those in another order, have made many objects."""
        wanted = (order, tuple(blocks))
        return wanted not in self.kept and any(math.isinf(load.weight) for load in self.kept.values())

    def forget(self, order: str, blocks: list[int]) -> None:
        """Drop a load that is spoiled, and those that are too heavy to be kept beside another."""
        before = len(self.kept)
        self.kept.pop((order, tuple(blocks)), None)
        if sum(load.weight for load in self.kept.values()) > LIGHT:
            self.kept.clear()
        if len(self.kept) < before:
            gc.unfreeze()

    def keep(self, namespace: dict[str, Any], order: str, blocks: list[int]) -> None:
        """Keep the load that has just ended, if what it made can be read."""
        if self.spoiled > self.served + PATIENCE:
            return
        # Searching all of many objects takes long. Python did while they were made, so at most a quarter is garbage.
        gc.collect(2 if sys.getallocatedblocks() < MANY else 1)
        deletes = any(block.code is not None and deletes_attributes(block.code) for block in self.blocks)
        try:
            load = Load(namespace, self.output, deletes=deletes)
        except BaseException:  # also what a metaclass of the student's raises
            self.spoiled += 1
            return
        gc.freeze()  # so that only a test's own objects are searched for garbage
        load.heap.grew = False
        self.current = self.kept[order, tuple(blocks)] = load


def _numpy_random() -> Any:
    """Return numpy's global generator of random numbers, if it has been imported."""
    return getattr(sys.modules.get("numpy.random.mtrand"), "_rand", None)


def _read(namespace: dict[str, Any], fixed: list[Any], *, deletes: bool) -> Heap:
    """Return the whole heap if it is small, else what tests reach without a name. Raises Unreadable.

    It must be whole where code of the student's may run that no test asks for.
    """
    heap, must_be_whole = Heap(namespace, fixed, deletes=deletes), _is_watched()
    try:
        heap.read_all(MAX_REFERENCES if must_be_whole else FEW)
    except Unreadable:
        if must_be_whole:
            raise
        heap = Heap(namespace, fixed, deletes=deletes)
        heap.read_little()
    return heap


def _is_watched() -> bool:
    """Return True if Python itself calls functions that a cell has registered, or a thread of a cell's runs."""
    tools = getattr(sys, "monitoring", None)  # since Python 3.12
    return bool(
        sys.gettrace()
        or sys.getprofile()
        or gc.callbacks
        or _thread._count()  # noqa: SLF001  what `threading` itself uses
        or (tools and any(tools.get_tool(number) for number in range(6)))
    )
