"""Finished loads that serve again, as long as nothing that the cells made has changed for good."""

import contextlib
import gc
import io
import opcode
import random
import sys
import types
from typing import Any

from .cells import Block, Capture
from .definitions import codes
from .heap import Heap, Unreadable
from .orders import MODULE, Order

LIGHT = 16 << 20  # bytes: lighter loads are kept beside each other
PATIENCE = 3  # as many more loads may be spoiled than served
_DELETE = opcode.opmap["DELETE_ATTR"]
_DELETING = {"delattr", "__delattr__"}
_random_state, _set_random_state = random.getstate, random.setstate


class Load:
    """A load that has just ended: all that its names reach, and the settings of the interpreter. Raises Unreadable."""

    def __init__(self, namespace: dict[str, Any], output: Capture) -> None:
        self.module, self.namespace, self.output = sys.modules.get(MODULE), namespace, output
        if type(self.module) is not types.ModuleType or vars(self.module) is not namespace:
            raise Unreadable("a module of the student's")
        if sys.stdout is not output or sys.stderr is not output:
            raise Unreadable("a stream of the student's")
        self.recursion, self.random = sys.getrecursionlimit(), _random_state()
        numpy = _numpy_random()
        self.numpy = numpy.get_state() if numpy else None
        self.heap = Heap(namespace, [random.seed.__self__, numpy])  # type: ignore[attr-defined]
        self.hashes = Order.taken(self.heap.met)
        self.heap.met.clear()  # the lists of references keep the objects

    def restore(self, order: str) -> bool:
        """Make everything as it was at the end of this load; return False if that is not possible."""
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
        return True


class Loads:
    """The loads of one submission that may serve again, by the order of sets and the blocks that were executed."""

    def __init__(self, blocks: list[Block], output: Capture) -> None:
        self.blocks, self.output = blocks, output
        self.kept: dict[tuple[str, tuple[int, ...]], Load] = {}
        self.served = self.spoiled = 0

    def restored(self, order: str, blocks: list[int]) -> dict[str, Any] | None:
        """Return the namespace of an earlier load, as that load has left it; None if the blocks must be executed."""
        load = self.kept.get((order, tuple(blocks)))
        if load is None:
            return None
        with contextlib.suppress(BaseException):
            if load.restore(order):
                self.served += 1
                return load.namespace
        self.spoiled += 1
        self.forget(order, blocks)
        return None

    def forget(self, order: str, blocks: list[int]) -> None:
        """Drop a load that is spoiled, and those that are too heavy to be kept beside another."""
        before = len(self.kept)
        self.kept.pop((order, tuple(blocks)), None)
        if sum(load.heap.weight for load in self.kept.values()) > LIGHT:
            self.kept.clear()
        if len(self.kept) < before:
            gc.unfreeze()

    def keep(self, namespace: dict[str, Any], order: str, blocks: list[int]) -> None:
        """Keep the load that has just ended, if all that it made can be read."""
        if self.spoiled > self.served + PATIENCE or _deletes_attributes(self.blocks):
            return
        gc.collect()
        try:
            self.kept[order, tuple(blocks)] = Load(namespace, self.output)
        except BaseException:  # also what a metaclass of the student's raises
            self.spoiled += 1
            return
        gc.freeze()  # so that only a test's own objects are searched for garbage


def _numpy_random() -> Any:
    """Return numpy's global generator of random numbers, if it has been imported."""
    return getattr(sys.modules.get("numpy.random.mtrand"), "_rand", None)


def _deletes_attributes(blocks: list[Block]) -> bool:
    """Return True if one attribute may make room for another: the references of an object do not tell their names."""
    found = codes(blocks, whole=True)
    return any(_DELETE in code.co_code[::2] or not _DELETING.isdisjoint(code.co_names) for code in found)
