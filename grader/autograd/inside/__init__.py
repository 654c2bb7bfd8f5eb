"""Source files that the grader sends into the jail, where they run beside student code. They report and never judge.

nodes.py        plain nodes for checks, which log the calls of their `_backward`
holding.py      what the student's nodes hold, and the right order of calls over them
pairs.py        the slopes that an expression keeps for its leaves
own.py          nodes of the student's class for checks; sent with nodes.py and holding.py
handing.py      what a result hands on to what it was made from; sent with holding.py
sorting.py      a right `build_topo`, handed to a `backward`; sent with nodes.py and holding.py
application.py  one operation, applied to leaves: forward, backward, and what changed
trials.py       every operation at many points; sent together with application.py
arrays.py       every operation of arrays on leaves of chosen shapes
naming.py       the names that a student's objects have
recording.py    what student code does to nodes: calls of `_backward`, changes of gradients
walks.py        walks over graphs, recorded; sent together with recording.py
trace.py        one test, recorded: its graph and its walks; sent together with recording.py
"""

from __future__ import annotations

import functools
import marshal
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType


@functools.cache
def source(*names: str) -> str:
    """Return the text of these files, in this order, as one."""
    return "\n".join(Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in names)


@functools.cache
def compiled(*names: str) -> str:
    """Return a text that does what `source` does, in a jail of the same Python.

    Compiling the files takes longer than all that they do; Python keeps their code as it keeps that of any module.
    """
    codes = [marshal.dumps(_renamed(_code(name))).hex() for name in names]
    return "import marshal\n" + "\n".join(f"exec(marshal.loads(bytes.fromhex('{code}')))" for code in codes)


def _code(name: str) -> CodeType:
    path = str(Path(__file__).with_name(f"{name}.py"))
    code = SourceFileLoader(name, path).get_code(name)
    assert code is not None
    return code


def _renamed(code: CodeType) -> CodeType:
    """Return code that does not know its file."""
    constants = (_renamed(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename="<helper>", co_consts=tuple(constants))
