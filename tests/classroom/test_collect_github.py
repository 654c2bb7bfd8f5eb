"""`grade collect` from GitHub: by the time of the push, which no student can set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from collecting import (
    BEFORE,
    CHECK,
    LATER,
    MANIFEST,
    NOTEBOOK,
    Class,
    collect,
    everything,
    fetches,
    late_counts,
    organisation,
    student,
    work,
)
from github_server import Fault, GitHub
from helpers import executed, notebook
from minicourse import change, put
from releasing import STUB

from grader.assignment import Course
from grader.classroom.git import remote
from grader.submissions.find import find_works
from grader.submissions.state_words import reason, why_no_result
from grader.submissions.states import InWork

SOON, AFTER = "2025-12-01T23:58:59Z", "2025-12-01T23:59:01Z"


@pytest.fixture
def github(class_: Class, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    with organisation(class_, monkeypatch) as server:
        yield server


def test_a_class(class_: Class, github: GitHub, snapshot):
    """ORG/DAY-NAME each, at its last push on time; two requests a student."""
    for name in ("ada", "grace"):
        student(class_, github, name)
    ran = collect(class_)
    assert ran.code == 0, ran.text
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    record = class_.record("ada")
    assert (record.repository, record.submitted, record.verified) == ("course/mini-ada", BEFORE, True)
    assert record.commit == github.repositories["course/mini-ada"].bare.tip("refs/heads/main")
    assert ran.out == snapshot
    assert len(github.asked) == 4


def test_the_time_of_the_push_counts(class_: Class, github: GitHub):
    """A commit that says it is older was pushed too late, and one that says it is newer was on time."""
    ada, grace = student(class_, github, "ada"), student(class_, github, "grace")
    ada.push({NOTEBOOK: work("late = 1")}, at=AFTER, committer_date=BEFORE, author_date=BEFORE)
    grace.push({NOTEBOOK: work("soon = 1")}, at=SOON, committer_date="2030-01-01T00:00:00Z")
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert class_.taken("grace") == {NOTEBOOK: work("soon = 1")}
    assert class_.record("grace").submitted == SOON


def test_forced_afterwards(class_: Class, github: GitHub, snapshot):
    """The commit on time is fetched by its hash, though no branch has it; a note names the force push."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("hidden = 1")}, at=LATER, force=True)
    ran = collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert ran.out == snapshot


def test_forced_in_time(class_: Class, github: GitHub, snapshot):
    """It counts, and a note names it."""
    student(class_, github, "ada").push({NOTEBOOK: work("new = 1")}, at=SOON, force=True)
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("new = 1")}
    assert class_.record("ada").notes == snapshot


def test_as_it_is_now(class_: Class, github: GitHub, snapshot):
    """`--latest` is the last push of all, and one request for the list of them."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("late = 1")}, at=LATER)
    ran = collect(class_, "--latest")
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert ran.out == snapshot


@pytest.mark.ci
def test_many_pushes_after_it(class_: Class, github: GitHub):
    """The list has pages."""
    ada = student(class_, github, "ada")
    for number in range(7):
        ada.push({NOTEBOOK: work(f"late = {number}")}, at=LATER)
    github.per_page = 3
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}


def test_merged(class_: Class, github: GitHub):
    """A pull request that was merged on time is a push like any other."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("merged = 1")}, at=BEFORE, ref="fix", onto=ada.bare.tip("refs/heads/main"))
    ada.pull(1, head="fix", base="main")
    ada.merge(1, at=SOON)
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("merged = 1")}


# --- Nothing to collect


def test_nothing_in_time(class_: Class, github: GitHub, snapshot):
    """The first push is named."""
    class_.roster["ada"] = "ada"
    repository = github.repository("course/mini-ada")
    repository.push({NOTEBOOK: work()}, at=AFTER)
    ran = collect(class_)
    assert ran.code == 1
    assert reason(class_.record("ada").state) == snapshot
    assert class_.record("ada").state.kind == "too_late"


