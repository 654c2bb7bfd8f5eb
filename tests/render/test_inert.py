"""A student's text is inert wherever it is printed: no terminal, runner or reader acts on it.

One hostile corpus, in every field of a report, in every format: a new format is in the table of
`grader.render`, so it is in here, and fails until `JUDGES` says what inert means for it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import os
import random
import re
from contextlib import suppress
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from gfm import seen
from helpers import edit_manifest, grade
from hostile import (
    GITHUB,
    HOSTILE,
    MARKUP,
    RUNNER,
    TERMINAL,
    controls,
    full_report,
    judge_every_text,
    most_marks,
    obeyed,
    report_of,
    runner_obeys,
)
from judges import OTHERS
from minicourse import FILES, MANIFEST, put
from rich.cells import cell_len

from grader.assignment import Course
from grader.cli import main
from grader.console import reporting, working
from grader.practice.progress import render_progress
from grader.practice.walk import walk_page
from grader.render import FORMATS
from grader.render.html import fragment_style, line_in_html
from grader.report import MAX_FIELD, MAX_MARKS, Outcome, Report, from_json, sanitize, to_json

# --- What inert means


def inert_in_a_terminal(report: Report) -> None:
    """The page has letters, ends of lines and our own colours alone; no line is a command or too wide."""
    for width, colour in ((60, False), (100, True)):
        page = FORMATS["terminal"](report, width=width, colour=colour)
        bare = is_a_page(page, width, colour=colour)
        assert len(bare) < 20 * MAX_FIELD * (1 + len(report.checks))  # the report has texts beside its checks


def is_a_page(page: str, width: int, *, colour: bool) -> str:
    """Judge a page for a terminal; return it without our own colours."""
    bare = re.sub(r"\x1b\[\d+m", "", page) if colour else page
    assert obeyed(bare) == []
    assert max(map(cell_len, bare.splitlines())) <= width
    assert most_marks(bare) <= MAX_MARKS
    return bare


def inert_as_json(report: Report) -> None:
    """It reads back as the same report, and no line of it is a command."""
    page = FORMATS["json"](report)
    assert obeyed(page) == []
    assert from_json(page) == report
    assert controls("".join(texts_of(json.loads(page)))) == []


def inert_as_a_fragment(report: Report) -> None:
    """Boxes and our own style, nothing else: no script, no link, no picture, no attribute of theirs."""
    is_a_fragment(FORMATS["fragment"](report), [fragment_style()], set())


def is_a_fragment(page: str, styles: list[str], more: set[str]) -> None:
    """Judge the text of a fragment; `more` are the attributes that it may have beside the usual ones."""
    assert obeyed(page) == []
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [], "what a text closed or opened"
    assert set(reader.tags) <= {
        "div",
        "span",
        "b",
        "code",
        "style",
        "table",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "h1",
    }
    assert reader.styles == styles
    usual = {"class", "style", "aria-hidden", "scope", "open", "data-at"}
    assert {name for name, _ in reader.attributes} <= usual | more
    assert all(re.fullmatch(r"width: [\d.]+%", value) for name, value in reader.attributes if name == "style")
    assert "https://" not in "".join(reader.styles)


def inert_as_a_page(report: Report) -> None:
    """A fragment in a page that names no address, and whose policy allows our own styles and our script only.

    The data of the player are JSON in an element that no browser executes, and end neither it nor a line.
    """
    page = FORMATS["html"](report)
    assert obeyed(page) == []
    start, _, rest = page.partition("<main>\n")
    body, _, end = rest.partition("\n</main>\n")
    is_a_fragment(body, [], {"data-trace"})
    reader = Reader()
    reader.feed(start.removeprefix("<!DOCTYPE html>\n"))
    assert reader.open == ["html", "body"]
    assert reader.tags == "html head meta meta meta title style style style body".split()
    assert "://" not in "".join(value for _, value in reader.attributes) + "".join(reader.styles)
    (policy,) = [value for _, value in reader.attributes if value.startswith("default-src 'none'; ")]
    assert "unsafe-inline" not in policy
    data, script = player_of(end)
    assert len(data["traces"]) == body.count("data-trace=") > 0
    assert controls("".join(texts_of(data))) == []
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy


def player_of(end: str) -> tuple[dict[str, Any], str]:
    """The data and the script at the end of a page, which has nothing else there."""
    found = re.fullmatch(
        r'<script type="application/json" id="backgrade-player">([^<>&#\n]*)</script>\n'
        r"<script>(.*)</script>\n</body>\n</html>\n",
        end,
        re.DOTALL,
    )
    assert found, "what a text closed or opened"
    assert not re.search(r"</script|<!--", found[2], re.IGNORECASE)
    return json.loads(found[1]), found[2]


def inert_as_markdown(report: Report) -> None:
    """Our own elements in their number, and in the text nothing that GitHub makes a link or a picture of."""
    text = FORMATS["markdown"](report)
    assert obeyed(text) == []
    page = seen(text)
    shown = sum(check.outcome in ("ungradable", "failed") for check in report.checks)
    assert page.count("h2") == 1
    assert page.count("tr") == 1 + len(report.checks)
    assert page.count("td") == 4 * len(report.checks)
    assert page.count("details") == page.count("summary") == shown
    assert page.count("pre") == page.count("details")
    assert page.count("li") <= len(report.notes) + shown * len(report.checks[0].readings)
    assert page.attributes.count(("open", "")) == 1
    for said in {letters(check.message) for check in report.checks}:
        assert letters(page.text).count(said) >= times_said(report.score), "what a text hid"


def letters(text: str) -> str:
    """The letters of a text, without the signs that escaping changes."""
    return re.sub(r"[\W_]", "", text)


class Reader(HTMLParser):
    """The tags, attributes and styles that a browser finds in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.tags, self.styles = [], [], []
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":  # which has no end
            self.open.append(tag)
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.styles.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


