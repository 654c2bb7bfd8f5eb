"""Mistakes are edits of the reference: read as data, made exactly once, refused with the place and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring.mistakes import Mistake, apply_mistake, read_mistakes
from grader.errors import Broken
from grader.submissions.submission import Block

ENTRY = """\
Mistake(
    "double_squares",
    "The number is multiplied "
    "by itself.",
    edits={"return x + x": "return x * x"},
    fails="double box",
)
"""


class Day:
    """An assignment of which only the mistakes are asked for."""

    def __init__(self, folder: Path, **files: str) -> None:
        self.solutions = folder
        for name, text in files.items():
            path = folder / "mistakes" / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


def read(folder: Path, **files: str) -> list[Mistake]:
    """The mistakes in these files."""
    return read_mistakes(Day(folder, **files))


def refused(folder: Path, text: str) -> str:
    """Return the message of the refusal, without the folder."""
    with pytest.raises(Broken) as caught:
        read(folder, subject=text)
    return str(caught.value).removeprefix(f"{folder / 'mistakes'}/")


# --- Reading


def test_an_entry(tmp_path: Path, snapshot) -> None:
    """A name, words in one line, the edits, the checks that it fails, and where it stands."""
    (mistake,) = read(tmp_path, doubling=ENTRY)
    assert mistake == snapshot
    assert read(tmp_path, doubling=ENTRY.replace("double box", "double, box")) == [mistake]


def test_several_entries_in_several_files(tmp_path: Path) -> None:
    """A docstring and comments are the author's own; files come by name, entries in their order."""
    second = ENTRY.replace("double_squares", "a_second")
    found = read(
        tmp_path,
        doubling=f'"""On doubling."""\n\n# a remark\n{ENTRY}\n{second}',
        boxes=ENTRY.replace("double_", "box_"),
    )
    assert [mistake.name for mistake in found] == ["box_squares", "double_squares", "a_second"]


def test_no_mistakes(tmp_path: Path) -> None:
    """An assignment need not have any."""
    assert read(tmp_path) == []
    assert read(tmp_path, nothing="# to come\n") == []


def test_nothing_is_executed(tmp_path: Path, snapshot) -> None:
    """A file of mistakes is data: an entry that computes its words is refused and has no effect."""
    marker = tmp_path / "executed"
    text = ENTRY.replace('"by itself."', f'+ str(open({str(marker)!r}, "w"))')
    assert refused(tmp_path, text) == snapshot
    assert not marker.exists()


