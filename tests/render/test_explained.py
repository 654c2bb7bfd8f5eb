"""Rules and walks as every format tells them, held by snapshots."""

import datetime as dt
import math
import re

import msgspec
import pytest
from explained import ADD, MUL, OTHER, SWAPPED, TOPO, WALK, check, explained
from gfm import Page, seen
from helpers import same_as_snapshot
from told import sentences_with

from grader.classroom.ci import annotations_of
from grader.render import FORMATS
from grader.render.html import render_fragment
from grader.render.layout import steps_of, walk_lines
from grader.render.markdown import render_markdown
from grader.render.terminal import render_terminal
from grader.render.words import check_lines, next_step
from grader.report import Bar, Chart, Location, Mismatch, Outcome

NOW = dt.datetime(2025, 11, 20, 12, 0, tzinfo=dt.UTC)
ENDS = {"terminal": "txt", "markdown": "md", "fragment": "html"}


def with_only(result):
    """The report with one check in it."""
    report = explained()
    report.checks = [result]
    return report


def details():
    """The part of the terminal's page about each check, graded alone."""
    pages = [render_terminal(with_only(result), now=NOW) for result in explained().checks]
    return [part for page in pages for part in page.split("\n\n") if re.match(r"  \w+: ", part)]


@pytest.mark.parametrize(
    "format_", ["terminal", "markdown", "fragment", "junit", "gradescope", "classroom50"]
)
def test_rules_and_a_walk(format_):
    """Rules as their words with the place, a walk as its two orders with the first wrong step marked."""
    page = FORMATS[format_](explained(), **({"now": NOW} if format_ == "terminal" else {}))
    if format_ == "terminal":  # which shows one check in full
        page += "\n" + "\n\n".join(details()[1:]) + "\n"
    if format_ == "fragment":
        page = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    if format_ == "markdown":
        seen(page)
    same_as_snapshot(f"explained_{format_}.{ENDS.get(format_, 'out')}", page)


@pytest.mark.parametrize("more", [1, 2])
def test_what_is_left_out_is_counted(more):
    rules = [msgspec.structs.replace(SWAPPED, words=f"Rule {i}.") for i in range(4 + more)]

    page = render_terminal(with_only(check("swap_rule", "× swaps.", where=MUL, rules=rules)), now=NOW)

    assert f"in this check: {more}. Fix" in page


def test_no_check_takes_more_than_a_dozen_lines():
    """Not even with two rules, and with a walk."""
    parts = details()
    assert len(parts) == 4
    assert max(part.count("\n") + 1 for part in parts) <= 12


def test_what_a_rule_explains_is_not_told_twice(snapshot):
    """One reading is enough, and no location is repeated."""
    page = render_terminal(with_only(explained().checks[0]), now=NOW)

    assert page == snapshot
    assert "b.grad is -3" not in page
    assert page.count("line 5:") == 1


def test_a_place_stands_below_its_own_rules():
    """Of several rules in a row that have one, it is at the last."""
    other = msgspec.structs.replace(SWAPPED, words="In a + b your engine does nothing.", where=ADD)
    result = check("x", "Two operations.", rules=[SWAPPED, OTHER, other])

    lines = [line.strip() for line in render_terminal(with_only(result), width=100, now=NOW).splitlines()]
    places = [i for i, line in enumerate(lines) if line.startswith("day2.ipynb, cell")]

    assert [lines[i][:25] for i in places] == ["day2.ipynb, cell 7, line ", "day2.ipynb, cell 5, line "]
    assert places[1] == places[0] + 2


def test_a_line_of_an_error_is_nearer_than_its_function():
    """The `def` around a reported line is not reported as well."""
    line = msgspec.structs.replace(MUL, line=7, text="self.grad += other * out.grad")
    page = render_terminal(with_only(check("x", "y", rules=[SWAPPED], where=line)), now=NOW)
    assert "line 7:" in page
    assert "line 5:" not in page