JUDGES = {
    "terminal": inert_in_a_terminal,
    "json": inert_as_json,
    "markdown": inert_as_markdown,
    "html": inert_as_a_page,
    "fragment": inert_as_a_fragment,
    **OTHERS,
}


def texts_of(value: object) -> list[str]:
    """Every text in what JSON gave."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [value] if isinstance(value, str) else []


@cache
def times_said(score: float | None) -> int:
    """How often a text is told in Markdown, as long as nothing of it is lost."""
    text = "an inert sentence of some length"
    return seen(FORMATS["markdown"](full_report(text, score))).text.count(text)


# --- The judge itself

OBEYED = ["::error::x", "  ::add-mask::x", "\u00a0::stop-commands::x", "::any-word::", "::error file=a,line=1::x",
          "##[error]x", "x ##[set-output name=a;]x", "a ##vso[task.x]y",
          "\ufe0f::error::x", ":\u034f:error::x", "#\u3164#[error]x"]  # fmt: skip


@pytest.mark.parametrize("line", OBEYED)
def test_the_judge_knows_a_command(line: str) -> None:
    """As the runner reads it."""
    assert runner_obeys(line)


NAIVE = {
    "as it is": lambda text: text,
    "escaped for HTML": html.escape,
    "with backslashes": lambda text: re.sub(r"([^\w\s])", r"\\\1", text),
    "as code": lambda text: f"`{text}`",
    "in an item": lambda text: f"- {text}",
    "in a cell": lambda text: f"| x | y |\n|---|---|\n| {text} | last |",
}


@pytest.mark.parametrize("name", GITHUB)
def test_the_judge_knows_markdown(name: str) -> None:
    """Each of these texts would be executed if a renderer escaped less."""
    pages = [render(GITHUB[name]) for render in NAIVE.values()]
    assert any(map(is_obeyed_as_markdown, pages))


def is_obeyed_as_markdown(text: str) -> bool:
    try:
        page = seen(text)
    except AssertionError:
        return True
    return bool({"h2", "ul", "li", "pre", "strong"} & set(page.tags)) or (
        page.count("table") and "last" not in page.text
    )


# --- Every format

BITS = [*"`*_~[]()<>|$@#!\\&:;=+-./'\"^{} \n\t", *"a b1 GH- www. https:// &#64; <b> </details> ``` deadbeef".split(),
        *"1. x_y é [x]:y <!-- ![ ](u) \\| `x` @all #1 :tada: $a$".split()]  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(i, marks=pytest.mark.ci) for i in range(1, 7))])
def test_signs_in_any_order_are_inert_in_markdown(seed: int) -> None:
    """One sign may end what another has begun."""
    rng = random.Random(seed)
    for _ in range(60):
        inert_as_markdown(full_report("".join(rng.choices(BITS, k=rng.randint(1, 14))), 1.0))


@pytest.mark.parametrize("format_", FORMATS)
def test_hostile_text_is_inert(format_: str) -> None:
    """In every field that may hold a student's text, whatever became of the checks."""
    assert format_ in JUDGES, f"add inert_as_{format_} to OTHERS in tests/support/judges.py"
    judge_every_text(JUDGES[format_])