def test_states(class_: Class, github: GitHub, snapshot):
    """Missing, empty, without a GitHub username, deleted, forbidden; the class goes on."""
    student(class_, github, "ada")
    class_.roster |= {"missing": "missing", "empty": "empty", "unknown": ""}
    github.repository("course/mini-empty")
    student(class_, github, "deleted").delete("main", at=SOON)
    ran = collect(class_)
    assert ran.code == 1
    states = {
        name: (class_.record(name).state.kind, reason(class_.record(name).state)) for name in class_.roster
    }
    assert states == snapshot


def test_no_repository_at_all(class_: Class, github: GitHub, snapshot):
    """It is more likely a mistake of the instructor's."""
    class_.roster |= {"ada": "ada", "grace": "grace"}
    ran = collect(class_, org="elsewhere")
    assert ran.out == snapshot


def test_a_token_that_may_not_read(class_: Class, github: GitHub, monkeypatch, snapshot):
    """The state of the repository is unknown."""
    student(class_, github, "ada")
    monkeypatch.setenv("GITHUB_TOKEN", github.token("teacher", read=("metadata",)))
    assert collect(class_).code == 1
    assert class_.record("ada").state.kind == "unreached"
    (found,) = find_works(Course(class_.course).assignment("mini"), class_.works)
    assert why_no_result(found.read().state) == snapshot


# --- Renamed


def test_renamed(class_: Class, github: GitHub, snapshot):
    """GitHub redirects to it; a note has its new name. A second run fetches nothing."""
    student(class_, github, "ada").rename("course/adas-engine")
    ran = collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert class_.record("ada").repository == "course/adas-engine"
    assert ran.out == snapshot
    assert "1 unchanged" in collect(class_).out


def test_a_renamed_account(class_: Class, github: GitHub, snapshot):
    """The roster's new name leads to an empty repository; the note has the one with the work."""
    student(class_, github, "ada")
    collect(class_)
    student(class_, github, "byron", pushes=False)
    class_.roster = {"ada": "byron"}
    assert collect(class_).out == snapshot


def test_another_default_branch(class_: Class, github: GitHub, snapshot):
    """It is the one that counts, whatever its name."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("x = 1")}, at=SOON, ref="-x")
    ada.default_branch = "-x"
    ran = collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("x = 1")}
    assert ran.out == snapshot


def test_a_branch_that_was_renamed_afterwards(class_: Class, github: GitHub, snapshot):
    """The one that there was on time is taken, as it then stood."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("late = 1")}, at=LATER, ref="trunk")
    ada.delete("main", at=LATER)
    ada.default_branch = "trunk"
    ran = collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert ran.out == snapshot


def test_nobody_can_tell_which_branch(class_: Class, github: GitHub):
    """Of several that were there on time; the remedy that the message names works."""
    class_.roster["ada"] = "ada"
    ada = github.repository("course/mini-ada")
    for ref, at in (("one", BEFORE), ("two", BEFORE), ("main", LATER)):
        ada.push({NOTEBOOK: work()}, at=at, ref=ref)
    collect(class_)
    told = "several others existed before it (one, two); make the one with the work the default branch and collect again"
    assert told in reason(class_.record("ada").state)
    ada.default_branch = "two"
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work()}


def test_pushes_that_github_does_not_know_of(class_: Class, github: GitHub, snapshot):
    """Then the commit's own time is all that there is."""
    ada = student(class_, github, "ada")
    ada.activity.clear()
    collect(class_)
    record = class_.record("ada")
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert (record.verified, record.submitted) == (False, BEFORE)
    assert record.notes == snapshot


@pytest.mark.parametrize("status", [404, 409])
def test_a_server_that_has_no_list_of_pushes(class_: Class, github: GitHub, status: int):
    """An older one, or one that has no list of an empty repository: the same."""
    student(class_, github, "ada")
    github.faults.append(Fault(status, path="/activity"))
    collect(class_)
    assert (class_.record("ada").verified, class_.record("ada").submitted) == (False, BEFORE)


