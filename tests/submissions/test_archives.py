"""A platform's zip: whose work is in it, and the archives that nobody should unpack."""

import datetime as dt
import gc
import os
import stat
import struct
import tracemalloc
import zipfile
import zlib

import pytest
from classes import STUB, build_two, fill, pack
from msgspec.structs import replace

from grader.errors import Refused
from grader.gradebook.roster import read_roster
from grader.submissions import archive, find_works, tree
from grader.submissions.work import Work

WORK = "def double(x): return 2 * x\n"


@pytest.fixture
def assignment(tmp_path):
    """`next`, which continues `mini`."""
    return build_two(tmp_path / "course")


@pytest.fixture
def path(tmp_path):
    """Where the zip will be."""
    return tmp_path / "export.zip"


def works(assignment, source) -> dict[str, Work]:
    """Each student's work."""
    return {one.student: one.read() for one in find_works(assignment, source)}


def refused(assignment, source) -> str:
    """Why nobody of the source can be graded, without its name."""
    with pytest.raises(Refused) as caught:
        find_works(assignment, source)
    text = str(caught.value)
    assert text.startswith(f"{source}: ")
    return text.removeprefix(f"{source}: ")


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
    """And say what to hand in."""
    found = works(assignment, export(CANVAS))

    told = {found[student].trouble for student in ("textonly-10", "linkonly-11")}
    assert told == {"a text was handed in, not a file; hand in the notebook itself"}


def test_canvas_numbers_what_was_handed_in_again(assignment, export):
    """The name is the student's own again; of two the later upload counts, and the instructor is told."""
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
    assert found["bob-2"].notes == ("`next-1.ipynb` was taken, which is later than `next.ipynb`",)
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


def test_a_mac_packed_it_again(assignment, export):
    """In a folder of its own, with what the Finder adds."""
    inside = {f"day2 submissions/{name}": text for name, text in CANVAS.items()}
    extra = {f"__MACOSX/day2 submissions/._{name}": "x" for name in CANVAS}

    found = works(assignment, export({**inside, **extra, "day2 submissions/.DS_Store": "x"}))

    assert len(found) == 11
    assert found["lovelaceada-12345"].data == WORK.encode()


# --- Moodle


def test_moodle(assignment, export):
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
    assert found["Grace-Hopper-9"].trouble.startswith("a text was handed in, not a file")


def test_one_folder_of_moodles_is_no_wrapper(assignment, export):
    """One student has handed in so far."""
    files = {f"Ada Lovelace_1_assignsubmission_file/{name}": WORK for name in ("next.ipynb", "a.py", "b.py")}

    assert list(works(assignment, export(files))) == ["Ada-Lovelace-1"]


def test_an_export_in_folders_in_folders(assignment, export):
    """Somebody sorted their downloads."""
    files = {"course/day2/all/Ada Lovelace_1_assignsubmission_file/next.ipynb": WORK}

    assert list(works(assignment, export(files))) == ["Ada-Lovelace-1"]


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


def test_gradescope_leaves_nobody_out(assignment, export):
    """Not whom the metadata forgets, and not whose folder is missing."""
    found = works(assignment, export(EXPORT))

    assert found["submission_347"].notes == ("Gradescope names nobody who handed it in",)
    assert found["submission_350"].notes == ("submission_metadata.yml does not name it",)
    assert found["gone@uni.edu"].trouble == "there is no `submission_349` in the export"
    assert (found["gone@uni.edu"].submitted, found["gone@uni.edu"].verified) == ("", False)
    assert found["Grace-333"].moment == dt.datetime(2026, 4, 25, 10, tzinfo=dt.UTC)
    assert found["Grace-333"].trouble.startswith("there is no next.ipynb")


