"""The pages of docs/: the page of commands is made from their help, no row and no word stands twice, every command exists."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shlex
import shutil
import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from helpers import copy_course, grade, hand_in, same_as_kept

from grader.assignment import Course
from grader.authoring.reference import make_notebook
from grader.autograd.rules.operations import KNOWN
from grader.cli import ROOMS, SECTIONS, main
from grader.practice.commands import make_grade_command

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MADE = ROOT / "docs" / "commands.md"
SEVERAL = 2  # commands with one option: it stands at the top of the page
WORDS = 2_500  # of a page that a week needs
IN_EXAMPLES = {"homework", "rows", "rle", "stands", "soft"}  # assignments that the guides make up
DEFINING = {"Word", "Outcome", "Command", "You"}  # heads of tables that explain words


# --- The page of commands


def test_the_page_of_commands_is_made_from_their_help() -> None:
    """Every command with its arguments, its first sentence and its options, in the order of `grade --help`."""
    same_as_kept(MADE, page_of_commands())


def page_of_commands() -> str:
    """The text of docs/commands.md."""
    context = click.Context(main, info_name="grade")
    sections = {"An assignment": [make_grade_command("day2")]} | {
        title: [main.get_command(context, name) for name in names] for title, names in SECTIONS.items()
    }
    leaves = [one for commands in sections.values() for command in commands for one in with_parts(command)]
    counted = Counter(row for command in leaves for row in effects_of(command, context))
    shared = [row for row, count in counted.items() if count >= SEVERAL]
    parts = [
        "# Commands",
        "<!-- pytest tests/test_docs.py --snapshot-update writes this page from the commands. -->",
        "`grade COMMAND --help` says more, with examples. For `day2`, write the name of your assignment.",
        wrapped(" ".join((main.epilog or "").split())),
        "Several commands have these options:",
        "\n".join(wrapped(row, "- ") for row in shared),
    ]
    for title, commands in sections.items():
        lines = [line for command in commands for line in entries(command, context, shared)]
        parts += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def with_parts(command: click.Command) -> list[click.Command]:
    """A command and its subcommands."""
    return [command, *(command.commands.values() if isinstance(command, click.Group) else ())]


def effects_of(command: click.Command, parent: click.Context) -> list[str]:
    """Each option of a command with its effect."""
    context = click.Context(command, info_name=command.name, parent=parent)
    records = [part.get_help_record(context) for part in command.get_params(context)]
    return [
        f"`{record[0]}`: {' '.join(record[1].split())}"
        for record in records
        if record and record[1] and "--help" not in record[0]
    ]


def entries(command: click.Command, parent: click.Context, shared: Container[str]) -> Iterator[str]:
    """One command and its subcommands; of options that stand at the top of the page only their names."""
    context = click.Context(command, info_name=command.name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)]).replace(" [OPTIONS]", "")
    first = inspect.cleandoc(command.help or "").partition("\n\n")[0]
    rows = effects_of(command, parent)
    also = [row.split("`")[1].partition(" ")[0].rstrip(",") for row in rows if row in shared]
    also_words = f" Also {', '.join(f'`{name}`' for name in also)}." if also else ""
    yield wrapped(f"**`{usage}`**: {' '.join(first.split())}{also_words}", "- ")
    yield from (wrapped(row, "  - ") for row in rows if row not in shared)
    for inner in with_parts(command)[1:]:
        yield from entries(inner, context, shared)


def wrapped(text: str, mark: str = "") -> str:
    """A paragraph, or with a mark an item of a list, in lines of at most 120 characters."""
    return textwrap.fill(
        mark + text, 120, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False
    )


# --- Paths


@pytest.mark.parametrize("page", ["instructors.md", "authors.md"])
def test_what_a_week_needs_stands_on_one_page(page: str) -> None:
    """Teach this course, and teach your own."""
    assert len((ROOT / "docs" / page).read_text(encoding="utf-8").split()) <= WORDS


# --- Tables


def tables() -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """The page, the head and the rows of each table that is written by hand."""
    for page in PAGES:
        if page == MADE:
            continue
        text = page.read_text(encoding="utf-8")
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            head, _, *rows = [cells_of(line) for line in table.splitlines()]
            yield page.name, head, rows


def cells_of(line: str) -> list[str]:
    """The cells of a row."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_no_word_is_explained_twice() -> None:
    """In all tables that explain words, of all pages."""
    seen: dict[str, str] = {}
    twice = []
    for page, head, rows in tables():
        for row in rows if head[0] in DEFINING else []:
            word = row[0].strip("`").lower()
            if word in seen:
                twice.append(f"{word}: in {seen[word]} and in {page}")
            seen[word] = page
    assert not twice, "\n".join(twice)


def test_no_row_stands_twice() -> None:
    """Neither a whole row, nor a row that says the same sentence of something else."""
    seen: dict[str, str] = {}
    twice = []
    for page, _, rows in tables():
        for row in rows:
            for said in {" | ".join(row), *(cell for cell in row[1:] if len(cell.split()) > 4)}:
                if said in seen:
                    twice.append(f"{said}: in {seen[said]} and in {page}")
                seen[said] = page
    assert not twice, "\n".join(twice)


