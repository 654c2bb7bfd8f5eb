"""Notebooks that no Jupyter writes: those that are read, for their honest cell counts, and those that are not.

Each is a function that makes the file, for some are large.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from escapes.ground import HONEST

Make = Callable[[], bytes]
DEEP = 10**5


def cell(source: str = json.dumps(HONEST), more: str = "", kind: str = '"code"') -> str:
    """A cell as JSON; what stands in `more` is written last, and so wins over what stands before."""
    return f'{{"cell_type": {kind}, "metadata": {{}}, "outputs": [], "source": {source}{more}}}'


def notebook(*cells: str, more: str = "", nbformat: str = "4", text: str = "") -> bytes:
    """A notebook as JSON; `text` stands in the place of all the cells."""
    listed = text or f"[{', '.join(cells)}]"
    written = f'{{"nbformat": {nbformat}, "nbformat_minor": 5, "metadata": {{}}, "cells": {listed}{more}}}'
    return written.encode()


def many(item: str, count: int) -> str:
    """A list as JSON."""
    return f"[{f'{item},' * (count - 1)}{item}]"


def old(*cells: str, nbformat: str = "3") -> bytes:
    """A notebook as IPython wrote it before 2015."""
    sheet = f'{{"metadata": {{}}, "cells": [{", ".join(cells)}]}}'
    return f'{{"nbformat": {nbformat}, "metadata": {{"name": ""}}, "worksheets": [{sheet}]}}'.encode()


H = cell()
READ: dict[str, Make] = {
    "no ids": lambda: notebook(H),
    "the same id twice": lambda: notebook(cell('"x = 1"', ', "id": "a"'), cell(more=', "id": "a"')),
    "an id that is no text": lambda: notebook(cell(more=', "id": [{"id": null}]')),
    "an id of a megabyte": lambda: notebook(cell(more=f', "id": "{"x" * 10**6}"')),
    "an id with commands": lambda: notebook(cell(more=r', "id": "\u001b[2J\n::error::x"')),
    "no metadata": lambda: notebook(cell(more=', "metadata": null')),
    "metadata of every kind": lambda: notebook(cell(more=', "metadata": {"a": 1, "b": [{}], "": null}')),
    "metadata as deep as it goes": lambda: notebook(H, more=f', "x": {"[" * 900}{"]" * 900}'),
    "ten thousand tags": lambda: notebook(cell(more=f', "metadata": {{"tags": {many("1", 10**4)}}}')),
    "a hundred thousand digits": lambda: notebook(H, more=f', "metadata": {{"x": {"9" * DEEP}}}'),
    "a hundred thousand decimals": lambda: notebook(H, more=f', "metadata": {{"x": 0.{"9" * DEEP}}}'),
    "a number beyond every float": lambda: notebook(H, more=', "metadata": {"x": 1e999}'),
    "outputs of no kind": lambda: notebook(cell(more=', "outputs": {"a": 1}, "execution_count": []')),
    "half a million outputs": lambda: notebook(cell(more=f', "outputs": {many("{}", 500_000)}')),
    "attachments": lambda: notebook(cell('"x"', ', "attachments": {"a": 5}', '"markdown"'), H),
    "a text that is none": lambda: notebook(cell('{"x": [5]}', kind='"markdown"'), H),
    "cells of unknown kinds": lambda: notebook(cell('"x"', kind='"CODE"'), cell('"x"', kind='""'), H),
    "two thousand cells": lambda: notebook(*[cell('"x = 1"')] * 1_999, H),
    "a source of a million pieces": lambda: notebook(cell(many('"#"', 10**6)), H),
    "cells twice": lambda: notebook(cell('"x = ("'), more=f', "cells": [{H}]'),
    "a kind twice": lambda: notebook(cell(more=', "cell_type": "code"', kind='"markdown"')),
    "bytes that are no text": lambda: notebook(cell("\"x = '~'\""), H).replace(b"~", b"\xff\xfe"),
    "escapes in the keys": lambda: notebook(H).replace(b"source", rb"sour\u0063e"),
    "a null byte": lambda: notebook(cell(r'"x = 1\u0000"'), H),
    "controls": lambda: notebook(cell(r'"raise ValueError(\"\u001b[2J\\n::error::x\")"'), H),
    "marks of direction": lambda: notebook(cell(r'"x = \"\u202e\u2066\"; raise ValueError(x)"'), H),
    "UTF-16": lambda: notebook(H).decode().encode("utf-16"),
    "UTF-32": lambda: notebook(H).decode().encode("utf-32"),
    "half a character": lambda: notebook(cell(r'"x = \"\ud800\""'), H),
    "the other half": lambda: notebook(cell(r'"x = \"\udfff and more\""'), H),
    "no number": lambda: notebook(H, more=', "x": NaN'),
    "no end": lambda: notebook(H, more=', "x": -Infinity'),
    "keys that collide": lambda: notebook(H, more="".join(f', "{i}": 1' for i in range(10**5))),
}

DAMAGED, OTHER = "this file cannot be read as JSON", "this is not a notebook of the format"
OLD = "this notebook has the old format nbformat"
EMPTY, MUCH = "the file is empty", "the file has more than 2000 cells"
REFUSED: dict[str, tuple[Make, str]] = {
    "nothing": (lambda: b"", EMPTY),
    "blanks": (lambda: b" \r\n\t" * 10**6, EMPTY),
    "cut off": (lambda: notebook(H)[:-3], "the notebook ends in the middle"),
    "a zip": (lambda: b"PK\x03\x04\x14\0\0\0\x08\0" * 100, DAMAGED),
    "a program": (lambda: b"\x7fELF\x02\x01\x01\0" * 100, DAMAGED),
    "a null byte after it": (lambda: notebook(H) + b"\0", DAMAGED),
    "deep lists": (lambda: notebook(H, more=f', "x": {"[" * DEEP}{"]" * DEEP}'), DAMAGED),
    "deep tables": (lambda: b'{"nbformat":' * DEEP, OTHER),
    "deep tables elsewhere": (lambda: b'{"x":' * DEEP, DAMAGED),
    "lists that do not end": (lambda: b"[" * DEEP, OTHER),
    **{
        f"format {number}": (lambda number=number: notebook(H, nbformat=number), OTHER)
        for number in (
            "0",
            "5",
            "4.0",
            "4.99",
            "999",
            "-1",
            '"4"',
            "1e999",
            "null",
            "true",
            "[4]",
        )
    },
    "a format of many digits": (lambda: notebook(H, nbformat="4" * DEEP), OTHER),
    **{f"format {n}": (lambda n=n: notebook(H, nbformat=n), f"{OLD} {n}") for n in ("1", "2", "3")},
    "a new one within an old one": (lambda: old(nbformat='3, "nbformat": 4'), OTHER),
    "wild worksheets": (lambda: b'{"nbformat": 3, "worksheets": [5]}', OLD),
    **{
        f"cells that are {wild}": (lambda wild=wild: notebook(text=wild), OTHER)
        for wild in ("null", "5", '"x"', "{}", "[5]", "[null]", "[[]]", "[{}]", '[{"cell_type": 5}]')
    },
    **{
        f"a source that is {wild}": (lambda wild=wild: notebook(cell(wild)), OTHER)
        for wild in ("null", "5", "true", "{}", '[["x = 1"], ["y = 2"]]', "[5]", '["x", null]')
    },
    **{
        f"metadata that is {wild}": (lambda wild=wild: notebook(cell(more=f', "metadata": {wild}')), OTHER)
        for wild in ("5", "[]", '"x"', '{"tags": "verify"}', '{"tags": {"verify": 1}}', '{"tags": [5]}')
    },
    "metadata of another kind": (lambda: notebook(H, more=', "metadata": 5'), OTHER),
    "an assignment of another kind": (
        lambda: notebook(H, more=', "metadata": {"backgrade": {"assignment": []}}'),
        OTHER,
    ),
    "2,001 cells": (lambda: notebook(*[cell('"x"')] * 2_001), MUCH),
    "2,001 empty cells": (lambda: notebook(*['{"cell_type": ""}'] * 2_001), MUCH),
    "a million cells": (lambda: notebook(text=many('{"cell_type":"code","source":"x"}', 10**6)), MUCH),
    "a million old cells": (lambda: old(*['{"cell_type":"code","input":"x"}'] * 10**6), OLD),
    "a million cells that are none": (lambda: notebook(text=many("{}", 10**6)), OTHER),
    "a long source": (lambda: notebook(cell(f'"{"x" * (1 << 21)}"')), MUCH),
    "long sources": (lambda: notebook(*[cell(f'"{"x" * 1_000_000}"')] * 50), MUCH),
    "a source of many pieces": (lambda: notebook(cell(many('"x"', 1 << 22))), MUCH),
}
