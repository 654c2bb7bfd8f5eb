"""The kinds of questions that need no topic.

theirs.py   which of four lines is theirs
results.py  what a function returns, and what it would return if one line were another one
"""

from __future__ import annotations

import functools

from grader.topic import make_topic
from grader.topic.questions import EditQuestion, QuestionKind
from grader.viva.kinds import results, theirs
from grader.viva.words import WORDS

THEIRS = QuestionKind(theirs.TheirsQuestion, theirs.ask, *WORDS["theirs"])
PLAIN = {
    "result": QuestionKind(results.ResultQuestion, results.ask, *WORDS["result"]),
    "edit": QuestionKind(EditQuestion, results.ask_for_edits, *WORDS["edit"]),
}


@functools.cache
def kinds_of(topic: str | None) -> dict[str, QuestionKind]:
    """Return the kinds of questions of the topic that a manifest names, by name."""
    examination = make_topic(topic, {}).examination()
    return {**(examination.kinds if examination else PLAIN), "theirs": THEIRS}