def test_hostile_text_is_inert_in_a_walk() -> None:
    """The page of `grade walk` is no format of a report; its names and sentences are a student's, too."""
    judge_every_text(inert_as_walks, scores=(1.0,))


def inert_as_walks(report: Report) -> None:
    """The walk of each check is a page for a terminal."""
    for check in report.checks[2:4]:  # blocked and failed; of the others less is told
        alone = msgspec.structs.replace(report, checks=[check])
        for width, colour in ((60, False), (100, True)):
            is_a_page(walk_page(alone, check.id, width=width, colour=colour), width, colour=colour)


def test_hostile_text_is_inert_in_a_line() -> None:
    """A refusal in a notebook or in a day's page quotes a name."""
    for text in HOSTILE.values():
        is_a_fragment(line_in_html(text), [fragment_style()], set())


def test_a_report_is_clean_from_the_first_on() -> None:
    """Whatever it is made from, a report holds no character that nobody wants, and cleaning is done once."""
    for name, text in HOSTILE.items():
        texts = texts_of(json.loads(to_json(full_report(text, 1.0))))
        wanted = sanitize(text, MAX_FIELD)
        assert len(wanted) <= MAX_FIELD, name
        assert texts.count(wanted) > len(texts) / 2, name  # the rest is what the grader writes itself
        assert [text for text in texts if text != sanitize(text, MAX_FIELD)] == [], name


def test_a_report_that_was_read_is_clean() -> None:
    """A feedback file that somebody has edited is cleaned as it is read."""
    edited = to_json(report_of("here")).replace('"here"', '"\\u001b]0;owned\\u0007\\u202e"')
    assert from_json(edited).submission.path == " ]0;owned  "


