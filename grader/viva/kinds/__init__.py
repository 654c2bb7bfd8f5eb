"""The kinds of questions that need no topic.

theirs.py   which of four lines is in the student's file
results.py  the result of a function, and its result after an edit of one line
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict

from grader.topic import make_topic
from grader.topic.questions import EDIT_WORDS, Question, QuestionKind, as_code
from grader.viva.kinds import results, theirs

# Code and the student's texts are in backquotes: a page shows them as code and escapes them.
THEIRS = QuestionKind(
    "a line of their own",
    1,
    theirs.ask,
    "Which of these lines is in your file? Spaces and quotes do not count.",
    "It is {place}, in `{function}`. The others are nowhere in the file.",
    "A line with the same meaning: they know the rule but not their text. Another line: ask what it would compute.",
)
PLAIN = {
    "result": QuestionKind(
        "what a function returns",
        1,
        results.ask,
        "What does `{call}` return?",
        "The function was run.",
        "Another value: ask which lines run, one after the other.",
    ),
    "edit": QuestionKind(
        "what an edit does",
        3,
        results.ask_for_edits,
        *EDIT_WORDS,
        suggests="`{was}`: nothing was seen to change. Another: ask what the line does.",
    ),
}


@functools.cache
def kinds_of(topic: str | None) -> dict[str, QuestionKind]:
    """Return the kinds of questions of the topic that a manifest names, by name."""
    examination = make_topic(topic, {}).examination()
    return {**(examination.kinds if examination else PLAIN), "theirs": THEIRS}


def fill_words(words: str, one: Question) -> str:
    """Return a text of a kind, filled with the facts of a question.

    >>> fill_words("It is `{answer}`[place?, in {place}| somewhere].", Question("theirs", "x = 1"))
    'It is `x = 1` somewhere.'
    """
    facts = one.facts
    while "[" in words:
        words = re.sub(
            r"\[(\w+)\?([^][|]*)\|?([^][]*)\]", lambda part: part[2 if facts.get(part[1]) else 3], words
        )
    return words.format_map(defaultdict(str, {name: as_code(value) for name, value in facts.items()}))
