"""The questions of an examination: each answer is what the student's own code does, and nobody else's sheet has it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from asked import ENGINE, Worked, day, graph_in, graph_of, report_on, sheet_of
from helpers import reference
from hostile import HOSTILE
from msgspec.structs import replace
from sampled import every

from grader.autograd.questions import differences
from grader.grading.grader import open_grader
from grader.sandbox import Deadline, Launcher, SandboxUnavailable
from grader.sandbox.budget import LOG_NAME
from grader.submissions.submission import Block, Sources
from grader.topic.questions import Question, question
from grader.viva import sheet as sheets
from grader.viva import work
from grader.viva.kinds import fill_words, kinds_of
from grader.viva.pages import sheet_markdown
from grader.viva.sheet import Sheet
from grader.viva.work import ExaminedWork

TIMES = ("first", "second", "third", "fourth")
STUDENTS = every(2, [f"student{i}" for i in range(8)])
TWICE = ENGINE.replace(
    "            if node not in seen:\n", "            if True:\n"
)  # no memory of visited nodes
SWAPPED = ENGINE.replace("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")
FORWARD = ENGINE.replace("in reversed(order)", "in order")
ASSIGNED = ENGINE.replace("self.grad += other.data * out.grad", "self.grad = other.data * out.grad")
TOO_MUCH = ENGINE.replace("Value(self.data * other.data,", "Value(self.data + other.data,")


@pytest.fixture(scope="module")
def many(launcher: Launcher) -> list[Sheet]:
    """The sheets of a few students with one engine, of many questions."""
    return [sheet_of(launcher, student=student, count=14) for student in STUDENTS]


def of_kind(many: list[Sheet], kind: str) -> list[tuple[Sheet, Question]]:
    """All questions of a kind, each with its sheet; there are some."""
    found = [(sheet, one) for sheet in many for one in sheet.questions if one.kind == kind]
    assert found
    return found


# --- Answers


@pytest.mark.ci
def test_a_value_is_what_the_forward_pass_computes(many: list[Sheet]) -> None:
    for sheet, one in of_kind(many, "value"):
        assert one.answer == Worked(graph_of(sheet))[one.key]


@pytest.mark.ci
def test_the_third_call_is_that_of_a_right_order(many: list[Sheet]) -> None:
    for sheet, one in of_kind(many, "order"):
        calls = one.facts["calls"]
        assert sorted(calls) == sorted(step.name for step in graph_of(sheet).steps)
        for step in graph_of(sheet).steps:  # each result is called before what it is made from
            assert all(calls.index(step.name) < calls.index(name) for name in step.inputs if name in calls)
        assert one.answer == calls[TIMES.index(one.facts["time"])]


@pytest.mark.ci
def test_a_gradient_on_the_way(many: list[Sheet]) -> None:
    """Just before or after a call it is what the calls until then have handed on."""
    around = [(sheet, one) for sheet, one in of_kind(many, "gradient") if "called" in one.facts]
    assert around
    for sheet, one in around:
        worked, seen = Worked(graph_of(sheet)), list[float]()
        for node in worked.all:
            node.grad = 0.0
        called, asked = (worked.nodes[one.facts[name]] for name in ("called", "node"))
        called._backward = noting(called._backward, asked, seen)
        exec(graph_of(sheet).way, worked.nodes)
        before, after = seen
        assert one.answer == f"{before if one.facts['when'] == 'before' else after:.6g}"


def noting(rule: Callable[[], None], asked: Any, seen: list[float]) -> Callable[[], None]:
    """A rule that notes a gradient before and after it has run."""

    def call() -> None:
        seen.append(asked.grad)
        rule()
        seen.append(asked.grad)

    return call


@pytest.mark.ci
def test_an_edit_is_made_in_their_own_line(many: list[Sheet]) -> None:
    """The answer is what comes out when the line is changed by hand; it is another one than without the change."""
    for sheet, one in of_kind(many, "edit"):
        old, new, place, was = (one.facts.get(name, "") for name in ("old", "new", "asked", "was"))
        number = int(re.findall(r"line (\d+)", one.facts["place"])[-1])
        lines = ENGINE.split("\n")
        assert lines[number - 1].strip() == old
        lines[number - 1] = lines[number - 1].replace(old, new or "pass")
        assert one.answer == Worked(graph_of(sheet), "\n".join(lines))[place]
        assert was == Worked(graph_of(sheet))[place] != one.answer


@pytest.mark.ci
def test_the_line_of_a_contribution(many: list[Sheet]) -> None:
    """Without it the node gets so much less from this call, and without each of the others it does not."""
    for sheet, one in of_kind(many, "line"):
        assert one.answer in one.options
        assert len({*one.options}) == 4
        called, node = one.facts["called"], one.facts["node"]
        sign = next(step.op for step in graph_of(sheet).steps if step.name == called)
        inside = ENGINE.partition({"+": "__add__", "-": "__sub__", "*": "__mul__"}[sign])[2].partition(
            "return out"
        )[0]
        assert one.answer in inside
        left, right = next(step.inputs for step in graph_of(sheet).steps if step.name == called)
        assert one.answer.startswith("self." if node == left else "other.")
        assert node in (left, right)


@pytest.mark.ci
def test_one_of_four_lines_is_theirs(many: list[Sheet]) -> None:
    lines = [line.strip() for line in ENGINE.split("\n")]
    for _, one in of_kind(many, "theirs"):
        assert [option for option in one.options if option in lines] == [one.answer]
        assert len({*one.options}) == 4


@pytest.mark.ci
def test_the_leaf_that_moves_the_root_most(many: list[Sheet]) -> None:
    for sheet, one in of_kind(many, "leaf"):
        slopes = {
            name: abs(float(Worked(graph_of(sheet))[f"{name}.grad"])) for name in graph_of(sheet).leaves
        }
        assert one.answer == max(slopes, key=slopes.__getitem__)


@pytest.mark.ci
def test_a_right_walk_calls_each_node_once(many: list[Sheet]) -> None:
    for sheet, one in of_kind(many, "calls"):
        assert one.answer == f"{len(graph_of(sheet).steps)}"
        assert one.options == ()


def test_a_walk_without_a_memory_calls_a_node_for_each_path(launcher: Launcher) -> None:
    sheet = sheet_of(launcher, TWICE, only=("calls",))
    (one,) = sheet.questions
    assert one.answer == f"{one.facts['paths']} and {len(graph_of(sheet).steps)}"
    assert len({*one.options}) == 4


@pytest.mark.ci
@pytest.mark.parametrize(
    ("source", "words"),
    [
        pytest.param(SWAPPED, "a.data * out.grad", id="the own factor"),
        pytest.param(FORWARD, "calls", id="not reversed", marks=pytest.mark.ci),
        pytest.param(ASSIGNED, "=", id="= for +=", marks=pytest.mark.ci),
        pytest.param(TOO_MUCH, "a.data + b.data", id="+ for ×"),
    ],
)
def test_wrong_work_is_asked_about_its_cause(launcher: Launcher, source: str, words: str) -> None:
    """Their number and the right one are in the answer; the examiner reads what the report says."""
    sheet = sheet_of(launcher, source, report=report_on(launcher, source), only=("cause",))
    one = sheet.questions[0]
    theirs, right = one.answer.split(" and ")
    assert theirs != right
    assert words in one.facts["said"]
    graph = graph_in(one.facts["lines"], one.facts["after"]) if "lines" in one.facts else graph_of(sheet)
    assert theirs == Worked(graph, source)[one.facts["node"]]
    assert right == Worked(graph)[one.facts["node"]]


@pytest.mark.ci
def test_a_walk_by_hand_begins_with_a_gradient_whatever_is_asked(launcher: Launcher) -> None:
    """The seed is the root's gradient, also where a value of the forward pass is wrong."""
    by_hand = TOO_MUCH.partition("    def backward")[0]
    report = report_on(launcher, TOO_MUCH)
    one = sheet_of(launcher, by_hand, report=report, only=("cause",)).questions[0]
    assert "Then come `M.grad = 1.0` and" in fill_words(kinds_of("autograd")["cause"].asked, one)