def test_the_same_words_are_told_once():
    """A cause has a rule for each input that it leaves alone."""
    both = [msgspec.structs.replace(SWAPPED, input=name, wrote="") for name in ("self", "other")]
    page = render_terminal(with_only(check("x", "y", rules=both)), now=NOW)
    assert page.count("In a * b your engine") == page.count("line 5:") == 1


def test_many_rules_are_cut(snapshot):
    """Four rules of a check are enough for a student."""
    rules = [msgspec.structs.replace(SWAPPED, words=f"In x{i} * y your engine does it.") for i in range(6)]
    page = render_terminal(with_only(check("x", "All of them.", rules=rules)), now=NOW)
    assert page.count("* y your engine") == 4
    assert page == snapshot


def test_a_check_whose_cause_is_told_elsewhere_has_two_lines(snapshot):
    """Its title, and where to look."""
    (part,) = [part for part in details() if "pytorch_parity:" in part]
    assert " ".join(part.split()) == snapshot


def test_one_check_in_full_at_a_time(snapshot):
    """A line names the command for the others."""
    page = render_terminal(explained(), now=NOW)

    assert re.findall(r"^  (\w+): ", page, re.MULTILINE) == ["swap_rule"]
    assert sentences_with("`grade day2 --check", page) == snapshot


def test_next_is_the_check_that_tells_the_cause(snapshot):
    """Not the one that fails for the same reason, wherever it stands."""
    report = explained()
    report.checks = [report.checks[2], report.checks[0]]
    assert next_step(report) == snapshot


@pytest.mark.parametrize("reference", ["solutions/day2/day2.py", "day2.ipynb"])
def test_full_marks_reveal_a_reference_that_is_another_file(snapshot, reference):
    """Nobody is sent to compare a file with itself."""
    report = explained()
    report.checks, report.reference = [], reference
    assert next_step(report) == snapshot


def test_annotations_have_the_words_and_the_place(snapshot):
    """A notebook's lines are not those that GitHub shows: the words name the cell."""
    found = annotations_of(explained(), lambda where: (where.file, where.line))
    assert [annotation.message.splitlines()[-1] for annotation in found[:2]] == snapshot
    assert found[0].line == MUL.line
    assert WALK.words in found[3].message


# --- The two orders


def changed(**fields):
    return msgspec.structs.replace(WALK, **fields)


def test_the_mark_stands_below_the_first_wrong_step(snapshot):
    """In columns, as wide as the longer of two names."""
    walk = changed(student=["loss", "b", "c"], right=["loss", "hidden", "b", "c"], wrong=1)
    assert walk_lines(walk, 80) == snapshot


def test_a_call_that_is_missing_at_the_end(snapshot):
    """The mark is where it would be."""
    walk = changed(student=["d", "c"], right=["d", "c", "b"], wrong=2)
    assert walk_lines(walk, 80)[-2:] == ["your order     d  c", "                     ^"]
    assert check_lines(check("x", "y", walk=walk))[-2] == snapshot


def test_nothing_was_called(snapshot):
    """An empty order is one too."""
    walk = changed(student=[], right=["d", "c"], wrong=0)
    assert walk_lines(walk, 80)[-1] == "               ^"
    assert check_lines(check("x", "y", walk=walk))[-3:-1] == snapshot


ERROR = {"message": "TypeError: no.", "asked": "The halves of 1."}
PLACE = Location("mine.py", None, 3, "return halves[0]", "halves")
FOR_PEOPLE = ["terminal", "markdown", "fragment", "html", "junit", "gradescope", "classroom50"]


@pytest.mark.parametrize("format_", FOR_PEOPLE)
def test_an_error_stands_above_what_was_asked(format_):
    """Then its line; what the test asked comes last. Numbers that were read follow what was asked."""
    failed = check("x", "y", **ERROR, frames=[PLACE], where=PLACE)
    page = FORMATS[format_](with_only(failed))
    assert re.search(r"TypeError: no\..*line.? 3.*Asked: The halves of 1\.", page, re.DOTALL)
    assert "TypeError: no. Asked" not in page
    assert page.count("halves[0]") == 1

    read = check("x", "y", asked="The halves of 1.", readings=[Mismatch("halves()", "", "1", "0.5")])
    page = FORMATS[format_](with_only(read))
    assert re.search(r"Asked: The halves of 1\..*halves.*0\.5", page, re.DOTALL)


