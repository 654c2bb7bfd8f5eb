"""The jail itself: executes the submission's blocks and answers requests about them.

The format of both is in `../wire.py`; `values.py` writes and reads values.
"""

import binascii
import builtins
import contextlib
import functools
import gc
import importlib
import io
import itertools
import json
import marshal
import operator
import os
import random
import re
import sys
import types
from collections.abc import Callable, Generator
from typing import Any

from .cells import NOTEBOOK_NAMES, Capture, CompiledCell, execute
from .data import Data
from .definitions import bindings, find_definition, find_named
from .history import History
from .holding import _mro, held_values
from .imports import AllowedModules, make_import
from .orders import MODULE, Order, build_class
from .sharing import Sharing, copies, shared_arrays
from .tables import Tables
from .values import MAX_ITEMS, MAX_TEXT, Values, clean, has_attribute, name_of_class

MAX_FRAME = 1 << 20

_encode_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_decode_json = json.JSONDecoder().decode
_read, _write = os.read, os.write


class Jail(Values):
    """Holds the submission and answers one request at a time."""

    def __init__(
        self,
        read_fd: int,
        write_fd: int,
        seal: Callable[[list[str]], None] | None = None,
        *,
        arrays: bool = False,
    ) -> None:
        """With `arrays`, numpy arrays are values. `seal` applies the second filter to this process."""
        super().__init__(arrays=arrays)
        self.seal = seal
        self.read_fd, self.write_fd, self.buffer = read_fd, write_fd, b""
        self.blocks: list[CompiledCell] = []
        self.flags = 0
        self.output = Capture(0)
        # The order and the executed blocks, if nothing else has happened since.
        self.executed: tuple[str, list[int]] | None = None
        self.namespace: dict[str, Any] = {}
        self.codes: dict[str, types.CodeType] = {}  # of helpers, by the names that scripts have for them
        self.sharing: Sharing | None = None
        self.history = History([])
        self.data = Data()
        self.recursion = sys.getrecursionlimit()

    # Frames

    def receive(self) -> Any:
        size = int.from_bytes(self.read_exactly(4), "big")
        return _decode_json(self.read_exactly(size).decode())

    def read_exactly(self, size: int) -> bytes:
        while len(self.buffer) < size:
            chunk = _read(self.read_fd, max(1 << 16, size - len(self.buffer)))
            if not chunk:
                os._exit(0)
            self.buffer += chunk
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def send(self, message: dict[str, Any]) -> None:
        try:
            body = _encode_json(message).encode("utf-8", "replace")
        except (TypeError, ValueError, RecursionError) as error:
            body = _instead(message, {"v": {"x": type(error).__name__}})
        except MemoryError as error:
            body = _instead(message, {"e": self.failure(error)})
        if len(body) > MAX_FRAME:
            body = _instead(message, {"v": {"x": "it is too large"}})
        data = len(body).to_bytes(4, "big") + body
        while data:
            data = data[_write(self.write_fd, data) :]

    def serve(self) -> None:
        """Answer requests until the grader closes the stream.

        Requests of a script are carried out here, too, so that they find the same stack depth as any other.
        """
        while True:
            steps = self.steps(self.receive())
            step = next(steps)
            while step is not None:
                try:
                    answer = {"v": getattr(self, "do_" + step["op"])(step)}
                except BaseException as error:
                    answer = {"e": self.failure(error)}
                step = steps.send(answer)

    def steps(self, request: dict[str, Any]) -> Generator[dict[str, Any] | None, dict[str, Any], None]:
        """Yield the requests of one message, receive the reply to each, and send the replies.

        A request in a script is the same as a single one, so that an examination looks like a grading.
        """
        if request["op"] == "replay":
            yield from self.script(request)
        else:
            answer = yield request
            self.send({"n": request["n"], **answer})
        yield None

    def script(self, request: dict[str, Any]) -> Generator[dict[str, Any], dict[str, Any], None]:
        """Load afresh, send the result, carry out the requests of a check, and send all replies in one frame.

        Errors come without frames and held values: a reply counts only if it equals the reference's.
        """
        number = request["n"]
        for key, code in request["codes"].items():
            self.codes[key] = _shorten_names(marshal.loads(binascii.a2b_base64(code)))  # noqa: S302  the grader's
        reload = yield {"op": "reload", "order": request["order"], "blocks": request["blocks"], "n": number}
        self.send({"n": number, **reload})
        answers: list[Any] = []
        for step in marshal.loads(binascii.a2b_base64(request["requests"])):  # noqa: S302  the grader's
            if step["op"] == "source" and type(step["source"]) is tuple:
                step["source"] = self.codes[step["source"][0]]
            answer = yield step | {"n": number}
            for part in ("frames", "held"):
                answer.get("e", {}).pop(part, None)
            answers.append(answer if "e" in answer else answer["v"])
        self.send({"n": number, "v": answers})

    # Requests of the grader

    def do_open(self, request: dict[str, Any]) -> Any:
        """Take the submission without running any of it."""
        self.blocks = [CompiledCell(i, source) for i, source in enumerate(request["blocks"])]
        self.flags = 0  # `from __future__` imports of the cells so far
        builtins.__build_class__ = build_class  # type: ignore[assignment]
        builtins.__import__ = make_import(request["imports"])
        if request["imports"]:
            sys.meta_path.append(AllowedModules(request["imports"], request["site"]))
        self.output = Capture(request["output"])
        self.take_tables(request["imports"])
        self.modules = frozenset(sys.modules)
        vars(builtins).update(NOTEBOOK_NAMES)
        gc.freeze()  # so that each load searches only objects of the submission for garbage

    def take_tables(self, imports: list[str]) -> None:
        """Send and take pandas tables as values, if the submission may import pandas and it is installed."""
        with contextlib.suppress(Exception):
            if "pandas" in imports:
                self.tables = Tables(importlib.import_module("pandas"), importlib.import_module("numpy"))

    def do_data(self, request: dict[str, Any]) -> None:
        """Take a data file of the course, or the next part of one."""
        self.data.add(request["name"], binascii.a2b_base64(request["part"]))
        self.data.offer()

    def do_seal(self, request: dict[str, Any]) -> Any:
        """Import these modules, then seal this process: nothing that it does outlives it. The submission has not run yet."""
        if self.seal is not None:
            self.seal(request["modules"])
        return True

    def do_modules(self, request: dict[str, Any]) -> Any:
        """Return the names of the modules that the submission has imported."""
        return [name for name in sys.modules if name not in self.modules]

    def do_begin(self, request: dict[str, Any]) -> Any:
        """Make a new, empty namespace, restore the interpreter's settings, and forget every handle."""
        self.objects, self.numbers = {}, {}
        self.executed = (request["order"], [])
        Order.reset(request["order"])
        self.namespace = {}
        sys.modules.pop(MODULE, None)
        self.data.offer()
        gc.enable()
        gc.collect()  # garbage of the last load counts against the memory limit
        random.seed(0)
        sys.setrecursionlimit(self.recursion)
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), self.output, self.output
        module = sys.modules[MODULE] = types.ModuleType(MODULE)
        self.namespace = module.__dict__

    def do_run(self, request: dict[str, Any]) -> Any:
        """Execute one block; one that ran out of memory before is left out, so that it keeps none."""
        block = self.blocks[request["block"]]
        if block.exhausted:
            return
        if block.code is None and block.error is None:  # now, so that the time is counted for this cell
            self.flags = block.compile(self.flags)
        if self.executed is not None:
            self.executed[1].append(request["block"])
        if block.error is not None:
            raise block.error
        try:
            execute(block.code, self.namespace)
        except MemoryError:
            block.exhausted, self.executed = True, None
            raise

    def do_reload(self, request: dict[str, Any]) -> Any:
        """Begin again with the given blocks executed; return what each raised.

        They are not executed again right after a load of the same blocks of which nothing has been asked.
        """
        order, blocks = request["order"], request["blocks"]
        is_ready, self.executed = self.executed == (order, blocks) and not self.objects, None
        failures = []
        if not is_ready:
            self.do_begin({"order": order})
            self.executed = None
            for index in blocks:
                try:
                    self.do_run({"block": index})
                except BaseException as error:
                    failures.append([index, self.failure(error)])
        self.begin_looking(looks=bool(request.get("looks")))
        return failures

    def begin_looking(self, *, looks: bool) -> None:
        """End what looked at the load before; with `looks` begin to look at what this one shares."""
        if self.sharing is not None:
            self.sharing.end()
        self.history.end()
        self.sharing = Sharing(self.namespace, MODULE) if looks else None

    def do_names(self, request: dict[str, Any]) -> Any:
        """Return the names that each block defines; those in `by_line` are not parsed, which may take too long."""
        return self.encode([b.names(by_line=i in request["by_line"]) for i, b in enumerate(self.blocks)])

    def do_output(self, request: dict[str, Any]) -> Any:
        return {"size": self.output.size, "text": clean("".join(self.output.kept)[:MAX_TEXT])}

    def do_source(self, request: dict[str, Any]) -> Any:
        """Execute the checks' own helper code, in a namespace of its own."""
        namespace = {"__name__": MODULE + "_helper"}
        source = request["source"]
        code = source if type(source) is types.CodeType else _compile_helper(source)
        exec(code, namespace)
        return self.encode(namespace[request["name"]])

    def do_get(self, request: dict[str, Any]) -> Any:
        name = request["name"]
        if name not in self.namespace:
            return {"missing": 1}
        return self.encode(self.namespace[name])

    def do_attr(self, request: dict[str, Any]) -> Any:
        return self.encode(getattr(self.objects[request["h"]], request["name"]))

    def do_set(self, request: dict[str, Any]) -> Any:
        setattr(self.objects[request["h"]], request["name"], self.decode(request["v"]))

    def do_call(self, request: dict[str, Any]) -> Any:
        function = self.objects[request["h"]]
        args = [self.decode(arg) for arg in request["args"]]
        keywords = {name: self.decode(v) for name, v in request["kw"].items()}
        encode = self.encode  # bound before the student's code runs, which could replace it
        return encode(function(*args, **keywords))

    def do_apply(self, request: dict[str, Any]) -> Any:
        """Apply an operator of the `operator` module, `len`, `str`, `format` or `listed`."""
        name = request["name"]
        function: Any = _FUNCTIONS_OF_CHECKS.get(name) or getattr(operator, name)
        args = [self.decode(arg) for arg in request["args"]]
        encode = self.encode
        return encode(function(*args))

    def do_items(self, request: dict[str, Any]) -> Any:
        """Return all items of an object with a length; else at most `count`, and the iterator over the rest."""
        of, count, encode, handle = self.objects[request["h"]], request["count"], self.encode, self.handle
        sized = has_attribute(_mro(type(of)), "__len__")
        rest = iter(of)
        items = list(itertools.islice(rest, MAX_ITEMS + 1 if sized else count))
        more = not sized and len(items) == count
        return {"items": encode(items), "rest": handle(rest, _mro(type(rest)))["h"] if more else None}

    def do_isinstance(self, request: dict[str, Any]) -> Any:
        return self.objects[request["cls"]] in type(self.objects[request["h"]]).__mro__

    def do_peek(self, request: dict[str, Any]) -> Any:
        """Return attributes of many handles at once; those that cannot be read say so."""
        found = []
        for handle in request["handles"]:
            row = {}
            for name in request["names"]:
                try:
                    row[name] = self.encode(getattr(self.objects[handle], name))
                except BaseException:
                    row[name] = {"x": "it cannot be read"}
            found.append(row)
        return found

    def do_look(self, request: dict[str, Any]) -> Any:
        """Look at each call from now on, and at what gives the names `of` their arrays, until `shared` is asked."""
        if self.sharing is None:
            return False
        self.sharing.watch_calls()
        self.history.end()
        self.history = History(request["of"])
        return True

    def do_shared(self, request: dict[str, Any]) -> Any:
        """Return what was seen since the load; of results that were `made` of operands, which ones hold copies."""
        if self.sharing is None:
            return self.encode({})
        sharing, history = self.sharing, self.history
        sharing.end()
        history.end()
        return self.encode(
            {
                "grown": sharing.grown(),
                "aliases": sharing.aliases(self.block_of),
                "given": history.rows(self.block_of),
                "returns": sharing.returns(self.block_of),
                "places": shared_arrays(self.objects),
                "copies": copies(self.objects, request["made"]),
            }
        )

    def do_defined(self, request: dict[str, Any]) -> Any:
        """Return the definition of each of these names and handles; assignments are searched in `blocks`."""
        named = [
            (of, find_named(of, self.namespace)) if isinstance(of, str) else ("", self.objects[of])
            for of in request["of"]
        ]
        return [find_definition(*one, self.blocks, request["blocks"], self.block_of) for one in named]

    def do_bindings(self, request: dict[str, Any]) -> Any:
        """Return how these blocks give each name to something: block, line, word and the methods that got lost."""
        blocks = [(i, self.blocks[i]) for i in request["blocks"]]
        return [bindings(name, blocks, self.namespace) for name in request["of"]]

    # Exceptions

    def block_of(self, filename: object) -> int | None:
        """Return the block index for the file name of a frame; None for code that is not the student's."""
        match = re.fullmatch(r"<block (\d+)>", filename) if isinstance(filename, str) else None
        return int(match[1]) if match else None

    def held_rows(self, trace: types.TracebackType, index: int) -> list[list[str]]:
        """Return what the names of the expression hold at which an error was raised; none if that cannot be seen."""
        try:
            lines = self.blocks[index].source.split("\n")
            return [[*map(clean, row)] for row in held_values(trace.tb_frame, trace.tb_lasti, lines)]
        except BaseException:  # a submission may put anything into its namespace
            return []

    def failure(self, error: Any) -> dict[str, Any]:
        """Return an exception as data: its type, its text, and the student's own frames."""
        mro = _mro(type(error))
        try:
            text = clean(str(error))[:2000]
        except BaseException:
            text = ""
        builtin = [name for t in mro if vars(builtins).get(name := name_of_class(t)) is t]
        frames: list[list[Any]] = []
        trace, innermost = _own(BaseException, "__traceback__", error), None
        while trace is not None:
            frame = trace.tb_frame
            index = self.block_of(frame.f_code.co_filename)
            if index is not None:
                frames.append([index, trace.tb_lineno, frame.f_code.co_qualname[:100]])
                innermost = trace
            trace = trace.tb_next
        rows: list[list[str]] = []
        if innermost is not None and NotImplementedError not in mro:
            rows = self.held_rows(innermost, frames[-1][0])
        if SyntaxError in mro and (index := self.block_of(_own(SyntaxError, "filename", error))) is not None:
            frames.append([index, _own(SyntaxError, "lineno", error) or 1, "<module>"])
            text = clean(_own(SyntaxError, "msg", error))[:2000]
        name = _own(NameError, "name", error) if NameError in mro else ""
        return {
            "type": name_of_class(mro[0]),
            "bases": builtin,
            "text": text,
            "name": clean(name)[:100],
            "frames": [f for f in frames[:3] + frames[3:][-3:] if type(f[1]) is int],
            "held": rows,
        }