@pytest.mark.ci
def test_wrong_arrays_are_asked_about_their_cause(launcher: Launcher) -> None:
    """One entry of a gradient, on a graph of the operation alone."""
    rule = "self.grad += unbroadcast(other.data * out.grad, self.data.shape)"
    source = reference("day6").replace(rule, rule.replace("other.data", "self.data"))
    report = report_on(launcher, source, "day6")
    sheet = sheet_of(launcher, source, assignment=day("day6"), report=report, only=("cause",))
    assert {one.facts["node"].partition("[")[0] for one in sheet.questions} == {"d.grad"}
    assert all("*" in one.facts["said"] for one in sheet.questions)


# --- Fair


@pytest.fixture(scope="module")
def others(launcher: Launcher) -> list[Sheet]:
    """The sheets of other students, as the command makes them."""
    return [sheet_of(launcher, student=student) for student in ("bob", *STUDENTS[4:])]


@pytest.mark.ci
def test_a_sheet_has_six_questions_that_are_as_hard_as_those_of_others(
    usual: Sheet, others: list[Sheet]
) -> None:
    for sheet in (usual, *others):
        assert len(sheet.questions) == 6
        assert sheet.level in {11, 12, 13}
        assert len({one.kind for one in sheet.questions}) >= 5


@pytest.mark.ci
def test_neighbours_differ_and_a_second_print_is_equal(
    launcher: Launcher, usual: Sheet, others: list[Sheet]
) -> None:
    first, other = usual, others[0]
    with Launcher() as another:
        assert sheet_of(another, student="ada") == first
    assert graph_of(other).lines != graph_of(first).lines
    assert not {one.answer for one in first.questions} >= {one.answer for one in other.questions}
    assert graph_of(sheet_of(launcher, student="ada", salt="another")).lines != graph_of(first).lines


