"""What a marker does at the desk: groups, marks, shares, answers that changed, requests, two at once, hidden names."""

import re

import pytest
from markingcourse import cell, essay, hand_in, notebook

from grader.errors import Refused
from grader.gradebook.in_force import Override, Overrides
from grader.gradebook.overrides import brief_override
from grader.marking.answers import AnswerCell, ManualAnswer
from grader.marking.desk import MarkingRequest
from grader.marking.marker import read_share
from grader.submissions.work import Work

GOOD = "Double is called, for example with 2."


def groups(desk):
    """The students of each group, by its state."""
    return {tuple(one.answer.student for one in group.marks): group.state for group in desk.groups()}


def mark(desk, student, points="4", **more):
    """Save a mark of this student's group as the page does."""
    key = next(g.key for g in desk.groups() if student in [one.answer.student for one in g.marks])
    return desk.save(MarkingRequest(key, (*desk.page(key)["data"]["seen"],), points, **more))


def key_of(desk, student):
    return next(g.key for g in desk.groups() if student in [one.answer.student for one in g.marks])


def in_force(here):
    return Overrides.of(here.store.overrides("mini"))


def test_equal_answers_are_marked_once(opened):
    """White space aside; each student has an override of the kinds that `grade override` makes."""
    here = opened()
    assert groups(here.desk) == {("ada", "bob"): "new", ("cy",): "new", ("dan",): "new"}
    mark(here.desk, "ada", items=(0, 1), comment="Clear.")
    points, comments = in_force(here).points, in_force(here).comments
    assert {student for student, _ in points} == {student for student, _ in comments} == {"ada", "bob"}
    one = points["bob", "essay"]
    assert (one.points, one.why, one.items) == (
        4.0, "names double (+3); gives an example (+1)", ("names double", "gives an example")
    )  # fmt: skip
    assert one.who == "Mary Keller <mary@example.org>"
    assert groups(here.desk)["ada", "bob"] == "marked"


def test_nothing_is_saved_twice(opened):
    """The same mark again adds no row; a comment that is emptied is undone."""
    here = opened()
    for _ in range(2):
        mark(here.desk, "dan", "1", comment="Say why.")
    assert len(here.store.overrides("mini")) == 2
    mark(here.desk, "dan", "1")
    assert in_force(here).comments == {}


def test_nearly_equal_ones_are_proposed_and_never_merged_unasked(opened):
    """They join when somebody asks, and leave again."""
    desk = opened().desk
    page = desk.page(key_of(desk, "cy"))
    assert [one["line"]["who"] for one in page["near"]] == ["ada, bob"]
    joined = desk.join(MarkingRequest(key_of(desk, "cy"), other=page["near"][0]["line"]["key"]))
    assert {frozenset(group) for group in groups(desk)} == {
        frozenset({"ada", "bob", "cy"}),
        frozenset({"dan"}),
    }
    members = [one.answer.student for one in desk.find(joined).marks]
    desk.leave(MarkingRequest(joined, member=members.index("ada")))
    assert groups(desk) == {("ada", "bob"): "new", ("cy",): "new", ("dan",): "new"}


def test_words_that_were_handed_out_are_not_compared():
    """A short answer behind `Your answer:` is like the one that stands alone."""
    texts = ("Your answer: The count.", "the count")
    words = [
        ManualAnswer("ada", "essay", (AnswerCell(1, False, text),), Work, given={"Your answer:", ""}).words
        for text in texts
    ]
    assert words == [("the", "count")] * 2


def test_answers_that_begin_alike_follow_one_another(opened):
    """So the next one often gets the same mark."""
    texts = {"ada": "Zero.", "bob": "The count.", "cy": "None.", "dan": "the count of numbers"}
    desk = opened({name: essay(text) for name, text in texts.items()}).desk
    assert [*groups(desk)] == [("cy",), ("bob",), ("dan",), ("ada",)]


def test_a_nearly_equal_plot_tells_that_its_picture_is_another(opened):
    """The code alone is compared; what cannot be shown is said, so that nobody takes it for nothing."""
    page = {"data": {"text/html": "<b>plot</b>"}, "output_type": "display_data", "metadata": {}}
    works = {
        "ada": notebook(cell("draw()", "plot", "code", outputs=[page])),
        "bob": notebook(cell("draw()", "plot", "code")),
    }
    desk = opened(works, checks=("plot",)).desk
    shown = desk.page(key_of(desk, "ada"))
    assert shown["variants"][0]["parts"][0]["outputs"][0]["text"].startswith("(output not shown")
    assert shown["near"][0]["parts"][0]["outputs"] == []


