"""A job's runner executes our annotations and outputs, and nothing that a student wrote."""

import os
import sys
from pathlib import Path

import pytest
from actions import COMMANDS, Command, Log, command_of, pairs_in
from hostile import HOSTILE, RUNNER, full_report, obeyed, refusal, report_of, runner_obeys
from sampled import every

from grader.assignment import Course
from grader.classroom.ci import (
    Annotation,
    Job,
    Publication,
    annotation_line,
    annotations_of,
    append,
    match_nothing,
    outputs,
)
from grader.console import say, show
from grader.render import escape
from grader.report import Location, Outcome, sanitize

# --- The parser itself

LINES = {
    "::error file=a.py,line=1,title=x%3A%2C%25::a%0Ab%25": Command(
        "error", {"file": "a.py", "line": "1", "title": "x:,%"}, "a\nb%"
    ),
    "  \t ::WARNING::x": Command("warning", {}, "x"),
    "::notice title==x,,empty=,=y::": Command("notice", {"title": "x"}, ""),
    "see ##[set-output name=score;x=%3B%5D]100": Command("set-output", {"name": "score", "x": ";]"}, "100"),
    "::add-mask::%250A": Command("add-mask", {}, "%0A"),
    "::nothing::x": None,
    "a ::error::x": None,
    "::error x": None,
    "##[nothing]": None,
}


@pytest.mark.parametrize("line", LINES)
def test_the_parser_reads_as_the_runner_does(line):
    """By ActionCommand.cs of actions/runner."""
    assert command_of(line) == LINES[line]


def test_the_parser_obeys_no_more_than_the_judge():
    """`runner_obeys` recognises every command that the parser recognises."""
    texts = [text for text in HOSTILE.values() if len(text) < 5_000]
    lines = [line for text in texts for line in text.split("\n")]
    obeyed_lines = [line for line in lines if command_of(line)]
    assert len(obeyed_lines) > 10
    assert [line for line in obeyed_lines if not runner_obeys(line)] == []


def test_stopped_commands_go_on_with_the_word():
    """A line that stops commands may choose any word."""
    log = Log.of("::stop-commands::Pause\n::error::unseen\n::pause::\n::error::seen\n")
    assert [c.data for c in log.commands] == ["Pause", "seen"]


def test_what_looks_like_a_traceback_is_an_error():
    """setup-python asks the runner for that; whoever prints what others wrote has to take it back."""
    traceback = "  File \"a.py\", line 3, in f\n    raise ValueError('boom')\n"
    assert Log.of(traceback).commands == [Command("error", {"file": "a.py", "line": "3"}, "boom")]
    assert Log.of(f"::remove-matcher owner=python::\n{traceback}").commands == []


def test_both_forms_of_a_file_of_outputs():
    """A value that is an other's name, lines with signs in them, and empty lines between."""
    assert pairs_in("a=b<<c=d\n\nx<<EOF\n1\na=2\n\nEOF\ne=\n") == {"a": "b<<c=d", "x": "1\na=2\n", "e": ""}


# --- One annotation


@pytest.mark.parametrize("name", HOSTILE)
def test_an_annotation_is_read_back_as_it_was(name):
    """Whatever its texts are, the line is one command with these properties and this message."""
    text = sanitize(HOSTILE[name], 4_000)
    (read,) = Log.of(annotation_line(Annotation("error", text, text, text or None, 7))).commands
    assert read.name == "error"
    assert set(read.properties) - {"title"} == ({"file", "line"} if text else set())
    assert read.properties.get("file", "") in (text, f"./{text}")
    assert len(read.data) <= 4_096
    assert read.data == escape(text) or len(text) > 3_990
    assert obeyed(read.data) == []


def test_what_looks_escaped_already_is_not_unescaped():
    """Somebody who writes %0A has written three signs."""
    text = "100%0A::error::x %25 %3A%2C %5D%0d 5%, 6%"
    (read,) = Log.of(annotation_line(Annotation("warning", text, text, text, 1))).commands
    assert (read.properties["title"], read.properties["file"], read.data) == (text, text, text)


def test_a_place_is_given_only_where_it_is_known():
    """Without a file there is no line; with a file that has no line it is the first."""
    assert annotation_line(Annotation("notice", "a", "b", None, 3)) == "::notice title=a::b"
    assert annotation_line(Annotation("notice", "a", "b", "c.py")) == "::notice title=a,file=c.py,line=1::b"


# --- Which annotations


def place(where: Location) -> tuple[str, int]:
    return where.file, where.line


def test_errors_first_and_one_notice_at_most():
    """Failed checks are errors, what is to do is one notice, and what waits for another check is neither."""
    report = report_of("x")
    of = {check.outcome: check for check in report.checks}
    report.checks = [of[Outcome.TODO], of[Outcome.TODO], of[Outcome.FAILED], of[Outcome.BLOCKED]]
    assert [annotation.level for annotation in annotations_of(report, place)] == ["error", "notice"]


def test_a_passing_check_has_none():
    """A report without failures has no annotations."""
    report = report_of("x")
    report.checks = [check for check in report.checks if check.outcome is Outcome.PASSED]
    assert annotations_of(report, place) == []


def test_what_could_not_be_graded_is_nobodys_fault(snapshot):
    """One annotation without a line of the student's."""
    (annotation,) = annotations_of(report_of("x", score=None), place)
    assert (annotation.level, annotation.file) == ("error", None)
    assert annotation.message == snapshot


