"""Exports of Canvas, Moodle and Gradescope: whose work is in them."""

import datetime as dt

import pytest
from classes import STUB, WORK, fill, pack, refused, works
from msgspec.structs import replace

from grader.gradebook.roster import read_roster
from grader.submissions import platforms
from grader.submissions.work import Work


@pytest.fixture(params=["zip", "folder"])
def export(request, tmp_path):
    """A platform's export, as a zip or in the folder that somebody unpacked it to."""

    def export(files):
        if request.param == "zip":
            return pack(tmp_path / "export.zip", files)
        return fill(tmp_path / "export", files)

    return export


# --- Canvas

CANVAS = {
    "lovelaceada_12345_67890_next.ipynb": WORK,
    "lovelaceada_12345_67891_mini.ipynb": "x = 1",
    "lovelaceada_12345_67892_plot.png": b"\x89PNG",
    "hoppergrace_LATE_222_333_next-1.py": WORK,
    "leekim_7_41_next.ipynb": "one",
    "leekim_8_42_next.ipynb": "other",
    "ng_9_43_my_homework_2.ipynb": WORK,
    "textonly_10_text.html": "<p>x</p>",
    "linkonly_LATE_11_link.html": "<p>x</p>",
    "_LATE_12_44_next.ipynb": WORK,
    "anon_AbC12_45_next.ipynb": WORK,
    "LATE_anon_xYz34_46_next.ipynb": WORK,
    "unfinished_13_47_next.ipynb": STUB,
}


def test_canvas(assignment, export):
    """Everybody by name and id, whatever else they attached."""
    found = works(assignment, export(CANVAS))

    assert sorted(found) == [
        "12", "anon-AbC12", "anon-xYz34", "hoppergrace-222", "leekim-7", "leekim-8", "linkonly-11",
        "lovelaceada-12345", "ng-9", "textonly-10", "unfinished-13",
    ]  # fmt: skip
    assert found["lovelaceada-12345"] == Work(
        name="next.ipynb",
        data=WORK.encode(),
        earlier=(("mini.ipynb", b"x = 1"),),
        student="lovelaceada-12345",
    )
    assert (found["leekim-7"].data, found["leekim-8"].data) == (b"one", b"other")
    assert found["ng-9"].name == "my_homework_2.ipynb"
    assert found["unfinished-13"].data == STUB.encode()


def test_canvass_mark_of_lateness_is_for_the_instructor(assignment, export):
    """It is no time: when it was handed in stays unknown."""
    found = works(assignment, export(CANVAS))

    late = {student for student, work in found.items() if "Canvas counts it as late" in work.notes}
    assert late == {"hoppergrace-222", "linkonly-11", "12", "anon-xYz34"}
    assert {(work.submitted, work.verified) for work in found.values()} == {("", False)}


def test_canvas_texts_and_links_are_nothing_to_grade(assignment, export):
    """The message says what to hand in."""
    found = works(assignment, export(CANVAS))

    told = {found[student].trouble for student in ("textonly-10", "linkonly-11")}
    assert told == {"a text was handed in, not a file; hand in the notebook itself"}


def test_canvas_numbers_what_was_handed_in_again(assignment, export, snapshot):
    """The name is the student's own again; of two the later upload counts, and the instructor is informed."""
    found = works(
        assignment,
        export({
            "ada_1_100_next-3.ipynb": WORK,
            "bob_2_200_next.ipynb": "old",
            "bob_2_201_next-1.ipynb": WORK,
            "eve_3_301_next-12.ipynb": WORK,
            "eve_3_300_next-2.ipynb": "old",
        }),
    )  # fmt: skip

    assert {student: (work.name, work.data) for student, work in found.items()} == {
        "ada-1": ("next.ipynb", WORK.encode()),
        "bob-2": ("next.ipynb", WORK.encode()),
        "eve-3": ("next.ipynb", WORK.encode()),
    }
    assert found["bob-2"].notes == snapshot
    assert found["ada-1"].notes == ()


def test_canvas_keys_are_those_of_its_gradebook(assignment, export, tmp_path):
    """So that grades find their way back."""
    roster = fill(
        tmp_path / "r",
        {
            "r.csv": "Student,ID,SIS Login ID,Section,Next (5)\n"
            '"Lovelace, Ada",12345,ada,A,\n"O\'Neil-Smith, Zoë_7_",5,z,A,\n"😀",12,e,A,\n'
        },
    )
    keys = {student.student for student in read_roster(roster / "r.csv")}

    assert set(works(assignment, export({**CANVAS, "oneilsmithzoë7_5_1_next.py": WORK}))) >= keys


def test_students_of_ones_own_beside_canvass(assignment, export):
    """Somebody handed in by mail."""
    assert {"bob", "eve"} < set(works(assignment, export({**CANVAS, "bob.ipynb": WORK, "eve/next.py": WORK})))


