"""English about an engine, made from facts. No program reads it back.

tables.py  the sentences about operations, of numbers and of arrays
rules.py   words for the facts about one operation
walks.py   words for the facts about a walk, and for the steps of a trace without a fact
own.py     the names of a student's engine in facts and in sentences
"""

from grader.autograd.words.rules import operation_in_brief, operation_words
from grader.autograd.words.tables import CAUSES, RELATIONS, WHY
from grader.autograd.words.walks import (
    STEPS,
    WALKS,
    attribute,
    walk_in_brief,
    walk_sentence,
    walk_words,
)

__all__ = [
    "CAUSES",
    "RELATIONS",
    "STEPS",
    "WALKS",
    "WHY",
    "attribute",
    "operation_in_brief",
    "operation_words",
    "walk_in_brief",
    "walk_sentence",
    "walk_words",
]