@pytest.mark.ci
def test_practice_holds_nothing_of_a_graded_sheet(launcher: Launcher, many: list[Sheet]) -> None:
    """Other graphs, other numbers, and of the lines only those that no graded sheet asks for."""
    practice = sheet_of(launcher, practice=True, count=14)
    graded = {line for sheet in many for line in graph_of(sheet).lines}
    assert not {*graph_of(practice).lines} & graded
    of_practice = {one.answer for one in practice.questions if one.kind == "theirs"}
    assert of_practice
    assert not of_practice & {one.answer for _, one in of_kind(many, "theirs")}


@pytest.mark.ci
def test_nothing_is_asked_about_code_that_they_were_given(launcher: Launcher) -> None:
    """Of the forward pass nothing if only the rules are theirs, and nothing at all if nothing is."""
    assert sheet_of(launcher, given=ENGINE, count=20).questions == []
    rules = (
        "self.grad += out.grad",
        "other.grad += out.grad",
        "other.grad -= out.grad",
        "self.grad += other.data * out.grad",
    )
    given = "\n".join(line for line in ENGINE.split("\n") if not line.strip().startswith(rules))
    sheet = sheet_of(launcher, given=given, count=20)
    assert {one.kind for one in sheet.questions} >= {"gradient", "order", "edit"}
    assert not {one.kind for one in sheet.questions} & {"value", "leaf"}
    assert {one.facts["old"] for one in sheet.questions if one.kind == "edit"} <= {
        *rules,
        "other.grad += self.data * out.grad",
    }


@pytest.mark.ci
def test_no_question_gives_away_another_one(many: list[Sheet]) -> None:
    for sheet in many:
        hidden = [one.answer for one in sheet.questions if one.kind == "theirs"]
        shown = [line for one in sheet.questions for line in one.shows]
        assert not {*hidden} & {*shown}
        changed = {one.facts["old"] for one in sheet.questions if one.kind == "edit"}
        assert not changed & {one.answer for one in sheet.questions if one.kind == "line"}


@pytest.mark.ci
def test_a_question_of_whose_answer_there_are_two_is_left_out(launcher: Launcher) -> None:
    """With children in a set, Python decides the order of nodes that do not wait for each other."""
    in_set = ENGINE.replace("(self, other))", "{self, other})")
    for student in STUDENTS:
        sheet = sheet_of(launcher, in_set, student=student, only=("order",), count=3)
        waits = {
            step.name: {user.name for user in graph_of(sheet).steps if step.name in user.inputs}
            for step in graph_of(sheet).steps
        }
        for one in sheet.questions:
            orders = [*orders_of(waits)]
            assert {order[TIMES.index(one.facts["time"])] for order in orders} == {one.answer}


@pytest.mark.ci
def test_an_edit_that_depends_on_the_order_of_sets_costs_no_other_question(launcher: Launcher) -> None:
    """Without `reversed` a walk over sets gives one gradient or another; each student still has edits to be asked about."""
    in_set = ENGINE.replace("(self, other))", "{self, other})")
    made = [sheet_of(launcher, in_set, student=student, only=("edit",), count=3) for student in STUDENTS]
    assert [len(sheet.questions) for sheet in made] == [3] * len(STUDENTS)


def orders_of(waits: dict[str, set[str]]) -> Iterator[list[str]]:
    """Yield all orders in which each node comes after those that it waits for."""
    if not waits:
        yield []
    for node, users in waits.items():
        if not users & {*waits}:
            rest = {other: users for other, users in waits.items() if other != node}
            yield from ([node, *order] for order in orders_of(rest))


