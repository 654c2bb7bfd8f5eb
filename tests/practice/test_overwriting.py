"""No option of any command overwrites a file that the command reads, by whatever name the file is called."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from helpers import write_files

from grader.cli import main
from grader.console import Output

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = "mini"
# Parameters with a path that a command reads, or into which it writes nothing that is there already.
READ = {
    "path", "source", "roster", "times", "base", "results", "pyodide", "upload",
    "file",  # of `override table`, which writes new files alone
    "folder",  # of `release`, `site`, `collect` and `copies --export`: they refuse files that they did not write
    "salts",  # a folder of salts
}  # fmt: skip
BEFORE = {
    DAY: ["mine/work.txt"],
    "play": [DAY, "--no-browser"],
    "report": [DAY, "--format", "csv"],
    "report --html": [DAY],
    "viva": [DAY, "mine/work.txt", "--practice"],
    "viva --marks": [DAY],
}
INPUTS = {
    f"assignments/{DAY}/assignment.yaml": "format: 1\ntitle: Mini\nsubmission: mini.ipynb\nchecks:\n  one: {points: 1, hints: [a]}\n",
    f"assignments/{DAY}/mini.ipynb": '{"cells": []}',
    f"assignments/{DAY}/checks/test_one.py": '"""One."""\n',
    f"assignments/{DAY}/checks/replay.json": "{}",
    f"solutions/{DAY}/salt.txt": "1234\n",
    "solutions/course.yaml": "class: {organisation: o, roster: students.csv}\n",
    f"assignments/{DAY}/README.md": "# The lesson\n",
    f"assignments/{DAY}/data.csv": "hours,points\n1,2\n",
    "README.md": "# The course\n",
    "constraints.txt": "numpy<3\n",
    ".gitignore": "results.db\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    "results.db": "SQLite format 3\0 and what follows",
    f"../{DAY}-works/ada/notes.html": "<!DOCTYPE html> by a student",
    f"../{DAY}-works/ada/notes.txt": "by a student",
}
OWN = {
    DAY: "mine/work.txt",
    "report --output": "students.csv",
    "viva --output": "mine/work.txt",
}  # inputs of one command


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command and its name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield before + name, found
        if isinstance(found, click.Group):
            yield from commands(found, f"{before}{name} ")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a course, which is the current one."""
    root = tmp_path / "course"
    write_files(
        root,
        INPUTS
        | {"mine/work.txt": "x = 1\n", "mine/ada.html": "<!DOCTYPE html>", "students.csv": "student\nada\n"},
    )
    monkeypatch.chdir(root)
    return root


def test_every_path_of_a_command_is_read_or_guarded(root: Path) -> None:
    """A new option is one or the other; `Output` guards it."""
    params = [(name, param) for name, each in commands(main) for param in each.params]
    paths = [
        (name, param)
        for name, param in params
        if isinstance(param.type, click.Path | click.File) or param.metavar in {"FILE", "DIR"}
    ]
    assert len(paths) > 30
    unknown = [
        f"{name}: {param.opts[0]}"
        for name, param in paths
        if not isinstance(param.type, Output) and param.name not in READ
    ]
    assert not unknown


def spelled(path: Path, other: Path) -> Iterator[str]:
    """Names of a file: itself, from the root, another relative one, a link, a link to the link, a hard link."""
    yield from (str(path), str(path.absolute()), f"../{other.name}/../course/{path}")
    (other / "link.html").symlink_to(path.absolute())
    (other / "again.html").symlink_to(other / "link.html")
    os.link(path, other / "hard.html")
    yield from (f"{other}/{name}.html" for name in ("link", "again", "hard"))


def test_no_output_overwrites_what_the_command_reads(
    root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command refuses it at once, and says which option."""
    outputs = [
        (name, param.opts[0])
        for name, each in commands(main)
        for param in each.params
        if isinstance(param.type, Output)
    ]
    assert len(outputs) > 5
    for number, (name, option) in enumerate(outputs):
        line = [name, *BEFORE.get(f"{name} {option}", BEFORE[name])]
        own = OWN.get(f"{name} {option}") or OWN.get(name)
        for target in [*INPUTS, *filter(None, [own])]:
            text = (root / target).read_bytes()
            other = tmp_path / f"{number}-{target.replace('/', '-')}"
            other.mkdir()
            for output in spelled(Path(target), other):
                with pytest.raises(SystemExit) as ended:
                    main.main([*line, option, output])
                told = capfd.readouterr().err
                assert (ended.value.code, f"{option} would overwrite this file" in told) == (2, True), (
                    line,
                    option,
                    output,
                    told,
                )
                assert (root / target).read_bytes() == text


@pytest.mark.parametrize("name", ["paper.pdf", "notes.docx", "LICENSE", "kept.json"])
def test_a_page_replaces_pages_alone(root: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    """An option for a page leaves files of every other kind, wherever they are."""
    (root / name).write_text("somebody's", encoding="utf-8")
    for line in ([DAY, "--html"], ["play", "--no-browser", "--output"]):
        with pytest.raises(SystemExit) as ended:
            main.main([*line, name])
        assert (ended.value.code, "would overwrite this file" in capfd.readouterr().err) == (2, True)
    assert (root / name).read_text(encoding="utf-8") == "somebody's"


@pytest.mark.parametrize("folder", ["solutions", f"assignments/{DAY}/checks", f"../{DAY}-works/ada", "mine"])
def test_a_folder_of_the_course_or_of_work_is_none_for_sheets(
    root: Path, capfd: pytest.CaptureFixture[str], folder: str
) -> None:
    """`grade viva` writes a file for each student, whose names students' files may have."""
    with pytest.raises(SystemExit) as ended:
        main.main(["viva", DAY, "--source", "mine", "--output", folder])
    assert (ended.value.code, "--output would overwrite this file" in capfd.readouterr().err) == (2, True)


def test_a_course_below_a_folder_called_solutions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Names of folders above the course protect nothing."""
    root = tmp_path / "solutions" / "checks" / "course"
    write_files(root, INPUTS | {f"assignments/{DAY}/out.json": "an earlier report"})
    monkeypatch.chdir(root)
    with pytest.raises(SystemExit):
        main.main([DAY, "--format", "json", "--output", f"assignments/{DAY}/out.json"])
    assert "overwrite" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["report.html", "of-mine.txt", "assignments/mini/report.json", "no-ending"])
def test_a_report_is_written_again(root: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    """What an earlier command wrote is replaced, in the folder of an assignment too."""
    (root / name).write_text("an earlier report", encoding="utf-8")
    with pytest.raises(SystemExit):
        main.main([DAY, "--format", "json", "--output", name])
    assert "overwrite" not in capfd.readouterr().err
