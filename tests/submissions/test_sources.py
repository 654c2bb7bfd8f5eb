"""A folder of students' work: who is in it, which file counts, and what no student gets through."""

import os
import sys
import tracemalloc
import unicodedata

import pytest
from classes import STUB, WORK, fill, link, refused, works
from helpers import grade
from minicourse import put

from grader.errors import Refused
from grader.submissions import tree
from grader.submissions.find import find_works
from grader.submissions.work import FoundStudent, Work

LINKS = pytest.mark.skipif(os.name == "nt", reason="Windows lets ordinary users make no links")
DIFFERING_CASE = pytest.mark.skipif(
    sys.platform != "linux", reason="the disk holds one name in one case only"
)


@pytest.fixture
def subs(tmp_path):
    """The folder of the class, empty."""
    folder = tmp_path / "subs"
    folder.mkdir()
    return folder


def work(assignment, source) -> Work:
    """The work of the only student."""
    (one,) = find_works(assignment, source)
    return one.read()


def trouble(assignment, source) -> str:
    """The trouble of the only student."""
    found = work(assignment, source)
    assert found.data is None
    return found.trouble


# --- Where the submission is


@pytest.mark.parametrize(
    "place",
    [
        "assignments/next/next.ipynb", "assignments/next/next.py", "next.ipynb", "next.py", "week 2/next.ipynb",
        "a/b/c/d/e/f/next.py", "next (1).ipynb", "next-Copy1.ipynb", "work/Next_ada.ipynb", "solution.ipynb",
        "notes/solution.ipynb", "solution.py", "NEXT.IPYNB",
    ],
)  # fmt: skip
def test_where_the_submission_is_found(assignment, subs, place):
    """In its place, at the top, anywhere, under a name that adds to it, or as the only notebook."""
    fill(subs / "ada", {place: WORK, "README.md": "x", "data/x.csv": "1"})

    found = work(assignment, subs)

    assert found.data == WORK.encode()
    assert found.name.lower() == place.lower()
    assert found.name.endswith((".ipynb", ".py"))
    assert (found.trouble, found.submitted, found.verified) == ("", "", False)


def test_the_places_come_in_order(assignment, subs):
    """A file in its own folder counts, whatever other files there are."""
    fill(subs / "ada", {"assignments/next/next.ipynb": WORK, "old/next.ipynb": "other", "x.ipynb": "more"})
    fill(subs / "grace", {"old/next.ipynb": WORK, "next-old.ipynb": "other", "x.ipynb": "more"})

    found = works(assignment, subs)

    assert {name: (one.name, one.data) for name, one in found.items()} == {
        "ada": ("assignments/next/next.ipynb", WORK.encode()),
        "grace": ("old/next.ipynb", WORK.encode()),
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assignments/next/next.ipynb", "next.ipynb"),
        ("next.ipynb", "next.py"),
        ("a/next.ipynb", "b/next.ipynb"),
        ("next (1).ipynb", "next (2).ipynb"),
    ],
)
def test_two_that_differ_are_not_chosen_between(assignment, subs, one, other, snapshot):
    """Both names are said, and what to do."""
    fill(subs / "ada", {one: WORK, other: "x = 1"})

    assert trouble(assignment, subs) == snapshot


def test_two_that_are_the_same_are_one(assignment, subs):
    """A copy is no choice."""
    fill(subs / "ada", {"assignments/next/next.ipynb": WORK, "next.ipynb": WORK})

    assert work(assignment, subs).data == WORK.encode()


@pytest.mark.parametrize(
    "worked", ["next.ipynb", "assignments/next/next.py", "mine/next.ipynb", "next (1).ipynb"]
)
def test_the_untouched_stub_does_not_count_beside_work(assignment, subs, worked):
    """The template brought it along."""
    fill(subs / "ada", {"assignments/next/next.ipynb": STUB, worked: WORK})

    assert work(assignment, subs).name == worked


def test_the_untouched_stub_counts_alone(assignment, subs, snapshot):
    """A notebook of another name beside it may be the work or a lecture's: it is named, and not taken."""
    fill(subs / "ada", {"assignments/next/next.ipynb": STUB})
    assert work(assignment, subs).data == STUB.encode()

    fill(subs / "ada", {"docs/lecture.ipynb": WORK})
    assert work(assignment, subs).data is None
    assert work(assignment, subs).trouble == snapshot


