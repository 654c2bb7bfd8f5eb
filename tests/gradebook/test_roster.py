"""Rosters: an instructor's own lists and the exports of platforms, faulty and hostile ones among them."""

import contextlib
import os
import tracemalloc
import unicodedata

import pytest

from grader.errors import Refused
from grader.gradebook import roster as roster_module
from grader.gradebook.roster import RosterStudent, read_instructors, read_roster
from grader.submissions.keys import LONGEST, MOST_BYTES, same_key, student_key, trouble_with_key


@pytest.fixture
def roster(tmp_path):
    """Write a roster; gives its path."""

    def roster(content, name="roster.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return roster


def refused(path):
    """The error of a roster, without its path."""
    with pytest.raises(Refused) as caught:
        read_roster(path)
    text = str(caught.value)
    assert text.startswith(f"{path}")
    return text.removeprefix(f"{path}").lstrip(":, ")


# One's own lists, and what platforms export
READ = {
    "one's own, with some columns in any order": (
        "name,student,github,email,repository\n"
        '"Lovelace, Ada",ada,ada-l,ada@uni.edu,course/day2-ada-l\n'
        "Grace,grace,,,\n",
        [
            RosterStudent("ada", "ada-l", "course/day2-ada-l", "Lovelace, Ada", "ada@uni.edu"),
            RosterStudent("grace", name="Grace"),
        ],
    ),
    "columns as people write them": (
        "Student , GitHub Username,E-Mail,Remote\nada,@ada,a@b.c,file:///srv/git/ada.git\n",
        [RosterStudent("ada", "ada", "file:///srv/git/ada.git", email="a@b.c")],
    ),
    "further columns, by which a platform may know the student": (
        "student,SIS Login ID,Group,Note\nada,al123,7,\n",
        [RosterStudent("ada", ids={"SIS Login ID": "al123", "Group": "7"})],
    ),
    "names on GitHub alone": ("github\nada-l\n", [RosterStudent("ada-l", "ada-l")]),
    "GitHub Classroom's roster, whose identifiers are the instructor's": (
        '"identifier","github_username","github_id","name"\n'
        '"01-Pérez Pérez, Mariano","yaagma","40261856","Mariano"\n'
        '"grace@uni.edu","","",""\n',
        [
            RosterStudent(
                "01-Pérez-Pérez-Mariano",
                "yaagma",
                name="Mariano",
                ids={"identifier": "01-Pérez Pérez, Mariano", "github_id": "40261856"},
            ),
            RosterStudent("grace@uni.edu", email="grace@uni.edu", ids={"identifier": "grace@uni.edu"}),
        ],
    ),
    "GitHub Classroom's grades, with the repositories; one took no place in the roster": (
        "assignment_name,assignment_url,starter_code_url,github_username,roster_identifier,"
        "student_repository_name,student_repository_url,submission_timestamp,points_awarded,points_available\n"
        "Day 2,https://c/1,https://g/s,ada-l,ada@uni.edu,day2-ada-l,https://github.com/course/day2-ada-l,"
        "2025-11-01 10:00:00 UTC,40,100\n"
        "Day 2,https://c/1,https://g/s,hopper,,day2-hopper,https://github.com/course/day2-hopper,,,100\n",
        [
            RosterStudent(
                "ada@uni.edu",
                "ada-l",
                "course/day2-ada-l",
                email="ada@uni.edu",
                ids={"roster_identifier": "ada@uni.edu"},
            ),
            RosterStudent("hopper", "hopper", "course/day2-hopper"),
        ],
    ),
    "Classroom 50's students": (
        "username,first_name,last_name,email,section,github_id\nada-l,Ada,L,ada@example.org,1,11\n",
        [
            RosterStudent(
                "ada-l",
                "ada-l",
                name="Ada L",
                email="ada@example.org",
                ids={"section": "1", "github_id": "11"},
            )
        ],
    ),
    "Canvas with first and last names": (
        "LastName,FirstName,ID,SIS Login ID,Section,Day 2 (992)\nO'Neil,Zoë_7_,5,zo,A,\n",
        [
            RosterStudent(
                "oneilzoë7-5",
                name="O'Neil, Zoë_7_",
                ids={
                    "LastName": "O'Neil",
                    "FirstName": "Zoë_7_",
                    "ID": "5",
                    "SIS Login ID": "zo",
                    "Section": "A",
                },
            )
        ],
    ),
    **{
        f"Moodle's grades, whose import goes by the address; {surname}": (
            f'"First name",{surname},"ID number",Institution,Department,"Email address",'
            '"Assignment: Day 2 (Real)","Last downloaded from this course"\n'
            "Ada,Lovelace,0815,,,Ada@uni.edu,-,1700000000\n",
            [
                RosterStudent(
                    "Ada@uni.edu",
                    name="Ada Lovelace",
                    email="Ada@uni.edu",
                    ids={"ID number": "0815", "Email address": "Ada@uni.edu"},
                )
            ],
        )
        for surname in ("Last name", "Surname")
    },
    "Moodle's grading worksheet, with the participants of its zip": (
        'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
        '"Last modified (grade)","Feedback comments"\n'
        '"Participant 12345","Ada Lovelace",ada@uni.edu,"Submitted for grading",,100.00,Yes,-,\n',
        [
            RosterStudent(
                "Ada-Lovelace-12345",
                name="Ada Lovelace",
                email="ada@uni.edu",
                ids={"Identifier": "Participant 12345", "Email address": "ada@uni.edu"},
            )
        ],
    ),
}
REFUSED = {
    "a GitHub username twice": "student,github\nada,lovelace\ngrace,Lovelace\n",
    "identifiers that become one key": "identifier,github_username,github_id,name\nKim Lee,a,,\nkim-lee,b,,\n",
    "an identifier of which nothing is left": "identifier,github_username,github_id,name\n😀,a,,\n",
    "Canvas without an id": "Student,ID,Section\nAda,x,A\n",
}


@pytest.mark.parametrize("case", READ)
def test_rosters(roster, case):
    """Each is recognised by its columns."""
    text, students = READ[case]
    assert read_roster(roster(text)) == students


@pytest.mark.parametrize("case", REFUSED)
def test_students_that_cannot_be_told_apart(roster, case, snapshot):
    """The lines are named."""
    assert refused(roster(REFUSED[case])) == snapshot


def test_who_instructs(roster, snapshot):
    """By the column `role`; they are no students, and need a GitHub username."""
    path = roster(
        "student,github,role\nada,ada-l,\ngrace,@Grace-H,Instructor\n,tutor,instructor\nbob,,student\n"
    )
    assert [student.student for student in read_roster(path)] == ["ada", "bob"]
    assert read_instructors(path) == ["Grace-H", "tutor"]
    told = refused(roster("student,github,role\ngrace,grace,instrutcor\n"))
    assert told == snapshot
    told = refused(roster("student,role\ngrace,instructor\n"))
    assert told == snapshot


def test_a_platforms_roles_are_its_own(roster):
    """A role in a platform's export counts nothing here."""
    path = roster('Student,ID,Section,Role\n"Lovelace, Ada",1,A,StudentEnrollment\n')
    assert len(read_roster(path)) == 1
    assert read_instructors(path) == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_separators_ends_and_encodings(roster, separator, end, encoding):
    """As the spreadsheets of the world write them."""
    rows = [["student", "name"], ["ada", '"Ada, Countess; of Lovelace"'], ["émilie", "Émilie"]]
    path = roster(end.join(separator.join(row) for row in rows).encode(encoding))

    assert [(s.student, s.name) for s in read_roster(path)] == [
        ("ada", "Ada, Countess; of Lovelace"),
        ("émilie", "Émilie"),
    ]


def test_excels_line_of_the_separator(roster):
    """It is no header, and the lines keep their numbers."""
    assert read_roster(roster("sep=;\nstudent;name\nada;Ada, too\n"))[0].name == "Ada, too"
    assert refused(roster("sep=;\nstudent;name\n;Ada\n")).startswith("line 3: ")


def test_blank_lines_are_passed_over(roster):
    """Also those of separators alone."""
    assert [s.student for s in read_roster(roster("\nstudent,name\n,,,\n\nada,\n  ,\n"))] == ["ada"]


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("", "the name is empty"),
        ("../../x", "'/' is not allowed in it"),
        ("..", "begin with a dot"),
        (".git", "begin with a dot"),
        ("-rf", "or a minus"),
        ("ada.", "end with a dot"),
        ("Ada Lovelace", "a space is not allowed in it"),
        ('"=HYPERLINK(""http://x"")"', "is not allowed in it; write letters, digits and . _ - @ +"),
        ("a\\b", r"'\\' is not allowed"),
        ("C:", "':' is not allowed"),
        ("con", "Windows reserves this name"),
        ("COM1.txt", "Windows"),
        ("ada\u202e", r"'\u202e' is not allowed"),
        ("a\x1b[31m", r"'\x1b' is not allowed"),
        ("ada😀", r"'\U0001f600' is not allowed"),
        ("a" * 101, "too long"),
        ("\u0939" * 70, "too long"),
    ],
)
def test_what_is_no_key_is_refused_with_its_line(roster, key, why):
    """It will be the name of a folder."""
    told = refused(roster(f"student,github\ngrace,grace\n{key},ada\n"))

    assert told.startswith("line 3: ")
    assert why in told
    assert all(sign.isprintable() for sign in told)