def test_a_pasted_picture_that_is_not_shown_is_said(opened):
    """Of an essay, too."""
    gif = cell("![p](attachment:p.gif)", "essay", attachments={"p.gif": {"image/gif": "R0lGOA=="}})
    desk = opened({"ada": notebook(gif)}).desk
    (output,) = desk.page(key_of(desk, "ada"))["variants"][0]["parts"][0]["outputs"]
    assert output["text"].startswith("(output not shown")


def test_who_leaves_takes_nobody_along(opened):
    """Of a group that took in another one, and was itself taken in."""
    desk = opened().desk
    desk.join(MarkingRequest(key_of(desk, "cy"), other=key_of(desk, "ada")))
    joined = desk.join(MarkingRequest(key_of(desk, "dan"), other=key_of(desk, "cy")))
    members = [one.answer.student for one in desk.find(joined).marks]
    desk.leave(MarkingRequest(joined, member=members.index("cy")))
    assert {frozenset(group) for group in groups(desk)} == {
        frozenset({"ada", "bob", "dan"}),
        frozenset({"cy"}),
    }


def test_who_leaves_a_group_stays_apart_by_the_mark(opened):
    """Also at a desk that is opened later."""
    here = opened()
    here.desk.leave(MarkingRequest(key_of(here.desk, "ada")))
    mark(here.desk, "ada", "4")
    mark(here.desk, "bob", "2")
    assert groups(here.again()) == {("ada",): "marked", ("bob",): "marked", ("cy",): "new", ("dan",): "new"}


def test_the_mark_of_a_nearly_equal_answer_is_one_key(opened):
    """Else the marker's last one."""
    desk = opened().desk
    assert desk.page(key_of(desk, "cy"))["data"]["before"] is None
    mark(desk, "ada", "4", items=(0, 1))
    mark(desk, "dan", "0", comment="Try.")
    near = {"points": "4", "items": [0, 1], "comment": ""}
    assert desk.page(key_of(desk, "cy"))["data"]["before"] == near
    assert desk.page(key_of(desk, "ada"))["comments"] == ["Try."]


def test_two_at_once_are_safe(opened):
    """The second is refused, and learns who was faster; nothing of theirs is kept."""
    here = opened()
    other = here.again()
    stale = MarkingRequest(key_of(other, "dan"), other.page(key_of(other, "dan"))["data"]["seen"], "2")
    mark(here.desk, "dan", "1")
    with pytest.raises(
        Refused, match=r"Mary Keller <mary@example.org> changed this in the meantime, so nothing was saved"
    ):
        other.save(stale)
    assert in_force(here).points["dan", "essay"].points == 1


def test_a_group_that_changed_is_not_marked_unseen(opened):
    """Somebody joined it, or left, in another tab."""
    desk = opened().desk
    key = key_of(desk, "ada")
    stale = MarkingRequest(key, desk.page(key)["data"]["seen"], "2")
    desk.join(MarkingRequest(key, other=key_of(desk, "cy")))
    with pytest.raises(Refused, match="the group has changed, so nothing was saved"):
        desk.save(stale)


def test_an_answer_that_became_equal_to_a_marked_one_joins_it(opened):
    """Its own mark was of another answer."""
    here = opened()
    mark(here.desk, "ada", "4")
    mark(here.desk, "dan", "0")
    hand_in(here.assignment, {"dan": essay(GOOD)})
    again = here.again()
    assert groups(again)["ada", "bob", "dan"] == "changed"
    assert again.page(key_of(again, "dan"))["given"]["points"] == "4"


def test_a_notebook_with_numbers_that_json_has_not(opened):
    """Jupyter writes NaN, and grading reads it; a damaged file costs nobody else anything."""
    nan = essay("Doubled.").replace(b'"metadata": {}, "nbformat"', b'"metadata": {"x": NaN}, "nbformat"')
    here = opened({"ada": nan, "bob": b"{", "cy": essay("Words.")})
    assert groups(here.desk) == {("ada",): "new", ("cy",): "new"}


def test_marks_that_contradict_in_a_merge_are_listed(opened):
    """As after two markers on two machines; a new mark decides."""
    here = opened()
    for points in (1.0, 2.0):
        made = Override(
            "mini", "points", "by hand", "Grace", "dan", "essay", points, at="2025-12-01T10:00:00+00:00"
        )
        here.store.add_overrides([made], elsewhere=True)
    assert groups(here.desk)["dan",] == "conflict"
    mark(here.desk, "dan", "2")
    assert groups(here.desk)["dan",] == "marked"
    assert in_force(here).points["dan", "essay"].points == 2