def test_a_notebook_that_the_course_hands_out_is_nobodys_work(assignment, subs):
    """A demonstration beside the stub says nothing of the student."""
    put(assignment.course.root, "assignments/next/demo.ipynb", "{}")
    fill(subs / "ada", {"assignments/next/next.ipynb": STUB, "assignments/next/demo.ipynb": WORK})
    assert work(assignment, subs).data == STUB.encode()


def test_the_only_notebook_is_told_to_the_instructor(assignment, subs, snapshot):
    """It may be another one after all."""
    fill(subs / "ada", {"hw.ipynb": WORK})

    assert work(assignment, subs).notes == snapshot


def test_a_copy_beside_the_checks_is_nobodys_work(assignment, subs, snapshot):
    """Every template brings `checks/stub.ipynb` along; a student who renamed the notebook has one anyway."""
    fill(subs / "ada", {"assignments/next/checks/stub.ipynb": STUB, "assignments/next/My next.ipynb": WORK})
    fill(subs / "bob", {"assignments/next/checks/stub.ipynb": STUB})

    ada, bob = (found.read() for found in find_works(assignment, subs))
    assert ada.name == "assignments/next/My next.ipynb"
    assert bob.data is None
    assert bob.trouble == snapshot


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "there is no next.ipynb; hand in the notebook under this name"),
        ({"notes.txt": "x"}, "there is no next.ipynb; hand in the notebook under this name"),
        ({"mini.ipynb": "x"}, "there is no next.ipynb; hand in the notebook under this name"),
        (
            {"assignments/mini/mini.ipynb": "x"},
            "there is no next.ipynb; hand in the notebook under this name",
        ),
        (
            {"a.ipynb": "1", "b/c.ipynb": "2"},
            "there is no next.ipynb, but there are `a.ipynb` and `b/c.ipynb`; rename the one with the work to `next`, and keep its ending (.ipynb or .py)",
        ),
        (
            {f"{n}.ipynb": str(n) for n in range(5)},
            "there is no next.ipynb, but there are `0.ipynb` and `1.ipynb` and 3 more; rename the one with the work to "
            "`next`, and keep its ending (.ipynb or .py)",
        ),
        (
            {"next.zip": "PK"},
            "there is no next.ipynb; `next.zip` is an archive, and archives are not opened; hand in the notebook itself",
        ),
        ({"next.ipynb/x.txt": "a folder"}, "there is no next.ipynb; hand in the notebook under this name"),
    ],
)
def test_a_folder_without_the_file(assignment, subs, files, why):
    """It is a student with nothing to grade, and words for them."""
    fill(subs / "ada", files)

    assert trouble(assignment, subs) == why


@pytest.mark.parametrize(
    "place",
    [
        ".git/next.ipynb", ".venv/next.py", ".ipynb_checkpoints/next.ipynb", "__MACOSX/next.ipynb",
        "work/.ipynb_checkpoints/next-checkpoint.ipynb", "node_modules/next.py", "._next.ipynb", ".next.ipynb",
        "1/2/3/4/5/6/7/8/9/next.ipynb",
    ],
)  # fmt: skip
def test_where_nobody_looks(assignment, subs, place):
    """Hidden folders, what machines leave behind, and depths that no student works in."""
    fill(subs / "ada", {place: WORK})

    assert trouble(assignment, subs).startswith("there is no next.ipynb")


@pytest.fixture
def small(monkeypatch):
    """A budget of 50 files and folders, which these tests can make."""
    monkeypatch.setattr("grader.submissions.tree.MOST", 50)


FOLDERS = {f"data/{n // 20}/{n}.csv": "" for n in range(60)}  # none of them has too many by itself


@pytest.mark.parametrize(
    "data", [{f"data/{n}.csv": "" for n in range(60)}, FOLDERS, {f".{n}": "" for n in range(51)}]
)
def test_only_so_many_files_are_looked_at(assignment, subs, small, data):
    """A data set that was checked in keeps nobody waiting, hidden names no more than others."""
    fill(subs / "ada", data | {"zzz/next.ipynb": WORK})
    fill(subs / "bob", {"zzz/next.ipynb": WORK})

    found = works(assignment, subs)

    assert found["bob"].data == WORK.encode()
    assert (found["ada"].data, found["ada"].trouble) == (None, "; ".join(tree.TOO_MANY))


def test_work_in_its_place_is_found_beside_a_data_set(assignment, subs, small):
    """The data set beside it is not looked at."""
    fill(subs / "bob", FOLDERS | {"assignments/next/next.ipynb": WORK})

    assert works(assignment, subs)["bob"].data == WORK.encode()


