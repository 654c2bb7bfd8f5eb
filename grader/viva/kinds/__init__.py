"""The kinds of questions that need no topic.

theirs.py   which of four lines is theirs
results.py  what a function returns, and what it would return if one line were another one
"""

from __future__ import annotations

import functools

from grader.topic import make_topic
from grader.topic.questions import EditQuestion, QuestionKind, edit_words, edit_worked
from grader.viva.kinds import results, theirs

# Texts of the student's, and code, stand in backquotes: a page shows them as code and escapes them. After each kind's
# short name: what is asked, how it was worked out, what a wrong answer suggests.
THEIRS = QuestionKind(
    theirs.TheirsQuestion,
    theirs.ask,
    "a line of their own",
    lambda _: "Which of these lines stands in your file? Spaces and quotes do not count.",
    lambda one: f"It is {one.place}, in `{one.function}`. The others stand nowhere in the file.",
    lambda _: (
        "A line that means the same: the rule is understood, and the text not remembered. Another: ask what it would compute."
    ),
)
PLAIN = {
    "result": QuestionKind(
        results.ResultQuestion,
        results.ask,
        "what a function returns",
        lambda one: f"What does `{one.call}` return?",
        lambda _: "The function was run.",
        lambda _: "Another value: ask which lines run, one after the other.",
    ),
    "edit": QuestionKind(
        EditQuestion,
        results.ask_for_edits,
        "what an edit does",
        edit_words,
        edit_worked,
        lambda one: f"`{one.was}`: nothing was seen to change. Another: ask what the line does.",
    ),
}


@functools.cache
def kinds_of(topic: str | None) -> dict[str, QuestionKind]:
    """Return the kinds of questions of the topic that a manifest names, by name."""
    examination = make_topic(topic, {}).examination()
    return {**(examination.kinds if examination else PLAIN), "theirs": THEIRS}
