"""PyTorch as the oracle: gradients of an expression, recorded or from live torch.

Importing torch takes over a second, so `grade stub` records its numbers next to the checks (parity.json), and grading
reads them; live torch computes a case without a record. The author's commands use only torch, and the user's cache keeps
its numbers. If torch is not installed, they use exact derivatives (exact.py), so that a class can get a new salt without
it. A leaf may be an array, as nested lists; then the gradients are of the sum of all entries of the root.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import math
import platform
import warnings
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from grader.autograd.exact import derivatives
from grader.errors import Broken, to_install
from grader.files import read_cache, write_cache
from grader.topic import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

FORMAT = 1
PRECISION = 1e-12  # relative: the last digits of torch differ between processors
NEAR_0 = 1e-14  # absolute: gradients that cancel out may leave a rest


Numbers: TypeAlias = Any  # a float, or nested lists of floats


class ParityCase(msgspec.Struct, frozen=True):
    """PyTorch's numbers for one expression, in float64: the root's value and each leaf's gradient, in order.

    Each of them is a float, or nested lists with the shape of an array.
    """

    graph: str
    leaves: dict[str, Numbers]
    data: Numbers
    gradients: dict[str, Numbers]

    @property
    def key(self) -> str:
        """The key of the record: the graph and its leaves."""
        return _key(self.graph, self.leaves)


class _Record(msgspec.Struct):
    cases: list[ParityCase]


class Oracle(msgspec.Struct):
    """PyTorch's numbers for expressions; `asked` has every requested case, in order."""

    records: dict[str, ParityCase] = {}
    live: bool = False
    asked: dict[str, ParityCase] = {}

    def __call__(self, expression: Callable[..., Any], **leaves: Numbers) -> ParityCase:
        """Return the gradients of an expression of named leaves: numbers, nested lists or arrays.

        Raises Unavailable if there is neither a record nor an installed torch.
        """
        leaves = {name: leaf.tolist() if hasattr(leaf, "tolist") else leaf for name, leaf in leaves.items()}
        graph = str(expression(**{name: Symbol(name) for name in leaves}))
        key = _key(graph, leaves)
        if key not in self.asked:
            make, known = (_kept_or_from_torch, None) if self.live else (from_torch, self.records.get(key))
            self.asked[key] = known or make(expression, graph, leaves)
        return self.asked[key]


def _kept_or_from_torch(expression: Callable[..., Any], graph: str, leaves: dict[str, Numbers]) -> ParityCase:
    """Return the numbers of the installed torch, from the cache if they are there; without torch, those of without_torch."""
    from importlib.metadata import PackageNotFoundError, version  # late: it takes time to import

    try:
        asked = f"{version('torch')} {platform.machine()} {_key(graph, leaves)}"
    except PackageNotFoundError:
        return without_torch(expression, graph, leaves)
    name = hashlib.sha256(asked.encode()).hexdigest()
    with contextlib.suppress(msgspec.DecodeError):
        if (kept := read_cache("torch", name)) is not None:
            return ParityCase(
                graph, dict(leaves), *msgspec.msgpack.decode(kept, type=tuple[Any, dict[str, Any]])
            )
    case = from_torch(expression, graph, leaves)
    write_cache("torch", name, msgspec.msgpack.encode((case.data, case.gradients)))
    return case