# --- Everything else that is printed


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """Run a command that ends early in this process; gives what it printed."""
    with pytest.raises(SystemExit):
        main.main(list(args), prog_name="grade")
    out, err = capsys.readouterr()
    return out + err


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's copy of the miniature course, as the current folder."""
    for name in FILES:
        if name.startswith("assignments/"):
            put(tmp_path, name, FILES[name])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command", [["{}"], ["validate", "{}"], ["mini", "--format", "{}"], ["mini", "x", "{}"], ["mini", "--{}"]]
)
def test_wrong_usage_is_told_inertly(
    mini: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """Messages quote what was typed; a script may have typed it."""
    for text in HOSTILE.values():
        page = printed(capsys, *(part.format(text[:1_000]) for part in command))
        assert obeyed(page) == []
        assert page


def test_progress_shows_titles_inertly(mini: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A manifest is the instructor's, but a student's copy of it is not; one line an assignment."""
    for text in HOSTILE.values():
        edit_manifest(mini, "mini", title=text[:500].encode("utf-8", "replace").decode())
        page = printed(capsys)
        assert obeyed(page) == []
        assert len(page.splitlines()) == 3


def test_progress_shows_old_feedback_inertly(mini: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The feedback file is written by us, and may have been edited since."""
    report = report_of("mine.py")
    mine = hashlib.sha256(put(mini, "mine.py", "x = 1").read_bytes()).hexdigest()
    report.submission = msgspec.structs.replace(report.submission, sha256=mine)
    report.checks = [msgspec.structs.replace(report.checks[0], id="here", outcome=Outcome.FAILED)]
    for text in HOSTILE.values():
        put(mini, "feedback/mini.json", to_json(report).replace('"here"', json.dumps(text)))
        page = printed(capsys)
        assert obeyed(page) == []
        assert len(page.splitlines()) == 3
        assert page.splitlines()[2].startswith("Next: ")
    assert " of mini, in mine.py" in page


def test_progress_and_help_show_folders_inertly(mini: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every folder with a manifest is an assignment, whatever it is called."""
    for text in HOSTILE.values():
        if named := re.sub(r"[/\0\ud800-\udfff]", "", text).encode()[:200].decode(errors="ignore"):
            with suppress(OSError):  # a name that this system does not have
                put(mini, f"assignments/{named}/assignment.yaml", MANIFEST)
            assert obeyed(printed(capsys, "--", named, "--help")) == []
    overview, shown = printed(capsys), printed(capsys, "--help")
    assert obeyed(overview) == obeyed(shown) == []
    assert len(overview.splitlines()) == 3 + len(list((mini / "assignments").glob("*/assignment.yaml")))
    assert "Grade the notebook of mini." in shown


def test_an_empty_course_is_named_inertly(tmp_path: Path) -> None:
    """A folder may have any name that its disk can hold."""
    (tmp_path / "a\n::error::b\x1b[2J").mkdir()
    page = render_progress(Course(tmp_path / "a\n::error::b\x1b[2J"))
    assert obeyed(page) == []
    assert page.endswith("b [2J: no assignments yet\n")
    assert page.count("\n") == 1


def test_validate_tells_inertly(
    mini: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Problems of a course quote its files, one line each."""
    monkeypatch.setattr("grader.authoring.validation.validate", lambda *_, **__: list(HOSTILE.values()))
    page = printed(capsys, "validate")
    assert obeyed(page) == []
    assert len(page.splitlines()) == 1 + len(HOSTILE)


def test_a_hostile_manifest_is_told_inertly(mini: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message quotes the key that it does not know."""
    manifest = put(mini, "assignments/mini/assignment.yaml", "")
    for text in HOSTILE.values():
        key = json.dumps(text.encode("utf-8", "replace").decode()[:100])
        manifest.write_text(f"{key}: 1\n", encoding="utf-8")
        page = printed(capsys, "validate")
        assert obeyed(page) == []
        assert len(page.splitlines()) == 1


def test_the_wait_is_told_inertly(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal `grade validate` shows what it is busy with: a folder's name is no markup there."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", screen)
    with working("\x1b]0;owned\x07 [link=https://example.org]day2[/link]\n::error::x"):
        pass
    assert "]0;owned  [link=https://example.org]day2[/link] ::error::x" in screen.getvalue()
    assert "\x1b]" not in screen.getvalue()


def test_progress_of_a_class_is_told_inertly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of `grade batch` and the like in a terminal names students."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", screen)
    with reporting(lambda: "ada\x1b]0;owned\x07 [link=https://example.org]\n::error::x") as show:
        show()
    assert "ada ]0;owned  [link=https://example.org] ::error::x" in screen.getvalue()
    assert "\x1b]" not in screen.getvalue()


# --- The whole way

# Everything that a submission can say something with, one way after another over the corpus.
TEXTS = [text[:2_000] for text in [*RUNNER.values(), *TERMINAL.values(), *MARKUP.values(), *GITHUB.values()]]
SAYS = f"""
TEXTS = {TEXTS!a}
print(*TEXTS)

def named(text):
    return type("".join(c for c in text if c != chr(0))[:300], (Exception,), {{}})

def ask(i):
    text, kind = TEXTS[i], i % 7
    if kind == 0:
        raise ValueError(text)
    if kind == 1:
        raise named(text)(text)
    if kind == 2:
        return text
    if kind == 3:
        return named(text)()
    if kind == 4:
        raise NotImplementedError(text)
    if kind == 5:
        raise NameError(name=text)
    return [{{text: text}}, named(text), ask]
"""
RAISES = "import sys; sys.stderr.write(TEXTS[{i}]); raise named(TEXTS[{i}])(TEXTS[{i}])"
LINES = ["x = 1\n::error::boom", "y = '''\n##[error]boom\n''' +", "\x1b]0;owned\x07 = 1", "z = 1 \u202e= 2"]
LEAVES_OUT = {"terminal"}  # formats without every check's text: it shows the first check in full
ASKS = '''
"""Ask {i}."""

def test_it(student):
    """It answers with 1."""
    assert student.ask({i}) == 1
'''


@pytest.fixture
def hostile_file(mini: Path) -> str:
    """A course of as many checks as there are texts, and a hostile submission under a hostile name."""
    checks = "".join(f"  ask_{i}: {{points: 1, hints: [x]}}\n" for i in range(len(TEXTS)))
    head = "format: 1\ntitle: '::error::title'\nsubmission: asks.ipynb\nchecks:\n"
    put(mini, "assignments/asks/assignment.yaml", head + checks)
    for i in range(len(TEXTS)):
        put(mini, f"assignments/asks/checks/test_ask_{i}.py", ASKS.format(i=i))
    name = "::error::x\n##[error]y \x1b]0;owned\x07\u202e <img src=x onerror=alert(1)> =1+1 @all"
    if os.name == "nt":
        name = "[x](y) =1+1 @all"
    cells = [SAYS, *(RAISES.format(i=i) for i in range(0, len(TEXTS), 5)), *LINES]
    (mini / f"{name}.py").write_text("\n# %%\n".join(["", *cells]), encoding="utf-8")
    return f"{name}.py"


def test_the_whole_way(
    mini: Path, hostile_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No format of the real command's output contains anything that a program would execute."""
    ran = grade("asks", hostile_file, "--format", "json", cwd=mini)
    assert ran.code == 1
    assert all("replay.json is missing" in line for line in ran.err.splitlines())
    report = from_json(ran.out)
    assert len(report.checks) == len(TEXTS)
    assert "passed" not in {check.outcome for check in report.checks}

    monkeypatch.setattr(
        "grader.grading.grader.grade", lambda *_, **__: report
    )  # once is enough for all formats
    monkeypatch.setattr("gc.disable", lambda: None)  # this process goes on
    pages = {format_: printed(capsys, "asks", hostile_file, "--format", format_) for format_ in FORMATS}

    assert pages["json"] == ran.out
    for format_, page in pages.items():
        assert obeyed(page) == []
        if format_ not in LEAVES_OUT:
            untold = {"boom", "owned", "stop-commands"} - set(re.findall(r"[\w-]+", page))
            assert untold == set(), f"{format_}: is it one of LEAVES_OUT?"
    seen(pages["markdown"])
    assert obeyed(grade(cwd=mini).out) == []


def test_a_wrong_path_is_told_inertly(mini: Path) -> None:
    """The message names the path that was typed; no program executes it, and it stays one line."""
    name = "\udcffx\n::error::y ##[error]z \x1b]0;owned\x07.ipynb"
    ran = grade("mini", name, cwd=mini)
    assert (ran.code, ran.out) == (2, "")
    assert obeyed(ran.err) == []
    assert len(ran.err.splitlines()) == 1