# --- Which repository


def test_what_the_roster_names(class_: Class, github: GitHub):
    """`owner/name`, or its page on GitHub; course.yaml needs no organisation then."""
    for name, place in (("ada", "course/mini-ada"), ("grace", f"file://{github.folder}/course/mini-grace")):
        student(class_, github, name)
        class_.roster[name] = place
    ran = class_.collect()
    assert ran.code == 0, ran.text
    assert (class_.record("ada").verified, class_.record("grace").verified) == (True, True)
    assert class_.record("grace").repository == "course/mini-grace"


def test_another_pattern(class_: Class, github: GitHub, snapshot):
    """As a classroom names them."""
    student(class_, github, "ada").rename("course/work-mini-ada")
    github.renamed.clear()
    class_.in_organisation("course", ", repositories: 'work-{day}-{student}'")
    ran = class_.collect(column="github")
    assert ran.code == 0, ran.text
    for pattern in ("{login}", "{day}"):
        class_.in_organisation("course", f", repositories: '{pattern}'")
        assert class_.collect(column="github").err == snapshot


def test_without_an_organisation(class_: Class, snapshot):
    """The message names what is missing."""
    class_.roster["ada"] = "ada"
    ran = class_.collect(column="github")
    assert ran.code == 2
    assert ran.err == snapshot


def test_a_token_that_is_not_valid(class_: Class, github: GitHub, monkeypatch, snapshot):
    """No other request would succeed, so the command stops."""
    student(class_, github, "ada")
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_of_yesterday")
    ran = collect(class_)
    assert ran.code == 2
    assert ran.err == snapshot
    assert "ghs_of_yesterday" not in ran.text


# --- Again, and patience


def test_nothing_is_fetched_again(class_: Class, github: GitHub, monkeypatch, snapshot):
    """A later push that does not count is compared once; after that, nothing is fetched."""
    ada = student(class_, github, "ada")
    collect(class_)
    before = class_.taken("ada")
    ada.push({NOTEBOOK: work("late = 1")}, at=LATER, force=True)
    assert "1 unchanged" in collect(class_).out
    monkeypatch.setattr(remote.Fetcher, "commits", None)  # would raise
    assert "1 unchanged" in collect(class_).out
    assert class_.taken("ada") == before
    assert class_.record("ada").notes == snapshot


def test_a_deleted_repository(class_: Class, github: GitHub, snapshot):
    """Work that was collected from it stays."""
    student(class_, github, "ada")
    collect(class_)
    del github.repositories["course/mini-ada"]
    ran = collect(class_)
    assert ran.code == 1
    assert ran.out == snapshot
    assert class_.record("ada").state == InWork()


def test_the_token_is_nowhere(class_: Class, github: GitHub):
    """Neither in what is printed nor in any file."""
    student(class_, github, "ada")
    class_.roster["missing"] = "missing"
    ran = collect(class_)
    token = next(iter(github.tokens))
    assert (token in ran.text, "missing" in ran.text) == (False, True)
    assert [name for name, data in everything(class_.works).items() if token.encode() in data] == []
    assert class_.record("ada").commit


# --- Late work