@pytest.mark.parametrize(
    "key", ["ada", "Ada_L.2", "ada@uni.edu", "x+y", "émilie", "李明", "नमस्ते", "7", "a" * 100]
)
def test_keys(roster, key):
    """Letters and digits of any script."""
    assert read_roster(roster(f"student\n{key}\n"))[0].student == key


@pytest.mark.parametrize(
    ("one", "other"), [("ada", "ada"), ("ada", "ADA"), ("émilie", unicodedata.normalize("NFD", "Émilie"))]
)
def test_a_student_twice_is_refused_with_both_lines(roster, one, other, snapshot):
    """Also in the other case, and with the accent as a sign of its own: a Mac has one folder for both."""
    told = refused(roster(f"student,name\n{one},A\ngrace,B\n{other},C\n"))

    assert told.startswith("line 4: the student ")
    assert told == snapshot


@pytest.mark.parametrize("name", ["-ada", "ada/x", "a b", "ada?x=1", "../x", "a" * 101, "äda"])
def test_what_is_no_name_on_github(roster, name, snapshot):
    """It would be part of an address."""
    assert refused(roster(f"student,github\nada,{name}\n")) == snapshot


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("course/day2-ada", "course/day2-ada"),
        ("course/day2-ada.git", "course/day2-ada"),
        ("https://github.com/course/day2-ada", "course/day2-ada"),
        ("https://github.com/course/day2-ada.git/", "course/day2-ada"),
        ("course/.github", "course/.github"),
        ("https://git.uni.edu/course/ada.git", "https://git.uni.edu/course/ada.git"),
        ("ssh://git@git.uni.edu/ada.git", "ssh://git@git.uni.edu/ada.git"),
        ("git@git.uni.edu:course/ada.git", "git@git.uni.edu:course/ada.git"),
    ],
)
def test_repositories(roster, written, read):
    """On GitHub by owner and name, elsewhere by address."""
    assert read_roster(roster(f"student,remote\nada,{written}\n"))[0].repository == read