def test_gradescope_students_twice(assignment, export):
    """One of the two would be lost."""
    files = {
        "submission_metadata.yml": "a:\n  :submitters: [{':email': x@u}]\nb:\n  :submitters: [{':email': X@u}]\n",
        "a/next.py": WORK,
        "b/next.py": WORK,
    }

    assert refused(assignment, export(files)).startswith("`a` and `b` are both of the student `")


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ("", "submission_metadata.yml names no submissions"),
        ("- a\n- b\n", "submission_metadata.yml names no submissions"),
        ("a: [\n", "submission_metadata.yml, line 2: this is not YAML"),
        (b"\xff\xfe\xff", "submission_metadata.yml"),
        ("a: {b: c}}", "submission_metadata.yml, line 1: this is not YAML"),
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
        "a:\n  :submitters: " + "[" * 2_000 + "]" * 2_000,
        "a: &a {':submitters': [*a, *a, [*a]]}\n",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: {':submitters': *c, ':created_at': [1]}\n",
        "a:\n  :submitters:\n  - :email: {x: y}\n    :name: [1]\n  :created_at: 9999-99-99 00:00:00 Z\n",
        "a:\n  :submitters: {x: y}\n  :created_at: 0001-01-01 00:00:00 +14:00\n",
        "../../etc:\n  :submitters: [{':email': ../../x@y}]\n",
        "a: !!python/object/apply:os.system ['touch here']\n",
    ],
    ids=["deep", "loop", "aliases", "kinds", "dates", "names", "objects"],
)
def test_strange_metadata_harms_nobody(assignment, export, metadata, tmp_path, monkeypatch):
    """Nothing of it is built that is not asked for."""
    monkeypatch.chdir(tmp_path)

    found = works(assignment, export({"submission_metadata.yml": metadata, "a/next.py": WORK}))

    assert all("/" not in student for student in found)
    assert not (tmp_path / "here").exists()


# --- A plain zip


@pytest.mark.parametrize("top", ["", "day2 class/"])
def test_a_zip_of_folders_and_files(assignment, path, top):
    """With a folder of its own around them, or without."""
    files = {"ada/next.ipynb": WORK, "bob.py": WORK, "eve/": "", "grace/assignments/next/next.ipynb": WORK}
    pack(path, {top + name: text for name, text in files.items()} | {"__MACOSX/x": "", f"{top}.DS_Store": ""})

    found = works(assignment, path)

    assert list(found) == ["ada", "bob", "eve", "grace"]
    assert found["eve"].trouble == "there is no next.ipynb; hand in the notebook under this name"


@pytest.mark.parametrize(
    "files",
    [
        {"ada/next.ipynb": WORK, "ada/x/y": "", "ada/z/y": ""},
        {"ada/assignments/next/next.ipynb": WORK, "ada/docs/x.md": ""},
        {"ada/homework.ipynb": WORK},
    ],
)
def test_a_zip_of_one_student(assignment, path, files):
    """The folder is theirs."""
    assert works(assignment, pack(path, files))["ada"].data == WORK.encode()


def test_bytes_are_read_when_it_is_their_turn(assignment, path, tmp_path):
    """And nothing is written beside the archive."""
    pack(path, {f"s{n}/next.py": f"n = {n}\n" for n in range(50)})
    found = find_works(assignment, path)
    before = sorted(tmp_path.iterdir())

    assert [one.read().data for one in reversed(found[:3])] == [b"n = 10\n", b"n = 1\n", b"n = 0\n"]
    assert sorted(tmp_path.iterdir()) == before


def test_an_archive_closes_by_itself(assignment, path):
    """Without a warning, when nobody needs it any more."""
    found = find_works(assignment, pack(path, {"ada.py": WORK}))
    assert found[0].read().data == WORK.encode()

    del found
    gc.collect()


def test_names_of_a_mac_without_the_mark_of_utf_8(assignment, path):
    """They are in UTF-8 all the same."""
    packed = bytearray(pack(path, {"émile/next.py": WORK}).read_bytes())
    for head, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # of the entry and of the directory
        place = packed.index(head) + flags
        assert packed[place : place + 2] == b"\x00\x08"
        packed[place + 1] = 0
    path.write_bytes(packed)

    assert list(works(assignment, path)) == ["émile"]