def test_another_file_is_named_in_each_command():
    """As it was named to `grade`: a command without it would grade the assignment's own notebook."""
    report = explained()
    report.submission = msgspec.structs.replace(report.submission, argument="'my work.py'")
    for format_ in ("terminal", "markdown", "fragment", "junit"):
        page = " ".join(re.sub(r"&#?\w+;", "'", FORMATS[format_](report)).split())
        assert "`grade day2 'my work.py'` again" in page.replace("<code>", "`").replace("</code>", "`")
    assert "grade day2 'my work.py' --check CHECK" in " ".join(render_terminal(report, now=NOW).split())


def test_zeros_are_no_chart():
    """Bars that all have no length say nothing."""
    bars = [Bar("a", 0.0), Bar("b", -0.0), Bar("c", math.nan)]
    chart = Chart("Gradients", "", "falls", "rises", bars)
    for format_ in FOR_PEOPLE:
        assert "Gradients" not in FORMATS[format_](with_only(check("x", "y", chart=chart)))


def test_one_line_for_what_only_letters_judge():
    """For all checks of a day; a check graded alone says it once."""
    passed = [check(name, "y", Outcome.PASSED, message="Letters are not judged here.") for name in ("x", "z")]
    report = explained()
    report.checks = [*report.checks, *passed]
    page = " ".join(render_terminal(report, now=NOW).split())
    assert "x, z: Letters are not judged here." in page
    assert render_terminal(with_only(passed[0]), now=NOW).count("Letters are") == 1


def test_equal_orders_are_not_shown():
    """The order is right, and the words say what is wrong."""
    walk = changed(student=WALK.right, wrong=None, words="On a graph d.grad is 0 when d is called.")
    for format_ in ("terminal", "markdown", "fragment", "gradescope"):
        page = FORMATS[format_](with_only(check("x", "y", walk=walk)))
        assert "your order" not in page
        assert "when d is called" in page
    assert walk_lines(walk, 80) == []


def test_a_graph_that_the_words_name_is_not_named_again():
    """One line less."""
    walk = changed(words=f"On {WALK.graph}, your `backward` calls b first.")
    page = " ".join(render_terminal(with_only(check("x", "y", walk=walk)), now=NOW).split())
    assert page.count(WALK.graph) == 1


def test_no_single_step_is_wrong():
    """Then there is no mark."""
    walk = changed(wrong=None)
    assert len(walk_lines(walk, 80)) == 2
    assert "wrong" not in render_fragment(with_only(check("x", "y", walk=walk))).partition("</style>")[2]


@pytest.mark.parametrize("wrong", [0, 20, 39])
@pytest.mark.parametrize("room", [28, 56, 96])
def test_a_long_walk_is_cut_around_the_wrong_step(wrong, room):
    """No line is wider than the terminal, and the mark is always there."""
    names = [f"n{i}" for i in range(40)]
    walk = changed(student=[*names[:wrong], f"x{wrong}", *names[wrong:]], right=names, wrong=wrong)

    _, student, mark = walk_lines(walk, room)

    assert max(map(len, (student, mark))) <= room
    assert student[mark.index("^") :].startswith(f"x{wrong}")
    assert [step.student for step in steps_of(walk) if step.wrong] == [f"x{wrong}"]


def test_a_table_of_two_rows():
    """The wrong step has a sign beside its colour."""
    page = render_fragment(with_only(check("x", "y", walk=WALK)))
    assert page.count("<tr>") == 2
    assert '<td class="wrong">✗ a</td>' in page


def test_a_wrong_step_that_is_none():
    """A report may come from elsewhere."""
    for wrong in (-3, 10**9):
        assert len(walk_lines(changed(wrong=wrong), 80)) <= 3


def test_a_place_of_a_walk_is_told_once():
    """It is the check's, too."""
    page = Page(render_markdown(explained())).text
    assert page.count("build_topo(root)") == 1
    assert TOPO.text in page
    assert explained().checks[3].outcome is Outcome.FAILED
