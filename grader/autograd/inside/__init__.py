"""Source files that the grader sends into the jail, where they run beside student code. They report and never judge.

nodes.py        plain nodes for checks, which log the calls of their `_backward`
application.py  one operation, applied to leaves: forward, backward, and what changed
trials.py       every operation at many points; sent together with application.py
walks.py        walks over graphs, recorded call by call
"""

from __future__ import annotations

import functools
import marshal
from pathlib import Path


@functools.cache
def source(*names: str) -> str:
    """Return the text of these files, in this order, as one."""
    return "\n".join(Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in names)


@functools.cache
def compiled(*names: str) -> str:
    """Return a text that does what `source` does, in a jail of the same Python.

    Compiling the files takes longer than all that they do, and each load of a submission would do it again.
    """
    code = marshal.dumps(compile(source(*names), "<helper>", "exec", dont_inherit=True, optimize=2))
    return f"import marshal\nexec(marshal.loads(bytes.fromhex('{code.hex()}')))"
