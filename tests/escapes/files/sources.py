"""Python files that nobody writes: cells that cost themselves alone, files that are read, and those that are not.

Each is a function that makes it, for some are large.
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable

from escapes.ground import HONEST

MANY = 10**5
MEGABYTE = 900_000  # below the limit on a file's code


# A cell that keeps the compiler busy for long.
SLOW = f"def f():\n g({', '.join(f'a{i}=1' for i in range(60_000))})"


def nested(line: str, depth: int) -> str:
    return "".join(" " * i + line + "\n" for i in range(depth)) + " " * depth + "pass"


# --- A cell between honest ones, and what is told of it besides the honest ones' points

CELLS: dict[str, tuple[Callable[[], str], str]] = {
    "parentheses": (lambda: "x = " + "(" * MANY + ")" * MANY, "SyntaxError"),
    "blanks": (lambda: f"if 1:\n{' ' * MEGABYTE}x = 1", ""),
    "lines that almost bind": (lambda: "a:\n" * 200_000, "SyntaxError"),
    "brackets that stay open": (lambda: "[" * MANY, "SyntaxError"),
    "signs": (lambda: "x = " + "-" * MANY + "1", "Error"),
    "nots": (lambda: "x = " + "not " * MANY + "1", "Error"),
    "lambdas": (lambda: "x = " + "lambda: " * MANY + "1", "Error"),
    "conditions": (lambda: "x = " + "1 if 0 else " * 50_000 + "1", "Error"),
    "attributes": (lambda: "x = y" + ".a" * MANY, "Error"),
    "calls": (lambda: "x = y" + "()" * 50_000, "Error"),
    "sums": (lambda: "x = 1" + "+1" * MANY, "Error"),
    "powers": (lambda: "x = 1" + "**1" * MANY, "Error"),
    "comparisons": (lambda: "x = 1" + "<2" * 20_000, ""),
    "else ifs": (lambda: "if 0: pass\n" + "elif 0: pass\n" * 60_000, "Error"),
    "decorators": (lambda: "@a\n" * 50_000 + "def f(): pass", "NameError"),
    "functions": (lambda: nested("def f():", 200), "IndentationError"),
    "conditions in conditions": (lambda: nested("if 1:", 200), "IndentationError"),
    "loops": (lambda: nested("for i in []:", 99), "SyntaxError"),
    "classes": (lambda: nested("class A:", 99), ""),
    "one comprehension": (lambda: "x = [1 for a in [1]" + " if 1" * 20_000 + "]", ""),
    "patterns": (lambda: "match 1:\n" + "".join(f" case {i}: pass\n" for i in range(5_000)), ""),
    "patterns in patterns": (lambda: f"match 1:\n case {'[' * MANY}{']' * MANY}: pass", "SyntaxError"),
    "fields of a text": (lambda: f"x = f'{'{1}' * 5_000}'", ""),
    "texts in a text": (lambda: "x = f'{1:{1:{1:{1}}}}'", "SyntaxError"),
    "a long text": (lambda: f"x = '{'a' * MEGABYTE}'", ""),
    "a long text of escapes": (lambda: "x = '" + r"\N{BULLET}" * 80_000 + "'", ""),
    "a long number": (lambda: "x = " + "9" * MEGABYTE, "SyntaxError"),
    "a longer number": (lambda: "x = 0x" + "f" * MEGABYTE, ""),
    "a number that is computed at once": (lambda: "x = 1 << 10**10", "MemoryError"),
    "a text that is made at once": (lambda: "x = '%1000000000d' % 1", "MemoryError"),
    "a long name": (lambda: "a" * MEGABYTE + " = 1", ""),
    "a long line": (lambda: "x = [" + "1," * 50_000 + "]", ""),
    "a million lines": (lambda: "\n" * MEGABYTE, ""),
    "lines that go on": (lambda: "\\\n" * 400_000 + "x = 1", ""),
    "many names": (lambda: "\n".join(f"a{i} = 1" for i in range(10_000)), ""),
    "many parameters": (lambda: f"def f({', '.join(f'a{i}' for i in range(50_000))}): pass", ""),
    "a late future": (lambda: "x = 1\nfrom __future__ import annotations", "SyntaxError"),
    "the future of others": (lambda: "from __future__ import annotations, barry_as_FLUFL", ""),
    "tabs and blanks": (lambda: "if 1:\n\tx = 1\n        y = 2", "TabError"),
    "form feeds": (lambda: "if 1:\n \f x = 1\n  y = 2", "IndentationError"),
    "a null byte": (lambda: "x = '\0'", "null bytes"),
    "lookalikes": (lambda: "\u0430 = 1\nprint(a)", "NameError"),
    "other forms of letters": (lambda: "\uff45\uff58\uff45\uff43('raise ValueError')", "ValueError"),
    "invisible letters": (lambda: "x\u200b = 1", "SyntaxError"),
    "marks of direction": (lambda: "x = 1 # \u202e\u2066\n1 / 0 # \u202e", "ZeroDivisionError"),
    "half a character": (lambda: "raise ValueError('\\ud800')", "ValueError"),
    "controls": (lambda: "raise ValueError('\x1b[2J\x07\x9b')", "ValueError"),
    "commands": (lambda: "raise ValueError('x\\n::error::y\\r##[error]z')", "ValueError"),
    "magics": (lambda: "%" * MANY + "\n" + "!" * MANY + "\n" + "a." * MANY + "?", ""),
}  # fmt: skip

# --- Whole files that are read


def encoded(name: str, text: str = HONEST) -> bytes:
    return f"# coding: {name}\n{text}".encode(name)


FILES: dict[str, Callable[[], bytes]] = {
    "Latin-1": lambda: encoded("latin-1", f"x = 'é'\n{HONEST}"),
    "a page of MS-DOS": lambda: encoded("cp437", f"x = 'é'\n{HONEST}"),
    "Japanese": lambda: encoded("shift_jis", f"x = 'ア'\n{HONEST}"),
    "UTF-7": lambda: f"# coding: utf-7\n{HONEST}".replace("=", "+AD0-").encode(),
    "a mark of byte order": lambda: b"\xef\xbb\xbf# coding: latin-1\n" + HONEST.encode(),
    "an encoding in a text": lambda: b'"""\n# coding: hex\n"""\n' + HONEST.encode(),
    "an encoding in the third line": lambda: b"\n\n# coding: hex\n" + HONEST.encode(),
    "ends of lines of an old Mac": lambda: HONEST.replace("\n", "\r").encode(),
    "all ends of lines": lambda: b"# %%\r\n\r\r\n# %%\r" + HONEST.encode(),
    "two thousand cells": lambda: b"# %%\nx = 1\n" * 1_999 + b"# %%\n" + HONEST.encode(),
    "tags that do not end": lambda: b"# %% " + b"tags=[" * 150_000 + b"\n" + HONEST.encode(),
    "blanks after tags": lambda: b"# %% tags" + b" " * MEGABYTE + b"\n" + HONEST.encode(),
    "many tags": lambda: b"# %% tags=[" + b"," * MEGABYTE + b"]\n" + HONEST.encode(),
    "blanks in a marker": lambda: (b"#" + b" " * 1_000 + b"\n") * 900 + HONEST.encode(),
    "encodings that are none": lambda: b"#" + b"coding" * 150_000 + b"\n" + HONEST.encode(),
    "every control but one": lambda: ("# " + "".join(map(chr, {*range(1, 32)} - {10, 13})) + "\n").encode() + HONEST.encode(),
    "four bytes a character": lambda: ("#" + "\U0001f600" * MEGABYTE + "\n" + HONEST).encode(),
}  # fmt: skip

