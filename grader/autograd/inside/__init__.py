"""Source files that the grader sends into the jail, where they run beside student code. They report and never judge.

nodes.py        plain nodes for checks, which log the calls of their `_backward`
holding.py      the children of the student's nodes, and the right order of calls over them
pairs.py        the slopes that an expression keeps for its leaves
own.py          nodes of the student's class for checks; sent with nodes.py and holding.py
handing.py      a right backward pass from a result, by the rules of its nodes; sent with holding.py
sorting.py      a right `build_topo`, for tests of functions that use it; sent with holding.py
standins.py     a right `unbroadcast` and `log_softmax`, for tests of functions that use them
application.py  one operation, applied to leaves: forward, backward, and the changes
trials.py       every operation at many points; sent together with application.py
lines.py        the lines of an operation or a walk that wrote its numbers; sent with application.py, and arrays.py or walks.py
arrays.py       every operation of arrays on leaves of chosen shapes; sent with application.py, for lines also with lines.py
naming.py       the names that a student's objects have
recording.py    events of nodes in student code: calls of `_backward`, changes of gradients
walks.py        walks over graphs, recorded; sent together with recording.py
trace.py        one test, recorded: its graph and its walks; sent together with recording.py

They have the course's names of attributes and methods. `renames` replaces them by the names of another engine: pairs of
the course's name and the engine's (`grader/autograd/engine.py`).
"""

from __future__ import annotations

import base64
import functools
import marshal
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from grader.autograd.engine import engine_of
from grader.sandbox import Proxy, Sandbox
from grader.sandbox.proxy import handle_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


Renames = tuple[tuple[str, str], ...]


@functools.cache
def source(*names: str, renames: Renames = ()) -> str:
    """Return the text of these files, in this order, as one."""
    return "\n".join(_rename_attributes(_text(name), renames) if renames else _text(name) for name in names)


def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")


@functools.cache
def compile_files(*names: str, renames: Renames = ()) -> str:
    """Return the compiled code of these files as a text, for a jail of the same Python.

    Compiling the files takes longer than running them; Python caches their code like any module's.
    """
    return "\n".join(["import binascii, marshal", *(_exec_statement(name, renames) for name in names)])


@functools.cache
def _exec_statement(name: str, renames: Renames) -> str:
    code = (
        compile(_rename_attributes(_text(name), renames), "<helper>", "exec", dont_inherit=True)
        if renames
        else SourceFileLoader(name, str(Path(__file__).with_name(f"{name}.py"))).get_code(name)
    )
    assert code is not None
    text = base64.b64encode(marshal.dumps(_nameless(code))).decode()
    return f"exec(marshal.loads(binascii.a2b_base64('{text}')))"


def _nameless(code: CodeType) -> CodeType:
    """Return code without the name of its file, in which functions have plain names, as in the jail."""
    constants = (_nameless(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename="<helper>", co_qualname=code.co_name, co_consts=tuple(constants))


def helper(sandbox: Sandbox, files: Sequence[str], name: str) -> Callable[..., Any]:
    """Return a function that calls a function of these files in the jail.

    Raises StudentError, SubmissionStopped, and TypeError if the jail has no such function.
    """
    found = sandbox.helper(compile_files(*files, renames=engine_of(sandbox).renames), name)
    if not isinstance(found, Proxy):
        raise TypeError(name)
    handle = handle_of(found).id
    return lambda *args: sandbox.ask("call", name, h=handle, args=[*map(sandbox.encode, args)], kw={})


# --- The names of another engine

# The text before a name to replace: an attribute, a method, a setter, a text with an attribute for getattr or hasattr, or a
# text that is only such a name. A text in a comparison is not a node's, and `backward` is also a text of our own.
_BEFORE = (
    r"\."
    r"|\bdef (?=\w+\(self\b)"
    r"|@(?=\w+\.setter\b)"
    r'|\b(?:get|has)attr\([^"\n]*"(?=(?:{asked})")'
    r'|(?<![!=]= )"(?=(?!backward")(?:{asked})"(?! [!=]=))'
)


def _rename_attributes(text: str, renames: Renames) -> str:
    """Return the text of a file with other names of nodes; the rest, and every line break, is unchanged.

    An attribute of our own classes with the engine's name gets another name.
    """
    asked = dict(renames)
    names = {name: f"{name}_of_ours" for name in _own_attributes() & {*asked.values()}} | asked
    before = _BEFORE.format(asked="|".join(asked))
    pattern = re.compile(f"({before})({'|'.join(names)})\\b")

    def put(found: re.Match[str]) -> str:
        return (
            pattern.sub(put, found[1]) + names[found[2]]
        )  # getattr(node.grad, "data"): one stands in the other

    return pattern.sub(put, text)


@functools.cache
def _own_attributes() -> frozenset[str]:
    """Return the names of attributes and methods of the classes in these files."""
    texts = (_text(path.stem) for path in Path(__file__).parent.glob("*.py"))
    return frozenset(
        name for text in texts for name in re.findall(r"\b(?:self\.|def (?=\w+\(self\b))(\w+)", text)
    )