def test_a_table_of_steps_names_each_command_once() -> None:
    """A command belongs to one step."""
    twice = []
    for page, head, rows in tables():
        if "Command" in head and head[0] == "Step":
            named = [
                name
                for row in rows
                for name in re.findall(r"`(?:grade )?([a-z]+)`", row[head.index("Command")])
            ]
            twice += [f"{page}: {name}" for name in set(named) if named.count(name) > 1]
    assert not twice, "\n".join(twice)


# --- Commands on the pages


def lines_of_commands() -> Iterator[tuple[str, str]]:
    """The page and each command line in its blocks of code and in its code within sentences."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        lines = [line for block in blocks for line in block.splitlines()]
        inline = re.findall(
            r"`([^`\n]+)`", re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        )
        for line in [*lines, *inline]:
            if found := re.match(r"(?:\.venv/bin/)?grade ([a-z].*)", line.strip().removeprefix("$ ")):
                yield page.name, found[1]


def test_every_command_on_a_page_exists() -> None:
    """With its subcommand and its options."""
    context, days, wrong = click.Context(main, info_name="grade"), set(Course(ROOT).names), []
    for page, line in lines_of_commands():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        name = words[0]
        if name not in ROOMS and name not in days | IN_EXAMPLES:
            wrong.append(f"{page}: grade {line}: there is no command {name}")
            continue
        command = make_grade_command("day2") if name not in ROOMS else main.get_command(context, name)
        known = options_of(command)
        if isinstance(command, click.Group):
            inner = next((command.commands[word] for word in words[1:] if word in command.commands), None)
            known |= options_of(inner) if inner else set()
        used = [word.partition("=")[0] for word in words[1:] if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
        wrong += [f"{page}: grade {line}: no option {option}" for option in used if option not in known]
    assert not wrong, "\n".join(wrong)


# Options of python, pytest, our benches, Dask, git and Docker.
OF_OTHERS = {
    "-I",
    "--snapshot-update",
    "--lazy",
    "--minutes",
    "--local-directory",
    "--protocol",
    "--port",
    "--theirs",
    "--security-opt",
}


def test_every_option_on_a_page_exists() -> None:
    """Also one that stands alone in a sentence: `--results try.db`."""
    context = click.Context(main, info_name="grade")
    commands = [make_grade_command("day2"), *(main.get_command(context, name) for name in ROOMS)]
    commands += [
        one for group in commands if isinstance(group, click.Group) for one in group.commands.values()
    ]
    known = OF_OTHERS.union(*(options_of(command) for command in commands))
    for page in PAGES:
        for name in re.findall(r"`(--?[A-Za-z][\w-]*)[^`\n]*`", page.read_text(encoding="utf-8")):
            assert name in known, f"{page.name}: no command has the option {name}"


def options_of(command: click.Command) -> set[str]:
    """The options of a command as they are typed."""
    return {name for part in command.params for name in (*part.opts, *part.secondary_opts)} | {"--help", "-h"}


# --- Lists and examples


def test_the_search_for_a_sentence_finds_one() -> None:
    """CONTRIBUTING.md shows how to find a sentence by one that is in the code."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (words,) = re.findall(r'`git grep -n "([^"]+)"`', page)
    found = [path for path in (ROOT / "grader").rglob("*.py") if words in path.read_text(encoding="utf-8")]
    assert found, f"CONTRIBUTING.md: grader/ lacks `{words}`"


def test_the_operations_known_by_name_are_listed() -> None:
    """In the order in which a message about an unknown one names them."""
    page = (ROOT / "docs" / "authors-reference.md").read_text(encoding="utf-8")
    listed = page.partition("Known by name are ")[2].partition(";")[0]
    assert re.findall(r"`([^`]+)`", listed) == list(KNOWN)


@pytest.mark.ci
def test_the_examples_of_a_report_are_what_it_prints(tmp_path: Path) -> None:
    """README.md shows all of it to a student who swapped two factors, docs/students.md an explanation."""
    course = copy_course(tmp_path / "course")
    shutil.rmtree(course / "solutions")
    text = make_notebook(Course(ROOT).assignment("day2"), solved=True)
    for factor, gets in (("other", "self"), ("self", "other")):
        right = f"{gets}.grad += {factor}.data * out.grad"
        assert text.count(right) == 1
        text = text.replace(right, f"{gets}.grad += {gets}.data * out.grad")
    hand_in(course / "assignments" / "day2", text, "day2_backward_pass.ipynb")

    said = grade("day2", cwd=course, env={"COLUMNS": "80"}).out

    readme, page = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/students.md"))
    shown = readme.partition("```text\n")[2].partition("```")[0]
    assert re.sub(r", saved .*", ", saved just now", said, count=1) == shown
    (part,) = (part for part in page.split("\n\n") if part.startswith("    swap_rule: "))
    assert textwrap.indent(textwrap.dedent(part), "  ") in said


def test_examples_in_docstrings() -> None:
    """An example that a reader sees in a docstring has the result that stands below it."""
    files = [path for path in (ROOT / "grader").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    assert files, "no docstring has an example"
    for path in files:
        parts = path.relative_to(ROOT).with_suffix("").parts
        result = doctest.testmod(importlib.import_module(".".join(parts).removesuffix(".__init__")))
        assert not result.failed, f"{path}: {result.failed} examples are wrong; their output is above"