# --- And those that are not

NO_TEXT, MUCH = "the text is not in the encoding ", "the file has more than 2000 cells"
NO_CODECS = (
    "unknown", "hex", "zlib", "bz2", "base64", "uu", "quopri", "rot13", "undefined", "mbcs", "oem", "idna", "punycode",
    "unicode_escape", "raw-unicode-escape", "Unicode-Escape", "aliases", "__init__", "encodings.utf_8", "os", "..", "-",
)  # fmt: skip
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    **{f"in {name}": (lambda name=name: f"# coding: {name}\n".encode(), f"{NO_TEXT}`{name}`;") for name in NO_CODECS},
    "a zip bomb": (lambda: b"# coding: zlib\n" + zlib.compress(bytes(10**7)), f"{NO_TEXT}`zlib`"),
    "another": (lambda: b"# coding: bz2\n" + bz2.compress(bytes(10**7)), f"{NO_TEXT}`bz2`"),
    "a square of its length": (lambda: b"# coding: punycode\n" + b"a" * 10**6, f"{NO_TEXT}`punycode`"),
    "an encoding of a megabyte": (lambda: b"# coding: " + b"x" * 10**6, f"{NO_TEXT}`{'x' * 60}`;"),
    "half a character": (lambda: b"# coding: utf-7\nx = '+2AA-'\n", f"{NO_TEXT}`utf-7`"),
    "half a character of UTF-8": (lambda: b"x = '\xed\xa0\x80'\n", f"{NO_TEXT}`utf-8`"),
    "one byte too many": (lambda: b"x = 1 # \xff\n", f"{NO_TEXT}`utf-8`"),
    "a program": (lambda: b"\x7fELF\x02\x01\x01\0\xff" * 100, f"{NO_TEXT}`utf-8`"),
    "a million cells": (lambda: b"# %%\n" * 800_000, MUCH),
    "2,001 cells": (lambda: b"# %%\nx = 1\n" * 2_001, MUCH),
    "too many lines": (lambda: b"\n" * (5 << 20), MUCH),
    "null bytes": (lambda: bytes(2 << 20), MUCH),
    "a long line": (lambda: b"x" * (2 << 20), MUCH),
}  # fmt: skip