def from_torch(expression: Callable[..., Any], graph: str, leaves: dict[str, Numbers]) -> ParityCase:
    """Return the numbers of live torch. Raises Unavailable if torch is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # NumPy is not needed here
            import torch
    except ImportError as error:
        raise Unavailable(
            f"PyTorch is needed for a case that has no record; run {to_install('torch')}, or record the case with "
            "`grade stub`",
            needs="PyTorch",
        ) from error
    tensors = {
        name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in leaves.items()
    }
    root = expression(**tensors)
    root.sum().backward()
    gradients = {n: (torch.zeros_like(t) if t.grad is None else t.grad).tolist() for n, t in tensors.items()}
    return ParityCase(graph, dict(leaves), root.tolist(), gradients)


def without_torch(expression: Callable[..., Any], graph: str, leaves: dict[str, Numbers]) -> ParityCase:
    """Return exact derivatives, without torch. Raises Unavailable for an operation without a rule or a result."""
    try:
        return ParityCase(graph, dict(leaves), *derivatives(expression, leaves))
    except (AttributeError, TypeError, ValueError) as error:
        raise Unavailable(
            f"PyTorch is needed for {graph}: {error}; run {to_install('torch')}",
            needs="PyTorch",
        ) from error


def has_torch() -> bool:
    """Return True if PyTorch is installed; does not import it."""
    return importlib.util.find_spec("torch") is not None


def read_parity(paths: Iterable[Path]) -> dict[str, ParityCase]:
    """Return the cases of several parity files, by key; an absent file has none. Raises Broken."""
    records: dict[str, ParityCase] = {}
    for path in (each for each in paths if each.is_file()):
        try:
            records |= _cases(path.read_text(encoding="utf-8"))
        except (msgspec.DecodeError, UnicodeError) as error:
            raise Broken(
                f"{path}: this file cannot be read; get it from the course again, or write it with `grade stub`"
            ) from error
    return records


def _cases(text: str) -> dict[str, ParityCase]:
    """Return the cases of a parity file by key. Raises msgspec.DecodeError."""
    return {case.key: case for case in msgspec.json.decode(text, type=_Record).cases}


def parity_agrees(old: str, new: str) -> bool:
    """Return True if two parity files have the same cases, and all their numbers agree."""
    try:
        before, after = _cases(old), _cases(new)
        pairs = [(before.pop(key), case) for key, case in after.items()]
        return not before and all(
            _are_close(one.data, other.data) and _are_close(one.gradients, other.gradients)
            for one, other in pairs
        )
    except (msgspec.DecodeError, KeyError, TypeError):
        return False


def _are_close(one: Any, other: Any) -> bool:
    """Return True if names and shapes are equal, and all numbers agree."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_are_close(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_are_close, one, other))
    return math.isclose(one, other, rel_tol=PRECISION, abs_tol=NEAR_0)


def write_records(cases: Iterable[ParityCase]) -> str:
    """Return the text of a parity file; its version of torch is empty if the numbers are not from torch."""
    from importlib.metadata import version  # late: it takes time to import, and only an author writes records

    rows = msgspec.to_builtins(sorted(cases, key=lambda case: case.key))
    torch = version("torch").partition("+")[0] if rows and has_torch() else ""
    data = {"format": FORMAT, "torch": torch, "cases": rows}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _key(graph: str, leaves: dict[str, Numbers]) -> str:
    return f"{graph} at {json.dumps(leaves)}"


def _writing_operation(form: str) -> Callable[..., Symbol]:
    """Return an operation that writes an expression down, with the symbol at `{0}` and another operand at `{1}`."""
    return lambda *operands: Symbol(form.format(*operands))


class Symbol:
    """A value whose operations write the expression down instead of computing it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    __add__, __radd__ = _writing_operation("({0} + {1})"), _writing_operation("({1} + {0})")
    __sub__, __rsub__ = _writing_operation("({0} - {1})"), _writing_operation("({1} - {0})")
    __mul__, __rmul__ = _writing_operation("({0} * {1})"), _writing_operation("({1} * {0})")
    __truediv__, __rtruediv__ = _writing_operation("({0} / {1})"), _writing_operation("({1} / {0})")
    __pow__, __matmul__ = _writing_operation("({0} ** {1})"), _writing_operation("({0} @ {1})")
    __neg__, __getitem__ = _writing_operation("(-{0})"), _writing_operation("{0}[{1}]")
    T = property(_writing_operation("{0}.T"))  # as arrays have it

    def __getattr__(self, name: str) -> Callable[..., Symbol]:
        if name.startswith("_"):
            raise AttributeError(name)

        def called(*args: object, **keywords: object) -> Symbol:
            given = [*map(str, args), *(f"{key}={value}" for key, value in keywords.items())]
            return Symbol(f"{self}.{name}({', '.join(given)})")

        return called
