"""English about an engine, made from facts and read back by nothing.

tables.py  the sentences about operations
rules.py   words for the facts about one operation
walks.py   words for the facts about a walk
names.py   words for a name that a Value has instead of another
"""

from grader.autograd.words.rules import operation_in_brief, operation_words
from grader.autograd.words.tables import CAUSES, RELATIONS, WHY
from grader.autograd.words.walks import WALKS, walk_in_brief, walk_words

__all__ = [
    "CAUSES",
    "RELATIONS",
    "WALKS",
    "WHY",
    "operation_in_brief",
    "operation_words",
    "walk_in_brief",
    "walk_words",
]
