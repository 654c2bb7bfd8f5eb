"""Which of the student's functions a test went through, and where an answer is assigned.

While a request is carried out, Python says which functions are entered. Everything else is read from
the code that was compiled from the cells: nothing of the student's is asked for it.
"""

import opcode
import sys
import types
from typing import Any

from .cells import Block

MAX_EVENTS = 20_000  # of one request: what a long loop goes through, its first rounds go through too
MAX_ROWS, MAX_NAME = 200, 100
MAX_CODE = 2_000_000  # bytes of one cell's own code that are looked through for an assignment
ROOT, LATER = 1, 2  # carried out the request itself; entered when no new object was made
_STORES = frozenset({opcode.opmap["STORE_NAME"], opcode.opmap["STORE_GLOBAL"]})
_EXTENDED = opcode.opmap["EXTENDED_ARG"]

_Place = list[Any]  # block, line in it, qualified name


class Trail:
    """What one test went through; `rule` is the method that an operation may leave to be called later."""

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.index: dict[
            int, tuple[int, tuple[Any, ...]]
        ] = {}  # id of a code: its block, functions around it
        self.codes: dict[int, Any] = {}  # in the order of entering; kept, so that no other gets its id
        self.roles: dict[int, int] = {}
        self.making: set[int] = set()  # entered on the way to make an object
        self.fresh: dict[int, tuple[Any, bool]] = {}  # of the request under way: code, whether a root
        self.events = 0
        self.caller: Any = None

    def begin(self) -> None:
        """A new test."""
        self.codes, self.roles, self.making = {}, {}, set()

    def __enter__(self) -> None:
        """Note from now on what is entered."""
        self.fresh, self.events, self.caller = {}, 0, sys._getframe(1)  # noqa: SLF001  there is no other way
        sys.setprofile(self._note)

    def __exit__(self, kind: object, *_: object) -> None:
        """Note no more; what raised is kept as if it had been on its way to make something."""
        sys.setprofile(None)
        self.caller = None
        if kind is not None:
            self.keep(made=True)

    def _note(self, frame: Any, event: str, _: object) -> None:
        self.events += 1
        if event == "call":
            code = frame.f_code
            if id(code) not in self.fresh:
                self.fresh[id(code)] = code, frame.f_back is self.caller
        if self.events > MAX_EVENTS:
            sys.setprofile(None)

    def keep(self, *, made: bool, by_class: bool = False) -> None:
        """The request is done: it `made` an object or not; what calling a class enters is no operation."""
        for number, (code, root) in self.fresh.items():
            self.codes[number] = code
            if made:
                self.making.add(number)
            role = (ROOT if root else 0) | (0 if made else LATER)
            self.roles[number] = self.roles.get(number, 0) | (0 if by_class else role)

    # What the grader is told

    def units(self, blocks: list[Block]) -> list[list[Any]]:
        """The functions that a test went through: block, line, name, role, and the place of its rule.

        A function that was made by another one of them belongs to that one. The rule of an operation
        is the function that it sets to be called later.
        """
        self._learn(blocks)
        roles: dict[int, int] = {}
        for number, role in self.roles.items():
            if number in self.index and not _does_nothing(self.codes[number]):
                unit = self._unit(number)
                roles[unit] = roles.get(unit, 0) | role
        return [
            [*self._place(number), role, self._rule(number, roles)]
            for number, role in list(roles.items())[:MAX_ROWS]
        ]

    def _learn(self, blocks: list[Block]) -> None:
        if self.index:
            return
        for i, block in enumerate(blocks):
            waiting: list[tuple[Any, tuple[Any, ...]]] = [(block.code, ())] if block.code is not None else []
            while waiting:
                code, around = waiting.pop()
                inner = (*around, code) if _is_function(code) else around
                self.index[id(code)] = i, inner
                waiting += [(const, inner) for const in code.co_consts if type(const) is types.CodeType]

    def _unit(self, number: int) -> int:
        """The outermost function around it that the test went through, or itself."""
        around = self.index[number][1]
        return next((id(code) for code in around if id(code) in self.codes), number)

    def _place(self, number: int) -> _Place:
        block, around = self.index[number]
        code = around[-1] if around else self.codes[number]
        return [block, code.co_firstlineno, code.co_qualname[:MAX_NAME]]

    def _rule(self, unit: int, roles: dict[int, int]) -> _Place | None:
        """What the operation sets to be called later, where that can be told."""
        if unit not in self.making:
            return None
        own = self.codes[unit]
        inner = [code for code in _functions_in(own) if id(code) not in self.making]
        called = [code for code in inner if self.roles.get(id(code), 0) & LATER]
        if found := called or inner:
            return self._place(id(found[0])) if len(found) == 1 else None
        later = [self.codes[n] for n, role in roles.items() if role & LATER and n != unit]
        found = [code for code in later if code.co_name in own.co_names]
        found = found or [code for code in later if self._is_rule_of(code, own)]
        return self._place(id(found[0])) if len(found) == 1 else None

    def _is_rule_of(self, code: Any, maker: Any) -> bool:
        """Whether it is the method `rule` of a class that the maker names."""
        owner, _, name = code.co_qualname.rpartition(".")
        return name == self.rule and owner in maker.co_names


class NoTrail(Trail):
    """Notes nothing."""

    def __init__(self) -> None:
        super().__init__("")

    def __enter__(self) -> None:
        """Nothing begins."""

    def __exit__(self, kind: object, *_: object) -> None:
        """Nothing ends."""


def _is_function(code: Any) -> bool:
    """Whether it is a function's or a lambda's: neither a class body nor a comprehension."""
    return bool(code.co_flags & 1) and (code.co_name == "<lambda>" or not code.co_name.startswith("<"))


def _functions_in(code: Any) -> list[Any]:
    """The functions that are written in a function, at any depth."""
    found = []
    for const in code.co_consts:
        if type(const) is types.CodeType:
            found += [*([const] if _is_function(const) else []), *_functions_in(const)]
    return found


def _does_nothing(code: Any) -> bool:
    """As a rule that was never set, `lambda: None`, which is three instructions long: resume, load, return."""
    return not code.co_names and not code.co_freevars and len(code.co_code) <= 6


def assigned(block: Block, name: str) -> int:
    """The last line of a block at which that name is assigned outside of functions, or 0."""
    code, line, argument = block.code, 0, 0
    if code is None or name not in code.co_names or len(code.co_code) > MAX_CODE:
        return 0
    for (op, low), position in zip(_units(code.co_code), code.co_positions(), strict=False):
        argument = argument << 8 | low
        if op == _EXTENDED:
            continue
        if op in _STORES and code.co_names[argument] == name:
            line = position[0] or line
        argument = 0
    return line


def _units(code: bytes) -> Any:
    return zip(code[::2], code[1::2], strict=True)