def _instead(message: dict[str, Any], answer: dict[str, Any]) -> bytes:
    """Return the bytes of another reply of the same kind."""
    frames: dict[str, Any] = {"frames": []} if "frames" in message else {}
    return _encode_json({"n": message["n"], **answer, **frames}).encode()


def _as_list(value: Any) -> Any:
    """Return an array of numpy's or another iterable as a list; the rows of an array become lists too."""
    numpy = sys.modules.get("numpy")
    array: Any = getattr(numpy, "ndarray", None) if isinstance(numpy, types.ModuleType) else None
    if array in _mro(type(value)):
        return array.tolist(value)
    return list(itertools.islice(value, MAX_ITEMS + 1))  # with one too many, the encoder says "too long"


@functools.cache  # every test of a check sends the same helpers
def _compile_helper(source: str) -> Any:
    return _shorten_names(compile(source, "<helper>", "exec"))


def _shorten_names(code: types.CodeType) -> types.CodeType:
    """Return code whose functions have plain names: Python's errors name a function that the student calls wrongly."""
    constants = (
        _shorten_names(each) if isinstance(each, types.CodeType) else each for each in code.co_consts
    )
    return code.replace(co_qualname=code.co_name, co_consts=tuple(constants))


_FUNCTIONS_OF_CHECKS = {"len": len, "str": str, "format": format, "listed": _as_list}


def _own(cls: type, name: str, of: object) -> Any:
    """Return an attribute as the built-in class keeps it, whatever a student's subclass defines."""
    return cls.__dict__[name].__get__(of)