# --- Archives that nobody should unpack


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    """An entry as Unix writes it."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def pack_infos(path, *infos, text=WORK):
    """A zip of these entries and of one honest student's work."""
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("ada/next.py", WORK)
        for info in infos:
            packed.writestr(info, text)
    return path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x.py", "would lead out of the folder"),
        ("bob/../../x.py", "would lead out of the folder"),
        ("bob/..", "would lead out of the folder"),
        ("bob\\next.py", "would lead out of the folder"),
        ("..\\..\\x.py", "would lead out of the folder"),
        ("/etc/x.py", "begins at the root of a disk"),
        ("C:x.py", "begins at the root of a disk"),
        ("c:/x.py", "begins at the root of a disk"),
    ],
)
def test_names_that_lead_elsewhere(assignment, path, name, why):
    """Nothing is unpacked, and yet nobody of such an archive is graded."""
    info = entry("placeholder")
    info.filename = name  # the constructor would make it harmless

    told = refused(assignment, pack_infos(path, info))

    assert told.startswith(f"`{name}` in it: the name ")
    assert why in told
    assert told.endswith("Download it again, or take this entry out and try again")


def test_a_name_with_a_zero_byte(assignment, path):
    """Some programs read it to there, others further."""
    packed = pack_infos(path, entry("bob/next.pyX.txt")).read_bytes()
    path.write_bytes(packed.replace(b"next.pyX.txt", b"next.py\0.txt"))

    assert "would lead out of the folder" in refused(assignment, path)


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (stat.S_IFLNK | 0o777, "it is a symbolic link"),
        (stat.S_IFIFO | 0o644, "it is a device, a pipe or a socket"),
        (stat.S_IFCHR | 0o644, "it is a device, a pipe or a socket"),
        (stat.S_IFBLK | 0o644, "it is a device, a pipe or a socket"),
        (stat.S_IFSOCK | 0o644, "it is a device, a pipe or a socket"),
    ],
)
def test_links_and_devices(assignment, path, mode, why):
    """By the mode that Unix keeps."""
    told = refused(assignment, pack_infos(path, entry("bob/next.py", mode), text="/etc/passwd"))

    assert told.startswith(f"`bob/next.py` in it: {why}; nothing of the archive was read")


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("bob/next.py", "bob/next.py", "this name is in it twice"),
        ("bob/next.py", "bob/NEXT.py", "its name and `bob/next.py` differ only in how they are written"),
        ("bob/next.py", "Bob/other.py", "its name and `bob` differ only in how they are written"),
        ("bob/é.py", "bob/e\u0301.py", "its name and `bob/é.py` differ only in how they are written"),
        ("bob/next.py", "bob//next.py", "this name is in it twice"),
        ("bob/next.py", "./bob/./next.py", "this name is in it twice"),
        ("bob", "bob/next.py", "this name is in it twice"),
        ("bob/next.py", "bob", "this name is in it twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_twice(assignment, path, one, other, why):
    """One of the two would be graded, and who knows which."""
    told = refused(assignment, pack_infos(path, entry(one), entry(other)))

    assert f" in it: {why}" in told


def test_folders_may_be_named_twice(assignment, path):
    """Some programs do; nothing is lost."""
    with pytest.warns(UserWarning, match="Duplicate name"):
        pack_infos(path, entry("bob/", stat.S_IFDIR | 0o755), entry("bob/", stat.S_IFDIR | 0o755))

    assert list(works(assignment, path)) == ["ada", "bob"]


def flagged(path, flag):
    """The archive with a flag set for its last entry, in both places."""
    packed = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        packed[packed.rfind(signature) + offset] |= flag
    path.write_bytes(packed)
    return path


@pytest.mark.parametrize("flag", [0x1, 0x40])
def test_encrypted_entries(assignment, path, flag):
    """Nobody is asked for a password."""
    told = refused(assignment, flagged(pack_infos(path, entry("bob/next.py")), flag))

    assert told.startswith("`bob/next.py` in it: it is encrypted")


@pytest.mark.parametrize("level", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_uncommon_ways_of_packing(assignment, path, level):
    """They unpack to any size at once."""
    assert "it is packed in a way that only some programs know" in refused(
        assignment, pack(path, {"ada.py": WORK * 100}, level=level)
    )


def test_too_many_entries(assignment, path, monkeypatch):
    """They are counted before anything else is done."""
    monkeypatch.setattr(archive, "MOST_ENTRIES", 20)

    told = refused(assignment, pack(path, {f"s{n}.py": "" for n in range(21)}))

    assert told.startswith("21 files are in it, and 20 are the most")


def test_a_list_at_the_end_that_is_too_long(assignment, path, monkeypatch):
    """It is not even read."""
    monkeypatch.setattr(archive, "MOST_DIRECTORY", 1000)
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_: pytest.fail("it was read"))

    path.write_bytes(b"PK\3\4" + b"x" * 100 + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 5000, 10, 0))

    assert refused(assignment, path).startswith("the list of what is in it is larger")


