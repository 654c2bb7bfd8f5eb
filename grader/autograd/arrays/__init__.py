"""Rules of operations of arrays, read back from what an engine does to arrays of chosen shapes.

operations.py   the operations, with their right results and rules, and the shapes on which they are tried
formulas.py     what may stand in the place of a right rule
reductions.py   what may be done about a shape to which broadcasting stretched an input
search.py       from numbers and errors to a rule: formula, reduction, and how it is written into `grad`
probe.py        the jail's answer for every operation, and which of them are wrong
explain.py      the facts about a failed check: a reading beside the right rule, as a statement

Imported only for assignments with `arrays: true`.
"""