# --- What cannot be asked


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def f(:\n",
        "raise SystemExit",
        "class Value: pass\n",
        "Value = 3\n",
        ENGINE.replace("self.data = data", "self.data = 1 / 0"),
    ],
    ids=["nothing", "no Python", "ends", "no engine", "a number", "raises"],
)
def test_what_cannot_be_run_gets_a_sheet_that_says_so(launcher: Launcher, source: str) -> None:
    sheet = sheet_of(launcher, source)
    assert len(sheet.questions) < 6
    assert not {one.kind for one in sheet.questions} - {"theirs"}
    assert sheet.why


@pytest.mark.ci
def test_lines_are_asked_about_though_the_cells_never_end(launcher: Launcher) -> None:
    """Statements are read in a jail in which nothing of theirs is executed."""
    assignment = day(load_seconds=0.5)
    loops = f"{ENGINE}\nwhile True:\n    pass\n"
    sheet = sheet_of(launcher, loops, assignment=assignment, only=("theirs",))
    assert {one.kind for one in sheet.questions} == {"theirs"}


@pytest.mark.ci
def test_an_edit_that_never_ends_is_left_out(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `>=` the loop of this walk has no end; other edits are asked about."""
    monkeypatch.setattr(differences, "TRIED", 50)
    monkeypatch.setattr(differences, "ABOUT_EDITS", 50)
    monkeypatch.setattr(work, "EDITED_SECONDS", 0.15)
    loop = "        left = 1\n        while left > 0:\n            left = max(0, left - 1)\n"
    source = ENGINE.replace("        visit(self)\n", f"        visit(self)\n{loop}")

    asked = sheet_of(launcher, source, only=("edit",), count=20).questions

    assert asked
    assert "compares" not in {one.facts["edit"] for one in asked}


def test_a_kind_that_fails_costs_its_own_questions(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, LOG_NAME)  # a user does not see it

    def fails(asking: object) -> Iterator[Question]:
        raise RuntimeError("a bug")
        yield

    kinds = kinds_of("autograd")
    monkeypatch.setitem(kinds, "edit", kinds["edit"]._replace(ask=fails))
    asked = {one.kind for one in sheet_of(launcher).questions}
    assert len(asked) > 3
    assert "edit" not in asked


def test_the_time_of_a_sheet_is_used_up(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "SECONDS", 0.0)
    assert sheet_of(launcher).why


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_questions_come_back_from_plain_data_as_they_were(text: str) -> None:
    one = question("theirs", text, (text, "b"), key=text, hides=[text], function=text, lines=[text, text])
    assert msgspec.convert(msgspec.to_builtins(one), Question) == one


def test_a_jail_that_does_not_start_is_nobodys_empty_sheet(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise SandboxUnavailable("no jail")

    monkeypatch.setattr(Launcher, "open", fails)
    with pytest.raises(SandboxUnavailable):
        sheet_of(launcher)


@pytest.mark.ci
def test_an_engine_with_other_names_is_asked_in_its_own(launcher: Launcher) -> None:
    names = {"class": "Node", "data": "val", "grad": "derivative", "closure": "_rule", "backward": "backprop"}
    source = ENGINE
    for usual, own in {
        "Value": "Node",
        ".data": ".val",
        ".grad": ".derivative",
        "_backward": "_rule",
        "backward": "backprop",
    }.items():
        source = source.replace(usual, own)
    assignment = day()
    vars(assignment)["manifest"] = replace(assignment.manifest, names=names)

    sheet = sheet_of(launcher, source, assignment=assignment, count=12)

    assert {one.kind for one in sheet.questions} >= {
        "value",
        "gradient",
        "edit",
        "line",
        "order",
        "calls",
        "leaf",
    }
    page = sheet_markdown(sheet)
    assert "backprop()" in page
    assert not re.search(r"\.data|\.grad|_backward|Value\(", page)


def test_lines_of_every_block_of_a_function_are_read(launcher: Launcher) -> None:
    """Below `match`, `except`, `finally` and `else`; lines outside of functions are no answers, and no other options."""
    source = """\
def area(kind, x):
    match kind:
        case 1:
            result_of_case = x + 1
        case _:
            result_of_rest = x - 1
    try:
        result_of_try = x * 2
    except ValueError:
        result_of_except = x + 2
    else:
        result_of_else = x - 2
    finally:
        result_of_finally = x + 3
    return x

result_outside = area(1, 2) + 1
"""
    sources = Sources([Block("mine.py", None, 1, source)])
    with open_grader(day("day1"), launcher) as grader:
        read = ExaminedWork(grader, sources, deadline=Deadline(10))
        own = {one.text.partition(" ")[0] for one in read.statements()}
    assert {f"result_of_{part}" for part in ("case", "rest", "try", "except", "else", "finally")} <= own
    assert "result_outside" not in own
    assert "result_outside = area(1, 2) + 1" in read.text