def test_a_folder_is_listed_no_further_than_its_bound(assignment, subs, small, monkeypatch):
    """Half a million names are not read to be counted."""
    fill(subs / "ada", {f"{n}.csv": "" for n in range(500)})
    seen, real = [], tree._entry
    monkeypatch.setattr(tree, "_entry", lambda found: seen.append(found.name) or real(found))

    assert trouble(assignment, subs) == "; ".join(tree.TOO_MANY)
    assert len(seen) < 5 * 51


def test_more_students_than_any_class_has(assignment, subs, small):
    """The folder is at fault, and nobody in it."""
    fill(subs, {f"s{n}.py": "" for n in range(51)})

    with pytest.raises(Refused, match="more than 10,000 files and folders"):
        works(assignment, subs)


def test_all_of_a_students_files_have_one_bound(assignment, subs, monkeypatch):
    """The work and what it continues, and files that are compared with each other."""
    monkeypatch.setattr("grader.submissions.tree.MOST_BYTES", 1_000)
    fill(subs / "ada", {"next.py": "#" * 600, "mini.py": "#" * 600})
    fill(subs / "bob", {f"{n}/next.py": f"{n}" * 400 for n in range(3)})

    found = works(assignment, subs)

    assert (found["ada"].data, found["ada"].earlier) == (b"#" * 600, ())
    assert found["ada"].notes == (f"mini.py: {'; '.join(tree.TOO_MUCH)}",)
    assert (found["bob"].data, found["bob"].trouble) == (None, f"2/next.py: {'; '.join(tree.TOO_MUCH)}")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("next.ipynb", '{"nbformat":4,"cells":[' + '{"cell_type":"c"},' * 300_000 + '{"cell_type":"c"}]}'),
        (
            "NEXT.ipynb",
            '{"nbformat":4,"cells":[' + '{"cell_type":"code","source":[]},' * 150_000 + '{"cell_type":"c"}]}',
        ),
        ("next.py", "# %%\n" * 800_000),
        ("next.py", "a\n" * 3_000_000),
    ],
    ids=["cells", "code cells", "headers", "lines"],
)
def test_what_no_student_writes_is_left_where_it_is(assignment, subs, name, content, snapshot):
    """It is looked at in no more memory than it has itself, and goes nowhere."""
    fill(subs / "ada", {name: content})
    fill(subs / "bob", {"next.py": WORK})

    tracemalloc.start()
    found = works(assignment, subs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found["bob"].data == WORK.encode()
    assert found["ada"].data is None
    assert found["ada"].trouble == snapshot
    assert peak < 4 * len(content) + (2 << 20)


def test_what_is_large_and_cannot_be_read_is_left_where_it_is(assignment, subs, snapshot):
    """It is reported as it would be after grading, and its bytes go nowhere."""
    fill(subs / "ada", {"next.ipynb": '{"nbformat":4,"cells":[' + "[]," * 1_500_000 + "[]]}"})

    found = works(assignment, subs)["ada"]

    assert found.data is None
    assert found.trouble == snapshot


def test_a_file_that_is_too_large(assignment, subs, snapshot):
    """It is not read, be it of holes only."""
    path = fill(subs / "ada", {"next.ipynb": ""}) / "next.ipynb"
    os.truncate(path, tree.MAX_FILE + 1)

    assert trouble(assignment, subs) == snapshot


# --- Links, and what is no file


@LINKS
@pytest.mark.parametrize("place", ["next.ipynb", "assignments/next/next.ipynb", "work/next.py", "only.ipynb"])
def test_no_link_is_followed(assignment, subs, place, snapshot):
    """Wherever it leads: it would be read with the instructor's rights."""
    link(subs / "ada" / place, assignment.solutions / "next.py")

    assert trouble(assignment, subs) == snapshot


@LINKS
@pytest.mark.parametrize("folder", ["assignments", "assignments/next", "work"])
def test_no_link_to_a_folder_is_followed(assignment, subs, tmp_path, folder):
    """The target of a link may be another student's."""
    fill(tmp_path / "bob", {"next/next.ipynb": WORK, "next.ipynb": WORK})
    link(subs / "ada" / folder, tmp_path / "bob")

    assert trouble(assignment, subs).startswith("there is no next.ipynb")


@LINKS
def test_a_link_in_the_place_of_a_student(assignment, subs, tmp_path, snapshot):
    """The student is there, and has nothing to grade."""
    fill(tmp_path / "bob", {"next.ipynb": WORK})
    link(subs / "ada", tmp_path / "bob")
    link(subs / "grace.ipynb", tmp_path / "bob/next.ipynb")

    found = works(assignment, subs)

    assert found["ada"].trouble == snapshot
    assert found["grace"].trouble == snapshot


@LINKS
def test_a_link_that_comes_between_finding_and_reading(assignment, subs):
    """It is not followed either."""
    fill(subs / "ada", {"work/next.ipynb": WORK})
    (one,) = find_works(assignment, subs)
    (subs / "ada/work").rename(subs / "away")
    link(subs / "ada/work", subs / "away")

    assert one.read().data is None


@LINKS
def test_the_source_itself_may_be_a_link(assignment, subs, tmp_path):
    """It is the instructor's."""
    fill(subs / "ada", {"next.ipynb": WORK})

    assert work(assignment, link(tmp_path / "here", subs)).data == WORK.encode()


@LINKS
def test_a_second_name_of_a_file_of_the_courses(assignment, subs, snapshot):
    """On one disk a student could hand in the reference so."""
    fill(subs, {"ada/": ""})
    reference = assignment.solutions / "next.py"
    (subs / "ada/next.py").hardlink_to(reference)
    (subs / "own.py").write_text(WORK)
    (subs / "ada/other.py").hardlink_to(subs / "own.py")

    found = works(assignment, subs)

    assert found["ada"].trouble == snapshot
    assert found["own"].data == WORK.encode()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes on the disk")
@pytest.mark.parametrize("place", ["ada/next.ipynb", "ada.ipynb"])
def test_a_pipe_keeps_nobody_waiting(assignment, subs, place, snapshot):
    """It is not opened."""
    (subs / place).parent.mkdir(exist_ok=True)
    os.mkfifo(subs / place)

    assert trouble(assignment, subs) == snapshot


# --- Who the students are


def test_folders_and_files_side_by_side(assignment, subs):
    """By their keys, in order; what is neither is nobody's work."""
    fill(
        subs,
        {
            "grace.py": WORK, "ada.ipynb": WORK, "bob/next.ipynb": WORK, "eve/": "", "README.md": "x",
            "roster.csv": "student\n", ".DS_Store": "x", ".git/HEAD": "x", "__MACOSX/._ada.ipynb": "x",
        },
    )  # fmt: skip

    found = find_works(assignment, subs)

    assert [one.student for one in found] == ["ada", "bob", "eve", "grace"]
    assert found[0].read() == Work(name="ada.ipynb", data=WORK.encode(), student="ada")
    assert found[3].read().name == "grace.py"


def test_nothing_is_read_before_its_turn(assignment, subs):
    """Changes until then are graded, too."""
    fill(subs, {"ada.py": "old"})
    (one,) = find_works(assignment, subs)
    (subs / "ada.py").write_text(WORK)

    assert isinstance(one, FoundStudent)
    assert one.read().data == WORK.encode()


@pytest.mark.parametrize(
    ("one", "other"), [("ada.ipynb", "ada.py"), ("ada", "ada.py"), ("Kim Lee", "Kim-Lee.py"), ("con", "con_")]
)
def test_two_that_would_be_one_student(assignment, subs, one, other, snapshot):
    """Refused with both names, for one of them would be lost."""
    fill(subs, {name if "." in name else f"{name}/next.py": WORK for name in (one, other)})

    told = refused(assignment, subs)

    assert told == snapshot


@DIFFERING_CASE
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ADA", "ada"),
        ("ADA.ipynb", "ada.py"),
        ("Émile", unicodedata.normalize("NFD", "émile")),
        ("ada", "ａda"),
    ],
)
def test_names_that_differ_only_in_how_they_are_written(assignment, subs, one, other, snapshot):
    """A Mac's disk could hold one of them only."""
    fill(subs, {name if "." in name else f"{name}/next.py": WORK for name in (one, other)})

    assert refused(assignment, subs) == snapshot


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("Ada Lovelace", "Ada-Lovelace"),
        ("=HYPERLINK(1)", "HYPERLINK-1"),
        ("-rf", "rf"),
        ("con", "con_"),
        ("ada 😀", "ada"),
        ("a\x1b[31mb", "a-31mb"),
        ("a\nb", "a-b"),
        ("李明", "李明"),
        ("émile", "émile"),
        ("x" * 150, "x" * 99),
    ],
)
def test_names_that_are_no_keys(assignment, subs, name, student):
    """They are made into one."""
    fill(subs / name, {"next.py": WORK})

    assert [one.student for one in find_works(assignment, subs)] == [student]


