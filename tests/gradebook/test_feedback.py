"""`grade post --to DIR`: files for each student, and zips that are read back as Moodle and Canvas read them."""

import json
import re
import shutil
import zipfile
from html.parser import HTMLParser

import nbformat
import pytest
from helpers import grade
from hostile import HOSTILE, obeyed
from judges import elements_of
from minicourse import change, put
from students import by, told

from grader.gradebook import feedback
from grader.gradebook.in_force import Override
from grader.gradebook.store import Store
from grader.report import Outcome
from grader.submissions.keys import same_key
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn

WORKSHEET = "Identifier,Full name,Email address,Status,Grade\n"


@pytest.fixture
def root(graded_class, tmp_path):
    """Three students with final grades: full marks, an override, nothing right."""
    assignment = graded_class.take(tmp_path / "course", "ada", "bob", "cy", pushed=False)
    with Store(assignment.course.root / "results.db") as store:
        store.keep_override(Override("mini", "final", "grade post --final", "Grace"))
        store.keep_override(Override("mini", "points", "by hand", "Grace <g@uni.edu>", "bob", "box", 7.5))
    return assignment.course.root


def results(root):
    return Store(root / "results.db")


def files(root, folder="out"):
    """The bytes of each file in the folder."""
    return {path.name: path.read_bytes() for path in (root / folder).iterdir()}


