"""Source files that the grader sends into the jail, where they run beside student code. They report and never judge.

nodes.py        plain nodes for checks, which log the calls of their `_backward`
holding.py      what the student's nodes hold, and the right order of calls over them
pairs.py        the slopes that an expression keeps for its leaves
own.py          nodes of the student's class for checks; sent with nodes.py and holding.py
handing.py      what a result hands on to what it was made from; sent with holding.py
sorting.py      a right `build_topo`, for tests of what uses it; sent with holding.py
standins.py     a right `unbroadcast` and `log_softmax`, for tests of what uses them
application.py  one operation, applied to leaves: forward, backward, and what changed
trials.py       every operation at many points; sent together with application.py
lines.py        which lines of an operation wrote its numbers, or of a walk; sent with application.py, and arrays.py or walks.py
arrays.py       every operation of arrays on leaves of chosen shapes; sent with application.py, for lines also with lines.py
naming.py       the names that a student's objects have
recording.py    what student code does to nodes: calls of `_backward`, changes of gradients
walks.py        walks over graphs, recorded; sent together with recording.py
trace.py        one test, recorded: its graph and its walks; sent together with recording.py

They have the course's names of attributes and methods. `renames` puts those of another engine in their place: pairs of
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
    return "\n".join(_renamed(_text(name), renames) if renames else _text(name) for name in names)


def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")


@functools.cache
def compiled(*names: str, renames: Renames = ()) -> str:
    """Return a text that does what `source` does, in a jail of the same Python.

    Compiling the files takes longer than all that they do; Python keeps their code as it keeps that of any module.
    """
    return "\n".join(["import binascii, marshal", *(_executed(name, renames) for name in names)])


@functools.cache
def _executed(name: str, renames: Renames) -> str:
    code = (
        compile(_renamed(_text(name), renames), "<helper>", "exec", dont_inherit=True)
        if renames
        else SourceFileLoader(name, str(Path(__file__).with_name(f"{name}.py"))).get_code(name)
    )
    assert code is not None
    text = base64.b64encode(marshal.dumps(_nameless(code))).decode()
    return f"exec(marshal.loads(binascii.a2b_base64('{text}')))"


def _nameless(code: CodeType) -> CodeType:
    """Return code that does not know its file, and whose functions have plain names, as in the jail."""
    constants = (_nameless(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename="<helper>", co_qualname=code.co_name, co_consts=tuple(constants))


def helper(sandbox: Sandbox, files: Sequence[str], name: str) -> Callable[..., Any]:
    """Return a function of these files in the jail; it is asked when that is called.

    Raises StudentError, SubmissionStopped, and TypeError where the jail gives none.
    """
    found = sandbox.helper(compiled(*files, renames=engine_of(sandbox).renames), name)
    if not isinstance(found, Proxy):
        raise TypeError(name)
    handle = handle_of(found).id
    return lambda *args: sandbox.ask("call", name, h=handle, args=[*map(sandbox.encode, args)], kw={})


# --- The names of another engine

# What stands before a name that another engine has: of an attribute, of a method, of a setter; of a text that asks for an
# attribute, or that is nothing but such a name. A text that is compared is none of a node's, and `backward` is a text of
# our own, too.
_BEFORE = (
    r"\."
    r"|\bdef (?=\w+\(self\b)"
    r"|@(?=\w+\.setter\b)"
    r'|\b(?:get|has)attr\([^"\n]*"(?=(?:{asked})")'
    r'|(?<![!=]= )"(?=(?!backward")(?:{asked})"(?! [!=]=))'
)


def _renamed(text: str, renames: Renames) -> str:
    """Return the text of a file in which nodes have other names; all else, and every line, stays as it is.

    An attribute of our own classes that has the engine's name gets another one.
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