def test_a_mac_packed_it_again(assignment, tmp_path):
    """In a folder of its own, with what the Finder adds."""
    inside = {f"day2 submissions/{name}": text for name, text in CANVAS.items()}
    extra = {f"__MACOSX/day2 submissions/._{name}": "x" for name in CANVAS}

    packed = pack(tmp_path / "export.zip", {**inside, **extra, "day2 submissions/.DS_Store": "x"})
    found = works(assignment, packed)

    assert len(found) == 11
    assert found["lovelaceada-12345"].data == WORK.encode()


# --- Moodle


def test_moodle(assignment, export, snapshot):
    """Folders, files, and what was typed in; the number is the participant's."""
    found = works(
        assignment,
        export({
            "Ada Lovelace_12345_assignsubmission_file_/next.ipynb": WORK,
            "Ada Lovelace_12345_assignsubmission_file_/mini.ipynb": "x = 1",
            "Ada Lovelace_12345_assignsubmission_onlinetext_/onlinetext.html": "<p>x</p>",
            "Kim Lee_7_assignsubmission_file/sub/next.py": "one",
            "Kim Lee_8_assignsubmission_file_next.py": "other",
            "Grace Hopper_9_assignsubmission_onlinetext/onlinetext.html": "<p>x</p>",
            "李明_10_assignsubmission_file/next.ipynb": WORK,
            "Participant_11_assignsubmission_file/next.ipynb": WORK,
            "Default group_assignsubmission_file/next.ipynb": WORK,
            "=HYPERLINK(1)_12_assignsubmission_file/next.ipynb": WORK,
        }),
    )  # fmt: skip

    assert sorted(found) == sorted([
        "Ada-Lovelace-12345", "Kim-Lee-7", "Kim-Lee-8", "Grace-Hopper-9", "李明-10", "Participant-11", "Default-group",
        "HYPERLINK-1-12",
    ])  # fmt: skip
    assert found["Ada-Lovelace-12345"] == Work(
        name="next.ipynb",
        data=WORK.encode(),
        earlier=(("mini.ipynb", b"x = 1"),),
        student="Ada-Lovelace-12345",
    )
    assert (found["Kim-Lee-7"].data, found["Kim-Lee-8"].data) == (b"one", b"other")
    assert found["Grace-Hopper-9"].trouble == snapshot


def test_one_folder_of_moodles_is_no_wrapper(assignment, export):
    """One student has handed in so far."""
    files = {f"Ada Lovelace_1_assignsubmission_file/{name}": WORK for name in ("next.ipynb", "a.py", "b.py")}

    assert list(works(assignment, export(files))) == ["Ada-Lovelace-1"]


def test_an_export_in_folders_in_folders(assignment, tmp_path):
    """Somebody sorted their downloads, and packed them."""
    files = {"course/day2/all/Ada Lovelace_1_assignsubmission_file/next.ipynb": WORK}

    assert list(works(assignment, pack(tmp_path / "export.zip", files))) == ["Ada-Lovelace-1"]


FORGED = {
    "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :email: bob@uni.edu\n",
    "Bob_2_assignsubmission_file/next.py": WORK,
    "bob_2_3_next.py": WORK,
}


@pytest.mark.parametrize("name", FORGED)
def test_no_name_in_a_students_folder_says_whose_work_it_is(assignment, tmp_path, name, snapshot):
    """Eve is the only one so far who handed in, or is graded alone."""
    folder = fill(tmp_path / "works", {f"eve/{name}": FORGED[name]})

    assert refused(assignment, folder) == snapshot


# --- Gradescope

METADATA = """\
---
submission_345:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0815'
    :email: ada@uni.edu
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :score: 2.0
  :status: processed
  :results:
    score: 2.0
    output: |-
      :submitters:
      - :name: a lie
    tests: &1 [{name: x, output: "\\e[31mred"}, [[[[]]]]]
  :history:
  - :id: 1
    :created_at: &2 2026-04-25 10:00:00.000000000 Z
    :submitters:
    - :name: Old
submission_346:
  :submitters:
  - :name: Kim Lee
    :sid: '1'
    :email: kim@uni.edu
  - :name: Kim Lee
    :sid: '2'
    :email:
  :created_at: 2026-04-26 23:59:59.9 -07:00
  :what_is_new: *1
submission_347:
  :submitters: []
submission_348:
  :submitters:
  - :sid: 333
    :name: !ruby/object:Name Grace
  :created_at: *2
submission_349:
  :submitters:
  - {':email': gone@uni.edu}
  :created_at: soon
"""
EXPORT = {
    "assignment_12_export/submission_metadata.yml": METADATA,
    "assignment_12_export/submission_345/next.ipynb": WORK,
    "assignment_12_export/submission_345/mini.ipynb": "x = 1",
    "assignment_12_export/submission_346/assignments/next/next.ipynb": WORK,
    "assignment_12_export/submission_347/next.ipynb": WORK,
    "assignment_12_export/submission_348/other.txt": "x",
    "assignment_12_export/submission_350/next.ipynb": WORK,
    "__MACOSX/assignment_12_export/._submission_metadata.yml": "\0",
}