@pytest.mark.parametrize(
    "written",
    [
        "ext::sh -c 'touch /tmp/x'", "ext::sh", "-uupload", "--upload-pack=x", "ada", "course/..", "course/.",
        "https://github.com/course/../", "course/.git", "../x", "/etc", "ssh://-oProxyCommand=x/y", "git@-x:y",
        "course/da y", "javascript:alert(1)", "a/b/c", "fd::17", "git@host::x",
    ],
)  # fmt: skip
def test_what_is_no_repository(roster, written, snapshot):
    """Git would take these for an option or a program."""
    assert refused(roster(f'student,remote\nada,"{written}"\n')) == snapshot


@pytest.mark.parametrize(
    "address", ["https://ada:secret@git.uni.edu/x.git", "https://secret@github.com/a/b", "ssh://u:secret@h/x"]
)
def test_a_password_is_refused_and_not_repeated(roster, address):
    """It would be in results.db and in messages."""
    told = refused(roster(f"student,remote\nada,{address}\n"))

    assert "remove it" in told
    assert "secret" not in told


# --- Files that are no roster


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty; write the column names"),
        (b"\n \n", "it is empty"),
        (b"student,name\n", "it lists no students"),
        (b"PK\x03\x04rest", "this is a workbook; save it as CSV (UTF-8)"),
        ("student,name\nada,\xc9".encode("latin-1"), "this is not text in UTF-8"),
        (b"student\nada\0\n", "it contains zero bytes"),
        (b'student,name\nada,"Ada\n', "line 2: this is not a line of a CSV"),
        (b'student,name\ngrace,G\nada,"A"B"\n', "line 3: this is not a line of a CSV"),
        (b"student,name\nada," + b"x" * 200_000, "line 2: this is not a line of a CSV (field"),
        (b"student,name\nada,Lovelace, Ada\n", "line 2: it has 3 cells for 2 columns"),
        (b"student,student\nada,ada\n", "two columns are called `student`"),
        (b"Nachname,Vorname\nL,A\n", "no column names the students; it has `Nachname`, `Vorname`."),
    ],
)
def test_what_is_no_roster(roster, content, why):
    """Each says what it is, where, and what to do."""
    assert refused(roster(content)).startswith(why)


