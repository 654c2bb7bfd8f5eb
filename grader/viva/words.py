"""The words of the questions that every topic has; those of a topic's own questions stand in its room.

Texts of the student's, and code, stand in backquotes; a page shows them as code and escapes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.topic.questions import edit_words, edit_worked

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.topic.questions import EditQuestion
    from grader.viva.kinds.theirs import TheirsQuestion


def _theirs_worked(one: TheirsQuestion) -> str:
    return f"It is {one.place}, in `{one.function}`. The others stand nowhere in the file."


def _edit_suggests(one: EditQuestion) -> str:
    return f"`{one.was}`: nothing was seen to change. Another: ask what the line does."


# A short name of each kind, and its words: what is asked, how it was worked out, what a wrong answer suggests.
WORDS: dict[str, tuple[str, Callable[[Any], str], Callable[[Any], str], Callable[[Any], str]]] = {
    "edit": ("what an edit does", edit_words, edit_worked, _edit_suggests),
    "result": (
        "what a function returns",
        lambda one: f"What does `{one.call}` return?",
        lambda _: "The function was run.",
        lambda _: "Another value: ask which lines run, one after the other.",
    ),
    "theirs": (
        "a line of their own",
        lambda _: "Which of these lines stands in your file? Spaces and quotes do not count.",
        _theirs_worked,
        lambda _: (
            "A line that means the same: the rule is understood, and the text not remembered. Another: ask what it would compute."
        ),
    ),
}