def test_an_answer_that_changed_is_listed_again(opened):
    """And one of which white space alone changed is not."""
    here = opened()
    mark(here.desk, "ada")
    mark(here.desk, "dan", "0")
    hand_in(here.assignment, {"dan": essay("Because double is called."), "ada": essay(f"{GOOD}\n\n ")})
    assert groups(here.again())["dan",] == "changed"
    assert groups(here.again())["ada", "bob"] == "marked"


def test_a_request_stands_in_the_list_until_it_is_answered(opened):
    """Who asked, until when, and who answered; of one student, not of the group."""
    here = opened()
    mark(here.desk, "ada", "3", items=(0,))
    key = here.desk.request(
        MarkingRequest(key_of(here.desk, "ada"), comment="I gave an example.", until="2025-12-08")
    )
    assert groups(here.again())["ada",] == "request"
    line = here.desk.page(key)["line"]
    assert (line["state"], "answer until 2025-12-08: I gave an example." in line["request"]) == (
        "regrade requested", True
    )  # fmt: skip
    mark(here.desk, "ada", "4", items=(0, 1))
    assert groups(here.desk)["ada",] == "marked"
    assert "request answered by Mary Keller" in here.desk.page(key_of(here.desk, "ada"))["line"]["request"]
    assert in_force(here).points["bob", "essay"].points == 3
    told = [brief_override(one) for one in here.store.overrides("mini") if one.kind == "request"]
    assert told == ["ada essay regrade requested", "ada essay regrade request closed"]
    with pytest.raises(Refused, match="write the date as 2026-12-01"):
        here.desk.request(MarkingRequest(key_of(here.desk, "ada"), comment="Again.", until="soon"))


def test_shares_split_the_answers_and_keep_equal_ones_together(opened):
    """Each answer is in one share, whoever else hands in."""
    here = opened()
    shares = [groups(here.again(share=f"{number}/3")) for number in (1, 2, 3)]
    assert sorted(group for share in shares for group in share) == [("ada", "bob"), ("cy",), ("dan",)]
    assert read_share("2/4") == (2, 4)
    for wrong in ("0/4", "5/4", "2", "a/b"):
        with pytest.raises(Refused, match="not a share"):
            read_share(wrong)


def test_a_student_cannot_choose_the_marker(opened):
    """The secret salt of the course decides which share an answer is in, as much as the answer does."""
    here, seen = opened(), set()
    for salt in "abcdefgh":
        vars(here.assignment)["salt"] = salt
        seen |= {("dan",) in groups(here.again(share="1/2"))}
    assert seen == {True, False}


def test_names_are_hidden_in_answers_and_requests(opened):
    """And the order of students tells nothing."""
    here = opened(
        {"ada": essay("I, Ada (ADA@uni.edu), say: adaptive."), "bob": essay("Ask ada.")}, anonymous=True
    )
    shown = "".join(str(here.desk.page(key_of(here.desk, name))) for name in ("ada", "bob"))
    assert "adaptive" in shown
    assert "I, [name] ([name]@uni.edu), say: adaptive." in shown
    assert not re.search(r"\b(ada|bob)\b", shown, re.IGNORECASE)


def test_a_name_that_python_has_stays_in_code(opened):
    """Max is hidden in words, and the function `max` still reads."""
    works = {"max": notebook(cell("I am Max.", "essay"), cell("max(1, 2)  # max", "essay", "code"))}
    desk = opened(works, anonymous=True).desk
    (variant,) = desk.page(key_of(desk, "max"))["variants"]
    assert "I am [name]." in variant["parts"][0]["text"]
    assert variant["parts"][1]["code"] == "max(1, 2)  # max"


def test_points_that_cannot_be_are_refused(opened):
    """Nothing is kept."""
    here = opened()
    for wrong in ("5", "-1", "x", "1.234", ""):
        with pytest.raises(Refused, match="a number from 0 to 4, with"):
            mark(here.desk, "dan", wrong)
    with pytest.raises(Refused, match="rubric has changed"):
        mark(here.desk, "dan", "1", items=(7,))
    assert here.store.overrides("mini") == []


def test_whose_file_is_gone_is_named(opened, capsys):
    """The file that was graded is the one that is marked, or none."""
    here = opened()
    (here.folder / "dan" / "mini.ipynb").write_bytes(essay("Another file."))
    assert ("dan",) not in groups(here.again())
    assert "note: dan: the graded file is missing" in capsys.readouterr().err