@pytest.mark.parametrize("comment", [b"", b"a comment"])
def test_the_list_is_measured_as_zipfile_does(path, comment):
    """With a comment at the end, and without."""
    pack(path, {f"s{n}.py": "" for n in range(5)})
    with zipfile.ZipFile(path, "a") as packed:
        packed.comment = comment
        start = packed.start_dir

    with path.open("rb") as file:
        assert archive._directory(file) == (start, path.stat().st_size - start - 22 - len(comment))


def test_the_list_of_a_large_archive(path):
    """In the form for more than 65,535 entries, which says so in another place."""
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, 123_456_789_012, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, 0, 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\3\4" + end64 + locator + end)

    with path.open("rb") as file:
        assert archive._directory(file)[1] == 123_456_789_012


def test_a_bomb_is_its_students_trouble(assignment, path, monkeypatch):
    """A little that becomes a lot is not unpacked; the others are graded."""
    monkeypatch.setattr(archive, "LARGEST", 1 << 20)
    pack(path, {"ada.py": WORK, "bob/next.ipynb": b"0" * (3 << 20), "eve/next.py": WORK})

    found = works(assignment, path)

    assert found["bob"].trouble == f"next.ipynb: {tree.TOO_LARGE}"
    assert (found["ada"].data, found["eve"].data) == (WORK.encode(), WORK.encode())


