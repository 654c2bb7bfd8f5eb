"""The report in Markdown and in HTML, held by snapshots."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from gfm import Page, seen
from helpers import grade, grade_json, hand_in, reference, same_as_snapshot
from hostile import HONEST, judge_every_text, obeyed, report_of
from walks import DIAMOND, WORDS

from grader.render import escape
from grader.render.html import render_fragment, render_html
from grader.render.markdown import render_markdown
from grader.render.player import CheckTrace, iframe, inline_page, play_page
from grader.report import Bar, CheckResult, Outcome, Report, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ["stub", "reference", "broken", "two", "ungradable", "visible", "advisory", "chart"]


@pytest.fixture(scope="module")
def reports(graded: dict[str, Report], changed: Callable[..., Report]) -> dict[str, Report]:
    """Real reports, and three more: the grader's own fault; a machine without hidden checks and a jail; a session."""
    found = graded
    ungradable = changed(found["broken"], score=None)
    ungradable.checks[0].outcome, ungradable.checks[0].message = (
        Outcome.UNGRADABLE,
        "test_add_rule.py: broken",
    )
    ungradable.checks[0].score = 0.0
    visible = changed(found["broken"], hidden_checks=False, notes=["cell 3 raised ZeroDivisionError"])
    visible.grader = msgspec.structs.replace(visible.grader, isolation=["rlimits"])
    advisory = changed(found["stub"], hidden_checks=False, advisory=True)
    return {**found, "ungradable": ungradable, "visible": visible, "advisory": advisory}


# --- Markdown


@pytest.mark.parametrize("name", NAMES)
def test_markdown(reports: dict[str, Report], name: str) -> None:
    """The whole report, and nothing in it that GitHub would take for something else."""
    text = render_markdown(reports[name])
    same_as_snapshot(f"{name}.md", text)
    seen(text)


@pytest.mark.parametrize("name", HONEST)
def test_honest_text_is_read_as_it_was_written(name: str) -> None:
    """Signs stand for themselves, though some of them as code."""
    page = Page(render_markdown(report_of(HONEST[name])))
    assert bare(HONEST[name]) in bare(page.text)