def test_a_long_message_is_cut_before_the_runner_does_it():
    """The cut is at a word; the runner would cut anywhere."""
    (shown,) = Log.of(annotation_line(Annotation("error", "day2", "word " * 2_000))).commands
    assert len(shown.data) <= 4_096
    assert shown.data.endswith(" ...")


def test_a_line_is_in_the_repository_or_nowhere(course: Path, tmp_path: Path):
    """Also in the earlier day that this one continues; what is elsewhere GitHub cannot show."""
    day3 = Course(course).assignment("day3")
    (tmp_path / "elsewhere.py").touch()

    def place(path: Path, file: str) -> tuple[str, int | None] | None:
        job = Job({"GITHUB_WORKSPACE": str(course)})
        return Publication(day3, path, job, report_of("x")).location(Location(file, 1, 1))

    assert place(day3.stub, "day2_backward_pass.ipynb") == (
        "assignments/day2/day2_backward_pass.ipynb",
        None,
    )
    assert place(tmp_path / "elsewhere.py", "elsewhere.py") is None
    assert place(day3.stub, "unknown.py") is None


# --- The runner's files


def test_values_stay_values(tmp_path: Path):
    """A value cannot begin a line of its own."""
    values = {"score": "1", "x": "a\nscore=100\r\ny<<EOF\nEOF", "result": "A" * 100_000}
    assert pairs_in(outputs(values)) == values | {"x": "a score=100 y<<EOF EOF"}


TROUBLES = {"": "the runner named no file", "gone/file": "No such file or directory", ".": "Is a directory",
            "a\0b": "no such name"}  # fmt: skip


@pytest.mark.parametrize("name", TROUBLES)
def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path, name):
    """Of one line, with the system's own reason."""
    told = append(str(tmp_path / name) if name else name, "x")
    assert TROUBLES[name] in told or os.name == "nt"
    assert told
    assert "\n" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_a_sentence(snapshot):
    """The same of a disk without room."""
    assert append("/dev/full", "x") == snapshot


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no limit for files")
def test_half_an_output_is_none(tmp_path: Path):
    """If the disk fills up, earlier outputs stay, and the runner reads no part of a value."""
    import resource

    file, limits = tmp_path / "output", resource.getrlimit(resource.RLIMIT_FSIZE)
    file.write_text("before=1\n", encoding="utf-8")
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
    try:
        assert append(str(file), "score=10\nmax-score=100\n") == "the runner's file is full"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_text(encoding="utf-8") == "before=1\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_that_nobody_reads_keeps_nobody_waiting(tmp_path: Path, snapshot):
    """The reason is that the file cannot be written."""
    os.mkfifo(tmp_path / "pipe")
    assert append(str(tmp_path / "pipe"), "x") == snapshot


# --- Everything that a job is told, with hostile text in every field


class Assigned:
    """As much of an assignment as telling needs."""

    name = "day2"
    earlier = None

    def __init__(self, root: Path) -> None:
        self.course = type("Course", (), {"root": root})


def told(report, folder: Path, name: str, capsys) -> tuple[Log, dict[str, str], str]:
    """The log, the outputs and the summary of a step that tells this report of a file of that name."""
    folder.mkdir()
    path = folder / "mine.py"
    try:
        (folder / name).write_text("x", encoding="utf-8")
        path = folder / name if name.strip(". \n") and "/" not in name else path
    except (OSError, ValueError):
        pass  # a name that this system does not have
    files = {"GITHUB_OUTPUT": str(folder / "o.txt"), "GITHUB_STEP_SUMMARY": str(folder / "s.txt")}
    variables = files | {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(folder)}
    match_nothing()  # as `grade ci` does before it grades
    Publication(Assigned(folder), path, Job(variables), report).all(comment=True)
    printed = capsys.readouterr()
    summary = (folder / "s.txt").read_text(encoding="utf-8")
    return (
        Log.of(printed.out + printed.err),
        pairs_in((folder / "o.txt").read_text(encoding="utf-8")),
        summary,
    )


def test_hostile_text_is_no_command(tmp_path: Path, capsys):
    """The log holds exactly our annotations with exactly our properties, the files exactly our keys."""
    names = dict.fromkeys([*RUNNER, *every(4, HOSTILE)])
    for i, (name, text) in enumerate((name, HOSTILE[name]) for name in names):
        tried = told(full_report(text, 1.0), tmp_path / str(i), sanitize(text, 200), capsys)
        refused = refusal(lambda tried: tells_as_we_do(*tried), tried)
        assert not refused, f"{name}: {refused}"


def tells_as_we_do(log: Log, keys: dict[str, str], summary: str) -> None:
    assert [c.name for c in log.commands] == ["error", "error", "error", "notice"][: len(log.commands)]
    assert {c.name for c in log.commands} <= {"error", "warning", "notice"}
    for annotation in log.commands:
        assert set(annotation.properties) in ({"title"}, {"title", "file", "line"})
        assert not annotation.properties["title"].strip().startswith("::")
        assert annotation.properties.get("line", "1").isdigit()
    assert [line for line in log.shown if runner_obeys(line)] == []
    assert set(keys) == {"score", "max-score", "outcome", "result"}
    assert (keys["score"], keys["max-score"]) == ("1", "3")
    assert len(summary.encode()) < 300_000


def test_nothing_else_prints_commands(capsys):
    """`say` escapes every command in its line, `show` in each line of its page."""
    for name in COMMANDS:
        say(f"::{name}::x\n##[{name}]x")
        show(f"::{name}::x\n##[{name}]x\n")
    log = Log.of(capsys.readouterr().out)
    assert (log.commands, len(log.shown)) == ([], 3 * len(COMMANDS))
