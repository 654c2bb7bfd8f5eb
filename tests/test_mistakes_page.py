"""The page of known mistakes: made from the files, whole, and readable as Markdown."""

import pytest
from helpers import COURSE, grade
from markdown_it import MarkdownIt

from grader.assignment import Course
from grader.course import Mistake, read_mistakes
from grader.mistakes import in_table, mistakes_page, table

ALL = [Course.find(COURSE).assignment(name) for name in Course.find(COURSE).names]


def rows(page):
    """The cells of every table's rows, as a reader of the rendered page sees them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    body = [token.children for token in tokens if token.type == "inline" and token.level == 4]
    cells = ["".join(part.content for part in parts) for parts in body]
    found = [tuple(cells[i : i + 3]) for i in range(0, len(cells), 3)]
    return [row for row in found if row[0] != "Mistake"]


def mistake(name, words="Words.", fails=("quiz",), same_as=None):
    return Mistake(name, COURSE, words, fails, same_as, "")


def test_the_page_in_docs_is_up_to_date():
    """A new mistake, or new words of an old one, are on the page."""
    path = COURSE / "docs" / "mistakes.md"

    same = path.read_text(encoding="utf-8") == mistakes_page(ALL)
    assert same, "docs/mistakes.md is not up to date; run `grade mistakes --output docs/mistakes.md`"


@pytest.mark.parametrize("assignment", ALL, ids=lambda assignment: assignment.name)
def test_every_mistake_has_a_row_with_its_words_and_its_checks(assignment):
    """Rendered, the words are those of the file, whatever signs stand in them."""
    found = {row[0].split(",")[0]: row[1:] for row in rows(mistakes_page([assignment]))}

    wanted = {m.id: (m.words.replace("`", ""), ", ".join(m.fails)) for m in read_mistakes(assignment)}
    assert found == wanted


def test_a_mistake_that_reads_as_another_stands_below_it():
    """The order of the names gives way."""
    page = table([mistake("a", same_as="z"), mistake("m"), mistake("z")])

    assert [row[0] for row in rows(page)] == ["m", "z", "a, reads as z"]


@pytest.mark.parametrize(
    ("words", "cell"),
    [
        ("a | b", r"a \| b"),
        ("`a | b` and 2 * a * b", r"`a \| b` and 2 \* a \* b"),
        ("no __add__, <b> or [x]", r"no \_\_add\_\_, \<b\> or \[x\]"),
        ("one ` alone", r"one \` alone"),
    ],
)
def test_signs_of_markdown_are_plain_text(words, cell):
    """Words are for the terminal; code between backticks stays code."""
    assert in_table(words) == cell


def test_the_command_prints_one_day():
    """`grade mistakes day2` is that day's part."""
    ran = grade("mistakes", "day2", cwd=COURSE)

    assert ran.code == 0
    assert "mul_keeps_own_factor" in ran.out
    assert "topo_root_only" not in ran.out


def test_the_command_writes_a_file(course):
    """`--output` writes what would have been printed."""
    (course / "solutions" / "day3" / "mistakes").mkdir()
    ran = grade("mistakes", "day3", "--output", course / "page.md", cwd=course)

    assert (ran.code, ran.out) == (0, "")
    assert "No mistake is known yet." in (course / "page.md").read_text(encoding="utf-8")


def test_without_solutions_it_says_so(course):
    """A student's copy of the course has no such page."""
    (course / "solutions").rename(course / "elsewhere")
    ran = grade("mistakes", cwd=course)

    assert ran.code == 2
    assert "solutions/ is not here" in ran.text