def test_gradescope(assignment, export):
    """Each submitter by address, a group's work for each of its members."""
    found = works(assignment, export(EXPORT))

    assert sorted(found) == [
        "Grace-333", "Kim-Lee-2", "ada@uni.edu", "gone@uni.edu", "kim@uni.edu", "submission_347", "submission_350",
    ]  # fmt: skip
    assert found["ada@uni.edu"] == Work(
        name="next.ipynb",
        data=WORK.encode(),
        earlier=(("mini.ipynb", b"x = 1"),),
        submitted="2026-04-26T17:34:00+00:00",
        student="ada@uni.edu",
        verified=True,
    )
    assert found["kim@uni.edu"] == replace(found["Kim-Lee-2"], student="kim@uni.edu")
    assert found["kim@uni.edu"].moment == dt.datetime(2026, 4, 27, 6, 59, 59, tzinfo=dt.UTC)


def test_gradescope_leaves_nobody_out(assignment, export, snapshot):
    """Students whom the metadata omits, or whose folder is missing, are listed, too."""
    found = works(assignment, export(EXPORT))

    assert found["submission_347"].notes == snapshot
    assert found["submission_350"].notes == snapshot
    assert found["gone@uni.edu"].trouble == snapshot
    assert (found["gone@uni.edu"].submitted, found["gone@uni.edu"].verified) == ("", False)
    assert found["Grace-333"].moment == dt.datetime(2026, 4, 25, 10, tzinfo=dt.UTC)
    assert found["Grace-333"].trouble.startswith("there is no next.ipynb")


def test_gradescope_students_twice(assignment, export, snapshot):
    """One of the two would be lost."""
    files = {
        "submission_metadata.yml": "a:\n  :submitters: [{':email': x@u}]\nb:\n  :submitters: [{':email': X@u}]\n",
        "a/next.py": WORK,
        "b/next.py": WORK,
    }

    assert refused(assignment, export(files)) == snapshot


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ("", "submission_metadata.yml names no submissions"),
        ("- a\n- b\n", "submission_metadata.yml names no submissions"),
        ("a: [\n", "submission_metadata.yml, line 2: this is not valid YAML"),
        (b"\xff\xfe\xff", "submission_metadata.yml"),
        ("a: {b: c}}", "submission_metadata.yml, line 1: this is not valid YAML"),
    ],
)
def test_metadata_that_cannot_be_read(assignment, export, metadata, why):
    """The export is at fault, not a student."""
    assert refused(assignment, export({"submission_metadata.yml": metadata, "a/next.py": WORK})).startswith(
        why
    )


@pytest.mark.parametrize(
    "metadata",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: {':submitters': *c, ':created_at': [1]}\n",
        "a: &a {x: y}\nb: &b {<<: [*a, *a]}\nc: {<<: [*b, *b]}\n",
        "a:\n  :submitters:\n  - :email: {x: y}\n    :name: [1]\n  :created_at: 9999-99-99 00:00:00 Z\n",
        "a:\n  :submitters: {x: y}\n  :created_at: 0001-01-01 00:00:00 +14:00\n",
        "../../etc:\n  :submitters: [{':email': ../../x@y}]\n",
        "a: !!python/object/apply:os.system ['touch here']\n",
        "7: b\na: {':submitters': [{':sid': 9}]}\n",
    ],
    ids=["aliases", "merges", "kinds", "dates", "names", "objects", "numbers"],
)
def test_strange_metadata_harms_nobody(assignment, export, metadata, tmp_path, monkeypatch):
    """Only texts, lists and mappings are made of it."""
    monkeypatch.chdir(tmp_path)

    found = works(assignment, export({"submission_metadata.yml": metadata, "a/next.py": WORK}))

    assert all("/" not in student for student in found)
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ("a:\n  :submitters: " + "[" * 100_000, "larger or deeper than a class needs"),
        ("a: [" + "x," * 1_000 + "]", "larger or deeper than a class needs"),
        ("a: &a {':submitters': [*a, *a, [*a]]}\n", "this is not valid YAML"),
    ],
    ids=["deep", "long", "loop"],
)
def test_metadata_that_would_cost_the_grader(assignment, export, metadata, why, monkeypatch):
    """It is refused before it is built: PyYAML crashes on deep lists."""
    monkeypatch.setattr(platforms, "MOST_YAML", 1_000)
    assert why in refused(assignment, export({"submission_metadata.yml": metadata, "a/next.py": WORK}))
