"""The HTML of the class, of the pages that continue its table, and of a student.

A page has no script, sends and fetches nothing. Its policy allows the styles that stand in it: those of page.css, and
one rule for each check whose mistakes can be chosen.
"""

from __future__ import annotations

import functools
import statistics
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from grader.gradebook.classpage.charts import checks_chart, points_chart
from grader.gradebook.sentences import about_work, as_graded, grade_words, nothing_there, reasons
from grader.render.escape import escape_html
from grader.render.html import marked, render_html
from grader.render.htmlpage import html_page
from grader.render.words import points_text
from grader.report import MAX_FIELD, Outcome, one_line
from grader.submissions.state_words import when
from grader.submissions.states import NOT_WORKED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from grader.gradebook.classpage.survey import (
        CheckFigures,
        MistakeGroup,
        Moved,
        Past,
        Reason,
        StudentLine,
        Survey,
    )
    from grader.gradebook.grade import Grade
    from grader.report import Report

MOST_LINES = 1_000  # students in one table; the others are on pages that continue it
MOST_NAMES = 200  # students of one mistake
MOST_GROUPS = 100  # mistakes that several students made
MOST_ALONE = 200  # mistakes that one student made
MOST_REASONS = 500  # students of one kind who need a look
NAME = 60  # characters of a student's name
WHY = 300  # characters of a reason
WORDS = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.TODO: "still to write",
    Outcome.BLOCKED: "waits for another check",
    Outcome.UNGRADABLE: "could not be graded",
    Outcome.MANUAL: "graded by you",
}


# --- The class


def class_page(survey: Survey, title: str, folder: str, notes: Sequence[str], last: str) -> str:
    """Return the page of the class.

    `title` names the assignment, `folder` is the one with the students' pages, `notes` are warnings for the
    instructor, `last` is the time of the newest grading.
    """
    link = functools.partial(_link, survey.pages, f"{quote(folder)}/")
    sections = [
        _section("first", "Look at these first", _first(survey, notes, link)),
        _section("points", "Points", _points(survey)),
        _section("checks", "Checks", _checks(survey)),
        _section("mistakes", "What the class gets wrong", _mistakes(survey, link)),
        _section("changes", "What the last grading changed", _changes(survey, link)),
        _section("stuck", "Who is stuck", _stuck(survey, link)),
        _section("students", "Students", _students(survey, folder, link)),
    ]
    links = "".join(f'<li><a href="#{name}">{head}</a></li>' for name, head, _ in sections)
    top = (
        f"<header><h1>{escape_html(title)}</h1><p>{_lead(survey, last)}</p>"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>'
    )
    body = "\n".join(html for _, _, html in sections)
    return html_page(title, f"{top}\n<main>\n{body}\n</main>", [_style(), _style_of_choice(survey)])


def _section(name: str, head: str, body: str) -> tuple[str, str, str]:
    html = f'<section id="{name}" aria-labelledby="{name}-head"><h2 id="{name}-head">{head}</h2>\n{body}\n</section>'
    return name, head, html


def _lead(survey: Survey, last: str) -> str:
    parts = [f"{_count(len(survey.lines), 'student')}, {len(survey.scores)} with a score"]
    if survey.scores:
        mean, median = (
            points_text(round(of(survey.scores), 1)) for of in (statistics.fmean, statistics.median)
        )
        parts.append(f"mean {mean}, median {median} of {points_text(survey.most)} points")
    end = f" Graded until {_moment(last)}." if last else ""
    return f"{': '.join(parts)}.{end}"


# --- Who needs a look


def _first(survey: Survey, notes: Sequence[str], link: Callable[[str], str]) -> str:
    parts = [
        _reasons("could not be graded", survey.ungradable, link),
        _reasons("without a result", survey.absent, link),
        _reasons("handed in nothing that could be graded", survey.empty, link),
        _reasons("excused", survey.excused, link),
    ]
    if notes:
        items = "".join(f"<li>{_text(note, WHY)}</li>" for note in notes)
        parts.append(f"<h3>Notes</h3><ul>{items}</ul>")
    return "".join(parts) or "<p>Everybody has a score, and nothing is to be noted.</p>"


def _reasons(what: str, found: Sequence[Reason], link: Callable[[str], str]) -> str:
    """Return the students by their reason, the commonest first."""
    if not found:
        return ""
    by_reason: dict[str, list[str]] = {}
    for one in found[:MOST_REASONS]:
        by_reason.setdefault(one.why, []).append(one.student)
    ranked = sorted(by_reason.items(), key=lambda item: -len(item[1]))
    items = "".join(
        f"<li>{_text(why, WHY) or 'no reason is known'}: {_names(who, link)}</li>" for why, who in ranked
    )
    more = len(found) - MOST_REASONS
    rest = f"<li>and {more:,} more</li>" if more > 0 else ""
    return f"<h3>{_count(len(found), 'student')} {what}</h3><ul>{items}{rest}</ul>"