def test_a_file_that_is_not_there(tmp_path, snapshot):
    """A folder is refused, too."""
    assert refused(tmp_path / "none.csv").startswith("cannot be read: ")
    assert refused(tmp_path) == snapshot


@pytest.mark.skipif(os.name == "nt", reason="Windows lets ordinary users make no links")
def test_a_line_is_counted_where_it_begins(roster):
    """Though a cell before it has several."""
    assert refused(roster('student,name\nada,"A\nd\na"\n..,x\n')).startswith("line 5: ")


# --- Canvas

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Day 1 (991),Day 2 (992),Current Score\n"
    ",,,,,Manual Posting,,\n"
    "    Points Possible,,,,,100,100,(read only)\n"
    '"Lovelace, Ada",67890,u01,al123,Section A,90,,90\n'
    '"Lee, Kim",111,u02,kim@uni.edu,"Section A and Section B",,,\n'
    '"Lee, Kim",222,u03,kim2@uni.edu,Section B,EX,,\n'
)


def test_canvass_gradebook(roster):
    """Keys as in its zips; its own ids are kept, grades are not."""
    ada, kim, other = read_roster(roster(CANVAS))

    assert ada == RosterStudent(
        "lovelaceada-67890",
        name="Lovelace, Ada",
        ids={
            "Student": "Lovelace, Ada",
            "ID": "67890",
            "SIS User ID": "u01",
            "SIS Login ID": "al123",
            "Section": "Section A",
        },
    )
    assert (kim.student, kim.email) == ("leekim-111", "kim@uni.edu")
    assert other.student == "leekim-222"


# --- Keys made of names


@pytest.mark.parametrize(
    ("name", "number", "key"),
    [
        ("Ada Lovelace", "12345", "Ada-Lovelace-12345"),
        ('=HYPERLINK("http://x")', "7", "HYPERLINK-http-x-7"),
        ("../../x", "7", "x-7"),
        ("con", "", "con_"),
        ("NUL.txt", "", "NUL_"),
        ("con", "7", "con-7"),
        ("😀", "7", "7"),
        ("😀", "", ""),
        ("Ada 😀 L.", "", "Ada-L"),
        ("李明", "9", "李明-9"),
    ],
)
def test_keys_of_names(name, number, key):
    """Readable, and with the platform's number, so that they stay what they are."""
    assert student_key(name, number) == key
    assert not key or not trouble_with_key(key)


def test_a_long_name_keeps_its_number():
    """It is what tells two of them apart."""
    for letter in "aé李":
        key = student_key(letter * 500, "12345")

        assert key.endswith("-12345")
        assert len(key) <= LONGEST
        assert len(key.encode()) <= MOST_BYTES
        assert not trouble_with_key(key)


def test_one_key_in_two_ways_of_writing():
    """Case, accents, and the wide letters of Japanese keyboards."""
    assert same_key("ADA") == same_key("ada") == same_key("ａda")
    assert same_key("e\u0301") == same_key("\u00e9")


# --- More than a class


def counted(path, monkeypatch):
    """Count how often a column's name is folded while a roster is read or refused."""
    calls = []
    real = roster_module.fold_column.__wrapped__
    monkeypatch.setattr(roster_module, "fold_column", lambda name: calls.append(name) or real(name))
    with contextlib.suppress(Refused):
        read_roster(path)
    return len(calls)


def test_thousands_of_commas(roster, monkeypatch, snapshot):
    """Each name was once compared with all before it: 40,000 of them took a minute."""
    path = roster("student" + "," * 40_000 + "\nada\n")

    assert refused(path) == snapshot
    assert counted(path, monkeypatch) == 0


def test_short_lines_under_many_columns(roster, monkeypatch):
    """A line costs what its own cells cost, not the columns that it leaves out."""
    path = roster("student" + ",x" * 900 + "\n" + "".join(f"s{n}\n" for n in range(300)))

    assert counted(path, monkeypatch) < 10 * (900 + 300)


def test_more_lines_than_a_class_has(roster, monkeypatch, snapshot):
    """They are not all kept to be counted."""
    monkeypatch.setattr(roster_module, "MOST_LINES", 1_000)
    path = roster("student\n" + "".join(f"s{n}\n" for n in range(100_000)))

    tracemalloc.start()
    told = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert told == snapshot
    assert peak < 10 << 20


def test_a_line_that_is_too_long(roster, snapshot):
    """Be it only commas."""
    assert refused(roster("student\nada" + "," * (2 << 20))) == snapshot