TROUBLE = {
    "no Python": ("Mistake(", "line 1: SyntaxError: '(' was never closed; correct this line"),
    "another statement": (
        "import math\n",
        'line 1: this file may hold only mistakes; write `Mistake("name", "words", edits={"old": "new"}, fails="check")`',
    ),
    "an earlier format": (
        '"""Words."""\n# fails: double\n\n\ndef double(x):\n    return x\n',
        'line 5: this file may hold only mistakes; write `Mistake("name", "words", edits={"old": "new"}, fails="check")`',
    ),
    "another call": (
        "mistake()",
        'line 1: this file may hold only mistakes; write `Mistake("name", "words", edits={"old": "new"}, fails="check")`',
    ),
    "an unknown field": (
        ENTRY.replace("edits=", "edit="),
        "line 5: this mistake has the unknown key `edit` (did you mean `edits`?); give `name`, `words`, `edits` and `fails`",
    ),
    "a field unpacked": (
        ENTRY.replace("fails=", "**"),
        "line 6: this mistake has the unknown key `**`; give `name`, `words`, `edits` and `fails`",
    ),
    "a field twice": (
        ENTRY.replace("edits=", 'name="x", edits='),
        "line 5: `name` is given twice; remove one",
    ),
    "a missing field": (
        ENTRY.replace('    fails="double box",\n', ""),
        "line 1: this mistake has no `fails`; give `name`, `words`, `edits` and `fails`",
    ),
    "too many values": (
        ENTRY.replace("edits=", '"x", "y", "z", edits='),
        "line 1: this mistake has more than 4 values; give `name`, `words`, `edits` and `fails`",
    ),
    "a name with a space": (
        ENTRY.replace("double_squares", "it squares"),
        "line 2: 'it squares' cannot name a mistake; use lower-case letters, digits and `_`, and begin with a letter",
    ),
    "no words": (
        ENTRY.replace("The number is multiplied ", " ").replace("by itself.", ""),
        "line 3: `double_squares` has no words; write the sentence for students who make this mistake",
    ),
    "no check": (
        ENTRY.replace("double box", " "),
        "line 6: `double_squares` fails no check; name the checks that this mistake fails",
    ),
    "a name for the edits": (
        ENTRY.replace('{"return x + x": "return x * x"}', "EDITS"),
        'line 5: `edits` must be a dictionary of texts, or a list of such dictionaries; write {"old text": "new text"}',
    ),
    "no edits": (
        ENTRY.replace('{"return x + x": "return x * x"}', "{}"),
        'line 5: `edits` must be a dictionary of texts, or a list of such dictionaries; write {"old text": "new text"}',
    ),
    "an f-string": (
        ENTRY.replace('"return x * x"', 'f"return x * x"'),
        "line 5: a new text must be a text in quotes, because this file is read and not executed",
    ),
    "edits unpacked": (
        ENTRY.replace('{"return', '{**EDITS, "return'),
        "line 5: an old text must be a text in quotes, because this file is read and not executed",
    ),
    "an edit that changes nothing": (
        ENTRY.replace("x * x", "x + x"),
        "line 5: `double_squares` has an edit that changes nothing or is there twice; "
        "give each old text once, with its new text",
    ),
    "an edit of nothing": (
        ENTRY.replace('"return x + x"', '"\\n"'),
        "line 5: `double_squares` has an edit that changes nothing or is there twice; "
        "give each old text once, with its new text",
    ),
    "a name twice": (
        ENTRY + ENTRY,
        "line 8: the mistake `double_squares` has the same name as another in subject.py, line 1; rename one of them",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TROUBLE)
def test_what_is_no_entry(tmp_path: Path, case: str) -> None:
    """The message has the file, the line, what is wrong there and the remedy."""
    text, message = TROUBLE[case]
    assert refused(tmp_path, text) == f"subject.py, {message}"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    """A file in another encoding is named."""
    Day(tmp_path, subject="")
    (tmp_path / "mistakes/subject.py").write_bytes(b"# caf\xe9\n")
    with pytest.raises(Broken, match=r"subject.py: this is not text in UTF-8; save it as UTF-8"):
        read_mistakes(Day(tmp_path))


# --- Applying

BLOCKS = [
    Block("day1.py", None, 3, "def double(x):\n    return x + x\n"),
    Block("day2.py", None, 3, "def twice(x):\n    return double(x)\n\n\nzero = 0\n"),
]


def mistake(edits: dict[str, str]) -> Mistake:
    """A mistake of these edits."""
    return Mistake("it_fails", "Words.", (edits,), ("double",), Path("m.py"), 7)


def test_an_edit_stands_in_the_place_of_the_old_text() -> None:
    """Only the block that holds it changes; its place stays."""
    first, second = apply_mistake(BLOCKS, mistake({"x + x": "x * x"}))
    assert first.source == "def double(x):\n    return x * x\n"
    assert first.location(2) == "day1.py, line 4"
    assert second is BLOCKS[1]


def test_two_ways_to_make_a_mistake(tmp_path: Path) -> None:
    """A list of edits has one mistake in several places, each of them alone."""
    text = ENTRY.replace('{"return x + x": "return x * x"}', '[{"x + x": "x * x"}, {"zero = 0": "zero = 1"}]')
    (made,) = read(tmp_path, doubling=text)
    assert [apply_mistake(BLOCKS, made, way)[1].source for way in (0, 1)] == [
        BLOCKS[1].source,
        BLOCKS[1].source.replace("0", "1"),
    ]


def test_several_edits_in_several_days() -> None:
    """Each is made where its text stands."""
    edited = apply_mistake(BLOCKS, mistake({"x + x": "x", "zero = 0\n": ""}))
    assert [block.source for block in edited] == [
        "def double(x):\n    return x\n",
        "def twice(x):\n    return double(x)\n\n\n",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "return x - x",
            "",
            "replaces 'return x - x', which occurs nowhere in the code of the reference; "
            "copy the text from the reference, spaces included",
        ),
        (
            "x):\n",
            "y):\n",
            "replaces 'x):', which occurs 2 times in day1.py, day2.py; add the lines around it",
        ),
        (
            "    return x + x\n",
            "\n",
            "writes nothing in place of 'return x + x', and then '' is not valid Python (expected an indented block after "
            "function definition on line 1); correct the edit",
        ),
        (
            "    return x + x\n",
            "    y = (\n    return y\n",
            "writes 'y = ( ...' in place of 'return x + x', and then 'y = (' is not valid Python ('(' was never closed); "
            "correct the edit",
        ),
    ],
)
def test_an_edit_that_cannot_be_made(old: str, new: str, message: str) -> None:
    """The message has the file, the line, the mistake and the remedy."""
    with pytest.raises(Broken) as caught:
        apply_mistake(BLOCKS, mistake({old: new}))
    assert str(caught.value) == f"m.py, line 7: the mistake `it_fails` {message}"