@pytest.mark.skipif(sys.platform != "linux", reason="other disks hold text only")
def test_names_that_are_no_text(assignment, subs):
    """Linux lets anybody write any bytes; what comes out can be stored and printed."""
    folder = os.fsencode(subs) + b"/ad\xe9"
    os.mkdir(folder)  # noqa: PTH102  a Path holds no bytes
    with open(folder + b"/next-\xe9.py", "wb") as file:  # noqa: PTH123
        file.write(WORK.encode())

    (one,) = find_works(assignment, subs)

    assert one.student == "ad"
    assert one.read().name == "next-?.py"


def test_a_name_of_which_nothing_is_left(assignment, subs, snapshot):
    """No other student appears in its place."""
    fill(subs / "😀", {"next.py": WORK})

    assert refused(assignment, subs) == snapshot


def test_a_zip_in_the_place_of_a_student(assignment, subs, snapshot):
    """It is reported, not left out."""
    fill(subs, {"ada.zip": "PK", "bob.py": WORK})

    assert works(assignment, subs)["ada"].trouble == snapshot


# --- What it continues


@pytest.mark.parametrize(
    ("place", "earlier"),
    [
        ("assignments/next/next.ipynb", "assignments/mini/mini.ipynb"),
        ("assignments/next/next.ipynb", "assignments/next/mini.py"),
        ("next.ipynb", "mini.ipynb"),
        ("next.py", "mini.ipynb"),
        ("next.py", "assignments/mini/mini.py"),
        ("hw/next/next.py", "hw/mini/mini.py"),
    ],
)
def test_what_it_continues(assignment, subs, place, earlier):
    """It is beside the submission, or in its own assignment's folder."""
    fill(subs / "ada", {place: WORK, earlier: "x = 1"})

    assert work(assignment, subs).earlier == ((earlier, b"x = 1"),)