def bare(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


def test_what_to_do_is_seen_without_unfolding(reports: dict[str, Report]) -> None:
    """Points, the table and the next step, and the first of the six checks that failed."""
    page = Page(render_markdown(reports["broken"]))
    folded = [text for inside, text in page.texts if "details" in inside]
    assert page.count("details") == 6
    assert page.attributes.count(("open", "")) == 1
    assert "of 100 points" not in "".join(folded)
    assert page.text.rstrip().endswith(
        "look at swap_rule, then run grade day2 tests/engines/broken.py again."
    )


def test_a_bar_that_is_no_number_is_left_out(
    reports: dict[str, Report], changed: Callable[..., Report]
) -> None:
    """As in the terminal; where no bar is left, there is no chart."""
    report = changed(reports["chart"])
    chart = report.checks[0].chart
    report.checks[0].chart = msgspec.structs.replace(chart, bars=[Bar("a", float("inf"))])
    assert "<pre>" in render_markdown(reports["chart"])
    assert "<pre>" not in render_markdown(report)


# --- Limits


def test_details_are_left_out_from_the_last_on(reports: dict[str, Report]) -> None:
    """A line says that the log has them, and the rest is unchanged."""
    whole = render_markdown(reports["broken"])
    assert render_markdown(reports["broken"], limit=len(whole.encode())) == whole

    one = render_markdown(reports["broken"], limit=len(whole.encode()) - 1)
    two = render_markdown(reports["broken"], limit=len(one.encode()) - 1)

    assert (Page(one).count("details"), Page(two).count("details")) == (5, 4)
    assert LEFT_OUT[0] in one
    assert LEFT_OUT[1] in two
    assert one.partition("</details>")[0] == whole.partition("</details>")[0]
    assert whole.rpartition("\n\n")[2] == one.rpartition("\n\n")[2] == two.rpartition("\n\n")[2]


@pytest.mark.ci
@pytest.mark.parametrize("name", ["broken", "visible", "reference"])
def test_every_limit_gives_a_whole_page(reports: dict[str, Report], name: str) -> None:
    """Never longer than it may be, never cut within an element, and more room never tells less of the head."""
    head = render_markdown(reports[name]).splitlines()
    for limit in range(0, len(render_markdown(reports[name]).encode()), 61):
        text = render_markdown(reports[name], limit=limit)
        assert len(text.encode()) <= limit
        assert set(text.splitlines()) <= {*head, *LEFT_OUT}
        page = seen(text)
        assert page.count("td") % 4 == 0
        assert page.count("td") > 0 or page.count("table") == 0


def test_a_notebook_that_could_not_be_read_has_no_next_check(reports: dict[str, Report]) -> None:
    """The reason is all that is told, and it is kept within the limit, too."""
    report = reports["broken"]
    first = msgspec.structs.replace(report.checks[0], message="there is no such file")
    nothing = msgspec.structs.replace(report.submission, sha256="")
    unread = msgspec.structs.replace(report, checks=[first, *report.checks[1:]], submission=nothing)

    whole = render_markdown(unread)

    assert whole.rstrip().rpartition("\n\n")[2].startswith("Nothing could be graded: ")
    assert all(
        len(render_markdown(unread, limit=limit).encode()) <= limit for limit in range(len(whole.encode()))
    )


LEFT_OUT = [
    "1 more check is explained only in the log.",
    *(f"{n} more checks are explained only in the log." for n in range(2, 8)),
]


def test_a_hostile_report_keeps_its_limit() -> None:
    """Bytes are counted as they are written, not as they were said."""
    for text in ("|\U0001f600$" * 300, "<" * 600):
        for limit in (10, 65_536):
            page = render_markdown(report_of(text), limit=limit)
            assert len(page.encode()) <= limit
            seen(page)


# --- The page


@pytest.mark.parametrize("name", NAMES)
def test_page(reports: dict[str, Report], name: str) -> None:
    """The whole page, but for its styles and their hashes."""
    text = re.sub(r"(?s)<style>.*?</style>", "<style></style>", render_html(reports[name]))
    same_as_snapshot(f"{name}.html", re.sub(r"'sha256-[^']*'", "'sha256-'", text))


def test_the_fragment_tells_what_was_missing(reports: dict[str, Report]) -> None:
    """As the terminal does: hidden checks, and a jail that could not be closed."""
    text = render_fragment(reports["visible"])
    assert "Hidden checks run when your instructor grades." in text
    assert "could not fully confine the code" in text


@pytest.mark.ci
def test_a_page_beside_the_terminal(course: Path, tmp_path: Path) -> None:
    """`--html FILE` writes the page and prints what would have been printed."""
    ran = grade("day2", "--html", tmp_path / "day2.html", cwd=course)
    assert ran.code == 1
    assert ran.out.startswith("day2  The backward pass\n")
    assert (tmp_path / "day2.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.ci
@pytest.mark.parametrize("form", [["--html"], ["--format", "html", "--output"]], ids=["beside", "alone"])
def test_a_page_of_a_wrong_engine_has_its_player(
    course: Path, tmp_path: Path, form: list[str], snapshot
) -> None:
    """Traces are made for a page."""
    path = hand_in(course, reference("day2").replace("+= other.data * out", "+= self.data * out"), "mine.py")

    ran = grade("day2", path, "--check", "swap_rule", *form, tmp_path / "day2.html", cwd=course)

    assert ran.code == 1
    (trace,) = data_of((tmp_path / "day2.html").read_text(encoding="utf-8"))["traces"]
    assert trace["check"] == "swap_rule"
    assert trace["trace"]["given"] == snapshot


def test_without_a_page_nothing_is_traced(course: Path) -> None:
    """Nobody pays for what is not shown."""
    path = hand_in(course, reference("day2").replace("+= other.data * out", "+= self.data * out"), "mine.py")

    report = grade_json("day2", path, cwd=course)

    failed = [check.id for check in report.checks if check.outcome is Outcome.FAILED]
    assert failed == ["swap_rule", "complex_expression", "tanh_neuron"]
    assert [check.id for check in report.checks if check.trace] == []


@pytest.mark.ci
def test_a_page_that_cannot_be_written(course: Path, tmp_path: Path) -> None:
    """The report is printed anyway, and the error names the file."""
    ran = grade("day2", "--html", tmp_path / "no" / "day2.html", cwd=course)
    assert ran.code == 2
    assert ran.out.startswith("day2  The backward pass\n")
    assert "day2.html: cannot be written" in ran.err
    assert "name another file" in ran.err


# --- The player


@pytest.fixture
def traced(reports: dict[str, Report], changed: Callable[..., Report]) -> Report:
    """Of a broken engine's checks one that passed has a trace, and the second that failed."""
    report = changed(reports["broken"])
    for check in report.checks:
        if check.id in {"add_rule", "predictions"}:
            check.trace = DIAMOND
    return report


def data_of(page: str) -> dict[str, Any]:
    """The data of the player in a page."""
    (text,) = re.findall(r'<script type="application/json" id="backgrade-player">(.*)</script>', page)
    return json.loads(text)


def test_a_failed_check_has_its_player(traced: Report) -> None:
    """In its own details, with the words and both walks for a reader without JavaScript; a passed check has none."""
    page = render_html(traced)

    (details,) = [part for part in page.split("<details") if 'class="player"' in part]
    assert "<b>predictions</b>" in details
    assert '<div class="player" data-trace="0">' in details
    assert WORDS in details
    rows = [re.sub(r"(<[^>]+>)+", "|", row) for row in details.split("<tr>")]
    assert {"|6|call d|", "|✗ 8|call b|", "|✗ |  a|9 → 6|9 → 15|"} <= {*rows}
    assert data_of(page) == {
        "mode": "report",
        "traces": [{"check": "predictions", "title": check_title(traced), "trace": as_json(DIAMOND)}],
    }


def check_title(report: Report) -> str:
    (title,) = [check.title for check in report.checks if check.id == "predictions"]
    return title


def as_json(value: object) -> Any:
    return json.loads(msgspec.json.encode(value))


def test_the_fragment_and_the_summary_have_no_player(traced: Report, reports: dict[str, Report]) -> None:
    """A notebook's cell and GitHub's pages run no script, so these are the same with a trace and without."""
    assert render_fragment(traced) == render_fragment(reports["broken"])
    assert render_markdown(traced) == render_markdown(reports["broken"])


def test_a_right_walk_that_is_an_answer_is_shown_nowhere(traced: Report) -> None:
    """Without it there is no second row; the words stay."""
    for check in traced.checks:
        check.trace = check.trace and msgspec.structs.replace(check.trace, right=[])

    page = render_html(traced)

    assert WORDS in page
    assert "a right walk" not in page


def test_a_feedback_file_keeps_its_traces(traced: Report) -> None:
    """What was written is what is read."""
    assert from_json(to_json(traced)) == traced


def test_the_page_of_the_lesson_shows_a_students_graphs() -> None:
    """It is one file: the player's script and style are in it, and its policy allows nothing else."""
    page = play_page([CheckTrace("diamond", "A value used twice", DIAMOND)])

    assert "<title>See the gradients flow</title>" in page
    assert '<main id="player"><noscript><p>This page needs JavaScript.' in page
    assert data_of(page)["mode"] == "play"
    assert [trace["check"] for trace in data_of(page)["traces"]] == ["diamond"]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-\S+' 'sha256-\S+'; script-src 'sha256-\S+'; base-uri 'none'; form-action 'none'",
        policy,
    )


def test_the_inline_page_has_one_trace() -> None:
    """With its title, and with the words for a reader without JavaScript."""
    page = inline_page(CheckTrace("diamond", "Used <twice>", DIAMOND))

    assert "<title>diamond: Used &lt;twice&gt;</title>" in page
    assert f'<div class="player inline" data-trace="0"><noscript><p>{WORDS}</p>' in page
    assert data_of(page)["mode"] == "inline"


def test_an_iframe_holds_the_page_and_runs_apart() -> None:
    """It may run a script, and nothing else: it has no origin, so it reads nothing of the notebook."""
    trace = CheckTrace("diamond", 'It\'s "used" <twice> & more', DIAMOND)

    ((tag, attributes),) = Tags.of(iframe(trace))

    assert tag == "iframe"
    assert attributes["srcdoc"] == inline_page(trace)
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"] == "diamond, step by step"


class Tags(HTMLParser):
    """The elements of a page with their attributes; it may hold no text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    @classmethod
    def of(cls, page: str) -> list[tuple[str, dict[str, str | None]]]:
        reader = cls()
        reader.feed(page)
        reader.close()
        return reader.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        raise AssertionError(f"a text: {data}")


@pytest.mark.parametrize("make", [lambda shown: play_page([shown]), inline_page], ids=["lesson", "inline"])
def test_hostile_text_is_data_of_the_player(make: Callable[[CheckTrace], str]) -> None:
    """It ends no element, no line and no attribute, and comes out as it was."""
    judge_every_text(lambda report: is_data(report.checks[0], make), scores=(1.0,))


def is_data(check: CheckResult, make: Callable[[CheckTrace], str]) -> None:
    """Judge the page that `make` gives for a check's title and trace."""
    shown = CheckTrace(check.title, check.title, check.trace)

    page = make(shown)

    assert obeyed(page) == obeyed(iframe(shown)) == []
    assert escape(page) == page, "what a command prints is what it writes, so the hash of the script holds"
    ((_, attributes),) = Tags.of(iframe(shown))
    assert " ".join(attributes) == "class title sandbox width height style srcdoc"
    assert attributes["srcdoc"] == inline_page(shown)
    assert page.count("<script") == page.count("</script>") == 2
    assert data_of(page)["traces"] == [as_json(shown)]
    assert "\n" not in unescape(re.findall(r"<title>(.*)</title>", page)[0])