def test_late_work_beside_that_in_time(class_: Class, github: GitHub, snapshot):
    """Both are on the disk and in the record, each with its push."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("late = 1")}, at=LATER)
    ran = collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1"), f"in_time/{NOTEBOOK}": work("name = 'ada'")}
    record = class_.record("ada")
    assert record.in_time is not None
    assert (record.submitted, record.in_time.submitted) == (LATER, BEFORE)
    assert ran.out == snapshot
    (found,) = find_works(Course(class_.course).assignment("mini"), class_.works)
    both = found.read()
    assert both.in_time is not None
    assert (both.data, both.in_time.data) == (work("late = 1").encode(), work("name = 'ada'").encode())
    assert "1 unchanged; 1 of them late" in collect(class_).out
    put(class_.course, "solutions/mini/extensions.csv", "student,due\nada,+7d\n")
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}
    assert class_.record("ada").in_time is None


def test_only_the_last_work_is_kept(class_: Class, github: GitHub):
    """`keep: last` in the manifest collects no second version."""
    late_counts(class_, "late: {percent_per_day: 10, days: 7, keep: last}")
    student(class_, github, "ada").push({NOTEBOOK: work("late = 1")}, at=LATER)
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("late = 1")}


@pytest.mark.ci
def test_what_lateness_costs_in_requests_and_fetches(class_: Class, github: GitHub, monkeypatch):
    """Two requests and one fetch a student, whatever was pushed."""
    late_counts(class_)
    asked = fetches(monkeypatch)
    student(class_, github, "ada")
    class_.instructor("teacher")
    collect(class_)
    assert (len(github.asked), asked) == (2, [1])
    for day in (3, 4, 5):
        github.repositories["course/mini-ada"].push({"notes.txt": str(day)}, at=f"2025-12-0{day}T10:00:00Z")
    collect(class_)
    assert (len(github.asked), asked) == (4, [1, 4])  # four pushes that are compared
    assert class_.record("ada").submitted == BEFORE
    collect(class_)
    assert (len(github.asked), len(asked)) == (6, 2)


def test_instructors_of_the_roster(class_: Class, github: GitHub, snapshot):
    """A line with the role `instructor` is no student, and pushes of that login are not a student's work."""
    late_counts(class_)
    student(class_, github, "ada").push({NOTEBOOK: work("tried = 1")}, at=SOON, actor="Grace-H")
    path = class_.root / "roster.csv"
    path.write_text("student,github,role\nada,ada,\ngrace,@grace-h,instructor\n")
    class_.in_organisation("course")
    ran = class_.type("collect", "mini", class_.works)
    assert ran.code == 0, ran.text
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert class_.record("ada").notes == snapshot
    assert not (class_.works / "grace").exists()


def test_a_partners_push_counts(class_: Class, github: GitHub):
    """A push by anybody but an instructor or a bot counts as the student's, even of a deleted account."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("together = 1")}, at=SOON, actor="partner")
    ada.activity[-1].actor = None
    class_.instructor("teacher")
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("together = 1")}


def test_renamed_by_a_late_push(class_: Class, github: GitHub):
    """The same work under another name, and in a .py beside nothing else, is the same work."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: None, "mini.ipynb": work("name = 'ada'")}, at=LATER)
    collect(class_)
    assert class_.record("ada").submitted == BEFORE
    assert class_.record("ada").in_time is None


def test_a_push_that_is_gone(class_: Class, github: GitHub):
    """GitHub may forget a commit that was replaced by force; the others are compared anyway."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("late = 1")}, at="2025-12-03T10:00:00Z")
    ada.push({NOTEBOOK: work("late = 2")}, at=LATER)
    ada.activity[-2].after = "1" * 40
    collect(class_)
    record = class_.record("ada")
    assert record.in_time is not None
    assert (record.submitted, record.in_time.submitted) == (LATER, BEFORE)


def test_the_fix_that_was_merged_late_is_no_drift(class_: Class, github: GitHub):
    """Protected files are compared at the newest push, the work is that of the push that brought it."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    new = f"{(class_.course / CHECK).read_text()}# mended\n"
    (class_.course / CHECK).write_text(new)
    ada.push({CHECK: new}, at=LATER, actor="ada")
    collect(class_)
    record = class_.record("ada")
    assert (record.submitted, record.drift) == (BEFORE, ())


@pytest.mark.ci
def test_another_due_date_fetches_nothing(class_: Class, github: GitHub, monkeypatch):
    """Of work that was on time and still is."""
    student(class_, github, "ada")
    collect(class_)
    asked = fetches(monkeypatch)
    change(class_.course, MANIFEST, "2025-12-01T23:59", "2025-12-02T23:59")
    assert "1 unchanged" in collect(class_).out
    assert asked == []