# --- Points and checks


def _points(survey: Survey) -> str:
    bins = survey.bins()
    if not bins:
        return "<p>Nobody has a score yet.</p>"
    full = sum(score >= survey.most for score in survey.scores)
    none = sum(not score for score in survey.scores)
    words = f"{_count(full, 'student')} with full marks, {none} with 0 points."
    table = _table(("Points", "Students"), [(one.words, str(one.students)) for one in bins])
    chart = points_chart(bins, survey.most)
    return f"<p>{words}</p>{chart}<details><summary>The numbers</summary>{table}</details>"


def _checks(survey: Survey) -> str:
    if not survey.checks:
        return "<p>Nothing was graded yet.</p>"
    found = {outcome for check in survey.checks.values() for outcome in check.outcomes}
    outcomes = [outcome for outcome in reversed(Outcome) if outcome in found]
    legend = "".join(
        f'<li><span class="key {one}" aria-hidden="true"></span>{WORDS[one]}</li>' for one in outcomes
    )
    head = ("Check", "Pass", *(WORDS[one] for one in outcomes), "Points", "Commonest mistake")
    rows = [(*_check(check, outcomes), _commonest(check.id, survey)) for check in survey.checks.values()]
    chart = checks_chart(survey.checks.values(), {one: WORDS[one] for one in outcomes})
    return f'<ul class="legend">{legend}</ul>{chart}{_table(head, rows)}'


