"""The statements of a file, with edits of those in functions. `ast` reads them in a jail that executes no student code.

A statement is [block, line, function, text, fills, edits]. `text` is how `ast` writes it, `fills` is True if it changes
the attribute that the grader names. An edit is [kind, line, start, last line, end, new text] with columns in
characters. The kinds of edits:

overwrites   `+=` of that attribute becomes `=`
left out     the statement is removed
unseeded     the same, if it sets the attribute to a number
in order     `reversed`, `[::-1]` or `.reverse()` is removed
no factor    the attribute is removed from a product
forgets      a call of a method `add` with one value is removed
unsummed     a call of a function with `broadcast` in its name gives its first argument
compares     `<` becomes `<=`, `>` becomes `>=`, or the other way round
other sign   `+` becomes `-`, or the other way round
"""

import ast
import contextlib
import copy
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

MOST = 100  # statements of one function
MOST_FUNCTIONS = 1_000  # outside of classes
MOST_TEXT = 900_000  # characters of an answer
LONGEST = 100  # characters of a statement in a question
CHUNK = 60_000  # characters of one text in an answer
_TURNED: dict[type, Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
_SILENT = (ast.Pass, ast.Raise, ast.Import, ast.ImportFrom)


def read_statements(sources: Sequence[str], field: str, places: Sequence[Sequence[int]]) -> list[str]:
    """Return the statements in functions of all blocks, and the number of those left out: JSON, cut into texts.

    `field` is the attribute. With `places` (block and line), only the statements there.
    """
    rows, left, known = list[str](), 0, {(block, line) for block, line in places}
    for block, source, tree in _trees(sources):
        reader = _Reader(block, source.split("\n"), field, places=known)
        rows += [json.dumps(row) for row in reader.read(tree.body, "") if row[2]]
        left += reader.left
    sizes = itertools.accumulate(len(row) + 1 for row in rows)
    kept = sum(size < MOST_TEXT for size in sizes)
    text = f"[[{','.join(rows[:kept])}], {left + len(rows) - kept}]"
    return [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)]


def _trees(sources: Sequence[str]) -> Iterator[tuple[int, str, ast.Module]]:
    """Yield the number, the text and the tree of each block that is Python."""
    for block, source in enumerate(sources):
        try:
            yield block, source, ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def spellings(sources: Sequence[str], places: Sequence[Sequence[int]], field: str, twin: str) -> list[str]:
    """Return other texts for the statements at these places (block and line), as JSON: a list for each."""
    found: list[list[str]] = []
    for block, line in places:
        reader, texts, tree = _Reader(block, [], field, twin), set[str](), ast.parse(sources[block])
        around = [
            each
            for each in ast.walk(tree)
            if isinstance(each, ast.FunctionDef) and each.lineno <= line <= (each.end_lineno or 0)
        ]
        reader.has_other = any(arg.arg == "other" for each in around for arg in each.args.args)
        for node in ast.walk(tree):
            if (
                getattr(node, "lineno", 0) == line
                and isinstance(node, ast.stmt)
                and not hasattr(node, "body")
            ):
                with contextlib.suppress(RecursionError):  # a deep statement beside the one of the question
                    texts |= {text for text in reader.spellings(node) if len(text) <= LONGEST} - {
                        ast.unparse(node)
                    }
        found.append(sorted(texts)[:40])
    return [json.dumps(found)]


def functions(sources: Sequence[str]) -> list[str]:
    """Return the functions outside classes as JSON: name and number of parameters."""
    found: list[Any] = []
    for _, _, tree in _trees(sources):
        plain = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        found += [
            [node.name, len(node.args.args) - len(node.args.defaults)]
            for node in plain
            if not (node.args.vararg or node.args.kwonlyargs)
        ]
    return [json.dumps(found[-MOST_FUNCTIONS:])]