def test_of_two_earlier_ones_the_one_that_was_worked_in(assignment, subs):
    """The untouched stub does not count here either."""
    fill(subs / "ada", {"next.ipynb": WORK, "mini.ipynb": "{}", "mini.py": "x = 1"})

    assert work(assignment, subs).earlier == (("mini.py", b"x = 1"),)


@LINKS
def test_an_earlier_one_that_cannot_be_read(assignment, subs, snapshot):
    """It does not cost this one, and the instructor is informed."""
    fill(subs / "ada", {"next.ipynb": WORK})
    link(subs / "ada/mini.ipynb", assignment.solutions / "mini.py")

    found = work(assignment, subs)

    assert (found.data, found.earlier) == (WORK.encode(), ())
    assert found.notes == snapshot


def test_another_students_is_not_continued(assignment, subs):
    """Files named by student have none."""
    fill(subs, {"ada.py": WORK, "mini.py": "x = 1"})

    assert works(assignment, subs)["ada"].earlier == ()


# --- What is no source


def test_what_is_no_source(assignment, tmp_path, snapshot):
    """Each says what it is, and what to give."""
    fill(tmp_path / "x", {"a.ipynb": WORK, "a.tar.gz": b"\x1f\x8b", "empty/README.md": "x"})

    told = {
        name: refused(assignment, tmp_path / "x" / name) for name in ("no", "a.ipynb", "a.tar.gz", "empty")
    }

    assert told == snapshot


@pytest.mark.parametrize("place", ["assignments/next/next.ipynb", "next.ipynb", "next.py"])
def test_one_students_folder_is_no_class(assignment, subs, place, snapshot):
    """It would be taken for a class of the students `assignments` and `docs`."""
    fill(subs, {place: WORK, "docs/x.md": ""})

    assert refused(assignment, subs) == snapshot


def test_the_only_student_is_no_wrapper(assignment, subs):
    """Though the folder holds several."""
    fill(subs / "ada", {"docs/x": "", "src/x": "", "hw/next.py": WORK})

    assert list(works(assignment, subs)) == ["ada"]


def test_the_command_line_still_starts_without_sources(tmp_path):
    """`grade day2` reads no archive."""
    ran = grade("--help", cwd=tmp_path, env=os.environ | {"PYTHONPROFILEIMPORTTIME": "1"}, cold=True)

    assert "grader.cli" in ran.text
    assert "grader.submissions" not in ran.text