def _check(check: CheckFigures, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    name = f"<b>{_text(check.id, NAME)}</b> {_text(check.title, WHY)}"
    counts = (str(check.outcomes[one]) for one in outcomes)
    return (name, check.figure, *counts, points_text(check.max_score))


def _commonest(check: str, survey: Survey) -> str:
    """Return the commonest mistake at a check, with the number of students."""
    groups = [group for group in survey.groups.values() if group.checks[check]]
    if not groups:
        return ""
    group = max(groups, key=lambda group: group.checks[check])
    return f"{group.checks[check]:,}: {_text(group.finding.brief, WHY)}"


# --- Mistakes


def _mistakes(survey: Survey, link: Callable[[str], str]) -> str:
    groups = survey.commonest()
    if not groups:
        return "<p>No check fails with a mistake of its own.</p>"
    shared = [group for group in groups if len(group.students) > 1]
    alone = groups[len(shared) :]
    places = {check: place for place, check in enumerate(survey.checks)}
    options = "".join(
        f'<option value="{places[check]}">{_text(check, NAME)}</option>'
        for check in _checks_with_mistakes(survey)
    )
    choose = (
        '<p class="tool"><label>Only those of <select autocomplete="off">'
        f'<option value="">all checks</option>{options}</select></label></p>'
    )
    items = "".join(_group(group, places, survey, link) for group in shared[:MOST_GROUPS])
    few = len(shared) - MOST_GROUPS
    rest = f"<p>And {few:,} more that fewer students have; their pages show them.</p>" if few > 0 else ""
    return f'{choose}<ol class="groups">{items}</ol>{rest}{_alone(alone, places, link)}'


def _checks_with_mistakes(survey: Survey) -> list[str]:
    return [
        check for check in survey.checks if any(check in group.checks for group in survey.groups.values())
    ]


def _style_of_choice(survey: Survey) -> str:
    """Return the style that hides the mistakes of all other checks, when one is chosen."""
    chosen = set(_checks_with_mistakes(survey))
    return "\n".join(
        f'#mistakes:has(option[value="{place}"]:checked) .group:not(.at{place}) {{ display: none; }}'
        for place, check in enumerate(survey.checks)
        if check in chosen
    )


def _group(group: MistakeGroup, places: dict[str, int], survey: Survey, link: Callable[[str], str]) -> str:
    finding, count = group.finding, len(group.students)
    where = ", ".join(
        f"{_text(check, NAME)}{f' ({n})' if len(group.checks) > 1 else ''}"
        for check, n in group.checks.most_common()
    )
    code = "".join(f"<li><code>{escape_html(line)}</code></li>" for line in finding.code)
    return (
        f'<li class="group {_places(group, places)}"><h3><b>{_count(count, "student")}</b>: '
        f'{_text(finding.brief, WHY)}</h3><p class="dim">in {where}; {count / len(survey.lines):.0%} of the class</p>'
        f"{f'<ul>{code}</ul>' if code else ''}"
        f"<details><summary>Explanation and students</summary><p>{_text(finding.words, 1_000)}</p>"
        f"<p>{_names(group.students, link)}</p></details></li>"
    )


def _places(group: MistakeGroup, places: dict[str, int]) -> str:
    """Return the classes of a mistake, one for each check that it fails."""
    return " ".join(f"at{places[check]}" for check in group.checks)


def _alone(groups: Sequence[MistakeGroup], places: dict[str, int], link: Callable[[str], str]) -> str:
    """Return the mistakes of one student each, folded."""
    if not groups:
        return ""
    items = "".join(
        f'<li class="group {_places(group, places)}">{link(group.students[0])}: '
        f"{_text(group.finding.brief, WHY)} "
        f"{' '.join(f'<code>{escape_html(line)}</code>' for line in group.finding.code)}</li>"
        for group in groups[:MOST_ALONE]
    )
    more = len(groups) - MOST_ALONE
    rest = f"<li>and {more:,} more; the students' pages show them</li>" if more > 0 else ""
    head = f"{_count(len(groups), 'mistake')} that one student made"
    return f"<details><summary>{head}</summary><ul>{items}{rest}</ul></details>"


# --- Progress


def _changes(survey: Survey, link: Callable[[str], str]) -> str:
    if not survey.since:
        return "<p>Nothing was graded yet.</p>"
    since = f"<p>Since {_moment(survey.since)}, "
    words = f"{since}{_count(survey.new, 'student')} had their first grading"
    if not survey.compared:
        return f"{words}; there is nothing to compare.</p>"
    words = (
        f"{words}, and {survey.compared:,} had another one"
        if survey.new
        else f"{since}{_count(survey.compared, 'student')} had another grading"
    )
    words += ". It is compared with the one before, without overrides and lateness.</p>"
    rows = [
        (
            f"<b>{_text(check, NAME)}</b>",
            _moves(survey.gained.get(check, []), link),
            _moves(survey.lost.get(check, []), link),
        )
        for check in dict.fromkeys([*survey.checks, *survey.gained, *survey.lost])
        if check in survey.gained or check in survey.lost
    ]
    if not rows:
        return f"{words}<p>No points changed.</p>"
    return words + _table(("Check", "Gain points", "Lose points"), rows, numbers=False)


def _moves(found: Sequence[tuple[str, Moved]], link: Callable[[str], str]) -> str:
    if not found:
        return "nobody"
    same = sum(move.same_work for _, move in found)
    about = f", {same} of them with the same work" if same else ""
    names = ", ".join(
        f"{link(student)} {points_text(move.was)} → {points_text(move.now)}"
        for student, move in found[:MOST_NAMES]
    )
    return f"<details><summary>{_count(len(found), 'student')}{about}</summary>{names}{_rest(len(found))}</details>"


def _stuck(survey: Survey, link: Callable[[str], str]) -> str:
    if not survey.stuck:
        return "<p>Nobody has handed in three times or more with the same check failing in the same way.</p>"
    found = sorted(survey.stuck, key=lambda pair: -pair[1].times)
    rows = [
        (link(student), f"<b>{_text(one.check, NAME)}</b>", str(one.times), _text(one.brief, WHY))
        for student, one in found[:MOST_REASONS]
    ]
    more = len(found) - MOST_REASONS
    rest = f"<p>And {more:,} more.</p>" if more > 0 else ""
    words = "<p>In their last versions the same check fails in the same way.</p>"
    return words + _table(("Student", "Check", "Versions", "What is wrong"), rows, numbers=False) + rest


# --- Students


def _students(survey: Survey, folder: str, link: Callable[[str], str]) -> str:
    if len(survey.lines) > MOST_LINES:
        parts = _split(survey.lines)
        items = "".join(
            f'<li><a href="{quote(folder)}/{_part_name(number)}">{_text(part[0].student, NAME)} to '
            f"{_text(part[-1].student, NAME)}</a></li>"
            for number, part in enumerate(parts, start=1)
        )
        return f"<p>The table is on {len(parts)} pages.</p><ul>{items}</ul>"
    by_points = sorted(survey.lines, key=lambda one: -1.0 if one.score is None else one.score)
    orders = {"By points, the fewest first": by_points, "By name": survey.lines}
    return "".join(
        f'<details name="order"{" open" if lines is survey.lines else ""}><summary>{words}</summary>'
        f"{_student_table(lines, survey, link)}</details>"
        for words, lines in orders.items()
    )


def _student_table(lines: Iterable[StudentLine], survey: Survey, link: Callable[[str], str]) -> str:
    rows = [
        (
            link(one.student),
            "" if one.score is None else points_text(one.score),
            str(one.passed) if one.student in survey.pages else "",
            _text(one.about, WHY),
        )
        for one in lines
    ]
    head = ("Student", f"Points of {points_text(survey.most)}", f"Passed of {len(survey.checks)}", "Remarks")
    return _table(head, rows)


def table_pages(survey: Survey, title: str, back: str) -> list[tuple[str, str]]:
    """Return names and HTML of the pages with the table of a large class; none if the class page has it."""
    if len(survey.lines) <= MOST_LINES:
        return []
    link, pages = functools.partial(_link, survey.pages, ""), []
    for number, part in enumerate(_split(survey.lines), start=1):
        top = f"<header>{_back(back, title)}<h1>Students, part {number}</h1></header>"
        body = f"{top}\n<main>\n{_student_table(part, survey, link)}\n</main>"
        page = html_page(f"{title}: students, part {number}", body, [_style()])
        pages.append((_part_name(number), page))
    return pages


def _split(lines: Sequence[StudentLine]) -> list[Sequence[StudentLine]]:
    return [lines[start : start + MOST_LINES] for start in range(0, len(lines), MOST_LINES)]


def _part_name(number: int) -> str:
    return f"~{number}.html"


def student_page(grade: Grade, report: Report, gradings: Sequence[Past], title: str, back: str) -> str:
    """Return a student's page: the grade of record, earlier gradings, and the report.

    `back` is the name of the class page, which is one folder above.
    """
    work = grade.work
    lines = [*reasons(grade), *about_work(grade), *work.notes]
    lines += [f"There was nothing to grade: {nothing}."] if (nothing := nothing_there(report)) else []
    if work.moment and not isinstance(work.state, NOT_WORKED):
        lines.append(f"Handed in {when(work.moment)}.")
    lines += [f"Repository {work.repository}, commit {work.commit[:12]}."] if work.repository else []
    items = "".join(f"<li>{_text(line, MAX_FIELD)}</li>" for line in lines)
    head = (
        f"{_back(back, title)}<h1>{_text(grade.student, NAME)}</h1><p><b>{_text(grade_words(grade), WHY)}</b></p>"
        f"{f'<ul>{items}</ul>' if items else ''}{_gradings(gradings)}"
    )
    own = f"{one_line(grade.student, NAME)}, {title}"
    return render_html(as_graded(report, grade), title=own, above=head, of_record=True)


def _gradings(gradings: Sequence[Past]) -> str:
    if len(gradings) < 2:
        return ""
    rows = "".join(
        f"<tr><td>{_moment(one.graded)}</td><td>{'no score' if one.score is None else points_text(one.score)}</td>"
        f"<td>{'the same work' if before and one.submission.sha256 == before.submission.sha256 else 'new work'}</td></tr>"
        for before, one in reversed(list(zip([None, *gradings], gradings, strict=False)))
    )
    head = "<tr><th>Graded</th><th>Points of the checks</th><th>Work</th></tr>"
    return f"<details><summary>{len(gradings)} gradings</summary><table>{head}{rows}</table></details>"


# --- Parts of a page


@functools.cache
def _style() -> str:
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """Return a table in a box of its own that scrolls; the first column names the row. Cells are HTML."""
    kind = ' class="numbers"' if numbers else ""
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    label = f' role="region" aria-label="{head[0]} and {head[1]}" tabindex="0"'
    return f'<div class="box"{label}><table{kind}><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _names(students: Sequence[str], link: Callable[[str], str]) -> str:
    return ", ".join(map(link, students[:MOST_NAMES])) + _rest(len(students))


def _rest(count: int) -> str:
    return f" and {count - MOST_NAMES:,} more" if count > MOST_NAMES else ""


def _link(pages: Mapping[str, str], folder: str, student: str) -> str:
    """Return a student's name, as a link if the student has a page."""
    name = _text(student, NAME, code=False) or "(no name)"
    return f'<a href="{folder}{quote(pages[student])}">{name}</a>' if student in pages else name


def _back(page: str, title: str) -> str:
    return f'<p><a href="../{quote(page)}">{escape_html(title)}: the class</a></p>'


def _text(text: str, limit: int, *, code: bool = True) -> str:
    """Escape a text of at most `limit` characters; what stands between backticks becomes code."""
    escaped = escape_html(one_line(text, limit))
    return marked(escaped) if code else escaped


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _moment(time: str) -> str:
    return escape_html(f"{time[:16].replace('T', ' ')} UTC")