def test_what_a_queue_merged_is_the_students(class_: Class, github: GitHub):
    """GitHub's own bot does it, and somebody has asked for it."""
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("merged = 1")}, at=SOON, actor="github-merge-queue[bot]")
    ada.activity[-1].type = "merge_queue_merge"
    collect(class_)
    assert class_.taken("ada") == {NOTEBOOK: work("merged = 1")}


# --- Late is changed code: a push that changes no part that is graded costs nothing


WORDS = {2: "markdown"}


@pytest.mark.parametrize("kept", ["best", "last"])
def test_run_again_after_the_due_date(class_: Class, github: GitHub, kept: str, snapshot):
    """Jupyter writes outputs, counts and a note into the file; the work is that of the push on time, and alone."""
    late_counts(class_, f"late: {{percent_per_day: 10, days: 7, keep: {kept}}}")
    student(class_, github, "ada").push({NOTEBOOK: executed(work("name = 'ada'"))}, at=LATER)
    collect(class_)
    record = class_.record("ada")
    assert (record.submitted, record.in_time) == (BEFORE, None)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert record.remarks == snapshot


def test_one_character_of_code(class_: Class, github: GitHub):
    """It is late work."""
    late_counts(class_)
    student(class_, github, "ada").push({NOTEBOOK: executed(work("name = 'Ada'"))}, at=LATER)
    collect(class_)
    assert class_.record("ada").submitted == LATER


@pytest.mark.parametrize(("manual", "submitted"), [("", BEFORE), (", manual: true, title: Why", LATER)])
def test_an_answer_in_words(class_: Class, github: GitHub, manual: str, submitted: str):
    """It is work where an instructor judges it, and a note where nobody does."""
    late_counts(class_)
    if manual:
        change(class_.course, MANIFEST, "  box:", f"  essay: {{points: 10{manual}}}\n  box:")
    ada = student(class_, github, "ada", pushes=False)
    for at, words in ((BEFORE, "Because."), (LATER, "Because addition is a sum.")):
        ada.push({NOTEBOOK: notebook("x = 1", words, kinds=WORDS)}, at=at)
    collect(class_)
    assert class_.record("ada").submitted == submitted


def test_outputs_where_an_instructor_grades(class_: Class, github: GitHub):
    """They are no answer: running the notebook makes them again."""
    late_counts(class_)
    change(class_.course, MANIFEST, "  box:", "  essay: {points: 10, manual: true, title: Why}\n  box:")
    ada = student(class_, github, "ada", pushes=False)
    text = notebook("x = 1", "# My notes", kinds=WORDS)
    ada.push({NOTEBOOK: text}, at=BEFORE)
    ada.push(
        {NOTEBOOK: text.replace('"outputs": []', '"outputs": [{"output_type": "display_data"}]')}, at=LATER
    )
    collect(class_)
    assert class_.record("ada").submitted == BEFORE


def test_only_run_in_time(class_: Class, github: GitHub):
    """Who ran the untouched notebook on time, and worked late, has one version: the late one."""
    late_counts(class_)
    ada = student(class_, github, "ada", pushes=False)
    ada.push({NOTEBOOK: executed(STUB)}, at=BEFORE)
    ada.push({NOTEBOOK: work("late = 1")}, at=LATER)
    collect(class_)
    record = class_.record("ada")
    assert (record.submitted, record.in_time) == (LATER, None)


def test_a_bot_that_runs_the_notebook(class_: Class, github: GitHub):
    """A workflow that commits outputs changed nothing, and nothing is said to be refused."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: executed(work("name = 'ada'"))}, at=LATER, actor="github-actions[bot]")
    collect(class_)
    record = class_.record("ada")
    assert record.submitted == BEFORE
    assert not any("does not count" in note for note in record.notes)