@pytest.mark.parametrize("name", ["a/" * 32_700 + "next.py", *("a/" * n + "x.py" for n in range(14, 20))])
def test_folders_deeper_than_anybody_looks(assignment, path, name):
    """Of a name only what may be looked at is kept: 32,700 folders took a minute and 1.1 GB."""
    pack(path, {"ada.py": WORK, f"bob/{name}": WORK, "eve/next.py": WORK, f"eve/{name}": ""})

    tracemalloc.start()
    found = works(assignment, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 10 << 20
    assert (found["ada"].data, found["eve"].data) == (WORK.encode(), WORK.encode())
    assert found["bob"].trouble == (
        "there is no next.ipynb in the 8 folders below each other that are looked into; hand in the notebook under "
        "this name at the top"
    )


def test_a_thousand_deep_names(assignment, path):
    """Each with folders of its own, as many as its bytes can name."""
    pack(path, {"ada.py": WORK} | {f"bob/{n}/" + "a/" * 300 + "x": "" for n in range(1_000)})

    tracemalloc.start()
    found = works(assignment, path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 30 << 20
    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble


def test_a_name_that_no_disk_takes(assignment, path):
    """It is the trouble of whoever has it."""
    pack(
        path,
        {
            "ada.py": WORK,
            f"kim/{'x' * 300}/next.py": WORK,
            "bob/next.py": WORK,
            f"bob/{'x' * 256}": "",
            f"eve/{'é' * 127}": "",
            "eve/next.py": "",
        },
    )

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert (found["bob"].trouble, found["kim"].trouble) == (tree.TOO_LONG, tree.TOO_LONG)
    assert found["eve"].data == b""
    assert refused(assignment, pack(path, {"ada.py": WORK, "x" * 60_000 + ".py": WORK})) == tree.TOO_LONG


def test_one_file_that_is_too_large_is_its_students_trouble(assignment, path, monkeypatch):
    """The class is graded."""
    monkeypatch.setattr(archive, "LARGEST", 1 << 20)
    pack(path, {"ada.py": WORK, "bob/next.ipynb": os.urandom((1 << 20) + 1)})

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble == f"next.ipynb: {tree.TOO_LARGE}"


def test_entries_that_overlap(assignment, path):
    """As in the archives that unpack to a million times their size: two names for the same bytes."""
    data = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = data.compress(WORK.encode()) + data.flush()
    local = struct.pack(
        "<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, zlib.crc32(WORK.encode()), len(packed), len(WORK), 6, 0
    )
    local += b"ada.py" + packed
    central = b"".join(
        struct.pack(
            "<4s6H3L5H2L",
            *(b"PK\1\2", 20, 20, 0, 8, 0, 0, zlib.crc32(WORK.encode()), len(packed), len(WORK)),
            *(6, 0, 0, 0, 0, 0, 0),
        )
        + name
        for name in (b"ada.py", b"bob.py")
    )
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(central), len(local), 0)
    path.write_bytes(local + central + end)

    assert refused(assignment, path).startswith("`ada.py` in it: it overlaps with the next one")


@pytest.mark.parametrize("offset", [0, 5, 1 << 30])
def test_an_entry_that_is_not_where_the_list_says(assignment, path, offset):
    """The list at the end and the entry tell different things."""
    packed = bytearray(pack(path, {"ada.py": WORK, "bob.py": WORK}, level=0).read_bytes())
    at = packed.rfind(b"PK\1\2") + 42
    packed[at : at + 4] = offset.to_bytes(4, "little")
    path.write_bytes(packed)

    told = refused(assignment, path)

    assert "overlaps" in told or "its place in the archive is not where the list at the end says" in told


# --- Damage


def test_a_damaged_entry_is_its_students_trouble(assignment, path):
    """The others are graded."""
    packed = pack(path, {"ada.py": WORK, "bob/next.py": "x = 'HERE'"}, level=0).read_bytes()
    path.write_bytes(packed.replace(b"HERE", b"THEN"))

    found = works(assignment, path)

    assert found["ada"].data == WORK.encode()
    assert found["bob"].trouble == "next.py: it is damaged in the archive; hand it in again"


@pytest.mark.parametrize("size", [1, 10_000, 60 << 20])
def test_a_declared_size_that_lies(assignment, path, size):
    """No more is read than is declared, and what is not that long is damaged."""
    packed = bytearray(pack(path, {"ada.py": WORK, "bob.py": WORK * 9}).read_bytes())
    at = packed.rfind(b"PK\1\2") + 24
    packed[at : at + 4] = size.to_bytes(4, "little")
    path.write_bytes(packed)

    assert works(assignment, path)["bob"].trouble == "bob.py: it is damaged in the archive; hand it in again"


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9, 0.99])
def test_half_a_download(assignment, path, kept):
    """It is told, not read as a smaller class."""
    packed = pack(path, {f"s{n}.py": os.urandom(100) for n in range(50)}).read_bytes()
    path.write_bytes(packed[: int(len(packed) * kept)])

    assert refused(assignment, path) == "the archive is damaged or not complete; download it again"


@pytest.mark.slow
def test_any_damage_is_told_in_words(assignment, path):
    """A byte anywhere that is not what it was: a refusal or a student's trouble, or it does not matter."""
    good = pack(path, {"ada/next.py": WORK, "bob.py": WORK, "eve/": ""}).read_bytes()
    for at in range(len(good)):
        for value in (0xFF, good[at] ^ 0x01):
            path.write_bytes(good[:at] + bytes([value]) + good[at + 1 :])
            try:
                found = works(assignment, path)
            except Refused as error:
                assert str(error).startswith(f"{path}: ")  # noqa: PT017  most damage is no error
            else:
                assert all(work.data is not None or work.trouble for work in found.values())


def test_an_archive_that_is_gone_when_it_is_read(assignment, path):
    """It is not the student's fault."""
    (one,) = find_works(assignment, pack(path, {"ada.py": os.urandom(100_000)}))
    path.write_bytes(b"")

    with pytest.raises(Refused, match="it is not the archive any more that it was; try again"):
        one.read()


def test_an_empty_archive(assignment, path):
    """Nobody handed in."""
    assert refused(assignment, pack(path, {})).startswith("no student's work is in it")