class _Reader:
    """Reads the statements of one block."""

    def __init__(
        self,
        block: int,
        lines: list[str],
        field: str,
        twin: str = "",
        places: Collection[tuple[int, int]] = (),
    ) -> None:
        self.block, self.lines, self.field, self.twin, self.places = block, lines, field, twin, places
        self.has_other = False  # True in a method with another operand
        self.left = 0  # statements that were left out: of long functions, and too deep ones

    def read(self, body: Sequence[Any], function: str) -> list[list[Any]]:
        """Return the statements in a body and below; `function` is the qualified name around it, or ""."""
        found: list[list[Any]] = []
        for node in body:
            try:
                found += self.statements(node, function)
            except RecursionError:  # sums of hundreds of terms, or hundreds of `elif`
                self.left += 1
        return found

    def statements(self, node: Any, function: str) -> list[list[Any]]:
        """Return a statement of a body, and those below."""
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            rows = self.read(node.body, f"{function}.{node.name}".lstrip("."))
            most = MOST if isinstance(node, ast.FunctionDef) else len(rows)
            self.left += len(rows[most:])
            return rows[:most]
        parts = _parts_of(node)
        is_here = not self.places or (self.block, node.lineno) in self.places
        rows = [*self.row(node, function, is_head=bool(parts))] if is_here else []
        for part in parts:
            rows += self.read(part, function)
        return rows

    def row(self, node: Any, function: str, *, is_head: bool) -> Iterator[list[Any]]:
        """Yield a simple statement, or the first line of a loop or a condition, with edits; nothing for others."""
        head = getattr(node, "iter", None) or getattr(node, "test", None)
        text, _, more = ast.unparse(node).partition("\n")
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_silent = head is None if is_head else bool(more or is_text or isinstance(node, _SILENT))
        if not is_silent and len(text) <= LONGEST:
            edits = self.inner(head) if is_head else self.edits(node)
            yield [self.block, node.lineno, function, text, not is_head and self.fills(node), [*edits]]

    def is_field(self, node: Any) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == self.field

    def fills(self, node: Any) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        return any(map(self.is_field, targets))

    # --- Edits

    def edit(self, kind: str, node: Any, new: str) -> list[Any]:
        """Return the edit that replaces a node by a text."""
        start = self.column(node.lineno, node.col_offset)
        return [
            kind,
            node.lineno,
            start,
            node.end_lineno,
            self.column(node.end_lineno, node.end_col_offset),
            new,
        ]

    def column(self, line: int, offset: int) -> int:
        """Return a column in characters; `ast` counts bytes."""
        return len(self.lines[line - 1].encode()[:offset].decode(errors="replace"))

    def edits(self, node: Any) -> Iterator[list[Any]]:
        """Yield the edits of a simple statement."""
        if isinstance(node, ast.AugAssign) and self.is_field(node.target):
            if isinstance(node.op, ast.Add):
                yield self.edit(
                    "overwrites", node, ast.unparse(ast.Assign([node.target], node.value, lineno=1))
                )
            yield self.edit("left out", node, "pass")
        if isinstance(node, ast.Assign) and self.fills(node):
            number = not any(isinstance(each, (ast.BinOp, ast.Name)) for each in ast.walk(node.value))
            yield self.edit("unseeded" if number else "left out", node, "pass")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            method = getattr(node.value.func, "attr", "")
            if method == "reverse":
                yield self.edit("in order", node, "pass")
            if method == "add" and len(node.value.args) == 1:
                yield self.edit("forgets", node, "pass")
        yield from self.inner(getattr(node, "value", None))

    def inner(self, expression: Any) -> Iterator[list[Any]]:
        """Yield the edits of an expression and its parts."""
        if expression is None:
            return
        around = {id(child): node for node in ast.walk(expression) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(expression):
            for kind, new in self.replacements(node):
                text = ast.unparse(new)
                bare = isinstance(new, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript))
                binds = isinstance(
                    around.get(id(node)), (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Compare)
                )
                yield self.edit(kind, node, f"({text})" if binds and not bare else text)

    def replacements(self, node: Any) -> Iterator[tuple[str, Any]]:
        """Yield replacements of an expression, each with the kind of the edit."""
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", "")
            if name == "reversed" and len(node.args) == 1:
                yield "in order", node.args[0]
            if "broadcast" in name and len(node.args) == 2:
                yield "unsummed", node.args[0]
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
            yield "in order", node.value
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            factors = [node.left, node.right]
            if others := [
                other for factor, other in zip(factors, factors[::-1], strict=True) if self.is_field(factor)
            ]:
                yield "no factor", others[-1]
        if isinstance(node, ast.BinOp) and type(node.op) in _TURNED:
            yield "other sign", ast.BinOp(node.left, _TURNED[type(node.op)](), node.right)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _TURNED:
            yield "compares", ast.Compare(node.left, [_TURNED[type(node.ops[0])]()], node.comparators)

    # --- Spellings

    def spellings(self, node: Any) -> Iterator[str]:
        """Yield other texts for a statement: each with one part changed."""
        for place, part in enumerate(ast.walk(node)):
            for fields in self.other_fields(part):
                tree = copy.deepcopy(node)
                changed = [*ast.walk(tree)][place]
                for name, value in fields.items():
                    setattr(changed, name, value)
                yield ast.unparse(ast.fix_missing_locations(tree))
        if isinstance(node, ast.AugAssign):
            yield ast.unparse(ast.Assign([node.target], node.value, lineno=1))
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and self.fills(node):
            target: Any = node.targets[0]
            yield ast.unparse(ast.AugAssign(target, ast.Add(), node.value))

    def other_fields(self, node: Any) -> Iterator[dict[str, Any]]:
        """Yield fields that a part of a statement may have instead of its own."""
        names = {"self": "other", "other": "self"} if self.has_other else {}
        fields = {self.field: self.twin, self.twin: self.field}
        turned: dict[type, Callable[[], Any]] = {**_TURNED, ast.Mult: ast.Add}
        if isinstance(node, ast.BinOp) and not isinstance(node.left, ast.Constant):
            yield {"left": node.right, "right": node.left}
        if isinstance(node, ast.BinOp) and type(node.op) in turned:
            yield {"op": turned[type(node.op)]()}
        if isinstance(node, ast.Name) and node.id in names:
            yield {"id": names[node.id]}
        if isinstance(node, ast.Attribute) and node.attr in fields:
            yield {"attr": fields[node.attr]}
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, (int, float))
            and type(node.value) is not bool
        ):
            yield {"value": node.value + 1}


def _parts_of(node: Any) -> list[Any]:
    """Return the bodies of a compound statement."""
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    found += [part.body for name in ("handlers", "cases") for part in getattr(node, name, ())]
    return [body for body in found if body]