def words(page):
    """The text of a page as a reader sees it."""
    seen = []
    parser = HTMLParser()
    parser.handle_data = seen.append
    parser.feed(re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    return " ".join("".join(seen).split())


# --- Files


def test_each_student_gets_a_page_and_markdown(root, snapshot):
    """Both have the grade of record and the reasons for it, then the report without points of its own."""
    ran = grade("post", "mini", "--to", "out", cwd=root)

    assert ran.code == 0
    assert ran.out == snapshot
    assert ran.err == ""
    made = files(root)
    assert sorted(made) == sorted(
        f"mini-{s}.{suffix}" for s in ("ada", "bob", "cy") for suffix in ("html", "md")
    )
    for text in (made["mini-bob.md"].decode(), words(made["mini-bob.html"].decode())):
        plain = text.replace("`", "")
        assert plain == snapshot
        assert "ask your instructor" in plain
        assert "g@uni.edu" not in plain
        assert "Next:" not in plain
        assert "10 of 20 points" not in plain


def test_a_persons_part_stands_above_the_report(root, snapshot):
    """Comments and points by hand, each with the author; what waits for a person makes the grade provisional."""
    by_hand = told({"double": 10, "box": 0})
    by_hand.checks[1].outcome = Outcome.MANUAL
    with results(root) as store:
        for student in ("bob", "cy"):
            store.keep(f"hand {student}", by(student, HandedIn("mini.ipynb")), by_hand)
        store.keep_override(Override("mini", "comment", "a good start", "Grace <g@uni.edu>", "bob", "double"))

    grade("post", "mini", "--to", "out", cwd=root)

    made = files(root)
    for text in (made["mini-bob.md"].decode(), words(made["mini-bob.html"].decode())):
        plain = text.replace("`", "")
        assert plain == snapshot
    for text in (made["mini-cy.md"].decode(), words(made["mini-cy.html"].decode())):
        plain = text.replace("`", "")
        assert plain == snapshot


def test_a_second_run_writes_what_changed(root, snapshot):
    """Other files keep their time; a student's own files beside them stay."""
    grade("post", "mini", "--to", "out", cwd=root)
    put(root, "out/mini-notes.md", "my own notes")
    before = {path.name: path.stat().st_mtime_ns for path in (root / "out").iterdir()}
    with results(root) as store:
        store.keep("4", by("cy", HandedIn("mini.ipynb")), told({"double": 10, "box": 0}))

    ran = grade("post", "mini", "--to", "out", cwd=root)

    after = {path.name: path.stat().st_mtime_ns for path in (root / "out").iterdir()}
    assert ran.out == snapshot
    assert {name for name in before if before[name] != after[name]} == {"mini-cy.html", "mini-cy.md"}


def test_who_gets_nothing_any_more_loses_the_old_files(root, graded_class, snapshot):
    """A check could not be graded: the student is left out, and what an earlier run wrote is removed."""
    grade("post", "mini", "--to", "out", cwd=root)
    with results(root) as store:
        store.keep("5", by("cy", HandedIn("mini.ipynb")), graded_class.report("eve"))

    ran = grade("post", "mini", "--to", "out", cwd=root)

    assert ran.code == 1
    assert ran.out == snapshot
    assert not [name for name in files(root) if "cy" in name]


def test_one_student_alone(root, snapshot):
    """The files of the others are neither written nor removed."""
    grade("post", "mini", "--to", "out", "--student", "ada", cwd=root)
    ran = grade("post", "mini", "--to", "out", "--student", "bob", cwd=root)
    assert ran.out == snapshot
    assert {name.partition(".")[0] for name in files(root)} == {"mini-ada", "mini-bob"}


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_a_file_of_somebody_else_stays(root, kind, snapshot):
    """Its student is left out, and the line names the file."""
    path = put(root, "out/mini-ada.html", "<p>mine")
    if kind != "file":
        path.unlink()
    if kind == "link":
        path.symlink_to(put(root, "elsewhere.html", "<p>mine"))
    if kind == "folder":
        path.mkdir()

    ran = grade("post", "mini", "--to", "out", cwd=root)

    assert ran.code == 1
    assert ran.out == snapshot
    assert path.is_dir() if kind == "folder" else path.read_text() == "<p>mine"


def test_a_folder_of_two_classes(root):
    """What another results file has written is neither changed nor removed; a copy of it counts as the same."""
    grade("post", "mini", "--to", "out", cwd=root)
    before = files(root)
    with Store(root / "other.db", create=True) as store:
        store.keep("1", by("bob", HandedIn("mini.ipynb")), told({"double": 0, "box": 0}))

    ran = grade("post", "mini", "--to", "out", "--results", "other.db", cwd=root)

    assert (
        ran.code,
        "left out: bob, because out/mini-bob.html perhaps does not come from this results file" in ran.out,
    ) == (1, True)
    assert files(root) == before
    shutil.copy(root / "results.db", root / "copy.db")
    assert "3 as before" in grade("post", "mini", "--to", "out", "--results", "copy.db", cwd=root).out


def test_a_file_that_somebody_edited_or_a_copy_wrote_stays(root):
    """By the record, since a copy has the same id; --take-over replaces it."""
    words = ("post", "mini", "--to", "out")
    grade(*words, cwd=root)
    shutil.copy(root / "results.db", root / "copy.db")
    with Store(root / "copy.db") as store:
        store.keep("4", by("cy", HandedIn("mini.ipynb")), told({"double": 1, "box": 0}))
    assert grade(*words, "--results", "copy.db", cwd=root).code == 0
    edited = root / "out/mini-ada.md"
    edited.write_text(f"{edited.read_text(encoding='utf-8')}\nWell done.\n", encoding="utf-8")
    before = files(root)

    ran = grade(*words, cwd=root)

    assert (ran.code, ran.out.count("not replaced; `grade post` with --take-over replaces it")) == (1, 2)
    assert "left out: cy, because out/mini-cy.html was edited, or written from a copy" in ran.out
    assert files(root) == before
    assert grade(*words, "--take-over", cwd=root).code == 0
    assert "3 as before" in grade(*words, cwd=root).out
    assert "Well done" not in files(root)["mini-ada.md"].decode()


def test_two_folders_at_different_times(root):
    """What this results file wrote long ago into another folder is still its own."""
    for folder, points in (("one", 4), ("two", 5), ("one", 6), ("two", 7)):
        with results(root) as store:
            store.keep(str(points), by("cy", HandedIn("mini.ipynb")), told({"double": points, "box": 0}))
        ran = grade("post", "mini", "--to", folder, cwd=root)
        assert (ran.code, "left out" in ran.out) == (0, False)


def test_names_that_no_disk_should_get(root):
    """Whatever keys a results file has: two files a student, all in the folder, none twice on any disk."""
    keys = [
        "../../up",
        "/etc/passwd",
        "a" * 300,
        "Ada",
        "ADA",
        "e\u0301va",
        "\u00e9va",
        "con",
        ".x",
        "a\nb",
        "..",
        "é" * 99,
    ]
    with results(root) as store:
        for number, key in enumerate(keys):
            store.keep(str(number), by(key, HandedIn("mini.ipynb")), told({"double": 10, "box": 0}))

    ran = grade("post", "mini", "--to", "out", cwd=root)

    assert ran.code == 0, ran.text
    made = files(root)
    assert len(made) == 2 * (len(keys) + 3)
    assert len({same_key(name) for name in made}) == len(made)
    assert {path.name for path in root.iterdir()} == {"assignments", "solutions", "out", "results.db"}


def test_a_reference_is_text():
    """Its code has the signs of HTML; folded into a page it makes no element beside its own."""
    usual = elements_of(feedback._folded_html("x = 1"))
    for text in HOSTILE.values():
        page = feedback._folded_html(f"x = 1\n{text}")
        assert obeyed(page) == []
        assert elements_of(page) == usual, text


# --- What a student may read now


def test_nobody_reads_hidden_checks_before_the_grade_is_final(root, snapshot):
    """With `hidden: final`, as `grade post` does; the files of a final grade are removed again."""
    change(root, "assignments/mini/assignment.yaml", "submission:", "hidden: final\nsubmission:")
    assert grade("post", "mini", "--to", "out", cwd=root).code == 0
    with results(root) as store:
        store.keep_override(Override("mini", "final", "no", "Grace", withdrawn=True))

    ran = grade("post", "mini", "--to", "out", cwd=root)

    assert ran.code == 1
    assert ran.out == snapshot
    assert files(root) == {}


@pytest.mark.parametrize(("repository", "verb"), [("", "hand in"), ("org/ada", "push")])
def test_a_provisional_grade_names_the_last_day(root, repository, verb):
    """With the word for the student's way to hand in."""
    change(root, "assignments/mini/assignment.yaml", "submission:", "due: 2999-12-04T23:59:00Z\nsubmission:")
    with results(root) as store:
        store.keep(
            "8", by("cy", HandedIn("mini.ipynb", repository=repository)), told({"double": 10, "box": 0})
        )
    grade("post", "mini", "--to", "out", "--student", "cy", cwd=root)
    text = f"work that you {verb} by 2999-12-04 23:59 UTC still counts"
    assert text in files(root)["mini-cy.md"].decode()


def test_full_marks_bring_the_reference_where_the_manifest_allows_it(root):
    """Folded, in both files."""
    change(root, "assignments/mini/assignment.yaml", "submission:", "reference: full_marks\nsubmission:")
    grade("post", "mini", "--to", "out", cwd=root)
    for suffix in ("html", "md"):
        assert b"self.number = double(self.number)" in files(root)[f"mini-ada.{suffix}"]
        assert b"self.number = double(self.number)" not in files(root)[f"mini-bob.{suffix}"]


@pytest.mark.parametrize(
    ("due", "extension"),
    [
        ("2999-12-03", ""),  # ada's own grade is provisional
        ("2020-12-03", "student,due\nbob,2999-12-04T23:59:00Z\n"),
        ("2020-12-03", "student,due\nada,2999-12-04T23:59:00Z\n"),
    ],
    ids=["before the due date", "somebody else has more time", "she has more time"],
)
def test_nobody_gets_the_reference_while_work_still_counts(root, due, extension):
    """She would pass it on; the due date and each extension must be over."""
    rules = f"reference: full_marks\ndue: {due}T23:59:00Z\nlate: {{days: 1}}\nsubmission:"
    change(root, "assignments/mini/assignment.yaml", "submission:", rules)
    if extension:
        put(root, "solutions/mini/extensions.csv", extension)
    with results(root) as store:
        store.keep_override(Override("mini", "final", "no", "Grace", withdrawn=True))

    grade("post", "mini", "--to", "out", "--student", "ada", cwd=root)

    for suffix in ("html", "md"):
        page = files(root)[f"mini-ada.{suffix}"]
        assert b"20 of 20 points" in page
        assert b"self.number = double(self.number)" not in page


def test_nothing_to_grade_is_told_without_a_report(graded_class, tmp_path, snapshot):
    """A student whose work could not be read gets the reason alone."""
    root = graded_class.take(tmp_path / "course", "hal", pushed=False).course.root
    grade("post", "mini", "--to", "out", cwd=root)
    page = words(files(root)["mini-hal.html"].decode())
    assert page == snapshot
    assert "checks passed" not in page


# --- Moodle


def read_as_moodle(path, participants):
    """As its importer cuts the names; gives participant and file name of what it takes."""
    taken = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.rpartition("/")[2].startswith((".", "~")):
                continue
            parts = name.split("/")
            while parts:
                info = parts.pop(0).split("_", 4)
                if len(info) < 4 or not info[1].isdigit() or int(info[1]) not in participants:
                    continue
                assert info[2:4] == ["assignsubmission", "file"]
                shown = "/".join([*info[4:], *parts])
                taken[int(info[1]), shown] = archive.read(name)
                break
    return taken


def test_moodle_takes_the_zip_back(root, snapshot):
    """By the participants' numbers of the worksheet, whatever the names are."""
    put(
        root,
        "worksheet.csv",
        f'{WORKSHEET}Participant 11,"Ada _Love_ 7_8",ada@uni.edu,,\nParticipant 12,../~.O\'Bob/,bob@uni.edu,,\n'
        "Participant 13,Zoe,zoe@uni.edu,,\n",
    )
    with results(root) as store:
        for old, new in (("ada", "ada@uni.edu"), ("bob", "bob@uni.edu")):
            store.keep_override(Override("mini", "forget", "renamed", "Grace", old))
            store.keep(new, by(new, HandedIn("mini.ipynb")), told({"double": 10, "box": 0}))

    ran = grade("post", "mini", "--to", "out", "--zip", "moodle", "worksheet.csv", cwd=root)

    assert (ran.code, "out/mini-moodle.zip is new, with the feedback of 2 students" in ran.out) == (0, True)
    made = files(root)
    assert read_as_moodle(root / "out/mini-moodle.zip", {11, 12, 13}) == {
        (11, "mini-feedback.html"): made["mini-ada@uni.edu.html"],
        (12, "mini-feedback.html"): made["mini-bob@uni.edu.html"],
    }
    assert ran.err == snapshot
    again = grade("post", "mini", "--to", "out", "--zip", "moodle", "worksheet.csv", cwd=root)
    assert again.out == snapshot


def test_moodle_needs_the_worksheet(root, snapshot):
    """Its export of grades has no participants' numbers."""
    put(root, "grades.csv", "First name,Surname,Email address\nAda,L,ada@uni.edu\n")
    ran = grade("post", "mini", "--to", "out", "--zip", "moodle", "grades.csv", cwd=root)
    assert ran.code == 2
    assert ran.err == snapshot
    assert not (root / "out").exists()


# --- Canvas


def read_as_canvas(path, submitted):
    """As it infers user and upload; `submitted` has the ids of each user's files."""
    taken = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            parts = [part for part in name.rpartition("/")[2].split("_") if part != "LATE"]
            if parts[0] == "anon":
                user, upload = parts[1:3]
            else:
                user, upload = [part for part in parts if re.fullmatch(r"\d+", part)][:2]
            if int(upload) in submitted.get(user, ()) and not parts[-1].startswith("link"):
                taken[user] = archive.read(name)
    return taken


@pytest.fixture
def canvas(root):
    """An export of Canvas with four uploads and a text, and results by its names."""
    uploads = [
        "lovelaceada_11_501_mini-1.ipynb",
        "lovelaceada_11_502_data.csv",
        "lovelaceada_11_490_mini.ipynb",
        "o_bob_LATE_12_503_mini.py",
        "anon_x7Yz1_504_mini.ipynb",
        "leekim_13_text.html",
    ]
    with zipfile.ZipFile(root / "submissions.zip", "w") as archive:
        for name in uploads:
            archive.writestr(name, "{}")
    with results(root) as store:
        for key in ("lovelaceada-11", "o_bob-12", "anon-x7Yz1", "leekim-13"):
            store.keep(key, by(key, HandedIn("mini.ipynb")), told({"double": 10, "box": 0}))
    return root


def test_canvas_takes_the_zip_back(canvas, snapshot):
    """Beside each student's newest notebook; a notebook as a notebook, because Canvas shows it under that name."""
    ran = grade("post", "mini", "--to", "out", "--zip", "canvas", "submissions.zip", cwd=canvas)

    assert (ran.code, "out/mini-canvas.zip is new, with the feedback of 3 students" in ran.out) == (0, True)
    made = files(canvas)
    taken = read_as_canvas(canvas / "out/mini-canvas.zip", {"11": {501, 502}, "12": {503}, "x7Yz1": {504}})
    assert set(taken) == {"11", "12", "x7Yz1"}
    assert taken["12"] == made["mini-o_bob-12.md"]
    for user, key in (("11", "lovelaceada-11"), ("x7Yz1", "anon-x7Yz1")):
        nbformat.validate(nbformat.reads(taken[user].decode(), as_version=4))
        (cell,) = json.loads(taken[user])["cells"]
        assert cell["source"] == made[f"mini-{key}.md"].decode()
    assert ran.err == snapshot


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"PK\5\6" + bytes(18), "this holds no student's file"), (b"no", "this is not a complete zip file")],
)
def test_canvas_needs_its_export(root, content, words):
    """Nothing is written before that is known."""
    (root / "other.zip").write_bytes(content)
    ran = grade("post", "mini", "--to", "out", "--zip", "canvas", "other.zip", cwd=root)
    assert (ran.code, "other.zip: " in ran.err, words in ran.err) == (2, True, True)
    assert not (root / "out").exists()


def test_an_excused_student_without_work_needs_nothing(root):
    """The line has the reason of the excuse, not what to correct."""
    with results(root) as store:
        store.keep_absent("mini", "dan", Unreached("there is no repository; correct the roster"))
        store.keep_override(Override("mini", "excuse", "ill", "Grace", "dan"))
    ran = grade("post", "mini", "--to", "out", cwd=root)
    assert "  dan  excused: ill\n" in ran.out
    assert "correct the roster" not in ran.out


def test_options_that_belong_elsewhere(root):
    """A zip is made of files, and a folder has no question to answer."""
    for words, said in {
        ("--zip", "moodle", "w.csv"): "--zip works only with --to DIR; add that option",
        ("--to", "out", "--dry-run"): "--dry-run applies only to GitHub; leave it out with --to DIR",
    }.items():
        ran = grade("post", "mini", *words, cwd=root)
        assert (ran.code, said in ran.err) == (2, True)


def test_files_can_be_declared_final(root):
    """A class that hands in elsewhere declares its grades final as one on GitHub does."""
    ran = grade("post", "mini", "--to", "out", "--final", cwd=root)
    assert ran.code in (0, 1), ran.text
    assert "grade post --final" in grade("override", cwd=root).out
